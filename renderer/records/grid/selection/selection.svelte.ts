/**
 * The chosen cells of a grid: AG Grid Community has none. Keys and mouse are heard before the grid hears them; what
 * is chosen is drawn by a class that the grid's cells wear.
 */
import { columnIdOf } from '../../../ui/grid/cells.ts'
import type { GridApi } from '../../../ui/grid/grid.ts'
import type { RecordRow } from '../../list/rows.ts'
import { MARGIN, STATE_COLUMNS } from '../columns/plan.ts'
import {
  type Block,
  type Extent,
  type Place,
  type Way,
  cellCount,
  holds,
  moved,
  samePlace,
  single,
  stripesOf,
  wholeColumns,
  wholeRows,
} from './blocks.ts'

/** Chosen cells with what they are of, in the order in which they stand. */
export interface ChosenStripe {
  readonly rowIds: readonly string[]
  readonly paths: readonly string[]
}

export class GridSelection {
  readonly #api: GridApi<RecordRow>
  readonly #places: GridPlaces
  readonly #onchange: (cells: number) => void
  readonly #ondrawn: () => void
  #blocks: readonly Block[] = []
  #count = $state(0)
  #version = $state(0)
  /** The rows at the corners, by which a change of the order is noticed. */
  #corners: readonly string[] = []
  /** Where the focus is while the choice stands: once it is elsewhere, that cell is all that is chosen. */
  #focusAt: Place | null = null
  #isDragging = false
  #isPointedOut = false

  /**
   * @param onchange called with the number of chosen cells whenever it is another
   * @param ondrawn called once another choice is drawn
   */
  constructor(api: GridApi<RecordRow>, onchange: (cells: number) => void, ondrawn: () => void) {
    this.#api = api
    this.#places = new GridPlaces(api)
    this.#onchange = onchange
    this.#ondrawn = ondrawn
    this.columnsChanged()
  }

  /** How many cells are chosen; reactive. */
  get count(): number {
    return this.#count
  }

  /** Read it where something must be computed again for other cells. */
  get version(): number {
    return this.#version
  }

  /** The ids of the data's columns as they are shown. */
  get columns(): readonly string[] {
    return this.#places.columns
  }

