/**
 * The only place that opens connections: a small `fetch` over undici's `request()`, so that nothing is ever sent twice.
 * Chromium resends a POST on a dropped keep-alive connection, and Node's `fetch` resends one on 421. `request()` does
 * neither, and each write gets its own connection. Connections are made directly or through the system's proxies.
 */
import type { Socket } from 'node:net'
import { ReadableStream as NodeStream } from 'node:stream/web'
import type { SecureContext } from 'node:tls'
import type * as undiciPackage from 'undici'
import type { Agent, buildConnector, Dispatcher } from 'undici'
import { isLoopbackHost } from '../../../shared/address.ts'
import { causeText } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import { createTrust } from './certificates.ts'
import {
  ConnectError,
  openTunnel,
  parseRoutes,
  type Peer,
  type Proxy,
  proxyName,
  type ProxyRoute,
} from './tunnel.ts'

/**
 * The part of `fetch` that the client uses.
 * @param canSend called once there is a connection; if it returns false, nothing of a write is sent
 */
export type Fetch = (
  input: string | URL | Request,
  init?: RequestInit,
  canSend?: () => boolean,
) => Promise<Response>

export interface TransportOptions {
  /** The system's proxy for an address, in the form of `session.resolveProxy`: `DIRECT`, `PROXY host:port`, … */
  readonly resolveProxy: (url: string) => Promise<string>
  /** A PEM file of additional certificates; empty for none. */
  readonly certificateFile: () => string
  readonly clock: Clock
}

export interface Transport {
  readonly fetch: Fetch
  close(): Promise<void>
}

type Undici = typeof undiciPackage

const DIRECT: readonly ProxyRoute[] = [{ proxy: null }]
/** Shorter than the 5 s for which servers usually keep an idle connection, so that none is reused as they close it. */
const KEEP_ALIVE_MILLISECONDS = 4_000

/** Creates the transport. Reads share connections. Each write has its own, which is closed afterward. */
export function createTransport(options: TransportOptions): Transport {
  const trust = createTrust()
  /** Loaded by the first request, because it is two fifths of the main process's code and no window waits for it. */
  let loading: Promise<Undici> | undefined
  const avoided: Avoided = new Map()
  const kept = new Map<string, { readonly agent: Agent; readonly context: SecureContext | null }>()

  const contextNow = (peer: Peer): SecureContext => {
    const context = trust.context(options.certificateFile())
    if (context.ok) return context.value
    const { message, details } = context.error
    throw new ConnectError('certificate-file', peer, message, { cause: new Error(details.raw) })
  }

  const createAgent = (
    { Agent, buildConnector }: Undici,
    routes: readonly ProxyRoute[],
    context: SecureContext | null,
    canSend: () => boolean,
  ): Agent =>
    new Agent({
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
      connect: createConnector({
        connect: buildConnector,
        routes,
        secureContext: context,
        avoided,
        clock: options.clock,
        canSend,
      }),
    })

  /** One per list of routes, replaced when the trusted certificates change. */
  const keptAgent = (undici: Undici, routes: readonly ProxyRoute[], context: SecureContext | null): Agent => {
    const name = JSON.stringify([context === null, routes])
    const known = kept.get(name)
    if (known?.context === context) return known.agent
    void known?.agent.close()
    const agent = createAgent(undici, routes, context, () => true)
    kept.set(name, { agent, context })
    return agent
  }

  /** The routes to an address. This computer is never reached through a proxy. */
  const routesTo = async (url: URL, signal: AbortSignal | null): Promise<readonly ProxyRoute[]> => {
    if (isLoopbackHost(url.hostname)) return DIRECT
    const peer: Peer = { kind: 'service', host: url.host }
    if (url.protocol !== 'https:') {
      throw new ConnectError('insecure', peer, 'Only https, except on this computer.')
    }
    const response = await resolved(options.resolveProxy, url, peer, signal)
    const routes = parseRoutes(response)
    if (routes.length === 0) throw new ConnectError('proxy-settings', peer, response)
    return routes
  }

  const fetch: Fetch = async (input, init = {}, canSend = () => true) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const method = (init.method ?? 'GET').toUpperCase()
    const isWrite = method !== 'GET'
    const peer: Peer = { kind: 'service', host: url.host }
    const routes = await routesTo(url, init.signal ?? null)
    const context = url.protocol === 'https:' ? contextNow(peer) : null
    const undici = await (loading ??= import('undici'))
    const agent = isWrite ? createAgent(undici, routes, context, canSend) : keptAgent(undici, routes, context)
    const close = (): void => {
      if (isWrite) void agent.destroy()
    }
    try {
      const response = await undici.request(url, {
        dispatcher: agent,
        method,
        headers: Object.fromEntries(new Headers(init.headers)),
        body: typeof init.body === 'string' ? init.body : null,
        signal: init.signal ?? null,
        headersTimeout: 0,
        bodyTimeout: 0,
        reset: isWrite,
      })
      response.body.once('close', close)
      return toResponse(response)
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

/** Asks the system for the routes. It may run a script, which gets no more time than the request's deadline. */
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
    // Only the origin is passed, so the script doesn't see the path.
    return await Promise.race([resolveProxy(`${url.origin}/`), over.promise])
  } catch (cause) {
    if (signal?.aborted === true) throw cause
    throw new ConnectError('proxy-settings', peer, causeText(cause))
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

/** Whether a response's body is read. With other statuses, there is none or it only points elsewhere. */
function hasBody(status: number): boolean {
  return status !== 204 && status !== 205 && (status < 300 || status >= 400)
}

function toResponse(response: Dispatcher.ResponseData): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(response.headers)) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) headers.append(name, each)
  }
  // Whoever reads the body gets the error, but no one may be reading at that moment.
  response.body.on('error', () => undefined)
  const stream = hasBody(response.statusCode)
    ? (NodeStream.from<Uint8Array>(response.body) as ReadableStream<Uint8Array>)
    : null
  if (stream === null) response.body.destroy()
  // `Response` can't hold other statuses. They don't come from the service, so they count as a bad gateway.
  const status = response.statusCode >= 200 && response.statusCode <= 599 ? response.statusCode : 502
  return new Response(stream, { status, headers })
}

