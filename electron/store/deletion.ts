/**
 * Deletes everything kept about a company or a connection without blocking the program: first, in one step, whatever
 * could still be sent; then history, which may be tens of thousands of rows, in short time slices; then the rest. If
 * the program ends in between, what is left is still listed, and the next try deletes it.
 */
import { performance } from 'node:perf_hooks'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { type AppError, appError } from '../../shared/result.ts'
import { type Database, StoreError, text, toJson } from './database.ts'
import { deleteFromMultiCompanyChanges } from './multi-company-changes.ts'

/** SQL conditions for the rows to delete, for columns and for values in JSON, with their parameters. */
interface RowFilter {
  readonly columns: string
  readonly inValue: (path: string) => string
  readonly reportRuns: string
  readonly values: readonly string[]
}

function ofCompany({ connectionId, endpointId }: CompanyRef): RowFilter {
  return {
    columns: 'connection_id = ? AND endpoint_id = ?',
    inValue: (path) => `connection_id = ? AND json_extract(value, '${path}') = ?`,
    // Every run that included the company, with everything kept for it.
    reportRuns: `connection_id = ? AND EXISTS (SELECT 1 FROM json_each(report_runs.value, '$.items')
      WHERE json_extract(json_each.value, '$.endpointId') = ?)`,
    values: [connectionId, endpointId],
  }
}

function ofConnection(connectionId: string): RowFilter {
  const columns = 'connection_id = ?'
  return {
    columns,
    inValue: () => columns,
    reportRuns: columns,
    values: [connectionId],
  }
}

/** Deletes at most this many rows, and returns how many it deleted. */
type Piece = (most: number) => number

/** Tables that may hold many rows. */
function manyRows(database: Database, { columns, inValue, reportRuns, values }: RowFilter): readonly Piece[] {
  const rowsOf =
    (table: string, condition: string): Piece =>
    (most) =>
      database.run(
        `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${condition} LIMIT ?)`,
        ...values,
        most,
      )
  const operations: Piece = (most) => {
    const rows = database.all(`SELECT operation_id FROM operations WHERE ${columns} LIMIT ?`, ...values, most)
    return deleteOperations(
      database,
      rows.map((row) => text(row, 'operation_id')),
    )
  }
  return [
    operations,
    rowsOf('requests', columns),
    rowsOf('imported_rows', `import_id IN (SELECT import_id FROM imports WHERE ${columns})`),
    rowsOf('report_run_parts', `run_id IN (SELECT run_id FROM report_runs WHERE ${reportRuns})`),
    rowsOf('month_copy_parts', columns),
    rowsOf('month_copies', columns),
    rowsOf('request_log', inValue('$.company.endpointId')),
  ]
}

function deleteOperations(database: Database, operationIds: readonly string[]): number {
  const ids = toJson(operationIds)
  const those = 'operation_id IN (SELECT value FROM json_each(?))'
  database.run(`DELETE FROM attempts WHERE ${those}`, ids)
  return database.run(`DELETE FROM operations WHERE ${those}`, ids)
}

/** Deletes drafts and unfinished operations, so that none of them is sent or searched for anymore. */
function deleteActing(database: Database, { columns, inValue, values }: RowFilter): void {
  const open = database.all(
    `SELECT operation_id FROM operations WHERE ${columns} AND is_closed = 0`,
    ...values,
  )
  deleteOperations(
    database,
    open.map((row) => text(row, 'operation_id')),
  )
  for (const table of ['drafts', 'deprovisionings']) {
    database.run(`DELETE FROM ${table} WHERE ${columns}`, ...values)
  }
  database.run(`DELETE FROM provisionings WHERE ${inValue('$.value.company.endpointId')}`, ...values)
}

const RESTING_ROWS = [
  'batches',
  'baselines',
  'imports',
  'months',
  'month_outcomes',
  'month_versions',
  'month_events',
  'review_decisions',
  'review_settings',
  'companies',
] as const

function deleteRest(database: Database, { columns, reportRuns, values }: RowFilter): void {
  for (const table of RESTING_ROWS) database.run(`DELETE FROM ${table} WHERE ${columns}`, ...values)
  database.run(
    `DELETE FROM report_run_heads WHERE run_id IN (SELECT run_id FROM report_runs WHERE ${reportRuns})`,
    ...values,
  )
  database.run(`DELETE FROM report_runs WHERE ${reportRuns}`, ...values)
}

