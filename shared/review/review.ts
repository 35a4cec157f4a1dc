/** A client's month: its readings, its findings, the entries of its audit trail, and the settings of its review. */
import type { Format, Sentence } from '../format/format.ts'
import { EntryCollector, type EntryPart } from '../reports/entries.ts'
import { reportTitle } from '../reports/reports.ts'
import type { RuleId, Source } from './rules.ts'

/** `wrong`: the books contradict themselves. `check`: there may be a good reason. */
export const SEVERITIES = ['wrong', 'likely', 'check'] as const
export type Severity = (typeof SEVERITIES)[number]

/** The report row that a finding is based on, as the service sent it. */
export interface FindingRow {
  readonly report: string
  /** The report as the service names it. */
  readonly reportName: string
  readonly from: string
  readonly to: string
  readonly name: string
  readonly columns: readonly string[]
  readonly values: readonly string[]
}

const WORST: Readonly<Record<Severity, number>> = { wrong: 0, likely: 1, check: 2 }

/** Sorts rules with findings, and the findings of each: worst first, then by amount or in the order of the rules. */
export function worstFirst<
  F extends Pick<Finding, 'severity' | 'amount'>,
  R extends { readonly findings: readonly F[] },
>(rules: readonly R[]): readonly (R & { readonly findings: readonly F[] })[] {
  // Only determines the order.
  const size = ({ amount }: F): number => Math.abs(Number(amount)) || 0
  const worstOf = ({ findings }: R): number => Math.min(...findings.map(({ severity }) => WORST[severity]))
  return rules
    .map((rule) => ({
      ...rule,
      findings: rule.findings.toSorted(
        (one, other) => WORST[one.severity] - WORST[other.severity] || size(other) - size(one),
      ),
    }))
    .toSorted((one, other) => worstOf(one) - worstOf(other))
}

/** *by Dana Cole*, after a space; empty if no one is known. */
export function formatSigner(by: string): string {
  return by === '' ? '' : ` by ${by}`
}

/** The name with which the history keeps a decision. */
export function formatKeptName(preparer: string, accountName: string): string {
  const name = preparer.trim() || accountName
  return name === ''
    ? 'without a name. To sign with yours, enter it under Settings, Documents, Prepared by.'
    : `with the name ${name}.`
}

/** A date or time between the commas of an entry's name. */
const WRITTEN =
  /(?<=^|, |\bentered |\bdue )\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}[\d:.]*(?:Z|[+-]\d{2}:\d{2})?)?(?=,|$)/g

/** Formats a finding's subject or its row's name. Names of entries contain dates and times. */
export function subjectText(subject: string, format: Format): string {
  return subject.replace(WRITTEN, (written) =>
    written.includes('T') ? format.dayAndTime(written) : format.date(written),
  )
}

/** *Never for this account*: what a finding is about. */
export function formatNever(about: string, records: Finding['records']): string {
  const noun = records?.object ?? about
  return (records?.ids.length ?? 1) > 1 ? `Never for these ${noun}s` : `Never for this ${noun}`
}

/** The side that a positive amount is on; empty for an amount that isn’t a balance, such as a difference between reports. */
export const SIDES = ['debit', 'credit', ''] as const
type Side = (typeof SIDES)[number]

/** *Dr* or *Cr*; empty for an amount that isn’t a balance. */
export function balanceSide(amount: string, side: Side): 'Dr' | 'Cr' | '' {
  if (amount === '' || side === '') return ''
  return (side === 'debit') === amount.startsWith('-') ? 'Cr' : 'Dr'
}

/** Formats a balance without its sign, because reports don’t agree on signs, and any other amount with it. */
export function balanceNumber(amount: string, side: Side, format: Format): string {
  if (amount === '') return ''
  return format.money(side === '' ? amount : amount.replace('-', ''))
}

/** *1,250.00 Cr* */
export function balanceText(amount: string, side: Side, format: Format): string {
  return `${balanceNumber(amount, side, format)} ${balanceSide(amount, side)}`.trim()
}

export interface Finding {
  /** Identifies the problem across months and readings. */
  readonly key: string
  readonly rule: RuleId
  readonly severity: Severity
  /** The account, customer, vendor, or entry. */
  readonly subject: string
  /** Exact decimal; empty if it isn't about an amount. */
  readonly amount: string
  readonly side: Side
  /** What is wrong, in words. */
  readonly detail: Sentence
  readonly row: FindingRow | null
  /** The records to correct. */
  readonly records: { readonly object: string; readonly ids: readonly string[] } | null
  /** Whether it is about something that happened in this month, even if its rule usually isn’t: **Accept** then applies only here. */
  readonly inMonth?: boolean | undefined
  /** The balance that it was compared with, if the report that had it may be replaced. */
  readonly kept?:
    | {
        readonly amount: string
        /** The last day of the report. */
        readonly to: string
        /** Whether that ends a fiscal year. */
        readonly isYearEnd: boolean
        /** Whether the fiscal year before was not reviewed yet, so that it was expected to change. */
        readonly isProvisional?: boolean | undefined
        /** The balance before a change that was reverted. */
        readonly original?: string | undefined
      }
    | undefined
}

