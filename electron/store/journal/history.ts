/**
 * Reads the journal for the history: batches with their counts, and operations with what they undo.
 */
import type { SQLInputValue } from 'node:sqlite'
import type { HistoryOutcome } from '../../../shared/contract/history.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { searchTerms } from '../../../shared/records/search-text.ts'
import { type Database, number, type Row, text, textOrNull } from '../database.ts'
import type { JournalBatch, JournalOperation, RequestKind } from './journal.ts'
import { WAS_SENT } from './operations.ts'
import { batchFromRow, firstSentInSql, operationOf, type SentAttempt, sentAttemptsOf } from './rows.ts'

/** Where a page ended and the next one begins. */
export interface HistoryCursor {
  readonly at: string
  readonly id: string
}

export interface HistoryFilter {
  readonly outcome: HistoryOutcome | null
  /** Words that must all match, or one RequestId. */
  readonly text: string
}

export interface BatchesQuery extends HistoryFilter {
  readonly connectionId: string
  /** `null` for all companies. */
  readonly endpointId: string | null
  /** Empty for all lists. */
  readonly object: string
  readonly before: HistoryCursor | null
  /** Only batches of which something may have been sent (or queued, if never sent) in this period; `null` for all. */
  readonly period?: HistoryPeriod | null
  readonly limit: number
}

/** A period, in ISO 8601. */
export interface HistoryPeriod {
  readonly since: string
  /** Not part of it; empty if it has no end. */
  readonly until: string
}

/** A batch that undoes another one, or is undone by it. */
export interface BatchLink {
  readonly batchId: string
  readonly at: string
  readonly count: number
}

export interface HistoryBatch {
  readonly batch: JournalBatch
  /** When its first and its last request were sent; `null` if none was. */
  readonly firstSentAt: string | null
  readonly lastSentAt: string | null
  /** Who sent it. Empty if that isn't known. */
  readonly sentBy: string
  readonly inserts: number
  readonly changes: number
  readonly outcomes: ReadonlyMap<HistoryOutcome, number>
  readonly requestIds: readonly string[]
  readonly undoes: readonly BatchLink[]
  readonly undoneBy: readonly BatchLink[]
}

export interface OperationLink {
  readonly operationId: string
  readonly batchId: string
  readonly at: string
}

export interface HistoryOperation extends JournalOperation {
  /** Oldest first. Empty if it was never sent. */
  readonly sendings: readonly SentAttempt[]
  readonly undoes: OperationLink | null
  /** The latest operation that undoes it and was not refused. */
  readonly undoneBy: OperationLink | null
}

export type OperationsOf =
  | { readonly of: 'batch'; readonly batchId: string }
  | {
      readonly of: 'record'
      readonly company: CompanyRef
      readonly object: string
      readonly recordId: string
    }

export interface OperationsQuery extends HistoryFilter {
  readonly which: OperationsOf
  /** The last operation of the previous page; empty for the first page. */
  readonly after: string
  readonly limit: number
}

/** The draft of a record, and the operation that it undoes (empty if none). */
export interface RecordDraft {
  readonly draftId: string
  readonly undoes: string
}

/** How much is kept about a company. */
export interface CompanyCounts {
  readonly drafts: number
  readonly records: number
  /** Months that were closed, whether or not they changed since. */
  readonly closedMonths: number
  readonly sending: number
}

export interface HistoryStore {
  /** Newest first. */
  batches(query: BatchesQuery): readonly HistoryBatch[]
  batch(batchId: string): HistoryBatch | null
  operations(query: OperationsQuery): readonly HistoryOperation[]
  operation(operationId: string): HistoryOperation | null
  operationIds(batchId: string): readonly string[]
  /** Later operations saved on the same record, oldest first. */
  later(operation: JournalOperation): readonly HistoryOperation[]
  draftOf(company: CompanyRef, object: string, recordId: string): RecordDraft | null
  /** The RequestId of the first such request about companies or users since then. Empty if it had none. */
  requestId(kind: RequestKind, connectionId: string, sentAt: string): string
  /** This operation’s items in its responses, or a whole response that could not be matched, by request key. */
  responses(operationId: string): ReadonlyMap<string, string>
  counts(company: CompanyRef): CompanyCounts
}

function batchLinks(database: Database, sql: string, batchId: string): readonly BatchLink[] {
  return database.all(sql, batchId).map((row) => ({
    batchId: text(row, 'batch_id'),
    at: text(row, 'at'),
    count: number(row, 'count'),
  }))
}