const FIRST_PIECE = 50
/** Milliseconds per slice. A longer one would be noticed; a shorter one is mostly overhead. */
const [LONGEST_SLICE, SHORTEST_SLICE] = [24, 8]
/**
 * A file up to this size is rewritten right away, which takes as long as a few slices. A larger one is rewritten when
 * the computer is idle.
 */
const WRITTEN_AT_ONCE = 8 * 1024 * 1024

/** @param assertFree throws while an outcome is unknown; called before anything is deleted, and again at the end */
async function erase(
  database: Database,
  whose: RowFilter,
  assertFree: () => void,
  last: () => void,
): Promise<void> {
  database.write(() => {
    assertFree()
    database.requireRewrite()
    deleteActing(database, whose)
  })
  for (const piece of manyRows(database, whose)) {
    await inTimeSlices(database, piece)
  }
  database.write(() => {
    assertFree()
    deleteActing(database, whose)
    // Rows added in the meantime.
    for (const piece of manyRows(database, whose)) piece(Number.MAX_SAFE_INTEGER)
    deleteRest(database, whose)
    last()
  })
  database.rewrite(WRITTEN_AT_ONCE)
}

async function inTimeSlices(database: Database, piece: Piece): Promise<void> {
  let most = FIRST_PIECE
  for (;;) {
    const began = performance.now()
    const size = most
    const deleted = database.note(() => piece(size))
    if (deleted === 0) return
    const took = performance.now() - began
    if (took > LONGEST_SLICE) most = Math.max(1, most >> 1)
    else if (took < SHORTEST_SLICE) most *= 2
    await yieldToEventLoop()
    // In small pieces, because SQLite alone would wait until there is ten times as much.
    database.checkpoint()
    await yieldToEventLoop()
  }
}

/** Deletes a company's data, including what is not confirmed. Throws while something is being sent. */
export function deleteCompany(database: Database, company: CompanyRef): Promise<void> {
  return erase(
    database,
    ofCompany(company),
    () => {
      assertNothingLeaves(database, company)
    },
    () => {
      deleteFromMultiCompanyChanges(database, company)
    },
  )
}

/** Deletes everything kept about a connection. Throws while something that was sent over it is not confirmed. */
export function deleteConnection(
  database: Database,
  connectionId: string,
  { evenUnconfirmed = false } = {},
): Promise<void> {
  return erase(
    database,
    ofConnection(connectionId),
    () => {
      if (!evenUnconfirmed) assertNothingOut(database, connectionId)
    },
    () => {
      for (const table of [
        'listings',
        'setup_drafts',
        'multi_company_changes',
        'write_policies',
        'trusted_external_ids',
        'service_addresses',
        'user_creations',
      ]) {
        database.run(`DELETE FROM ${table} WHERE connection_id = ?`, connectionId)
      }
    },
  )
}

/** Throws while something is being sent, because only the journal shows its outcome. */
function assertNothingLeaves(database: Database, company: CompanyRef): void {
  const { columns, values } = ofCompany(company)
  const isThere = (table: string, state: string): boolean =>
    database.one(`SELECT 1 FROM ${table} WHERE ${columns} AND state = '${state}' LIMIT 1`, ...values) !== null
  if (isThere('operations', 'sending') || isThere('deprovisionings', 'sending')) {
    throw new StoreError(stillSendingError())
  }
}

export function stillSendingError(): AppError {
  return appError(
    'invalid-input',
    'Something is being sent to this company right now.',
    'Wait for the response, then delete the data.',
  )
}

function assertNothingOut(database: Database, connectionId: string): void {
  const unfinished = database.one(
    `SELECT 1 FROM operations WHERE connection_id = ? AND state IN ('sending', 'unknown')
     UNION ALL SELECT 1 FROM provisionings WHERE connection_id = ? AND state IN ('making-user', 'sending')
     UNION ALL SELECT 1 FROM deprovisionings WHERE connection_id = ? AND state = 'sending' LIMIT 1`,
    connectionId,
    connectionId,
    connectionId,
  )
  if (unfinished === null) return
  throw new StoreError(
    appError(
      'invalid-input',
      'Something sent over this connection isn’t confirmed yet.',
      'Wait until it is, or check it under Activity. Then remove the connection.',
    ),
  )
}
