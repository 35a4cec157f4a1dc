/** Reads the rows of one sheet from its XML. */
import { format, getFormatInfo } from 'numfmt'
import { unguardCell } from '../../../shared/format/text.ts'
import { joinNames } from '../../../shared/format/text.ts'
import {
  type DateCell,
  type ImportCell,
  type ImportRow,
  isBlank,
  LOCAL_CURRENCY,
  type NumberCell,
  plainDigits,
} from '../../../shared/import/table.ts'
import { columnLetters } from '../workbook/cells.ts'
import { damaged, type ImportLimits, suspicious, tooLarge } from './limits.ts'
import type { Attributes, XmlListener } from './workbook-parts.ts'

/** The workbook's other parts that a sheet refers to. */
export interface SheetContext {
  readonly sharedTexts: readonly string[]
  /** By cell style index. */
  readonly meanings: readonly FormatMeaning[]
  readonly is1904: boolean
  /** Whether Bookbridge created the workbook, so that its texts are exactly those of the books. */
  readonly isOurs: boolean
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?$/
/** Number of cells to name in a note. The rest is counted. */
const NAMED = 5

/** Collects rows as the XML is read. */
export class SheetReader implements XmlListener {
  readonly #context: SheetContext
  readonly #limits: ImportLimits
  readonly rows: ImportRow[] = []
  readonly #unfinished: string[] = []
  #unfinishedCount = 0
  readonly #impossible: string[] = []
  #impossibleCount = 0
  #cellCount = 0
  #characters = 0
  #rowNumber = 0
  #isHidden = false
  readonly #merged: string[] = []
  #mergedCount = 0
  readonly #hiddenColumns: (readonly [from: number, to: number])[] = []
  #lastColumn = -1
  #cells: ImportCell[] = []
  #column = -1
  #type = 'n'
  #style = 0
  #hasFormula = false
  #isInline = false
  #value = ''
  #hasValue = false
  /** Whether the current text belongs to the cell, and whether it is a phonetic reading, which doesn't. */
  #inText = false
  #inPhonetic = false

  constructor(context: SheetContext, limits: ImportLimits) {
    this.#context = context
    this.#limits = limits
  }

