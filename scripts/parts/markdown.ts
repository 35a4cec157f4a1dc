// A page of the guide as HTML: Prettier's own reader of Markdown, and the markup of what the guide uses. What it does not
// know it refuses, so that no page loses a word unseen.
import type { ParserOptions } from 'prettier'
import { parsers } from 'prettier/plugins/markdown'

type Node =
  | { readonly type: 'text' | 'inlineCode'; readonly value: string }
  | { readonly type: 'heading'; readonly depth: number; readonly children: readonly Node[] }
  | { readonly type: 'link'; readonly url: string; readonly children: readonly Node[] }
  | { readonly type: 'image'; readonly url: string; readonly alt: string }
  | { readonly type: 'list'; readonly ordered: boolean; readonly children: readonly Node[] }
  | { readonly type: Parents; readonly children: readonly Node[] }
type Parents = 'root' | 'paragraph' | 'listItem' | 'table' | 'tableRow' | 'tableCell' | 'strong' | 'emphasis'

export type MarkdownPage = {
  /** Its first heading, in plain words. */
  readonly title: string
  readonly html: string
  /** As they stand in the file, in their order. */
  readonly links: readonly string[]
  readonly images: readonly string[]
}

/** `where` turns the address of a link or a picture into the one in the page. Throws at markup that the guide does not use. */
export async function renderMarkdown(text: string, where: (url: string) => string): Promise<MarkdownPage> {
  const root = (await parsers.markdown.parse(text, {} as ParserOptions)) as Node
  const all = [...nodesOf(root)]
  const title = all.find((node) => node.type === 'heading')
  if (title === undefined) throw new Error('A page of the guide has no heading.')
  return {
    title: wordsOf(title),
    html: markup(root, where),
    links: all.flatMap((node) => (node.type === 'link' ? [node.url] : [])),
    images: all.flatMap((node) => (node.type === 'image' ? [node.url] : [])),
  }
}

/** What a link to a heading leads to: its words in small letters, with hyphens between them. */
export function anchorOf(words: string): string {
  return words
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')
}

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function* nodesOf(node: Node): Generator<Node> {
  yield node
  if ('children' in node) for (const child of node.children) yield* nodesOf(child)
}

function wordsOf(node: Node): string {
  return [...nodesOf(node)].map((each) => ('value' in each ? each.value : '')).join('')
}

function markup(node: Node, where: (url: string) => string): string {
  const inside = (): string =>
    'children' in node ? node.children.map((child) => markup(child, where)).join('') : ''
  const tag = (name: string): string => `<${name}>${inside()}</${name}>`
  switch (node.type) {
    case 'root':
      return inside()
    case 'text':
      return escaped(node.value)
    case 'inlineCode':
      return `<code>${escaped(node.value)}</code>`
    case 'heading':
      return `<h${node.depth} id="${anchorOf(wordsOf(node))}">${inside()}</h${node.depth}>`
    case 'link':
      return `<a href="${escaped(where(node.url))}">${inside()}</a>`
    case 'image':
      return `<img src="${escaped(where(node.url))}" alt="${escaped(node.alt)}">`
    case 'list':
      return tag(node.ordered ? 'ol' : 'ul')
    case 'table':
      return tableMarkup(node.children, where)
    case 'paragraph':
      return tag('p')
    case 'listItem':
      return tag('li')
    case 'strong':
      return tag('strong')
    case 'emphasis':
      return tag('em')
    default:
      throw new Error(`The guide is written without “${node.type}”, which its pages can't show.`)
  }
}

function tableMarkup([head, ...rows]: readonly Node[], where: (url: string) => string): string {
  const row = (each: Node | undefined, cell: string): string => {
    const cells = each !== undefined && 'children' in each ? each.children : []
    const inside = cells.map((one) => {
      const words = 'children' in one ? one.children.map((child) => markup(child, where)).join('') : ''
      return `<${cell}>${words}</${cell.split(' ')[0] ?? ''}>`
    })
    return `<tr>${inside.join('')}</tr>`
  }
  const body = rows.map((each) => row(each, 'td')).join('')
  return `<table><thead>${row(head, 'th scope="col"')}</thead><tbody>${body}</tbody></table>`
}
