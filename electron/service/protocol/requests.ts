/** The requests of the specification: method, path, deadline, SchemaVersion. Sends nothing. */
import { isLoopbackHost, withScheme } from '../../../shared/address.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { withOffset } from '../../../shared/format/format.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import type { CompaniesQuery, RecordsQuery, ReportQuery, ServiceTarget } from './wire.ts'

/** A request without its address and key. */
export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  /** The exact JSON text to send; `null` for a read. */
  readonly body: string | null
  /** The deadline in seconds, which runs to the end of the body. */
  readonly seconds: number
  /** The `SchemaVersion` header (specification 9.2); `null` for requests without one. */
  readonly schemaVersion: string | null
  /** Whether it goes to the older service, which has its own key header. */
  readonly isLegacy: boolean
}

type WithoutKind = Pick<ServiceRequest, 'path' | 'seconds'> &
  Partial<Pick<ServiceRequest, 'schemaVersion' | 'isLegacy'>>

function read(request: WithoutKind): ServiceRequest {
  return { method: 'GET', body: null, schemaVersion: null, isLegacy: false, ...request }
}

function write(method: 'POST' | 'PATCH', body: string, request: WithoutKind): ServiceRequest {
  return { method, body, schemaVersion: null, isLegacy: false, ...request }
}

/** Creates every request of the specification, 4.1 to 4.7, and user creation. */
export function requestsFor(settings: Settings) {
  const { readSeconds, writeSeconds, pageParameter, dataSchemaVersion } = settings
  const toData = (endpointId: string, object: string): WithoutKind => ({
    path: dataPath(endpointId, object, {}, pageParameter),
    seconds: writeSeconds,
    schemaVersion: dataSchemaVersion,
  })
  return {
    listCompanies: (query: CompaniesQuery) =>
      read({ path: companiesPath(query, pageParameter), seconds: readSeconds }),
    readRecords: (endpointId: string, object: string, query: RecordsQuery) =>
      read({
        path: dataPath(endpointId, object, query, pageParameter),
        seconds: readSeconds,
        schemaVersion: dataSchemaVersion,
      }),
    metadata: (object: string, applications: readonly string[], overlap: boolean) =>
      read({
        path: metadataPath(object, applications, overlap),
        seconds: readSeconds,
        schemaVersion: dataSchemaVersion,
      }),
    selectReport: (endpointId: string, query: ReportQuery) =>
      read({
        path: reportPath(endpointId, query, pageParameter),
        seconds: settings.reportSeconds,
        schemaVersion: settings.reportSchemaVersion,
      }),
    legacyListCompanies: (isActive: boolean | undefined) =>
      read({ path: legacyCompaniesPath(isActive), seconds: readSeconds, isLegacy: true }),
    insertRecords: (endpointId: string, object: string, body: string) =>
      write('POST', body, toData(endpointId, object)),
    changeRecords: (endpointId: string, object: string, body: string) =>
      write('PATCH', body, toData(endpointId, object)),
    provision: (body: string) =>
      write('POST', body, { path: PROVISION_PATH, seconds: settings.provisionSeconds }),
    deprovision: (body: string) => write('PATCH', body, { path: companiesPath(), seconds: writeSeconds }),
    createUser: (body: string) => write('POST', body, { path: USER_PATH, seconds: writeSeconds }),
    legacyDeprovision: (body: string) =>
      write('PATCH', body, { path: legacyCompaniesPath(), seconds: writeSeconds, isLegacy: true }),
  }
}

/** The headers of specification 4 and 5. The key is sent nowhere else. */
export function headersFor(request: ServiceRequest, target: ServiceTarget): Record<string, string> {
  return {
    accept: 'application/json',
    'cache-control': 'no-cache',
    ...(request.body === null ? {} : { 'content-type': 'application/json' }),
    ...(request.schemaVersion === null || request.schemaVersion === ''
      ? {}
      : { SchemaVersion: request.schemaVersion }),
    ...(request.isLegacy ? { authorization: target.legacyKey } : { 'x-api-key': target.key }),
  }
}

export function fullAddress(base: string, path: string): string {
  return base === SAMPLE_ADDRESS ? `http://sample.invalid${path}` : `${base}${path}`
}

/** Shown to the user instead of the address. */
export function hostOf(base: string): string {
  return base === SAMPLE_ADDRESS ? 'the sample service' : URL.canParse(base) ? new URL(base).host : base
}

/*
 * The specification's paths, in its own casing.
 */

/** The sample service's address. It has no host and uses no network. */
export const SAMPLE_ADDRESS = 'sample:'

/**
 * Parses an address as typed: `https` (which is also the default), or `http` for this computer. A path is kept, because
 * a service may have one. A trailing `/v2` is removed, because the paths have it.
 */
