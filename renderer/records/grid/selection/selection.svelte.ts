/**
 * Cell selection, which AG Grid Community doesn't have. Keys and mouse events are handled before AG Grid
 * receives them, and selected cells get a class.
 */
import { columnIdOf } from '../../../ui/grid/cells.ts'
import { type GridApi, shownRows } from '../../../ui/grid/grid.ts'
import type { RecordRow } from '../../list/rows.ts'
import { MARGIN, STATE_COLUMNS } from '../columns/plan.ts'
import {
  type Block,
  cellCount,
  type Direction,
  type Extent,
  holds,
  isSamePosition,
  moved,
  type Position,
  rangesOf,
  single,
  wholeColumns,
  wholeRows,
} from './blocks.ts'

/** Adjacent rows with the same selected columns, in the order on screen. */
export interface SelectedRange {
  readonly rowIds: readonly string[]
  readonly paths: readonly string[]
}

export class GridSelection {
  readonly #api: GridApi<RecordRow>
  readonly #positions: GridPositions
  readonly #onchange: (cells: number) => void
  readonly #ondrawn: () => void
  #blocks: readonly Block[] = []
  #count = $state(0)
  #version = $state(0)
  /** The rows at the corners, used to detect a changed order. */
  #corners: readonly string[] = []
  /** The focused cell that belongs to the selection. Once the focus is elsewhere, only that cell is selected. */
  #focusAt: Position | null = null
  #isDragging = false
  #isPointedOut = false

  /**
   * @param onchange called with the number of selected cells when it changes
   * @param ondrawn called after another selection is drawn
   */
  constructor(api: GridApi<RecordRow>, onchange: (cells: number) => void, ondrawn: () => void) {
    this.#api = api
    this.#positions = new GridPositions(api)
    this.#onchange = onchange
    this.#ondrawn = ondrawn
    this.columnsChanged()
  }

  /** Number of selected cells. Reactive. */
  get count(): number {
    return this.#count
  }

  /** Changes with the selection. Read it to recompute when other cells are selected. */
  get version(): number {
    return this.#version
  }

  /** The IDs of the visible data columns. */
  get columns(): readonly string[] {
    return this.#positions.columns
  }

