/** Folders for tests, and an empty store on disk, whose tables are created once per process. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../electron/store/store.ts'

/**
 * The environment variable that names another parent folder, so that a script that kills tests can delete their
 * folders.
 */
export const FOLDERS_VARIABLE = 'BOOKBRIDGE_TEST_FOLDERS'

/** The parent of test folders: in memory, if the system supports that. */
export function testFolders(): string {
  return process.env[FOLDERS_VARIABLE] ?? (existsSync('/dev/shm') ? '/dev/shm' : tmpdir())
}

/** Creates a folder. The caller deletes it. */
export function makeTestFolder(): string {
  return mkdtempSync(join(testFolders(), 'bookbridge-test-'))
}

let files: ReadonlyMap<string, Buffer> | null = null

/** @param folder an empty folder, which will look as after the program's first start */
export function createEmptyStore(folder: string): void {
  if (files === null) {
    const opened = openStore(join(folder, 'bookbridge.sqlite'), { now: () => 0 })
    if (!opened.ok) throw new Error(opened.error.message)
    opened.value.close()
    files = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]))
    return
  }
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes, { mode: 0o600 })
}
