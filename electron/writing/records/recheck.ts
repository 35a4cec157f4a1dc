/** Rechecks operations with an unknown outcome: reads their records back, and journals what it finds. */
import { isDeepStrictEqual } from 'node:util'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { isDeactivation, type RecordData } from '../../../shared/records/changes.ts'
import { type AppError, appError, ok, type Result } from '../../../shared/result.ts'
import { resultOf } from '../../store/database.ts'
import type { JournalOperation, OperationFacts, OperationMove } from '../../store/journal/journal.ts'
import type { CurrentRecords, ListSlot, WritingContext } from '../context.ts'
import {
  areChangesProven,
  hasUnexpectedChanges,
  learnFrom,
  reconcileFirstChange,
  stopChanges,
} from './confirm.ts'
import { compareExternalId, idOf, isNamedAs, isOnlyAnId } from './recognition.ts'
import {
  belongsToAnotherRecord,
  isRecheckedInFuture,
  isSecondRecheck,
  type OtherwiseReason,
  reconcileChange,
  reconcileInserts,
  reconcileKnownInsert,
  type Reconciliation,
} from './reconcile.ts'
import {
  anotherRecordError,
  createFactsUpdate,
  createMove,
  uncertaintyAfterRecheck,
  warningAfterRecheck,
} from './states.ts'

/** How many external IDs of earlier inserts are searched for as well, to learn whether lists show them at all. */
const CONTROL_IDS = 20

/**
 * Rechecks operations of one list that are unknown or held.
 * @returns the records read by `ID`, with their current values. Returns an error if a read or the disk failed; findings
 * up to then are on disk.
 */
export async function recheckInSlot(
  slot: ListSlot,
  operations: readonly JournalOperation[],
): Promise<Result<CurrentRecords>> {
  const { context, wire, company, object } = slot
  const changes = operations.filter(({ kind }) => kind === 'change')
  const inserts = operations.filter(({ kind }) => kind === 'insert')
  const moves: OperationMove[] = []
  let read: CurrentRecords = { records: new Map(), texts: new Map() }
  if (changes.length > 0) {
    const ids = [...new Set(changes.map(({ recordId }) => recordId))]
    const found = await context.reader.byIds(wire, company, object, ids)
    if (!found.ok) return found
    read = found.value
    const isProven = areChangesProven(context, company, object)
    let isStopped = false
    for (const operation of changes) {
      const record = found.value.records.get(operation.recordId) ?? null
      const isComplete = found.value.partialReason === ''
      const reconciliation = reconcileById(operation, record, isComplete)
      const move = moveAfterRecheck(
        context,
        operation,
        isProven ? reconciliation : reconcileFirstChange(operation, reconciliation, record),
      )
      isStopped ||= !isProven && hasUnexpectedChanges(operation, move)
      moves.push(move)
    }
    // Saved before the moves. After a crash between the two, the recheck is repeated.
    if (isStopped) stopChanges(context, company, object)
    write(slot, moves.splice(0))
  }
  const byId = await reconcileByReturnedIds(slot, inserts)
  for (const operation of inserts) {
    const reconciliation = byId.get(operation.operationId)
    if (reconciliation !== undefined) moves.push(moveAfterRecheck(context, operation, reconciliation))
  }
  // Saved before the list is read, so that no other insert can be matched with one of these records.
  write(slot, moves.splice(0))
  const reconciliations = new Map(byId)
  const others = inserts.filter(({ operationId }) => !byId.has(operationId))
  if (others.length > 0 && !wire.isStopped()) {
    const reconciled = await reconcileByList(slot, others)
    if (!reconciled.ok) return reconciled
    for (const operation of others) {
      const reconciliation = reconciled.value.get(operation.operationId) ?? { verdict: 'open' as const }
      reconciliations.set(operation.operationId, reconciliation)
      moves.push(moveAfterRecheck(context, operation, reconciliation))
    }
    write(slot, moves)
  }
  learnFromInserts(slot, inserts, reconciliations)
  return ok(read)
}

