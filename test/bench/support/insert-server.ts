// A service in its own thread that takes the same time for every insert. It echoes each record with an `ID`
// (specification 2.1, 4.1) and measures its caller's overhead: the time from a response until the next insert has
// arrived. At the end of each part, it holds the response so that another caller can send the same bodies.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { objectDefinition } from '../../../shared/records/definition.ts'

/** Number of inserts in a row. */
export interface InsertPart {
  readonly bodies: readonly string[]
  /**
   * Milliseconds from the previous response until each insert had arrived completely. The very first insert isn't
   * included.
   */
  readonly gaps: readonly number[]
}

export interface InsertServer {
  readonly url: string
  readonly key: string
  /** Where the other caller inserts. The program inserts into the books of its only company. */
  readonly otherUrl: string
  /** Resolves with the next part. Its last response is held until `resume`, except for the other caller's parts. */
  readonly nextPart: () => Promise<InsertPart>
  readonly resume: () => void
  readonly close: () => Promise<void>
}

interface Plan {
  /** Milliseconds from an insert's arrival until its response is sent. */
  readonly latency: number
  /** Inserts per part. */
  readonly partSize: number
}

const KEY = 'bench-key'
const ENDPOINT_ID = 'bench-books'
const OTHER_PATH = '/other'
const AT = '2026-03-01T09:00:00+00:00'

export async function serveInserts(plan: Plan): Promise<InsertServer> {
  const worker = new Worker(new URL(import.meta.url), { workerData: plan })
  // Rejects if the thread ends with an error.
  const next = async <T>(): Promise<T> => {
    const [message] = (await once(worker, 'message')) as [T]
    return message
  }
  const url = `http://127.0.0.1:${String(await next<number>())}`
  return {
    url,
    key: KEY,
    otherUrl: url + OTHER_PATH,
    nextPart: () => next<InsertPart>(),
    resume() {
      worker.postMessage('go on')
    },
    close: async () => {
      await worker.terminate()
    },
  }
}

/** The inserts of one caller, in parts. */
class Caller {
  readonly #partSize: number
  #bodies: string[] = []
  #gaps: number[] = []
  #respondedAt: number | null = null

  constructor(partSize: number) {
    this.#partSize = partSize
  }

  came(body: string): void {
    if (this.#respondedAt !== null) this.#gaps.push(performance.now() - this.#respondedAt)
    this.#bodies.push(body)
  }

  /** Returns the part if this was its last insert. */
  partEnded(): InsertPart | null {
    if (this.#bodies.length < this.#partSize) return null
    const part = { bodies: this.#bodies, gaps: this.#gaps }
    this.#bodies = []
    this.#gaps = []
    return part
  }

  answered(): void {
    this.#respondedAt = performance.now()
  }

  /** The next overhead is measured from now. */
  rested(): void {
    this.#respondedAt = null
  }
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort
  const { latency, partSize } = workerData as Plan
  const program = new Caller(partSize)
  const other = new Caller(partSize)

  /** Records that the program has inserted, by ID. */
  const records = new Map<string, Inserted>()

  const insert = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isOther = request.url === OTHER_PATH
    const caller = isOther ? other : program
    const blocks: Buffer[] = []
    for await (const block of request) blocks.push(block as Buffer)
    const body = Buffer.concat(blocks).toString('utf8')
    caller.came(body)
    const dueAt = performance.now() + latency
    const made = inserted(body)
    if (!isOther) for (const record of made) records.set(record.ID, record)
    const text = envelope(made)
    await sleep(Math.max(0, dueAt - performance.now()))
    const part = caller.partEnded()
    if (part !== null) {
      port.postMessage(part)
      if (!isOther) await new Promise((resume) => port.once('message', resume))
    }
    response.once('finish', () => {
      caller.answered()
      if (isOther && part !== null) caller.rested()
    })
    send(response, text)
  }

  const server = createServer((request, response) => {
    if (request.method === 'POST') void insert(request, response)
    else send(response, envelope(listed(request.url ?? '', records)))
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    port.postMessage(typeof address === 'object' ? (address?.port ?? 0) : 0)
  })
}

function send(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(text)
}

/** Data for reads: one company, every field of a customer as supported, and the inserted records. */
function listed(path: string, records: ReadonlyMap<string, Inserted>): readonly unknown[] {
  if (/^\/v2\/manage\/endpoint(?:\?|$)/i.test(path)) return [COMPANY]
  if (/^\/v2\/meta\//i.test(path)) {
    return [Object.fromEntries((objectDefinition('customer')?.fields ?? []).map(({ name }) => [name, '']))]
  }
  if (!path.startsWith('/v2/data/') && !path.startsWith('/v2/Data/')) return []
  const ids = new URL(path, 'http://127.0.0.1').searchParams.getAll('id')
  return ids.length === 0 ? [...records.values()] : ids.flatMap((id) => records.get(id) ?? [])
}

const COMPANY = {
  companyName: 'Alder & Finch Builders',
  fullPath: 'C:\\Books\\Alder.qbw',
  version: '',
  dateTimeCreated: AT,
  dateTimeLastAccess: AT,
  endpoint: 'qbd',
  endpointId: ENDPOINT_ID,
  id: 'r-1',
  isActive: 'true',
  userId: 'u-1',
  token: '',
  externalId: '',
  appName: 'Bench',
  isHostedNetworks: null,
}

interface Inserted extends Readonly<Record<string, unknown>> {
  readonly ID: string
}

function inserted(body: string): readonly Inserted[] {
  const sent = JSON.parse(body) as Record<string, unknown> | readonly Record<string, unknown>[]
  return (Array.isArray(sent) ? sent : [sent]).map((record: Record<string, unknown>) => ({
    ...record,
    ID: randomUUID(),
    FullName: record['Name'],
    Balance: '0.00',
    IsActive: 'true',
    CreatedDate: AT,
    LastModifiedDate: AT,
  }))
}

function envelope(objects: readonly unknown[]): string {
  return JSON.stringify({
    Self: '',
    Kind: 'collection',
    Page: 1,
    MoreData: false,
    HasErrors: false,
    RequestId: randomUUID(),
    Contents: objects.map((value) => ({ Object: value, Errors: null, Self: null, Kind: 'customer' })),
    Errors: null,
  })
}
