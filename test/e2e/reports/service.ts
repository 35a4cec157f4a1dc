/**
 * A read-only service on loopback with the companies and reports of a spec. Written from the specification alone. Can
 * do what the sample can't: other names, wrong sums, a ledger of any length, and no response at all.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LoopbackServer } from '../support/loopback-server.ts'

const KEY = 'reports-key'

/** The object of a report's content item (specification 2.7), in any shape. */
export type ReportObject = Readonly<Record<string, unknown>>

export interface ReportsCompany {
  readonly endpointId: string
  readonly companyName: string
  /** An application's short code, which may be unknown. */
  readonly endpoint: string
}

/** The result of a report: the object, an error with the service's message, or no response. */
export type ReportAnswer =
  | { readonly report: ReportObject; readonly errors?: readonly unknown[] }
  | { readonly error: string }
  | { readonly status: number }
  | 'silence'

/** A row as the service writes it. */
export function row(
  RowType: string,
  FullName: string,
  Values: readonly unknown[] = [],
  ID = '',
): ReportObject {
  return { RowType, EntityRef: { FullName, ID }, Values }
}

export class ReportsService {
  readonly key = KEY
  readonly companies: readonly ReportsCompany[]
  /** Returns a company's report. */
  answer: (company: ReportsCompany, name: string, from: string, to: string) => ReportAnswer
  /** The records of a list. `isCut` if the service says that there is more, but never sends it. By default, none. */
  list: (
    company: ReportsCompany,
    object: string,
  ) => { readonly records: readonly ReportObject[]; readonly isCut?: boolean } | { readonly error: string } =
    () => ({ records: [] })
  /** Companies whose agent isn't running, so that small reads are refused with a message. */
  readonly unavailable = new Set<string>()
  latencyMs = 0
  /** The requested reports: company, name, and days. */
  readonly asked: string[] = []
  #atWork = 0
  mostAtOnce = 0
  readonly #server = new LoopbackServer((request, response) => void this.#serve(request, response))

  private constructor(companies: readonly ReportsCompany[], answer: ReportsService['answer']) {
    this.companies = companies
    this.answer = answer
  }

  static async start(
    companies: readonly ReportsCompany[],
    answer: ReportsService['answer'],
  ): Promise<ReportsService> {
    const service = new ReportsService(companies, answer)
    await service.#server.listen()
    return service
  }

  get url(): string {
    return this.#server.url
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#atWork += 1
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atWork)
    if (this.latencyMs > 0) await new Promise((done) => setTimeout(done, this.latencyMs))
    this.#atWork -= 1
    response.setHeader('content-type', 'application/json')
    if (request.headers['x-api-key'] !== KEY) {
      response.writeHead(401).end(envelope([], 'collection', [{ Message: 'Unknown API key' }]))
      return
    }
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const [, , room, endpointId, what] = url.pathname.split('/')
    if (room?.toLowerCase() !== 'data') {
      response.end(envelope(this.companies.map(companyRecord), 'collection'))
      return
    }
    const company = this.companies.find((each) => each.endpointId === decodeURIComponent(endpointId ?? ''))
    if (!company || this.unavailable.has(company.endpointId)) {
      response.end(envelope([], what ?? '', [{ Code: '5', Message: 'The agent does not answer.' }]))
    } else if (what?.toLowerCase() === 'selectreport') this.#report(company, url, response)
    else this.#list(company, what ?? '', url, response)
  }

  #list(company: ReportsCompany, object: string, { searchParams }: URL, response: ServerResponse): void {
    const page = Number(searchParams.get('page') ?? '1')
    const list = this.list(company, object)
    if ('error' in list) response.end(envelope([], object, [{ Message: list.error }]))
    else response.end(envelope(page > 1 ? [] : list.records, object, [], [], list.isCut === true))
  }

  #report(company: ReportsCompany, { searchParams }: URL, response: ServerResponse): void {
    const name = searchParams.get('name') ?? ''
    const day = (parameter: string): string => (searchParams.get(parameter) ?? '').slice(0, 10)
    const [from, to] = [day('modTimeStart'), day('modTimeEnd')]
    this.asked.push(`${company.companyName} ${name} ${from} ${to}`)
    const answer = this.answer(company, name, from, to)
    if (answer === 'silence') return
    if ('status' in answer) {
      response.writeHead(answer.status, { 'retry-after': '1' }).end()
    } else if ('error' in answer) response.end(envelope([], 'report', [{ Message: answer.error }]))
    else response.end(envelope([answer.report], 'report', [], answer.errors))
  }
}

/** Specification 2.5. */
function companyRecord(company: ReportsCompany): ReportObject {
  return {
    ...company,
    fullPath: '',
    version: '',
    dateTimeCreated: '2025-02-03T04:05:06Z',
    dateTimeLastAccess: '2026-01-02T03:04:05Z',
    id: `r-${company.endpointId}`,
    isActive: 'true',
    userId: 'u-1',
    token: '',
    externalId: '',
    appName: 'Reports',
    isHostedNetworks: null,
  }
}

/** Specification 2.1. */
function envelope(
  objects: readonly ReportObject[],
  Kind: string,
  errors: readonly unknown[] = [],
  itemErrors: readonly unknown[] = [],
  MoreData: boolean | null = null,
): string {
  return JSON.stringify({
    Self: '',
    Kind: 'collection',
    Page: 1,
    MoreData,
    HasErrors: errors.length > 0 || itemErrors.length > 0,
    RequestId: 'reports-request',
    Contents: objects.map((Object) => ({
      Object,
      Errors: itemErrors.length > 0 ? itemErrors : null,
      Self: null,
      Kind,
    })),
    Errors: errors.length > 0 ? errors : null,
  })
}
