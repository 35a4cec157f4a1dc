/** The steps that a user can undo and redo. */
import type { EditValue } from '../../../shared/records/changes.ts'
import type { RowDraft } from '../drafts/row-draft.ts'
import type { RecordRow } from './rows.ts'

/** A cell's edit before and after a step; `null` if it had none. */
export interface CellStep {
  readonly rowId: string
  readonly path: string
  readonly before: EditValue | null
  readonly after: EditValue | null
}

/** A row whose whole draft was reverted, with that draft. */
export interface RevertedRow {
  readonly row: RecordRow
  readonly draft: RowDraft
}

/** What one command did. A paste into many cells is one step. */
export interface UndoStep {
  readonly cells: readonly CellStep[]
  /** New records that the step added, such as by a paste beyond the last row. Undoing the step removes them. */
  readonly begun: readonly string[]
  /** Rows that the step reverted. Undoing it restores their drafts. */
  readonly reverted?: readonly RevertedRow[]
}

/** The limit keeps a long day of work from filling the memory. */
const MAX_STEPS = 500

/** The step to undo or redo, and a row that had to be skipped. */
export interface UndoResult {
  /** `null` if there is nothing to do. */
  readonly step: UndoStep | null
  /** A locked row of a newer step, or of another part of this one; `null` if there is none. */
  readonly held: string | null
}

/** The part of a step that concerns these rows. */
function partOf({ cells, begun, reverted = [] }: UndoStep, isAffected: (rowId: string) => boolean): UndoStep {
  return {
    cells: cells.filter((cell) => isAffected(cell.rowId)),
    begun: begun.filter(isAffected),
    reverted: reverted.filter(({ row }) => isAffected(row.rowId)),
  }
}

function rowsOf({ cells, begun, reverted = [] }: UndoStep): readonly string[] {
  return [...begun, ...cells.map(({ rowId }) => rowId), ...reverted.map(({ row }) => row.rowId)]
}

function isNothing({ cells, begun, reverted = [] }: UndoStep): boolean {
  return cells.length === 0 && begun.length === 0 && reverted.length === 0
}

export class UndoHistory {
  #done: readonly UndoStep[] = $state.raw([])
  #undone: readonly UndoStep[] = $state.raw([])

  get canUndo(): boolean {
    return this.#done.length > 0
  }

  get canRedo(): boolean {
    return this.#undone.length > 0
  }

  add(step: UndoStep): void {
    if (isNothing(step)) return
    this.#done = [...this.#done, step].slice(-MAX_STEPS)
    this.#undone = []
  }

  /**
   * Undoes the last step, or as much of it as possible.
   * @param isHeld whether a row is locked. Its part of a step stays in the history until the row is unlocked or done.
   * @returns the values to put into the cells
   */
  undo(isHeld: (rowId: string) => boolean): UndoResult {
    const { step, held, left } = taken(this.#done, isHeld)
    if (!step) return { step, held }
    this.#done = left
    this.#undone = [...this.#undone, step]
    const cells = step.cells.map((cell) => ({ ...cell, before: cell.after, after: cell.before })).reverse()
    return { step: { ...step, cells }, held }
  }

  /** Redoes the step that was undone last, in the same way. */
  redo(isHeld: (rowId: string) => boolean): UndoResult {
    const { step, held, left } = taken(this.#undone, isHeld)
    if (!step) return { step, held }
    this.#undone = left
    this.#done = [...this.#done, step]
    return { step, held }
  }

  /** Removes these rows from all steps, since what was saved or discarded can't be undone here. */
  forgetRows(rowIds: ReadonlySet<string>): void {
    if (rowIds.size === 0) return
    const kept = (steps: readonly UndoStep[]): readonly UndoStep[] =>
      steps.map((step) => partOf(step, (rowId) => !rowIds.has(rowId))).filter((step) => !isNothing(step))
    this.#done = kept(this.#done)
    this.#undone = kept(this.#undone)
  }
}

/** The newest step, or part of one, that no lock holds back, and the steps that remain. */
function taken(
  steps: readonly UndoStep[],
  isHeld: (rowId: string) => boolean,
): UndoResult & { readonly left: readonly UndoStep[] } {
  let held: string | null = null
  for (const [at, step] of [...steps.entries()].reverse()) {
    const heldHere = rowsOf(step).find(isHeld)
    if (heldHere === undefined) return { step, held, left: steps.toSpliced(at, 1) }
    held ??= heldHere
    const part = partOf(step, (rowId) => !isHeld(rowId))
    if (!isNothing(part)) return { step: part, held, left: steps.toSpliced(at, 1, partOf(step, isHeld)) }
  }
  return { step: null, held, left: steps }
}
