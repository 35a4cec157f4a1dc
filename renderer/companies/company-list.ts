/** The list of companies as values: which are shown, what they are called, what is unfinished in them. */
import type { Company, Provisioning, Unfinished } from '../../shared/contract/companies.ts'
import { setUpName } from '../../shared/set-up-name.ts'
import { companyName, companyOf } from '../frame/session.svelte.ts'
import { decidedCompanies, isUnsettled } from './undecided.ts'
import { searchedWords } from '../ui/found.ts'

/** The three ways to look at the list. */
export type ActiveFilter = 'active' | 'inactive' | 'all'

/** A row of the grid: a company, or one that is being set up and is not kept yet. */
export type CompaniesRow =
  | { readonly kind: 'company'; readonly id: string; readonly company: Company }
  | {
      readonly kind: 'waiting'
      readonly id: string
      readonly title: string
      readonly provisioning: Provisioning
    }

/**
 * All rows: the companies, then what waits for authorisation. A company that is new and whose file nobody has looked
 * at yet stands there once, as what waits, so that it is not opened by mistake.
 */
export function allRows(
  companies: readonly Company[],
  provisionings: readonly Provisioning[],
): readonly CompaniesRow[] {
  const waiting = provisionings.filter(isUnsettled)
  const settled = decidedCompanies(companies, waiting)
  return [
    ...settled.map((company): CompaniesRow => ({ kind: 'company', id: company.ref.endpointId, company })),
    ...waiting.map((provisioning): CompaniesRow => ({
      kind: 'waiting',
      id: provisioning.provisioningId,
      title: waitingTitle(provisioning, companies),
      provisioning,
    })),
  ]
}

/**
 * The rows to show: by state (what waits belongs to **Active** and **All**) and by every word of the search.
 * @param textOf everything that a row is found by, in small letters
 */
export function shownRows(
  rows: readonly CompaniesRow[],
  filter: ActiveFilter,
  search: string,
  textOf: (row: CompaniesRow) => string,
): readonly CompaniesRow[] {
  const words = searchedWords(search)
  return rows.filter((row) => {
    const isActive = row.kind === 'waiting' || row.company.isActive
    if (filter !== 'all' && isActive !== (filter === 'active')) return false
    if (words.length === 0) return true
    const text = textOf(row)
    return words.every((word) => text.includes(word))
  })
}

/** What a set-up is called: its company once there is one, before that the file that was named, or its application. */
function waitingTitle(provisioning: Provisioning, companies: readonly Company[]): string {
  const company = companyOf(companies, provisioning.company)
  return company ? companyName(company) : setUpName(provisioning)
}

/** How a set-up stands, in the words of the list. */
export function waitingWords(state: Provisioning['state']): string {
  switch (state) {
    case 'queued':
      return 'Waits for its turn'
    case 'making-user':
      return 'Making its user'
    case 'sending':
    case 'waiting':
      return 'Waiting for authorisation'
    case 'arrived':
      return 'Is this the right file?'
    case 'refused':
      return 'Not provisioned'
    case 'kept':
      return 'Kept'
    case 'dropped':
      return 'Given up'
  }
}

/** Adds up what is unfinished over companies. */
export function totalUnfinished(companies: readonly Company[]): Unfinished {
  const sum = (pick: (unfinished: Unfinished) => number): number =>
    companies.reduce((total, company) => total + pick(company.unfinished), 0)
  return {
    drafts: sum((unfinished) => unfinished.drafts),
    notAccepted: sum((unfinished) => unfinished.notAccepted),
    notConfirmed: sum((unfinished) => unfinished.notConfirmed),
    decisions: sum((unfinished) => unfinished.decisions),
    changedMeanwhile: sum((unfinished) => unfinished.changedMeanwhile),
  }
}
