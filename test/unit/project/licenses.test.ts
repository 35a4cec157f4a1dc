/** Collects the licenses of everything that ships, from the bundles and from the packages beside them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { licensesOf, packagesOf, runtimePackages } from '../../../scripts/parts/licenses.ts'
import { testFolder } from '../writing/world.ts'

const root = resolve(import.meta.dirname, '../../..')

function packageIn(folder: string, name: string, more: object, text?: string): string {
  const path = join(folder, name)
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...more }))
  if (text !== undefined) writeFileSync(join(path, 'LICENSE'), text)
  return path
}

test('finds each package of a bundle once, and skips our own and virtual modules', () => {
  expect(
    packagesOf([
      '/home/p/node_modules/svelte/src/internal/client/index.js',
      '/home/p/node_modules/svelte/src/store.js?x=1',
      '/home/p/node_modules/@lucide/svelte/dist/icons/copy.svelte',
      '/home/p/node_modules/a/node_modules/b/index.js',
      '\0vite/preload-helper.js',
      '/home/p/renderer/main.ts',
    ]),
  ).toEqual([
    '/home/p/node_modules/svelte',
    '/home/p/node_modules/@lucide/svelte',
    '/home/p/node_modules/a/node_modules/b',
  ])
})

test('takes runtime packages from the lock file', () => {
  const names = runtimePackages(root).map((folder) => folder.slice(root.length + '/node_modules/'.length))
  expect(names).toEqual(expect.arrayContaining(['undici', 'zod', 'electron-updater', 'electron-store']))
  for (const tool of ['vitest', 'electron-builder', 'eslint']) expect(names).not.toContain(tool)
})

test('uses the package’s own license and text, and stops the build if there is none', () => {
  const folder = testFolder()
  const named = packageIn(folder, 'named', { license: 'ISC' }, 'The words')
  const wordsAlone = packageIn(folder, 'words', {}, 'MIT License\n\nCopyright')
  expect(licensesOf([named, wordsAlone, named])).toEqual([
    { name: 'named', version: '1.0.0', license: 'ISC', text: 'The words' },
    { name: 'words', version: '1.0.0', license: 'MIT', text: 'MIT License\n\nCopyright' },
  ])
  expect(() => licensesOf([packageIn(folder, 'silent', {})])).toThrow(/does not say what license/)
  expect(() => licensesOf([packageIn(folder, 'odd', {}, 'Ask the author')])).toThrow(/does not say/)
})

test('falls back to the standard text with the author’s name', () => {
  const [bare] = licensesOf([packageIn(testFolder(), 'bare', { license: 'ISC', author: 'Ann Berg' })])
  expect(bare?.text).toMatch(/^ISC License\n\nCopyright \(c\) Ann Berg\n\nPermission to use/)
  const carried = licensesOf(runtimePackages(root)).filter(({ text }) => text === '')
  expect(carried.map(({ name }) => name)).toEqual([])
})
