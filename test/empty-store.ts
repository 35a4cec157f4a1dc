/** Folders for tests, and an empty store on disk, whose tables are made once for all tests of a process. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../electron/store/store.ts'

/** Where the folders of tests lie instead: for whoever kills tests, and takes away what they leave. */
export const FOLDERS_VARIABLE = 'BOOKBRIDGE_TEST_FOLDERS'

/** Where folders of tests lie: in memory, where the system has such a place. */
export function testFolders(): string {
  return process.env[FOLDERS_VARIABLE] ?? (existsSync('/dev/shm') ? '/dev/shm' : tmpdir())
}

/** A new folder, which the caller takes away. */
export function makeTestFolder(): string {
  return mkdtempSync(join(testFolders(), 'bookbridge-test-'))
}

let files: ReadonlyMap<string, Buffer> | null = null

/** @param folder empty; afterwards as the first start of the program leaves it */
export function putEmptyStore(folder: string): void {
  if (files === null) {
    const opened = openStore(join(folder, 'bookbridge.sqlite'), { now: () => 0 })
    if (!opened.ok) throw new Error(opened.error.message)
    opened.value.close()
    files = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]))
    return
  }
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes, { mode: 0o600 })
}
