/**
 * The journal a page at a time, from the newest on: batches and operations by company, list, outcome and words. A page
 * starts behind the last one's end instead of counting from the top, so that the thousandth costs what the first does.
 */
import type { SQLInputValue } from 'node:sqlite'
import type { Database, Row } from './database.ts'
import type { BatchesQuery, OperationsQuery } from './history.ts'
import { searchWords } from './operation-words.ts'
import { WAS_SENT } from './operations.ts'

/** What each state is called in the history (ux.md, "Outcomes"). */
export const OUTCOME = `CASE operations.state
  WHEN 'acked' THEN 'saved'
  WHEN 'rejected' THEN 'not-accepted'
  WHEN 'conflict' THEN 'changed-meanwhile'
  WHEN 'held' THEN iif(operations.is_closed = 1, 'discarded', 'decision')
  WHEN 'queued' THEN iif(operations.is_closed = 1, 'discarded', 'not-sent')
  ELSE 'not-confirmed' END`

/** A condition, and the values for its question marks. */
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

/** In `operation_words`: every word of the search, or the RequestId of a request that it travelled in. */
function wordsFit(search: string): Condition | null {
  const words = searchWords(search)
  if (words.length === 0) return null
  return {
    sql: `(${words.map(() => 'instr(words, ?) > 0').join(' AND ')} OR operation_words.operation_id IN
      (SELECT operation_id FROM attempts WHERE request_key IN
        (SELECT request_key FROM requests WHERE request_id = ? AND request_id <> '')))`,
    values: [...words, search.trim()],
  }
}

export function batchesPage(database: Database, query: BatchesQuery): readonly Row[] {
  const words = wordsFit(query.text)
  const isSearched = words !== null
  const ofOperation = all([
    { sql: WAS_SENT, values: [] },
    when(query.outcome !== null, `${OUTCOME} = ?`, query.outcome),
    words,
  ])
  const where = all([
    when(true, 'batches.connection_id = ?', query.connectionId),
    when(query.endpointId !== null, 'batches.endpoint_id = ?', query.endpointId),
    when(query.object !== '', 'batches.object = ?', query.object),
    when(
      query.before !== null,
      '(batches.queued_at, batches.batch_id) < (?, ?)',
      query.before?.at ?? '',
      query.before?.id ?? '',
    ),
    // All that fit are found first, in one pass over the words; without a search only this page is looked at.
    words && {
      sql: `batches.batch_id IN (SELECT batch_id FROM operation_words WHERE ${words.sql})`,
      values: words.values,
    },
    {
      sql: `EXISTS (SELECT 1 FROM operations ${isSearched ? 'JOIN operation_words USING (operation_id)' : ''}
        WHERE operations.batch_id = batches.batch_id AND ${ofOperation.sql})`,
      values: ofOperation.values,
    },
  ])
  return database.all(
    `SELECT batches.* FROM batches WHERE ${where.sql}
     ORDER BY batches.queued_at DESC, batches.batch_id DESC LIMIT ?`,
    ...where.values,
    query.limit,
  )
}

export function operationsPage(database: Database, query: OperationsQuery): readonly Row[] {
  const { which } = query
  const words = wordsFit(query.text)
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
    words && {
      sql: `operations.operation_id IN (SELECT operation_id FROM operation_words WHERE ${words.sql})`,
      values: words.values,
    },
    when(
      query.after !== '',
      isOfBatch
        ? 'position > (SELECT position FROM operations WHERE operation_id = ?)'
        : 'operations.rowid < (SELECT rowid FROM operations WHERE operation_id = ?)',
      query.after,
    ),
  ])
  return database.all(
    `SELECT operations.* FROM operations WHERE ${where.sql}
     ORDER BY ${isOfBatch ? 'position' : 'operations.rowid DESC'} LIMIT ?`,
    ...where.values,
    query.limit,
  )
}
