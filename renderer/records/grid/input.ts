/** What keys, mouse, and clipboard do in the records grid. Events are handled before AG Grid gets them. */
import { copyBlock, putOn } from '../../ui/clipboard.ts'
import { cellElement, columnIdOf } from '../../ui/grid/cells.ts'
import { focusedCell } from './keys.ts'
import type { GridOpenings, GridState } from './grid-state.svelte.ts'

export class GridInput {
  readonly #grid: () => GridState
  readonly #openings: GridOpenings
  readonly #onnextstep: () => void
  /** Whether the press that goes on is ours: the focus must not follow it. */
  #pressIsOurs = false

  /** @param onnextstep Ctrl+Enter in a single cell */
  constructor(grid: () => GridState, openings: GridOpenings, onnextstep: () => void) {
    this.#grid = grid
    this.#openings = openings
    this.#onnextstep = onnextstep
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
    if (taken === 'next-step') {
      // Held down, it must not lead from the review to sending.
      if (!event.repeat) this.#onnextstep()
    } else if (taken !== true) this.open(taken)
    return null
  }

  /** Opens the menu of the chosen cells, or the filter of their column, at the cell that has the focus. */
  open(what: 'menu' | 'filter'): void {
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

// Copying, cutting and pasting in the grid, by the keys' own events or from a menu.

export class GridClipboard {
  readonly #grid: () => GridState

  constructor(grid: () => GridState) {
    this.#grid = grid
  }

  /** @returns whether the chosen cells are on the clipboard now; what is typed into a box is the box's own */
  copy(event: ClipboardEvent): boolean {
    if (isTyping(event.target)) return false
    const copied = this.#grid().parts?.bulk.copied(false) ?? null
    if (copied === null) return false
    putOn(event, copied)
    return true
  }

  /** What can't be emptied is copied and left, and said, as for Delete. */
  cut(event: ClipboardEvent): void {
    if (this.copy(event)) this.#clear()
  }

  paste(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData('text/plain')
    if (isTyping(event.target) || !text) return
    event.preventDefault()
    this.#grid().parts?.bulk.paste(text)
  }

  copyChosen(withHeadings: boolean): void {
    void this.#copied(withHeadings)
  }

  async cutChosen(): Promise<void> {
    if (await this.#copied(false)) this.#clear()
  }

  /** Without an event, as from a menu; the focus goes back to where it was. */
  async #copied(withHeadings: boolean): Promise<boolean> {
    const copied = this.#grid().parts?.bulk.copied(withHeadings) ?? null
    if (copied === null) return false
    await copyBlock(copied)
    this.#grid().refocus()
    return true
  }

  #clear(): void {
    void this.#grid().parts?.bulk.clear()
  }
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea') !== null
}
