/**
 * One company's writes, one after another: looks at what is in doubt first, then sends what is queued. Wakes when
 * there is something to do, rests otherwise; it never polls.
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { listName } from '../../../shared/records/definition.ts'
import { type Result, appError, err, ok } from '../../../shared/result.ts'
import type { SlotRequest, Wire } from '../../service/protocol/wire.ts'
import { resultOf, resultOfAsync } from '../../store/database.ts'
import type { JournalBatch, JournalOperation, OperationKind } from '../../store/journal/journal.ts'
import { type WritingContext, defectError, runSlotToEnd } from '../context.ts'
import { answerNotWritten } from './answer.ts'
import { findDuplicatesInSlot } from './duplicates.ts'
import { recheckInSlot, createRequestedRechecks, unknownOutcomeError, recordUncertainty } from './recheck.ts'
import { isRecheckedInFuture, isSecondRecheck } from './reconcile.ts'
import { type SendEnd, arraySize, nextArray, pausedByDisk, sendAgainInSlot, sendInSlot } from './send.ts'

export interface CompanyQueue {
  /** Goes on if there is something to do; at once or when the present step has ended. */
  wake(): void
  /** Looks now, whatever is due; answers when the look was made. */
  checkNow(operationIds: readonly string[]): Promise<Result<void>>
  /** Failed looks are tried again at once. */
  forgetFailures(): void
  /** The person goes on beside what both looks could not tell, until the program ends. */
  goOnBeside(): void
  close(): void
}

const STOPPED: SendEnd = { end: 'stop', error: null }

const ABANDONED = appError('stopped', 'Stopped.', 'Send it again when you want it sent.')

/** Milliseconds: timers can't hold much more than three weeks, and a wall clock may be set meanwhile. */
const LONGEST_WAIT = 3_600_000

