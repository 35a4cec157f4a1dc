/**
 * What a key means in the grid, beyond AG Grid's own arrows, Enter, F2, and Escape, and those that select cells; and the
 * focused cell. `keyboard.ts` acts on it.
 */
import type { GridApi } from '../../ui/grid/grid.ts'
import type { CellEdit } from '../list/editing.svelte.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import type { Key } from './selection/selection.svelte.ts'

export interface CellPosition {
  readonly rowId: string
  readonly path: string
}

/** The commands of keys. The menu offers the same ones. */
export type GridCommand =
  | 'clear'
  | 'turn-over'
  | 'fill-down'
  | 'next-step'
  | 'copy-headings'
  | 'revert-cells'
  | 'filter'
  | 'menu'
  | 'row-start'
  | 'row-end'
  | 'first-cell'
  | 'last-cell'

/** Returns the command of a key; `null` if AG Grid handles it. The delete key of a Mac is Backspace. */
export function gridCommand(event: Key, isMac: boolean): GridCommand | null {
  const isCommand = event.ctrlKey || event.metaKey
  if (event.altKey) return event.key === 'ArrowDown' && !isCommand ? 'filter' : null
  switch (event.key) {
    case 'Delete':
      return isCommand ? null : 'clear'
    case ' ':
      return isCommand || event.shiftKey ? null : 'turn-over'
    case 'Enter':
      return isCommand && !event.shiftKey ? 'next-step' : null
    case 'Backspace':
      if (isCommand) return event.shiftKey ? 'revert-cells' : null
      return isMac ? 'clear' : null
    case 'Home':
      return event.shiftKey ? null : isCommand ? 'first-cell' : 'row-start'
    case 'End':
      return event.shiftKey ? null : isCommand ? 'last-cell' : 'row-end'
    case 'ContextMenu':
      return 'menu'
    case 'F10':
      return event.shiftKey ? 'menu' : null
  }
  if (!isCommand) return null
  switch (event.key.toLowerCase()) {
    case 'd':
      return event.shiftKey ? null : 'fill-down'
    case 'c':
      return event.shiftKey ? 'copy-headings' : null
    default:
      return null
  }
}

/** Modifier keys. */
export const MODIFIERS: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'Meta', 'CapsLock'])

/** Returns 1 for Tab, −1 for Shift+Tab, and `null` for any other key. */
export function tabStep(event: Key): 1 | -1 | null {
  if (event.key !== 'Tab' || event.ctrlKey || event.metaKey || event.altKey) return null
  return event.shiftKey ? -1 : 1
}

/** Whether the key is F6, which leaves the grid. */
export function leavingKey(event: Key): boolean {
  return event.key === 'F6' && !event.ctrlKey && !event.metaKey && !event.altKey
}

export function isEscape(event: Key): boolean {
  return event.key === 'Escape' && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey
}

/** The rows and columns that an arrow key moves by. */
export interface Steps {
  readonly rows: -1 | 0 | 1
  readonly columns: -1 | 0 | 1
}

const ARROWS: Readonly<Record<string, Steps>> = {
  ArrowUp: { rows: -1, columns: 0 },
  ArrowDown: { rows: 1, columns: 0 },
  ArrowLeft: { rows: 0, columns: -1 },
  ArrowRight: { rows: 0, columns: 1 },
}

/** Returns the steps of a plain arrow key; `null` for other keys. With Shift or Ctrl, arrows move through the text. */
export function arrowSteps(event: Key): Steps | null {
  if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return null
  return ARROWS[event.key] ?? null
}

/** Returns the focused cell. */
export function focusedCell(api: GridApi<RecordRow>): CellPosition | null {
  const cell = api.getFocusedCell()
  if (!cell) return null
  const rowId = api.getDisplayedRowAtIndex(cell.rowIndex)?.data?.rowId
  return rowId === undefined ? null : { rowId, path: cell.column.getColId() }
}

/** Width in pixels of a sliver of a column, which would look like a second rule beside the pinned column. */
const SLIVER = 12

/** Scrolls a cell into view, without a sliver of another column beside the pinned one. */
export function showCell(api: GridApi<RecordRow>, rowIndex: number, path: string): void {
  api.ensureIndexVisible(rowIndex)
  api.ensureColumnVisible(path)
  const { left } = api.getHorizontalPixelRange()
  const shown = api
    .getDisplayedCenterColumns()
    .filter((column) => (column.getLeft() ?? 0) + column.getActualWidth() > left)
  const [first, second] = shown
  if (!first || !second || (first.getLeft() ?? 0) >= left) return
  if ((second.getLeft() ?? 0) - left < SLIVER) api.ensureColumnVisible(second, 'start')
}

/** Focuses a cell and scrolls it into view. */
export function focusOn(api: GridApi<RecordRow>, rowIndex: number, path: string): void {
  showCell(api, rowIndex, path)
  api.setFocusedCell(rowIndex, path)
}

/** Scrolls back to the first column next to the pinned one. */
export function showFromLeft(api: GridApi<RecordRow>): void {
  const [beside] = api.getDisplayedCenterColumns()
  if (beside) api.ensureColumnVisible(beside, 'start')
}

/** Returns the edit that toggles a yes/no cell; `null` for other cells. */
export function toggleEdit(list: RecordsList, { rowId, path }: CellPosition): CellEdit | null {
  if (list.column(path)?.type !== 'boolean') return null
  return { rowId, path, now: list.value(rowId, path) === 'true' ? 'false' : 'true' }
}

/** Whether a key types a character. */
export function isWriting(event: KeyboardEvent): boolean {
  return [...event.key].length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
}