/** Learns about the service from the inserts that were found. The first one shows how inserts come back. */
function learnFromInserts(
  { context, wire, company, object }: ListSlot,
  inserts: readonly JournalOperation[],
  reconciliations: ReadonlyMap<string, Reconciliation>,
): void {
  const { writePolicies, operations, serviceAddresses } = context.store.journal
  const found = inserts.flatMap((operation) => {
    const reconciliation = reconciliations.get(operation.operationId)
    return reconciliation?.verdict === 'done' ? [{ operation, stored: reconciliation.record }] : []
  })
  // A response named a record, but neither its ID nor two reads of the list found it.
  const isReturnedIdUnfounded = inserts.some((operation) => {
    const reconciliation = reconciliations.get(operation.operationId)
    if (!isSecondRecheck(operation, context.clock.now(), context.recheckPause(operation))) return false
    if (reconciliation?.verdict === 'undone') return operation.recordId !== ''
    if (reconciliation?.verdict !== 'possible') return false
    return operation.recordId !== '' || reconciliation.candidates.some(isOnlyAnId)
  })
  if (found.length === 0 && !isReturnedIdUnfounded) return
  const isHere = serviceAddresses.isAt(company.connectionId, wire.target.address)
  if (!isHere) return
  const application = context.directory.facts(company)?.application ?? ''
  const key = { connectionId: company.connectionId, application, object, kind: 'insert' } as const
  const known = writePolicies.get(key)
  const sentAt = operations.firstSentAt(found.map(({ operation }) => operation.operationId))
  const foundAt = context.clock.now()
  let { learned } = known
  for (const { operation, stored } of found) {
    const sent = Date.parse(sentAt.get(operation.operationId) ?? context.timestamp())
    learned = learnFrom(learned, {
      operation,
      returned: null,
      stored,
      sentAt: sent,
      foundAt,
      isFoundAtOnce: false,
    })
  }
  if (isReturnedIdUnfounded) learned = { ...learned, returnsStoredValues: false }
  const next = { ...known, isProven: known.isProven || found.length > 0, learned }
  if (!isDeepStrictEqual(next, known)) writePolicies.set(key, next)
}

function write({ context, company, object }: ListSlot, moves: readonly OperationMove[]): void {
  if (moves.length === 0) return
  context.store.journal.operations.move(moves, null)
  context.changed(
    company,
    object,
    moves.map(({ operationId }) => operationId),
    null,
  )
}

/**
 * Reconciles a change with its record.
 * @param isComplete whether the response would show the record if it existed
 */
function reconcileById(
  operation: JournalOperation,
  record: RecordData | null,
  isComplete: boolean,
): Reconciliation {
  return record === null && !isComplete ? { verdict: 'open' } : reconcileChange(operation, record)
}

/** Reconciles inserts by the IDs that responses named. An ID of no record, or of another record, decides nothing. */
async function reconcileByReturnedIds(
  { context, wire, company, object }: ListSlot,
  inserts: readonly JournalOperation[],
): Promise<ReadonlyMap<string, Reconciliation>> {
  const reconciled = new Map<string, Reconciliation>()
  const named = inserts.filter(({ recordId }) => recordId !== '')
  const ids = [...new Set(named.map(({ recordId }) => recordId))]
  if (ids.length === 0) return reconciled
  const except = named.map(({ operationId }) => operationId)
  const known = context.store.journal.writePolicies.knownRecords(company, object, except)
  const baselines = baselinesOf(context, named)
  const found = await context.reader.byIds(wire, company, object, ids)
  // A temporary ID may fail the whole request. Then the list decides.
  const records = found.ok ? found.value.records : new Map<string, RecordData>()
  for (const operation of named) {
    const record = records.get(operation.recordId)
    if (record === undefined) continue
    const before = { known, baseline: baselines.get(operation.batchId) ?? null }
    if (belongsToAnotherRecord(operation, record, before, inserts)) continue
    const reconciliation = reconcileKnownInsert(operation, record)
    if (reconciliation.verdict === 'done') reconciled.set(operation.operationId, reconciliation)
  }
  return reconciled
}

