/** Operations and batches: what was sent, record by record, and the outcomes. */
import type { Unfinished } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { OPERATION_STATES, type OperationState } from '../../../shared/contract/records.ts'
import { type AppError, appError } from '../../../shared/result.ts'
import { unfinishedCounts } from '../activity.ts'
import { type Database, json, StoreError, text, textOrNull, toJson, toJsonOrNull } from '../database.ts'
import { closeOperationOf, type DraftState, putDraft } from '../drafts.ts'
import type {
  Baseline,
  BatchCounts,
  BatchStatus,
  JournalBatch,
  JournalOperation,
  JournalRequest,
  NewOperation,
  NewRequest,
  OperationFacts,
  OperationMove,
  RequestResult,
} from './journal.ts'
import {
  batchFromRow,
  countStates,
  firstSentAt,
  insertAttempt,
  insertOperation,
  insertRequest,
  moveOperation,
  moveOperations,
  operationOf,
  operationsFrom,
  requestsOf,
  returnedIds,
  saveRequestResult,
  sealOperation,
  setFacts,
} from './rows.ts'

/** How the user ends an operation, and what happens to its draft. */
export interface OperationEnd {
  readonly operationId: string
  readonly from: OperationState
  /** `release` keeps it as a plain draft. A given draft replaces it. */
  readonly draft: 'remove' | 'release' | DraftState
}

/** Operations and batches. */
export interface OperationStore {
  /**
   * Turns drafts into a batch, in one transaction. Closes the `replaced` operations, which were queued but on hold, or
   * not accepted. Throws if any draft is already being sent.
   */
  enqueue(
    batch: JournalBatch,
    operations: readonly NewOperation[],
    replaced: readonly OperationEnd[],
    baseline?: Baseline | null,
  ): void
  byIds(operationIds: readonly string[]): readonly JournalOperation[]
  /** Open operations in these states, oldest first. Excludes those of a previous service. */
  open(company: CompanyRef, states: readonly OperationState[]): readonly JournalOperation[]
  /** The next queued operations of a batch, in order. */
  nextOfBatch(batchId: string, limit: number): readonly JournalOperation[]
  /** The same in short, in a fraction of the time. Rows aren’t checked, so an altered one may be among them. */
  queuedOfBatch(batchId: string, limit: number): readonly Pick<JournalOperation, 'operationId' | 'kind'>[]
  /** The operations that a list's drafts belong to. */
  ofDrafts(company: CompanyRef, object: string): readonly JournalOperation[]
  /**
   * The operations that these drafts of one list became, oldest first, whether or not they are closed.
   * @param states only those in these states; by default, all
   */
  ofSent(
    company: CompanyRef,
    object: string,
    drafts: readonly { readonly draftId: string; readonly recordId: string }[],
    states?: readonly OperationState[],
  ): readonly JournalOperation[]
  /** Makes moves, and saves the request's response if there is one, in one transaction. */
  move(moves: readonly OperationMove[], result: RequestResult | null): void
  /** Saves the request and the moves to SENDING in one transaction, after the moves in `before`. */
  begin(request: NewRequest, moves: readonly OperationMove[], before?: readonly OperationMove[]): void
  end(ends: readonly OperationEnd[]): void
  /** Sets facts about an operation in any state, open or closed. */
  note(operationId: string, facts: OperationFacts): void
  /** Sets facts and reopens the operation and its draft, for the user to decide. */
  reopen(operationId: string, facts: OperationFacts): void
  batch(batchId: string): JournalBatch | null
  /** Batches with something unfinished, or named in `also`; oldest first. */
  batches(company: CompanyRef, object: string, also: readonly string[]): readonly JournalBatch[]
  /** Open batches with queued operations, oldest first. */
  openBatches(company: CompanyRef): readonly JournalBatch[]
  counts(batchId: string): BatchCounts
  setBatch(batchId: string, status: BatchStatus, error: AppError | null): void
  requests(operationId: string): readonly JournalRequest[]
  /** When each operation was first sent (ISO), by ID. Omits those that were never sent, as far as is known. */
  firstSentAt(operationIds: readonly string[]): ReadonlyMap<string, string>
  /** Whether nothing of the batch was sent and it has no baseline. */
  needsBaseline(batchId: string): boolean
  /** Saves what the batch's list contains before anything is sent. */
  putBaseline(batch: JournalBatch, records: Baseline['records']): void
  /** What the batch's list contained before it was sent; `null` if the list was not read completely. */
  baselineOf(batchId: string): Baseline['records'] | null
  /** Every ID that answers to an operation's requests named, by operation ID. */
  returnedIds(operationIds: readonly string[]): ReadonlyMap<string, readonly string[]>
  /** Inserts to check for duplicates, most urgent first. */
  toRecheck(company: CompanyRef): readonly JournalOperation[]
  /** Saved inserts that were sent more than once, or since that time (ISO), and may have duplicates. */
  possibleDuplicates(company: CompanyRef, object: string, since: string): readonly JournalOperation[]
  /** What was saved up to now, for `savedSince`. It doesn't depend on the clock. */
  savesMark(): string
  /**
   * Operations of a list that were saved since a mark, oldest first; `null` if some of them may be missing: they were
   * trimmed, or the mark is another file's.
   */
  savedSince(company: CompanyRef, object: string, mark: string): readonly JournalOperation[] | null
  /** Companies with operations to recheck. Excludes those of a previous service. */
  companiesWithUnknownOutcome(): readonly CompanyRef[]
  unfinishedCounts(connectionId: string): ReadonlyMap<string, Unfinished>
}

