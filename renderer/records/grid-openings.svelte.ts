/** What is open over the grid: the menu of its cells, or a column's filter. One at a time. */

/** Where something stands that has no button. */
interface Anchor {
  readonly getBoundingClientRect: () => DOMRect
}

export class GridOpenings {
  menu = $state.raw<Anchor | null>(null)
  filter = $state.raw<{ readonly path: string; readonly anchor: Anchor } | null>(null)

  /** The menu at a point, as the mouse's second button asks for it. */
  openMenuAt(x: number, y: number): void {
    this.close()
    const box = DOMRect.fromRect({ x, y })
    this.menu = { getBoundingClientRect: () => box }
  }

  /** The menu under a cell, as a key asks for it. */
  openMenuUnder(cell: Element): void {
    const { left, bottom } = cell.getBoundingClientRect()
    this.openMenuAt(left + 8, bottom - 2)
  }

  /** The filter of a column, under its heading or whatever else speaks of it. */
  openFilter(path: string, under: Element): void {
    this.close()
    const box = under.getBoundingClientRect()
    this.filter = { path, anchor: { getBoundingClientRect: () => box } }
  }

  close(): void {
    this.menu = null
    this.filter = null
  }
}
