/** Which outcome callout is open, and its position. */
import type { Operation } from '../../../shared/contract/records.ts'
import { cellElement } from '../../ui/grid/cells.ts'
import { OUTCOME } from '../grid/columns/plan.ts'
import type { CellPosition } from '../grid/keys.ts'
import type { RecordsView } from '../screen/records-view.svelte.ts'
import { hasCallout, type RowOutcome } from './outcome.ts'

/** Of a callout, and between it and its cell, in pixels. */
const WIDTH = 440
const HEIGHT = 240
const GAP = 4

interface Callout extends CellPosition {
  readonly outcome: RowOutcome
  readonly left: number
  readonly top: number
  /** Whether it is below the grid instead of over it: in a small window, or where it would cover rows. */
  readonly isDocked: boolean
}

/** Where the review panel is below the grid. */
const DOCKED = '(max-width: 1100px), (max-height: 480px)'

function bottomOf(element: Element): number {
  return element.getBoundingClientRect().bottom
}

function fits(top: number): boolean {
  return top + HEIGHT <= window.innerHeight
}

function operationOf(outcome: RowOutcome): Operation | null {
  return 'operation' in outcome ? outcome.operation : null
}

export class RowCallout {
  readonly #view: RecordsView
  open = $state.raw<Callout | null>(null)
  /** The cell that the focus returned to when the callout was closed. Focusing it doesn't open the callout again. */
  #leftAt: CellPosition | null = null

  constructor(view: RecordsView) {
    this.#view = view
  }

  /** Opens the callout below a cell. Closes it if the row has no outcome to explain. */
  show(rowId: string, path: string): void {
    const outcome = this.#view.list.drafts.outcome(rowId)
    const box = cellElement(rowId, path)?.getBoundingClientRect()
    if (!box || !hasCallout(outcome)) {
      this.open = null
      return
    }
    // Beside the outcomes of the rows below, if there is room.
    const outcomes = cellElement(rowId, OUTCOME)?.getBoundingClientRect().left ?? Infinity
    const beside = Math.min(box.left, outcomes - WIDTH - GAP)
    const left = Math.max(8, Math.min(beside < 8 ? box.left : beside, window.innerWidth - WIDTH - 16))
    const lastRow = Math.max(...[...document.querySelectorAll('.records-grid .ag-row[row-id]')].map(bottomOf))
    // The grid is lower beside a docked callout, which doesn't make room for a floating one.
    const wasDocked = this.open?.rowId === rowId && this.open.isDocked
    const isDocked = wasDocked || !fits(lastRow) || matchMedia(DOCKED).matches
    this.open = { rowId, path, outcome, left, top: lastRow + GAP, isDocked }
  }

  /** Handles a focus change. Opens the callout on the cell that a rejection names. */
  focused(rowId: string, path: string): void {
    if (this.#leftAt?.rowId === rowId && this.#leftAt.path === path) return
    this.#leftAt = null
    const outcome = this.#view.list.drafts.outcome(rowId)
    const isRefusedCell = outcome.kind === 'not-accepted' && outcome.operation.errorPath === path
    if (isRefusedCell || (path === OUTCOME && hasCallout(outcome))) this.show(rowId, path)
    else if (this.open && this.open.rowId !== rowId) this.open = null
  }

  /** Moves the callout with its row when the grid is scrolled. */
  follow(): void {
    if (this.open) this.show(this.open.rowId, this.open.path)
  }

  /**
   * Updates the callout after the outcome changed, or closes it.
   * @returns whether it was closed while it had the focus, which then has to move elsewhere
   */
  forget(): boolean {
    const { open } = this
    if (!open) return false
    const outcome = this.#view.list.drafts.outcome(open.rowId)
    if (outcome.kind === open.outcome.kind) {
      if (operationOf(outcome) !== operationOf(open.outcome)) this.open = { ...open, outcome }
      return false
    }
    this.open = null
    return document.activeElement?.matches('.callout *') ?? false
  }

  /** Handles a mouse press in the grid, after which focusing a cell opens its callout again. */
  pressed(): void {
    this.#leftAt = null
  }

  /**
   * Closes the callout.
   * @param focused the cell that the focus returns to
   */
  close(focused: CellPosition | null): void {
    this.open = null
    this.#leftAt = focused
  }
}
