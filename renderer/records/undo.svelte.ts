/** Steps that can be undone and done again. A step may hold many cells: a paste is one step. */
import type { EditValue } from '../../shared/changes.ts'
import type { RowDraft } from './row-draft.ts'
import type { RecordRow } from './rows.ts'

/** What one cell's edit was before and after; `null` where the cell had none. */
export interface CellStep {
  readonly rowId: string
  readonly path: string
  readonly before: EditValue | null
  readonly after: EditValue | null
}

/** A row whose draft was taken back whole, with the draft as it was. */
export interface RevertedRow {
  readonly row: RecordRow
  readonly draft: RowDraft
}

/** What was done at once. */
export interface Step {
  readonly cells: readonly CellStep[]
  /** Records that were begun with it, as by a paste beyond the last row; they come and go with the step. */
  readonly begun: readonly string[]
  /** Rows that were reverted with it; undoing it puts their drafts back as they were. */
  readonly reverted?: readonly RevertedRow[]
}

/** More than anybody goes back; keeps a long day from filling the memory. */
const MOST_STEPS = 500

function isNothing({ cells, begun, reverted = [] }: Step): boolean {
  return cells.length === 0 && begun.length === 0 && reverted.length === 0
}

export class UndoHistory {
  #done: readonly Step[] = $state.raw([])
  #undone: readonly Step[] = $state.raw([])

  get canUndo(): boolean {
    return this.#done.length > 0
  }

  get canRedo(): boolean {
    return this.#undone.length > 0
  }

  add(step: Step): void {
    if (isNothing(step)) return
    this.#done = [...this.#done, step].slice(-MOST_STEPS)
    this.#undone = []
  }

  /** Takes the last step back; answers what to put into the cells. */
  undo(): Step | null {
    const step = this.#done.at(-1)
    if (!step) return null
    this.#done = this.#done.slice(0, -1)
    this.#undone = [...this.#undone, step]
    const cells = step.cells.map((cell) => ({ ...cell, before: cell.after, after: cell.before })).reverse()
    return { ...step, cells }
  }

  redo(): Step | null {
    const step = this.#undone.at(-1)
    if (!step) return null
    this.#undone = this.#undone.slice(0, -1)
    this.#done = [...this.#done, step]
    return step
  }

  /** Rows that were saved or thrown away can't go back this way: their steps are taken out. */
  forgetRows(rowIds: ReadonlySet<string>): void {
    const kept = (steps: readonly Step[]): readonly Step[] =>
      steps
        .map(({ cells, begun, reverted = [] }) => ({
          cells: cells.filter((cell) => !rowIds.has(cell.rowId)),
          begun: begun.filter((rowId) => !rowIds.has(rowId)),
          reverted: reverted.filter(({ row }) => !rowIds.has(row.rowId)),
        }))
        .filter((step) => !isNothing(step))
    this.#done = kept(this.#done)
    this.#undone = kept(this.#undone)
  }
}
