/**
 * Reads cells as values of their fields. The decimal mark and the order of dates are only known from a whole column, so
 * each column gets a reader of its own, which says what it assumed.
 */
import {
  type Decimal,
  type NumberMarks,
  canonicalDecimal,
  compareDecimals,
  parseTypedDecimal,
} from '../../../../shared/format/money.ts'
import {
  type ImportCell,
  LOCAL_CURRENCY,
  cellText,
  isBlank,
  plainDigits,
} from '../../../../shared/import/table.ts'
import { type EditValue, LONGEST_TEXT } from '../../../../shared/records/changes.ts'
import type { FieldType } from '../../../../shared/records/definition.ts'

export type ReadCell =
  | { readonly ok: true; readonly value: EditValue }
  /** Why it can't be read, in a sentence without the column's name. */
  | { readonly ok: false; readonly because: string }

/** How a column's cells are read. */
export interface ColumnReader {
  /** Not for blank cells. */
  readonly read: (cell: ImportCell) => ReadCell
  /** What the reader assumed, in sentences; none when nothing was in doubt. */
  readonly notes: readonly string[]
  /** Whether the cells are ambiguous and the person hasn't said how to read them. */
  readonly isInDoubt: boolean
}

/** How this machine writes numbers and dates. */
export interface LocalWriting {
  readonly marks: NumberMarks
  readonly dates: DateOrder
}

/** What the person said about the file; `null` lets each column tell, else this machine's locale. */
export interface ChosenWriting {
  readonly marks: NumberMarks | null
  readonly dates: DateOrder | null
}

const YES = new Set(['true', 'yes', 'y', '1', 'x', '✓', '✔', 'on', 'active'])
const NO = new Set(['false', 'no', 'n', '0', 'off', 'inactive', 'not active'])

/** Marks of other locales. The machine's own are tried first. */
const OTHER_MARKS: readonly NumberMarks[] = [
  { decimal: '.', group: ',' },
  { decimal: ',', group: '.' },
  { decimal: ',', group: ' ' },
  { decimal: '.', group: ' ' },
  { decimal: '.', group: '’' },
  { decimal: '.', group: "'" },
]

/** @param cells all cells of the column */
export function columnReader(
  type: FieldType,
  cells: readonly ImportCell[],
  local: LocalWriting,
  chosen: ChosenWriting,
): ColumnReader {
  const filled = cells.filter((cell) => !isBlank(cell))
  switch (type) {
    case 'money':
      return amountReader(filled, local.marks, chosen.marks)
    case 'boolean':
      return { read: guarded(readBoolean), notes: [], isInDoubt: false }
    case 'timestamp':
      return dateReader(filled, local.dates, chosen.dates)
    case 'reference':
      return {
        read: guarded((cell) => text(cell, (FullName) => ({ ID: '', FullName }))),
        notes: [],
        isInDoubt: false,
      }
    case 'text':
    case 'address':
    case 'contact':
      return {
        read: guarded((cell) => text(cell, (words) => words)),
        notes: currencyNotes(filled.filter((cell) => typeof cell === 'object')),
        isInDoubt: false,
      }
  }
}

function value(read: EditValue): ReadCell {
  return { ok: true, value: read }
}

function text(cell: ImportCell, made: (words: string) => EditValue): ReadCell {
  const words = plainText(cell)
  return words.length > LONGEST_TEXT ? refused('it is too long for any field.') : value(made(words))
}

function refused(because: string): ReadCell {
  return { ok: false, because }
}

/** Refuses cells whose formula failed. */
function guarded(read: (cell: ImportCell) => ReadCell): (cell: ImportCell) => ReadCell {
  return (cell) =>
    typeof cell === 'object' && 'error' in cell
      ? refused(`its formula has an error (${cell.error}).`)
      : read(cell)
}

/** Text without blanks around it, seen or not; a number with all its digits, without an exponent. */
function plainText(cell: ImportCell): string {
  if (typeof cell === 'object' && 'number' in cell) return cell.shown ?? cell.number
  return cellText(cell)
    .replace(/^[\s\u200b\u2060]+|[\s\u200b\u2060]+$/g, '')
    .replace(/[\v\u2028\u2029]/g, '\n')
}

function readBoolean(cell: ImportCell): ReadCell {
  if (typeof cell === 'boolean') return value(cell ? 'true' : 'false')
  // `Not-active` and `Not Active` are one.
  const word = plainText(cell)
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
  if (YES.has(word)) return value('true')
  if (NO.has(word)) return value('false')
  return refused(`“${plainText(cell).toLowerCase()}” is neither yes nor no.`)
}