/** The outcome of a rule. A rule that couldn't check everything is never clean. */
export type RuleOutcome =
  | { readonly rule: RuleId; readonly result: 'clean' }
  | {
      readonly rule: RuleId
      readonly result: 'found'
      readonly findings: readonly Finding[]
      /** What it couldn't check, in sentences. */
      readonly unchecked: readonly string[]
    }
  | { readonly rule: RuleId; readonly result: 'not-checked'; readonly reason: string }
  /** The user's settings leave it nothing to look for. */
  | { readonly rule: RuleId; readonly result: 'off'; readonly reason: string }

/**
 * The text if there are no findings. It depends on the outcomes, because a rule that was not checked has no findings
 * either.
 */
export function nothingFound(outcomes: readonly Pick<RuleOutcome, 'result'>[]): string {
  const count = (wanted: RuleOutcome['result']): number =>
    outcomes.filter(({ result }) => result === wanted).length
  const clean = count('clean')
  if (clean === 0) return 'Nothing was checked.'
  if (count('not-checked') === 0) return 'Nothing was found.'
  return `Nothing was found by the ${clean === 1 ? 'one rule that was' : `${String(clean)} rules that were`} checked.`
}

/** Thresholds, as exact decimals. `percent` is of the usual amount. */
export interface ReviewSettings {
  readonly percent: string
  readonly amount: string
  /** Entries of at least this amount are listed; empty for none. */
  readonly largeEntry: string
  /** Words in the names of accounts that should be empty. */
  readonly emptyAccounts: readonly string[]
}

export const DEFAULT_REVIEW_SETTINGS: ReviewSettings = {
  percent: '40',
  amount: '500',
  largeEntry: '',
  emptyAccounts: [
    'opening balance equity',
    'opening bal equity',
    'uncategorized',
    'uncategorised',
    'ask my accountant',
    'suspense',
    'unapplied cash',
    'clearing',
    'reconciliation discrepanc',
  ],
}

/** `not-offered`: refused as not available for the company, or by an application whose reports are unknown. */
export const READING_STATES = ['waiting', 'read', 'failed', 'not-offered'] as const

/** A report or a list that a review reads. */
export interface Reading {
  readonly source: Source
  /** The service's name of the report or list. */
  readonly name: string
  readonly kind: 'report' | 'list'
  readonly from: string
  readonly to: string
  readonly state: (typeof READING_STATES)[number]
  /** Why it failed or isn't offered, or why it may be incomplete; empty otherwise. */
  readonly reason: string
  readonly readAt: string
  /** Whether it was read before its last day was over, by the local time of the computer that read it. */
  readonly isEarly: boolean
}

/** Whether a statement was read before its last day was over, so that entries may be missing. */
export function areReadEarly(readings: readonly Pick<Reading, 'source' | 'isEarly'>[]): boolean {
  return readings.some(
    ({ source, isEarly }) =>
      isEarly && (source === 'trial-balance' || source === 'balance-sheet' || source === 'profit-and-loss'),
  )
}

/** Whether no comparison shows that a closed month is unchanged. The audit trail never shows that. */
export function isNothingCompared(notCompared: readonly { readonly report: string }[]): boolean {
  const titles = new Set(notCompared.map(({ report }) => report))
  return ['TrialBalance', 'BalanceSheet', 'ProfitAndLoss'].every((name) => titles.has(reportTitle(name)))
}

/**
 * An account or a total that has changed since the month was closed: its amount, its section, or its name. Amounts are
 * empty for a section.
 */
export interface ChangedAmount {
  readonly report: string
  /** The account's ID, or `accountKey`: the same in every report. Empty for net income, totals, and sections. */
  readonly key: string
  readonly account: string
  readonly column: string
  readonly side: Side
  readonly kept: string
  readonly now: string
  /** Empty if the amount is the same. */
  readonly difference: string
  /** *moved from Long-Term Liabilities to Equity*, *renamed from Telephone*; empty for neither. */
  readonly says: string
}

// The entries of an audit trail that were added or removed since a month was closed. Pure.

/** A row of the trail, split into its parts. */
export interface TrailRow {
  readonly finding: Finding
  readonly date: string
  readonly type: string
  readonly number: string
  /** `null` if the row couldn’t be split. */
  readonly name: string | null
  readonly memo: string
  readonly entered: string
  readonly isGone: boolean
}

/** Groups the findings of *Entries changed after the month was closed* by entry. An entry has a row for each of its accounts. */
export function trailEntries(findings: readonly Finding[]): ReadonlyMap<string, readonly TrailRow[]> {
  const collector = new EntryCollector({ name: 'AuditTrail' })
  const rowOf = ({ subject, key }: Finding) => ({ kind: 'data', name: subject, id: key }) as const
  collector.add(findings.map(rowOf))
  const columns = collector.columns()
  const rows = findings.map((finding): TrailRow => {
    const texts = columns?.textsOf(rowOf(finding)) ?? null
    const part = (wanted: EntryPart): string =>
      texts?.[columns?.columns.findIndex((each) => each.part === wanted) ?? -1] ?? ''
    return {
      finding,
      date: part('date'),
      type: part('type'),
      number: part('number'),
      name: texts === null ? null : part('name'),
      memo: part('memo'),
      entered: part('entered'),
      isGone: finding.key.includes('|gone|'),
    }
  })
  // Without a number or a moment, two rows that read the same may be two entries.
  return Map.groupBy(rows, ({ finding, date, type, number, name, entered, isGone }) =>
    JSON.stringify([
      ...[date, type, number, name ?? finding.subject, entered, isGone],
      number === '' && entered === '' ? finding.key : '',
    ]),
  )
}