  /** Whether a cell is drawn as selected. A single cell has the focus ring instead. */
  isMarked(row: number | null, path: string): boolean {
    if (row === null || (this.#count < 2 && !this.#isPointedOut)) return false
    const column = this.#positions.columnOf(path)
    return column !== undefined && holds(this.#blocks, { row, column })
  }

  /** The selected cells, each one once; the focused cell if nothing else is selected. */
  ranges(): readonly SelectedRange[] {
    return rangesOf(this.#current()).map(({ top, bottom, columns }) => ({
      rowIds: this.#positions.rowIds(top, bottom),
      paths: columns.flatMap((column) => this.columns[column] ?? []),
    }))
  }

  /** The selected blocks in the order of their selection. */
  blocks(): readonly SelectedRange[] {
    return this.#current().flatMap((block) => this.#range(block))
  }

  /** Where a paste starts: the first cell of the last block. */
  start(): Position | null {
    const block = this.#current().at(-1)
    if (!block) return null
    return {
      row: Math.min(block.anchor.row, block.head.row),
      column: Math.min(block.anchor.column, block.head.column),
    }
  }

  /** Highlights a cell without focusing it, such as a match of a search. */
  pointOut(position: Position): void {
    this.#isPointedOut = true
    this.#set([single(position)])
  }

  /** Ends the highlighting. */
  endPointingOut(): void {
    if (!this.#isPointedOut) return
    this.#collapse()
    this.#isPointedOut = false
    this.#draw()
  }

  /**
   * Handles a key.
   * @returns whether it was a selection key
   */
  key(event: Key): boolean {
    const key = selectionKey(event)
    const focused = this.#positions.focused()
    if (key === null || !focused) return false
    if (key.what === 'one') {
      if (this.#count < 2) return false
      this.#set([single(focused)])
      return true
    }
    this.#takeUpFocus()
    const extent = this.#positions.extent()
    switch (key.what) {
      case 'extend': {
        const active = this.#blocks.at(-1) ?? single(focused)
        const head = moved(active.head, key.way, key.far, extent, this.#positions.page())
        this.#set([...this.#blocks.slice(0, -1), { anchor: active.anchor, head }])
        this.#positions.show(head)
        break
      }
      case 'all':
        this.#set([
          { anchor: { row: 0, column: 0 }, head: { row: extent.rows - 1, column: extent.columns - 1 } },
        ])
        break
      case 'rows':
        this.#set(wholeRows(this.#blocks, extent))
        break
      case 'columns':
        this.#set(wholeColumns(this.#blocks, extent))
        break
    }
    return true
  }

  /**
   * Handles a mouse press on a cell. Touch scrolls instead.
   * @returns whether to hide the event from AG Grid, so that the focus stays where the block starts
   */
  pointerdown(event: PointerEvent): boolean {
    const cell = event.pointerType === 'touch' ? null : this.#positions.at(event.target)
    if (!cell) return false
    const isAdding = event.ctrlKey || event.metaKey
    // A right-click inside the selection keeps it.
    if (event.button !== 0) {
      if (event.button === 2 && !holds(this.#blocks, cell.position)) this.#set([cell.block])
      return event.button === 2 && this.#count > 1
    }
    this.#isDragging = true
    this.#takeUpFocus()
    const others = this.#blocks.slice(0, -1)
    const anchor = this.#blocks.at(-1)?.anchor ?? cell.position
    if (event.shiftKey) {
      this.#set([
        ...others,
        { anchor: cell.isRow ? { ...anchor, column: 0 } : anchor, head: cell.block.head },
      ])
      return true
    }
    this.#set(isAdding ? [...this.#blocks, cell.block] : [cell.block], cell.position)
    // The margin selects the row and can't be edited, so focus the first cell of the row.
    if (cell.isRow) this.#api.setFocusedCell(cell.position.row, this.columns[0] ?? '')
    return cell.isRow
  }

  /** Extends the block while the button is held. */
  mouseover(event: MouseEvent): void {
    if (!this.#isDragging) return
    const active = this.#blocks.at(-1)
    const cell = this.#positions.at(event.target)
    if ((event.buttons & 1) === 0) this.#isDragging = false
    else if (active && cell) this.#set([...this.#blocks.slice(0, -1), { ...active, head: cell.block.head }])
  }

  mouseup(): void {
    this.#isDragging = false
  }

  /** Selects the focused cell if the focus has moved elsewhere. */
  focused(): void {
    this.#takeUpFocus()
  }

  /** Other columns are shown, or in another order. */
  columnsChanged(): void {
    this.#positions.columnsChanged()
    this.#collapse()
  }

  /** Clears the selection if rows were added, removed, or moved and it no longer covers the same rows. */
  rowsChanged(): void {
    if (this.#count < 2) return
    const corners = this.#cornerRows()
    if (corners.some((rowId, index) => rowId !== this.#corners[index])) this.#collapse()
  }

  #collapse(): void {
    const focused = this.#positions.focused()
    this.#set(focused ? [single(focused)] : [])
  }

  #set(blocks: readonly Block[], focusAt: Position | null = this.#positions.focused()): void {
    const before = this.#count
    this.#blocks = blocks
    this.#count = cellCount(blocks)
    this.#focusAt = focusAt
    this.#corners = this.#cornerRows()
    this.#version += 1
    if (before < 2 && this.#count < 2 && !this.#isPointedOut) return
    this.#draw()
    if (before !== this.#count) this.#onchange(this.#count)
  }

  #draw(): void {
    this.#api.refreshCells({ columns: [...this.columns] })
    this.#ondrawn()
  }

  /** AG Grid reports a focus change late. Until then, the cell that already has the focus counts. */
  #current(): readonly Block[] {
    const focused = this.#positions.focused()
    if (!focused || (this.#focusAt && isSamePosition(focused, this.#focusAt) && this.#blocks.length > 0))
      return this.#blocks
    return [single(focused)]
  }

  #takeUpFocus(): void {
    const current = this.#current()
    if (current !== this.#blocks) this.#set(current)
  }

  #cornerRows(): readonly string[] {
    return this.#blocks.flatMap(({ anchor, head }) =>
      this.#positions.rowIds(anchor.row, anchor.row).concat(this.#positions.rowIds(head.row, head.row)),
    )
  }

  #range(block: Block): SelectedRange[] {
    const [range] = rangesOf([block])
    if (!range) return []
    return [
      {
        rowIds: this.#positions.rowIds(range.top, range.bottom),
        paths: range.columns.flatMap((column) => this.columns[column] ?? []),
      },
    ]
  }
}

/* Marks the selected cells for screen readers, for which AG Grid has no option. */

/**
 * Sets `aria-selected` on the rendered cells. Call it when the selection changes and after scrolling.
 * @param isChosen called with the row's index in the grid and the column's ID
 */
export function markSelected(host: ParentNode, isChosen: (row: number, path: string) => boolean): void {
  for (const cell of host.querySelectorAll('.ag-cell[col-id]')) {
    const row = Number(cell.closest('.ag-row')?.getAttribute('row-index') ?? Number.NaN)
    if (isChosen(row, columnIdOf(cell))) cell.setAttribute('aria-selected', 'true')
    else cell.removeAttribute('aria-selected')
  }
}

// The keys that select cells, as in a spreadsheet.

export type SelectionKey =
  | { readonly what: 'extend'; readonly way: Direction; readonly far: boolean }
  | { readonly what: 'all' | 'rows' | 'columns' | 'one' }

/** The relevant parts of a keyboard event. */
export type Key = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  PageUp: 'page-up',
  PageDown: 'page-down',
  Home: 'row-start',
  End: 'row-end',
}

/**
 * Returns what a key does to the selection; `null` for other keys. Escape selects a single cell again.
 * @internal
 */
export function selectionKey(event: Key): SelectionKey | null {
  if (event.altKey) return null
  const isCommand = event.ctrlKey || event.metaKey
  const way = DIRECTIONS[event.key]
  if (event.shiftKey && way !== undefined) return { what: 'extend', way, far: isCommand }
  if (isCommand && !event.shiftKey && event.key.toLowerCase() === 'a') return { what: 'all' }
  if (event.key === ' ' && event.shiftKey && !isCommand) return { what: 'rows' }
  if (event.key === ' ' && event.ctrlKey && !event.shiftKey) return { what: 'columns' }
  return event.key === 'Escape' && !event.shiftKey && !isCommand ? { what: 'one' } : null
}

// Positions of cells on screen: the focused one, the one under the mouse, and those of a row.

/** What the mouse is on. */
interface Hit {
  readonly position: Position
  readonly block: Block
  readonly isRow: boolean
}

class GridPositions {
  readonly #api: GridApi<RecordRow>
  #columns: readonly string[] = []
  #positionOf: ReadonlyMap<string, number> = new Map()

  constructor(api: GridApi<RecordRow>) {
    this.#api = api
  }

  /** Other columns are shown, or in another order. */
  columnsChanged(): void {
    const shown = this.#api.getAllDisplayedColumns().map((column) => column.getColId())
    this.#columns = shown.filter((path) => !STATE_COLUMNS.includes(path))
    this.#positionOf = new Map(this.#columns.map((path, position) => [path, position]))
  }

  /** IDs of the visible data columns in order. */
  get columns(): readonly string[] {
    return this.#columns
  }

  columnOf(path: string): number | undefined {
    return this.#positionOf.get(path)
  }

  focused(): Position | null {
    const cell = this.#api.getFocusedCell()
    if (!cell || cell.rowIndex >= this.#api.getDisplayedRowCount()) return null
    const column = this.columnOf(cell.column.getColId())
    return column === undefined ? null : { row: cell.rowIndex, column }
  }

  extent(): Extent {
    return { rows: this.#api.getDisplayedRowCount(), columns: this.#columns.length }
  }

  /** Number of rows per page. */
  page(): number {
    return Math.max(1, this.#api.getLastDisplayedRowIndex() - this.#api.getFirstDisplayedRowIndex() - 1)
  }

  /** Scrolls a cell into view. */
  show(position: Position): void {
    this.#api.ensureIndexVisible(position.row)
    const path = this.#columns[position.column]
    if (path !== undefined) this.#api.ensureColumnVisible(path)
  }

  /** Returns the cell under the mouse; in the margin, the whole row. */
  at(target: EventTarget | null): Hit | null {
    if (!(target instanceof Element) || target.closest('.cell-editor, button, input')) return null
    const cell = target.closest('.ag-cell')
    const row = Number(cell?.closest('.ag-row')?.getAttribute('row-index') ?? Number.NaN)
    if (!cell || Number.isNaN(row)) return null
    const path = columnIdOf(cell)
    const isRow = path === MARGIN
    const column = isRow ? 0 : this.columnOf(path)
    if (column === undefined) return null
    const position = { row, column }
    const [block = single(position)] = isRow ? wholeRows([single(position)], this.extent()) : []
    return { position, block, isRow }
  }

  /** Returns the row IDs from `top` to `bottom`, inclusive. */
  rowIds(top: number, bottom: number): string[] {
    const shown = shownRows(this.#api)
    const rowIds: string[] = []
    for (let row = top; row <= bottom; row += 1) {
      const rowId = shown[row]?.rowId
      if (rowId !== undefined) rowIds.push(rowId)
    }
    return rowIds
  }
}
