/**
 * Months: the reports that were read for them, what their review found, what was decided, and the versions that were
 * closed. A copy of a report never changes: a month and its versions name copies, so closing moves no rows. The step
 * that drops the last mention of a copy also deletes the copy.
 */
import { createHash } from 'node:crypto'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type {
  FindingDecision,
  KeptMonth,
  KeptOutcome,
  KeptReading,
  KeptVersion,
  MonthEvent,
  MonthState,
  OwnReviewSettings,
} from '../../shared/contract/review.ts'
import { appError } from '../../shared/result.ts'
import { type Database, json, number, type Row, StoreError, text, toJson } from './database.ts'

/** A decision about a finding of a company. A finding that is never shown again has no amount. */
export interface StoredDecision extends FindingDecision {
  readonly key: string
  readonly amount: string
  /** The months whose reviews showed that an accepted finding was gone or had changed. */
  readonly endedIn: readonly string[]
}

/** A report or list as it was read: its head as JSON, and its rows in packed parts (`packPart`). */
export interface MonthCopy {
  readonly copyId: string
  readonly head: string
  readonly parts: readonly Uint8Array[]
  readonly digest: string
}

/** What one step changes, all of it or nothing. */
export interface MonthStep {
  readonly value?: KeptMonth
  readonly outcomes?: readonly KeptOutcome[]
  readonly copy?: MonthCopy
  readonly version?: { readonly number: number; readonly value: KeptVersion }
  readonly decided?: readonly StoredDecision[]
  readonly undone?: readonly Pick<StoredDecision, 'key' | 'amount'>[]
  readonly events?: readonly MonthEvent[]
}

export interface MonthStore {
  get(company: CompanyRef, month: string): KeptMonth | null
  /** That month of every company of a connection that has it. */
  list(connectionId: string, month: string): readonly { endpointId: string; value: KeptMonth }[]
  /** The states of the months from one on and before another. */
  states(
    connectionId: string,
    from: string,
    before: string,
  ): readonly { endpointId: string; month: string; state: MonthState }[]
  /** The months of a company in some states. */
  inStates(company: CompanyRef, states: readonly MonthState[]): readonly { month: string; value: KeptMonth }[]
  save(company: CompanyRef, month: string, step: MonthStep): void
  outcomes(company: CompanyRef, month: string): readonly KeptOutcome[]
  /** Throws if the copy is missing or was altered. */
  head(copyId: string): string
  /** The rows of a copy, part by part as they were read. Throws at the end if they were altered. */
  parts(copyId: string): Generator<Uint8Array>
  versions(company: CompanyRef, month: string): readonly { version: number; value: KeptVersion }[]
  version(company: CompanyRef, month: string, version: number): KeptVersion | null
  /** Newest first. */
  events(company: CompanyRef, month: string): readonly MonthEvent[]
  decisions(company: CompanyRef): readonly StoredDecision[]
  /** Saves a decision that belongs to no month, or takes it back. */
  decide(company: CompanyRef, step: Pick<MonthStep, 'decided' | 'undone'>): void
  /** What is set for a connection, or for one of its companies. */
  settings(connectionId: string, endpointId: string | null): OwnReviewSettings
  putSettings(connectionId: string, endpointId: string | null, own: OwnReviewSettings): void
}

/** The reports that every review needs. */
export const STATEMENTS: ReadonlySet<KeptReading['source']> = new Set([
  'trial-balance',
  'balance-sheet',
  'profit-and-loss',
])

/** Whether a statement was refused, or may be incomplete. Such a month is not reviewed, whatever was found. */
export function isStatementMissing({ source, state, reason }: KeptReading): boolean {
  return STATEMENTS.has(source) && (state === 'failed' || reason !== '')
}

/** The state of a month. */
export function monthState({ readings, closed, change, open }: KeptMonth): MonthState {
  if (closed !== null) return change === null ? 'closed' : 'changed'
  if (readings.some(({ state }) => state === 'waiting')) return 'started'
  if (open > 0) return 'findings'
  return readings.some(isStatementMissing) ? 'started' : 'reviewed'
}

