/**
 * The form for a new connection: name, address, and key of the current service or of an older one, and what **Connect**
 * answered. The key goes to the main process. The form forgets it as soon as the connection works.
 */
import { isLoopbackHost, withScheme } from '../../shared/address.ts'
import type { AppError, ErrorKind } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import { errorToShow } from '../ui/notices/errors.ts'

/** Where an error belongs on screen: at the field or the file that has to change, or under the form. */
export type ErrorField = 'address' | 'key' | 'certificate' | 'form'

export interface ConnectFormError {
  readonly field: ErrorField
  readonly error: AppError
}

/** The missing fields, a sentence each. */
interface MissingFields {
  readonly address?: string
  readonly key?: string
}

export class ConnectForm {
  name = $state('')
  address = $state('')
  key = $state('')
  /** Address and key are an older service's (v1). */
  isOlder = $state(false)
  #missing = $state.raw<MissingFields>({})
  #failure = $state.raw<ConnectFormError | null>(null)
  #isConnecting = $state(false)
  readonly #api: Api
  readonly #newId: () => string
  /** All attempts of a form are for one connection, so that a refused key is replaced. */
  #connectionId = $state() as string

  /** @param newId creates the ID of a connection, such as `crypto.randomUUID` */
  constructor(api: Api, newId: () => string) {
    this.#api = api
    this.#newId = newId
    this.#connectionId = newId()
  }

  get missing(): MissingFields {
    return this.#missing
  }

  get failure(): ConnectFormError | null {
    return this.#failure
  }

  /** The ID of the connection being created. Its queue has the same ID. */
  get connectionId(): string {
    return this.#connectionId
  }

  get isConnecting(): boolean {
    return this.#isConnecting
  }

  /** Tests address and key by listing the companies. Returns the connection's ID once it is saved, `null` otherwise. */
  async connect(): Promise<string | null> {
    if (this.#isConnecting) return null
    this.#failure = null
    this.#missing = missingFields(this.address, this.key)
    if (this.#missing.address !== undefined || this.#missing.key !== undefined) return null

    this.#isConnecting = true
    const failure = await this.#try(this.#connectionId, withScheme(this.address))
    this.#isConnecting = false
    this.#failure = failure && errorToShow(failure.error) ? failure : null
    if (failure) return null
    const connectionId = this.#connectionId
    this.key = ''
    this.#connectionId = this.#newId()
    return connectionId
  }

  /**
   * **Choose a certificate file…**, because Settings can't be opened before there is a connection. Connects again once a
   * file is chosen. Returns the connection's ID, as `connect` does.
   * @param before the file that was trusted so far
   */
  async chooseCertificate(before: string): Promise<string | null> {
    const chosen = await this.#api.call('settings.chooseCertificate', {})
    if (!chosen.ok) {
      this.#failure = { field: 'certificate', error: chosen.error }
      return null
    }
    return chosen.value.certificateFile === before ? null : this.connect()
  }

  /** Clears the errors once the user changes something. */
  changed(): void {
    this.#missing = {}
    this.#failure = null
  }

  async #try(connectionId: string, address: string): Promise<ConnectFormError | null> {
    const service = this.isOlder ? 'v1' : 'v2'
    const kept = await this.#api.call('connection.setKey', { connectionId, key: this.key.trim(), service })
    if (!kept.ok) return { field: 'key', error: kept.error }
    const name = this.name.trim() || hostOf(address)
    const leads = this.isOlder ? { address: '', legacyAddress: address } : { address }
    const connected = await this.#api.call('connection.connect', { connectionId, name, ...leads })
    return connected.ok ? null : { field: errorField(connected.error.kind), error: connected.error }
  }
}

/** Where an error of **Connect** is shown. */
function errorField(kind: ErrorKind): ErrorField {
  switch (kind) {
    case 'unauthorized':
    case 'keychain':
      return 'key'
    case 'invalid-input':
    case 'unreachable':
    case 'untrusted-certificate':
    case 'timed-out':
    case 'dropped':
    case 'malformed-response':
    case 'too-large':
    case 'redirected':
      return 'address'
    case 'proxy-refused':
    case 'busy':
    case 'service-error':
    case 'unexpected-effect':
    case 'company-unavailable':
    case 'stopped':
    case 'declined':
    case 'connection-changed':
    case 'paused':
    case 'read-only':
    case 'file':
    case 'store':
    case 'not-found':
    case 'internal':
      return 'form'
  }
}

function missingFields(address: string, key: string): MissingFields {
  return {
    ...(address.trim() === '' ? { address: 'Enter the address of your service.' } : {}),
    ...(key.trim() === '' ? { key: 'Enter the API key from your provider.' } : {}),
  }
}

// Service addresses as people type and paste them.

/** Host and port: the name of a connection that was given none. */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address
}

/** Whether an address is on this computer, over unencrypted `http`. Allowed, with a warning. */
export function isPlainLoopback(typed: string): boolean {
  const address = typed.trim()
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && isLoopbackHost(hostname)
}

// Whether trusting a certificate file can help.

/** Problems that no file can fix: the certificate is expired, for another address, or revoked. */
const PAST_HELP: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'CERT_REVOKED',
])

export function isHelpedByCertificate({ kind, details }: AppError): boolean {
  return kind === 'untrusted-certificate' && !PAST_HELP.has(details.code ?? '')
}
