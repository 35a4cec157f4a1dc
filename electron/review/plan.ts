/** Plans which reports and lists the review of a month reads, so that their number is known in advance. */
import { monthsUpTo } from '../../shared/reports/periods.ts'
import { reportTitle, sameReport } from '../../shared/reports/reports.ts'
import type { Reading } from '../../shared/review/review.ts'
import { type Source, SOURCES } from '../../shared/review/rules.ts'

/** Earlier months to compare the profit and loss with. */
const EARLIER_MONTHS = 12

/** A report's name, and how many months before the reviewed one it begins and ends. */
const REPORTS: Partial<
  Record<Source, { readonly name: string; readonly from: number; readonly to: number }>
> = {
  'trial-balance': { name: 'TrialBalance', from: 0, to: 0 },
  'balance-sheet': { name: 'BalanceSheet', from: 0, to: 0 },
  'balance-sheet-1': { name: 'BalanceSheet', from: 1, to: 1 },
  'balance-sheet-2': { name: 'BalanceSheet', from: 2, to: 2 },
  'balance-sheet-12': { name: 'BalanceSheet', from: 12, to: 12 },
  'profit-and-loss': { name: 'ProfitAndLoss', from: EARLIER_MONTHS, to: 0 },
  receivables: { name: 'ARAgingDetail', from: 0, to: 0 },
  'vendor-expenses': { name: 'VendorExpenseSummary', from: 0, to: 0 },
  'by-class': { name: 'ProfitAndLossByClass', from: 0, to: 0 },
  budget: { name: 'ProfitAndLossBudgetVsActual', from: 0, to: 0 },
  ledger: { name: 'GeneralLedger', from: 0, to: 0 },
  // *Assumption* (decisions.md, “The period of an audit trail”): requested for the days of the month.
  'audit-trail': { name: 'AuditTrail', from: 0, to: 0 },
}

const LISTS: Partial<Record<Source, string>> = {
  accounts: 'account',
  customers: 'customer',
  vendors: 'vendor',
}

/** Returns the first and last day of a month, given as `yyyy-mm`. */
export function daysOfMonth(month: string, back = 0): { readonly from: string; readonly to: string } {
  const [period] = monthsUpTo(`${month}-01`, back + 1)
  return period ?? { from: `${month}-01`, to: `${month}-01` }
}

/** Returns the month that many months before another, as `yyyy-mm`. */
export function monthBefore(month: string, count = 1): string {
  return daysOfMonth(month, count).from.slice(0, 7)
}

/**
 * Returns what to read for a month. Reports that an application lacks are omitted, and the rules say so. The
 * audit trail is always read, so that a closed month has one to compare with.
 * @param month `yyyy-mm`
 */
export function planReadings(application: string, month: string): readonly Reading[] {
  return SOURCES.flatMap((source): Reading[] => {
    const list = LISTS[source]
    const empty = { source, state: 'waiting', reason: '', readAt: '', isEarly: false } as const
    if (list !== undefined) return [{ ...empty, kind: 'list', name: list, ...daysOfMonth(month) }]
    const report = REPORTS[source]
    const name = nameOf(application, source)
    if (report === undefined || name === undefined) return []
    const { from } = daysOfMonth(month, report.from)
    const { to } = daysOfMonth(month, report.to)
    return [{ ...empty, kind: 'report', name, from, to }]
  })
}

/** Whether an application offers a source. Lists are always offered. */
export function isOffered(application: string, source: Source): boolean {
  return LISTS[source] !== undefined || nameOf(application, source) !== undefined
}

/** What an application calls the report of a source; `undefined` if it has none. */
function nameOf(application: string, source: Source): string | undefined {
  const report = REPORTS[source]
  return report && sameReport(application, report.name)
}

/** Returns the title of a source. */
export function sourceTitle(source: Source): string {
  return reportTitle(REPORTS[source]?.name ?? source)
}
