/**
 * Whether a report's sums hold, in exact arithmetic. A sum that can't be checked is said, never passed and never
 * an alarm: subtotals against their sections, totals against what stands above them, and the two equations of
 * `report-equations.ts`. One walk over the rows; cost grows with the rows alone.
 */
import { addCell, commonScale, readLine } from './reports/readings.ts'
import { columnName, leftOutColumns, listed, notASum } from './reports/columns.ts'
import { balanceSheetEquation, trialBalanceEquation } from './report-equations.ts'
import {
  addResult,
  closeFrame,
  openFrame,
  sectionReadings,
  totalReadings,
  type Frame,
} from './report-frames.ts'
import { addFinding, judge, type Walk } from './report-judge.ts'
import { subjectOf } from './reports/levels.ts'
import type { ReportChecks, ReportRow } from './reports/reports.ts'

/** More findings than anybody reads, and than should travel in a report's head. */
const MOST_FINDINGS = 1_000
/** Sums that are kept for the equations; statements have a few dozen. */
const MOST_SUMS = 2_000

/** Walks the rows once, opening and closing sections as `levelReport` placed them. */
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
    if (walk.sums.length < MOST_SUMS || row.kind === 'total') walk.sums.push({ index, row, line })
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

/** A subtotal at its section's level closes it; one below that level states a result on the way. */
function isClosing(row: ReportRow, rows: readonly ReportRow[]): boolean {
  return rows[row.parent]?.level === row.level
}

/**
 * Checks all sums of a report.
 * @param name the report's name and type, e.g. `ProfitAndLoss`; decides which columns can be sums
 * @param columns one heading per value (`columnsOf`)
 * @returns findings in the order of the rows; `difference` is what the parts come to less what is stated
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
    // Where a sum that it rests on is wrong already, the equation would only say so again.
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
    findings: findings.slice(0, MOST_FINDINGS),
    unchecked: [
      ...leftOutColumns(stated, columns),
      ...uncheckedSums(walk),
      ...equations.flatMap((equation) => equation.unchecked),
      ...(findings.length > MOST_FINDINGS
        ? [`Only the first ${String(MOST_FINDINGS)} of ${String(findings.length)} differences are listed.`]
        : []),
    ],
  }
}

function hasFinding(walk: Walk, row: number, column: number): boolean {
  return walk.findings.some((finding) => finding.row === row && finding.column === column)
}

function uncheckedSums(walk: Walk): string[] {
  const texts = [...walk.texts].map((column) => columnName(walk.columns, column))
  return [
    ...(texts.length > 0
      ? [`Text stands among the amounts, so not every sum was checked: ${listed(texts)}.`]
      : []),
    ...(walk.unclear.size > 0 ? [`How these are made up is not known: ${listed([...walk.unclear])}.`] : []),
  ]
}
