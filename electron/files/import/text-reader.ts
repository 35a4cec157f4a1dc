/** Reads delimited text with papaparse, and cells from the clipboard. */
import Papa from 'papaparse'
import { unguardCell } from '../../../shared/format/text.ts'
import { readBlock } from '../../../shared/import/clipboard-block.ts'
import type { ImportRow, TextFormat } from '../../../shared/import/table.ts'
import { decodeAs, decodeText, isGuessed } from './encodings.ts'
import { type ImportLimits, ImportRefusedError, tooLarge } from './limits.ts'
import type { ReadTable } from './workbook-reader.ts'

/**
 * Reads a text file.
 * @param format the user's choice; the file's content decides the rest
 * @throws ImportRefusedError
 */
export function readCsv(bytes: Uint8Array, limits: ImportLimits, format = FROM_FILE): ReadTable {
  const { text: decoded, encoding } =
    format.encoding === null
      ? decodeText(bytes)
      : { text: decodeAs(bytes, format.encoding), encoding: format.encoding }
  // Old DOS programs end a file with an end-of-file character.
  const text = decoded.endsWith('\x1a') ? decoded.slice(0, -1) : decoded
  const stated = statedDelimiter(text)
  const delimiter = format.delimiter ?? stated ?? sniffDelimiter(text)
  const table = readText(text, delimiter, limits, stated === null ? 0 : 1)
  const notes =
    format.encoding === null && isGuessed(encoding)
      ? [`The file isn’t UTF-8. It was read as ${encoding}. Check names with accents.`]
      : text.includes('\ufffd')
        ? [`Some characters don’t exist in ${encoding}. Choose another encoding.`]
        : []
  return { ...table, text: { encoding, delimiter }, notes: [...notes, ...table.notes] }
}

const FROM_FILE: TextFormat = { encoding: null, delimiter: null }

/**
 * Reads clipboard text: cells from a spreadsheet are separated by tabs, other text by its own delimiter.
 * @param chosen the delimiter that the user chose; `null` for the best guess
 */
export function readClipboard(text: string, limits: ImportLimits, chosen: string | null): ReadTable {
  const delimiter = chosen ?? (text.includes('\t') ? '\t' : sniffDelimiter(text))
  const format = { encoding: null, delimiter }
  // A single column has no delimiter.
  if (delimiter !== '\t' && text.includes(delimiter))
    return { ...readText(text, delimiter, limits, 0), text: format }
  refuseUnlikely(text, limits)
  const rows = new RowCollector(limits)
  for (const [index, cells] of readBlock(text).entries()) rows.add(index + 1, [...cells])
  return { ...rows.table(), text: format }
}

/**
 * Numbers rows as a spreadsheet does: a multiline cell is in one row, and blank lines count. Errors name the
 * line as an editor numbers it.
 * @param skipped lines at the top that aren't rows
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
    throw new ImportRefusedError('This is not a text file.', 'Choose a CSV file or a workbook (.xlsx).')
}

/** Collects rows that aren't empty, within the limits. */
class RowCollector {
  readonly #limits: ImportLimits
  readonly #rows: ImportRow[] = []
  #cellCount = 0

  constructor(limits: ImportLimits) {
    this.#limits = limits
  }

  /**
   * @param cells owned by the collector from now on
   * @throws ImportRefusedError
   */
  add(number: number, cells: string[]): void {
    while (cells.length > 0 && cells.at(-1) === '') cells.pop()
    if (cells.every((cell) => cell.trim() === '')) return
    this.#cellCount += cells.length
    if (this.#rows.length >= this.#limits.rows) throw tooLarge('more rows')
    if (cells.length > this.#limits.columns) throw tooLarge('more columns')
    if (this.#cellCount > this.#limits.cells) throw tooLarge('more cells')
    this.#rows.push({ number, cells: cells.map((cell) => unguardCell(unquoted(cell))) })
  }

  table(): ReadTable {
    return { rows: this.#rows, sheet: '', sheets: [], text: null, notes: [] }
  }
}

/** `="02134"` is the text 02134. Programs write it so that Excel keeps the zeros. */
function unquoted(cell: string): string {
  const inner = cell.startsWith('="') ? /^="((?:[^"]|"")*)"$/.exec(cell.trim())?.[1] : undefined
  return inner?.replaceAll('""', '"') ?? cell
}

/** Refuses a line with broken quotes: a guess could shift every cell after it. */
function brokenLine(code: string, line: number): ImportRefusedError {
  const where = `Line ${String(line)}`
  switch (code) {
    case 'MissingQuotes':
      return new ImportRefusedError(
        `${where}: a quotation mark (") is never closed.`,
        'Close it, or double quotation marks that belong to the text (""), then import it again.',
        code,
      )
    case 'InvalidQuotes':
      return new ImportRefusedError(
        `${where}: a quotation mark (") appears inside a quoted cell.`,
        'Double it (""), then import the file again.',
        code,
      )
    default:
      return new ImportRefusedError(
        `${where} can’t be read.`,
        'Check that line, then import the file again.',
        code,
      )
  }
}

/** Finds the line of an offset. Offsets must be ascending. */
class LineCounter {
  readonly #text: string
  #at = 0
  #line = 1

