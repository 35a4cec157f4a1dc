/** A TLS service, proxies, and a client, on real sockets of this computer. */
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { type Clock, createSystemClock, createSystemRandom } from '../../../electron/clock.ts'
import { createMask } from '../../../electron/service/errors/redact.ts'
import { createClient } from '../../../electron/service/protocol/client.ts'
import { decodeEnvelope } from '../../../electron/service/protocol/envelope.ts'
import type {
  Envelope,
  ServiceTarget,
  SlotRequest,
  WriteResult,
} from '../../../electron/service/protocol/wire.ts'
import type { QueueStorage } from '../../../electron/service/queue/request-queue.ts'
import { Scheduler } from '../../../electron/service/queue/scheduler.ts'
import { createTransport } from '../../../electron/service/transport/transport.ts'
import { type AppError, ok, type Result } from '../../../shared/result.ts'

/** Registers what has to be closed after the test. */
type AtEnd = (close: () => Promise<void> | void) => void

const KEY = 'canary-key-5d2e8c40'
const EMPTY = JSON.stringify({ Contents: [], Errors: null, RequestId: 'r-1' })

/** The path of a certificate that `test/fixtures/certificates/make.sh` made. */
export function certificatePath(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/certificates/${name}`, import.meta.url))
}

function identity(name: string): { readonly cert: Buffer; readonly key: Buffer } {
  return {
    cert: readFileSync(certificatePath(`${name}.pem`)),
    key: readFileSync(certificatePath(`${name}.key`)),
  }
}

async function listening(server: Server | ReturnType<typeof createNetServer>, atEnd: AtEnd): Promise<number> {
  const sockets = new Set<Duplex>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((begun) => {
    server.listen(0, '127.0.0.1', begun)
  })
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A storage for blocks that doesn't keep them and isn't shared with other programs. */
export const NO_BLOCKS: QueueStorage = {
  block: () => ok(undefined),
  unblock: () => ok(undefined),
  blockOf: () => ok(null),
  acquire: () => ok(true),
  release: () => undefined,
}

/** A connection to a service of version 2, and to its older interface with the same key. */
export function serviceTarget(address: string, key: string): ServiceTarget {
  return { connectionId: 'c', address, legacyAddress: '', key, legacyKey: key, mask: createMask([key]) }
}

export const READING: SlotRequest = {
  connectionId: 'c',
  company: null,
  companyName: '',
  what: 'Reading',
  isWrite: false,
  priority: 'interactive',
  batchId: '',
}

/** Records requests over TLS and answers with an empty envelope, or does what `instead` says. */
export async function tlsService(
  atEnd: AtEnd,
  certificate = 'service',
  instead: (() => void) | null = null,
): Promise<{ readonly port: number; readonly seen: string[] }> {
  const seen: string[] = []
  const server = createHttpsServer(identity(certificate), (request, response) => {
    seen.push(`${request.method ?? ''} ${request.url ?? ''}`)
    request.resume()
    if (instead !== null) instead()
    else response.setHeader('content-type', 'application/json').end(EMPTY)
  })
  return { port: await listening(server, atEnd), seen }
}

/** A tunnel to a port. `tamper` inserts text into the responses. */
export async function tamperingTunnel(
  atEnd: AtEnd,
  servicePort: number,
): Promise<{ readonly port: number; readonly tamper: () => void }> {
  const sockets: Socket[] = []
  const server = createNetServer((socket) => {
    sockets.push(socket)
    joinWith(socket, servicePort, '')
  })
  const tamper = (): void => {
    for (const socket of sockets) socket.write('this is no TLS at all')
  }
  return { port: await listening(server, atEnd), tamper }
}

/** What a proxy does with a CONNECT. */
export type ProxyBehavior =
  | { readonly what: 'let-through' }
  | { readonly what: 'answer'; readonly status: number; readonly headers?: readonly string[] }
  | { readonly what: 'hang-up' }

/** An HTTP proxy, over TLS if it has a certificate. Connects every host name to `servicePort` of this computer. */
export async function connectProxy(
  atEnd: AtEnd,
  servicePort: number,
  behavior: ProxyBehavior = { what: 'let-through' },
  certificate: string | null = null,
): Promise<{ readonly port: number; readonly asked: string[]; readonly heads: string[] }> {
  const asked: string[] = []
  const heads: string[] = []
  const server = certificate === null ? createHttpServer() : createHttpsServer(identity(certificate))
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    asked.push(request.url ?? '')
    heads.push(request.rawHeaders.join('\n'))
    socket.on('error', () => undefined)
    switch (behavior.what) {
      case 'hang-up':
        socket.destroy()
        return
      case 'answer':
        socket.end(
          [
            `HTTP/1.1 ${String(behavior.status)} No`,
            ...(behavior.headers ?? []),
            'content-length: 0',
            '',
            '',
          ].join('\r\n'),
        )
        return
      case 'let-through':
        joinWith(socket, servicePort, 'HTTP/1.1 200 Connection established\r\n\r\n')
    }
  })
  return { port: await listening(server, atEnd), asked, heads }
}

/** A SOCKS proxy of either version, which refuses unless `code` means "granted". */
export async function socksProxy(
  atEnd: AtEnd,
  servicePort: number,
  version: 4 | 5,
  code = version === 4 ? 0x5a : 0,
): Promise<{ readonly port: number; readonly asked: string[] }> {
  const asked: string[] = []
  const server = createNetServer((socket) => {
    let isGreeted = version === 4
    socket.on('data', function answer(data: Buffer) {
      if (!isGreeted) {
        isGreeted = true
        socket.write(Buffer.from([5, 0]))
        return
      }
      socket.off('data', answer)
      asked.push(version === 4 ? socks4Name(data) : data.subarray(5, -2).toString())
      const granted =
        version === 4
          ? Buffer.from([0, code, 0, 0, 0, 0, 0, 0])
          : Buffer.from([5, code, 0, 1, 127, 0, 0, 1, 0, 80])
      joinWith(socket, servicePort, granted)
    })
  })
  return { port: await listening(server, atEnd), asked }
}

/** Version 4a: the name follows the empty user ID, and both end with a zero. */
function socks4Name(data: Buffer): string {
  return data.subarray(9, -1).toString()
}

function joinWith(socket: Duplex, port: number, greeting: string | Buffer): void {
  const service = connect(port, '127.0.0.1', () => {
    socket.write(greeting)
    socket.pipe(service).pipe(socket)
  })
  service.on('error', () => socket.destroy())
  socket.on('close', () => service.destroy())
}

/** A port of this computer without a listener. */
export async function silentPort(): Promise<number> {
  const server = createNetServer()
  await new Promise<void>((begun) => {
    server.listen(0, '127.0.0.1', begun)
  })
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

export interface NetworkClient {
  /** Tries three times, like a screen's read. */
  readonly read: () => Promise<Result<Envelope>>
  readonly insert: () => Promise<Result<WriteResult>>
  /** Pauses between tries, in milliseconds. They are recorded and skipped. */
  readonly waits: readonly number[]
  /** The addresses for which the system was asked for a proxy. */
  readonly resolved: readonly string[]
}

/** A client of one address, with the system's answer for its proxy. */
export function networkClient(
  atEnd: AtEnd,
  address: string,
  { proxy = 'DIRECT', certificateFile = certificatePath('authority.pem') } = {},
): NetworkClient {
  const waits: number[] = []
  const resolved: string[] = []
  const system = createSystemClock()
  const random = createSystemRandom()
  const clock: Clock = {
    ...system,
    after(milliseconds, callback) {
      const isWait = milliseconds >= 2_000 && milliseconds <= 60_000
      if (isWait) waits.push(milliseconds)
      return system.after(isWait ? 1 : milliseconds, callback)
    },
  }
  const scheduler = new Scheduler({
    clock,
    newId: () => random.id(),
    storage: NO_BLOCKS,
    graceMilliseconds: () => 1,
    onChange: () => undefined,
  })
  const transport = createTransport({
    resolveProxy(url) {
      resolved.push(url)
      return Promise.resolve(proxy)
    },
    certificateFile: () => certificateFile,
    clock: system,
  })
  atEnd(() => transport.close())
  const target = serviceTarget(address, KEY)
  const client = createClient({
    scheduler,
    clock,
    target: () => Promise.resolve(ok(target)),
    queueOf: () => 'queue',
    fetchFor: () => transport.fetch,
    settings: () => DEFAULT_SETTINGS,
    openLog: () => () => undefined,
    random: { ...random, fraction: () => 0.5 },
  })
  return {
    waits,
    resolved,
    read: () =>
      client.read(READING, (wire) => wire.listCompanies({}, (raw) => Promise.resolve(decodeEnvelope(raw)))),
    insert: async () => {
      const { result } = await client.withSlot({ ...READING, isWrite: true }, async (wire) =>
        ok(await wire.insertRecords('e', 'customer', '{"ID":"","Name":"A"}')),
      )
      return result
    },
  }
}

/** The error of a result. Throws if it has none. */
export function errorOf(result: Result<unknown>): AppError {
  if (result.ok) throw new Error('It was answered.')
  return result.error
}
