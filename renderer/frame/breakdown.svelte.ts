/** Errors in the window that nobody expected: each goes to the log, the first one is told to the person. */
import type { Api } from '../api.ts'

/** An error in a loop would fill the log with nothing new. */
const MOST_REPORTED = 20

/** The longest that a report takes of a text. */
const LONGEST = 10_000

export class Breakdown {
  readonly #api: Api
  #reported = 0
  /** Whether the person is being told. */
  isTold = $state(false)

  constructor(api: Api) {
    this.#api = api
  }

  /** Follows the page's errors until the answered function is called. */
  listen(page: Window): () => void {
    const onError = (event: ErrorEvent): void => {
      // The browser's own word that a size changed twice in one frame; nothing is wrong.
      if (!event.message.startsWith('ResizeObserver')) this.report(event.error ?? event.message)
    }
    const onRejection = (event: PromiseRejectionEvent): void => this.report(event.reason)
    page.addEventListener('error', onError)
    page.addEventListener('unhandledrejection', onRejection)
    return () => {
      page.removeEventListener('error', onError)
      page.removeEventListener('unhandledrejection', onRejection)
    }
  }

  report(cause: unknown): void {
    this.isTold = true
    this.#reported += 1
    if (this.#reported > MOST_REPORTED) return
    const { name, message, stack } =
      cause instanceof Error ? cause : { name: 'thrown', message: String(cause), stack: '' }
    void this.#api.call('app.reportDefect', {
      name: name.slice(0, 100),
      message: message.slice(0, LONGEST),
      stack: (stack ?? '').slice(0, LONGEST),
    })
  }

  restart(): void {
    void this.#api.call('app.restart', {})
  }
}
