/**
 * The client of the service: queue slots, deadlines, and retries. Only reads are retried. Writes never are, neither
 * here nor in the transport.
 */
import type { LogEntry } from '../../../shared/contract/activity.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import type { Clock, Random } from '../../clock.ts'
import type { QueueNames, Ticket } from '../queue/request-queue.ts'
import type { Scheduler } from '../queue/scheduler.ts'
import { type Deadline, startDeadline } from '../transport/deadline.ts'
import type { Fetch } from '../transport/transport.ts'
import { jitter, LONGEST_RETRY_AFTER } from './cooldown.ts'
import { createSlotWire, type SlotState } from './slot-wire.ts'
import type { ServiceClient, ServiceTarget, SlotEnd, SlotRequest, Wire } from './wire.ts'

export interface ClientOptions {
  readonly scheduler: Scheduler
  readonly clock: Clock
  /** The current address and key of a connection, or those being tested. */
  readonly target: (connectionId: string, isTest: boolean) => Promise<Result<ServiceTarget>>
  readonly queueOf: QueueNames
  /** The transport's `fetch`, or the sample's. */
  readonly fetchFor: (target: ServiceTarget) => Fetch
  /** The settings of a connection. */
  readonly settings: (connectionId: string) => Settings
  /** Called when a request begins. Returns how its line is written, which contains no secret, body, or record. */
  readonly openLog: () => (entry: LogEntry) => void
  /** Used for jitter and for the IDs of log lines. */
  readonly random: Random
}

export interface StoppableClient extends ServiceClient {
  /** Call after the computer slept. Ends the requests whose deadline has passed by the wall clock. */
  wake(): void
}

/** A request in the queue of its connection's key. */
interface Entered {
  readonly ticket: Ticket
  readonly key: string
}

interface Trying<T> {
  readonly tries: number
  readonly work: (wire: Wire) => Promise<Result<T>>
  /** Returns the error after which another try makes sense; `null` if none does. */
  readonly errorToRetry: (result: Result<T>) => AppError | null
  /** Whether Activity shows the request as done. */
  readonly isOk: (result: Result<T>, hasRun: boolean) => boolean
}

/** Nothing was sent. With a new address or key, the request belongs in another queue. */
const CONNECTION_CHANGED = appError(
  'connection-changed',
  'The address or key of this connection changed while this request was waiting, so nothing was sent.',
  'Check the connection, then try again.',
)
const NO_CURRENT_SERVICE = appError(
  'invalid-input',
  'This connection has only an older service (v1), which has no records or reports.',
  'If your provider has a current service, enter its address and key under Settings, Connections.',
)
const TRANSIENT: ReadonlySet<AppError['kind']> = new Set(['unreachable', 'dropped', 'timed-out', 'busy'])
/** How often a read is tried in all. */
const TRIES = 3

