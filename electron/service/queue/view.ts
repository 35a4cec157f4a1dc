/** The queues as the window shows them: what runs, what waits in which place, and until when nothing may leave. */
import type { RequestQueue, QueueEntry } from '../../../shared/contract/activity.ts'
import type { AppError } from '../../../shared/result.ts'
import { queueOrder, type Entry, type QueueState } from './request-queue.ts'

/** What one connection's queue is shown from. */
export interface QueueViewFacts {
  readonly connectionId: string
  /** The queues on which it asked, also those of former keys. */
  readonly queues: readonly QueueState[]
  /** Of those that it asks on now: one, or two where the older service has an address of its own. */
  readonly currentKeys: ReadonlySet<string>
  readonly paused: AppError | null
  readonly last: RequestQueue['last']
  /** Milliseconds since 1970. */
  readonly now: number
  /** By `Clock.elapsed`. */
  readonly elapsed: number
  /** The settling pause in milliseconds. */
  readonly graceMilliseconds: number
}

/**
 * One connection's queue, for Activity and the status line. A queue may serve other connections too: places are
 * counted over all of it.
 */
export function queueView({
  connectionId,
  queues,
  currentKeys,
  paused,
  last,
  now,
  elapsed,
  graceMilliseconds,
}: QueueViewFacts): RequestQueue {
  const isMine = (entry: Entry): boolean => entry.request.connectionId === connectionId
  const running = queues.flatMap((queue) => (queue.running && isMine(queue.running) ? [queue.running] : []))
  const [first, ...beside] = running
  const queued = queues.flatMap(({ entries }) =>
    queueOrder(entries).flatMap((entry, index) => (isMine(entry) ? [entryView(entry, index + 1)] : [])),
  )
  const backingOff = queues.flatMap(({ entries }) =>
    entries.filter((entry) => isMine(entry) && entry.state === 'backing-off'),
  )
  // What something waits for is told first; of a former key's queue nothing is, unless something is on it.
  const shut = queues
    .filter((queue) => queue.entries.length > 0 || currentKeys.has(queue.key))
    .toSorted((left, right) => Number(right.entries.length > 0) - Number(left.entries.length > 0))
    .flatMap((queue) => blockView(queue, { now, elapsed, graceMilliseconds }) ?? [])
  return {
    connectionId,
    running: first === undefined ? null : entryView(first, 0),
    waiting: [
      ...beside.map((entry) => entryView(entry, 0)),
      ...queued,
      ...backingOff.map((entry) => entryView(entry, 0)),
    ],
    ...(shut[0] ?? { blockedUntil: null, blockedBy: null }),
    paused,
    last,
  }
}

/** Why nothing leaves. A turn that was let go of blocks the queue from then on, although its deadline still runs. */
function blockView(
  { running, entries, block, usedElsewhereUntil }: QueueState,
  { now, elapsed, graceMilliseconds }: Pick<QueueViewFacts, 'now' | 'elapsed' | 'graceMilliseconds'>,
): Pick<RequestQueue, 'blockedUntil' | 'blockedBy'> | null {
  if (running?.state === 'let-go' && running.deadlineAt !== null) {
    const { what, companyName } = running.request
    return {
      blockedUntil: iso(running.deadlineAt + graceMilliseconds),
      blockedBy: { what, companyName, because: 'answer' },
    }
  }
  if (usedElsewhereUntil !== null && running === null && entries.length > 0) {
    const until = Math.max(usedElsewhereUntil, now)
    return { blockedUntil: iso(until), blockedBy: { what: '', companyName: '', because: 'elsewhere' } }
  }
  if (block === null || block.opensAt <= elapsed) return null
  // By the clock on the wall as it is now, however it was set meanwhile.
  return { blockedUntil: iso(now + block.opensAt - elapsed), blockedBy: block.by }
}

function entryView(entry: Entry, position: number): QueueEntry {
  const { request, state } = entry
  return {
    entryId: entry.ticket.entryId,
    connectionId: request.connectionId,
    companyName: request.companyName,
    company: request.company,
    what: request.what,
    isWrite: request.isWrite,
    priority: request.priority,
    batchId: request.batchId,
    state,
    queuedAt: iso(entry.queuedAt),
    startedAt: isoOrNull(entry.startedAt),
    deadlineAt: isoOrNull(entry.deadlineAt),
    pausesUntil: isoOrNull(entry.pausesUntil),
    // What waits has not begun the try that it waits for; what backs off has ended the last one.
    attempt: state === 'running' || state === 'let-go' ? Math.max(1, entry.attempt) : entry.attempt + 1,
    attempts: entry.attempts,
    position,
    progress: entry.progress,
    trouble: entry.trouble,
  }
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : iso(milliseconds)
}
