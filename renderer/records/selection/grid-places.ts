/** Where cells stand in the grid as it is shown: the focused one, the one under the mouse, and what is in a row. */
import { columnIdOf } from '../../ui/grid/cell-elements.ts'
import type { GridApi } from '../../ui/grid/grid.ts'
import { MARGIN, STATE_COLUMNS } from '../own-columns.ts'
import type { RecordRow } from '../rows.ts'
import { single, wholeRows, type Block, type Extent, type Place } from './blocks.ts'

/** What the mouse hit. */
interface Hit {
  readonly place: Place
  readonly block: Block
  readonly isRow: boolean
}

export class GridPlaces {
  readonly #api: GridApi<RecordRow>
  #columns: readonly string[] = []
  #placeOf: ReadonlyMap<string, number> = new Map()

  constructor(api: GridApi<RecordRow>) {
    this.#api = api
  }

  /** Other columns are shown, or in another order. */
  columnsChanged(): void {
    const shown = this.#api.getAllDisplayedColumns().map((column) => column.getColId())
    this.#columns = shown.filter((path) => !STATE_COLUMNS.includes(path))
    this.#placeOf = new Map(this.#columns.map((path, place) => [path, place]))
  }

  /** Ids of the data's columns as they stand. */
  get columns(): readonly string[] {
    return this.#columns
  }

  columnOf(path: string): number | undefined {
    return this.#placeOf.get(path)
  }

  focused(): Place | null {
    const cell = this.#api.getFocusedCell()
    if (!cell || cell.rowIndex >= this.#api.getDisplayedRowCount()) return null
    const column = this.columnOf(cell.column.getColId())
    return column === undefined ? null : { row: cell.rowIndex, column }
  }

  extent(): Extent {
    return { rows: this.#api.getDisplayedRowCount(), columns: this.#columns.length }
  }

  /** How many rows a page is. */
  page(): number {
    return Math.max(1, this.#api.getLastDisplayedRowIndex() - this.#api.getFirstDisplayedRowIndex() - 1)
  }

  /** Brings a cell into sight. */
  show(place: Place): void {
    this.#api.ensureIndexVisible(place.row)
    const path = this.#columns[place.column]
    if (path !== undefined) this.#api.ensureColumnVisible(path)
  }

  /** The cell under the mouse; in the margin it is the row from edge to edge. */
  at(target: EventTarget | null): Hit | null {
    if (!(target instanceof Element) || target.closest('.cell-editor, button, input')) return null
    const cell = target.closest('.ag-cell')
    const row = Number(cell?.closest('.ag-row')?.getAttribute('row-index') ?? Number.NaN)
    if (!cell || Number.isNaN(row)) return null
    const path = columnIdOf(cell)
    const isRow = path === MARGIN
    const column = isRow ? 0 : this.columnOf(path)
    if (column === undefined) return null
    const place = { row, column }
    const [block = single(place)] = isRow ? wholeRows([single(place)], this.extent()) : []
    return { place, block, isRow }
  }

  /** The rows from `top` to `bottom`, both among them. */
  rowIds(top: number, bottom: number): string[] {
    const rowIds: string[] = []
    for (let row = top; row <= bottom; row += 1) {
      const rowId = this.#api.getDisplayedRowAtIndex(row)?.data?.rowId
      if (rowId !== undefined) rowIds.push(rowId)
    }
    return rowIds
  }
}
