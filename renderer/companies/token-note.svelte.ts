/** The note after **Copy agent token**: whose token is on the clipboard, and for how many more seconds. */
import type { Company } from '../../shared/contract/companies.ts'
import type { AppError } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import { companyName } from '../frame/session.svelte.ts'

export class TokenNote {
  /** The company's name; `null` while no token of ours is on the clipboard. */
  name = $state<string | null>(null)
  secondsLeft = $state(0)
  error = $state.raw<AppError | null>(null)
  #clearsAt = 0
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Has the main process put the token on the clipboard; the window never sees it. */
  async copy(company: Company): Promise<void> {
    this.error = null
    const copied = await this.#api.call('companies.copyToken', { company: company.ref })
    if (!copied.ok) {
      this.error = copied.error
      return
    }
    this.name = companyName(company)
    this.#clearsAt = Date.now() + copied.value.clearsInSeconds * 1000
    this.tick()
  }

  /** **Clear now**. */
  async clear(): Promise<void> {
    this.name = null
    const cleared = await this.#api.call('companies.clearToken', {})
    if (!cleared.ok) this.error = cleared.error
  }

  /** Counts down; called once a second while the note is shown. */
  tick(): void {
    this.secondsLeft = Math.max(0, Math.ceil((this.#clearsAt - Date.now()) / 1000))
    if (this.secondsLeft === 0) this.name = null
  }
}
