/** Changing the cells of a list: what may be changed, putting values, emptying, undoing. */
import {
  EMPTY_REFERENCE,
  isEmpty,
  memberOf,
  topField,
  type EditValue,
  type RecordData,
} from '../../shared/changes.ts'
import type { Editability } from '../../shared/records.ts'
import type { RecordsList } from './records-list.svelte.ts'
import { isLocked, rebased } from './row-draft.ts'
import type { RecordRow } from './rows.ts'
import { UndoHistory, type CellStep, type Step } from './undo.svelte.ts'

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

export class ListEditing {
  readonly #list: RecordsList
  readonly undoHistory = new UndoHistory()

  constructor(list: RecordsList) {
    this.#list = list
  }

  /** Whether a cell may be changed now, and why not. */
  editability(rowId: string, path: string): Editability {
    const no = (because: string): Editability => ({ editable: false, because })
    const row = this.#list.row(rowId)
    const column = this.#list.column(path)
    if (!row || !column) return no('There is nothing to change here.')
    if (this.#list.closedBecause !== '') return no(this.#list.closedBecause)
    const right = row.origin === 'new' ? column.forNew : column.forExisting
    if (!right.editable) return right
    if (row.origin !== 'new' && row.recordId === '') {
      return no('The service gave this record no ID of its own, so it can’t be changed from here.')
    }
    if (isLocked(this.#list.book.draft(rowId))) return no(this.#lockedBecause(rowId))
    if (this.#hasParts(row, path)) return no('This value has parts that can’t be changed here.')
    return right
  }

  /** Whether a column may be filled in a record that is not there yet, and why not. */
  editabilityOfNew(path: string): Editability {
    const column = this.#list.column(path)
    if (this.#list.closedBecause !== '') return { editable: false, because: this.#list.closedBecause }
    return column?.forNew ?? { editable: false, because: 'There is nothing to change here.' }
  }

  #lockedBecause(rowId: string): string {
    const kind = this.#list.book.outcome(rowId).kind
    if (kind === 'held' || kind === 'meanwhile') return 'Decide first on what became of the last change.'
    if (kind === 'unconfirmed') return 'It is not known yet whether the last change was saved.'
    return 'This row is being sent.'
  }

  /** Text fields that hold an object or a list as they came: typing would replace it by text. */
  #hasParts(row: RecordRow, path: string): boolean {
    if (this.#list.column(path)?.type !== 'text') return false
    const member = memberOf(path)
    const top = row.record[topField(path)]
    const parts = typeof top === 'object' && top !== null ? (top as RecordData) : {}
    const value = member === null ? top : parts[member]
    return typeof value === 'object' && value !== null
  }

  /** Puts values into cells as one step that can be undone. Cells that can't take theirs are answered, with why. */
  edit(edits: readonly CellEdit[]): readonly Refusal[] {
    return this.apply(edits).refused
  }

  /**
   * The same with how many cells have another value now.
   * @param begun new records that the step began, so that undoing it takes them away
   */
  apply(edits: readonly CellEdit[], begun: readonly string[] = []): Applied {
    const refused: Refusal[] = []
    const puts: CellEdit[] = []
    for (const { rowId, path, now } of edits) {
      const right = this.editability(rowId, path)
      if (right.editable) puts.push({ rowId, path, now: this.#withKnownId(path, now) })
      else refused.push({ rowId, path, because: right.because })
    }
    const cells = this.#put(puts)
    this.undoHistory.add({ cells, begun })
    this.#list.grid?.refresh(cells.map((cell) => cell.rowId))
    return { changed: cells.length, refused }
  }

  #put(edits: readonly CellEdit[]): readonly CellStep[] {
    return this.#list.book.putAll(
      edits.flatMap(({ rowId, path, now }) => {
        const row = this.#list.row(rowId)
        return row ? [{ row, path, now }] : []
      }),
    )
  }

  /** A name typed that some record has already is that very reference. */
  #withKnownId(path: string, now: EditValue | null): EditValue | null {
    if (now === null || typeof now === 'string' || isEmpty(now) || now.ID !== '') return now
    return this.#list.references.find(path, now.FullName) ?? now
  }

  /** Empties cells as Delete does: text and references; a boolean or an amount can't be emptied. */
  clear(cells: readonly Omit<CellEdit, 'now'>[]): Applied {
    const refused: Refusal[] = []
    const edits = cells.flatMap((cell): CellEdit[] => {
      const type = this.#list.column(cell.path)?.type
      const isNew = this.#list.row(cell.rowId)?.origin === 'new'
      const right = this.editability(cell.rowId, cell.path)
      if (right.editable && !isNew && (type === 'boolean' || type === 'money')) {
        refused.push({ ...cell, because: `${this.#list.words(cell.path)} can’t be emptied.` })
        return []
      }
      return [{ ...cell, now: type === 'reference' ? EMPTY_REFERENCE : '' }]
    })
    const applied = this.apply(edits)
    return { changed: applied.changed, refused: [...refused, ...applied.refused] }
  }

  revertCell(rowId: string, path: string): void {
    this.edit([{ rowId, path, now: null }])
  }

  /** Decides on what somebody changed in the application while the draft was here: `theirs` drops those edits. */
  resolveUnderneath(rowId: string, theirs: ReadonlySet<string>): void {
    const draft = this.#list.book.draft(rowId)
    const row = this.#list.row(rowId)
    if (!draft || row?.origin !== 'read') return
    this.#list.book.change(rebased(this.#list.object, draft, row.record, theirs))
    this.undoHistory.forgetRows(new Set([rowId]))
    this.#list.grid?.refresh([rowId])
  }

  undo(): Step | null {
    const step = this.undoHistory.undo()
    if (!step) return null
    this.#replay(step)
    this.#list.forgetBegun(step.begun)
    return step
  }

  redo(): Step | null {
    const step = this.undoHistory.redo()
    if (!step) return null
    this.#list.begin(step.begun)
    this.#replay(step)
    return step
  }

  #replay({ cells }: Step): void {
    this.#put(
      cells.flatMap(({ rowId, path, after }) =>
        this.editability(rowId, path).editable ? [{ rowId, path, now: after }] : [],
      ),
    )
    this.#list.grid?.refresh(cells.map((cell) => cell.rowId))
  }
}
