/** An empty store on disk, whose tables are made once for all tests of a process. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../electron/store/open-store.ts'

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
