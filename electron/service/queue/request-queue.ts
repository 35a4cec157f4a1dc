/** What waits or runs on a queue, and which of it goes next. */
import type { RequestQueue, QueueEntry } from '../../../shared/contract/activity.ts'
import { type Result, ok } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import { isLegacyTrouble } from '../companies/company-list.ts'
import { saysNotReached } from '../errors/service-errors.ts'
import { decodeLegacyEnvelope, decodeUserAnswer } from '../protocol/envelope.ts'
import { LONGEST_RETRY_AFTER, busyError } from '../protocol/retries.ts'
import type { RawAnswer, SlotRequest } from '../protocol/wire.ts'
import type { Exchange } from '../transport/exchange.ts'

/** A place in the queue, kept over all tries of one request. */
export interface Ticket {
  readonly entryId: string
  readonly request: SlotRequest
  readonly isStopped: () => boolean
  /** Answers when the person stops it, also while it runs. */
  readonly stopped: Promise<void>
}

/** One request in the queue. All times are milliseconds since 1970. */
export interface Entry {
  readonly ticket: Ticket
  readonly queueKey: string
  readonly request: SlotRequest
  readonly attempts: number
  readonly queuedAt: number
  readonly order: number
  /** Tries that have begun. */
  attempt: number
  state: QueueEntry['state']
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
  facts: Pick<Entry, 'queueKey' | 'attempts' | 'queuedAt' | 'order' | 'announceStop'>,
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
export interface QueueState {
  readonly key: string
  readonly entries: Entry[]
  running: Entry | null
  /** Why nothing may leave, and until when; `null` when it is open. */
  block: {
    readonly by: NonNullable<RequestQueue['blockedBy']>
    /** By `Clock.elapsed`. */
    readonly opensAt: number
    /** The same by the wall clock as it was then. */
    readonly until: number
    /** An earlier run or another program blocked it. */
    readonly isByDisk: boolean
  } | null
  /** What was on disk when it was read or written last. */
  lastSeenBlock: StoredBlock | null
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
    // On one queue an id names the same books, whatever connection asks.
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

/*
 * Until when nothing may leave on a queue, in memory and on disk, so that a restart and other programs heed it too
 * (decisions.md, "Stopping a request only stops waiting"). A running program measures it by `Clock.elapsed`, which nobody can set: a
 * wall clock that is set forward opens no queue early, and one that is set back keeps none shut.
 */

/** What others know of a queue that this program leaves shut. */
export interface StoredBlock {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Milliseconds since 1970. */
  readonly until: number
  /** `at` by `Clock.elapsed`; `null` where an older program kept it. */
  readonly elapsed: number | null
  readonly what: string
  readonly because: NonNullable<RequestQueue['blockedBy']>['because']
}

/** Queues as all programs on this computer share them, kept on disk (`SharedQueues` of the store fits). */
export interface QueueStorage {
  block(queueKey: string, block: StoredBlock): Result<void>
  unblock(queueKey: string): Result<void>
  blockOf(queueKey: string): Result<StoredBlock | null>
  /** Takes a queue for this program; `false` while another one has it. */
  acquire(queueKey: string): Result<boolean>
  release(queueKey: string): void
}

/** No deadline is longer than this. */
const LONGEST_SHUT = 3 * 60 * 60 * 1_000

/** A queue with nothing on it, shut for as long as the disk says. */
export function restoreQueue(key: string, storage: QueueStorage, clock: Clock): QueueState {
  const queue: QueueState = {
    key,
    entries: [],
    running: null,
    block: null,
    lastSeenBlock: null,
    usedElsewhereUntil: null,
    cancelTimer: null,
  }
  refreshBlock(queue, storage, clock)
  return queue
}

/**
 * Reads until when an earlier run or another program has blocked a queue, which may have opened it meanwhile. What was
 * read before is lastSeenBlock as it was then, and once. Where it can't be read, the queue stays as it was known.
 */
export function refreshBlock(queue: QueueState, storage: QueueStorage, clock: Clock): Result<void> {
  const remembered = storage.blockOf(queue.key)
  if (!remembered.ok) return remembered
  const kept = remembered.value
  if (kept === null) {
    if (queue.block?.isByDisk === true) queue.block = null
    return ok(undefined)
  }
  if (isSame(kept, queue.lastSeenBlock)) return ok(undefined)
  queue.lastSeenBlock = kept
  const left = leftOf(kept, clock)
  if (left <= 0) return ok(undefined)
  queue.block = {
    // Of which company it was is not on disk.
    by: { what: kept.what, companyName: '', because: kept.because },
    opensAt: clock.elapsed() + left,
    until: kept.until,
    isByDisk: true,
  }
  return ok(undefined)
}

/**
 * Milliseconds for which others still heed it. By `elapsed`, as long as the computer may be running since: after a
 * restart of it less has elapsed than did, or more time has passed than that says, so it is never too short.
 */
function leftOf({ at, until, elapsed }: StoredBlock, clock: Clock): number {
  const whole = Math.min(until - at, LONGEST_SHUT)
  const since = elapsed === null || clock.elapsed() < elapsed ? clock.now() - at : clock.elapsed() - elapsed
  return Math.min(whole, whole - since)
}

/** Another program has the queue: its request ends by then, or when its answer comes. */
export function markUsedElsewhere(queue: QueueState, storage: QueueStorage, now: number): void {
  queue.usedElsewhereUntil = Math.max(now, storedBlock(queue.key, storage)?.until ?? now)
}

function storedBlock(queueKey: string, storage: QueueStorage): StoredBlock | null {
  const remembered = storage.blockOf(queueKey)
  return remembered.ok ? remembered.value : null
}

function isSame(one: StoredBlock, other: StoredBlock | null): boolean {
  return one.at === other?.at && one.until === other.until && one.elapsed === other.elapsed
}

export interface Blocking {
  /** What left, and may be at work. */
  readonly request: Pick<SlotRequest, 'what' | 'companyName' | 'isWrite'>
  /** When it has surely ended out there, which may have passed, or until when the service asks to wait. */
  readonly cooldown: Cooldown
  /** The person let go of it. */
  readonly isStopped: boolean
  /** The settling pause in milliseconds. */
  readonly grace: number
}

/**
 * Shuts a queue, on disk too, until what is at work has ended and a settling pause after that; or just until the moment
 * that the service asks for, at which the next try is. A write, and what was let go of, are given the settling pause too.
 */
export function blockQueue(queue: QueueState, storage: QueueStorage, clock: Clock, blocking: Blocking): void {
  const { request, cooldown, isStopped, grace } = blocking
  const { what, companyName } = request
  const now = clock.now()
  const settled = now + grace
  const until =
    cooldown.because === 'at-work'
      ? Math.max(settled, cooldown.until + grace)
      : request.isWrite || isStopped
        ? Math.max(settled, cooldown.until)
        : cooldown.until
  const because = cooldown.because === 'at-work' && cooldown.until <= now ? 'settling' : cooldown.because
  const elapsed = clock.elapsed()
  queue.block = {
    by: { what, companyName, because },
    opensAt: elapsed + until - now,
    until,
    isByDisk: false,
  }
  queue.lastSeenBlock = { at: Math.floor(now), until: Math.ceil(until), elapsed, what, because }
  storage.block(queue.key, queue.lastSeenBlock)
}

/** Milliseconds for which a queue is still shut; 0 or less when it may be opened. */
export function blockedFor({ block }: QueueState, clock: Clock): number {
  return block === null ? 0 : block.opensAt - clock.elapsed()
}

/** The computer slept, which `elapsed` may not have counted: the wall clock is believed. */
export function adjustAfterSleep(queue: QueueState, clock: Clock): void {
  if (queue.block === null) return
  const left = Math.max(0, queue.block.until - clock.now())
  queue.block = { ...queue.block, opensAt: Math.min(queue.block.opensAt, clock.elapsed() + left) }
}

/** Opens a queue whose time has passed, on disk too unless another program has blocked it meanwhile. */
export function unblockQueue(queue: QueueState, storage: QueueStorage): void {
  queue.block = null
  const taken = storage.acquire(queue.key)
  if (!taken.ok || !taken.value) return
  const kept = storedBlock(queue.key, storage)
  if (kept !== null && isSame(kept, queue.lastSeenBlock)) storage.unblock(queue.key)
  storage.release(queue.key)
}

/*
 * Whether a request that has ended here leaves its queue blocked, until when, and why (decisions.md, "one request at a
 * time"). Decides only; `scheduler.ts` keeps the queue blocked that long.
 */

/** What is known of a request when it has ended. */
export interface EndedRequest {
  readonly result: Exchange
  readonly isWrite: boolean
  /** It went to the older service. */
  readonly isLegacy: boolean
  /** Milliseconds since 1970. */
  readonly deadlineAt: number
  readonly now: number
}

/** Until when, in milliseconds since 1970, nothing else may leave. */
export type Cooldown =
  /** Something may be `at-work` out there; the settling pause comes on top. */
  | { readonly because: 'at-work'; readonly until: number }
  /** The service asks to wait so long, and took nothing on. */
  | { readonly because: 'asked'; readonly until: number }

/**
 * `null` where nothing is at work and nothing was asked for.
 *
 * A request whose connection was cut, or that was answered by something that is not the service's answer (a gateway's
 * page, half an envelope, and to a write any page), may be at work until its own deadline, read or write. So may a
 * write that was answered by an error of the whole request, told or only announced: the service may have given up an agent that goes on. An
 * answer proves that nothing runs when its status calls the request itself wrong, when it refuses the key, when it
 * tells of single records, or when all of its errors say that the company file was not reached. An answer that asks to wait names the wait itself.
 */
export function cooldownAfter({ result, isWrite, isLegacy, deadlineAt, now }: EndedRequest): Cooldown | null {
  if (result.came) {
    const { raw, retryAfter } = result
    const busy = busyError(raw.status, retryAfter, now)
    const asked = askedWait(busy?.wait ?? 0)
    if (!isWrite) {
      if (busy === null) {
        const isLost = isOfGateway(raw, isLegacy) || isCutShort(raw)
        return isLost ? atWork(Math.max(now, deadlineAt)) : null
      }
      return asked === 0 ? null : { because: 'asked', until: now + asked }
    }
    const until = afterWrite(raw, isLegacy, deadlineAt, now)
    if (asked > 0 && now + asked > (until ?? 0)) return { because: 'asked', until: now + asked }
    return until === null ? null : atWork(until)
  }
  // A redirect is an answer: it came instead of the work.
  if (result.nothingLeft || result.error.kind === 'redirected') return null
  // An answer past the cap, or one to a read that can't be unpacked, had begun, and it was we who hung up.
  const { kind } = result.error
  if (kind === 'too-large' || (kind === 'malformed-response' && !isWrite)) return atWork(now)
  return atWork(Math.max(now, deadlineAt))
}

function atWork(until: number): Cooldown {
  return { because: 'at-work', until }
}

/**
 * Of the milliseconds that the service asks to wait, those that are waited for: none where it is longer than we wait by
 * ourselves, since the person is told, and asks again when they want to.
 */
function askedWait(wait: number): number {
  return wait > LONGEST_RETRY_AFTER ? 0 : wait
}

/** Until when a write that was answered may be at work; `null` where its answer is the end of it. */
function afterWrite(raw: RawAnswer, isLegacy: boolean, deadlineAt: number, now: number): number | null {
  const untilDeadline = Math.max(now, deadlineAt)
  // Too many requests: this one was not begun, but what it would have gone beside may be at work.
  if (raw.status === 429) return now
  if (isLegacy) {
    const legacy = decodeLegacyEnvelope(raw)
    if (legacy.ok) {
      const isTrouble = isLegacyTrouble(legacy.value) && !callsRequestWrong(raw.status)
      return isTrouble ? untilDeadline : null
    }
  } else {
    const answer = decodeUserAnswer(raw)
    if (answer.ok) {
      const { errors, items, hasErrors } = answer.value
      const trouble = errors.filter(({ severity }) => !/^(?:warn|info)/i.test(severity))
      const isUntold = hasErrors && [errors, ...items.map((item) => item.errors)].flat().length === 0
      const tellsOfRecords = items.some((item) => item.object !== null || item.errors.length > 0)
      // Accepted is not done.
      if (raw.status === 202 && !tellsOfRecords) return untilDeadline
      if ((trouble.length === 0 && !isUntold) || raw.status === 401 || raw.status === 403) return null
      const isProven = callsRequestWrong(raw.status) || tellsOfRecords
      return isProven || (!isUntold && trouble.every(saysNotReached)) ? now : untilDeadline
    }
  }
  return callsRequestWrong(raw.status) ? null : untilDeadline
}

const REQUEST_IS_WRONG: ReadonlySet<number> = new Set([
  400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422, 431,
])

/**
 * Whether a status calls the request itself wrong, so that nothing was begun. Others, as 408 and 429, may be said by
 * whatever stands in between, at any stage.
 */
export function callsRequestWrong(status: number): boolean {
  return REQUEST_IS_WRONG.has(status)
}

/** `{`, `}`, and what JSON takes for blank. */
const [OPENS, CLOSES, BLANKS] = [0x7b, 0x7d, [0x20, 0x09, 0x0a, 0x0d]] as const

/**
 * An envelope that has no end. Where a connection's end is the answer's end, HTTP can't tell a cut one from a whole
 * one. Only both ends are looked at: the whole may be long.
 */
function isCutShort({ blocks }: RawAnswer): boolean {
  const isSign = (byte: number): boolean => !BLANKS.some((blank) => blank === byte)
  const first = blocks[0]?.find(isSign)
  const last = blocks.findLast((block) => block.some(isSign))?.findLast(isSign)
  return first === OPENS && last !== CLOSES
}

/**
 * A gateway in between says with these, on a page of its own, that it gave up: what is behind it may go on. 520 to 527
 * are those of a well-known one. With an envelope it is the service that speaks.
 */
function isOfGateway(raw: RawAnswer, isLegacy: boolean): boolean {
  const { status } = raw
  const isGatewayStatus = (status >= 502 && status <= 504) || (status >= 520 && status <= 527)
  return isGatewayStatus && !(isLegacy ? decodeLegacyEnvelope(raw) : decodeUserAnswer(raw)).ok
}
