/** Sends one array of operations in a held slot: check, journal, request, journal. */
import { isDeepStrictEqual } from 'node:util'
import { nameKey } from '../../../shared/records/names.ts'
import { type AppError, appError, ok, type Result } from '../../../shared/result.ts'
import type { Wire, WriteResult } from '../../service/protocol/wire.ts'
import { UNKNOWN_COMPANY } from '../../store/companies.ts'
import { resultOf, resultOfAsync } from '../../store/database.ts'
import type {
  JournalOperation,
  NewRequest,
  WritePolicy,
  WritePolicyKey,
} from '../../store/journal/journal.ts'
import type { BatchSlot, CurrentRecords } from '../context.ts'
import { companyRefusal } from '../context.ts'
import { confirmByReading, needsReadingBack } from './confirm.ts'
import { recordBody, requestBody } from './payload.ts'
import { checkFirst } from './precheck.ts'
import { recheckInSlot, recordUncertainty } from './recheck.ts'
import { fullNameOfInsert, namesOf, newParentOf } from './recognition.ts'
import { type CompletedWrite, journalResponse } from './response.ts'
import {
  applyMove,
  createFactsUpdate,
  createMove,
  createSendMoves,
  recheckTime,
  SENT_AGAIN,
} from './states.ts'

/**
 * How sending an array ended: the batch continues, or pauses or stops with a reason. `busy`: the service asked to wait
 * before anything was sent, so it may be tried again.
 */
export type SendEnd =
  | { readonly end: 'continue' }
  | { readonly end: 'busy'; readonly error: AppError }
  | { readonly end: 'pause'; readonly error: AppError }
  | { readonly end: 'stop'; readonly error: AppError | null }

const CONTINUE: SendEnd = { end: 'continue' }

/** Pauses the batch if the disk fails during sending. */
export async function pauseOnDiskFailure(send: () => Promise<SendEnd>): Promise<SendEnd> {
  const sent = await resultOfAsync(async () => ok(await send()))
  return sent.ok ? sent.value : { end: 'pause', error: sent.error }
}

const NOTHING_READ: CurrentRecords = { records: new Map(), texts: new Map() }

/**
 * Sends one array.
 * @param operations queued operations, or held inserts that were rechecked in this same slot; of one kind, in order,
 * without a repeated name
 * @param justRead records that were read in this same slot and needn't be read again
 */
export async function sendInSlot(
  slot: BatchSlot,
  operations: readonly JournalOperation[],
  justRead: CurrentRecords = NOTHING_READ,
): Promise<SendEnd> {
  const { context, wire, batch } = slot
  const facts = context.directory.facts(batch.company)
  const refusal = companyRefusal(facts)
  if (refusal !== null || facts === null) return { end: 'pause', error: refusal ?? UNKNOWN_COMPANY }
  const [first] = operations
  if (first === undefined) return CONTINUE

  const key: WritePolicyKey = {
    connectionId: batch.company.connectionId,
    application: facts.application,
    object: batch.object,
    kind: first.kind,
  }
  const policy = context.store.journal.writePolicies.get(key)
  if (policy.isStopped) return { end: 'stop', error: STOPPED_BEFORE }

  if (first.kind === 'insert') {
    const known = await readBaseline(slot)
    if (!known.ok) return unchecked(known.error)
  }
  // Changes are read again first, so that request is the next one.
  if (first.kind === 'change') slot.postponed?.writeSoon()
  const checked = await checkFirst(slot, facts.application, operations, justRead)
  if (!checked.ok) return unchecked(checked.error)
  const { current } = checked.value
  const orphans = orphansOf(slot, checked.value.ready)
  const { ready, bodies, refused } = bodiesOf(checked.value.ready, current, orphans)
  if (refused.length > 0) {
    const settledAt = context.timestamp()
    const moves = refused.map(({ operation, error }) =>
      operation.state === 'held'
        ? createFactsUpdate(operation, { error, sendAgain: false })
        : createMove(operation, 'unsendable', { error, settledAt }),
    )
    context.store.journal.operations.move(moves, null)
    context.changed(
      batch.company,
      batch.object,
      moves.map(({ operationId }) => operationId),
      batch.batchId,
    )
  }
  if (ready.length === 0) return CONTINUE
  if (wire.isStopped()) return { end: 'stop', error: null }

  const request: NewRequest = {
    requestKey: context.newId(),
    batchId: batch.batchId,
    kind: first.kind,
    connectionId: batch.company.connectionId,
    endpointId: batch.company.endpointId,
    object: batch.object,
    body: requestBody(bodies),
    sentAt: context.timestamp(),
  }
  // A first change keeps the record as it was, so that reading it back shows side effects.
  const isWatched = first.kind === 'change' && !policy.isProven
  const sendMoves = ready.map((operation) =>
    createSendMoves(
      operation,
      isWatched ? (current.records.get(operation.recordId) ?? null) : null,
      recheckTime(context.clock),
    ),
  )
  // Throws if the journal can't be written. Then nothing is sent.
  context.store.journal.operations.begin(
    request,
    sendMoves.map(({ send }) => send),
    sendMoves.flatMap(({ again }) => again ?? []),
  )
  const sending = ready.map((operation, index) =>
    [sendMoves[index]?.again, sendMoves[index]?.send].reduce<JournalOperation>(
      (before, move) => (move ? applyMove(before, move) : before),
      operation,
    ),
  )
  context.setPhase(batch.batchId, 'sending')
  wire.progress('')
  context.changed(batch.company, batch.object, idsOf(sending), batch.batchId)

  slot.postponed?.writeSoon()
  const result = await makeRequest(wire, request)
  // Before the response is interpreted, which depends on what is known to be saved.
  slot.postponed?.write()
  return processResponse(slot, key, { request, sending, result })
}