  constructor(text: string) {
    this.#text = text
  }

  at(offset: number): number {
    for (; this.#at < offset; this.#at += 1) {
      const code = this.#text.charCodeAt(this.#at)
      // Inside quotes, a line may still end in CR LF, which counts at its LF, or in CR alone.
      if (code === 10 || (code === 13 && this.#text.charCodeAt(this.#at + 1) !== 10)) this.#line += 1
    }
    return this.#line
  }
}

// Papaparse's own guess mistakes commas in notes for delimiters.

const CANDIDATES = [',', ';', '\t', '|'] as const
type Delimiter = (typeof CANDIDATES)[number]

/** Characters to examine. */
const SNIFFED = 256 * 1024
const MAX_LINES = 200

/** The delimiter in a first line for spreadsheets (`sep=;`); `null` if there is none. */
function statedDelimiter(text: string): string | null {
  return /^"?sep=([^\r\n"])"?[\r\n]/i.exec(text)?.[1] ?? null
}

/**
 * Guesses the delimiter with which most lines have the same number of cells; `,` if there is none. Empty lines
 * don't count.
 */
function sniffDelimiter(text: string): Delimiter {
  const start = text.slice(0, SNIFFED)
  const isCut = text.length > SNIFFED
  let best: Delimiter = ','
  let bestScore = 0
  for (const delimiter of CANDIDATES) {
    const score = scoreOf(cellCounts(start, delimiter, isCut))
    if (score > bestScore) {
      bestScore = score
      best = delimiter
    }
  }
  return best
}

/** Counts the cells of each line. */
function cellCounts(text: string, delimiter: Delimiter, isCut: boolean): number[] {
  const counts: number[] = []
  let cells = 1
  let isQuoted = false
  let isCellStart = true
  let isBlank = true
  for (let at = 0; at < text.length && counts.length < MAX_LINES; at += 1) {
    const character = text[at] ?? ''
    if (isQuoted) {
      if (character !== '"') continue
      if (text[at + 1] === '"') at += 1
      else isQuoted = false
    } else if (character === '"' && isCellStart) {
      isQuoted = true
      isCellStart = false
      isBlank = false
    } else if (character === delimiter) {
      cells += 1
      isCellStart = true
    } else if (character === '\n' || character === '\r') {
      if (!isBlank) counts.push(cells)
      cells = 1
      isCellStart = true
      isBlank = true
    } else if (character !== ' ' && character !== '\t') {
      isCellStart = false
      isBlank = false
    }
  }
  if (!isBlank && !isQuoted && !isCut) counts.push(cells)
  return counts
}

/**
 * The share of lines with the most common number of cells, weighted by that number. A delimiter in every line
 * beats one in a few notes.
 */
function scoreOf(counts: readonly number[]): number {
  const times = new Map<number, number>()
  for (const count of counts) if (count > 1) times.set(count, (times.get(count) ?? 0) + 1)
  let score = 0
  for (const [cells, lines] of times)
    score = Math.max(score, (lines / counts.length) ** 2 * (1 + Math.log2(cells) / 10))
  return score
}

// Papaparse expects one kind of line ending and joins lines with another. It also treats a quote after a space
// as text, so that `Alder, "Bath, UK"` would become three cells.

/** Converts line endings outside quoted cells to `\n` and removes spaces around quoted cells. */
function unifiedLines(text: string, delimiter: string): string {
  if (!text.includes('\r') && !/" | "/.test(text)) return text
  const pieces: string[] = []
  let from = 0
  let isCellStart = true
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    const quote = isCellStart && (character === '"' || character === ' ') ? pastBlanks(text, at) : at
    if (isCellStart && text[quote] === '"') {
      const end = endOfQuoted(text, quote)
      const next = pastBlanks(text, end + 1)
      const isWhole = next >= text.length || text[next] === delimiter || /[\r\n]/.test(text[next] ?? '')
      if (isWhole && end < text.length) {
        pieces.push(text.slice(from, at), text.slice(quote, end + 1))
        from = next
        at = next - 1
      } else {
        at = quote === at ? end : quote
      }
      isCellStart = false
    } else if (character === '\r') {
      pieces.push(text.slice(from, at), '\n')
      if (text[at + 1] === '\n') at += 1
      from = at + 1
      isCellStart = true
    } else {
      isCellStart = character === delimiter || character === '\n'
    }
  }
  pieces.push(text.slice(from))
  return pieces.join('')
}

function pastBlanks(text: string, start: number): number {
  let at = start
  while (text[at] === ' ') at += 1
  return at
}

/** The index of the quote that ends a quoted cell, or the end of the text. */
function endOfQuoted(text: string, start: number): number {
  let at = text.indexOf('"', start + 1)
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at < 0 ? text.length : at
}
