/** Companies whose file nobody has looked at yet: they are opened from nowhere before somebody has. */
import { companyIdKey } from '../../shared/companies/companies.ts'
import type { Company, Provisioning } from '../../shared/contract/companies.ts'

/** A set-up that the person still has something to do with. */
export function isUnsettled(provisioning: Provisioning): boolean {
  return provisioning.state !== 'kept' && provisioning.state !== 'dropped'
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
