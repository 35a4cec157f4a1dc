/** How long history is kept: what is older than the setting goes at the start and once a day. */
import type { AppError } from '../../shared/result.ts'
import type { ImportStore } from '../store/imports.ts'
import type { JournalStore } from '../store/journal.ts'
import type { Clock, SettingsStore } from './ports.ts'

const DAY = 86_400_000

export interface Retention {
  /** Trims now, and daily from then on. */
  start(): void
  stop(): void
}

export function createRetention(options: {
  readonly journal: Pick<JournalStore, 'trim'>
  readonly imports: Pick<ImportStore, 'trim'>
  readonly settings: Pick<SettingsStore, 'get'>
  readonly clock: Clock
  readonly failed: (error: AppError) => void
}): Retention {
  const { journal, imports, settings, clock } = options
  let cancel: (() => void) | null = null
  const trim = (): void => {
    const before = new Date(clock.now() - settings.get().historyDays * DAY).toISOString()
    for (const trimmed of [journal.trim(before), imports.trim(before)]) {
      if (!trimmed.ok) options.failed(trimmed.error)
    }
    cancel = clock.after(DAY, trim)
  }
  return {
    start: trim,
    stop() {
      cancel?.()
      cancel = null
    },
  }
}
