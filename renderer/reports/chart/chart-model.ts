/**
 * What a report's chart shows, from the report's own numbers: amounts stay the service's exact decimals, and what is
 * added up here is added exactly. Where an amount can't be read there is no picture, and it is said why. Pure.
 */
import {
  addDecimals,
  isZero,
  negateDecimal,
  subtractDecimals,
  sumDecimals,
  type Decimal,
} from '../../../shared/money.ts'
import { subjectOf } from '../../../shared/report-levels.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports.ts'
import type { MadeReport } from '../report-maker.ts'
import { amount, areDays, groupsOf, MOST_GROUPS, ZERO } from './chart-columns.ts'
import { whyNoChart } from './chart-gaps.ts'
import { resultChart } from './result-chart.ts'

/** How a series is drawn and told apart. */
export type SeriesLook = 'first' | 'second' | 'line'

export interface ChartSeries {
  readonly name: string
  readonly look: SeriesLook
  /** One per group. */
  readonly values: readonly Decimal[]
}

/** Columns side by side per group (months, classes, buckets). */
export interface ColumnsChart {
  readonly kind: 'columns'
  readonly title: string
  readonly groups: readonly string[]
  /** The groups follow each other in time: what is left goes from one to the next. */
  readonly isOverTime: boolean
  readonly series: readonly ChartSeries[]
  /** The same over the whole period, as a small statement; the last line is what the others come to. */
  readonly summary: readonly { readonly name: string; readonly value: Decimal }[]
}

/** Bars one under the other, longest first. */
export interface BarsChart {
  readonly kind: 'bars'
  readonly title: string
  readonly bars: readonly { readonly name: string; readonly value: Decimal }[]
  /** Debits to the right and credits to the left, neither of which is a negative amount. */
  readonly hasSides: boolean
  /** How many rows the last bar stands for; 0 when every row has its own. */
  readonly others: number
}

export type ChartModel = ColumnsChart | BarsChart

const MOST_BARS = 12

/** Why a report that has a chart otherwise has none: a picture that lacks some of its amounts would mislead. */
export interface NoChart {
  readonly kind: 'none'
  readonly reason: string
}

/** What kind of chart a report has by its name; `null` for none. */
function kindOf(name: string): 'vendors' | 'trial' | 'ageing' | 'balance' | 'result' | null {
  if (/vendor.*expense|expense.*vendor/i.test(name)) return 'vendors'
  if (/trial ?balance/i.test(name)) return 'trial'
  if (/ag(?:e?ing|ed)/i.test(name)) return 'ageing'
  if (/balance ?sheet/i.test(name) && !/p(?:and)?l/i.test(name)) return 'balance'
  return /profitandloss|profit ?& ?loss|income ?statement|pandl|plandb/i.test(name) ? 'result' : null
}

/** The chart of a report, or why it can't be drawn; `null` where a picture would not help. */
export function chartOf({ head, rows }: Pick<MadeReport, 'head' | 'rows'>): ChartModel | NoChart | null {
  const kind = kindOf(head.name)
  if (kind === null) return null
  const reason = whyNoChart(head, rows, kind === 'balance' || kind === 'result' ? 'sums' : 'all')
  if (reason !== '') return { kind: 'none', reason }
  const model = modelOf(kind, head, rows)
  if (model?.kind === 'columns' && model.groups.length > MOST_GROUPS) {
    return {
      kind: 'none',
      reason: `${String(model.groups.length)} columns, without a total of them, are too many to be told apart in one.`,
    }
  }
  return model
}

function modelOf(
  kind: NonNullable<ReturnType<typeof kindOf>>,
  head: ReportHead,
  rows: readonly ReportRow[],
): ChartModel | null {
  switch (kind) {
    case 'vendors':
      return rankedBars('Expenses by vendor', head, rows)
    case 'trial':
      return trialBars(head, rows)
    case 'ageing':
      return ageingChart(head, rows)
    case 'balance':
      return balanceChart(head, rows)
    case 'result':
      return resultChart(head, rows)
  }
}

