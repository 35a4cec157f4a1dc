/**
 * The content of a report's chart. Amounts stay exact decimals, and so do sums. If any amount can't be read,
 * there is no chart but a reason.
 */
import type { Format } from '../../../shared/format/format.ts'
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  isZero,
  negateDecimal,
  parseDecimal,
  subtractDecimals,
  sumDecimals,
} from '../../../shared/format/money.ts'
import { changeEffect, columnLabel, EFFECTS, listed, notASum } from '../../../shared/reports/columns.ts'
import { subjectOf } from '../../../shared/reports/levels.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports/reports.ts'
import { hasIncomeAndCost, isResult, resultSigns, signOf } from '../../../shared/reports/subjects.ts'

/** The style of a series. A result shows its amount above the column. */
export type SeriesStyle = 'first' | 'second' | 'other' | 'result'

export interface ChartSeries {
  readonly name: string
  readonly look: SeriesStyle
  /** One per group. */
  readonly values: readonly Decimal[]
  /** The column that the series belongs to in a stacked chart. */
  readonly stack?: string
}

/** Columns by group (months, classes, buckets). */
export interface ColumnsChart {
  readonly kind: 'columns'
  readonly title: string
  readonly groups: readonly string[]
  /** Whether the series of one stack are stacked, instead of side by side. */
  readonly isStacked: boolean
  readonly series: readonly ChartSeries[]
  /** The whole period as a short statement. The last line is the sum of the others. */
  readonly summary: readonly { readonly name: string; readonly value: Decimal }[]
}

interface Bar {
  readonly name: string
  readonly value: Decimal
  /** What a change does to the result, as `changeEffect`. */
  readonly effect?: 1 | -1 | 0
}

/** Horizontal bars, longest first. */
export interface BarsChart {
  readonly kind: 'bars'
  readonly title: string
  readonly bars: readonly Bar[]
  /** Whether debits extend to the right and credits to the left; neither is negative. */
  readonly hasSides: boolean
  /** Whether amounts are changes, shown with their sign. */
  readonly isChange?: true
  /** Number of rows combined in the last bar; 0 if every row has its own. */
  readonly others: number
}

export type ChartModel = ColumnsChart | BarsChart

const MAX_BARS = 12

/** Why there is no chart. A chart without some of the amounts would be misleading. */
export interface NoChart {
  readonly kind: 'none'
  readonly reason: string
}

/** Returns the kind of chart for a report's name; `null` if there is none. */
function kindOf(name: string): 'vendors' | 'trial' | 'aging' | 'balance' | 'result' | null {
  if (/vendor.*expense|expense.*vendor/i.test(name)) return 'vendors'
  if (/trial ?balance/i.test(name)) return 'trial'
  if (/ag(?:e?ing|ed)/i.test(name)) return 'aging'
  if (/balance ?sheet/i.test(name) && !/p(?:and)?l/i.test(name)) return 'balance'
  return /profitandloss|profit ?& ?loss|income ?statement|pandl|plandb/i.test(name) ? 'result' : null
}

