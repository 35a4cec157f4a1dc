/** Which outcome callout is open. */
import type { Operation } from '../../../shared/contract/records.ts'
import { OUTCOME } from '../grid/columns/plan.ts'
import type { CellPosition } from '../grid/keys.ts'
import type { RecordsView } from '../screen/records-view.svelte.ts'
import { hasCallout, type RowOutcome } from './outcome.ts'

interface Callout {
  readonly rowId: string
  readonly outcome: RowOutcome
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

  /** Opens the callout for a row. Closes it if the row has no outcome to explain. */
  show(rowId: string): void {
    const outcome = this.#view.list.drafts.outcome(rowId)
    this.open = hasCallout(outcome) ? { rowId, outcome } : null
  }

  /** Handles a focus change. Opens the callout on the cell that a rejection names. */
  focused(rowId: string, path: string): void {
    if (this.#leftAt?.rowId === rowId && this.#leftAt.path === path) return
    this.#leftAt = null
    const outcome = this.#view.list.drafts.outcome(rowId)
    const isRefusedCell = outcome.kind === 'not-accepted' && outcome.operation.errorPath === path
    if (isRefusedCell || (path === OUTCOME && hasCallout(outcome))) this.show(rowId)
    else if (this.open && this.open.rowId !== rowId) this.open = null
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
