/** The draft of one row: what a person typed into it, as a value with pure functions. */
import {
  ownValue,
  sameValue,
  pathType,
  valueAt,
  withEdit,
  withoutEdit,
  type Edits,
  type EditValue,
  type RecordData,
} from '../../../shared/records/changes.ts'
import type { Draft, Operation } from '../../../shared/contract/records.ts'
import type { RecordRow } from '../list/rows.ts'

export interface RowDraft {
  readonly draftId: string
  readonly kind: 'insert' | 'change'
  /** Empty for a new record. */
  readonly recordId: string
  /** The record as it was read when the first edit was made; empty for a new one. */
  readonly before: RecordData
  readonly edits: Edits
  /** Made by **Undo…**, from what was sent before. */
  readonly changesBack: boolean
  /** It was in a database from before, and may have been sent since. */
  readonly isFromBefore: boolean
  /** What became of it, when it was sent and is not done. */
  readonly operation: Operation | null
}

/** The row that a draft belongs to. */
export function rowIdOf(draft: Pick<RowDraft, 'draftId' | 'kind' | 'recordId'>): string {
  return draft.kind === 'insert' ? draft.draftId : draft.recordId
}

/** The ID of a record that was saved: a new one has one of its own by then, unless the answer does not tell it. */
export function savedRecordIdOf({ after, recordId }: Pick<Operation, 'after' | 'recordId'>): string {
  const id = ownValue(after ?? {}, 'ID')
  return (typeof id === 'string' && id) || recordId
}

/** The row of a record that was saved. */
export function savedRowIdOf(operation: Operation): string {
  return savedRecordIdOf(operation) || rowIdOf(operation)
}

export function fromStored(draft: Draft): RowDraft {
  const { draftId, kind, recordId, before, changesBack, isFromBefore, operation } = draft
  const edits = Object.fromEntries(draft.edits.map((edit) => [edit.path, edit]))
  return { draftId, kind, recordId, before, edits, changesBack, isFromBefore, operation }
}

/** The first draft of a row, without an edit yet. */
export function draftFor(row: RecordRow, draftId: string): RowDraft {
  const isNew = row.origin === 'new'
  return {
    draftId: isNew ? row.rowId : draftId,
    kind: isNew ? 'insert' : 'change',
    recordId: row.recordId,
    before: isNew ? {} : row.record,
    edits: {},
    changesBack: false,
    isFromBefore: false,
    operation: null,
  }
}

/**
 * Puts a value into a draft. Once a refused field is touched, the refusal has been heard: what stands there now
 * was not refused by anybody.
 */
export function withValue(draft: RowDraft, object: string, path: string, now: EditValue): RowDraft {
  const was = draft.kind === 'insert' ? null : valueAt(object, draft.before, path)
  return heard({ ...draft, edits: withEdit(draft.edits, object, path, was, now) }, path)
}

export function withoutValue(draft: RowDraft, path: string): RowDraft {
  return heard({ ...draft, edits: withoutEdit(draft.edits, path) }, path)
}

function heard(draft: RowDraft, path: string): RowDraft {
  if (draft.operation?.state === 'queued') return { ...draft, operation: null }
  if (draft.operation?.state !== 'rejected') return draft
  const { errorPath } = draft.operation
  return errorPath === '' || errorPath === path ? { ...draft, operation: null } : draft
}

/** Whether nobody may type into the row, because what it holds is under way or its fate is not known. */
export function isLocked(draft: RowDraft | undefined): boolean {
  const operation = draft?.operation
  if (!operation) return false
  switch (operation.state) {
    case 'queued':
      // What waits for the person is theirs to change; then it is not in the queue any more.
      return !operation.waitsForPerson
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

/** Whether it can be sent now: it changes something, is not under way, and waits in no queue that was held back. */
export function isSendable(draft: RowDraft): boolean {
  return (
    !isLocked(draft) &&
    draft.operation?.state !== 'queued' &&
    (draft.kind === 'insert' || Object.keys(draft.edits).length > 0)
  )
}

/** One field that was changed in the application after the draft was begun. */
export interface ChangeUnderneath {
  readonly path: string
  readonly asRead: EditValue
  readonly theirs: EditValue
  readonly yours: EditValue
}

/** What differs, at the edited paths, between the record as it was when it was edited and as it was read now. */
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
 * The draft anew upon the record as it is now: every edit kept but those in `dropped`, each against today's value.
 * What has meanwhile become so by itself is no edit any more.
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