export function createCompanyQueue(context: WritingContext, company: CompanyRef): CompanyQueue {
  const { journal } = context.store
  let isRunning = false
  let isWokenAgain = false
  let cancelTimer: (() => void) | null = null
  let recheckFailures = 0
  let noLookBefore = 0
  const asked = createRequestedRechecks()
  const passed = new Set<string>()

  const request = (what: string, isWrite: boolean, batchId: string): SlotRequest => ({
    connectionId: company.connectionId,
    company,
    companyName: context.directory.facts(company)?.displayName ?? '',
    what,
    isWrite,
    priority: 'batch',
    batchId,
  })

  const wake = (): void => {
    if (context.isClosed()) return
    if (isRunning) {
      isWokenAgain = true
      return
    }
    isRunning = true
    cancelTimer?.()
    cancelTimer = null
    void run()
  }

  const wasWoken = (): boolean => isWokenAgain

  const run = async (): Promise<void> => {
    try {
      do isWokenAgain = false
      while (((await takeStep()) || wasWoken()) && !context.isClosed())
    } catch (defect) {
      context.onDefect(defect)
      asked.answer(err(defectError(defect)))
    } finally {
      isRunning = false
    }
  }

  /** Answers whether there may be more to do; not when the disk lets nothing be written: it rests until it is woken. */
  const takeStep = async (): Promise<boolean> => {
    const taken = await resultOfAsync(async () => ok(await take(gather())))
    if (!taken.ok) asked.answer(taken)
    return taken.ok && taken.value
  }

  const take = async (step: QueueStep): Promise<boolean> => {
    switch (step.step) {
      case 'look':
        await look(step.object, step.operations)
        return true
      case 'send-again':
        return sendAgain(step.batchId, step.operations)
      case 'send':
        return send(step.batch)
      case 'wait':
        cancelTimer?.()
        cancelTimer = context.clock.after(
          Math.min(Math.max(0, step.until - context.clock.now()), LONGEST_WAIT),
          wake,
        )
        return false
      case 'hold-back': {
        const { batches, unknown } = step
        return batches.every((batch) => finish(batch, { end: 'pause', error: unknownOutcomeError(unknown) }))
      }
      case 'recheck':
        await look(step.object, step.operations, findDuplicatesInSlot)
        return true
      case 'rest':
        return false
    }
  }

  const gather = (): QueueStep => {
    // Nothing of this company is on the wire between two steps: what says so was not written down at its end.
    const stale = journal.operations.open(company, ['sending'])
    if (stale.length > 0) {
      journal.operations.move(stale.map(answerNotWritten), null)
    }
    const unknown = journal.operations.open(company, ['unknown'])
    const held = journal.operations.open(company, ['held'])
    const openBatches = journal.operations.openBatches(company)
    const toRecheck = journal.operations.toRecheck(company)
    const ids = asked.operationIds()
    const askedFor = [...unknown, ...held].filter(({ operationId }) => ids.has(operationId))
    if (askedFor.length === 0) asked.answer(ok(undefined))
    return nextStep({
      now: context.clock.now(),
      pauseOf: context.recheckPause,
      unknown,
      sendAgain: held.filter((operation) => operation.sendAgain),
      asked: askedFor,
      openBatches,
      passed,
      toRecheck: toRecheck.filter(({ state }) => state === 'acked'),
      noLookBefore,
    })
  }

  const look = async (
    object: string,
    operations: readonly JournalOperation[],
    read: (...of: Parameters<typeof recheckInSlot>) => Promise<Result<unknown>> = recheckInSlot,
  ): Promise<void> => {
    const count = operations.length
    const what = `Confirming ${count} ${count === 1 ? 'record' : 'records'} of ${listName(object)}`
    const { result: looked, wasAbandoned } = await runSlotToEnd(
      context.client,
      request(what, false, ''),
      (wire) => read(context, wire, company, object, operations),
    )
    if (looked.ok && !wasAbandoned) {
      recheckFailures = 0
      noLookBefore = 0
    } else if (!looked.ok && looked.error.kind === 'connection-changed') {
      // It was not made: the next one waits its turn where the connection leads now.
      noLookBefore = 0
    } else {
      recheckFailures += 1
      const isStopped = wasAbandoned || (!looked.ok && looked.error.kind === 'stopped')
      // Stopped by the person: they ask again when they want it looked at.
      noLookBefore = isStopped
        ? Number.MAX_SAFE_INTEGER
        : context.clock.now() + pauseAfterFailedLooks(recheckFailures)
      if (isStopped) stopOpenBatches()
      if (!looked.ok) recordUncertainty(context, company, operations, looked.error)
    }
    asked.answer(
      looked.ok ? ok(undefined) : looked,
      new Set(operations.map(({ operationId }) => operationId)),
    )
  }

  /** What would wait for a look that the person stopped waits for the person. */
  const stopOpenBatches = (): void => {
    resultOf(() => {
      for (const batch of journal.operations.openBatches(company)) finish(batch, STOPPED)
    })
  }

  /** One more look right before, in the same turn; what is there by now is not sent. */
  const sendAgain = async (batchId: string, operations: readonly JournalOperation[]): Promise<boolean> => {
    const batch = journal.operations.batch(batchId)
    const [first] = operations
    if (batch === null || first === undefined) return false
    const together = operations.filter((operation) => operation.kind === first.kind)
    const what = `Sending again to ${listName(batch.object)}`
    return runInSlot(
      batch,
      request(what, true, batchId),
      (wire) => sendAgainInSlot(context, wire, batch, together, sizeFor(batch.object, first.kind)),
      together,
    )
  }

  const send = (batch: JournalBatch): Promise<boolean> => {
    const what = `Sending to ${listName(batch.object)}`
    return runInSlot(batch, request(what, true, batch.batchId), async (wire) => {
      // The person may have stopped it, or dropped some of it, while it waited for its turn.
      const current = journal.operations.batch(batch.batchId)
      const [next] = journal.operations.nextOfBatch(batch.batchId, 1)
      if (current?.status !== 'open' || next === undefined) return { end: 'go-on' }
      const size = sizeFor(batch.object, next.kind)
      const queued = journal.operations.nextOfBatch(batch.batchId, size)
      return sendInSlot(context, wire, batch, nextArray(queued, size))
    })
  }

  const sizeFor = (object: string, kind: OperationKind): number => {
    const application = context.directory.facts(company)?.application ?? ''
    const { connectionId } = company
    const policy = journal.writePolicies.get({ connectionId, application, object, kind })
    const { batchSize } = context.settings(connectionId)
    return arraySize(policy, batchSize)
  }

  /** Answers as `takeStep` does. */
  const runInSlot = async (
    batch: JournalBatch,
    turn: SlotRequest,
    work: (wire: Wire) => Promise<SendEnd>,
    sendingAgain: readonly JournalOperation[] = [],
  ): Promise<boolean> => {
    try {
      const { result, wasAbandoned } = await runSlotToEnd(context.client, turn, async (wire) =>
        ok(await pausedByDisk(() => work(wire))),
      )
      context.setPhase(batch.batchId, null)
      if (!result.ok) {
        // What was to be sent again is held still: nothing of the batch was touched.
        if (sendingAgain.length > 0) return recordUncertainty(context, company, sendingAgain, result.error)
        const isStopped = result.error.kind === 'stopped'
        return finish(batch, isStopped ? STOPPED : { end: 'pause', error: result.error })
      }
      if (
        wasAbandoned &&
        sendingAgain.length > 0 &&
        !recordUncertainty(context, company, sendingAgain, ABANDONED)
      )
        return false
      return finish(batch, wasAbandoned && result.value.end === 'go-on' ? STOPPED : result.value)
    } catch (defect) {
      context.setPhase(batch.batchId, null)
      finish(batch, { end: 'pause', error: defectError(defect) })
      throw defect
    }
  }

  /** Answers false when the disk lets nothing be written. */
  const finish = (batch: JournalBatch, end: SendEnd): boolean => {
    const status = end.end === 'pause' ? 'paused' : 'stopped'
    const written = resultOf(() => {
      if (end.end !== 'go-on') journal.operations.setBatch(batch.batchId, status, end.error)
    })
    context.setStall(batch.batchId, written.ok ? null : written.error)
    // What is left of it waits for the person from now on, which its rows say.
    const left = resultOf(() =>
      end.end === 'go-on' ? [] : journal.operations.nextOfBatch(batch.batchId, Number.MAX_SAFE_INTEGER),
    )
    const ids = left.ok ? left.value.map(({ operationId }) => operationId) : []
    context.changed(company, batch.object, ids, batch.batchId)
    return written.ok
  }

  return {
    wake,
    checkNow(operationIds) {
      if (operationIds.length === 0) return Promise.resolve(ok(undefined))
      if (context.isClosed()) {
        return Promise.resolve(err(appError('stopped', 'Bookbridge is closing.')))
      }
      return new Promise((answer) => {
        asked.add(operationIds, answer)
        noLookBefore = 0
        wake()
      })
    },
    goOnBeside() {
      const unknown = journal.operations.open(company, ['unknown'])
      for (const operation of unknown) {
        if (recheckDueAt(operation, context.recheckPause(operation)) === null)
          passed.add(operation.operationId)
      }
    },
    forgetFailures() {
      recheckFailures = 0
      noLookBefore = 0
    },
    close() {
      cancelTimer?.()
      cancelTimer = null
      asked.answer(err(appError('stopped', 'Bookbridge is closing.')))
    },
  }
}

