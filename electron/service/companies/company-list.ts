/** The list of companies (specification 4.6): all of its pages, and whether it is complete. */
import { isSameId } from '../../../shared/companies/companies.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import { redact } from '../errors/redact.ts'
import {
  bareItemErrors,
  isProvenRefusal,
  translateErrors,
  translateReadErrors,
  withoutServicePrefix,
} from '../errors/service-errors.ts'
import {
  booleanOf,
  cut,
  decodeEnvelope,
  decodeLegacyEnvelope,
  member,
  noEnvelopeError,
  scalarText,
} from '../protocol/envelope.ts'
import type {
  CompaniesQuery,
  Decoder,
  Envelope,
  LegacyEnvelope,
  RawResponse,
  ServiceError,
  Wire,
} from '../protocol/wire.ts'

export interface CompanyList {
  readonly companies: readonly CompanyRecord[]
  /**
   * False if the service announces more companies but doesn't list them, if the list never ends, or if an item has an
   * error or no company.
   */
  readonly isWhole: boolean
  /** What the service said besides the list, such as a warning. Empty if nothing. */
  readonly notice: string
  /** The service's ID of the request for the last page. Empty if there is none. */
  readonly requestId: string
}

/** The list of a connection that has only an older service. */
export const EMPTY_LIST: CompanyList = { companies: [], isWhole: true, notice: '', requestId: '' }

/** Prevents an endless loop even if each page is new. No office has this many pages of companies. */
const MAX_COMPANY_PAGES = 200

/** Reads the list page by page within a slot. Stops if a page brings nothing new, or after `MAX_COMPANY_PAGES`. */
export async function readCompanyList(
  wire: Wire,
  query: Pick<CompaniesQuery, 'isActive'> = {},
): Promise<Result<CompanyList>> {
  const companies = new Map<string, CompanyRecord>()
  let hasErrors = false
  let requestId = ''
  let notice = ''
  const listed = (isWhole: boolean): Result<CompanyList> =>
    ok({ companies: [...companies.values()], isWhole, notice, requestId })
  for (let page = 1; ; page += 1) {
    const response = await wire.listCompanies({ ...query, page }, listDecoder)
    if (!response.ok) {
      if (page === 1) return response
      notice ||= noticeOf(response.error)
      return listed(false)
    }
    requestId = redact(response.value.requestId, wire.target.mask)
    const before = companies.size
    const listedHere = decodeCompanies(response.value)
    for (const company of listedHere) keep(companies, company)
    // An item without a company may stand for one.
    hasErrors ||= listedHere.length < response.value.items.length
    hasErrors ||= response.value.hasErrors && !isOnlyWarned(response.value)
    const [firstError] = [...response.value.errors, ...bareItemErrors(response.value)]
    notice ||= redact(firstError?.message ?? '', wire.target.mask)
    // A last page that only repeats earlier ones is not the page that was requested.
    const isRepeated = page > 1 && companies.size === before && listedHere.length > 0
    const isOtherPage = response.value.page !== null && response.value.page !== page
    if (response.value.moreData !== true) {
      return listed(!hasErrors && !isRepeated && (page === 1 || !isOtherPage))
    }
    if (companies.size === before || isOtherPage) return listed(false)
    if (page === MAX_COMPANY_PAGES) {
      notice = NO_END_SEEN
      return listed(false)
    }
  }
}

/**
 * Returns the token of one company. This is the only place that reads a token from a response; it goes straight to the
 * clipboard. The list may spell the company's ID differently than before.
 */
export async function readCompanyToken(wire: Wire, endpointId: string): Promise<Result<string>> {
  const seen = new Set<string>()
  for (let page = 1; ; page += 1) {
    const response = await wire.listCompanies({ page }, listDecoder)
    if (!response.ok) return response
    const before = seen.size
    for (const { object } of response.value.items) {
      if (object === null) continue
      const id = scalarText(member(object, 'endpointId'))
      seen.add(id)
      const token = isSameId(id, endpointId) ? scalarText(member(object, 'token')).trim() : ''
      if (token !== '') return ok(token)
    }
    // A page without anything new ends a list that has no other end.
    if (response.value.moreData !== true || seen.size === before || page === MAX_COMPANY_PAGES) {
      return err(
        appError(
          'not-found',
          'The service returned no token for this company.',
          'Ask your provider for the agent’s token.',
        ),
      )
    }
  }
}

