/**
 * Runs one company's writes one after another: first rechecks what is unknown, then sends what is queued. The queue
 * wakes when there is something to do. It never polls.
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { listName, recordNoun } from '../../../shared/records/definition.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import type { SlotRequest, Wire } from '../../service/protocol/wire.ts'
import { resultOf, resultOfAsync, StoreError } from '../../store/database.ts'
import type { JournalBatch, JournalOperation, OperationKind } from '../../store/journal/journal.ts'
import { type BatchSlot, defectError, type PostponedOutcome, type WritingContext } from '../context.ts'
import { findDuplicatesInSlot } from './duplicates.ts'
import { recheckInSlot, recordUncertainty } from './recheck.ts'
import { isRecheckedInFuture, isSecondRecheck } from './reconcile.ts'
import { responseNotWritten } from './response.ts'
import {
  arraySize,
  nextArray,
  pauseOnDiskFailure,
  prepareInserts,
  sendAgainInSlot,
  type SendEnd,
  sendInSlot,
} from './send.ts'

const STOPPED: SendEnd = { end: 'stop', error: null }

const ABANDONED = appError('stopped', 'Stopped.', 'Send it again when you want it sent.')

/** In milliseconds. Timers can't run for much longer than three weeks, and the wall clock may be set while they run. */
const LONGEST_WAIT = 3_600_000

export class CompanyQueue {
  readonly #context: WritingContext
  readonly #company: CompanyRef
  readonly #requested = new RequestedRechecks()
  readonly #postponed: Postponed
  /** IDs of unknown operations that the user has chosen to send past, until the program ends. */
  readonly #passed = new Set<string>()
  /** The next operations of the batch that is being sent, if they were read already. */
  #prepared: readonly JournalOperation[] = []
  #isRunning = false
  #isWokenAgain = false
  #cancelTimer: (() => void) | null = null
  #recheckFailures = 0
  /** Why the last recheck of something unknown failed. */
  #recheckError: AppError | null = null
  /** After failed rechecks, none starts automatically before this time. */
  #noRecheckBefore = 0

