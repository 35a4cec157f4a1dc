/**
 * What is open in this window: the connection, its companies, the company whose books are open, the settings and
 * what the service is doing. Made once in `main.ts`, fed by the main process's events; it decides nothing itself.
 */
import { byCompanyId, displayName } from '../../shared/companies/companies.ts'
import type { CallAnswer } from '../../shared/contract/contract.ts'
import type { RequestQueue, UnfinishedItem } from '../../shared/contract/activity.ts'
import type { About } from '../../shared/contract/app.ts'
import type { Company } from '../../shared/contract/companies.ts'
import type { Connection } from '../../shared/contract/connections.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Settings, SettingsChange } from '../../shared/contract/settings.ts'
import { ok, type AppError, type Result } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import { decidedCompanies } from './undecided.ts'
import { Format } from '../../shared/format/format.ts'

interface Keychain {
  readonly available: boolean
  readonly because: string
}

/**
 * State that outlives its screen, by name. Each screen adds its own (`declare module`), so that nothing here imports a
 * screen. All other state lives as long as its screen.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface ScreenState {}

/** Releases what it holds and stops listening. */
interface Closable {
  close(): void
}

interface Start {
  readonly about: About
  readonly settings: Settings
  readonly queues: readonly RequestQueue[]
}

/** What is known here of a connection's companies. */
interface Books {
  readonly list: Result<CallAnswer<'companies.list'>>
  readonly unfinished: Result<CallAnswer<'activity.unfinished'>>
  readonly provisionings: Result<CallAnswer<'companies.provisionings'>>
}

/** Whether two references name the same company. */
export function isSameCompany(left: CompanyRef | null, right: CompanyRef | null): boolean {
  return left?.connectionId === right?.connectionId && left?.endpointId === right?.endpointId
}

/** The company that a reference names: as it is written, else in the spelling that the list has. */
export function companyOf(companies: readonly Company[], ref: CompanyRef | null): Company | null {
  if (ref === null) return null
  const ofConnection = companies.filter((company) => company.ref.connectionId === ref.connectionId)
  return byCompanyId(ofConnection, ref.endpointId, (company) => company.ref.endpointId) ?? null
}

/** What a company is called, in the window as in the main process. */
export { displayName as companyName }

export class Session {
  readonly api: Api
  readonly about: About
  settings = $state.raw() as Settings
  connections = $state.raw<readonly Connection[]>([])
  keychain = $state.raw<Keychain>({ available: true, because: '' })
  /** All companies of the connection, as last known. */
  companies = $state.raw<readonly Company[]>([])
  /** When the service was last asked for them; `null` when never. */
  companiesReadAt = $state<string | null>(null)
  /** False when the service did not give all of them. */
  isListWhole = $state(true)
  /** What the service said beside its list; empty when it said nothing. */
  listNotice = $state('')
  /** Why they could not be read just now. */
  companiesError = $state.raw<AppError | null>(null)
  /** Why the older service's list could not be read the last time; the other list stands. */
  legacyError = $state.raw<AppError | null>(null)
  /** Connections whose service is being asked for them. */
  #refreshing = $state.raw<ReadonlySet<string>>(new Set())
  queues = $state.raw<readonly RequestQueue[]>([])
  unfinished = $state.raw<readonly UnfinishedItem[]>([])
  /** The setups of the connection, as the journal has them. */
  provisionings = $state.raw<CallAnswer<'companies.provisionings'>>([])
  /** Whether the sample's desks are shown beside the page. */
  isSampleDesktopOpen = $state(false)
  readonly #screenState = new Map<keyof ScreenState, Closable>()
  #connectionId = $state<string | null>(null)
  #openRef = $state.raw<CompanyRef | null>(null)

