/** The list of companies (specification 4.6), all pages of it, and whether it is known to be whole. */
import { isSameId } from '../../shared/companies/companies.ts'
import { appError, err, ok, type AppError, type Result } from '../../shared/result.ts'
import { decodeCompanies, type CompanyRecord } from './company-records.ts'
import { decodeEnvelope, member, noEnvelope, scalarText } from './envelope.ts'
import { redact, secretsOf } from './redact.ts'
import { bareItemErrors, translateReadErrors, withoutSpeaker } from './service-errors.ts'
import type { CompaniesQuery, Decoder, Envelope, Wire } from './wire.ts'

export interface CompanyList {
  readonly companies: readonly CompanyRecord[]
  /**
   * False when the service says that there is more and does not give it, or never comes to an end, or some item has an
   * error or holds no company.
   */
  readonly isWhole: boolean
  /** What the service said beside the list, e.g. a warning, or that it never ends; empty when nothing is to be said. */
  readonly notice: string
  /** The service's id of the request for the last page; empty when it gave none. */
  readonly requestId: string
}

/** Of a connection that leads to an older service alone. */
export const EMPTY_LIST: CompanyList = { companies: [], isWhole: true, notice: '', requestId: '' }

/**
 * *Assumption* (decisions.md, "how page 2 is asked for"): never loop without end, also where each page is new. Far more
 * pages than the companies of any office fill.
 */
export const MOST_COMPANY_PAGES = 200

/** Reads the list page by page within a turn; ends where a page brings nothing new, and where there is no end to be seen. */
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
    const answer = await wire.listCompanies({ ...query, page }, listDecoder)
    if (!answer.ok) {
      if (page === 1) return answer
      notice ||= noticeOf(answer.error)
      return listed(false)
    }
    requestId = redact(answer.value.requestId, secretsOf(wire.target))
    const before = companies.size
    const listedHere = decodeCompanies(answer.value)
    for (const company of listedHere) keep(companies, company)
    // An item without a company may stand for one.
    hasErrors ||= listedHere.length < answer.value.items.length
    hasErrors ||= answer.value.hasErrors && !isOnlyWarned(answer.value)
    const [said] = [...answer.value.errors, ...bareItemErrors(answer.value)]
    notice ||= redact(said?.message ?? '', secretsOf(wire.target))
    // A last page that only repeats the ones before is not the page that was asked for.
    const isRepeated = page > 1 && companies.size === before && listedHere.length > 0
    const isOtherPage = answer.value.page !== null && answer.value.page !== page
    if (answer.value.moreData !== true) {
      return listed(!hasErrors && !isRepeated && (page === 1 || !isOtherPage))
    }
    if (companies.size === before || isOtherPage) return listed(false)
    if (page === MOST_COMPANY_PAGES) {
      notice = NO_END_SEEN
      return listed(false)
    }
  }
}

/**
 * The token of one company: the one place where it is taken out of an answer, straight to the clipboard. The list may
 * write the company's id otherwise than it did before.
 */
export async function readCompanyToken(wire: Wire, endpointId: string): Promise<Result<string>> {
  const seen = new Set<string>()
  for (let page = 1; ; page += 1) {
    const answer = await wire.listCompanies({ page }, listDecoder)
    if (!answer.ok) return answer
    const before = seen.size
    for (const { object } of answer.value.items) {
      if (object === null) continue
      const id = scalarText(member(object, 'endpointId'))
      seen.add(id)
      const token = isSameId(id, endpointId) ? scalarText(member(object, 'token')).trim() : ''
      if (token !== '') return ok(token)
    }
    // A page that brings nothing new is the end of a list that has none.
    if (answer.value.moreData !== true || seen.size === before || page === MOST_COMPANY_PAGES) {
      return err(
        appError(
          'not-found',
          'The service gave no token for this company.',
          'Ask your provider for the agent’s token.',
        ),
      )
    }
  }
}

/** Stands behind *The service says:*. */
const NO_END_SEEN = `“There is more”, after every page. After ${String(MOST_COMPANY_PAGES)} of them no more was asked for, so companies may be missing here.`

/** The service's own words about a page that it did not give; a broken line is none of them. */
function noticeOf(error: AppError): string {
  const isTheirs = error.kind === 'service-error' || error.kind === 'company-unavailable'
  return isTheirs ? withoutSpeaker(error) : ''
}

/** One row per endpoint id; an active record wins over an inactive one of the same id. */
function keep(companies: Map<string, CompanyRecord>, company: CompanyRecord): void {
  const other = companies.get(company.endpointId)
  if (other === undefined || (!other.isActive && company.isActive)) companies.set(company.endpointId, company)
}

/** A whole page with warnings beside it: every item is a company, and nothing was refused. */
function isOnlyWarned({ errors, items, status }: Envelope): boolean {
  return (
    status < 400 &&
    items.length > 0 &&
    errors.length > 0 &&
    errors.every(({ severity }) => /^(warn|info)/i.test(severity)) &&
    items.every((item) => item.object !== null && item.errors.length === 0)
  )
}

/** A page, or what the service said instead. */
const listDecoder: Decoder<Envelope> = (raw) => {
  const envelope = decodeEnvelope(raw)
  if (!envelope.ok) return Promise.resolve(envelope)
  const { errors, items, requestId, status } = envelope.value
  if (isOnlyWarned(envelope.value)) return Promise.resolve(envelope)
  // Another site’s own *not found*, which happens to name its errors as the service does, has no id of a request.
  if (status === 404 && requestId === '' && items.length === 0) {
    return Promise.resolve(noEnvelope(status, errors[0]?.raw ?? ''))
  }
  // Nothing but errors in the place of companies is no list, and takes the place of none.
  const bare = bareItemErrors(envelope.value)
  const isBare = items.every(({ object }) => object === null)
  if (errors.length > 0 || (isBare && (status >= 400 || bare.length > 0))) {
    return Promise.resolve(err(translateReadErrors('', [...errors, ...bare], requestId, status)))
  }
  return Promise.resolve(envelope)
}