/** When a batch was first sent, or queued if it never was. The history is in this order. */
const BATCH_TIME = 'coalesce(batches.first_sent_at, batches.queued_at)'

const UNDOES = `SELECT theirs.batch_id, ${BATCH_TIME} AS at, count(*) AS count
  FROM operations AS ours JOIN operations AS theirs ON theirs.operation_id = ours.undoes
    JOIN batches ON batches.batch_id = theirs.batch_id
  WHERE ours.batch_id = ? AND ours.undoes <> '' GROUP BY theirs.batch_id ORDER BY at`

/** Refused and discarded operations undid nothing. */
const DID_NOT = `(theirs.state IN ('rejected', 'conflict') OR (theirs.is_closed = 1 AND theirs.state <> 'acked'))`

const UNDONE_BY = `SELECT theirs.batch_id, ${BATCH_TIME} AS at, count(*) AS count
  FROM operations AS ours JOIN operations AS theirs
    ON theirs.undoes = ours.operation_id AND theirs.undoes <> ''
    JOIN batches ON batches.batch_id = theirs.batch_id
  WHERE ours.batch_id = ? AND NOT ${DID_NOT} GROUP BY theirs.batch_id ORDER BY at`

function historyBatch(database: Database, row: Row): HistoryBatch {
  const batch = batchFromRow(row)
  const outcomes = new Map<HistoryOutcome, number>()
  let inserts = 0
  let changes = 0
  const groups = database.all(
    `SELECT kind, ${OUTCOME} AS outcome, count(*) AS count FROM operations
     WHERE batch_id = ? AND ${WAS_SENT} GROUP BY 1, 2`,
    batch.batchId,
  )
  for (const group of groups) {
    const count = number(group, 'count')
    const outcome = text(group, 'outcome') as HistoryOutcome
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count)
    if (text(group, 'kind') === 'insert') inserts += count
    else changes += count
  }
  const requestIds = database.all(
    `SELECT DISTINCT requests.request_id FROM requests
     WHERE request_key IN (SELECT request_key FROM attempts WHERE operation_id IN
       (SELECT operation_id FROM operations WHERE batch_id = ?)) AND requests.request_id <> ''
     ORDER BY requests.sent_at LIMIT 50`,
    batch.batchId,
  )
  return {
    batch,
    firstSentAt: textOrNull(row, 'first_sent_at'),
    lastSentAt: textOrNull(row, 'last_sent_at'),
    sentBy: text(row, 'sent_by'),
    inserts,
    changes,
    outcomes,
    requestIds: requestIds.map((each) => text(each, 'request_id')),
    undoes: batchLinks(database, UNDOES, batch.batchId),
    undoneBy: batchLinks(database, UNDONE_BY, batch.batchId),
  }
}

function linkOf(row: Row | null): OperationLink | null {
  if (row === null) return null
  return {
    operationId: text(row, 'operation_id'),
    batchId: text(row, 'batch_id'),
    at: text(row, 'at'),
  }
}

/** SQL for when an operation was first sent, or queued if it never was. */
const operationTime = (table: string): string => `coalesce(${firstSentInSql(table)}, ${table}.queued_at)`

const OPERATIONS = 'SELECT operations.* FROM operations'

function historyOperation(database: Database, row: Row): HistoryOperation {
  const operation = operationOf(database, row)
  const undoes = text(row, 'undoes')
  return {
    ...operation,
    sendings: sentAttemptsOf(database, operation.operationId),
    undoes: linkOf(
      undoes === ''
        ? null
        : database.one(
            `SELECT operation_id, batch_id, ${operationTime('operations')} AS at FROM operations
             WHERE operation_id = ?`,
            undoes,
          ),
    ),
    undoneBy: linkOf(
      database.one(
        `SELECT operation_id, batch_id, ${operationTime('theirs')} AS at FROM operations AS theirs
         WHERE undoes = ? AND undoes <> '' AND NOT ${DID_NOT} ORDER BY rowid DESC LIMIT 1`,
        operation.operationId,
      ),
    ),
  }
}

