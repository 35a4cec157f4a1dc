/** Which of a report's columns a chart draws, and what stands in them. Pure. */
import { parseDecimal, type Decimal } from '../../../shared/money.ts'
import { notASum } from '../../../shared/report-columns.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports.ts'

export const ZERO = '0.00' as Decimal
/** More groups than this can't be told apart in the panel: then the whole period stands alone. */
export const MOST_GROUPS = 13

/** The amount in a cell; zero where there is none. What else may stand there is told by `whyNoChart` before. */
export function amount(row: ReportRow | undefined, column: number): Decimal {
  return parseDecimal(row?.values[column] ?? '') ?? ZERO
}

/** The columns that may be sums by their headings. */
export function columnsOfAmounts(head: ReportHead): number[] {
  // Beside another period, what changed is no third period.
  const isChange = (heading: string): boolean => head.making === 'compared' && /\bchange$/i.test(heading)
  return head.columns.flatMap((heading, column) =>
    notASum(head.name, head.columns, column) === null && !isChange(heading) ? [column] : [],
  )
}

/** The columns that are sums, and which of them is the total of the others (−1 for none). */
function sumColumns(
  head: ReportHead,
  rows: readonly ReportRow[],
): { readonly parts: readonly number[]; readonly total: number } {
  const sums = columnsOfAmounts(head).filter((column) => isAddedUp(rows, column))
  const total =
    sums.findLast((column) => /^(?:grand )?total$/i.test(head.columns[column]?.trim() ?? '')) ?? -1
  const parts = sums.filter((column) => !/^(?:grand )?total\b/i.test(head.columns[column]?.trim() ?? ''))
  return parts.length === 0 ? { parts: sums, total: -1 } : { parts, total }
}

/** Whether a column's amounts are added up somewhere, as dates and numbers of documents are not. */
function isAddedUp(rows: readonly ReportRow[], column: number): boolean {
  return addedUp(rows).some(({ values }) => parseDecimal(values[column] ?? '') !== null)
}

/** The rows that state sums; all rows where none does. */
export function addedUp(rows: readonly ReportRow[]): readonly ReportRow[] {
  const sums = rows.filter(({ kind }) => kind === 'subtotal' || kind === 'total')
  return sums.length > 0 ? sums : rows
}

/**
 * The columns to draw, with their headings, and the column of the whole period (−1 for none). More than `MOST_GROUPS`
 * only where no column is the total of them.
 */
export function groupsOf(
  head: ReportHead,
  rows: readonly ReportRow[],
): {
  readonly columns: readonly number[]
  readonly names: readonly string[]
  readonly whole: number
} {
  const { parts, total } = sumColumns(head, rows)
  const whole = total >= 0 ? total : parts.length === 1 ? (parts[0] ?? -1) : -1
  const columns = parts.length > MOST_GROUPS && whole >= 0 ? [whole] : parts
  return { columns, names: columns.map((column) => head.columns[column]?.trim() ?? ''), whole }
}

const DAYS =
  /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b(?:19|20)\d\d\b|^q[1-4]\b|\d[/.-]\d/i

/** Whether groups are days, months, or years, one after another. */
export function areDays(names: readonly string[]): boolean {
  return names.length > 1 && names.every((name) => DAYS.test(name))
}
