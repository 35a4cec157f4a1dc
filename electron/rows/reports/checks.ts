/**
 * Checks in exact arithmetic whether a report's sums hold: subtotals against their sections, totals against the rows
 * above them, and two equations, assets = liabilities + equity and debits = credits. A sum that can't be checked is
 * reported as such; it neither passes nor raises an alarm. One pass over the rows, in linear time.
 */
import { columnLabel, leftOutColumns, listed, notASum } from '../../../shared/reports/columns.ts'
import { subjectOf } from '../../../shared/reports/levels.ts'
import type {
  ReportChecks,
  ReportFinding,
  ReportRow,
  SumComparison,
} from '../../../shared/reports/reports.ts'
import { hasIncomeAndCost, isPlainTotal, isResult, signOf } from '../../../shared/reports/subjects.ts'
import {
  addCell,
  commonScale,
  namedParts,
  type Part,
  Parts,
  readLine,
  resultReadings,
  type RowAmounts,
  sumOf,
  type SumReading,
  unitsToText,
} from './readings.ts'

/** Limit on findings, which are sent with the head of a report. */
const MAX_FINDINGS = 1_000
/** The most sums to keep for the equations. Statements have a few dozen. */
const MAX_SUMS = 2_000

/** Walks the rows once and opens and closes sections by the levels of `levelReport`. */
function walkRows(walk: Walk, rows: readonly ReportRow[]): void {
  const columns = walk.columns.length
  const report = openFrame(-1, '', null, columns)
  const open: Frame[] = [report]
  const top = (): Frame => open.at(-1) ?? report
  const closeTo = (depth: number): void => {
    while (open.length > depth) {
      const frame = open.pop()
      if (frame) closeFrame(frame, top(), null)
    }
  }
  rows.forEach((row, index) => {
    if (row.kind === 'spacer') return
    if (row.kind === 'data' || row.kind === 'other') {
      const { since } = top()
      since.hasRows = true
      if (row.kind === 'other' && row.values.some((value) => value !== '')) top().isUncertain = true
      for (let column = 0; column < row.values.length && column < columns; column += 1) {
        addCell(since.direct, column, row.values[column] ?? '', walk.scale)
      }
      return
    }
    const line = readLine(row.values, columns, walk.scale)
    if (row.kind === 'section') {
      open.push(openFrame(index, subjectOf(row.name), line.kinds.includes('amount') ? line : null, columns))
      return
    }
    if (walk.sums.length < MAX_SUMS || row.kind === 'total') walk.sums.push({ index, row, line })
    const section = row.kind === 'subtotal' ? open.findLastIndex((frame) => frame.row === row.parent) : 0
    if (section > 0 && isClosing(row, rows)) {
      closeTo(section + 1)
      const frame = open.pop() ?? report
      judge(walk, index, row, line, sectionReadings(frame, row.name))
      closeFrame(frame, top(), line)
      return
    }
    const closedSection = row.kind === 'total' && open.length > 1 && report.since.isEmpty
    if (row.kind === 'total') closeTo(1)
    judge(walk, index, row, line, totalReadings(top(), row, closedSection))
    addResult(top(), row.name, line)
  })
}

/** Whether a subtotal closes its section. One below the section's level states an intermediate result. */
function isClosing(row: ReportRow, rows: readonly ReportRow[]): boolean {
  return rows[row.parent]?.level === row.level
}

/**
 * Checks all sums of a report.
 * @param name the report's name, such as `ProfitAndLoss`, which decides which columns can be sums
 * @param columns one heading per value (`columnsOf`)
 * @returns findings in row order; `difference` is the sum of the parts minus the stated sum
 */
