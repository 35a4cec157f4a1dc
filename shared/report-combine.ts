/**
 * What several reports of one name come to as one: compared with another period, or as a trend. Amounts are exact;
 * what did not add up in one of them is still said of the whole. Pure.
 */
import { addDecimals, parseDecimal, subtractDecimals, type Decimal } from './format/money.ts'
import { notASum } from './reports/columns.ts'
import { changePercent } from './report-change.ts'
import { mergeReports, type MergedRow } from './report-merge.ts'
import type { ReportChecks, ReportFinding, ReportRow } from './reports/reports.ts'

/** A report to be put beside others, and what it is called there: *1 Jan – 31 Mar 2026*. */
export interface CombinedSource {
  readonly label: string
  readonly columns: readonly string[]
  readonly rows: readonly ReportRow[]
  readonly checks: ReportChecks
}

/** The whole: its headings, its rows, and what was checked in its parts. */
export interface Combined {
  readonly columns: readonly string[]
  readonly rows: readonly ReportRow[]
  readonly checks: ReportChecks
}

/** One column of the whole: taken from a report, or made of columns before it. */
type Column =
  | { readonly heading: string; readonly source: number; readonly column: number }
  | { readonly heading: string; readonly make: (values: readonly string[]) => string }

const TOTAL = /^(?:grand )?total$/i
const ZERO = '0.00' as Decimal

/** The columns that hold amounts and are no percentages or rates. */
function amountColumns(name: string, { columns, rows }: CombinedSource): number[] {
  const counts = columns.map(() => 0)
  for (const { kind, values } of rows) {
    if (kind === 'spacer') continue
    for (let column = 0; column < counts.length; column += 1) {
      const value = values[column] ?? ''
      if (value !== '') counts[column] = (counts[column] ?? 0) + (parseDecimal(value) === null ? -1 : 1)
    }
  }
  const held = columns.flatMap((_, column) => {
    const reason = notASum(name, columns, column)
    return reason === 'percent' || reason === 'rate' || (counts[column] ?? 0) < 0 ? [] : [column]
  })
  const filled = held.filter((column) => (counts[column] ?? 0) > 0)
  return filled.length > 0 ? filled : held
}

/** The column of the whole period: the total of the others, or the only one. −1 where there is neither. */
function wholeColumn(columns: readonly string[], amounts: readonly number[]): number {
  if (amounts.length === 1) return amounts[0] ?? -1
  return amounts.findLast((column) => TOTAL.test(columns[column]?.trim() ?? '')) ?? -1
}

/** Which column of each report stands beside which, by their headings; −1 where one has none of that name. */
function pairColumns(
  name: string,
  left: CombinedSource,
  right: CombinedSource,
): readonly { readonly heading: string; readonly left: number; readonly right: number }[] {
  const [ours, theirs] = [amountColumns(name, left), amountColumns(name, right)]
  const [whole, otherWhole] = [wholeColumn(left.columns, ours), wholeColumn(right.columns, theirs)]
  const headingOf = (source: CombinedSource, column: number): string => source.columns[column]?.trim() ?? ''
  const rest = [...theirs]
  const paired = ours.map((column) => {
    const heading = headingOf(left, column)
    const at = rest.findIndex((other) => headingOf(right, other).toLowerCase() === heading.toLowerCase())
    const [other = -1] = at < 0 ? [] : rest.splice(at, 1)
    return { heading, left: column, right: other }
  })
  const isSame = rest.length === 0 && paired.every((pair) => pair.right >= 0)
  // Months, and headings that name the days, are others in each period: then the whole is what can be compared.
  const hasShared = paired.some(({ heading, right: other }) => other >= 0 && !TOTAL.test(heading))
  if (whole >= 0 && otherWhole >= 0 && !isSame && !hasShared) {
    return [{ heading: '', left: whole, right: otherWhole }]
  }
  if (paired.length === 1 && rest.length === 0) return paired.map((pair) => ({ ...pair, heading: '' }))
  return [...paired, ...rest.map((other) => ({ heading: headingOf(right, other), left: -1, right: other }))]
}

/** A report beside the same of another period: both amounts, the change, and that in percent of the other. */
export function compareReports(
  name: string,
  current: CombinedSource,
  other: CombinedSource,
  matchIds: boolean,
): Combined {
  const columns: Column[] = []
  for (const { heading, left, right } of pairColumns(name, current, other)) {
    const at = columns.length
    const of = (words: string): string => (heading === '' ? words : `${heading}, ${words}`)
    const cells = (values: readonly string[]): readonly [string, string] => [
      values[at] ?? '',
      values[at + 1] ?? '',
    ]
    columns.push(
      { heading: of(current.label), source: 0, column: left },
      { heading: of(other.label), source: 1, column: right },
      { heading: heading === '' ? 'Change' : of('change'), make: (values) => change(...cells(values)) },
      {
        heading: heading === '' ? 'Change %' : of('change %'),
        make: (values) => changePercent(...cells(values)),
      },
    )
  }
  return combine([current, other], columns, matchIds)
}

