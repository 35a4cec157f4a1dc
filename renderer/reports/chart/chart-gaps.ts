/**
 * Amounts that a chart would need and can't read: the service may write them as *1,234.50* or *(250.00)*. They are shown
 * as written everywhere, but never guessed at, and a picture without them would be a false one. Pure.
 */
import { parseDecimal } from '../../../shared/money.ts'
import { columnName, listed } from '../../../shared/report-columns.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports.ts'
import { addedUp, columnsOfAmounts } from './chart-columns.ts'

/** Figures with marks, brackets, or a currency around them; neither a date nor a percentage. */
const WRITTEN_AMOUNT = /^[^\p{L}\d%]*(?:\p{L}{1,3}[^\p{L}\d%]*)?\d[^\p{L}%]*(?:\p{L}{1,3}\.?)?$/u
const DATE = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:\D|$)/
/** A dash stands for no amount. */
const DASH = /^[-\u2212\p{Pd}]+$/u

/** What stands in a cell where an amount should: empty where it is one, or nothing. */
function unread(row: ReportRow, column: number): string {
  const text = (row.values[column] ?? '').trim()
  return text === '' || DASH.test(text) || parseDecimal(text) !== null ? '' : text
}

/**
 * Why no chart is drawn, as a sentence; empty where one can be.
 * @param reads which rows the chart is made of: those that state sums, or every row
 */
export function whyNoChart(head: ReportHead, rows: readonly ReportRow[], reads: 'sums' | 'all'): string {
  const sums = addedUp(rows)
  const read = (reads === 'sums' ? sums : rows).filter(({ kind }) => kind !== 'spacer')
  const found: { readonly column: number; readonly text: string }[] = []
  for (const column of columnsOfAmounts(head)) {
    const isOfAmounts = sums.some((row) => {
      const text = unread(row, column)
      if (text === '') return parseDecimal(row.values[column] ?? '') !== null
      return WRITTEN_AMOUNT.test(text) && !DATE.test(text)
    })
    if (!isOfAmounts) continue
    const text = read.map((row) => unread(row, column)).find((each) => each !== '')
    if (text !== undefined) found.push({ column, text })
  }
  const [first] = found
  if (!first) return ''
  const names = listed(found.map(({ column }) => columnName(head.columns, column)))
  return `Not every amount is written as a plain number, such as “${first.text.slice(0, 40)}”, and a chart would leave it out. It concerns: ${names}.`
}
