/** Maps operations, batches, and requests to their tables, whose rows have checksums. */
import type { SQLInputValue } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { type Difference, OPERATION_STATES, type OperationState } from '../../../shared/contract/records.ts'
import { type EditValue, type FieldEdit, type RecordData, textOf } from '../../../shared/records/changes.ts'
import { normalizeForSearch, otherSpellings } from '../../../shared/records/search-text.ts'
import { type AppError, appError } from '../../../shared/result.ts'
import {
  type Database,
  digestOf,
  flag,
  json,
  jsonOrNull,
  number,
  numberOrNull,
  type Row,
  ROW_DIGEST,
  StoreError,
  text,
  textOrNull,
  toFlag,
  toJson,
  toJsonOrNull,
} from '../database.ts'
import type {
  BatchCounts,
  BatchStatus,
  JournalBatch,
  JournalOperation,
  JournalRequest,
  NewOperation,
  NewRequest,
  OperationFacts,
  OperationMove,
  RequestKind,
  RequestResult,
} from './journal.ts'

/*
 * Checksums of the journal's rows. SQLite notices damaged pages, but not a byte that was changed inside a row. Such a
 * row is treated as uncertain.
 */

/**
 * The columns that are checked: which company and record a row is about, what was sent, and the outcome. If this list
 * changes, the checksums in existing files no longer match.
 */
const SEALED = {
  operations: [
    'operation_id',
    'batch_id',
    'draft_id',
    'connection_id',
    'endpoint_id',
    'object',
    'kind',
    'record_id',
    'full_name',
    'external_id',
    'namesakes',
    'state',
    'is_closed',
    'before',
    'edits',
    'not_as_sent',
    'conflicts',
    'theirs',
    'error',
    'after',
    'before_sending',
  ],
  attempts: ['operation_id', 'request_key', 'position'],
  requests: [
    'request_key',
    'batch_id',
    'kind',
    'connection_id',
    'endpoint_id',
    'object',
    'body',
    'sent_at',
    'outcome',
  ],
} as const

type SealedTable = keyof typeof SEALED

/** SQL that saves the checksum of rows with their current values. Run it in the transaction that wrote them. */
function sealSql(table: SealedTable, where: string): string {
  return `UPDATE ${table} SET digest = ${ROW_DIGEST}(${SEALED[table].join(', ')}) WHERE ${where}`
}

/** A column that a statement sets. `expression` has one `?` for the value. */
interface Assignment {
  readonly column: string
  readonly expression?: string
  readonly value: SQLInputValue
}

