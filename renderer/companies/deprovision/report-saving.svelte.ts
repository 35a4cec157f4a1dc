/** **Save report…**: the proof of de-provisionings as a file, from what the journal keeps. */
import type { SavedFile } from '../../../shared/contract/parts.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'

export class ReportSaving {
  saved = $state.raw<Extract<SavedFile, { saved: true }> | null>(null)
  error = $state.raw<AppError | null>(null)
  isBusy = $state(false)
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Asks where to; whole or not at all. That the person chose not to is no error. */
  async save(deprovisioningIds: readonly string[]): Promise<void> {
    if (this.isBusy || deprovisioningIds.length === 0) return
    this.isBusy = true
    this.error = null
    const answer = await this.#api.call('companies.saveDeprovisionReport', {
      deprovisioningIds: [...deprovisioningIds],
    })
    this.isBusy = false
    if (!answer.ok) this.error = answer.error
    else if (answer.value.saved) this.saved = answer.value
  }

  /** Shows the file in its folder. */
  async show(): Promise<void> {
    if (this.saved) await this.#api.call('app.showFile', { path: this.saved.path })
  }
}