/** Shown after *The service says:*. */
const NO_END_SEEN = `The service says “there is more” after every page. Bookbridge stopped after ${String(MAX_COMPANY_PAGES)} of them, so companies may be missing here.`

/** The service's own message about a page that could not be read. A lost connection has none. */
function noticeOf(error: AppError): string {
  const isTheirs = error.kind === 'service-error' || error.kind === 'company-unavailable'
  return isTheirs ? withoutServicePrefix(error) : ''
}

/** Keeps one row per endpoint ID. An active record wins over an inactive one. */
function keep(companies: Map<string, CompanyRecord>, company: CompanyRecord): void {
  const other = companies.get(company.endpointId)
  if (other === undefined || (!other.isActive && company.isActive)) companies.set(company.endpointId, company)
}

/** Whether a page is complete and has only warnings: each item is a company, and nothing was refused. */
function isOnlyWarned({ errors, items, status }: Envelope): boolean {
  return (
    status < 400 &&
    items.length > 0 &&
    errors.length > 0 &&
    errors.every(({ severity }) => /^(warn|info)/i.test(severity)) &&
    items.every((item) => item.object !== null && item.errors.length === 0)
  )
}

/** A page, or the service's error. */
const listDecoder: Decoder<Envelope> = (raw) => {
  const envelope = decodeEnvelope(raw)
  if (!envelope.ok) return Promise.resolve(envelope)
  const { errors, items, requestId, status } = envelope.value
  if (isOnlyWarned(envelope.value)) return Promise.resolve(envelope)
  // Another website's *not found* may look like the service's error, but has no request ID.
  if (status === 404 && requestId === '' && items.length === 0) {
    return Promise.resolve(noEnvelopeError(status, errors[0]?.raw ?? ''))
  }
  // A response with only errors and no company isn't a list and replaces none.
  const bare = bareItemErrors(envelope.value)
  const isBare = items.every(({ object }) => object === null)
  if (errors.length > 0 || (isBare && (status >= 400 || bare.length > 0))) {
    return Promise.resolve(err(translateReadErrors('', [...errors, ...bare], requestId, status)))
  }
  return Promise.resolve(envelope)
}

/*
 * Company records (specification 2.5 and 2.6), decoded from either envelope. The token is left out; the record only
 * says whether there is one.
 */

/** A company as the service lists it. Missing text is empty. */
export interface CompanyRecord {
  readonly companyName: string
  readonly fullPath: string
  readonly version: string
  /** Timestamps in the service's notation. */
  readonly dateTimeCreated: string
  readonly dateTimeLastAccess: string
  /** The application's short code (`qbd`, `qbo`). */
  readonly endpoint: string
  readonly endpointId: string
  readonly id: string
  /** Also true if the record doesn't say. Only an explicit value makes a company inactive. */
  readonly isActive: boolean
  /** Whether the record says if it is active. Only then does it prove anything. */
  readonly saysActive: boolean
  readonly userId: string
  readonly externalId: string
  readonly appName: string
  readonly isHostedNetworks: boolean | null
  readonly hasToken: boolean
}

/** Names longer than this are cut, so that one of them can't disrupt the list. */
const LONGEST_FIELD = 1_000
/** A company whose ID fits no URL can't be requested. */
const LONGEST_ID = 200

/** Decodes one record; `null` if it names no company. */
function companyRecordOf(object: Readonly<Record<string, unknown>>): CompanyRecord | null {
  const text = (name: string): string => cut(scalarText(member(object, name)).trim(), LONGEST_FIELD)
  const endpointId = text('endpointId')
  if (endpointId === '' || endpointId.length > LONGEST_ID) return null
  const isActive = booleanOf(member(object, 'isActive'))
  return {
    companyName: text('companyName'),
    fullPath: text('fullPath'),
    version: text('version'),
    dateTimeCreated: text('dateTimeCreated'),
    dateTimeLastAccess: text('dateTimeLastAccess'),
    endpoint: text('endpoint'),
    endpointId,
    id: text('id'),
    isActive: isActive !== false,
    saysActive: isActive !== null,
    userId: text('userId'),
    externalId: text('externalId'),
    appName: text('appName'),
    isHostedNetworks: booleanOf(member(object, 'isHostedNetworks')),
    hasToken: text('token') !== '',
  }
}

