/**
 * The one place that opens connections: a small `fetch` over undici's `request()`, so that nothing underneath sends
 * anything twice. Chromium's stack resends a POST on a dropped keep-alive connection and Node's `fetch` resends one
 * on 421; `request()` does neither, and a write gets a connection of its own.
 */
import { ReadableStream as NodeStream } from 'node:stream/web'
import type { SecureContext } from 'node:tls'
import { Agent, request, type Dispatcher } from 'undici'
import { causeText } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import { isLoopbackHost } from '../protocol/operations.ts'
import { createTrust } from './certificates.ts'
import { ConnectError, type Peer, type Route, parseRoutes } from './tunnel.ts'
import { connectorFor, type Avoided } from './connections.ts'

/**
 * The part of `fetch` that the client uses.
 * @param mayLeave asked once there is a connection; when it says no, nothing of a write leaves
 */
export type Fetch = (
  input: string | URL | Request,
  init?: RequestInit,
  mayLeave?: () => boolean,
) => Promise<Response>

export interface TransportOptions {
  /** The system's proxy for an address, in the form of `session.resolveProxy`: `DIRECT`, `PROXY host:port`, … */
  readonly resolveProxy: (url: string) => Promise<string>
  /** A PEM file of further certificates; empty for none. */
  readonly certificateFile: () => string
  readonly clock: Clock
}

export interface Transport {
  readonly fetch: Fetch
  close(): Promise<void>
}

const DIRECT: readonly Route[] = [{ proxy: null }]
/** Shorter than servers usually hold a connection that nobody uses (5 s), so that none is used that they just closed. */
const KEEP_ALIVE_MILLISECONDS = 4_000

/** Makes the transport. Connections for reads are kept; each write has one of its own, closed after it. */
export function createTransport(options: TransportOptions): Transport {
  const trust = createTrust()
  const avoided: Avoided = new Map()
  const kept = new Map<string, { readonly agent: Agent; readonly context: SecureContext | null }>()

  const contextNow = (peer: Peer): SecureContext => {
    const context = trust.context(options.certificateFile())
    if (context.ok) return context.value
    const { message, details } = context.error
    throw new ConnectError('certificate-file', peer, message, { cause: new Error(details.raw) })
  }

  const makeAgent = (
    routes: readonly Route[],
    context: SecureContext | null,
    mayLeave: () => boolean,
  ): Agent =>
    new Agent({
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
      connect: connectorFor(routes, context, avoided, options.clock, mayLeave),
    })

  /** One for each list of ways; made anew when what is trusted has changed. */
  const keptAgent = (routes: readonly Route[], context: SecureContext | null): Agent => {
    const name = JSON.stringify([context === null, routes])
    const known = kept.get(name)
    if (known?.context === context) return known.agent
    void known?.agent.close()
    const agent = makeAgent(routes, context, () => true)
    kept.set(name, { agent, context })
    return agent
  }

  /** The ways to an address. This computer is never reached through a proxy. */
  const routesTo = async (url: URL, signal: AbortSignal | null): Promise<readonly Route[]> => {
    if (isLoopbackHost(url.hostname)) return DIRECT
    const peer: Peer = { kind: 'service', host: url.host }
    if (url.protocol !== 'https:') {
      throw new ConnectError('insecure', peer, 'Only https, except on this computer.')
    }
    const answer = await resolved(options.resolveProxy, url, peer, signal)
    const routes = parseRoutes(answer)
    if (routes.length === 0) throw new ConnectError('proxy-settings', peer, answer)
    return routes
  }

  const fetch: Fetch = async (input, init = {}, mayLeave = () => true) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const method = (init.method ?? 'GET').toUpperCase()
    const isWrite = method !== 'GET'
    const peer: Peer = { kind: 'service', host: url.host }
    const routes = await routesTo(url, init.signal ?? null)
    const context = url.protocol === 'https:' ? contextNow(peer) : null
    const agent = isWrite ? makeAgent(routes, context, mayLeave) : keptAgent(routes, context)
    const close = (): void => {
      if (isWrite) void agent.destroy()
    }
    try {
      const answer = await request(url, {
        dispatcher: agent,
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
      await Promise.all([...kept.values()].map(({ agent }) => agent.destroy()))
      kept.clear()
    },
  }
}

/** Asks the system for the ways; it may run a script for that, and wait for it, but no longer than the deadline. */
async function resolved(
  resolveProxy: TransportOptions['resolveProxy'],
  url: URL,
  peer: Peer,
  signal: AbortSignal | null,
): Promise<string> {
  signal?.throwIfAborted()
  const over = Promise.withResolvers<never>()
  const abort = (): void => {
    over.reject(signal?.reason)
  }
  signal?.addEventListener('abort', abort, { once: true })
  try {
    // The path is nobody's business, and no script is shown it.
    return await Promise.race([resolveProxy(`${url.origin}/`), over.promise])
  } catch (cause) {
    if (signal?.aborted === true) throw cause
    throw new ConnectError('proxy-settings', peer, causeText(cause))
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

/** Whether what comes with a status is anybody's business: these have no body, or one that only points elsewhere. */
function isRead(status: number): boolean {
  return status !== 204 && status !== 205 && (status < 300 || status >= 400)
}

function toResponse(answer: Dispatcher.ResponseData): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) headers.append(name, each)
  }
  // What ends it is told by reading it; nobody may be reading in that moment.
  answer.body.on('error', () => undefined)
  const stream = isRead(answer.statusCode)
    ? (NodeStream.from<Uint8Array>(answer.body) as ReadableStream<Uint8Array>)
    : null
  if (stream === null) answer.body.destroy()
  // Statuses that `Response` can't carry are no answer of this service; they are told as a bad gateway's would be.
  const status = answer.statusCode >= 200 && answer.statusCode <= 599 ? answer.statusCode : 502
  return new Response(stream, { status, headers })
}
