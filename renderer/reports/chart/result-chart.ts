/** The chart of a profit and loss: what came in, what it cost, and what is left, column by column. Pure. */
import {
  addDecimals,
  compareDecimals,
  isZero,
  negateDecimal,
  subtractDecimals,
  sumDecimals,
  type Decimal,
} from '../../../shared/money.ts'
import { subjectOf } from '../../../shared/report-levels.ts'
import { holdsBoth, isResult, signOf } from '../../../shared/report-readings.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports.ts'
import { amount, areDays, groupsOf } from './chart-columns.ts'
import type { ChartSeries, ColumnsChart } from './chart-model.ts'

/** What is owned and owed stands in some of these reports too, and is no income and no cost. */
function resultSign(subject: string): 1 | -1 | null {
  return /\b(?:assets?|liabilit|equity|capital)/.test(subject) ? null : signOf(subject)
}

/** What income-like and cost-like sections state, looked for below sections that hold both. */
function signedSubtotals(rows: readonly ReportRow[]): {
  readonly income: ReportRow[]
  readonly cost: ReportRow[]
} {
  const found = { income: [] as ReportRow[], cost: [] as ReportRow[] }
  // Sections whose insides are looked into: the report itself, and those that hold income and cost.
  const open = new Set([-1])
  /** The last section at the top: some services close it by a TotalRow. */
  let top = ''
  rows.forEach((row, index) => {
    const around = row.kind === 'subtotal' ? (rows[row.parent]?.parent ?? -1) : row.parent
    if (!open.has(around)) return
    if (row.kind === 'section') {
      const subject = subjectOf(row.name)
      if (row.parent < 0) top = subject
      if (holdsBoth(subject)) open.add(index)
      return
    }
    const isClosing = row.kind === 'subtotal' && row.parent >= 0 && !open.has(row.parent)
    const isTotalOfTop = row.kind === 'total' && top !== '' && subjectOf(row.name) === top
    if (!isClosing && !isTotalOfTop) return
    const sign = resultSign(isClosing ? subjectOf(rows[row.parent]?.name ?? '') : top)
    if (sign === 1) found.income.push(row)
    else if (sign === -1) found.cost.push(row)
    top = ''
  })
  return found
}

export function resultChart(head: ReportHead, rows: readonly ReportRow[]): ColumnsChart | null {
  const { columns, names, whole } = groupsOf(head, rows)
  const { income, cost } = signedSubtotals(rows)
  const net = rows.findLast(({ kind, name }) => (kind === 'total' || kind === 'subtotal') && isResult(name))
  if (columns.length === 0 || !net || (income.length === 0 && cost.length === 0)) return null
  const sum = (parts: readonly ReportRow[], column: number): Decimal =>
    sumDecimals(parts.map((row) => amount(row, column)))
  const isOwing = areCostsNegative(
    sumDecimals(columns.map((column) => sum(income, column))),
    sumDecimals(columns.map((column) => sum(cost, column))),
    sumDecimals(columns.map((column) => amount(net, column))),
  )
  const spentIn = (column: number): Decimal =>
    isOwing ? negateDecimal(sum(cost, column)) : sum(cost, column)
  const series: ChartSeries[] = [
    { name: 'Income', look: 'first', values: columns.map((column) => sum(income, column)) },
    { name: 'Cost and expense', look: 'second', values: columns.map(spentIn) },
    { name: 'Net', look: 'line', values: columns.map((column) => amount(net, column)) },
  ]
  return {
    kind: 'columns',
    title: 'Income, expense and net',
    groups: names,
    isOverTime: areDays(names),
    series,
    summary: resultSummary(),
  }

  function resultSummary(): ColumnsChart['summary'] {
    if (whole < 0) return []
    const [earned, spent, left] = [sum(income, whole), spentIn(whole), amount(net, whole)]
    const other = subtractDecimals(left, subtractDecimals(earned, spent))
    return [
      { name: 'Income', value: earned },
      { name: 'Cost and expense', value: negateDecimal(spent) },
      ...(isZero(other) ? [] : [{ name: 'Other', value: other }]),
      { name: net?.name.trim() ?? 'Net', value: left },
    ]
  }
}

/** Whether costs are written with a minus: then it is their sum with the income that comes nearer to the net. */
function areCostsNegative(earned: Decimal, spent: Decimal, left: Decimal): boolean {
  const sized = (value: Decimal): Decimal => (value.startsWith('-') ? negateDecimal(value) : value)
  const added = sized(subtractDecimals(left, addDecimals(earned, spent)))
  const taken = sized(subtractDecimals(left, subtractDecimals(earned, spent)))
  return spent.startsWith('-') && compareDecimals(added, taken) < 0
}