export function createClient(options: ClientOptions): StoppableClient {
  const { scheduler, clock } = options
  const running = new Set<Deadline>()

  const trackDeadline = (seconds: number): Deadline => {
    const deadline = startDeadline(clock, seconds)
    const tracked: Deadline = {
      ...deadline,
      clear: () => {
        running.delete(tracked)
        deadline.clear()
      },
    }
    running.add(tracked)
    return tracked
  }

  const createWire = (ticket: Ticket, target: ServiceTarget, state: SlotState): Wire =>
    createSlotWire({
      ticket,
      target,
      state,
      scheduler,
      clock,
      settings: options.settings(target.connectionId),
      fetch: options.fetchFor(target),
      openLog: options.openLog,
      newId: () => options.random.id(),
      startDeadline: trackDeadline,
    })

  /** Adds a request to the queue of its connection's current key. */
  const enter = async (request: SlotRequest, attempts: number): Promise<Result<Entered>> => {
    const target = await options.target(request.connectionId, request.isTest ?? false)
    if (!target.ok) return target
    if (target.value.address === '' && request.service !== 'v1') return err(NO_CURRENT_SERVICE)
    const key = options.queueOf(target.value, request.service)
    const address = request.service === 'v1' ? target.value.legacyAddress : target.value.address
    return ok({ ticket: scheduler.enter(key, request, attempts, address), key })
  }

  /** Waits for the slot and works in it, unless the connection's key has changed in the meantime. */
  const runInSlot = async <T>(
    ticket: Ticket,
    key: string,
    work: (wire: Wire) => Promise<T>,
  ): Promise<Result<{ readonly value: T; readonly state: SlotState }>> => {
    const begun = await scheduler.acquireSlot(ticket)
    if (!begun.ok) return begun
    const state: SlotState = { cooldown: null, retryAfter: null, last: Promise.resolve() }
    try {
      const target = await options.target(ticket.request.connectionId, ticket.request.isTest ?? false)
      if (!target.ok) return target
      if (options.queueOf(target.value, ticket.request.service) !== key) {
        return err(CONNECTION_CHANGED)
      }
      return ok({ value: await work(createWire(ticket, target.value, state)), state })
    } finally {
      await state.last.catch(() => undefined)
      // A request that was stopped gets its grace period even if the response has arrived since.
      const afterStop = ticket.isStopped() ? ({ reason: 'at-work', until: clock.now() } as const) : null
      scheduler.releaseSlot(ticket, state.cooldown ?? afterStop)
    }
  }

  /** Tries in slots of the queue, with a wait between two tries, and then leaves the queue. */
  const tryInSlots = async <T>(
    { ticket, key }: Entered,
    { tries, work, errorToRetry, isOk }: Trying<T>,
  ): Promise<SlotEnd<T>> => {
    let hasSucceeded = false
    const end = (result: Result<T>, hasRun: boolean, wasAbandoned = false): SlotEnd<T> => {
      hasSucceeded = isOk(result, hasRun)
      return { result, wasAbandoned }
    }
    try {
      for (let tried = 1; ; tried += 1) {
        const ran = await runInSlot(ticket, key, work)
        if (!ran.ok) return end(ran, false)
        const { value: result, state } = ran.value
        const wasAbandoned = ticket.isStopped()
        const error = errorToRetry(result)
        if (error === null || tried === tries || wasAbandoned) return end(result, true, wasAbandoned)
        const wait = state.retryAfter ?? jitter(tried, () => options.random.fraction())
        if (wait > LONGEST_RETRY_AFTER) return end(result, true)
        const waited = await scheduler.backOff(ticket, wait, error.message)
        if (!waited.ok) return end(waited, true)
      }
    } finally {
      scheduler.leave(ticket, hasSucceeded)
    }
  }

  /** Returns as soon as the user stops a running request. Its work continues to the end in the background. */
  const orStopped = <T>(ticket: Ticket, whole: Promise<Result<T>>): Promise<Result<T>> =>
    Promise.race([
      whole,
      ticket.stopped.then((): Result<T> =>
        err(
          appError(
            'stopped',
            'Stopped.',
            'The service may still be working on it. The next request waits until it is safe.',
          ),
        ),
      ),
    ])

  return {
    async withSlot<T>(
      request: SlotRequest,
      work: (wire: Wire) => Promise<Result<T>>,
      busyOf?: (value: T) => AppError | null,
    ) {
      const tries = busyOf === undefined ? 1 : TRIES
      const entered = await enter(request, tries)
      if (!entered.ok) return { result: entered, wasAbandoned: false }
      return tryInSlots(entered.value, {
        tries,
        work,
        errorToRetry: (result) => (result.ok ? (busyOf?.(result.value) ?? null) : null),
        isOk: (_result, hasRun) => hasRun,
      })
    },

    async read(request, work, more = {}) {
      const tries = more.tries ?? TRIES
      const entered = await enter(request, tries)
      if (!entered.ok) return entered
      const { ticket } = entered.value
      more.onEntry?.(ticket.entryId)
      const whole = tryInSlots(entered.value, {
        tries,
        work,
        errorToRetry: (result) => (!result.ok && TRANSIENT.has(result.error.kind) ? result.error : null),
        isOk: ({ ok: isOk }) => isOk,
      })
      return orStopped(
        ticket,
        whole.then(({ result }) => result),
      )
    },

    wake() {
      for (const deadline of running) deadline.check()
    },
  }
}
