/**
 * One company's writes, one after another: looks at what is in doubt first, then sends what is queued. Wakes when
 * there is something to do, rests otherwise; it never polls.
 */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { listName } from '../../shared/records/definition.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import type { TurnRequest, Wire } from '../service/wire.ts'
import type { JournalBatch, JournalOperation, OperationKind } from '../store/journal.ts'
import { answerNotWritten } from './answer.ts'
import { makeAskedLooks } from './asked-looks.ts'
import { arraySize, nextArray } from './batching.ts'
import { defectError, turnToEnd, type WritingContext } from './context.ts'
import { recheckWithin } from './duplicates.ts'
import { lookWithin } from './looking.ts'
import { lookDueAt, nextStep, pauseAfterFailedLooks, type QueueStep } from './schedule.ts'
import { sendAgainWithin } from './sending-again.ts'
import { sendWithin, type SendEnd } from './sending.ts'
import { stillUnknown, tellWhy } from './still-in-doubt.ts'

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
