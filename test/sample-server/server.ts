// The sample service on 127.0.0.1, with faults on demand and a control path, for tests and for authors of clients.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { controlTrouble } from '../../electron/sample/desktop.ts'
import { hexOf, randomOf } from '../../electron/sample/random.ts'
import {
  createSampleService,
  type SampleOptions,
  type SampleService,
  type SampleState,
} from '../../electron/sample/service.ts'
import { dayOfMoment, machineTimer, momentOfDay, parseDay, wait } from '../../electron/sample/time.ts'
import { type ControlBody, readControl } from './control.ts'
import { createFaultList, type FaultList, type FaultRule } from './faults.ts'
import { answerWithFault } from './faulty-answers.ts'
import { createRequestLog, type LoggedRequest, type RequestLog } from './request-log.ts'
import { deliver, type Delivery, type Waits } from './wire.ts'

/** Options of the server. Everything has a default. Port 0 uses a free one. */
export interface SampleServerOptions extends Partial<Omit<SampleOptions, 'after'>> {
  readonly port?: number
  /** Virtual time. It must know whether a request is running or only waits. */
  readonly time?: ServerTime
}

/** Keeps time for a server. Requests are identified by their headers. */
export interface ServerTime {
  now(): number
  /** @param headers of the waiting request; `null` if the service doesn't know which one that is */
  after(headers: IncomingHttpHeaders | null, milliseconds: number, callback: () => void): () => void
  arrived(headers: IncomingHttpHeaders): void
  /** Sends nothing else until the caller disconnects. @param afterHead status and headers were sent before */
  silent(headers: IncomingHttpHeaders, afterHead: boolean): void
  /** The request is finished, and its connection is done with it. */
  ended(headers: IncomingHttpHeaders): void
}

const MACHINE_TIME: ServerTime = {
  now: Date.now,
  after: (_headers, milliseconds, callback) => machineTimer(milliseconds, callback),
  arrived: () => undefined,
  silent: () => undefined,
  ended: () => undefined,
}

/** The response to `GET controlUrl`. */
interface Counters {
  readonly received: number
  /** The most requests that ever ran at the same time: 1 if callers obeyed section 8.1. */
  readonly mostAtOnce: number
  /** Requests that were refused because another one was running. */
  readonly refused: number
  readonly requests: readonly LoggedRequest[]
  readonly faults: FaultList['rules']
  readonly state: SampleState
}

/** A running server. */
export interface SampleServer {
  readonly url: string
  readonly legacyUrl: string
  readonly controlUrl: string
  readonly key: string
  readonly service: SampleService
  /** The same as a POST to `controlUrl`. @throws Error with a message if something can't be set */
  control(body: ControlBody): Counters
  addFaults(...rules: readonly FaultRule[]): void
  counters(): Counters
  /** Stops the server and closes every connection. */
  close(): Promise<void>
}

const CONTROL_PATH = '/control'

