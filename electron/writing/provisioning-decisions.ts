/** What an answer, or a list read later, says about a provisioning. Decides only. */
import type { AppError } from '../../shared/result.ts'
import type { CompanyRecord } from '../service/company-records.ts'
import { decodeCompanies } from '../service/company-records.ts'
import type { Envelope, ServiceError } from '../service/wire.ts'
import type { ErrorTranslator } from './ports.ts'

export type ProvisionOutcome =
  | { readonly outcome: 'arrived'; readonly company: CompanyRecord }
  /** An item's own error without a company: refused for certain. */
  | { readonly outcome: 'refused'; readonly error: AppError }
  /** Anything else: it is looked for. */
  | { readonly outcome: 'waiting'; readonly error: AppError | null }

export function provisionOutcome(
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
  // decisions.md, "an error of the whole request, to a write": an agent may time out after the work.
  if (envelope.errors.length > 0) return { outcome: 'waiting', error: inWords(envelope.errors) }
  if (company === undefined || envelope.hasErrors) return { outcome: 'waiting', error: null }
  return { outcome: 'arrived', company }
}

/** What is looked for in a list that was read later. */
export interface ProvisioningSought {
  readonly application: string
  readonly userId: string
  /** The file that the person named; may be empty. */
  readonly expectedFile: string
  readonly idsBefore: ReadonlySet<string>
  /** Companies that other provisionings have found already. */
  readonly taken: ReadonlySet<string>
}

/**
 * What the list has more than before, of the same application and user. Of several the one of the file that was
 * named, else the newest: the person says in the end whether it is the right one.
 */
export function findProvisioned(
  list: readonly CompanyRecord[],
  sought: ProvisioningSought,
): CompanyRecord | null {
  const more = list.filter(
    (company) =>
      company.isActive &&
      company.endpoint.toLowerCase() === sought.application.toLowerCase() &&
      company.userId === sought.userId &&
      !sought.idsBefore.has(company.endpointId) &&
      !sought.taken.has(company.endpointId),
  )
  const file = fileName(sought.expectedFile)
  const ofFile = file === '' ? [] : more.filter((company) => fileName(company.fullPath) === file)
  const candidates = ofFile.length > 0 ? ofFile : more
  return candidates.reduce<CompanyRecord | null>(
    (newest, company) => (newest === null || createdAt(company) > createdAt(newest) ? company : newest),
    null,
  )
}

function createdAt(company: CompanyRecord): number {
  const at = Date.parse(company.dateTimeCreated)
  return Number.isNaN(at) ? 0 : at
}

function fileName(path: string): string {
  return (path.split(/[\\/]/).at(-1) ?? '').trim().toLowerCase()
}

/** Minutes after sending at which it is looked for by itself: at once, then these (the design's page on reliability). */
const LOOKS_AFTER_MINUTES = [0, 2, 10, 60] as const

/** When the next look is due, in milliseconds since 1970; `null` after the last. */
export function nextProvisioningLook(sentAt: number, looks: number): number | null {
  const minutes = LOOKS_AFTER_MINUTES[looks]
  return minutes === undefined ? null : sentAt + minutes * 60_000
}
