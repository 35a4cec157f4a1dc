/**
 * De-provisioning companies, one call each, one after another (specification 4.5): the main process asks about each, each
 * call has its own three confirmations, and what is not sent yet can be stopped.
 */
import type { Company } from '../../../shared/contract/companies.ts'
import type { CallAnswer } from '../../../shared/contract/contract.ts'
import type { AppError, ErrorKind } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { companyName } from '../../frame/session.svelte.ts'
import { errorToShow } from '../../ui/notices/errors.ts'

export type Deprovisioned = CallAnswer<'companies.deprovision'>

/** One of the companies, and what came of its call. */
export class DeprovisionItem implements Sendable {
  /** Sent over the older service, where both list it. */
  isOverOlder = $state(false)
  /** ISO moment at which it was asked for; `null` before. */
  sentAt = $state<string | null>(null)
  outcome = $state.raw<Deprovisioned | null>(null)
  error = $state.raw<AppError | null>(null)
  /** The person left it out after it was refused: it is not sent again from here. */
  isSkipped = $state(false)
  readonly company: Company

  readonly isRunning: boolean = $derived(this.sentAt !== null && this.outcome === null)
  readonly isOpen: boolean = $derived(this.outcome === null && !this.isSkipped)

  constructor(company: Company) {
    this.company = company
  }

  /** Which service is asked: the older one also where the person wants that and both list it. */
  get service(): 'v2' | 'v1' {
    const { listedBy } = this.company
    return listedBy === 'both' && this.isOverOlder ? 'v1' : listedBy === 'v1' ? 'v1' : 'v2'
  }

  /** Sends it, once. */
  async send(api: Api): Promise<void> {
    if (this.isRunning || this.outcome) return
    this.error = null
    this.sentAt = new Date().toISOString()
    const { service } = this
    const answer = await api.call('companies.deprovision', { company: this.company.ref, service })
    if (answer.ok) {
      this.outcome = answer.value
      return
    }
    this.error = errorToShow(answer.error)
    this.sentAt = null
  }
}

export class DeprovisionRun {
  readonly items: readonly DeprovisionItem[]
  /** No more is sent after the one that is on its way. */
  isStopping = $state(false)
  /** The calls are being made, one after another. */
  isRunning = $state(false)
  readonly #api: Api

  constructor(api: Api, companies: readonly Company[]) {
    this.#api = api
    this.items = companies.map((company) => new DeprovisionItem(company))
  }

  /** Both services list one, so the person says which of them is asked. */
  get hasChoice(): boolean {
    return this.items.some(({ company }) => company.listedBy === 'both')
  }

  /** Those with a result: sent, and answered or looked for. */
  get done(): readonly DeprovisionItem[] {
    return this.items.filter((item) => item.outcome !== null)
  }

  /** Those that are not sent yet, or were refused and not skipped. */
  get open(): readonly DeprovisionItem[] {
    return this.items.filter(({ isOpen }) => isOpen)
  }

  get isFinished(): boolean {
    return this.open.length === 0
  }

  /** Something was sent, or one of several refused, so there is more to show than the question. */
  get isBegun(): boolean {
    const isOneRefused = this.items.length > 1 && this.items.some(({ error }) => error !== null)
    return this.isRunning || this.done.length > 0 || isOneRefused
  }

  /**
   * Sends what is not sent yet, one after another. One that is refused for certain holds up only those that the
   * refusal reaches, e.g. the others of the same service after a refused key; calling it again tries all of them.
   */
  async send(): Promise<void> {
    if (this.isRunning) return
    this.isRunning = true
    this.isStopping = false
    for (const item of this.open) item.error = null
    for (let item = nextToSend(this.items); item && !this.#wasStopped(); item = nextToSend(this.items)) {
      await item.send(this.#api)
      // The person said no: the others wait for another word.
      if (item.outcome === null && item.error === null) break
    }
    this.isRunning = false
  }

  /** **Stop after this one**: what is on its way can't be taken back. */
  stop(): void {
    this.isStopping = true
  }

  #wasStopped(): boolean {
    return this.isStopping
  }
}

// Which of several companies is sent next, after what was refused for certain. Decides only.

/** One of the companies, as far as the order goes. */
export interface Sendable {
  /** Neither done nor skipped. */
  readonly isOpen: boolean
  /** Why it was refused in this run; `null` when it was not. */
  readonly error: AppError | null
  /** Which service is asked for it: each has its own address, key and queue. */
  readonly service: 'v2' | 'v1'
}

/** The first that is open and was not tried in this run, unless a refusal reaches it; `undefined` ends the run. */
export function nextToSend<Item extends Sendable>(items: readonly Item[]): Item | undefined {
  const refused = items.flatMap(({ error, service }) =>
    error === null ? [] : [{ reach: reachOf(error.kind), service }],
  )
  if (refused.some(({ reach }) => reach === 'all')) return undefined
  const shut = new Set(refused.filter(({ reach }) => reach === 'service').map(({ service }) => service))
  return items.find(({ isOpen, error, service }) => isOpen && error === null && !shut.has(service))
}

/** Whom a refusal concerns: the company that was sent, all of the same service, or everything. */
function reachOf(kind: ErrorKind): 'company' | 'service' | 'all' {
  switch (kind) {
    case 'service-error':
    case 'company-unavailable':
    case 'read-only':
    case 'not-found':
    case 'invalid-input':
      return 'company'
    case 'unauthorised':
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

// The one run of de-provisioning that this window has. It outlives the screen, and whether its dialog is open.

declare module '../../frame/session.svelte.ts' {
  interface ScreenState {
    deprovision: DeprovisionController
  }
}

export class DeprovisionController {
  /** What was asked for last; `null` before anything was. */
  current = $state.raw<DeprovisionRun | null>(null)
  /** The dialog is open. */
  isShown = $state(false)
  readonly #api: Api
  readonly #settled: (summary: string) => void

  /** @param settled called with a sentence when there is a result and nobody looks at it */
  constructor(api: Api, settled: (summary: string) => void) {
    this.#api = api
    this.#settled = settled
  }

  /** What runs out of sight; `null` where nothing runs, or the dialog shows it. */
  get outOfSight(): DeprovisionRun | null {
    return this.current?.isRunning && !this.isShown ? this.current : null
  }

  /** Those chosen, one call each, begun where nothing is to be chosen; a run that is still at work is shown instead. */
  ask(chosen: readonly Company[]): void {
    this.isShown = true
    if (this.current?.isRunning) return
    this.current = new DeprovisionRun(this.#api, chosen)
    if (!this.current.hasChoice) void this.send()
  }

  /** Sends what is not sent yet. Where the person said no to the first, there is nothing to show. */
  async send(): Promise<void> {
    const { current } = this
    if (current === null) return
    await current.send()
    if (this.current !== current) return
    const isNothing = !current.isBegun && current.items.every(({ error }) => error === null)
    if (isNothing && !current.hasChoice) this.close()
    else if (!isNothing && !this.isShown) this.#settled(`De-provisioning ${runTitle(current)} is finished.`)
  }

  show(): void {
    this.isShown = this.current !== null
  }

  hide(): void {
    this.isShown = false
  }

  /** Sends no more; what is on its way can't be taken back. */
  close(): void {
    this.current?.stop()
    this.current = null
    this.isShown = false
  }
}

/** What is being de-provisioned: the company's name, or how many. */
export function runTitle({ items }: DeprovisionRun): string {
  const [first, ...others] = items
  return first && others.length === 0 ? companyName(first.company) : `${items.length} companies`
}
