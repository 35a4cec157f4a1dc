/**
 * Runs one request per key at a time, over all programs of this user (specification 8.1). Requests that a user waits
 * for go before batch work, and writes to one company keep their order. A request that was stopped, or that ended
 * without a response, keeps its queue blocked until it is safe to continue. The block is on disk.
 */
import { companyIdKey } from '../../../shared/companies/companies.ts'
import type { RequestQueue } from '../../../shared/contract/activity.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import type { Cooldown } from '../protocol/cooldown.ts'
import type { SlotRequest } from '../protocol/wire.ts'
import {
  adjustAfterSleep,
  blockedFor,
  blockQueue,
  createEntry,
  type Entry,
  markUsedByOtherProgram,
  pickNext,
  QueueRegistry,
  type QueueState,
  type QueueStorage,
  queueView,
  refreshBlock,
  type Ticket,
  unblockQueue,
} from './request-queue.ts'

export interface SchedulerOptions {
  readonly clock: Clock
  /** Creates the ID of an entry. */
  readonly newId: () => string
  readonly storage: QueueStorage
  /** The grace period after a request that may have been running, in milliseconds. */
  readonly graceMilliseconds: () => number
  readonly onChange: () => void
  /** Called when a pause was lifted, by the user or by an accepted key. */
  readonly onResume?: (connectionId: string) => void
}

/** Milliseconds between two checks of a queue that another program holds or has blocked. */
const POLL_INTERVAL = 500

const STOPPED = appError('stopped', 'Stopped.', '')