async function reconcileByList(
  { context, wire, company, object }: ListSlot,
  operations: readonly JournalOperation[],
): Promise<Result<ReadonlyMap<string, Reconciliation>>> {
  const { writePolicies } = context.store.journal
  const application = context.directory.facts(company)?.application ?? ''
  const controls = writePolicies.recentExternalIds(company, object, CONTROL_IDS)
  const ours = operations.map(({ externalId }) => externalId).filter((externalId) => externalId !== '')
  const externalIds = [...new Set([...ours, ...controls])]
  const names = [...new Set(operations.map(({ fullName }) => fullName).filter((name) => name !== ''))]
  const operationIds = operations.map(({ operationId }) => operationId)
  const returnedIds = context.store.journal.operations.returnedIds(operationIds)
  const ids = [
    ...new Set([
      ...operations.flatMap(({ recordId, candidates }) => [recordId, ...candidates.map(idOf)]),
      ...[...returnedIds.values()].flat(),
    ]),
  ]
  const baselines = baselinesOf(context, operations)
  const saved = lastSaved(context, company, object)
  const found = await context.reader.inWholeList(wire, company, object, {
    externalIds: [
      ...externalIds,
      ...saved.map(({ externalId }) => externalId).filter((externalId) => externalId !== ''),
    ],
    names: [...names, ...saved.map(({ fullName }) => fullName).filter((name) => name !== '')],
    ids: [...ids, ...saved.map(({ recordId }) => recordId)].filter((id) => id !== ''),
    values: valuesSent(operations.filter(({ batchId }) => !baselines.has(batchId))),
    baselines,
  })
  if (!found.ok) return found
  // If the address has changed in the meantime, the previous service answered. That says nothing about this one.
  const isHere = context.store.journal.serviceAddresses.isAt(company.connectionId, wire.target.address)
  const isShown = found.value.candidates.some((record) =>
    externalIds.some((externalId) => compareExternalId(externalId, record) === 'ours'),
  )
  if (isShown && isHere) {
    writePolicies.trustExternalId(company.connectionId, application, object, context.timestamp())
  }
  const areExternalIdsTrusted = writePolicies.isExternalIdTrusted(company.connectionId, application, object)
  const known = writePolicies.knownRecords(company, object, operationIds)
  const sentAt = context.store.journal.operations.firstSentAt(operationIds)
  const learned = writePolicies.get({
    connectionId: company.connectionId,
    application,
    object,
    kind: 'insert',
  })
  // An empty list is not the whole list if records are known.
  const isEmptied = found.value.count === 0 && known.size > 0
  return ok(
    reconcileInserts(operations, {
      isWhole: found.value.isWhole && !isEmptied && !isBehind(saved, found.value.candidates),
      candidates: found.value.candidates,
      areExternalIdsTrusted,
      newRecords: found.value.newRecords,
      known,
      sentAt,
      returnedIds,
      keepsExternalIds: learned.learned.keepsExternalIds,
      clockAhead: learned.learned.clockAhead,
    }),
  )
}

/** How many of the most recently saved inserts must be in the list. */
const MAX_SAVED = 20
/** Milliseconds for which they must be. Later, someone may have deleted or merged one. */
const STAYS_LISTED = 60 * 60_000
/** Milliseconds. No batch takes longer to send. */
const LONGEST_BATCH = 24 * 60 * 60_000

