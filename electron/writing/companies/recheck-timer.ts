/** When to recheck companies whose setup or removal has no certain outcome, and the timers for it. */
import type { Clock } from '../../clock.ts'

/** Minutes after the response was lost. */
const RECHECKS_AFTER_MINUTES = [0, 2, 10, 60] as const

interface Awaited {
  /** When the outcome became unknown, or when the program started (milliseconds since 1970). */
  readonly since: number
  /** The last recheck since then, automatic or requested; `null` before the first. */
  readonly recheckedAt: number | null
}

/** The rechecks of one kind in this run, by the ID of the setup or removal. */
export class RecheckTimer {
  readonly #clock: Pick<Clock, 'now' | 'after'>
  readonly #awaited = new Map<string, Awaited>()
  readonly #cancels = new Map<string, () => void>()

  constructor(clock: Pick<Clock, 'now' | 'after'>) {
    this.#clock = clock
  }

  /** Records that the outcome was rechecked just now, and is still unknown. */
  rechecked(id: string): void {
    const now = this.#clock.now()
    this.#awaited.set(id, { since: this.#awaited.get(id)?.since ?? now, recheckedAt: now })
  }

  /**
   * Replaces the timer by one for the next recheck.
   * @returns when it is due, in milliseconds since 1970; `null` after the last
   */
  schedule(id: string, recheck: () => void): number | null {
    this.cancel(id)
    const now = this.#clock.now()
    const awaited = this.#awaited.get(id) ?? { since: now, recheckedAt: null }
    this.#awaited.set(id, awaited)
    const next = nextRecheck(awaited)
    if (next !== null) this.#cancels.set(id, this.#clock.after(Math.max(0, next - now), recheck))
    return next
  }

  /** Cancels the next recheck. A later one continues the same schedule. */
  cancel(id: string): void {
    this.#cancels.get(id)?.()
    this.#cancels.delete(id)
  }

  /** Cancels the next recheck, because the outcome is known. */
  forget(id: string): void {
    this.cancel(id)
    this.#awaited.delete(id)
  }

  close(): void {
    for (const cancel of this.#cancels.values()) cancel()
    this.#cancels.clear()
  }
}

function nextRecheck({ since, recheckedAt }: Awaited): number | null {
  if (recheckedAt === null) return since
  const minutes = RECHECKS_AFTER_MINUTES.find((each) => since + each * 60_000 > recheckedAt)
  return minutes === undefined ? null : since + minutes * 60_000
}