function keptCounts(database: Database, company: CompanyRef): CompanyCounts {
  const key = [company.connectionId, company.endpointId] as const
  const count = (sql: string): number => {
    const row = database.one(sql, ...key)
    return row === null ? 0 : number(row, 'count')
  }
  const ofCompany = 'connection_id = ? AND endpoint_id = ?'
  const states = (condition: string): number =>
    count(`SELECT count(*) AS count FROM operations WHERE ${ofCompany} AND ${condition}`)
  return {
    drafts: count(`SELECT count(*) AS count FROM drafts WHERE ${ofCompany}`),
    records: states('TRUE'),
    closedMonths: count(
      `SELECT count(*) AS count FROM months WHERE ${ofCompany} AND state IN ('closed', 'changed')`,
    ),
    sending: states(`state = 'sending'`),
  }
}

export function createHistoryStore(database: Database): HistoryStore {
  return {
    batches: (query) =>
      database.read(() => batchesPage(database, query).map((row) => historyBatch(database, row))),
    batch: (batchId) =>
      database.read(() => {
        const row = database.one('SELECT * FROM batches WHERE batch_id = ?', batchId)
        return row === null ? null : historyBatch(database, row)
      }),
    operations: (query) =>
      database.read(() => operationsPage(database, query).map((row) => historyOperation(database, row))),
    operation: (operationId) =>
      database.read(() => {
        const row = database.one(`${OPERATIONS} WHERE operation_id = ?`, operationId)
        return row === null ? null : historyOperation(database, row)
      }),
    operationIds: (batchId) =>
      database.read(() =>
        database
          .all(
            `SELECT operation_id FROM operations WHERE batch_id = ? AND ${WAS_SENT} ORDER BY position`,
            batchId,
          )
          .map((row) => text(row, 'operation_id')),
      ),
    later: ({ company, object, recordId, operationId }) =>
      database.read(() =>
        recordId === ''
          ? []
          : database
              .all(
                `${OPERATIONS}
                 WHERE connection_id = ? AND endpoint_id = ? AND object = ? AND record_id = ? AND state = 'acked'
                   AND rowid > (SELECT rowid FROM operations WHERE operation_id = ?)
                 ORDER BY rowid`,
                company.connectionId,
                company.endpointId,
                object,
                recordId,
                operationId,
              )
              .map((row) => historyOperation(database, row)),
      ),
    draftOf: (company, object, recordId) =>
      database.read(() => {
        const row = database.one(
          `SELECT drafts.draft_id AS draft_id, drafts.undoes AS undoes
           FROM drafts LEFT JOIN operations USING (operation_id)
           WHERE drafts.connection_id = ? AND drafts.endpoint_id = ? AND drafts.object = ? AND drafts.record_id = ?
             AND drafts.kind = 'change' AND operations.state IS NOT 'acked'`,
          company.connectionId,
          company.endpointId,
          object,
          recordId,
        )
        return row === null ? null : { draftId: text(row, 'draft_id'), undoes: text(row, 'undoes') }
      }),
    requestId: (kind, connectionId, sentAt) =>
      database.read(() => {
        const row = database.one(
          `SELECT request_id FROM requests WHERE sent_at >= ? AND connection_id = ? AND kind = ?
           ORDER BY sent_at LIMIT 1`,
          sentAt,
          connectionId,
          kind,
        )
        return row === null ? '' : text(row, 'request_id')
      }),
    responses: (operationId) =>
      database.read(
        () =>
          new Map(
            database
              .all(
                `SELECT request_key, coalesce(attempts.response, requests.response) AS response
                   FROM attempts JOIN requests USING (request_key)
                  WHERE operation_id = ? AND coalesce(attempts.response, requests.response) IS NOT NULL`,
                operationId,
              )
              .map((row) => [text(row, 'request_key'), text(row, 'response')]),
          ),
      ),
    counts: (company) => database.read(() => keptCounts(database, company)),
  }
}

/*
 * Pages of batches and operations, newest first, filtered by company, list, outcome, and words. A page starts where the
 * last one ended instead of counting from the top, so that the thousandth page takes no longer than the first.
 */

/** The outcome of each state. */
const OUTCOME = `CASE operations.state
  WHEN 'acked' THEN 'saved'
  WHEN 'rejected' THEN 'not-accepted'
  WHEN 'conflict' THEN 'changed-meanwhile'
  WHEN 'held' THEN iif(operations.is_closed = 1, 'discarded', 'decision')
  WHEN 'queued' THEN iif(operations.is_closed = 1, 'discarded', 'not-sent')
  ELSE 'not-confirmed' END`

