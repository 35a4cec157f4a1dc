/**
 * One request on its way per key, always (specification 8.1), over all programs of this user. Two queues of waiting: what a
 * person is waiting for goes before batch work, and writes to one company keep their order. A turn that is let go
 * of, or that ended without an answer, keeps its queue blocked until it is safe; until when is on disk.
 */
import type { RequestQueue } from '../../../shared/contract/activity.ts'
import { type AppError, type Result, appError, err, ok } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import type { SlotRequest } from '../protocol/wire.ts'
import { createQueueRegistry, createPauses } from './registry.ts'
import {
  type Entry,
  type QueueStorage,
  type QueueState,
  type Cooldown,
  type Ticket,
  newEntry,
  unblockQueue,
  pickNext,
  refreshBlock,
  markUsedElsewhere,
  blockedFor,
  blockQueue,
  adjustAfterSleep,
} from './request-queue.ts'
import { queueView } from './view.ts'

type LastDone = NonNullable<RequestQueue['last']>

/** Milliseconds between two looks at a queue that another program has, or has blocked. */
const POLL_INTERVAL = 500

const STOPPED = appError('stopped', 'Stopped.', '')

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { clock, storage } = options
  const registry = createQueueRegistry(clock, storage)
  const { queueOf } = registry
  const entries = new Map<string, Entry>()
  const pauses = createPauses()
  const last = new Map<string, LastDone>()
  const idleWaiters: (() => void)[] = []
  let order = 0

  const entryOf = (ticket: Ticket): Entry => {
    const entry = entries.get(ticket.entryId)
    if (entry === undefined) throw new Error(`No such entry in the queue: ${ticket.entryId}`)
    return entry
  }

  const changed = (): void => {
    options.onChange()
    if (entries.size === 0) for (const answer of idleWaiters.splice(0)) answer()
  }

  const advance = (queue: QueueState): void => {
    if (queue.running !== null) return
    if (queue.block !== null) {
      const { isByDisk } = queue.block
      if (isByDisk) refreshBlock(queue, storage, clock)
      const left = blockedFor(queue, clock)
      if (left > 0) {
        wakeAt(queue, isByDisk ? Math.min(left, POLL_INTERVAL) : left)
        return
      }
      unblockQueue(queue, storage)
      changed()
    }
    const next = pickNext(queue.entries, (entry) => pauses.mayBegin(entry))
    if (next === null) return
    const siblings = registry.siblings(queue.key)
    if (siblings.some(({ running }) => running !== null)) return
    const held = Math.max(0, ...siblings.filter(isAtWork).map((each) => blockedFor(each, clock)))
    if (held > 0) {
      wakeAt(queue, held)
      return
    }
    const taken = take(queue)
    if (!taken.ok) {
      const refuse = next.begin
      next.begin = null
      refuse?.(taken)
      // Each that waits is told: nothing else would wake it.
      advance(queue)
      return
    }
    if (!taken.value) return
    queue.running = next
    next.state = 'running'
    next.startedAt = clock.now()
    next.attempt += 1
    const begin = next.begin
    next.begin = null
    begin?.(ok(undefined))
    changed()
  }

  /**
   * Takes the queue among all programs on this computer; `false` where it has to be waited for, and an error where nobody
   * can tell.
   */
  const take = (queue: QueueState): Result<boolean> => {
    const wasUsedElsewhere = queue.usedElsewhereUntil !== null
    const taken = storage.acquire(queue.key)
    if (!taken.ok) return taken
    if (!taken.value) {
      markUsedElsewhere(queue, storage, clock.now())
      wakeAt(queue, POLL_INTERVAL)
      if (!wasUsedElsewhere) changed()
      return taken
    }
    queue.usedElsewhereUntil = null
    const recalled = refreshBlock(queue, storage, clock)
    if (recalled.ok && queue.block === null) return taken
    storage.release(queue.key)
    if (!recalled.ok) return recalled
    wakeAt(queue, POLL_INTERVAL)
    changed()
    return ok(false)
  }

  const wakeAt = (queue: QueueState, milliseconds: number): void => {
    queue.cancelTimer?.()
    queue.cancelTimer = clock.after(milliseconds, () => {
      queue.cancelTimer = null
      advance(queue)
    })
  }

  /** So that a restart with the other key, which knows of no sibling, waits too. */
  const tellSibling = (queue: QueueState, key: string): void => {
    if (queue.lastSeenBlock !== null && isAtWork(queue) && blockedFor(queue, clock) > 0)
      storage.block(key, queue.lastSeenBlock)
  }

  const use = (...[connectionId, key, service, address]: Parameters<typeof registry.use>): void => {
    registry.use(connectionId, key, service, address)
    for (const queue of registry.siblings(key)) tellSibling(queue, key)
  }

  const advanceAll = (): void => {
    for (const queue of registry.all()) advance(queue)
  }

  const goesOn = (connectionId: string): void => {
    changed()
    advanceAll()
    options.onResume?.(connectionId)
  }

  return {
    enter(key, request, attempts, address) {
      const entryId = options.newId()
      const stop = Promise.withResolvers<undefined>()
      const ticket: Ticket = {
        entryId,
        request,
        isStopped: () => entries.get(entryId)?.isStopped ?? true,
        stopped: stop.promise,
      }
      const entry = newEntry(ticket, {
        queueKey: key,
        attempts,
        queuedAt: clock.now(),
        order: (order += 1),
        announceStop: () => {
          stop.resolve(undefined)
        },
      })
      entries.set(entryId, entry)
      use(request.connectionId, key, request.service, address)
      queueOf(key).entries.push(entry)
      changed()
      return ticket
    },

    acquireSlot(ticket) {
      const entry = entryOf(ticket)
      if (entry.isStopped) return Promise.resolve(err(STOPPED))
      const waiting = Promise.withResolvers<Result<void>>()
      entry.state = 'waiting'
      entry.begin = waiting.resolve
      changed()
      advance(queueOf(entry.queueKey))
      return waiting.promise
    },

    releaseSlot(ticket, cooldown) {
      const entry = entryOf(ticket)
      const queue = queueOf(entry.queueKey)
      if (queue.running !== entry) return
      queue.running = null
      entry.deadlineAt = null
      if (cooldown !== null) {
        const { request, isStopped } = entry
        const grace = options.graceMilliseconds()
        blockQueue(queue, storage, clock, { request, cooldown, isStopped, grace })
        for (const { key } of registry.siblings(queue.key)) tellSibling(queue, key)
      }
      storage.release(queue.key)
      // The caller may still leave or take another turn in this same tick; the next one begins after that.
      queueMicrotask(() => {
        advance(queue)
        for (const sibling of registry.siblings(queue.key)) advance(sibling)
      })
      changed()
    },

    async backOff(ticket, milliseconds, trouble) {
      const entry = entryOf(ticket)
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
      changed()
      const result = await waiting.promise
      cancel()
      entry.endBackOff = null
      entry.pausesUntil = null
      return result
    },

    leave(ticket, isOk) {
      const entry = entries.get(ticket.entryId)
      if (entry === undefined) return
      const queue = queueOf(entry.queueKey)
      entries.delete(ticket.entryId)
      const at = queue.entries.indexOf(entry)
      if (at >= 0) queue.entries.splice(at, 1)
      if (entry.startedAt !== null) {
        last.set(entry.request.connectionId, {
          what: entry.request.what,
          companyName: entry.request.companyName,
          at: iso(clock.now()),
          milliseconds: Math.max(0, Math.round(clock.now() - entry.startedAt)),
          ended: isOk ? 'done' : entry.isStopped ? 'stopped' : 'failed',
        })
      }
      changed()
    },

    requestStarted(ticket, deadlineAt) {
      const entry = entryOf(ticket)
      entry.deadlineAt = deadlineAt
      const until = deadlineAt + options.graceMilliseconds()
      // A program that ends now has lost its answer.
      const { what } = entry.request
      const kept = { at: clock.now(), until, elapsed: clock.elapsed(), what, because: 'at-work' } as const
      const written = storage.block(entry.queueKey, kept)
      changed()
      return written
    },

    requestAnswered(ticket) {
      const entry = entryOf(ticket)
      entry.deadlineAt = null
      storage.unblock(entry.queueKey)
    },

    async waitOut(ticket, cooldown) {
      const entry = entryOf(ticket)
      const now = clock.now()
      const until = Math.max(now, cooldown.until) + options.graceMilliseconds()
      storage.block(entry.queueKey, {
        at: now,
        until,
        elapsed: clock.elapsed(),
        what: entry.request.what,
        because: cooldown.because,
      })
      entry.deadlineAt = null
      entry.pausesUntil = until
      changed()
      const pause = Promise.withResolvers<undefined>()
      const cancel = clock.after(until - now, () => {
        pause.resolve(undefined)
      })
      await Promise.race([pause.promise, ticket.stopped])
      cancel()
      entry.pausesUntil = null
    },

    progress(ticket, words) {
      const entry = entries.get(ticket.entryId)
      if (entry === undefined) return
      entry.progress = words
      changed()
    },

    stop(entryId) {
      const entry = entries.get(entryId)
      if (entry === undefined) return err(appError('not-found', 'It is done already.', ''))
      if (entry.isStopped) return ok(undefined)
      entry.isStopped = true
      if (entry.state === 'running') entry.state = 'let-go'
      entry.announceStop()
      const waiting = entry.begin ?? entry.endBackOff
      entry.begin = null
      entry.endBackOff = null
      waiting?.(err(STOPPED))
      changed()
      return ok(undefined)
    },

    pause(connectionId, reason) {
      pauses.pause(connectionId, reason, order)
      changed()
    },

    resume(connectionId) {
      if (pauses.lift(connectionId)) goesOn(connectionId)
    },

    resumeKey(connectionId) {
      const wasRefused = pauses.reasonOf(connectionId)?.kind === 'unauthorised'
      if (pauses.liftKey(connectionId)) goesOn(connectionId)
      else if (wasRefused) {
        // The person's own pause stands, under which reading goes on.
        changed()
        advanceAll()
      }
    },

    isPaused: pauses.reasonOf,

    wake() {
      for (const queue of registry.all()) adjustAfterSleep(queue, clock)
      advanceAll()
    },

    recall(connectionId, key, service, address) {
      use(connectionId, key, service, address)
      advance(queueOf(key))
      changed()
    },

    queues() {
      const connections = new Set([...registry.connections(), ...pauses.connections()])
      return [...connections].map((connectionId) =>
        queueView({
          connectionId,
          ...registry.of(connectionId),
          paused: pauses.reasonOf(connectionId),
          last: last.get(connectionId) ?? null,
          now: clock.now(),
          elapsed: clock.elapsed(),
          graceMilliseconds: options.graceMilliseconds(),
        }),
      )
    },

    idle() {
      if (entries.size === 0) return Promise.resolve()
      return new Promise((resolve) => idleWaiters.push(resolve))
    },
  }
}

