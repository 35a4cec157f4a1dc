/** Edits the cells of a list: checks what can be changed, sets and clears values, undoes and redoes. */
import {
  type EditValue,
  EMPTY_REFERENCE,
  isEmpty,
  isSingleValue,
  memberOf,
  ownValue,
  type Reference,
  topField,
} from '../../../shared/records/changes.ts'
import type { Editability } from '../../../shared/records/fields.ts'
import type { ListDrafts } from '../drafts/list-drafts.svelte.ts'
import { isLocked, rebased } from '../drafts/row-draft.ts'
import type { PlannedColumn } from '../grid/columns/plan.ts'
import type { ListRows } from './list-rows.svelte.ts'
import type { ReferenceIndex } from './references.svelte.ts'
import {
  END_SLICE,
  type Interruptible,
  runFirstSlice,
  runRemainingSlices,
  runToCompletion,
} from './time-slice.ts'
import { type CellStep, UndoHistory, type UndoStep } from './undo-history.svelte.ts'

/** Cells per step of work that yields between steps. */
const CELLS_PER_STEP = 64
const BUSY_REASON = 'Updating many cells…'
/** Up to this many cells, drawing and counting happen in the same slice as the edit. */
const SMALL_EDIT = 1_000

/** A new value for one cell; `null` reverts the cell. */
export interface CellEdit {
  readonly rowId: string
  readonly path: string
  readonly now: EditValue | null
}

/** A cell that couldn't be edited, and why. */
export interface Refusal {
  readonly rowId: string
  readonly path: string
  readonly reason: string
}

/** The result of editing many cells. */
export interface EditResult {
  readonly changed: number
  readonly refused: readonly Refusal[]
}

/** The result of undo or redo. */
export interface ReplayResult {
  /** The step; `null` if there is nothing to undo or redo. */
  readonly step: UndoStep | null
  /** Why a more recent step was skipped; empty if none was. */
  readonly reason: string
}

/** The parts of a list that editing needs. */
export interface EditableList {
  readonly object: string
  readonly closedReason: string
  readonly rows: ListRows
  readonly drafts: ListDrafts
  readonly references: Pick<ReferenceIndex, 'find'>
  readonly column: (path: string) => PlannedColumn | undefined
  readonly fieldLabel: (path: string) => string
}

export class ListEditing {
  readonly #list: EditableList
  readonly undoHistory = new UndoHistory()
  /** The long-running edit, if any. */
  #running: Promise<unknown> | null = null

  constructor(list: EditableList) {
    this.#list = list
  }

  /** Whether a long edit is running. No other edit can start until it is done. */
  get isBusy(): boolean {
    return this.#running !== null
  }

  /** Waits until all running edits are done. */
  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  /** Says whether a cell can be changed now, and if not, why. */
  editability(rowId: string, path: string): Editability {
    if (this.isBusy) return { editable: false, reason: BUSY_REASON }
    return this.#cellEditability(rowId, path)
  }

