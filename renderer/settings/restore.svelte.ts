/** **Restore…**: a file is chosen and checked, what it holds is told, and only then it takes the place of what is here. */
import type { BackupContents } from '../../shared/contract/backup.ts'
import type { AppError } from '../../shared/result.ts'
import type { Api } from '../api.ts'

export class Restore {
  readonly #api: Api
  /** What the chosen file holds; `null` for none. */
  contents = $state.raw<BackupContents | null>(null)
  /** The person is asked whether it is the right one. */
  isAsking = $state(false)
  error = $state.raw<AppError | null>(null)
  /** A file is being checked, or put in place. */
  isBusy = $state(false)

  constructor(api: Api) {
    this.#api = api
  }

  async choose(): Promise<void> {
    this.error = null
    this.isBusy = true
    const chosen = await this.#api.call('backup.choose', {})
    this.isBusy = false
    if (chosen.ok) this.contents = chosen.value
    else this.error = chosen.error
    this.isAsking = this.contents !== null
  }

  /** The window loads anew when it has worked. */
  async confirm(): Promise<void> {
    const { contents } = this
    if (contents === null) return
    this.isBusy = true
    const restored = await this.#api.call('backup.restore', { restoreId: contents.restoreId })
    if (restored.ok) return
    this.isBusy = false
    this.contents = null
    this.error = restored.error
  }

  /** The question closes, also right before it is confirmed: only then what was unpacked is still wanted. */
  async close(): Promise<void> {
    this.isAsking = false
    await Promise.resolve()
    if (this.isBusy) return
    this.contents = null
    void this.#api.call('backup.forget', {})
  }
}