// What a company’s queue does next: pure decisions.

export interface QueueFacts {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Pause between the two looks for an operation, in milliseconds. */
  readonly pauseOf: (operation: JournalOperation) => number
  readonly unknown: readonly JournalOperation[]
  /** Held, with the person's word to send them again. */
  readonly sendAgain: readonly JournalOperation[]
  /** Unknown or held ones that the person asked to check, or a start looks at. */
  readonly asked: readonly JournalOperation[]
  /** Open, with something queued, oldest first. */
  readonly openBatches: readonly JournalBatch[]
  /** Ids of unknown ones beside which the person goes on all the same. */
  readonly passed: ReadonlySet<string>
  /** Inserts that were sent again and are saved: a second record of them is looked for once, later. */
  readonly toRecheck: readonly JournalOperation[]
  /** After looks that failed: no look by itself before then. */
  readonly noLookBefore: number
}

export type QueueStep =
  | { readonly step: 'look'; readonly object: string; readonly operations: readonly JournalOperation[] }
  | { readonly step: 'wait'; readonly until: number }
  | {
      readonly step: 'send-again'
      readonly batchId: string
      readonly operations: readonly JournalOperation[]
    }
  | { readonly step: 'send'; readonly batch: JournalBatch }
  /** No look by itself is left, and something is still unknown: what is queued waits for the person. */
  | {
      readonly step: 'hold-back'
      readonly batches: readonly JournalBatch[]
      readonly unknown: readonly JournalOperation[]
    }
  /** Looks for a second record of inserts that were sent again. */
  | { readonly step: 'recheck'; readonly object: string; readonly operations: readonly JournalOperation[] }
  | { readonly step: 'rest' }

