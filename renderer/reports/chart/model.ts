/**
 * What a report's chart shows. Amounts stay the service's exact decimals, and sums are exact. If an amount can't be read,
 * there is no chart but a reason. Pure.
 */
import {
  type Decimal,
  addDecimals,
  compareDecimals,
  isZero,
  negateDecimal,
  parseDecimal,
  subtractDecimals,
  sumDecimals,
} from '../../../shared/format/money.ts'
import { columnName, listed, notASum } from '../../../shared/reports/columns.ts'
import { subjectOf } from '../../../shared/reports/levels.ts'
import { holdsBoth, isResult, signOf } from '../../../shared/reports/subjects.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports/reports.ts'
import type { Format } from '../../../shared/format/format.ts'

/** How a series is told apart. A result has its amount above it. */
export type SeriesLook = 'first' | 'second' | 'other' | 'result'

export interface ChartSeries {
  readonly name: string
  readonly look: SeriesLook
  /** One per group. */
  readonly values: readonly Decimal[]
  /** In a stacked chart: the column that it is part of. */
  readonly stack?: string
}

/** Columns for each group (months, classes, buckets). */
export interface ColumnsChart {
  readonly kind: 'columns'
  readonly title: string
  readonly groups: readonly string[]
  /** Whether the series of one stack stand on top of each other, instead of every series beside the others. */
  readonly isStacked: boolean
  readonly series: readonly ChartSeries[]
  /** The whole period as a small statement. The last line is what the others add up to. */
  readonly summary: readonly { readonly name: string; readonly value: Decimal }[]
}

/** Bars below each other, longest first. */
export interface BarsChart {
  readonly kind: 'bars'
  readonly title: string
  readonly bars: readonly { readonly name: string; readonly value: Decimal }[]
  /** Debits go right and credits left; neither is a negative amount. */
  readonly hasSides: boolean
  /** Amounts are changes and bear their sign. */
  readonly isChange?: true
  /** How many rows the last bar stands for; 0 when every row has its own. */
  readonly others: number
}

export type ChartModel = ColumnsChart | BarsChart

const MOST_BARS = 12

/** Why there is no chart: one that lacks some of the amounts would mislead. */
export interface NoChart {
  readonly kind: 'none'
  readonly reason: string
}

/** What kind of chart a report has by its name; `null` for none. */
function kindOf(name: string): 'vendors' | 'trial' | 'aging' | 'balance' | 'result' | null {
  if (/vendor.*expense|expense.*vendor/i.test(name)) return 'vendors'
  if (/trial ?balance/i.test(name)) return 'trial'
  if (/ag(?:e?ing|ed)/i.test(name)) return 'aging'
  if (/balance ?sheet/i.test(name) && !/p(?:and)?l/i.test(name)) return 'balance'
  return /profitandloss|profit ?& ?loss|income ?statement|pandl|plandb/i.test(name) ? 'result' : null
}

