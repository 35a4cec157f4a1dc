/** Changing the cells of a list: what may be changed, putting values, emptying, undoing. */
import {
  runToCompletion,
  END_SLICE,
  type Interruptible,
  runFirstSlice,
  runRemainingSlices,
} from './time-slice.ts'
import {
  type EditValue,
  EMPTY_REFERENCE,
  isEmpty,
  isGivenWhole,
  memberOf,
  ownValue,
  type Reference,
  topField,
} from '../../../shared/records/changes.ts'
import type { Editability } from '../../../shared/records/fields.ts'
import { isLocked, rebased } from '../drafts/row-draft.ts'
import type { DraftStore } from '../drafts/draft-store.svelte.ts'
import type { PlannedColumn } from '../grid/columns/plan.ts'
import type { ListRows } from './list-rows.svelte.ts'
import type { ReferenceIndex } from './references.svelte.ts'
import { type CellStep, type Step, UndoHistory } from './undo-history.svelte.ts'

/** Cells between two looks at the clock. */
const STRIDE = 64
const AT_WORK = 'Updating many cells…'
/** Of no more cells, all is drawn and counted anew in the turn that they were put in. */
const FEW = 1_000

/** One cell to be put; `null` takes the edit away. */
export interface CellEdit {
  readonly rowId: string
  readonly path: string
  readonly now: EditValue | null
}

/** A cell that could not take its value, and why. */
export interface Refusal {
  readonly rowId: string
  readonly path: string
  readonly because: string
}

/** What became of many edits. */
export interface Applied {
  readonly changed: number
  readonly refused: readonly Refusal[]
}

/** What became of undoing, or of doing again. */
export interface Replayed {
  /** What it does; `null` when there is nothing that can be. */
  readonly step: Step | null
  /** Why something stays as it is that would have come first; empty when nothing does. */
  readonly because: string
}

/** What editing needs from its list. */
export interface EditedList {
  readonly object: string
  readonly closedBecause: string
  readonly rows: ListRows
  readonly drafts: DraftStore
  readonly references: Pick<ReferenceIndex, 'find'>
  readonly column: (path: string) => PlannedColumn | undefined
  readonly words: (path: string) => string
}

export class ListEditing {
  readonly #list: EditedList
  readonly undoHistory = new UndoHistory()
  /** What changes many cells, until it has come to its end. */
  #running: Promise<unknown> | null = null

  constructor(list: EditedList) {
    this.#list = list
  }

  /** Whether many cells are being changed: until it is done, nothing else is begun. */
  get isAtWork(): boolean {
    return this.#running !== null
  }

  /** Waits until all that was begun is done. */
  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  /** Whether a cell may be changed now, and why not. */
  editability(rowId: string, path: string): Editability {
    if (this.isAtWork) return { editable: false, because: AT_WORK }
    return this.#right(rowId, path)
  }

