/** The rows of a statement that represent an account, a customer, or a vendor, with their amounts. */
import {
  absoluteDecimal,
  addDecimals,
  compareDecimals,
  type Decimal,
  multiplyDecimals,
  parseDecimal,
} from '../../../shared/format/money.ts'
import { joinNames } from '../../../shared/format/text.ts'
import { readDate } from '../../../shared/format/written-dates.ts'
import { notASum } from '../../../shared/reports/columns.ts'
import { type ReportRow, reportTitle } from '../../../shared/reports/reports.ts'
import { hasIncomeAndCost, signOf } from '../../../shared/reports/subjects.ts'
import type { Finding, ReviewSettings } from '../../../shared/review/review.ts'
import { NotChecked, type RuleFindings } from '../findings.ts'
import type { FullReport } from './evidence.ts'
import { isHeadingOf } from './month-headings.ts'

/** A data row with its identity, the sections that contain it, and its amounts. */
export interface Line {
  readonly key: string
  readonly name: string
  readonly row: ReportRow
  /** Names of the sections that contain it, outermost first, in lowercase. */
  readonly sections: readonly string[]
  /**
   * Whether a section around it that nothing closes contradicts one inside it (costs inside income, or liabilities inside
   * assets), so that the outer one may have ended.
   */
  readonly isUnplaced?: boolean
}

/** Returns the row's ID, or its name if it has none. */
function lineKey({ id, name }: ReportRow): string {
  return id === '' ? name.trim().toLowerCase() : id
}

/**
 * What an application appends to an account's name for the account's own amounts, apart from those of its subaccounts.
 */
const OWN_PART = / [-\u2013\u2014] Other$/i

/** Returns the name of a section in lowercase. A customer’s section may be *Total Wine & More*. */
export function sectionName(name: string): string {
  return name.toLowerCase().replace(/\s+/g, ' ').trim()
}

/** Returns the data rows of a statement, in order. */
export function linesOf({ rows }: Pick<FullReport, 'rows'>): readonly Line[] {
  const lines: Line[] = []
  const closed = new Set(rows.flatMap(({ kind, parent }) => (kind === 'subtotal' ? [parent] : [])))
  for (const row of rows) {
    // A row of an unknown type counts as data, so that none is skipped.
    if (row.kind !== 'data' && row.kind !== 'other') continue
    if (row.values.every((value) => value.trim() === '')) continue
    const sections: string[] = []
    let [sign, isUnplaced]: [1 | -1 | null, boolean] = [null, false]
    for (let at = row.parent; at >= 0; at = rows[at]?.parent ?? -1) {
      const name = sectionName(rows[at]?.name ?? '')
      sections.unshift(name)
      // Most sections are closed, or have none around them.
      if (sections.length === 1 && (rows[at]?.parent ?? -1) < 0) continue
      const own = hasIncomeAndCost(name) ? null : signOf(name)
      if (sign !== null && own !== null && own !== sign && !closed.has(at)) isUnplaced = true
      sign = own ?? sign
    }
    const line = { key: lineKey(row), name: row.name.replace(OWN_PART, ''), row, sections }
    lines.push(isUnplaced ? { ...line, isUnplaced } : line)
  }
  return lines
}

export const ZERO = '0' as Decimal

/** Returns the amount in a column, or zero if it is blank. An unreadable amount is reported as unchecked. */
export function amountAt(
  line: Pick<Line, 'key' | 'row' | 'name'>,
  column: number,
  findings: RuleFindings,
): Decimal {
  const text = line.row.values[column]?.trim() ?? ''
  if (text === '') return ZERO
  const amount = parseDecimal(text)
  if (amount !== null) return amount
  // Reporting one per line is enough.
  if (!findings.unreadable.has(line.key))
    findings.unchecked.add(`The amount of ${line.name} can’t be read: “${text.slice(0, 40)}”.`)
  findings.unreadable.add(line.key)
  return ZERO
}

/** Whether a column has words, such as currencies, instead of amounts. */
export function isOfWords({ rows }: Pick<FullReport, 'rows'>, column: number): boolean {
  const values = rows.flatMap(({ kind, values: all }) => (kind === 'data' ? [all[column]?.trim() ?? ''] : []))
  return values.some((value) => value !== '') && values.every((value) => !/\d/.test(value))
}

/** The columns that may hold amounts. */
export function amountColumns(statement: FullReport): readonly number[] {
  const { name, columns } = statement
  return columns.flatMap((_, at) =>
    notASum(name, columns, at) === null && !isOfWords(statement, at) ? [at] : [],
  )
}

/**
 * Returns the column of the whole period: *Total* if there is one, otherwise the last one of amounts. A balance sheet may
 * also have the balances of another day, so its column must be headed by its own day, or be the only one. Otherwise throws
 * `NotChecked`.
 */
