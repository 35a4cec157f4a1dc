/**
 * What is open in this window: the connection, its companies, the open company, the settings, and what the service is
 * doing. Created once in `main.ts`. It follows events from the main process and decides nothing itself.
 */
import { byCompanyId, companyKey, displayName } from '../../shared/companies/companies.ts'
import type { RequestQueue, UnfinishedItem } from '../../shared/contract/activity.ts'
import type { About } from '../../shared/contract/app.ts'
import type { Company } from '../../shared/contract/companies.ts'
import type { Connection } from '../../shared/contract/connections.ts'
import type { CallOutput } from '../../shared/contract/contract.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Settings, SettingsChange } from '../../shared/contract/settings.ts'
import { Format } from '../../shared/format/format.ts'
import { type AppError, ok, type Result } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import { tileLetters } from '../ui/bands.ts'
import { decidedCompanies } from './undecided.ts'

interface Keychain {
  readonly available: boolean
  readonly reason: string
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

/** What is known about a connection's companies. */
interface Books {
  readonly list: Result<CallOutput<'companies.list'>>
  readonly unfinished: Result<CallOutput<'activity.unfinished'>>
  readonly provisionings: Result<CallOutput<'companies.provisionings'>>
}

/** Whether two references name the same company. */
export function isSameCompany(left: CompanyRef | null, right: CompanyRef | null): boolean {
  return left?.connectionId === right?.connectionId && left?.endpointId === right?.endpointId
}

/** The company that a reference names, even if the list spells its ID differently. */
export function companyOf(companies: readonly Company[], ref: CompanyRef | null): Company | null {
  if (ref === null) return null
  const ofConnection = companies.filter((company) => company.ref.connectionId === ref.connectionId)
  return byCompanyId(ofConnection, ref.endpointId, (company) => company.ref.endpointId) ?? null
}

/** What a company is called, the same in the window and in the main process. */
export { displayName as companyName }

export class Session {
  readonly api: Api
  readonly about: About
  settings = $state.raw() as Settings
  connections = $state.raw<readonly Connection[]>([])
  keychain = $state.raw<Keychain>({ available: true, reason: '' })
  /** All companies of the connection, as of the last read. */
  companies = $state.raw<readonly Company[]>([])
  /** When they were last read from the service; `null` if never. */
  companiesReadAt = $state<string | null>(null)
  /** False if the service did not return all of them. */
  isListWhole = $state(true)
  /** A message that came with the list; empty if there was none. */
  listNotice = $state('')
  /** Why the last read failed. */
  companiesError = $state.raw<AppError | null>(null)
  /** Why the last read of the older service's list failed. The other list is unaffected. */
  legacyError = $state.raw<AppError | null>(null)
  /** Connections whose list is being read. */
  #refreshing = $state.raw<ReadonlySet<string>>(new Set())
  queues = $state.raw<readonly RequestQueue[]>([])
  unfinished = $state.raw<readonly UnfinishedItem[]>([])
  /** The setups of the connection, from the journal. */
  provisionings = $state.raw<CallOutput<'companies.provisionings'>>([])
  /** Whether **Sample desktop** is shown beside the page. */
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
  readonly #unfinishedCount = $derived(this.unfinished.reduce((sum, { count }) => sum + count, 0))
  readonly #letters = $derived(
    tileLetters(
      this.companies.map((company) => ({
        key: companyKey(company.ref),
        name: displayName(company),
        chosen: company.initials,
      })),
    ),
  )
  readonly #recent = $derived(byRecency(decidedCompanies(this.companies, this.provisionings)))

  private constructor(api: Api, start: Start) {
    this.api = api
    this.about = start.about
    this.settings = start.settings
    this.queues = start.queues
  }

  /**
   * Reads what the window needs before it shows anything.
   * @param onConnection called as soon as it is known that there is a connection
   */
  static async open(api: Api, onConnection: () => void): Promise<Result<Session>> {
    const listed = api.call('connection.list', {})
    void listed.then((list) => {
      if (list.ok && list.value.currentId !== null) onConnection()
    })
    const [about, settings, queues, connections] = await Promise.all([
      api.call('app.about', {}),
      api.call('settings.get', {}),
      api.call('activity.queues', {}),
      listed,
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

  /** Companies, most recently opened first, then by name. Leaves out setups whose file no one has confirmed. */
  get recentCompanies(): readonly Company[] {
    return this.#recent
  }

  /** The number of unfinished changes and setups, in all companies of the connection. */
  get unfinishedCount(): number {
    return this.#unfinishedCount
  }

  /** The letters on a company's tile: those that the user chose, or its initials, distinct from those of other companies. */
  lettersOf({ ref }: Company): string {
    return this.#letters.get(companyKey(ref)) ?? ''
  }

  /** Whether this connection's list is being read. */
  get isRefreshing(): boolean {
    return this.#connectionId !== null && this.#refreshing.has(this.#connectionId)
  }

  /** The program's settings with this connection's overrides. */
  get connectionSettings(): Settings {
    return Object.assign({ ...this.settings }, this.connection?.settings)
  }

  /** How amounts and dates are shown. */
  get current(): Format {
    return this.#format
  }

  /** The queue of this connection, or of another one if only that one is running something. */
  get queue(): RequestQueue | null {
    const own = this.queues.find((queue) => queue.connectionId === this.#connectionId) ?? null
    return own?.running ? own : (this.queues.find((queue) => queue.running !== null) ?? own)
  }

  /** Follows events from the main process. Returns a function that stops it. */
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

  /** Reads the list of companies from the service. A failure is kept in `companiesError`. */
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

  /** Changes settings. They take effect once the main process has saved them. */
  async set(changes: SettingsChange): Promise<Result<Settings>> {
    const saved = await this.api.call('settings.set', changes)
    if (saved.ok) this.settings = saved.value
    return saved
  }

  async #loadConnections(): Promise<void> {
    await this.#takeConnections(await this.api.call('connection.list', {}))
  }

  async #takeConnections(list: Result<CallOutput<'connection.list'>>): Promise<void> {
    if (!list.ok) return
    const { connections, keychain, currentId } = list.value
    // Read before it is shown, so that no screen takes it for a connection whose companies were never read.
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
    // Another connection may have been selected meanwhile.
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
    // First, so that a company that has just arrived doesn't appear in the rail for a moment.
    if (provisionings.ok) this.provisionings = provisionings.value
    this.#takeList(list)
    if (unfinished.ok) this.unfinished = unfinished.value
  }
}

/** Most recently opened first, then by name. Pure. */
function byRecency(companies: readonly Company[]): readonly Company[] {
  return companies.toSorted((left, right) => {
    if (left.openedAt !== right.openedAt) return left.openedAt > right.openedAt ? -1 : 1
    return displayName(left).localeCompare(displayName(right), undefined, { numeric: true })
  })
}