export function createMonthStore(database: Database): MonthStore {
  const OF_MONTH = 'connection_id = ? AND endpoint_id = ? AND month = ?'
  const keyOf = ({ connectionId, endpointId }: CompanyRef, month: string) =>
    [connectionId, endpointId, month] as const
  const monthOf = (row: Row): KeptMonth => json(row, 'value') as KeptMonth

  const put = (company: CompanyRef, month: string, value: KeptMonth): void => {
    database.run(
      `INSERT INTO months (connection_id, endpoint_id, month, state, value) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (connection_id, endpoint_id, month) DO UPDATE SET state = excluded.state, value = excluded.value`,
      ...keyOf(company, month),
      monthState(value),
      toJson(value),
    )
  }

  const putCopy = (company: CompanyRef, month: string, { copyId, head, parts, digest }: MonthCopy): void => {
    const { connectionId, endpointId } = company
    database.run(
      'INSERT INTO month_copies (copy_id, connection_id, endpoint_id, month, head, digest) VALUES (?, ?, ?, ?, ?, ?)',
      ...[copyId, connectionId, endpointId, month, head, digest],
    )
    for (const [part, rows] of parts.entries()) {
      database.run(
        'INSERT INTO month_copy_parts (copy_id, part, connection_id, endpoint_id, rows) VALUES (?, ?, ?, ?, ?)',
        ...[copyId, part, connectionId, endpointId, rows],
      )
    }
  }

  /** Deletes the copies of a month that it and its versions no longer name. */
  const dropUnnamed = (company: CompanyRef, month: string): void => {
    const key = keyOf(company, month)
    const unnamed = database.all(
      `SELECT copy_id FROM month_copies WHERE ${OF_MONTH}
       AND copy_id NOT IN (SELECT json_extract(each.value, '$.copyId') FROM months, json_each(months.value, '$.readings') AS each
         WHERE ${OF_MONTH})
       AND copy_id NOT IN (SELECT each.value FROM month_versions, json_each(month_versions.copies) AS each WHERE ${OF_MONTH})`,
      ...[...key, ...key, ...key],
    )
    for (const row of unnamed) {
      database.run('DELETE FROM month_copy_parts WHERE copy_id = ?', text(row, 'copy_id'))
      database.run('DELETE FROM month_copies WHERE copy_id = ?', text(row, 'copy_id'))
    }
  }

  const decide = (
    { connectionId, endpointId }: CompanyRef,
    { decided = [], undone = [] }: Pick<MonthStep, 'decided' | 'undone'>,
  ): void => {
    for (const { key, amount, ...value } of decided) {
      database.run(
        `INSERT INTO review_decisions (connection_id, endpoint_id, finding_key, amount, value) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (connection_id, endpoint_id, finding_key, amount) DO UPDATE SET value = excluded.value`,
        ...[connectionId, endpointId, key, amount, toJson(value)],
      )
    }
    for (const { key, amount } of undone) {
      database.run(
        'DELETE FROM review_decisions WHERE connection_id = ? AND endpoint_id = ? AND finding_key = ? AND amount = ?',
        ...[connectionId, endpointId, key, amount],
      )
    }
  }

  const copyOf = (copyId: string): Row => {
    const row = database.one('SELECT head, digest FROM month_copies WHERE copy_id = ?', copyId)
    if (row === null) throw new StoreError(GONE)
    return row
  }

  return {
    get: (company, month) =>
      database.read(() => {
        const row = database.one(`SELECT value FROM months WHERE ${OF_MONTH}`, ...keyOf(company, month))
        return row === null ? null : monthOf(row)
      }),
    list: (connectionId, month) =>
      database.read(() =>
        database
          .all(
            'SELECT endpoint_id, value FROM months WHERE connection_id = ? AND month = ?',
            connectionId,
            month,
          )
          .map((row) => ({ endpointId: text(row, 'endpoint_id'), value: monthOf(row) })),
      ),
    states: (connectionId, from, before) =>
      database.read(() =>
        database
          .all(
            'SELECT endpoint_id, month, state FROM months WHERE connection_id = ? AND month >= ? AND month < ?',
            ...[connectionId, from, before],
          )
          .map((row) => ({
            endpointId: text(row, 'endpoint_id'),
            month: text(row, 'month'),
            state: text(row, 'state') as MonthState,
          })),
      ),
    inStates: ({ connectionId, endpointId }, states) =>
      database.read(() =>
        database
          .all(
            `SELECT month, value FROM months WHERE connection_id = ? AND endpoint_id = ?
             AND state IN (SELECT value FROM json_each(?)) ORDER BY month`,
            ...[connectionId, endpointId, toJson(states)],
          )
          .map((row) => ({ month: text(row, 'month'), value: monthOf(row) })),
      ),
    save: (company, month, step) =>
      database.write(() => {
        const key = keyOf(company, month)
        if (step.copy !== undefined) putCopy(company, month, step.copy)
        if (step.value !== undefined) put(company, month, step.value)
        if (step.outcomes !== undefined) {
          database.run(
            `INSERT INTO month_outcomes (connection_id, endpoint_id, month, value) VALUES (?, ?, ?, ?)
             ON CONFLICT (connection_id, endpoint_id, month) DO UPDATE SET value = excluded.value`,
            ...key,
            toJson(step.outcomes),
          )
        }
        if (step.version !== undefined) {
          const { number: version, value } = step.version
          const copies = value.readings.flatMap(({ copyId }) => (copyId === '' ? [] : [copyId]))
          database.run(
            'INSERT INTO month_versions (connection_id, endpoint_id, month, version, copies, value) VALUES (?, ?, ?, ?, ?, ?)',
            ...key,
            version,
            toJson(copies),
            toJson(value),
          )
        }
        decide(company, step)
        for (const event of step.events ?? []) {
          database.run(
            'INSERT INTO month_events (connection_id, endpoint_id, month, value) VALUES (?, ?, ?, ?)',
            ...key,
            toJson(event),
          )
        }
        if (step.value !== undefined) dropUnnamed(company, month)
      }),
    outcomes: (company, month) =>
      database.read(() => {
        const row = database.one(
          `SELECT value FROM month_outcomes WHERE ${OF_MONTH}`,
          ...keyOf(company, month),
        )
        return row === null ? [] : (json(row, 'value') as readonly KeptOutcome[])
      }),
    head: (copyId) => database.read(() => text(copyOf(copyId), 'head')),
    *parts(copyId) {
      const { head, digest } = database.read(() => copyOf(copyId))
      const hash = createHash('sha256').update(String(head))
      let bytes = 0
      for (let part = 0; ; part += 1) {
        const row = database.read(() =>
          database.one('SELECT rows FROM month_copy_parts WHERE copy_id = ? AND part = ?', copyId, part),
        )
        if (!(row?.['rows'] instanceof Uint8Array)) break
        const rows = unpackPart(row['rows'])
        bytes += rows.length
        if (bytes > LARGEST_COPY) throw new StoreError(DAMAGED_COPY)
        hash.update(rows)
        yield rows
      }
      if (hash.digest('hex') !== digest) throw new StoreError(DAMAGED_COPY)
    },
    versions: (company, month) =>
      database.read(() =>
        database
          .all(
            `SELECT version, value FROM month_versions WHERE ${OF_MONTH} ORDER BY version DESC`,
            ...keyOf(company, month),
          )
          .map((row) => ({ version: number(row, 'version'), value: json(row, 'value') as KeptVersion })),
      ),
    version: (company, month, version) =>
      database.read(() => {
        const row = database.one(
          `SELECT value FROM month_versions WHERE ${OF_MONTH} AND version = ?`,
          ...keyOf(company, month),
          version,
        )
        return row === null ? null : (json(row, 'value') as KeptVersion)
      }),
    events: (company, month) =>
      database.read(() =>
        database
          .all(
            `SELECT value FROM month_events WHERE ${OF_MONTH} ORDER BY rowid DESC`,
            ...keyOf(company, month),
          )
          .map((row) => json(row, 'value') as MonthEvent),
      ),
    decisions: ({ connectionId, endpointId }) =>
      database.read(() =>
        database
          .all(
            'SELECT finding_key, amount, value FROM review_decisions WHERE connection_id = ? AND endpoint_id = ?',
            ...[connectionId, endpointId],
          )
          .map((row) => ({
            ...(json(row, 'value') as FindingDecision & Pick<StoredDecision, 'endedIn'>),
            key: text(row, 'finding_key'),
            amount: text(row, 'amount'),
          })),
      ),
    decide: (company, step) =>
      database.write(() => {
        decide(company, step)
      }),
    settings: (connectionId, endpointId) =>
      database.read(() => {
        const row = database.one(
          'SELECT value FROM review_settings WHERE connection_id = ? AND endpoint_id = ?',
          ...[connectionId, endpointId ?? ''],
        )
        return row === null ? {} : (json(row, 'value') as OwnReviewSettings)
      }),
    putSettings: (connectionId, endpointId, own) =>
      database.write(() => {
        database.run(
          `INSERT INTO review_settings (connection_id, endpoint_id, value) VALUES (?, ?, ?)
           ON CONFLICT (connection_id, endpoint_id) DO UPDATE SET value = excluded.value`,
          ...[connectionId, endpointId ?? '', toJson(own)],
        )
      }),
  }
}

// Rows on disk: Zstandard, part by part, and a checksum over all of it before compression.

const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
/** Bytes of a part, unpacked: more than 2,000 rows take. */
const LARGEST_PART = 128 * 1024 * 1024
/** Bytes of a copy, unpacked: a restored backup may hold a bomb. */
const LARGEST_COPY = 1024 * 1024 * 1024

export function packPart(rows: Uint8Array): Uint8Array {
  return zstdCompressSync(rows, FAST)
}

/** The checksum of a copy: its head, then its rows. */
export function digestCopy(head: string, rows: Iterable<Uint8Array>): string {
  const hash = createHash('sha256').update(head)
  for (const part of rows) hash.update(part)
  return hash.digest('hex')
}

function unpackPart(packed: Uint8Array): Uint8Array {
  try {
    return zstdDecompressSync(packed, { maxOutputLength: LARGEST_PART })
  } catch {
    throw new StoreError(DAMAGED_COPY)
  }
}

const GONE = appError(
  'not-found',
  'A report of this month is no longer on this computer.',
  'Get its reports again.',
)
/** The error for a copy that was altered. */
export const DAMAGED_COPY = appError(
  'store',
  'A kept copy of a report is damaged.',
  'Get the reports of this month again. A backup may have the copy.',
)
