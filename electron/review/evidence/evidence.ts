/** The evidence of a review in the form that the rules use. */
import type { Decimal } from '../../../shared/format/money.ts'
import { isInactive, isObject, type RecordData, textOf } from '../../../shared/records/changes.ts'
import { parentOf } from '../../../shared/records/names.ts'
import type { ReportChecks, ReportRow } from '../../../shared/reports/reports.ts'
import type { Finding, FindingRow, ReviewSettings } from '../../../shared/review/review.ts'
import type { RuleId, Source } from '../../../shared/review/rules.ts'
import { isMailable } from '../../tidy/address.ts'
import { createTaxIdReader } from '../../tidy/identifiers.ts'

/** A report with all of its rows. */
export interface FullReport {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly columns: readonly string[]
  readonly rows: readonly ReportRow[]
  readonly checks: ReportChecks
}

/** Something that was read completely, or why it wasn't. */
export type ReadResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string }

/** A ledger entry that a rule shows. */
export interface LedgerEntry extends Pick<Finding, 'side'> {
  /** Different for different entries: the title, with the amount if it has no number. */
  readonly key: string
  readonly title: string
  readonly amount: Decimal
  readonly row: FindingRow
}

export interface DoubledEntry extends LedgerEntry, Pick<Finding, 'severity' | 'detail'> {
  /** The same for the same entries in another reading. */
  readonly key: string
}

/** An entry of an account, a customer, or a vendor. */
export interface NamedEntry extends LedgerEntry {
  /** The ID of the account, customer, or vendor; empty if the ledger doesn’t say. */
  readonly id: string
  readonly name: string
}

/** The first entry of an account: with a date, or else without, or with an amount that can’t be read. */
export interface LedgerAccount extends NamedEntry {
  readonly isDated: boolean
}

/** The parts of a general ledger that the rules use. */
export interface LedgerFacts {
  readonly rows: number
  /** Number of rows with a date. */
  readonly dated: number
  /** Rows with a date and an amount that can’t be read, and one such amount. */
  readonly unreadable: { readonly rows: number; readonly example: string }
  /** Rows among them whose day and month may be the other way around, and one such date. */
  readonly ambiguous: { readonly rows: number; readonly example: string }
  /** Rows with a date whose name can’t be split into its parts, and one such name. */
  readonly whole: { readonly rows: number; readonly example: string }
  /** The accounts with an amount. Opening balances don’t count. */
  readonly accounts: readonly LedgerAccount[]
  /** The first entry of each customer or vendor that was looked for, by its name in lowercase. */
  readonly named: ReadonlyMap<string, NamedEntry>
  readonly doubled: readonly DoubledEntry[]
  readonly outside: readonly LedgerEntry[]
  readonly large: readonly LedgerEntry[]
  /** How many entries of each kind aren’t listed, because there are too many. */
  readonly more: Readonly<Record<'doubled' | 'outside' | 'large', number>>
}

/** Checks whether the sums of a report hold. */
export type CheckSums = (name: string, columns: readonly string[], rows: readonly ReportRow[]) => ReportChecks

/** A report or list of the month, or a statement kept of the last earlier month. */
export type StatementSource = Source | 'last-kept' | 'last-kept-profit-and-loss'

export interface Evidence {
  /** `yyyy-mm`. */
  readonly month: string
  /** Month in which the fiscal year begins, 1 to 12. */
  readonly fiscalYearStart: number
  readonly settings: ReviewSettings
  /** When the month was closed (ISO); `null` while it is open. */
  readonly closedAt: string | null
  /** Whether the month before had a finding with this key, and whether it was accepted; `null` if it had none. */
  readonly foundLastMonth: (key: string) => 'accepted' | 'open' | null
  /** The findings that the last review of this month left open. */
  readonly openBefore: (rule: RuleId) => readonly Finding[]
  readonly statement: (source: StatementSource) => ReadResult<FullReport>
  /** Whether no earlier month was read, so there is no earlier statement to compare with. */
  readonly isFirstReading: boolean
  /**
   * Whether the last month of the fiscal year before was read, but neither it nor a later one before this month is reviewed
   * or was ever closed. Its entries are then expected to change.
   */
  readonly isPriorYearOpen: boolean
  readonly list: (source: 'accounts' | 'customers' | 'vendors') => ReadResult<readonly ListedRecord[]>
  readonly ledger: ReadResult<LedgerFacts>
  readonly checkSums: CheckSums
}

// The records of lists.

/** The parts of a list record that the rules use. */
export interface ListedRecord {
  readonly id: string
  readonly name: string
  readonly fullName: string
  readonly parentId: string
  readonly type: string
  readonly currency: string
  readonly isActive: boolean
  /** `false` if the service doesn't say whether it is active. */
  readonly hasStatus: boolean
  /** Of a vendor: whether mail would arrive. `null` if the record has no such field. */
  readonly hasAddress: boolean | null
  /** Of a vendor. `null` if the record has no such field. */
  readonly hasTaxId: boolean | null
  /** `null` if the service doesn't say. */
  readonly is1099: boolean | null
  readonly phone: string
  readonly email: string
}

/** Creates a reader of a list, whose records have the same few fields. */
export function createListedRecordReader(source: Source): (record: RecordData) => ListedRecord {
  if (source !== 'vendors') return (record) => listedRecord(record, NO_MAILING_FACTS)
  const taxIds = createTaxIdReader()
  return (record) => listedRecord(record, mailingFacts(record, taxIds(record)))
}

/** Whether one of the fields is filled in; `null` if there is none. */
function isFilledIn(fields: readonly string[], isFilled: (field: string) => boolean): boolean | null {
  return fields.length === 0 ? null : fields.some(isFilled)
}

type MailingFacts = Pick<ListedRecord, 'hasAddress' | 'hasTaxId'>

const NO_MAILING_FACTS: MailingFacts = { hasAddress: null, hasTaxId: null }

/** What a vendor's 1099 needs. */
function mailingFacts(record: RecordData, taxIds: readonly string[]): MailingFacts {
  const addresses = ['Address', 'BillingAddress', 'ShippingAddress'].filter((each) => each in record)
  return {
    hasAddress: isFilledIn(addresses, (each) => {
      const value = record[each]
      return isObject(value) && isMailable(value)
    }),
    hasTaxId: taxIds.length === 0 ? null : taxIds.some((each) => each !== ''),
  }
}

/** Extracts the parts of a record that the rules use, as the service sent them. */
function listedRecord(record: RecordData, { hasAddress, hasTaxId }: MailingFacts): ListedRecord {
  const text = (name: string): string => textOf(record[name]).trim()
  const member = (name: string, inner: string): string => {
    const value = record[name]
    return isObject(value) ? textOf(value[inner]).trim() : ''
  }
  const name = text('Name')
  return {
    id: text('ID'),
    name,
    fullName: text('FullName') || name,
    parentId: parentOf(record).trim(),
    type: text('Type'),
    currency: member('Currency', 'FullName') || text('Currency'),
    isActive: !isInactive(record),
    hasStatus: text('IsActive') !== '',
    hasAddress,
    hasTaxId,
    is1099: text('EligibleFor1099') === '' ? null : text('EligibleFor1099').toLowerCase() === 'true',
    phone: text('Phone'),
    email: text('Email'),
  }
}