function balanceChart(head: ReportHead, rows: readonly ReportRow[]): ColumnsChart | null {
  const { columns, names, whole } = groupsOf(head, rows)
  const find = (subject: RegExp): ReportRow | undefined =>
    rows.find((row) => (row.kind === 'subtotal' || row.kind === 'total') && subject.test(subjectOf(row.name)))
  const assets = find(/^assets$/)
  const liabilities = find(/^liabilities$/)
  const equity = find(/^(?:.* )?(?:equity|capital|funds|net assets)$/)
  const both = find(/^liabilities (?:and|&) /)
  const isEquity = equity !== undefined && equity !== both
  if (!assets || columns.length === 0 || (!liabilities && !isEquity)) return null
  const owned = (column: number): Decimal => amount(assets, column)
  const owed = (column: number): Decimal =>
    liabilities
      ? amount(liabilities, column)
      : subtractDecimals(amount(both ?? assets, column), amount(equity, column))
  const left = (column: number): Decimal =>
    isEquity
      ? amount(equity, column)
      : subtractDecimals(amount(both ?? assets, column), amount(liabilities, column))
  const series: ChartSeries[] = [
    { name: 'Owned', look: 'first', values: columns.map(owned) },
    { name: 'Owed', look: 'second', values: columns.map(owed) },
    { name: 'Left', look: 'line', values: columns.map(left) },
  ]
  const summary =
    whole < 0
      ? []
      : [
          { name: 'Owned (assets)', value: owned(whole) },
          { name: 'Owed (liabilities)', value: negateDecimal(owed(whole)) },
          { name: 'Left (equity)', value: left(whole) },
        ]
  const isOverTime = areDays(names)
  return { kind: 'columns', title: 'Owned, owed and left', groups: names, isOverTime, series, summary }
}

/** A row with amounts of its own: those of a type that nobody described count as they are shown. */
function isEntry({ kind }: ReportRow): boolean {
  return kind === 'data' || kind === 'other'
}

/** Buckets as columns where the report has them as columns, else the sections of a detail report. */
function ageingChart(head: ReportHead, rows: readonly ReportRow[]): ColumnsChart | null {
  const { columns, names, whole } = groupsOf(head, rows)
  const isBucket = (name: string): boolean => /current|\d|over|older|past due/i.test(name)
  const total = rows.findLast(({ kind }) => kind === 'total')
  if (columns.length > 1 && names.every(isBucket)) {
    const leaves = rows.filter(isEntry)
    const value = (column: number): Decimal =>
      total ? amount(total, column) : sumDecimals(leaves.map((row) => amount(row, column)))
    const summary = whole < 0 ? [] : [{ name: 'Owed by customers', value: value(whole) }]
    return buckets(names, columns.map(value), summary)
  }
  const column = head.columns.findLastIndex((heading) =>
    /open balance|amount|balance due|total/i.test(heading),
  )
  const sections = rows.filter((row) => row.kind === 'subtotal' && row.level === 0 && row.parent >= 0)
  if (column < 0 || sections.length < 2 || sections.length > MOST_GROUPS) return null
  return buckets(
    sections.map((row) => rows[row.parent]?.name.trim() ?? ''),
    sections.map((row) => amount(row, column)),
    total ? [{ name: 'Owed by customers', value: amount(total, column) }] : [],
  )
}

function buckets(
  groups: readonly string[],
  values: readonly Decimal[],
  summary: ColumnsChart['summary'],
): ColumnsChart {
  return {
    kind: 'columns',
    title: 'Owed, by age',
    groups,
    isOverTime: false,
    series: [{ name: 'Owed', look: 'first', values }],
    summary,
  }
}

function rankedBars(title: string, head: ReportHead, rows: readonly ReportRow[]): BarsChart | null {
  const { whole, columns } = groupsOf(head, rows)
  const counted = whole >= 0 ? [whole] : columns
  return ranked(title, false, rows, (row) => sumDecimals(counted.map((column) => amount(row, column))))
}

/** Debit to the right, credit to the left. */
function trialBars(head: ReportHead, rows: readonly ReportRow[]): BarsChart | null {
  const debit = head.columns.findLastIndex((heading) => /\b(?:debit|dr)\b/i.test(heading))
  const credit = head.columns.findLastIndex((heading) => /\b(?:credit|cr)\b/i.test(heading))
  if (debit < 0 || credit < 0) return null
  return ranked('Debits and credits', true, rows, (row) =>
    subtractDecimals(amount(row, debit), amount(row, credit)),
  )
}

function ranked(
  title: string,
  hasSides: boolean,
  rows: readonly ReportRow[],
  valueOf: (row: ReportRow) => Decimal,
): BarsChart | null {
  const all = rows
    .filter(isEntry)
    .map((row) => ({ name: row.name.trim(), value: valueOf(row) }))
    .filter(({ value }) => !isZero(value))
    // Only the order and the lengths go through floats, never an amount that is shown.
    .toSorted((a, b) => Math.abs(Number(b.value)) - Math.abs(Number(a.value)))
  if (all.length === 0) return null
  if (all.length <= MOST_BARS) return { kind: 'bars', title, hasSides, bars: all, others: 0 }
  const rest = all.slice(MOST_BARS - 1)
  const sum = rest.reduce((total, { value }) => addDecimals(total, value), ZERO)
  const bars = [...all.slice(0, MOST_BARS - 1), { name: `${String(rest.length)} others`, value: sum }]
  return { kind: 'bars', title, hasSides, bars, others: rest.length }
}