export function checkReport(
  name: string,
  columns: readonly string[],
  rows: readonly ReportRow[],
): ReportChecks {
  const reasons = columns.map((_, column) => notASum(name, columns, column))
  const walk: Walk = {
    columns,
    scale: commonScale(rows),
    isSum: reasons.map((reason) => reason === null),
    findings: [],
    unclear: new Set(),
    texts: new Set(),
    held: new Set(),
    failed: new Set(),
    sums: [],
  }
  walkRows(walk, rows)
  const equations = [
    balanceSheetEquation(name, columns, walk.isSum, walk.sums),
    trialBalanceEquation(name, columns, walk.isSum, walk.sums),
  ]
  for (const cell of equations.flatMap((equation) => equation.cells)) {
    // If one of its sums is already wrong, the equation would only repeat that.
    const cells = [[cell.row, cell.column] as const, ...cell.on]
    if (cells.some(([row, column]) => hasFinding(walk, row, column))) continue
    const row = rows[cell.row]
    if (row && cell.stated !== cell.computed) {
      addFinding(walk, cell.row, row, cell, cell.against)
    } else {
      walk.held.add(cell.row)
    }
  }
  for (const row of walk.failed) walk.held.delete(row)
  const findings = walk.findings.sort((a, b) => a.row - b.row || a.column - b.column)
  const stated = walk.sums.length > 0 ? reasons : []
  return {
    held: walk.held.size,
    findings: findings.slice(0, MAX_FINDINGS),
    unchecked: [
      ...leftOutColumns(stated, columns),
      ...uncheckedSums(walk),
      ...equations.flatMap((equation) => equation.unchecked),
      ...(findings.length > MAX_FINDINGS
        ? [`Only the first ${String(MAX_FINDINGS)} of ${String(findings.length)} differences are listed.`]
        : []),
    ],
  }
}

function hasFinding(walk: Walk, row: number, column: number): boolean {
  return walk.findings.some((finding) => finding.row === row && finding.column === column)
}

function uncheckedSums(walk: Walk): string[] {
  const texts = [...walk.texts].map((column) => columnLabel(walk.columns, column))
  return [
    ...(texts.length > 0 ? [`Some amounts are text, so not every sum was checked: ${listed(texts)}.`] : []),
    ...(walk.unclear.size > 0 ? [`Not checked: ${listed([...walk.unclear])}.`] : []),
  ]
}

// A section during the walk: its content so far, and how a sum at its end may be read.

/** The most results and totals to keep by name. A list with a total per row needs none of them. */
const MAX_RESULTS = 60

/** An open section, or the whole report (row −1). */
export interface Frame {
  readonly row: number
  readonly subject: string
  /** The amounts in the heading row, if it has any. */
  readonly heading: RowAmounts | null
  /** The content before and after the last result. */
  readonly before: Parts
  since: Parts
  /** Intermediate results and totals, the last `MAX_RESULTS` of them. */
  readonly results: Part[]
  /** Whether there were more results than the limit. If so, no sums are read by name. */
  hasMoreResults: boolean
  /** Whether it has rows of an unknown type, which may or may not count. */
  isUncertain: boolean
}

function openFrame(row: number, subject: string, heading: RowAmounts | null, columns: number): Frame {
  return {
    row,
    subject,
    heading,
    before: new Parts(columns),
    since: new Parts(columns),
    results: [],
    hasMoreResults: false,
    isUncertain: false,
  }
}

/** The whole content of a frame so far. */
function wholeOf(frame: Frame): Parts {
  if (frame.results.length === 0) return frame.since
  const all = new Parts(frame.before.columns)
  all.absorb(frame.before)
  all.absorb(frame.since)
  return all
}

/** Closes a section and adds it to the one around it. `stated` is its subtotal, or `null` if it has none. */
function closeFrame(frame: Frame, around: Frame, stated: RowAmounts | null): void {
  const all = wholeOf(frame)
  if (!stated && !frame.heading && hasIncomeAndCost(frame.subject)) {
    // Without a result, its income and its cost count separately.
    around.since.absorb(all)
    around.isUncertain ||= frame.isUncertain
    return
  }
  const value = all.stated()
  const { heading } = frame
  // A heading may have its section’s total.
  const own = heading?.kinds.every((kind, at) => kind !== 'amount' || value.equals(heading.sums, at))
    ? null
    : heading
  if (own) value.add(own.sums)
  stated?.kinds.forEach((kind, column) => {
    if (kind === 'amount') value.take(stated.sums, column)
  })
  const rows = all.rows()
  if (own) rows.add(own.sums)
  around.since.addSection({ subject: frame.subject, value, rows })
  // A subtotal settles the doubt, because the sums above use what it states.
  if (!stated) around.isUncertain ||= frame.isUncertain
}

