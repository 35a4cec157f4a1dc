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

/** What could be taken back or done again, and what had to be passed over. */
export interface Taken {
  /** `null` when nothing is left that can be. */
  readonly step: Step | null
  /** A row that nobody may touch now, of a newer step or of another part of this one; `null` when there is none. */
  readonly held: string | null
}

/** Of a step what concerns these rows. */
function partOf({ cells, begun, reverted = [] }: Step, isMeant: (rowId: string) => boolean): Step {
  return {
    cells: cells.filter((cell) => isMeant(cell.rowId)),
    begun: begun.filter(isMeant),
    reverted: reverted.filter(({ row }) => isMeant(row.rowId)),
  }
}

function rowsOf({ cells, begun, reverted = [] }: Step): readonly string[] {
  return [...begun, ...cells.map(({ rowId }) => rowId), ...reverted.map(({ row }) => row.rowId)]
}

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

  /**
   * Takes the last step back, or as much of it as can be.
   * @param isHeld whether nobody may touch a row now: its part of a step stays, until it may be touched or is done with
   * @returns what to put into the cells
   */
  undo(isHeld: (rowId: string) => boolean): Taken {
    const { step, held, left } = taken(this.#done, isHeld)
    if (!step) return { step, held }
    this.#done = left
    this.#undone = [...this.#undone, step]
    const cells = step.cells.map((cell) => ({ ...cell, before: cell.after, after: cell.before })).reverse()
    return { step: { ...step, cells }, held }
  }

  /** The same the other way. */
  redo(isHeld: (rowId: string) => boolean): Taken {
    const { step, held, left } = taken(this.#undone, isHeld)
    if (!step) return { step, held }
    this.#undone = left
    this.#done = [...this.#done, step]
    return { step, held }
  }

  /** Rows that were saved or thrown away can't go back this way: their steps are taken out. */
  forgetRows(rowIds: ReadonlySet<string>): void {
    if (rowIds.size === 0) return
    const kept = (steps: readonly Step[]): readonly Step[] =>
      steps.map((step) => partOf(step, (rowId) => !rowIds.has(rowId))).filter((step) => !isNothing(step))
    this.#done = kept(this.#done)
    this.#undone = kept(this.#undone)
  }
}

/** The newest part of the steps that nobody holds, and the steps that are left without it. */
function taken(
  steps: readonly Step[],
  isHeld: (rowId: string) => boolean,
): Taken & { readonly left: readonly Step[] } {
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
