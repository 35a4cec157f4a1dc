/** Where a person's edits are kept between runs: texts under keys, in the order they were first put. */
import { DatabaseSync } from 'node:sqlite'

/** A small ordered store. Only what differs from the generated sample is ever put in it. */
export interface SampleStorage {
  /** All that was put, in the order each key was first put. */
  entries(): Iterable<readonly [key: string, value: string]>
  put(key: string, value: string): void
  clear(): void
  close(): void
}

/** A store that is gone when its owner is. */
export function createMemoryStorage(): SampleStorage {
  const kept = new Map<string, string>()
  return {
    entries: () => kept.entries(),
    put: (key, value) => {
      kept.set(key, value)
    },
    clear: () => {
      kept.clear()
    },
    close: () => {
      kept.clear()
    },
  }
}

// The sample's edits in a SQLite file of their own, so that a person finds the sample as they left it.

/**
 * Opens or makes the file. Nothing of a person's own books is ever in it.
 * @throws when the file can't be opened or is not a database
 */
export function createSqliteStorage(path: string): SampleStorage {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS edits (
      position INTEGER PRIMARY KEY,
      key TEXT NOT NULL UNIQUE,
      value TEXT NOT NULL
    ) STRICT`)
  const select = database.prepare('SELECT key, value FROM edits ORDER BY position')
  const upsert = database.prepare(
    'INSERT INTO edits (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  return {
    *entries() {
      for (const row of select.all()) yield [String(row['key']), String(row['value'])] as const
    },
    put: (key, value) => {
      upsert.run(key, value)
    },
    clear: () => {
      database.exec('DELETE FROM edits')
    },
    close: () => {
      database.close()
    },
  }
}
