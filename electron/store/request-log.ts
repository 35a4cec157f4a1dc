/** What was asked of the service and what came of it, for Activity and the support file: never a body or a record. */
import type { LogEntry } from '../../shared/contract/activity.ts'
import { json, toJson, type Database } from './database.ts'
import type { RequestLogStore } from './store.ts'

export function makeRequestLogStore(database: Database): RequestLogStore {
  return {
    add: (entry) =>
      database.write(() => {
        database.run(
          'INSERT OR REPLACE INTO request_log (entry_id, at, connection_id, value) VALUES (?, ?, ?, ?)',
          entry.entryId,
          entry.at,
          entry.connectionId,
          toJson(entry),
        )
      }),
    list: ({ connectionId, before, limit }) =>
      database.read(() => {
        const until = before ?? '\u{10ffff}'
        const rows =
          connectionId === null
            ? database.all(
                'SELECT value FROM request_log WHERE at < ? ORDER BY at DESC, rowid DESC LIMIT ?',
                until,
                limit,
              )
            : database.all(
                `SELECT value FROM request_log WHERE connection_id = ? AND at < ?
                 ORDER BY at DESC, rowid DESC LIMIT ?`,
                connectionId,
                until,
                limit,
              )
        return rows.map((row) => json(row, 'value') as LogEntry)
      }),
    trim: (before, most) =>
      database.write(() => {
        database.run('DELETE FROM request_log WHERE at < ?', before)
        database.run(
          `DELETE FROM request_log WHERE rowid NOT IN
             (SELECT rowid FROM request_log ORDER BY at DESC, rowid DESC LIMIT ?)`,
          most,
        )
      }),
  }
}
