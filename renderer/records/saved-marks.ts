/** What was saved in this visit: the marks of its rows, until they are cleared. */
import type { RecordData } from '../../shared/changes.ts'
import type { Operation } from '../../shared/contract/records.ts'
import { isSavedAsSent, savedMark, type SavedMark } from './row-outcome.ts'

export class SavedMarks {
  readonly #marks = new Map<string, SavedMark>()

  of(rowId: string): SavedMark | undefined {
    return this.#marks.get(rowId)
  }

  get rowIds(): Iterable<string> {
    return this.#marks.keys()
  }

  /** @param before the record as it was when it was sent */
  add(rowId: string, operation: Operation, before: RecordData): void {
    this.#marks.set(rowId, savedMark(operation, before))
  }

  /** All of those that are as they were sent. */
  clearAsSent(): void {
    for (const [rowId, { operation }] of this.#marks) if (isSavedAsSent(operation)) this.#marks.delete(rowId)
  }

  /** One that has been looked at. */
  clear(rowId: string): void {
    this.#marks.delete(rowId)
  }

  /** What was changed by them, field by field. */
  changes(): Operation['edits'] {
    return [...this.#marks.values()].flatMap(({ operation }) => operation.edits)
  }
}
