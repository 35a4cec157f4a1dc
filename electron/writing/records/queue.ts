/**
 * One company's writes, one after another: looks at what is in doubt first, then sends what is queued. Wakes when
 * there is something to do, rests otherwise; it never polls.
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { listName } from '../../../shared/records/definition.ts'
import { type Result, appError, err, ok } from '../../../shared/result.ts'
import type { TurnRequest, Wire } from '../../service/protocol/wire.ts'
import type { JournalBatch, JournalOperation, OperationKind } from '../../store/journal/journal.ts'
import { type WritingContext, defectError, turnToEnd } from '../context.ts'
import { answerNotWritten } from './answer.ts'
import { recheckWithin } from './duplicates.ts'
import { lookWithin, makeAskedLooks, stillUnknown, tellWhy } from './recheck.ts'
import { isLookedAtLater, isSecondLook } from './reconcile.ts'
import { type SendEnd, arraySize, nextArray, sendAgainWithin, sendWithin } from './send.ts'

export interface CompanyQueue {
  /** Goes on if there is something to do; at once or when the present step has ended. */
  wake(): void
  /** Looks now, whatever is due; answers when the look was made. */
  checkNow(operationIds: readonly string[]): Promise<Result<void>>
  /** Failed looks are tried again at once. */
  forgetFailures(): void
  /** The person goes on beside what both looks could not tell, until the program ends. */
  goOnBeside(): Result<void>
  close(): void
}

const STOPPED: SendEnd = { end: 'stop', error: null }

const LET_GO = appError('stopped', 'Stopped.', 'Send it again when you want it sent.')

/** Milliseconds: timers can't hold much more than three weeks, and a wall clock may be set meanwhile. */
const LONGEST_WAIT = 3_600_000

