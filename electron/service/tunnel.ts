/** A way through a proxy to a host: CONNECT over HTTP or HTTPS, SOCKS 4 and 5. Nothing is said but the host's name. */
import { request, type IncomingMessage } from 'node:http'
import { isIPv4, type Socket } from 'node:net'
import { ConnectError, type Peer } from './connect-error.ts'
import type { Proxy } from './routes.ts'

/** Where the tunnel leads. */
export interface Destination {
  readonly hostname: string
  readonly port: number
}

/** Asks the proxy at the other end of `socket` for a way to the destination. Throws a `ConnectError`. */
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
  const place = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${String(port)}`
  const { answer, head } = await new Promise<{ answer: IncomingMessage; head: Buffer }>((resolve, reject) => {
    const asked = request({
      method: 'CONNECT',
      path: place,
      headers: { host: place },
      createConnection: () => socket,
    })
    asked.once('connect', (answer, _socket, head) => {
      resolve({ answer, head })
    })
    asked.once('error', reject)
    asked.end()
  })
  const status = answer.statusCode ?? 0
  if (status === 200) {
    if (head.length > 0) socket.unshift(head)
    return
  }
  if (status === 407) {
    const schemes = [answer.headers['proxy-authenticate'] ?? []].flat().join(', ')
    throw new ConnectError('proxy-sign-in', peer, `Proxy-Authenticate: ${schemes}`, { status })
  }
  const words = `The proxy answered ${String(status)} ${answer.statusMessage ?? ''}`.trim()
  throw new ConnectError(status >= 500 ? 'proxy-gateway' : 'proxy-refused', peer, words, { status })
}

/** Version 4, with the name left to the proxy (4a) where it is no number. */
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

/** Version 5 (RFC 1928), without a sign-in, with the name left to the proxy. */
async function socks5(socket: Socket, peer: Peer, { hostname, port }: Destination): Promise<void> {
  socket.write(Buffer.from([5, 1, 0]))
  const [version, method] = await take(socket, 2)
  if (version !== 5) throw refusedBySocks(peer, 5, version)
  if (method !== 0)
    throw new ConnectError('proxy-sign-in', peer, 'SOCKS 5: no way in without a sign-in', { status: 407 })
  const name = Buffer.from(hostname, 'latin1')
  const place = isIPv4(hostname)
    ? Buffer.concat([Buffer.from([1]), ipv4(hostname)])
    : Buffer.concat([Buffer.from([3, name.length]), name])
  socket.write(Buffer.concat([Buffer.from([5, 1, 0]), place, Buffer.from([port >> 8, port & 0xff])]))
  const [, code, , kind, length = 0] = await take(socket, 5)
  if (code !== 0) throw refusedBySocks(peer, 5, code)
  // What the proxy is bound to does not matter; it has to be taken out of the way.
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

/** So many bytes, and none further: what follows is the service's. */
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