  /** Notes for the user, in sentences. */
  notes(): readonly string[] {
    const notes: string[] = []
    if (this.#unfinishedCount > 0)
      notes.push(
        `Some formulas have no stored result and are read as empty: ${joinNames(this.#unfinished, NAMED, this.#unfinishedCount)}. Open the file in Excel, save it, and import it again.`,
      )
    if (this.#impossibleCount > 0)
      notes.push(
        `Some numbers are formatted as dates that don’t exist and are read as numbers: ${joinNames(this.#impossible, NAMED, this.#impossibleCount)}.`,
      )
    if (this.#mergedCount > 0)
      notes.push(
        `Some cells are merged across several rows: ${joinNames(this.#merged, NAMED, this.#mergedCount)}. Only the first row of each has the value.`,
      )
    const hidden = this.#hiddenColumns.flatMap(([from, to]) =>
      Array.from({ length: Math.max(0, Math.min(to, this.#lastColumn + 1) - from + 1) }, (_, at) =>
        columnLetters(from - 1 + at),
      ),
    )
    if (hidden.length > 0) notes.push(`Hidden columns were read, too: ${joinNames(hidden, NAMED)}.`)
    return notes
  }

  readonly open = (name: string, attributes: Attributes): void => {
    switch (name) {
      case 'row':
        this.#openRow(attributes['r'], isTrue(attributes['hidden']))
        break
      case 'c':
        this.#openCell(attributes)
        break
      case 'col':
        if (isTrue(attributes['hidden']))
          this.#hiddenColumns.push([Number(attributes['min']), Number(attributes['max'])])
        break
      case 'mergeCell':
        this.#noteMerged(attributes['ref'] ?? '')
        break
      case 'f':
        this.#hasFormula = true
        break
      case 'v':
        this.#inText = !this.#isInline
        this.#hasValue = true
        break
      case 'is':
        // Inline text takes precedence over a leftover value.
        this.#isInline = this.#type === 'inlineStr'
        if (this.#isInline) this.#value = ''
        break
      case 't':
        this.#inText = this.#isInline && !this.#inPhonetic
        this.#hasValue ||= this.#inText
        break
      case 'rPh':
        this.#inPhonetic = true
        break
    }
  }

  readonly close = (name: string): void => {
    switch (name) {
      case 'v':
      case 't':
        this.#inText = false
        break
      case 'rPh':
        this.#inPhonetic = false
        break
      case 'c':
        this.#closeCell()
        break
      case 'row':
        this.#closeRow()
        break
    }
  }

  readonly text = (text: string): void => {
    if (!this.#inText || this.#column < 0) return
    this.#value += text
    this.#count(text.length)
  }

  #count(characters: number): void {
    this.#characters += characters
    if (this.#characters > this.#limits.characters) throw tooLarge('more text')
  }

  #openRow(reference: string | undefined, isHidden: boolean): void {
    const number = reference === undefined ? this.#rowNumber + 1 : Number(reference)
    if (!Number.isSafeInteger(number) || number <= this.#rowNumber)
      throw damaged(`Row ${String(reference)} follows row ${String(this.#rowNumber)}.`)
    if (number > this.#limits.rows) throw suspicious(`There is a row ${String(number)}.`)
    this.#rowNumber = number
    this.#isHidden = isHidden
    this.#cells = []
    this.#column = -1
  }

  #openCell(attributes: Attributes): void {
    const reference = attributes['r']
    const next = this.#cells.length
    const column = reference === undefined ? next : columnOf(reference)
    if (column < next) throw damaged(`Cell ${String(reference)} is out of order.`)
    if (column >= this.#limits.columns) throw suspicious(`There is a cell ${String(reference)}.`)
    this.#cellCount += column - next + 1
    if (this.#cellCount > this.#limits.cells) throw tooLarge('more cells')
    while (this.#cells.length < column) this.#cells.push('')
    this.#column = column
    this.#type = attributes['t'] ?? 'n'
    this.#style = Number(attributes['s'] ?? 0)
    this.#value = ''
    this.#hasValue = false
    this.#hasFormula = false
    this.#isInline = false
  }

  #closeCell(): void {
    if (this.#column < 0) return
    if (this.#hasFormula && (!this.#hasValue || (this.#value === '' && this.#type !== 'str')))
      this.#noteUnfinished()
    this.#cells[this.#column] = this.#hasValue ? this.#cell() : ''
    this.#column = -1
  }

  #cell(): ImportCell {
    const value = this.#value
    switch (this.#type) {
      case 's': {
        if (value.trim() === '') return ''
        const text = this.#context.sharedTexts[Number(value)]
        if (text === undefined) throw damaged(`There is no shared text ${value}.`)
        // A long text that is shared by many cells counts for each of them.
        this.#count(text.length)
        return this.#text(text)
      }
      case 'b':
        return /^(?:1|true)$/i.test(value.trim())
      case 'e':
        return { error: value }
      case 'd':
        return value.trim() === '' ? '' : { date: isoDay(value.trim()) }
      case 'str':
      case 'inlineStr':
        return this.#text(unescapedText(value))
      default: {
        const digits = value.trim()
        if (!NUMBER.test(digits)) return value
        const meaning = this.#context.meanings[this.#style] ?? 'number'
        const cell = numberCell(digits, meaning, this.#context.is1904)
        if (isDateFormat(meaning) && 'number' in cell) this.#noteImpossible()
        return cell
      }
    }
  }

  /** Workbooks from other programs may contain our CSV, with apostrophes before formulas and Windows line endings. */
  #text(text: string): string {
    return this.#context.isOurs ? text : unguardCell(text.replace(/\r\n?/g, '\n'))
  }

  #noteUnfinished(): void {
    this.#unfinishedCount += 1
    if (this.#unfinished.length < NAMED) this.#unfinished.push(this.#location())
  }

  /** Cells merged within one row are a title or a heading over several columns. */
  #noteMerged(reference: string): void {
    const [, top, bottom] = /^[A-Z]+(\d+):[A-Z]+(\d+)$/i.exec(reference) ?? []
    if (top === bottom) return
    this.#mergedCount += 1
    if (this.#merged.length < NAMED) this.#merged.push(reference)
  }

  #noteImpossible(): void {
    this.#impossibleCount += 1
    if (this.#impossible.length < NAMED) this.#impossible.push(this.#location())
  }

  #location(): string {
    return `${columnLetters(this.#column)}${String(this.#rowNumber)}`
  }

  #closeRow(): void {
    const cells = this.#cells
    while (cells.at(-1) === '') cells.pop()
    this.#lastColumn = Math.max(this.#lastColumn, cells.length - 1)
    if (!cells.every(isBlank))
      this.rows.push({ number: this.#rowNumber, cells, ...(this.#isHidden && { isHidden: true }) })
    this.#cells = []
  }
}

export function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true' || text === 'on'
}

/**
 * Returns the zero-based column of a reference: 27 for `AB12`.
 * @throws ImportRefusedError
 */
function columnOf(reference: string): number {
  const letters = /^([A-Za-z]{1,3})\d{1,10}$/.exec(reference)?.[1]
  if (letters === undefined) throw damaged(`“${reference.slice(0, 20)}” is not a cell.`)
  let column = 0
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

/** Decodes escapes such as `_x000D_` (ECMA-376 part 1, 22.9.2.19). */
export function unescapedText(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
}

/** Formats a date in ISO 8601, to the second, in its original zone; without the time at midnight. */
function isoDay(text: string): string {
  return text
    .replace(/^T|\.\d+/g, '')
    .replace(/(?:Z|[+-]\d{2}:?\d{2})$/, (zone, at: number) => (at > 8 ? '' : zone))
    .replace(/T00:00(?::00)?$/, '')
}

// The meaning of numbers in a workbook. The formats are parsed and applied by numfmt.

/** How a number format displays a number. */
export type FormatMeaning =
  | 'number'
  | 'date'
  /** A date whose format shows only the time. */
  | { readonly time: string }
  /** A text field gets the formatted text: a percentage, a fraction, or a duration. */
  | { readonly shown: string }
  /** The same for whole numbers: leading zeros, the dashes of a postal code or phone number, or letters. */
  | { readonly whole: string }
  | { readonly currency: string }

function isDateFormat(meaning: FormatMeaning): boolean {
  return meaning === 'date' || (typeof meaning === 'object' && 'time' in meaning)
}

// Formats that every workbook has without listing them.

const BUILT_IN_TIMES: ReadonlyMap<number, string> = new Map([
  [18, 'h:mm AM/PM'],
  [19, 'h:mm:ss AM/PM'],
  [20, 'h:mm'],
  [21, 'h:mm:ss'],
  [45, 'mm:ss'],
  [47, 'mm:ss.0'],
])
const BUILT_IN_SHOWN: ReadonlyMap<number, string> = new Map([
  [9, '0%'],
  [10, '0.00%'],
  [12, '# ?/?'],
  [13, '# ??/??'],
  [46, '[h]:mm:ss'],
])

function isBuiltInDate(id: number): boolean {
  return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)
}

/**
 * Returns the meaning of a format.
 * @param code the format code, if the workbook lists it
 */
export function formatMeaning(id: number, code: string | undefined): FormatMeaning {
  if (code === undefined) {
    const [time, shown] = [BUILT_IN_TIMES.get(id), BUILT_IN_SHOWN.get(id)]
    if (time !== undefined) return { time }
    if (shown !== undefined) return { shown }
    if (BUILT_IN_CURRENCY.has(id)) return { currency: LOCAL_CURRENCY }
    return isBuiltInDate(id) ? 'date' : 'number'
  }
  try {
    const { isDate, type, maxDecimals, scale } = getFormatInfo(code)
    if (isDate) {
      if (/\[(?:h+|m+|s+)\]/i.test(code)) return { shown: code }
      return type === 'time' ? { time: code } : 'date'
    }
    // Decimals, grouping, scaling, and currency are for amounts: a text field gets the digits.
    const currency = currencyOf(code)
    if (currency !== '') return { currency }
    if (type === 'percent' || type === 'fraction') return { shown: code }
    const isWhole = type === 'number' && maxDecimals === 0 && scale === 1
    return isWhole || (type === 'general' && !/^general$/i.test(code.trim())) ? { whole: code } : 'number'
  } catch {
    return 'number'
  }
}

/** Built-in formats with the local currency sign, which workbooks needn't list. */
const BUILT_IN_CURRENCY: ReadonlySet<number> = new Set([5, 6, 7, 8, 42, 44])
/** Currency words, which formats put in quotes, besides ISO codes. */
const CURRENCY_WORDS =
  /^(?:kr|Kč|Kc|zł|zl|Ft|lei|Fr|SFr|RM|Rs|Rp|S\/|Bs|руб|р|грн|KM|kn|din|MKr|Dkr|Nkr|Skr)\.?$/i
const CURRENCY_CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Returns the currency in a format: `[$€-407]`, `[$USD]`, a currency sign, or a word such as `"kr"` or `"CHF"`. */
function currencyOf(code: string): string {
  const stated = /\[\$([^\]-]+)(?:-[0-9a-fA-F]+)?\]/.exec(code)?.[1]?.trim()
  if (stated !== undefined && stated !== '') return stated
  const sign = /\p{Sc}/u.exec(code.replaceAll('[$', '['))?.[0]
  if (sign !== undefined) return sign
  const words = code.matchAll(/"([^"]+)"/g).map(([, word = '']) => word.trim())
  return words.find((word) => CURRENCY_CODES.has(word) || CURRENCY_WORDS.test(word)) ?? ''
}

const DAY = 86_400_000
const SECOND = 1_000
const LAST_DAY = 2_958_465

/**
 * Converts a cell's number by the meaning of its format. A date before the system's first day, or one that
 * never existed (February 29, 1900), stays a number. Text formats only apply to numbers from 0, because the
 * sections for negative numbers only describe the minus sign.
 * @param digits the number in the file
 * @param is1904 whether days are counted from 1904
 */
function numberCell(digits: string, meaning: FormatMeaning, is1904: boolean): NumberCell | DateCell {
  const number = Number(digits)
  if (isDateFormat(meaning)) {
    const date = dateOf(number, is1904)
    if (date !== null)
      return typeof meaning === 'object' && 'time' in meaning ? timed(date, meaning.time, number) : date
  }
  const plain = WHOLE.exec(digits)?.[1] ?? withoutZeros(plainDigits(digits)?.shown)
  const shown = (typeof meaning === 'object' && formattedText(meaning, number)) || plain
  return {
    number: digits,
    ...(shown !== undefined && shown !== digits && { shown }),
    ...(typeof meaning === 'object' && 'currency' in meaning && { currency: meaning.currency }),
  }
}

/** Nearly all numbers, including `89501.0`, which is how some programs write 89501. No digit is cut off. */
const WHOLE = /^([1-9]\d*)(?:\.0*)?$/

function withoutZeros(decimal: string | undefined): string | undefined {
  return decimal?.replace(/\.0+$/, '')
}

/** Excel and numfmt know no more digits of a number. */
const LARGEST_WHOLE = 1e15

/** Empty if it equals the digits. */
function formattedText(meaning: Exclude<FormatMeaning, string>, number: number): string {
  if ('shown' in meaning) return formatted(meaning.shown, number)
  if (!('whole' in meaning) || !Number.isInteger(number) || number < 0 || number >= LARGEST_WHOLE) return ''
  const shown = formatted(meaning.whole, number)
  // The General format shows a large number with an exponent.
  return /E\+\d+/.test(shown) ? '' : shown
}

function formatted(code: string, number: number): string {
  if (!Number.isFinite(number)) return ''
  try {
    return format(code, number).trim()
  } catch {
    return ''
  }
}

/** If the format hides days or fractions of a second, a text field gets the formatted text. */
function timed(cell: DateCell, code: string, serial: number): DateCell {
  const seconds = serial * 86_400
  const isWhole = serial < 1 && Math.abs(seconds - Math.round(seconds)) < 0.05
  const shown = isWhole ? '' : formatted(code, serial)
  return shown === '' ? cell : { ...cell, shown }
}

function dateOf(serial: number, is1904: boolean): DateCell | null {
  if (!Number.isFinite(serial) || serial < 0 || serial > LAST_DAY) return null
  // Rounded to the second, which may reach the next day.
  const seconds = Math.round(serial * 86_400)
  const day = Math.floor(seconds / 86_400)
  const time = new Date((seconds % 86_400) * SECOND).toISOString().slice(11, 19)
  if (serial < 1 && day === 0) return { date: time }
  const start = startOf(day, is1904)
  if (start === null) return null
  const date = new Date(start + day * DAY).toISOString().slice(0, 10)
  return { date: time === '00:00:00' ? date : `${date}T${time}` }
}

/** Midnight of day 0. The 1900 system counts February 29, 1900, so earlier days are one later. */
function startOf(day: number, is1904: boolean): number | null {
  if (is1904) return Date.UTC(1904, 0, 1)
  if (day === 60) return null
  return day < 60 ? Date.UTC(1899, 11, 31) : Date.UTC(1899, 11, 30)
}
