/** Which screen is shown: follows the address behind `#`. */

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

/*
 * Which screen is shown, kept in the address behind `#`: `#/records/customer`, `#/reports/ProfitAndLoss`,
 * `#/companies/add`, `#/settings/appearance`. What follows the screen's name is for the screen.
 */

export const SCREENS = ['companies', 'records', 'reports', 'activity', 'settings'] as const

export type Screen = (typeof SCREENS)[number]

/** The words on the links and headings. */
export const SCREEN_TITLES: Readonly<Record<Screen, string>> = {
  companies: 'Companies',
  records: 'Records',
  reports: 'Reports',
  activity: 'Activity',
  settings: 'Settings',
}

/** Screens on which somebody's books are open: they wear the company's band. */
export function isOfCompany(screen: Screen): boolean {
  return screen === 'records' || screen === 'reports'
}

export interface Route {
  readonly screen: Screen
  /** The parts behind the screen's name, decoded. */
  readonly rest: readonly string[]
}

/** Reads an address; anything unknown leads to Companies. */
export function parseRoute(hash: string): Route {
  const [name = '', ...rest] = hash.replace(/^#\/?/, '').split('/')
  const screen = SCREENS.find((candidate) => candidate === name)
  return screen ? { screen, rest: rest.filter(Boolean).map(decoded) } : { screen: 'companies', rest: [] }
}

/** The address of a screen, for `href`. */
export function routeAddress(screen: Screen, ...rest: readonly string[]): string {
  return `#/${[screen, ...rest.map(encodeURIComponent)].join('/')}`
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
