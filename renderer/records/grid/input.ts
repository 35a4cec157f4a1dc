/** Keyboard, mouse, and clipboard events of the records grid, handled before AG Grid receives them. */
import { copyBlock, setClipboardData } from '../../ui/clipboard.ts'
import { cellElement, columnIdOf } from '../../ui/grid/cells.ts'
import type { GridPopovers, GridState } from './grid-state.svelte.ts'
import { focusedCell, gridCommand } from './keys.ts'

export class GridInput {
  readonly #grid: () => GridState
  readonly #openings: GridPopovers
  readonly #onnextstep: () => void
  /** Whether the current mouse press is handled here, so that the focus must not follow it. */
  #pressIsOurs = false

  /** @param onnextstep called for Ctrl+Enter, unless a cell is being edited */
  constructor(grid: () => GridState, openings: GridPopovers, onnextstep: () => void) {
    this.#grid = grid
    this.#openings = openings
    this.#onnextstep = onnextstep
  }

  /**
   * Handles a key.
   * @returns what the caller has to do
   */
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
      // Holding the key down must not go on from the review.
      if (!event.repeat) this.#onnextstep()
    } else if (taken !== true) this.open(taken)
    return null
  }

  /** Opens the menu of the selected cells or the filter of their column at the focused cell. */
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

  /** Handles a right-click: opens the filter on a heading, and the menu on cells. */
  menu(event: MouseEvent): void {
    const target = event.target instanceof Element ? event.target : null
    const heading = target?.closest('.ag-header-cell')
    if (!heading && !target?.closest('.ag-cell')) return
    event.preventDefault()
    if (heading) this.#openFilter(columnIdOf(heading), heading)
    else if (!this.#openings.menu) this.#openings.openMenuAt(event.clientX, event.clientY)
  }

  /** Escape in the grid closes the callout, unless it ends the editing of a cell. */
  #closesCallout({ key }: KeyboardEvent): boolean {
    const { callout, parts } = this.#grid()
    if (key !== 'Escape' || !callout.open || (parts?.api.getEditingCells().length ?? 0) > 0) return false
    this.#grid().closeCallout()
    return true
  }

  /** Alt+Down on a heading opens the column's filter. Ctrl+Enter takes the next step instead of sorting. */
  #headingKey(event: KeyboardEvent, heading: Element): 'next-step' | boolean {
    if (gridCommand(event, false) === 'next-step') return 'next-step'
    if (!event.altKey || event.key !== 'ArrowDown') return false
    this.#openFilter(columnIdOf(heading), heading)
    return true
  }

  #openFilter(path: string, under: Element): void {
    const { view } = this.#grid()
    if (view.list.column(path) && !view.isReviewing) this.#openings.openFilter(path, under)
  }
}

// Copies, cuts, and pastes in the grid, from the browser's clipboard events or from the menu.

export class GridClipboard {
  readonly #grid: () => GridState

  constructor(grid: () => GridState) {
    this.#grid = grid
  }

  /**
   * Copies the selected cells, except in an input, which has its own clipboard handling.
   * @returns whether they are on the clipboard
   */
  copy(event: ClipboardEvent): boolean {
    if (isTyping(event.target)) return false
    const copied = this.#grid().parts?.bulk.copied(false) ?? null
    if (copied === null) return false
    setClipboardData(event, copied)
    return true
  }

  /** Cells that can't be cleared are copied, kept, and reported, as with Delete. */
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

  /** Copies without a clipboard event, as from a menu, and returns the focus to its cell. */
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
