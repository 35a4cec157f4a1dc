/** A profit and loss with a column for each month. */
import {
  addDecimals,
  canonicalDecimal,
  type Decimal,
  parseDecimal,
  sumDecimals,
} from '../../../shared/format/money.ts'
import type { ReportRow } from '../../../shared/reports/reports.ts'
import { NotCheckedError, type RuleFindings } from '../findings.ts'
import { daysOfMonth, monthBefore } from '../plan.ts'
import type { FullReport } from './evidence.ts'
import { amountAt, incomeSign, type Line, linesOf, ZERO } from './lines.ts'
import { isHeadingOf, monthsBetween, monthsIntoYear } from './month-headings.ts'

/** The amounts of an account by month. The last one is the reviewed month. */
export interface MonthlyLine extends Line {
  readonly sign: 1 | -1
  readonly amounts: readonly Decimal[]
}

/** Returns the months from a report's first day to the reviewed one, oldest first, as `yyyy-mm`. */
function monthsOf({ from }: Pick<FullReport, 'from'>, month: string): readonly string[] {
  const count = monthsBetween(from, daysOfMonth(month).to)
  return Array.from({ length: count }, (_, at) => monthBefore(month, count - 1 - at))
}

/**
 * Returns the columns of a report's months, one each, oldest first; `null` where it has none, or more than one.
 *
 * *Assumption* (decisions.md, “Profit and loss over several months”).
 */
export function monthColumns(
  statement: Pick<FullReport, 'from' | 'columns'>,
  month: string,
): readonly number[] | null {
  const months = monthsOf(statement, month)
  const { columns } = statement
  const starts = columns.flatMap((_, from) =>
    months.every((each, at) => isHeadingOf(columns[from + at] ?? '', each)) ? [from] : [],
  )
  const [first] = starts
  // Without years in the headings, several columns may be those of the months.
  return first === undefined || starts.length > 1 ? null : months.map((_, at) => first + at)
}

/**
 * Returns the accounts of a profit and loss by month. Throws `NotCheckedError` if the report has no column per month.
 * @param lines of the statement, if they don’t have the keys of other reports
 */
export function monthlyLines(
  statement: FullReport,
  month: string,
  findings: RuleFindings,
  lines = linesOf(statement),
): readonly MonthlyLine[] {
  const columns = monthColumns(statement, month)
  if (columns === null) throw new NotCheckedError('The application didn’t provide profit and loss by month.')
  const byKey = new Map<string, MonthlyLine>()
  for (const line of lines) {
    const sign = incomeSign(line)
    if (sign === null) {
      findings.unchecked.add(
        line.isUnplaced
          ? 'Profit and loss doesn’t show where its sections end, so Bookbridge can’t tell income from costs.'
          : `Bookbridge can’t tell whether ${line.name} is income or a cost.`,
      )
      continue
    }
    const amounts = columns.map((at) => amountAt(line, at, findings))
    const known = byKey.get(line.key)
    byKey.set(line.key, {
      ...line,
      sign,
      amounts: known ? amounts.map((amount, at) => addDecimals(amount, known.amounts[at] ?? ZERO)) : amounts,
    })
  }
  return [...byKey.values()]
}

// A month's own statement, month and year to date, from profit and loss over the months that a review compares.

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
