/**
 * Request queues: what waits and runs in one, what runs next, until when it is blocked, how the window shows it, and
 * which queues a connection uses. `scheduler.ts` runs them.
 */
import { createHmac } from 'node:crypto'
import type { QueueEntry, RequestQueue } from '../../../shared/contract/activity.ts'
import { type AppError, ok, type Result } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import type { Cooldown } from '../protocol/cooldown.ts'
import { SAMPLE_ADDRESS } from '../protocol/requests.ts'
import type { ServiceTarget, SlotRequest } from '../protocol/wire.ts'

/** A request's place in its queue, which it keeps over all of its tries. */
export interface Ticket {
  readonly entryId: string
  readonly request: SlotRequest
  readonly isStopped: () => boolean
  /** Resolves when the user stops the request, even while it runs. */
  readonly stopped: Promise<void>
}

/** One request in a queue. All times are milliseconds since 1970. */
export interface Entry {
  readonly ticket: Ticket
  readonly queueKey: string
  readonly request: SlotRequest
  /** Identifies the books at the service, whichever key leads to them. Empty if the request concerns none. */
  readonly books: string
  /** The maximum number of tries. */
  readonly attempts: number
  readonly queuedAt: number
  readonly order: number
  /** Tries that have started. */
  attempt: number
  state: QueueEntry['state']
  startedAt: number | null
  deadlineAt: number | null
  /** When its current wait ends: for the next try, or for the request before it in the same slot. */
  pausesUntil: number | null
  progress: string
  /** The error of the previous try. Empty if there is none. */
  trouble: string
  isStopped: boolean
  announceStop: () => void
  /** Set while it waits for its slot. */
  begin: ((result: Result<void>) => void) | null
  /** Set while it backs off. */
  endBackOff: ((result: Result<void>) => void) | null
}