/** The readings of a section's subtotal. */
function sectionReadings(frame: Frame, name: string): SumReading[] {
  const all = wholeOf(frame)
  const [stated, rows] = [all.stated(), all.rows()]
  const withHeading = frame.heading
    ? [stated.copy().add(frame.heading.sums), rows.copy().add(frame.heading.sums)]
    : []
  if (isResult(name) || isResult(frame.subject) || hasIncomeAndCost(frame.subject)) {
    const last = frame.results.at(-1)?.value ?? null
    const before = frame.results.at(-2)?.value ?? null
    const readings = resultReadings(name, all, frame.since, last, before)
    const [first, ...others] = withHeading
    return first ? [...readings, { vectors: [first, ...others], certain: false }] : readings
  }
  // A section without rows may be collapsed, and then there is nothing to compare its subtotal with.
  return [{ vectors: [stated, rows, ...withHeading], certain: !frame.isUncertain && !all.isEmpty }]
}

/** The readings of a total, or of a subtotal that closes no section. */
function totalReadings(
  frame: Frame,
  { name, kind }: Pick<ReportRow, 'name' | 'kind'>,
  closedSection: boolean,
): SumReading[] {
  const all = wholeOf(frame)
  const columns = all.columns
  const last = frame.results.at(-1)?.value ?? null
  const before = frame.results.at(-2)?.value ?? null
  const since: SumReading = {
    vectors: [frame.since.stated(), frame.since.rows(), all.stated(), all.rows()],
    // There is nothing yet to compare a total with if its rows come after it.
    certain:
      isPlainTotal(name) &&
      !frame.isUncertain &&
      !all.isEmpty &&
      !isOfNameless(frame, name, kind) &&
      (closedSection || isOnlyReading(frame, name)),
  }
  if (isResult(name)) return resultReadings(name, all, frame.since, last, before)
  // A total may have closed its section. Its parts would count twice.
  const closed = new Set(frame.results.map(({ subject }) => subject))
  const sections = all.sections.filter(({ subject }) => !closed.has(subject))
  const named = frame.hasMoreResults ? null : namedParts(name, [...sections, ...frame.results])
  const totals = frame.results.length > 1 ? [sumOf(frame.results, columns)] : []
  const plain: SumReading = { ...since, vectors: [...since.vectors, ...totals] }
  const signs = new Set(subjectOf(name) === '' ? all.sections.map(({ subject }) => signOf(subject)) : [])
  // A bare *Total* after income and costs may be net income.
  if (signs.has(1) && signs.has(-1)) {
    const asResult = resultReadings(name, all, frame.since, last, before)
    return [plain, ...asResult.map((reading) => ({ ...reading, certain: false }))]
  }
  if (!named || !isPlainTotal(name) || closedSection) return [plain]
  return [
    { vectors: [sumOf(named, columns)], certain: !frame.isUncertain },
    { ...plain, certain: false },
  ]
}

/** Whether a bare *Total* follows sections and rows. It may be the sum of all of them, or of the rows of a nameless section. */
function isOfNameless(frame: Frame, name: string, kind: ReportRow['kind']): boolean {
  const { hasRows, sections } = frame.since
  return kind === 'subtotal' && subjectOf(name) === '' && hasRows && sections.length > 0
}

/** Whether a total can only be the sum of everything above it. */
function isOnlyReading(frame: Frame, name: string): boolean {
  const subject = subjectOf(name)
  const sections = frame.since.sections.length
  return subject === '' || (sections === 0 && frame.since.hasRows) || (sections === 1 && !frame.since.hasRows)
}

/** Adds an intermediate result or total. What follows starts over and may continue from it. */
function addResult(frame: Frame, name: string, line: RowAmounts): void {
  frame.before.absorb(frame.since)
  const value = frame.since.stated()
  line.kinds.forEach((kind, column) => {
    if (kind === 'amount') value.take(line.sums, column)
  })
  frame.results.push({ subject: subjectOf(name), value, rows: value })
  if (frame.results.length > MAX_RESULTS) {
    frame.results.shift()
    frame.hasMoreResults = true
  }
  frame.since = new Parts(frame.before.columns)
}

/*
 * Compares one stated sum with its readings and decides whether it holds, doesn't hold, or can't be decided.
 */

/** What the walk collects. */
export interface Walk {
  readonly columns: readonly string[]
  readonly scale: number
  readonly isSum: readonly boolean[]
  readonly findings: ReportFinding[]
  /** The names of sums that can't be checked, and the columns that contain text. */
  readonly unclear: Set<string>
  readonly texts: Set<number>
  readonly held: Set<number>
  readonly failed: Set<number>
  readonly sums: StatedSum[]
}

