/** What a batch waits for just now: its turn, a lane that is shut or paused, the second look; pure. */
import type { Lane } from '../../shared/contract/activity.ts'
import type { Batch, Operation } from '../../shared/contract/records.ts'
import { shutReason, type ShowTime } from '../frame/lane-words.ts'

/** In words for the step that the batch is at, and the ISO moment that is waited for, where one is known. */
export interface BatchWait {
  readonly words: string
  readonly until: string | null
}

export interface WaitFacts {
  readonly batch: Batch
  /** The queue of the batch's connection; `null` when nothing was heard of it. */
  readonly lane: Lane | null
  /** Operations of the batch that are not confirmed. */
  readonly unconfirmed: readonly Pick<Operation, 'looks' | 'lastLookedAt'>[]
  /** The setting: seconds between the two looks for a new record. */
  readonly lookAgainSeconds: number
}

/** `null` when it waits for nothing but the answer to what it is doing. */
export function batchWait(facts: WaitFacts, time: ShowTime): BatchWait | null {
  const { batch, lane } = facts
  if (lane?.running?.batchId === batch.batchId) return null
  switch (batch.phase) {
    case 'waiting':
      return queueWait(batch, lane, time)
    case 'confirming':
      return lookWait(facts, time)
    case 'checking':
    case 'sending':
    case 'stopped':
    case 'paused':
    case 'done':
      return null
  }
}

function queueWait(batch: Batch, lane: Lane | null, time: ShowTime): BatchWait | null {
  const laneWait = closedWait(lane, time)
  if (laneWait !== null) return laneWait
  const mine = lane?.waiting.find(({ batchId }) => batchId === batch.batchId)
  const before = mine ? Math.max(0, mine.position - 1) + (lane?.running ? 1 : 0) : 0
  return before === 0 ? null : { words: `Waiting for its turn: ${before} before it`, until: null }
}

/** Paused, or shut; nothing can leave before that ends. */
function closedWait(lane: Lane | null, time: ShowTime): BatchWait | null {
  if (lane?.paused) return { words: `Waiting: ${lane.paused.message}`, until: null }
  if (lane?.shutUntil) {
    return { words: `Waiting until ${time(lane.shutUntil)}: ${shutReason(lane)}`, until: lane.shutUntil }
  }
  return null
}

function lookWait({ lane, unconfirmed, lookAgainSeconds }: WaitFacts, time: ShowTime): BatchWait | null {
  const closed = closedWait(lane, time)
  if (closed !== null) return { ...closed, words: `Confirming. ${closed.words}` }
  const lastLooked = unconfirmed
    .flatMap(({ looks, lastLookedAt }) => (looks > 0 && lastLookedAt !== null ? [lastLookedAt] : []))
    .toSorted()
    .at(-1)
  if (lastLooked === undefined) return null
  const again = new Date(Date.parse(lastLooked) + lookAgainSeconds * 1_000).toISOString()
  return { words: `Confirming: first look ${time(lastLooked)}, second look at ${time(again)}`, until: again }
}
