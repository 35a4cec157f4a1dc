/** Writes one sheet of a workbook as a stream of XML: fixed headings, print settings, and rows as they are pulled. */
import { parseDecimal } from '../../../shared/format/money.ts'
import { joinNames } from '../../../shared/format/text.ts'
import { type ChangeKind, changeKind, notASum } from '../../../shared/reports/columns.ts'
import { isZeroRow } from '../../../shared/reports/levels.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports/reports.ts'
import { type AppError, ok, type Result } from '../../../shared/result.ts'
import {
  booleanCell,
  type CellKind,
  classifyNumber,
  columnLetters,
  cutText,
  dateSerial,
  emptyCell,
  formulaCell,
  HEADING,
  MARKED,
  MAX_CHARACTERS,
  MAX_COLUMNS,
  momentSerial,
  numberCell,
  percentFraction,
  type RowStyle,
  type Styles,
  textCell,
  xmlText,
} from './cells.ts'
import { formulaText, type SumFormula } from './formulas.ts'

export interface SheetColumn {
  readonly heading: string
  /** The type of its cells. A cell that doesn't have the type is text. */
  readonly kind: CellKind
  /** Width in characters. */
  readonly width: number
}

export interface SheetRow {
  readonly cells: readonly string[]
  readonly look: RowStyle
  /** Indexes of cells to mark. */
  readonly marked?: readonly number[]
  /** Number of collapsible groups that contain the row. */
  readonly depth?: number
  /** Formulas of sums, by cell. Each results in exactly the cell's value. */
  readonly sums?: ReadonlyMap<number, SumFormula> | null
}

/** Batches of rows, pulled as needed. An error ends the file, and nothing is saved. */
export type SheetRows = AsyncIterable<Result<readonly SheetRow[]>>

export interface WorkbookSheet {
  /** Adjusted for Excel and made unique. */
  readonly name: string
  /** Lines above the headings, such as company and period. */
  readonly above: readonly SheetRow[]
  readonly columns: readonly SheetColumn[]
  readonly rows: () => SheetRows
  /** Columns on the left that stay in view and are printed on every page. */
  readonly frozenColumns: number
  /** Depth of the innermost row group; 0 if there is none. */
  readonly deepestGroup?: number
  /** Whether the headings have filters. */
  readonly hasFilter: boolean
  readonly print: {
    readonly orientation: 'portrait' | 'landscape'
    /** Left header of every printed page. */
    readonly header: string
    /** Left footer of every printed page. Page numbers are on the right. */
    readonly footer: string
  }
}

/** Where a cell is, and how it looks. */
interface CellPlace {
  readonly reference: string
  readonly style: number
  readonly look: RowStyle
  /** Whether it is in the first column. */
  readonly isFirst: boolean
}

/** Rows as they arrive, and the rest of a batch that didn't fit on a sheet. */
export class RowSource {
  readonly #batches: AsyncIterator<Result<readonly SheetRow[]>>
  #left: readonly SheetRow[] = []
  /** The error that ended the rows. */
  failure: AppError | null = null

  constructor(rows: SheetRows) {
    this.#batches = rows[Symbol.asyncIterator]()
  }

