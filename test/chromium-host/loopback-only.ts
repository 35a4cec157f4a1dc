/**
 * Lets the Chromium host connect only to this computer: it replaces the program on a developer's machine and must not
 * reach anyone's books. Loaded with `-r` before anything else, also in workers.
 */
import dgram from 'node:dgram'
import net from 'node:net'

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[?::1\]?|(::ffff:)127(\.\d{1,3}){3})$/i

/** Whether a host name or address is this computer. Names are not resolved. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host)
}

interface Destination {
  readonly host: string
  readonly port: string
}

interface ConnectOptions {
  readonly path?: unknown
  readonly host?: unknown
  readonly port?: unknown
}

/**
 * Returns the target of `socket.connect(…)` in any of its forms: options, port and host, or the list that `net.connect`
 * has already created. Undefined for a path on this computer.
 */
function destinationOf(values: readonly unknown[]): Destination | undefined {
  const first: unknown = Array.isArray(values[0]) ? values[0][0] : values[0]
  if (typeof first === 'object' && first !== null) {
    const { path, host, port } = first as ConnectOptions
    if (typeof path === 'string') return undefined
    return { host: typeof host === 'string' && host ? host : 'localhost', port: String(port) }
  }
  if (typeof first === 'string' && !/^\d+$/.test(first)) return undefined
  return { host: typeof values[1] === 'string' ? values[1] : 'localhost', port: String(first) }
}

/** The error of a refused connection: like an unreachable network, with the reason. */
function refusal({ host, port }: Destination): Error {
  const message = `The Chromium host connects to loopback only: ${host}:${port} is refused`
  return Object.assign(new Error(message), { code: 'ENETUNREACH', syscall: 'connect', host, port })
}

type Method = (this: unknown, ...values: unknown[]) => unknown

function wrap(prototype: object, name: string, wrapper: (original: Method) => Method): void {
  const original = Reflect.get(prototype, name) as Method
  Reflect.set(prototype, name, wrapper(original))
}

// `net.connect`, `tls.connect`, and everything built on them use this method.
wrap(net.Socket.prototype, 'connect', (original) => {
  return function connect(this: unknown, ...values: unknown[]): unknown {
    const destination = destinationOf(values)
    if (destination && !isLoopback(destination.host)) {
      const socket = this as net.Socket
      // Not immediately, because the caller is still setting the socket up and listens to errors only afterwards.
      process.nextTick(() => socket.destroy(refusal(destination)))
      return socket
    }
    return original.apply(this, values)
  }
})

for (const name of ['send', 'connect']) {
  wrap(dgram.Socket.prototype, name, (original) => {
    return function checked(this: unknown, ...values: unknown[]): unknown {
      const host = values.find((value) => typeof value === 'string')
      if (typeof host === 'string' && !isLoopback(host)) throw refusal({ host, port: 'udp' })
      return original.apply(this, values)
    }
  })
}
