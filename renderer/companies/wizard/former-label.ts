/** A label that these books had here before, under an earlier record of the same path. */
import type { Company } from '../../../shared/contract/companies.ts'

/** The label to offer again for a company that was provisioned anew; empty when there was none. */
export function formerLabel(company: Company, companies: readonly Company[]): string {
  const path = company.fullPath.trim().toLowerCase()
  if (path === '') return ''
  const before = companies
    .filter((other) => other.ref.endpointId !== company.ref.endpointId && other.label !== '')
    .filter((other) => other.fullPath.trim().toLowerCase() === path)
    .toSorted((left, right) => right.openedAt.localeCompare(left.openedAt))
  return before[0]?.label ?? ''
}