/**
 * When the next automatic recheck is due; `null` after two inconclusive ones. After that, only the person can ask
 * for another.
 */
export function recheckDueAt(operation: JournalOperation, pause: number): number | null {
  if (operation.state !== 'unknown') return null
  if (operation.firstLookedAt === null || operation.lastLookedAt === null) return 0
  const last = Date.parse(operation.lastLookedAt)
  if (operation.looks >= 2 && isSecondRecheck(operation, last, pause)) return null
  return Date.parse(operation.firstLookedAt) + pause
}

/**
 * While something is unknown nothing later is written to that company, also where the looks could not tell (the design's
 * page on reliability, "Writing"), unless the person goes on beside it. *Send again* is such a word, on one record that
 * is looked for right before.
 */
export function nextStep(facts: QueueFacts): QueueStep {
  const [asked] = facts.asked
  if (asked !== undefined) return look(asked.object, facts.asked)
  const waiting = facts.unknown.flatMap((operation) => {
    const dueAt = isRecheckedInFuture(operation, facts.now)
      ? 0
      : recheckDueAt(operation, facts.pauseOf(operation))
    return dueAt === null ? [] : [{ operation, dueAt: Math.max(dueAt, facts.noLookBefore) }]
  })
  const due = waiting.filter(({ dueAt }) => dueAt <= facts.now).map(({ operation }) => operation)
  const [first] = due
  if (first !== undefined) return look(first.object, due)
  if (waiting.length > 0) return { step: 'wait', until: Math.min(...waiting.map(({ dueAt }) => dueAt)) }
  const [again] = facts.sendAgain
  if (again !== undefined) {
    const operations = facts.sendAgain.filter(({ batchId }) => batchId === again.batchId)
    return { step: 'send-again', batchId: again.batchId, operations }
  }
  const [batch] = facts.openBatches
  if (batch === undefined) return recheck(facts)
  const unknown = facts.unknown.filter(({ operationId }) => !facts.passed.has(operationId))
  return unknown.length > 0
    ? { step: 'hold-back', batches: facts.openBatches, unknown }
    : { step: 'send', batch }
}

/** With nothing else to do: it keeps nobody waiting. */
function recheck({ toRecheck, now, noLookBefore }: QueueFacts): QueueStep {
  const dueAt = (operation: JournalOperation): number =>
    Math.max(Date.parse(operation.recheckAt ?? ''), noLookBefore)
  const due = toRecheck.filter((operation) => dueAt(operation) <= now)
  const [first] = due
  if (first !== undefined) {
    const operations = due.filter(({ object }) => object === first.object)
    return { step: 'recheck', object: first.object, operations }
  }
  const next = Math.min(...toRecheck.map(dueAt))
  return toRecheck.length === 0 ? { step: 'rest' } : { step: 'wait', until: next }
}

/** One pass over a list settles all of that list. */
function look(object: string, operations: readonly JournalOperation[]): QueueStep {
  return { step: 'look', object, operations: operations.filter((operation) => operation.object === object) }
}

/** Milliseconds until a look that failed is tried again by itself. */
function pauseAfterFailedLooks(failures: number): number {
  const PAUSES = [10_000, 60_000, 5 * 60_000]
  return PAUSES[Math.min(failures, PAUSES.length) - 1] ?? 0
}
