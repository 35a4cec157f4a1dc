/** What keys and mouse do in the records' grid, heard before the grid hears them. */
import { cellElement, columnIdOf } from '../../ui/grid/cells.ts'
import type { OpeningCommand } from './keyboard.ts'
import { focusedCell } from './keys.ts'
import type { GridOpenings, GridState } from './grid-state.svelte.ts'

export class GridInput {
  readonly #grid: () => GridState
  readonly #openings: GridOpenings
  /** Whether the press that goes on is ours: the focus must not follow it. */
  #pressIsOurs = false

  constructor(grid: () => GridState, openings: GridOpenings) {
    this.#grid = grid
    this.#openings = openings
  }

  /** @returns what is left for the caller to do */
  key(event: KeyboardEvent): 'copy-headings' | null {
    const heading = event.target instanceof Element ? event.target.closest('.ag-header-cell') : null
    const taken = heading
      ? this.#headingKey(event, heading)
      : this.#closesCallout(event) || (this.#grid().parts?.keyboard.key(event) ?? false)
    if (taken === false) return null
    event.preventDefault()
    event.stopPropagation()
    if (taken === 'copy-headings') return taken
    if (taken !== true) this.open(taken)
    return null
  }

  /** Opens the menu of the chosen cells, or the filter of their column, at the cell that has the focus. */
  open(what: Exclude<OpeningCommand, 'copy-headings'>): void {
    const { parts } = this.#grid()
    const cell = parts ? focusedCell(parts.api) : null
    const element = cell ? cellElement(cell.rowId, cell.path) : null
    if (!cell || !element) return
    if (what === 'menu') this.#openings.openMenuUnder(element)
    else this.#openFilter(cell.path, element)
  }

  pointerdown(event: PointerEvent): void {
    this.#grid().callout.pressed()
    this.#pressIsOurs = this.#grid().parts?.selection.pointerdown(event) ?? false
    if (this.#pressIsOurs) event.stopPropagation()
  }

  mousedown(event: MouseEvent): void {
    if (this.#pressIsOurs) event.preventDefault()
  }

  /** The mouse's second button: over a heading its filter, over cells their menu. */
  menu(event: MouseEvent): void {
    const target = event.target instanceof Element ? event.target : null
    const heading = target?.closest('.ag-header-cell')
    if (!heading && !target?.closest('.ag-cell')) return
    event.preventDefault()
    if (heading) this.#openFilter(columnIdOf(heading), heading)
    else if (!this.#openings.menu) this.#openings.openMenuAt(event.clientX, event.clientY)
  }

  /** Escape closes the callout from the grid too, unless it ends the editing of a cell. */
  #closesCallout({ key }: KeyboardEvent): boolean {
    const { callout, parts } = this.#grid()
    if (key !== 'Escape' || !callout.open || (parts?.api.getEditingCells().length ?? 0) > 0) return false
    this.#grid().closeCallout()
    return true
  }

  /** Alt+Down opens a column's filter from its heading too. */
  #headingKey(event: KeyboardEvent, heading: Element): boolean {
    if (!event.altKey || event.key !== 'ArrowDown') return false
    this.#openFilter(columnIdOf(heading), heading)
    return true
  }

  #openFilter(path: string, under: Element): void {
    const { view } = this.#grid()
    if (view.list.column(path) && !view.isReviewing) this.#openings.openFilter(path, under)
  }
}
