/** The draft of one row as an immutable value, with pure functions. */
import type { Draft, Operation } from '../../../shared/contract/records.ts'
import {
  type Edits,
  type EditValue,
  ownValue,
  pathType,
  type RecordData,
  sameValue,
  valueAt,
  withEdit,
  withoutEdit,
} from '../../../shared/records/changes.ts'
import type { RecordRow } from '../list/rows.ts'

export interface RowDraft {
  readonly draftId: string
  readonly kind: 'insert' | 'change'
  /** Empty for a new record. */
  readonly recordId: string
  /** The record as read when the first edit was made; empty for a new one. */
  readonly before: RecordData
  readonly edits: Edits
  /** Whether **Undo…** created it to revert an earlier change. */
  readonly undoes: boolean
  /** Whether it comes from a restored older database and may have been sent since. */
  readonly isStale: boolean
  /** The unfinished operation, if it was sent. */
  readonly operation: Operation | null
}

/** Returns the ID of a draft's row. */
export function rowIdOf(draft: Pick<RowDraft, 'draftId' | 'kind' | 'recordId'>): string {
  return draft.kind === 'insert' ? draft.draftId : draft.recordId
}

/** Returns the ID of a saved record. A new record has one by then, unless the response doesn't contain it. */
export function savedRecordIdOf({ after, recordId }: Pick<Operation, 'after' | 'recordId'>): string {
  const id = ownValue(after ?? {}, 'ID')
  return (typeof id === 'string' && id) || recordId
}

/** Returns the row ID of a saved record. */
export function savedRowIdOf(operation: Operation): string {
  return savedRecordIdOf(operation) || rowIdOf(operation)
}

export function fromStored(draft: Draft): RowDraft {
  const { draftId, kind, recordId, before, undoes, isStale, operation } = draft
  const edits = Object.fromEntries(draft.edits.map((edit) => [edit.path, edit]))
  return { draftId, kind, recordId, before, edits, undoes, isStale, operation }
}

/** Creates an empty draft for a row. */
export function draftFor(row: RecordRow, draftId: string): RowDraft {
  const isNew = row.origin === 'new'
  return {
    draftId: isNew ? row.rowId : draftId,
    kind: isNew ? 'insert' : 'change',
    recordId: row.recordId,
    before: isNew ? {} : row.record,
    edits: {},
    undoes: false,
    isStale: false,
    operation: null,
  }
}

/** Sets a value. Editing a rejected field clears the rejection, because the new value wasn't rejected. */
export function withValue(draft: RowDraft, object: string, path: string, now: EditValue): RowDraft {
  const was = draft.kind === 'insert' ? null : valueAt(object, draft.before, path)
  return withoutOutdatedOperation({ ...draft, edits: withEdit(draft.edits, object, path, was, now) }, path)
}

export function withoutValue(draft: RowDraft, path: string): RowDraft {
  return withoutOutdatedOperation({ ...draft, edits: withoutEdit(draft.edits, path) }, path)
}

/** Removes what an edit of the field makes obsolete: an operation that waits, or the rejection of the old value. */
function withoutOutdatedOperation(draft: RowDraft, path: string): RowDraft {
  if (draft.operation?.state === 'queued') return { ...draft, operation: null }
  if (draft.operation?.state !== 'rejected') return draft
  const { errorPath } = draft.operation
  return errorPath === '' || errorPath === path ? { ...draft, operation: null } : draft
}

/** Whether the row can't be edited, because its change is being sent or its outcome is unknown. */
export function isLocked(draft: RowDraft | undefined): boolean {
  const operation = draft?.operation
  if (!operation) return false
  switch (operation.state) {
    case 'queued':
      // A change that waits for the user can be edited, which removes it from the queue.
      return !operation.waitsForUser
    case 'sending':
    case 'unknown':
    case 'held':
    case 'conflict':
      return true
    case 'acked':
    case 'rejected':
      return false
  }
}

/** Whether the draft can be sent: it has edits, isn't being sent, and isn't in a paused queue. */
export function isSendable(draft: RowDraft): boolean {
  return !isLocked(draft) && draft.operation?.state !== 'queued' && hasEdits(draft)
}

/** Whether anything was changed. A new row has no edits until something is typed into it. */
export function hasEdits({ edits }: RowDraft): boolean {
  return Object.keys(edits).length > 0
}

/** A field that was changed in the application after the draft was started. */
export interface ChangeUnderneath {
  readonly path: string
  readonly asRead: EditValue
  readonly theirs: EditValue
  readonly yours: EditValue
}

/** Returns the edited fields that have changed in the record since the draft was started. */
export function changesUnderneath(
  object: string,
  draft: RowDraft,
  record: RecordData,
): readonly ChangeUnderneath[] {
  if (draft.kind === 'insert' || draft.operation !== null) return []
  return Object.values(draft.edits).flatMap((edit) => {
    const asRead = edit.was ?? ''
    const theirs = valueAt(object, record, edit.path)
    const type = pathType(object, edit.path)
    if (sameValue(type, asRead, theirs) || sameValue(type, edit.now, theirs)) return []
    return [{ path: edit.path, asRead, theirs, yours: edit.now }]
  })
}

/**
 * Rebases a draft onto the current record: keeps all edits except those in `dropped`, and drops edits that the
 * record already contains.
 */
export function rebased(
  object: string,
  draft: RowDraft,
  record: RecordData,
  dropped: ReadonlySet<string>,
): RowDraft {
  let next: RowDraft = { ...draft, before: record, edits: {} }
  for (const edit of Object.values(draft.edits)) {
    if (!dropped.has(edit.path)) next = withValue(next, object, edit.path, edit.now)
  }
  return next
}
