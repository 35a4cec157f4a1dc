/** Decides what a company's queue does next. Pure. */
import type { JournalBatch, JournalOperation } from '../../store/journal/journal.ts'
import { isRecheckedInFuture, isSecondRecheck } from './reconcile.ts'

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

export type QueueStep =
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
export function pauseAfterFailures(failures: number): number {
  const PAUSES = [10_000, 60_000, 5 * 60_000]
  return PAUSES[Math.min(failures, PAUSES.length) - 1] ?? 0
}
