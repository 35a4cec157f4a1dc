/**
 * A service on loopback, written from the specification alone, with what the sample lacks: many companies, companies
 * that disappear from the list, and an older service with its own key. It serves the given companies and records,
 * accepts changes, and records its requests.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LoopbackServer } from './loopback-server.ts'

export interface PlainCompany {
  readonly endpointId: string
  readonly companyName: string
  readonly fullPath: string
  isActive: boolean
}

type Fields = Readonly<Record<string, unknown>>

interface Asked {
  readonly method: string
  /** Including its query. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
}

/** Companies with different names and paths. */
export function plainCompanies(count: number, prefix = 'Client'): PlainCompany[] {
  return Array.from({ length: count }, (_, index) => ({
    endpointId: `e-${prefix}-${index + 1}`,
    companyName: `${prefix} ${String(index + 1).padStart(3, '0')} Trading`,
    fullPath: `C:\\Books\\${prefix}\\${index + 1}\\ledger-${index + 1}.qbw`,
    isActive: true,
  }))
}

export class PlainService {
  /** The current interface; `''` if it has no list. */
  readonly companies: PlainCompany[]
  /** The list of the older interface. */
  older: PlainCompany[] = []
  readonly key: string
  readonly olderKey: string
  /** Sent beside a complete list. */
  warning = ''
  /** Provisions and returns the response; `null` cuts the connection without a response. */
  provisioned: (() => PlainCompany | null) | null = null
  /** How long each response takes. */
  latencyMs = 0
  /** Whether the list says that there is more, and repeats the same page. */
  saysMore = false
  /** Whether responses of the older interface aren't envelopes. */
  isOlderBroken = false
  readonly asked: Asked[] = []
  /** The records of all changes, as they arrived. */
  readonly written: Fields[] = []
  /** Records by endpoint and object: `e-Client-1/customer`. All records of an object have the same fields. */
  readonly lists = new Map<string, Fields[]>()
  readonly #server = new LoopbackServer((request, response) => void this.#answer(request, response))
  #atWork = new Map<string, number>()
  /** The largest number of simultaneous requests, by key. */
  mostAtOnce = 0

  private constructor(companies: PlainCompany[], key: string) {
    this.companies = companies
    this.key = key
    this.olderKey = `older-${key}`
  }

  static async start(companies: PlainCompany[], key = 'plain-key'): Promise<PlainService> {
    const service = new PlainService(companies, key)
    await service.#server.listen()
    return service
  }

  get url(): string {
    return this.#server.url
  }

