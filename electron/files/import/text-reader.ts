/** Reads CSV by papaparse, and blocks of cells from the clipboard as spreadsheets write them. */
import Papa from 'papaparse'
import { readBlock } from '../../../shared/import/clipboard-block.ts'
import { unguardCell } from '../../../shared/format/text.ts'
import type { ImportRow, TextFormat } from '../../../shared/import/table.ts'
import { decodeAs, decodeText } from './encodings.ts'
import { type ImportLimits, Refused, tooLarge } from './limits.ts'
import type { ReadTable } from './workbook-reader.ts'

/**
 * Reads a text file.
 * @param format what the person chose; the file's own bytes decide the rest
 * @throws Refused
 */
export function readCsv(bytes: Uint8Array, limits: ImportLimits, format = FROM_FILE): ReadTable {
  const { text, encoding } =
    format.encoding === null
      ? decodeText(bytes)
      : { text: decodeAs(bytes, format.encoding), encoding: format.encoding }
  const stated = statedDelimiter(text)
  const delimiter = format.delimiter ?? stated ?? sniffDelimiter(text)
  const table = readText(text, delimiter, limits, stated === null ? 0 : 1)
  const notes =
    format.encoding === null && encoding === 'Windows-1252'
      ? [`The file is not UTF-8; it was read as ${encoding}. Look at names with accents.`]
      : text.includes('\ufffd')
        ? [`Some characters do not exist in ${encoding}. Choose another encoding.`]
        : []
  return { ...table, text: { encoding, delimiter }, notes: [...notes, ...table.notes] }
}

const FROM_FILE: TextFormat = { encoding: null, delimiter: null }

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
    this.#rows.push({ number, cells: cells.map((cell) => unguardCell(unquoted(cell))) })
  }

  table(): ReadTable {
    return { rows: this.#rows, sheet: '', sheets: [], text: null, notes: [] }
  }
}

/** `="02134"`, by which programs keep Excel from dropping zeros, is the text 02134. */
function unquoted(cell: string): string {
  const inner = cell.startsWith('="') ? /^="((?:[^"]|"")*)"$/.exec(cell.trim())?.[1] : undefined
  return inner?.replaceAll('""', '"') ?? cell
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

// Which character parts the cells of a text. A sniff of our own: papaparse takes the commas in a note for it.

const CANDIDATES = [',', ';', '\t', '|'] as const
type Delimiter = (typeof CANDIDATES)[number]

/** As much of a text is looked at. */
const LOOKED_AT = 256 * 1024
const MOST_LINES = 200

/** The delimiter that a text says in a first line for spreadsheets (`sep=;`); `null` where it has none. */
function statedDelimiter(text: string): string | null {
  return /^"?sep=([^\r\n"])"?[\r\n]/i.exec(text)?.[1] ?? null
}

/**
 * The delimiter by which most lines have as many cells as most others, cells in quotes counted as one. Lines without
 * anything in them don't count. `,` where nothing parts the lines.
 */
export function sniffDelimiter(text: string): Delimiter {
  const start = text.slice(0, LOOKED_AT)
  const isCut = text.length > LOOKED_AT
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

/** How many cells each line has. */
function cellCounts(text: string, delimiter: Delimiter, isCut: boolean): number[] {
  const counts: number[] = []
  let cells = 1
  let isQuoted = false
  let isCellStart = true
  let isBlank = true
  for (let at = 0; at < text.length && counts.length < MOST_LINES; at += 1) {
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
 * The share of lines that have the commonest number of cells, weighed by how many cells that is: a delimiter that
 * parts every line alike beats one that stands in some notes.
 */
function scoreOf(counts: readonly number[]): number {
  const times = new Map<number, number>()
  for (const count of counts) if (count > 1) times.set(count, (times.get(count) ?? 0) + 1)
  let score = 0
  for (const [cells, lines] of times)
    score = Math.max(score, (lines / counts.length) ** 2 * (1 + Math.log2(cells) / 10))
  return score
}

// Line ends of a text made alike: papaparse takes one kind for the whole text, and would join lines of another.

/**
 * Every line end outside of quoted cells as `\n`. Inside them nothing is touched.
 * @returns the text itself where its lines end alike already
 */
function unifiedLines(text: string, delimiter: string): string {
  if (!text.includes('\r')) return text
  const pieces: string[] = []
  let from = 0
  let isCellStart = true
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"' && isCellStart) {
      at = endOfQuoted(text, at)
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

/** Where the quote stands that ends a quoted cell; the text's end where none does. */
function endOfQuoted(text: string, start: number): number {
  let at = text.indexOf('"', start + 1)
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at < 0 ? text.length : at
}
