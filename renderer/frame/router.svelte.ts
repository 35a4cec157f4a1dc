/**
 * Which screen is shown, kept in the address after `#`: `#/records/customer`, `#/reports/ProfitAndLoss`,
 * `#/companies/add`, `#/settings/appearance`. Each screen defines what follows its name.
 */
import type { Component } from 'svelte'
import type { Company } from '../../shared/contract/companies.ts'

/** What the top bar shows for a page within a screen, with a button that leads back. */
export interface PageHeading {
  readonly title: string
  readonly note?: string
  /** The company that the page is about. */
  readonly company?: Company | null
  /** Omitted if the screen’s own toolbar leads back. */
  readonly back?: { readonly label: string; readonly go: () => void }
  /** A button at the right. */
  readonly action?: { readonly label: string; readonly icon: Component; readonly run: () => void }
}

export class Router {
  #route = $state.raw<Route>(parseRoute(''))
  /** The heading of a page within a screen; `null` for the screen's own. */
  heading = $state.raw<PageHeading | null>(null)
  /** A note beside the heading of Companies and Activity. The screen sets it; leaving the screen clears it. */
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

  /** Follows the address. Returns a function that stops it. */
  listen(): () => void {
    const follow = (): void => {
      const next = parseRoute(this.#window.location.hash)
      if (next.screen !== this.#route.screen) this.note = ''
      this.#route = next
    }
    this.#window.addEventListener('hashchange', follow)
    return () => this.#window.removeEventListener('hashchange', follow)
  }

  /** Shows a page's heading in the top bar. Returns a function that removes it. */
  head(heading: PageHeading): () => void {
    this.heading = heading
    return () => {
      if (this.heading === heading) this.heading = null
    }
  }

  /** Shows a screen. */
  go(screen: Screen, ...rest: readonly string[]): void {
    this.#window.location.hash = routeAddress(screen, ...rest)
  }
}

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

/** Whether a screen works with one company's books. */
export function hasBooks(screen: Screen): boolean {
  return screen === 'records' || screen === 'reports'
}

/**
 * Whether an address shows one company's books, under its name and color. Reports for several companies, a change in
 * several companies, and **Tidy up** do not.
 */
export function showsOneCompany(screen: Screen, rest: readonly string[]): boolean {
  return hasBooks(screen) && rest[0] !== 'several' && !isTidyUp(screen, rest)
}

/** Whether an address shows **Tidy up**. */
export function isTidyUp(screen: Screen, rest: readonly string[]): boolean {
  return screen === 'records' && rest[0] === 'tidy'
}

interface Route {
  readonly screen: Screen
  /** The parts after the screen's name, decoded. */
  readonly rest: readonly string[]
}

/** Parses an address. An unknown one leads to Companies. */
function parseRoute(hash: string): Route {
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
