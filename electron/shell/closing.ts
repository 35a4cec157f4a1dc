/** Closes the core before the program quits, within a time limit. */
import type { Clock } from '../clock.ts'

export interface ClosingOptions {
  /** Electron's `app`. */
  readonly app: {
    on(event: 'will-quit', listener: (event: { preventDefault(): void }) => void): unknown
    on(event: 'quit', listener: () => void): unknown
    quit(): void
  }
  readonly clock: Pick<Clock, 'after'>
  readonly close: () => Promise<void>
  readonly log: (where: string, cause: unknown) => void
  /** Whether a hanging call holds a thread that the process would wait for. */
  readonly isHanging: () => boolean
  /** Kills this process. */
  readonly kill: () => void
}

/** Milliseconds. Rewriting a large history takes seconds. */
const LIMIT_MILLISECONDS = 20_000

/**
 * Closes the core before the program quits, and kills the process if that takes longer than the limit. Requests that
 * were running stay in the journal, and the next start rechecks them.
 */
export function closeBeforeQuit(options: ClosingOptions, limit = LIMIT_MILLISECONDS): void {
  const { app, clock, close, log, isHanging, kill } = options
  let isClosed = false
  app.on('will-quit', (event) => {
    if (isClosed) return
    event.preventDefault()
    isClosed = true
    const cancelLimit = clock.after(limit, () => {
      log('closing', new Error(`not done within ${String(limit / 1_000)} s`))
      kill()
    })
    close()
      .catch((cause: unknown) => {
        log('closing', cause)
      })
      .finally(() => {
        cancelLimit()
        app.quit()
      })
  })
  app.on('quit', () => {
    if (isHanging()) kill()
  })
}
