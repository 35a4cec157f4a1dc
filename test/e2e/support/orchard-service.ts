/**
 * A service on loopback that differs from the sample: unusual IDs, amounts and booleans as JSON, fields without a
 * definition, errors as plain strings, and metadata that can change. Written from the specification alone.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LoopbackServer } from './loopback-server.ts'

const KEY = 'orchard/key+=='
const COMPANY = {
  companyName: 'Kōwhai & Söhne',
  fullPath: 'D:\\Bücher\\Kōwhai.qbw',
  version: '',
  dateTimeCreated: '2025-02-03T04:05:06Z',
  dateTimeLastAccess: '2026-01-02T03:04:05Z',
  endpoint: 'qbd',
  endpointId: 'orchard/1',
  id: 'r-1',
  isActive: true,
  userId: 'u-1',
  token: '',
  externalId: '',
  appName: 'Orchard',
  isHostedNetworks: null,
}

type OrchardRecord = Record<string, unknown>

export class OrchardService {
  readonly key = KEY
  readonly customers: OrchardRecord[] = Array.from({ length: 40 }, (_, index) => customer(index))
  /** The customer fields that its application accepts. */
  taken: readonly string[] = [
    'Name',
    'Phone',
    'Email',
    'IsActive',
    'Terms',
    'CreditLimit',
    'Balance',
    'BillingAddress',
  ]
  /** Bodies of the writes, in order. */
  readonly written: unknown[] = []
  readonly #server = new LoopbackServer((request, response) => void this.#answer(request, response))

  static async start(): Promise<OrchardService> {
    const service = new OrchardService()
    await service.#server.listen()
    return service
  }

  get url(): string {
    return this.#server.url
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const blocks: Buffer[] = []
    for await (const block of request) blocks.push(block as Buffer)
    const text = Buffer.concat(blocks).toString('utf8')
    const body = text === '' ? null : (JSON.parse(text) as OrchardRecord | readonly OrchardRecord[])
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(this.#valueFor(request, url, body)))
  }

  #valueFor(
    request: IncomingMessage,
    url: URL,
    body: OrchardRecord | readonly OrchardRecord[] | null,
  ): object {
    if (request.headers['x-api-key'] !== KEY) return envelope([], ['That key is not known here'])
    const path = url.pathname.toLowerCase()
    if (path.startsWith('/v2/manage/')) return envelope([item(COMPANY)])
    if (path.startsWith('/v2/meta/'))
      return envelope([item(Object.fromEntries(this.taken.map((name) => [name, ''])))])
    if (body === null) {
      const ids = url.searchParams.getAll('id')
      const found = this.customers.filter(({ ID }) => ids.length === 0 || ids.includes(String(ID)))
      return envelope(found.map(item))
    }
    this.written.push(body)
    const records = Array.isArray(body) ? (body as readonly OrchardRecord[]) : [body as OrchardRecord]
    return envelope(records.map((record) => this.#write(request.method ?? '', record)))
  }

  #write(method: string, sent: OrchardRecord): object {
    if (typeof sent['Name'] === 'string' && sent['Name'].includes('!'))
      return { ...item(null), Errors: ['The name has a sign that is not allowed'] }
    const changed = { ...sent, LastModifiedDate: new Date().toISOString() }
    if (method === 'POST') {
      const made = {
        ...changed,
        ID: `new/${String(this.customers.length)}&`,
        FullName: sent['Name'],
        TaxCode: { ID: 't', FullName: 'GST' },
      }
      this.customers.push(made)
      return item(made)
    }
    const record = this.customers.find(({ ID }) => ID === sent['ID'])
    return record ? item(Object.assign(record, changed)) : { ...item(null), Errors: ['There is none'] }
  }
}

function customer(index: number): OrchardRecord {
  const name = `Grower ${String(index).padStart(2, '0')}`
  return {
    ID: `8000/${String(index)}&ü='+ %`,
    Name: name,
    FullName: name,
    IsActive: true,
    Balance: index * 10.25,
    Phone: `+64 ${String(index)}`,
    Email: '',
    Terms: { ID: 't-1', FullName: 'Net 20' },
    BillingAddress: { Line1: `${String(index)} Queen St`, City: 'Ōtautahi', Suburb: 'North' },
    CreditLimit: index * 100,
    'R&D': index % 2 === 0,
    LastModifiedDate: '2025-01-02T03:04:05+13:00',
  }
}

function item(record: object | null): object {
  return { Object: record, Errors: null, Self: null, Kind: 'customer' }
}

/** Specification 2.1; an error is a string here, and `MoreData` is not applicable. */
function envelope(contents: readonly object[], errors: readonly string[] = []): object {
  return {
    Self: '',
    Kind: 'collection',
    Page: 1,
    MoreData: null,
    RequestId: 'orchard-request',
    Contents: contents,
    Errors: errors.length > 0 ? errors : null,
  }
}
