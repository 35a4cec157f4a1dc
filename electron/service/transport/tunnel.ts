/**
 * Tunnels through a proxy to a host: CONNECT over HTTP or HTTPS, SOCKS 4 and 5. The proxy learns only the host's name.
 */
import type { IncomingMessage } from 'node:http'
import { isIPv4, type Socket } from 'node:net'

/** Where the tunnel leads. */
export interface Destination {
  readonly hostname: string
  readonly port: number
}

/** Asks the proxy at the other end of `socket` for a tunnel. Throws a `ConnectError`. */
export async function openTunnel(
  socket: Socket,
  proxy: Proxy,
  peer: Peer,
  destination: Destination,
): Promise<void> {
  switch (proxy.kind) {
    case 'http':
    case 'https':
      await connectThrough(socket, peer, destination)
      return
    case 'socks4':
      await socks4(socket, peer, destination)
      return
    case 'socks5':
      await socks5(socket, peer, destination)
  }
}

async function connectThrough(socket: Socket, peer: Peer, { hostname, port }: Destination): Promise<void> {
  const authority = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${String(port)}`
  // Importing its names would load Node's own undici at each start, which takes a fifth of the program's loading time.
  const { request } = process.getBuiltinModule('node:http')
  const { response, head } = await new Promise<{ response: IncomingMessage; head: Buffer }>(
    (resolve, reject) => {
      const asked = request({
        method: 'CONNECT',
        path: authority,
        headers: { host: authority },
        createConnection: () => socket,
      })
      asked.once('connect', (response, _socket, head) => {
        resolve({ response, head })
      })
      asked.once('error', reject)
      asked.end()
    },
  )
  const status = response.statusCode ?? 0
  if (status === 200) {
    if (head.length > 0) socket.unshift(head)
    return
  }
  if (status === 407) {
    const schemes = [response.headers['proxy-authenticate'] ?? []].flat().join(', ')
    throw new ConnectError('proxy-sign-in', peer, `Proxy-Authenticate: ${schemes}`, { status })
  }
  const message = `The proxy answered ${String(status)} ${response.statusMessage ?? ''}`.trim()
  throw new ConnectError(status >= 500 ? 'proxy-gateway' : 'proxy-refused', peer, message, { status })
}

/** Version 4. The proxy resolves names (4a). */
async function socks4(socket: Socket, peer: Peer, { hostname, port }: Destination): Promise<void> {
  const isNumber = isIPv4(hostname)
  socket.write(
    Buffer.concat([
      Buffer.from([4, 1, port >> 8, port & 0xff]),
      isNumber ? ipv4(hostname) : Buffer.from([0, 0, 0, 1]),
      Buffer.from([0]),
      isNumber ? Buffer.alloc(0) : Buffer.concat([Buffer.from(hostname, 'latin1'), Buffer.from([0])]),
    ]),
  )
  const [, code] = await take(socket, 8)
  if (code !== 0x5a) throw refusedBySocks(peer, 4, code)
}

/** Version 5 (RFC 1928), without a sign-in. The proxy resolves names. */
async function socks5(socket: Socket, peer: Peer, { hostname, port }: Destination): Promise<void> {
  socket.write(Buffer.from([5, 1, 0]))
  const [version, method] = await take(socket, 2)
  if (version !== 5) throw refusedBySocks(peer, 5, version)
  if (method !== 0)
    throw new ConnectError('proxy-sign-in', peer, 'SOCKS 5: no way in without a sign-in', { status: 407 })
  const name = Buffer.from(hostname, 'latin1')
  const addressBytes = isIPv4(hostname)
    ? Buffer.concat([Buffer.from([1]), ipv4(hostname)])
    : Buffer.concat([Buffer.from([3, name.length]), name])
  socket.write(Buffer.concat([Buffer.from([5, 1, 0]), addressBytes, Buffer.from([port >> 8, port & 0xff])]))
  const [, code, , kind, length = 0] = await take(socket, 5)
  if (code !== 0) throw refusedBySocks(peer, 5, code)
  // The address that the proxy is bound to doesn't matter, but must be read.
  const rest = kind === 1 ? 4 : kind === 4 ? 16 : length + 1
  await take(socket, rest - 1 + 2)
}

function ipv4(hostname: string): Buffer {
  return Buffer.from(hostname.split('.').map(Number))
}

function refusedBySocks(peer: Peer, version: number, code: number | undefined): ConnectError {
  return new ConnectError(
    'proxy-refused',
    peer,
    `SOCKS ${String(version)}: answered ${String(code ?? 'nothing')}`,
  )
}

/** Reads exactly this many bytes, because what follows is the service's. */
function take(socket: Socket, count: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      socket.off('readable', look).off('end', ended).off('error', failed)
    }
    const look = (): void => {
      const bytes = socket.read(count) as Buffer | null
      if (bytes === null) return
      done()
      resolve(bytes)
    }
    const ended = (): void => {
      done()
      reject(new Error('The proxy ended the connection.'))
    }
    const failed = (cause: Error): void => {
      done()
      reject(cause)
    }
    socket.on('readable', look).on('end', ended).on('error', failed)
    look()
  })
}

// A connection that could not be made. Nothing else throws this error, and only before the first byte of a request.

/** Who could not be reached or refused: the service itself, or the office's proxy. */
export interface Peer {
  readonly kind: 'service' | 'proxy'
  /** Host and port, as shown to the user. */
  readonly host: string
}

/** What happened, if the system's own code doesn't say it. */
export type ConnectProblem =
  /** The cause has the system's code. */
  | 'failed'
  /** The proxy requires a sign-in (407). */
  | 'proxy-sign-in'
  /** The proxy refuses to connect, or can't. */
  | 'proxy-refused'
  /** The proxy could not reach the service (502, 503, 504). */
  | 'proxy-gateway'
  /** The system names a kind of proxy that can't be used, or its settings can't be read. */
  | 'proxy-settings'
  /** The address is neither https nor on this computer. */
  | 'insecure'
  /** The file of additional certificates can't be used. The message is for the user. */
  | 'certificate-file'

/** Proves that nothing of the request was sent, because the connection was not open yet. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError'
  readonly problem: ConnectProblem
  readonly peer: Peer
  /** The proxy's status, if it answered. */
  readonly status: number | null

  constructor(
    problem: ConnectProblem,
    peer: Peer,
    message: string,
    more: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? {} : { cause: more.cause })
    this.problem = problem
    this.peer = peer
    this.status = more.status ?? null
  }
}

/*
 * The routes to an address in the order of the system's proxy settings, as `session.resolveProxy` returns them in the
 * form of PAC files: `PROXY a:3128; SOCKS5 b:1080; DIRECT`.
 */

/** A proxy. By the convention of PAC files, SOCKS without a number is version 4. */
export interface Proxy {
  readonly kind: 'http' | 'https' | 'socks4' | 'socks5'
  readonly hostname: string
  readonly port: number
}

/** Direct, or through a proxy. */
export type ProxyRoute = { readonly proxy: Proxy | null }

const KINDS: Readonly<Record<string, { readonly kind: Proxy['kind']; readonly port: number }>> = {
  PROXY: { kind: 'http', port: 80 },
  HTTP: { kind: 'http', port: 80 },
  HTTPS: { kind: 'https', port: 443 },
  SOCKS: { kind: 'socks4', port: 1080 },
  SOCKS4: { kind: 'socks4', port: 1080 },
  SOCKS5: { kind: 'socks5', port: 1080 },
}

/**
 * Parses the routes, in order. Kinds that can't be used (QUIC) are skipped; the result is empty if there are no others.
 */
export function parseRoutes(response: string): readonly ProxyRoute[] {
  const entries = response
    .split(';')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  if (entries.length === 0) return [{ proxy: null }]
  return entries.flatMap((entry): ProxyRoute[] => {
    const [word = '', hostAndPort = ''] = entry.split(/\s+/)
    if (word.toUpperCase() === 'DIRECT') return [{ proxy: null }]
    const known = KINDS[word.toUpperCase()]
    const proxy = known === undefined ? null : proxyAt(known.kind, hostAndPort, known.port)
    return proxy === null ? [] : [{ proxy }]
  })
}

function proxyAt(kind: Proxy['kind'], hostAndPort: string, usualPort: number): Proxy | null {
  const address = `http://${hostAndPort}`
  if (hostAndPort === '' || !URL.canParse(address)) return null
  const { hostname, port } = new URL(address)
  // `URL` drops the default port 80 even if it was written.
  const written = /:(\d{1,5})$/.exec(hostAndPort)?.[1]
  return { kind, hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (written ?? usualPort)) }
}

/** Host and port, as shown and as a key. */
export function proxyName({ hostname, port }: Proxy): string {
  return `${hostname.includes(':') ? `[${hostname}]` : hostname}:${String(port)}`
}