  #right(rowId: string, path: string): Editability {
    const no = (because: string): Editability => ({ editable: false, because })
    const row = this.#list.rows.get(rowId)
    const column = this.#list.column(path)
    if (!row || !column) return no('There is nothing to change here.')
    if (this.#list.closedBecause !== '') return no(this.#list.closedBecause)
    const right = row.origin === 'new' ? column.forNew : column.forExisting
    if (!right.editable) return right
    const ambiguity = this.#list.rows.ambiguity(row)
    if (ambiguity !== '') return no(ambiguity)
    if (isLocked(this.#list.drafts.draft(rowId))) return no(this.#lockedBecause(rowId))
    if (memberOf(path) !== null && isGivenWhole(ownValue(row.record, topField(path))))
      return no('This record has a single value for it. Change it in the application.')
    return right
  }

  /** What was typed is taken back wherever it is not under way, also where nothing can be typed any more. */
  #takes({ rowId, path, now }: CellEdit): Editability {
    const isFree = now === null && !isLocked(this.#list.drafts.draft(rowId))
    return isFree ? { editable: true } : this.#right(rowId, path)
  }

  /** Whether a column may be filled in a record that is not there yet, and why not. */
  editabilityOfNew(path: string): Editability {
    const column = this.#list.column(path)
    if (this.#list.closedBecause !== '') return { editable: false, because: this.#list.closedBecause }
    return column?.forNew ?? { editable: false, because: 'There is nothing to change here.' }
  }

  #lockedBecause(rowId: string): string {
    const kind = this.#list.drafts.outcome(rowId).kind
    if (kind === 'held' || kind === 'meanwhile' || kind === 'deleted')
      return 'This row needs your decision first.'
    if (kind === 'unconfirmed') return 'The last change isn’t confirmed yet.'
    return 'This row is being sent.'
  }

  /**
   * Puts values into a few cells as one step that can be undone. Cells that can't take theirs are answered, with why.
   * What was typed into an editor that was open before many cells were changed is put all the same.
   */
  edit(edits: readonly CellEdit[]): readonly Refusal[] {
    return runToCompletion(this.#applying(edits, [])).refused
  }

  /**
   * The same for as many cells as there are, without a pause: what a frame or two is not enough for is done in turns.
   * @param begun new records that the step began, so that undoing it takes them away
   */
  apply(edits: readonly CellEdit[], begun: readonly string[] = []): Promise<Applied> {
    return this.#work(() => this.#applying(edits, begun))
  }

  /** One after the other, so that each step finds what the one before it left. */
  async #work<Made>(begin: () => Interruptible<Made>): Promise<Made> {
    // Where nothing is being changed this begins at once, and small work is done before the caller goes on.
    while (this.#running !== null) await this.#running
    const work = begin()
    const done = runFirstSlice(work)
    if (done) return done.value
    const running = runRemainingSlices(work).finally(() => (this.#running = null))
    this.#running = running.catch(() => undefined)
    return running
  }

  *#applying(asked: readonly CellEdit[], begun: readonly string[]): Interruptible<Applied> {
    // What asked for many, such as a dialog that closes, has had a turn of its own by then.
    if (asked.length > FEW) yield END_SLICE
    const edits = withParentsApart(asked, {
      lacksParent: (rowId) => this.#lacksParent(rowId),
      parent: (fullName) => this.#list.references.find('Parent', fullName),
    })
    const refused: Refusal[] = []
    const cells: CellStep[] = []
    for (let from = 0; from < edits.length; from += STRIDE) {
      const puts: CellEdit[] = []
      for (const { rowId, path, now } of edits.slice(from, from + STRIDE)) {
        const right = this.#takes({ rowId, path, now })
        if (right.editable) puts.push({ rowId, path, now: this.#withKnownId(path, now) })
        else refused.push({ rowId, path, because: right.because })
      }
      for (const cell of this.#put(puts)) cells.push(cell)
      if (from + STRIDE < edits.length) yield
    }
    this.undoHistory.add({ cells, begun })
    yield* this.#telling(cells)
    return { changed: cells.length, refused }
  }

  #put(edits: readonly CellEdit[]): readonly CellStep[] {
    const { drafts } = this.#list
    const cells = drafts.putAll(
      edits.flatMap(({ rowId, path, now }) => {
        const row = this.#list.rows.get(rowId)
        return row ? [{ row, path, now }] : []
      }),
    )
    // What is wrong with a draft is asked of all of them at the end: it is found out here, and remembered.
    for (const { rowId } of cells) drafts.outcome(rowId)
    return cells
  }

  /** Where the cells are many, what is drawn anew and what is counted anew are turns of their own. */
  *#telling(cells: readonly CellStep[]): Interruptible<void> {
    const { rows, drafts } = this.#list
    const { grid } = rows
    const rowIds = cells.map(({ rowId }) => rowId)
    if (cells.length <= FEW) grid?.refresh(rowIds)
    else {
      yield END_SLICE
      if (grid) yield* grid.refreshing(rowIds)
      yield END_SLICE
    }
    if (cells.length > 0) drafts.tell()
  }

  #lacksParent(rowId: string): boolean {
    const canHaveOne = this.#list.rows.get(rowId)?.origin === 'new' && this.#right(rowId, 'Parent').editable
    const parent = this.#list.drafts.draft(rowId)?.edits['Parent']?.now
    return canHaveOne && (parent === undefined || isEmpty(parent))
  }

  /** A name typed that some record has already is that very reference. */
  #withKnownId(path: string, now: EditValue | null): EditValue | null {
    if (now === null || typeof now === 'string' || isEmpty(now) || now.ID !== '') return now
    return this.#list.references.find(path, now.FullName) ?? now
  }

  /** Empties cells as Delete does: text and references; a boolean or an amount can't be emptied. */
  async clear(cells: readonly Omit<CellEdit, 'now'>[]): Promise<Applied> {
    const refused: Refusal[] = []
    const edits = cells.flatMap((cell): CellEdit[] => {
      const type = this.#list.column(cell.path)?.type
      const isNew = this.#list.rows.get(cell.rowId)?.origin === 'new'
      const right = this.editability(cell.rowId, cell.path)
      if (right.editable && !isNew && (type === 'boolean' || type === 'money')) {
        refused.push({ ...cell, because: `${this.#list.words(cell.path)} can’t be cleared.` })
        return []
      }
      return [{ ...cell, now: type === 'reference' ? EMPTY_REFERENCE : '' }]
    })
    const applied = await this.apply(edits)
    return { changed: applied.changed, refused: [...refused, ...applied.refused] }
  }

  revertCell(rowId: string, path: string): void {
    this.edit([{ rowId, path, now: null }])
  }

  /** Decides on what somebody changed in the application while the draft was here: `theirs` drops those edits. */
  resolveUnderneath(rowId: string, theirs: ReadonlySet<string>): void {
    const draft = this.#list.drafts.draft(rowId)
    const row = this.#list.rows.get(rowId)
    if (!draft || row?.origin !== 'read') return
    this.#list.drafts.change(rebased(this.#list.object, draft, row.record, theirs))
    this.undoHistory.forgetRows(new Set([rowId]))
    this.#list.rows.grid?.refresh([rowId])
  }

  /** Takes the last step back, but for what nobody may touch now. */
  undo(): Replayed {
    return this.#replay('undo', (step) => {
      this.#list.rows.restore(step.reverted ?? [])
      return () => this.#list.rows.removeNew(step.begun)
    })
  }

  redo(): Replayed {
    return this.#replay('redo', (step) => {
      this.#list.rows.addNew(step.begun, 'below-new')
      this.#list.rows.revert((step.reverted ?? []).map(({ row }) => row.rowId))
      return () => undefined
    })
  }

  /** @param rows does what the step does to rows, and answers what is left to be done to them after its cells */
  #replay(way: 'undo' | 'redo', rows: (step: Step) => () => void): Replayed {
    const { closedBecause, drafts } = this.#list
    const because = this.isAtWork ? AT_WORK : closedBecause
    if (because !== '') return { step: null, because }
    const { step, held } = this.undoHistory[way]((rowId) => isLocked(drafts.draft(rowId)))
    if (step) {
      const then = rows(step)
      void this.#work(() => this.#replaying(step, then))
    }
    return { step, because: held === null ? '' : this.#lockedBecause(held) }
  }

  *#replaying({ cells }: Step, then: () => void): Interruptible<void> {
    for (let from = 0; from < cells.length; from += STRIDE) {
      const some = cells.slice(from, from + STRIDE)
      this.#put(
        some.flatMap(({ rowId, path, after }) =>
          this.#takes({ rowId, path, now: after }).editable ? [{ rowId, path, now: after }] : [],
        ),
      )
      if (from + STRIDE < cells.length) yield
    }
    yield* this.#telling(cells)
    then()
  }
}

