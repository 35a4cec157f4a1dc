/** The rows of the list of companies, and their texts. Pure. */
import { applicationName, setupName } from '../../../shared/companies/companies.ts'
import type { Company, Provisioning, SetupAttempt } from '../../../shared/contract/companies.ts'
import { capitalized, type Format } from '../../../shared/format/format.ts'
import { normalizeForSearch, searchTerms } from '../../../shared/records/search-text.ts'
import { companyName, companyOf } from '../../frame/session.svelte.ts'
import { attemptsOf, decidedCompanies, openSetups } from '../../frame/undecided.ts'
import type { ComboboxOption } from '../../ui/fields/combobox.svelte.ts'
import { formatWaiting, unfinishedLines } from '../unfinished.ts'

/** Which companies are shown. */
export type ActiveFilter = 'active' | 'inactive' | 'all'

/** A row of the list: a company, or a setup that isn't finished. */
export type CompaniesRow =
  | { readonly kind: 'company'; readonly id: string; readonly company: Company }
  | {
      readonly kind: 'waiting'
      readonly id: string
      readonly title: string
      readonly provisioning: Provisioning
      /** The number of attempts, from 1. */
      readonly tries: number
    }

/**
 * All rows: the companies, then the setups. A new company whose file no one has confirmed is listed only as a setup, so
 * that it isn't opened by mistake.
 */
export function allRows(
  companies: readonly Company[],
  provisionings: readonly SetupAttempt[],
): readonly CompaniesRow[] {
  const waiting = openSetups(provisionings)
  const settled = decidedCompanies(companies, provisionings)
  return [
    ...settled.map((company): CompaniesRow => ({ kind: 'company', id: company.ref.endpointId, company })),
    ...waiting.map((provisioning): CompaniesRow => ({
      kind: 'waiting',
      id: provisioning.provisioningId,
      title: waitingTitle(provisioning, companies),
      provisioning,
      tries: attemptsOf(provisioning, provisionings),
    })),
  ]
}

/**
 * The rows that match the filter and every word of the search. Setups count as active.
 * @param textOf the normalized text that a row is searched by
 */
export function filterRows(
  rows: readonly CompaniesRow[],
  filter: ActiveFilter,
  search: string,
  textOf: (row: CompaniesRow) => string,
): readonly CompaniesRow[] {
  const terms = searchTerms(search)
  return rows.filter((row) => {
    const isActive = row.kind === 'waiting' || row.company.isActive
    if (filter !== 'all' && isActive !== (filter === 'active')) return false
    if (terms.length === 0) return true
    const text = textOf(row)
    return terms.every((word) => text.includes(word))
  })
}

/** What a setup is called: its company's name, otherwise the file that was named, or its application. */
function waitingTitle(provisioning: Provisioning, companies: readonly Company[]): string {
  const company = companyOf(companies, provisioning.company)
  return company ? companyName(company) : setupName(provisioning)
}

// The texts of each row, to show, sort by, search, and copy. Created once per row.

export interface RowText {
  readonly name: string
  readonly application: string
  readonly unfinished: string
  readonly file: string
  readonly version: string
  readonly created: string
  readonly lastAccess: string
  readonly active: string
  /** The service's name, if the company has a label. */
  readonly serviceName: string
  readonly notes: string
  readonly fiscalYear: string
  readonly basis: string
  readonly lock: string
  readonly listedBy: string
  /** Full times, for tooltips. */
  readonly createdInFull: string
  readonly lastAccessInFull: string
  /** Everything that the row is searched by, normalized by `normalizeForSearch`. */
  readonly search: string
}

const BASES: Readonly<Record<Company['basis'], string>> = { unknown: '', accrual: 'Accrual', cash: 'Cash' }

/** The texts of rows in one format. Create it again if the format changes. */
export class RowTexts {
  readonly #format: Format
  readonly #months: readonly string[]
  readonly #made = new WeakMap<Company | Provisioning, RowText>()

  constructor(format: Format, locale: string) {
    this.#format = format
    this.#months = monthOptions(locale).map(({ label }) => label)
  }

  of(row: CompaniesRow): RowText {
    const subject = row.kind === 'company' ? row.company : row.provisioning
    const made = this.#made.get(subject)
    // The title of a setup comes from its company, which may arrive later.
    if (made && (row.kind === 'company' || made.name === row.title)) return made
    const text = row.kind === 'company' ? this.#ofCompany(row.company) : this.#ofWaiting(row)
    this.#made.set(subject, text)
    return text
  }

  #ofCompany(company: Company): RowText {
    const shown = {
      name: companyName(company),
      application: company.applicationName,
      unfinished: unfinishedLines(company.unfinished)
        .map(({ text }) => text)
        .join(', '),
      file: company.fullPath,
      version: company.version,
      created: this.#format.day(company.createdAt),
      lastAccess: this.#moment(company.lastAccessAt),
      createdInFull: this.#format.fullMoment(company.createdAt),
      lastAccessInFull: this.#format.fullMoment(company.lastAccessAt),
      active: company.isActive ? 'Yes' : 'No',
      serviceName: company.companyName,
      notes: company.notes,
      fiscalYear: this.#months[company.fiscalYearStart - 1] ?? '',
      basis: BASES[company.basis],
      lock: company.readOnly ? 'Read only' : '',
      listedBy: company.listedBy === 'v1' ? 'v1' : '',
    }
    const { externalId, userId, recordId, appName, ref, isListed } = company
    const { active: _active, fiscalYear: _fiscalYear, ...found } = shown
    const more = [externalId, userId, recordId, appName, ref.endpointId, isListed ? '' : 'no longer listed']
    return { ...shown, search: normalizeForSearch([...Object.values(found), ...more].join('\n')) }
  }

  #ofWaiting({ provisioning, title, tries }: Extract<CompaniesRow, { kind: 'waiting' }>): RowText {
    const shown = {
      name: title,
      application: applicationName(provisioning.application),
      unfinished: formatWaiting(provisioning.state) + (tries > 1 ? `, attempt ${tries}` : ''),
      created: this.#format.day(provisioning.queuedAt),
      lastAccess: this.#moment(provisioning.sentAt ?? ''),
      createdInFull: this.#format.fullMoment(provisioning.queuedAt),
      lastAccessInFull: this.#format.fullMoment(provisioning.sentAt ?? ''),
    }
    const none = { file: '', version: '', active: '', serviceName: '', notes: '' }
    const search = normalizeForSearch([...Object.values(shown), provisioning.expectedFile].join('\n'))
    return { ...shown, ...none, fiscalYear: '', basis: '', lock: '', listedBy: '', search }
  }

  #moment(iso: string): string {
    return capitalized(this.#format.shortMoment(iso))
  }
}

/** The months as options, `1` to `12`. `locale` is BCP 47; empty for the engine's own. */
export function monthOptions(locale: string): readonly ComboboxOption[] {
  const name = new Intl.DateTimeFormat(Intl.DateTimeFormat.supportedLocalesOf(locale)[0], {
    month: 'long',
    timeZone: 'UTC',
  })
  return Array.from({ length: 12 }, (_, index) => ({
    value: String(index + 1),
    label: name.format(new Date(Date.UTC(2000, index, 1))),
  }))
}
