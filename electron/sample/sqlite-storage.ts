// The sample's edits in a SQLite file of their own, so that a person finds the sample as they left it.
import { DatabaseSync } from 'node:sqlite'
import { type SampleStorage } from './storage.ts'

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