/** Creates the chart of a report, or says why there is none; `null` if a chart wouldn't help. */
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
  if (model?.kind === 'columns' && model.groups.length > MAX_GROUPS) {
    return {
      kind: 'none',
      reason: `${String(model.groups.length)} columns without a total are too many for one chart.`,
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

/** Whether a row has its own amounts. Rows of an unknown type count. */
function isEntry({ kind }: ReportRow): boolean {
  return kind === 'data' || kind === 'other'
}

/** Creates the chart of an aging report. Its buckets are columns, or the sections of a detail report. */
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
  if (column < 0 || sections.length < 2 || sections.length > MAX_GROUPS) return null
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

/** Largest number of bars in a comparison. */
const MAX_CHANGES = 5

/**
 * Creates the chart of the largest changes between two periods; `null` if there isn't exactly one column of
 * changes.
 */
function biggestChanges(head: ReportHead, rows: readonly ReportRow[]): BarsChart | null {
  const changes = head.columns.flatMap((heading, column) =>
    /(?:^|, )change$/i.test(heading.trim()) ? [column] : [],
  )
  const column = changes.length === 1 ? changes[0] : undefined
  if (column === undefined) return null
  const signs = resultSigns(head.name, rows)
  const all = rows
    .flatMap((row, at) => (isEntry(row) ? [{ row, sign: signs[at] ?? 0 }] : []))
    .map(({ row, sign }): Bar => {
      const value = amount(row, column)
      return { name: row.name.trim(), value, effect: changeEffect(value, sign) }
    })
    .filter(({ value }) => !isZero(value))
    .toSorted((a, b) => Math.abs(Number(b.value)) - Math.abs(Number(a.value)))
  if (all.length === 0) return null
  const bars = all.slice(0, MAX_CHANGES)
  return { kind: 'bars', title: 'Biggest changes', hasSides: false, isChange: true, bars, others: 0 }
}

/** Creates the chart of a trial balance: debits to the right, credits to the left. */
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
    // Floating point only affects order and length, never a displayed amount.
    .toSorted((a, b) => Math.abs(Number(b.value)) - Math.abs(Number(a.value)))
  if (all.length === 0) return null
  if (all.length <= MAX_BARS) return { kind: 'bars', title, hasSides, bars: all, others: 0 }
  const rest = all.slice(MAX_BARS - 1)
  const sum = rest.reduce((total, { value }) => addDecimals(total, value), ZERO)
  const bars = [...all.slice(0, MAX_BARS - 1), { name: `${String(rest.length)} others`, value: sum }]
  return { kind: 'bars', title, hasSides, bars, others: rest.length }
}

// The columns of a report that its chart draws.

const ZERO = '0.00' as Decimal
/** Most groups that are distinguishable in the panel. With more, only the whole period is drawn. */
const MAX_GROUPS = 13

/** Returns the amount in a cell, or zero. `whyNoChart` has already rejected unreadable amounts. */
function amount(row: ReportRow | undefined, column: number): Decimal {
  return parseDecimal(row?.values[column] ?? '') ?? ZERO
}

/** Returns the columns whose headings allow sums. */
function columnsOfAmounts(head: ReportHead): number[] {
  // The change between two periods isn't another period.
  const isChange = (heading: string): boolean => head.making === 'compared' && /\bchange$/i.test(heading)
  return head.columns.flatMap((heading, column) =>
    notASum(head.name, head.columns, column) === null && !isChange(heading) ? [column] : [],
  )
}

/** Returns the columns with sums, and the one that is the total of the others (−1 for none). */
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

/** Whether the report adds up a column, unlike dates and document numbers. */
function isAddedUp(rows: readonly ReportRow[], column: number): boolean {
  return addedUp(rows).some(({ values }) => parseDecimal(values[column] ?? '') !== null)
}

/** Returns the rows with totals, or all rows if there are none. */
function addedUp(rows: readonly ReportRow[]): readonly ReportRow[] {
  const sums = rows.filter(({ kind }) => kind === 'subtotal' || kind === 'total')
  return sums.length > 0 ? sums : rows
}

/**
 * Returns the columns to draw with their headings, and the column of the whole period (−1 for none). There are
 * only more than `MAX_GROUPS` if no column is their total.
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
  const kept = parts.length > MAX_GROUPS && whole >= 0 ? [whole] : parts
  // A comparison lists the current period first. A chart is chronological.
  const [current, other] = head.periods
  const isBackward =
    head.making === 'compared' && current !== undefined && other !== undefined && other.from < current.from
  const columns = isBackward ? kept.map((column, at) => kept[at % 2 === 0 ? at + 1 : at - 1] ?? column) : kept
  return { columns, names: columns.map((column) => head.columns[column]?.trim() ?? ''), whole }
}

/*
 * Amounts that a chart needs but can't read. The service may format them as *1,234.50* or *(250.00)*. They are
 * shown as received everywhere but never guessed, and a chart without them would be wrong.
 */

/** A number with thousands marks, parentheses, or a currency; neither a date nor a percentage. */
const WRITTEN_AMOUNT = /^[^\p{L}\d%]*(?:\p{L}{1,3}[^\p{L}\d%]*)?\d[^\p{L}%]*(?:\p{L}{1,3}\.?)?$/u
const DATE = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:\D|$)/
/** A dash means that there is no amount. */
const DASH = /^[-\u2212\p{Pd}]+$/u

/** Returns the text of a cell that isn't a readable amount; empty if it is one or the cell is blank. */
function unread(row: ReportRow, column: number): string {
  const text = (row.values[column] ?? '').trim()
  return text === '' || DASH.test(text) || parseDecimal(text) !== null ? '' : text
}

