/** The listed defects still fit the sources, so that `npm run test:mutants` can put them in. */
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import type { Mutants } from '../../mutants/mutant.ts'

const root = resolve(import.meta.dirname, '../../..')

test('each mutant’s text is in its file once', async () => {
  const stale: string[] = []
  for (const list of globSync('test/mutants/*-mutants.ts', { cwd: root })) {
    const { mutants } = (await import(pathToFileURL(join(root, list)).href)) as { readonly mutants: Mutants }
    for (const [file, ofFile] of Object.entries(mutants)) {
      const source = readFileSync(join(root, file), 'utf8')
      for (const { text, breaks } of ofFile)
        if (source.split(text).length !== 2) stale.push(`${list}: ${file}: ${breaks}`)
    }
  }
  expect(stale).toEqual([])
})
