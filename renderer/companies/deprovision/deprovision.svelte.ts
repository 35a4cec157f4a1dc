/**
 * De-provisions companies one after another (specification 4.5). The main process asks about each, each has its own three
 * confirmations, and what isn't sent yet can be stopped.
 */
import type { Company } from '../../../shared/contract/companies.ts'
import type { CallOutput } from '../../../shared/contract/contract.ts'
import type { AppError, ErrorKind } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { clock } from '../../clock.ts'
import { companyName } from '../../frame/session.svelte.ts'
import { errorToShow } from '../../ui/notices/errors.ts'

export type DeprovisionResult = CallOutput<'companies.deprovision'>

/** One of the companies, and the result of its request. */
export class DeprovisionItem implements Sendable {
  /** Use the older service, if both list the company. */
  isOverOlder = $state(false)
  /** When it was requested, ISO; `null` before that. */
  sentAt = $state<string | null>(null)
  outcome = $state.raw<DeprovisionResult | null>(null)
  error = $state.raw<AppError | null>(null)
  /** The user skipped it after it was refused. */
  isSkipped = $state(false)
  readonly company: Company

  readonly isRunning: boolean = $derived(this.sentAt !== null && this.outcome === null)
  readonly isOpen: boolean = $derived(this.outcome === null && !this.isSkipped)

  constructor(company: Company) {
    this.company = company
  }

  /** Which service to use: the only one that lists it, or the user's choice. */
  get service(): 'v2' | 'v1' {
    const { listedBy } = this.company
    return listedBy === 'both' && this.isOverOlder ? 'v1' : listedBy === 'v1' ? 'v1' : 'v2'
  }

  /** Sends it, once. */
  async send(api: Api): Promise<void> {
    if (this.isRunning || this.outcome) return
    this.error = null
    this.sentAt = clock.date().toISOString()
    const { service } = this
    const result = await api.call('companies.deprovision', { company: this.company.ref, service })
    if (result.ok) {
      this.outcome = result.value
      return
    }
    this.error = errorToShow(result.error)
    this.sentAt = null
  }
}

export class DeprovisionRun {
  readonly items: readonly DeprovisionItem[]
  /** Nothing more is sent after the one that is running. */
  isStopping = $state(false)
  /** The requests are running, one after another. */
  isRunning = $state(false)
  readonly #api: Api

  constructor(api: Api, companies: readonly Company[]) {
    this.#api = api
    this.items = companies.map((company) => new DeprovisionItem(company))
  }

  /** Whether both services list one of them, so that the user chooses. */
  get hasChoice(): boolean {
    return this.items.some(({ company }) => company.listedBy === 'both')
  }

  /** Those with a result. */
  get done(): readonly DeprovisionItem[] {
    return this.items.filter((item) => item.outcome !== null)
  }

  /** Those that aren't sent yet, or were refused and not skipped. */
  get open(): readonly DeprovisionItem[] {
    return this.items.filter(({ isOpen }) => isOpen)
  }

  get isFinished(): boolean {
    return this.open.length === 0
  }

  /** Whether there is a result to show besides the question. */
  get isBegun(): boolean {
    const isOneRefused = this.items.length > 1 && this.items.some(({ error }) => error !== null)
    return this.isRunning || this.done.length > 0 || isOneRefused
  }

  /**
   * Sends what isn't sent yet, one after another. A refusal stops only what it concerns, for example all companies of the
   * same service after a refused key. Calling it again retries all of them.
   */
  async send(): Promise<void> {
    if (this.isRunning) return
    this.isRunning = true
    this.isStopping = false
    for (const item of this.open) item.error = null
    for (let item = nextToSend(this.items); item && !this.#wasStopped(); item = nextToSend(this.items)) {
      await item.send(this.#api)
      // The user declined, so the others aren't sent either.
      if (item.outcome === null && item.error === null) break
    }
    this.isRunning = false
  }

  /** **Stop after this one**: what is running can't be undone. */
  stop(): void {
    this.isStopping = true
  }

  #wasStopped(): boolean {
    return this.isStopping
  }
}

