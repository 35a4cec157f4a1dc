/** Reads back what is in doubt, within a turn that is held, and writes down what was found. */
import { isDeepStrictEqual } from 'node:util'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { RecordData } from '../../../shared/records/changes.ts'
import { type AppError, type Result, appError, ok } from '../../../shared/result.ts'
import type { Wire } from '../../service/protocol/wire.ts'
import { resultOf } from '../../store/database.ts'
import type { JournalOperation, OperationFacts, OperationMove } from '../../store/journal/journal.ts'
import type { FreshRecords, WritingContext } from '../context.ts'
import {
  learnFrom,
  areChangesProven,
  hasUnexpectedChanges,
  reconcileFirstChange,
  stopChanges,
} from './confirm.ts'
import { idOf, isOnlyAnId, compareExternalId } from './recognition.ts'
import {
  type OtherwiseBecause,
  type Reconciliation,
  isRecheckedInFuture,
  isSecondRecheck,
  belongsToAnotherRecord,
  reconcileChange,
  reconcileInserts,
  reconcileKnownInsert,
} from './reconcile.ts'
import { anotherRecord, uncertaintyAfterRecheck, warningAfterRecheck, createMove, stay } from './states.ts'

/** Marks of inserts long done, looked for beside: that one comes back tells whether lists show marks at all. */
const CONTROL_MARKS = 20

/**
 * One look at operations of one list that are unknown or held.
 * @returns the records that were read by their `ID`, as they are now; an error when it could not be read or written,
 * and what was found until then is on disk
 */
export async function recheckInSlot(
  context: WritingContext,
  wire: Wire,
  company: CompanyRef,
  object: string,
  operations: readonly JournalOperation[],
): Promise<Result<FreshRecords>> {
  const changes = operations.filter(({ kind }) => kind === 'change')
  const inserts = operations.filter(({ kind }) => kind === 'insert')
  const moves: OperationMove[] = []
  let read: FreshRecords = { records: new Map(), texts: new Map() }
  if (changes.length > 0) {
    const ids = [...new Set(changes.map(({ recordId }) => recordId))]
    const found = await context.reader.byIds(wire, company, object, ids)
    if (!found.ok) return found
    read = found.value
    const isProven = areChangesProven(context, company, object)
    let isStopped = false
    for (const operation of changes) {
      const record = found.value.records.get(operation.recordId) ?? null
      const isTold = found.value.partialBecause === ''
      const reconciliation = settleById(operation, record, isTold)
      const move = moveAfterLook(
        context,
        operation,
        isProven ? reconciliation : reconcileFirstChange(operation, reconciliation, record),
      )
      isStopped ||= !isProven && hasUnexpectedChanges(operation, move)
      moves.push(move)
    }
    // Before what was found: a program that ends between the two looks again.
    if (isStopped) stopChanges(context, company, object)
    write(context, company, object, moves.splice(0))
  }
  const byId = await settleByToldIds(context, wire, company, object, inserts)
  for (const operation of inserts) {
    const reconciliation = byId.get(operation.operationId)
    if (reconciliation !== undefined) moves.push(moveAfterLook(context, operation, reconciliation))
  }
  // On disk before the list is read, where no other insert may be taken for the same record.
  write(context, company, object, moves.splice(0))
  const settlements = new Map(byId)
  const others = inserts.filter(({ operationId }) => !byId.has(operationId))
  if (others.length > 0 && !wire.isStopped()) {
    const settled = await settleByList(context, wire, company, object, others)
    if (!settled.ok) return settled
    for (const operation of others) {
      const reconciliation = settled.value.get(operation.operationId) ?? { verdict: 'open' as const }
      settlements.set(operation.operationId, reconciliation)
      moves.push(moveAfterLook(context, operation, reconciliation))
    }
    write(context, company, object, moves)
  }
  learnFromInserts(context, wire, company, object, inserts, settlements)
  return ok(read)
}

