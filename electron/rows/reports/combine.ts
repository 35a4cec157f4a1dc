/**
 * Combines several reports of one name into one report: a comparison with another period, a trend, or several
 * companies side by side. Amounts are exact. Findings of the parts carry over.
 */
import { addDecimals, type Decimal, parseDecimal, subtractDecimals } from '../../../shared/format/money.ts'
import { notASum } from '../../../shared/reports/columns.ts'
import { subjectOf } from '../../../shared/reports/levels.ts'
import type { ReportChecks, ReportFinding, ReportMaking, ReportRow } from '../../../shared/reports/reports.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import type { ReportSummary } from '../rows.ts'

/** A report to combine, with its label: *1 Jan – 31 Mar 2026*. */
export interface CombinedSource {
  readonly label: string
  readonly columns: readonly string[]
  readonly rows: readonly ReportRow[]
  readonly checks: ReportChecks
}

/** The combined report: headings, rows, and the checks of its parts. */
export interface Combined {
  readonly columns: readonly string[]
  readonly rows: readonly ReportRow[]
  readonly checks: ReportChecks
}

/** A column of the combined report: copied from a part, or computed from earlier columns. */
type Column =
  | {
      readonly heading: string
      readonly source: number
      readonly column: number
      /** What the parts are compared by. A row that one part lacks is zero there if another has an amount. */
      readonly group?: string
    }
  | { readonly heading: string; readonly make: (values: readonly string[]) => string }

const TOTAL = /^(?:grand )?total$/i
const ZERO = '0.00' as Decimal
/** The column of a part that has none. */
const NO_COLUMN = -1

/** The columns with amounts, as opposed to percentages and rates. */
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

/** The column of the whole period: the total of the others, or the only one. −1 if there is neither. */
function wholeColumn(columns: readonly string[], amounts: readonly number[]): number {
  if (amounts.length === 1) return amounts[0] ?? -1
  return amounts.findLast((column) => TOTAL.test(columns[column]?.trim() ?? '')) ?? -1
}

/** Matches the columns of the reports by heading. −1 if a report has no column of that name. */
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
  // Headings that name months or days differ between periods. Then only the whole period can be compared.
  const hasShared = paired.some(({ heading, right: other }) => other >= 0 && !TOTAL.test(heading))
  if (whole >= 0 && otherWhole >= 0 && !isSame && !hasShared) {
    return [{ heading: '', left: whole, right: otherWhole }]
  }
  if (paired.length === 1 && rest.length === 0) return paired.map((pair) => ({ ...pair, heading: '' }))
  return [...paired, ...rest.map((other) => ({ heading: headingOf(right, other), left: -1, right: other }))]
}

/** Compares a report with another period: both amounts, the change, and the change in percent of the other. */
function compareReports(name: string, current: CombinedSource, other: CombinedSource): Combined {
  const columns: Column[] = []
  for (const { heading, left, right } of pairColumns(name, current, other)) {
    const at = columns.length
    const of = (words: string): string => (heading === '' ? words : `${heading}, ${words}`)
    const cells = (values: readonly string[]): readonly [string, string] => [
      values[at] ?? '',
      values[at + 1] ?? '',
    ]
    columns.push(
      { heading: of(current.label), source: 0, column: left, group: heading },
      { heading: of(other.label), source: 1, column: right, group: heading },
      { heading: heading === '' ? 'Change' : of('change'), make: (values) => change(...cells(values)) },
      {
        heading: heading === '' ? 'Change %' : of('change %'),
        make: (values) => changePercent(...cells(values)),
      },
    )
  }
  return combine([current, other], columns, true)
}

/** The report over several periods in order, with a sum if amounts of consecutive periods can be added. */
function trendOfReports(name: string, sources: readonly CombinedSource[]): Combined {
  const beside = columnsBeside(name, sources)
  const isOnePerPeriod = beside.length === sources.length
  const columns = isOnePerPeriod ? beside.map((column) => ({ ...column, group: '' })) : beside
  if (isOnePerPeriod && isOfWhatHappened(name)) columns.push({ heading: 'Total', make: sumOf })
  return combine(sources, columns, true)
}

/**
 * The report of several companies, with a column per company, and a plain sum if each has only one column. Amounts
 * that the companies owe each other are not eliminated. Rows are matched by path and name, because each company has
 * its own IDs.
 */
export function companiesSideBySide(name: string, sources: readonly CombinedSource[]): Combined {
  const columns = columnsBeside(name, sources)
  if (columns.length === sources.length) columns.push({ heading: 'Total', make: sumOf })
  return combine(sources, columns, false)
}

