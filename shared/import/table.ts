/** A table read from a file or the clipboard, before its columns have fields. */
import { type Decimal, parseDecimal } from '../format/money.ts'

/** A number in a workbook: the file's digits, never a float. May have an exponent. */
export interface NumberCell {
  readonly number: string
  /** Its text if that differs: 89501 for `89501.0`, leading zeros, or a phone number's dashes. */
  readonly shown?: string
  /** The sign or code that the number's format shows. */
  readonly currency?: string
}

/** Stands for the currency of whichever computer shows a workbook. */
export const LOCAL_CURRENCY = '¤'

/** A date in a workbook: `2026-03-31`, `2026-03-31T14:05:00`, or a bare time `14:05:00`. */
export interface DateCell {
  readonly date: string
  /** What a format that hides the day shows: 6:00 for a day and a quarter. */
  readonly shown?: string
}

/** A cell whose formula failed: `#N/A`. */
export interface ErrorCell {
  readonly error: string
  /** In a derived column: why it has no value, as a sentence. */
  readonly reason?: string
}

/** Text, or a typed value of a workbook. An empty cell is `''`. */
export type ImportCell = string | boolean | NumberCell | DateCell | ErrorCell

/** A row that isn't empty. */
export interface ImportRow {
  /** Its number in the file, from 1, as a spreadsheet numbers rows. */
  readonly number: number
  readonly cells: readonly ImportCell[]
  /** Whether the workbook hides the row, as its filters do. */
  readonly isHidden?: boolean
}

/** What a table was read from. */
export type ImportKind = 'workbook' | 'csv' | 'clipboard'

/** Encodings that a text file can be read in, as a user would name them. */
export const TEXT_ENCODINGS = [
  'UTF-8',
  'UTF-16 LE',
  'UTF-16 BE',
  'UTF-32 LE',
  'UTF-32 BE',
  'Windows-1252',
  'Windows-1250',
  'Windows-1251',
  'ISO 8859-2',
  'ISO 8859-15',
  'Mac Roman',
  'CP850',
  'CP437',
  'Shift JIS',
  'GB18030',
] as const
export type TextEncoding = (typeof TEXT_ENCODINGS)[number]

/** How to read a text file. `null` guesses it from the file. */
export interface TextFormat {
  readonly encoding: TextEncoding | null
  /** One character. */
  readonly delimiter: string | null
}

/** An open table. Its rows are pulled in chunks. */
export interface OpenedTable {
  readonly tableId: string
  readonly kind: ImportKind
  /** The file's name; empty for the clipboard. */
  readonly fileName: string
  /** The sheet that was read, and all sheets of the workbook; empty for text. */
  readonly sheet: string
  readonly sheets: readonly string[]
  /** How text was read, an encoding only for a file; `null` for a workbook. */
  readonly text: TextFormat | null
  /** Rows that aren't empty, headings included. */
  readonly rowCount: number
  /** Remarks on how it was read, in sentences. */
  readonly notes: readonly string[]
}

/** A cell's text as a user sees it. */
export function cellText(cell: ImportCell): string {
  if (typeof cell === 'string') return cell
  if (typeof cell === 'boolean') return cell ? 'TRUE' : 'FALSE'
  if ('number' in cell) return cell.shown ?? cell.number
  return 'date' in cell ? (cell.shown ?? cell.date) : cell.error
}

export function isBlank(cell: ImportCell): boolean {
  return typeof cell === 'string' && cell.trim() === ''
}

/** Spreadsheets show at most this many significant digits of their binary numbers. */
const SHOWN_DIGITS = 15
/** No amount is longer, and expanding a huge exponent would only cost memory. */
const MAX_PLACES = 40

export interface PlainDigits {
  /** As a spreadsheet shows it: `0.30000000000000004` is what is stored for 0.3. */
  readonly shown: Decimal
  readonly isRounded: boolean
}

