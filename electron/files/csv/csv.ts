/**
 * Writes CSV as a stream: UTF-8 with a byte order mark (Excel reads other bytes as its own code page), CRLF,
 * quotes by RFC 4180 and wherever else a reader may split or trim, amounts as plain decimals, and text that a
 * spreadsheet would run made harmless.
 */
import { guardCell } from '../../../shared/format/text.ts'
import { err, ok, type Result } from '../../../shared/result.ts'

/** `guarded`: text that a spreadsheet would run gets an apostrophe. `raw`: every character as it is. */
export type CsvText = 'guarded' | 'raw'

/** Rows by the batch, as they are pulled; an error ends the file. */
export type CsvRows = AsyncIterable<Result<readonly (readonly string[])[]>>

/** Pieces of about this many characters: large enough to be fast, small enough not to hold up the main loop. */
const PIECE = 256 * 1024

/** By RFC 4180, and separators and outer blanks that some readers act on though they should not. */
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/

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
