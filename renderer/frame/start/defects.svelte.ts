/** Reports unexpected errors in the window. Each one is logged, and the user is notified once per kind. */
import type { Api } from '../../api.ts'

/** An error in a loop would only repeat itself in the log. */
const MAX_REPORTED = 20

/** The most characters of a text in one report. */
const LONGEST = 10_000

export class DefectReporter {
  readonly #api: Api
  #reported = 0
  /** Errors that the user has seen. Once **Continue** is pressed, they don’t come up again in this run. */
  readonly #seen = new Set<string>()
  /** Whether the dialog is open. */
  isShown = $state(false)

  constructor(api: Api) {
    this.#api = api
  }

  /** Listens to the page's errors. Returns a function that stops listening. */
  listen(page: Window): () => void {
    const onError = (event: ErrorEvent): void => {
      // The browser's note that a size changed twice in one frame. Nothing is wrong.
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
    const { name, message, stack } =
      cause instanceof Error ? cause : { name: 'thrown', message: String(cause), stack: '' }
    const kind = `${name}: ${message}`
    if (!this.#seen.has(kind)) this.isShown = true
    this.#seen.add(kind)
    this.#reported += 1
    if (this.#reported > MAX_REPORTED) return
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
