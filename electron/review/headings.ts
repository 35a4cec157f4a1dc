/**
 * Amounts in heading rows. Some applications write an account’s own amount into the heading above its subaccounts, others the
 * total of what follows. The rules read data rows, so an own amount becomes one.
 */
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  isZero,
  parseDecimal,
} from '../../shared/format/money.ts'
import { notASum } from '../../shared/reports/columns.ts'
import { type ReportRow, reportTitle } from '../../shared/reports/reports.ts'
import type { FullReport, ReadResult } from './evidence/evidence.ts'
import { ZERO } from './evidence/lines.ts'
import { markTotals, type TotalReading } from './totals.ts'

/** Rows that may be totals count as data, so that none is skipped. */
const AS_DATA: TotalReading = { unsureAs: 'data', isRecord: () => null, checkSums: null }

/**
 * Returns the statement with its totals and a data row for each own amount, or why one can’t be told from a total. Also
 * returns the names of rows that may be totals or not.
 */
export function readRows(
  read: ReadResult<FullReport>,
  totals = AS_DATA,
): ReadResult<FullReport> & { readonly unsure: readonly string[] } {
  if (!read.ok) return { ...read, unsure: [] }
  const { statement, unsure } = markTotals(read.value, totals)
  return { ...ownAmounts(statement), unsure }
}

function ownAmounts(statement: FullReport): ReadResult<FullReport> {
  const { rows, name, columns } = statement
  if (!rows.some(hasFigures)) return { ok: true, value: statement }
  const sums = columns.flatMap((_, at) => (notASum(name, columns, at) === null ? [at] : []))
  const amountsOf = ({ values }: ReportRow): readonly Decimal[] =>
    sums.map((at) => parseDecimal(values[at]?.trim() ?? '') ?? ZERO)
  const inside = new Map<number, readonly Decimal[]>()
  const addTo = (section: number, amounts: readonly Decimal[]): void => {
    inside.set(section, added(inside.get(section), amounts))
  }
  const stated = new Map<number, readonly Decimal[]>()
  for (const row of rows) {
    if (row.kind === 'data' || row.kind === 'other') addTo(row.parent, amountsOf(row))
    if (row.kind === 'subtotal' && row.values.some((value) => value.trim() !== ''))
      stated.set(row.parent, amountsOf(row))
  }
  const own: ReportRow[] = []
  // Inner sections come after the outer ones.
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const row = rows[at]
    if (row?.kind !== 'section') continue
    const [parts, total] = [inside.get(at), stated.get(at)]
    const amounts = amountsOf(row)
    let whole = parts
    if (hasFigures(row)) {
      const isOwn = parts === undefined || (total !== undefined && areEqual(total, added(parts, amounts)))
      if (!isOwn && !areEqual(amounts, parts)) {
        const reason = `${reportTitle(name)} has amounts in the heading “${row.name}” that are neither its total nor added to it.`
        return { ok: false, reason }
      }
      if (isOwn) {
        whole = added(parts, amounts)
        own.unshift({ ...row, kind: 'data', level: row.level + 1, parent: at })
      }
    }
    if (whole !== undefined) addTo(row.parent, whole)
  }
  const plain = rows.map((row) =>
    row.kind === 'section' && row.values.length > 0 ? { ...row, values: [] } : row,
  )
  return { ok: true, value: { ...statement, rows: [...plain, ...own] } }
}

/** Amounts, also as people write them, but no phone numbers and dates. */
const LIKE_AN_AMOUNT = /^[^\p{L}\d]{0,4}\d[\d.,'\s]*[^\p{L}\d]{0,3}$/u

function hasFigures({ kind, values }: ReportRow): boolean {
  return (
    kind === 'section' &&
    values.some(
      (value) => LIKE_AN_AMOUNT.test(value) && !isZero(parseDecimal(value.trim()) ?? ('1' as Decimal)),
    )
  )
}

function added(left: readonly Decimal[] | undefined, right: readonly Decimal[]): readonly Decimal[] {
  return left === undefined ? right : right.map((amount, at) => addDecimals(left[at] ?? ZERO, amount))
}

function areEqual(left: readonly Decimal[], right: readonly Decimal[]): boolean {
  return left.every((amount, at) => compareDecimals(amount, right[at] ?? ZERO) === 0)
}
