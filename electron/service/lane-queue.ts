/** What waits or runs on a lane, and which of it goes next. */
import type { Lane, LaneEntry } from '../../shared/contract/activity.ts'
import type { Result } from '../../shared/result.ts'
import type { KeptShut } from './lane-shutting.ts'
import type { TurnRequest } from './wire.ts'

/** A place in the queue, kept over all tries of one request. */
export interface Ticket {
  readonly entryId: string
  readonly request: TurnRequest
  readonly isStopped: () => boolean
  /** Answers when the person stops it, also while it runs. */
  readonly stopped: Promise<void>
}

/** One request in the queue. All times are milliseconds since 1970. */
export interface Entry {
  readonly ticket: Ticket
  readonly laneKey: string
  readonly request: TurnRequest
  readonly attempts: number
  readonly queuedAt: number
  readonly order: number
  /** Tries that have begun. */
  attempt: number
  state: LaneEntry['state']
  startedAt: number | null
  deadlineAt: number | null
  /** The end of its present pause: until the next try, or until the service is surely free. */
  pausesUntil: number | null
  progress: string
  /** What was wrong with the try before; empty for none. */
  trouble: string
  isStopped: boolean
  announceStop: () => void
  /** Set while it waits for its turn. */
  begin: ((result: Result<void>) => void) | null
  /** Set while it backs off. */
  endBackOff: ((result: Result<void>) => void) | null
}

/** A request that has just entered: it has not tried yet. */
export function newEntry(
  ticket: Ticket,
  facts: Pick<Entry, 'laneKey' | 'attempts' | 'queuedAt' | 'order' | 'announceStop'>,
): Entry {
  return {
    ...facts,
    ticket,
    request: ticket.request,
    attempt: 0,
    state: 'waiting',
    startedAt: null,
    deadlineAt: null,
    pausesUntil: null,
    progress: '',
    trouble: '',
    isStopped: false,
    begin: null,
    endBackOff: null,
  }
}

/** Everything on one key. */
export interface LaneState {
  readonly key: string
  readonly entries: Entry[]
  running: Entry | null
  /** Why nothing may leave, and until when; `null` when it is open. */
  shut: {
    readonly by: NonNullable<Lane['shutBy']>
    /** By `Clock.elapsed`. */
    readonly opensAt: number
    /** The same by the wall clock as it was then. */
    readonly until: number
    /** An earlier run or another program shut it. */
    readonly isByDisk: boolean
  } | null
  /** What was on disk when it was read or written last. */
  heeded: KeptShut | null
  /** Another program on this computer has it, at the latest until then; `null` when none has. */
  usedElsewhereUntil: number | null
  cancelTimer: (() => void) | null
}

/** The most urgent that may begin; if it writes to a company, the oldest write to that company instead. */
export function pickNext(entries: readonly Entry[], mayBegin: (entry: Entry) => boolean): Entry | null {
  const first = least(entries, mayBegin, byUrgency)
  const company = first?.request.company ?? null
  if (first === null || !first.request.isWrite || company === null) return first
  const isSameBooks = (entry: Entry): boolean =>
    entry.request.isWrite &&
    // On one lane an id names the same books, whatever connection asks.
    entry.request.company?.endpointId === company.endpointId &&
    mayBegin(entry)
  return least(entries, isSameBooks, (left, right) => left.order - right.order)
}

/**
 * All that waits, in the order in which it would go if nothing else came. What backs off is not among it: it enters
 * again when its pause is over.
 */
export function queueOrder(entries: readonly Entry[]): readonly Entry[] {
  const left = new Set(entries.filter(({ state }) => state === 'waiting'))
  const ordered: Entry[] = []
  for (;;) {
    const next = pickNext([...left], () => true)
    if (next === null) return ordered
    ordered.push(next)
    left.delete(next)
  }
}

function byUrgency(left: Entry, right: Entry): number {
  if (left.request.priority !== right.request.priority) return left.request.priority === 'person' ? -1 : 1
  return left.order - right.order
}

/** The first in an order among those that fit, in one pass: a queue may be long, and this is asked at every turn. */
function least(
  entries: readonly Entry[],
  fits: (entry: Entry) => boolean,
  compare: (left: Entry, right: Entry) => number,
): Entry | null {
  let found: Entry | null = null
  for (const entry of entries) if (fits(entry) && (found === null || compare(entry, found) < 0)) found = entry
  return found
}
