/**
 * Deleting all that is kept about a company, or about a connection, so that nothing else has to wait for it: first, in
 * one step, whatever could still act; then history, which may be tens of thousands of rows, in short turns; the rest
 * last. Where the program ends in between, what is left is still listed, and is deleted by the next try.
 */
import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { appError, type AppError } from '../../shared/result.ts'
import { StoreError, text, toJson, type Database } from './database.ts'

/** Whose rows: the condition that a table's columns meet, the one that a value in JSON meets, and what both ask for. */
interface Whose {
  readonly columns: string
  readonly inValue: (path: string) => string
  readonly reportJobs: string
  readonly values: readonly string[]
}

function ofCompany({ connectionId, endpointId }: CompanyRef): Whose {
  return {
    columns: 'connection_id = ? AND endpoint_id = ?',
    inValue: (path) => `connection_id = ? AND json_extract(value, '${path}') = ?`,
    // Jobs that had a part of it, with all that is kept for them.
    reportJobs: `connection_id = ? AND EXISTS (SELECT 1 FROM json_each(report_jobs.value, '$.items')
      WHERE json_extract(json_each.value, '$.endpointId') = ?)`,
    values: [connectionId, endpointId],
  }
}

function ofConnection(connectionId: string): Whose {
  const columns = 'connection_id = ?'
  return { columns, inValue: () => columns, reportJobs: columns, values: [connectionId] }
}

/** Deletes at most so many rows, and answers how many. */
type Piece = (most: number) => number

/** What can be many rows. */
function manyRows(database: Database, { columns, inValue, reportJobs, values }: Whose): readonly Piece[] {
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
    rowsOf('report_job_parts', `job_id IN (SELECT job_id FROM report_jobs WHERE ${reportJobs})`),
    rowsOf('request_log', inValue('$.company.endpointId')),
  ]
}

function deleteOperations(database: Database, operationIds: readonly string[]): number {
  const ids = toJson(operationIds)
  const those = 'operation_id IN (SELECT value FROM json_each(?))'
  database.run(`DELETE FROM attempts WHERE ${those}`, ids)
  return database.run(`DELETE FROM operations WHERE ${those}`, ids)
}

/** Drafts, and what is not at its end: from then on nothing of it is sent or looked for. */
function deleteActing(database: Database, { columns, inValue, values }: Whose): void {
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

const RESTING_ROWS = ['batches', 'baselines', 'imports', 'companies'] as const

function deleteRest(database: Database, { columns, reportJobs, values }: Whose): void {
  for (const table of RESTING_ROWS) database.run(`DELETE FROM ${table} WHERE ${columns}`, ...values)
  database.run(
    `DELETE FROM report_job_heads WHERE job_id IN (SELECT job_id FROM report_jobs WHERE ${reportJobs})`,
    ...values,
  )
  database.run(`DELETE FROM report_jobs WHERE ${reportJobs}`, ...values)
}

const FIRST_PIECE = 50
/** Milliseconds: more in one turn would be felt, less is mostly the turn itself. */
const [LONGEST_TURN, SHORTEST_TURN] = [24, 8]
/** A file up to this size is written anew at once, in the time of a few turns; a larger one when it rests. */
const WRITTEN_AT_ONCE = 8 * 1024 * 1024

/** @param assertFree refuses while it is not known what became of something; asked before anything goes, and again */
async function erase(
  database: Database,
  whose: Whose,
  assertFree: () => void,
  last: () => void = () => undefined,
): Promise<void> {
  database.write(() => {
    assertFree()
    database.owesRewriting()
    deleteActing(database, whose)
  })
  for (const piece of manyRows(database, whose)) {
    await inTurns(database, piece)
  }
  database.write(() => {
    assertFree()
    deleteActing(database, whose)
    // What came in between.
    for (const piece of manyRows(database, whose)) piece(Number.MAX_SAFE_INTEGER)
    deleteRest(database, whose)
    last()
  })
  database.rewrite(WRITTEN_AT_ONCE)
}

async function inTurns(database: Database, piece: Piece): Promise<void> {
  let most = FIRST_PIECE
  for (;;) {
    const began = performance.now()
    const size = most
    const deleted = database.note(() => piece(size))
    if (deleted === 0) return
    const took = performance.now() - began
    if (took > LONGEST_TURN) most = Math.max(1, most >> 1)
    else if (took < SHORTEST_TURN) most *= 2
    await nextTurn()
    // Little by little: by itself SQLite would move it when there is ten times as much.
    database.tidy()
    await nextTurn()
  }
}

/** "Delete this company's data". Refused while something is being sent; what is not confirmed goes too. */
export function deleteCompany(database: Database, company: CompanyRef): Promise<void> {
  return erase(database, ofCompany(company), () => {
    assertNothingLeaves(database, company)
  })
}

/** All that is kept of a connection. Refused while something that was sent over it is not confirmed. */
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
      for (const table of ['listings', 'visits', 'manners', 'trusted_marks', 'places', 'user_creations']) {
        database.run(`DELETE FROM ${table} WHERE connection_id = ?`, connectionId)
      }
    },
  )
}

/** Its journal is the only thing that could tell what became of it. */
function assertNothingLeaves(database: Database, company: CompanyRef): void {
  const { columns, values } = ofCompany(company)
  const isThere = (table: string, state: string): boolean =>
    database.one(`SELECT 1 FROM ${table} WHERE ${columns} AND state = '${state}' LIMIT 1`, ...values) !== null
  if (isThere('operations', 'sending') || isThere('deprovisionings', 'sending')) {
    throw new StoreError(beingSent())
  }
}

export function beingSent(): AppError {
  return appError(
    'invalid-input',
    'Something is being sent to this company just now.',
    'Wait until it is answered, then delete the data.',
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
      'Something that was sent over this connection is not confirmed yet.',
      'Wait until it is, or check it under Activity, then remove the connection.',
    ),
  )
}
