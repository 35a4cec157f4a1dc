/** Requests and their outcomes, for Activity and the support file. Never a body or a record. */
import type { LogEntry } from '../../shared/contract/activity.ts'
import { json, toFlag, toJson, type Database, type Row } from './database.ts'

export interface RequestLogStore {
  /** A line; one of the same id takes its place. */
  put(entry: LogEntry): void
  list(query: {
    readonly connectionId: string | null
    readonly before: string | null
    readonly limit: number
  }): readonly LogEntry[]
  /** At a start: lines that an earlier run left as *begun* end as *cut off*, with these words. */
  endBegun(says: string): void
  /** Takes out what is older than `before`, and the oldest until `most` lines of `mostBytes` together are left. */
  trim(bounds: { readonly before: string; readonly most: number; readonly mostBytes: number }): void
}

/** Sorts after any ISO time. */
const END_OF_TIME = '\u{10ffff}'

export function createRequestLogStore(database: Database): RequestLogStore {
  const put = (entry: LogEntry): void => {
    const value = toJson(entry)
    database.run(
      `INSERT INTO request_log (entry_id, at, connection_id, value, size, is_begun) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (entry_id) DO UPDATE
         SET value = excluded.value, size = excluded.size, is_begun = excluded.is_begun`,
      entry.entryId,
      entry.at,
      entry.connectionId,
      value,
      Buffer.byteLength(value),
      toFlag(entry.outcome === 'begun'),
    )
  }
  return {
    // The journal and the queue wait for the disk at every request; the log goes there with them.
    put: (entry) =>
      database.note(() => {
        put(entry)
      }),
    list: ({ connectionId, before, limit }) =>
      database.read(() => {
        const until = before ?? END_OF_TIME
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
        return rows.map(toEntry)
      }),
    endBegun: (says) =>
      database.write(() => {
        const begun = database.all('SELECT value FROM request_log WHERE is_begun = 1')
        for (const row of begun) put({ ...toEntry(row), outcome: 'cut-off', says })
      }),
    trim: ({ before, most, mostBytes }) =>
      database.write(() => {
        database.run('DELETE FROM request_log WHERE at < ?', before)
        database.run(
          `DELETE FROM request_log WHERE rowid IN (
             SELECT rowid FROM (
               SELECT rowid, row_number() OVER newest AS place, sum(size) OVER newest AS together
               FROM request_log WINDOW newest AS (ORDER BY at DESC, rowid DESC)
             ) WHERE place > ? OR together > ?
           )`,
          most,
          mostBytes,
        )
      }),
  }
}

/** A line as it was kept; one of an older program has no code. */
function toEntry(row: Row): LogEntry {
  const kept = json(row, 'value') as Omit<LogEntry, 'code'> & { readonly code?: string }
  return { ...kept, code: kept.code ?? '' }
}