  /** Returns the next rows, at least one; `null` at the end and after an error. */
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

/** Characters per piece of XML. The event loop runs between pieces. */
const PIECE = 48 * 1024

/**
 * Returns the sheet's XML. Ends with the rows, or when the sheet is full; the rest stays in `source` for
 * another sheet.
 * @param mostRows limit on all lines of the sheet, including those above the table
 */
export async function* sheetXml(
  sheet: WorkbookSheet,
  name: string,
  source: RowSource,
  parts: {
    readonly styles: Styles
    readonly notes: FidelityNotes
    readonly isFirst: boolean
    readonly mostRows: number
  },
): AsyncGenerator<string, void, undefined> {
  const columns = sheet.columns.slice(0, MAX_COLUMNS)
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

/** Whether a line is above the table and independent of its columns. */
function isAbove({ role }: RowStyle): boolean {
  return role === 'title' || role === 'note' || role === 'caution'
}

/** In points: the height of a line of wrapped text, and the highest row that Excel allows. */
const LINE_HEIGHT = 15
const MAX_HEIGHT = 409
/** Excel's limit on nested groups. */
const MAX_GROUPS = 7

/** Writes the rows of a sheet. */
class Lines {
  readonly #sheet: string
  readonly #columns: readonly SheetColumn[]
  readonly #styles: Styles
  readonly #notes: FidelityNotes
  readonly #letters: readonly string[]
  readonly #head: number
  count = 0

  /** @param head number of lines before the table */
  constructor(
    sheet: string,
    columns: readonly SheetColumn[],
    styles: Styles,
    notes: FidelityNotes,
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
    // Lines above the table have their own cells. In the table, every column gets a cell for its rule.
    const width = isAbove(rowLook) ? cells.length : this.#columns.length
    const group = depth > 0 ? ` outlineLevel="${String(Math.min(MAX_GROUPS, depth))}"` : ''
    const lines = rowLook.wraps === true ? this.#lines(cells) : 1
    // Some programs don’t adjust row heights when they open a file.
    const height = lines > 1 ? ` ht="${String(Math.min(MAX_HEIGHT, lines * LINE_HEIGHT))}"` : ''
    let line = `<row r="${row}"${height}${group}>`
    for (let index = 0; index < width; index += 1) {
      const kind = this.#columns[index]?.kind ?? 'text'
      const look = marked?.includes(index) === true ? MARKED : rowLook
      const reference = (this.#letters[index] ?? columnLetters(index)) + row
      const text = cells[index] ?? ''
      const style = this.#styles.of(look, kind, index === 0)
      // Rules and the background of headings also cover empty cells.
      const isDrawn = look.rule !== 'none' || look.role === 'heading' || look === MARKED
      const sum = sums?.get(index)
      if (text === '') line += isDrawn ? emptyCell(reference, style) : ''
      else if (sum !== undefined && this.#holds(sum))
        line += formulaCell(reference, style, formulaText(sum, columnLetters(index), this.count), text)
      else {
        const shownAs = look.role === 'body' ? kind : 'text'
        line += this.#cell(text, shownAs, { reference, style, look, isFirst: index === 0 })
      }
    }
    return `${line}</row>`
  }

  /**
   * The number of lines that the longest wrapped text of a row takes in its column. One line too many is better than
   * text that is cut off.
   */
  #lines(cells: readonly string[]): number {
    return this.#columns.reduce((most, { kind, width }, index) => {
      if (kind !== 'text') return most
      // The indent of all but the first column takes about two characters.
      const room = Math.max(4, index === 0 ? width : width - 2)
      let lines = 0
      for (const paragraph of (cells[index] ?? '').split('\n')) {
        lines += 1
        let used = 0
        for (const word of paragraph.split(' ')) {
          if (used > 0 && used + word.length > room) {
            lines += 1
            used = 0
          }
          lines += Math.floor(word.length / (room + 1))
          used += word.length + 1
        }
      }
      return Math.max(most, lines)
    }, 1)
  }

  /** Whether all parts of a sum are on this sheet, because a long report continues on another. */
  #holds({ terms }: SumFormula): boolean {
    return terms.every(({ from }) => this.count - from > this.#head)
  }

  #cell(text: string, kind: CellKind, { reference, style, look, isFirst }: CellPlace): string {
    switch (kind) {
      case 'amount':
      case 'change':
      case 'integer': {
        const fate = classifyNumber(text)
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
      case 'percent':
      case 'change-percent': {
        const fraction = percentFraction(text)
        if (fraction !== null && classifyNumber(fraction) === 'number')
          return numberCell(reference, style, fraction)
        break
      }
      case 'text':
        break
    }
    if (text.length > MAX_CHARACTERS) this.#notes.cutText(this.#sheet, reference)
    const asText = kind === 'text' ? style : this.#styles.of(look, 'text', isFirst)
    return textCell(reference, asText, cutText(text))
  }
}

/** Writes everything before the rows: fitting to page width, frozen panes, and column widths. */
function opening(sheet: WorkbookSheet, columns: readonly SheetColumn[], isFirst: boolean): string {
  const head = sheet.above.length + 1
  const left = Math.min(sheet.frozenColumns, Math.max(0, columns.length - 1))
  const corner = `${columnLetters(left)}${String(head + 1)}`
  const pane = left > 0 ? 'bottomRight' : 'bottomLeft'
  const across = left > 0 ? `xSplit="${String(left)}" ` : ''
  const { deepestGroup = 0 } = sheet
  const groups = deepestGroup > 0 ? ` outlineLevelRow="${String(Math.min(MAX_GROUPS, deepestGroup))}"` : ''
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
    // Account numbers and postal codes are intentionally text, so disable Excel's green warning corners.
    `<ignoredErrors><ignoredError sqref="A1:${end}" numberStoredAsText="1"/></ignoredErrors>`,
    '</worksheet>',
  ].join('')
}

