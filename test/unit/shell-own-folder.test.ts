// The folder of the program is its owner's alone; a folder of somebody else's keeps its rights.
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownFolder } from '../../electron/shell/own-folder.ts'
import { testFolder } from './writing-world.ts'

const rights = (path: string): number => statSync(path).mode & 0o777

test.runIf(process.platform !== 'win32')('the folder is closed to others, unless it is not ours', () => {
  const made = join(testFolder(), 'a', 'b')
  ownFolder(made)
  expect(rights(made)).toBe(0o700)

  const opened = join(testFolder(), 'opened')
  mkdirSync(opened)
  writeFileSync(join(opened, 'bookbridge.sqlite'), '')
  chmodSync(opened, 0o755)
  ownFolder(opened)
  expect(rights(opened)).toBe(0o700)

  const somebodys = join(testFolder(), 'somebodys')
  mkdirSync(somebodys)
  writeFileSync(join(somebodys, 'letters.txt'), '')
  chmodSync(somebodys, 0o755)
  ownFolder(somebodys)
  expect(rights(somebodys)).toBe(0o755)
})

test('a folder that can’t be made or entered is named in words', () => {
  const file = join(testFolder(), 'letter.txt')
  writeFileSync(file, '')
  for (const path of [file, join(file, 'below'), '']) {
    expect(ownFolder(path)?.message, path).toContain(path === '' ? 'none is named' : path)
  }
  expect(ownFolder(testFolder())).toBeNull()
})