export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #registry: QueueRegistry
  readonly #pauses = new Pauses()
  readonly #entries = new Map<string, Entry>()
  /** By connection: the request that ended last. */
  readonly #last = new Map<string, NonNullable<RequestQueue['last']>>()
  #order = 0

  constructor(options: SchedulerOptions) {
    this.#options = options
    this.#registry = new QueueRegistry(options.clock, options.storage)
  }

  /** Adds a request to a queue. Its first try starts with `acquireSlot`. */
  enter(queueKey: string, request: SlotRequest, attempts: number, address = ''): Ticket {
    const entryId = this.#options.newId()
    const stop = Promise.withResolvers<undefined>()
    const ticket: Ticket = {
      entryId,
      request,
      isStopped: () => this.#entries.get(entryId)?.isStopped ?? true,
      stopped: stop.promise,
    }
    const { company } = request
    const entry = createEntry(ticket, {
      queueKey,
      books: company === null || address === '' ? '' : `${address} ${companyIdKey(company.endpointId)}`,
      attempts,
      queuedAt: this.#options.clock.now(),
      order: (this.#order += 1),
      announceStop: () => {
        stop.resolve(undefined)
      },
    })
    this.#entries.set(entryId, entry)
    this.#use(request.connectionId, queueKey, request.service, address)
    this.#registry.queueOf(queueKey).entries.push(entry)
    this.#changed()
    return ticket
  }

  /** Waits for the slot. Returns an error if the request is stopped before, or if the queue can't be acquired. */
  acquireSlot(ticket: Ticket): Promise<Result<void>> {
    const entry = this.#entryOf(ticket)
    if (entry.isStopped) return Promise.resolve(err(STOPPED))
    const waiting = Promise.withResolvers<Result<void>>()
    entry.state = 'waiting'
    entry.begin = waiting.resolve
    this.#changed()
    this.#advance(this.#registry.queueOf(entry.queueKey))
    return waiting.promise
  }

  /** Ends the slot, and blocks the queue for the cooldown. `null` lets the next request start right away. */
  releaseSlot(ticket: Ticket, cooldown: Cooldown | null): void {
    const { clock, storage } = this.#options
    const entry = this.#entryOf(ticket)
    const queue = this.#registry.queueOf(entry.queueKey)
    if (queue.running !== entry) return
    queue.running = null
    entry.deadlineAt = null
    if (cooldown !== null) {
      const grace = this.#options.graceMilliseconds()
      blockQueue(queue, storage, clock, { entry, cooldown, grace })
      for (const { key } of this.#registry.siblings(queue.key)) this.#copyBlock(queue, key)
    }
    storage.release(queue.key)
    // The caller may leave or acquire another slot synchronously. The next request starts after that.
    queueMicrotask(() => {
      this.#advance(queue)
      this.#advanceAll()
    })
    this.#changed()
  }

  /** Waits before another try, outside the slot. `trouble` is the error of the last try. */
  async backOff(ticket: Ticket, milliseconds: number, trouble: string): Promise<Result<void>> {
    const { clock } = this.#options
    const entry = this.#entryOf(ticket)
    if (entry.isStopped) return err(STOPPED)
    const waiting = Promise.withResolvers<Result<void>>()
    entry.state = 'backing-off'
    entry.pausesUntil = clock.now() + milliseconds
    entry.progress = ''
    entry.trouble = trouble
    entry.endBackOff = waiting.resolve
    const cancel = clock.after(milliseconds, () => {
      waiting.resolve(ok(undefined))
    })
    this.#changed()
    const result = await waiting.promise
    cancel()
    entry.endBackOff = null
    entry.pausesUntil = null
    return result
  }

  /** Takes the request out of its queue. `isOk` is the result that Activity shows. */
  leave(ticket: Ticket, isOk: boolean): void {
    const { clock } = this.#options
    const entry = this.#entries.get(ticket.entryId)
    if (entry === undefined) return
    const queue = this.#registry.queueOf(entry.queueKey)
    this.#entries.delete(ticket.entryId)
    const at = queue.entries.indexOf(entry)
    if (at >= 0) queue.entries.splice(at, 1)
    // A check which fields a list has is a part of what the user asked for, and doesn't replace it.
    if (entry.startedAt !== null && entry.request.reads !== 'fields') {
      this.#last.set(entry.request.connectionId, {
        what: entry.request.what,
        companyName: entry.request.companyName,
        at: timestamp(clock),
        milliseconds: Math.max(0, Math.round(clock.now() - entry.startedAt)),
        ended: isOk ? 'done' : entry.isStopped ? 'stopped' : 'failed',
      })
    }
    this.#changed()
  }

  /**
   * Blocks the queue on disk until the deadline of a request that is about to be sent, because a crash loses its
   * response.
   */
  requestStarted(ticket: Ticket, deadlineAt: number): Result<void> {
    const { clock, storage } = this.#options
    const entry = this.#entryOf(ticket)
    entry.deadlineAt = deadlineAt
    const until = deadlineAt + this.#options.graceMilliseconds()
    const { what } = entry.request
    const block = { at: clock.now(), until, elapsed: clock.elapsed(), what, reason: 'at-work' } as const
    const written = storage.block(entry.queueKey, block)
    this.#changed()
    return written
  }

  /** Lifts the block of `requestStarted`: the response has arrived, or nothing was sent. */
  requestFinished(ticket: Ticket): void {
    const entry = this.#entryOf(ticket)
    entry.deadlineAt = null
    this.#options.storage.unblock(entry.queueKey)
  }

  /** Waits for a cooldown within a slot, before its next request. Ends at once if the user stops it. */
  async waitOut(ticket: Ticket, cooldown: Cooldown): Promise<void> {
    const { clock, storage } = this.#options
    const entry = this.#entryOf(ticket)
    const now = clock.now()
    const until = Math.max(now, cooldown.until) + this.#options.graceMilliseconds()
    storage.block(entry.queueKey, {
      at: now,
      until,
      elapsed: clock.elapsed(),
      what: entry.request.what,
      reason: cooldown.reason,
    })
    entry.deadlineAt = null
    entry.pausesUntil = until
    this.#changed()
    const pause = Promise.withResolvers<undefined>()
    const cancel = clock.after(until - now, () => {
      pause.resolve(undefined)
    })
    await Promise.race([pause.promise, ticket.stopped])
    cancel()
    entry.pausesUntil = null
  }

  /** Shows what a running request is doing. */
  progress(ticket: Ticket, message: string): void {
    const entry = this.#entries.get(ticket.entryId)
    if (entry === undefined) return
    entry.progress = message
    this.#changed()
  }

  /** Removes a waiting request, or stops waiting for a running one, which keeps its slot until that is safe. */
  stop(entryId: string): Result<void> {
    const entry = this.#entries.get(entryId)
    if (entry === undefined) return err(appError('not-found', 'Already done.', ''))
    if (entry.isStopped) return ok(undefined)
    entry.isStopped = true
    if (entry.state === 'running') entry.state = 'abandoned'
    entry.announceStop()
    const waiting = entry.begin ?? entry.endBackOff
    entry.begin = null
    entry.endBackOff = null
    waiting?.(err(STOPPED))
    this.#changed()
    return ok(undefined)
  }

  /** Starts nothing more for this connection, except reads that a user requests, until the pause is lifted. */
  pause(connectionId: string, reason: AppError): void {
    this.#pauses.pause(connectionId, reason, this.#order)
    this.#changed()
  }

  /** Lifts every pause of a connection. */
  resume(connectionId: string): void {
    if (this.#pauses.lift(connectionId)) this.#resumed(connectionId)
  }

  /** Lifts the pause of a refused key, because the key was accepted. The user's own pause stays. */
  resumeKey(connectionId: string): void {
    const wasRefused = this.#pauses.reasonOf(connectionId)?.kind === 'unauthorized'
    if (this.#pauses.liftKey(connectionId)) this.#resumed(connectionId)
    else if (wasRefused) {
      // The user's pause still lets reads through.
      this.#changed()
      this.#advanceAll()
    }
  }

  /** Call after the computer slept. Lifts the blocks that are over by the wall clock. */
  wake(): void {
    for (const queue of this.#registry.all()) adjustAfterSleep(queue, this.#options.clock)
    this.#advanceAll()
  }

  /** Shows, from the start, the block that an earlier run left on a connection's queue. */
  recall(connectionId: string, queueKey: string, service?: 'v1', address?: string): void {
    this.#use(connectionId, queueKey, service, address)
    this.#advance(this.#registry.queueOf(queueKey))
    this.#changed()
  }

  /** Every connection's queue, as the window shows it. */
  queues(): readonly RequestQueue[] {
    const { clock } = this.#options
    const connections = new Set([...this.#registry.connections(), ...this.#pauses.connections()])
    return [...connections].map((connectionId) =>
      queueView({
        connectionId,
        ...this.#registry.of(connectionId),
        paused: this.#pauses.reasonOf(connectionId),
        last: this.#last.get(connectionId) ?? null,
        now: clock.now(),
        elapsed: clock.elapsed(),
        grace: this.#options.graceMilliseconds(),
      }),
    )
  }

  #entryOf(ticket: Ticket): Entry {
    const entry = this.#entries.get(ticket.entryId)
    if (entry === undefined) throw new Error(`No such entry in the queue: ${ticket.entryId}`)
    return entry
  }

  #changed(): void {
    this.#options.onChange()
  }

  /** Starts the next request of a queue, or sets a timer for when that may be possible. */
  #advance(queue: QueueState): void {
    const { clock, storage } = this.#options
    if (queue.running !== null) return
    if (queue.block !== null) {
      const { isByDisk } = queue.block
      if (isByDisk) refreshBlock(queue, storage, clock)
      const left = blockedFor(queue, clock)
      if (left > 0) {
        this.#advanceIn(queue, isByDisk ? Math.min(left, POLL_INTERVAL) : left)
        return
      }
      unblockQueue(queue, storage)
      this.#changed()
    }
    const next = pickNext(queue.entries, (entry) => this.#pauses.canBegin(entry))
    if (next === null) return
    const rivals = this.#rivalsOf(queue, next)
    if (rivals.some(({ running }) => running !== null)) return
    const heldUp = Math.max(0, ...rivals.filter(canStillRun).map((rival) => blockedFor(rival, clock)))
    if (heldUp > 0) {
      this.#advanceIn(queue, heldUp)
      return
    }
    const acquired = this.#acquire(queue)
    if (!acquired.ok) {
      const refuse = next.begin
      next.begin = null
      refuse?.(acquired)
      // Nothing else would wake the others, so each of them gets the error.
      this.#advance(queue)
      return
    }
    if (!acquired.value) return
    queue.running = next
    next.state = 'running'
    next.startedAt = clock.now()
    next.attempt += 1
    const begin = next.begin
    next.begin = null
    begin?.(ok(undefined))
    this.#changed()
  }

  /**
   * The queues whose requests may reach the same agent: those of the connection's former keys, and any whose request
   * concerns the same books, because two keys of one service may lead to one company.
   */
  #rivalsOf(queue: QueueState, next: Entry): readonly QueueState[] {
    const siblings = this.#registry.siblings(queue.key)
    const others = this.#registry.all().filter((each) => each !== queue && !siblings.includes(each))
    const isOfBooks = ({ running, block }: QueueState): boolean =>
      next.books !== '' && next.books === (running ?? block)?.books
    return [...siblings, ...others.filter(isOfBooks)]
  }

  #advanceAll(): void {
    for (const queue of this.#registry.all()) this.#advance(queue)
  }

  #advanceIn(queue: QueueState, milliseconds: number): void {
    queue.cancelTimer?.()
    queue.cancelTimer = this.#options.clock.after(milliseconds, () => {
      queue.cancelTimer = null
      this.#advance(queue)
    })
  }

  /**
   * Acquires the queue among all programs on this computer. Returns `false` if another program holds it or has blocked
   * it, and an error if that can't be determined.
   */
  #acquire(queue: QueueState): Result<boolean> {
    const { clock, storage } = this.#options
    const wasUsedElsewhere = queue.usedByOtherProgramUntil !== null
    const acquired = storage.acquire(queue.key)
    if (!acquired.ok) return acquired
    if (!acquired.value) {
      markUsedByOtherProgram(queue, storage, clock.now())
      this.#advanceIn(queue, POLL_INTERVAL)
      if (!wasUsedElsewhere) this.#changed()
      return acquired
    }
    queue.usedByOtherProgramUntil = null
    const refreshed = refreshBlock(queue, storage, clock)
    if (refreshed.ok && queue.block === null) return acquired
    storage.release(queue.key)
    if (!refreshed.ok) return refreshed
    this.#advanceIn(queue, POLL_INTERVAL)
    this.#changed()
    return ok(false)
  }

  #use(connectionId: string, key: string, service?: 'v1', address?: string): void {
    this.#registry.use(connectionId, key, service, address)
    for (const queue of this.#registry.siblings(key)) this.#copyBlock(queue, key)
  }

  /** Stores a queue's block for a sibling's key, too. After a restart, nothing shows that they are siblings. */
  #copyBlock(queue: QueueState, key: string): void {
    const { clock, storage } = this.#options
    if (queue.lastSeenBlock !== null && canStillRun(queue) && blockedFor(queue, clock) > 0) {
      storage.block(key, queue.lastSeenBlock)
    }
  }

  #resumed(connectionId: string): void {
    this.#changed()
    this.#advanceAll()
    this.#options.onResume?.(connectionId)
  }
}

