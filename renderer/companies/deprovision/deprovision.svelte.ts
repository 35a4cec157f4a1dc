/**
 * De-provisioning companies, one call each, one after another (specification 4.5): the main process asks about each, each
 * call has its own three confirmations, and what is not sent yet can be stopped.
 */
import type { CallAnswer } from '../../../shared/contract.ts'
import type { Company } from '../../../shared/contract/companies.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { errorToShow } from '../../ui/error-text.ts'
import { isoNow } from '../moment.ts'
import { nextToSend, type Sendable } from './sending-order.ts'

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
    this.sentAt = isoNow()
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

export class Deprovision {
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
