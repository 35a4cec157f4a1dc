/**
 * Finds formulas for the sums of a report. A sum becomes a formula only if its parts result in exactly the
 * service's value, in exact arithmetic. Otherwise it stays a plain value, because a workbook must not correct
 * the books.
 */
import { subjectOf } from '../../../shared/reports/levels.ts'
import type { ReportRow } from '../../../shared/reports/reports.ts'
import { hasIncomeAndCost, isResult, signOf } from '../../../shared/reports/subjects.ts'
import { classifyNumber } from './cells.ts'

/** Cells of one column, in rows above the formula: `from` 3 and `to` 1 are the three rows above it. */
export interface SumTerm {
  readonly sign: 1 | -1
  readonly from: number
  readonly to: number
}

export interface SumFormula {
  readonly terms: readonly SumTerm[]
  /** Decimals to round to if binary arithmetic alone would miss the value; `null` otherwise. */
  readonly decimals: number | null
}

/** Excel takes 255 arguments. A formula with more terms than this helps no reader. */
const MAX_TERMS = 100
/** Amounts are compared as integers in units of 10⁻⁶. Values with more decimals are not in formulas. */
const SCALE = 6

/** Rows that form one part of a sum: adjacent rows of a section, or one subtotal. */
interface Part {
  readonly subject: string
  readonly from: number
  to: number
  readonly units: bigint[]
  /** The sums in a spreadsheet's binary arithmetic. */
  readonly floats: number[]
  /** Columns with a value that isn't a number in the sheet. */
  readonly unreadable: Set<number>
}

type Reading = readonly (readonly [sign: 1 | -1, part: Part])[]

/** An open section, or the whole report (row −1). */
interface Frame {
  readonly row: number
  readonly level: number
  readonly subject: string
  /** Parts before and after the last result in it. */
  readonly before: Part[]
  since: Part[]
  readonly results: Part[]
}

/** Processes a report's rows in sheet order and finds the formula of each sum. */
export class SumFormulaFinder {
  readonly #columns: readonly number[]
  readonly #open: Frame[] = [openFrame(-1, -1, '')]
  #at = -1

  /** @param columns indexes of the columns with amounts that are added up */
  constructor(columns: readonly number[]) {
    this.#columns = columns
  }

  /**
   * Processes the next row.
   * @param index the row's index in the report, including hidden rows
   * @returns a formula for each column that has one; `null` if none has
   */
  next(row: ReportRow, index: number): ReadonlyMap<number, SumFormula> | null {
    this.#at += 1
    switch (row.kind) {
      case 'spacer':
        return null
      case 'section': {
        this.#closeTo(row.parent)
        const frame = openFrame(index, row.level, subjectOf(row.name))
        this.#open.push(frame)
        if (row.values.some((value) => value !== '')) frame.since.push(this.#part(row, ''))
        return null
      }
      case 'data':
      case 'other': {
        const { since } = this.#closeTo(row.parent)
        const last = since.at(-1)
        if (last?.subject === '' && last.to === this.#at - 1) this.#add(row, last)
        else since.push(this.#part(row, ''))
        return null
      }
      case 'subtotal':
      case 'total': {
        const frame = this.#closeTo(row.parent)
        const part = this.#part(row, subjectOf(row.name))
        const formulas = this.#formulas(frame, row, part)
        if (frame.row >= 0 && frame.level === row.level) {
          this.#open.pop()
          this.#open.at(-1)?.since.push({ ...part, subject: frame.subject })
        } else {
          frame.before.push(...frame.since)
          frame.since = []
          frame.results.push(part)
        }
        return formulas.size > 0 ? formulas : null
      }
    }
  }

  /** Closes the sections inside this one, which had no subtotal. Their rows count in the surrounding section. */
  #closeTo(row: number): Frame {
    const depth = Math.max(
      0,
      this.#open.findLastIndex((frame) => frame.row === row),
    )
    while (this.#open.length > depth + 1) {
      const inner = this.#open.pop()
      if (inner) this.#open.at(-1)?.since.push(...inner.before, ...inner.since)
    }
    return this.#open[depth] ?? openFrame(-1, -1, '')
  }

  #part(row: ReportRow, subject: string): Part {
    const part: Part = {
      subject,
      from: this.#at,
      to: this.#at,
      units: [],
      floats: [],
      unreadable: new Set(),
    }
    for (const column of this.#columns) [part.units[column], part.floats[column]] = [0n, 0]
    this.#add(row, part)
    return part
  }

  /** Adds a row to a part, which now extends to this row. */
  #add(row: ReportRow, part: Part): void {
    part.to = this.#at
    for (const column of this.#columns) {
      const value = row.values[column] ?? ''
      if (value === '') continue
      const units = toUnits(value)
      if (units === null) part.unreadable.add(column)
      else {
        part.units[column] = (part.units[column] ?? 0n) + units
        part.floats[column] = (part.floats[column] ?? 0) + Number(value)
      }
    }
  }

  /** Returns the reading that is exact in the most columns, at least one of them not zero. */
  #formulas(frame: Frame, row: ReportRow, sum: Part): ReadonlyMap<number, SumFormula> {
    const stated = this.#columns.filter(
      (column) => (row.values[column] ?? '') !== '' && !sum.unreadable.has(column),
    )
    let best: { readonly reading: Reading; readonly columns: readonly number[] } | null = null
    for (const reading of readings(frame, row.name)) {
      if (reading.length === 0) continue
      const columns = stated.filter(
        (column) =>
          reading.every(([, part]) => !part.unreadable.has(column)) &&
          reading.reduce((total, [sign, part]) => total + BigInt(sign) * (part.units[column] ?? 0n), 0n) ===
            sum.units[column],
      )
      const isProven = columns.some((column) => sum.units[column] !== 0n)
      if (isProven && columns.length > (best?.columns.length ?? 0)) best = { reading, columns }
    }
    const found = best
    if (found === null) return new Map()
    const terms = found.reading.map(([sign, { from, to }]): SumTerm => ({
      sign,
      from: this.#at - from,
      to: this.#at - to,
    }))
    return new Map(
      found.columns.map((column): [number, SumFormula] => {
        const computed = found.reading.reduce(
          (total, [sign, part]) => total + sign * (part.floats[column] ?? 0),
          0,
        )
        const [, decimals = ''] = (row.values[column] ?? '').split('.')
        const isExact = computed === sum.floats[column]
        return [column, { terms, decimals: isExact ? null : decimals.length }]
      }),
    )
  }
}

