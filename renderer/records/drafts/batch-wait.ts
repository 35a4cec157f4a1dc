/** What a batch is waiting for: its turn, a blocked or paused queue, or the second check. */
import type { RequestQueue } from '../../../shared/contract/activity.ts'
import type { Batch, Operation } from '../../../shared/contract/records.ts'
import { heldWait, type QueueWait, queueWait, type ShowTime } from '../../frame/status/status.ts'

export interface WaitFacts {
  readonly batch: Batch
  /** The queue of the batch's connection; `null` if unknown. */
  readonly queue: RequestQueue | null
  /** Unconfirmed operations of the batch. */
  readonly unconfirmed: readonly Pick<Operation, 'rechecks' | 'lastRecheckedAt'>[]
  /** Seconds between the two checks for a new record, from the settings. */
  readonly recheckSeconds: number
}

/** Returns what a batch is waiting for; `null` if only for the response to its current request. */
export function batchWait(facts: WaitFacts, time: ShowTime): QueueWait | null {
  const { batch, queue } = facts
  if (queue?.running?.batchId === batch.batchId) return null
  switch (batch.phase) {
    case 'waiting':
      return queueWait(queue, ({ batchId }) => batchId === batch.batchId, time)
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

function lookWait({ queue, unconfirmed, recheckSeconds }: WaitFacts, time: ShowTime): QueueWait | null {
  const held = heldWait(queue, time)
  // The status line says until when and why.
  if (held?.until) return { text: 'Not confirmed', until: null }
  if (held !== null) return { ...held, text: `Not confirmed. ${held.text}` }
  const lastLooked = unconfirmed
    .flatMap(({ rechecks, lastRecheckedAt }) =>
      rechecks > 0 && lastRecheckedAt !== null ? [lastRecheckedAt] : [],
    )
    .toSorted()
    .at(-1)
  if (lastLooked === undefined) return null
  const again = new Date(Date.parse(lastLooked) + recheckSeconds * 1_000).toISOString()
  return {
    text: `Not confirmed. First check at ${time(lastLooked)}, second check at ${time(again)}`,
    until: again,
  }
}