/** The inserts into a list that were saved most recently. */
function lastSaved(
  context: WritingContext,
  company: CompanyRef,
  object: string,
): readonly JournalOperation[] {
  const now = context.clock.now()
  const since = new Date(now - LONGEST_BATCH).toISOString()
  return (
    context.store.journal.operations
      .possibleDuplicates(company, object, since)
      .filter(
        ({ recordId, settledAt }) => recordId !== '' && now - Date.parse(settledAt ?? '') < STAYS_LISTED,
      )
      // Some lists omit inactive records.
      .filter(({ edits }) => !edits.some(isDeactivation))
      .toSorted((left, right) => Date.parse(right.settledAt ?? '') - Date.parse(left.settledAt ?? ''))
      .slice(0, MAX_SAVED)
  )
}

/**
 * Whether a list lacks a recently saved record. A cache or a replica may lag behind the books. A record that such a
 * list lacks may exist anyway.
 */
function isBehind(saved: readonly JournalOperation[], records: readonly RecordData[]): boolean {
  return saved.some(
    ({ recordId, externalId, fullName, edits }) =>
      !records.some(
        (record) =>
          idOf(record) === recordId ||
          compareExternalId(externalId, record) === 'ours' ||
          isNamedAs(fullName, edits, record),
      ),
  )
}

/** How many characters a value needs before sharing it is evidence. */
const SHORTEST_VALUE = 5

/** The texts that were sent, except names. */
function valuesSent(operations: readonly JournalOperation[]): readonly string[] {
  const texts = operations.flatMap(({ edits }) =>
    edits.flatMap(({ path, now }) => (path === 'Name' || typeof now !== 'string' ? [] : [now])),
  )
  return [...new Set(texts)].filter((text) => text.length >= SHORTEST_VALUE)
}

/** What the list of each batch held before sending, for batches whose list was read completely. */
export function baselinesOf(
  context: WritingContext,
  operations: readonly JournalOperation[],
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const baselines = new Map<string, ReadonlyMap<string, string>>()
  for (const batchId of new Set(operations.map((operation) => operation.batchId))) {
    const baseline = context.store.journal.operations.baselineOf(batchId)
    if (baseline !== null) baselines.set(batchId, baseline)
  }
  return baselines
}

/** The facts to record about an operation that was rechecked. */
function moveAfterRecheck(
  context: Pick<WritingContext, 'clock' | 'recheckPause' | 'timestamp'>,
  operation: JournalOperation,
  reconciliation: Reconciliation,
): OperationMove {
  const now = context.clock.now()
  const rechecked: OperationFacts = {
    rechecks: operation.rechecks + 1,
    firstRecheckedAt: isRecheckedInFuture(operation, now)
      ? context.timestamp()
      : (operation.firstRecheckedAt ?? context.timestamp()),
    lastRecheckedAt: context.timestamp(),
  }
  const basics: OperationFacts = {
    ...rechecked,
    candidates: [],
    error: uncertaintyAfterRecheck(operation.error, null),
  }
  const isSecond = isSecondRecheck(operation, now, context.recheckPause(operation))
  switch (reconciliation.verdict) {
    case 'open':
      // It may exist by now, so it isn't sent again.
      return createFactsUpdate(operation, {
        // A held operation keeps the time of its last conclusive recheck.
        ...(operation.state === 'held' ? {} : rechecked),
        sendAgain: false,
        error: uncertaintyAfterRecheck(operation.error, CANNOT_TELL),
      })
    case 'done': {
      const warning = warningAfterRecheck(operation.error)
      const facts: OperationFacts = {
        ...rechecked,
        sendAgain: false,
        recordId: idOf(reconciliation.record),
        confirmedByReading: true,
        isKnownByName: reconciliation.isKnownByName,
        candidates: [],
        after: reconciliation.record,
        notAsSent: reconciliation.notAsSent,
        error: warning,
        settledAt: context.timestamp(),
      }
      return createMove(
        operation,
        'found-as-sent',
        facts,
        reconciliation.notAsSent.length === 0 && warning === null,
      )
    }
    case 'undone':
      if (operation.state === 'held') return createFactsUpdate(operation, basics)
      // The service or its agent may still be working on it.
      if (!isSecond) return createFactsUpdate(operation, basics)
      return createMove(operation, 'found-undone', { ...basics, settledAt: context.timestamp() })
    case 'possible': {
      const { candidates } = reconciliation
      const facts: OperationFacts = { ...basics, candidates }
      if (operation.state === 'held') {
        // It is sent again only if the user has seen every possible match, or that there is one that can't be read.
        const hasNewCandidate = candidates.some(
          (record) => !isOnlyAnId(record) || !isAmong(operation.candidates, record),
        )
        return createFactsUpdate(operation, hasNewCandidate ? { ...facts, sendAgain: false } : facts)
      }
      if (!isSecond) return createFactsUpdate(operation, basics)
      return createMove(operation, 'found-possible', { ...facts, settledAt: context.timestamp() })
    }
    case 'otherwise': {
      const facts: OperationFacts = {
        ...rechecked,
        sendAgain: false,
        conflicts: reconciliation.differences,
        candidates: [],
        theirs: reconciliation.reason === 'other-values' ? reconciliation.record : null,
        error: otherwiseError(operation, reconciliation),
      }
      // A change that is about to be sent again is checked next, which turns it into a conflict.
      if (operation.state === 'held' && operation.kind === 'change' && operation.sendAgain) {
        return createFactsUpdate(operation, rechecked)
      }
      // It may still appear, even next to a record with the same name.
      const canStillArrive =
        ['gone', 'was-there'].includes(reconciliation.reason) ||
        (operation.kind === 'change' && reconciliation.reason === 'other-values')
      if (operation.state === 'unknown' && canStillArrive && !isSecond)
        return createFactsUpdate(operation, basics)
      return createMove(operation, 'found-otherwise', { ...facts, settledAt: context.timestamp() })
    }
  }
}

