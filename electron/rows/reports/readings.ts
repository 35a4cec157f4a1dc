/**
 * The possible meanings of a subtotal or total. The service doesn't say what it sums (specification 2.7), so each sum
 * has several *readings*, the most likely first. Names that accountants use decide which reading is certain.
 */
import { parseDecimal } from '../../../shared/format/money.ts'
import { subjectOf } from '../../../shared/reports/levels.ts'
import { signOf } from '../../../shared/reports/subjects.ts'

/** A section or an earlier total as one part of a larger sum. */
export interface Part {
  /** Its name in lower case, without *Total*. */
  readonly subject: string
  readonly value: ExactVector
  /** The sum of its rows, if it may differ from what is stated. */
  readonly rows: ExactVector
}

/** The most parts to find by name. Real statements have about a dozen. */
const MAX_SECTIONS = 60

/** The direct content of a section or of the report, added up in each way that a sum may mean. */
export class Parts {
  /** The sum of the direct rows. Readers add to it in place. */
  readonly direct: ExactVector
  hasRows = false
  /** Whether there are more sections than the limit. */
  hasMore = false
  private readonly named: Part[] = []
  private readonly statedBelow: ExactVector
  private readonly rowsBelow: ExactVector
  readonly columns: number

  constructor(columns: number) {
    this.columns = columns
    this.direct = new ExactVector(columns)
    this.statedBelow = new ExactVector(columns)
    this.rowsBelow = new ExactVector(columns)
  }

  get isEmpty(): boolean {
    return !this.hasRows && this.named.length === 0
  }

  get sections(): readonly Part[] {
    return this.named
  }

  /** The direct rows plus the stated subtotals of the sections. */
  stated(): ExactVector {
    return this.direct.copy().add(this.statedBelow)
  }

  /** All rows at any depth. */
  rows(): ExactVector {
    return this.direct.copy().add(this.rowsBelow)
  }

  /** Adds a section with its stated sum and the sum of its rows. */
  addSection(part: Part): void {
    this.statedBelow.add(part.value)
    this.rowsBelow.add(part.rows)
    this.keep(part)
  }

  /** Adds everything of another. */
  absorb(other: Parts): void {
    this.direct.add(other.direct)
    this.statedBelow.add(other.statedBelow)
    this.rowsBelow.add(other.rowsBelow)
    this.hasRows ||= other.hasRows
    this.hasMore ||= other.hasMore
    for (const part of other.named) this.keep(part)
  }

  private keep(part: Part): void {
    if (this.named.length < MAX_SECTIONS) this.named.push(part)
    else this.hasMore = true
  }
}

/** One way to read a sum. A cell is right if any of the vectors equals it. The first vector is the one shown. */
export interface SumReading {
  readonly vectors: readonly [ExactVector, ...ExactVector[]]
  /** Whether a difference proves that the sum is wrong, rather than the reading. */
  readonly certain: boolean
}

/** Matches sums of only some sections, such as *Net current assets* or *Total assets less current liabilities*. */
const OF_SOME = /\bless\b|\bexcl|\b(?:current|fixed|tangible|intangible)\b/

/** Income less cost over the parts. `isKnown` is false if a name doesn't tell which of the two it is. */
function result(
  parts: Parts,
  start: ExactVector | null,
): { readonly vector: ExactVector; readonly ofRows: ExactVector; readonly isKnown: boolean } {
  const vector = start?.copy() ?? new ExactVector(parts.columns)
  const ofRows = vector.copy()
  let isKnown = !parts.hasRows && !parts.hasMore
  for (const { subject, value, rows } of parts.sections) {
    const sign = signOf(subject)
    if (sign === null) isKnown = false
    vector.add(value, sign ?? 1)
    ofRows.add(rows, sign ?? 1)
  }
  return { vector, ofRows, isKnown }
}

/** Income less cost over the last two sections, the last three, and so on. */
function lastSections({ sections, columns }: Parts): ExactVector[] {
  const sum = new ExactVector(columns)
  return sections.toReversed().map(({ subject, value }) => sum.add(value, signOf(subject) ?? 1).copy())
}

function areCostsBelowZero({ sections, columns }: Parts): boolean {
  const costs = new ExactVector(columns)
  for (const { subject, value } of sections) if (signOf(subject) === -1) costs.add(value)
  return Array.from({ length: columns }, (_, column) => costs.value(column)).every((value) => value <= 0n)
}

/** Readings of a row that states a result: from all parts so far, from those since the last result, or from both. */
export function resultReadings(
  name: string,
  all: Parts,
  since: Parts,
  last: ExactVector | null,
  before: ExactVector | null,
): SumReading[] {
  const whole = result(all, null)
  const recent = result(since, null)
  const onTop = last ? result(since, last) : null
  const lastTwo = last && before ? [last.copy().add(before)] : []
  // "Net other income" covers only its own sections. Every other result continues from the one above it.
  // If a section's own sum is wrong, that is already reported, so a result that uses the section's rows is fine.
  const own: SumReading = {
    vectors: [recent.vector, recent.ofRows],
    certain: recent.isKnown && since.sections.length > 0,
  }
  const isOfSome = OF_SOME.test(name.toLowerCase())
  const chain: SumReading = {
    vectors: [
      onTop?.vector ?? whole.vector,
      whole.vector,
      whole.ofRows,
      ...lastTwo,
      ...(isOfSome ? lastSections(all) : []),
    ],
    certain: whole.isKnown && all.sections.length > 0 && !isOfSome,
  }
  const readings: SumReading[] = /\bother\b/i.test(name)
    ? [own, { ...chain, certain: false }]
    : [chain, { ...own, certain: false }]
  // A plain sum is right if costs are negative, or if it is unknown which parts are costs.
  if (!whole.isKnown || areCostsBelowZero(all)) {
    readings.push({ vectors: [all.stated(), all.rows(), since.stated(), since.rows()], certain: false })
  }
  return readings
}

