/**
 * One request on its way per service address and key, always (specification 8.1). Two lanes of waiting: what a
 * person is waiting for goes before batch work, and writes to one company keep their order. A turn that is let go
 * of, or that ended without an answer, keeps its lane shut until it is safe; until when is on disk.
 */
import { randomUUID } from 'node:crypto'
import type { Lane, LaneEntry } from '../../shared/contract/activity.ts'
import { appError, err, ok, type AppError, type Result } from '../../shared/result.ts'
import type { TurnRequest } from './wire.ts'

export interface SchedulerClock {
  now(): number
  after(milliseconds: number, callback: () => void): () => void
}

/** Until when a lane is shut, kept on disk (`LaneStore` of the store fits). */
export interface LaneMemory {
  shut(laneKey: string, until: number): Result<void>
  open(laneKey: string): Result<void>
  shutUntil(laneKey: string): Result<number | null>
}

export interface SchedulerOptions {
  readonly clock: SchedulerClock
  readonly memory: LaneMemory
  /** The settling pause in milliseconds. */
  readonly settleMilliseconds: () => number
  readonly onChange: () => void
}

/** A place in the queue, kept over all tries of one request. */
export interface Ticket {
  readonly entryId: string
  readonly request: TurnRequest
  readonly isStopped: () => boolean
  /** Answers when the person stops it, also while it runs. */
  readonly stopped: Promise<void>
}

export interface Scheduler {
  /** Puts a request into the queue of a lane. */
  enter(laneKey: string, request: TurnRequest, attempts: number): Ticket
  /** Answers when the turn begins, or an error when it was stopped before. */
  takeTurn(ticket: Ticket): Promise<Result<void>>
  /** Ends the turn. `settle`: something is perhaps still at work out there, so the lane opens after the pause. */
  endTurn(ticket: Ticket, settle: boolean): void
  /** Waits before another try, outside the lane. */
  backOff(ticket: Ticket, milliseconds: number): Promise<Result<void>>
  /** Takes the request out of the queue; `done` is what Activity shows as the last thing. */
  leave(ticket: Ticket, isOk: boolean): void
  /** A request of this turn leaves now and must be answered by `deadlineAt`; on disk before it leaves. */
  requestLeaves(ticket: Ticket, deadlineAt: number): Result<void>
  /** It was answered (or it is proven that nothing left). */
  requestAnswered(ticket: Ticket): void
  /** The settling pause within a turn, before its next request. */
  settle(ticket: Ticket): Promise<void>
  progress(ticket: Ticket, words: string): void
  stop(entryId: string): Result<void>
  /** Begins no further turn on the lanes of this connection until `resume`. */
  pause(connectionId: string, reason: AppError): void
  resume(connectionId: string): void
  /** The key was accepted: lifts a pause for a refused key, not one that the person asked for. */
  resumeKey(connectionId: string): void
  isPaused(connectionId: string): AppError | null
  lanes(): readonly Lane[]
  /** Answers when nothing runs and nothing waits; for tests and for quitting. */
  idle(): Promise<void>
}

type EntryState = 'waiting' | 'running' | 'let-go' | 'backing-off'

interface Entry {
  readonly ticket: Ticket
  readonly laneKey: string
  readonly request: TurnRequest
  readonly attempts: number
  readonly queuedAt: number
  readonly order: number
  attempt: number
  state: EntryState
  startedAt: number | null
  deadlineAt: number | null
  progress: string
  isStopped: boolean
  announceStop: () => void
  /** Set while it waits for its turn. */
  begin: ((result: Result<void>) => void) | null
  /** Set while it backs off. */
  endBackOff: ((result: Result<void>) => void) | null
}

interface LaneState {
  readonly key: string
  readonly entries: Entry[]
  running: Entry | null
  shutUntil: number | null
  cancelTimer: (() => void) | null
}

type LastDone = NonNullable<Lane['last']>