/** A currency code before or after an amount: `USD 1,500.00`. */
const CURRENCY_CODE = /^[A-Z]{3}\s*(?=[\d(.\u2212-])|(?<=[\d)])\s*[A-Z]{3}$/g

function readAmount(text: string, marks: NumberMarks): Decimal | null {
  const amount = text
    .trim()
    .replace(CURRENCY_CODE, '')
    .replace(/\b[A-Z]{1,3}(?=\p{Sc})/u, '')
  return parseTypedDecimal(amount, marks)
}

function amountReader(
  cells: readonly ImportCell[],
  local: NumberMarks,
  chosen: NumberMarks | null,
): ColumnReader {
  const texts = cells.filter((cell) => typeof cell === 'string')
  const marks = chosen ?? marksOf(texts, local)
  const notes: string[] = []
  const doubtful = texts.find((text) => isReadTwoWays(text, marks))
  if (!sameMarks(marks, local) || doubtful !== undefined) {
    const example = doubtful ?? texts.find((text) => readAmount(text, local) === null)
    const amount = example === undefined ? null : readAmount(example, marks)
    if (example !== undefined && amount !== null)
      notes.push(
        `Amounts use “${marks.decimal}” as the decimal point: “${example.trim()}” is ${canonicalDecimal(amount)}.`,
      )
  }
  notes.push(...currencyNotes(cells))
  if (cells.some((cell) => typeof cell === 'object' && 'number' in cell && cell.shown?.endsWith('%')))
    notes.push('Some amounts are percentages in the workbook. They are read as fractions: 5% is 0.05.')
  if (
    cells.some(
      (cell) => typeof cell === 'object' && 'number' in cell && plainDigits(cell.number)?.isRounded === true,
    )
  )
    notes.push('Some numbers have more digits than Excel shows. Bookbridge uses the displayed value.')
  const read = (cell: ImportCell): ReadCell => {
    if (typeof cell === 'object' && 'number' in cell) {
      const digits = plainDigits(cell.number)
      return digits === null ? refused(`“${cell.number}” is not an amount.`) : value(digits.shown)
    }
    const text = typeof cell === 'string' ? cell : ''
    const amount = text === '' ? null : readAmount(text, marks)
    return amount === null ? refused(`“${cellText(cell).trim()}” is not an amount.`) : value(amount)
  }
  return { read: guarded(read), notes, isInDoubt: chosen === null && doubtful !== undefined }
}

/** What becomes of the currencies in a column. */
function currencyNotes(cells: readonly ImportCell[]): readonly string[] {
  const [first, ...others] = currenciesOf(cells).map((each) =>
    each === LOCAL_CURRENCY ? 'this computer’s currency' : `“${each}”`,
  )
  if (first === undefined) return []
  if (others.length > 0)
    return [
      `The amounts are in several currencies (${[first, ...others].join(', ')}). The currency is ignored, and nothing is converted.`,
    ]
  return first.startsWith('“')
    ? [`${first} is ignored. The amounts are in the company’s own currency.`]
    : ['The amounts are formatted as currency. They are taken in the company’s own currency.']
}

/** Signs and codes of currencies in a column, in the order of their first use. */
function currenciesOf(cells: readonly ImportCell[]): readonly string[] {
  const found = new Set<string>()
  for (const cell of cells) {
    if (typeof cell === 'object' && 'number' in cell) {
      if (cell.currency !== undefined) found.add(cell.currency)
    } else if (typeof cell === 'string') {
      const sign = /(?:\b[A-Z]{1,3})?\p{Sc}/u.exec(cell)?.[0] ?? cell.trim().match(CURRENCY_CODE)?.[0]
      if (sign !== undefined) found.add(sign.trim())
    }
  }
  return [...found]
}

/** The marks by which most texts are amounts; the machine's own on a tie. */
function marksOf(texts: readonly string[], local: NumberMarks): NumberMarks {
  let best = local
  let most = -1
  for (const marks of [local, ...OTHER_MARKS]) {
    const count = texts.reduce((sum, text) => sum + (readAmount(text, marks) === null ? 0 : 1), 0)
    if (count > most) [best, most] = [marks, count]
    if (most === texts.length) break
  }
  return best
}

function sameMarks(left: NumberMarks, right: NumberMarks): boolean {
  return left.decimal === right.decimal && left.group === right.group
}

/** `1.500` is one and a half, or fifteen hundred. */
function isReadTwoWays(text: string, marks: NumberMarks): boolean {
  const here = readAmount(text, marks)
  const there = readAmount(text, { decimal: marks.group.trim() || ',', group: marks.decimal })
  return here !== null && there !== null && compareDecimals(here, there) !== 0
}

