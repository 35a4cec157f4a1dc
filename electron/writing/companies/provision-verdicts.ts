/** What an answer, or a list that is read later, says about a provisioning. Pure decisions. */
import { byCompanyId, companyIdKey, isSameId } from '../../../shared/companies/companies.ts'
import { isNamed } from '../../../shared/companies/setup.ts'
import type { Provisioning } from '../../../shared/contract/companies.ts'
import { type AppError, appError } from '../../../shared/result.ts'
import {
  type CompanyList,
  type CompanyRecord,
  decodeCompanies,
} from '../../service/companies/company-list.ts'
import type { Envelope, ServiceError, WriteAnswer } from '../../service/protocol/wire.ts'
import type { ListBefore } from '../../store/journal/companies.ts'
import type { StoredCompany } from '../../store/companies.ts'
import type { ErrorTranslator } from '../context.ts'

type ProvisionOutcome =
  | { readonly outcome: 'arrived'; readonly company: CompanyRecord }
  /** Certainly refused: an item's own error without a company. */
  | { readonly outcome: 'refused'; readonly error: AppError }
  /** Anything else: the company is searched for. */
  | { readonly outcome: 'waiting'; readonly error: AppError | null }

function provisionOutcome(
  envelope: Envelope,
  application: string,
  translate: ErrorTranslator,
): ProvisionOutcome {
  const itemErrors = envelope.items.flatMap(({ errors }) => errors)
  const [company] = decodeCompanies(envelope)
  const inWords = (errors: readonly ServiceError[]): AppError =>
    translate(application, errors, envelope.requestId, envelope.status)
  if (itemErrors.length > 0) {
    const outcome = company === undefined && envelope.errors.length === 0 ? 'refused' : 'waiting'
    return { outcome, error: inWords(itemErrors) }
  }
  // An agent may time out after doing the work (docs/decisions.md, "Judging answers").
  if (envelope.errors.length > 0) return { outcome: 'waiting', error: inWords(envelope.errors) }
  if (company === undefined || envelope.hasErrors) return { outcome: 'waiting', error: null }
  return { outcome: 'arrived', company }
}

/** What to search for in a list that is read later. */
export interface ProvisioningSought {
  readonly application: string
  readonly userId: string
  /** The file that the user named, or the name of an online company; may be empty. */
  readonly expectedFile: string
  readonly before: ListBefore
  /** IDs of companies that other provisionings have found. */
  readonly taken: readonly string[]
}

/**
 * The company that is active now, was not before, and has the same application and user. A record without a user or
 * application may still be it if the earlier list was whole, but others go first. Of several, the one that was named,
 * or else the newest: in the end, the user says whether it is the right one.
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

function isOrUnsaid(said: string, wanted: string): boolean {
  return said === '' || said.toLowerCase() === wanted.toLowerCase()
}

/** Those that are better; all if none is. */
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
export function arrived(
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

/**
 * The ID as the earlier list spelled it, under which the company is stored here. An answer may spell it differently.
 */
function knownSpelling(endpointId: string, before: ListBefore | null): string {
  const listed = before === null ? [] : [...before.active, ...before.inactive]
  return byCompanyId(listed, endpointId, (id) => id) ?? endpointId
}

/** What an answer changes about a setup, and the company that it names. */
export function changeAfterAnswer(
  value: Provisioning,
  before: ListBefore | null,
  answer: WriteAnswer,
  translate: ErrorTranslator,
): { readonly change: Partial<Provisioning>; readonly company: CompanyRecord | null } {
  if (answer.outcome === 'in-doubt') {
    const { error } = answer
    const change: Partial<Provisioning> = isNotTaken(error.details.status)
      ? { state: 'refused', error: notOffered(error) }
      : { state: 'waiting', error }
    return { change, company: null }
  }
  if (answer.outcome !== 'answered') {
    return { change: { state: 'refused', error: answer.error }, company: null }
  }
  const outcome = provisionOutcome(answer.envelope, value.application, translate)
  if (outcome.outcome !== 'arrived') {
    return { change: { state: outcome.outcome, error: outcome.error }, company: null }
  }
  return { change: arrived(value, outcome.company, before), company: outcome.company }
}

/**
 * *Assumption*: without an envelope, these statuses come from a service without such an address, or from a gateway,
 * before anybody accepted the request. So no agent was asked. Not so 400 and 422, which may carry an agent's own
 * refusal.
 */
const NOT_TAKEN: ReadonlySet<number> = new Set([404, 405, 406, 410, 411, 413, 414, 415, 431])

function isNotTaken(status: number | undefined): boolean {
  return status !== undefined && NOT_TAKEN.has(status)
}

/** Refused without a word from the service: the address may be another one's, or companies are set up elsewhere. */
function notOffered({ kind, details }: AppError): AppError {
  return appError(
    kind,
    `The service doesn’t accept provisioning requests at this address (HTTP ${String(details.status)}).`,
    'Check the address in Settings, and ask your provider whether companies can be provisioned there.',
    details,
  )
}

/*
 * What existed before a provisioning was sent, and what that says about a company that exists later. Pure decisions.
 */

/**
 * What to keep of the list that was read right before sending.
 * @param known companies as earlier lists had them, which stand in for what this list leaves out
 */
export function listBefore(
  list: Pick<CompanyList, 'companies' | 'isWhole'>,
  known: readonly StoredCompany[],
): ListBefore {
  const listed = new Set(list.companies.map(({ endpointId }) => companyIdKey(endpointId)))
  const others = known.filter(({ ref }) => !listed.has(companyIdKey(ref.endpointId)))
  // Whatever a whole list no longer has is not active any more.
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

/**
 * What a company was before sending.
 * @internal
 */
export function stateBefore(endpointId: string, before: ListBefore | null): Provisioning['before'] {
  if (before === null) return 'unknown'
  if (holdsId(before.active, endpointId)) return 'active'
  if (holdsId(before.inactive, endpointId)) return 'inactive'
  return before.isWhole ? 'not-there' : 'unknown'
}

/** The companies that are active now and were not known to be before. Those that are `taken` belong to others. */
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