function unchecked(error: AppError): SendEnd {
  return { end: error.kind === 'busy' ? 'busy' : 'pause', error }
}

/**
 * Reads the complete list before its first insert is sent, unless that was done before. A record in this list can't be
 * the insert. If the list can't be read completely, the insert is sent anyway, and an unknown outcome is left to the
 * user.
 */
async function readBaseline({ context, wire, batch }: BatchSlot): Promise<Result<void>> {
  const { operations } = context.store.journal
  if (!operations.needsBaseline(batch.batchId)) return ok(undefined)
  context.setPhase(batch.batchId, 'checking')
  const records = await context.reader.fingerprintsOfWholeList(wire, batch.company, batch.object)
  if (!records.ok) return records
  if (records.value !== null) operations.putBaseline(batch, records.value)
  return ok(undefined)
}

function idsOf(operations: readonly JournalOperation[]): readonly string[] {
  return operations.map(({ operationId }) => operationId)
}

interface Bodies {
  readonly ready: readonly JournalOperation[]
  /** The JSON text of each record. */
  readonly bodies: readonly string[]
  /** Operations that can't be sent, as only their current records show. */
  readonly refused: readonly { readonly operation: JournalOperation; readonly error: AppError }[]
}

/** Bodies of inserts that were written before. They depend on nothing else. */
const insertBodies = new WeakMap<JournalOperation, Result<string>>()

export function prepareInserts(inserts: readonly JournalOperation[]): void {
  for (const insert of inserts) insertBodies.set(insert, bodyOf(insert, NOTHING_READ))
}

function bodyOf(
  { object, kind, recordId, edits, externalId }: JournalOperation,
  { records, texts }: CurrentRecords,
): Result<string> {
  const current = records.get(recordId) ?? {}
  const currentText = texts.get(recordId)
  return recordBody({ object, kind, recordId, edits, externalId, current, currentText })
}

function bodiesOf(
  operations: readonly JournalOperation[],
  read: CurrentRecords,
  orphans: ReadonlyMap<JournalOperation, AppError>,
): Bodies {
  const ready: JournalOperation[] = []
  const bodies: string[] = []
  const refused: { operation: JournalOperation; error: AppError }[] = []
  for (const operation of operations) {
    const orphan = orphans.get(operation)
    if (orphan !== undefined) {
      refused.push({ operation, error: orphan })
      continue
    }
    const body = insertBodies.get(operation) ?? bodyOf(operation, read)
    if (body.ok) {
      ready.push(operation)
      bodies.push(body.value)
    } else {
      refused.push({ operation, error: { ...body.error, advice: notSentAdvice(body.error) } })
    }
  }
  return { ready, bodies, refused }
}

