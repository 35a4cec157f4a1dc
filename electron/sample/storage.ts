/** Keeps the user's edits between runs. */
import { DatabaseSync } from 'node:sqlite'

/** A small ordered key-value store for what differs from the generated sample. */
export interface SampleStorage {
  /** All entries, in the order in which each key was first stored. */
  entries(): Iterable<readonly [key: string, value: string]>
  put(key: string, value: string): void
  clear(): void
  close(): void
}

/** Creates a store in memory. */
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

/**
 * Opens or creates a SQLite file. It never contains data of the user's own books.
 * @throws if the file can't be opened or is not a database
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
