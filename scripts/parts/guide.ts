// The guide that ships with the program: the pages of docs/guide as HTML, with their pictures, made at each build. They
// open in the system's browser (electron/shell/guide.ts), from the disk, so that there is one also without a network.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { escaped, renderMarkdown, type MarkdownPage } from './markdown.ts'

const START = 'README'

/** Writes it to `target`, which is emptied first. Throws when a link leads nowhere. */
export async function writeGuide(root: string, target: string): Promise<void> {
  const docs = join(root, 'docs/guide')
  const names = readdirSync(docs)
    .filter((name) => name.endsWith('.md'))
    .map((name) => basename(name, '.md'))
  const pages = new Map<string, MarkdownPage>()
  for (const name of names) {
    const text = readFileSync(join(docs, `${name}.md`), 'utf8')
    pages.set(name, await renderMarkdown(text, (url) => addressInGuide(url, names, name)))
  }
  rmSync(target, { recursive: true, force: true })
  mkdirSync(join(target, 'images'), { recursive: true })
  copyFileSync(join(root, 'resources/guide.css'), join(target, 'guide.css'))
  for (const [name, page] of pages) {
    writeFileSync(join(target, fileOf(name)), pageMarkup(name, page, inOrder(pages)))
    for (const image of page.images) copyFileSync(join(docs, image), join(target, 'images', basename(image)))
  }
}

function fileOf(name: string): string {
  return name === START ? 'index.html' : `${name}.html`
}

/** Pages and pictures of the guide alone: nothing else comes along, and the guide opens nothing of the network. */
function addressInGuide(url: string, names: readonly string[], from: string): string {
  const page = /^([\w-]+)\.md$/.exec(url)?.[1]
  if (page !== undefined && names.includes(page)) return fileOf(page)
  const image = /^\.\.\/images\/([\w-]+\.png)$/.exec(url)?.[1]
  if (image !== undefined) return `images/${image}`
  throw new Error(`${from}.md leads to ${url}, which does not come along with the guide.`)
}

/** As the first page names them; one that it does not name is an error, since nobody would find it. */
function inOrder(pages: ReadonlyMap<string, MarkdownPage>): readonly (readonly [string, MarkdownPage])[] {
  const named = new Set([START, ...(pages.get(START)?.links ?? []).map((url) => basename(url, '.md'))])
  const missing = [...pages.keys()].find((name) => !named.has(name))
  if (missing !== undefined) throw new Error(`The guide's first page does not name ${missing}.md.`)
  return [...named].flatMap((name) => {
    const page = pages.get(name)
    return page === undefined ? [] : [[name, page] as const]
  })
}

function pageMarkup(
  name: string,
  { title, html }: MarkdownPage,
  all: readonly (readonly [string, MarkdownPage])[],
): string {
  const links = all.map(([other, page]) => {
    const current = other === name ? ' aria-current="page"' : ''
    return `<li><a href="${fileOf(other)}"${current}>${escaped(page.title)}</a></li>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self' file:; img-src 'self' file:">
<title>${escaped(title)} · Bookbridge</title>
<link rel="stylesheet" href="guide.css">
</head>
<body>
<nav aria-label="Pages of the guide"><p>Bookbridge</p><ol>${links.join('')}</ol></nav>
<main>${html}</main>
</body>
</html>
`
}
