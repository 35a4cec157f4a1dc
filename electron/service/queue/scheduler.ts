/**
 * One request on its way per key, always (specification 8.1), over all programs of this user. Two lanes of waiting: what a
 * person is waiting for goes before batch work, and writes to one company keep their order. A turn that is let go
 * of, or that ended without an answer, keeps its lane shut until it is safe; until when is on disk.
 */
import type { Lane } from '../../../shared/contract/activity.ts'
import { type AppError, type Result, appError, err, ok } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import type { TurnRequest } from '../protocol/wire.ts'
import { makeLaneRegistry, makePauses } from './registry.ts'
import {
  type Entry,
  type LaneMemory,
  type LaneState,
  type Rest,
  type Ticket,
  newEntry,
  openLane,
  pickNext,
  recallLane,
  showUsedElsewhere,
  shutFor,
  shutLane,
  wakeLane,
} from './request-queue.ts'
import { laneView } from './view.ts'

type LastDone = NonNullable<Lane['last']>

/** Milliseconds between two looks at a lane that another program has, or has shut. */
const GLANCE = 500

const STOPPED = appError('stopped', 'Stopped.', '')

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { clock, memory } = options
  const registry = makeLaneRegistry(clock, memory)
  const { laneOf } = registry
  const entries = new Map<string, Entry>()
  const pauses = makePauses()
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

  const advance = (lane: LaneState): void => {
    if (lane.running !== null) return
    if (lane.shut !== null) {
      const { isByDisk } = lane.shut
      if (isByDisk) recallLane(lane, memory, clock)
      const left = shutFor(lane, clock)
      if (left > 0) {
        wakeAt(lane, isByDisk ? Math.min(left, GLANCE) : left)
        return
      }
      openLane(lane, memory)
      changed()
    }
    const next = pickNext(lane.entries, (entry) => pauses.mayBegin(entry))
    if (next === null) return
    const siblings = registry.siblings(lane.key)
    if (siblings.some(({ running }) => running !== null)) return
    const held = Math.max(0, ...siblings.filter(isAtWork).map((each) => shutFor(each, clock)))
    if (held > 0) {
      wakeAt(lane, held)
      return
    }
    const taken = take(lane)
    if (!taken.ok) {
      const refuse = next.begin
      next.begin = null
      refuse?.(taken)
      // Each that waits is told: nothing else would wake it.
      advance(lane)
      return
    }
    if (!taken.value) return
    lane.running = next
    next.state = 'running'
    next.startedAt = clock.now()
    next.attempt += 1
    const begin = next.begin
    next.begin = null
    begin?.(ok(undefined))
    changed()
  }

  /**
   * Takes the lane among all programs on this computer; `false` where it has to be waited for, and an error where nobody
   * can tell.
   */
  const take = (lane: LaneState): Result<boolean> => {
    const wasUsedElsewhere = lane.usedElsewhereUntil !== null
    const taken = memory.take(lane.key)
    if (!taken.ok) return taken
    if (!taken.value) {
      showUsedElsewhere(lane, memory, clock.now())
      wakeAt(lane, GLANCE)
      if (!wasUsedElsewhere) changed()
      return taken
    }
    lane.usedElsewhereUntil = null
    const recalled = recallLane(lane, memory, clock)
    if (recalled.ok && lane.shut === null) return taken
    memory.release(lane.key)
    if (!recalled.ok) return recalled
    wakeAt(lane, GLANCE)
    changed()
    return ok(false)
  }

  const wakeAt = (lane: LaneState, milliseconds: number): void => {
    lane.cancelTimer?.()
    lane.cancelTimer = clock.after(milliseconds, () => {
      lane.cancelTimer = null
      advance(lane)
    })
  }

  /** So that a restart with the other key, which knows of no sibling, waits too. */
  const tellSibling = (lane: LaneState, key: string): void => {
    if (lane.heeded !== null && isAtWork(lane) && shutFor(lane, clock) > 0) memory.shut(key, lane.heeded)
  }

  const use = (...[connectionId, key, service, address]: Parameters<typeof registry.use>): void => {
    registry.use(connectionId, key, service, address)
    for (const lane of registry.siblings(key)) tellSibling(lane, key)
  }

  const advanceAll = (): void => {
    for (const lane of registry.all()) advance(lane)
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
        laneKey: key,
        attempts,
        queuedAt: clock.now(),
        order: (order += 1),
        announceStop: () => {
          stop.resolve(undefined)
        },
      })
      entries.set(entryId, entry)
      use(request.connectionId, key, request.service, address)
      laneOf(key).entries.push(entry)
      changed()
      return ticket
    },

    takeTurn(ticket) {
      const entry = entryOf(ticket)
      if (entry.isStopped) return Promise.resolve(err(STOPPED))
      const waiting = Promise.withResolvers<Result<void>>()
      entry.state = 'waiting'
      entry.begin = waiting.resolve
      changed()
      advance(laneOf(entry.laneKey))
      return waiting.promise
    },

    endTurn(ticket, rest) {
      const entry = entryOf(ticket)
      const lane = laneOf(entry.laneKey)
      if (lane.running !== entry) return
      lane.running = null
      entry.deadlineAt = null
      if (rest !== null) {
        const { request, isStopped } = entry
        const settle = options.settleMilliseconds()
        shutLane(lane, memory, clock, { request, rest, isStopped, settle })
        for (const { key } of registry.siblings(lane.key)) tellSibling(lane, key)
      }
      memory.release(lane.key)
      // The caller may still leave or take another turn in this same tick; the next one begins after that.
      queueMicrotask(() => {
        advance(lane)
        for (const sibling of registry.siblings(lane.key)) advance(sibling)
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
      const lane = laneOf(entry.laneKey)
      entries.delete(ticket.entryId)
      const at = lane.entries.indexOf(entry)
      if (at >= 0) lane.entries.splice(at, 1)
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

    requestLeaves(ticket, deadlineAt) {
      const entry = entryOf(ticket)
      entry.deadlineAt = deadlineAt
      const until = deadlineAt + options.settleMilliseconds()
      // A program that ends now has lost its answer.
      const { what } = entry.request
      const kept = { at: clock.now(), until, elapsed: clock.elapsed(), what, because: 'at-work' } as const
      const written = memory.shut(entry.laneKey, kept)
      changed()
      return written
    },

    requestAnswered(ticket) {
      const entry = entryOf(ticket)
      entry.deadlineAt = null
      memory.open(entry.laneKey)
    },

    async settle(ticket, rest) {
      const entry = entryOf(ticket)
      const now = clock.now()
      const until = Math.max(now, rest.until) + options.settleMilliseconds()
      memory.shut(entry.laneKey, {
        at: now,
        until,
        elapsed: clock.elapsed(),
        what: entry.request.what,
        because: rest.because,
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
      for (const lane of registry.all()) wakeLane(lane, clock)
      advanceAll()
    },

    recall(connectionId, key, service, address) {
      use(connectionId, key, service, address)
      advance(laneOf(key))
      changed()
    },

    lanes() {
      const connections = new Set([...registry.connections(), ...pauses.connections()])
      return [...connections].map((connectionId) =>
        laneView({
          connectionId,
          ...registry.of(connectionId),
          paused: pauses.reasonOf(connectionId),
          last: last.get(connectionId) ?? null,
          now: clock.now(),
          elapsed: clock.elapsed(),
          settleMilliseconds: options.settleMilliseconds(),
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
function isAtWork({ shut }: LaneState): boolean {
  return shut !== null && shut.by.because !== 'asked'
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

// Turns on a lane, as those see them who send: entered, waited for, held, tried again, left.

export interface SchedulerOptions {
  readonly clock: Clock
  /** Names an entry of the queue. */
  readonly newId: () => string
  readonly memory: LaneMemory
  /** The settling pause in milliseconds. */
  readonly settleMilliseconds: () => number
  readonly onChange: () => void
  /** A pause was lifted, by the person or by a key that was accepted. */
  readonly onResume?: (connectionId: string) => void
}

export interface Scheduler {
  /** Puts a request to an address into the queue of a lane. */
  enter(laneKey: string, request: TurnRequest, attempts: number, address?: string): Ticket
  /** Answers when the turn begins, or an error when it was stopped before. */
  takeTurn(ticket: Ticket): Promise<Result<void>>
  /**
   * Ends the turn. `rest`: until when nothing may leave; where something may be at work, the lane opens after that and
   * the settling pause. `null`: it opens at once.
   */
  endTurn(ticket: Ticket, rest: Rest | null): void
  /** Waits before another try, outside the lane; `trouble` says what was wrong with the last one. */
  backOff(ticket: Ticket, milliseconds: number, trouble: string): Promise<Result<void>>
  /** Takes the request out of the queue; `done` is what Activity shows as the last thing. */
  leave(ticket: Ticket, isOk: boolean): void
  /** A request of this turn leaves now and must be answered by `deadlineAt`; on disk before it leaves. */
  requestLeaves(ticket: Ticket, deadlineAt: number): Result<void>
  /** It was answered (or it is proven that nothing left). */
  requestAnswered(ticket: Ticket): void
  /** The same wait within a turn, before its next request; ends at once when the person stops it. */
  settle(ticket: Ticket, rest: Rest): Promise<void>
  progress(ticket: Ticket, words: string): void
  stop(entryId: string): Result<void>
  /** Begins no further turn on the lanes of this connection until `resume`. */
  pause(connectionId: string, reason: AppError): void
  resume(connectionId: string): void
  /** The key was accepted: lifts a pause for a refused key, not one that the person asked for. */
  resumeKey(connectionId: string): void
  isPaused(connectionId: string): AppError | null
  /** The computer slept: lanes that have opened by the wall clock open now. */
  wake(): void
  /** At a start: shows whether the lane of this connection, to one of the services, is still shut by an earlier run. */
  recall(connectionId: string, laneKey: string, service?: 'v1', address?: string): void
  lanes(): readonly Lane[]
  /** Answers when nothing runs and nothing waits; for tests and for quitting. */
  idle(): Promise<void>
}
