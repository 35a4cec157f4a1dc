/** A connection being changed: name, address, a new key, and what **Connect** answered. */
import type { Connection } from '../../shared/contract/connections.ts'
import type { AppError } from '../../shared/result.ts'
import type { Api } from '../api.ts'

export type ConnectOutcome =
  | { readonly what: 'answered'; readonly companies: number; readonly milliseconds: number }
  | { readonly what: 'failed'; readonly error: AppError }

export class ConnectionEditor {
  name = $state('')
  address = $state('')
  /** A new key; empty keeps the one in the keychain. Forgotten as soon as it was handed over. */
  key = $state('')
  keyProblem = $state('')
  outcome = $state.raw<ConnectOutcome | null>(null)
  isConnecting = $state(false)
  readonly #api: Api
  readonly #connection: Connection

  constructor(api: Api, connection: Connection) {
    this.#api = api
    this.#connection = connection
    this.name = connection.name
    this.address = connection.address
  }

  /** Tests address and key by listing the companies, and keeps the changes only when that works. */
  async connect(): Promise<void> {
    const { connectionId, key } = this.#connection
    this.keyProblem = ''
    this.outcome = null
    // A key is given for one address; for another it is asked for again (reliability.md, "Secrets").
    if (this.key === '' && (this.address.trim() !== this.#connection.address || key === 'missing')) {
      this.keyProblem = 'Type the API key for this address.'
      return
    }
    this.isConnecting = true
    this.outcome = await this.#try(connectionId)
    this.isConnecting = false
    if (this.outcome.what === 'answered') this.key = ''
  }

  async #try(connectionId: string): Promise<ConnectOutcome> {
    if (this.key !== '') {
      const kept = await this.#api.call('connection.setKey', { connectionId, key: this.key.trim() })
      if (!kept.ok) return { what: 'failed', error: kept.error }
    }
    const began = performance.now()
    const connected = await this.#api.call('connection.connect', {
      connectionId,
      name: this.name.trim() || this.#connection.name,
      address: this.address.trim(),
    })
    return connected.ok
      ? { what: 'answered', companies: connected.value.companies, milliseconds: performance.now() - began }
      : { what: 'failed', error: connected.error }
  }
}
