/**
 * Reports (specification 2.7 and 4.2): which an application offers, and what their rows are.
 * Levels, checks and periods live beside it in `levels.ts` and `periods.ts`, checks in `electron/rows/reports/checks.ts`.
 */

import type { Period } from './periods.ts'

const QBD_REPORTS = [
  'BalanceSheet',
  'PandLBalanceSheet',
  'ProfitAndLoss',
  'ProfitAndLossDetail',
  'ProfitAndLossByClass',
  'ProfitAndLossBudgetOverview',
  'ProfitAndLossBudgetVsActual',
  'ARAgingDetail',
  'BalanceSheetByClass',
  'PLandBalanceSheet',
  'VendorExpenseSummary',
  'GeneralLedger',
  'AuditTrail',
  'TrialBalance',
  'PayrollItemDetail',
] as const

const QBO_REPORTS = [
  'ProfitAndLoss',
  'BalanceSheet',
  'AgedReceivables',
  'VendorExpenses',
  'ProfitAndLossByClass',
  'BalanceSheetByClass',
  'TrialBalance',
] as const

/** The names that an application offers; for one that we don't know, every name that the specification lists. */
export function reportNames(application: string): readonly string[] {
  switch (application.toLowerCase()) {
    case 'qbd':
      return QBD_REPORTS
    case 'qbo':
      return QBO_REPORTS
    default:
      return [...new Set<string>([...QBD_REPORTS, ...QBO_REPORTS])]
  }
}

const TITLES: Readonly<Record<string, string>> = {
  BalanceSheet: 'Balance sheet',
  PandLBalanceSheet: 'Profit and loss with balance sheet',
  PLandBalanceSheet: 'Profit and loss and balance sheet',
  ProfitAndLoss: 'Profit and loss',
  ProfitAndLossDetail: 'Profit and loss detail',
  ProfitAndLossByClass: 'Profit and loss by class',
  ProfitAndLossBudgetOverview: 'Profit and loss budget overview',
  ProfitAndLossBudgetVsActual: 'Profit and loss budget vs. actual',
  ARAgingDetail: 'Receivables aging detail',
  AgedReceivables: 'Aged receivables',
  BalanceSheetByClass: 'Balance sheet by class',
  VendorExpenseSummary: 'Expenses by vendor summary',
  VendorExpenses: 'Expenses by vendor',
  GeneralLedger: 'General ledger',
  AuditTrail: 'Audit trail',
  TrialBalance: 'Trial balance',
  PayrollItemDetail: 'Payroll item detail',
}

/** The report's name in words; a name that we don't know stays as it is. */
export function reportTitle(name: string): string {
  return (Object.hasOwn(TITLES, name) ? TITLES[name] : undefined) ?? name
}

/** A row as the service sent it, checked. Values are kept as text: decimals exact, dates and memos as they are. */
export interface RawReportRow {
  readonly rowType: string
  readonly name: string
  readonly id: string
  readonly values: readonly string[]
}

/**
 * What a row is, for layout. `other` is an unknown RowType, shown as a data row with its type named; `spacer` a blank
 * or ruled line, which says nothing.
 */
export type ReportRowKind = 'section' | 'data' | 'subtotal' | 'total' | 'other' | 'spacer'

/** A row with its place in the tree. */
export interface ReportRow extends RawReportRow {
  readonly kind: ReportRowKind
  /** 0 at the top. */
  readonly level: number
  /** Index of the section row that this row lies in, or −1. */
  readonly parent: number
}

/**
 * What a sum was set against: the rows above it; the debits of a trial balance; the assets of a balance sheet, or what
 * they leave after liabilities.
 */
export const FOUND_AGAINST = ['parts', 'debits', 'assets', 'assets-less-liabilities'] as const

export type FoundAgainst = (typeof FOUND_AGAINST)[number]

/** A sum that was checked, and did not hold. */
export interface ReportFinding {
  /** Index of the row that says the sum. */
  readonly row: number
  readonly rowName: string
  /** Index into the row's values, and its heading. */
  readonly column: number
  readonly columnName: string
  readonly against: FoundAgainst
  /** What the row says, what it was set against comes to, and the difference, as exact decimals. */
  readonly stated: string
  readonly computed: string
  readonly difference: string
}

export interface ReportChecks {
  /** Sums that were checked and hold. */
  readonly held: number
  readonly findings: readonly ReportFinding[]
  /** What could not be checked, in words; empty when everything could. */
  readonly unchecked: readonly string[]
}

/**
 * How a report came to be: as the application made it, beside the same of another period, or over several periods.
 */
export const REPORT_MAKINGS = ['single', 'compared', 'trend'] as const

export type ReportMaking = (typeof REPORT_MAKINGS)[number]

/** The report's head: everything but its rows, which are pulled in chunks. */
export interface ReportHead {
  readonly reportId: string
  /** The name that was asked for, and the type that the service answered. */
  readonly name: string
  readonly reportType: string
  /** Dates as asked for, `yyyy-mm-dd`. */
  readonly from: string
  readonly to: string
  readonly making: ReportMaking
  /** The days of each report that it was made of: its own; beside another's; one by one for a trend. */
  readonly periods: readonly Period[]
  /** As the service wrote them; shown as the dates written in them, in no zone. */
  readonly startDate: string
  readonly endDate: string
  /** Heading of the name column, then one per value (decisions.md, "A report’s `Columns` against `Values`"). */
  readonly nameColumn: string
  readonly columns: readonly string[]
  readonly rowCount: number
  readonly checks: ReportChecks
  /** What the service said beside the rows, in sentences: where there is any, the report may not be whole. */
  readonly said: readonly string[]
  /** When it was made, ISO 8601. */
  readonly madeAt: string
  readonly requestId: string
}