export function parseAddress(
  typed: string,
): Result<{ readonly address: string; readonly isLoopback: boolean }> {
  const text = typed.trim()
  if (text === '') return refuse('Type the address of the service.')
  const bare = withScheme(text)
  const url = URL.canParse(bare) ? new URL(bare) : null
  if (url === null || url.hostname === '') return refuse('This is not an address.')
  const isLoopback = isLoopbackHost(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)) {
    return refuse('The address must begin with https://, so that no one can read the key in transit.')
  }
  if (url.username !== '' || url.password !== '')
    return refuse('The address must not contain a name or password.')
  if (url.search !== '' || url.hash !== '')
    return refuse('The address must not contain a question mark or a #.')
  // Checks the typed text, because `URL` has already resolved plain ones.
  if (hasDotSegment(bare.slice(bare.indexOf('://') + 3)))
    return refuse('The address must not have “.” or “..” as a part of its path.')
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v[12]$/i, '')
  return ok({ address: url.origin + path, isLoopback })
}

function refuse(message: string): Result<never> {
  return err(
    appError(
      'invalid-input',
      message,
      'It looks like https://service.example.com. Your provider gave it to you.',
    ),
  )
}

/**
 * Whether a path has a segment that any server on the way may read as `.` or `..`: plain, percent-encoded to any depth,
 * or with characters that some servers strip. Such a path would lead elsewhere.
 */
export function hasDotSegment(path: string): boolean {
  let text = path
  for (let before = ''; before !== text;) {
    before = text
    text = before.replace(/(?:%[\da-f]{2})+/gi, (escapes) =>
      Buffer.from(escapes.replaceAll('%', ''), 'hex').toString(),
    )
  }
  return text
    .normalize('NFKC')
    .split(/[/\\]/)
    .some((part) => /^\.{1,2}$/.test(part.replace(/;.*$/s, '').replace(/[\s\p{Cc}\p{Cf}]/gu, '')))
}

function withQuery(path: string, query: URLSearchParams): string {
  // A space as %20, which servers decode whether they expect a form or a URL.
  const text = query.toString().replaceAll('+', '%20')
  return text === '' ? path : `${path}?${text}`
}

/**
 * Data (specification 4.1). Times are sent with this computer's offset. *Assumption*: `pageParameter`, because the
 * specification doesn't show how to request page 2.
 */
function dataPath(endpointId: string, object: string, query: RecordsQuery, pageParameter: string): string {
  const parameters = new URLSearchParams()
  for (const each of query.ids ?? []) parameters.append('id', each)
  if (query.modTimeStart !== undefined)
    parameters.set('modTimeStart', withOffset(new Date(query.modTimeStart)))
  if (query.modTimeEnd !== undefined) parameters.set('modTimeEnd', withOffset(new Date(query.modTimeEnd)))
  if (query.page !== undefined && query.page > 1) parameters.set(pageParameter, String(query.page))
  return withQuery(`/v2/data/${encodeURIComponent(endpointId)}/${encodeURIComponent(object)}`, parameters)
}

/** A report (specification 4.2). */
function reportPath(endpointId: string, query: ReportQuery, pageParameter: string): string {
  const { name, from, to, page = 1 } = query
  const parameters = new URLSearchParams({ name, modTimeStart: from, modTimeEnd: to })
  if (page > 1) parameters.set(pageParameter, String(page))
  return withQuery(`/v2/Data/${encodeURIComponent(endpointId)}/selectReport`, parameters)
}

/** Metadata (specification 4.3). */
function metadataPath(object: string, applications: readonly string[], overlap: boolean): string {
  const parameters = new URLSearchParams()
  for (const application of applications) parameters.append('app', application)
  if (overlap) parameters.set('overlap', 'true')
  return withQuery(`/v2/meta/${encodeURIComponent(object)}`, parameters)
}

/** Provisioning (specification 4.4). */
const PROVISION_PATH = '/v2/manage/company'

/** *Assumption* (docs/decisions.md, "Creating a user"): the specification shows only `/manage/user` of this path. */
const USER_PATH = '/v2/manage/user'

/** The list of companies, and de-provisioning (specification 4.5 and 4.6). */
function companiesPath(query: CompaniesQuery = {}, pageParameter = ''): string {
  const parameters = new URLSearchParams()
  if (query.isActive !== undefined) parameters.set('isactive', String(query.isActive))
  if (query.page !== undefined && query.page > 1) parameters.set(pageParameter, String(query.page))
  return withQuery('/v2/Manage/endpoint', parameters)
}

/** The same at the older service (specification 4.7). */
function legacyCompaniesPath(isActive?: boolean): string {
  return isActive === undefined ? '/v1/manage/Endpoint' : `/v1/manage/Endpoint?IsActive=${String(isActive)}`
}
