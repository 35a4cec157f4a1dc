/**
 * Reads cells as values of their fields. The decimal separator and the order of dates can only be inferred from a
 * whole column, so each column gets its own reader, which reports what it assumed. Also recognizes values that
 * a spreadsheet damaged.
 */
import {
  canonicalDecimal,
  compareDecimals,
  type Decimal,
  type NumberSeparators,
  parseDecimal,
  parseTypedDecimal,
} from '../../../../shared/format/money.ts'
import { type DateOrder, dateOrderIn, readDate } from '../../../../shared/format/written-dates.ts'
import {
  cellText,
  type ImportCell,
  isBlank,
  LOCAL_CURRENCY,
  plainDigits,
} from '../../../../shared/import/table.ts'
import { type EditValue, LONGEST_TEXT } from '../../../../shared/records/changes.ts'
import type { FieldType } from '../../../../shared/records/definition.ts'
import { yesOrNo } from '../../../ui/fields/typed-values.ts'

export type ReadCell =
  | { readonly ok: true; readonly value: EditValue }
  /** Why the cell can't be read, as a sentence without the column's name. */
  | { readonly ok: false; readonly reason: string }

/** Reads the cells of one column. */
export interface ColumnReader {
  /** Call it for filled cells only. */
  readonly read: (cell: ImportCell) => ReadCell
  /** What the reader assumed, in sentences; empty if nothing was ambiguous. */
  readonly notes: readonly string[]
  /** Whether the cells are ambiguous and the user hasn't chosen their format. */
  readonly isAmbiguous: boolean
}

/** The number and date formats of this computer. */
export interface LocalFormats {
  readonly separators: NumberSeparators
  readonly dates: DateOrder
}

/** The formats that the user chose for the file. With `null`, each column decides, or else the computer's locale. */
export interface ChosenFormats {
  readonly separators: NumberSeparators | null
  readonly dates: DateOrder | null
}

/** Number separators of other locales. This computer's are tried first. */
const OTHER_SEPARATORS: readonly NumberSeparators[] = [
  { decimal: '.', group: ',' },
  { decimal: ',', group: '.' },
  { decimal: ',', group: ' ' },
  { decimal: '.', group: ' ' },
  { decimal: '.', group: '’' },
  { decimal: '.', group: "'" },
]

/**
 * Creates the reader of a column.
 * @param cells all cells of the column
 */
export function createColumnReader(
  type: FieldType,
  cells: readonly ImportCell[],
  local: LocalFormats,
  chosen: ChosenFormats,
): ColumnReader {
  const filled = cells.filter((cell) => !isBlank(cell))
  switch (type) {
    case 'money':
      return amountReader(filled, local.separators, chosen.separators)
    case 'boolean':
      return { read: refuseErrors(readBoolean), notes: [], isAmbiguous: false }
    case 'timestamp':
      return dateReader(filled, local.dates, chosen.dates)
    case 'reference':
      return {
        read: refuseErrors((cell) => text(cell, (FullName) => ({ ID: '', FullName }))),
        notes: [],
        isAmbiguous: false,
      }
    case 'text':
    case 'address':
    case 'contact':
      return {
        read: refuseErrors((cell) => text(cell, (words) => words)),
        notes: currencyNotes(filled.filter((cell) => typeof cell === 'object')),
        isAmbiguous: false,
      }
  }
}

function value(read: EditValue): ReadCell {
  return { ok: true, value: read }
}

function text(cell: ImportCell, convert: (words: string) => EditValue): ReadCell {
  const words = plainText(cell)
  return words.length > LONGEST_TEXT ? refused('it is too long for any field.') : value(convert(words))
}

function refused(reason: string): ReadCell {
  return { ok: false, reason }
}

/** Errors as a spreadsheet writes them into a text file. */
const FORMULA_ERROR =
  /^\s*#(?:NAME\?|REF!|VALUE!|DIV\/0!|NULL!|NUM!|N\/A|SPILL!|CALC!|FIELD!|CONNECT!|GETTING_DATA)\s*$/

