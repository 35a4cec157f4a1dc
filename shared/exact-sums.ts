/**
 * Exact sums over many columns at once, for checking reports. Amounts are whole numbers of a small unit (10^-scale):
 * plain integers as long as they are exact, BigInt beyond. No value ever passes through a rounded float.
 */
import { parseDecimal } from './money.ts'

/** Below this, the sum of two of them is still an exact integer. */
const EXACT = 2 ** 52
/** So many digits always fit below `EXACT`. */
const EXACT_DIGITS = 15

/** What a cell holds: nothing, an amount, or text that is no plain decimal. */
export type CellKind = 'blank' | 'amount' | 'text'

/** One exact value per column. A column is unusable once text was added to it: its sum is not known. */
export class ExactVector {
  private readonly units: Float64Array
  private readonly unusable: Uint8Array
  private large: Map<number, bigint> | null = null
  readonly length: number

  constructor(length: number) {
    this.length = length
    this.units = new Float64Array(length)
    this.unusable = new Uint8Array(length)
  }

  /** Adds all columns of another vector, once or (with −1) taken away. */
  add(other: ExactVector, sign: 1 | -1 = 1): this {
    for (let column = 0; column < this.length; column += 1) {
      this.addUnits(column, sign * (other.units[column] ?? 0))
      if (other.unusable[column] === 1) this.unusable[column] = 1
    }
    if (other.large) {
      for (const [column, value] of other.large) this.addLarge(column, sign === 1 ? value : -value)
    }
    return this
  }

  copy(): ExactVector {
    return new ExactVector(this.length).add(this)
  }

  addUnits(column: number, units: number): void {
    const next = (this.units[column] ?? 0) + units
    if (next < EXACT && next > -EXACT) {
      this.units[column] = next
      return
    }
    this.addLarge(column, BigInt(next))
    this.units[column] = 0
  }

  addLarge(column: number, value: bigint): void {
    this.large ??= new Map()
    this.large.set(column, (this.large.get(column) ?? 0n) + value)
  }

  markUnusable(column: number): void {
    this.unusable[column] = 1
  }

  isUsable(column: number): boolean {
    return this.unusable[column] === 0
  }

  /** The exact value in units. */
  value(column: number): bigint {
    return BigInt(this.units[column] ?? 0) + (this.large?.get(column) ?? 0n)
  }

  equals(other: ExactVector, column: number): boolean {
    if (!this.large && !other.large) return this.units[column] === other.units[column]
    return this.value(column) === other.value(column)
  }

  /** Takes over one column of another vector as it is. */
  take(other: ExactVector, column: number): void {
    this.units[column] = other.units[column] ?? 0
    this.unusable[column] = other.unusable[column] ?? 0
    this.large?.delete(column)
    const large = other.large?.get(column)
    if (large !== undefined) this.addLarge(column, large)
  }
}

/** The most decimals that any amount has, at least 2: the unit in which everything is exact. */
export function commonScale(rows: readonly { readonly values: readonly string[] }[]): number {
  let scale = 2
  for (const { values } of rows) {
    for (const value of values) {
      const dot = value.indexOf('.')
      if (dot < 0) continue
      const decimals = value.length - dot - 1
      if (decimals > scale && parseDecimal(value) !== null) scale = decimals
    }
  }
  return scale
}

/** A row's values as amounts: the vector, and what each cell was. */
export interface Line {
  readonly sums: ExactVector
  readonly kinds: readonly CellKind[]
}

/** Adds one value as text to a column and says what it was. Text makes the column unusable. */
export function addCell(sums: ExactVector, column: number, value: string, scale: number): CellKind {
  const length = value.length
  if (length === 0) return 'blank'
  const negative = value.charCodeAt(0) === 45
  let digits = 0
  let units = 0
  let dot = -1
  for (let index = negative ? 1 : 0; index < length; index += 1) {
    const code = value.charCodeAt(index)
    if (code >= 48 && code <= 57) {
      units = units * 10 + code - 48
      digits += 1
    } else if (code === 46 && dot < 0 && digits > 0 && index < length - 1) {
      dot = index
    } else {
      if (value.trim() === '') return 'blank'
      sums.markUnusable(column)
      return 'text'
    }
  }
  const missing = scale - (dot < 0 ? 0 : length - dot - 1)
  if (digits > 0 && missing >= 0 && digits + missing <= EXACT_DIGITS) {
    for (let power = missing; power > 0; power -= 1) units *= 10
    sums.addUnits(column, negative ? -units : units)
    return 'amount'
  }
  return addLongCell(sums, column, value, missing)
}

/** The slow way, for amounts that don't fit a plain integer. */
function addLongCell(sums: ExactVector, column: number, value: string, missing: number): CellKind {
  if (parseDecimal(value) === null || missing < 0) {
    sums.markUnusable(column)
    return 'text'
  }
  sums.addLarge(column, BigInt(value.replace('.', '')) * 10n ** BigInt(missing))
  return 'amount'
}

/** Reads a row's values; columns that it lacks are blank. */
export function readLine(values: readonly string[], columns: number, scale: number): Line {
  const sums = new ExactVector(columns)
  const kinds: CellKind[] = []
  for (let column = 0; column < columns; column += 1) {
    kinds.push(addCell(sums, column, values[column] ?? '', scale))
  }
  return { sums, kinds }
}

/** Units as a plain decimal, with at least two decimals and no zeros beyond them. */
export function unitsToText(units: bigint, scale: number): string {
  const negative = units < 0n
  const digits = (negative ? -units : units).toString().padStart(scale + 1, '0')
  const decimals = digits.slice(digits.length - scale)
  const kept = decimals.slice(0, 2) + decimals.slice(2).replace(/0+$/, '')
  return `${negative ? '-' : ''}${digits.slice(0, digits.length - scale)}.${kept}`
}
