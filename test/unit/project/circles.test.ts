// No import cycles. Type imports count, too, because they couple files for the reader. Worker addresses don't count,
// because a worker is loaded separately.
import { globSync, readFileSync } from 'node:fs'
import { posix, resolve, sep } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')

/** The imports of each file, by path relative to the repository. */
type Imports = ReadonlyMap<string, readonly string[]>

function programImports(): Imports {
  const files = globSync('{electron,renderer,shared}/**/*.{ts,svelte}', { cwd: root })
  return new Map(
    files.map((file) => {
      const path = file.split(sep).join('/')
      return [path, importsOf(path, readFileSync(resolve(root, file), 'utf8'))]
    }),
  )
}

function importsOf(path: string, text: string): string[] {
  const code = path.endsWith('.svelte')
    ? Array.from(text.matchAll(/<script[^>]*>(.*?)<\/script>/gs), ([, script]) => script).join('\n')
    : text
  return ts
    .preProcessFile(code, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => posix.join(posix.dirname(path), name.replace(/\?.*$/, '')))
}

/** A shortest cycle through each file that is on one, each cycle once. */
function circles(imports: Imports): string[] {
  const known = new Set<string>()
  const found: string[] = []
  for (const start of imports.keys()) {
    if (known.has(start)) continue
    const circle = circleThrough(start, imports)
    if (circle === undefined) continue
    for (const file of circle) known.add(file)
    found.push([...circle, start].join(' → '))
  }
  return found
}

function circleThrough(start: string, imports: Imports): string[] | undefined {
  const reachedFrom = new Map<string, string>()
  const queue = [start]
  for (const file of queue) {
    for (const imported of imports.get(file) ?? []) {
      if (imported === start) return pathTo(file, start, reachedFrom)
      if (reachedFrom.has(imported)) continue
      reachedFrom.set(imported, file)
      queue.push(imported)
    }
  }
  return undefined
}

function pathTo(end: string, start: string, reachedFrom: ReadonlyMap<string, string>): string[] {
  const path = [end]
  for (let file = end; file !== start;) {
    file = reachedFrom.get(file) ?? start
    path.unshift(file)
  }
  return path
}

test('no file of the program imports itself through others', () => {
  const imports = programImports()
  const unresolved = [...imports].flatMap(([file, imported]) =>
    imported
      .filter((name) => /\.(ts|svelte)$/.test(name) && !imports.has(name))
      .map((name) => `${file}: ${name}`),
  )
  expect({ circles: circles(imports), unresolved }).toEqual({ circles: [], unresolved: [] })
})

test('a cycle is found through types, components, exports, and dynamic imports', () => {
  const files = {
    'renderer/A.svelte': '<script lang="ts">\nimport type { B } from \'./b.ts\'\n</script>\n<p>a</p>',
    'renderer/b.ts': "export { c } from './deep/c.ts'",
    'renderer/deep/c.ts': "export const d = () => import('../d.ts')",
    'renderer/d.ts': "export type A = typeof import('./A.svelte')",
    'renderer/alone.ts': "import { c } from './deep/c.ts'",
  }
  const imports = new Map(Object.entries(files).map(([path, text]) => [path, importsOf(path, text)]))
  expect(circles(imports)).toEqual([
    'renderer/A.svelte → renderer/b.ts → renderer/deep/c.ts → renderer/d.ts → renderer/A.svelte',
  ])
})