/** The column of the whole period of each report, or all of its amounts if there is none. */
function columnsBeside(name: string, sources: readonly CombinedSource[]): Column[] {
  return sources.flatMap((source, at): Column[] => {
    const amounts = amountColumns(name, source)
    // Without values, an application may leave out the heading, too.
    if (amounts.length === 0 && source.rows.every(({ values }) => values.every((value) => value === ''))) {
      return [{ heading: source.label, source: at, column: NO_COLUMN }]
    }
    const whole = wholeColumn(source.columns, amounts)
    if (whole >= 0) return [{ heading: source.label, source: at, column: whole }]
    return amounts.map((column) => ({
      heading: `${source.label}, ${source.columns[column]?.trim() ?? ''}`,
      source: at,
      column,
    }))
  })
}

/** Whether amounts of consecutive periods can be added. Those of a balance sheet can't. */
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

/** The amount of a cell. A missing row counts as zero; text is not an amount. */
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
  const rows = merged.map(({ row, rowIndexes }) => {
    const values: string[] = []
    let isBlank = true
    for (const column of columns) {
      if ('make' in column) {
        values.push(column.make(values))
        continue
      }
      const value = sources[column.source]?.rows[rowIndexes[column.source] ?? -1]?.values[column.column] ?? ''
      if (value !== '') isBlank = false
      values.push(value)
    }
    const made = isBlank ? values : withZeros(values, columns, rowIndexes)
    return { ...row, values: isBlank && (row.kind === 'section' || row.kind === 'spacer') ? [] : made }
  })
  return {
    columns: columns.map(({ heading }) => heading),
    rows,
    checks: combineChecks(sources, columns, merged),
  }
}

/** Fills in zeros for a row that a part lacks, where another part has an amount, with as many decimals. */
function withZeros(
  values: readonly string[],
  columns: readonly Column[],
  rowIndexes: readonly number[],
): readonly string[] {
  const groups = columns.map((column) => ('source' in column ? column.group : undefined))
  return values.map((value, at) => {
    const [column, group] = [columns[at], groups[at]]
    if (value !== '' || column === undefined || !('source' in column) || group === undefined) return value
    if ((rowIndexes[column.source] ?? -1) >= 0) return value
    const [amount] = values.flatMap((other, place) =>
      groups[place] === group ? (parseDecimal(other) ?? []) : [],
    )
    return amount === undefined ? value : subtractDecimals(amount, amount)
  })
}

