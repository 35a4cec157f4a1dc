/**
 * What a subtotal or total may be the sum of. The service does not say (specification 2.7), so each sum has
 * *readings*, the likeliest first; names that accountants use decide which one is certain. Pure.
 */
import { parseDecimal } from '../../../shared/format/money.ts'
import { subjectOf } from '../../../shared/reports/levels.ts'
import { signOf } from '../../../shared/reports/subjects.ts'

/** A section or an earlier total, as it counts one level up. */
export interface Part {
  /** Its name, without *Total*, in lower case. */
  readonly subject: string
  readonly value: ExactVector
  /** What its rows come to, where that may be something else. */
  readonly rows: ExactVector
}

/** Sums by name are looked for among so many parts: real statements have a dozen. */
const MOST_SECTIONS = 60

/** What lies directly in a section (or in the report), added up in the ways that a sum may mean. */
export class Parts {
  /** Rows directly in it; the reader of a row adds to it in place. */
  readonly direct: ExactVector
  hasRows = false
  /** More sections than are kept by name. */
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

  /** Rows, and the stated subtotals of the sections in it. */
  stated(): ExactVector {
    return this.direct.copy().add(this.statedBelow)
  }

  /** Every row in it, however deep. */
  rows(): ExactVector {
    return this.direct.copy().add(this.rowsBelow)
  }

  /** Puts a section in: what it states, and what its rows come to. */
  addSection(part: Part): void {
    this.statedBelow.add(part.value)
    this.rowsBelow.add(part.rows)
    this.keep(part)
  }

  /** Takes over everything of another. */
  absorb(other: Parts): void {
    this.direct.add(other.direct)
    this.statedBelow.add(other.statedBelow)
    this.rowsBelow.add(other.rowsBelow)
    this.hasRows ||= other.hasRows
    this.hasMore ||= other.hasMore
    for (const part of other.named) this.keep(part)
  }

  private keep(part: Part): void {
    if (this.named.length < MOST_SECTIONS) this.named.push(part)
    else this.hasMore = true
  }
}

/** One way to read a sum. A cell holds when any of the vectors equals it; the first is what is shown as its parts. */
export interface Reading {
  readonly vectors: readonly [ExactVector, ...ExactVector[]]
  /** Whether a difference is proof that the sum is wrong, not that the reading is. */
  readonly certain: boolean
}

/** *Net current assets*, *Total assets less current liabilities*: of some of the sections only. */
const OF_SOME = /\bless\b|\bexcl|\b(?:current|fixed|tangible|intangible)\b/

/** Income less cost over the given parts; `isKnown` is false when a name does not tell its sign. */
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

/** Income less cost over the last two sections, over the last three, and so on. */
function lastSections({ sections, columns }: Parts): ExactVector[] {
  const sum = new ExactVector(columns)
  return sections.toReversed().map(({ subject, value }) => sum.add(value, signOf(subject) ?? 1).copy())
}

function areCostsBelowZero({ sections, columns }: Parts): boolean {
  const costs = new ExactVector(columns)
  for (const { subject, value } of sections) if (signOf(subject) === -1) costs.add(value)
  return Array.from({ length: columns }, (_, column) => costs.value(column)).every((value) => value <= 0n)
}

/** Readings of a row that states a result, from all parts so far, from those since the last result, or both. */
export function resultReadings(
  name: string,
  all: Parts,
  since: Parts,
  last: ExactVector | null,
  before: ExactVector | null,
): Reading[] {
  const whole = result(all, null)
  const recent = result(since, null)
  const onTop = last ? result(since, last) : null
  const lastTwo = last && before ? [last.copy().add(before)] : []
  // "Net other income" is of its own sections alone; every other result goes on from the one above it.
  // A section whose own sum is wrong has been told: a result that goes by its rows is right.
  const own: Reading = {
    vectors: [recent.vector, recent.ofRows],
    certain: recent.isKnown && since.sections.length > 0,
  }
  const isOfSome = OF_SOME.test(name.toLowerCase())
  const chain: Reading = {
    vectors: [
      onTop?.vector ?? whole.vector,
      whole.vector,
      whole.ofRows,
      ...lastTwo,
      ...(isOfSome ? lastSections(all) : []),
    ],
    certain: whole.isKnown && all.sections.length > 0 && !isOfSome,
  }
  const readings: Reading[] = /\bother\b/i.test(name)
    ? [own, { ...chain, certain: false }]
    : [chain, { ...own, certain: false }]
  // Added up as they stand: right where costs bear a minus, or where nobody knows what is a cost.
  if (!whole.isKnown || areCostsBelowZero(all)) {
    readings.push({ vectors: [all.stated(), all.rows(), since.stated(), since.rows()], certain: false })
  }
  return readings
}

/** Whether all words of one are words of the other. */
function isWithin(words: string, text: string): boolean {
  const padded = ` ${text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `
  return words
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .split(' ')
    .every((word) => word !== '' && padded.includes(` ${word} `))
}

/**
 * The parts that a total names: *Total liabilities and equity* is the sum of those two. `null` when a term has
 * no part of its name.
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
 * Exact sums over many columns at once, for checking reports. Amounts are whole numbers of a small unit (10^-scale):
 * plain integers as long as they are exact, BigInt beyond. No value ever passes through a rounded float.
 */

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
