/** The guide that ships: every page and picture comes along, links lead somewhere, and nothing written in it is lost. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { guideFile } from '../../electron/shell/guide.ts'
import { writeGuide } from '../../scripts/parts/guide.ts'
import { anchorOf, renderMarkdown } from '../../scripts/parts/markdown.ts'
import { GUIDE_PAGES } from '../../shared/contract/app.ts'

const root = resolve(import.meta.dirname, '../..')
let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bookbridge-guide-'))
  await writeGuide(root, folder)
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

const html = (text: string): Promise<string> =>
  renderMarkdown(text, (url) => `to:${url}`).then((page) => page.html)

describe('the guide as it ships', () => {
  test('has each page of docs/guide, and those that the window opens', () => {
    const pages = readdirSync(folder).filter((name) => name.endsWith('.html'))
    expect(pages).toHaveLength(readdirSync(join(root, 'docs/guide')).length)
    for (const page of GUIDE_PAGES) expect(pages).toContain(`${page}.html`)
  })

  test('leads only to pages and pictures that came along, and every page to every other', () => {
    const there = new Set([...readdirSync(folder), ...readdirSync(join(folder, 'images'))])
    const pages = readdirSync(folder).filter((name) => name.endsWith('.html'))
    for (const name of pages) {
      const text = readFileSync(join(folder, name), 'utf8')
      const targets = [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target = '']) => target)
      expect(targets.filter((target) => !there.has(target.replace(/^images\//, '')))).toEqual([])
      for (const other of pages) expect(targets).toContain(other)
      expect(text).toMatch(new RegExp(`<a href="${name}" aria-current="page">`))
    }
  })

  test('lies beside the archive of a package, where a browser finds it', () => {
    const inPackage = join('opt', 'Bookbridge', 'resources', 'app.asar', 'out', 'main')
    expect(guideFile(inPackage, 'trouble')).toBe(
      join('opt', 'Bookbridge', 'resources', 'app.asar.unpacked', 'out', 'guide', 'trouble.html'),
    )
    expect(guideFile(join('here', 'out', 'main'), 'index')).toBe(join('here', 'out', 'guide', 'index.html'))
  })
})

describe('a page', () => {
  test('is written as markup that says the same', async () => {
    expect(await html('# Get *ready*\n\nPress **Send** or `Ctrl K`, see [records](records.md).')).toBe(
      '<h1 id="get-ready">Get <em>ready</em></h1>' +
        '<p>Press <strong>Send</strong> or <code>Ctrl K</code>, see <a href="to:records.md">records</a>.</p>',
    )
    expect(await html('# A\n\n1. one\n\n   ![A picture](x.png)\n\n2. two\n   - in it')).toContain(
      '<ol><li><p>one</p><p><img src="to:x.png" alt="A picture"></p></li><li><p>two</p><ul><li><p>in it</p></li></ul></li></ol>',
    )
    expect(await html('# A\n\n| what | it means |\n| --- | --- |\n| **saved** | `a` |')).toContain(
      '<thead><tr><th scope="col">what</th><th scope="col">it means</th></tr></thead>' +
        '<tbody><tr><td><strong>saved</strong></td><td><code>a</code></td></tr></tbody>',
    )
  })

  test('shows signs of markup as signs', async () => {
    expect(await html('# A & B\n\n`<b>` says "x" & 1 < 2')).toBe(
      `<h1 id="${anchorOf('A & B')}">A &amp; B</h1><p><code>&lt;b&gt;</code> says &quot;x&quot; &amp; 1 &lt; 2</p>`,
    )
  })

  test('is refused where it would lose something: other markup, a link to nowhere, no heading', async () => {
    await expect(html('# A\n\n> quoted')).rejects.toThrow('“blockquote”')
    await expect(html('# A\n\n<script>alert(1)</script>')).rejects.toThrow('“html”')
    await expect(html('only words')).rejects.toThrow('no heading')
  })
})
