import { escaped, guardCell, unguardCell } from '../../shared/format/text.ts'
import { readBlock, writeBlock } from '../../shared/import/clipboard-block.ts'

/**
 * Puts text on the clipboard after a click or key. Where the asynchronous clipboard is refused (the shell grants
 * no permissions), the older copy command does it. Never for secrets: those go by the main process.
 * @returns whether it is there now.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** Puts both forms on the clipboard in place of what a copy or cut would put there. */
export function putOn(event: ClipboardEvent, { text, html }: CopiedBlock): void {
  event.preventDefault()
  event.clipboardData?.setData('text/plain', text)
  if (html !== null) event.clipboardData?.setData('text/html', html)
}

/**
 * Puts both forms on the clipboard after a click or key that is no copy of its own. The asynchronous clipboard rewrites
 * markup; a copy event takes it as it is. Where there is none, the text goes alone.
 * @returns whether it is there now.
 */
export async function copyBlock(copied: CopiedBlock): Promise<boolean> {
  if (copied.html === null) return copyText(copied.text)
  let isPut = false
  const put = (event: ClipboardEvent): void => {
    event.stopImmediatePropagation()
    putOn(event, copied)
    isPut = event.clipboardData !== null
  }
  document.addEventListener('copy', put, { capture: true })
  const isDone = copyBySelection(copied.text)
  document.removeEventListener('copy', put, { capture: true })
  return (isDone && isPut) || copyText(copied.text)
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'visually-hidden'
  // Inside an open dialog the focus may not leave it.
  const host = document.querySelector('[role="dialog"], [role="alertdialog"]') ?? document.body
  host.append(area)
  area.select()
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way to copy without a permission
  const copied = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return copied
}

/*
 * A block of cells as it is copied: plain text, and markup beside it for spreadsheets. Plain text leaves them to guess:
 * `00123`, `1-2`, `=A1` and `1E5` become numbers, dates and formulas. In the markup a cell says that it is text, to each
 * of them in its own way: Excel by `mso-number-format`, LibreOffice by `sdnum`, Google Sheets by `data-sheets-value`.
 */

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