/** The result of a reading in one column: whether it is known, and whether it equals the stated sum. */
function compare(reading: SumReading, line: RowAmounts, column: number): 'equal' | 'different' | 'unknown' {
  const usable = reading.vectors.filter((vector) => vector.isUsable(column))
  if (usable.length === 0) return 'unknown'
  return usable.some((vector) => vector.equals(line.sums, column)) ? 'equal' : 'different'
}

/** How well a reading fits a row: how many columns are equal and not zero, and how far off the others are. */
interface Fit {
  readonly reading: SumReading
  readonly different: readonly number[]
  readonly equal: number
  readonly proof: number
  readonly off: bigint
}

function fit(reading: SumReading, line: RowAmounts, checked: readonly number[]): Fit {
  const different: number[] = []
  let [equal, proof, off] = [0, 0, 0n]
  for (const column of checked) {
    const outcome = compare(reading, line, column)
    if (outcome === 'equal') {
      equal += 1
      if (line.sums.value(column) !== 0n) proof += 1
    } else if (outcome === 'different') {
      different.push(column)
      const difference = nearest(reading, line, column) - line.sums.value(column)
      off += difference < 0n ? -difference : difference
    }
  }
  return { reading, different, equal, proof, off }
}

/** The sum of the parts by the vector that is nearest to the stated sum. The first one wins a tie. */
function nearest(reading: SumReading, line: RowAmounts, column: number): bigint {
  const stated = line.sums.value(column)
  let best: bigint | null = null
  for (const vector of reading.vectors) {
    if (!vector.isUsable(column)) continue
    const value = vector.value(column)
    if (best === null || distance(value, stated) < distance(best, stated)) best = value
  }
  return best ?? stated
}

function distance(left: bigint, right: bigint): bigint {
  return left < right ? right - left : left - right
}

