/** De-provisioning one company: the name typed, the one call, and its three confirmations (specification 4.5). */
import type { CallAnswer } from '../../../shared/contract.ts'
import type { Company } from '../../../shared/contract/companies.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { isoNow } from '../moment.ts'

export type Deprovisioned = CallAnswer<'companies.deprovision'>

export class Deprovision {
  typedName = $state('')
  /** ISO moment at which it was sent; `null` before. */
  sentAt = $state<string | null>(null)
  outcome = $state.raw<Deprovisioned | null>(null)
  error = $state.raw<AppError | null>(null)
  readonly company: Company
  readonly #api: Api

  /** The service's name or the label, whichever was typed; `null` as long as neither is. */
  readonly #named: string | null = $derived(
    this.#names().find((name) => isSameName(this.typedName, name)) ?? null,
  )
  readonly isNameTyped: boolean = $derived(this.#named !== null)
  readonly isRunning: boolean = $derived(this.sentAt !== null && this.outcome === null && this.error === null)

  constructor(api: Api, company: Company) {
    this.#api = api
    this.company = company
  }

  /** What has to be typed: the service's own name, so that it is sure whose billing ends. */
  get nameToType(): string {
    return this.#names()[0] ?? ''
  }

  /** Sends it, once; a second click does nothing. */
  async send(): Promise<void> {
    const typedName = this.#named
    if (typedName === null || this.isRunning || this.outcome) return
    this.error = null
    this.sentAt = isoNow()
    const answer = await this.#api.call('companies.deprovision', {
      company: this.company.ref,
      typedName,
    })
    if (answer.ok) this.outcome = answer.value
    else {
      this.error = answer.error
      this.sentAt = null
    }
  }

  #names(): readonly string[] {
    const { companyName, label, ref } = this.company
    const names = [companyName, label].filter((name) => name !== '')
    return names.length > 0 ? names : [ref.endpointId]
  }
}

/** Case and blanks make no difference: a name on screen may hold odd blanks inside. */
function isSameName(left: string, right: string): boolean {
  const plain = (name: string): string =>
    name.normalize('NFKC').replace(/\s+/g, ' ').trim().toLocaleLowerCase()
  return plain(left) === plain(right)
}