/** A condition and its parameters. */
interface Condition {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

function all(conditions: readonly (Condition | null)[]): Condition {
  const given = conditions.filter((condition) => condition !== null)
  return {
    sql: given.map(({ sql }) => sql).join(' AND ') || 'TRUE',
    values: given.flatMap(({ values }) => values),
  }
}

function when(isGiven: boolean, sql: string, ...values: SQLInputValue[]): Condition | null {
  return isGiven ? { sql, values } : null
}

/** Searches `operation_words` for every word, or requests for a RequestId. */
function searchCondition(search: string): Condition | null {
  const condition = searchTerms(search)
  if (condition.length === 0) return null
  return {
    sql: `(${condition.map(() => 'instr(words, ?) > 0').join(' AND ')} OR operation_words.operation_id IN
      (SELECT operation_id FROM attempts WHERE request_key IN
        (SELECT request_key FROM requests WHERE request_id = ? AND request_id <> '')))`,
    values: [...condition, search.trim()],
  }
}

function batchesPage(database: Database, query: BatchesQuery): readonly Row[] {
  const condition = searchCondition(query.text)
  const isSearched = condition !== null
  const ofOperation = all([
    { sql: WAS_SENT, values: [] },
    when(query.outcome !== null, `${OUTCOME} = ?`, query.outcome),
    condition,
  ])
  const where = all([
    when(true, 'batches.connection_id = ?', query.connectionId),
    when(query.endpointId !== null, 'batches.endpoint_id = ?', query.endpointId),
    when(query.object !== '', 'batches.object = ?', query.object),
    when(
      query.before !== null,
      `(${BATCH_TIME}, batches.batch_id) < (?, ?)`,
      query.before?.at ?? '',
      query.before?.id ?? '',
    ),
    query.period ? batchIn(query.period) : null,
    // A search finds all matches in one pass over the words. Without one, only this page is read.
    condition && {
      sql: `batches.batch_id IN (SELECT batch_id FROM operation_words WHERE ${condition.sql})`,
      values: condition.values,
    },
    {
      sql: `EXISTS (SELECT 1 FROM operations ${isSearched ? 'JOIN operation_words USING (operation_id)' : ''}
        WHERE operations.batch_id = batches.batch_id AND ${ofOperation.sql})`,
      values: ofOperation.values,
    },
  ])
  return database.all(
    `SELECT batches.* FROM batches WHERE ${where.sql}
     ORDER BY ${BATCH_TIME} DESC, batches.batch_id DESC LIMIT ?`,
    ...where.values,
    query.limit,
  )
}

/** Operations of a batch that were never sent count from when they were queued. */
function batchIn({ since, until }: HistoryPeriod): Condition {
  const end = when(until !== '', `min(batches.queued_at, ${BATCH_TIME}) < ?`, until)
  return all([when(true, "max(batches.queued_at, coalesce(batches.last_sent_at, '')) >= ?", since), end])
}

function operationsPage(database: Database, query: OperationsQuery): readonly Row[] {
  const { which } = query
  const condition = searchCondition(query.text)
  const isOfBatch = which.of === 'batch'
  const where = all([
    { sql: WAS_SENT, values: [] },
    isOfBatch
      ? { sql: 'operations.batch_id = ?', values: [which.batchId] }
      : {
          sql: 'connection_id = ? AND endpoint_id = ? AND object = ? AND record_id = ?',
          values: [which.company.connectionId, which.company.endpointId, which.object, which.recordId],
        },
    when(query.outcome !== null, `${OUTCOME} = ?`, query.outcome),
    condition && {
      sql: `operations.operation_id IN (SELECT operation_id FROM operation_words WHERE ${condition.sql})`,
      values: condition.values,
    },
    when(
      query.after !== '',
      isOfBatch
        ? 'position > (SELECT position FROM operations WHERE operation_id = ?)'
        : `(${operationTime('operations')}, operations.rowid) <
             (SELECT ${operationTime('last')}, last.rowid FROM operations AS last WHERE operation_id = ?)`,
      query.after,
    ),
  ])
  return database.all(
    `${OPERATIONS} WHERE ${where.sql}
     ORDER BY ${isOfBatch ? 'position' : `${operationTime('operations')} DESC, operations.rowid DESC`} LIMIT ?`,
    ...where.values,
    query.limit,
  )
}