/** Carries the checks of the parts over to the rows and columns of the combined report. */
function combineChecks(
  sources: readonly CombinedSource[],
  columns: readonly Column[],
  merged: readonly MergedRow[],
): ReportChecks {
  const findings = sources.flatMap(({ checks }, source): ReportFinding[] => {
    if (checks.findings.length === 0) return []
    const rowOf = new Map<number, number>()
    merged.forEach(({ rowIndexes }, index) => rowOf.set(rowIndexes[source] ?? -1, index))
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
  // Totals that agree in one period say nothing about another period.
  const isOneUnchecked = sources.some(({ checks }) => checks.held === 0 && checks.unchecked.length > 0)
  return {
    held:
      isOneUnchecked && findings.length === 0 ? 0 : sources.reduce((sum, { checks }) => sum + checks.held, 0),
    findings: findings.toSorted((a, b) => a.row - b.row || a.column - b.column),
    unchecked: [...new Set(sources.flatMap(({ checks }) => checks.unchecked))],
  }
}

/*
 * Merges the rows of several reports, by ID or else by path and name. Rows that only one report has stay next to their
 * neighbors there. Takes linear time.
 */

/** A merged row and its place in each report. */
export interface MergedRow {
  /** The row of the first report that has it, with its level and parent in the merged report. */
  readonly row: Omit<ReportRow, 'values'>
  /** Its index in each report, or −1 if it is missing there. */
  readonly rowIndexes: readonly number[]
}

interface Node {
  readonly row: ReportRow
  readonly rowIndexes: number[]
  children: Node[]
  readonly isClosing: boolean
}

/** A report that is being merged into those before it. */
interface Source {
  readonly rows: readonly ReportRow[]
  readonly children: ReadonlyMap<number, readonly number[]>
  /** The number of rows by kind and ID. */
  readonly ids: ReadonlyMap<string, number>
}

/**
 * @param reports the rows of each report, with the levels of `levelReport`
 * @param matchIds false if the reports don't share IDs, such as those of two companies
 * @internal
 */
export function mergeReports(
  reports: readonly (readonly ReportRow[])[],
  matchIds: boolean,
): readonly MergedRow[] {
  const root: Node = { row: ROOT, rowIndexes: [], children: [], isClosing: false }
  const seen: Source[] = []
  reports.forEach((rows, at) => {
    const source = readSource(rows, matchIds)
    layOver(root, source, { at, count: reports.length, known: seen })
    seen.push(source)
  })
  return flatten(root)
}

const ROOT: ReportRow = {
  rowType: '',
  name: '',
  id: '',
  values: [],
  kind: 'section',
  level: -1,
  parent: -1,
}

function readSource(rows: readonly ReportRow[], matchIds: boolean): Source {
  const children = new Map<number, number[]>()
  const ids = new Map<string, number>()
  rows.forEach((row, index) => {
    const siblings = children.get(row.parent)
    if (siblings) siblings.push(index)
    else children.set(row.parent, [index])
    if (matchIds && row.id !== '') ids.set(idKey(row), (ids.get(idKey(row)) ?? 0) + 1)
  })
  return { rows, children, ids }
}

function idKey({ kind, id }: ReportRow): string {
  return `${kind}\n${id}`
}

/** The key of a row. The closing subtotal of a section has the same key under any name, so a renamed section has one end. */
function nameKey(row: ReportRow, isClosing: boolean): string {
  if (isClosing) return 'closing'
  if (row.kind === 'spacer') return 'spacer'
  const name = row.kind === 'subtotal' || row.kind === 'total' ? subjectOf(row.name) : row.name
  return `${row.kind}\n${name.trim().toLowerCase()}`
}

function isClosingRow(row: ReportRow, rows: readonly ReportRow[]): boolean {
  return row.kind === 'subtotal' && rows[row.parent]?.level === row.level
}

/** Which report is merged into which. */
interface SourceContext {
  readonly at: number
  readonly count: number
  readonly known: readonly Source[]
}

function layOver(root: Node, source: Source, context: SourceContext): void {
  const lone = uniqueIds(root, source, context)
  // A list of only headings nests as deep as it is long, so this must not be recursive.
  const open: { readonly node: Node; readonly section: number }[] = [{ node: root, section: -1 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [node, section] of mergeChildren(next.node, next.section, source, context, lone)) {
      open.push({ node, section })
    }
  }
}

/** Rows whose ID occurs once in each report are the same account, even in different places. */
function uniqueIds(root: Node, source: Source, { known }: SourceContext): ReadonlyMap<string, Node> {
  const lone = new Map<string, Node>()
  if (known.length === 0) return lone
  const often = new Set<string>()
  const open = [...root.children]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    open.push(...node.children)
    if (node.row.id === '' || node.row.kind !== 'data') continue
    const key = idKey(node.row)
    if (lone.has(key)) often.add(key)
    else if (source.ids.get(key) === 1) lone.set(key, node)
  }
  for (const key of often) lone.delete(key)
  return lone
}

/** Merges the rows of one section into another. Returns the sections in it that still have to be merged. */
function mergeChildren(
  target: Node,
  section: number,
  source: Source,
  { at, count, known }: SourceContext,
  lone: ReadonlyMap<string, Node>,
): (readonly [Node, number])[] {
  const candidates = new Candidates(target.children)
  const own = new Set(target.children)
  const after = new Map<Node | null, Node[]>()
  const deeper: (readonly [Node, number])[] = []
  let before: Node | null = null
  for (const index of source.children.get(section) ?? []) {
    const row = source.rows[index]
    if (!row) continue
    const isClosing = isClosingRow(row, source.rows)
    const isKnown = source.ids.has(idKey(row)) && known.some(({ ids }) => ids.has(idKey(row)))
    const alike = lone.get(idKey(row))
    const elsewhere = alike?.rowIndexes[at] === -1 ? alike : undefined
    const match =
      elsewhere ??
      (isKnown
        ? candidates.byId(row, at)
        : candidates.byName(nameKey(row, isClosing), at, (node) => !source.ids.has(idKey(node.row))))
    const node = match ?? { row, rowIndexes: Array<number>(count).fill(-1), children: [], isClosing }
    node.rowIndexes[at] = index
    if (!match) {
      const list = after.get(before) ?? []
      list.push(node)
      after.set(before, list)
    } else if (own.has(node)) before = node
    if (row.kind === 'section') deeper.push([node, index])
  }
  target.children = inOrder(target.children, after, (node) => node.rowIndexes[at] !== -1)
  return deeper
}

/**
 * The old rows, each followed by the new rows that came after it. A section's closing row stays last.
 * @param isMet whether the new report has a row, too. New rows come after the old rows that it doesn't have.
 */
function inOrder(
  children: readonly Node[],
  after: ReadonlyMap<Node | null, readonly Node[]>,
  isMet: (node: Node) => boolean,
): Node[] {
  if (after.size === 0) return [...children]
  const all: Node[] = []
  let coming = after.get(null) ?? []
  for (const child of children) {
    if (isMet(child)) {
      for (const added of coming) all.push(added)
      coming = after.get(child) ?? []
    }
    all.push(child)
  }
  for (const added of coming) all.push(added)
  const ends = all.filter(({ isClosing }) => isClosing)
  return ends.length === 0 ? all : [...all.filter(({ isClosing }) => !isClosing), ...ends]
}

/** The rows of a section that can still be matched, by ID and by name. The first of several equal rows wins. */
class Candidates {
  readonly #ids = new Map<string, Queue>()
  readonly #names = new Map<string, Queue>()

  constructor(nodes: readonly Node[]) {
    for (const node of nodes) {
      if (node.row.id !== '') add(this.#ids, idKey(node.row), node)
      add(this.#names, nameKey(node.row, node.isClosing), node)
    }
  }

  byId(row: ReportRow, at: number): Node | undefined {
    return this.#ids.get(idKey(row))?.take((node) => node.rowIndexes[at] === -1)
  }

  /** @param canMatch whether a row isn't matched by its ID elsewhere */
  byName(key: string, at: number, canMatch: (node: Node) => boolean): Node | undefined {
    return this.#names
      .get(key)
      ?.take((node) => node.rowIndexes[at] === -1 && (node.row.id === '' || canMatch(node)))
  }
}

/** Rows of one name in order. Rows that can no longer be matched are skipped for good. */
class Queue {
  readonly #nodes: Node[] = []
  #next = 0

  push(node: Node): void {
    this.#nodes.push(node)
  }

  take(isFree: (node: Node) => boolean): Node | undefined {
    while (this.#next < this.#nodes.length) {
      const node = this.#nodes[this.#next]
      this.#next += 1
      if (node && isFree(node)) return node
    }
    return undefined
  }
}

function add(queues: Map<string, Queue>, key: string, node: Node): void {
  const known = queues.get(key)
  if (known) known.push(node)
  else {
    const made = new Queue()
    made.push(node)
    queues.set(key, made)
  }
}

/** Flattens the tree into rows with levels. */
function flatten(root: Node): MergedRow[] {
  const merged: MergedRow[] = []
  const open: { readonly node: Node; readonly level: number; readonly parent: number }[] = []
  const push = (node: Node, level: number, parent: number): void => {
    for (let at = node.children.length - 1; at >= 0; at -= 1) {
      const child = node.children[at]
      if (child) open.push({ node: child, level: child.isClosing ? level - 1 : level, parent })
    }
  }
  push(root, 0, -1)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, level, parent } = next
    const { rowType, name, id, kind } = node.row
    merged.push({ row: { rowType, name, id, kind, level, parent }, rowIndexes: node.rowIndexes })
    push(node, level + 1, merged.length - 1)
  }
  return merged
}

/*
 * The change in percent, to one decimal. It is the only rounded number of a comparison.
 */

/**
 * @returns `12.5` or `-100.0`. Empty if the amount was zero before, or if either is not an amount.
 */
function changePercent(current: string, other: string): string {
  const before = parseDecimal(other)
  const now = parseDecimal(current === '' ? '0' : current)
  if (before === null || now === null) return ''
  const scale = Math.max(decimals(before), decimals(now))
  const [was, is] = [units(before, scale), units(now, scale)]
  if (was === 0n) return ''
  const size = was < 0n ? -was : was
  // Tenths of a percent, with halves rounded away from zero.
  const thousandfold = (is - was) * 1_000n
  const isDown = thousandfold < 0n
  const tenths = ((isDown ? -thousandfold : thousandfold) * 2n + size) / (size * 2n)
  const sign = isDown && tenths !== 0n ? '-' : ''
  return `${sign}${tenths / 10n}.${tenths % 10n}`
}

function decimals(value: string): number {
  const dot = value.indexOf('.')
  return dot < 0 ? 0 : value.length - dot - 1
}

/** A decimal in units of 10^-scale. */
function units(value: string, scale: number): bigint {
  return BigInt(value.replace('.', '')) * 10n ** BigInt(scale - decimals(value))
}

// Combining reports that the worker holds.

export interface HeldReport {
  readonly summary: ReportSummary
  readonly rows: readonly ReportRow[]
}

/** @param labels the name of each report in the headings */
export function combinedReport(
  making: Exclude<ReportMaking, 'single'>,
  name: string,
  held: readonly HeldReport[],
  labels: readonly string[],
): Result<HeldReport> {
  const sources = held.map(({ summary, rows }, at): CombinedSource => ({
    label: labels[at] ?? '',
    columns: summary.columns,
    rows,
    checks: summary.checks,
  }))
  const [first, second] = sources
  const [report] = held
  if (!first || !report || (making === 'compared' && !second)) {
    return err(appError('invalid-input', 'The other period has no data.', ''))
  }
  const { columns, rows, checks } =
    making === 'compared' && second ? compareReports(name, first, second) : trendOfReports(name, sources)
  const { reportType, nameColumn, requestId } = report.summary
  return ok({
    rows,
    summary: {
      reportType,
      nameColumn,
      requestId,
      startDate: '',
      endDate: '',
      columns,
      rowCount: rows.length,
      checks,
      errors: [],
      missing: [],
    },
  })
}
