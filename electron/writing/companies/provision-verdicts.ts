/** What an answer, or a list read later, says about a provisioning. Decides only. */
import { byCompanyId, companyIdKey, isSameId } from '../../../shared/companies/companies.ts'
import { isNamed } from '../../../shared/companies/set-up.ts'
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
  /** An item's own error without a company: refused for certain. */
  | { readonly outcome: 'refused'; readonly error: AppError }
  /** Anything else: it is looked for. */
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
  // decisions.md, "An error of the whole request, to a write": an agent may time out after the work.
  if (envelope.errors.length > 0) return { outcome: 'waiting', error: inWords(envelope.errors) }
  if (company === undefined || envelope.hasErrors) return { outcome: 'waiting', error: null }
  return { outcome: 'arrived', company }
}

/** What is looked for in a list that was read later. */
export interface ProvisioningSought {
  readonly application: string
  readonly userId: string
  /** The file that the person named, or the name of an online company; may be empty. */
  readonly expectedFile: string
  readonly before: ListBefore
  /** Ids of companies that other provisionings have found already. */
  readonly taken: readonly string[]
}

/**
 * What is active now and was not before, of the same application and user. A record that names no user or no
 * application may still be it where the list before was whole, but one that does goes first. Of several the one that
 * was named, else the newest: the person says in the end whether it is the right one.
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

/** Those of which it is true; all of them when it is true of none. */
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

/** As the list before wrote the id, by which the company is kept here; an answer may write it otherwise. */
function knownSpelling(endpointId: string, before: ListBefore | null): string {
  const listed = before === null ? [] : [...before.active, ...before.inactive]
  return byCompanyId(listed, endpointId, (id) => id) ?? endpointId
}

/** What changes about a set-up by its answer, and the company that the answer names. */
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
 * *Assumption* (decisions.md, "HTTP status codes"): without an envelope these are said of the request before anybody
 * takes it on, by a service that has no such address or by what stands before it, so no agent was asked. Not so 400 and
 * 422, which an agent's own refusal may be given under.
 */
const NOT_TAKEN: ReadonlySet<number> = new Set([404, 405, 406, 410, 411, 413, 414, 415, 431])

function isNotTaken(status: number | undefined): boolean {
  return status !== undefined && NOT_TAKEN.has(status)
}

/** Refused without a word of the service about it, as where the address is another one's, or companies are set up elsewhere. */
function notOffered({ kind, details }: AppError): AppError {
  return appError(
    kind,
    `The service does not take requests to provision a company at this address (HTTP ${String(details.status)}).`,
    'Look at the address in Settings, and ask the provider of the service whether companies can be provisioned there.',
    details,
  )
}

/*
 * What was there before a provisioning was sent, and what that says of a company that is there later. Decides only.
 */

/**
 * What is kept of the list that was taken right before sending.
 * @param known companies as they were listed earlier: they stand in for what this list leaves out
 */
export function listBefore(
  list: Pick<CompanyList, 'companies' | 'isWhole'>,
  known: readonly StoredCompany[],
): ListBefore {
  const listed = new Set(list.companies.map(({ endpointId }) => companyIdKey(endpointId)))
  const others = known.filter(({ ref }) => !listed.has(companyIdKey(ref.endpointId)))
  // What a whole list no longer has is not active any more, whatever it was.
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

/** What a company was before it was sent. */
export function stateBefore(endpointId: string, before: ListBefore | null): Provisioning['before'] {
  if (before === null) return 'unknown'
  if (holdsId(before.active, endpointId)) return 'active'
  if (holdsId(before.inactive, endpointId)) return 'inactive'
  return before.isWhole ? 'not-there' : 'unknown'
}

/** The companies that are active now and were not known to be before; those that are `taken` belong to others. */
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
