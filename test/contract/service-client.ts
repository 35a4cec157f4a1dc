// A minimal client, so that the suite sees exactly what is on the wire.
import { expect } from 'vitest'
import { type ServiceUnderTest } from './service-under-test.ts'

/** A response as it was received. */
export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly text: string
  readonly json: unknown
}

/** An entry of `Contents`. */
export interface Item {
  readonly Object: Record<string, unknown> | null
  readonly Errors: readonly unknown[] | null
  readonly Self: string | null
  readonly Kind: string
}

/** The envelope of section 2.1. */
export interface Envelope {
  readonly Self: string
  readonly Kind: string
  readonly Page: number
  readonly MoreData: boolean | null
  readonly HasErrors: boolean
  readonly RequestId: string
  readonly Contents: readonly Item[]
  readonly Errors: readonly unknown[] | null
}

/** What a call sends in addition to its path. */
export interface CallOptions {
  readonly method?: string
  readonly body?: unknown
  /** Sent unchanged instead of `body`. */
  readonly rawBody?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends one request with the key and waits for its response. */
export async function call(
  service: ServiceUnderTest,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
  const response = await fetch(service.url + path, {
    method: options.method ?? 'GET',
    headers: {
      'x-api-key': service.key,
      SchemaVersion: path.toLowerCase().includes('selectreport') ? '1' : '20.04',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  return await read(response)
}

/** Sends one v1 request. */
export async function callLegacy(
  service: ServiceUnderTest,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const { method = 'GET', headers = { authorization: service.key }, body } = options
  return await read(
    await fetch(service.legacyUrl + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  )
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    json = undefined
  }
  return { status: response.status, contentType: response.headers.get('content-type') ?? '', text, json }
}

/** Checks every member of section 2.1 and returns the envelope. */
export function envelopeOf(answer: Answer): Envelope {
  expect(answer.contentType).toMatch(/application\/json/)
  expect(answer.json).toMatchObject({
    Self: expect.any(String) as unknown,
    Kind: 'collection',
    Page: expect.any(Number) as unknown,
    HasErrors: expect.any(Boolean) as unknown,
    RequestId: expect.stringMatching(/.+/) as unknown,
    Contents: expect.any(Array) as unknown,
  })
  const envelope = answer.json as Envelope
  expect([true, false, null]).toContain(envelope.MoreData)
  expect(envelope.Errors === null || Array.isArray(envelope.Errors)).toBe(true)
  for (const item of envelope.Contents) {
    expect(item.Errors === null || Array.isArray(item.Errors)).toBe(true)
    expect(item.Self === null || typeof item.Self === 'string').toBe(true)
    expect(typeof item.Kind).toBe('string')
  }
  const itemErrors = envelope.Contents.some((item) => (item.Errors ?? []).length > 0)
  expect(envelope.HasErrors).toBe(itemErrors || (envelope.Errors ?? []).length > 0)
  return envelope
}

/** The envelope of a response without any error. */
export function goodEnvelopeOf(answer: Answer): Envelope {
  const envelope = envelopeOf(answer)
  expect(envelope.HasErrors, answer.text.slice(0, 400)).toBe(false)
  return envelope
}

/** The envelope of a response that was refused as a whole, with nothing in it. */
export function refusedEnvelopeOf(answer: Answer): Envelope {
  const envelope = envelopeOf(answer)
  expect(envelope.HasErrors).toBe(true)
  expect(envelope.Errors?.length).toBeGreaterThan(0)
  return envelope
}

/** The record of an item. Throws if there is none. */
export function recordOf(item: Item | undefined): Record<string, unknown> {
  expect(item?.Object).toBeTypeOf('object')
  expect(item?.Object).not.toBeNull()
  return item?.Object ?? {}
}

/** A text of a record; empty if it is omitted. */
export function textOf(record: Readonly<Record<string, unknown>>, name: string): string {
  const value = record[name] ?? ''
  if (typeof value !== 'string') throw new TypeError(`${name} is no text: ${JSON.stringify(value)}`)
  return value
}

/** The code of an error entry. */
export function codeOf(error: unknown): string {
  expect(error).toHaveProperty('Code')
  return String((error as { Code: unknown }).Code)
}

/** An active company of an application. */
export interface ActiveCompany {
  readonly endpointId: string
  readonly endpoint: string
  readonly companyName: string
}

/** The active companies, in the order of the list. */
export async function activeCompanies(service: ServiceUnderTest): Promise<ActiveCompany[]> {
  const envelope = goodEnvelopeOf(await call(service, '/v2/Manage/endpoint?isactive=true'))
  return envelope.Contents.map((item) => {
    const record = recordOf(item)
    return {
      endpointId: textOf(record, 'endpointId'),
      endpoint: textOf(record, 'endpoint'),
      companyName: textOf(record, 'companyName'),
    }
  })
}

/** The first active company of an application; undefined if there is none. */
export async function companyOf(
  service: ServiceUnderTest,
  application: string,
): Promise<ActiveCompany | undefined> {
  return (await activeCompanies(service)).find((company) => company.endpoint === application)
}

/** The records of a list. */
export async function recordsOf(
  service: ServiceUnderTest,
  endpointId: string,
  object: string,
  query = '',
): Promise<Record<string, unknown>[]> {
  const envelope = goodEnvelopeOf(await call(service, `/v2/data/${endpointId}/${object}${query}`))
  return envelope.Contents.map(recordOf)
}
