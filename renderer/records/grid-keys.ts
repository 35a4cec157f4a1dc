/** What keys do in the grid beyond the grid's own arrows, Enter, F2 and Escape, and those that choose cells. */
import type { GridApi } from '../ui/grid/grid.ts'
import type { CellEdit } from './list-editing.ts'
import type { RecordsList } from './records-list.svelte.ts'
import type { RecordRow } from './rows.ts'
import type { Key } from './selection/selection-keys.ts'

export interface CellPlace {
  readonly rowId: string
  readonly path: string
}

/** What a key asks for; the menu's entries are the same. */
export type GridCommand =
  | 'clear'
  | 'turn-over'
  | 'fill-down'
  | 'set'
  | 'copy-headings'
  | 'revert-cells'
  | 'filter'
  | 'menu'
  | 'row-start'
  | 'row-end'
  | 'first-cell'
  | 'last-cell'

/** The command of a key, or `null` where it is the grid's own. */
export function gridCommand(event: Key): GridCommand | null {
  const isCommand = event.ctrlKey || event.metaKey
  if (event.altKey) return event.key === 'ArrowDown' && !isCommand ? 'filter' : null
  switch (event.key) {
    case 'Delete':
      return isCommand ? null : 'clear'
    case ' ':
      return isCommand || event.shiftKey ? null : 'turn-over'
    case 'Enter':
      return isCommand && !event.shiftKey ? 'set' : null
    case 'Backspace':
      return isCommand && event.shiftKey ? 'revert-cells' : null
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

/** Keys that are held for another one. */
export const MODIFIERS: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'Meta', 'CapsLock'])

/** One cell on for Tab, one back for Shift+Tab, `null` for any other key. */
export function tabStep(event: Key): 1 | -1 | null {
  if (event.key !== 'Tab' || event.ctrlKey || event.metaKey || event.altKey) return null
  return event.shiftKey ? -1 : 1
}

/** F6 leaves the grid, as it goes from one part of a window to the next elsewhere. */
export function leavingKey(event: Key): boolean {
  return event.key === 'F6' && !event.ctrlKey && !event.metaKey && !event.altKey
}

export function isEscape(event: Key): boolean {
  return event.key === 'Escape' && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey
}

/** How many rows and columns an arrow goes on. */
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

/** Where a plain arrow goes, or `null` for any other key: with Shift or Ctrl it goes through the text. */
export function arrowSteps(event: Key): Steps | null {
  if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return null
  return ARROWS[event.key] ?? null
}

/** The cell that has the focus, if there is one. */
export function focusedCell(api: GridApi<RecordRow>): CellPlace | null {
  const cell = api.getFocusedCell()
  if (!cell) return null
  const rowId = api.getDisplayedRowAtIndex(cell.rowIndex)?.data?.rowId
  return rowId === undefined ? null : { rowId, path: cell.column.getColId() }
}

/** Puts the focus on a cell, in sight. */
export function focusOn(api: GridApi<RecordRow>, rowIndex: number, path: string): void {
  api.ensureIndexVisible(rowIndex)
  api.ensureColumnVisible(path)
  api.setFocusedCell(rowIndex, path)
}

/** The first column stands still: what lies beside it comes back into sight. */
export function showFromLeft(api: GridApi<RecordRow>): void {
  const [beside] = api.getDisplayedCenterColumns()
  if (beside) api.ensureColumnVisible(beside, 'start')
}

/** Space turns a yes/no cell over. */
export function turnedOver(list: RecordsList, { rowId, path }: CellPlace): CellEdit | null {
  if (list.column(path)?.type !== 'boolean') return null
  return { rowId, path, now: list.value(rowId, path) === 'true' ? 'false' : 'true' }
}

/** Whether a key writes something. */
export function isWriting(event: KeyboardEvent): boolean {
  return [...event.key].length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
}
