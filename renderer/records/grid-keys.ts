/** What keys do in the grid beyond the grid's own arrows, Enter, Tab, F2 and Escape. */
import type { GridApi, IRowNode } from '../ui/grid/grid.ts'
import { plainText } from './cell-text.ts'
import { readBlock, writeBlock } from './clipboard-block.ts'
import type { CellEdit, Refusal } from './list-editing.ts'
import type { RecordsList } from './records-list.svelte.ts'
import type { RecordsView } from './records-view.svelte.ts'
import { readTyped } from './typed-values.ts'
import type { RecordRow } from './rows.ts'
import type { NumberMarks } from '../../shared/money.ts'
import { STATE_COLUMNS } from './grid-port.ts'

interface Place {
  readonly rowId: string
  readonly path: string
}

/** The cell that has the focus, if it is one of the data. */
export function focusedCell(api: GridApi<RecordRow>): Place | null {
  const cell = api.getFocusedCell()
  if (!cell) return null
  const rowId = api.getDisplayedRowAtIndex(cell.rowIndex)?.data?.rowId
  return rowId === undefined ? null : { rowId, path: cell.column.getColId() }
}

/** Space turns a yes/no cell over. */
export function turnedOver(list: RecordsList, { rowId, path }: Place): CellEdit | null {
  if (list.column(path)?.type !== 'boolean') return null
  return { rowId, path, now: list.value(rowId, path) === 'true' ? 'false' : 'true' }
}

/** What Ctrl+C takes: the selected rows as shown, or the focused cell. */
export function copied(api: GridApi<RecordRow>, list: RecordsList, decimalMark: string): string | null {
  const paths = api
    .getAllDisplayedColumns()
    .map((column) => column.getColId())
    .filter((path) => !STATE_COLUMNS.includes(path))
  const text = (rowId: string, path: string): string => {
    const type = list.column(path)?.type
    if (type === undefined || type === 'line') {
      const node = api.getRowNode(rowId)
      const shown: unknown = node ? api.getCellValue({ rowNode: node, colKey: path, useFormatter: true }) : ''
      return typeof shown === 'string' ? shown : ''
    }
    return plainText(type, list.value(rowId, path), decimalMark)
  }
  const rows = api.getSelectedNodes().flatMap((node) => node.data?.rowId ?? [])
  if (rows.length > 1) {
    return writeBlock([
      paths.map((path) => list.words(path)),
      ...rows.map((rowId) => paths.map((path) => text(rowId, path))),
    ])
  }
  const cell = focusedCell(api)
  return cell && !STATE_COLUMNS.includes(cell.path) ? text(cell.rowId, cell.path) : null
}

/** A block from the clipboard over the cells from the focused one on, as edits; what can't be read is answered. */
export function pasted(
  api: GridApi<RecordRow>,
  view: RecordsView,
  text: string,
  marks: NumberMarks,
): { readonly edits: readonly CellEdit[]; readonly refused: readonly Refusal[] } {
  const start = api.getFocusedCell()
  const columns = api.getAllDisplayedColumns().map((column) => column.getColId())
  const firstColumn = start ? columns.indexOf(start.column.getColId()) : -1
  const edits: CellEdit[] = []
  const refused: Refusal[] = []
  if (!start || firstColumn < 0) return { edits, refused }
  readBlock(text).forEach((cells, down) => {
    const row = api.getDisplayedRowAtIndex(start.rowIndex + down)?.data
    cells.forEach((cell, right) => {
      const path = columns[firstColumn + right]
      const column = path === undefined ? undefined : view.list.column(path)
      if (!row || !column || column.type === 'line') return
      const typed = readTyped(column.type, cell, marks, row.origin === 'new')
      const place = { rowId: row.rowId, path: column.path }
      if (typed.ok) edits.push({ ...place, now: typed.value })
      else refused.push({ ...place, because: typed.because })
    })
  })
  return { edits, refused }
}

/** The margin is the row's handle, as in a spreadsheet; with Ctrl further rows. */
export function selectRow(node: IRowNode<RecordRow>, event: Event | null | undefined): void {
  const isAdding =
    (event instanceof MouseEvent || event instanceof KeyboardEvent) && (event.ctrlKey || event.metaKey)
  node.setSelected(!node.isSelected(), !isAdding)
}

/** Keys that the grid or the browser (Space scrolls) would take for something else; `onCellKeyDown` comes too late for that. */
export function takesOver(event: KeyboardEvent): boolean {
  const isOnButton = event.target instanceof Element && event.target.closest('button, input') !== null
  const isOurs = !isOnButton && (event.key === 'Delete' || event.key === ' ')
  if (isOurs) event.preventDefault()
  return isOurs || isOnButton
}

/** Whether a key writes something. */
export function isWriting(event: KeyboardEvent): boolean {
  return [...event.key].length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
}
