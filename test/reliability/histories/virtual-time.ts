/**
 * Virtual time for a machine and the world around it. Unlike with `VirtualClock`, a sleeping machine stands still while
 * the world continues, and the timers of a killed program never fire.
 */
import type { Clock } from '../../../electron/clock.ts'

/** Owns timers that stand still while the machine sleeps, and that are dropped when the program is killed. */
export interface TimerOwner {
  isDead: boolean
}

interface Timer {
  at: number
  readonly order: number
  readonly owner: TimerOwner | null
  readonly callback: () => void
}

export class VirtualTime {
  #now: number
  #timers: Timer[] = []
  #order = 0
  #isAsleep = false
  #slept = 0
  #inFlight = 0
  #onWake: (() => void)[] = []

  constructor(now: number) {
    this.#now = now
  }

  get now(): number {
    return this.#now
  }

  /** @param owner `null` for events outside the machine, which happen even while it sleeps */
  after(milliseconds: number, owner: TimerOwner | null, callback: () => void): () => void {
    const timer: Timer = {
      at: this.#now + Math.max(0, milliseconds),
      order: (this.#order += 1),
      owner,
      callback,
    }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer)
    }
  }

  clockOf(owner: TimerOwner): Clock {
    return {
      now: () => this.#now,
      elapsed: () => this.#now - this.#slept,
      during: async (work) => {
        this.#inFlight += 1
        try {
          return await work
        } finally {
          this.#inFlight -= 1
        }
      },
      after: (milliseconds, callback) => this.after(milliseconds, owner, callback),
    }
  }

  /** Runs it now, or once the machine is awake again. */
  whenAwake(run: () => void): void {
    if (this.#isAsleep) this.#onWake.push(run)
    else run()
  }

  /** Runs everything that isn't waiting for a timer. */
  async drain(): Promise<void> {
    // A turn of the event loop runs all promises that can run, and those that follow from them.
    do await new Promise((resolve) => setImmediate(resolve))
    while (this.#inFlight > 0)
  }

  async advance(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds
    await this.drain()
    while (this.#fireNext(until)) await this.drain()
    this.#now = Math.max(this.#now, until)
  }

  /**
   * Advances time until the promise has settled.
   * @returns whether it settled within `milliseconds`
   */
  async until(promise: Promise<unknown>, milliseconds: number, isOver: () => boolean): Promise<boolean> {
    const wait = { isSettled: false }
    const settled = (): void => {
      wait.isSettled = true
    }
    promise.then(settled, settled)
    const until = this.#now + milliseconds
    await this.drain()
    while (!wait.isSettled && !isOver() && this.#fireNext(until)) await this.drain()
    return wait.isSettled
  }

  /** Puts the machine to sleep: the wall clock continues, and the program and its timers stand still. */
  async sleep(milliseconds: number): Promise<void> {
    await this.drain()
    this.#isAsleep = true
    for (const timer of this.#timers) if (timer.owner !== null) timer.at += milliseconds
    const until = this.#now + milliseconds
    while (this.#fireNext(until, true)) await this.drain()
    this.#now = until
    this.#slept += milliseconds
    this.#isAsleep = false
  }

  /** Delivers what arrived while the machine slept. */
  deliver(): void {
    for (const run of this.#onWake.splice(0)) run()
  }

  #fireNext(until: number, isOutsideOnly = false): boolean {
    let next: Timer | null = null
    for (const timer of this.#timers) {
      if (timer.at > until || (isOutsideOnly && timer.owner !== null)) continue
      if (next === null || timer.at < next.at || (timer.at === next.at && timer.order < next.order))
        next = timer
    }
    if (next === null) return false
    this.#timers = this.#timers.filter((each) => each !== next)
    this.#now = Math.max(this.#now, next.at)
    if (next.owner === null || !next.owner.isDead) next.callback()
    return true
  }
}
