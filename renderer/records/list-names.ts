/** What the rows of a list are called, as they will be: records by their own full names, drafted ones as was typed. */
import { NameIndex } from './name-index.ts'
import { draftFullName, touchesName } from './problems.ts'
import type { RowDraft } from './row-draft.ts'
import { recordName, type RecordRow } from './rows.ts'
import type { Interruptible } from './turns.ts'

interface Ports {
  readonly object: string
  /** The row as the list has it now. */
  readonly row: (rowId: string) => RecordRow | undefined
}

export class ListNames {
  readonly #ports: Ports
  readonly index = new NameIndex()
  /** The full name that a drafted row has in the index, where it is not its record's. */
  readonly #drafted = new Map<string, string>()

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** Looks into the names of a long list, so that the next question costs nothing. */
  prepare(): Interruptible<void> {
    return this.index.prepare()
  }

  /** Whether a row is in the index by what was typed. */
  isDrafted(rowId: string): boolean {
    return this.#drafted.has(rowId)
  }

  /** The names that rows of the list have by themselves. */
  addNames(rows: readonly RecordRow[]): void {
    this.index.addLater(rows.filter((row) => row.origin === 'read' && !this.#drafted.has(row.rowId)))
  }

  /** Other rows are coming: only what drafts are called is still in use. */
  forgetNames(): void {
    this.index.clear()
    for (const [rowId, name] of this.#drafted) this.index.add(name, rowId)
  }

  /** A record has other content now. */
  renameRecord(row: RecordRow, before: RecordRow | undefined): void {
    if (before) this.index.remove(recordName(before.record), before.rowId)
    this.index.add(recordName(row.record), row.rowId)
  }

  /** A record is gone from the list; what a draft of it is called stays. */
  forgetRecord(row: RecordRow): void {
    if (!this.#drafted.has(row.rowId)) this.index.remove(recordName(row.record), row.rowId)
  }

  /** A row will be called as its draft says; without one, or where that leaves the name alone, as its record. */
  follow(rowId: string, draft: RowDraft | undefined): void {
    const row = this.#ports.row(rowId)
    const own = row?.origin === 'read' ? recordName(row.record) : ''
    const before = this.#drafted.get(rowId) ?? own
    const drafted = draft && touchesName(draft) ? draftFullName(this.#ports.object, draft) : null
    if (drafted === null) this.#drafted.delete(rowId)
    else this.#drafted.set(rowId, drafted)
    this.index.remove(before, rowId)
    this.index.add(drafted ?? own, rowId)
  }
}
