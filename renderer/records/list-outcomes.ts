/** What became of what was sent of a list, taken into its rows: saved records, refusals, and decisions on the others. */
import type { EventPayload } from '../../shared/contract.ts'
import type { Operation } from '../../shared/contract/records.ts'
import { mergedRecord, withValueAt } from '../../shared/merged-record.ts'
import type { RecordsList } from './records-list.svelte.ts'
import { rowIdOf, savedRecordIdOf, savedRowIdOf } from './row-draft.ts'
import type { RecordRow } from './rows.ts'
import type { Decision } from './sending.svelte.ts'

export class ListOutcomes {
  readonly #list: RecordsList

  constructor(list: RecordsList) {
    this.#list = list
  }

  /** Takes up what the main process reports of this list. */
  report({ operations, batch }: Pick<EventPayload<'records.changed'>, 'operations' | 'batch'>): void {
    const { book, drafted, editing, sending, grid } = this.#list
    const saved: string[] = []
    for (const operation of operations) {
      if (operation.state === 'acked') saved.push(this.#saved(operation))
      else book.report(operation)
    }
    if (!this.#list.reader.isFilling) drafted.keep(new Set())
    // What is in the books is changed back from there; what was refused is a draft as before.
    editing.undoHistory.forgetRows(new Set(operations.filter(({ state }) => state === 'acked').map(rowIdOf)))
    grid?.refresh(operations.map(rowIdOf))
    if (saved.length > 0) grid?.flash(saved)
    if (batch) sending.report(batch)
  }

  /** Takes a decision on what became of a change, and what is known by it into the row. */
  async decide(rowId: string, operation: Operation, decision: Decision): Promise<void> {
    const list = this.#list
    if (!(await list.sending.decide(operation.operationId, decision))) return
    if (decision.what === 'choose') this.#learn(rowId, operation.conflicts)
    if (decision.what === 'seen') list.book.clearSaved(rowId)
    // What the draft is from now on was not typed.
    if (decision.what !== 'send-again') list.editing.undoHistory.forgetRows(new Set([rowId]))
    list.grid?.refresh([rowId])
  }

  /** The record takes what the service answered; a new one gets its own id. */
  #saved(operation: Operation): string {
    const { book } = this.#list
    const oldId = rowIdOf(operation)
    const before = this.#list.row(oldId)
    const recordId = savedRecordIdOf(operation)
    const merged = mergedRecord(before?.record ?? {}, operation)
    // An answer may leave the ID out, or empty.
    const record = recordId === '' ? merged : withValueAt(merged, 'ID', recordId)
    const row: RecordRow = { rowId: savedRowIdOf(operation), recordId, record, origin: 'read' }
    book.settle(operation, row.rowId)
    if (before) this.#list.replace(oldId, row)
    this.#list.references.clear()
    return row.rowId
  }

  /** What was found in the books when a change was about to be sent stands in the row from now on. */
  #learn(rowId: string, found: Operation['conflicts']): void {
    const before = this.#list.row(rowId)
    if (before?.origin !== 'read') return
    let { record } = before
    for (const { path, theirs } of found) {
      if (theirs !== null) record = withValueAt(record, path, theirs)
    }
    this.#list.replace(rowId, { ...before, record })
    this.#list.references.clear()
  }
}
