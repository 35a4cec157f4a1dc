/** Everything that the docs refer to exists: links, pictures, commands, and files. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...markdownBelow('docs'),
  ...markdownBelow('test/chromium-host'),
  ...markdownBelow('renderer'),
]
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}

/** The first parts of paths in this repository. */
const OURS = new Set([
  ...['electron', 'renderer', 'shared', 'test', 'scripts', 'docs', 'resources', '.ci', '.github'],
])
/** Created by commands, and not in a fresh clone. */
const MADE = /^(out|dist|test-results|node_modules)(\/|$)/

function markdownBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
    .toSorted()
}

function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8')
}

/** All matches of a pattern's first group in a page. */
function found(page: string, pattern: RegExp): readonly string[] {
  return [...textOf(page).matchAll(pattern)].map(([, what = '']) => what)
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

function whyBroken(page: string, link: string): string | null {
  const [path = '', anchor = ''] = link.split('#')
  const target = path === '' ? join(root, page) : resolve(root, dirname(page), path)
  if (relative(root, target).startsWith('..')) return `${link} leads out of the repository`
  if (!existsSync(target)) return `${link} leads nowhere`
  if (anchor === '' || !target.endsWith('.md')) return null
  const headings = found(relative(root, target), /^#+ (.+)$/gm).map(anchorOf)
  return headings.includes(anchor) ? null : `${link} has no such heading`
}

/** A path in backticks; `null` for code, flags, and files that are created elsewhere. */
function repositoryPath(code: string): string | null {
  if (!/^[\w.][\w.@/-]*$/.test(code) || MADE.test(code)) return null
  const [first = '', ...rest] = code.split('/')
  return rest.length > 0 && OURS.has(first) ? code : null
}

describe.each(pages)('%s', (page) => {
  test('its links and pictures exist', () => {
    const links = found(page, /\]\(([^)\s]+)\)/g).filter((link) => !/^[a-z]+:/.test(link))
    expect(links.map((link) => whyBroken(page, link)).filter((why) => why !== null)).toEqual([])
  })

  test('the commands it names exist', () => {
    const named = found(page, /npm run ([\w:-]+)/g)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })

  test('the files it names exist', () => {
    const paths = found(page, /(?<!`)`([^`\n]+)`(?!`)/g).map(repositoryPath)
    expect(paths.filter((path) => path !== null && !existsSync(join(root, path)))).toEqual([])
  })
})

test('each picture of the tour is used, and is small', () => {
  const shown = new Set(pages.flatMap((page) => found(page, /images\/([\w-]+\.png)/g)))
  const pictures = readdirSync(join(root, 'docs/images')).filter((name) => name.endsWith('.png'))
  expect(pictures.filter((name) => !shown.has(name))).toEqual([])
  expect(pictures.filter((name) => statSync(join(root, 'docs/images', name)).size >= 300_000)).toEqual([])
})

test('the rules find mistakes', () => {
  expect(whyBroken('README.md', 'docs/no-such-page.md')).toContain('nowhere')
  expect(whyBroken('README.md', 'CONTRIBUTING.md#no-such-heading')).toContain('no such heading')
  expect(repositoryPath('electron/no-such-file.ts')).toBe('electron/no-such-file.ts')
  expect(repositoryPath('settings.json')).toBeNull()
})

describe('what comments cite', () => {
  const names = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((name) => name !== '' && existsSync(join(root, name)))
  const known = new Set([...names, ...names.map((name) => basename(name))])
  const sources = names.filter((name) =>
    /^((electron|renderer|shared|test|scripts)\/.*|[\w.]+\.config)\.(ts|js|svelte|css)$/.test(name),
  )
  /** Sections, and the numbered points of those that are lists: 8.1. */
  const sections = textOf('docs/specification.md')
    .split(/^## (?=\d)/m)
    .flatMap((chapter) => {
      const [number = ''] = chapter.split('.')
      const parts = [...chapter.matchAll(/^### ([\d.]+) /gm)].map(([, part = '']) => part)
      const points = [...chapter.matchAll(/^(\d+)\. /gm)].map(([, point = '']) => `${number}.${point}`)
      return [number, ...parts, ...points]
    })
  /** Headings, and the first cells of tables. */
  const decisions = found('docs/decisions.md', /^(?:#+|\|) *(.+?) *(?:\||$)/gm).map((topic) =>
    topic.toLowerCase(),
  )

  function missing(source: string): readonly string[] {
    const files = found(source, /`([\w./-]+\.(?:ts|svelte|css|md))`/g).filter(
      (cited) => !MADE.test(cited) && !names.some((name) => `/${name}`.endsWith(`/${cited}`)),
    )
    const headings = found(source, /decisions\.md,[\s*/]+["“]([^"”]+)["”]/g)
      .map((cited) => cited.replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' '))
      .filter((cited) => !decisions.includes(cited.toLowerCase()))
    const pages = found(source, /(?:^|\s)(?:\/?\*|\/\/).*?\b([a-z-]+\.md)\b/gm).filter(
      (cited) => !known.has(cited),
    )
    const specified = found(source, /\b[Ss]pecification,? (?:section )?\(?(\d[\d., and to]*\d|\d)/g)
      .flatMap((cited) => cited.split(/, | and | to /))
      .filter((cited) => !sections.includes(cited))
    return [...files, ...headings, ...pages, ...specified].map((cited) => `${source}: ${cited}`)
  }

  test('is in the repository', () => {
    expect(sources.flatMap(missing)).toEqual([])
  })
})
