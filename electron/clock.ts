/**
 * Time and randomness for the whole program. `main.ts` passes in the system's, and a test its own
 * (`test/virtual-clock.ts`), so that no test waits for real time and every run is the same. The sample service has its
 * own time.
 */
import { randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'

export interface Clock {
  /** The wall clock in milliseconds since 1970. It may be set forward or back at any time. */
  now(): number
  /**
   * Milliseconds since a fixed moment, which is the same for all programs until the computer restarts. It is never set,
   * so it measures durations. It may stop while the computer sleeps.
   */
  elapsed(): number
  /** Calls back once after `milliseconds`. Returns a function that cancels. */
  after(milliseconds: number, callback: () => void): () => void
  /**
   * Reports work outside this thread's promises (a worker, a file, a turn of the event loop), and returns it. A virtual
   * clock stops until it settles. The system's clock ignores it.
   */
  during<T>(work: Promise<T>): Promise<T>
}

export interface Random {
  /** 0 ≤ n < 1 */
  fraction(): number
  /** A new ID that no one can guess. */
  id(): string
  /** A new ID that sorts after earlier ones, so that rows that are created together are stored together. */
  orderedId(): string
}

export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    elapsed: () => Number(process.hrtime.bigint()) / 1e6,
    after(milliseconds, callback) {
      const timer = setTimeout(callback, milliseconds)
      return () => {
        clearTimeout(timer)
      }
    },
    during: (work) => work,
  }
}

export function createSystemRandom(): Random {
  return { fraction: () => Math.random(), id: () => randomUUID(), orderedId: () => uuidv7() }
}

/** The current time in ISO 8601, in UTC, with milliseconds. */
export function timestamp(clock: Pick<Clock, 'now'>): string {
  return new Date(clock.now()).toISOString()
}

/**
 * Throttles calls: runs the first immediately, then at most one per interval with the latest value.
 * @param milliseconds the interval
 */
export function throttle<Value>(
  clock: Pick<Clock, 'after'>,
  milliseconds: number,
  run: (latest: Value) => void,
): (value: Value) => void {
  let isResting = false
  let waiting: { readonly value: Value } | null = null
  const start = (value: Value): void => {
    isResting = true
    run(value)
    clock.after(milliseconds, () => {
      isResting = false
      const next = waiting
      waiting = null
      if (next !== null) start(next.value)
    })
  }
  return (value) => {
    if (isResting) waiting = { value }
    else start(value)
  }
}