  constructor(context: WritingContext, company: CompanyRef) {
    this.#context = context
    this.#company = company
    this.#postponed = new Postponed(context, (batch) => {
      this.#prepare(batch)
    })
  }

  /** Continues if there is something to do, either now or after the current step. */
  wake(): void {
    if (this.#context.isClosed()) return
    if (this.#isRunning) {
      this.#isWokenAgain = true
      return
    }
    this.#isRunning = true
    this.#stopTimer()
    void this.#run()
  }

  /** Rechecks these operations now, even if they aren't due. Resolves when that is done. */
  checkNow(operationIds: readonly string[]): Promise<Result<void>> {
    if (operationIds.length === 0) return Promise.resolve(ok(undefined))
    if (this.#context.isClosed()) return Promise.resolve(err(CLOSING))
    return new Promise((resolve) => {
      this.#requested.add(operationIds, resolve)
      this.#noRecheckBefore = 0
      this.wake()
    })
  }

  /** Allows failed rechecks to be repeated right away. */
  forgetFailures(): void {
    this.#postponed.failure = null
    this.#recheckFailures = 0
    this.#recheckError = null
    this.#noRecheckBefore = 0
  }

  /** Why something unknown can't be rechecked now. It is rechecked again later. `null` if that isn't known to fail. */
  get recheckError(): AppError | null {
    return this.#recheckError
  }

  /** Sends past operations that both rechecks left unknown, as the user requested, until the program ends. */
  sendPastUnknown(): void {
    for (const operation of this.#context.store.journal.operations.open(this.#company, ['unknown'])) {
      const { operationId } = operation
      if (recheckDueAt(operation, this.#context.recheckPause(operation)) === null)
        this.#passed.add(operationId)
    }
  }

  close(): void {
    this.#stopTimer()
    this.#postponed.tryToWrite()
    this.#requested.resolve(err(CLOSING))
  }

  #stopTimer(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = null
  }

  async #run(): Promise<void> {
    try {
      do this.#isWokenAgain = false
      while (((await this.#takeStep()) || this.#wasWokenAgain()) && !this.#context.isClosed())
    } catch (defect) {
      this.#context.onDefect(defect)
      this.#requested.resolve(err(defectError(defect)))
    } finally {
      this.#isRunning = false
      if (this.#context.isClosed()) this.close()
    }
  }

  #wasWokenAgain(): boolean {
    return this.#isWokenAgain
  }

  /**
   * Takes a step. Returns whether there may be more to do. If the disk can't be written, the queue rests until it is
   * woken.
   */
  async #takeStep(): Promise<boolean> {
    const taken = await resultOfAsync(async () => ok(await this.#take(this.#nextStep())))
    if (!taken.ok) this.#requested.resolve(taken)
    return taken.ok && taken.value
  }

  #nextStep(): QueueStep {
    const step = nextQueueStep(this.#gather())
    if (step.step === 'send' || !this.#postponed.isWaiting()) return step
    this.#postponed.write()
    return nextQueueStep(this.#gather())
  }

  async #take(step: QueueStep): Promise<boolean> {
    switch (step.step) {
      case 'recheck':
        await this.#recheck(step.object, step.operations, recheckInSlot)
        return true
      case 'find-duplicates':
        await this.#recheck(step.object, step.operations, findDuplicatesInSlot)
        return true
      case 'send-again':
        return this.#sendAgain(step.batchId, step.operations)
      case 'send':
        return this.#send(step.batch)
      case 'wait': {
        const wait = Math.min(Math.max(0, step.until - this.#context.clock.now()), LONGEST_WAIT)
        this.#stopTimer()
        this.#cancelTimer = this.#context.clock.after(wait, () => {
          this.wake()
        })
        return false
      }
      case 'hold-back': {
        const error = unknownOutcomeError(step.unknown)
        return step.batches.every((batch) => this.#finish(batch, { end: 'pause', error }))
      }
      case 'rest':
        return false
    }
  }

  #gather(): QueueFacts {
    const { clock, recheckPause, store } = this.#context
    const { operations } = store.journal
    // Nothing of this company is being sent between two steps, so the outcome of these operations was not saved to
    // disk, unless that is about to be done.
    const stale = this.#postponed.isWaiting() ? [] : operations.open(this.#company, ['sending'])
    if (stale.length > 0) operations.move(stale.map(responseNotWritten), null)
    const unknown = operations.open(this.#company, ['unknown'])
    const held = operations.open(this.#company, ['held'])
    const openBatches = operations.openBatches(this.#company)
    const toRecheck = operations.toRecheck(this.#company)
    const ids = this.#requested.operationIds()
    const requested = [...unknown, ...held].filter(({ operationId }) => ids.has(operationId))
    if (requested.length === 0) this.#requested.resolve(ok(undefined))
    return {
      now: clock.now(),
      pauseOf: recheckPause,
      unknown,
      sendAgain: held.filter((operation) => operation.sendAgain),
      requested,
      openBatches,
      passed: this.#passed,
      toRecheck: toRecheck.filter(({ state }) => state === 'acked'),
      noRecheckBefore: this.#noRecheckBefore,
    }
  }

  async #recheck(
    object: string,
    operations: readonly JournalOperation[],
    read: (...of: Parameters<typeof recheckInSlot>) => Promise<Result<unknown>>,
  ): Promise<void> {
    const context = this.#context
    const company = this.#company
    const { singular, plural } = recordNoun(object)
    const count = operations.length
    const what = `Checking ${count} ${count === 1 ? singular : plural}`
    const { result, wasAbandoned } = await context.client.withSlot(this.#request(what, false, ''), (wire) =>
      resultOfAsync(() => read({ context, wire, company, object }, operations)),
    )
    if (result.ok && !wasAbandoned) {
      this.forgetFailures()
    } else if (!result.ok && result.error.kind === 'connection-changed') {
      // It was not made. The next one waits in the queue of the new address or key.
      this.#noRecheckBefore = 0
    } else {
      this.#recheckFailures += 1
      if (operations.some(({ state }) => state === 'unknown'))
        this.#recheckError = result.ok ? ABANDONED : result.error
      const isStopped = wasAbandoned || (!result.ok && result.error.kind === 'stopped')
      // After the user has stopped a recheck, only the user starts the next one.
      this.#noRecheckBefore = isStopped
        ? Number.MAX_SAFE_INTEGER
        : context.clock.now() + pauseAfterFailures(this.#recheckFailures)
      if (isStopped) this.#stopOpenBatches()
      if (!result.ok) recordUncertainty({ context, company }, operations, result.error)
    }
    this.#requested.resolve(
      result.ok ? ok(undefined) : result,
      new Set(operations.map(({ operationId }) => operationId)),
    )
  }

  /** Stops the batches that would wait for a recheck that the user stopped. */
  #stopOpenBatches(): void {
    resultOf(() => {
      const batches = this.#context.store.journal.operations.openBatches(this.#company)
      for (const batch of batches) this.#finish(batch, STOPPED)
    })
  }

  /** Rechecks once more in the same slot, and sends again what is not in the books. */
  async #sendAgain(batchId: string, operations: readonly JournalOperation[]): Promise<boolean> {
    const batch = this.#context.store.journal.operations.batch(batchId)
    const [first] = operations
    if (batch === null || first === undefined) return false
    const together = operations.filter((operation) => operation.kind === first.kind)
    const what = `Sending again to ${listName(batch.object)}`
    const size = this.#sizeFor(batch.object, first.kind)
    return this.#runInSlot(
      batch,
      this.#request(what, true, batchId),
      (wire) => sendAgainInSlot(this.#slot(wire, batch, null), together, size),
      together,
    )
  }

  #send(batch: JournalBatch): Promise<boolean> {
    const { operations } = this.#context.store.journal
    const what = `Sending to ${listName(batch.object)}`
    return this.#runInSlot(batch, this.#request(what, true, batch.batchId), async (wire) => {
      const { failure } = this.#postponed
      if (failure !== null) return { end: 'pause', error: failure }
      // The user may have stopped the batch or dropped some of it while it waited for the slot.
      const current = operations.batch(batch.batchId)
      const next = this.#nextArray(batch)
      if (current?.status !== 'open' || next.length === 0) return { end: 'continue' }
      return sendInSlot(this.#slot(wire, batch, this.#postponed), next)
    })
  }

  #nextArray({ batchId, object }: JournalBatch): readonly JournalOperation[] {
    const { operations } = this.#context.store.journal
    const prepared = this.#prepared
    this.#prepared = []
    const [first] = operations.queuedOfBatch(batchId, 1)
    if (first === undefined) return []
    const size = this.#sizeFor(object, first.kind)
    const queued = operations.queuedOfBatch(batchId, size)
    // What is sent of an operation doesn't change while it is queued.
    const isCurrent =
      queued.length === prepared.length &&
      queued.every(({ operationId }, index) => operationId === prepared[index]?.operationId)
    return nextArray(isCurrent ? prepared : operations.nextOfBatch(batchId, size), size)
  }

  /** Reads the next inserts and writes their bodies while the service works on the previous ones. */
  #prepare({ batchId, object }: JournalBatch): void {
    const { operations } = this.#context.store.journal
    try {
      const [first] = operations.queuedOfBatch(batchId, 1)
      if (first?.kind !== 'insert') return
      this.#prepared = operations.nextOfBatch(batchId, this.#sizeFor(object, first.kind))
      prepareInserts(this.#prepared)
    } catch (cause) {
      // If the disk can't be read, sending them says so.
      if (!(cause instanceof StoreError)) this.#context.onDefect(cause)
    }
  }

  #slot(wire: Wire, batch: JournalBatch, postponed: PostponedOutcome | null): BatchSlot {
    return { context: this.#context, wire, company: this.#company, object: batch.object, batch, postponed }
  }

  #request(what: string, isWrite: boolean, batchId: string): SlotRequest {
    return {
      connectionId: this.#company.connectionId,
      company: this.#company,
      companyName: this.#context.directory.facts(this.#company)?.displayName ?? '',
      what,
      isWrite,
      priority: 'batch',
      batchId,
    }
  }

  #sizeFor(object: string, kind: OperationKind): number {
    const { connectionId } = this.#company
    const application = this.#context.directory.facts(this.#company)?.application ?? ''
    const policy = this.#context.store.journal.writePolicies.get({ connectionId, application, object, kind })
    return arraySize(policy, this.#context.settings(connectionId).batchSize)
  }

  /** Runs one step in a slot. Returns the same as `#takeStep`. */
  async #runInSlot(
    batch: JournalBatch,
    request: SlotRequest,
    work: (wire: Wire) => Promise<SendEnd>,
    sendingAgain: readonly JournalOperation[] = [],
  ): Promise<boolean> {
    const context = this.#context
    const keepOnHold = (error: AppError): boolean =>
      recordUncertainty({ context, company: this.#company }, sendingAgain, error)
    try {
      const { result, wasAbandoned } = await context.client.withSlot(
        request,
        async (wire) => ok(await pauseOnDiskFailure(() => work(wire))),
        // What is sent again is on hold by then.
        (end) => (end.end === 'busy' && sendingAgain.length === 0 ? end.error : null),
      )
      context.setPhase(batch.batchId, null)
      if (!result.ok) {
        // Operations to send again stay on hold, because nothing of the batch was touched.
        if (sendingAgain.length > 0) return keepOnHold(result.error)
        const isStopped = result.error.kind === 'stopped'
        return this.#finish(batch, isStopped ? STOPPED : { end: 'pause', error: result.error })
      }
      if (wasAbandoned && sendingAgain.length > 0 && !keepOnHold(ABANDONED)) return false
      return this.#finish(batch, wasAbandoned && result.value.end === 'continue' ? STOPPED : result.value)
    } catch (defect) {
      context.setPhase(batch.batchId, null)
      this.#finish(batch, { end: 'pause', error: defectError(defect) })
      throw defect
    }
  }

  /** Journals how an array ended. Returns false if the disk can't be written. */
  #finish(batch: JournalBatch, end: SendEnd): boolean {
    const { operations } = this.#context.store.journal
    const status = end.end === 'stop' ? 'stopped' : 'paused'
    const written = resultOf(() => {
      if (end.end !== 'continue') operations.setBatch(batch.batchId, status, end.error)
    })
    this.#context.setStall(batch.batchId, written.ok ? null : written.error)
    // The remaining rows show from now on that they wait for the user.
    const left = resultOf(() =>
      end.end === 'continue' ? [] : operations.queuedOfBatch(batch.batchId, Number.MAX_SAFE_INTEGER),
    )
    const ids = left.ok ? left.value.map(({ operationId }) => operationId) : []
    this.#context.changed(this.#company, batch.object, ids, batch.batchId)
    return written.ok
  }
}

/** Milliseconds after which a request that was just started has usually left this computer. */
const LEFT_BY_THEN = 5
/** Milliseconds until an outcome is written even if no request was started. */
const LONGEST_POSTPONEMENT = 50

/** Writing an outcome takes longer than anything else between two requests, so it is written while the service works. */
class Postponed implements PostponedOutcome {
  /** Why the last one could not be written. */
  failure: AppError | null = null
  readonly #context: WritingContext
  /** Called after an outcome was written while the service works. */
  readonly #onWritten: (batch: JournalBatch) => void
  #outcome: { readonly batch: JournalBatch; readonly write: () => void } | null = null
  #cancelTimer: (() => void) | null = null

  constructor(context: WritingContext, onWritten: (batch: JournalBatch) => void) {
    this.#context = context
    this.#onWritten = onWritten
  }

  isWaiting(): boolean {
    return this.#outcome !== null
  }

  put(batch: JournalBatch, write: () => void): void {
    this.#outcome = { batch, write }
    this.#writeIn(LONGEST_POSTPONEMENT)
  }

  writeSoon(): void {
    if (this.#outcome !== null) this.#writeIn(LEFT_BY_THEN)
  }

  write(): void {
    this.#cancelTimer?.()
    const outcome = this.#outcome
    this.#outcome = null
    outcome?.write()
    this.failure = null
  }

  /** If it fails, the batch shows why, and `write` tries again. */
  tryToWrite(): void {
    this.#cancelTimer?.()
    if (this.#outcome === null) return
    const { batch, write } = this.#outcome
    try {
      write()
      this.#outcome = null
    } catch (cause) {
      if (!(cause instanceof StoreError)) this.#context.onDefect(cause)
      else {
        this.failure = cause.error
        this.#context.setStall(batch.batchId, cause.error)
        this.#context.changed(batch.company, batch.object, [], batch.batchId)
      }
    }
  }

  #writeIn(milliseconds: number): void {
    this.#cancelTimer?.()
    const batch = this.#outcome?.batch
    this.#cancelTimer = this.#context.clock.after(milliseconds, () => {
      this.tryToWrite()
      if (batch !== undefined && !this.isWaiting()) this.#onWritten(batch)
    })
  }
}

const CLOSING = appError('stopped', 'Bookbridge is closing.')

/** The error that says why queued changes wait, and what the user can do. */
function unknownOutcomeError(unknown: readonly JournalOperation[]): AppError {
  const [first, ...more] = unknown
  const others = more.length === 0 ? '' : ` and ${more.length} more`
  return appError(
    'service-error',
    `Not sent yet. The outcome of ${first?.recordName ?? ''}${others} is still unknown.`,
    'Check it now, or look in the accounting application. Continue sends these anyway.',
  )
}

/** Rechecks that the user requested. Each resolves when all of its operations have been rechecked. */
class RequestedRechecks {
  #requests: {
    readonly operationIds: readonly string[]
    readonly resolve: (result: Result<void>) => void
  }[] = []

  add(operationIds: readonly string[], resolve: (result: Result<void>) => void): void {
    this.#requests.push({ operationIds, resolve })
  }

  /** The operations that still have to be rechecked. */
  operationIds(): ReadonlySet<string> {
    return new Set(this.#requests.flatMap(({ operationIds }) => operationIds))
  }

  /** Reports the result of rechecking these operations, or all of them by default. */
  resolve(result: Result<void>, operationIds?: ReadonlySet<string>): void {
    const requests = this.#requests.map((request) => ({
      ...request,
      operationIds: operationIds ? request.operationIds.filter((id) => !operationIds.has(id)) : [],
    }))
    this.#requests = requests.filter((request) => request.operationIds.length > 0)
    for (const request of requests) if (request.operationIds.length === 0) request.resolve(result)
  }
}