/** Starts the sample on 127.0.0.1. */
export async function startSampleServer(options: SampleServerOptions = {}): Promise<SampleServer> {
  const seed = options.seed ?? 1
  const key = options.key ?? `sample-${hexOf(randomOf(seed, 'key'), 32)}`
  const { time = MACHINE_TIME, ...sample } = options
  const service = createSampleService({
    ...sample,
    key,
    now: options.now ?? (options.time ? () => time.now() : clockOf(options.today)),
    ...(options.time && { after: (milliseconds, callback) => time.after(null, milliseconds, callback) }),
  })
  const log = createRequestLog(key)
  const random = randomOf(seed, 'faults')
  const faults = createFaultList(() => random.unit())
  const counters = (): Counters => {
    const state = service.state()
    return { ...state.counts, requests: log.requests, faults: faults.rules, state }
  }
  const control = (body: ControlBody): Counters => {
    const trouble = controlTrouble(body)
    if (trouble !== undefined) throw new Error(trouble)
    if (body.reset === true) service.reset()
    if (body.clearFaults === true) faults.clear()
    if (body.clearRequests === true) {
      log.clear()
      service.clearCounts()
    }
    const { faults: added, clearFaults: _faults, clearRequests: _requests, reset: _reset, ...change } = body
    service.control(change)
    faults.add(added ?? [])
    return counters()
  }
  const server = createServer((incoming, outgoing) => {
    time.arrived(incoming.headers)
    const answering =
      incoming.url?.split('?')[0] === CONTROL_PATH
        ? answerControl(incoming, outgoing, control, counters)
        : answerRequest(incoming, outgoing, { service, faults, log, time })
    const isOffTheWire = new Promise((resolve) => outgoing.once('close', resolve))
    void answering
      .catch((error: unknown) => {
        process.stderr.write(`${String(error)}\n`)
        outgoing.destroy()
      })
      .then(() => isOffTheWire)
      .then(() => {
        time.ended(incoming.headers)
      })
  })
  // Long trickles and hangs are intended, so the server must not cut them short.
  server.requestTimeout = 0
  server.keepAliveTimeout = 5000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${String(port)}`
  return {
    url,
    legacyUrl: `${url}/legacy`,
    controlUrl: `${url}${CONTROL_PATH}`,
    key,
    service,
    control,
    addFaults: (...rules) => {
      faults.add(rules)
    },
    counters,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** With a fixed today, the computer's time of day on that day. Otherwise the computer's clock. */
function clockOf(today: string | undefined): () => number {
  const day = today === undefined ? undefined : parseDay(today)
  if (day === undefined) return Date.now
  const moved = momentOfDay(dayOfMoment(Date.now()) - day)
  return () => Date.now() - moved
}

async function answerControl(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  control: (body: ControlBody) => Counters,
  counters: () => Counters,
): Promise<void> {
  const reply = (status: number, body: unknown): void => {
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  if (incoming.method === 'GET') {
    reply(200, counters())
    return
  }
  const body = readControl(await readText(incoming))
  if (typeof body === 'string') {
    reply(400, { error: body })
    return
  }
  try {
    reply(200, control(body))
  } catch (error) {
    reply(400, { error: error instanceof Error ? error.message : String(error) })
  }
}

interface Parts {
  readonly service: SampleService
  readonly faults: FaultList
  readonly log: RequestLog
  readonly time: ServerTime
}

async function answerRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  parts: Parts,
): Promise<void> {
  const url = new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? '127.0.0.1'}`)
  const method = incoming.method ?? 'GET'
  const closed = new Promise<void>((resolve) => {
    outgoing.once('finish', resolve)
    outgoing.once('close', resolve)
  })
  const headers = headersOf(incoming)
  const waits: Waits = {
    sleep: (milliseconds) => wait((...timer) => parts.time.after(incoming.headers, ...timer), milliseconds),
    silent: (afterHead) => {
      parts.time.silent(incoming.headers, afterHead)
    },
  }
  const head = { method, path: url.pathname, query: url.search.slice(1) }
  const note = parts.log.add({ ...head, headers: Object.fromEntries(headers), body: '' })
  // The service gets the request with its headers, and counts as running from then on, not once the body has arrived.
  const arriving = readText(incoming)
  // A caller that disconnects before its body is read must not crash the server.
  arriving.catch(() => undefined)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const init = hasBody ? { body: streamOf(arriving), duplex: 'half' as const } : {}
  const request = new Request(url, { method, headers, ...init })
  let delivery: Delivery = { kind: 'whole' }
  let alone = false
  const answer = await parts.service.handle(request, {
    done: closed,
    around: async (work) => {
      alone = true
      const body = await arriving
      note({ body })
      const fault = parts.faults.next({ ...head, body })
      note({ fault: fault?.kind })
      const faulty = await answerWithFault(fault, work, closed, pageOf(url), waits, (early) =>
        deliver(early.answer, outgoing, early.delivery, waits),
      )
      delivery = faulty.delivery
      return faulty.answer
    },
  })
  note({ status: answer.status, second: !alone, body: await arriving })
  await deliver(answer, outgoing, delivery, waits)
}

function pageOf(url: URL): number {
  const page = Number(url.searchParams.get('page') ?? '1')
  return Number.isSafeInteger(page) && page > 0 ? page : 1
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return headers
}

/** A body that returns the text once it has arrived. */
function streamOf(text: Promise<string>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      controller.enqueue(new TextEncoder().encode(await text))
      controller.close()
    },
  })
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}
