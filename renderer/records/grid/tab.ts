/**
 * Tab in the grid, as in a spreadsheet: moves from cell to cell, and Enter then returns to the cell below the one where it
 * started.
 */
import type { GridApi } from '../../ui/grid/grid.ts'
import type { RecordRow } from '../list/rows.ts'
import { type CellPosition, focusedCell, focusOn, showFromLeft } from './keys.ts'

/** The cells between which Tab moved along a row. */
interface Run {
  readonly from: CellPosition
  readonly to: CellPosition
  /** Whether anything was typed on the way. */
  readonly isTyped: boolean
}

/** A cell by the indexes of its row and column on screen. */
export interface TabPosition {
  readonly row: number
  readonly column: number
}

/**
 * Returns the next or previous cell, continuing from the end of a row at the start of the next one.
 * @param stops whether Tab stops at a cell
 * @returns `null` beyond the last or before the first cell
 * @internal
 */
export function tabbed(
  from: TabPosition,
  step: 1 | -1,
  extent: { readonly rows: number; readonly columns: number },
  stops: (position: TabPosition) => boolean,
): TabPosition | null {
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
   * @param stops whether Tab stops at a cell
   * @param addBelow adds a new record below the last one and returns its row index; `null` while the last one
   * is empty
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
   * Moves to the next or previous cell.
   * @param isTyping whether the cell's value was just typed
   * @returns `false` at the last or first cell, where Tab leaves the grid
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

  /** Whether Tab led to the focused cell. */
  get ledHere(): boolean {
    return this.#runHere() !== null
  }

  /**
   * Whether Tab led to the focused cell and something was typed on the way. Enter then moves to the next row
   * instead of editing the cell.
   */
  get ledHereTyping(): boolean {
    return this.#runHere()?.isTyped ?? false
  }

  /**
   * Moves to the cell below the one where Tab started, or to that cell in the last row.
   * @returns `false` if Tab didn't lead here
   */
  goBack(): boolean {
    const cell = this.#api.getFocusedCell()
    const run = this.#runHere()
    if (!cell || !run) return false
    return this.down(run.from.path, run.isTyped)
  }

  /** Whether a new record is focused. */
  get isOnNew(): boolean {
    const cell = this.#api.getFocusedCell()
    return cell !== null && this.#isNew(cell.rowIndex)
  }

  /**
   * Moves to a cell of the row below. Below the last new record, it adds another one, so that typing never
   * changes an existing record.
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

  /** The run of Tab that led to a cell; `null` if there is none. */
  #runTo(cell: CellPosition): Run | null {
    const run = this.#run
    if (run?.to.rowId !== cell.rowId || run.to.path !== cell.path) return null
    return run.from.rowId === cell.rowId && run.from.path !== cell.path ? run : null
  }

  #rowIdAt(row: number): string {
    return this.#api.getDisplayedRowAtIndex(row)?.data?.rowId ?? ''
  }
}
