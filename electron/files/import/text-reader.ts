/** Reads CSV by papaparse, and blocks of cells from the clipboard as spreadsheets write them. */
import Papa from 'papaparse'
import { readBlock } from '../../../shared/clipboard-block.ts'
import type { ImportRow } from '../../../shared/import-table.ts'
import { unguardCell } from '../../../shared/formula-guard.ts'
import { decodeText } from './encoding.ts'
import { sniffDelimiter, statedDelimiter } from './delimiter.ts'
import { unifiedLines } from './line-ends.ts'
import type { ImportLimits } from './limits.ts'
import { Refused, tooLarge } from './refused.ts'
import type { ReadTable } from './workbook-reader.ts'

/** A file's bytes. Throws `Refused`. */
export function readCsv(bytes: Uint8Array, limits: ImportLimits): ReadTable {
  const { text, encoding } = decodeText(bytes)
  const stated = statedDelimiter(text)
  const table = readText(text, stated ?? sniffDelimiter(text), limits, stated === null ? 0 : 1)
  // UTF-16 shows by its bytes; Windows-1252 is what is left when nothing else fits.
  const notes =
    encoding === 'Windows-1252'
      ? [`The file is not UTF-8; it was read as ${encoding}. Look at names with accents.`]
      : []
  return { ...table, notes: [...notes, ...table.notes] }
}

/** A block as spreadsheets put it on the clipboard: tabs between cells; other text by its own delimiter. */
export function readClipboard(text: string, limits: ImportLimits): ReadTable {
  const delimiter = text.includes('\t') ? '\t' : sniffDelimiter(text)
  // A single column has nothing between its cells.
  if (delimiter !== '\t' && text.includes(delimiter)) return readText(text, delimiter, limits, 0)
  refuseUnlikely(text, limits)
  const rows = new RowCollector(limits)
  for (const [index, cells] of readBlock(text).entries()) rows.add(index + 1, [...cells])
  return rows.table()
}

/**
 * Rows are numbered as a spreadsheet that opens the text numbers them: a cell of several lines is in one row, blank
 * lines are rows. What can't be read is named by its line, as an editor numbers them.
 * @param skipped how many lines at the top are no rows
 */
function readText(text: string, delimiter: string, limits: ImportLimits, skipped: number): ReadTable {
  refuseUnlikely(text, limits)
  const body = unifiedLines(text, delimiter)
  const lines = new LineCounter(body)
  const rows = new RowCollector(limits)
  let from = 0
  let number = 0
  Papa.parse<string[]>(body, {
    delimiter,
    newline: '\n',
    step: ({ data, errors, meta }) => {
      const line = lines.at(from)
      from = meta.cursor
      if (line <= skipped) return
      number += 1
      const [error] = errors
      if (error !== undefined) throw brokenLine(error.code, line)
      rows.add(number, data)
    },
  })
  return rows.table()
}

function refuseUnlikely(text: string, limits: ImportLimits): void {
  if (text.length > limits.characters) throw tooLarge('more text')
  if (text.slice(0, 100_000).includes('\0'))
    throw new Refused('This is not a text file.', 'Choose a CSV file or a workbook (.xlsx).')
}

/** Rows with anything in them, within the limits. */
class RowCollector {
  readonly #limits: ImportLimits
  readonly #rows: ImportRow[] = []
  #cellCount = 0

  constructor(limits: ImportLimits) {
    this.#limits = limits
  }

  /** @param cells taken over; throws `Refused` */
  add(number: number, cells: string[]): void {
    while (cells.length > 0 && cells.at(-1) === '') cells.pop()
    if (cells.every((cell) => cell.trim() === '')) return
    this.#cellCount += cells.length
    if (this.#rows.length >= this.#limits.rows) throw tooLarge('more rows')
    if (cells.length > this.#limits.columns) throw tooLarge('more columns')
    if (this.#cellCount > this.#limits.cells) throw tooLarge('more cells')
    this.#rows.push({ number, cells: cells.map(unguardCell) })
  }

  table(): ReadTable {
    return { rows: this.#rows, sheet: '', sheets: [], notes: [] }
  }
}

/** A line that can't be taken apart: taking it for what it might be could move every cell after it. */
function brokenLine(code: string, line: number): Refused {
  const where = `Line ${String(line)}`
  switch (code) {
    case 'MissingQuotes':
      return new Refused(
        `${where}: a cell begins with a quote (") that does not end.`,
        'Close it, or double the quotes that belong to the text, then import it again.',
        code,
      )
    case 'InvalidQuotes':
      return new Refused(
        `${where}: a quote (") stands in the middle of a quoted cell.`,
        'Double the quotes that belong to the text, then import it again.',
        code,
      )
    default:
      return new Refused(`${where} can’t be read.`, 'Look at that line, then import it again.', code)
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
