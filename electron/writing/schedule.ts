/** What a company's queue does next. Decides only; `company-queue.ts` does it. */
import type { JournalBatch, JournalOperation } from '../store/journal.ts'
import { isLookedAtLater, isSecondLook } from './settle.ts'

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
export function pauseAfterFailedLooks(failures: number): number {
  const PAUSES = [10_000, 60_000, 5 * 60_000]
  return PAUSES[Math.min(failures, PAUSES.length) - 1] ?? 0
}