  get olderUrl(): string {
    return `${this.url}/older`
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    this.asked.push({ method, path: url, headers })
    const queue = String(headers['x-api-key'] ?? headers.authorization)
    const atWork = (this.#atWork.get(queue) ?? 0) + 1
    this.#atWork.set(queue, atWork)
    this.mostAtOnce = Math.max(this.mostAtOnce, atWork)
    const blocks: Buffer[] = []
    for await (const block of request) blocks.push(block as Buffer)
    const body = Buffer.concat(blocks).toString('utf8')
    if (this.latencyMs > 0) await new Promise((done) => setTimeout(done, this.latencyMs))
    this.#atWork.set(queue, atWork - 1)
    if (method === 'POST' && this.provisioned !== null && /\/v2\/manage\/company$/i.test(url)) {
      const company = this.provisioned()
      if (company === null) response.destroy()
      else response.end(JSON.stringify(envelope([record(company)], [])))
      return
    }
    const { status, value } = this.#valueFor(method, new URL(url, 'http://127.0.0.1'), headers, body)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof value === 'string' ? value : JSON.stringify(value))
  }

  #valueFor(method: string, url: URL, headers: IncomingMessage['headers'], body: string): Answer {
    if (url.pathname === '/older/v1/manage/Endpoint') return this.#older(method, url, headers, body)
    if (headers['x-api-key'] !== this.key) return { status: 401, value: envelope([], ['Unknown API key']) }
    if (url.pathname === '/v2/Manage/endpoint') {
      const wanted = url.searchParams.get('isactive')
      const shown = this.companies.filter(({ isActive }) => wanted === null || String(isActive) === wanted)
      return { status: 200, value: this.#list(shown) }
    }
    const [, kind, ...rest] = url.pathname.toLowerCase().split('/').slice(1)
    if (kind === 'data') return { status: 200, value: envelope(this.#records(method, url, body), []) }
    if (kind === 'meta') {
      const fields = [...this.lists].find(([key]) => key.endsWith(`/${rest.join('/')}`))?.[1][0] ?? {}
      return { status: 200, value: envelope([fields], []) }
    }
    return { status: 404, value: envelope([], ['No such thing']) }
  }

  #records(method: string, url: URL, body: string): readonly Fields[] {
    const [endpointId = '', object = ''] = url.pathname.split('/').slice(3)
    const records = this.lists.get(`${endpointId}/${object}`) ?? []
    const ids = new Set(url.searchParams.getAll('id'))
    if (method !== 'PATCH') return ids.size === 0 ? records : records.filter(({ ID }) => ids.has(String(ID)))
    const sent = [JSON.parse(body) as Fields | readonly Fields[]].flat() as readonly Fields[]
    this.written.push(...sent)
    return sent.flatMap((change) => {
      const at = records.findIndex(({ ID }) => String(ID) === String(change['ID']))
      if (at < 0) return []
      records[at] = { ...records[at], ...change }
      return [records[at]]
    })
  }

  #list(shown: readonly PlainCompany[]): object {
    const list = { ...envelope(shown.map(record), []), MoreData: this.saysMore }
    if (this.warning === '') return list
    return { ...list, HasErrors: true, Errors: [{ Severity: 'Warning', Message: this.warning }] }
  }

  #older(method: string, url: URL, headers: IncomingMessage['headers'], body: string): Answer {
    if (this.isOlderBroken) return { status: 200, value: '<!doctype html><title>Moved</title>' }
    if (headers.authorization !== this.olderKey) return { status: 401, value: olderEnvelope([], '401') }
    if (method === 'PATCH') {
      const { endpointId } = JSON.parse(body) as { endpointId: string }
      const found = this.older.filter((company) => company.endpointId === endpointId)
      for (const company of found) company.isActive = false
      return { status: 200, value: olderEnvelope(found, '0') }
    }
    const wanted = url.searchParams.get('IsActive')
    const shown = this.older.filter(({ isActive }) => wanted === null || String(isActive) === wanted)
    return { status: 200, value: olderEnvelope(shown, '0') }
  }
}

interface Answer {
  readonly status: number
  readonly value: unknown
}

/** Fields of specification 2.5, with booleans as strings. */
function record(company: PlainCompany): Record<string, unknown> {
  return {
    ...company,
    isActive: String(company.isActive),
    version: '',
    endpoint: 'qbd',
    dateTimeCreated: '2025-02-03T04:05:06+00:00',
    dateTimeLastAccess: '2026-01-02T03:04:05Z',
    id: `r-${company.endpointId}`,
    userId: 'u-1',
    token: '',
    externalId: '',
    appName: 'Plain',
    isHostedNetworks: null,
  }
}

/** Specification 2.1. */
function envelope(objects: readonly unknown[], errors: readonly string[]): object {
  return {
    Self: '',
    Kind: 'collection',
    Page: 1,
    MoreData: false,
    HasErrors: errors.length > 0,
    RequestId: 'plain-request',
    Contents: objects.map((value) => ({ Object: value, Errors: null, Self: null, Kind: 'collection' })),
    Errors: errors.length > 0 ? errors.map((Message) => ({ Message })) : null,
  }
}

/** Specification 2.6; its timestamps have no offset. */
function olderEnvelope(companies: readonly PlainCompany[], statusCode: string): unknown {
  const Detail = companies.map(({ endpointId, companyName, fullPath, isActive }) => ({
    isActive: String(isActive),
    endpointId,
    endpoint: 'qbd',
    fullPath,
    companyName,
    dateTimeCreated: '2019-05-06T07:08:09',
    appName: 'Plain',
  }))
  const message = statusCode === '0' ? `${Detail.length} endpoint ids found.` : 'The key is not valid.'
  return { Meta: { CommandGuid: null, StatusCode: statusCode, Severity: null, Message: message }, Detail }
}