// Which company is sent next, considering refusals. Pure decisions.

/** What the order depends on. */
export interface Sendable {
  /** Neither done nor skipped. */
  readonly isOpen: boolean
  /** Why it was refused in this run; `null` if it wasn't. */
  readonly error: AppError | null
  /** Which service is used. Each has its own address, key, and queue. */
  readonly service: 'v2' | 'v1'
}

/**
 * The first open item that wasn't tried in this run and isn't stopped by a refusal; `undefined` ends the run.
 * @internal
 */
export function nextToSend<Item extends Sendable>(items: readonly Item[]): Item | undefined {
  const refused = items.flatMap(({ error, service }) =>
    error === null ? [] : [{ reach: reachOf(error.kind), service }],
  )
  if (refused.some(({ reach }) => reach === 'all')) return undefined
  const shut = new Set(refused.filter(({ reach }) => reach === 'service').map(({ service }) => service))
  return items.find(({ isOpen, error, service }) => isOpen && error === null && !shut.has(service))
}

/** What a refusal concerns: the company itself, all companies of the same service, or everything. */
function reachOf(kind: ErrorKind): 'company' | 'service' | 'all' {
  switch (kind) {
    case 'service-error':
    case 'unexpected-effect':
    case 'company-unavailable':
    case 'read-only':
    case 'not-found':
    case 'invalid-input':
      return 'company'
    case 'unauthorized':
    case 'keychain':
    case 'unreachable':
    case 'untrusted-certificate':
    case 'proxy-refused':
    case 'timed-out':
    case 'dropped':
    case 'malformed-response':
    case 'too-large':
    case 'redirected':
    case 'busy':
    case 'connection-changed':
    case 'paused':
      return 'service'
    case 'stopped':
    case 'declined':
    case 'file':
    case 'store':
    case 'internal':
      return 'all'
  }
}

// The window's only run of de-provisioning. It survives leaving the screen and closing the dialog.

declare module '../../frame/session.svelte.ts' {
  interface ScreenState {
    deprovision: DeprovisionController
  }
}

export class DeprovisionController {
  /** The last run; `null` before the first. */
  current = $state.raw<DeprovisionRun | null>(null)
  /** The dialog is open. */
  isShown = $state(false)
  readonly #api: Api
  readonly #settled: (summary: string) => void

  /** @param settled called with a sentence when there is a result while the dialog is closed */
  constructor(api: Api, settled: (summary: string) => void) {
    this.#api = api
    this.#settled = settled
  }

  /** The run that continues while its dialog is closed; `null` if there is none. */
  get outOfSight(): DeprovisionRun | null {
    return this.current?.isRunning && !this.isShown ? this.current : null
  }

  /** Starts a run for these companies, unless a service must be chosen first. Shows the current run if one is running. */
  ask(chosen: readonly Company[]): void {
    this.isShown = true
    if (this.current?.isRunning) return
    this.current = new DeprovisionRun(this.#api, chosen)
    if (!this.current.hasChoice) void this.send()
  }

  /** Sends what isn't sent yet. Closes again if the user declined the first. */
  async send(): Promise<void> {
    const { current } = this
    if (current === null) return
    await current.send()
    if (this.current !== current) return
    const isNothing = !current.isBegun && current.items.every(({ error }) => error === null)
    if (isNothing && !current.hasChoice) this.close()
    else if (!isNothing && !this.isShown)
      this.#settled(`De-provisioning ${deprovisionTitle(current)} is finished.`)
  }

  show(): void {
    this.isShown = this.current !== null
  }

  hide(): void {
    this.isShown = false
  }

  /** Stops after the one that is running, and forgets the run. */
  close(): void {
    this.current?.stop()
    this.current = null
    this.isShown = false
  }
}

/** What is being de-provisioned: the company's name, or how many. */
export function deprovisionTitle({ items }: DeprovisionRun): string {
  const [first, ...others] = items
  return first && others.length === 0 ? companyName(first.company) : `${items.length} companies`
}
