/** Companies whose file nobody has looked at yet: they are opened from nowhere before somebody has. */
import { companyIdKey } from '../../shared/companies/companies.ts'
import type { Company, Provisioning, SetupAttempt } from '../../shared/contract/companies.ts'

/** A setup that the person still has something to do with. */
function isUnsettled(provisioning: Provisioning): boolean {
  return provisioning.state !== 'kept' && provisioning.state !== 'dropped'
}

/**
 * The setups that the person still has something to do with. Tries of one setup count as one, the last: an earlier one
 * shows again only if its company arrives, or if the later ones are given up.
 */
export function openSetups(tries: readonly SetupAttempt[]): readonly SetupAttempt[] {
  const repeated = new Set<string>()
  // Newest first, so that a try that was given up repeats nothing.
  for (const { provisioningId, again, state } of tries) {
    if (again !== null && (state !== 'dropped' || repeated.has(provisioningId))) repeated.add(again)
  }
  return tries.filter(
    (each) => isUnsettled(each) && (each.state === 'arrived' || !repeated.has(each.provisioningId)),
  )
}

/** How many tries a setup has had, this one included. */
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

/** The companies without those that are new, or active anew, and undecided; one that was in use before stays. */
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
