/**
 * The state of a report's grid: visible rows, rendered rows, and the current row. `ReportTable.svelte` only
 * draws it.
 */
import type { ReportRow } from '../../../shared/reports/reports.ts'
import {
  bottomLine,
  foldable,
  ringOf,
  ROW_HEIGHT,
  sectionsAbove,
  subtotalsOf,
  treeMove,
  visibleRows,
} from './rows.ts'

/** Height in px of the fixed bottom line. */
const BOTTOM_HEIGHT = 34
/** Rows rendered beyond each edge, so that fast scrolling shows no gaps. */
const BEYOND = 6
const STEP = 6

interface Ports {
  readonly rows: () => readonly ReportRow[]
  readonly folded: () => ReadonlySet<number>
  readonly setFolded: (folded: ReadonlySet<number>) => void
  readonly showZeroRows: () => boolean
  /** Height of the whole grid on screen, in px. */
  readonly height: () => number
  /** Height of the fixed heading, in px. */
  readonly headHeight: () => number
  readonly scrollTop: () => number
  /** Scrolls to a vertical offset in px. */
  readonly scrollTo: (top: number) => void
}

export class ReportGrid {
  readonly #ports: Ports
  /** Index of the current row. */
  current = $state(0)

  readonly visible = $derived.by(() =>
    visibleRows(this.#ports.rows(), this.#ports.folded(), this.#ports.showZeroRows()),
  )
  readonly foldable = $derived.by(() => foldable(this.#ports.rows()))
  readonly subtotals = $derived.by(() => subtotalsOf(this.#ports.rows()))
  /** Index of the last total, which stays in view; −1 if there is none. */
  readonly bottom = $derived.by(() => bottomLine(this.#ports.rows()))
  /** Number of rows in the scrolling part. */
  readonly scrolled = $derived(this.visible.length - (this.bottom >= 0 ? 1 : 0))

  /** Changes in steps, so that scrolling a little renders nothing. */
  readonly #first = $derived.by(() => {
    const top = Math.floor(this.#ports.scrollTop() / ROW_HEIGHT)
    return Math.max(0, top - (top % STEP) - BEYOND)
  })
  readonly #count = $derived(Math.ceil(this.#room / ROW_HEIGHT) + STEP + 2 * BEYOND)
  /**
   * The rendered positions. Each row element always renders the same positions modulo the ring's size, so that
   * scrolling only updates those that left the view. −1 for an unused element.
   */
  readonly drawn = $derived.by(() => ringOf(this.#first, this.#count, this.scrolled))

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** Height of all scrolling rows in px. */
  get height(): number {
    return this.scrolled * ROW_HEIGHT
  }

  /** Height in px available for rows: a whole number of them, if the bottom line can absorb the rest. */
  get #room(): number {
    return Math.max(
      0,
      this.#ports.height() - this.#ports.headHeight() - (this.bottom >= 0 ? this.bottomHeight : 0),
    )
  }

  /** Whether rows scroll away above the bottom line. */
  get isScrolled(): boolean {
    const room = this.#ports.height() - this.#ports.headHeight() - BOTTOM_HEIGHT
    return this.bottom >= 0 && room > ROW_HEIGHT && this.height > room
  }

  /** Height of the bottom line in px. It grows so that no row above it is cut in half. */
  get bottomHeight(): number {
    return (
      BOTTOM_HEIGHT +
      (this.isScrolled ? (this.#ports.height() - this.#ports.headHeight() - BOTTOM_HEIGHT) % ROW_HEIGHT : 0)
    )
  }

  /** Position of the current row among the visible ones, or of the nearest one above if it is hidden. */
  get position(): number {
    const exact = this.visible.indexOf(this.current)
    if (exact >= 0) return exact
    return Math.max(
      0,
      this.visible.findLastIndex((row) => row < this.current),
    )
  }

  toggle(row: number): void {
    const folded = new Set(this.#ports.folded())
    if (!folded.delete(row)) folded.add(row)
    this.#ports.setFolded(folded)
    this.current = row
  }

  unfoldAll(): void {
    this.#ports.setFolded(new Set())
  }

  /**
   * Handles a key of the tree grid.
   * @returns whether it was one
   */
  key(key: string): boolean {
    const move = treeMove(key, {
      rows: this.#ports.rows(),
      visible: this.visible,
      folded: this.#ports.folded(),
      foldable: this.foldable,
      position: this.position,
      page: Math.max(1, Math.floor(this.#room / ROW_HEIGHT) - 1),
    })
    if (!move) return false
    switch (move.what) {
      case 'go':
        this.#goTo(move.position)
        return true
      case 'fold':
      case 'unfold':
        this.toggle(move.row)
        return true
      case 'unfold-all':
        this.unfoldAll()
        return true
    }
  }

  /** Expands what hides a row and scrolls it to the middle. */
  reveal(row: number): void {
    const folded = new Set(this.#ports.folded())
    for (const section of sectionsAbove(this.#ports.rows(), row)) folded.delete(section)
    this.#ports.setFolded(folded)
    this.current = row
    const position = this.visible.indexOf(row)
    const above = Math.floor(this.#room / ROW_HEIGHT / 2)
    if (position >= 0) this.#ports.scrollTo(Math.max(0, position - above) * ROW_HEIGHT)
  }

  #goTo(position: number): void {
    this.current = this.visible[position] ?? 0
    const top = position * ROW_HEIGHT
    if (position >= this.scrolled) return
    if (top < this.#ports.scrollTop()) this.#ports.scrollTo(top)
    else if (top + ROW_HEIGHT > this.#ports.scrollTop() + this.#room) {
      this.#ports.scrollTo(top + ROW_HEIGHT - this.#room)
    }
  }
}