/**
 * Says why there is no chart; empty if there can be one.
 * @param reads the rows that the chart uses: those with totals, or all
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
  const names = listed(found.map(({ column }) => columnLabel(head.columns, column)))
  return `Some amounts aren’t plain numbers, such as “${first.text.slice(0, 40)}”, so a chart would leave them out. Affected: ${names}.`
}

// The chart of a profit and loss: income, other income, cost, and net by column.

/** Some of these reports also contain assets and liabilities, which are neither income nor cost. */
function resultSign(subject: string): 1 | -1 | null {
  return /\b(?:assets?|liabilit|equity|capital)/.test(subject) ? null : signOf(subject)
}

/** Income outside the business itself, which isn't part of the report's total income. */
const OTHER_INCOME = /^(?:other|non-?operating|extraordinary)\b/

/** Returns the totals of income and cost sections, including those inside sections with both. */
function signedSubtotals(rows: readonly ReportRow[]): {
  readonly income: ReportRow[]
  readonly otherIncome: ReportRow[]
  readonly cost: ReportRow[]
} {
  const found = { income: [] as ReportRow[], otherIncome: [] as ReportRow[], cost: [] as ReportRow[] }
  // Sections to search: the report itself, and those that contain both income and cost.
  const open = new Set([-1])
  /** The last top-level section, which some services close with a TotalRow. */
  let top = ''
  rows.forEach((row, index) => {
    const around = row.kind === 'subtotal' ? (rows[row.parent]?.parent ?? -1) : row.parent
    if (!open.has(around)) return
    if (row.kind === 'section') {
      const subject = subjectOf(row.name)
      if (row.parent < 0) top = subject
      if (hasIncomeAndCost(subject)) open.add(index)
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
    { name: 'Costs and expenses', look: 'second', values: columns.map(spentIn) },
    { name: 'Net', look: 'result', values: columns.map((column) => amount(net, column)) },
  ]
  return {
    kind: 'columns',
    title: 'Income, expenses, and net',
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
      { name: 'Costs and expenses', value: negateDecimal(spent) },
      ...(isZero(other) ? [] : [{ name: 'Other', value: other }]),
      { name: net?.name.trim() ?? 'Net', value: left },
    ]
  }
}

/** Whether costs are negative. If so, income plus cost is closer to net than income minus cost. */
function areCostsNegative(earned: Decimal, spent: Decimal, left: Decimal): boolean {
  const sized = (value: Decimal): Decimal => (value.startsWith('-') ? negateDecimal(value) : value)
  const added = sized(subtractDecimals(left, addDecimals(earned, spent)))
  const taken = sized(subtractDecimals(left, subtractDecimals(earned, spent)))
  return spent.startsWith('-') && compareDecimals(added, taken) < 0
}

// The numbers of a chart as a table and as a sentence for screen readers.

/** The lines of one group. An empty name means the whole chart. */
export interface ChartNumbers {
  readonly name: string
  readonly lines: readonly { readonly name: string; readonly text: string }[]
}

/** Returns the numbers of a chart. Groups are listed one below another, so that no amount is cut off. */
export function chartNumbers(model: ChartModel, format: Format): readonly ChartNumbers[] {
  if (model.kind === 'bars') {
    const lines = model.bars.map((bar) => ({ name: bar.name, text: barText(model, bar, format) }))
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

/** Formats a bar's amount: a change with its sign, a trial balance with Dr or Cr. */
export function barText(
  { hasSides, isChange }: Pick<BarsChart, 'hasSides' | 'isChange'>,
  { value, effect = 0 }: Bar,
  format: Format,
): string {
  const mark = effect === 0 ? '' : ` ${EFFECTS[effect].mark}`
  if (isChange) return `${value.startsWith('-') ? '' : '+'}${format.money(value)}${mark}`
  if (!hasSides) return format.money(value)
  return value.startsWith('-') ? `${format.money(negateDecimal(value))} Cr` : `${format.money(value)} Dr`
}

/** `Jan 2026: income 125,167.65, costs and expenses 106,097.03, net 19,083.02. Feb …` */
export function chartSentence(model: ChartModel, format: Format): string {
  if (model.kind === 'bars') {
    const bars = model.bars.map(({ name, value, effect = 0 }) => {
      const text = effect === 0 ? '' : ` (${EFFECTS[effect].word})`
      return `${name} ${barText(model, { name, value }, format)}${text}`
    })
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