/**
 * Inserts whose new parent isn't in the books and awaits the user's decision. The service would refuse them, or add
 * them without their parent.
 */
function orphansOf(
  { context, batch }: BatchSlot,
  operations: readonly JournalOperation[],
): ReadonlyMap<JournalOperation, AppError> {
  const orphans = new Map<JournalOperation, AppError>()
  const children = operations.filter(({ kind, edits }) => kind === 'insert' && newParentOf(edits) !== '')
  if (children.length === 0) return orphans
  const held = context.store.journal.operations.open(batch.company, ['held'])
  const leaving = new Set(operations.map(({ operationId }) => operationId))
  const missing = new Set(
    held
      .filter((each) => each.kind === 'insert' && each.object === batch.object)
      .filter(({ operationId }) => !leaving.has(operationId))
      .map(({ edits }) => nameKey(fullNameOfInsert(edits))),
  )
  for (const operation of children) {
    const parent = newParentOf(operation.edits)
    if (missing.has(nameKey(parent)))
      orphans.set(
        operation,
        appError(
          'invalid-input',
          `Its parent “${parent}” hasn’t been saved yet.`,
          'Resolve the parent first, then send this record again.',
        ),
      )
  }
  return orphans
}

/** A refusal's own advice is more helpful than this general one. */
function notSentAdvice({ advice }: AppError): string {
  return `Nothing of this record was sent. ${advice === '' ? 'Correct it, then send again.' : advice}`
}

function makeRequest(wire: Wire, request: NewRequest): Promise<WriteResult> {
  return request.kind === 'insert'
    ? wire.insertRecords(request.endpointId, request.object, request.body)
    : wire.changeRecords(request.endpointId, request.object, request.body)
}

type Sent = Pick<CompletedWrite, 'request' | 'sending' | 'result'>

/** Journals the response, reads back what it omits, and decides how to continue. */
async function processResponse(slot: BatchSlot, key: WritePolicyKey, sent: Sent): Promise<SendEnd> {
  const { context, wire, batch } = slot
  const { writePolicies } = context.store.journal
  const policy = writePolicies.get(key)
  // If responses to changes don't match what is stored, responses to inserts aren't trusted either, and vice versa.
  const otherKind = writePolicies.get({ ...key, kind: key.kind === 'insert' ? 'change' : 'insert' })
  const otherKindEchoes = otherKind.learned.returnsStoredValues === false

  const readBackSaved = otherKindEchoes || needsReadingBack(policy, sent.sending)
  const { application } = key
  const journaled = journalResponse(context, { ...sent, application, readBackSaved }, slot)
  if (sent.result.outcome === 'refused-key') return { end: 'pause', error: sent.result.error }
  if (sent.result.outcome === 'not-sent') {
    const { error } = sent.result
    return error.kind === 'stopped' ? { end: 'stop', error: null } : { end: 'pause', error }
  }

  const { toConfirm, returned, accountsForAll } = journaled
  let isAccounted = accountsForAll
  let isProven = policy.isProven
  let unexpected = false
  let { learned } = policy
  if (toConfirm.length > 0) {
    context.setPhase(batch.batchId, 'confirming')
    wire.progress('Confirming')
    const known = { returned, sentAt: sent.request.sentAt, learned }
    const confirmed = await resultOfAsync(() => confirmByReading(slot, toConfirm, known))
    if (!confirmed.ok) isAccounted = false
    else {
      isAccounted = accountsForAll && confirmed.value.areAllConclusive
      isProven = isProven || confirmed.value.isProven
      unexpected = confirmed.value.hasUnexpected
      ;({ learned } = confirmed.value)
    }
  }
  const known = { ...writePolicyAfter(policy, isAccounted), isProven, isStopped: unexpected, learned }
  // Usually nothing new was learned, and a commit costs as much time as a record.
  const isHere = context.store.journal.serviceAddresses.isAt(key.connectionId, wire.target.address)
  // If the address has changed in the meantime, the previous service answered. That says nothing about this one.
  if (isHere && !isDeepStrictEqual(known, policy)) writePolicies.set(key, known)
  return unexpected ? { end: 'stop', error: UNEXPECTED } : CONTINUE
}