/** A statement and its values. */
interface Statement {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/** Inserts a row with its checksum. Every checked column must be assigned. */
function sealedInsert(table: SealedTable, assignments: readonly Assignment[]): Statement {
  const columns = assignments.map(({ column }) => column)
  const expressions = assignments.map(({ expression = '?' }) => expression)
  const digest = digestOfAssigned(table, assignments)
  return {
    sql: `INSERT INTO ${table} (${columns.join(', ')}, digest) VALUES (${expressions.join(', ')}, ${digest.sql})`,
    values: [...assignments.map(({ value }) => value), ...digest.values],
  }
}

/** Sets columns of rows, and their checksum with them. */
function sealedUpdate(table: SealedTable, assignments: readonly Assignment[], where: string): Statement {
  const set = assignments.map(({ column, expression = '?' }) => `${column} = ${expression}, `)
  const digest = digestOfAssigned(table, assignments)
  return {
    sql: `UPDATE ${table} SET ${set.join('')}digest = ${digest.sql} WHERE ${where}`,
    values: [...assignments.map(({ value }) => value), ...digest.values],
  }
}

/** SQL sees a row as it was before the statement, so columns that are set are named by their new values. */
function digestOfAssigned(table: SealedTable, assignments: readonly Assignment[]): Statement {
  const sealed = SEALED[table].map((column) => {
    const assigned = assignments.find((each) => each.column === column)
    return assigned === undefined
      ? { sql: column, values: [] }
      : { sql: assigned.expression ?? '?', values: [assigned.value] }
  })
  return {
    sql: `${ROW_DIGEST}(${sealed.map(({ sql }) => sql).join(', ')})`,
    values: sealed.flatMap(({ values }) => values),
  }
}

/** Whether a row, read with all columns, matches its checksum or has none. */
function isIntact(table: SealedTable, row: Readonly<Record<string, unknown>>): boolean {
  if (row['digest'] === null) return true
  return digestOf(SEALED[table].map((column) => row[column] as SQLInputValue)) === row['digest']
}

/** The same in SQL. */
function intactInSql(table: SealedTable): string {
  const columns = SEALED[table].map((column) => `${table}.${column}`)
  return `(${table}.digest IS NULL OR ${table}.digest = ${ROW_DIGEST}(${columns.join(', ')}))`
}

/* Operations, batches, and requests. */

/**
 * Converts a row with all columns. Marks an operation as uncertain first if its row was altered outside the program.
 */
export function operationOf(database: Database, row: Row): JournalOperation {
  // A newer program may compute checksums differently.
  const isBelieved = database.isReadOnly || isIntact('operations', row)
  return operationFromRow(isBelieved ? row : markAltered(database, row))
}

export function operationsFrom(database: Database, rows: readonly Row[]): readonly JournalOperation[] {
  return rows.map((row) => operationOf(database, row))
}

const ALTERED = appError(
  'store',
  'This record’s entry on this computer was changed by something other than Bookbridge, so it can’t be trusted.',
  'Check in the accounting application whether it was saved. Then discard it here, and enter again whatever is missing.',
)

/**
 * Marks an altered operation as uncertain. An unfinished one waits for the user and is not sent. The history shows a
 * finished one as not confirmed.
 */
function markAltered(database: Database, row: Row): Row {
  const operationId = text(row, 'operation_id')
  const draft = database.one('SELECT kind FROM drafts WHERE operation_id = ?', operationId)
  const isOpen = !flag(row, 'is_closed') || draft !== null
  const kind = draft === null ? (text(row, 'record_id') === '' ? 'insert' : 'change') : text(draft, 'kind')
  const uncertain = {
    kind,
    state: isOpen ? 'conflict' : 'unknown',
    is_closed: toFlag(!isOpen),
    send_again: 0,
    before: asJson(text(row, 'before'), '{}'),
    edits: asJson(text(row, 'edits'), '[]'),
    namesakes: '[]',
    not_as_sent: '[]',
    conflicts: '[]',
    theirs: null,
    error: toJson(ALTERED),
    after: null,
    before_sending: null,
  }
  if (isOpen) {
    const columns = Object.keys(uncertain).map((column) => `${column} = ?`)
    database.run(
      `UPDATE operations SET ${columns.join(', ')} WHERE operation_id = ?`,
      ...Object.values(uncertain),
      operationId,
    )
    sealOperation(database, operationId)
  }
  return { ...row, ...uncertain }
}

/** Returns the text if it is JSON of the same type as `empty`, otherwise `empty`. */
function asJson(text: string, empty: '{}' | '[]'): string {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null
    return isObject && Array.isArray(value) === (empty === '[]') ? text : empty
  } catch {
    return empty
  }
}

/** Updates a row's checksum. Call it in the transaction that wrote the row. */
export function sealOperation(database: Database, operationId: string): void {
  database.run(sealSql('operations', 'operation_id = ?'), operationId)
}

function operationFromRow(row: Row): JournalOperation {
  return {
    operationId: text(row, 'operation_id'),
    batchId: text(row, 'batch_id'),
    position: number(row, 'position'),
    draftId: text(row, 'draft_id'),
    company: { connectionId: text(row, 'connection_id'), endpointId: text(row, 'endpoint_id') },
    object: text(row, 'object'),
    kind: text(row, 'kind') as JournalOperation['kind'],
    recordId: text(row, 'record_id'),
    recordName: text(row, 'record_name'),
    fullName: text(row, 'full_name'),
    externalId: text(row, 'external_id'),
    namesakes: json(row, 'namesakes') as readonly string[],
    state: text(row, 'state') as OperationState,
    isClosed: flag(row, 'is_closed'),
    sendAgain: flag(row, 'send_again'),
    before: json(row, 'before') as RecordData,
    edits: json(row, 'edits') as readonly FieldEdit[],
    queuedAt: text(row, 'queued_at'),
    settledAt: textOrNull(row, 'settled_at'),
    firstRecheckedAt: textOrNull(row, 'first_rechecked_at'),
    lastRecheckedAt: textOrNull(row, 'last_rechecked_at'),
    rechecks: number(row, 'rechecks'),
    confirmedByReading: flag(row, 'confirmed_by_reading'),
    isKnownByName: flag(row, 'is_known_by_name'),
    notAsSent: json(row, 'not_as_sent') as readonly Difference[],
    conflicts: json(row, 'conflicts') as readonly Difference[],
    theirs: jsonOrNull(row, 'theirs') as RecordData | null,
    error: jsonOrNull(row, 'error') as AppError | null,
    errorPath: text(row, 'error_path'),
    requestId: text(row, 'request_id'),
    after: jsonOrNull(row, 'after') as RecordData | null,
    beforeSending: jsonOrNull(row, 'before_sending') as RecordData | null,
    previousService: text(row, 'previous_service'),
    candidates: json(row, 'candidates') as readonly RecordData[],
    dismissed: json(row, 'dismissed') as readonly string[],
    recheckAt: textOrNull(row, 'recheck_at'),
  }
}

