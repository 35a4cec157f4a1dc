/** What the list says of each row as text: shown, sorted by, searched and copied. Made once for each row. */
import { applicationName } from '../../shared/applications.ts'
import type { Company, Provisioning } from '../../shared/contract/companies.ts'
import { companyName } from '../frame/session.svelte.ts'
import { capitalised, type Format } from '../ui/format.ts'
import { searched } from '../ui/found.ts'
import { waitingWords, type CompaniesRow } from './company-list.ts'
import { monthOptions } from './details/months.ts'
import { unfinishedLines } from './unfinished.ts'

export interface RowText {
  readonly name: string
  readonly application: string
  readonly unfinished: string
  readonly file: string
  readonly version: string
  readonly created: string
  readonly lastAccess: string
  readonly active: string
  /** The label is the name; this is what the service calls it. */
  readonly serviceName: string
  readonly notes: string
  readonly fiscalYear: string
  readonly basis: string
  readonly lock: string
  readonly listedBy: string
  /** In full, as they are said on hover: the columns have no room for them. */
  readonly createdInFull: string
  readonly lastAccessInFull: string
  /** Everything that a search finds the row by, as `searched` writes it. */
  readonly search: string
}

const BASES: Readonly<Record<Company['basis'], string>> = { unknown: '', accrual: 'Accrual', cash: 'Cash' }

/** The texts of rows in one format; made anew when the format changes. */
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
    // The title of a set-up comes from its company, which may arrive later.
    if (made && (row.kind === 'company' || made.name === row.title)) return made
    const text =
      row.kind === 'company' ? this.#ofCompany(row.company) : this.#ofWaiting(row.provisioning, row.title)
    this.#made.set(subject, text)
    return text
  }

  #ofCompany(company: Company): RowText {
    const shown = {
      name: companyName(company),
      application: company.applicationName,
      unfinished: unfinishedLines(company.unfinished)
        .map(({ words }) => words)
        .join(', '),
      file: company.fullPath,
      version: company.version,
      created: this.#moment(company.createdAt),
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
    return { ...shown, search: searched([...Object.values(found), ...more].join('\n')) }
  }

  #ofWaiting(provisioning: Provisioning, title: string): RowText {
    const sent = this.#format.shortMoment(provisioning.sentAt ?? '')
    const shown = {
      name: title,
      application: applicationName(provisioning.application),
      file: waitingWords(provisioning.state),
      created: this.#moment(provisioning.queuedAt),
      lastAccess: sent === '' ? '' : `Sent ${sent}`,
      createdInFull: this.#format.fullMoment(provisioning.queuedAt),
      lastAccessInFull: this.#format.fullMoment(provisioning.sentAt ?? ''),
    }
    const none = { unfinished: '', version: '', active: '', serviceName: '', notes: '' }
    const search = searched([...Object.values(shown), provisioning.expectedFile].join('\n'))
    return { ...shown, ...none, fiscalYear: '', basis: '', lock: '', listedBy: '', search }
  }

  #moment(iso: string): string {
    return capitalised(this.#format.shortMoment(iso))
  }
}
