/** Reads one sheet's rows out of its XML. */
import {
  type DateCell,
  type ImportCell,
  type ImportRow,
  type NumberCell,
  isBlank,
} from '../../../shared/import/table.ts'
import { columnLetters } from '../workbook/cells.ts'
import { type ImportLimits, damaged, suspicious, tooLarge } from './limits.ts'
import type { Attributes, XmlListener } from './xml.ts'

/** What a sheet refers to, from the workbook's other parts. */
export interface SheetContext {
  readonly sharedTexts: readonly string[]
  /** By the number of the cell's style. */
  readonly meanings: readonly FormatMeaning[]
  readonly is1904: boolean
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?$/
/** Cells that are named in a note; the rest are counted. */
const NAMED = 5

/** Collects rows as the XML is read. */
export class SheetReader implements XmlListener {
  readonly #context: SheetContext
  readonly #limits: ImportLimits
  readonly rows: ImportRow[] = []
  readonly #unfinished: string[] = []
  #unfinishedCount = 0
  #cellCount = 0
  #characters = 0
  #rowNumber = 0
  #cells: ImportCell[] = []
  #column = -1
  #type = 'n'
  #style = 0
  #hasFormula = false
  #value = ''
  #hasValue = false
  /** Whether text belongs to the cell now, and whether it is the reading of a word (phonetic), which is not. */
  #inText = false
  #inPhonetic = false

  constructor(context: SheetContext, limits: ImportLimits) {
    this.#context = context
    this.#limits = limits
  }

  /** What a person should know, in sentences. */
  notes(): readonly string[] {
    if (this.#unfinishedCount === 0) return []
    const more = this.#unfinishedCount - this.#unfinished.length
    const named = `${this.#unfinished.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`
    return [
      `Some formulas have no result stored, and are read as empty: ${named}. Open the file in Excel, save it, and import it again.`,
    ]
  }

  readonly open = (name: string, attributes: Attributes): void => {
    switch (name) {
      case 'row':
        this.#openRow(attributes['r'])
        break
      case 'c':
        this.#openCell(attributes)
        break
      case 'f':
        this.#hasFormula = true
        break
      case 'v':
        this.#inText = true
        this.#hasValue = true
        break
      case 't':
        this.#inText = this.#type === 'inlineStr' && !this.#inPhonetic
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

  #openRow(reference: string | undefined): void {
    const number = reference === undefined ? this.#rowNumber + 1 : Number(reference)
    if (!Number.isSafeInteger(number) || number <= this.#rowNumber)
      throw damaged(`Row ${String(reference)} follows row ${String(this.#rowNumber)}.`)
    if (number > this.#limits.rows) throw suspicious(`There is a row ${String(number)}.`)
    this.#rowNumber = number
    this.#cells = []
    this.#column = -1
  }

  #openCell(attributes: Attributes): void {
    const reference = attributes['r']
    const next = this.#cells.length
    const column = reference === undefined ? next : columnOf(reference)
    if (column < next) throw damaged(`Cell ${String(reference)} stands out of order.`)
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
        const text = this.#context.sharedTexts[Number(value)]
        if (text === undefined) throw damaged(`There is no shared text ${value}.`)
        // One long text that many cells share counts for each of them.
        this.#count(text.length)
        return text
      }
      case 'b':
        return value.trim() === '1' || value.trim() === 'true'
      case 'e':
        return { error: value }
      case 'd':
        return { date: value.trim().replace(/(?:T00:00:00)?(?:\.0+)?Z?$/, '') }
      case 'str':
      case 'inlineStr':
        return unescapedText(value)
      default: {
        const digits = value.trim()
        if (!NUMBER.test(digits)) return value
        const meaning = this.#context.meanings[this.#style] ?? 'number'
        return numberCell(digits, meaning, this.#context.is1904)
      }
    }
  }

  #noteUnfinished(): void {
    this.#unfinishedCount += 1
    if (this.#unfinished.length < NAMED)
      this.#unfinished.push(`${columnLetters(this.#column)}${String(this.#rowNumber)}`)
  }

  #closeRow(): void {
    const cells = this.#cells
    while (cells.at(-1) === '') cells.pop()
    if (!cells.every(isBlank)) this.rows.push({ number: this.#rowNumber, cells })
    this.#cells = []
  }
}

/** `AB12` is column 27, counted from 0. Throws `Refused` for what is no reference. */
function columnOf(reference: string): number {
  const letters = /^([A-Za-z]{1,3})\d{1,10}$/.exec(reference)?.[1]
  if (letters === undefined) throw damaged(`“${reference.slice(0, 20)}” is not a cell.`)
  let column = 0
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

/** `_x000D_` is the character it names (ECMA-376 part 1, 22.9.2.19). */
export function unescapedText(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
}

// What a workbook's numbers mean: dates by their format, leading zeros by theirs.

/** What a number format makes of a number. */
export type FormatMeaning = 'number' | 'date' | { readonly zeros: number }

/** Formats that every workbook has without listing them: dates and times; 46 counts hours beyond a day. */
function isBuiltInDate(id: number): boolean {
  return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || id === 45 || id === 47 || (id >= 50 && id <= 58)
}

/** @param code the format's own words, where the workbook lists them */
export function formatMeaning(id: number, code: string | undefined): FormatMeaning {
  if (code === undefined) return isBuiltInDate(id) ? 'date' : 'number'
  const [first = ''] = code.split(';')
  if (/^0{2,20}$/.test(first)) return { zeros: first.length }
  // Hours beyond a day are a length of time.
  if (/\[(?:h+|m+|s+)\]/i.test(first)) return 'number'
  const bare = first
    .replace(/"[^"]*"/g, '')
    .replace(/[\\_*]./g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/general/gi, '')
  return /[dmyhs]/i.test(bare) ? 'date' : 'number'
}

const DAY = 86_400_000
const SECOND = 1_000
const LAST_DAY = 2_958_465

/**
 * A cell's number by its format's meaning. A date before the system's first day, or of a day that never was
 * (29 February 1900), stays a number.
 * @param digits as the file has them
 * @param is1904 whether days are counted from 1904
 */
export function numberCell(digits: string, meaning: FormatMeaning, is1904: boolean): NumberCell | DateCell {
  if (meaning === 'number') return { number: digits }
  if (meaning === 'date') return dateOf(Number(digits), is1904) ?? { number: digits }
  return /^\d+$/.test(digits) && digits.length < meaning.zeros
    ? { number: digits, shown: digits.padStart(meaning.zeros, '0') }
    : { number: digits }
}

function dateOf(serial: number, is1904: boolean): DateCell | null {
  if (!Number.isFinite(serial) || serial < 0 || serial > LAST_DAY) return null
  // To the second; a whole day that rounding reaches is the next day.
  const seconds = Math.round(serial * 86_400)
  const day = Math.floor(seconds / 86_400)
  const time = new Date((seconds % 86_400) * SECOND).toISOString().slice(11, 19)
  if (serial < 1 && day === 0) return { date: time }
  const start = startOf(day, is1904)
  if (start === null) return null
  const date = new Date(start + day * DAY).toISOString().slice(0, 10)
  return { date: time === '00:00:00' ? date : `${date}T${time}` }
}

/** Midnight of day 0. The 1900 system counts a 29 February 1900, so that days before it lie one later. */
function startOf(day: number, is1904: boolean): number | null {
  if (is1904) return Date.UTC(1904, 0, 1)
  if (day === 60) return null
  return day < 60 ? Date.UTC(1899, 11, 31) : Date.UTC(1899, 11, 30)
}
