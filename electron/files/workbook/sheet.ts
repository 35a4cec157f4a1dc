/** One sheet of a workbook as a stream of XML: heads that stay, print set-up, and rows as they are pulled. */
import { parseDecimal } from '../../../shared/format/money.ts'
import { notASum } from '../../../shared/reports/columns.ts'
import { isZeroRow } from '../../../shared/reports/levels.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports/reports.ts'
import { type AppError, type Result, ok } from '../../../shared/result.ts'
import {
  type CellKind,
  HEADING,
  MARKED,
  MOST_CHARACTERS,
  MOST_COLUMNS,
  type RowLook,
  type Styles,
  booleanCell,
  columnLetters,
  cutText,
  dateSerial,
  emptyCell,
  formulaCell,
  momentSerial,
  numberCell,
  numberFate,
  percentFraction,
  textCell,
  xmlText,
} from './cells.ts'
import { formulaText, type SumFormula } from './formulas.ts'

export interface SheetColumn {
  readonly heading: string
  /** What its cells are where they can be; a cell that can't is text. */
  readonly kind: CellKind
  /** In characters. */
  readonly width: number
}

export interface SheetRow {
  readonly cells: readonly string[]
  readonly look: RowLook
  /** Indexes of cells to mark. */
  readonly marked?: readonly number[]
  /** How many groups the row lies in, which can be folded. */
  readonly depth?: number
  /** Formulas of sums, by cell. Each gives exactly the value that the cell has. */
  readonly sums?: ReadonlyMap<number, SumFormula> | null
}

/** Rows by the batch, as they are pulled; an error ends the file, and nothing of it is kept. */
export type SheetRows = AsyncIterable<Result<readonly SheetRow[]>>

export interface WorkbookSheet {
  /** Made fit for Excel, and unlike the other sheets' names. */
  readonly name: string
  /** Lines above the headings, such as whose books and which period. */
  readonly above: readonly SheetRow[]
  readonly columns: readonly SheetColumn[]
  readonly rows: () => SheetRows
  /** Columns at the left that stay in view and are printed on every page. */
  readonly frozenColumns: number
  /** The depth of the innermost group of rows; 0 for none. */
  readonly deepestGroup?: number
  /** Whether the headings have a filter each. */
  readonly hasFilter: boolean
  readonly print: {
    readonly orientation: 'portrait' | 'landscape'
    /** At the left of every printed page's head. */
    readonly header: string
    /** At the left of every printed page's foot; page numbers stand at the right. */
    readonly footer: string
  }
}

/** Rows as they come, with what was left of a batch when a sheet was full. */
export class RowSource {
  readonly #batches: AsyncIterator<Result<readonly SheetRow[]>>
  #left: readonly SheetRow[] = []
  /** The error among the rows, which ends them. */
  failure: AppError | null = null

  constructor(rows: SheetRows) {
    this.#batches = rows[Symbol.asyncIterator]()
  }

  /** The next rows, none of them empty-handed; `null` at the end and after an error. */
  async next(): Promise<readonly SheetRow[] | null> {
    if (this.#left.length > 0) {
      const left = this.#left
      this.#left = []
      return left
    }
    while (this.failure === null) {
      const step = await this.#batches.next()
      if (step.done === true) return null
      if (!step.value.ok) this.failure = step.value.error
      else if (step.value.value.length > 0) return step.value.value
    }
    return null
  }

  putBack(rows: readonly SheetRow[]): void {
    this.#left = rows
  }

  async close(): Promise<void> {
    await this.#batches.return?.()
  }
}

/** XML is handed on by about this many characters: the main loop has a turn after each. */
const PIECE = 48 * 1024

/**
 * The sheet's XML. Ends with the rows, or when the sheet is full: what is left stays in `source` for another sheet.
 * @param mostRows all lines of the sheet, those above included
 */
export async function* sheetXml(
  sheet: WorkbookSheet,
  name: string,
  source: RowSource,
  parts: {
    readonly styles: Styles
    readonly notes: KeptNotes
    readonly isFirst: boolean
    readonly mostRows: number
  },
): AsyncGenerator<string, void, undefined> {
  const columns = sheet.columns.slice(0, MOST_COLUMNS)
  parts.notes.columns(name, sheet.columns.length - columns.length)
  const lines = new Lines(name, columns, parts.styles, parts.notes, sheet.above.length + 1)
  yield opening(sheet, columns, parts.isFirst)
  let waiting = ''
  for (const row of sheet.above) waiting += lines.next(row)
  waiting += lines.next({ cells: columns.map(({ heading }) => heading), look: HEADING })
  for (let rows = await source.next(); rows !== null; rows = await source.next()) {
    const fitting = Math.min(rows.length, parts.mostRows - lines.count)
    for (let index = 0; index < fitting; index += 1) {
      const row = rows[index]
      if (row !== undefined) waiting += lines.next(row)
      if (waiting.length >= PIECE) {
        yield waiting
        waiting = ''
      }
    }
    if (fitting < rows.length) {
      source.putBack(rows.slice(fitting))
      break
    }
  }
  yield waiting + closing(sheet, columns.length, lines.count)
}

