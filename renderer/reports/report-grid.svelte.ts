/** Which rows of a report are shown, drawn and current; `ReportTable.svelte` only draws it. */
import type { ReportRow } from '../../shared/reports.ts'
import {
  bottomLine,
  foldable,
  ringOf,
  ROW_HEIGHT,
  sectionsAbove,
  subtotalsOf,
  treeMove,
  visibleRows,
} from './report-layout.ts'

/** What stays in view above and below the rows, in px. */
const HEAD_HEIGHT = 26
const BOTTOM_HEIGHT = 34
/** Rows drawn beyond each edge, so that a quick scroll meets no gap. */
const BEYOND = 6
const STEP = 6

interface Ports {
  readonly rows: () => readonly ReportRow[]
  readonly folded: () => ReadonlySet<number>
  readonly setFolded: (folded: ReadonlySet<number>) => void
  readonly showZeroRows: () => boolean
  /** Height of the whole grid on screen, in px. */
  readonly height: () => number
  readonly scrollTop: () => number
  /** Scrolls so that the top of the room is there. */
  readonly scrollTo: (top: number) => void
}

export class ReportGrid {
  readonly #ports: Ports
  /** The current row, by index into the rows. */
  current = $state(0)

  readonly visible = $derived.by(() =>
    visibleRows(this.#ports.rows(), this.#ports.folded(), this.#ports.showZeroRows()),
  )
  readonly foldable = $derived.by(() => foldable(this.#ports.rows()))
  readonly subtotals = $derived.by(() => subtotalsOf(this.#ports.rows()))
  /** The last total, which stays in view; −1 for none. */
  readonly bottom = $derived.by(() => bottomLine(this.#ports.rows()))
  /** How many rows lie in the part that scrolls. */
  readonly scrolled = $derived(this.visible.length - (this.bottom >= 0 ? 1 : 0))

  /** Moves in steps, so that a small scroll draws nothing anew. */
  readonly #first = $derived.by(() => {
    const top = Math.floor(this.#ports.scrollTop() / ROW_HEIGHT)
    return Math.max(0, top - (top % STEP) - BEYOND)
  })
  readonly #count = $derived(Math.ceil(this.#room / ROW_HEIGHT) + STEP + 2 * BEYOND)
  /**
   * The positions that are drawn, each always by the same one of the lines: a scroll fills those that went out of
   * sight anew and leaves the others alone. −1 for a line that has nothing to show.
   */
  readonly drawn = $derived.by(() => ringOf(this.#first, this.#count, this.scrolled))

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** Height of all rows that scroll, in px. */
  get height(): number {
    return this.scrolled * ROW_HEIGHT
  }

  /** Height of the room for rows, in px. */
  get #room(): number {
    return Math.max(0, this.#ports.height() - HEAD_HEIGHT - (this.bottom >= 0 ? BOTTOM_HEIGHT : 0))
  }

  /** Where the current row stands among the visible ones; the nearest above when it is hidden. */
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

  /** Handles a key of the tree grid; answers whether it was one. */
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

  /** Shows a row, unfolding what hides it, in the middle of the room. */
  reveal(row: number): void {
    const folded = new Set(this.#ports.folded())
    for (const section of sectionsAbove(this.#ports.rows(), row)) folded.delete(section)
    this.#ports.setFolded(folded)
    this.current = row
    const position = this.visible.indexOf(row)
    if (position >= 0) this.#ports.scrollTo(position * ROW_HEIGHT - this.#room / 2)
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
