/**
 * The deadline of one request. After the computer slept, or while the event loop was busy, the deadline's timer fires
 * before the bytes that wait in the socket are read. Those are therefore read first. Only then has the request timed
 * out.
 */
import type { Clock } from '../../clock.ts'

export interface Deadline {
  /** When it passes by the wall clock, in milliseconds since 1970. */
  readonly at: number
  /** Aborts when the deadline has passed and nothing more waits in the socket. */
  readonly signal: AbortSignal
  /** Whether `signal` was aborted. */
  readonly isOver: () => boolean
  /** Whether it has passed by either clock, so that nothing may be sent anymore. */
  readonly hasPassed: () => boolean
  /** Milliseconds until it passes, however the wall clock was set since. 0 once it has passed. */
  readonly left: () => number
  /** Records that bytes of the response arrived. Its head counts as one. */
  readonly received: (bytes: number) => void
  /** Records whether bytes that arrived are being decompressed, so that none are read from the socket. */
  readonly unpacking: (isUnpacking: boolean) => void
  /** Ends the request if the deadline has passed by the wall clock. Timers lag behind it after a sleep. */
  readonly check: () => void
  /** Ends the deadline, because the request has ended. */
  readonly clear: () => void
}

/** Iterations of the event loop without a byte after which no more of the response waits on this computer. */
const QUIET_TURNS = 3
/** In bytes. More than the system buffers for a socket, so anything beyond arrived later. */
const MAX_WAITING = 16 * 1024 * 1024

/** Starts a deadline of this many seconds. */
export function startDeadline(clock: Clock, seconds: number): Deadline {
  const controller = new AbortController()
  const at = clock.now() + seconds * 1_000
  const elapsedAt = clock.elapsed() + seconds * 1_000
  let state: 'running' | 'passed' | 'over' | 'cleared' = 'running'
  let received = 0
  let isUnpacking = false

  const readWhatWaits = async (): Promise<void> => {
    const first = received
    let before = received
    let quiet = 0
    while (quiet < QUIET_TURNS && before - first < MAX_WAITING && state === 'passed') {
      // The event loop reads sockets before it gets here.
      await new Promise((resolve) => setImmediate(resolve))
      quiet = received === before && !isUnpacking ? quiet + 1 : 0
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
    unpacking(isBusy) {
      isUnpacking = isBusy
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