/** Lines above the table, which have nothing to do with its columns. */
function isAbove({ role }: RowLook): boolean {
  return role === 'title' || role === 'note' || role === 'caution'
}

/** Excel has no deeper groups. */
const MOST_GROUPS = 7

/** Writes rows one below the other. */
class Lines {
  readonly #sheet: string
  readonly #columns: readonly SheetColumn[]
  readonly #styles: Styles
  readonly #notes: KeptNotes
  readonly #letters: readonly string[]
  readonly #head: number
  count = 0

  /** @param head lines before the first row of the table */
  constructor(
    sheet: string,
    columns: readonly SheetColumn[],
    styles: Styles,
    notes: KeptNotes,
    head: number,
  ) {
    this.#head = head
    this.#sheet = sheet
    this.#columns = columns
    this.#styles = styles
    this.#notes = notes
    this.#letters = columns.map((_, index) => columnLetters(index))
  }

  next({ cells, look: rowLook, marked, depth = 0, sums = null }: SheetRow): string {
    this.count += 1
    const row = String(this.count)
    // Lines above the table have cells of their own; in the table every column has one, for its rule.
    const width = isAbove(rowLook) ? cells.length : this.#columns.length
    const group = depth > 0 ? ` outlineLevel="${String(Math.min(MOST_GROUPS, depth))}"` : ''
    let line = `<row r="${row}"${group}>`
    for (let index = 0; index < width; index += 1) {
      const kind = this.#columns[index]?.kind ?? 'text'
      const look = marked?.includes(index) === true ? MARKED : rowLook
      const reference = (this.#letters[index] ?? columnLetters(index)) + row
      const text = cells[index] ?? ''
      const style = this.#styles.of(look, kind, index === 0)
      // A rule, and the headings' band, go on through cells that hold nothing.
      const isDrawn = look.rule !== 'none' || look.role === 'heading' || look === MARKED
      const sum = sums?.get(index)
      if (text === '') line += isDrawn ? emptyCell(reference, style) : ''
      else if (sum !== undefined && this.#holds(sum))
        line += formulaCell(reference, style, formulaText(sum, columnLetters(index), this.count), text)
      else line += this.#cell(reference, style, text, look.role === 'body' ? kind : 'text', look, index)
    }
    return `${line}</row>`
  }

  /** Whether all parts of a sum are on this sheet: a long report goes on in another. */
  #holds({ terms }: SumFormula): boolean {
    return terms.every(({ from }) => this.count - from > this.#head)
  }

  #cell(
    reference: string,
    style: number,
    text: string,
    kind: CellKind,
    look: RowLook,
    index: number,
  ): string {
    switch (kind) {
      case 'amount':
      case 'integer': {
        const fate = numberFate(text)
        if (fate === 'number') return numberCell(reference, style, text)
        if (fate === 'too-long') this.#notes.longNumber(this.#sheet, reference)
        break
      }
      case 'boolean':
        if (text === 'true' || text === 'false') return booleanCell(reference, style, text === 'true')
        break
      case 'moment': {
        const serial = momentSerial(text)
        if (serial !== null) return numberCell(reference, style, serial)
        break
      }
      case 'date': {
        const serial = dateSerial(text)
        if (serial !== null) return numberCell(reference, style, serial)
        break
      }
      case 'percent': {
        const fraction = percentFraction(text)
        if (fraction !== null && numberFate(fraction) === 'number')
          return numberCell(reference, style, fraction)
        break
      }
      case 'text':
        break
    }
    if (text.length > MOST_CHARACTERS) this.#notes.cutText(this.#sheet, reference)
    const asText = kind === 'text' ? style : this.#styles.of(look, 'text', index === 0)
    return textCell(reference, asText, cutText(text))
  }
}

/** All that stands before the rows: print to one page's width, panes that stay, widths. */
function opening(sheet: WorkbookSheet, columns: readonly SheetColumn[], isFirst: boolean): string {
  const head = sheet.above.length + 1
  const left = Math.min(sheet.frozenColumns, Math.max(0, columns.length - 1))
  const corner = `${columnLetters(left)}${String(head + 1)}`
  const pane = left > 0 ? 'bottomRight' : 'bottomLeft'
  const across = left > 0 ? `xSplit="${String(left)}" ` : ''
  const { deepestGroup = 0 } = sheet
  const groups = deepestGroup > 0 ? ` outlineLevelRow="${String(Math.min(MOST_GROUPS, deepestGroup))}"` : ''
  const widths = columns.map(({ width }, index) => {
    const at = String(index + 1)
    return `<col min="${at}" max="${at}" width="${String(Math.min(80, Math.max(6, width)))}" customWidth="1"/>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n',
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">',
    '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>',
    `<sheetViews><sheetView ${isFirst ? 'tabSelected="1" ' : ''}workbookViewId="0">`,
    `<pane ${across}ySplit="${String(head)}" topLeftCell="${corner}" activePane="${pane}" state="frozen"/>`,
    `<selection pane="${pane}" activeCell="${corner}" sqref="${corner}"/></sheetView></sheetViews>`,
    `<sheetFormatPr defaultRowHeight="15"${groups}/>`,
    widths.length === 0 ? '' : `<cols>${widths.join('')}</cols>`,
    '<sheetData>',
  ].join('')
}

function closing(sheet: WorkbookSheet, columns: number, lines: number): string {
  const head = sheet.above.length + 1
  const end = `${columnLetters(Math.max(0, columns - 1))}${String(lines)}`
  const { orientation, header, footer } = sheet.print
  return [
    '</sheetData>',
    sheet.hasFilter && columns > 0 ? `<autoFilter ref="A${String(head)}:${end}"/>` : '',
    '<pageMargins left="0.5" right="0.5" top="0.75" bottom="0.75" header="0.3" footer="0.3"/>',
    `<pageSetup orientation="${orientation}" fitToWidth="1" fitToHeight="0"/>`,
    `<headerFooter><oddHeader>${printText(header)}</oddHeader>`,
    `<oddFooter>${printText(footer)}&amp;RPage &amp;P of &amp;N</oddFooter></headerFooter>`,
    // Account numbers and postal codes are text on purpose; no green corners on them.
    `<ignoredErrors><ignoredError sqref="A1:${end}" numberStoredAsText="1"/></ignoredErrors>`,
    '</worksheet>',
  ].join('')
}

/** Heads and feet have 255 characters in all; some are codes, and every `&` takes two. */
const MOST_PRINTED = 190

/** At the left and in small letters. `&` begins a code in heads and feet, and a digit after a code would join it. */
function printText(text: string): string {
  const letters = [...text].map((letter) => (letter === '&' ? '&&' : letter))
  while (letters.join('').length > MOST_PRINTED) letters.splice(-2, 2, '…')
  return text === '' ? '' : xmlText(`&L&8${letters.join('').replace(/^\d/, ' $&')}`)
}

/** The rows that are repeated on every printed page, and the columns: for `_xlnm.Print_Titles`. */
export function printTitles(sheet: WorkbookSheet, name: string): string {
  const quoted = `'${name.replaceAll("'", "''")}'`
  const row = `$${String(sheet.above.length + 1)}`
  const rows = `${quoted}!${row}:${row}`
  if (sheet.frozenColumns === 0 || sheet.columns.length <= sheet.frozenColumns) return rows
  return `${quoted}!$A:$${columnLetters(sheet.frozenColumns - 1)},${rows}`
}

// What a report's columns are and how wide, found by one pass over its rows: the service says neither.

/** Headings of columns that hold numbers nobody adds up: their digits are a name, and stay text. */
const NAMES =
  /^(?:num(?:ber)?|no\.?|nr\.?|#|ref(?:erence)?(?: no\.?| number)?|doc(?:ument)? ?(?:no\.?|number)|(?:account|check|cheque|invoice|trans(?:action)?|entry|item|phone|zip|postal) ?(?:#|no\.?|num(?:ber)?|id|code)?|id|code)$/i

/** One column as far as its cells were seen. */
class Seen {
  readonly #heading: string
  #dates = 0
  #percents = 0
  #decimals = 0
  #fractions = 0
  #texts = 0
  #hasLeadingZero = false
  #longest: number

  constructor(heading: string) {
    this.#heading = heading.trim()
    this.#longest = heading.length + 2
  }

  add(value: string): void {
    if (value === '') return
    if (value.length > this.#longest) this.#longest = value.length
    if (parseDecimal(value) === null) {
      if (value.endsWith('%') && percentFraction(value) !== null) this.#percents += 1
      else if (dateSerial(value) !== null) this.#dates += 1
      else this.#texts += 1
      return
    }
    this.#decimals += 1
    if (value.includes('.')) this.#fractions += 1
    else if (/^-?0\d/.test(value)) this.#hasLeadingZero = true
  }

  get kind(): CellKind {
    if (this.#dates > this.#texts + this.#decimals + this.#percents) return 'date'
    const isPercent = this.#percents > 0 || notASum('', [this.#heading], 0) === 'percent'
    if (isPercent && this.#percents + this.#decimals > this.#texts + this.#dates) {
      return this.#percents > 0 && notASum('', [this.#heading], 0) !== 'percent' && this.#decimals > 0
        ? 'text'
        : 'percent'
    }
    if (this.#decimals === 0 || this.#texts + this.#dates > this.#decimals) return 'text'
    if (this.#fractions > 0) return 'amount'
    return this.#hasLeadingZero || this.#texts + this.#dates > 0 || NAMES.test(this.#heading)
      ? 'text'
      : 'integer'
  }

  /** With room for thousands marks and a sign, and for text in letters that are wider than digits. */
  get width(): number {
    const more = this.kind === 'text' ? 2 : Math.ceil(this.#longest / 3)
    return Math.min(48, Math.max(10, this.#longest + more))
  }
}

/** The sheet's columns: the names first, then one a value. An error among the rows is handed on. */
export async function reportColumns(
  head: Pick<ReportHead, 'nameColumn' | 'columns'>,
  rows: AsyncIterable<Result<readonly ReportRow[]>>,
  hideZeroRows: boolean,
): Promise<Result<readonly SheetColumn[]>> {
  const seen = head.columns.map((heading) => new Seen(heading))
  let names = Math.max(24, head.nameColumn.length)
  for await (const batch of rows) {
    if (!batch.ok) return batch
    for (const row of batch.value) {
      if (row.kind === 'spacer' || (hideZeroRows && isZeroRow(row))) continue
      names = Math.max(names, row.name.length + row.level * 2)
      for (let column = 0; column < seen.length; column += 1) seen[column]?.add(row.values[column] ?? '')
    }
  }
  return ok([
    { heading: head.nameColumn, kind: 'text', width: Math.min(60, names + 2) },
    ...seen.map(({ kind, width }, column) => ({ heading: head.columns[column] ?? '', kind, width })),
  ])
}

// What a workbook could not take as it was: said on its last sheet, so that nobody has to find out.

/** As many cells are named; the rest are counted. */
const NAMED = 20

interface Found {
  count: number
  readonly named: string[]
}

export class KeptNotes {
  readonly #long: Found = { count: 0, named: [] }
  readonly #cut: Found = { count: 0, named: [] }
  readonly #others: string[] = []

  /** A number of more than 15 significant digits, which stands there as text. */
  longNumber(sheet: string, reference: string): void {
    remember(this.#long, sheet, reference)
  }

  /** A text that is longer than a cell can hold. */
  cutText(sheet: string, reference: string): void {
    remember(this.#cut, sheet, reference)
  }

  /** Columns beyond the last that a sheet has. */
  columns(sheet: string, leftOut: number): void {
    if (leftOut > 0)
      this.#others.push(`${sheet}: the last ${String(leftOut)} columns are left out; a sheet has 16,384.`)
  }

  /** The rows go on in another sheet. */
  continued(sheet: string, next: string): void {
    this.#others.push(`${sheet} goes on in ${next}: a sheet has 1,048,576 rows.`)
  }

  /** In sentences; none when everything is as it was. */
  sentences(): readonly string[] {
    const sentences: string[] = []
    if (this.#long.count > 0) {
      sentences.push(
        `Numbers with more than 15 digits are stored as text, because a spreadsheet would round them: ${listed(this.#long)}.`,
      )
    }
    if (this.#cut.count > 0) {
      sentences.push(
        `Text is cut off at 32,767 characters, the most a cell can hold: ${listed(this.#cut)}. A CSV file has all of it.`,
      )
    }
    return [...sentences, ...this.#others]
  }
}

function remember(found: Found, sheet: string, reference: string): void {
  found.count += 1
  if (found.named.length < NAMED) found.named.push(`${sheet}!${reference}`)
}

function listed(found: Found): string {
  const more = found.count - found.named.length
  return `${found.named.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`
}
