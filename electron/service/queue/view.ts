/** The lanes as the window shows them: what runs, what waits in which place, and until when nothing may leave. */
import type { Lane, LaneEntry } from '../../../shared/contract/activity.ts'
import type { AppError } from '../../../shared/result.ts'
import { queueOrder, type Entry, type LaneState } from './request-queue.ts'

/** What one connection's queue is shown from. */
export interface LaneFacts {
  readonly connectionId: string
  /** The lanes on which it asked, also those of former keys. */
  readonly lanes: readonly LaneState[]
  /** Of those that it asks on now: one, or two where the older service has an address of its own. */
  readonly currentKeys: ReadonlySet<string>
  readonly paused: AppError | null
  readonly last: Lane['last']
  /** Milliseconds since 1970. */
  readonly now: number
  /** By `Clock.elapsed`. */
  readonly elapsed: number
  /** The settling pause in milliseconds. */
  readonly settleMilliseconds: number
}

/**
 * One connection's queue, for Activity and the status line. A lane may serve other connections too: places are
 * counted over all of it.
 */
export function laneView({
  connectionId,
  lanes,
  currentKeys,
  paused,
  last,
  now,
  elapsed,
  settleMilliseconds,
}: LaneFacts): Lane {
  const isMine = (entry: Entry): boolean => entry.request.connectionId === connectionId
  const running = lanes.flatMap((lane) => (lane.running && isMine(lane.running) ? [lane.running] : []))
  const [first, ...beside] = running
  const queued = lanes.flatMap(({ entries }) =>
    queueOrder(entries).flatMap((entry, index) => (isMine(entry) ? [entryView(entry, index + 1)] : [])),
  )
  const backingOff = lanes.flatMap(({ entries }) =>
    entries.filter((entry) => isMine(entry) && entry.state === 'backing-off'),
  )
  // What something waits for is told first; of a former key's lane nothing is, unless something is on it.
  const shut = lanes
    .filter((lane) => lane.entries.length > 0 || currentKeys.has(lane.key))
    .toSorted((left, right) => Number(right.entries.length > 0) - Number(left.entries.length > 0))
    .flatMap((lane) => shutView(lane, { now, elapsed, settleMilliseconds }) ?? [])
  return {
    connectionId,
    running: first === undefined ? null : entryView(first, 0),
    waiting: [
      ...beside.map((entry) => entryView(entry, 0)),
      ...queued,
      ...backingOff.map((entry) => entryView(entry, 0)),
    ],
    ...(shut[0] ?? { shutUntil: null, shutBy: null }),
    paused,
    last,
  }
}

/** Why nothing leaves. A turn that was let go of shuts the lane from then on, although its deadline still runs. */
function shutView(
  { running, entries, shut, usedElsewhereUntil }: LaneState,
  { now, elapsed, settleMilliseconds }: Pick<LaneFacts, 'now' | 'elapsed' | 'settleMilliseconds'>,
): Pick<Lane, 'shutUntil' | 'shutBy'> | null {
  if (running?.state === 'let-go' && running.deadlineAt !== null) {
    const { what, companyName } = running.request
    return {
      shutUntil: iso(running.deadlineAt + settleMilliseconds),
      shutBy: { what, companyName, because: 'answer' },
    }
  }
  if (usedElsewhereUntil !== null && running === null && entries.length > 0) {
    const until = Math.max(usedElsewhereUntil, now)
    return { shutUntil: iso(until), shutBy: { what: '', companyName: '', because: 'elsewhere' } }
  }
  if (shut === null || shut.opensAt <= elapsed) return null
  // By the clock on the wall as it is now, however it was set meanwhile.
  return { shutUntil: iso(now + shut.opensAt - elapsed), shutBy: shut.by }
}

function entryView(entry: Entry, position: number): LaneEntry {
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