  readonly #format = $derived.by(
    () => new Format({ locale: this.about.locale, negatives: this.settings.negatives }),
  )
  readonly #company = $derived(
    this.companies.find((company) => isSameCompany(company.ref, this.#openRef)) ?? null,
  )
  readonly #recent = $derived(byRecency(decidedCompanies(this.companies, this.provisionings)))

  private constructor(api: Api, start: Start) {
    this.api = api
    this.about = start.about
    this.settings = start.settings
    this.queues = start.queues
  }

  /** Reads what the window needs before it shows anything. */
  static async open(api: Api): Promise<Result<Session>> {
    const [about, settings, queues, connections] = await Promise.all([
      api.call('app.about', {}),
      api.call('settings.get', {}),
      api.call('activity.queues', {}),
      api.call('connection.list', {}),
    ])
    if (!about.ok) return about
    if (!settings.ok) return settings
    if (!queues.ok) return queues
    const session = new Session(api, { about: about.value, settings: settings.value, queues: queues.value })
    session.#openRef = settings.value.lastCompany
    await session.#takeConnections(connections)
    return ok(session)
  }

  get connection(): Connection | null {
    return this.connections.find((connection) => connection.connectionId === this.#connectionId) ?? null
  }

  /** The company whose books are open; `null` for none. */
  get company(): Company | null {
    return this.#company
  }

  /** Those that were opened here, last first, then the rest by name; without those whose file nobody has looked at. */
  get recentCompanies(): readonly Company[] {
    return this.#recent
  }

  /** Whether the service is being asked for the companies of this connection. */
  get isRefreshing(): boolean {
    return this.#connectionId !== null && this.#refreshing.has(this.#connectionId)
  }

  /** The settings that hold for this connection: the program's, and what differs there. */
  get connectionSettings(): Settings {
    return Object.assign({ ...this.settings }, this.connection?.settings)
  }

  /** How amounts and dates are shown. */
  get current(): Format {
    return this.#format
  }

  /** What runs and waits: of this connection, or of any other that is at work. */
  get queue(): RequestQueue | null {
    const own = this.queues.find((queue) => queue.connectionId === this.#connectionId) ?? null
    return own?.running ? own : (this.queues.find((queue) => queue.running !== null) ?? own)
  }

  /** Follows the main process until the answered function is called. */
  listen(): () => void {
    const stops = [
      this.api.on('settings.changed', (settings) => (this.settings = settings)),
      this.api.on('activity.changed', ({ queues }) => (this.queues = queues)),
      this.api.on('connections.changed', () => void this.#loadConnections()),
      this.api.on('companies.changed', ({ connectionId }) => {
        if (connectionId === this.#connectionId) void this.#loadCompanies()
      }),
    ]
    return () => stops.forEach((stop) => stop())
  }

  /** A screen’s state, created when first asked for, such as the lists that were read. */
  screenState<Name extends keyof ScreenState>(
    name: Name,
    create: () => ScreenState[Name] & Closable,
  ): ScreenState[Name] {
    const known = this.#screenState.get(name)
    if (known !== undefined) return known as ScreenState[Name] & Closable
    const created = create()
    this.#screenState.set(name, created)
    return created
  }

  /** Drops every screen’s state: the books behind it are deleted or have started over. */
  clearScreenState(): void {
    for (const state of this.#screenState.values()) state.close()
    this.#screenState.clear()
  }

  /** Opens a company's books in this window. */
  select(company: Company): void {
    this.#openRef = company.ref
    void this.api.call('companies.opened', { company: company.ref })
    void this.set({ lastCompany: company.ref })
  }

  /** Works with another connection. */
  async useConnection(connectionId: string): Promise<Result<unknown>> {
    const chosen = await this.api.call('connection.select', { connectionId })
    if (chosen.ok) await this.#loadConnections()
    return chosen
  }

  /** Asks the service for its companies; the outcome is also kept in `companiesError`. */
  async refreshCompanies(): Promise<void> {
    const connectionId = this.#connectionId
    if (connectionId === null || this.isRefreshing) return
    this.#refreshing = new Set([...this.#refreshing, connectionId])
    const list = await this.api.call('companies.refresh', { connectionId })
    this.#refreshing = new Set([...this.#refreshing].filter((id) => id !== connectionId))
    if (connectionId !== this.#connectionId) return
    this.companiesError = list.ok ? null : list.error
    this.#takeList(list)
  }

  /** Changes settings; they take effect when the main process has taken them. */
  async set(changes: SettingsChange): Promise<Result<Settings>> {
    const saved = await this.api.call('settings.set', changes)
    if (saved.ok) this.settings = saved.value
    return saved
  }

  async #loadConnections(): Promise<void> {
    await this.#takeConnections(await this.api.call('connection.list', {}))
  }

  async #takeConnections(list: Result<CallAnswer<'connection.list'>>): Promise<void> {
    if (!list.ok) return
    const { connections, keychain, currentId } = list.value
    // Before it is shown: a screen must not take it for one whose companies were never read.
    const books = currentId === null ? null : await this.#readBooks(currentId)
    this.connections = connections
    this.keychain = keychain
    if (this.#connectionId !== currentId) {
      this.#connectionId = currentId
      this.companies = []
      this.companiesReadAt = null
      this.isListWhole = true
      this.listNotice = ''
      this.companiesError = null
      this.legacyError = null
      this.unfinished = []
      this.provisionings = []
    }
    if (books) this.#take(books)
  }

  async #loadCompanies(): Promise<void> {
    const connectionId = this.#connectionId
    if (connectionId === null) return
    const books = await this.#readBooks(connectionId)
    // Another connection may have been chosen while this one was read.
    if (connectionId === this.#connectionId) this.#take(books)
  }

  async #readBooks(connectionId: string): Promise<Books> {
    const [list, unfinished, provisionings] = await Promise.all([
      this.api.call('companies.list', { connectionId }),
      this.api.call('activity.unfinished', { connectionId }),
      this.api.call('companies.provisionings', { connectionId }),
    ])
    return { list, unfinished, provisionings }
  }

  #takeList(list: Books['list']): void {
    if (!list.ok) return
    this.companies = list.value.companies
    this.companiesReadAt = list.value.readAt
    this.isListWhole = list.value.isWhole
    this.listNotice = list.value.notice
    this.legacyError = list.value.legacyError
  }

  #take({ list, unfinished, provisionings }: Books): void {
    // First: a company that has just arrived must not stand in the rail for a moment.
    if (provisionings.ok) this.provisionings = provisionings.value
    this.#takeList(list)
    if (unfinished.ok) this.unfinished = unfinished.value
  }
}

/** Opened ones last first, then the others by name; pure. */
function byRecency(companies: readonly Company[]): readonly Company[] {
  return companies.toSorted((left, right) => {
    if (left.openedAt !== right.openedAt) return left.openedAt > right.openedAt ? -1 : 1
    return displayName(left).localeCompare(displayName(right))
  })
}
