/**
 * A block of cells as spreadsheets read it beside plain text. Plain text leaves them to guess: `00123`, `1-2`, `=A1`
 * and `1E5` become numbers, dates and formulas. Here a cell says that it is text, to each of them in its own way: Excel
 * by `mso-number-format`, LibreOffice by `sdnum`, Google Sheets by `data-sheets-value`.
 */
import { escaped } from './markup.ts'

export interface CopiedCell {
  readonly text: string
  /** A spreadsheet shall make no number, date or formula of it. */
  readonly isText: boolean
}

/** More are no hand's work, and would keep the window waiting: they go as plain text alone. */
const MOST_CELLS = 100_000
const IS_TEXT = `style='mso-number-format:"\\@"' sdnum="1033;0;@"`
/** A further line of the same cell. */
const LINE = '<br style="mso-data-placement:same-cell">'
/** White space at the end of a line or beside other white space, and characters that no markup may hold. */
// eslint-disable-next-line no-control-regex -- these are looked for
const LOST = /^\s|\s$|[^\S\r\n]{2}|[^\S\r\n][\r\n]|[\r\n][^\S\r\n]|[\u0000-\u0009\u000b\u000c\u000e-\u001f]/

/**
 * Writes the block as a table; everything in it is escaped.
 * @returns `null` where a table can't say it to the letter, as it says one space of several, and for too many cells
 */
export function htmlBlock(rows: readonly (readonly CopiedCell[])[]): string | null {
  const count = rows.reduce((sum, row) => sum + row.length, 0)
  if (count > MOST_CELLS || rows.some((row) => row.some(({ text }) => LOST.test(text)))) return null
  const lines = rows.map((row) => `<tr>${row.map(cellHtml).join('')}</tr>`)
  const table = `<table data-sheets-root="1">${lines.join('')}</table>`
  return `<meta charset="utf-8"><google-sheets-html-origin>${table}</google-sheets-html-origin>`
}

function cellHtml({ text, isText }: CopiedCell): string {
  const words = escaped(text).replace(/\r\n?|\n/g, LINE)
  if (!isText || text === '') return `<td>${words}</td>`
  return `<td ${IS_TEXT} data-sheets-value="${escaped(`{"1":2,"2":${JSON.stringify(text)}}`)}">${words}</td>`
}