/*
 * What the queue does next, decided from facts alone.
 */

export interface QueueFacts {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Milliseconds between the two rechecks of an operation. */
  readonly pauseOf: (operation: JournalOperation) => number
  readonly unknown: readonly JournalOperation[]
  /** Held operations that the user wants to send again. */
  readonly sendAgain: readonly JournalOperation[]
  /** Unknown or held operations that the user, or the start of the program, wants to recheck. */
  readonly requested: readonly JournalOperation[]
  /** Open batches with something queued, oldest first. */
  readonly openBatches: readonly JournalBatch[]
  /** IDs of unknown operations that the user has chosen to send past. */
  readonly passed: ReadonlySet<string>
  /** Saved inserts that were sent again, and whose duplicates are searched for later. */
  readonly toRecheck: readonly JournalOperation[]
  /** After failed rechecks, none starts automatically before this time. */
  readonly noRecheckBefore: number
}

type QueueStep =
  | { readonly step: 'recheck'; readonly object: string; readonly operations: readonly JournalOperation[] }
  | { readonly step: 'wait'; readonly until: number }
  | {
      readonly step: 'send-again'
      readonly batchId: string
      readonly operations: readonly JournalOperation[]
    }
  | { readonly step: 'send'; readonly batch: JournalBatch }
  /** Something is unknown and no automatic recheck is left. Queued operations wait for the user. */
  | {
      readonly step: 'hold-back'
      readonly batches: readonly JournalBatch[]
      readonly unknown: readonly JournalOperation[]
    }
  /** Searches for duplicates of inserts that were sent again. */
  | {
      readonly step: 'find-duplicates'
      readonly object: string
      readonly operations: readonly JournalOperation[]
    }
  | { readonly step: 'rest' }