/** No deadline is longer than this; a clock that jumped must not shut a lane for ever. */
const LONGEST_SHUT = 3 * 60 * 60 * 1_000

const STOPPED = appError('stopped', 'Stopped.', '')

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { clock, memory } = options
  const lanes = new Map<string, LaneState>()
  const entries = new Map<string, Entry>()
  const paused = new Map<string, AppError>()
  const last = new Map<string, LastDone>()
  const idleWaiters: (() => void)[] = []
  let order = 0

  const laneOf = (key: string): LaneState => {
    const known = lanes.get(key)
    if (known !== undefined) return known
    const remembered = memory.shutUntil(key)
    const until =
      remembered.ok && remembered.value !== null
        ? Math.min(remembered.value, clock.now() + LONGEST_SHUT)
        : null
    const lane: LaneState = { key, entries: [], running: null, shutUntil: until, cancelTimer: null }
    lanes.set(key, lane)
    return lane
  }

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
    const now = clock.now()
    if (lane.shutUntil !== null) {
      if (lane.shutUntil > now) {
        wakeAt(lane, lane.shutUntil - now)
        return
      }
      lane.shutUntil = null
      memory.open(lane.key)
    }
    const next = pickNext(lane.entries, (entry) => mayBegin(entry))
    if (next === null) return
    lane.running = next
    next.state = 'running'
    next.startedAt = now
    next.attempt += 1
    const begin = next.begin
    next.begin = null
    begin?.(ok(undefined))
    changed()
  }

  const wakeAt = (lane: LaneState, milliseconds: number): void => {
    lane.cancelTimer?.()
    lane.cancelTimer = clock.after(milliseconds, () => {
      lane.cancelTimer = null
      advance(lane)
    })
  }

  /** Paused: only a person's read that was asked for afterwards may try; it lifts the pause when it is answered. */
  const mayBegin = (entry: Entry): boolean => {
    if (entry.begin === null) return false
    if (!paused.has(entry.request.connectionId)) return true
    return entry.request.priority === 'person' && !entry.request.isWrite
  }

  const advanceAll = (): void => {
    for (const lane of lanes.values()) advance(lane)
  }

  const resume = (connectionId: string): void => {
    if (!paused.delete(connectionId)) return
    changed()
    advanceAll()
  }

  const toView = (entry: Entry, position: number): LaneEntry => ({
    entryId: entry.ticket.entryId,
    connectionId: entry.request.connectionId,
    companyName: entry.request.companyName,
    company: entry.request.company,
    what: entry.request.what,
    isWrite: entry.request.isWrite,
    priority: entry.request.priority,
    state: entry.state,
    queuedAt: iso(entry.queuedAt),
    startedAt: entry.startedAt === null ? null : iso(entry.startedAt),
    deadlineAt: entry.deadlineAt === null ? null : iso(entry.deadlineAt),
    attempt: Math.max(1, entry.attempt),
    attempts: entry.attempts,
    position,
    progress: entry.progress,
  })

  return {
    enter(key, request, attempts) {
      const entryId = randomUUID()
      const stop = Promise.withResolvers<undefined>()
      const ticket: Ticket = {
        entryId,
        request,
        isStopped: () => entries.get(entryId)?.isStopped ?? true,
        stopped: stop.promise,
      }
      const entry: Entry = {
        ticket,
        laneKey: key,
        request,
        attempts,
        queuedAt: clock.now(),
        order: (order += 1),
        attempt: 0,
        state: 'waiting',
        startedAt: null,
        deadlineAt: null,
        progress: '',
        isStopped: false,
        announceStop: () => {
          stop.resolve(undefined)
        },
        begin: null,
        endBackOff: null,
      }
      entries.set(entryId, entry)
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
      advance(laneOf(entry.laneKey))
      return waiting.promise
    },

    endTurn(ticket, settle) {
      const entry = entryOf(ticket)
      const lane = laneOf(entry.laneKey)
      if (lane.running !== entry) return
      lane.running = null
      entry.deadlineAt = null
      if (settle) {
        lane.shutUntil = clock.now() + options.settleMilliseconds()
        memory.shut(lane.key, lane.shutUntil)
      }
      // The caller may still leave or take another turn in this same tick; the next one begins after that.
      queueMicrotask(() => {
        advance(lane)
      })
      changed()
    },

    async backOff(ticket, milliseconds) {
      const entry = entryOf(ticket)
      if (entry.isStopped) return err(STOPPED)
      const waiting = Promise.withResolvers<Result<void>>()
      entry.state = 'backing-off'
      entry.endBackOff = waiting.resolve
      const cancel = clock.after(milliseconds, () => {
        waiting.resolve(ok(undefined))
      })
      changed()
      const result = await waiting.promise
      cancel()
      entry.endBackOff = null
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
          ok: isOk,
        })
      }
      changed()
    },

    requestLeaves(ticket, deadlineAt) {
      const entry = entryOf(ticket)
      entry.deadlineAt = deadlineAt
      return memory.shut(entry.laneKey, deadlineAt + options.settleMilliseconds())
    },

    requestAnswered(ticket) {
      const entry = entryOf(ticket)
      entry.deadlineAt = null
      memory.open(entry.laneKey)
    },

    settle(ticket) {
      const entry = entryOf(ticket)
      const until = clock.now() + options.settleMilliseconds()
      memory.shut(entry.laneKey, until)
      const pause = Promise.withResolvers<undefined>()
      clock.after(options.settleMilliseconds(), () => {
        pause.resolve(undefined)
      })
      return pause.promise
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
      paused.set(connectionId, reason)
      changed()
    },

    resume,

    resumeKey(connectionId) {
      if (paused.get(connectionId)?.kind === 'unauthorised') resume(connectionId)
    },

    isPaused(connectionId) {
      return paused.get(connectionId) ?? null
    },

    lanes() {
      const connections = new Set([
        ...[...entries.values()].map((entry) => entry.request.connectionId),
        ...paused.keys(),
        ...last.keys(),
      ])
      return [...connections].map((connectionId): Lane => {
        const mine = [...entries.values()].filter((entry) => entry.request.connectionId === connectionId)
        const running = mine.find((entry) => entry.state === 'running' || entry.state === 'let-go') ?? null
        const waiting = mine.filter((entry) => entry !== running).toSorted(byUrgency)
        const shut = mine
          .map((entry) => lanes.get(entry.laneKey)?.shutUntil ?? null)
          .find((until) => until !== null)
        return {
          connectionId,
          running: running === null ? null : toView(running, 0),
          waiting: waiting.map((entry, index) => toView(entry, index + 1)),
          shutUntil: shut === undefined || shut <= clock.now() ? null : iso(shut),
          paused: paused.get(connectionId) ?? null,
          last: last.get(connectionId) ?? null,
        }
      })
    },

    idle() {
      if (entries.size === 0) return Promise.resolve()
      return new Promise((resolve) => idleWaiters.push(resolve))
    },
  }
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

function byUrgency(left: Entry, right: Entry): number {
  if (left.request.priority !== right.request.priority) return left.request.priority === 'person' ? -1 : 1
  return left.order - right.order
}

/** The most urgent that may begin; if it writes to a company, the oldest write to that company instead. */
function pickNext(entries: readonly Entry[], mayBegin: (entry: Entry) => boolean): Entry | null {
  const first = least(entries, mayBegin, byUrgency)
  const company = first?.request.company ?? null
  if (first === null || !first.request.isWrite || company === null) return first
  const isSameBooks = (entry: Entry): boolean =>
    entry.request.isWrite &&
    entry.request.company?.endpointId === company.endpointId &&
    entry.request.company.connectionId === company.connectionId &&
    mayBegin(entry)
  return least(entries, isSameBooks, (left, right) => left.order - right.order)
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
