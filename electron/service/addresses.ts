/** The addresses of the specification's operations, in its own casing (decisions.md, "casing in paths and names"). */
import { withOffset } from '../../shared/format/offset-time.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import type { CompaniesQuery, RecordsQuery, ReportQuery } from './wire.ts'

/** The sample service's address: no host, no network. */
export const SAMPLE_ADDRESS = 'sample:'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether a host is this computer. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname.toLowerCase())
}

/**
 * Reads an address as typed: `https` (or none, which means https), or a loopback address over `http`. A path is
 * kept, since a service may live below one; a trailing `/v2` is taken off, since the operations bring it.
 */
export function parseAddress(
  typed: string,
): Result<{ readonly address: string; readonly isLoopback: boolean }> {
  const text = typed.trim()
  if (text === '') return refuse('Type the address of the service.')
  const bare = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`
  const url = URL.canParse(bare) ? new URL(bare) : null
  if (url === null || url.hostname === '') return refuse('This is not an address.')
  const isLoopback = isLoopbackHost(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)) {
    return refuse('The address must begin with https://, so that the key cannot be read on the way.')
  }
  if (url.username !== '' || url.password !== '')
    return refuse('The address must not carry a name or password.')
  if (url.search !== '' || url.hash !== '')
    return refuse('The address must not carry a question mark or a #.')
  // Of what was typed: `URL` has resolved the plain ones already.
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
 * Whether a path has a part that is `.` or `..` to anybody on the way: written out, percent-encoded to any depth, or with
 * what some servers take off. Such a path would lead to another place than the one that it names.
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
  // A blank as %20, which a server reads as one whether it decodes a form or an address.
  const text = query.toString().replaceAll('+', '%20')
  return text === '' ? path : `${path}?${text}`
}

/** 4.1. Times leave in one form, with the machine's offset. `pageParameter` is an *Assumption*: how page 2 is asked for is not shown. */
export function dataPath(
  endpointId: string,
  object: string,
  query: RecordsQuery,
  pageParameter: string,
): string {
  const parameters = new URLSearchParams()
  for (const each of query.ids ?? []) parameters.append('id', each)
  if (query.modTimeStart !== undefined)
    parameters.set('modTimeStart', withOffset(new Date(query.modTimeStart)))
  if (query.modTimeEnd !== undefined) parameters.set('modTimeEnd', withOffset(new Date(query.modTimeEnd)))
  if (query.page !== undefined && query.page > 1) parameters.set(pageParameter, String(query.page))
  return withQuery(`/v2/data/${encodeURIComponent(endpointId)}/${encodeURIComponent(object)}`, parameters)
}

/** 4.2. */
export function reportPath(endpointId: string, query: ReportQuery, pageParameter: string): string {
  const { name, from, to, page = 1 } = query
  const parameters = new URLSearchParams({ name, modTimeStart: from, modTimeEnd: to })
  if (page > 1) parameters.set(pageParameter, String(page))
  return withQuery(`/v2/Data/${encodeURIComponent(endpointId)}/selectReport`, parameters)
}

/** 4.3. */
export function metadataPath(object: string, applications: readonly string[], overlap: boolean): string {
  const parameters = new URLSearchParams()
  for (const application of applications) parameters.append('app', application)
  if (overlap) parameters.set('overlap', 'true')
  return withQuery(`/v2/meta/${encodeURIComponent(object)}`, parameters)
}

/** 4.4. */
export const PROVISION_PATH = '/v2/manage/company'

/** *Assumption* (decisions.md, "creating a user"): the path of user creation is not shown beyond `/manage/user`. */
export const USER_PATH = '/v2/manage/user'

/** 4.5 and 4.6. */
export function companiesPath(query: CompaniesQuery = {}, pageParameter = ''): string {
  const parameters = new URLSearchParams()
  if (query.isActive !== undefined) parameters.set('isactive', String(query.isActive))
  if (query.page !== undefined && query.page > 1) parameters.set(pageParameter, String(query.page))
  return withQuery('/v2/Manage/endpoint', parameters)
}

/** 4.7. */
export function legacyCompaniesPath(isActive?: boolean): string {
  return isActive === undefined ? '/v1/manage/Endpoint' : `/v1/manage/Endpoint?IsActive=${String(isActive)}`
}
