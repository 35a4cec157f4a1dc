/** Sending records and deciding about them: what the screens ask of the write protocol. */
import type { JsonType } from '../../../shared/records/changes.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Batch, Draft, Operation, OperationState } from '../../../shared/contract/records.ts'
import { appError, err, ok, type AppError, type Result } from '../../../shared/result.ts'
import type { Baseline, JournalBatch, JournalOperation, OperationEnd } from '../../store/journal/journal.ts'
import type { StoredDraft } from '../../store/store.ts'
import { letChangesGoOn } from './unexpected-changes.ts'
import type { CompanyQueue } from './queue.ts'
import { notFound, stay, type WritingContext } from '../context.ts'
import { sentElsewhere } from './uncertainty.ts'
import { companyRefusal, draftRefusal, newOperation } from './payload.ts'
import { decide, type Decision } from './decisions.ts'

export interface RecordsWriter {
  /**
   * Drafts become operations in one transaction and are sent in the background. Answers at once.
   * @param options.supported paths that metadata lists; `null` when it could not be read
   * @param options.types of fields that the definition does not describe, as far as they show
   * @param options.namesakes ids of the records that have a full name already, by `nameKey`, as far as lists were read
   * @param options.baseline what is in the list, where it was read whole
   */
  send(
    company: CompanyRef,
    object: string,
    draftIds: readonly string[],
    options: {
      readonly supported: readonly string[] | null
      readonly types?: ReadonlyMap<string, JsonType>
      readonly namesakes?: ReadonlyMap<string, readonly string[]>
      readonly baseline?: Baseline | null
      /** The person has confirmed that drafts from before are sent; those are refused otherwise. */
      readonly evenFromBefore?: boolean
    },
  ): Result<Batch>
  /** After the array that is on its way; what is left waits for the person. */
  stopBatch(batchId: string): Result<Batch>
  resumeBatch(batchId: string): Result<Batch>
  /** Goes on with what the person sent in this run and a refused key held up; for when the pause is lifted. */
  goOnWithKey(connectionId: string): void
  /** Of this run, or with something under way. */
  batches(company: CompanyRef, object: string): Result<readonly Batch[]>
  /** Answers when it was looked. */
  checkNow(company: CompanyRef, operationIds: readonly string[]): Promise<Result<void>>
  decide(operationId: string, decision: Decision): Result<void>
  /** Drafts with what became of them. */
  drafts(company: CompanyRef, object: string): Result<readonly Draft[]>
}

/** A draft stays tied to one of these until the person has decided; *saved, but not as sent* is one too. */
const AWAITS_DECISION: readonly OperationState[] = ['held', 'conflict', 'acked']

export interface RecordsWriterOptions {
  readonly context: WritingContext
  readonly queueOf: (company: CompanyRef) => CompanyQueue
  readonly view: {
    readonly batch: (batch: JournalBatch) => Result<Batch>
    readonly operations: (operations: readonly JournalOperation[]) => Result<readonly Operation[]>
  }
}

