/** The note after **Copy agent token**: whose token is on the clipboard, and for how many more seconds. */
import type { Company } from '../../../shared/contract/companies.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { companyName, isSameCompany } from '../../frame/session.svelte.ts'

export class TokenNote {
  /** The company's name; `null` while no token of ours is on the clipboard. */
  name = $state<string | null>(null)
  secondsLeft = $state(0)
  #failure = $state.raw<TokenFailure | null>(null)
  #clearsAt = 0
  /** Whose token was copied last. */
  #copied: { readonly company: Company; readonly listReadAt: string | null } | null = null
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /**
   * Why the token of this company could not be copied, named after it; `null` when it could, for another company, and
   * once the list was read again.
   */
  errorOf(company: Company | null, listReadAt: string | null): AppError | null {
    return this.#failure === null ? null : shownFailure(this.#failure, company, listReadAt)
  }

  /**
   * Has the main process put the token on the clipboard; the window never sees it.
   * @param listReadAt ISO time of the list that the company was chosen in
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
    this.#clearsAt = Date.now() + copied.value.clearsInSeconds * 1000
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

  /** Counts down; called once a second while the note is shown. */
  tick(): void {
    this.secondsLeft = Math.max(0, Math.ceil((this.#clearsAt - Date.now()) / 1000))
    if (this.secondsLeft === 0) this.name = null
  }
}

// Why an agent token could not be copied, and how long that is shown.

interface TokenFailure {
  readonly ref: Company['ref']
  /** ISO time of the list that the company was chosen in; `null` when none was read. */
  readonly listReadAt: string | null
  /** Names the company. */
  readonly error: AppError
}

export function tokenFailure(company: Company, listReadAt: string | null, error: AppError): TokenFailure {
  const message = `Agent token of ${companyName(company)}: ${error.message}`
  return { ref: company.ref, listReadAt, error: { ...error, message } }
}

/** Gone as soon as another company is chosen, or the list was read again. */
export function shownFailure(
  failure: TokenFailure,
  chosen: Company | null,
  listReadAt: string | null,
): AppError | null {
  const isOfChosen = chosen !== null && isSameCompany(failure.ref, chosen.ref)
  return isOfChosen && failure.listReadAt === listReadAt ? failure.error : null
}