/** Whether all words of one name are in the other. */
function isWithin(words: string, text: string): boolean {
  const padded = ` ${text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `
  return words
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .split(' ')
    .every((word) => word !== '' && padded.includes(` ${word} `))
}

/**
 * The parts that a total names: *Total liabilities and equity* is the sum of those two. `null` if one of them doesn't
 * exist.
 */
export function namedParts(name: string, parts: readonly Part[]): Part[] | null {
  const subject = subjectOf(name)
  const exact = parts.filter((part) => part.subject === subject)
  if (exact.length > 0) return exact.slice(-1)
  const found = new Set<Part>()
  for (const term of subject.split(/\s*(?:\band\b|&|\+|,|\/)\s*/)) {
    if (term === '') return null
    const same = parts.filter((part) => part.subject === term).slice(-1)
    const like = same.length > 0 ? same : parts.filter((part) => alike(term, part.subject))
    if (like.length === 0) return null
    for (const part of like) found.add(part)
  }
  return [...found]
}

function alike(term: string, subject: string): boolean {
  return subject !== '' && (isWithin(term, subject) || isWithin(subject, term))
}

export function sumOf(parts: readonly Part[], columns: number): ExactVector {
  const sum = new ExactVector(columns)
  for (const part of parts) sum.add(part.value)
  return sum
}

/*
 * Exact sums of many columns at once. Amounts are whole numbers of a small unit (10^-scale): plain integers while they
 * are exact, BigInt beyond that. Nothing is ever rounded.
 */

/** The sum of two numbers below this is still an exact integer. */
const EXACT = 2 ** 52
/** A number of this many digits is always below `EXACT`. */
const EXACT_DIGITS = 15

/** The content of a cell: nothing, an amount, or text that is not a plain decimal. */
export type CellContent = 'blank' | 'amount' | 'text'

/** One exact value per column. Adding text to a column makes it unusable, because its sum is unknown. */
class ExactVector {
  private readonly units: Float64Array
  private readonly unusable: Uint8Array
  private large: Map<number, bigint> | null = null
  readonly length: number

  constructor(length: number) {
    this.length = length
    this.units = new Float64Array(length)
    this.unusable = new Uint8Array(length)
  }

  /** Adds (or with −1, subtracts) all columns of another vector. */
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

  /** The exact value of a column, in units. */
  value(column: number): bigint {
    return BigInt(this.units[column] ?? 0) + (this.large?.get(column) ?? 0n)
  }

  equals(other: ExactVector, column: number): boolean {
    if (!this.large && !other.large) return this.units[column] === other.units[column]
    return this.value(column) === other.value(column)
  }

  /** Copies one column of another vector. */
  take(other: ExactVector, column: number): void {
    this.units[column] = other.units[column] ?? 0
    this.unusable[column] = other.unusable[column] ?? 0
    this.large?.delete(column)
    const large = other.large?.get(column)
    if (large !== undefined) this.addLarge(column, large)
  }
}

/** The largest number of decimals of any amount: 0, or at least 2. In this unit, everything is exact. */
export function commonScale(rows: readonly { readonly values: readonly string[] }[]): number {
  let scale = 0
  for (const { values } of rows) {
    for (const value of values) {
      const dot = value.indexOf('.')
      if (dot < 0) continue
      const decimals = Math.max(value.length - dot - 1, 2)
      if (decimals > scale && parseDecimal(value) !== null) scale = decimals
    }
  }
  return scale
}

/** A row's amounts, and what each cell contained. */
export interface RowAmounts {
  readonly sums: ExactVector
  readonly kinds: readonly CellContent[]
}

/** Adds a value to a column and returns what it was. Text makes the column unusable. */
export function addCell(sums: ExactVector, column: number, value: string, scale: number): CellContent {
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

/** The slow path for amounts that are too large for a plain integer. */
function addLongCell(sums: ExactVector, column: number, value: string, missing: number): CellContent {
  if (parseDecimal(value) === null || missing < 0) {
    sums.markUnusable(column)
    return 'text'
  }
  sums.addLarge(column, BigInt(value.replace('.', '')) * 10n ** BigInt(missing))
  return 'amount'
}

/** Reads a row's values. Missing columns are blank. */
export function readLine(values: readonly string[], columns: number, scale: number): RowAmounts {
  const sums = new ExactVector(columns)
  const kinds: CellContent[] = []
  for (let column = 0; column < columns; column += 1) {
    kinds.push(addCell(sums, column, values[column] ?? '', scale))
  }
  return { sums, kinds }
}

/** Formats units as a plain decimal: without decimals, or with at least two and no trailing zeros after them. */
export function unitsToText(units: bigint, scale: number): string {
  const negative = units < 0n
  const digits = (negative ? -units : units).toString().padStart(scale + 1, '0')
  const decimals = digits.slice(digits.length - scale)
  const kept = decimals.slice(0, 2) + decimals.slice(2).replace(/0+$/, '')
  const whole = `${negative ? '-' : ''}${digits.slice(0, digits.length - scale)}`
  return scale === 0 ? whole : `${whole}.${kept}`
}