/** Keeps what the inserts that were found teach about the service; the first one proves how inserts come back. */
function learnFromInserts(
  context: WritingContext,
  wire: Wire,
  company: CompanyRef,
  object: string,
  inserts: readonly JournalOperation[],
  settlements: ReadonlyMap<string, Reconciliation>,
): void {
  const { writePolicies, operations, serviceAddresses } = context.store.journal
  const found = inserts.flatMap((operation) => {
    const reconciliation = settlements.get(operation.operationId)
    return reconciliation?.verdict === 'done' ? [{ operation, stored: reconciliation.record }] : []
  })
  // An answer named a record, and neither its ID nor two readings of the list led to one.
  const isAnswerUnfounded = inserts.some((operation) => {
    const reconciliation = settlements.get(operation.operationId)
    if (!isSecondRecheck(operation, context.clock.now(), context.recheckPause(operation))) return false
    if (reconciliation?.verdict === 'undone') return operation.recordId !== ''
    if (reconciliation?.verdict !== 'possible') return false
    return operation.recordId !== '' || reconciliation.candidates.some(isOnlyAnId)
  })
  if (found.length === 0 && !isAnswerUnfounded) return
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
      told: null,
      stored,
      sentAt: sent,
      foundAt,
      isFoundAtOnce: false,
    })
  }
  if (isAnswerUnfounded) learned = { ...learned, answersAsStored: false }
  const next = { ...known, isProven: known.isProven || found.length > 0, learned }
  if (!isDeepStrictEqual(next, known)) writePolicies.set(key, next)
}

