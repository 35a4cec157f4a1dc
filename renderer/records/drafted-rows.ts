/** Rows of a list that stand there for their drafts: new records are begun and taken away, drafts reverted and put back. */
import type { DraftBook } from './draft-book.svelte.ts'
import type { NewPlace } from './grid-port.ts'
import type { ListRows } from './list-rows.svelte.ts'
import { isLocked, rowIdOf } from './row-draft.ts'
import type { RecordRow } from './rows.ts'
import type { RevertedRow } from './undo.svelte.ts'

export class DraftedRows {
  readonly #rows: ListRows
  readonly #book: DraftBook

  constructor(rows: ListRows, book: DraftBook) {
    this.#rows = rows
    this.#book = book
  }

  /**
   * Begins new records, in this order; their row ids are made by the caller.
   * @param place on top of the list, or below those that are new already, where a block that goes on beyond one goes on
   */
  begin(rowIds: readonly string[], place: NewPlace): void {
    if (rowIds.length === 0) return
    const rows = rowIds.map((rowId): RecordRow => ({ rowId, recordId: '', record: {}, origin: 'new' }))
    this.#rows.addNew(rows, place)
    this.#book.begin(rows)
  }

  /** Takes new records away again, with all that was typed into them. */
  forgetBegun(rowIds: readonly string[]): void {
    const gone = rowIds.filter((rowId) => {
      const draft = this.#book.draft(rowId)
      return draft?.kind === 'insert' && !isLocked(draft)
    })
    for (const rowId of gone) this.#book.remove(rowId)
    this.#rows.remove(gone)
  }

  /** Takes drafts away, and the rows that stand there only for them. @returns what `putBack` puts back */
  takeBack(rowIds: Iterable<string>): readonly RevertedRow[] {
    const reverted: RevertedRow[] = []
    for (const rowId of rowIds) {
      const [row, draft] = [this.#rows.get(rowId), this.#book.draft(rowId)]
      if (row && draft && !isLocked(draft)) reverted.push({ row, draft })
    }
    for (const { row } of reverted) this.#book.remove(row.rowId)
    this.#rows.remove(reverted.flatMap(({ row }) => (row.origin === 'read' ? [] : [row.rowId])))
    this.#refresh(reverted)
    return reverted
  }

  /** Puts drafts back as they were; what was read again meanwhile stays as it was read. */
  putBack(reverted: readonly RevertedRow[]): void {
    const missing = reverted.flatMap(({ row }): RecordRow[] => {
      if (this.#rows.get(row.rowId)) return []
      return [row.origin === 'read' ? { ...row, origin: 'kept' } : row]
    })
    for (const { row, draft } of reverted) {
      if (!this.#book.draft(row.rowId)) this.#book.change(draft)
    }
    this.#rows.keep(missing)
    this.#refresh(reverted)
  }

  /**
   * Drafts whose records are not in the list stand there all the same; rows that were only kept for one go with it.
   * @param before rows that had something to say before
   */
  keep(before: ReadonlySet<string>): void {
    this.#rows.remove(
      [...before].filter((rowId) => {
        const row = this.#rows.get(rowId)
        return row !== undefined && row.origin !== 'read' && !this.#book.draft(rowId)
      }),
    )
    const kept: RecordRow[] = []
    for (const draft of this.#book.drafts) {
      const rowId = rowIdOf(draft)
      if (this.#rows.get(rowId)) continue
      const origin = draft.kind === 'insert' ? 'new' : 'kept'
      kept.push({ rowId, recordId: draft.recordId, record: draft.before, origin })
    }
    this.#rows.keep(kept)
  }

  #refresh(reverted: readonly RevertedRow[]): void {
    this.#rows.grid?.refresh(reverted.map(({ row }) => row.rowId))
  }
}
