/** Reports (specification 2.7 and 4.2): which ones an application offers, and what their rows are. */
import type { Period } from './periods.ts'

/** A report in the specification. */
interface ReportDefinition {
  readonly name: string
  /** The name on screen. */
  readonly title: string
  /** The applications that offer it, by short code. */
  readonly applications: readonly string[]
  /**
   * *Assumption* (decisions.md, "The same report under two names"): the report with the same content that the other
   * application has under this name. Empty for none.
   */
  readonly sameAs: string
}

function report(name: string, title: string, applications: readonly string[], sameAs = ''): ReportDefinition {
  return { name, title, applications, sameAs }
}

const BOTH = ['qbd', 'qbo']
const DESKTOP = ['qbd']
const ONLINE = ['qbo']

/** In the order in which they are offered. */
const REPORTS: readonly ReportDefinition[] = [
  report('BalanceSheet', 'Balance sheet', BOTH),
  report('PandLBalanceSheet', 'Profit and loss with balance sheet', DESKTOP),
  report('ProfitAndLoss', 'Profit and loss', BOTH),
  report('ProfitAndLossDetail', 'Profit and loss detail', DESKTOP),
  report('ProfitAndLossByClass', 'Profit and loss by class', BOTH),
  report('ProfitAndLossBudgetOverview', 'Profit and loss budget overview', DESKTOP),
  report('ProfitAndLossBudgetVsActual', 'Profit and loss budget vs. actual', DESKTOP),
  report('ARAgingDetail', 'Receivables aging detail', DESKTOP),
  report('AgedReceivables', 'Aged receivables', ONLINE, 'ARAgingDetail'),
  report('BalanceSheetByClass', 'Balance sheet by class', BOTH),
  report('PLandBalanceSheet', 'Profit and loss and balance sheet', DESKTOP),
  report('VendorExpenseSummary', 'Expenses by vendor summary', DESKTOP),
  report('VendorExpenses', 'Expenses by vendor', ONLINE, 'VendorExpenseSummary'),
  report('GeneralLedger', 'General ledger', DESKTOP),
  report('AuditTrail', 'Audit trail', DESKTOP),
  report('TrialBalance', 'Trial balance', BOTH),
  report('PayrollItemDetail', 'Payroll item detail', DESKTOP),
]

/** Whether the specification says which reports an application offers. */
export function isKnownApplication(application: string): boolean {
  return REPORTS.some(({ applications }) => applications.includes(application.toLowerCase()))
}

/** The names that an application offers. For an application that we don't know, all of them. */
export function reportNames(application: string): readonly string[] {
  const code = application.toLowerCase()
  const offered = REPORTS.filter(({ applications }) => applications.includes(code))
  return (offered.length > 0 ? offered : REPORTS).map(({ name }) => name)
}

function definitionOf(name: string): ReportDefinition | undefined {
  return REPORTS.find((each) => each.name === name)
}

/** Whether the specification has the report. */
export function isListedReport(name: string): boolean {
  return definitionOf(name) !== undefined
}

/** The application's own report, or the one with the same content under another name. Undefined if it has neither. */
export function sameReport(application: string, name: string): string | undefined {
  const content = (each: string): string => definitionOf(each)?.sameAs || each
  return reportNames(application).find((each) => content(each) === content(name))
}

/** The report's name on screen. A name that we don't know stays as it is. */
export function reportTitle(name: string): string {
  return definitionOf(name)?.title ?? name
}

/** A row as the service sent it, checked. Values are text, so decimals are exact. */
export interface RawReportRow {
  readonly rowType: string
  readonly name: string
  readonly id: string
  readonly values: readonly string[]
}

/**
 * The kind of a row, for layout. `other` has an unknown RowType and is shown as a data row with that type. `spacer` is a
 * blank or ruled line.
 */
export type ReportRowKind = 'section' | 'data' | 'subtotal' | 'total' | 'other' | 'spacer'

/** A row as text, for an address that leads to it. */
export function rowText({ name, values }: Pick<RawReportRow, 'name' | 'values'>): string {
  return JSON.stringify([name, ...values])
}

/** A row in the tree. */
export interface ReportRow extends RawReportRow {
  readonly kind: ReportRowKind
  /** 0 at the top. */
  readonly level: number
  /** Index of the section row that it belongs to, or −1. */
  readonly parent: number
}

/**
 * What a sum was compared with: the rows above it, the debits of a trial balance, the assets of a balance sheet, or
 * assets less liabilities.
 */
export const SUM_COMPARISONS = ['parts', 'debits', 'assets', 'assets-less-liabilities'] as const

export type SumComparison = (typeof SUM_COMPARISONS)[number]

/** A sum that doesn't add up. */
export interface ReportFinding {
  /** Index of the row that states the sum. */
  readonly row: number
  readonly rowName: string
  /** Index into the row's values, and its heading. */
  readonly column: number
  readonly columnName: string
  readonly against: SumComparison
  /** The stated amount, the computed one, and the difference, as exact decimals. */
  readonly stated: string
  readonly computed: string
  readonly difference: string
}

export interface ReportChecks {
  /** Number of sums that add up. */
  readonly held: number
  readonly findings: readonly ReportFinding[]
  /** What couldn't be checked, in words; empty if everything could. */
  readonly unchecked: readonly string[]
}

/** How many totals don't add up. One may have findings in several columns. */
export function countWrongTotals(findings: ReportChecks['findings']): number {
  return new Set(findings.map(({ row }) => row)).size
}

/** What the checks of a report show. If it may be incomplete, its totals prove nothing. */
export const TOTALS_RESULTS = ['agree', 'wrong', 'unchecked', 'incomplete'] as const

export type TotalsResult = (typeof TOTALS_RESULTS)[number]

export function totalsResult({ checks, notes }: Pick<ReportHead, 'checks' | 'notes'>): TotalsResult {
  if (notes.length > 0) return 'incomplete'
  if (checks.findings.length > 0) return 'wrong'
  return checks.held > 0 ? 'agree' : 'unchecked'
}

/** A report as the application made it, two of them compared, or a trend over several periods. */
export const REPORT_MAKINGS = ['single', 'compared', 'trend'] as const

export type ReportMaking = (typeof REPORT_MAKINGS)[number]

/** Everything about a report but its rows, which are pulled in chunks. */
export interface ReportHead {
  readonly reportId: string
  /** The requested name, and the type in the service's response. */
  readonly name: string
  readonly reportType: string
  /** The requested dates, `yyyy-mm-dd`. */
  readonly from: string
  readonly to: string
  readonly making: ReportMaking
  /** The period of each report that it was made from. */
  readonly periods: readonly Period[]
  /** As the service wrote them. Shown as the dates in them, in no time zone. */
  readonly startDate: string
  readonly endDate: string
  /** Headings of the name column and of each value (decisions.md, "A report’s `Columns` against `Values`"). */
  readonly nameColumn: string
  readonly columns: readonly string[]
  readonly rowCount: number
  readonly checks: ReportChecks
  /** Messages from the service beside the rows, in sentences. With any, the report may be incomplete. */
  readonly notes: readonly string[]
  /** When it was made (ISO 8601). */
  readonly madeAt: string
  readonly requestId: string
}
