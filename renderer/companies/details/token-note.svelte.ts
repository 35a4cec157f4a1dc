/** The note after **Copy agent token**: whose token is on the clipboard, and for how many more seconds. */
import type { Company } from '../../../shared/contract/companies.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { clock } from '../../clock.ts'
import { companyName, isSameCompany } from '../../frame/session.svelte.ts'

export class TokenNote {
  /** The company's name; `null` while no token of ours is on the clipboard. */
  name = $state<string | null>(null)
  secondsLeft = $state(0)
  #failure = $state.raw<TokenFailure | null>(null)
  #clearsAt = 0
  /** The company whose token was copied last. */
  #copied: { readonly company: Company; readonly listReadAt: string | null } | null = null
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Why this company's token could not be copied; `null` for another company, and once the list was read again. */
  errorOf(company: Company | null, listReadAt: string | null): AppError | null {
    const failure = this.#failure
    if (failure === null || company === null || !isSameCompany(failure.ref, company.ref)) return null
    return failure.listReadAt === listReadAt ? failure.error : null
  }

  /**
   * Asks the main process to copy the token. The window never sees it.
   * @param listReadAt when the list was read, ISO
   */
  async copy(company: Company, listReadAt: string | null): Promise<void> {
    this.#failure = null
    const copied = await this.#api.call('companies.copyToken', { company: company.ref })
    if (!copied.ok) {
      this.#failure = tokenFailure(company, listReadAt, copied.error)
      return
    }
    this.name = companyName(company)
    this.#copied = { company, listReadAt }
    this.#clearsAt = clock.now() + copied.value.clearsInSeconds * 1000
    this.tick()
  }

  /** **Clear now**. */
  async clear(): Promise<void> {
    this.name = null
    const cleared = await this.#api.call('companies.clearToken', {})
    if (!cleared.ok && this.#copied) {
      this.#failure = tokenFailure(this.#copied.company, this.#copied.listReadAt, cleared.error)
    }
  }

  /** Counts down. Call it once a second while the note is shown. */
  tick(): void {
    this.secondsLeft = Math.max(0, Math.ceil((this.#clearsAt - clock.now()) / 1000))
    if (this.secondsLeft === 0) this.name = null
  }
}

// Why an agent token could not be copied.

interface TokenFailure {
  readonly ref: Company['ref']
  /** When the list was read, ISO; `null` if never. */
  readonly listReadAt: string | null
  /** Names the company. */
  readonly error: AppError
}

function tokenFailure(company: Company, listReadAt: string | null, error: AppError): TokenFailure {
  const message = `Agent token of ${companyName(company)}: ${error.message}`
  return { ref: company.ref, listReadAt, error: { ...error, message } }
}
