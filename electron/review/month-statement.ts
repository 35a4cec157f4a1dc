/** A month's own statement, month and year to date, from profit and loss over the months that a review compares. */
import { canonicalDecimal, type Decimal, parseDecimal, sumDecimals } from '../../shared/format/money.ts'
import type { ReportRow } from '../../shared/reports/reports.ts'
import type { FullReport } from './evidence/evidence.ts'
import { monthColumns } from './evidence/month-columns.ts'
import { monthsIntoYear } from './evidence/month-headings.ts'
import { daysOfMonth } from './plan.ts'

/**
 * Adds up each row separately, including totals. If a month of the fiscal year is missing or an amount is unreadable,
 * there is no year to date.
 * @param month `yyyy-mm`, the last one of the report
 * @param headings of the two columns
 * @returns `null` if the report has no column for each month
 */
export function monthStatement(
  statement: FullReport,
  month: string,
  fiscalYearStart: number,
  headings: readonly [month: string, yearToDate: string],
): Pick<FullReport, 'from' | 'to' | 'columns' | 'rows'> | null {
  const all = monthColumns(statement, month)
  const months = monthsIntoYear(month, fiscalYearStart)
  if (all === null) return null
  const onlyMonth = (): ReturnType<typeof monthStatement> => ({
    ...daysOfMonth(month),
    columns: [headings[0]],
    rows: statement.rows.map((row) => ({ ...row, values: [row.values[all.at(-1) ?? -1] ?? ''] })),
  })
  if (all.length < months) return onlyMonth()
  const ofYear = all.slice(-months)
  const rows: ReportRow[] = []
  const decimals = statement.rows.some(({ values }) => values.some(isWithDecimals)) ? 2 : 0
  for (const row of statement.rows) {
    const texts = ofYear.map((at) => row.values[at]?.trim() ?? '')
    const isEmpty = texts.every((text) => text === '')
    const amounts = texts.map((text) => (text === '' ? ('0' as Decimal) : parseDecimal(text)))
    if (!isEmpty && amounts.includes(null)) return onlyMonth()
    const known = amounts.filter((amount) => amount !== null)
    rows.push({
      ...row,
      values: isEmpty
        ? row.values.slice(0, 2).map(() => '')
        : [texts.at(-1) ?? '', yearToDate(known, decimals)],
    })
  }
  const { from } = daysOfMonth(month, months - 1)
  return { from, to: daysOfMonth(month).to, columns: headings, rows }
}

function isWithDecimals(value: string): boolean {
  return value.includes('.') && parseDecimal(value.trim()) !== null
}

function yearToDate(amounts: readonly Decimal[], decimals: number): string {
  const [whole = '0', fraction = ''] = canonicalDecimal(sumDecimals(amounts)).split('.')
  return decimals === 0 ? whole : `${whole}.${fraction.padEnd(decimals, '0')}`
}
