/** Tab in the grid, as in a spreadsheet: from cell to cell, and with Enter back below where it began. */
import type { GridApi } from '../ui/grid/grid.ts'
import { focusedCell, focusOn, showFromLeft, type CellPlace } from './grid-keys.ts'
import type { RecordRow } from './rows.ts'

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
  #run: Run | null = null

  /** @param stops whether Tab stops at a cell; what has nothing to say or to do is passed */
  constructor(api: GridApi<RecordRow>, stops: (rowId: string, columnId: string) => boolean) {
    this.#api = api
    this.#stops = stops
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
    if (!next) return false
    const to = { rowId: this.#rowIdAt(next.row), path: columns[next.column] ?? '' }
    const run = this.#runTo(from)
    this.#run = { from: run?.from ?? from, to, isTyped: isTyping || (run?.isTyped ?? false) }
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
    this.#run = null
    const below = this.#api.getDisplayedRowAtIndex(cell.rowIndex + 1)
    focusOn(this.#api, below?.rowIndex ?? cell.rowIndex, run.from.path)
    return true
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
