/** The end of the program, which comes: what is open is closed first, and what does not close is left. */
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
  /** Something holds a thread that the process would wait for as it ends. */
  readonly isHanging: () => boolean
  /** Ends this process at once, and runs nothing more of it. */
  readonly kill: () => void
}

/** Milliseconds: the file is written anew in seconds where there is much history. */
const LIMIT_MILLISECONDS = 20_000

/**
 * Closes before the program ends. What was on its way stays in the journal, and the next start settles it; so it does
 * after a closing that takes longer than its limit, which is cut off.
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