/**
 * When the next automatic recheck is due; `null` after two inconclusive ones. After that, only the user can request
 * another.
 */
export function recheckDueAt(operation: JournalOperation, pause: number): number | null {
  if (operation.state !== 'unknown') return null
  if (operation.firstRecheckedAt === null || operation.lastRecheckedAt === null) return 0
  const last = Date.parse(operation.lastRecheckedAt)
  if (operation.rechecks >= 2 && isSecondRecheck(operation, last, pause)) return null
  return Date.parse(operation.firstRecheckedAt) + pause
}

/**
 * Decides the next step. While something is unknown, nothing else is written to the company, even after both rechecks,
 * unless the user chooses to send past it. **Send again** does so for one record, which is rechecked right before.
 * @internal
 */
export function nextQueueStep(facts: QueueFacts): QueueStep {
  const [requested] = facts.requested
  if (requested !== undefined) return recheckOf(requested.object, facts.requested)
  const waiting = facts.unknown.flatMap((operation) => {
    const dueAt = isRecheckedInFuture(operation, facts.now)
      ? 0
      : recheckDueAt(operation, facts.pauseOf(operation))
    return dueAt === null ? [] : [{ operation, dueAt: Math.max(dueAt, facts.noRecheckBefore) }]
  })
  const due = waiting.filter(({ dueAt }) => dueAt <= facts.now).map(({ operation }) => operation)
  const [first] = due
  if (first !== undefined) return recheckOf(first.object, due)
  if (waiting.length > 0) return { step: 'wait', until: Math.min(...waiting.map(({ dueAt }) => dueAt)) }
  const [again] = facts.sendAgain
  if (again !== undefined) {
    const operations = facts.sendAgain.filter(({ batchId }) => batchId === again.batchId)
    return { step: 'send-again', batchId: again.batchId, operations }
  }
  const [batch] = facts.openBatches
  if (batch === undefined) return searchForDuplicates(facts)
  const unknown = facts.unknown.filter(({ operationId }) => !facts.passed.has(operationId))
  return unknown.length > 0
    ? { step: 'hold-back', batches: facts.openBatches, unknown }
    : { step: 'send', batch }
}

/** The search for duplicates comes last, so that nothing waits for it. */
function searchForDuplicates({ toRecheck, now, noRecheckBefore }: QueueFacts): QueueStep {
  const dueAt = (operation: JournalOperation): number =>
    Math.max(Date.parse(operation.recheckAt ?? ''), noRecheckBefore)
  const due = toRecheck.filter((operation) => dueAt(operation) <= now)
  const [first] = due
  if (first !== undefined) {
    const operations = due.filter(({ object }) => object === first.object)
    return { step: 'find-duplicates', object: first.object, operations }
  }
  const next = Math.min(...toRecheck.map(dueAt))
  return toRecheck.length === 0 ? { step: 'rest' } : { step: 'wait', until: next }
}

/** Rechecks all operations of a list with one read. */
function recheckOf(object: string, operations: readonly JournalOperation[]): QueueStep {
  return {
    step: 'recheck',
    object,
    operations: operations.filter((operation) => operation.object === object),
  }
}

/** Milliseconds until a failed recheck is repeated automatically. */
function pauseAfterFailures(failures: number): number {
  const PAUSES = [10_000, 60_000, 5 * 60_000]
  return PAUSES[Math.min(failures, PAUSES.length) - 1] ?? 0
}
