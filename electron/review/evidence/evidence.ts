/** The evidence of a review in the form that the rules use. */
import type { Decimal } from '../../../shared/format/money.ts'
import type { ReportChecks, ReportRow } from '../../../shared/reports/reports.ts'
import type { Finding, FindingRow, ReviewSettings } from '../../../shared/review/review.ts'
import type { Source } from '../../../shared/review/rules.ts'
import type { ListedRecord } from './listed-record.ts'

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

/** What is read for a month, and the balance sheet of the last earlier month that was reviewed, as it was read then. */
export type StatementSource = Source | 'last-reviewed'

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
  readonly statement: (source: StatementSource) => ReadResult<FullReport>
  /** Whether no earlier month was reviewed, so that there is no statement of it. */
  readonly isFirstReview: boolean
  readonly list: (source: 'accounts' | 'customers' | 'vendors') => ReadResult<readonly ListedRecord[]>
  readonly ledger: ReadResult<LedgerFacts>
  readonly checkSums: CheckSums
}