/** The chart of a report, or why it can't be drawn; `null` where a picture would not help. */
export function chartOf({
  head,
  rows,
}: {
  readonly head: ReportHead
  readonly rows: readonly ReportRow[]
}): ChartModel | NoChart | null {
  const kind = kindOf(head.name)
  if (kind === null) return null
  const reason = whyNoChart(head, rows, kind === 'balance' || kind === 'result' ? 'sums' : 'all')
  if (reason !== '') return { kind: 'none', reason }
  const model = (head.making === 'compared' ? biggestChanges(head, rows) : null) ?? modelOf(kind, head, rows)
  if (model?.kind === 'columns' && model.groups.length > MOST_GROUPS) {
    return {
      kind: 'none',
      reason: `${String(model.groups.length)} columns, without a total of them, are too many for one chart.`,
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
    case 'aging':
      return agingChart(head, rows)
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
  const other = 'liabilities and equity'
  const series: ChartSeries[] = [
    { name: 'Assets', look: 'first', values: columns.map(owned), stack: 'assets' },
    { name: 'Liabilities', look: 'second', values: columns.map(owed), stack: other },
    { name: 'Equity', look: 'other', values: columns.map(left), stack: other },
  ]
  const summary =
    whole < 0
      ? []
      : [
          { name: 'Assets', value: owned(whole) },
          { name: 'Liabilities', value: negateDecimal(owed(whole)) },
          { name: 'Equity', value: left(whole) },
        ]
  return {
    kind: 'columns',
    title: 'Assets, liabilities, and equity',
    groups: names,
    isStacked: true,
    series,
    summary,
  }
}

/** Whether a row has amounts of its own. Rows of an unknown type count as they are shown. */
function isEntry({ kind }: ReportRow): boolean {
  return kind === 'data' || kind === 'other'
}

/** The buckets of an aging report: its columns, or the sections of a detail report. */
function agingChart(head: ReportHead, rows: readonly ReportRow[]): ColumnsChart | null {
  const { columns, names, whole } = groupsOf(head, rows)
  const isBucket = (name: string): boolean => /current|\d|over|older|past due/i.test(name)
  const total = rows.findLast(({ kind }) => kind === 'total')
  if (columns.length > 1 && names.every(isBucket)) {
    const leaves = rows.filter(isEntry)
    const value = (column: number): Decimal =>
      total ? amount(total, column) : sumDecimals(leaves.map((row) => amount(row, column)))
    const summary = whole < 0 ? [] : [{ name: 'Open balance', value: value(whole) }]
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
    total ? [{ name: 'Open balance', value: amount(total, column) }] : [],
  )
}

function buckets(
  groups: readonly string[],
  values: readonly Decimal[],
  summary: ColumnsChart['summary'],
): ColumnsChart {
  return {
    kind: 'columns',
    title: 'Open balance by age',
    groups,
    isStacked: false,
    series: [{ name: 'Open balance', look: 'first', values }],
    summary,
  }
}

function rankedBars(title: string, head: ReportHead, rows: readonly ReportRow[]): BarsChart | null {
  const { whole, columns } = groupsOf(head, rows)
  const counted = whole >= 0 ? [whole] : columns
  return ranked(title, false, rows, (row) => sumDecimals(counted.map((column) => amount(row, column))))
}

/** The most bars of a comparison. */
const MOST_CHANGES = 5

/** The rows that changed most between two periods; `null` if no single column holds the change. */
function biggestChanges(head: ReportHead, rows: readonly ReportRow[]): BarsChart | null {
  const changes = head.columns.flatMap((heading, column) =>
    /(?:^|, )change$/i.test(heading.trim()) ? [column] : [],
  )
  const column = changes.length === 1 ? changes[0] : undefined
  if (column === undefined) return null
  const all = rows
    .filter(isEntry)
    .map((row) => ({ name: row.name.trim(), value: amount(row, column) }))
    .filter(({ value }) => !isZero(value))
    .toSorted((a, b) => Math.abs(Number(b.value)) - Math.abs(Number(a.value)))
  if (all.length === 0) return null
  const bars = all.slice(0, MOST_CHANGES)
  return { kind: 'bars', title: 'Biggest changes', hasSides: false, isChange: true, bars, others: 0 }
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

// Which of a report's columns a chart draws, and what they hold. Pure.

const ZERO = '0.00' as Decimal
/** More groups than this can't be told apart in the panel: then the whole period stands alone. */
const MOST_GROUPS = 13

/** The amount in a cell; zero where there is none. What else may stand there is told by `whyNoChart` before. */
function amount(row: ReportRow | undefined, column: number): Decimal {
  return parseDecimal(row?.values[column] ?? '') ?? ZERO
}

/** The columns that may be sums by their headings. */
function columnsOfAmounts(head: ReportHead): number[] {
  // The change between two periods is not a third period.
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
function addedUp(rows: readonly ReportRow[]): readonly ReportRow[] {
  const sums = rows.filter(({ kind }) => kind === 'subtotal' || kind === 'total')
  return sums.length > 0 ? sums : rows
}

/**
 * The columns to draw, with their headings, and the column of the whole period (−1 for none). More than `MOST_GROUPS`
 * only where no column is the total of them.
 */
function groupsOf(
  head: ReportHead,
  rows: readonly ReportRow[],
): {
  readonly columns: readonly number[]
  readonly names: readonly string[]
  readonly whole: number
} {
  const { parts, total } = sumColumns(head, rows)
  const whole = total >= 0 ? total : parts.length === 1 ? (parts[0] ?? -1) : -1
  const kept = parts.length > MOST_GROUPS && whole >= 0 ? [whole] : parts
  // A comparison lists the current period first; a chart runs in the order of time.
  const [current, other] = head.periods
  const isBackward =
    head.making === 'compared' && current !== undefined && other !== undefined && other.from < current.from
  const columns = isBackward ? kept.map((column, at) => kept[at % 2 === 0 ? at + 1 : at - 1] ?? column) : kept
  return { columns, names: columns.map((column) => head.columns[column]?.trim() ?? ''), whole }
}

/*
 * Amounts that a chart would need and can't read: the service may write them as *1,234.50* or *(250.00)*. They are shown
 * as written everywhere, but never guessed at, and a picture without them would be a false one. Pure.
 */

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
function whyNoChart(head: ReportHead, rows: readonly ReportRow[], reads: 'sums' | 'all'): string {
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
  return `Not every amount is written as a plain number, such as “${first.text.slice(0, 40)}”, and a chart would leave it out. Affected: ${names}.`
}

// The chart of a profit and loss: income, other income, cost, and net, column by column. Pure.

/** Some of these reports hold assets and liabilities too, which are neither income nor cost. */
function resultSign(subject: string): 1 | -1 | null {
  return /\b(?:assets?|liabilit|equity|capital)/.test(subject) ? null : signOf(subject)
}

/** Income beside the business itself, which the report does not count in its total income. */
const OTHER_INCOME = /^(?:other|non-?operating|extraordinary)\b/

/** The sums of income and cost sections, also inside sections that hold both. */
function signedSubtotals(rows: readonly ReportRow[]): {
  readonly income: ReportRow[]
  readonly otherIncome: ReportRow[]
  readonly cost: ReportRow[]
} {
  const found = { income: [] as ReportRow[], otherIncome: [] as ReportRow[], cost: [] as ReportRow[] }
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
    const subject = isClosing ? subjectOf(rows[row.parent]?.name ?? '') : top
    const sign = resultSign(subject)
    if (sign === 1) (OTHER_INCOME.test(subject) ? found.otherIncome : found.income).push(row)
    else if (sign === -1) found.cost.push(row)
    top = ''
  })
  return found
}

function resultChart(head: ReportHead, rows: readonly ReportRow[]): ColumnsChart | null {
  const { columns, names, whole } = groupsOf(head, rows)
  const { income, otherIncome, cost } = signedSubtotals(rows)
  const net = rows.findLast(({ kind, name }) => (kind === 'total' || kind === 'subtotal') && isResult(name))
  if (columns.length === 0 || !net || (income.length === 0 && cost.length === 0)) return null
  const sum = (parts: readonly ReportRow[], column: number): Decimal =>
    sumDecimals(parts.map((row) => amount(row, column)))
  const isOwing = areCostsNegative(
    sumDecimals(columns.map((column) => sum([...income, ...otherIncome], column))),
    sumDecimals(columns.map((column) => sum(cost, column))),
    sumDecimals(columns.map((column) => amount(net, column))),
  )
  const spentIn = (column: number): Decimal =>
    isOwing ? negateDecimal(sum(cost, column)) : sum(cost, column)
  const series: ChartSeries[] = [
    { name: 'Income', look: 'first', values: columns.map((column) => sum(income, column)) },
    ...(otherIncome.length === 0
      ? []
      : [
          {
            name: 'Other income',
            look: 'other' as const,
            values: columns.map((column) => sum(otherIncome, column)),
          },
        ]),
    { name: 'Cost and expense', look: 'second', values: columns.map(spentIn) },
    { name: 'Net', look: 'result', values: columns.map((column) => amount(net, column)) },
  ]
  return {
    kind: 'columns',
    title: 'Income, expense, and net',
    groups: names,
    isStacked: false,
    series,
    summary: resultSummary(),
  }

  function resultSummary(): ColumnsChart['summary'] {
    if (whole < 0) return []
    const [earned, further] = [sum(income, whole), sum(otherIncome, whole)]
    const [spent, left] = [spentIn(whole), amount(net, whole)]
    const other = subtractDecimals(left, subtractDecimals(addDecimals(earned, further), spent))
    return [
      { name: 'Income', value: earned },
      ...(otherIncome.length === 0 ? [] : [{ name: 'Other income', value: further }]),
      { name: 'Cost and expense', value: negateDecimal(spent) },
      ...(isZero(other) ? [] : [{ name: 'Other', value: other }]),
      { name: net?.name.trim() ?? 'Net', value: left },
    ]
  }
}

/** Whether costs are written with a minus: then adding them to the income comes closer to the net. */
function areCostsNegative(earned: Decimal, spent: Decimal, left: Decimal): boolean {
  const sized = (value: Decimal): Decimal => (value.startsWith('-') ? negateDecimal(value) : value)
  const added = sized(subtractDecimals(left, addDecimals(earned, spent)))
  const taken = sized(subtractDecimals(left, subtractDecimals(earned, spent)))
  return spent.startsWith('-') && compareDecimals(added, taken) < 0
}

// A chart's numbers as a table, and the sentence for readers who can't see it. Pure.

/** Lines under the name of their group; an empty name stands for the whole chart. */
export interface ChartNumbers {
  readonly name: string
  readonly lines: readonly { readonly name: string; readonly text: string }[]
}

/** The numbers behind a chart. Groups follow one another, so that no amount is cut off, however large. */
export function chartNumbers(model: ChartModel, format: Format): readonly ChartNumbers[] {
  if (model.kind === 'bars') {
    const lines = model.bars.map(({ name, value }) => ({ name, text: barText(model, value, format) }))
    return [{ name: '', lines }]
  }
  const text = (value: string | undefined): string => (value === undefined ? '' : format.money(value))
  const { series } = model
  const [only] = series
  if (only && series.length === 1) {
    return [{ name: '', lines: model.groups.map((name, at) => ({ name, text: text(only.values[at]) })) }]
  }
  return model.groups.map((name, at) => ({
    name: name === '' ? 'In all' : name,
    lines: series.map((each) => ({ name: each.name, text: text(each.values[at]) })),
  }))
}

/** A bar's amount as the report says it: a change with its sign, a trial balance with Dr or Cr. */
export function barText(
  { hasSides, isChange }: Pick<BarsChart, 'hasSides' | 'isChange'>,
  value: Decimal,
  format: Format,
): string {
  if (isChange && !value.startsWith('-')) return `+${format.money(value)}`
  if (!hasSides) return format.money(value)
  return value.startsWith('-') ? `${format.money(negateDecimal(value))} Cr` : `${format.money(value)} Dr`
}

/** `Jan 2026: income 125,167.65, cost and expense 106,097.03, net 19,083.02. Feb …` */
export function chartSentence(model: ChartModel, format: Format): string {
  if (model.kind === 'bars') {
    const bars = model.bars.map(({ name, value }) => `${name} ${barText(model, value, format)}`)
    return `${model.title}: ${bars.join(', ')}.`
  }
  const groups = model.groups.map((group, index) => {
    const values = model.series.map(
      ({ name, values: each }) => `${name.toLowerCase()} ${format.money(each[index] ?? '0')}`,
    )
    return `${group === '' ? 'In all' : group}: ${values.join(', ')}.`
  })
  return `${model.title}. ${groups.join(' ')}`
}
