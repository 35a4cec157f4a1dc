/** A report's findings and notes in sentences. Pure. */
import type { Company } from '../contract/companies.ts'
import type { Format } from '../format/format.ts'
import { isOneMonth, type Period, writtenDate } from './periods.ts'
import {
  countWrongTotals,
  type ReportChecks,
  type ReportFinding,
  type ReportHead,
  reportTitle,
  type SumComparison,
} from './reports.ts'

/** How many totals don't add up: `One total doesn’t add up.` */
export function findingsTitle(checks: ReportChecks): string {
  const wrong = countWrongTotals(checks.findings)
  return wrong === 1 ? 'One total doesn’t add up.' : `${String(wrong)} totals don’t add up.`
}

function formatComparison(against: SumComparison): string {
  switch (against) {
    case 'parts':
      return 'its parts come to'
    case 'debits':
      return 'the debits come to'
    case 'assets':
      return 'the assets come to'
    case 'assets-less-liabilities':
      return 'the assets less the liabilities come to'
  }
}

/** A finding in words: its row and column, the stated amount, and the computed one. */
export function formatFinding(
  finding: ReportFinding,
  format: Format,
): { readonly text: string; readonly difference: string } {
  const column = finding.columnName.trim() === '' ? '' : ` in ${finding.columnName.trim()}`
  const name = finding.rowName.trim() === '' ? `Row ${format.count(finding.row + 1)}` : finding.rowName.trim()
  const isMore = !finding.difference.startsWith('-')
  const amount = format.decimal(finding.difference.replace('-', ''))
  return {
    text: `${name}${column} is ${format.decimal(finding.stated)} and ${formatComparison(finding.against)} ${format.decimal(finding.computed)}:`,
    difference: `${amount} ${isMore ? 'more' : 'less'}`,
  }
}

/** The heading of the service's messages about a report. */
export const SERVICE_MESSAGES_TITLE = 'This report may be incomplete.'

/** What was checked, as a count: `8 of 9 totals agree`. */
export function formatChecks(checks: ReportChecks, format: Format): string {
  const failed = countWrongTotals(checks.findings)
  const all = checks.held + failed
  if (all === 0) return checks.unchecked.length > 0 ? 'No total was checked' : 'No totals to check'
  if (all === 1 && failed === 0) return 'Total agrees'
  return `${format.count(checks.held)} of ${format.count(all)} ${all === 1 ? 'total agrees' : 'totals agree'}`
}

/** Formats the basis of the books; empty if it isn't set. */
export function formatBasis(basis: Company['basis']): string {
  switch (basis) {
    case 'unknown':
      return ''
    case 'accrual':
      return 'Accrual basis'
    case 'cash':
      return 'Cash basis'
  }
}

const OF_A_DAY = /^(?:balancesheet|aragingdetail|agedreceivables)/i

/** Whether a report shows balances as of its last day, not the activity of a period. */
export function isAsOfDay(name: string): boolean {
  return OF_A_DAY.test(name)
}

/** The report's title, and whether it is compared or a trend. */
export function headingTitle({ name, making }: Pick<ReportHead, 'name' | 'making'>): string {
  switch (making) {
    case 'single':
      return reportTitle(name)
    case 'compared':
      return `${reportTitle(name)} compared`
    case 'trend':
      return `${reportTitle(name)} trend`
  }
}

/** The dates in a report's heading, and the requested ones if the heading doesn't show them all. */
export function headingDays(
  { name, from, to, making, periods }: Pick<ReportHead, 'name' | 'from' | 'to' | 'making' | 'periods'>,
  format: Format,
): string {
  const [current, other] = periods
  if (making === 'compared' && current && other) {
    const [left, right] = [current, other].map((days) => periodLabelOf(name, days, format))
    return `${left ?? ''} and ${right ?? ''}`
  }
  return making !== 'trend' && isAsOfDay(name) ? `as of ${format.date(to)}` : format.period(from, to)
}

/** The service's name of the report if it differs; empty otherwise. */
export function otherName({ name, reportType }: Pick<ReportHead, 'name' | 'reportType'>): string {
  const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  return reportType === '' || letters(reportType) === letters(name)
    ? ''
    : `The service calls it ${reportType}.`
}

const ONE_DAY_MS = 86_400_000

/**
 * Says which days a report covers if they differ from the requested ones; empty otherwise. A difference of a day is
 * ignored, because applications write the end of a period in different ways. A report as of a day, or one of balances,
 * may begin anywhere. The days of an audit trail are uncertain.
 */
export function coveredDays(
  { name, from, to, startDate, endDate }: Pick<ReportHead, 'name' | 'from' | 'to' | 'startDate' | 'endDate'>,
  format: Format,
): string {
  const [start, end] = [writtenDate(startDate), writtenDate(endDate)]
  const isOther = (day: string | null, asked: string): boolean =>
    day !== null && Math.abs(Date.parse(day) - Date.parse(asked)) > ONE_DAY_MS
  const isOfBalances = isAsOfDay(name) || name === 'TrialBalance'
  if (name === 'AuditTrail' || !(isOther(end, to) || (!isOfBalances && isOther(start, from)))) return ''
  const days = start !== null && end !== null ? format.period(start, end) : format.date(end ?? start ?? '')
  return `The report covers ${days}, not the period you asked for.`
}

/** The label of a report's period in a comparison: only its last day if the report is as of that day. */
export function periodLabelOf(name: string, { from, to }: Period, format: Format): string {
  if (isAsOfDay(name)) return format.date(to)
  return isOneMonth({ from, to }) ? format.month(from) : format.period(from, to)
}