/** Expands exponents: `1.5E3` is 1500. `null` for text that isn't a number or is too long. */
export function plainDigits(written: string): PlainDigits | null {
  const parts = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,4}))?$/.exec(written)
  if (parts === null) return null
  const [, sign = '', whole = '', fraction = '', power = '0'] = parts
  if (whole === '' && fraction === '') return null
  const scale = fraction.length - Number(power)
  const digits = (whole + fraction).replace(/^0+(?=\d)/, '')
  const rounded = toSignificant(digits, scale)
  if (rounded.scale > MAX_PLACES || rounded.digits.length - rounded.scale > MAX_PLACES) return null
  const shown = parseDecimal((sign === '-' ? '-' : '') + placed(rounded.digits, rounded.scale))
  return shown === null ? null : { shown, isRounded: rounded.isRounded }
}

/** At most 15 significant digits, the last one rounded half away from zero as spreadsheets do. */
function toSignificant(
  digits: string,
  scale: number,
): { readonly digits: string; readonly scale: number; readonly isRounded: boolean } {
  const significant = digits.replace(/0+$/, '')
  if (significant.length <= SHOWN_DIGITS) return { digits, scale, isRounded: false }
  const dropped = digits.length - SHOWN_DIGITS
  const kept = BigInt(digits.slice(0, SHOWN_DIGITS))
  const up = (digits.codePointAt(SHOWN_DIGITS) ?? 0) >= 53 ? 1n : 0n
  const text = (kept + up).toString()
  // Removes trailing zeros from rounding.
  const tail = Math.min(/0*$/.exec(text)?.[0].length ?? 0, Math.max(0, scale - dropped))
  return { digits: text.slice(0, text.length - tail), scale: scale - dropped - tail, isRounded: true }
}

/** Inserts the decimal point. */
function placed(digits: string, scale: number): string {
  if (scale <= 0) return digits === '0' ? '0' : digits + '0'.repeat(Math.min(MAX_PLACES, -scale))
  const padded = digits.padStart(scale + 1, '0')
  return `${padded.slice(0, padded.length - scale)}.${padded.slice(padded.length - scale)}`
}

/** A table with its headings separated from its rows. */
export interface HeadedTable {
  readonly headings: readonly string[]
  readonly rows: readonly ImportRow[]
  /** The row number of the headings. */
  readonly headingRow: number
  /** The rows above the headings. */
  readonly titles?: readonly ImportRow[]
  /** For each derived column, which come last: the columns of the file that it is derived from. */
  readonly derivedFrom?: readonly (readonly number[])[]
}

/** How many rows are searched for headings, because titles may precede them. */
const TOP_ROWS = 30

/**
 * Finds the row near the top that names the most fields. The rows above it are titles.
 * @param known how many of a row's cells are headings of fields
 * @returns `undefined` if no row names two
 */
export function rowOfHeadings(
  rows: readonly ImportRow[],
  known: (headings: readonly string[]) => number,
): number | undefined {
  let best: number | undefined
  let most = 1
  for (const { number, cells } of rows.slice(0, TOP_ROWS)) {
    const named = cells.every((cell) => typeof cell === 'string') ? known(headingsOf(cells)) : 0
    if (named > most) [best, most] = [number, named]
  }
  return best
}

function headingsOf(cells: readonly ImportCell[]): string[] {
  return cells.map((cell) => cellText(cell).replace(/\s+/g, ' ').trim())
}

/**
 * Separates headings from rows. The headings are the first row of text that is at least half as full as the fullest row
 * near the top. The rows above it are titles.
 * @param at the row number that a user chose as the headings, if they did
 */
export function withHeadings(rows: readonly ImportRow[], at?: number): HeadedTable {
  const top = rows.slice(0, TOP_ROWS)
  const filled = top.map(({ cells }) => cells.filter((cell) => !isBlank(cell)).length)
  const fullest = Math.max(0, ...filled)
  const chosen = at === undefined ? -1 : rows.findIndex(({ number }) => number === at)
  const guessed = top.findIndex(
    ({ cells }, index) =>
      (filled[index] ?? 0) * 2 >= fullest && cells.every((cell) => typeof cell === 'string'),
  )
  const index = Math.max(0, chosen >= 0 ? chosen : guessed)
  const head = rows[index]
  return {
    headings: headingsOf(head?.cells ?? []),
    rows: rows.slice(index + 1),
    headingRow: head?.number ?? 1,
    titles: rows.slice(0, index),
  }
}

/** The heading of the reasons in a file of failed rows. Import leaves such a column out. */
export const REASON_HEADING = 'Why it was not imported'
