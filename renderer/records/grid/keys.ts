/** What keys do in the grid beyond the grid's own arrows, Enter, F2 and Escape, and those that choose cells. */
import type { GridApi } from '../../ui/grid/grid.ts'
import type { CellEdit } from '../list/editing.svelte.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import type { Key } from './selection/selection.svelte.ts'

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

// Tab in the grid, as in a spreadsheet: from cell to cell, and with Enter back below where it began.

/** Where Tab went along a row. */
interface Run {
  readonly from: CellPlace
  readonly to: CellPlace
  /** Whether something was typed on the way. */
  readonly isTyped: boolean
}

/** A cell by its place among rows and columns as they stand. */
export interface TabPlace {
  readonly row: number
  readonly column: number
}

/**
 * The next cell or the one before, from the end of a row on to the start of the next one.
 * @param stops whether Tab stops at a cell, or passes it
 * @returns `null` beyond the last cell and before the first one
 */
export function tabbed(
  from: TabPlace,
  step: 1 | -1,
  extent: { readonly rows: number; readonly columns: number },
  stops: (place: TabPlace) => boolean,
): TabPlace | null {
  let { row, column } = from
  for (;;) {
    column += step
    if (column < 0 || column >= extent.columns) {
      row += step
      column = step > 0 ? 0 : extent.columns - 1
    }
    if (row < 0 || row >= extent.rows || extent.columns === 0) return null
    if (stops({ row, column })) return { row, column }
  }
}

export class GridTab {
  readonly #api: GridApi<RecordRow>
  readonly #stops: (rowId: string, columnId: string) => boolean
  readonly #addBelow: (rowId: string, isTyped: boolean) => number | null
  #run: Run | null = null

  /**
   * @param stops whether Tab stops at a cell; what has nothing to say or to do is passed
   * @param addBelow begins another new record below the last one, and answers its place among the rows; `null` while
   * the last one is empty
   */
  constructor(
    api: GridApi<RecordRow>,
    stops: (rowId: string, columnId: string) => boolean,
    addBelow: (rowId: string, isTyped: boolean) => number | null,
  ) {
    this.#api = api
    this.#stops = stops
    this.#addBelow = addBelow
  }

  /**
   * Goes one cell on, or back.
   * @param isTyping whether what stands in the cell was typed just now
   * @returns `false` at the last cell, or the first one: Tab leaves the grid there
   */
  go(step: 1 | -1, isTyping: boolean): boolean {
    const [cell, from] = [this.#api.getFocusedCell(), focusedCell(this.#api)]
    if (!cell || !from) return false
    const columns = this.#api.getAllDisplayedColumns().map((column) => column.getColId())
    const next = tabbed(
      { row: cell.rowIndex, column: columns.indexOf(from.path) },
      step,
      { rows: this.#api.getDisplayedRowCount(), columns: columns.length },
      ({ row, column }) => this.#stops(this.#rowIdAt(row), columns[column] ?? ''),
    )
    const run = this.#runTo(from)
    const isTyped = isTyping || (run?.isTyped ?? false)
    if (step > 0 && next?.row !== cell.rowIndex && this.#isLastNew(cell.rowIndex)) {
      const first = columns.find((column) => this.#stops(from.rowId, column))
      const added = this.#below(cell.rowIndex, isTyped)
      if (first === undefined || added === null) return false
      this.#run = null
      focusOn(this.#api, added, first)
      showFromLeft(this.#api)
      return true
    }
    if (!next) return false
    const to = { rowId: this.#rowIdAt(next.row), path: columns[next.column] ?? '' }
    this.#run = { from: run?.from ?? from, to, isTyped }
    focusOn(this.#api, next.row, to.path)
    if (step > 0 && next.row > cell.rowIndex) showFromLeft(this.#api)
    return true
  }

  /** Whether Tab led to the cell that has the focus. */
  get ledHere(): boolean {
    return this.#runHere() !== null
  }

  /** Whether it did, and something was typed on the way: Enter goes on with the rows instead of editing the cell. */
  get ledHereTyping(): boolean {
    return this.#runHere()?.isTyped ?? false
  }

  /**
   * Goes to the cell below the one from which Tab began; to that one itself in the last row.
   * @returns `false` where Tab did not lead here
   */
  goBack(): boolean {
    const cell = this.#api.getFocusedCell()
    const run = this.#runHere()
    if (!cell || !run) return false
    return this.down(run.from.path, run.isTyped)
  }

  /** Whether the focus is on a record that is new. */
  get isOnNew(): boolean {
    const cell = this.#api.getFocusedCell()
    return cell !== null && this.#isNew(cell.rowIndex)
  }

  /**
   * Goes to a cell of the row below. Below the last new record it begins another one, so that what is typed next never
   * lands on a record of the list.
   */
  down(path: string, isTyped: boolean): true {
    const cell = this.#api.getFocusedCell()
    this.#run = null
    if (cell) focusOn(this.#api, this.#below(cell.rowIndex, isTyped) ?? cell.rowIndex, path)
    return true
  }

  #below(row: number, isTyped: boolean): number | null {
    if (!this.#isLastNew(row)) return this.#api.getDisplayedRowAtIndex(row + 1)?.rowIndex ?? null
    return this.#addBelow(this.#rowIdAt(row), isTyped)
  }

  #isNew(row: number): boolean {
    return this.#api.getDisplayedRowAtIndex(row)?.data?.origin === 'new'
  }

  #isLastNew(row: number): boolean {
    return this.#isNew(row) && !this.#isNew(row + 1)
  }

  #runHere(): Run | null {
    const here = focusedCell(this.#api)
    return here && this.#runTo(here)
  }

  /** What led to a cell along its row, if Tab did. */
  #runTo(cell: CellPlace): Run | null {
    const run = this.#run
    if (run?.to.rowId !== cell.rowId || run.to.path !== cell.path) return null
    return run.from.rowId === cell.rowId && run.from.path !== cell.path ? run : null
  }

  #rowIdAt(row: number): string {
    return this.#api.getDisplayedRowAtIndex(row)?.data?.rowId ?? ''
  }
}