/** Whether a request may still be running in the service, as opposed to the service asking to wait. */
function canStillRun({ block }: QueueState): boolean {
  return block !== null && block.by.reason !== 'asked'
}

interface Pause {
  readonly byPerson: AppError | null
  readonly byKey: { readonly reason: AppError; readonly lastOrder: number } | null
}

const NOT_PAUSED: Pause = { byPerson: null, byKey: null }

/**
 * Connections for which nothing starts automatically, because the user paused them or the service refused their key.
 * Both may apply at once, and each is lifted separately: an accepted key doesn't end the user's pause.
 */
class Pauses {
  readonly #paused = new Map<string, Pause>()

  /** @param lastOrder the order of the newest entry at that time */
  pause(connectionId: string, reason: AppError, lastOrder: number): void {
    const before = this.#paused.get(connectionId) ?? NOT_PAUSED
    this.#paused.set(
      connectionId,
      reason.kind === 'unauthorized'
        ? { ...before, byKey: { reason, lastOrder } }
        : { ...before, byPerson: reason },
    )
  }

  /** Lifts both. Returns whether the connection was paused. */
  lift(connectionId: string): boolean {
    return this.#paused.delete(connectionId)
  }

  /** Lifts the pause of a refused key. Returns whether that leaves the connection without a pause. */
  liftKey(connectionId: string): boolean {
    const before = this.#paused.get(connectionId) ?? NOT_PAUSED
    if (before.byKey === null) return false
    if (before.byPerson === null) return this.#paused.delete(connectionId)
    this.#paused.set(connectionId, { ...before, byKey: null })
    return false
  }

  /** Why a connection is paused; `null` if it isn't. A refused key comes first, because the user has to fix it. */
  reasonOf(connectionId: string): AppError | null {
    const { byPerson, byKey } = this.#paused.get(connectionId) ?? NOT_PAUSED
    return byKey?.reason ?? byPerson
  }

  connections(): readonly string[] {
    return [...this.#paused.keys()]
  }

  /**
   * Whether a pause lets a waiting entry start. Only reads that a user requested may, because a successful one lifts
   * the pause. After a refused key, only reads requested since then may start. Otherwise everything in the queue would
   * be sent with it.
   */
  canBegin({ begin, request, order }: Entry): boolean {
    if (begin === null) return false
    const pause = this.#paused.get(request.connectionId)
    if (pause === undefined) return true
    if (request.priority !== 'interactive' || request.isWrite) return false
    return pause.byKey === null || order > pause.byKey.lastOrder
  }
}
