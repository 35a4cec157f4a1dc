/** The list of companies as values: which are shown, what they are called, what is unfinished in them. */
import type { Company, Provisioning, Unfinished } from '../../shared/contract.ts'

/** The three ways to look at the list. */
export type ActiveFilter = 'active' | 'inactive' | 'all'

/** A row of the grid: a company, or one that is being set up and has no company yet. */
export type CompaniesRow =
  | { readonly kind: 'company'; readonly id: string; readonly company: Company }
  | { readonly kind: 'waiting'; readonly id: string; readonly provisioning: Provisioning }

/** The last part of a path of either system; the path itself when it has no parts. */
export function fileOf(path: string): string {
  const parts = path.trim().split(/[\\/]+/)
  return parts.findLast((part) => part !== '') ?? ''
}

/**
 * The rows to show: companies by state and by every word of the search (name, label, path, notes, version, ids),
 * then what waits for authorisation, which belongs to **Active** and **All**.
 */
export function companyRows(
  companies: readonly Company[],
  provisionings: readonly Provisioning[],
  filter: ActiveFilter,
  search: string,
): readonly CompaniesRow[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const found = (text: string): boolean => words.every((word) => text.toLocaleLowerCase().includes(word))
  const shown = companies
    .filter((company) => filter === 'all' || company.isActive === (filter === 'active'))
    .filter((company) => found(searchText(company)))
    .map((company): CompaniesRow => ({ kind: 'company', id: company.ref.endpointId, company }))
  const waiting = filter === 'inactive' ? [] : provisionings.filter(isUnsettled)
  return [
    ...shown,
    ...waiting
      .filter((provisioning) => found(waitingTitle(provisioning)))
      .map((provisioning): CompaniesRow => ({
        kind: 'waiting',
        id: provisioning.provisioningId,
        provisioning,
      })),
  ]
}

/** A set-up that the person still has something to do with. */
export function isUnsettled(provisioning: Provisioning): boolean {
  return provisioning.state !== 'kept' && provisioning.state !== 'dropped'
}

/** What a set-up is called before there is a company: the file that was named, or its application. */
export function waitingTitle(provisioning: Provisioning): string {
  return fileOf(provisioning.expectedFile) || `New ${applicationWord(provisioning.application)} company`
}

/** The word for a short code of the specification (1); an unknown code stands for itself. */
export function applicationWord(code: string): string {
  switch (code.toLowerCase()) {
    case 'qbd':
      return 'Desktop'
    case 'qbo':
      return 'Online'
    default:
      return code
  }
}

/** How a set-up stands, in the words of the list. */
export function waitingWords(state: Provisioning['state']): string {
  switch (state) {
    case 'queued':
      return 'Waits for its turn, nothing sent'
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

function searchText(company: Company): string {
  const { companyName, label, fullPath, notes, version, applicationName, externalId, userId, ref } = company
  return [
    companyName,
    label,
    fullPath,
    notes,
    version,
    applicationName,
    externalId,
    userId,
    ref.endpointId,
  ].join('\n')
}
