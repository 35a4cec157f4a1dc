/** The licences of all that ships are gathered from what is bundled and what is carried along; none is left out unseen. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { licencesOf, packagesOf, runtimePackages } from '../../scripts/parts/licences.ts'
import { testFolder } from './writing-world.ts'

const root = resolve(import.meta.dirname, '../..')

function packageIn(folder: string, name: string, more: object, text?: string): string {
  const path = join(folder, name)
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...more }))
  if (text !== undefined) writeFileSync(join(path, 'LICENSE'), text)
  return path
}

test('modules of a bundle lead to their packages, each once; our own and made-up ones to none', () => {
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

test('packages for running are those that the lock file has for more than building', () => {
  const names = runtimePackages(root).map((folder) => folder.slice(root.length + '/node_modules/'.length))
  expect(names).toEqual(expect.arrayContaining(['undici', 'zod', 'electron-updater', 'electron-store']))
  for (const tool of ['vitest', 'electron-builder', 'eslint']) expect(names).not.toContain(tool)
})

test('a licence is its package’s word and text; a package that says nothing stops the build', () => {
  const folder = testFolder()
  const named = packageIn(folder, 'named', { license: 'ISC' }, 'The words')
  const wordsAlone = packageIn(folder, 'words', {}, 'MIT License\n\nCopyright')
  expect(licencesOf([named, wordsAlone, named])).toEqual([
    { name: 'named', version: '1.0.0', licence: 'ISC', text: 'The words' },
    { name: 'words', version: '1.0.0', licence: 'MIT', text: 'MIT License\n\nCopyright' },
  ])
  expect(() => licencesOf([packageIn(folder, 'silent', {})])).toThrow(/does not say what licence/)
  expect(() => licencesOf([packageIn(folder, 'odd', {}, 'Ask the author')])).toThrow(/does not say/)
})

test('a package without the words of its licence has the well-known ones, with who made it', () => {
  const [bare] = licencesOf([packageIn(testFolder(), 'bare', { license: 'ISC', author: 'Ann Berg' })])
  expect(bare?.text).toMatch(/^ISC License\n\nCopyright \(c\) Ann Berg\n\nPermission to use/)
  const carried = licencesOf(runtimePackages(root)).filter(({ text }) => text === '')
  expect(carried.map(({ name }) => name)).toEqual([])
})