function write(
  context: WritingContext,
  company: CompanyRef,
  object: string,
  moves: readonly OperationMove[],
): void {
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
 * A change, by its record.
 * @param isTold the answer would have shown the record, were it there
 */
function settleById(operation: JournalOperation, record: RecordData | null, isTold: boolean): Reconciliation {
  return record === null && !isTold ? { verdict: 'open' } : reconcileChange(operation, record)
}

/** Inserts by the id that an answer told. One that leads to none, or to another's record, settles nothing. */
async function settleByToldIds(
  context: WritingContext,
  wire: Wire,
  company: CompanyRef,
  object: string,
  inserts: readonly JournalOperation[],
): Promise<ReadonlyMap<string, Reconciliation>> {
  const settled = new Map<string, Reconciliation>()
  const told = inserts.filter(({ recordId }) => recordId !== '')
  const ids = [...new Set(told.map(({ recordId }) => recordId))]
  if (ids.length === 0) return settled
  const except = told.map(({ operationId }) => operationId)
  const known = context.store.journal.writePolicies.knownRecords(company, object, except)
  const baselines = baselinesOf(context, told)
  const found = await context.reader.byIds(wire, company, object, ids)
  // An id that was for the moment only may fail the whole request: then the list tells.
  const records = found.ok ? found.value.records : new Map<string, RecordData>()
  for (const operation of told) {
    const record = records.get(operation.recordId)
    if (record === undefined) continue
    const before = { known, baseline: baselines.get(operation.batchId) ?? null }
    if (belongsToAnotherRecord(operation, record, before, inserts)) continue
    const reconciliation = reconcileKnownInsert(operation, record)
    if (reconciliation.verdict === 'done') settled.set(operation.operationId, reconciliation)
  }
  return settled
}

async function settleByList(
  context: WritingContext,
  wire: Wire,
  company: CompanyRef,
  object: string,
  operations: readonly JournalOperation[],
): Promise<Result<ReadonlyMap<string, Reconciliation>>> {
  const { writePolicies } = context.store.journal
  const application = context.directory.facts(company)?.application ?? ''
  const controls = writePolicies.recentMarks(company, object, CONTROL_MARKS)
  const ours = operations.map(({ mark }) => mark).filter((mark) => mark !== '')
  const marks = [...new Set([...ours, ...controls])]
  const names = [...new Set(operations.map(({ fullName }) => fullName).filter((name) => name !== ''))]
  const operationIds = operations.map(({ operationId }) => operationId)
  const told = context.store.journal.operations.toldIds(operationIds)
  const ids = [
    ...new Set([
      ...operations.flatMap(({ recordId, candidates }) => [recordId, ...candidates.map(idOf)]),
      ...[...told.values()].flat(),
    ]),
  ]
  const baselines = baselinesOf(context, operations)
  const found = await context.reader.inWholeList(wire, company, object, {
    marks,
    names,
    ids: ids.filter((id) => id !== ''),
    values: valuesSent(operations.filter(({ batchId }) => !baselines.has(batchId))),
    baselines,
  })
  if (!found.ok) return found
  // Asked of the service of before, when the address has been changed meanwhile: it teaches nothing about this one.
  const isHere = context.store.journal.serviceAddresses.isAt(company.connectionId, wire.target.address)
  const isShown = found.value.candidates.some((record) =>
    marks.some((mark) => compareExternalId(mark, record) === 'ours'),
  )
  if (isShown && isHere) {
    writePolicies.trustMark(company.connectionId, application, object, context.timestamp())
  }
  const areMarksTrusted = writePolicies.isMarkTrusted(company.connectionId, application, object)
  const known = writePolicies.knownRecords(company, object, operationIds)
  const sentAt = context.store.journal.operations.firstSentAt(operationIds)
  const learned = writePolicies.get({
    connectionId: company.connectionId,
    application,
    object,
    kind: 'insert',
  })
  // A list without any record, although records of it are known, is not the list.
  const isEmptied = found.value.count === 0 && known.size > 0
  return ok(
    reconcileInserts(operations, {
      isWhole: found.value.isWhole && !isEmptied,
      candidates: found.value.candidates,
      areMarksTrusted,
      newcomers: found.value.newcomers,
      known,
      sentAt,
      toldIds: told,
      keepsMarks: learned.learned.keepsMarks,
      clockAhead: learned.learned.clockAhead,
    }),
  )
}

/** Characters from which on a value that two records have tells something. */
const SHORTEST_VALUE = 5

/** Texts that were sent, other than names. */
function valuesSent(operations: readonly JournalOperation[]): readonly string[] {
  const texts = operations.flatMap(({ edits }) =>
    edits.flatMap(({ path, now }) => (path === 'Name' || typeof now !== 'string' ? [] : [now])),
  )
  return [...new Set(texts)].filter((text) => text.length >= SHORTEST_VALUE)
}

/** By batch, what its list held before it was sent, of the batches whose list was read whole. */
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

/** What is written down about an operation that was looked at. */
function moveAfterLook(
  context: Pick<WritingContext, 'clock' | 'recheckPause' | 'timestamp'>,
  operation: JournalOperation,
  reconciliation: Reconciliation,
): OperationMove {
  const now = context.clock.now()
  const looked: OperationFacts = {
    looks: operation.looks + 1,
    firstLookedAt: isRecheckedInFuture(operation, now)
      ? context.timestamp()
      : (operation.firstLookedAt ?? context.timestamp()),
    lastLookedAt: context.timestamp(),
  }
  const told: OperationFacts = {
    ...looked,
    candidates: [],
    error: uncertaintyAfterRecheck(operation.error, null),
  }
  const isSecond = isSecondRecheck(operation, now, context.recheckPause(operation))
  switch (reconciliation.verdict) {
    case 'open':
      // What could not be looked for is not sent again: it may be there by now.
      return stay(operation, {
        // Held, it was looked for when a look could tell last.
        ...(operation.state === 'held' ? {} : looked),
        sendAgain: false,
        error: uncertaintyAfterRecheck(operation.error, CANNOT_TELL),
      })
    case 'done': {
      const warning = warningAfterRecheck(operation.error)
      const facts: OperationFacts = {
        ...looked,
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
      if (operation.state === 'held') return stay(operation, told)
      // The service, or an agent behind it, may still be at work on it.
      if (!isSecond) return stay(operation, told)
      return createMove(operation, 'found-undone', { ...told, settledAt: context.timestamp() })
    case 'possible': {
      const { candidates } = reconciliation
      const facts: OperationFacts = { ...told, candidates }
      if (operation.state === 'held') {
        // Sent again only where the person has seen every record that may be it, or that it can't be read.
        const isNews = candidates.some(
          (record) => !isOnlyAnId(record) || !isAmong(operation.candidates, record),
        )
        return stay(operation, isNews ? { ...facts, sendAgain: false } : facts)
      }
      if (!isSecond) return stay(operation, told)
      return createMove(operation, 'found-possible', { ...facts, settledAt: context.timestamp() })
    }
    case 'otherwise': {
      const facts: OperationFacts = {
        ...looked,
        sendAgain: false,
        conflicts: reconciliation.differences,
        candidates: [],
        theirs: reconciliation.because === 'other-values' ? reconciliation.record : null,
        error: otherwiseError(operation, reconciliation),
      }
      // A change that is to be sent again meets the guard next, which makes a conflict of it.
      if (operation.state === 'held' && operation.kind === 'change' && operation.sendAgain) {
        return stay(operation, looked)
      }
      // What is not there yet, or not all of it, may be on its way, also beside a record of its name.
      const mayStillCome =
        ['gone', 'was-there'].includes(reconciliation.because) ||
        (operation.kind === 'change' && reconciliation.because === 'other-values')
      if (operation.state === 'unknown' && mayStillCome && !isSecond) return stay(operation, told)
      return createMove(operation, 'found-otherwise', { ...facts, settledAt: context.timestamp() })
    }
  }
}

function isAmong(records: readonly RecordData[], record: RecordData): boolean {
  return records.some((each) => idOf(each) === idOf(record))
}

const CANNOT_TELL: AppError = appError(
  'service-error',
  'It was looked for, but the answer did not tell.',
  'Check again later, or look in the accounting application.',
)

function otherwiseError(
  { recordName }: JournalOperation,
  { because, record }: Reconciliation & { readonly verdict: 'otherwise' },
): AppError {
  return because === 'another-record' ? anotherRecord(recordName, record ?? {}, true) : OTHERWISE[because]
}

export const OTHER_VALUES: AppError = appError(
  'service-error',
  'The record is in the books, with values other than those that were sent.',
  'Choose which values to keep.',
)

const OTHERWISE: Readonly<Record<Exclude<OtherwiseBecause, 'another-record'>, AppError>> = {
  'other-values': OTHER_VALUES,
  twice: appError(
    'service-error',
    'The record is there more than once.',
    'Look in the accounting application which one is right, and discard this here.',
  ),
  gone: appError(
    'service-error',
    'The record is no longer there.',
    'It may have been deleted in the accounting application.',
  ),
  'was-there': appError(
    'service-error',
    'The list already had a record with this name before this one was sent, and has no other.',
    'Check in the accounting application whether yours was added too. Then discard this here.',
  ),
}

// Looks that the person asked for, each answered when all that it names was looked at.

interface Asked {
  readonly operationIds: readonly string[]
  readonly answer: (result: Result<void>) => void
}

export interface RequestedRechecks {
  add(operationIds: readonly string[], answer: (result: Result<void>) => void): void
  /** What is still to be looked at. */
  operationIds(): ReadonlySet<string>
  /** These were looked at, with this result; all of them where none are named. */
  answer(result: Result<void>, operationIds?: ReadonlySet<string>): void
}

export function createRequestedRechecks(): RequestedRechecks {
  let asked: Asked[] = []
  return {
    add: (operationIds, answer) => {
      asked.push({ operationIds, answer })
    },
    operationIds: () => new Set(asked.flatMap(({ operationIds }) => operationIds)),
    answer(result, operationIds) {
      const [answered, left] = [[] as Asked[], [] as Asked[]]
      for (const each of asked) {
        const open = operationIds ? each.operationIds.filter((id) => !operationIds.has(id)) : []
        if (open.length === 0) answered.push(each)
        else left.push({ ...each, operationIds: open })
      }
      asked = left
      for (const each of answered) each.answer(result)
    },
  }
}

// Errors for records with an unknown outcome, and for the changes that wait behind them.

/** The error that says why queued changes wait, and what the person can do about it. */
export function unknownOutcomeError(unknown: readonly JournalOperation[]): AppError {
  const [first, ...more] = unknown
  const others = more.length === 0 ? '' : ` and ${more.length} more`
  return appError(
    'service-error',
    `Not sent yet: what became of ${first?.recordName ?? ''}${others} is still not known.`,
    'Check it now, or look in the accounting application. Go on sends these all the same.',
  )
}

/** Why something is still not confirmed stands beside why it is in doubt. Answers false when that could not be written. */
export function recordUncertainty(
  context: WritingContext,
  company: CompanyRef,
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
      stay(operation, { error: uncertaintyAfterRecheck(operation.error, error), sendAgain: false }),
    )
    journal.move(moves, null)
    const ids = moves.map(({ operationId }) => operationId)
    context.changed(company, first.object, ids, null)
  }).ok
}
