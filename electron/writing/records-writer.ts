/** Sending records and deciding about them: what the screens ask of the write protocol. */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Batch, Draft, Operation } from '../../shared/contract/records.ts'
import { nameKey } from '../../shared/names.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import type {
  JournalBatch,
  JournalOperation,
  NewOperation,
  OperationEnd,
  OperationFacts,
} from '../store/journal.ts'
import type { StoredDraft } from '../store/store.ts'
import { letChangesGoOn } from './change-trust.ts'
import type { CompanyQueue } from './company-queue.ts'
import { draftAfterChoice } from './conflict-choice.ts'
import { notFound, stay, type WritingContext } from './context.ts'
import { fullNameOf, fullNameOfInsert, shownName } from './names.ts'
import { canDrop } from './states.ts'
import { companyRefusal, draftRefusal } from './validate.ts'

/** The person's word on one operation (contract, `records.decide`). */
export type Decision =
  | { readonly what: 'send-again' }
  | { readonly what: 'discard' }
  | { readonly what: 'choose'; readonly choices: Readonly<Record<string, 'theirs' | 'yours'>> }
  | { readonly what: 'seen' }

export interface RecordsWriter {
  /**
   * Drafts become operations in one transaction and are sent in the background. Answers at once.
   * @param options.supported field names that metadata lists; `null` when it could not be read
   * @param options.namesakes ids of the records that have a full name already, by `nameKey`, as far as lists were read
   */
  send(
    company: CompanyRef,
    object: string,
    draftIds: readonly string[],
    options: {
      readonly supported: readonly string[] | null
      readonly namesakes?: ReadonlyMap<string, readonly string[]>
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
  history(company: CompanyRef, object: string, recordId: string, limit: number): Result<readonly Operation[]>
  /** Drafts with what became of them. */
  drafts(company: CompanyRef, object: string): Result<readonly Draft[]>
}

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

  const operationOf = (operationId: string): Result<JournalOperation> => {
    const found = journal.operations.byIds([operationId])
    if (!found.ok) return found
    const [operation] = found.value
    return operation === undefined ? notFound('This record') : ok(operation)
  }

  const send: RecordsWriter['send'] = (company, object, draftIds, { supported, namesakes = new Map() }) => {
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

    const fields = supported === null ? null : new Set(supported)
    const refusals = found.value.flatMap((draft) => draftRefusal(draft, fields) ?? [])
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
    const operations = found.value.map((draft) => newOperation(draft, context.newId(), takesMark, namesakes))
    const replaced = tied.value
      .filter(({ state }) => state === 'queued')
      .map(({ operationId }): OperationEnd => ({ operationId, from: 'queued', draft: 'release' }))
    const queued = journal.operations.enqueue(batch, operations, replaced)
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

  const setStatus = (batchId: string, status: 'open' | 'stopped'): Result<Batch> => {
    const batch = batchOf(batchId)
    if (!batch.ok) return batch
    if (status === 'open') {
      const refusal = companyRefusal(context.directory.facts(batch.value.company))
      if (refusal !== null) return err(refusal)
    }
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

  const decide: RecordsWriter['decide'] = (operationId, decision) => {
    const found = operationOf(operationId)
    if (!found.ok) return found
    const operation = found.value
    const decided = applyDecision(operation, decision)
    if (!decided.ok) return decided
    context.changed(operation.company, operation.object, [operationId], operation.batchId)
    queueOf(operation.company).wake()
    return ok(undefined)
  }

  const applyDecision = (operation: JournalOperation, decision: Decision): Result<void> => {
    const { operationId, state } = operation
    if (operation.isClosed) return changedMeanwhile()
    switch (decision.what) {
      case 'send-again': {
        if (state !== 'held') return changedMeanwhile()
        const refusal = companyRefusal(context.directory.facts(operation.company))
        if (refusal !== null) return err(refusal)
        const facts: OperationFacts = { sendAgain: true, error: null }
        return journal.operations.move([stay(operation, facts)], null)
      }
      case 'discard':
        if (!canDrop(state) && state !== 'rejected') return changedMeanwhile()
        return journal.operations.end([{ operationId, from: state, draft: 'remove' }])
      case 'choose': {
        if (state !== 'conflict') return changedMeanwhile()
        const draft = draftAfterChoice(operation, decision.choices, context.timestamp())
        if (!draft.ok) return draft
        return journal.operations.end([{ operationId, from: state, draft: draft.value ?? 'remove' }])
      }
      case 'seen':
        if (state !== 'acked') return changedMeanwhile()
        return journal.operations.end([{ operationId, from: state, draft: 'remove' }])
    }
  }

  return {
    send,
    stopBatch: (batchId) => setStatus(batchId, 'stopped'),
    resumeBatch(batchId) {
      const batch = batchOf(batchId)
      if (!batch.ok) return batch
      const { company, object } = batch.value
      const letOn = letChangesGoOn(context, company, object)
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
    checkNow: (company, operationIds) => queueOf(company).checkNow(operationIds),
    decide,
    history(company, object, recordId, limit) {
      const found = journal.operations.history(company, object, recordId, limit)
      return found.ok ? view.operations(found.value) : found
    },
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

function changedMeanwhile(): Result<never> {
  return err(appError('invalid-input', 'This record’s outcome has changed meanwhile.', 'Look at it again.'))
}

/**
 * *Assumption* (decisions.md, "`ExternalID` as a mark"): where metadata supports it and the person left it empty, an
 * insert carries our operation's id, so that it can be recognised when its answer is lost.
 */
function newOperation(
  draft: StoredDraft,
  operationId: string,
  takesMark: boolean,
  namesakes: ReadonlyMap<string, readonly string[]>,
): NewOperation {
  const isInsert = draft.kind === 'insert'
  const fullName = isInsert ? fullNameOfInsert(draft.edits) : fullNameOf(draft.before)
  const hasOwnMark = draft.edits.some(({ path }) => path === 'ExternalID')
  return {
    operationId,
    draftId: draft.draftId,
    kind: draft.kind,
    recordId: isInsert ? '' : draft.recordId,
    recordName: shownName(draft.edits, draft.before),
    fullName,
    mark: isInsert && takesMark && !hasOwnMark ? operationId : '',
    namesakes: isInsert ? (namesakes.get(nameKey(fullName)) ?? []) : [],
    before: draft.before,
    edits: draft.edits,
  }
}
