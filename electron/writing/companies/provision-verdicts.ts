/** Pure decisions about a provisioning, from a response or from a list that is read later. */
import { byCompanyId, companyIdKey, isNamed, isSameId } from '../../../shared/companies/companies.ts'
import type { Provisioning } from '../../../shared/contract/companies.ts'
import { type AppError, appError } from '../../../shared/result.ts'
import {
  type CompanyList,
  type CompanyRecord,
  decodeCompanies,
} from '../../service/companies/company-list.ts'
import type { Envelope, ServiceError, WriteResult } from '../../service/protocol/wire.ts'
import type { StoredCompany } from '../../store/companies.ts'
import type { ListBefore } from '../../store/journal/companies.ts'
import type { ErrorTranslator } from '../context.ts'

type ProvisionOutcome =
  | { readonly outcome: 'arrived'; readonly company: CompanyRecord }
  /** Certainly refused: the item has an error of its own and no company. */
  | { readonly outcome: 'refused'; readonly error: AppError }
  /** Anything else. The list is searched for the company. */
  | { readonly outcome: 'waiting'; readonly error: AppError | null }

function provisionOutcome(
  envelope: Envelope,
  application: string,
  translate: ErrorTranslator,
): ProvisionOutcome {
  const itemErrors = envelope.items.flatMap(({ errors }) => errors)
  const [company] = decodeCompanies(envelope)
  const errorFrom = (errors: readonly ServiceError[]): AppError =>
    translate(application, errors, envelope.requestId, envelope.status)
  if (itemErrors.length > 0) {
    const outcome = company === undefined && envelope.errors.length === 0 ? 'refused' : 'waiting'
    return { outcome, error: errorFrom(itemErrors) }
  }
  // An agent may time out after it has done the work (docs/decisions.md, "Judging responses").
  if (envelope.errors.length > 0) return { outcome: 'waiting', error: errorFrom(envelope.errors) }
  if (company === undefined || envelope.hasErrors) return { outcome: 'waiting', error: null }
  return { outcome: 'arrived', company }
}

/** What to look for in a list. */
export interface ProvisioningSought {
  readonly application: string
  readonly userId: string
  /** The file that the user named, or the name of an online company. May be empty. */
  readonly expectedFile: string
  readonly before: ListBefore
  /** IDs of companies that other provisionings have found. */
  readonly taken: readonly string[]
}

/**
 * Finds the company that is active now, was not active before, and has the same application and user. If the earlier
 * list was complete, a record without user or application also qualifies, but ranks lower. Of several, prefers the one
 * that was named, then the newest. The user confirms the choice in the end.
 */
export function findProvisioned(
  list: readonly CompanyRecord[],
  sought: ProvisioningSought,
): CompanyRecord | null {
  const { before, taken } = sought
  const more = activeSince(list, before, taken).filter(
    (company) =>
      isOrUnsaid(company.endpoint, sought.application) &&
      isOrUnsaid(company.userId, sought.userId) &&
      (before.isWhole || company.userId !== ''),
  )
  const telling = preferred(more, (company) => company.userId !== '' && company.endpoint !== '')
  return preferred(telling, (company) => isNamed(sought, company)).reduce<CompanyRecord | null>(
    (newest, company) => (newest === null || createdAt(company) > createdAt(newest) ? company : newest),
    null,
  )
}

function isOrUnsaid(returned: string, wanted: string): boolean {
  return returned === '' || returned.toLowerCase() === wanted.toLowerCase()
}

/** The preferred ones, or all if there are none. */
function preferred(
  companies: readonly CompanyRecord[],
  isBetter: (company: CompanyRecord) => boolean,
): readonly CompanyRecord[] {
  const better = companies.filter(isBetter)
  return better.length > 0 ? better : companies
}

function createdAt(company: CompanyRecord): number {
  const at = Date.parse(company.dateTimeCreated)
  return Number.isNaN(at) ? 0 : at
}

/** The fields of a setup to update once its company exists. */
export function changeOnArrival(
  value: Provisioning,
  company: CompanyRecord,
  before: ListBefore | null,
): Partial<Provisioning> {
  return {
    state: 'arrived',
    company: { connectionId: value.connectionId, endpointId: knownSpelling(company.endpointId, before) },
    before: stateBefore(company.endpointId, before),
    error: null,
  }
}

