/**
 * Writes CSV as a stream: UTF-8 with a byte order mark (without it, Excel assumes its own code page), CRLF,
 * quotes as in RFC 4180 and wherever else a reader may split or trim, plain decimals, and escaped formulas.
 */
import { guardCell } from '../../../shared/format/text.ts'
import { err, ok, type Result } from '../../../shared/result.ts'

/** `guarded`: text that a spreadsheet would run as a formula gets an apostrophe. `raw`: all text is unchanged. */
export type CsvText = 'guarded' | 'raw'

/** Batches of rows, pulled as needed. An error ends the file. */
export type CsvRows = AsyncIterable<Result<readonly (readonly string[])[]>>

/** Characters per piece, large enough to be fast and small enough not to block the event loop. */
const PIECE = 256 * 1024

/** What RFC 4180 requires to be quoted, plus separators and surrounding whitespace that some readers handle wrongly. */
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/

function csvCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Formats one line with its CRLF. A single empty cell is quoted, because readers drop empty lines. */
function csvLine(cells: readonly string[], text: CsvText): string {
  let line = ''
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index] ?? ''
    if (index > 0) line += ','
    line += csvCell(text === 'guarded' ? guardCell(cell) : cell)
  }
  return `${line === '' ? '""' : line}\r\n`
}

/**
 * Returns the file's bytes in pieces, starting with the byte order mark. An error among the rows is the last
 * piece, so that the file isn't saved (`writeFileAtomically`).
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
