/** The sample's desks as the panel shows them: changed at once on screen, and as the sample says right after. */
import type { SampleConditions, SampleControl, SampleState } from '../../shared/contract/sample.ts'
import type { AppError, Result } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import { ALL_WELL } from './desk-words.ts'

export class SampleDesks {
  readonly #api: Api
  /** How the sample stands; `null` until it has said so. */
  state = $state.raw<SampleState | null>(null)
  error = $state.raw<AppError | null>(null)
  /** Answers to all but the last change are overtaken. */
  #asked = 0

  constructor(api: Api) {
    this.#api = api
  }

  async load(): Promise<void> {
    await this.#ask(() => this.#api.call('sample.state', {}))
  }

  async change(change: SampleControl): Promise<void> {
    await this.#ask(() => this.#api.call('sample.control', change))
  }

  /** Changes the desk of one file. */
  async setDesk(companyName: string, conditions: Partial<SampleConditions>): Promise<void> {
    const before = this.state
    if (before !== null) {
      const files = before.files.map((file) =>
        file.companyName === companyName
          ? { ...file, conditions: { ...file.conditions, ...conditions } }
          : file,
      )
      this.state = { ...before, files }
    }
    await this.change({ company: companyName, conditions })
    // What was not taken is shown as it is.
    if (this.error !== null) this.state = before
  }

  /** Puts every desk right, opens the books and answers at once. */
  async putRight(): Promise<void> {
    await this.change({ conditions: ALL_WELL, closingDate: '', latencyMs: 0 })
  }

  async #ask(ask: () => Promise<Result<SampleState>>): Promise<void> {
    const asked = ++this.#asked
    const answer = await ask()
    if (asked !== this.#asked) return
    this.error = answer.ok ? null : answer.error
    if (answer.ok) this.state = answer.value
  }
}