/** Something may be at work out there; not only that the service asks to wait. */
function isAtWork({ block }: QueueState): boolean {
  return block !== null && block.by.because !== 'asked'
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

// Turns on a queue, as those see them who send: entered, waited for, held, tried again, left.

export interface SchedulerOptions {
  readonly clock: Clock
  /** Names an entry of the queue. */
  readonly newId: () => string
  readonly storage: QueueStorage
  /** The settling pause in milliseconds. */
  readonly graceMilliseconds: () => number
  readonly onChange: () => void
  /** A pause was lifted, by the person or by a key that was accepted. */
  readonly onResume?: (connectionId: string) => void
}

export interface Scheduler {
  /** Puts a request to an address into the queue of a queue. */
  enter(queueKey: string, request: SlotRequest, attempts: number, address?: string): Ticket
  /** Answers when the turn begins, or an error when it was stopped before. */
  acquireSlot(ticket: Ticket): Promise<Result<void>>
  /**
   * Ends the turn. `rest`: until when nothing may leave; where something may be at work, the queue opens after that and
   * the settling pause. `null`: it opens at once.
   */
  releaseSlot(ticket: Ticket, cooldown: Cooldown | null): void
  /** Waits before another try, outside the queue; `trouble` says what was wrong with the last one. */
  backOff(ticket: Ticket, milliseconds: number, trouble: string): Promise<Result<void>>
  /** Takes the request out of the queue; `done` is what Activity shows as the last thing. */
  leave(ticket: Ticket, isOk: boolean): void
  /** A request of this turn leaves now and must be answered by `deadlineAt`; on disk before it leaves. */
  requestStarted(ticket: Ticket, deadlineAt: number): Result<void>
  /** It was answered (or it is proven that nothing left). */
  requestAnswered(ticket: Ticket): void
  /** The same wait within a turn, before its next request; ends at once when the person stops it. */
  waitOut(ticket: Ticket, cooldown: Cooldown): Promise<void>
  progress(ticket: Ticket, words: string): void
  stop(entryId: string): Result<void>
  /** Begins no further turn on the queues of this connection until `resume`. */
  pause(connectionId: string, reason: AppError): void
  resume(connectionId: string): void
  /** The key was accepted: lifts a pause for a refused key, not one that the person asked for. */
  resumeKey(connectionId: string): void
  isPaused(connectionId: string): AppError | null
  /** The computer slept: queues that have opened by the wall clock open now. */
  wake(): void
  /** At a start: shows whether the queue of this connection, to one of the services, is still shut by an earlier run. */
  recall(connectionId: string, queueKey: string, service?: 'v1', address?: string): void
  queues(): readonly RequestQueue[]
  /** Answers when nothing runs and nothing waits; for tests and for quitting. */
  idle(): Promise<void>
}