/** The same report over several periods, the first one first; with their sum where the amounts are of what happened. */
export function trendOfReports(name: string, sources: readonly CombinedSource[]): Combined {
  const columns = columnsBeside(name, sources)
  const isOnePerPeriod = columns.length === sources.length
  if (isOnePerPeriod && isOfWhatHappened(name)) columns.push({ heading: 'Total', make: sumOf })
  return combine(sources, columns, true)
}

/**
 * The same report of several companies, a column a company, with their plain sum where each has one column: nothing
 * that they owe each other is taken out. Rows meet by path and name, since ids are each company's own.
 */
export function companiesSideBySide(name: string, sources: readonly CombinedSource[]): Combined {
  const columns = columnsBeside(name, sources)
  if (columns.length === sources.length) columns.push({ heading: 'Total', make: sumOf })
  return combine(sources, columns, false)
}

/** The column of the whole of each, or all its amounts where there is none. */
function columnsBeside(name: string, sources: readonly CombinedSource[]): Column[] {
  return sources.flatMap((source, at): Column[] => {
    const amounts = amountColumns(name, source)
    const whole = wholeColumn(source.columns, amounts)
    if (whole >= 0) return [{ heading: source.label, source: at, column: whole }]
    return amounts.map((column) => ({
      heading: `${source.label}, ${source.columns[column]?.trim() ?? ''}`,
      source: at,
      column,
    }))
  })
}

/** Whether amounts of periods that follow each other can be added: those of a balance sheet can't. */
function isOfWhatHappened(name: string): boolean {
  return (
    /profit|p(?:and)?l|income|expense|sales|payroll/i.test(name) && !/balance|aging|ageing|aged/i.test(name)
  )
}

function change(current: string, other: string): string {
  if (current === '' && other === '') return ''
  const [now, before] = [amountOf(current), amountOf(other)]
  return now === null || before === null ? '' : subtractDecimals(now, before)
}

function sumOf(values: readonly string[]): string {
  let sum: Decimal | null = null
  for (const value of values) {
    if (value === '') continue
    const amount = parseDecimal(value)
    if (amount === null) return ''
    sum = sum === null ? amount : addDecimals(sum, amount)
  }
  return sum ?? ''
}

/** A row that is not there stands for nothing; text stands for no amount. */
function amountOf(value: string): Decimal | null {
  return value === '' ? ZERO : parseDecimal(value)
}

function combine(
  sources: readonly CombinedSource[],
  columns: readonly Column[],
  matchIds: boolean,
): Combined {
  const merged = mergeReports(
    sources.map(({ rows }) => rows),
    matchIds,
  )
  const rows = merged.map(({ row, places }) => {
    const values: string[] = []
    let isBlank = true
    for (const column of columns) {
      if ('make' in column) {
        values.push(column.make(values))
        continue
      }
      const value = sources[column.source]?.rows[places[column.source] ?? -1]?.values[column.column] ?? ''
      if (value !== '') isBlank = false
      values.push(value)
    }
    return { ...row, values: isBlank && (row.kind === 'section' || row.kind === 'spacer') ? [] : values }
  })
  return {
    columns: columns.map(({ heading }) => heading),
    rows,
    checks: combineChecks(sources, columns, merged),
  }
}

/** What was checked in each of them, said of the whole's rows and columns. */
function combineChecks(
  sources: readonly CombinedSource[],
  columns: readonly Column[],
  merged: readonly MergedRow[],
): ReportChecks {
  const findings = sources.flatMap(({ checks }, source): ReportFinding[] => {
    if (checks.findings.length === 0) return []
    const rowOf = new Map<number, number>()
    merged.forEach(({ places }, index) => rowOf.set(places[source] ?? -1, index))
    return checks.findings.flatMap((finding) => {
      const row = rowOf.get(finding.row) ?? -1
      const column = columns.findIndex(
        (each) => 'source' in each && each.source === source && each.column === finding.column,
      )
      return row < 0 || column < 0
        ? []
        : [{ ...finding, row, column, columnName: columns[column]?.heading ?? '' }]
    })
  })
  return {
    held: sources.reduce((sum, { checks }) => sum + checks.held, 0),
    findings: findings.toSorted((a, b) => a.row - b.row || a.column - b.column),
    unchecked: [...new Set(sources.flatMap(({ checks }) => checks.unchecked))],
  }
}