export function createCompanyQueue(context: WritingContext, company: CompanyRef): CompanyQueue {
  const { journal } = context.store
  let isRunning = false
  let isWokenAgain = false
  let cancelTimer: (() => void) | null = null
  let lookFailures = 0
  let noLookBefore = 0
  const asked = makeAskedLooks()
  const passed = new Set<string>()

  const request = (what: string, isWrite: boolean, batchId: string): TurnRequest => ({
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
    const step = gather()
    if (!step.ok) {
      asked.answer(step)
      return false
    }
    switch (step.value.step) {
      case 'look':
        await look(step.value.object, step.value.operations)
        return true
      case 'send-again':
        return sendAgain(step.value.batchId, step.value.operations)
      case 'send':
        return send(step.value.batch)
      case 'wait':
        cancelTimer?.()
        cancelTimer = context.clock.after(
          Math.min(Math.max(0, step.value.until - context.clock.now()), LONGEST_WAIT),
          wake,
        )
        return false
      case 'hold-back': {
        const { batches, unknown } = step.value
        return batches.every((batch) => finish(batch, { end: 'pause', error: stillUnknown(unknown) }))
      }
      case 'recheck':
        await look(step.value.object, step.value.operations, recheckWithin)
        return true
      case 'rest':
        return false
    }
  }

  const gather = (): Result<QueueStep> => {
    // Nothing of this company is on the wire between two steps: what says so was not written down at its end.
    const stale = journal.operations.open(company, ['sending'])
    if (!stale.ok) return stale
    if (stale.value.length > 0) {
      const moved = journal.operations.move(stale.value.map(answerNotWritten), null)
      if (!moved.ok) return moved
    }
    const unknown = journal.operations.open(company, ['unknown'])
    const held = journal.operations.open(company, ['held'])
    const openBatches = journal.operations.openBatches(company)
    const toRecheck = journal.operations.toRecheck(company)
    if (!unknown.ok) return unknown
    if (!held.ok) return held
    if (!openBatches.ok) return openBatches
    if (!toRecheck.ok) return toRecheck
    const ids = asked.operationIds()
    const askedFor = [...unknown.value, ...held.value].filter(({ operationId }) => ids.has(operationId))
    if (askedFor.length === 0) asked.answer(ok(undefined))
    return ok(
      nextStep({
        now: context.clock.now(),
        pauseOf: context.lookPause,
        unknown: unknown.value,
        sendAgain: held.value.filter((operation) => operation.sendAgain),
        asked: askedFor,
        openBatches: openBatches.value,
        passed,
        toRecheck: toRecheck.value.filter(({ state }) => state === 'acked'),
        noLookBefore,
      }),
    )
  }

  const look = async (
    object: string,
    operations: readonly JournalOperation[],
    read: (...of: Parameters<typeof lookWithin>) => Promise<Result<unknown>> = lookWithin,
  ): Promise<void> => {
    const count = operations.length
    const what = `Confirming ${count} ${count === 1 ? 'record' : 'records'} of ${listName(object)}`
    const { result, wasLetGo } = await turnToEnd(context.client, request(what, false, ''), (wire) =>
      read(context, wire, company, object, operations),
    )
    const looked = result.ok ? result.value : result
    if (looked.ok && !wasLetGo) {
      lookFailures = 0
      noLookBefore = 0
    } else if (!looked.ok && looked.error.kind === 'connection-changed') {
      // It was not made: the next one waits its turn where the connection leads now.
      noLookBefore = 0
    } else {
      lookFailures += 1
      const isStopped = wasLetGo || (!looked.ok && looked.error.kind === 'stopped')
      // Stopped by the person: they ask again when they want it looked at.
      noLookBefore = isStopped
        ? Number.MAX_SAFE_INTEGER
        : context.clock.now() + pauseAfterFailedLooks(lookFailures)
      if (isStopped) stopOpenBatches()
      if (!looked.ok) tellWhy(context, company, operations, looked.error)
    }
    asked.answer(
      looked.ok ? ok(undefined) : looked,
      new Set(operations.map(({ operationId }) => operationId)),
    )
  }

  /** What would wait for a look that the person stopped waits for the person. */
  const stopOpenBatches = (): void => {
    const open = journal.operations.openBatches(company)
    if (!open.ok) return
    for (const batch of open.value) finish(batch, { end: 'stop', error: null })
  }

  /** One more look right before, in the same turn; what is there by now is not sent. */
  const sendAgain = async (batchId: string, operations: readonly JournalOperation[]): Promise<boolean> => {
    const batch = journal.operations.batch(batchId)
    const [first] = operations
    if (!batch.ok || batch.value === null || first === undefined) return false
    const known = batch.value
    const size = sizeFor(known.object, first.kind)
    if (!size.ok) return false
    const together = operations.filter((operation) => operation.kind === first.kind)
    const what = `Sending again to ${listName(known.object)}`
    return inTurn(
      known,
      request(what, true, batchId),
      (wire) => sendAgainWithin(context, wire, known, together, size.value),
      together,
    )
  }

  const send = (batch: JournalBatch): Promise<boolean> => {
    const next = journal.operations.nextOfBatch(batch.batchId, 1)
    const size = next.ok ? sizeFor(batch.object, next.value[0]?.kind ?? 'insert') : next
    if (!size.ok) {
      return Promise.resolve(finish(batch, { end: 'pause', error: size.error }))
    }
    const what = `Sending to ${listName(batch.object)}`
    return inTurn(batch, request(what, true, batch.batchId), async (wire) => {
      // The person may have stopped it, or dropped some of it, while it waited for its turn.
      const current = journal.operations.batch(batch.batchId)
      const queued = journal.operations.nextOfBatch(batch.batchId, size.value)
      if (!current.ok) return { end: 'pause', error: current.error }
      if (!queued.ok) return { end: 'pause', error: queued.error }
      if (current.value?.status !== 'open') return { end: 'go-on' }
      return sendWithin(context, wire, batch, nextArray(queued.value, size.value))
    })
  }

  const sizeFor = (object: string, kind: OperationKind): Result<number> => {
    const application = context.directory.facts(company)?.application ?? ''
    const { connectionId } = company
    const manners = journal.manners.get({ connectionId, application, object, kind })
    const { batchSize } = context.settings(connectionId)
    return manners.ok ? ok(arraySize(manners.value, batchSize)) : manners
  }

  /** Answers as `takeStep` does. */
  const inTurn = async (
    batch: JournalBatch,
    turn: TurnRequest,
    work: (wire: Wire) => Promise<SendEnd>,
    sendingAgain: readonly JournalOperation[] = [],
  ): Promise<boolean> => {
    try {
      const { result, wasLetGo } = await turnToEnd(context.client, turn, work)
      context.setPhase(batch.batchId, null)
      if (!result.ok) {
        // What was to be sent again is held still: nothing of the batch was touched.
        if (sendingAgain.length > 0) return tellWhy(context, company, sendingAgain, result.error)
        const isStopped = result.error.kind === 'stopped'
        return finish(batch, isStopped ? STOPPED : { end: 'pause', error: result.error })
      }
      if (wasLetGo && sendingAgain.length > 0 && !tellWhy(context, company, sendingAgain, LET_GO))
        return false
      return finish(batch, wasLetGo && result.value.end === 'go-on' ? STOPPED : result.value)
    } catch (defect) {
      context.setPhase(batch.batchId, null)
      finish(batch, { end: 'pause', error: defectError(defect) })
      throw defect
    }
  }

  /** Answers false when the disk lets nothing be written. */
  const finish = (batch: JournalBatch, end: SendEnd): boolean => {
    const status = end.end === 'pause' ? 'paused' : 'stopped'
    const written =
      end.end === 'go-on' ? ok(undefined) : journal.operations.setBatch(batch.batchId, status, end.error)
    context.setStall(batch.batchId, written.ok ? null : written.error)
    // What is left of it waits for the person from now on, which its rows say.
    const left =
      end.end === 'go-on' ? ok([]) : journal.operations.nextOfBatch(batch.batchId, Number.MAX_SAFE_INTEGER)
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
      if (!unknown.ok) return unknown
      for (const operation of unknown.value) {
        if (lookDueAt(operation, context.lookPause(operation)) === null) passed.add(operation.operationId)
      }
      return ok(undefined)
    },
    forgetFailures() {
      lookFailures = 0
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
 * When the next look by itself is due; `null` when both looks were made and could not tell: then only the person
 * asks for another.
 */
export function lookDueAt(operation: JournalOperation, pause: number): number | null {
  if (operation.state !== 'unknown') return null
  if (operation.firstLookedAt === null || operation.lastLookedAt === null) return 0
  const last = Date.parse(operation.lastLookedAt)
  if (operation.looks >= 2 && isSecondLook(operation, last, pause)) return null
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
    const dueAt = isLookedAtLater(operation, facts.now) ? 0 : lookDueAt(operation, facts.pauseOf(operation))
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
