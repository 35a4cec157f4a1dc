/** Setups that aren't finished, and the companies that can't be opened until someone has confirmed their file. */
import { companyIdKey } from '../../shared/companies/companies.ts'
import type { Company, Provisioning, SetupAttempt } from '../../shared/contract/companies.ts'

/** Whether a setup still needs the user. */
function isUnsettled(provisioning: Provisioning): boolean {
  return provisioning.state !== 'kept' && provisioning.state !== 'dropped'
}

/**
 * The setups that still need the user. Of several attempts at one setup, only the last is listed. An earlier attempt is
 * listed again if its company arrives, or if the later attempts are discarded.
 */
export function openSetups(tries: readonly SetupAttempt[]): readonly SetupAttempt[] {
  const repeated = new Set<string>()
  // Newest first, so that a discarded attempt repeats nothing.
  for (const { provisioningId, again, state } of tries) {
    if (again !== null && (state !== 'dropped' || repeated.has(provisioningId))) repeated.add(again)
  }
  return tries.filter(
    (each) => isUnsettled(each) && (each.state === 'arrived' || !repeated.has(each.provisioningId)),
  )
}

/** How many attempts a setup has had, including this one. */
export function attemptsOf(provisioning: SetupAttempt, tries: readonly SetupAttempt[]): number {
  let count = 1
  let { again } = provisioning
  for (const each of tries) {
    if (each.provisioningId !== again) continue
    count += each.sentAt === null ? 0 : 1
    again = each.again
  }
  return count
}

/** The companies without new or reactivated ones that no one has confirmed yet. */
export function decidedCompanies(
  companies: readonly Company[],
  provisionings: readonly Provisioning[],
): readonly Company[] {
  const undecided = new Set(
    provisionings
      .filter(isUnsettled)
      .filter(({ before }) => before === 'not-there' || before === 'inactive')
      .flatMap(({ company }) => (company === null ? [] : [companyIdKey(company.endpointId)])),
  )
  if (undecided.size === 0) return companies
  return companies.filter(({ ref }) => !undecided.has(companyIdKey(ref.endpointId)))
}
