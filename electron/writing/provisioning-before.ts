/** What was there before a provisioning was sent, and what that says of a company that is there later. Decides only. */
import { companyIdKey, isSameId } from '../../shared/companies/companies.ts'
import type { Provisioning } from '../../shared/contract/companies.ts'
import type { CompanyList } from '../service/company-list.ts'
import type { CompanyRecord } from '../service/company-records.ts'
import type { ListBefore } from '../store/manage-journal.ts'
import type { StoredCompany } from '../store/store.ts'

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
