/** Why an agent token could not be copied, and as long as that is of interest. Values only. */
import type { Company } from '../../shared/contract/companies.ts'
import type { AppError } from '../../shared/result.ts'
import { companyName, isSameCompany } from '../frame/session.svelte.ts'

export interface TokenFailure {
  readonly ref: Company['ref']
  /** ISO time of the list that the company was chosen in; `null` when none was read. */
  readonly listReadAt: string | null
  /** Names the company. */
  readonly error: AppError
}

export function tokenFailure(company: Company, listReadAt: string | null, error: AppError): TokenFailure {
  const message = `Agent token of ${companyName(company)}: ${error.message}`
  return { ref: company.ref, listReadAt, error: { ...error, message } }
}

/** Gone as soon as another company is chosen, or the list was read again. */
export function shownFailure(
  failure: TokenFailure,
  chosen: Company | null,
  listReadAt: string | null,
): AppError | null {
  const isOfChosen = chosen !== null && isSameCompany(failure.ref, chosen.ref)
  return isOfChosen && failure.listReadAt === listReadAt ? failure.error : null
}
