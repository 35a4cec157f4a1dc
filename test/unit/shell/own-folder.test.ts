// Only the owner can access the program's folder. Someone else's folder keeps its permissions.
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { secureUserDataFolder } from '../../../electron/shell/own-folder.ts'
import { testFolder } from '../writing/world.ts'

const rights = (path: string): number => statSync(path).mode & 0o777

test.runIf(process.platform !== 'win32')('the folder is closed to others, unless it isn’t ours', () => {
  const made = join(testFolder(), 'a', 'b')
  secureUserDataFolder(made)
  expect(rights(made)).toBe(0o700)

  const opened = join(testFolder(), 'opened')
  mkdirSync(opened)
  writeFileSync(join(opened, 'bookbridge.sqlite'), '')
  chmodSync(opened, 0o755)
  secureUserDataFolder(opened)
  expect(rights(opened)).toBe(0o700)

  const somebodys = join(testFolder(), 'somebodys')
  mkdirSync(somebodys)
  writeFileSync(join(somebodys, 'letters.txt'), '')
  chmodSync(somebodys, 0o755)
  secureUserDataFolder(somebodys)
  expect(rights(somebodys)).toBe(0o755)
})

test('a folder that can’t be created or entered has a message', () => {
  const file = join(testFolder(), 'letter.txt')
  writeFileSync(file, '')
  for (const path of [file, join(file, 'below'), '']) {
    expect(secureUserDataFolder(path)?.message, path).toContain(path === '' ? 'none is named' : path)
  }
  expect(secureUserDataFolder(testFolder())).toBeNull()
})

test.runIf(process.platform !== 'win32')('a folder to which others may have added files is refused', () => {
  for (const mode of [0o770, 0o702, 0o777]) {
    const shared = testFolder()
    chmodSync(shared, mode)
    expect(secureUserDataFolder(shared), 'empty').toBeNull()
    expect(rights(shared)).toBe(0o700)

    writeFileSync(join(shared, 'settings.json'), '')
    chmodSync(shared, mode)
    expect(secureUserDataFolder(shared)?.message).toContain('Other users of this computer can change')
    expect(rights(shared), 'left as it is').toBe(mode)
  }
})

test.runIf(process.platform !== 'win32')('a folder of another user is refused', () => {
  const isRoot = process.getuid?.() === 0
  const anothers = isRoot ? testFolder() : '/'
  if (isRoot) chownSync(anothers, 65_534, 65_534)
  expect(secureUserDataFolder(anothers)?.message).toContain('belongs to another user')
})
