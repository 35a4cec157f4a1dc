/**
 * How long history is kept: once a day, what is older than the setting goes, and the file is written anew without it.
 * That stops everything for seconds where there is much history, so it waits until the computer rests; a run in which
 * it never rested does so as it ends.
 */
import type { AppError } from '../../shared/result.ts'
import type { ImportStore } from '../store/imports.ts'
import type { JournalStore } from '../store/journal.ts'
import type { Clock, SettingsStore } from './ports.ts'

const DAY = 86_400_000
const LOOK_EVERY = 600_000
/** Long enough that nobody is about to press a key. */
const RESTED_SECONDS = 300

export interface Retention {
  /** Looks from now on whether it is due, and whether the computer rests. */
  start(): void
  /** As the program ends, before the store is closed. */
  stop(): void
}

export function createRetention(options: {
  readonly journal: Pick<JournalStore, 'trim'>
  readonly imports: Pick<ImportStore, 'trim'>
  readonly settings: Pick<SettingsStore, 'get'>
  readonly clock: Clock
  /** Seconds since anybody used this computer. */
  readonly idleSeconds: () => number
  /** Something is on its way to a service, or waits for its turn. */
  readonly isBusy: () => boolean
  readonly failed: (error: AppError) => void
}): Retention {
  const { journal, imports, settings, clock } = options
  let cancel: (() => void) | null = null
  let trimmedAt = Number.NEGATIVE_INFINITY

  const isDue = (): boolean => clock.now() - trimmedAt >= DAY
  const trim = (): void => {
    trimmedAt = clock.now()
    const before = new Date(trimmedAt - settings.get().historyDays * DAY).toISOString()
    for (const trimmed of [journal.trim(before), imports.trim(before)]) {
      if (!trimmed.ok) options.failed(trimmed.error)
    }
  }
  const look = (): void => {
    if (isDue() && options.idleSeconds() >= RESTED_SECONDS && !options.isBusy()) trim()
    cancel = clock.after(LOOK_EVERY, look)
  }
  return {
    start: look,
    stop() {
      if (cancel === null) return
      cancel()
      cancel = null
      if (isDue()) trim()
    },
  }
}
