/**
 * A block of cells as it is copied: plain text, and markup beside it for spreadsheets. Plain text leaves them to guess:
 * `00123`, `1-2`, `=A1` and `1E5` become numbers, dates and formulas. In the markup a cell says that it is text, to each
 * of them in its own way: Excel by `mso-number-format`, LibreOffice by `sdnum`, Google Sheets by `data-sheets-value`.
 */
import { readBlock, writeBlock } from './clipboard-block.ts'
import { guardCell, unguardCell } from './formula-guard.ts'
import { escaped } from './markup.ts'

export interface CopiedCell {
  readonly text: string
  /** A spreadsheet shall make no number, date or formula of it. */
  readonly isText: boolean
}

/** The same cells in two forms. */
export interface CopiedBlock {
  readonly text: string
  /** `null` for too many cells. */
  readonly html: string | null
}

/** More are no hand's work, and their markup would keep the window waiting. */
const MOST_CELLS = 100_000
/** A further line of the same cell. */
const LINE = '<br style="mso-data-placement:same-cell">'
/** Blanks that a reader of markup would take off or make one of. */
const BLANKS = /^\s+|\s+$|\s{2,}|[\t\f]/g
const NEGATIVE_AMOUNT = /^-\d+[.,]\d+$/

/**
 * Both forms of a block. Too many cells for markup go as plain text alone, in which formulas are made harmless by an
 * apostrophe (`guardCell`).
 */
export function copiedBlock(rows: readonly (readonly CopiedCell[])[]): CopiedBlock {
  const count = rows.reduce((sum, row) => sum + row.length, 0)
  if (count > MOST_CELLS) {
    const guarded = rows.map((row) => row.map((cell) => (staysText(cell) ? guardCell(cell.text) : cell.text)))
    return { text: writeBlock(guarded), html: null }
  }
  return { text: writeBlock(rows.map((row) => row.map(({ text }) => text))), html: htmlBlock(rows) }
}

/** Reads the plain text of a block, and takes off the apostrophes that `copiedBlock` put on. */
export function pastedBlock(text: string): readonly (readonly string[])[] {
  const rows = readBlock(text)
  const count = rows.reduce((sum, row) => sum + row.length, 0)
  return count > MOST_CELLS ? rows.map((row) => row.map(unguardCell)) : rows
}

/** The block as a table; everything in it is escaped. */
function htmlBlock(rows: readonly (readonly CopiedCell[])[]): string {
  const lines = rows.map((row) => `<tr>${row.map(cellHtml).join('')}</tr>`)
  const table = `<table data-sheets-root="1">${lines.join('')}</table>`
  return `<meta charset="utf-8"><google-sheets-html-origin>${table}</google-sheets-html-origin>`
}

/** A formula stays text in every column, also where amounts or dates are expected. */
function staysText({ text, isText }: CopiedCell): boolean {
  return isText || (guardCell(text) !== text && !NEGATIVE_AMOUNT.test(text))
}

function cellHtml(cell: CopiedCell): string {
  const { text } = cell
  if (text === '') return '<td></td>'
  const lines = escaped(text)
    // No markup can hold it.
    .replaceAll('\0', '\ufffd')
    .split(/\r\n?|\n/)
    .map((line) => line.replace(BLANKS, (blanks) => `<span style="mso-spacerun:yes">${blanks}</span>`))
  const words = lines.join(LINE)
  const keepsBlanks = words.includes('<span') ? 'white-space:pre' : ''
  if (!staysText(cell)) return `<td${keepsBlanks && ` style="${keepsBlanks}"`}>${words}</td>`
  const style = `style='mso-number-format:"\\@";${keepsBlanks}'`
  const forSheets = `data-sheets-value="${escaped(`{"1":2,"2":${JSON.stringify(text)}}`)}"`
  return `<td ${style} sdnum="1033;0;@" ${forSheets}>${words}</td>`
}
