/** The guide as it ships: it has every page and picture, its links work, and no text is lost. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { guideFile } from '../../../electron/shell/protocol.ts'
import { renderPage, writeGuide } from '../../../scripts/parts/guide.ts'
import { appCalls } from '../../../shared/contract/app.ts'

const root = resolve(import.meta.dirname, '../../..')
let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bookbridge-guide-'))
  writeGuide(root, folder)
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

/** Without the line breaks between elements. */
const html = (text: string): string =>
  renderPage(text, (url) => `to:${url}`)
    .html.replaceAll(/>\n/g, '>')
    .replaceAll(/\n</g, '<')

describe('the guide as it ships', () => {
  test('has each page of docs/guide, and those that the window opens', () => {
    const pages = readdirSync(folder).filter((name) => name.endsWith('.html'))
    expect(pages).toHaveLength(readdirSync(join(root, 'docs/guide')).length)
    for (const page of appCalls['app.openGuide'].input.shape.page.options)
      expect(pages).toContain(`${page}.html`)
  })

  test('links only to included pages and pictures, and every page links to every other one', () => {
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

  test('is beside the archive of a package, where a browser can open it', () => {
    const inPackage = join('opt', 'Bookbridge', 'resources', 'app.asar', 'out', 'main')
    expect(guideFile(inPackage, 'trouble')).toBe(
      join('opt', 'Bookbridge', 'resources', 'app.asar.unpacked', 'out', 'guide', 'trouble.html'),
    )
    expect(guideFile(join('here', 'out', 'main'), 'index')).toBe(join('here', 'out', 'guide', 'index.html'))
  })
})

describe('a page', () => {
  test('has anchors, and the addresses of the guide', () => {
    expect(html('# Get *ready*\n\nPress **Send**, see [records](records.md).')).toBe(
      '<h1 id="get-ready">Get <em>ready</em></h1>' +
        '<p>Press <strong>Send</strong>, see <a href="to:records.md">records</a>.</p>',
    )
    expect(html('# A\n\n![A picture](x.png)')).toContain('<img src="to:x.png" alt="A picture">')
    expect(html('# A\n\n| what |\n| --- |\n| `a` |')).toContain('<th scope="col">what</th>')
  })

  test('without a heading, or with HTML that would show as text, is rejected', () => {
    expect(html('# A & B\n\n`<b>`, 1 < 2')).toContain('<code>&lt;b&gt;</code>, 1 &lt; 2')
    expect(() => html('# A\n\n<script>alert(1)</script>')).toThrow('holds HTML')
    expect(() => html('only words')).toThrow('no heading')
  })
})