export function insertOperation(
  database: Database,
  batch: JournalBatch,
  position: number,
  operation: NewOperation,
): void {
  const { sql, values } = sealedInsert('operations', [
    { column: 'operation_id', value: operation.operationId },
    { column: 'batch_id', value: batch.batchId },
    { column: 'position', value: position },
    { column: 'draft_id', value: operation.draftId },
    { column: 'connection_id', value: batch.company.connectionId },
    { column: 'endpoint_id', value: batch.company.endpointId },
    { column: 'object', value: batch.object },
    { column: 'kind', value: operation.kind },
    { column: 'record_id', value: operation.recordId },
    { column: 'record_name', value: operation.recordName },
    { column: 'full_name', value: operation.fullName },
    { column: 'external_id', value: operation.externalId },
    { column: 'namesakes', value: toJson(operation.namesakes) },
    { column: 'state', value: 'queued' },
    { column: 'is_closed', value: 0 },
    { column: 'before', value: toJson(operation.before) },
    { column: 'edits', value: toJson(operation.edits) },
    { column: 'queued_at', value: batch.queuedAt },
    { column: 'not_as_sent', value: '[]' },
    { column: 'conflicts', value: '[]' },
    { column: 'theirs', value: null },
    { column: 'error', value: null },
    { column: 'after', value: null },
    { column: 'before_sending', value: null },
    {
      column: 'undoes',
      expression: `coalesce((SELECT undoes FROM drafts WHERE draft_id = ?), '')`,
      value: operation.draftId,
    },
  ])
  database.run(sql, ...values)
  indexForSearch(database, batch.batchId, operation)
}

/** The facts that a move sets, always in the same order, so that few statements are prepared. */
function assignmentsOf(facts: OperationFacts): readonly Assignment[] {
  const plain = (column: string, value: string | number | null | undefined): readonly Assignment[] =>
    value === undefined ? [] : [{ column, value }]
  const flagged = (column: string, value: boolean | undefined): readonly Assignment[] =>
    value === undefined ? [] : [{ column, value: toFlag(value) }]
  const asJson = (column: string, value: object | null | undefined): readonly Assignment[] =>
    value === undefined ? [] : [{ column, value: toJsonOrNull(value) }]
  return [
    ...plain('record_id', facts.recordId),
    ...flagged('send_again', facts.sendAgain),
    ...plain('settled_at', facts.settledAt),
    ...plain('first_rechecked_at', facts.firstRecheckedAt),
    ...plain('last_rechecked_at', facts.lastRecheckedAt),
    ...plain('rechecks', facts.rechecks),
    ...flagged('confirmed_by_reading', facts.confirmedByReading),
    ...flagged('is_known_by_name', facts.isKnownByName),
    ...asJson('not_as_sent', facts.notAsSent),
    ...asJson('conflicts', facts.conflicts),
    ...asJson('theirs', facts.theirs),
    ...asJson('error', facts.error),
    ...plain('error_path', facts.errorPath),
    ...plain('request_id', facts.requestId),
    ...asJson('after', facts.after),
    ...asJson('before_sending', facts.beforeSending),
    ...asJson('candidates', facts.candidates),
    ...asJson('dismissed', facts.dismissed),
    ...plain('recheck_at', facts.recheckAt),
  ]
}

