/** Sessions and their protocol handlers. Chromium has one profile for all of them, which is deleted at the end. */
import type {
  CustomScheme,
  OnBeforeRequestListenerDetails,
  OnHeadersReceivedListenerDetails,
  ProxyConfig,
} from 'electron'
import { HostEmitter, HostObject } from './strict.ts'

type ProtocolHandler = (request: Request) => Response | Promise<Response>

export class HostProtocol extends HostObject {
  readonly #handlers = new Map<string, ProtocolHandler>()

  registerSchemesAsPrivileged(schemes: readonly CustomScheme[]): void {
    for (const { scheme, privileges } of schemes) {
      // The stand-in address uses https, because a scheme with fewer privileges would behave better here than in
      // Electron.
      if (!privileges?.standard || !privileges.secure) {
        throw new Error(`The Chromium host has no scheme that is not standard and secure: ${scheme}`)
      }
    }
  }

  handle(scheme: string, handler: ProtocolHandler): void {
    if (this.#handlers.has(scheme)) throw new Error(`The scheme ${scheme} is handled already`)
    this.#handlers.set(scheme, handler)
  }

  unhandle(scheme: string): void {
    this.#handlers.delete(scheme)
  }

  isProtocolHandled(scheme: string): boolean {
    return this.#handlers.has(scheme)
  }

  /** For the page: the program's own response; undefined if nothing handles the scheme. */
  async answer(scheme: string, request: Request): Promise<Response | undefined> {
    return this.#handlers.get(scheme)?.(request)
  }
}

/** What `webRequest` listeners receive: the part of Electron's details that Chromium provides. */
export type RequestDetails = Pick<
  OnBeforeRequestListenerDetails,
  'id' | 'url' | 'method' | 'resourceType' | 'timestamp' | 'webContentsId'
>
type HeadersDetails = RequestDetails &
  Pick<OnHeadersReceivedListenerDetails, 'statusCode' | 'statusLine' | 'responseHeaders'>
type BeforeRequest = (details: RequestDetails, callback: (answer: { cancel?: boolean }) => void) => void
type HeadersReceived = (
  details: HeadersDetails,
  callback: (answer: { cancel?: boolean; responseHeaders?: Record<string, string | string[]> }) => void,
) => void

export class HostWebRequest extends HostObject {
  #beforeRequest: BeforeRequest | undefined
  #headersReceived: HeadersReceived | undefined

  onBeforeRequest(first: BeforeRequest | { urls: string[] } | null, second?: BeforeRequest | null): void {
    this.#beforeRequest = listenerOf(first, second)
  }

  onHeadersReceived(
    first: HeadersReceived | { urls: string[] } | null,
    second?: HeadersReceived | null,
  ): void {
    this.#headersReceived = listenerOf(first, second)
  }

  /** For the page: whether the program allows the request. */
  async allows(details: RequestDetails): Promise<boolean> {
    const listener = this.#beforeRequest
    if (!listener) return true
    return new Promise((resolve) => listener(details, ({ cancel }) => resolve(cancel !== true)))
  }

  /** For the page: the response with the program's headers; undefined if it refuses. */
  async received(details: RequestDetails, response: Response): Promise<Response | undefined> {
    const listener = this.#headersReceived
    if (!listener) return response
    const given: Record<string, string[]> = {}
    for (const [name, value] of response.headers) given[name] = [value]
    const { status: statusCode } = response
    const all: HeadersDetails = {
      ...details,
      statusCode,
      statusLine: `HTTP/1.1 ${statusCode}`,
      responseHeaders: given,
    }
    return new Promise((resolve) => {
      listener(all, ({ cancel, responseHeaders }) => {
        if (cancel === true) resolve(undefined)
        const headers = new Headers()
        for (const [name, values] of Object.entries(responseHeaders ?? given)) {
          for (const value of [values].flat()) headers.append(name, value)
        }
        resolve(new Response(response.body, { status: statusCode, headers }))
      })
    })
  }
}

function listenerOf<L>(first: L | { urls: string[] } | null, second?: L | null): L | undefined {
  if (typeof first === 'function') return first
  if (first !== null && (first as { urls: string[] }).urls.some((pattern) => pattern !== '<all_urls>')) {
    throw new Error('The Chromium host has no webRequest filter but <all_urls>')
  }
  return second ?? undefined
}

export class HostSession extends HostEmitter {
  readonly protocol: HostProtocol
  readonly webRequest: HostWebRequest
  /** The proxy for requests that no handler answers. `openWindow` uses it. */
  proxy: ProxyConfig | undefined
  readonly #partition: string

  constructor(partition: string) {
    super('Session', ['will-download'])
    this.#partition = partition
    this.protocol = new HostProtocol()
    this.webRequest = new HostWebRequest()
  }

  isPersistent(): boolean {
    return this.#partition.startsWith('persist:')
  }

  // Permissions, certificates, and the spelling checker belong to Electron's own browser. The program may set them, but
  // only real Electron shows the effect.
  setPermissionRequestHandler(): void {}
  setPermissionCheckHandler(): void {}
  setDevicePermissionHandler(): void {}
  setDisplayMediaRequestHandler(): void {}
  setCertificateVerifyProc(): void {}
  setSpellCheckerEnabled(): void {}
  setSpellCheckerDictionaryDownloadURL(): void {}

  /** Chromium has one proxy for all sessions of a host: the first window's. */
  setProxy(proxy: ProxyConfig): Promise<void> {
    this.proxy = proxy
    return Promise.resolve()
  }

  resolveProxy(): Promise<string> {
    return Promise.resolve('DIRECT')
  }

  clearStorageData(): Promise<void> {
    return Promise.resolve()
  }
}

/** All sessions of a run, by partition. The empty name is the default session. */
export class HostSessions extends HostObject {
  readonly #sessions = new Map<string, HostSession>()
  readonly #onCreated: (session: HostSession) => void

  constructor(onCreated: (session: HostSession) => void) {
    super()
    this.#onCreated = onCreated
  }

  get defaultSession(): HostSession {
    return this.fromPartition('')
  }

  fromPartition(partition: string): HostSession {
    const known = this.#sessions.get(partition)
    if (known) return known
    const session = new HostSession(partition)
    this.#sessions.set(partition, session)
    this.#onCreated(session)
    return session
  }

  all(): readonly HostSession[] {
    return [...this.#sessions.values()]
  }
}