export function totalColumn(statement: FullReport): number {
  const { name, columns, to } = statement
  const total = columns.findLastIndex((heading) => /^total$/i.test(heading.trim()))
  if (total >= 0) return total
  const amounts = amountColumns(statement)
  const last = amounts.at(-1) ?? columns.length - 1
  if (amounts.length < 2 || !/^balance ?sheet/i.test(name)) return last
  const ofDay = amounts.find((at) => isHeadingOfDay(columns[at] ?? '', to))
  if (ofDay !== undefined) return ofDay
  const [current, ...more] = amounts.filter((at) => !OTHER_COLUMN.test(columns[at]?.trim() ?? ''))
  if (current !== undefined && more.length === 0) return current
  const headings = amounts.map((at) => `“${columns[at]?.trim() ?? ''}”`)
  throw new NotChecked(
    `${reportTitle(name)} has several columns of amounts (${joinNames(headings, 3)}), and none is known to be that of its last day.`,
  )
}

/** Headings of other days, of differences from them, and of account numbers. */
const OTHER_COLUMN =
  /\b(?:last|prior|previous|earlier|py|change|difference|variance)\b|^(?:account )?(?:no|num(?:ber)?|code)\.?$/i

function isHeadingOfDay(heading: string, day: string): boolean {
  const text = heading.trim().replace(/^(?:as (?:of|at)|at|on)\s+/i, '')
  return (
    readDate(text, 'month-first') === day ||
    readDate(text, 'day-first') === day ||
    isHeadingOf(text, day.slice(0, 7))
  )
}

/**
 * Gives every line a unique key. Accounts without IDs may have the same name under several parents; within a report and
 * its earlier readings, their sections distinguish them.
 * @param others lines that these are compared with, which need the same keys
 */
export function withOwnKeys(
  lines: readonly Line[],
  ...others: readonly (readonly Line[])[]
): readonly Line[] {
  const places = new Map<string, Set<string>>()
  const placeOf = ({ sections }: Line): string => sections.join(' › ')
  for (const line of [lines, ...others].flat()) {
    places.set(line.key, (places.get(line.key) ?? new Set()).add(placeOf(line)))
  }
  return lines.map((line) =>
    line.row.id === '' && (places.get(line.key)?.size ?? 0) > 1
      ? { ...line, key: `${placeOf(line)} › ${line.key}` }
      : line,
  )
}

/** Sums the lines of a statement by account. */
export function sumsByKey<Each extends Line>(
  lines: readonly Each[],
  amountOf: (line: Each) => Decimal,
): Map<string, Decimal> {
  const sums = new Map<string, Decimal>()
  for (const line of lines) sums.set(line.key, addDecimals(sums.get(line.key) ?? ZERO, amountOf(line)))
  return sums
}

export type Side = 'asset' | 'liability-or-equity'

/** Returns the side of the balance sheet that a line is on; `null` if its sections don't tell. */
export function sideOf({ sections, isUnplaced }: Line): Side | null {
  if (isUnplaced) return null
  for (const section of sections) {
    // The net assets of a nonprofit are its equity.
    const subject = section.replace(/\bnet assets\b/g, 'equity')
    const isAsset = /\bassets?\b/.test(subject)
    const isOther =
      /\bliabilit|\bequity\b|\bcapital\b(?! assets)|\bfund balances?\b|\bnet worth\b|\bshareholders['’]? funds\b/.test(
        subject,
      )
    if (isAsset !== isOther) return isAsset ? 'asset' : 'liability-or-equity'
  }
  return null
}

/** Whether a line of a profit and loss is income (+1) or a cost (−1); `null` if its sections don't tell. */
export function incomeSign({ sections, isUnplaced }: Line): 1 | -1 | null {
  if (isUnplaced) return null
  for (const section of sections) {
    // A section such as *Net operating income* holds both.
    if (hasIncomeAndCost(section) || /^net\b|^gross (?:profit|margin)\b|^operating profit\b/.test(section))
      continue
    const sign = signOf(section)
    if (sign !== null) return sign
  }
  return null
}

/** The side that a positive amount of a statement's line is on; empty if its sections don't tell. */
export function positiveSide(line: Line): Finding['side'] {
  const side = sideOf(line)
  if (side !== null) return side === 'asset' ? 'debit' : 'credit'
  const sign = incomeSign(line)
  return sign === null ? '' : sign > 0 ? 'credit' : 'debit'
}

export function isNetIncome(name: string): boolean {
  return /^(?:total )?net (?:income|profit|earnings|loss)$|^profit for the (?:year|period)$|^current year (?:earnings|profit)$/i.test(
    name.trim(),
  )
}

/** Whether `difference` exceeds both thresholds: as a percentage of `base` and as an amount. */
export function isBeyond(difference: Decimal, base: Decimal, { percent, amount }: ReviewSettings): boolean {
  const size = absoluteDecimal(difference)
  const hundred = '100' as Decimal
  const share = multiplyDecimals(absoluteDecimal(base), parseDecimal(percent) ?? hundred)
  return (
    compareDecimals(size, parseDecimal(amount) ?? ZERO) >= 0 &&
    compareDecimals(multiplyDecimals(size, hundred), share) > 0
  )
}