/** Throws if the operation is not in the state that the move leaves. A discarded operation can't be sent. */
export function moveOperation(database: Database, move: OperationMove): void {
  moveAlike(database, move, [move.operationId])
}

/** Makes moves of different operations, with one statement if they are alike otherwise. Throws as `moveOperation` does. */
export function moveOperations(database: Database, moves: readonly OperationMove[]): void {
  const [first] = moves
  if (first === undefined) return
  const areAlike = moves.every((move) =>
    isDeepStrictEqual({ ...move, operationId: '' }, { ...first, operationId: '' }),
  )
  if (areAlike) {
    const ids = moves.map(({ operationId }) => operationId)
    moveAlike(database, first, ids)
  } else for (const move of moves) moveOperation(database, move)
}

function moveAlike(
  database: Database,
  move: Omit<OperationMove, 'operationId'>,
  operationIds: readonly string[],
): void {
  const places = operationIds.map(() => '?').join(', ')
  const { sql, values } = sealedUpdate(
    'operations',
    [
      { column: 'state', value: move.to },
      { column: 'is_closed', expression: 'max(is_closed, ?)', value: toFlag(move.closes) },
      ...assignmentsOf(move.facts),
    ],
    `operation_id IN (${places}) AND state = ?${move.to === 'sending' ? ' AND is_closed = 0' : ''}`,
  )
  const moved = database.run(sql, ...values, ...operationIds, move.from)
  if (moved !== operationIds.length) throw notInState(database, move, operationIds)
  for (const operationId of move.closes ? operationIds : []) {
    database.run('DELETE FROM drafts WHERE operation_id = ?', operationId)
  }
}

/** Sets facts of an operation in any state. */
export function setFacts(
  database: Database,
  operationId: string,
  facts: OperationFacts & { readonly isClosed?: boolean },
): void {
  const closing = facts.isClosed === undefined ? [] : [{ column: 'is_closed', value: toFlag(facts.isClosed) }]
  const set = [...assignmentsOf(facts), ...closing]
  const { sql, values } = sealedUpdate('operations', set, 'operation_id = ?')
  database.run(sql, ...values, operationId)
}

function notInState(
  database: Database,
  { from, to }: Omit<OperationMove, 'operationId'>,
  operationIds: readonly string[],
): StoreError {
  const states = operationIds.map((operationId) => {
    const row = database.one('SELECT state, is_closed FROM operations WHERE operation_id = ?', operationId)
    const is = row === null ? 'none' : `${flag(row, 'is_closed') ? 'closed ' : ''}${text(row, 'state')}`
    return { is, raw: `${operationId}: ${is} instead of ${from}` }
  })
  // The others have been moved already.
  const { raw } = states.find(({ is }) => is !== to) ?? states[0] ?? { raw: '' }
  return new StoreError(
    appError('internal', 'A record’s state in the journal isn’t what was expected.', '', { raw }),
  )
}

// Batches, and counts of their operations.

export function batchFromRow(row: Row): JournalBatch {
  return {
    batchId: text(row, 'batch_id'),
    company: { connectionId: text(row, 'connection_id'), endpointId: text(row, 'endpoint_id') },
    object: text(row, 'object'),
    queuedAt: text(row, 'queued_at'),
    status: text(row, 'status') as BatchStatus,
    error: jsonOrNull(row, 'error') as AppError | null,
  }
}

/** Counts a batch's operations by state. */
export function countStates(database: Database, batchId: string): BatchCounts {
  const states = Object.fromEntries(OPERATION_STATES.map((state) => [state, 0])) as Record<
    OperationState,
    number
  >
  let total = 0
  let dropped = 0
  let decided = 0
  // Uses only columns of `operations_of_batch`, because this runs after each request and operations are large.
  const rows = database.all(
    'SELECT state, is_closed, count(*) AS count FROM operations WHERE batch_id = ? GROUP BY state, is_closed',
    batchId,
  )
  const undone = database.one(
    `SELECT count(*) AS count FROM operations INDEXED BY operations_undoing
       WHERE undoes <> '' AND batch_id = ? AND state = 'acked'`,
    batchId,
  )
  for (const row of rows) {
    const count = number(row, 'count')
    total += count
    const state = text(row, 'state') as OperationState
    const isClosed = flag(row, 'is_closed')
    if (isClosed && state === 'queued') dropped += count
    else if (isClosed && (state === 'held' || state === 'conflict')) decided += count
    else states[state] += count
  }
  return { total, dropped, decided, undone: undone === null ? 0 : number(undone, 'count'), states }
}

