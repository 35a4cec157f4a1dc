/** Keeps what a visit to **Add company** has entered, a moment after each change, so that a crash loses nothing. */
import type { Visit } from '../../../shared/contract/companies.ts'
import type { Api } from '../../api.ts'

const TYPING_RESTS_MS = 150

export class VisitKeeper {
  readonly #api: Api
  readonly #connectionId: string
  #unsaved: { readonly visit: Visit | null } | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(api: Api, connectionId: string) {
    this.#api = api
    this.#connectionId = connectionId
  }

  /** Saves when typing rests; `null` forgets what was entered. */
  keep(visit: Visit | null): void {
    this.#unsaved = { visit }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.flush(), TYPING_RESTS_MS)
  }

  /** Saves now what waits. That it could not be saved stops nobody: what matters is journalled when it is sent. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    const waiting = this.#unsaved
    if (waiting === null) return
    this.#unsaved = null
    await this.#api.call('companies.saveVisit', { connectionId: this.#connectionId, visit: waiting.visit })
  }
}