/** Headers and footers have at most 255 characters, including codes, and every `&` takes two. */
const MAX_PRINTED = 190

/** Formats header text: left-aligned and small. `&` starts a code, and a digit after a code would become part of it. */
function printText(text: string): string {
  const letters = [...text].map((letter) => (letter === '&' ? '&&' : letter))
  while (letters.join('').length > MAX_PRINTED) letters.splice(-2, 2, '…')
  return text === '' ? '' : xmlText(`&L&8${letters.join('').replace(/^\d/, ' $&')}`)
}

/** Returns the rows and columns to repeat on every printed page, for `_xlnm.Print_Titles`. */
export function printTitles(sheet: WorkbookSheet, name: string): string {
  const quoted = `'${name.replaceAll("'", "''")}'`
  const row = `$${String(sheet.above.length + 1)}`
  const rows = `${quoted}!${row}:${row}`
  if (sheet.frozenColumns === 0 || sheet.columns.length <= sheet.frozenColumns) return rows
  return `${quoted}!$A:$${columnLetters(sheet.frozenColumns - 1)},${rows}`
}

// Types and widths of a report's columns, inferred in one pass over its rows, because the service doesn't
// provide them.

/** Headings of columns with numbers that are identifiers, which stay text. */
const NAMES =
  /^(?:num(?:ber)?|no\.?|nr\.?|#|ref(?:erence)?(?: no\.?| number)?|doc(?:ument)? ?(?:no\.?|number)|(?:account|check|cheque|invoice|trans(?:action)?|entry|item|phone|zip|postal) ?(?:#|no\.?|num(?:ber)?|id|code)?|id|code)$/i

/** Statistics about the cells of one column. */
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

  /** Includes space for thousands marks, a sign, and letters wider than digits. */
  get width(): number {
    const more = this.kind === 'text' ? 2 : Math.ceil(this.#longest / 3)
    return Math.min(48, Math.max(10, this.#longest + more))
  }
}

/** Infers the sheet's columns: the names, then one per value. An error among the rows is returned. */
export async function reportColumns(
  head: Pick<ReportHead, 'nameColumn' | 'columns'> & Partial<Pick<ReportHead, 'making'>>,
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
    ...seen.map(({ kind, width }, column) => {
      const heading = head.columns[column] ?? ''
      return { heading, kind: withChange(kind, changeKind(head.making, heading)), width }
    }),
  ])
}

/** If no amount has decimals, its change has none either. */
function withChange(kind: CellKind, change: ChangeKind | null): CellKind {
  const isOf = change === 'change' ? kind === 'amount' : kind === 'percent'
  return change !== null && isOf ? change : kind
}

// What a workbook couldn't represent exactly, for its last sheet.

/** Number of cells to name. The rest is counted. */
const NAMED = 20

interface Found {
  count: number
  readonly named: string[]
}

export class FidelityNotes {
  readonly #long: Found = { count: 0, named: [] }
  readonly #cut: Found = { count: 0, named: [] }
  readonly #others: string[] = []

  /** Records a number with more than 15 significant digits, which is written as text. */
  longNumber(sheet: string, reference: string): void {
    remember(this.#long, sheet, reference)
  }

  /** Records a text that doesn't fit into a cell. */
  cutText(sheet: string, reference: string): void {
    remember(this.#cut, sheet, reference)
  }

  /** Records columns beyond a sheet's limit. */
  columns(sheet: string, leftOut: number): void {
    if (leftOut > 0)
      this.#others.push(
        `${sheet}: the last ${String(leftOut)} columns are left out. A sheet can have 16,384.`,
      )
  }

  /** Records that the rows continue on another sheet. */
  continued(sheet: string, next: string): void {
    this.#others.push(`${sheet} continues in ${next}. A sheet can have 1,048,576 rows.`)
  }

  /** Returns sentences; none if everything is exact. */
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

function listed({ named, count }: Found): string {
  return joinNames(named, named.length, count)
}