/** Matches amounts that are formatted for people, such as *(1,234.50)*, *$5*, or *12.00-*. */
const LIKE_AN_AMOUNT = /^[^\p{L}\d]{0,4}\d[\d.,'\s]*[^\p{L}\d]{0,3}$/u

/** Compares one stated sum with its readings. */
function judge(
  walk: Walk,
  index: number,
  row: ReportRow,
  line: RowAmounts,
  readings: readonly SumReading[],
): void {
  const checked: number[] = []
  line.kinds.forEach((kind, column) => {
    if (walk.isSum[column] !== true) return
    if (kind === 'amount') checked.push(column)
    // A sum that can't be read is reported.
    else if (kind === 'text' && LIKE_AN_AMOUNT.test(row.values[column] ?? '')) walk.texts.add(column)
  })
  if (checked.length === 0) return
  const fits = readings.map((reading) => fit(reading, line, checked))
  const whole = fits.find(({ different, equal }) => different.length === 0 && equal > 0)
  const best =
    whole ?? fits.reduce((a, b) => (b.equal > a.equal || (b.equal === a.equal && b.off < a.off) ? b : a))
  for (const column of checked) {
    if (compare(best.reading, line, column) === 'unknown') walk.texts.add(column)
  }
  if (best.different.length === 0) {
    if (best.equal > 0) walk.held.add(index)
    return
  }
  // A difference is a finding only if the sum has no other meaning, or if the same reading holds in another column.
  if (fits.some(({ reading }) => reading.certain) || best.proof > 0) {
    for (const column of best.different) {
      const stated = line.sums.value(column)
      addFinding(walk, index, row, { column, stated, computed: nearest(best.reading, line, column) }, 'parts')
    }
  } else {
    walk.unclear.add(row.name.trim() === '' ? `row ${String(index + 1)}` : row.name.trim())
  }
}

/** Adds a difference to the findings. Amounts are whole numbers of the walk's scale. */
function addFinding(
  walk: Walk,
  index: number,
  row: ReportRow,
  {
    column,
    stated,
    computed,
  }: { readonly column: number; readonly stated: bigint; readonly computed: bigint },
  against: SumComparison,
): void {
  walk.failed.add(index)
  walk.findings.push({
    row: index,
    rowName: row.name,
    column,
    columnName: walk.columns[column] ?? '',
    against,
    stated: unitsToText(stated, walk.scale),
    computed: unitsToText(computed, walk.scale),
    difference: unitsToText(computed - stated, walk.scale),
  })
}

/** A cell that must equal another sum. */
// The equations of statements. Their rows are found by their usual names; without them, an equation is unchecked.

interface EquationCell {
  readonly row: number
  readonly column: number
  /** Other cells in the equation, as row and column. */
  readonly on: readonly (readonly [row: number, column: number])[]
  readonly stated: bigint
  readonly computed: bigint
  readonly against: Exclude<SumComparison, 'parts'>
}

/** A stated sum with its row. */
interface StatedSum {
  readonly index: number
  readonly row: ReportRow
  readonly line: RowAmounts
}

interface Equations {
  readonly cells: readonly EquationCell[]
  readonly unchecked: readonly string[]
}

const NONE: Equations = { cells: [], unchecked: [] }
const NO_ASSETS: Equations = {
  cells: [],
  unchecked: ['Assets couldn’t be compared with liabilities and equity.'],
}
const NO_DEBITS: Equations = { cells: [], unchecked: ['Debits couldn’t be compared with credits.'] }

/** The columns in which an equation between rows must hold. */
function equationColumns(name: string, columns: readonly string[], isSum: readonly boolean[]): number[] {
  const all = columns.map((_, column) => column).filter((column) => isSum[column] === true)
  // A single class need not balance, because a transfer between classes has only one half in it.
  if (/class|location|department|segment/i.test(name)) {
    return all.filter((column) => /^(?:grand )?total$/i.test(columns[column]?.trim() ?? ''))
  }
  return all
}

function find(sums: readonly StatedSum[], subject: RegExp): StatedSum | undefined {
  return sums.find(({ row }) => /^\s*totals?\b/i.test(row.name) && subject.test(subjectOf(row.name)))
}

const EQUITY = String.raw`(?:(?:owner'?s'?|share ?holders'?|stock ?holders'?|member'?s'?|total) )?(?:equity|capital|funds|net assets)`

/** Assets = liabilities + equity, for reports that include a balance sheet. */
function balanceSheetEquation(
  name: string,
  columns: readonly string[],
  isSum: readonly boolean[],
  sums: readonly StatedSum[],
): Equations {
  if (!/balance ?sheet/i.test(name)) return NONE
  const assets = find(sums, /^assets$/)
  const both = find(sums, new RegExp(`^liabilities (?:and|&|\\+) ${EQUITY}$`))
  const liabilities = find(sums, /^liabilities$/)
  const equity = find(sums, new RegExp(`^${EQUITY}$`))
  const right = both ? [both] : liabilities && equity ? [liabilities, equity] : []
  const checked = equationColumns(name, columns, isSum)
  const last = right.at(-1)
  if (!assets || !last || checked.length === 0) {
    return NO_ASSETS
  }
  const cells: EquationCell[] = []
  for (const column of checked) {
    if (![assets, ...right].every(({ line }) => line.kinds[column] === 'amount')) continue
    const others = right.slice(0, -1).reduce((sum, { line }) => sum + line.sums.value(column), 0n)
    const owned = assets.line.sums.value(column)
    cells.push({
      row: last.index,
      column,
      on: [assets, ...right].map(({ index }) => [index, column] as const),
      stated: last.line.sums.value(column),
      computed: owned - others,
      against: both ? 'assets' : 'assets-less-liabilities',
    })
  }
  return cells.length > 0 ? { cells, unchecked: [] } : NO_ASSETS
}

/** Debit = credit in the last total of a trial balance. */
function trialBalanceEquation(
  name: string,
  columns: readonly string[],
  isSum: readonly boolean[],
  sums: readonly StatedSum[],
): Equations {
  if (!/trial ?balance/i.test(name)) return NONE
  const sides = (side: RegExp): number[] =>
    columns.map((_, column) => column).filter((column) => isSum[column] && side.test(columns[column] ?? ''))
  const debits = sides(/\b(?:debits?|dr)\b/i)
  const credits = sides(/\b(?:credits?|cr)\b/i)
  const total = sums.findLast(({ row }) => row.kind === 'total') ?? sums.at(-1)
  if (!total || debits.length === 0 || debits.length !== credits.length) {
    return NO_DEBITS
  }
  const cells = debits.flatMap((debit, pair): EquationCell[] => {
    const credit = credits[pair] ?? debit
    if (total.line.kinds[debit] !== 'amount' || total.line.kinds[credit] !== 'amount') return []
    const [stated, computed] = [total.line.sums.value(credit), total.line.sums.value(debit)]
    const on = [[total.index, debit]] as const
    return [{ row: total.index, column: credit, on, stated, computed, against: 'debits' }]
  })
  return cells.length > 0 ? { cells, unchecked: [] } : NO_DEBITS
}
