/** Changes of one field in several companies: which drafts belong to them, and how far each company is. */
import type { SharedChange } from '../../shared/contract/across.ts'
import { appError } from '../../shared/result.ts'
import { type Database, StoreError, json, toJson } from './database.ts'

export interface SharedChangeStore {
  /** Newest first. */
  list(connectionId: string): readonly SharedChange[]
  /** Changes of every connection. */
  all(): readonly SharedChange[]
  get(changeId: string): SharedChange | null
  add(change: SharedChange): void
  /** Throws if it was removed in the meantime, so that nothing of it comes back. */
  put(change: SharedChange): void
  remove(changeId: string): void
}

const GONE = appError('not-found', 'This change is no longer kept.', 'Its drafts are in their lists.')

export function createSharedChangeStore(database: Database): SharedChangeStore {
  const changes = (sql: string, ...values: readonly string[]): readonly SharedChange[] =>
    database.all(sql, ...values).map((row) => json(row, 'value') as SharedChange)
  return {
    list: (connectionId) =>
      database.read(() =>
        changes(
          'SELECT value FROM shared_changes WHERE connection_id = ? ORDER BY created_at DESC, change_id',
          connectionId,
        ),
      ),
    all: () => database.read(() => changes('SELECT value FROM shared_changes')),
    get: (changeId) =>
      database.read(
        () => changes('SELECT value FROM shared_changes WHERE change_id = ?', changeId)[0] ?? null,
      ),
    add: (change) =>
      database.write(() => {
        database.run(
          'INSERT INTO shared_changes (change_id, connection_id, created_at, value) VALUES (?, ?, ?, ?)',
          change.changeId,
          change.connectionId,
          change.createdAt,
          toJson(change),
        )
      }),
    put: (change) =>
      database.write(() => {
        const changed = database.run(
          'UPDATE shared_changes SET value = ? WHERE change_id = ?',
          toJson(change),
          change.changeId,
        )
        if (changed === 0) throw new StoreError(GONE)
      }),
    remove: (changeId) =>
      database.write(() => {
        database.run('DELETE FROM shared_changes WHERE change_id = ?', changeId)
      }),
  }
}
