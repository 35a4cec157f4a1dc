/** Which reports and lists the review of a month reads, so that their number is known before it begins. */
import type { Source } from '../../shared/review/rules.ts'
import type { Reading } from '../../shared/review/review.ts'
import { monthsUpTo } from '../../shared/reports/periods.ts'
import { reportNames, reportTitle } from '../../shared/reports/reports.ts'

/** Months before the reviewed one that profit and loss is compared with. */
const EARLIER_MONTHS = 12

/** The names of a report in the applications, and the months it begins and ends before the reviewed one. */
const REPORTS: Partial<
  Record<Source, { readonly names: readonly string[]; readonly from: number; readonly to: number }>
> = {
  'trial-balance': { names: ['TrialBalance'], from: 0, to: 0 },
  'balance-sheet': { names: ['BalanceSheet'], from: 0, to: 0 },
  'balance-sheet-1': { names: ['BalanceSheet'], from: 1, to: 1 },
  'balance-sheet-2': { names: ['BalanceSheet'], from: 2, to: 2 },
  'profit-and-loss': { names: ['ProfitAndLoss'], from: EARLIER_MONTHS, to: 0 },
  receivables: { names: ['ARAgingDetail', 'AgedReceivables'], from: 0, to: 0 },
  'vendor-expenses': { names: ['VendorExpenseSummary', 'VendorExpenses'], from: 0, to: 0 },
  'by-class': { names: ['ProfitAndLossByClass'], from: 0, to: 0 },
  budget: { names: ['ProfitAndLossBudgetVsActual'], from: 0, to: 0 },
  ledger: { names: ['GeneralLedger'], from: 0, to: 0 },
  'audit-trail': { names: ['AuditTrail'], from: 0, to: 0 },
}

const LISTS: Partial<Record<Source, string>> = {
  accounts: 'account',
  customers: 'customer',
  vendors: 'vendor',
}

const ORDER: readonly Source[] = [
  'trial-balance',
  'balance-sheet',
  'profit-and-loss',
  'receivables',
  'balance-sheet-1',
  'balance-sheet-2',
  'vendor-expenses',
  'by-class',
  'budget',
  'accounts',
  'customers',
  'vendors',
  'ledger',
  'audit-trail',
]

/** First and last day of a month, given as `yyyy-mm`. */
export function daysOfMonth(month: string, back = 0): { readonly from: string; readonly to: string } {
  const [period] = monthsUpTo(`${month}-01`, back + 1)
  return period ?? { from: `${month}-01`, to: `${month}-01` }
}

/**
 * What to read for a month. What an application lacks is left out; its rules say so. The audit trail is read with the
 * rest, so that a closed month has one to compare with.
 * @param month `yyyy-mm`
 */
export function planReadings(application: string, month: string): readonly Reading[] {
  const offered = reportNames(application)
  return ORDER.flatMap((source): Reading[] => {
    const list = LISTS[source]
    const empty = { source, state: 'waiting', said: '', readAt: '' } as const
    if (list !== undefined) return [{ ...empty, kind: 'list', name: list, ...daysOfMonth(month) }]
    const report = REPORTS[source]
    const name = report?.names.find((each) => offered.includes(each))
    if (report === undefined || name === undefined) return []
    const { from } = daysOfMonth(month, report.from)
    const { to } = daysOfMonth(month, report.to)
    return [{ ...empty, kind: 'report', name, from, to }]
  })
}

/** What a source is called. */
export function sourceTitle(source: Source): string {
  return reportTitle(REPORTS[source]?.names[0] ?? source)
}