function dateReader(cells: readonly ImportCell[], local: DateOrder, chosen: DateOrder | null): ColumnReader {
  const texts = cells.filter((cell) => typeof cell === 'string')
  const told = dateOrderOf(texts, local)
  const order = chosen ?? told.order
  const { isGuess, example } = told
  const words = order === 'day-first' ? 'day first' : 'month first'
  const notes = isGuess ? [`Dates such as “${example}” are read with the ${words}.`] : []
  const read = (cell: ImportCell): ReadCell => {
    if (typeof cell === 'object' && 'date' in cell) return value(cell.date)
    const date = typeof cell === 'string' ? readDate(cell, order) : null
    return date === null ? refused(`“${cellText(cell).trim()}” is not a date.`) : value(date)
  }
  return { read: guarded(read), notes, isInDoubt: chosen === null && isGuess }
}

/** Which comes first in `03/04/2026`. */
export type DateOrder = 'day-first' | 'month-first'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const ISO = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ](\d{2}:\d{2}(?::\d{2})?).*)?$/
const NUMBERS = /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d{2})\.?$/
const DAY_NAME = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[.,]?\s+/i
const DAY_MONTH = /^(\d{1,2})(?:st|nd|rd|th)?[-. ]+([a-z]{3,9})\.?[-, ]+(\d{4}|\d{2})$/i
const MONTH_DAY = /^([a-z]{3,9})\.?[- ]+(\d{1,2})(?:st|nd|rd|th)?[-, ]+(\d{4}|\d{2})$/i

/** The order of dates in a locale (BCP 47; empty for the machine's own). */
export function localDateOrder(locale: string): DateOrder {
  const parts = new Intl.DateTimeFormat(locale === '' ? undefined : locale).formatToParts(0)
  const place = (type: Intl.DateTimeFormatPartTypes): number => parts.findIndex((part) => part.type === type)
  return place('day') < place('month') ? 'day-first' : 'month-first'
}

/**
 * The order of a column's dates: that of the unambiguous ones, else the machine's.
 * @returns `isGuess` when no date is unambiguous, or when they contradict each other
 */
export function dateOrderOf(
  texts: readonly string[],
  local: DateOrder,
): { readonly order: DateOrder; readonly isGuess: boolean; readonly example: string } {
  let dayFirst = 0
  let monthFirst = 0
  let example = ''
  for (const text of texts) {
    const parts = NUMBERS.exec(text.trim())
    if (parts === null) continue
    const [first, second] = [Number(parts[1]), Number(parts[2])]
    if (first > 12 && second <= 12) dayFirst += 1
    else if (second > 12 && first <= 12) monthFirst += 1
    else if (first !== second && example === '') example = text.trim()
  }
  const isTold = dayFirst > 0 !== monthFirst > 0
  const order = isTold ? (dayFirst > 0 ? 'day-first' : 'month-first') : local
  return { order, isGuess: !isTold && example !== '', example }
}

/** Reads a date as `2026-03-31`, with its time if it has one; `null` for what is no calendar day. */
export function readDate(text: string, order: DateOrder): string | null {
  const body = text.trim().replace(DAY_NAME, '')
  const iso = ISO.exec(body)
  if (iso !== null) {
    const day = dayOf(Number(iso[1]), Number(iso[2]), Number(iso[3]))
    return day === null || iso[4] === undefined ? day : `${day}T${iso[4]}`
  }
  const numbers = NUMBERS.exec(body)
  if (numbers !== null) {
    const [first, second] = [Number(numbers[1]), Number(numbers[2])]
    const [day, month] = order === 'day-first' ? [first, second] : [second, first]
    return dayOf(yearOf(numbers[3] ?? ''), month, day)
  }
  const named = DAY_MONTH.exec(body)
  if (named !== null) return dayOf(yearOf(named[3] ?? ''), monthOf(named[2] ?? ''), Number(named[1]))
  const american = MONTH_DAY.exec(body)
  if (american !== null)
    return dayOf(yearOf(american[3] ?? ''), monthOf(american[1] ?? ''), Number(american[2]))
  return null
}

/** Two digits from 70 to 99 are in the last century. */
function yearOf(text: string): number {
  const year = Number(text)
  if (text.length > 2) return year
  return year + (year < 70 ? 2000 : 1900)
}

/** 1 to 12; 0 for no month's name. */
function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1
}

function dayOf(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day))
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year >= 1000 && year <= 9999
  return isDay ? date.toISOString().slice(0, 10) : null
}
