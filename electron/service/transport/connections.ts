/**
 * Makes connections: straight or through the system's proxies, in their order, with the certificates that are
 * trusted. What fails here fails before a byte of a request, and as a `ConnectError`.
 */
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import { causeText } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import { ConnectError, type Peer, type Proxy, type Route, openTunnel, proxyName } from './tunnel.ts'

/** For the service itself; a proxy is near, and another may stand behind it. */
const CONNECT_MILLISECONDS = 30_000
const PROXY_MILLISECONDS = 15_000
/** A proxy that did not answer is asked last for so long, as browsers do. */
const AVOID_MILLISECONDS = 5 * 60_000

/** Proxies that did not answer lately, with the time until which they are asked last. */
export type Avoided = Map<string, number>

/**
 * What undici calls for each connection that it needs.
 * @param mayLeave whether a request may still be sent on a connection that has just been made
 * @param secureContext what is trusted; `null` where nothing but plain addresses is asked
 */
export function connectorFor(
  routes: readonly Route[],
  secureContext: SecureContext | null,
  avoided: Avoided,
  clock: Clock,
  mayLeave: () => boolean,
): buildConnector.connector {
  // Said outright: left out, NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would have all certificates accepted.
  const checked = { allowH2: false, rejectUnauthorized: true }
  const common = { ...checked, ...(secureContext === null ? {} : { secureContext }) }
  const toService = promised(buildConnector({ ...common, timeout: CONNECT_MILLISECONDS }))
  const toProxy = promised(buildConnector({ ...common, timeout: PROXY_MILLISECONDS }))

  const through = async (proxy: Proxy, options: buildConnector.Options): Promise<Socket> => {
    const peer: Peer = { kind: 'proxy', host: proxyName(proxy) }
    const socket = await as(peer, () =>
      toProxy({
        protocol: proxy.kind === 'https' ? 'https:' : 'http:',
        hostname: proxy.hostname,
        host: proxyName(proxy),
        port: String(proxy.port),
      }),
    )
    const cancelLimit = clock.after(PROXY_MILLISECONDS, () => {
      socket.destroy(new Error('The proxy did not answer in time.'))
    })
    try {
      const port = Number(options.port || 443)
      await as(peer, () => openTunnel(socket, proxy, peer, { hostname: options.hostname, port }))
    } catch (cause) {
      socket.destroy()
      throw cause
    } finally {
      cancelLimit()
    }
    return as(serviceOf(options), () => toService({ ...options, httpSocket: socket }))
  }

  const inOrder = async (options: buildConnector.Options): Promise<Socket> => {
    let first: ConnectError | null = null
    for (const { proxy } of leastAvoidedFirst(routes, avoided, clock.now())) {
      try {
        const socket =
          proxy === null
            ? await as(serviceOf(options), () => toService(options))
            : await through(proxy, options)
        if (proxy !== null) avoided.delete(proxyName(proxy))
        return socket
      } catch (cause) {
        if (!(cause instanceof ConnectError)) throw cause
        first ??= cause
        // Only a proxy that does not answer is passed over; what one that answers says, stands.
        if (cause.peer.kind !== 'proxy' || cause.problem !== 'failed') throw cause
        if (proxy !== null) avoided.set(proxyName(proxy), clock.now() + AVOID_MILLISECONDS)
      }
    }
    throw first ?? new ConnectError('proxy-settings', serviceOf(options), 'no way was named')
  }

  return (options, callback) => {
    inOrder(options).then(
      (socket) => {
        if (mayLeave()) {
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

/** What fails in `work` has failed at this peer. */
async function as<T>(peer: Peer, work: () => Promise<T>): Promise<T> {
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

function leastAvoidedFirst(routes: readonly Route[], avoided: Avoided, now: number): readonly Route[] {
  const until = ({ proxy }: Route): number => {
    const at = proxy === null ? 0 : (avoided.get(proxyName(proxy)) ?? 0)
    return at > now ? at : 0
  }
  return routes.toSorted((left, right) => until(left) - until(right))
}