export function createRecordsWriter({ context, queueOf, view }: RecordsWriterOptions): RecordsWriter {
  const { drafts, journal } = context.store
  /** Batches of this run stay in the list until the end of it. */
  const ofThisRun: string[] = []

  const batchOf = (batchId: string): Result<JournalBatch> => {
    const batch = journal.operations.batch(batchId)
    if (!batch.ok) return batch
    return batch.value === null ? notFound('This batch') : ok(batch.value)
  }

  const send: RecordsWriter['send'] = (company, object, draftIds, options) => {
    const { supported, types = new Map(), namesakes = new Map(), evenFromBefore = false } = options
    const refusal = companyRefusal(context.directory.facts(company))
    if (refusal !== null) return err(refusal)
    const ids = [...new Set(draftIds)]
    const found = drafts.get(company, ids)
    if (!found.ok) return found
    if (found.value.length < ids.length || found.value.some((draft) => draft.object !== object)) {
      return notFound('A draft')
    }
    const tied = journal.operations.byIds(found.value.flatMap(({ operationId }) => operationId ?? []))
    if (!tied.ok) return tied
    const twice = sentAlready(found.value, tied.value)
    if (twice !== null) return twice

    const fromBefore = found.value.filter(({ isFromBefore }) => isFromBefore)
    if (fromBefore.length > 0 && !evenFromBefore) return err(mayBeSentAlready(fromBefore.length))

    const fields = supported === null ? null : new Set(supported)
    const known = { paths: fields, types }
    const refusals = found.value.flatMap((draft) => draftRefusal(draft, known) ?? [])
    const [first, ...more] = refusals
    if (first !== undefined) {
      return err({ ...first, details: { ...first.details, more: more.map(({ message }) => message) } })
    }
    const batch: JournalBatch = {
      batchId: context.newId(),
      company,
      object,
      queuedAt: context.timestamp(),
      status: 'open',
      error: null,
    }
    const { markWithExternalId } = context.settings(company.connectionId)
    const takesMark = markWithExternalId && (fields?.has('ExternalID') ?? false)
    // One from before may be in the books under another mark, and in the lists that were read: its name has to tell.
    const operations = found.value.map((draft) =>
      draft.isFromBefore
        ? newOperation(draft, context.newId(), false, new Map(), known)
        : newOperation(draft, context.newId(), takesMark, namesakes, known),
    )
    const replaced = tied.value
      .filter(({ state }) => state === 'queued')
      .map(({ operationId }): OperationEnd => ({ operationId, from: 'queued', draft: 'release' }))
    // A list that was read may hold what was sent before: it says nothing about drafts from before.
    const baseline = fromBefore.length > 0 ? null : (options.baseline ?? null)
    const queued = journal.operations.enqueue(batch, operations, replaced, baseline)
    if (!queued.ok) return queued
    ofThisRun.push(batch.batchId)
    context.changed(
      company,
      object,
      operations.map(({ operationId }) => operationId),
      batch.batchId,
    )
    queueOf(company).forgetFailures()
    queueOf(company).wake()
    return view.batch(batch)
  }

  /** A double click is the same batch; anything else that is on its way is refused. */
  const sentAlready = (
    found: readonly StoredDraft[],
    tied: readonly JournalOperation[],
  ): Result<Batch> | null => {
    const onTheirWay: JournalOperation[] = []
    for (const operation of tied) {
      if (operation.state === 'rejected') continue
      if (operation.state === 'queued') {
        const batch = batchOf(operation.batchId)
        if (!batch.ok) return batch
        if (batch.value.status !== 'open') continue
      }
      onTheirWay.push(operation)
    }
    const waiting = onTheirWay.find(({ state }) => AWAITS_DECISION.includes(state))
    if (waiting !== undefined) {
      return err(
        appError(
          'invalid-input',
          `${waiting.recordName}: this record waits for your decision.`,
          'Decide about it, or discard it; then send what is left.',
        ),
      )
    }
    const [first] = onTheirWay
    if (first === undefined) return null
    const isSameBatch =
      onTheirWay.length === found.length && onTheirWay.every(({ batchId }) => batchId === first.batchId)
    if (isSameBatch && ofThisRun.includes(first.batchId)) {
      const batch = batchOf(first.batchId)
      return batch.ok ? view.batch(batch.value) : batch
    }
    return err(
      appError(
        'invalid-input',
        `${first.recordName}: this record was sent already.`,
        'Wait for its outcome, or decide about it, then send what is left.',
      ),
    )
  }

  /** Stopped is also what the person said to send again, and what has not left yet. */
  const takeBackSendAgain = ({ batchId, company, object }: JournalBatch): Result<void> => {
    const held = journal.operations.open(company, ['held'])
    if (!held.ok) return held
    const asked = held.value.filter((operation) => operation.batchId === batchId && operation.sendAgain)
    if (asked.length === 0) return ok(undefined)
    const moved = journal.operations.move(
      asked.map((operation) => stay(operation, { sendAgain: false })),
      null,
    )
    const ids = asked.map(({ operationId }) => operationId)
    if (moved.ok) context.changed(company, object, ids, batchId)
    return moved
  }

  const setStatus = (batchId: string, status: 'open' | 'stopped'): Result<Batch> => {
    const batch = batchOf(batchId)
    if (!batch.ok) return batch
    if (status === 'open') {
      const refusal = companyRefusal(context.directory.facts(batch.value.company))
      if (refusal !== null) return err(refusal)
    }
    const spent = status === 'stopped' ? takeBackSendAgain(batch.value) : ok(undefined)
    if (!spent.ok) return spent
    const set = journal.operations.setBatch(batchId, status, null)
    if (!set.ok) return set
    context.setStall(batchId, null)
    const next = journal.operations.nextOfBatch(batchId, Number.MAX_SAFE_INTEGER)
    if (!next.ok) return next
    context.changed(
      batch.value.company,
      batch.value.object,
      next.value.map(({ operationId }) => operationId),
      batchId,
    )
    if (!ofThisRun.includes(batchId)) ofThisRun.push(batchId)
    if (status === 'open') {
      queueOf(batch.value.company).forgetFailures()
      queueOf(batch.value.company).wake()
    }
    return view.batch({ ...batch.value, status, error: null })
  }

  return {
    send,
    stopBatch: (batchId) => setStatus(batchId, 'stopped'),
    resumeBatch(batchId) {
      const batch = batchOf(batchId)
      if (!batch.ok) return batch
      const { company, object } = batch.value
      const left = journal.operations.nextOfBatch(batchId, Number.MAX_SAFE_INTEGER)
      if (!left.ok) return left
      const hasChanges = left.value.some(({ kind }) => kind === 'change')
      const letOn = hasChanges ? letChangesGoOn(context, company, object) : ok(undefined)
      const passed = letOn.ok ? queueOf(company).goOnBeside() : letOn
      return passed.ok ? setStatus(batchId, 'open') : passed
    },
    goOnWithKey(connectionId) {
      for (const batchId of ofThisRun) {
        const batch = batchOf(batchId)
        if (!batch.ok || batch.value.company.connectionId !== connectionId) continue
        // What can't be opened again stays as it is, and says so: the person goes on with it by hand.
        if (batch.value.status === 'paused' && batch.value.error?.kind === 'unauthorised') {
          setStatus(batchId, 'open')
        }
      }
    },
    batches(company, object) {
      const found = journal.operations.batches(company, object, ofThisRun)
      if (!found.ok) return found
      const views: Batch[] = []
      for (const batch of found.value) {
        const shown = view.batch(batch)
        if (!shown.ok) return shown
        views.push(shown.value)
      }
      return ok(views)
    },
    checkNow(company, operationIds) {
      const asked = journal.operations.byIds(operationIds)
      if (!asked.ok) return Promise.resolve(asked)
      const away = asked.value.find(({ elsewhere }) => elsewhere !== '')
      const isAllAway = asked.value.every(({ elsewhere }) => elsewhere !== '')
      if (away !== undefined && isAllAway) return Promise.resolve(err(sentElsewhere(away.elsewhere)))
      return queueOf(company).checkNow(operationIds)
    },
    decide: (operationId, decision) => decide(context, queueOf, operationId, decision),
    drafts(company, object) {
      const listed = drafts.list(company, object)
      if (!listed.ok) return listed
      const tied = journal.operations.ofDrafts(company, object)
      if (!tied.ok) return tied
      const shown = view.operations(tied.value)
      if (!shown.ok) return shown
      const byId = new Map(shown.value.map((operation) => [operation.operationId, operation]))
      return ok(
        listed.value.map(({ operationId, ...draft }) => ({
          ...draft,
          operation: operationId === null ? null : (byId.get(operationId) ?? null),
        })),
      )
    },
  }
}

function mayBeSentAlready(count: number): AppError {
  return appError(
    'invalid-input',
    count === 1
      ? 'One of these drafts is from before, and may already be in the books.'
      : `${count} of these drafts are from before, and may already be in the books.`,
    'Nothing was sent. Look at the list first, then send them and confirm it.',
  )
}
