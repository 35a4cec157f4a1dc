import { escapeHtml, guardCell, unguardCell } from '../../shared/format/text.ts'
import { readBlock, writeBlock } from '../../shared/import/clipboard-block.ts'

/**
 * Copies text after a click or key. The shell grants no permissions, so if the asynchronous clipboard is refused, the
 * older copy command is used. Never for secrets, which the main process copies.
 * @returns whether it was copied
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** Puts both forms on the clipboard during a copy or cut. */
export function setClipboardData(event: ClipboardEvent, { text, html }: CopiedBlock): void {
  event.preventDefault()
  event.clipboardData?.setData('text/plain', text)
  if (html !== null) event.clipboardData?.setData('text/html', html)
}

/**
 * Copies both forms after a click or key. Uses a copy event, because the asynchronous clipboard rewrites markup. Falls
 * back to the text alone.
 * @returns whether it was copied
 */
export async function copyBlock(copied: CopiedBlock): Promise<boolean> {
  if (copied.html === null) return copyText(copied.text)
  let isPut = false
  const put = (event: ClipboardEvent): void => {
    event.stopImmediatePropagation()
    setClipboardData(event, copied)
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
  // The focus can't leave an open dialog.
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
 * A copied block of cells: plain text, and markup for spreadsheets. From plain text, spreadsheets guess: `00123`, `1-2`,
 * `=A1`, and `1E5` become numbers, dates, and formulas. The markup marks cells as text, for each program in its own way:
 * `mso-number-format` for Excel, `sdnum` for LibreOffice, `data-sheets-value` for Google Sheets.
 */

export interface CopiedCell {
  readonly text: string
  /** A spreadsheet must not turn it into a number, date, or formula. */
  readonly isText: boolean
}

/** The same cells in two forms. */
export interface CopiedBlock {
  readonly text: string
  /** `null` if there are too many cells. */
  readonly html: string | null
}

/** With more cells, creating the markup would block the window. */
const MAX_CELLS = 100_000
/** A line break within a cell. */
const LINE = '<br style="mso-data-placement:same-cell">'
/** Spaces that HTML readers drop or collapse. */
const BLANKS = /^\s+|\s+$|\s{2,}|[\t\f]/g
const NEGATIVE_AMOUNT = /^-\d+[.,]\d+$/

/** Both forms of a block. With too many cells, plain text alone, with formulas disarmed by an apostrophe (`guardCell`). */
export function copiedBlock(rows: readonly (readonly CopiedCell[])[]): CopiedBlock {
  const count = rows.reduce((sum, row) => sum + row.length, 0)
  if (count > MAX_CELLS) {
    const guarded = rows.map((row) => row.map((cell) => (staysText(cell) ? guardCell(cell.text) : cell.text)))
    return { text: writeBlock(guarded), html: null }
  }
  return { text: writeBlock(rows.map((row) => row.map(({ text }) => text))), html: htmlBlock(rows) }
}

/** Reads the plain text of a block, and removes the apostrophes that `copiedBlock` added. */
export function pastedBlock(text: string): readonly (readonly string[])[] {
  const rows = readBlock(text)
  const count = rows.reduce((sum, row) => sum + row.length, 0)
  return count > MAX_CELLS ? rows.map((row) => row.map(unguardCell)) : rows
}

/** The block as a table, with everything escaped. */
function htmlBlock(rows: readonly (readonly CopiedCell[])[]): string {
  const lines = rows.map((row) => `<tr>${row.map(cellHtml).join('')}</tr>`)
  const table = `<table data-sheets-root="1">${lines.join('')}</table>`
  return `<meta charset="utf-8"><google-sheets-html-origin>${table}</google-sheets-html-origin>`
}

/** Whether a cell must stay text. A formula does in every column. */
function staysText({ text, isText }: CopiedCell): boolean {
  return isText || (guardCell(text) !== text && !NEGATIVE_AMOUNT.test(text))
}

function cellHtml(cell: CopiedCell): string {
  const { text } = cell
  if (text === '') return '<td></td>'
  const lines = escapeHtml(text)
    // Markup can't contain it.
    .replaceAll('\0', '\ufffd')
    .split(/\r\n?|\n/)
    .map((line) => line.replace(BLANKS, (blanks) => `<span style="mso-spacerun:yes">${blanks}</span>`))
  const message = lines.join(LINE)
  const keepsBlanks = message.includes('<span') ? 'white-space:pre' : ''
  if (!staysText(cell)) return `<td${keepsBlanks && ` style="${keepsBlanks}"`}>${message}</td>`
  const style = `style='mso-number-format:"\\@";${keepsBlanks}'`
  const forSheets = `data-sheets-value="${escapeHtml(`{"1":2,"2":${JSON.stringify(text)}}`)}"`
  return `<td ${style} sdnum="1033;0;@" ${forSheets}>${message}</td>`
}