/** The ID as the earlier list spelled it, under which the company is stored. A response may spell it differently. */
function knownSpelling(endpointId: string, before: ListBefore | null): string {
  const listed = before === null ? [] : [...before.active, ...before.inactive]
  return byCompanyId(listed, endpointId, (id) => id) ?? endpointId
}

/** How a response changes a setup, and which company it names. */
export function changeAfterResponse(
  value: Provisioning,
  before: ListBefore | null,
  result: WriteResult,
  translate: ErrorTranslator,
): { readonly change: Partial<Provisioning>; readonly company: CompanyRecord | null } {
  if (result.outcome === 'uncertain') {
    const { error } = result
    const change: Partial<Provisioning> = isNotTaken(error.details.status)
      ? { state: 'refused', error: notOffered(error) }
      : { state: 'waiting', error }
    return { change, company: null }
  }
  if (result.outcome !== 'answered') {
    return { change: { state: 'refused', error: result.error }, company: null }
  }
  const outcome = provisionOutcome(result.envelope, value.application, translate)
  if (outcome.outcome !== 'arrived') {
    return { change: { state: outcome.outcome, error: outcome.error }, company: null }
  }
  return { change: changeOnArrival(value, outcome.company, before), company: outcome.company }
}

/**
 * *Assumption*: without an envelope, these statuses come from a service that doesn't have this address, or from a
 * gateway, before anyone accepted the request. No agent was asked. 400 and 422 are not listed because they may carry an
 * agent's own refusal.
 */
const NOT_TAKEN: ReadonlySet<number> = new Set([404, 405, 406, 410, 411, 413, 414, 415, 431])

function isNotTaken(status: number | undefined): boolean {
  return status !== undefined && NOT_TAKEN.has(status)
}

/**
 * Refused without a message from the service. The address may belong to another service, or companies are set up
 * elsewhere.
 */
function notOffered({ kind, details }: AppError): AppError {
  return appError(
    kind,
    `The service doesn’t accept provisioning requests at this address (HTTP ${String(details.status)}).`,
    'Check the address in Settings, and ask your provider whether companies can be provisioned there.',
    details,
  )
}

/*
 * Pure decisions about which companies existed before a provisioning was sent, and what follows for a company that
 * exists later.
 */

/**
 * What to keep of the list that was read right before sending.
 * @param known companies from earlier lists, for those that this list omits
 */
export function listBefore(
  list: Pick<CompanyList, 'companies' | 'isWhole'>,
  known: readonly StoredCompany[],
): ListBefore {
  const listed = new Set(list.companies.map(({ endpointId }) => companyIdKey(endpointId)))
  const others = known.filter(({ ref }) => !listed.has(companyIdKey(ref.endpointId)))
  // A company that a complete list omits is no longer active.
  const isActiveStill = (company: StoredCompany): boolean =>
    !list.isWhole && company.isListed && company.isActive
  return {
    active: [
      ...list.companies.filter(({ isActive }) => isActive).map(({ endpointId }) => endpointId),
      ...others.filter(isActiveStill).map(({ ref }) => ref.endpointId),
    ],
    inactive: [
      ...list.companies.filter(({ isActive }) => !isActive).map(({ endpointId }) => endpointId),
      ...others.filter((company) => !isActiveStill(company)).map(({ ref }) => ref.endpointId),
    ],
    isWhole: list.isWhole,
  }
}

/** The state of a company before sending. */
function stateBefore(endpointId: string, before: ListBefore | null): Provisioning['before'] {
  if (before === null) return 'unknown'
  if (holdsId(before.active, endpointId)) return 'active'
  if (holdsId(before.inactive, endpointId)) return 'inactive'
  return before.isWhole ? 'not-there' : 'unknown'
}

/**
 * The companies that are active now and were not known to be active before. Excludes `taken` IDs, which other setups
 * have found.
 */
export function activeSince(
  list: readonly CompanyRecord[],
  before: ListBefore,
  taken: readonly string[],
): readonly CompanyRecord[] {
  const known = new Set([...before.active, ...taken].map(companyIdKey))
  return list.filter(({ isActive, endpointId }) => isActive && !known.has(companyIdKey(endpointId)))
}

export function holdsId(ids: readonly string[], endpointId: string): boolean {
  return ids.some((id) => isSameId(id, endpointId))
}
