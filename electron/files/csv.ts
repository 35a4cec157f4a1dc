/**
 * Writes CSV as a stream: UTF-8 with a byte order mark (Excel reads other bytes as its own code page), CRLF,
 * quotes by RFC 4180, amounts as plain decimals, and text that a spreadsheet would run made harmless.
 */
import { parseDecimal } from '../../shared/money.ts'
import { err, ok, type Result } from '../../shared/result.ts'

/** `guarded`: text that a spreadsheet would run gets an apostrophe. `raw`: every character as it is. */
export type CsvText = 'guarded' | 'raw'

/** Rows by the batch, as they are pulled; an error ends the file. */
export type CsvRows = AsyncIterable<Result<readonly (readonly string[])[]>>

/** Pieces of about this many characters: large enough to be fast, small enough not to hold up the main loop. */
const PIECE = 256 * 1024

/** Blanks, apostrophes, combining marks and marks of no width: what may stand unseen before a formula. */
const PASSED_OVER = String.raw`(?:[\p{Z}\p{Cf}'\uff07\u115f\u1160\u3164\uffa0]|\p{M})*`
/** What begins a formula, also in its full-width and small forms, and the marks by which cells are broken up. */
const RUNS = new RegExp(
  String.raw`^(?:'|${PASSED_OVER}[=+\-@\t\r\n\0\v\f\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])`,
  'u',
)
const NEEDS_QUOTES = /[",\r\n]/

/**
 * Makes text harmless for spreadsheets by one leading apostrophe, unless it is an amount. Text that begins with an
 * apostrophe gets one more, so that taking one off (`unguardCell`) always gives the text back.
 */
export function guardCell(text: string): string {
  const first = text.charCodeAt(0)
  // Nearly all cells begin with a letter or digit; `=` and `@` are the only ones to mind up there.
  if (first >= 48 && first < 128 && first !== 61 && first !== 64) return text
  if (text === '' || !RUNS.test(text) || parseDecimal(text) !== null) return text
  return `'${text}`
}

/** Takes off the apostrophe that `guardCell` put on, and no other. */
export function unguardCell(text: string): string {
  if (!text.startsWith("'")) return text
  const inner = text.slice(1)
  return guardCell(inner) === text ? inner : text
}

function csvCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line with its CRLF. A lone empty cell is quoted, since readers drop empty lines. */
export function csvLine(cells: readonly string[], text: CsvText): string {
  let line = ''
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index] ?? ''
    if (index > 0) line += ','
    line += csvCell(text === 'guarded' ? guardCell(cell) : cell)
  }
  return `${line === '' ? '""' : line}\r\n`
}

/**
 * The file's bytes, piece by piece, the byte order mark first. An error among the rows is handed on as the last
 * piece, so that the file is not kept (`writeWholeFile`).
 */
export async function* csvPieces(
  rows: CsvRows,
  text: CsvText = 'guarded',
): AsyncGenerator<Result<Uint8Array>, void, undefined> {
  const encoder = new TextEncoder()
  let waiting = '\ufeff'
  for await (const batch of rows) {
    if (!batch.ok) {
      yield err(batch.error)
      return
    }
    for (const row of batch.value) {
      waiting += csvLine(row, text)
      if (waiting.length >= PIECE) {
        yield ok(encoder.encode(waiting))
        waiting = ''
      }
    }
  }
  if (waiting !== '') yield ok(encoder.encode(waiting))
}