/** The companies of an envelope, in its order. Items without a company are skipped. */
export function decodeCompanies(envelope: Envelope): readonly CompanyRecord[] {
  return envelope.items.flatMap(({ object }) => {
    const record = object === null ? null : companyRecordOf(object)
    return record === null ? [] : [record]
  })
}

/** The companies in the older service's envelope. Its timestamps without an offset are UTC. */
export function decodeLegacyCompanies(envelope: LegacyEnvelope): readonly CompanyRecord[] {
  return envelope.detail.flatMap((object) => {
    const record = companyRecordOf(object)
    if (record === null) return []
    const { dateTimeCreated, dateTimeLastAccess } = record
    return [
      { ...record, dateTimeCreated: asUtc(dateTimeCreated), dateTimeLastAccess: asUtc(dateTimeLastAccess) },
    ]
  })
}

const WITHOUT_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/

function asUtc(timestamp: string): string {
  return WITHOUT_OFFSET.test(timestamp) ? `${timestamp.replace(' ', 'T')}Z` : timestamp
}

/*
 * Responses of the older service (specification 2.6, 4.7): its list, the refusal of its key, or an error. Errors name
 * the older service, so that no one blames the other one.
 */

/** The older service has no pages, so its list is complete. */
export type LegacyCompanyList = Pick<CompanyList, 'companies' | 'isWhole'>

/** Reads the older service's list of active and inactive companies. Errors name the older service. */
export async function readLegacyCompanyList(wire: Wire): Promise<Result<LegacyCompanyList>> {
  const response = await wire.legacyListCompanies({})
  if (!response.ok) return err(ofOlderService(response.error))
  return ok({ companies: decodeLegacyCompanies(response.value), isWhole: true })
}

/** Decodes the envelope of a read, or the error in its `Meta`. */
export function decodeLegacyResponse(raw: RawResponse): Result<LegacyEnvelope> {
  const decoded = decodeLegacyEnvelope(raw)
  if (!decoded.ok) return decoded
  const error = legacyErrorOf(decoded.value)
  return error === null ? decoded : err(translateErrors('', [error], '', statusOf(decoded.value)))
}

/** The error of a certainly refused key, or `null`. Any other error leaves a write in doubt. */
export function refusedLegacyKeyOf(envelope: LegacyEnvelope): AppError | null {
  const error = legacyErrorOf(envelope)
  if (error === null || !isProvenRefusal(statusOf(envelope), [error])) return null
  return ofOlderService(translateErrors('', [error], '', statusOf(envelope)))
}

/**
 * The error of an envelope. `Meta.StatusCode` "0" means success (specification 7.6). *Assumption*: a missing one with a
 * successful status does, too. Anything else is an error with `Meta.Message` as its text.
 */
function legacyErrorOf({ status, statusCode, message }: LegacyEnvelope): ServiceError | null {
  const code = statusCode.trim()
  if (status < 400 && (code === '' || Number(code) === 0)) return null
  return { code, message, severity: '', detail: '', raw: message }
}

/** Whether the older service's response is an error. */
export function isLegacyTrouble(envelope: LegacyEnvelope): boolean {
  return legacyErrorOf(envelope) !== null
}

/** The status. Either HTTP or `Meta` may say that the key was refused. */
function statusOf({ status, statusCode }: LegacyEnvelope): number {
  return /^40[13]$/.test(statusCode.trim()) ? Number(statusCode) : status
}

/** The same error, attributed to the older service. */
function ofOlderService(error: AppError): AppError {
  const message =
    error.kind === 'unauthorized' ? 'The older service refused its key.' : `Older service: ${error.message}`
  return { ...error, message, details: { ...error.details, service: 'v1' } }
}
