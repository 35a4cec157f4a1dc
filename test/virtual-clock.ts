/**
 * Virtual time, and a service in this process as `fetch`. With both, a test of deadlines, pauses, and rechecks takes no real
 * time, opens no socket, and always runs the same way.
 *
 *     const clock = new VirtualClock()
 *     const service = createSampleService({ … })
 *     const fetch = inProcessFetch(async (request) => {
 *       await clock.sleep(90_000)                            // the service is slow: this passes in virtual time
 *       return await clock.during(service.handle(request))   // its own work: time stops
 *     })
 *     const core = makeCore(plan, { clock, random: seededRandom(1, clock), fetch })
 *     await clock.run(person.send(draftIds))   // advances time until that call is answered
 *     await clock.advance(60 * 60_000)         // or for an hour
 *     clock.set(clock.now() - 3_600_000)       // someone sets the wall clock back
 *
 * Time moves from timer to timer, and only while nothing is running: all promises have run, and all work that was reported
 * by `during` has settled. Waiting for workers or turns of the event loop must be reported; the rows and import workers do
 * so themselves. A request that waits for time (`sleep`) or never answers isn't running.
 */
import type { Clock, Random } from '../electron/clock.ts'

interface Timer {
  readonly at: number
  readonly callback: () => void
}

export class VirtualClock implements Clock {
  /** The wall clock minus `#elapsed`. */
  #offset: number
  #elapsed = 0
  /** In order of creation. Of two that are due at once, the older one fires first. */
  readonly #timers = new Set<Timer>()
  #inFlight = 0
  #waiting: (() => void)[] = []

  /** @param now the wall clock at the start, in milliseconds since 1970 */
  constructor(now = Date.parse('2026-03-01T09:00:00Z')) {
    this.#offset = now
  }

  now(): number {
    return this.#offset + this.#elapsed
  }

  elapsed(): number {
    return this.#elapsed
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer: Timer = { at: this.#elapsed + Math.max(0, milliseconds), callback }
    this.#timers.add(timer)
    return () => {
      this.#timers.delete(timer)
    }
  }

  async during<T>(work: Promise<T>): Promise<T> {
    this.#inFlight += 1
    try {
      return await work
    } finally {
      this.#inFlight -= 1
      if (this.#inFlight === 0) for (const go of this.#waiting.splice(0)) go()
    }
  }

  /** Sets the wall clock. Timers and `elapsed` don't change. */
  set(now: number): void {
    this.#offset = now - this.#elapsed
  }

  /** Waits in virtual time. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(milliseconds, resolve)
    })
  }

  /** Advances time until `work` has settled. Throws if it waits for something that no timer will bring. */
  async run<T>(work: Promise<T>): Promise<T> {
    const outcome = { isSettled: false }
    const settle = (): void => {
      outcome.isSettled = true
    }
    work.then(settle, settle)
    await this.runUntil(() => outcome.isSettled)
    return await work
  }

  /** Advances time until a condition is true while nothing is running. Throws if no timer is left before that. */
  async runUntil(condition: () => boolean): Promise<void> {
    for (;;) {
      await this.settle()
      if (condition()) return
      if (!this.#step(Number.POSITIVE_INFINITY))
        throw new Error('This waits for something that no timer brings.')
    }
  }

  /** Advances time. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#elapsed + milliseconds
    do await this.settle()
    while (this.#step(end))
    this.#elapsed = Math.max(this.#elapsed, end)
  }

  /** Waits until nothing is running, without advancing time. */
  async settle(): Promise<void> {
    for (;;) {
      // A turn of the event loop runs all promises that can run, and those that follow from them.
      await new Promise((resolve) => setImmediate(resolve))
      if (this.#inFlight === 0) return
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
      })
    }
  }

  /** Fires the next timer, unless it is due after `end`. */
  #step(end: number): boolean {
    let next: Timer | null = null
    for (const timer of this.#timers) if (next === null || timer.at < next.at) next = timer
    if (next === null || next.at > end) return false
    this.#timers.delete(next)
    this.#elapsed = Math.max(this.#elapsed, next.at)
    next.callback()
    return true
  }
}

/** Numbers and IDs that are the same in each run with a seed, and different for different seeds. */
export function seededRandom(seed: number, clock: Pick<Clock, 'now'>): Random {
  let state = seed >>> 0
  let count = 0
  // The numbers of mulberry32.
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const hex = (value: number, digits: number): string =>
    value.toString(16).padStart(digits, '0').slice(-digits)
  /** In the form of a version 7 UUID. */
  const id = (): string => {
    count += 1
    const time = hex(clock.now(), 12)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(count >>> 12, 3)}-8${hex(count, 3)}-${hex(seed, 12)}`
  }
  return { fraction, id, orderedId: id }
}

/**
 * A service in this process as `fetch`. An aborted request rejects at once, while the service continues.
 * @param handle throws what a lost connection would, or never answers
 */
export function inProcessFetch(handle: (request: Request) => Promise<Response>): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { signal } = request
    signal.throwIfAborted()
    // The service doesn't notice when a caller disconnects.
    const { method, headers, url } = request
    const body = request.body === null ? null : await request.arrayBuffer()
    const answer = handle(new Request(url, { method, headers, body }))
    return await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      answer.then(resolve, reject)
    })
  }
}