  /** Whether a cell wears the mark: a single one has the focus ring instead. */
  isMarked(row: number | null, path: string): boolean {
    if (row === null || (this.#count < 2 && !this.#isPointedOut)) return false
    const column = this.#places.columnOf(path)
    return column !== undefined && holds(this.#blocks, { row, column })
  }

  /** What is chosen, every cell once; the focused cell when nothing else is. */
  stripes(): readonly ChosenStripe[] {
    return stripesOf(this.#current()).map(({ top, bottom, columns }) => ({
      rowIds: this.#places.rowIds(top, bottom),
      paths: columns.flatMap((column) => this.columns[column] ?? []),
    }))
  }

  /** The blocks one by one, as they were chosen. */
  blocks(): readonly ChosenStripe[] {
    return this.#current().flatMap((block) => this.#stripe(block))
  }

  /** Where a paste begins: the first cell of what was chosen last. */
  start(): Place | null {
    const block = this.#current().at(-1)
    if (!block) return null
    return {
      row: Math.min(block.anchor.row, block.head.row),
      column: Math.min(block.anchor.column, block.head.column),
    }
  }

  /** Shows a cell that has not the focus, as one that was found. */
  pointOut(place: Place): void {
    this.#isPointedOut = true
    this.#set([single(place)])
  }

  /** The focus is the mark of a single cell again. */
  endPointingOut(): void {
    if (!this.#isPointedOut) return
    this.#collapse()
    this.#isPointedOut = false
    this.#draw()
  }

  /** @returns whether the key was one of ours */
  key(event: Key): boolean {
    const key = selectionKey(event)
    const focused = this.#places.focused()
    if (key === null || !focused) return false
    if (key.what === 'one') {
      if (this.#count < 2) return false
      this.#set([single(focused)])
      return true
    }
    this.#takeUpFocus()
    const extent = this.#places.extent()
    switch (key.what) {
      case 'extend': {
        const active = this.#blocks.at(-1) ?? single(focused)
        const head = moved(active.head, key.way, key.far, extent, this.#places.page())
        this.#set([...this.#blocks.slice(0, -1), { anchor: active.anchor, head }])
        this.#places.show(head)
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
   * A button of the mouse goes down on a cell; a finger scrolls.
   * @returns whether the grid shall not hear of it: the focus stays where the block was begun
   */
  pointerdown(event: PointerEvent): boolean {
    const cell = event.pointerType === 'touch' ? null : this.#places.at(event.target)
    if (!cell) return false
    const isAdding = event.ctrlKey || event.metaKey
    // The second button speaks of what is chosen already, where it hits that.
    if (event.button !== 0) {
      if (event.button === 2 && !holds(this.#blocks, cell.place)) this.#set([cell.block])
      return event.button === 2 && this.#count > 1
    }
    this.#isDragging = true
    this.#takeUpFocus()
    const others = this.#blocks.slice(0, -1)
    const anchor = this.#blocks.at(-1)?.anchor ?? cell.place
    if (event.shiftKey) {
      this.#set([
        ...others,
        { anchor: cell.isRow ? { ...anchor, column: 0 } : anchor, head: cell.block.head },
      ])
      return true
    }
    this.#set(isAdding ? [...this.#blocks, cell.block] : [cell.block], cell.place)
    // The margin is the row's handle, and can't be typed into: the focus goes to the row's first cell.
    if (cell.isRow) this.#api.setFocusedCell(cell.place.row, this.columns[0] ?? '')
    return cell.isRow
  }

  /** Draws the block on while the button is held. */
  mouseover(event: MouseEvent): void {
    if (!this.#isDragging) return
    const active = this.#blocks.at(-1)
    const cell = this.#places.at(event.target)
    if ((event.buttons & 1) === 0) this.#isDragging = false
    else if (active && cell) this.#set([...this.#blocks.slice(0, -1), { ...active, head: cell.block.head }])
  }

  mouseup(): void {
    this.#isDragging = false
  }

  /** The focus may have gone somewhere else: then that cell is all that is chosen. */
  focused(): void {
    this.#takeUpFocus()
  }

  /** Other columns are shown, or in another order. */
  columnsChanged(): void {
    this.#places.columnsChanged()
    this.#collapse()
  }

  /** Rows came, went or stand in another order: a choice that is not of the same rows any more is given up. */
  rowsChanged(): void {
    if (this.#count < 2) return
    const corners = this.#cornerRows()
    if (corners.some((rowId, index) => rowId !== this.#corners[index])) this.#collapse()
  }

  #collapse(): void {
    const focused = this.#places.focused()
    this.#set(focused ? [single(focused)] : [])
  }

  #set(blocks: readonly Block[], focusAt: Place | null = this.#places.focused()): void {
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

  /** The grid tells of a new focus a moment later; what is asked meanwhile is of the cell that has it already. */
  #current(): readonly Block[] {
    const focused = this.#places.focused()
    if (!focused || (this.#focusAt && samePlace(focused, this.#focusAt) && this.#blocks.length > 0))
      return this.#blocks
    return [single(focused)]
  }

  #takeUpFocus(): void {
    const current = this.#current()
    if (current !== this.#blocks) this.#set(current)
  }

  #cornerRows(): readonly string[] {
    return this.#blocks.flatMap(({ anchor, head }) =>
      this.#places.rowIds(anchor.row, anchor.row).concat(this.#places.rowIds(head.row, head.row)),
    )
  }

  #stripe(block: Block): ChosenStripe[] {
    const [stripe] = stripesOf([block])
    if (!stripe) return []
    return [
      {
        rowIds: this.#places.rowIds(stripe.top, stripe.bottom),
        paths: stripe.columns.flatMap((column) => this.columns[column] ?? []),
      },
    ]
  }
}

/*
 * Says of the cells in sight which are chosen, for those who can't see their colour: the grid has no option for it.
 */

/**
 * Sets `aria-selected` on the cells that are drawn; to be called when another choice was made and after scrolling.
 * @param isChosen asked with the row's place in the grid and the column's id
 */
export function markChosen(host: ParentNode, isChosen: (row: number, path: string) => boolean): void {
  for (const cell of host.querySelectorAll('.ag-cell[col-id]')) {
    const row = Number(cell.closest('.ag-row')?.getAttribute('row-index') ?? Number.NaN)
    if (isChosen(row, columnIdOf(cell))) cell.setAttribute('aria-selected', 'true')
    else cell.removeAttribute('aria-selected')
  }
}

// Which keys choose cells, as in a spreadsheet; pure.

export type SelectionKey =
  | { readonly what: 'extend'; readonly way: Way; readonly far: boolean }
  | { readonly what: 'all' | 'rows' | 'columns' | 'one' }

/** The parts of a keyboard event that decide. */
export type Key = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>

const WAYS: Readonly<Record<string, Way>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  PageUp: 'page-up',
  PageDown: 'page-down',
  Home: 'row-start',
  End: 'row-end',
}

/** What a key does to the choice, or `null`. Escape goes back to one cell. */
export function selectionKey(event: Key): SelectionKey | null {
  if (event.altKey) return null
  const isCommand = event.ctrlKey || event.metaKey
  const way = WAYS[event.key]
  if (event.shiftKey && way !== undefined) return { what: 'extend', way, far: isCommand }
  if (isCommand && !event.shiftKey && event.key.toLowerCase() === 'a') return { what: 'all' }
  if (event.key === ' ' && event.shiftKey && !isCommand) return { what: 'rows' }
  if (event.key === ' ' && event.ctrlKey && !event.shiftKey) return { what: 'columns' }
  return event.key === 'Escape' && !event.shiftKey && !isCommand ? { what: 'one' } : null
}

// Where cells stand in the grid as it is shown: the focused one, the one under the mouse, and what is in a row.

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
