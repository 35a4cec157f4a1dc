/** Which screen is shown: follows the address behind `#`. */
import { parseRoute, routeAddress, type Route, type Screen } from './routes.ts'

export class Router {
  #route = $state.raw<Route>(parseRoute(''))
  /** Words beside the heading of Companies, Activity and Settings; the screen sets them, leaving clears them. */
  note = $state('')
  readonly #window: Window

  constructor(window: Window) {
    this.#window = window
    this.#route = parseRoute(window.location.hash)
  }

  get screen(): Screen {
    return this.#route.screen
  }

  get rest(): readonly string[] {
    return this.#route.rest
  }

  /** Follows the address until the answered function is called. */
  listen(): () => void {
    const follow = (): void => {
      const next = parseRoute(this.#window.location.hash)
      if (next.screen !== this.#route.screen) this.note = ''
      this.#route = next
    }
    this.#window.addEventListener('hashchange', follow)
    return () => this.#window.removeEventListener('hashchange', follow)
  }

  /** Shows a screen, with what it is to show. */
  go(screen: Screen, ...rest: readonly string[]): void {
    this.#window.location.hash = routeAddress(screen, ...rest)
  }
}
