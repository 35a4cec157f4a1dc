/**
 * Deletes history older than the setting, once a day, and rewrites the database without it. Also rewrites it after a
 * company's data was deleted from a large file. Rewriting blocks the program for seconds if there is much history, so
 * it waits until the computer is idle, or until the program ends.
 */
import { type AppError, ok, type Result } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import { resultOf, resultOfAsync } from '../../store/database.ts'
import type { ImportStore } from '../../store/imports.ts'
import type { JournalStore } from '../../store/journal/journal-store.ts'
import type { Store } from '../../store/store.ts'
import type { SettingsStore } from '../ports.ts'

const DAY = 86_400_000
const CHECK_EVERY = 600_000
/** Seconds without input after which the computer counts as idle. */
const RESTED_SECONDS = 300

export interface Retention {
  /** Starts checking whether it is due and the computer is idle. */
  start(): void
  /** Call when the program ends, before the store is closed. */
  stop(): Promise<void>
}

export function createRetention(options: {
  readonly journal: Pick<JournalStore, 'trim'>
  readonly imports: Pick<ImportStore, 'trim'>
  readonly rewrite: Store['rewrite']
  readonly settings: Pick<SettingsStore, 'get'>
  readonly clock: Clock
  /** Seconds since anyone used this computer. */
  readonly idleSeconds: () => number
  /** Whether a request is running or queued. */
  readonly isBusy: () => boolean
  readonly failed: (error: AppError) => void
}): Retention {
  const { journal, imports, settings, clock } = options
  let cancel: (() => void) | null = null
  let trimmedAt = Number.NEGATIVE_INFINITY

  const isDue = (): boolean => clock.now() - trimmedAt >= DAY
  const report = (done: Result<void>): void => {
    if (!done.ok) options.failed(done.error)
  }
  const attempt = (steps: () => Promise<void>): Promise<Result<void>> =>
    resultOfAsync(async () => {
      await steps()
      return ok(undefined)
    })
  const maintain = async (): Promise<void> => {
    if (isDue()) {
      trimmedAt = clock.now()
      const before = new Date(trimmedAt - settings.get().historyDays * DAY).toISOString()
      const trimImports = (): void => {
        imports.trim(before)
      }
      report(resultOf(trimImports))
      report(await attempt(() => journal.trim(before)))
    }
    report(await attempt(() => options.rewrite()))
  }
  const check = (): void => {
    if (options.idleSeconds() >= RESTED_SECONDS && !options.isBusy()) void maintain()
    cancel = clock.after(CHECK_EVERY, check)
  }
  return {
    start: check,
    async stop() {
      if (cancel === null) return
      cancel()
      cancel = null
      await maintain()
    },
  }
}
