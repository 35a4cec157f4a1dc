/**
 * Checks the equations of statements: assets = liabilities + equity, and debit = credit. The rows are found by their
 * usual names. If they are missing, the equation counts as unchecked.
 */
import { subjectOf } from '../../../shared/reports/levels.ts'
import type { ReportRow, SumComparison } from '../../../shared/reports/reports.ts'
import type { Line } from './readings.ts'

/** A cell that must equal another sum. */
export interface EquationCell {
  readonly row: number
  readonly column: number
  /** Other cells in the equation, as row and column. */
  readonly on: readonly (readonly [row: number, column: number])[]
  readonly stated: bigint
  readonly computed: bigint
  readonly against: Exclude<SumComparison, 'parts'>
}

/** A stated sum with its row. */
export interface StatedSum {
  readonly index: number
  readonly row: ReportRow
  readonly line: Line
}

export interface Equations {
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
export function balanceSheetEquation(
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
export function trialBalanceEquation(
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
