/** The rows of a `DataTable` as they are drawn: those in view, and which of them has the choice and the focus. */
import { tick } from 'svelte'
import { cellAfterKey, drawnWindow, rowAfterKey } from './data-table.ts'
import { focusLate } from './late-focus.ts'

/** Pixels of a row, the heading's too. */
export const ROW_HEIGHT = 28

interface Setting<Row> {
  /** All rows in their order. */
  readonly sorted: () => readonly Row[]
  readonly rowId: (row: Row) => string
  readonly selectedId: () => string | null
  readonly onselect: (row: Row) => void
}

export class TableRows<Row> {
  readonly #setting: Setting<Row>
  /** What scrolls, once it is there. */
  scroller = $state.raw<HTMLElement>()
  viewHeight = $state(600)
  #scrollTop = $state(0)
  /** The row that was chosen last: Tab comes back to it when none is chosen any more. */
  #lastId = $state.raw<string | null>(null)

  readonly drawn = $derived.by(() => drawnWindow(this.#count, this.#scrollTop, this.viewHeight, ROW_HEIGHT))
  readonly #selectedIndex = $derived.by(() => this.#indexOf(this.#setting.selectedId()))
  /** The row that Tab reaches. It must be drawn to be reached. */
  readonly stop = $derived.by(() => {
    const { from, to } = this.drawn
    const index = this.#selectedIndex >= 0 ? this.#selectedIndex : this.#indexOf(this.#lastId)
    return index >= from && index < to ? index : Math.min(from, this.#count - 1)
  })

  constructor(setting: Setting<Row>) {
    this.#setting = setting
  }

  get #count(): number {
    return this.#setting.sorted().length
  }

  scrolled(): void {
    this.#scrollTop = this.scroller?.scrollTop ?? 0
  }

  select(row: Row): void {
    this.#lastId = this.#setting.rowId(row)
    this.#setting.onselect(row)
  }

  /**
   * Goes where a key leads from a row or from a cell in it.
   * @param cell the column's place, or -1 for the row itself
   * @returns whether the key leads anywhere
   */
  follow(key: string, index: number, cell: number, columns: number): boolean {
    const page = Math.max(1, Math.floor(this.viewHeight / ROW_HEIGHT) - 2)
    const nextCell = cellAfterKey(key, cell, columns)
    const next = nextCell === null ? rowAfterKey(key, index, this.#count, page) : index
    if (next === null) return false
    void this.#focus(next, nextCell ?? cell)
    return true
  }

  async #focus(index: number, cell: number): Promise<void> {
    if (index !== this.#selectedIndex) await this.#moveTo(index)
    const line = this.#line(index)
    const target = cell < 0 ? line : line?.querySelectorAll<HTMLElement>('[role="gridcell"]')[cell]
    focusLate(target, { preventScroll: cell < 0 })
  }

  async #moveTo(index: number): Promise<void> {
    const { scroller, viewHeight } = this
    const row = this.#setting.sorted()[index]
    if (row === undefined || !scroller) return
    this.select(row)
    const top = index * ROW_HEIGHT
    if (top < scroller.scrollTop) scroller.scrollTop = top
    // The heading stays, and takes a row's height of the view.
    else if (top + 2 * ROW_HEIGHT > scroller.scrollTop + viewHeight) {
      scroller.scrollTop = top + 2 * ROW_HEIGHT - viewHeight
    }
    this.scrolled()
    await tick()
    focusLate(this.#line(index), { preventScroll: true })
  }

  #line(index: number): HTMLElement | null | undefined {
    return this.scroller?.querySelector<HTMLElement>(`tr[aria-rowindex="${String(index + 2)}"]`)
  }

  #indexOf(id: string | null): number {
    const { sorted, rowId } = this.#setting
    return sorted().findIndex((row) => rowId(row) === id)
  }
}
