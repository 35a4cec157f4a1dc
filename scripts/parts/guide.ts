// The guide that ships with the program: the pages of docs/guide as HTML with their pictures, made at each build. The
// program opens it from disk in the system's browser (electron/shell/protocol.ts), so it works without a network.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import MarkdownIt from 'markdown-it'

const START = 'README'

type GuidePage = {
  /** Its first heading, without markup. */
  readonly title: string
  readonly html: string
  /** Link targets and image paths, in order, as written in the file. */
  readonly links: readonly string[]
  readonly images: readonly string[]
}

/** Writes the guide to `target`, which is emptied first. Throws if a link is broken. */
export function writeGuide(root: string, target: string): void {
  const docs = join(root, 'docs/guide')
  const names = readdirSync(docs)
    .filter((name) => name.endsWith('.md'))
    .map((name) => basename(name, '.md'))
  const pages = new Map<string, GuidePage>()
  for (const name of names) {
    const text = readFileSync(join(docs, `${name}.md`), 'utf8')
    pages.set(
      name,
      renderPage(text, (url) => addressInGuide(url, names, name)),
    )
  }
  rmSync(target, { recursive: true, force: true })
  mkdirSync(join(target, 'images'), { recursive: true })
  copyFileSync(join(root, 'resources/guide.css'), join(target, 'guide.css'))
  for (const [name, page] of pages) {
    writeFileSync(join(target, fileOf(name)), pageMarkup(name, page, inReadingOrder(pages)))
    for (const image of page.images) copyFileSync(join(docs, image), join(target, 'images', basename(image)))
  }
}

function fileOf(name: string): string {
  return name === START ? 'index.html' : `${name}.html`
}

const markdown = new MarkdownIt()
const { escapeHtml } = markdown.utils

/**
 * Renders a page. `addressOf` maps the address of a link or picture to the one in the page. Throws if the page has no
 * heading, or has raw HTML, which would show as text.
 */
export function renderPage(text: string, addressOf: (url: string) => string): GuidePage {
  const blocks = markdown.parse(text, {})
  const headings = blocks.flatMap(({ type }, at) => (type === 'heading_open' ? [at] : []))
  const headingText = (at: number): string =>
    (blocks[at + 1]?.children ?? []).map(({ content }) => content).join('')
  const [first] = headings
  if (first === undefined) throw new Error('A page of the guide has no heading.')
  for (const at of headings) blocks[at]?.attrSet('id', slugOf(headingText(at)))

  const tokens = blocks.flatMap((block) => [block, ...(block.children ?? [])])
  const html = tokens.find(({ type, content }) => type === 'text' && /<\/?[a-z]+[ >]/i.test(content))
  if (html !== undefined)
    throw new Error(`A page of the guide holds HTML, which is not rendered: ${html.content}`)
  for (const token of tokens) if (token.type === 'th_open') token.attrSet('scope', 'col')
  const addresses = (type: string, attribute: 'href' | 'src'): readonly string[] =>
    tokens.flatMap((token) => {
      const url = token.type === type ? token.attrGet(attribute) : null
      if (typeof url !== 'string') return []
      token.attrSet(attribute, addressOf(url))
      return [url]
    })
  const [links, images] = [addresses('link_open', 'href'), addresses('image', 'src')]
  return {
    title: headingText(first),
    html: markdown.renderer.render(blocks, markdown.options, {}),
    links,
    images,
  }
}

/** The anchor that GitHub gives a heading. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')
}

/** Links may lead only to the guide's own pages and pictures, because nothing else ships and the guide works offline. */
function addressInGuide(url: string, names: readonly string[], from: string): string {
  const page = /^([\w-]+)\.md$/.exec(url)?.[1]
  if (page !== undefined && names.includes(page)) return fileOf(page)
  const image = /^\.\.\/images\/([\w-]+\.png)$/.exec(url)?.[1]
  if (image !== undefined) return `images/${image}`
  throw new Error(`${from}.md links to ${url}, which does not ship with the guide.`)
}

/** The pages in the order in which the first page links to them. Throws if it omits one. */
function inReadingOrder(pages: ReadonlyMap<string, GuidePage>): readonly (readonly [string, GuidePage])[] {
  const linked = new Set([START, ...(pages.get(START)?.links ?? []).map((url) => basename(url, '.md'))])
  const missing = [...pages.keys()].find((name) => !linked.has(name))
  if (missing !== undefined) throw new Error(`The guide's first page does not link to ${missing}.md.`)
  return [...linked].flatMap((name) => {
    const page = pages.get(name)
    return page === undefined ? [] : [[name, page] as const]
  })
}

function pageMarkup(
  name: string,
  { title, html }: GuidePage,
  all: readonly (readonly [string, GuidePage])[],
): string {
  const links = all.map(([other, page]) => {
    const current = other === name ? ' aria-current="page"' : ''
    return `<li><a href="${fileOf(other)}"${current}>${escapeHtml(page.title)}</a></li>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self' file:; img-src 'self' file:">
<title>${escapeHtml(title)} · Bookbridge</title>
<link rel="stylesheet" href="guide.css">
</head>
<body>
<nav aria-label="Pages of the guide"><p>Bookbridge</p><ol>${links.join('')}</ol></nav>
<main>${html}</main>
</body>
</html>
`
}