/** Creates the entry of a request that has not been tried yet. */
export function createEntry(
  ticket: Ticket,
  facts: Pick<Entry, 'queueKey' | 'books' | 'attempts' | 'queuedAt' | 'order' | 'announceStop'>,
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

/** The requests that share one key, of which one runs at a time. */
export interface QueueState {
  readonly key: string
  readonly entries: Entry[]
  running: Entry | null
  /** Why nothing may be sent, and until when; `null` if the queue is open. */
  block: {
    readonly by: NonNullable<RequestQueue['blockedBy']>
    /** The `books` of the request that blocked it; empty if that is not known. */
    readonly books: string
    /** By `Clock.elapsed`. */
    readonly opensAt: number
    /** By the wall clock when the block began. */
    readonly until: number
    /** Whether an earlier run or another program blocked it. */
    readonly isByDisk: boolean
  } | null
  /** The block that was last written to disk or read from it. */
  lastSeenBlock: StoredBlock | null
  /** The latest time at which another program on this computer releases the queue; `null` if none is using it. */
  usedByOtherProgramUntil: number | null
  cancelTimer: (() => void) | null
}

/** The most urgent entry that may start. If it writes to a company, the oldest write to that company instead. */
export function pickNext(entries: readonly Entry[], canBegin: (entry: Entry) => boolean): Entry | null {
  const first = least(entries, canBegin, byUrgency)
  const company = first?.request.company ?? null
  if (first === null || !first.request.isWrite || company === null) return first
  const isSameBooks = (entry: Entry): boolean =>
    entry.request.isWrite &&
    // Within one queue, an endpoint ID names the same books for every connection.
    entry.request.company?.endpointId === company.endpointId &&
    canBegin(entry)
  return least(entries, isSameBooks, (left, right) => left.order - right.order)
}

/**
 * The waiting entries in the order in which they would run if no others came. Omits entries that back off, because they
 * queue up again afterward.
 */
function queueOrder(entries: readonly Entry[]): readonly Entry[] {
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
  if (left.request.priority !== right.request.priority)
    return left.request.priority === 'interactive' ? -1 : 1
  return left.order - right.order
}

/** The least of the entries that fit. A single pass, because queues may be long and every slot asks. */
function least(
  entries: readonly Entry[],
  fits: (entry: Entry) => boolean,
  compare: (left: Entry, right: Entry) => number,
): Entry | null {
  let found: Entry | null = null
  for (const entry of entries) if (fits(entry) && (found === null || compare(entry, found) < 0)) found = entry
  return found
}

/*
 * Blocks. A queue whose request may still be running in the service stays blocked, in memory and on disk, so that a
 * restart and other programs honor the block, too (docs/decisions.md, "One request at a time"). A running program
 * measures it by `Clock.elapsed`, so that setting the wall clock neither opens a queue early nor keeps it blocked.
 */

/** A block as other programs and later runs see it. */
export interface StoredBlock {
  /** When it began, in milliseconds since 1970. */
  readonly at: number
  /** Milliseconds since 1970. */
  readonly until: number
  /** `at` by `Clock.elapsed`. */
  readonly elapsed: number
  /** The request, as shown, without the company's name. */
  readonly what: string
  readonly reason: NonNullable<RequestQueue['blockedBy']>['reason']
}

/**
 * Queues on disk, shared by all programs of this user on this computer. The store implements it. Failures are values,
 * because the queue decides on each.
 */
export interface QueueStorage {
  block(queueKey: string, block: StoredBlock): Result<void>
  unblock(queueKey: string): Result<void>
  blockOf(queueKey: string): Result<StoredBlock | null>
  /** Acquires a queue for this program; `false` while another one holds it. */
  acquire(queueKey: string): Result<boolean>
  release(queueKey: string): void
}

/** No deadline is longer than this. */
const LONGEST_BLOCK = 3 * 60 * 60 * 1_000

/** Creates an empty queue, blocked for as long as the disk says. */
function restoreQueue(key: string, storage: QueueStorage, clock: Clock): QueueState {
  const queue: QueueState = {
    key,
    entries: [],
    running: null,
    block: null,
    lastSeenBlock: null,
    usedByOtherProgramUntil: null,
    cancelTimer: null,
  }
  refreshBlock(queue, storage, clock)
  return queue
}

/**
 * Reads a queue's block from disk, where another program may have set or lifted it. A block that was read before
 * keeps the end that was computed then. If the disk can't be read, the queue stays as it is.
 */
export function refreshBlock(queue: QueueState, storage: QueueStorage, clock: Clock): Result<void> {
  const read = storage.blockOf(queue.key)
  if (!read.ok) return read
  const stored = read.value
  if (stored === null) {
    if (queue.block?.isByDisk === true) queue.block = null
    return ok(undefined)
  }
  if (isSame(stored, queue.lastSeenBlock)) return ok(undefined)
  queue.lastSeenBlock = stored
  const left = remainingOf(stored, clock)
  if (left <= 0) return ok(undefined)
  queue.block = {
    // The company's name is not on disk.
    by: { what: stored.what, companyName: '', reason: stored.reason },
    books: '',
    opensAt: clock.elapsed() + left,
    until: stored.until,
    isByDisk: true,
  }
  return ok(undefined)
}

/**
 * The milliseconds that are left of a stored block. `elapsed` counts from the computer's start. After a restart, it is
 * either less than the stored value, and the wall clock decides, or it understates the time that has passed. Either
 * way, the block never ends early.
 */
function remainingOf({ at, until, elapsed }: StoredBlock, clock: Clock): number {
  const whole = Math.min(until - at, LONGEST_BLOCK)
  const since = clock.elapsed() < elapsed ? clock.now() - at : clock.elapsed() - elapsed
  return Math.min(whole, whole - since)
}

/** Records that another program holds the queue, and until when at the latest. */
export function markUsedByOtherProgram(queue: QueueState, storage: QueueStorage, now: number): void {
  queue.usedByOtherProgramUntil = Math.max(now, storedBlock(queue.key, storage)?.until ?? now)
}

function storedBlock(queueKey: string, storage: QueueStorage): StoredBlock | null {
  const read = storage.blockOf(queueKey)
  return read.ok ? read.value : null
}

function isSame(one: StoredBlock, other: StoredBlock | null): boolean {
  return one.at === other?.at && one.until === other.until && one.elapsed === other.elapsed
}

/** What blocks a queue. */
export interface Blocking {
  /** The request that was sent. */
  readonly entry: Pick<Entry, 'request' | 'books' | 'isStopped'>
  readonly cooldown: Cooldown
  /** The grace period after a request that may have been running, in milliseconds. */
  readonly grace: number
}

/**
 * Blocks a queue, in memory and on disk, until the cooldown is over. A grace period follows if the request may have
 * been running. Writes and stopped requests get at least the grace period even if the service only asked to wait.
 */
export function blockQueue(queue: QueueState, storage: QueueStorage, clock: Clock, blocking: Blocking): void {
  const { entry, cooldown, grace } = blocking
  const { request, books, isStopped } = entry
  const { what, companyName } = request
  const now = clock.now()
  const afterGrace = now + grace
  const until =
    cooldown.reason === 'at-work'
      ? Math.max(afterGrace, cooldown.until + grace)
      : request.isWrite || isStopped
        ? Math.max(afterGrace, cooldown.until)
        : cooldown.until
  const reason = cooldown.reason === 'at-work' && cooldown.until <= now ? 'settling' : cooldown.reason
  const elapsed = clock.elapsed()
  queue.block = {
    by: { what, companyName, reason },
    books,
    opensAt: elapsed + until - now,
    until,
    isByDisk: false,
  }
  queue.lastSeenBlock = { at: Math.floor(now), until: Math.ceil(until), elapsed, what, reason }
  storage.block(queue.key, queue.lastSeenBlock)
}

/** The milliseconds for which a queue is still blocked; 0 or less if its block is over. */
export function blockedFor({ block }: QueueState, clock: Clock): number {
  return block === null ? 0 : block.opensAt - clock.elapsed()
}

/** Shortens a block by the wall clock after the computer slept, because `elapsed` may have stood still. */
export function adjustAfterSleep(queue: QueueState, clock: Clock): void {
  if (queue.block === null) return
  const left = Math.max(0, queue.block.until - clock.now())
  queue.block = { ...queue.block, opensAt: Math.min(queue.block.opensAt, clock.elapsed() + left) }
}

/** Lifts a block that is over; on disk only if no other program has replaced it. */
export function unblockQueue(queue: QueueState, storage: QueueStorage): void {
  queue.block = null
  const acquired = storage.acquire(queue.key)
  if (!acquired.ok || !acquired.value) return
  const stored = storedBlock(queue.key, storage)
  if (stored !== null && isSame(stored, queue.lastSeenBlock)) storage.unblock(queue.key)
  storage.release(queue.key)
}

/** The input for what the window shows of one connection's queues. */
export interface QueueViewFacts {
  readonly connectionId: string
  /** Every queue that the connection used, including those of former keys. */
  readonly queues: readonly QueueState[]
  /** The keys of the queues in use now: one, or two if the older service has its own key. */
  readonly currentKeys: ReadonlySet<string>
  readonly paused: AppError | null
  readonly last: RequestQueue['last']
  /** Milliseconds since 1970. */
  readonly now: number
  /** By `Clock.elapsed`. */
  readonly elapsed: number
  /** The grace period in milliseconds. */
  readonly grace: number
}

/**
 * One connection's queue as Activity and the status line show it. Positions count the whole queue, which may serve
 * other connections too.
 */
export function queueView(facts: QueueViewFacts): RequestQueue {
  const { connectionId, queues, currentKeys, paused, last } = facts
  const isMine = (entry: Entry): boolean => entry.request.connectionId === connectionId
  const running = queues.flatMap((queue) => (queue.running && isMine(queue.running) ? [queue.running] : []))
  const [first, ...others] = running
  const queued = queues.flatMap(({ entries }) =>
    queueOrder(entries).flatMap((entry, index) => (isMine(entry) ? [entryView(entry, index + 1)] : [])),
  )
  const backingOff = queues.flatMap(({ entries }) =>
    entries.filter((entry) => isMine(entry) && entry.state === 'backing-off'),
  )
  // Queues with entries come first. A former key's queue counts only while it has entries.
  const blocks = queues
    .filter((queue) => queue.entries.length > 0 || currentKeys.has(queue.key))
    .toSorted((left, right) => Number(right.entries.length > 0) - Number(left.entries.length > 0))
    .flatMap((queue) => blockView(queue, facts) ?? [])
  return {
    connectionId,
    running: first === undefined ? null : entryView(first, 0),
    waiting: [
      ...others.map((entry) => entryView(entry, 0)),
      ...queued,
      ...backingOff.map((entry) => entryView(entry, 0)),
    ],
    ...(blocks[0] ?? { blockedUntil: null, blockedBy: null }),
    paused,
    last,
  }
}

/** Why nothing is sent, and until when. A running request that was stopped counts as a block until its deadline. */
function blockView(
  { running, entries, block, usedByOtherProgramUntil }: QueueState,
  { now, elapsed, grace }: QueueViewFacts,
): Pick<RequestQueue, 'blockedUntil' | 'blockedBy'> | null {
  if (running?.state === 'abandoned' && running.deadlineAt !== null) {
    const { what, companyName } = running.request
    return {
      blockedUntil: iso(running.deadlineAt + grace),
      blockedBy: { what, companyName, reason: 'answer' },
    }
  }
  if (usedByOtherProgramUntil !== null && running === null && entries.length > 0) {
    const until = Math.max(usedByOtherProgramUntil, now)
    return { blockedUntil: iso(until), blockedBy: { what: '', companyName: '', reason: 'elsewhere' } }
  }
  if (block === null || block.opensAt <= elapsed) return null
  // By the wall clock's current time, because the clock may have been set since.
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
    // The current try, or the next one if none is running.
    attempt: state === 'running' || state === 'abandoned' ? Math.max(1, entry.attempt) : entry.attempt + 1,
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

/*
 * The queues of all connections. A connection's older service has a queue of its own.
 */

type Service = 'v2' | 'v1'

export class QueueRegistry {
  readonly #clock: Clock
  readonly #storage: QueueStorage
  readonly #queues = new Map<string, QueueState>()
  /** The keys of every queue that a connection used. */
  readonly #keysOf = new Map<string, Set<string>>()
  readonly #currentOf = new Map<string, Map<Service, string>>()
  /** By connection, service, and address: the keys of the queues. */
  readonly #groups = new Map<string, Set<string>>()

  constructor(clock: Clock, storage: QueueStorage) {
    this.#clock = clock
    this.#storage = storage
  }

  /** The queue of a key, initially as an earlier run left it. */
  queueOf(key: string): QueueState {
    const known = this.#queues.get(key)
    if (known !== undefined) return known
    const queue = restoreQueue(key, this.#storage, this.#clock)
    this.#queues.set(key, queue)
    return queue
  }

  /** Notes that a connection uses a queue for one of its services. */
  use(connectionId: string, key: string, service: Service = 'v2', address = ''): void {
    const group = JSON.stringify([connectionId, service, address])
    this.#groups.set(group, (this.#groups.get(group) ?? new Set()).add(key))
    const keys = this.#keysOf.get(connectionId) ?? new Set()
    this.#keysOf.set(connectionId, keys.add(key))
    const current = this.#currentOf.get(connectionId) ?? new Map<Service, string>()
    this.#currentOf.set(connectionId, current.set(service, key))
  }

  /**
   * The other queues of connections to the same address. A new key leads to the same agents as the former one, so a
   * request that is running with one key blocks the other.
   */
  siblings(key: string): readonly QueueState[] {
    const keys = new Set(
      [...this.#groups.values()].filter((group) => group.has(key)).flatMap((group) => [...group]),
    )
    keys.delete(key)
    return [...keys].map((sibling) => this.queueOf(sibling))
  }

  all(): readonly QueueState[] {
    return [...this.#queues.values()]
  }

  /** The IDs of the connections that used a queue. */
  connections(): readonly string[] {
    return [...this.#keysOf.keys()]
  }

  /** Every queue that a connection used (a changed key has another queue), and the keys of those in use now. */
  of(connectionId: string): {
    readonly queues: readonly QueueState[]
    readonly currentKeys: ReadonlySet<string>
  } {
    return {
      queues: [...(this.#keysOf.get(connectionId) ?? [])].map((key) => this.queueOf(key)),
      currentKeys: new Set(this.#currentOf.get(connectionId)?.values()),
    }
  }
}

/** The sample's queue. Each program has its own sample, which no other program uses. */
export const SAMPLE_QUEUE = 'sample'

/** Names the queue of a target's key, or of its older service's key. */
export type QueueNames = (
  target: Pick<ServiceTarget, 'address' | 'key' | 'legacyKey'>,
  service?: 'v1',
) => string

/**
 * Names queues. There is one name per key, whatever address or connection leads to it, because two names may lead to
 * one service (docs/decisions.md, "One request at a time"). The name is on disk, so it is a digest keyed with a secret
 * of this computer's user. Without the secret, no one can try keys against it.
 * @param secret the same for all programs of this user on this computer
 */
export function createQueueNames(secret: string): QueueNames {
  return ({ address, key, legacyKey }, service) => {
    if (address === SAMPLE_ADDRESS) return SAMPLE_QUEUE
    const digest = createHmac('sha256', secret).update(service === 'v1' ? legacyKey : key)
    return `key-${digest.digest('hex')}`
  }
}
