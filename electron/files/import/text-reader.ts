/** Reads CSV, and blocks of cells from the clipboard, by papaparse. */
import Papa from 'papaparse'
import type { ImportRow } from '../../../shared/import-table.ts'
import { unguardCell } from '../csv.ts'
import { decodeText } from './encoding.ts'
import { sniffDelimiter, type Delimiter } from './delimiter.ts'
import { unifiedLines } from './line-ends.ts'
import type { ImportLimits } from './limits.ts'
import { Refused, tooLarge } from './refused.ts'
import type { ReadTable } from './workbook-reader.ts'

/** A file's bytes. Throws `Refused`. */
export function readCsv(bytes: Uint8Array, limits: ImportLimits): ReadTable {
  const { text, encoding } = decodeText(bytes)
  const table = readText(text, sniffDelimiter(text), limits)
  const notes =
    encoding === 'UTF-8'
      ? []
      : [`The file is not UTF-8; it was read as ${encoding}. Look at names with accents.`]
  return { ...table, notes: [...notes, ...table.notes] }
}

/** A block as spreadsheets put it on the clipboard: tabs between cells; other text by its own delimiter. */
export function readClipboard(text: string, limits: ImportLimits): ReadTable {
  return readText(text, text.includes('\t') ? '\t' : sniffDelimiter(text), limits)
}

function readText(text: string, delimiter: Delimiter, limits: ImportLimits): ReadTable {
  if (text.length > limits.characters) throw tooLarge('more text')
  if (text.slice(0, 100_000).includes('\0'))
    throw new Refused('This is not a text file.', 'Choose a CSV file or a workbook (.xlsx).')
  const body = unifiedLines(text, delimiter)
  const lines = new LineCounter(body)
  const rows: ImportRow[] = []
  let cellCount = 0
  let from = 0
  Papa.parse<string[]>(body, {
    delimiter,
    newline: '\n',
    step: ({ data, errors, meta }) => {
      const number = lines.at(from)
      from = meta.cursor
      const [error] = errors
      if (error !== undefined) throw brokenLine(error.code, number)
      while (data.length > 0 && data.at(-1) === '') data.pop()
      if (data.every((cell) => cell.trim() === '')) return
      cellCount += data.length
      if (rows.length >= limits.rows) throw tooLarge('more rows')
      if (data.length > limits.columns) throw tooLarge('more columns')
      if (cellCount > limits.cells) throw tooLarge('more cells')
      rows.push({ number, cells: data.map(unguardCell) })
    },
  })
  return { rows, sheet: '', sheets: [], notes: [] }
}

/** A line that can't be taken apart: taking it for what it might be could move every cell after it. */
function brokenLine(code: string, line: number): Refused {
  const where = `Line ${String(line)}`
  switch (code) {
    case 'MissingQuotes':
      return new Refused(
        `${where}: a cell begins with a quote (") that does not end.`,
        'Close it, or double the quotes that belong to the text, then import the file again.',
        code,
      )
    case 'InvalidQuotes':
      return new Refused(
        `${where}: a quote (") stands in the middle of a quoted cell.`,
        'Double the quotes that belong to the text, then import the file again.',
        code,
      )
    default:
      return new Refused(`${where} can’t be read.`, 'Look at that line, then import the file again.', code)
  }
}

/** Which line a place in the text is on, for places that only move forward. */
class LineCounter {
  readonly #text: string
  #at = 0
  #line = 1

  constructor(text: string) {
    this.#text = text
  }

  at(place: number): number {
    for (; this.#at < place; this.#at += 1) {
      const code = this.#text.charCodeAt(this.#at)
      // Inside quotes an end may still be CR LF, counted at its LF, or CR alone.
      if (code === 10 || (code === 13 && this.#text.charCodeAt(this.#at + 1) !== 10)) this.#line += 1
    }
    return this.#line
  }
}
