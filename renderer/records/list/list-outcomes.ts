/** Applies the outcomes of sent changes to the rows of a list: saved records, rejections, and the user's decisions. */
import type { EventPayload } from '../../../shared/contract/contract.ts'
import type { Decision, Operation } from '../../../shared/contract/records.ts'
import type { Format } from '../../../shared/format/format.ts'
import type { RecordData } from '../../../shared/records/changes.ts'
import { mergedRecord, withValueAt } from '../../../shared/records/outcome.ts'
import type { ListDrafts } from '../drafts/list-drafts.svelte.ts'
import { rowIdOf, savedRecordIdOf, savedRowIdOf } from '../drafts/row-draft.ts'
import type { Sending } from '../drafts/sending.svelte.ts'
import { formatOutcome } from '../outcome/outcome.ts'
import type { ListEditing } from './editing.svelte.ts'
import type { ListRows } from './list-rows.svelte.ts'
import type { ListReader } from './reader.svelte.ts'
import type { ReferenceIndex } from './references.svelte.ts'
import type { RecordRow } from './rows.ts'

interface SentList {
  readonly drafts: ListDrafts
  readonly fieldLabel: (path: string) => string
  readonly editing: ListEditing
  readonly reader: ListReader
  readonly references: ReferenceIndex
  readonly rows: ListRows
  readonly sending: Sending
}

export class ListOutcomes {
  readonly #list: SentList
  readonly #reported = new Set<string>()

  constructor(list: SentList) {
    this.#list = list
  }

  /** Handles an event from the main process about this list. */
  report({ operations, batch }: Pick<EventPayload<'records.changed'>, 'operations' | 'batch'>): void {
    const { drafts, rows, editing, sending } = this.#list
    const saved: string[] = []
    for (const operation of operations) {
      this.#reported.add(operation.operationId)
      if (operation.state === 'acked') saved.push(this.#saved(operation))
      else drafts.report(operation)
    }
    if (!this.#list.reader.isFilling) rows.keepDrafted(new Set())
    // Saved changes are undone through the history. Rejected ones are drafts again.
    editing.undoHistory.forgetRows(new Set(operations.filter(({ state }) => state === 'acked').map(rowIdOf)))
    rows.grid?.refresh(operations.map(rowIdOf))
    if (saved.length > 0) rows.grid?.flash(saved)
    if (batch) sending.report(batch)
  }

  /**
   * Applies earlier outcomes to a saved copy of the list, without marking the rows.
   * @param operations oldest first
   */
  replay(operations: readonly Operation[]): void {
    const { rows } = this.#list
    const merge = rows.merge()
    for (const operation of operations) {
      // Its row is already up to date.
      if (this.#reported.has(operation.operationId)) continue
      const before = rows.get(savedRowIdOf(operation))
      // The record of a change that isn't in the list was deleted or merged since.
      if (before === undefined && operation.kind === 'change') continue
      merge.take([savedRow(operation, before?.record ?? {})])
    }
    this.#list.reader.countRecords(merge.added)
    if (merge.added + merge.changed.size > 0) this.#list.references.clear()
  }

  /**
   * Checks an unconfirmed change again. Its row shows that it is being checked.
   * @param say announces the start and the result to screen readers
   */
  async checkNow(
    rowId: string,
    operationId: string,
    say: (message: string) => void,
    format: Format,
  ): Promise<void> {
    const { drafts, fieldLabel, rows, sending } = this.#list
    if (sending.checking.has(operationId)) return
    const checked = sending.checkNow(operationId)
    rows.grid?.refresh([rowId])
    say('Checking…')
    await checked
    rows.grid?.refresh([rowId])
    const { whole } = formatOutcome(drafts.outcome(rowId), fieldLabel, format)
    if (whole !== '') say(whole)
  }

  /** Sends the user's decision about a change and updates the row with what it shows about the record. */
  async decide(rowId: string, operation: Operation, decision: Decision): Promise<void> {
    const list = this.#list
    if (!(await list.sending.decide(operation.operationId, decision))) return
    if (decision.what === 'choose') this.#learn(rowId, operation.conflicts)
    if (decision.what === 'seen') list.drafts.clearSaved(rowId)
    // The draft is no longer what was typed, so it can't be undone.
    if (decision.what !== 'send-again') list.editing.undoHistory.forgetRows(new Set([rowId]))
    list.rows.grid?.refresh([rowId])
  }

  /** Discards the edits of a deleted record and removes its row. */
  async discardDeleted(rowId: string): Promise<void> {
    const { drafts, editing, reader, rows } = this.#list
    const operation = drafts.draft(rowId)?.operation ?? null
    if (operation !== null) await this.decide(rowId, operation, { what: 'discard' })
    else editing.revertRows([rowId])
    if (!drafts.draft(rowId) && rows.removeDeleted(rowId)) reader.countRecords(-1)
  }

  /** Updates the record with the service's response. A new record gets its ID. */
  #saved(operation: Operation): string {
    const { drafts, reader } = this.#list
    const oldId = rowIdOf(operation)
    const before = this.#list.rows.get(oldId)
    if (before?.origin === 'new') reader.countRecords(1)
    const row = savedRow(operation, before?.record ?? {})
    drafts.settle(operation, row.rowId)
    if (before) this.#list.rows.replace(before, row)
    this.#list.references.clear()
    return row.rowId
  }

  /** Updates the row with the values that were found in the books before sending. */
  #learn(rowId: string, found: Operation['conflicts']): void {
    const before = this.#list.rows.get(rowId)
    if (before?.origin !== 'read') return
    let { record } = before
    for (const { path, theirs } of found) {
      if (theirs !== null) record = withValueAt(record, path, theirs)
    }
    this.#list.rows.replace(before, { rowId, recordId: before.recordId, record, origin: 'read' })
    this.#list.references.clear()
    // Whether a draft has a problem depends on its record.
    this.#list.drafts.tell()
  }
}

function savedRow(operation: Operation, before: RecordData): RecordRow {
  const recordId = savedRecordIdOf(operation)
  const merged = mergedRecord(before, operation)
  // A response may omit the ID or leave it empty.
  const record = recordId === '' ? merged : withValueAt(merged, 'ID', recordId)
  return { rowId: savedRowIdOf(operation), recordId, record, origin: 'read' }
}