/*
 * Connections: direct or through the system's proxies, in their order, with the trusted certificates. Any failure here
 * happens before the first byte of a request, and is a `ConnectError`.
 */

/** For the service itself. Proxies get less, because they are near and there may be another one to try. */
const CONNECT_MILLISECONDS = 30_000
const PROXY_MILLISECONDS = 15_000
/** How long a proxy that didn't respond is tried last, as in browsers. */
const AVOID_MILLISECONDS = 5 * 60_000

/** Proxies that didn't respond, and until when each is tried last. */
type Avoided = Map<string, number>

interface ConnectorOptions {
  /** Undici's own way to connect. */
  readonly connect: Undici['buildConnector']
  readonly routes: readonly ProxyRoute[]
  /** The trusted certificates; `null` for plain HTTP. */
  readonly secureContext: SecureContext | null
  readonly avoided: Avoided
  readonly clock: Clock
  /** Whether a request may still be sent on a new connection. */
  readonly canSend: () => boolean
}

/** Creates what undici calls for each connection. */
function createConnector({
  connect,
  routes,
  secureContext,
  avoided,
  clock,
  canSend,
}: ConnectorOptions): buildConnector.connector {
  // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would otherwise accept any certificate.
  const checked = { allowH2: false, rejectUnauthorized: true }
  const common = { ...checked, ...(secureContext === null ? {} : { secureContext }) }
  const toService = promised(connect({ ...common, timeout: CONNECT_MILLISECONDS }))
  const toProxy = promised(connect({ ...common, timeout: PROXY_MILLISECONDS }))

  const through = async (proxy: Proxy, options: buildConnector.Options): Promise<Socket> => {
    const peer: Peer = { kind: 'proxy', host: proxyName(proxy) }
    const socket = await at(peer, () =>
      toProxy({
        protocol: proxy.kind === 'https' ? 'https:' : 'http:',
        hostname: proxy.hostname,
        host: proxyName(proxy),
        port: String(proxy.port),
      }),
    )
    const cancelLimit = clock.after(PROXY_MILLISECONDS, () => {
      socket.destroy(new Error('The proxy didn’t respond in time.'))
    })
    try {
      const port = Number(options.port || 443)
      await at(peer, () => openTunnel(socket, proxy, peer, { hostname: options.hostname, port }))
    } catch (cause) {
      socket.destroy()
      throw cause
    } finally {
      cancelLimit()
    }
    return at(serviceOf(options), () => toService({ ...options, httpSocket: socket }))
  }

  const inOrder = async (options: buildConnector.Options): Promise<Socket> => {
    let first: ConnectError | null = null
    for (const { proxy } of leastAvoidedFirst(routes, avoided, clock.now())) {
      try {
        const socket =
          proxy === null
            ? await at(serviceOf(options), () => toService(options))
            : await through(proxy, options)
        if (proxy !== null) avoided.delete(proxyName(proxy))
        return socket
      } catch (cause) {
        if (!(cause instanceof ConnectError)) throw cause
        first ??= cause
        // The next route is tried only if a proxy doesn't respond. A proxy's response is final.
        if (cause.peer.kind !== 'proxy' || cause.problem !== 'failed') throw cause
        if (proxy !== null) avoided.set(proxyName(proxy), clock.now() + AVOID_MILLISECONDS)
      }
    }
    throw first ?? new ConnectError('proxy-settings', serviceOf(options), 'no route was named')
  }

  return (options, callback) => {
    inOrder(options).then(
      (socket) => {
        if (canSend()) {
          callback(null, socket)
          return
        }
        socket.destroy()
        const late = 'The deadline passed before there was a connection.'
        callback(new ConnectError('failed', serviceOf(options), late), null)
      },
      (cause: unknown) => {
        callback(cause instanceof Error ? cause : new Error(String(cause)), null)
      },
    )
  }
}

function promised(connect: buildConnector.connector): (options: buildConnector.Options) => Promise<Socket> {
  return (options) =>
    new Promise((resolve, reject) => {
      connect(options, (...[cause, socket]) => {
        if (cause === null) resolve(socket)
        else reject(cause)
      })
    })
}

/** Runs `work`, and attributes its failure to a peer. */
async function at<T>(peer: Peer, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ConnectError) throw cause
    throw new ConnectError('failed', peer, causeText(cause), { cause })
  }
}

function serviceOf({ host, hostname }: buildConnector.Options): Peer {
  return { kind: 'service', host: host ?? hostname }
}

function leastAvoidedFirst(
  routes: readonly ProxyRoute[],
  avoided: Avoided,
  now: number,
): readonly ProxyRoute[] {
  const until = ({ proxy }: ProxyRoute): number => {
    const at = proxy === null ? 0 : (avoided.get(proxyName(proxy)) ?? 0)
    return at > now ? at : 0
  }
  return routes.toSorted((left, right) => until(left) - until(right))
}