/** The error of batches that wait behind it, also those of companies with the same connection and application. */
const STOPPED_BEFORE = appError(
  'unexpected-effect',
  'The first change to this list had an unexpected effect, so Bookbridge stopped sending.',
  'Compare both versions of that record first. Continue sends one more change alone and reads it back.',
)

const UNEXPECTED = appError(
  'unexpected-effect',
  'The first change had an unexpected effect, so Bookbridge stopped sending.',
  'The service changed more, or less, than it was asked to. Compare both versions of that record before you continue.',
)

/**
 * Sends again what the user chose **Send again** for, after one more recheck. Nothing that exists by now is sent.
 * @param together held operations of one kind
 * @param size the largest array
 */
export async function sendAgainInSlot(
  slot: BatchSlot,
  together: readonly JournalOperation[],
  size: number,
): Promise<SendEnd> {
  const { context, wire } = slot
  const { operations } = context.store.journal
  const rechecked = await resultOfAsync(() => recheckInSlot(slot, together))
  if (!rechecked.ok) {
    return recordUncertainty(slot, together, rechecked.error)
      ? { end: 'continue' }
      : { end: 'pause', error: rechecked.error }
  }
  const current = operations.byIds(together.map(({ operationId }) => operationId))
  const meant = current.filter((operation) => operation.state === 'held' && operation.sendAgain)
  const again = nextArray(meant, size)
  if (again.length === 0 || wire.isStopped()) return { end: 'continue' }
  if (again[0]?.kind === 'insert') {
    const end = await pauseOnDiskFailure(() => sendInSlot(slot, again))
    return end.end === 'pause' || end.end === 'busy' ? keepOnHold(slot, again, end) : end
  }
  const moves = again.map((operation) => createMove(operation, 'send-again', SENT_AGAIN))
  operations.move(moves, null)
  const queued = operations.byIds(again.map(({ operationId }) => operationId))
  return sendInSlot(slot, queued, rechecked.value)
}

/** Keeps unsent operations on hold, with the reason. The permission to send them again is used up. */
function keepOnHold(
  slot: BatchSlot,
  again: readonly JournalOperation[],
  end: SendEnd & { readonly end: 'pause' | 'busy' },
): SendEnd {
  resultOf(() => {
    const current = slot.context.store.journal.operations.byIds(again.map(({ operationId }) => operationId))
    const held = current.filter(({ state }) => state === 'held')
    recordUncertainty(slot, held, end.error)
  })
  return end
}

/*
 * Decides the size of an array (docs/decisions.md, "Rate limits, sizes, time-outs"). The first has one record, the
 * second ten, and later ones as many as the setting allows, as long as responses account for every item. After a
 * response that doesn't, the size drops to one.
 */

const SECOND_SIZE = 10

/**
 * Returns how many records the next array may have.
 * @param largest the setting, at least 1
 */
export function arraySize(policy: WritePolicy, largest: number): number {
  // The first insert and the first change are sent alone and read back, because what a service does is an Assumption.
  if (policy.stage === 0 || !policy.isProven) return 1
  return Math.max(1, policy.stage === 1 ? Math.min(SECOND_SIZE, largest) : largest)
}

/**
 * The write policy after a response.
 * @internal
 */
export function writePolicyAfter(policy: WritePolicy, accountsForAll: boolean): WritePolicy {
  return { ...policy, stage: accountsForAll ? Math.min(policy.stage + 1, 2) : 0 }
}

/**
 * The operations of the next array: the first queued one and those of the same kind that follow, in order, until the
 * array is full or a name would repeat.
 */
export function nextArray(queued: readonly JournalOperation[], size: number): readonly JournalOperation[] {
  const [first] = queued
  if (first === undefined) return []
  const taken: JournalOperation[] = []
  const names = new Set<string>()
  for (const operation of queued) {
    if (taken.length === size || operation.kind !== first.kind) break
    const own = namesOf(operation.edits, operation.before)
    if (own.some((name) => names.has(name))) break
    for (const name of own) names.add(name)
    taken.push(operation)
  }
  return taken
}