/** Ends an operation as the user decided, and updates its draft. */
function endOperation(database: Database, end: OperationEnd): void {
  const changed = database.run(
    `UPDATE operations SET is_closed = 1, send_again = 0, recheck_at = iif(state = 'acked', recheck_at, NULL)
     WHERE operation_id = ? AND state = ? AND is_closed = 0`,
    end.operationId,
    end.from,
  )
  if (changed !== 1) {
    throw new StoreError(appError('invalid-input', 'This record has a new outcome.', 'Check it again.'))
  }
  sealOperation(database, end.operationId)
  if (end.draft === 'release') {
    database.run('UPDATE drafts SET operation_id = NULL WHERE operation_id = ?', end.operationId)
    return
  }
  if (end.draft === 'remove') {
    database.run('DELETE FROM drafts WHERE operation_id = ?', end.operationId)
    return
  }
  putDraft(database, end.draft)
}

/** Drafts from an older database, which are searched for before they are sent. There are usually none. */
function staleDrafts(database: Database): ReadonlySet<string> {
  const rows = database.all('SELECT draft_id FROM drafts WHERE is_stale = 1')
  return new Set(rows.map((row) => text(row, 'draft_id')))
}

/** Holds a new record from an older database. It is searched for before it is sent, like one that is sent again. */
function holdUntilRechecked(database: Database, operationId: string): void {
  database.run(`UPDATE operations SET state = 'held', send_again = 1 WHERE operation_id = ?`, operationId)
  sealOperation(database, operationId)
}

function enqueueDraft(database: Database, draftId: string, operationId: string): void {
  const free = 'UPDATE drafts SET operation_id = ?, is_stale = 0 WHERE draft_id = ? AND operation_id IS NULL'
  if (database.run(free, operationId, draftId) === 1) return
  const row = database.one(
    `SELECT operations.state AS state FROM drafts LEFT JOIN operations USING (operation_id)
     WHERE drafts.draft_id = ?`,
    draftId,
  )
  const state = row === null ? 'gone' : textOrNull(row, 'state')
  if (state !== null && state !== 'rejected') {
    throw new StoreError(
      appError(
        'invalid-input',
        state === 'gone' ? 'A draft no longer exists.' : 'A record was already sent.',
        'Check the list again, then send the rest.',
      ),
    )
  }
  if (state === 'rejected') {
    const tied = database.one('SELECT operation_id FROM drafts WHERE draft_id = ?', draftId)
    closeOperationOf(database, tied === null ? null : textOrNull(tied, 'operation_id'))
  }
  database.run('UPDATE drafts SET operation_id = ?, is_stale = 0 WHERE draft_id = ?', operationId, draftId)
}