function isAmong(records: readonly RecordData[], record: RecordData): boolean {
  return records.some((each) => idOf(each) === idOf(record))
}

const CANNOT_TELL: AppError = appError(
  'service-error',
  'Bookbridge checked, but couldn’t tell.',
  'Check again later, or look in the accounting application.',
)

function otherwiseError(
  { recordName }: JournalOperation,
  { reason, record }: Reconciliation & { readonly verdict: 'otherwise' },
): AppError {
  return reason === 'another-record' ? anotherRecordError(recordName, record ?? {}, true) : OTHERWISE[reason]
}

export const OTHER_VALUES: AppError = appError(
  'service-error',
  'The books have different values than you sent.',
  'Choose which values to keep.',
)

const OTHERWISE: Readonly<Record<Exclude<OtherwiseReason, 'another-record'>, AppError>> = {
  'other-values': OTHER_VALUES,
  twice: appError(
    'service-error',
    'The record is in the books more than once.',
    'Check in the accounting application which one is right, then discard this one here.',
  ),
  gone: appError(
    'service-error',
    'The record is no longer there.',
    'It may have been deleted in the accounting application.',
  ),
  'was-there': appError(
    'service-error',
    'A record with this name was already there before you sent yours, and there’s only one.',
    'Check in the accounting application whether yours was added too. Then discard this here.',
  ),
}

/**
 * Adds the reason for a failed recheck to operations with an unknown outcome. Returns false if the disk can't be
 * written.
 */
export function recordUncertainty(
  { context, company }: Pick<ListSlot, 'context' | 'company'>,
  operations: readonly JournalOperation[],
  error: AppError,
): boolean {
  const { operations: journal } = context.store.journal
  return resultOf(() => {
    const current = journal.byIds(operations.map(({ operationId }) => operationId))
    const open = current.filter(
      ({ state, sendAgain }) => state === 'unknown' || (state === 'held' && sendAgain),
    )
    const [first] = open
    if (first === undefined) return
    const moves = open.map((operation) =>
      createFactsUpdate(operation, {
        error: uncertaintyAfterRecheck(operation.error, error),
        sendAgain: false,
      }),
    )
    journal.move(moves, null)
    const ids = moves.map(({ operationId }) => operationId)
    context.changed(company, first.object, ids, null)
  }).ok
}