// The text that history search uses: the record's name, and its values before and after.

function valueText(value: EditValue | null): string {
  return typeof value === 'string' || value === null ? textOf(value) : value.FullName
}

function indexForSearch(database: Database, batchId: string, operation: NewOperation): void {
  const { recordName, fullName, recordId, edits } = operation
  const values = edits.flatMap(({ was, now }) => [valueText(was), valueText(now)])
  const text = [recordName, fullName, recordId, ...values].filter(Boolean).join('\n')
  // In a narrow table, because a search reads all of it and operations are large.
  database.run(
    'INSERT INTO operation_words (operation_id, batch_id, words) VALUES (?, ?, ?)',
    operation.operationId,
    batchId,
    [normalizeForSearch(text), ...otherSpellings(text)].join('\n'),
  )
}

/* Requests that change something at the service: the exact bytes before they are sent, and their outcomes. */

export function insertRequest(database: Database, request: NewRequest): void {
  database.run(
    `INSERT INTO requests (request_key, batch_id, kind, connection_id, endpoint_id, object, body, sent_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    request.requestKey,
    request.batchId,
    request.kind,
    request.connectionId,
    request.endpointId,
    request.object,
    request.body,
    request.sentAt,
  )
  seal(database, request.requestKey)
  database.run(
    'UPDATE batches SET first_sent_at = coalesce(first_sent_at, ?), last_sent_at = ? WHERE batch_id = ?',
    request.sentAt,
    request.sentAt,
    request.batchId,
  )
  // In the same transaction, so that an older copy of the database is noticed (`lineage.ts`).
  database.run('UPDATE lineage SET sequence = sequence + 1')
  database.announceSend({ requestKey: request.requestKey, at: request.sentAt })
}

function seal(database: Database, requestKey: string): void {
  database.run(sealSql('requests', 'request_key = ?'), requestKey)
}

/** Records that a request carries an operation. */
export function insertAttempt(
  database: Database,
  operationId: string,
  requestKey: string,
  position: number,
): void {
  const digest = digestOf([operationId, requestKey, position])
  database.run(
    'INSERT INTO attempts (operation_id, request_key, position, digest) VALUES (?, ?, ?, ?)',
    operationId,
    requestKey,
    position,
    digest,
  )
}

/** Keeps the first response. A second one would be a defect, and must not overwrite evidence. */
export function saveRequestResult(database: Database, result: RequestResult): void {
  const known = database.one('SELECT outcome FROM requests WHERE request_key = ?', result.requestKey)
  if (known === null || textOrNull(known, 'outcome') !== null) return
  database.run(
    `UPDATE requests SET responded_at = ?, outcome = ?, status = ?, request_id = ?, error = ?, response = ?,
       returned_ids = ?
     WHERE request_key = ?`,
    result.respondedAt,
    result.outcome,
    result.status,
    result.requestId,
    toJsonOrNull(result.error),
    result.text,
    toJson(result.returnedIds),
    result.requestKey,
  )
  seal(database, result.requestKey)
  if (result.outcome === 'not-sent') correctSentTimes(database, result.requestKey)
  for (const item of result.items) {
    database.run(
      'UPDATE attempts SET response = ? WHERE operation_id = ? AND request_key = ?',
      item.text,
      item.operationId,
      result.requestKey,
    )
  }
}

/** Sets the times of a request’s batch again, because the request never left. */
function correctSentTimes(database: Database, requestKey: string): void {
  database.run(
    `UPDATE batches SET (first_sent_at, last_sent_at) =
       (SELECT min(sent_at), max(sent_at) FROM requests
         WHERE request_key IN (SELECT request_key FROM attempts JOIN operations USING (operation_id)
                               WHERE operations.batch_id = batches.batch_id) AND ${LEFT})
     WHERE batch_id = (SELECT batch_id FROM requests WHERE request_key = ?)`,
    requestKey,
  )
}

/**
 * Converts a row. If the row of a request or of an attempt was altered outside the program, its outcome is not known.
 */
function requestFromRow(database: Database, row: Row): JournalRequest {
  const requestKey = text(row, 'request_key')
  const attempts = database.all('SELECT * FROM attempts WHERE request_key = ? ORDER BY position', requestKey)
  const isBelieved = isIntact('requests', row) && attempts.every((each) => isIntact('attempts', each))
  return {
    requestKey,
    batchId: text(row, 'batch_id'),
    kind: text(row, 'kind') as RequestKind,
    connectionId: text(row, 'connection_id'),
    endpointId: text(row, 'endpoint_id'),
    object: text(row, 'object'),
    body: text(row, 'body'),
    sentAt: text(row, 'sent_at'),
    respondedAt: textOrNull(row, 'responded_at'),
    outcome: isBelieved ? (textOrNull(row, 'outcome') as RequestResult['outcome'] | null) : 'uncertain',
    status: numberOrNull(row, 'status'),
    requestId: text(row, 'request_id'),
    operationIds: attempts.map((each) => text(each, 'operation_id')),
  }
}

/** The requests that carried an operation, oldest first. */
export function requestsOf(database: Database, operationId: string): readonly JournalRequest[] {
  return database
    .all(
      `SELECT requests.* FROM attempts JOIN requests USING (request_key)
       WHERE attempts.operation_id = ? ORDER BY sent_at, requests.rowid`,
      operationId,
    )
    .map((row) => requestFromRow(database, row))
}

/** Whether a request left this computer, as far as is known. */
const LEFT = `(outcome IS NOT 'not-sent' OR NOT ${intactInSql('requests')})`

/** SQL for when an operation was first sent; `NULL` if it never was. `table` names the operations. */
export function firstSentInSql(table: string): string {
  return `(SELECT min(sent_at) FROM attempts JOIN requests USING (request_key)
    WHERE attempts.operation_id = ${table}.operation_id AND ${LEFT})`
}

/** A request with an operation that left this computer, as far as is known. */
export interface SentAttempt {
  readonly sentAt: string
  readonly requestId: string
  /** Whether the service refused its key, which proves that nothing was done. */
  readonly isRefused: boolean
}

/** Oldest first. */
export function sentAttemptsOf(database: Database, operationId: string): readonly SentAttempt[] {
  return database
    .all(
      `SELECT sent_at, request_id, iif(outcome = 'refused-key', ${intactInSql('requests')}, 0) AS is_refused
       FROM attempts JOIN requests USING (request_key)
       WHERE attempts.operation_id = ? AND ${LEFT} ORDER BY sent_at, requests.rowid`,
      operationId,
    )
    .map((row) => ({
      sentAt: text(row, 'sent_at'),
      requestId: text(row, 'request_id'),
      isRefused: number(row, 'is_refused') === 1,
    }))
}

/** When each operation was first sent (ISO), by ID. Omits those that were never sent, as far as is known. */
export function firstSentAt(
  database: Database,
  operationIds: readonly string[],
): ReadonlyMap<string, string> {
  const rows = database.all(
    `SELECT operation_id, min(sent_at) AS first FROM attempts JOIN requests USING (request_key)
     WHERE operation_id IN (SELECT value FROM json_each(?))
       AND ${LEFT}
     GROUP BY operation_id`,
    JSON.stringify(operationIds),
  )
  return new Map(rows.map((row) => [text(row, 'operation_id'), text(row, 'first')]))
}

/** Every ID that responses to an operation's requests named, by operation ID. Omits operations without one. */
export function returnedIds(
  database: Database,
  operationIds: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const rows = database.all(
    `SELECT operation_id, returned_ids FROM attempts JOIN requests USING (request_key)
     WHERE operation_id IN (SELECT value FROM json_each(?)) AND returned_ids <> '[]' ORDER BY sent_at`,
    toJson(operationIds),
  )
  const byOperation = new Map<string, readonly string[]>()
  for (const row of rows) {
    const operationId = text(row, 'operation_id')
    const ids = json(row, 'returned_ids') as readonly string[]
    byOperation.set(operationId, [...new Set([...(byOperation.get(operationId) ?? []), ...ids])])
  }
  return byOperation
}