/** Wraps a reader so that it refuses cells whose formula failed, and those that a narrow column hid. */
function refuseErrors(read: (cell: ImportCell) => ReadCell): (cell: ImportCell) => ReadCell {
  return (cell) => {
    if (typeof cell === 'string') {
      if (FORMULA_ERROR.test(cell)) return refused(`its formula has an error (${cell.trim()}).`)
      if (/^\s*#{3,}\s*$/.test(cell)) return refused('its column was too narrow to show the value.')
    }
    return typeof cell === 'object' && 'error' in cell
      ? refused(`its formula has an error (${cell.error}).`)
      : read(cell)
  }
}

/**
 * Returns a cell's text without surrounding whitespace, including invisible characters. Numbers keep all digits
 * and have no exponent.
 */
function plainText(cell: ImportCell): string {
  if (typeof cell === 'object' && 'number' in cell) return cell.shown ?? cell.number
  return cellText(cell)
    .replace(/^[\s\u200b\u2060]+|[\s\u200b\u2060]+$/g, '')
    .replace(/[\v\u2028\u2029]/g, '\n')
}

function readBoolean(cell: ImportCell): ReadCell {
  if (typeof cell === 'boolean') return value(cell ? 'true' : 'false')
  const is = yesOrNo(plainText(cell))
  if (is !== null) return value(String(is))
  return refused(`“${plainText(cell).toLowerCase()}” is neither yes nor no.`)
}

/** A currency code before or after an amount: `USD 1,500.00`. */
const CURRENCY_CODE = /^[A-Z]{3}\s*(?=[\d(.\u2212-])|(?<=[\d)])\s*[A-Z]{3}$/g

function readAmount(text: string, separators: NumberSeparators): Decimal | null {
  const amount = text
    .trim()
    .replace(CURRENCY_CODE, '')
    .replace(/\b[A-Z]{1,3}(?=\p{Sc})/u, '')
  return parseTypedDecimal(amount, separators)
}

function amountReader(
  cells: readonly ImportCell[],
  local: NumberSeparators,
  chosen: NumberSeparators | null,
): ColumnReader {
  const texts = cells.filter((cell) => typeof cell === 'string')
  const separators = chosen ?? separatorsOf(texts, local)
  const notes: string[] = []
  const ambiguous = texts.find((text) => isAmbiguousAmount(text, separators))
  if (!sameSeparators(separators, local) || ambiguous !== undefined) {
    const example = ambiguous ?? texts.find((text) => readAmount(text, local) === null)
    const amount = example === undefined ? null : readAmount(example, separators)
    if (example !== undefined && amount !== null)
      notes.push(
        `Amounts use “${separators.decimal}” as the decimal point: “${example.trim()}” is ${canonicalDecimal(amount)}.`,
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
    const amount = text === '' ? null : readAmount(text, separators)
    return amount === null ? refused(`“${cellText(cell).trim()}” is not an amount.`) : value(amount)
  }
  return { read: refuseErrors(read), notes, isAmbiguous: chosen === null && ambiguous !== undefined }
}

/** Explains how the currencies of a column are handled. */
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
    : ['The amounts are formatted as currency. They are read in the company’s own currency.']
}

/** Collects the currency signs and codes in a column, in order of first use. */
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

/** Finds the separators with which most texts are amounts. On a tie, this computer's win. */
function separatorsOf(texts: readonly string[], local: NumberSeparators): NumberSeparators {
  let best = local
  let most = -1
  for (const separators of [local, ...OTHER_SEPARATORS]) {
    const count = texts.reduce((sum, text) => sum + (readAmount(text, separators) === null ? 0 : 1), 0)
    if (count > most) [best, most] = [separators, count]
    if (most === texts.length) break
  }
  return best
}

function sameSeparators(left: NumberSeparators, right: NumberSeparators): boolean {
  return left.decimal === right.decimal && left.group === right.group
}

/** Whether a text is an amount with either separator: `1.500` is one and a half or fifteen hundred. */
function isAmbiguousAmount(text: string, separators: NumberSeparators): boolean {
  const here = readAmount(text, separators)
  const there = readAmount(text, { decimal: separators.group.trim() || ',', group: separators.decimal })
  return here !== null && there !== null && compareDecimals(here, there) !== 0
}

function dateReader(cells: readonly ImportCell[], local: DateOrder, chosen: DateOrder | null): ColumnReader {
  const texts = cells.filter((cell) => typeof cell === 'string')
  const found = dateOrderOf(texts, local)
  const order = chosen ?? found.order
  const { isGuess, example } = found
  const words = order === 'day-first' ? 'day first' : 'month first'
  const notes = isGuess ? [`Dates such as “${example}” are read with the ${words}.`] : []
  const read = (cell: ImportCell): ReadCell => {
    if (typeof cell === 'object' && 'date' in cell) return value(cell.date)
    const date = typeof cell === 'string' ? readDate(cell, order) : null
    return date === null ? refused(`“${cellText(cell).trim()}” is not a date.`) : value(date)
  }
  return { read: refuseErrors(read), notes, isAmbiguous: chosen === null && isGuess }
}

/**
 * Returns the order of dates in a locale.
 * @param locale a BCP 47 tag; empty for this computer's locale
 */
export function localDateOrder(locale: string): DateOrder {
  const parts = new Intl.DateTimeFormat(locale === '' ? undefined : locale).formatToParts(0)
  const place = (type: Intl.DateTimeFormatPartTypes): number => parts.findIndex((part) => part.type === type)
  return place('day') < place('month') ? 'day-first' : 'month-first'
}

/**
 * Infers the order of a column's dates from the unambiguous ones. Without any, the local order applies.
 * @returns `isGuess` if no date is unambiguous or if they contradict each other
 */
function dateOrderOf(
  texts: readonly string[],
  local: DateOrder,
): { readonly order: DateOrder; readonly isGuess: boolean; readonly example: string } {
  let dayFirst = 0
  let monthFirst = 0
  let example = ''
  for (const text of texts) {
    const found = dateOrderIn(text)
    if (found === 'day-first') dayFirst += 1
    else if (found === 'month-first') monthFirst += 1
    else if (found === 'either' && example === '') example = text.trim()
  }
  const isTold = dayFirst > 0 !== monthFirst > 0
  const order = isTold ? (dayFirst > 0 ? 'day-first' : 'month-first') : local
  return { order, isGuess: !isTold && example !== '', example }
}

/* Damage by spreadsheets, which mistake text for numbers or dates. */

/** Part numbers that Excel mistakes for dates: `3-4`, `1/2`, `APR3`, `MAR-01`. */
const DATE_LIKE = /^(?:\d{1,4}[-/]\d{1,4}(?:[-/]\d{1,4})?|[a-z]{3,9}[-/ ]?\d{1,4}|\d{1,2}[-/ ]?[a-z]{3,9})$/i
/** The same without a year, so that no column of dates has them. */
const PART_LIKE = /^(?:\d{1,4}[-/]\d{1,4}|[a-z]{3,9}[-/ ]?\d{1,4}|\d{1,2}[-/ ]?[a-z]{3,9})$/i
const DATE =
  /^(?:\d{4}-\d{2}-\d{2}(?:T[\d:]+)?|\d{1,2}\/\d{1,2}\/\d{2,4}|\d{1,2}-[a-z]{3}(?:-\d{2,4})?|[a-z]{3}-\d{2})$/i
const WITHOUT_YEAR = /^\d{1,2}-[a-z]{3}$/i
const EXPONENT = /^[-+]?\d(?:[.,]\d+)?E\+?\d{2,3}$/i

/** Whether a text is a date in a spreadsheet's format. */
function isDateText(text: string): boolean {
  return DATE.test(text)
}

/**
 * Describes how a value was damaged; empty if there is no sign of damage.
 * @param was the record's value; empty for a new record
 * @param column what most of the column's values are
 */
export function describeDamage(value: string, was: string, column: ImportColumnKind): string {
  if (EXPONENT.test(value)) return 'has lost its last digits to an exponent'
  if (isCutOff(value)) return 'may have lost its last digits'
  if (/^0\d+$/.test(was) && /^\d+$/.test(value) && value === was.replace(/^0+(?=\d)/, ''))
    return 'has lost its leading zeros'
  if (column === 'zip-codes' && was === '' && /^\d{3,4}(?:-\d{4})?$/.test(value))
    return 'may have lost its leading zeros'
  if (isDateText(value) && value !== was && (PART_LIKE.test(was) || !isDateText(was))) {
    const isDate =
      column === 'dates'
        ? PART_LIKE.test(was) || (was === '' && WITHOUT_YEAR.test(value))
        : was === '' || DATE_LIKE.test(was)
    if (isDate) return 'was turned into a date'
  }
  if (hasLostLetters(value, was)) return 'has lost letters to a wrong encoding'
  if (isReformattedNumber(value, was)) return 'was turned into a number'
  if (/^(?:true|false)$/i.test(was) && value === was.toUpperCase() && value !== was)
    return 'was turned into yes or no'
  return ''
}

/** What most values of a column are. */
export type ImportColumnKind = 'dates' | 'zip-codes' | 'other'

/** @param isPostal whether the column's field is a postal code */
export function columnKind(cells: readonly ImportCell[], isPostal: boolean): ImportColumnKind {
  const filled = cells.filter((cell) => !isBlank(cell)).map((cell) => cellText(cell).trim())
  const areMostly = (test: (text: string) => boolean): boolean =>
    filled.filter(test).length * 2 > filled.length
  if (areMostly(isDateText)) return 'dates'
  return isPostal && areMostly((text) => /^\d{5}(?:-\d{4})?$/.test(text)) ? 'zip-codes' : 'other'
}

/** Whether question marks stand where the old text has letters beyond ASCII, as Excel saves them in a CSV file. */
function hasLostLetters(value: string, was: string): boolean {
  if (value === was || value.length !== was.length || !/[?\ufffd]/.test(value)) return false
  return [...value].every(
    (letter, at) => letter === was[at] || (/[?\ufffd]/.test(letter) && /[^\0-\x7f]/.test(was[at] ?? '')),
  )
}

/** A number in a spreadsheet's format: no leading zeros, no thousands separators, no trailing zeros. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:[.,]\d*[1-9])?$/
const EXPONENT_TEXT = /^\d+(?:\.\d+)?E[-+]?\d{1,3}$/i
const SEPARATORS = [
  { decimal: '.', group: ',' },
  { decimal: ',', group: '.' },
] as const

/** Whether a spreadsheet would turn the old text into this number: `12.50` into 12.5, or `1E5` into 100000. */
function isReformattedNumber(value: string, was: string): boolean {
  if (value === was || !PLAIN_NUMBER.test(value)) return false
  const number = parseDecimal(value.replace(',', '.'))
  const readings: readonly (Decimal | null)[] = EXPONENT_TEXT.test(was)
    ? [plainDigits(was)?.shown ?? null]
    : SEPARATORS.map((separators) => parseTypedDecimal(was, separators))
  return number !== null && readings.some((read) => read !== null && compareDecimals(number, read) === 0)
}

/** Spreadsheets keep 15 digits, and show six digits of a long number in a narrow column. */
function isCutOff(value: string): boolean {
  return /^[1-9]\d{14}0+$/.test(value) || /^[1-9]\d{5}0{6,}$/.test(value)
}