  #cellEditability(rowId: string, path: string): Editability {
    const no = (reason: string): Editability => ({ editable: false, reason })
    const row = this.#list.rows.get(rowId)
    const column = this.#list.column(path)
    if (!row || !column) return no('There is nothing to change here.')
    if (this.#list.closedReason !== '') return no(this.#list.closedReason)
    const editability = row.origin === 'new' ? column.forNew : column.forExisting
    if (!editability.editable) return editability
    const ambiguity = this.#list.rows.ambiguity(row)
    if (ambiguity !== '') return no(ambiguity)
    if (isLocked(this.#list.drafts.draft(rowId))) return no(this.#lockedReason(rowId))
    if (memberOf(path) !== null && isSingleValue(ownValue(row.record, topField(path))))
      return no('This record has a single value for it. Change it in the application.')
    return editability
  }

  /** An edit can be reverted unless it is being sent, even in a cell that can't be edited anymore. */
  #accepts({ rowId, path, now }: CellEdit): Editability {
    const isFree = now === null && !isLocked(this.#list.drafts.draft(rowId))
    return isFree ? { editable: true } : this.#cellEditability(rowId, path)
  }

  /** Says whether a column can be filled in a new record, and if not, why. */
  editabilityInNewRecord(path: string): Editability {
    const column = this.#list.column(path)
    if (this.#list.closedReason !== '') return { editable: false, reason: this.#list.closedReason }
    return column?.forNew ?? { editable: false, reason: 'There is nothing to change here.' }
  }

  #lockedReason(rowId: string): string {
    const kind = this.#list.drafts.outcome(rowId).kind
    if (kind === 'decision' || kind === 'changed-meanwhile' || kind === 'deleted')
      return 'This row needs your decision first.'
    if (kind === 'not-confirmed') return 'The last change isn’t confirmed yet.'
    return 'This row is being sent.'
  }

  /**
   * Edits a few cells as one undoable step and returns the cells that couldn't be edited. Text from an editor
   * that was already open is accepted even while a long edit is running.
   */
  edit(edits: readonly CellEdit[]): readonly Refusal[] {
    return runToCompletion(this.#applyInSlices(edits, [])).refused
  }

  /**
   * Edits any number of cells as one undoable step. More than a frame or two of work is done in time slices.
   * @param begun new records that the step created; undoing it removes them
   */
  apply(edits: readonly CellEdit[], begun: readonly string[] = []): Promise<EditResult> {
    return this.#runInTurn(() => this.#applyInSlices(edits, begun))
  }

  /** Runs edits one after another, so that each starts from the result of the previous one. */
  async #runInTurn<Made>(begin: () => Interruptible<Made>): Promise<Made> {
    // If nothing is running, this starts immediately, and a small edit is done before the caller continues.
    while (this.#running !== null) await this.#running
    const work = begin()
    const done = runFirstSlice(work)
    if (done) return done.value
    const running = runRemainingSlices(work).finally(() => (this.#running = null))
    this.#running = running.catch(() => undefined)
    return running
  }

  *#applyInSlices(asked: readonly CellEdit[], begun: readonly string[]): Interruptible<EditResult> {
    // The dialog that started a large edit can close first.
    if (asked.length > SMALL_EDIT) yield END_SLICE
    const edits = splitParentNames(asked, {
      lacksParent: (rowId) => this.#lacksParent(rowId),
      parent: (fullName) => this.#list.references.find('Parent', fullName),
    })
    const refused: Refusal[] = []
    const cells: CellStep[] = []
    for (let from = 0; from < edits.length; from += CELLS_PER_STEP) {
      const puts: CellEdit[] = []
      for (const { rowId, path, now } of edits.slice(from, from + CELLS_PER_STEP)) {
        const editability = this.#accepts({ rowId, path, now })
        if (editability.editable) puts.push({ rowId, path, now: this.#withKnownId(path, now) })
        else refused.push({ rowId, path, reason: editability.reason })
      }
      for (const cell of this.#put(puts)) cells.push(cell)
      if (from + CELLS_PER_STEP < edits.length) yield
    }
    this.undoHistory.add({ cells, begun })
    yield* this.#redraw(cells)
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
    // Compute and cache the problems of each draft here, because all of them are read at the end.
    for (const { rowId } of cells) drafts.outcome(rowId)
    return cells
  }

  /** Redraws and recounts. If there are many cells, each of the two gets its own slices. */
  *#redraw(cells: readonly CellStep[]): Interruptible<void> {
    const { rows, drafts } = this.#list
    const { grid } = rows
    const rowIds = cells.map(({ rowId }) => rowId)
    if (cells.length <= SMALL_EDIT) grid?.refresh(rowIds)
    else {
      yield END_SLICE
      if (grid) yield* grid.refreshing(rowIds)
      yield END_SLICE
    }
    if (cells.length > 0) drafts.tell()
  }

  #lacksParent(rowId: string): boolean {
    const canHaveOne =
      this.#list.rows.get(rowId)?.origin === 'new' && this.#cellEditability(rowId, 'Parent').editable
    const parent = this.#list.drafts.draft(rowId)?.edits['Parent']?.now
    return canHaveOne && (parent === undefined || isEmpty(parent))
  }

  /** Adds the ID to a typed name that the list knows. */
  #withKnownId(path: string, now: EditValue | null): EditValue | null {
    if (now === null || typeof now === 'string' || isEmpty(now) || now.ID !== '') return now
    return this.#list.references.find(path, now.FullName) ?? now
  }

  /** Clears cells as the Delete key does. Amounts and yes/no fields of existing records can't be cleared. */
  async clear(cells: readonly Omit<CellEdit, 'now'>[]): Promise<EditResult> {
    const refused: Refusal[] = []
    const edits = cells.flatMap((cell): CellEdit[] => {
      const type = this.#list.column(cell.path)?.type
      const isNew = this.#list.rows.get(cell.rowId)?.origin === 'new'
      const editability = this.editability(cell.rowId, cell.path)
      if (editability.editable && !isNew && (type === 'boolean' || type === 'money')) {
        refused.push({ ...cell, reason: `${this.#list.fieldLabel(cell.path)} can’t be cleared.` })
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

  /**
   * Reverts all edits in these rows as one step, and removes new rows.
   * @returns the number of reverted rows
   */
  revertRows(rowIds: Iterable<string>): number {
    const reverted = this.#list.rows.revert(rowIds)
    this.undoHistory.add({ cells: [], begun: [], reverted })
    return reverted.length
  }

  /**
   * Resolves changes that someone made in the application while the draft was open. Edits at the paths in
   * `theirs` are dropped.
   */
  resolveUnderneath(rowId: string, theirs: ReadonlySet<string>): void {
    const draft = this.#list.drafts.draft(rowId)
    const row = this.#list.rows.get(rowId)
    if (!draft || row?.origin !== 'read') return
    this.#list.drafts.change(rebased(this.#list.object, draft, row.record, theirs))
    this.undoHistory.forgetRows(new Set([rowId]))
    this.#list.rows.grid?.refresh([rowId])
  }

  /**
   * Undoes the last step, except for locked rows.
   * @param before called with the step before its cells change
   */
  undo(before?: (step: UndoStep) => void): ReplayResult {
    return this.#replay('undo', (step) => {
      before?.(step)
      this.#list.rows.restore(step.reverted ?? [])
      return () => this.#list.rows.removeNew(step.begun)
    })
  }

  /** Redoes the step that was undone last, in the same way. */
  redo(before?: (step: UndoStep) => void): ReplayResult {
    return this.#replay('redo', (step) => {
      before?.(step)
      this.#list.rows.addNew(step.begun, 'below-new')
      this.#list.rows.revert((step.reverted ?? []).map(({ row }) => row.rowId))
      return () => undefined
    })
  }

  /** @param rows applies the step to the rows and returns what remains to be done after the cells are edited */
  #replay(way: 'undo' | 'redo', rows: (step: UndoStep) => () => void): ReplayResult {
    const { closedReason, drafts } = this.#list
    const reason = this.isBusy ? BUSY_REASON : closedReason
    if (reason !== '') return { step: null, reason }
    const { step, held } = this.undoHistory[way]((rowId) => isLocked(drafts.draft(rowId)))
    if (step) {
      const then = rows(step)
      void this.#runInTurn(() => this.#replayInSlices(step, then))
    }
    return { step, reason: held === null ? '' : this.#lockedReason(held) }
  }

  *#replayInSlices({ cells }: UndoStep, then: () => void): Interruptible<void> {
    for (let from = 0; from < cells.length; from += CELLS_PER_STEP) {
      const some = cells.slice(from, from + CELLS_PER_STEP)
      this.#put(
        some.flatMap(({ rowId, path, after }) =>
          this.#accepts({ rowId, path, now: after }).editable ? [{ rowId, path, now: after }] : [],
        ),
      )
      if (from + CELLS_PER_STEP < cells.length) yield
    }
    yield* this.#redraw(cells)
    then()
  }
}

/*
 * A new record can be typed by its full name, `Alder:Porch`. Names can't contain a colon, so the part before it
 * is moved to **Parent** if the list has that record. Otherwise, the name stays as typed and is reported as a
 * problem (`problems.ts`).
 */

interface ParentLookup {
  /** Whether the row is a new record without a parent. */
  readonly lacksParent: (rowId: string) => boolean
  /** Finds the record with a full name; `undefined` if there is none. */
  readonly parent: (fullName: string) => Reference | undefined
}

/**
 * Moves the parent part of full names to an edit of its own.
 * @internal
 */
export function splitParentNames(edits: readonly CellEdit[], lookup: ParentLookup): readonly CellEdit[] {
  const isFullName = ({ path, now }: CellEdit): boolean =>
    path === 'Name' && typeof now === 'string' && now.includes(':')
  if (!edits.some(isFullName)) return edits
  const given = new Set(
    edits.flatMap(({ rowId, path, now }) => (path === 'Parent' && hasValue(now) ? rowId : [])),
  )
  return edits.flatMap((edit) => {
    const { rowId, now } = edit
    if (!isFullName(edit) || typeof now !== 'string' || given.has(rowId) || !lookup.lacksParent(rowId))
      return [edit]
    const colon = now.lastIndexOf(':')
    const name = now.slice(colon + 1).trim()
    const parent = lookup.parent(now.slice(0, colon).trim())
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