function openFrame(row: number, level: number, subject: string): Frame {
  return { row, level, subject, before: [], since: [], results: [] }
}

/** `null` if the value isn't a number in the sheet. */
function toUnits(value: string): bigint | null {
  if (classifyNumber(value) !== 'number') return null
  const dot = value.indexOf('.')
  if (dot < 0) return BigInt(value) * 10n ** BigInt(SCALE)
  const decimals = value.length - dot - 1
  return decimals > SCALE
    ? null
    : BigInt(value.slice(0, dot) + value.slice(dot + 1)) * 10n ** BigInt(SCALE - decimals)
}

/** Returns the possible readings of a sum, the most likely first. */
function readings({ subject, before, since, results }: Frame, name: string): readonly Reading[] {
  const plus = (parts: readonly Part[]): Reading => parts.map((part) => [1, part] as const)
  const minus = (parts: readonly Part[]): Reading => parts.map((part) => [-1, part] as const)
  const signed = (parts: readonly Part[]): Reading =>
    parts.map((part) => [signOf(part.subject) ?? 1, part] as const)
  const last = results.slice(-1)
  if (before.length + since.length + results.length > MAX_TERMS)
    return since.length > MAX_TERMS ? [] : [plus(since)]
  const sums = [
    plus(since),
    ...(results.length === 0
      ? []
      : [plus([...last, ...since]), plus([...before, ...since]), plus(results), plus(results.slice(-2))]),
  ]
  if (!isResult(name) && !hasIncomeAndCost(subjectOf(name)) && !hasIncomeAndCost(subject)) return sums
  return [
    ...(results.length === 0
      ? []
      : [
          [...plus(last), ...signed(since)],
          [...plus(last), ...minus(since)],
        ]),
    signed([...before, ...since]),
    [...plus(since.slice(0, 1)), ...minus(since.slice(1))],
    ...sums,
  ]
}

/** Formats a formula without the equals sign: `SUM(D8:D10,D14)`, `D10-D14`. */
export function formulaText({ terms, decimals }: SumFormula, column: string, row: number): string {
  const range = ({ from, to }: SumTerm): string => {
    const [first, last] = [`${column}${String(row - from)}`, `${column}${String(row - to)}`]
    return from === to ? first : `${first}:${last}`
  }
  const [added, taken] = [1, -1].map((sign) => terms.filter((term) => term.sign === sign).map(range))
  const total = (ranges: readonly string[]): string => `SUM(${ranges.join(',')})`
  const short = (ranges: readonly string[]): string =>
    ranges.length === 1 && !ranges[0]?.includes(':') ? (ranges[0] ?? '') : total(ranges)
  const text =
    taken === undefined || taken.length === 0
      ? total(added ?? [])
      : `${added === undefined || added.length === 0 ? '' : short(added)}-${short(taken)}`
  return decimals === null ? text : `ROUND(${text},${String(decimals)})`
}
