/** What Activity shows: unfinished work by company and list (also for the badges in Companies), and the request log. */
import { displayName, setupName } from '../../shared/companies/companies.ts'
import { type LogEntry, logEntry, type UnfinishedItem } from '../../shared/contract/activity.ts'
import type { Company, Provisioning, Unfinished } from '../../shared/contract/companies.ts'
import { type Database, json, number, type Row, text, toFlag, toJson } from './database.ts'
import type { JournalProvisioning } from './journal/companies.ts'

export interface UnfinishedStore {
  list(connectionId: string): readonly UnfinishedItem[]
  /** How many records were saved since a time (ISO), in all connections. */
  savedSince(at: string): number
}

/** The name on screen of each state of an open operation. */
const KIND_OF_STATE = `CASE state
    WHEN 'rejected' THEN 'not-accepted'
    WHEN 'sending' THEN 'not-confirmed'
    WHEN 'unknown' THEN 'not-confirmed'
    WHEN 'held' THEN 'decision'
    WHEN 'acked' THEN 'decision'
    WHEN 'conflict' THEN 'changed-meanwhile'
    ELSE iif(batch_id IN (SELECT batch_id FROM batches WHERE status = 'open'), 'sending', 'queued') END`

/**
 * One row per company, list, and kind (the third column, because operations have their own `kind`). Drafts that belong
 * to an operation are counted with it.
 */
const GROUPS = `
  SELECT endpoint_id, object, 'draft' AS kind, count(*) AS count, min(changed_at) AS since
    FROM drafts WHERE connection_id = ? AND operation_id IS NULL GROUP BY endpoint_id, object
  UNION ALL
  SELECT endpoint_id, object, ${KIND_OF_STATE} AS kind, count(*) AS count, min(queued_at) AS since
    FROM operations WHERE connection_id = ? AND is_closed = 0 GROUP BY endpoint_id, object, 3
  UNION ALL
  SELECT endpoint_id, '' AS object, 'deprovisioning' AS kind, count(*) AS count, min(sent_at) AS since
    FROM deprovisionings WHERE connection_id = ? AND state IN ('sending', 'unknown') GROUP BY endpoint_id
  ORDER BY since`

function groupsOf(database: Database, connectionId: string): readonly Row[] {
  return database.all(GROUPS, connectionId, connectionId, connectionId)
}

export function unfinishedCounts(database: Database, connectionId: string): Map<string, Unfinished> {
  const counts = new Map<string, Unfinished>()
  for (const row of groupsOf(database, connectionId)) {
    const endpointId = text(row, 'endpoint_id')
    const count = number(row, 'count')
    const known = counts.get(endpointId) ?? {
      drafts: 0,
      notAccepted: 0,
      notConfirmed: 0,
      decisions: 0,
      changedMeanwhile: 0,
    }
    counts.set(endpointId, add(known, text(row, 'kind') as UnfinishedItem['kind'], count))
  }
  return counts
}

function add(counts: Unfinished, kind: UnfinishedItem['kind'], count: number): Unfinished {
  switch (kind) {
    case 'draft':
    case 'queued':
    case 'sending':
      return { ...counts, drafts: counts.drafts + count }
    case 'not-accepted':
      return { ...counts, notAccepted: counts.notAccepted + count }
    case 'not-confirmed':
    case 'deprovisioning':
      return { ...counts, notConfirmed: counts.notConfirmed + count }
    case 'decision':
      return { ...counts, decisions: counts.decisions + count }
    case 'changed-meanwhile':
      return { ...counts, changedMeanwhile: counts.changedMeanwhile + count }
    case 'provisioning':
      return counts
  }
}

export function createUnfinishedStore(database: Database): UnfinishedStore {
  const nameOf = (connectionId: string, endpointId: string): string => {
    const row = database.one(
      'SELECT listing, label FROM companies WHERE connection_id = ? AND endpoint_id = ?',
      connectionId,
      endpointId,
    )
    if (row === null) return ''
    const { companyName, fullPath } = json(row, 'listing') as Pick<Company, 'companyName' | 'fullPath'>
    return displayName({
      label: text(row, 'label'),
      companyName,
      fullPath,
      ref: { connectionId, endpointId },
    })
  }
  return {
    savedSince: (at) =>
      database.read(() => {
        const row = database.one(
          `SELECT count(*) AS count FROM operations WHERE state = 'acked' AND settled_at >= ?`,
          at,
        )
        return row === null ? 0 : number(row, 'count')
      }),
    list: (connectionId) =>
      database.read(() => {
        const records = groupsOf(database, connectionId).map((row): UnfinishedItem => {
          const endpointId = text(row, 'endpoint_id')
          return {
            company: { connectionId, endpointId },
            companyName: nameOf(connectionId, endpointId),
            object: text(row, 'object'),
            kind: text(row, 'kind') as UnfinishedItem['kind'],
            count: number(row, 'count'),
            since: text(row, 'since'),
            provisioningId: '',
          }
        })
        const provisionings = database
          .all(
            `SELECT value FROM provisionings WHERE connection_id = ? AND is_closed = 0 ORDER BY queued_at`,
            connectionId,
          )
          .map((row) => {
            const { value } = json(row, 'value') as JournalProvisioning
            const known = value.company === null ? '' : nameOf(connectionId, value.company.endpointId)
            return provisioningItem(value, known || setupName(value))
          })
        return [...records, ...provisionings]
      }),
  }
}

/** A company that is being set up has no ID yet, so its provisioning's ID is used. */
function provisioningItem(value: Provisioning, companyName: string): UnfinishedItem {
  return {
    company: value.company ?? { connectionId: value.connectionId, endpointId: value.provisioningId },
    companyName,
    object: '',
    kind: 'provisioning',
    count: 1,
    since: value.sentAt ?? value.queuedAt,
    provisioningId: value.provisioningId,
  }
}

// The request log, for Activity and the support file. Never contains a body or a record.

export interface RequestLogStore {
  /** Saves a line, replacing one with the same ID. */
  put(entry: LogEntry): void
  list(query: {
    readonly connectionId: string | null
    readonly before: string | null
    readonly limit: number
  }): readonly LogEntry[]
  /** Call at startup. Marks lines that an earlier run left as *begun* as *cut off*, with this text. */
  endBegun(says: string): void
  /**
   * Deletes lines older than `before`, then the oldest until at most `most` lines and `mostBytes` are left.
   */
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
    // Doesn't wait for the disk. The journal and the queues do at every request, which writes this, too.
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

function toEntry(row: Row): LogEntry {
  return logEntry.parse(json(row, 'value'))
}
