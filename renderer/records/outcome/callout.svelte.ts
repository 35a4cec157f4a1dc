/** The callout that says what became of a row: which is open, and where it stands. */
import type { Operation } from '../../../shared/contract/records.ts'
import { cellElement } from '../../ui/grid/cells.ts'
import { type RowOutcome, hasCallout } from './outcome.ts'
import type { CellPlace } from '../grid/keys.ts'
import { OUTCOME } from '../grid/columns/plan.ts'
import type { RecordsView } from '../screen/records-view.svelte.ts'

interface Callout extends CellPlace {
  readonly outcome: RowOutcome
  readonly left: number
  readonly top: number
}

function operationOf(outcome: RowOutcome): Operation | null {
  return 'operation' in outcome ? outcome.operation : null
}

export class RowCallout {
  readonly #view: RecordsView
  open = $state.raw<Callout | null>(null)
  /** The cell to which the focus went back when it was closed: that does not open it again. */
  #leftAt: CellPlace | null = null

  constructor(view: RecordsView) {
    this.#view = view
  }

  /** Opens under a cell; a row that has nothing to say closes what is open. */
  show(rowId: string, path: string): void {
    const outcome = this.#view.list.drafts.outcome(rowId)
    const box = cellElement(rowId, path)?.getBoundingClientRect()
    if (!box || !hasCallout(outcome)) {
      this.open = null
      return
    }
    const left = Math.max(8, Math.min(box.left, window.innerWidth - 456))
    const top = box.bottom + 240 > window.innerHeight ? Math.max(8, box.top - 250) : box.bottom + 4
    this.open = { rowId, path, outcome, left, top }
  }

  /** The cell that has the focus now: a refusal stands under the cell it names, by itself. */
  focused(rowId: string, path: string): void {
    if (this.#leftAt?.rowId === rowId && this.#leftAt.path === path) return
    this.#leftAt = null
    const outcome = this.#view.list.drafts.outcome(rowId)
    const isRefusedCell = outcome.kind === 'refused' && outcome.operation.errorPath === path
    if (isRefusedCell || (path === OUTCOME && hasCallout(outcome))) this.show(rowId, path)
    else if (this.open && this.open.rowId !== rowId) this.open = null
  }

  /** It stays with its row when the grid is scrolled. */
  follow(): void {
    if (this.open) this.show(this.open.rowId, this.open.path)
  }

  /** What it speaks of may be over, or told anew. @returns whether it was closed with the focus in it, which has to go somewhere */
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

  /** Somebody pressed into the grid: a cell that is pressed opens it again. */
  pressed(): void {
    this.#leftAt = null
  }

  /** Closes it. @param focused the cell to which the focus goes back */
  close(focused: CellPlace | null): void {
    this.open = null
    this.#leftAt = focused
  }
}
