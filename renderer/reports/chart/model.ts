/**
 * What a report's chart shows, from the report's own numbers: amounts stay the service's exact decimals, and what is
 * added up here is added exactly. Where an amount can't be read there is no picture, and it is said why. Pure.
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
import { holdsBoth, isResult, signOf } from '../../../shared/reports/readings.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports/reports.ts'
import type { Format } from '../../../shared/format/format.ts'
import type { MadeReport } from '../maker.ts'

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

// Which of a report's columns a chart draws, and what stands in them. Pure.

const ZERO = '0.00' as Decimal
/** More groups than this can't be told apart in the panel: then the whole period stands alone. */
const MOST_GROUPS = 13

/** The amount in a cell; zero where there is none. What else may stand there is told by `whyNoChart` before. */
function amount(row: ReportRow | undefined, column: number): Decimal {
  return parseDecimal(row?.values[column] ?? '') ?? ZERO
}

/** The columns that may be sums by their headings. */
function columnsOfAmounts(head: ReportHead): number[] {
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
  const columns = parts.length > MOST_GROUPS && whole >= 0 ? [whole] : parts
  return { columns, names: columns.map((column) => head.columns[column]?.trim() ?? ''), whole }
}

const DAYS =
  /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b(?:19|20)\d\d\b|^q[1-4]\b|\d[/.-]\d/i

/** Whether groups are days, months, or years, one after another. */
function areDays(names: readonly string[]): boolean {
  return names.length > 1 && names.every((name) => DAYS.test(name))
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
  return `Not every amount is written as a plain number, such as “${first.text.slice(0, 40)}”, and a chart would leave it out. It concerns: ${names}.`
}

// The chart of a profit and loss: what came in, what it cost, and what is left, column by column. Pure.

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

function resultChart(head: ReportHead, rows: readonly ReportRow[]): ColumnsChart | null {
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

/** A bar's amount as the report says it: credits of a trial balance are no negative amounts. */
export function barText({ hasSides }: Pick<BarsChart, 'hasSides'>, value: Decimal, format: Format): string {
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
