/**
 * Totals among rows that the service doesn’t mark as such. A row of an unknown type counts as data, and so does a total in a
 * data row, unless the report shows that it is a total: by its amounts, by its place, and only then by its words.
 */
import {
  type Decimal,
  addDecimals,
  compareDecimals,
  isZero,
  negateDecimal,
  parseDecimal,
  subtractDecimals,
} from '../../shared/format/money.ts'
import { levelReport, subjectOf } from '../../shared/reports/levels.ts'
import type { ReportRow } from '../../shared/reports/reports.ts'
import { isPlainTotal, resultSigns } from '../../shared/reports/subjects.ts'
import { type FullReport, NOTHING, amountColumns, isNetIncome } from './evidence.ts'

const RESULT =
  /^gross (?:profit|margin|loss)$|^net (?:operating|ordinary|other) (?:income|profit|earnings|loss)$/i
/** Results that may as well be accounts. */
const RESULT_OR_ACCOUNT = /^(?:operating|ordinary|other) (?:income|profit|earnings|loss)$/i

/** Whether a name is that of a total, or may be: *Total Wine & More* is a customer. */
function meansTotal(report: string, name: string): boolean {
  if (name.trim() === '') return false
  const mayBeResult = report.startsWith('ProfitAndLoss') && RESULT_OR_ACCOUNT.test(name.trim())
  return isPlainTotal(name) || mayBeResult || (report.startsWith('ProfitAndLoss') && isResult(name))
}

function isResult(name: string): boolean {
  return RESULT.test(name.trim()) || isNetIncome(name)
}

/** Whether a name is nothing but *Total*. */
function isBareTotal(name: string): boolean {
  return /^(?:(?:grand|report|sub)[ -]?)?totals?:?$/i.test(name.trim())
}

/** An amount of a row: `null` if it can’t be read, `undefined` if it is blank. */
type Cell = Decimal | null | undefined

/** The sums of the rows before a place, by column. */
interface Sums {
  readonly plain: readonly Decimal[]
  /** With costs as negative amounts. Only those of a statement of income and costs have a sign. */
  readonly signed: readonly Decimal[]
  /** Number of amounts that can’t be read. */
  readonly unreadable: readonly number[]
  /** Number of rows with an amount, and of those among them that are neither income nor a cost. */
  readonly filled: number
  readonly unsigned: number
}

/**
 * Returns the rows with their levels. A row of an unknown type that is named after an open section (*Total Assets*)
 * closes it, as a subtotal does. Otherwise, what follows would be inside.
 */
function closeSections(rows: readonly ReportRow[]): readonly ReportRow[] {
  const closed = new Set<number>()
  const closing = rows.map((row) => {
    if (row.kind !== 'other' || row.id !== '' || !/^\s*(?:sub-?)?totals?\b/i.test(row.name)) return row
    const subject = subjectOf(row.name)
    for (let at = row.parent; at >= 0; at = rows[at]?.parent ?? -1) {
      if (closed.has(at) || subjectOf(rows[at]?.name ?? '') !== subject) continue
      closed.add(at)
      return { ...row, rowType: 'SubtotalRow' }
    }
    return row
  })
  return closed.size === 0 ? rows : levelReport(closing)
}

/** Returns the statement with its totals marked as such. */
export function markTotals(leveled: FullReport): FullReport {
  const statement = { ...leveled, rows: closeSections(leveled.rows) }
  const { name, rows } = statement
  const isData = ({ kind }: ReportRow): boolean => kind === 'data' || kind === 'other'
  const mayBeTotal = (row: ReportRow): boolean =>
    isData(row) &&
    row.id === '' &&
    row.values.some((value) => value.trim() !== '') &&
    meansTotal(name, row.name)
  if (!rows.some(mayBeTotal)) return statement
  const columns = amountColumns(statement)
  const signs = resultSigns(name, rows)
  const sections = new Set(
    rows.flatMap(({ kind, name: words }) => (kind === 'section' ? [subjectOf(words)] : [])),
  )
  /** Whether its words leave no doubt: *Total*, or *Total Assets* beside a section of that name. */
  const isNamed = ({ name: words }: ReportRow): boolean =>
    isBareTotal(words) ||
    (name.startsWith('ProfitAndLoss') && isResult(words)) ||
    (/^\s*(?:sub-?)?totals?\b/i.test(words) && sections.has(subjectOf(words)))
  /** The last row directly in each section that is data by its words. */
  const lastIn = new Map(
    rows.flatMap((row, at) =>
      isData(row) && !(mayBeTotal(row) && isNamed(row)) ? [[row.parent, at] as const] : [],
    ),
  )
  const nothing = columns.map(() => NOTHING)
  let sums: Sums = {
    plain: nothing,
    signed: nothing,
    unreadable: columns.map(() => 0),
    filled: 0,
    unsigned: 0,
  }
  /** By the section that a total is in: where its rows may begin. */
  const starts = new Map<number, Sums[]>([[-1, [sums]]])
  const marked = rows.map((row, at): ReportRow => {
    const begun = starts.get(row.parent) ?? []
    const cells = columns.map((column): Cell => {
      const text = row.values[column]?.trim() ?? ''
      return text === '' ? undefined : parseDecimal(text)
    })
    let { kind } = row
    if (mayBeTotal(row)) {
      const count = addedUp(cells, begun, sums)
      const isLast = (lastIn.get(row.parent) ?? -1) < at
      if (count > 1 || (isNamed(row) && (count === 1 || (kind === 'other' && isLast)))) kind = 'total'
    }
    if (kind === 'section') starts.set(at, [sums])
    if (kind === 'data' || kind === 'other') sums = withRow(sums, cells, signs[at] ?? 0)
    else if (kind !== 'spacer') {
      begun.push(sums)
      // Those of the section itself, and of the last of its sections and totals.
      if (begun.length > 4) begun.splice(1, 1)
    }
    return kind === row.kind ? row : { ...row, kind }
  })
  return { ...statement, rows: marked }
}

function withRow(sums: Sums, cells: readonly Cell[], sign: 1 | -1 | 0): Sums {
  if (cells.every((cell) => cell === undefined || (cell !== null && isZero(cell)))) return sums
  const amounts = cells.map((cell) => cell ?? NOTHING)
  return {
    plain: amounts.map((amount, at) => addDecimals(sums.plain[at] ?? NOTHING, amount)),
    signed: amounts.map((amount, at) =>
      addDecimals(sums.signed[at] ?? NOTHING, sign < 0 ? negateDecimal(amount) : amount),
    ),
    unreadable: cells.map((cell, at) => (sums.unreadable[at] ?? 0) + (cell === null ? 1 : 0)),
    filled: sums.filled + 1,
    unsigned: sums.unsigned + (sign === 0 ? 1 : 0),
  }
}

/** Returns how many rows with an amount a row adds up; 0 if it isn’t the sum of rows before it. */
function addedUp(cells: readonly Cell[], starts: readonly Sums[], end: Sums): number {
  if (cells.every((cell) => cell === undefined || cell === null || isZero(cell))) return 0
  const counts = starts.map((start) => {
    const isSum = (of: 'plain' | 'signed'): boolean =>
      cells.every((cell, at) => {
        if (cell === undefined) return true
        if (cell === null || end.unreadable[at] !== start.unreadable[at]) return false
        const sum = subtractDecimals(end[of][at] ?? NOTHING, start[of][at] ?? NOTHING)
        return compareDecimals(sum, cell) === 0
      })
    const holds = isSum('plain') || (end.unsigned === start.unsigned && isSum('signed'))
    return holds ? end.filled - start.filled : 0
  })
  return Math.max(0, ...counts)
}
