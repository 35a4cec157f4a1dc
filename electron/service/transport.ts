/**
 * The one place that opens connections: a small `fetch` over undici's `request()`, so that nothing underneath sends
 * anything twice. Chromium's stack resends a POST on a dropped keep-alive connection and Node's `fetch` resends one
 * on 421; `request()` does neither, and a write gets a connection of its own.
 */
import { Readable } from 'node:stream'
import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'
import { Agent, ProxyAgent, request, type Dispatcher } from 'undici'
import { isLoopbackHost } from './addresses.ts'

/** The part of `fetch` that the client uses. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

export interface TransportOptions {
  /** The system's proxy for an address, in the form of `session.resolveProxy`: `DIRECT`, `PROXY host:port`, … */
  readonly resolveProxy: (url: string) => Promise<string>
  /** A PEM file of further certificates; empty for none. */
  readonly certificateFile: () => string
}

/** A certificate file that can't be read, a proxy that can't be used: proven before a byte left. */
class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const CONNECT_MILLISECONDS = 30_000

/** Where a request goes: straight, or through a proxy. */
type Route = { readonly proxy: string | null }

export interface Transport {
  readonly fetch: Fetch
  close(): Promise<void>
}

/** Makes the transport. Connections for reads are kept; each write has one of its own, closed after it. */
export function createTransport(options: TransportOptions): Transport {
  const kept = new Map<string, Dispatcher>()

  const dispatcherFor = (route: Route, isWrite: boolean): { dispatcher: Dispatcher; isOwn: boolean } => {
    const file = options.certificateFile()
    if (isWrite) return { dispatcher: makeDispatcher(route, file), isOwn: true }
    const name = JSON.stringify([route.proxy, file])
    const known = kept.get(name)
    if (known !== undefined) return { dispatcher: known, isOwn: false }
    const made = makeDispatcher(route, file)
    kept.set(name, made)
    return { dispatcher: made, isOwn: false }
  }

  const fetch: Fetch = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const method = (init.method ?? 'GET').toUpperCase()
    const isWrite = method !== 'GET'
    const isLocal = isLoopbackHost(url.hostname)
    if (url.protocol !== 'https:' && !isLocal) {
      throw new TransportError('INSECURE_ADDRESS', 'Only https, except on this computer.')
    }
    const route = isLocal ? { proxy: null } : await routeFor(url, options.resolveProxy)
    const { dispatcher, isOwn } = dispatcherFor(route, isWrite)
    const close = (): void => {
      if (isOwn) void dispatcher.destroy()
    }
    try {
      const answer = await request(url, {
        dispatcher,
        method,
        headers: Object.fromEntries(new Headers(init.headers)),
        body: typeof init.body === 'string' ? init.body : null,
        signal: init.signal ?? null,
        headersTimeout: 0,
        bodyTimeout: 0,
        reset: isWrite,
      })
      answer.body.once('close', close)
      return toResponse(answer)
    } catch (error) {
      close()
      throw error
    }
  }

  return {
    fetch,
    async close() {
      await Promise.all([...kept.values()].map((dispatcher) => dispatcher.destroy()))
      kept.clear()
    },
  }
}

function toResponse(answer: Dispatcher.ResponseData): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) headers.append(name, each)
  }
  const hasBody = answer.statusCode !== 204 && answer.statusCode !== 205 && answer.statusCode !== 304
  if (!hasBody) answer.body.resume()
  const stream = hasBody ? (Readable.toWeb(answer.body) as ReadableStream<Uint8Array>) : null
  // Statuses that `Response` can't carry are no answer of this service; they are told as a bad gateway's would be.
  const status = answer.statusCode >= 200 && answer.statusCode <= 599 ? answer.statusCode : 502
  return new Response(stream, { status, headers })
}

function makeDispatcher(route: Route, certificateFile: string): Dispatcher {
  const connect = { ca: certificates(certificateFile), timeout: CONNECT_MILLISECONDS }
  const common = {
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
    keepAliveTimeout: 10_000,
  }
  if (route.proxy === null) return new Agent({ ...common, connect })
  return new ProxyAgent({ ...common, uri: route.proxy, requestTls: connect, proxyTls: connect })
}

/** The bundled certificates, the system's, and a file of one's own. */
function certificates(file: string): string[] {
  const trusted = [...getCACertificates('default'), ...getCACertificates('system')]
  if (file === '') return trusted
  try {
    return [...trusted, readFileSync(file, 'utf8')]
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause)
    throw new TransportError('CERTIFICATE_FILE', `The file of certificates can’t be read: ${words}`)
  }
}

/** The first entry that can be used, as the system orders them. */
async function routeFor(url: URL, resolveProxy: TransportOptions['resolveProxy']): Promise<Route> {
  const answer = await resolveProxy(url.href)
  for (const entry of answer.split(';').map((each) => each.trim())) {
    const [kind = '', host = ''] = entry.split(/\s+/)
    switch (kind.toUpperCase()) {
      case '':
      case 'DIRECT':
        return { proxy: null }
      case 'PROXY':
      case 'HTTP':
        return { proxy: `http://${host}` }
      case 'HTTPS':
        return { proxy: `https://${host}` }
      default:
        // SOCKS and the like: the next entry may do.
        continue
    }
  }
  throw new TransportError('PROXY_KIND', `The system’s proxy can’t be used: ${answer}`)
}
