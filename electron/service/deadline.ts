/**
 * The deadline of one request. After a sleep, or while the event loop is held up, its timer rings before bytes that
 * wait in the socket are read: so when it rings, those are read first, and only then is the request called timed out.
 */
import type { Clock } from '../clock.ts'

export interface Deadline {
  /** When it passes by the wall clock, in milliseconds since 1970. */
  readonly at: number
  /** Aborts when it has passed and nothing more of the answer waits in the socket. */
  readonly signal: AbortSignal
  /** Whether `signal` was aborted. */
  readonly isOver: () => boolean
  /** Whether it has passed, by either clock: from then on nothing may leave. */
  readonly hasPassed: () => boolean
  /** Milliseconds until it passes, however the wall clock was set meanwhile; 0 when it has. */
  readonly left: () => number
  /** So many bytes of the answer came; its head counts as one. */
  readonly received: (bytes: number) => void
  /** Ends the request now if the deadline has passed by the wall clock: after a sleep, timers lag behind it. */
  readonly check: () => void
  /** The request has ended. */
  readonly clear: () => void
}

/** Turns of the event loop without a byte after which no more of the answer waits on this computer. */
const QUIET_TURNS = 3
/** Bytes: more than the system holds for a socket, so what comes after them is not what waited. */
const MOST_WAITING = 16 * 1024 * 1024

export function startDeadline(clock: Clock, seconds: number): Deadline {
  const controller = new AbortController()
  const at = clock.now() + seconds * 1_000
  const elapsedAt = clock.elapsed() + seconds * 1_000
  let state: 'running' | 'passed' | 'over' | 'cleared' = 'running'
  let received = 0

  const readWhatWaits = async (): Promise<void> => {
    const first = received
    let before = received
    let quiet = 0
    while (quiet < QUIET_TURNS && before - first < MOST_WAITING && state === 'passed') {
      // Sockets are read before the event loop comes here.
      await new Promise((resolve) => setImmediate(resolve))
      quiet = received === before ? quiet + 1 : 0
      before = received
    }
  }
  const pass = (): void => {
    if (state !== 'running') return
    state = 'passed'
    void clock.during(readWhatWaits()).then(() => {
      if (state !== 'passed') return
      state = 'over'
      controller.abort(new Error('The deadline has passed.'))
    })
  }
  const cancel = clock.after(seconds * 1_000, pass)

  return {
    at,
    signal: controller.signal,
    isOver: () => state === 'over',
    hasPassed: () => state !== 'running' || clock.now() >= at || clock.elapsed() >= elapsedAt,
    left: () => (state === 'over' ? 0 : Math.max(0, elapsedAt - clock.elapsed())),
    received(bytes) {
      received += bytes
    },
    check() {
      if (clock.now() >= at) pass()
    },
    clear() {
      cancel()
      if (state !== 'over') state = 'cleared'
    },
  }
}