/*
 * A new record typed by its full name, `Alder:Porch`: a name holds no colon, so what stands before it goes into
 * **Parent**, where that is a record of the list. Else the name stays as typed, and is said (`problems.ts`).
 */

interface Surroundings {
  /** Whether the row is a new record that has no parent yet. */
  readonly lacksParent: (rowId: string) => boolean
  /** The record of that full name; `undefined` where there is none. */
  readonly parent: (fullName: string) => Reference | undefined
}

/** @returns the edits, with the parent of a full name as an edit of its own */
export function withParentsApart(edits: readonly CellEdit[], around: Surroundings): readonly CellEdit[] {
  const isFullName = ({ path, now }: CellEdit): boolean =>
    path === 'Name' && typeof now === 'string' && now.includes(':')
  if (!edits.some(isFullName)) return edits
  const given = new Set(
    edits.flatMap(({ rowId, path, now }) => (path === 'Parent' && hasValue(now) ? rowId : [])),
  )
  return edits.flatMap((edit) => {
    const { rowId, now } = edit
    if (!isFullName(edit) || typeof now !== 'string' || given.has(rowId) || !around.lacksParent(rowId))
      return [edit]
    const colon = now.lastIndexOf(':')
    const name = now.slice(colon + 1).trim()
    const parent = around.parent(now.slice(0, colon).trim())
    if (name === '' || parent === undefined) return [edit]
    return [
      { rowId, path: 'Parent', now: parent },
      { ...edit, now: name },
    ]
  })
}

function hasValue(now: CellEdit['now']): boolean {
  return now !== null && !isEmpty(now)
}
