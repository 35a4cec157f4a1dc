/**
 * **Restore…**: the user chooses a file, opens it if it is encrypted, sees what it contains, and confirms. Only then
 * does it replace what is here.
 */
import type { CallOutput } from '../../../shared/contract/contract.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'

type Chosen = NonNullable<CallOutput<'backup.choose'>>

export class Restore {
  readonly #api: Api
  /** The chosen file, if any. */
  chosen = $state.raw<Chosen | null>(null)
  /** Whether the user is asked for the passphrase of an encrypted file. */
  isSealed = $derived(this.chosen !== null && this.chosen.contents === null)
  /** Whether the user is asked to confirm the restore. */
  isAsking = $state(false)
  error = $state.raw<AppError | null>(null)
  /** Why it couldn't be opened. */
  sealError = $state.raw<AppError | null>(null)
  /** Whether a file is being checked or restored. */
  isBusy = $state(false)

  constructor(api: Api) {
    this.#api = api
  }

  async choose(): Promise<void> {
    this.error = null
    this.sealError = null
    this.isBusy = true
    const chosen = await this.#api.call('backup.choose', {})
    this.isBusy = false
    if (chosen.ok) this.chosen = chosen.value
    else this.error = chosen.error
    this.isAsking = chosen.ok && chosen.value !== null && chosen.value.contents !== null
  }

  /** A wrong passphrase can be tried again. Any other error ends the restore. */
  async unseal(passphrase: string): Promise<void> {
    const { chosen } = this
    if (chosen === null || this.isBusy) return
    this.isBusy = true
    const unsealed = await this.#api.call('backup.unseal', { restoreId: chosen.restoreId, passphrase })
    this.isBusy = false
    if (unsealed.ok) {
      this.chosen = { ...chosen, contents: unsealed.value }
      this.isAsking = true
    } else if (unsealed.error.kind === 'invalid-input') {
      this.sealError = unsealed.error
    } else {
      this.chosen = null
      this.error = unsealed.error
    }
  }

  /** Restores. The window reloads once it has worked. */
  async confirm(): Promise<void> {
    const { chosen } = this
    if (chosen === null) return
    this.isBusy = true
    const restored = await this.#api.call('backup.restore', { restoreId: chosen.restoreId })
    if (restored.ok) return
    this.isBusy = false
    this.chosen = null
    this.error = restored.error
  }

  /** Closes the dialog. It also closes right before `confirm`, which still needs the unpacked file. */
  async close(): Promise<void> {
    this.isAsking = false
    await Promise.resolve()
    if (this.isBusy) return
    this.chosen = null
    void this.#api.call('backup.forget', {})
  }
}