/** Operations that were discarded before they were ever sent are not in the history. */
export const WAS_SENT = `(operations.state <> 'queued' OR operations.is_closed = 0 OR EXISTS
  (SELECT 1 FROM attempts JOIN requests USING (request_key)
    WHERE attempts.operation_id = operations.operation_id AND requests.outcome IS NOT 'not-sent'))`

/** How many changes were saved, and up to which one they may be gone from the history. */
function savesOf(database: Database) {
  const row = database.one('SELECT * FROM saves') ?? { epoch: '', saved: 0, trimmed: 0 }
  return { epoch: text(row, 'epoch'), saved: Number(row['saved']), trimmed: Number(row['trimmed']) }
}

const NEXT_OF_BATCH = `FROM operations WHERE batch_id = ? AND state = 'queued' AND is_closed = 0
  ORDER BY position LIMIT ?`

const key = (company: CompanyRef) => [company.connectionId, company.endpointId] as const

/** @param sentBy who uses the program; saved with what they send */
export function createOperationStore(database: Database, sentBy: string): OperationStore {
  const baselineOf = createBaselineReader(database)
  return {
    enqueue: (batch, operations, replaced, baseline = null) =>
      database.write(() => {
        for (const end of replaced) endOperation(database, end)
        if (baseline !== null) putBaseline(database, batch.company, batch.object, baseline)
        database.run(
          `INSERT INTO batches (batch_id, connection_id, endpoint_id, object, queued_at, status, error, baseline_id, sent_by)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          batch.batchId,
          ...key(batch.company),
          batch.object,
          batch.queuedAt,
          batch.status,
          toJsonOrNull(batch.error),
          baseline?.baselineId ?? '',
          sentBy,
        )
        const stale = staleDrafts(database)
        for (const [position, operation] of operations.entries()) {
          const isSearchedFirst = operation.kind === 'insert' && stale.has(operation.draftId)
          enqueueDraft(database, operation.draftId, operation.operationId)
          insertOperation(database, batch, position, operation)
          if (isSearchedFirst) holdUntilRechecked(database, operation.operationId)
        }
      }),
    byIds: (operationIds) =>
      database.read(() =>
        operationIds.flatMap((operationId) => {
          const row = database.one('SELECT * FROM operations WHERE operation_id = ?', operationId)
          return row === null ? [] : [operationOf(database, row)]
        }),
      ),
    open: (company, states) =>
      database.read(() =>
        operationsFrom(
          database,
          states.flatMap((state) =>
            database.all(
              `SELECT * FROM operations
               WHERE connection_id = ? AND endpoint_id = ? AND state = ? AND is_closed = 0
                 AND previous_service = ''
               ORDER BY queued_at, rowid`,
              ...key(company),
              state,
            ),
          ),
        ).filter(({ state }) => states.includes(state)),
      ),
    nextOfBatch: (batchId, limit) =>
      database.read(() =>
        operationsFrom(database, database.all(`SELECT * ${NEXT_OF_BATCH}`, batchId, limit)).filter(
          ({ state }) => state === 'queued',
        ),
      ),
    queuedOfBatch: (batchId, limit) =>
      database.read(() =>
        database.all(`SELECT operation_id, kind ${NEXT_OF_BATCH}`, batchId, limit).map((row) => ({
          operationId: text(row, 'operation_id'),
          kind: text(row, 'kind') as JournalOperation['kind'],
        })),
      ),
    ofDrafts: (company, object) =>
      database.read(() =>
        operationsFrom(
          database,
          database.all(
            `SELECT operations.* FROM drafts JOIN operations USING (operation_id)
             WHERE drafts.connection_id = ? AND drafts.endpoint_id = ? AND drafts.object = ?`,
            ...key(company),
            object,
          ),
        ),
      ),
    move: (moves, result) =>
      database.write(() => {
        for (const move of moves) moveOperation(database, move)
        if (result !== null) saveRequestResult(database, result)
      }),
    begin: (request: NewRequest, moves, before = []) =>
      database.write(() => {
        insertRequest(database, request)
        for (const move of before) moveOperation(database, move)
        moveOperations(database, moves)
        for (const [position, { operationId }] of moves.entries()) {
          insertAttempt(database, operationId, request.requestKey, position)
        }
      }),
    end: (ends) =>
      database.write(() => {
        for (const end of ends) endOperation(database, end)
      }),
    note: (operationId, facts) =>
      database.write(() => {
        setFacts(database, operationId, facts)
      }),
    reopen: (operationId, facts) =>
      database.write(() => {
        setFacts(database, operationId, { ...facts, isClosed: false })
        // What the user has typed since stays in the draft. The operation is shown beside it.
        database.run(
          `INSERT OR IGNORE INTO drafts
             (draft_id, connection_id, endpoint_id, object, kind, record_id, before, edits, changed_at, operation_id)
           SELECT draft_id, connection_id, endpoint_id, object, kind, '', before, edits, queued_at, operation_id
           FROM operations WHERE operation_id = ?`,
          operationId,
        )
      }),
    batch: (batchId) =>
      database.read(() => {
        const row = database.one('SELECT * FROM batches WHERE batch_id = ?', batchId)
        return row === null ? null : batchFromRow(row)
      }),
    batches: (company, object, also) =>
      database.read(() =>
        database
          .all(
            `SELECT * FROM batches WHERE connection_id = ? AND endpoint_id = ? AND object = ?
               AND (batch_id IN (SELECT value FROM json_each(?)) OR EXISTS
                 (SELECT 1 FROM operations WHERE operations.batch_id = batches.batch_id AND is_closed = 0
                    AND state IN ('queued', 'sending', 'unknown')))
             ORDER BY queued_at, rowid`,
            ...key(company),
            object,
            JSON.stringify(also),
          )
          .map(batchFromRow),
      ),
    openBatches: (company) =>
      database.read(() =>
        database
          .all(
            `SELECT * FROM batches WHERE connection_id = ? AND endpoint_id = ? AND status = 'open' AND EXISTS
               (SELECT 1 FROM operations WHERE operations.batch_id = batches.batch_id
                  AND state = 'queued' AND is_closed = 0)
             ORDER BY queued_at, rowid`,
            ...key(company),
          )
          .map(batchFromRow),
      ),
    counts: (batchId) => database.read(() => countStates(database, batchId)),
    setBatch: (batchId, status, error) =>
      database.write(() => {
        database.run(
          'UPDATE batches SET status = ?, error = ? WHERE batch_id = ?',
          status,
          toJsonOrNull(error),
          batchId,
        )
      }),
    requests: (operationId) => database.read(() => requestsOf(database, operationId)),
    firstSentAt: (operationIds) => database.read(() => firstSentAt(database, operationIds)),
    needsBaseline: (batchId) =>
      database.read(
        () =>
          database.one(
            `SELECT 1 FROM batches WHERE batch_id = ? AND baseline_id = '' AND NOT EXISTS
               (SELECT 1 FROM operations JOIN attempts USING (operation_id)
                WHERE operations.batch_id = batches.batch_id)`,
            batchId,
          ) !== null,
      ),
    putBaseline: ({ batchId, company, object }, records) =>
      database.write(() => {
        database.run('UPDATE batches SET baseline_id = ? WHERE batch_id = ?', batchId, batchId)
        putBaseline(database, company, object, { baselineId: batchId, records })
      }),
    baselineOf: (batchId) => database.read(() => baselineOf(batchId)),
    returnedIds: (operationIds) => database.read(() => returnedIds(database, operationIds)),
    toRecheck: (company) =>
      database.read(() =>
        database
          .all(
            `SELECT * FROM operations
             WHERE connection_id = ? AND endpoint_id = ? AND recheck_at IS NOT NULL AND previous_service = ''
             ORDER BY recheck_at`,
            ...key(company),
          )
          .map((row) => operationOf(database, row)),
      ),
    possibleDuplicates: (company, object, since) =>
      database.read(() =>
        database
          .all(
            `SELECT * FROM operations
             WHERE connection_id = ? AND endpoint_id = ? AND object = ? AND kind = 'insert'
               AND state = 'acked' AND previous_service = '' AND (queued_at > ?
                 OR (SELECT count(*) FROM attempts JOIN requests USING (request_key)
                     WHERE attempts.operation_id = operations.operation_id AND outcome IS NOT 'not-sent') > 1)
             ORDER BY queued_at DESC LIMIT 500`,
            ...key(company),
            object,
            since,
          )
          .map((row) => operationOf(database, row)),
      ),
    savesMark: () =>
      database.read(() => {
        const { epoch, saved } = savesOf(database)
        return `${epoch}:${String(saved)}`
      }),
    savedSince: (company, object, mark) =>
      database.read(() => {
        const { epoch, saved, trimmed } = savesOf(database)
        const [markEpoch, markSaved] = mark.split(':')
        const before = Number(markSaved)
        if (markEpoch !== epoch || before < trimmed || before > saved) return null
        return database
          .all(
            `SELECT * FROM operations
             WHERE connection_id = ? AND endpoint_id = ? AND object = ? COLLATE NOCASE
               AND state = 'acked' AND previous_service = '' AND saved_order > ?
             ORDER BY saved_order`,
            ...key(company),
            object,
            before,
          )
          .map((row) => operationOf(database, row))
      }),
    ofSent: (company, object, drafts, states = OPERATION_STATES) =>
      database.read(() =>
        database
          .all(
            `SELECT * FROM operations
             WHERE connection_id = ? AND endpoint_id = ? AND object = ?
               AND record_id IN (SELECT value FROM json_each(?))
               AND draft_id IN (SELECT value FROM json_each(?))
               AND state IN (SELECT value FROM json_each(?))
             ORDER BY rowid`,
            ...key(company),
            object,
            toJson(drafts.map(({ recordId }) => recordId)),
            toJson(drafts.map(({ draftId }) => draftId)),
            toJson(states),
          )
          .map((row) => operationOf(database, row)),
      ),
    companiesWithUnknownOutcome: () =>
      database.read(() =>
        database
          .all(
            `SELECT DISTINCT connection_id, endpoint_id FROM operations
             WHERE (state = 'unknown' AND is_closed = 0 OR recheck_at IS NOT NULL) AND previous_service = ''`,
          )
          .map((row) => ({
            connectionId: text(row, 'connection_id'),
            endpointId: text(row, 'endpoint_id'),
          })),
      ),
    unfinishedCounts: (connectionId) => database.read(() => unfinishedCounts(database, connectionId)),
  }
}

/**
 * What a list contained before inserts were sent to it. None of its records is one of those inserts. Any other record
 * may be.
 */

/** Deletes baselines that no unfinished operation needs. */
export const UNUSED_BASELINES = `DELETE FROM baselines WHERE baseline_id NOT IN
  (SELECT baseline_id FROM batches JOIN operations USING (batch_id)
   WHERE operations.is_closed = 0 OR operations.recheck_at IS NOT NULL)`

/** Saves a baseline for a batch that is about to be queued. */
function putBaseline(
  database: Database,
  { connectionId, endpointId }: CompanyRef,
  object: string,
  { baselineId, records }: Baseline,
): void {
  database.run(UNUSED_BASELINES)
  database.run(
    `INSERT OR IGNORE INTO baselines (baseline_id, connection_id, endpoint_id, object, records)
     VALUES (?, ?, ?, ?, ?)`,
    baselineId,
    connectionId,
    endpointId,
    object,
    toJson([...records]),
  )
}

/** Reads baselines by batch. Keeps the last one in memory, because it is needed after each response. */
function createBaselineReader(database: Database): (batchId: string) => Baseline['records'] | null {
  let last: Baseline | null = null
  return (batchId) => {
    const row = database.one('SELECT baseline_id FROM batches WHERE batch_id = ?', batchId)
    const baselineId = row === null ? '' : text(row, 'baseline_id')
    if (baselineId === '') return null
    if (last?.baselineId === baselineId) return last.records
    const kept = database.one('SELECT records FROM baselines WHERE baseline_id = ?', baselineId)
    if (kept === null) return null
    const records = json(kept, 'records') as readonly (readonly [string, string])[]
    last = { baselineId, records: new Map(records) }
    return last.records
  }
}
