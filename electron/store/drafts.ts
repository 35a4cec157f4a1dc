/** What the user typed and has not sent: one draft per record, saved at every edit. */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Draft, OperationState } from '../../shared/contract/records.ts'
import type { RecordData } from '../../shared/records/changes.ts'
import { type AppError, appError } from '../../shared/result.ts'
import {
  type Database,
  flag,
  isSqliteError,
  json,
  type Row,
  StoreError,
  text,
  textOrNull,
  toJson,
} from './database.ts'
import { sealOperation } from './journal/rows.ts'

/** What the user typed into one record, without its outcome. */
export type DraftState = Omit<Draft, 'operation' | 'undoes' | 'isStale'>

/** A draft and the ID of the operation that it became. */
export interface StoredDraft extends DraftState {
  readonly operationId: string | null
  /** Created by **Undo…**. */
  readonly undoes: boolean
  /** From an older database, so that it may have been sent since (`lineage.ts`). */
  readonly isStale: boolean
}

export interface DraftStore {
  list(company: CompanyRef, object: string): readonly StoredDraft[]
  get(company: CompanyRef, draftIds: readonly string[]): readonly StoredDraft[]
  /**
   * Saves drafts in one transaction, and deletes those without edits. Refuses a draft that is being sent or waits for a
   * decision. One that was rejected, or is queued but on hold, becomes a plain draft again.
   * @returns the refused drafts; the others are saved
   */
  saveAll(drafts: readonly DraftState[]): readonly { readonly draftId: string; readonly error: AppError }[]
  /** Saves drafts that undo operations, all or none. Throws if a record has a draft already. */
  addUndoDrafts(drafts: readonly (DraftState & { readonly undoes: string })[]): void
  /** Deletes drafts, all or none. Throws if one of them is being sent or waits for a decision. */
  discard(company: CompanyRef, draftIds: readonly string[]): void
}

const SELECT = `SELECT drafts.*, operations.state AS state, batches.status AS status
  FROM drafts LEFT JOIN operations USING (operation_id) LEFT JOIN batches USING (batch_id)`

function draftFromRow(row: Row): StoredDraft {
  return {
    draftId: text(row, 'draft_id'),
    company: { connectionId: text(row, 'connection_id'), endpointId: text(row, 'endpoint_id') },
    object: text(row, 'object'),
    kind: text(row, 'kind') as Draft['kind'],
    recordId: text(row, 'record_id'),
    before: json(row, 'before') as RecordData,
    edits: json(row, 'edits') as Draft['edits'],
    changedAt: text(row, 'changed_at'),
    operationId: textOrNull(row, 'operation_id'),
    undoes: text(row, 'undoes') !== '',
    isStale: flag(row, 'is_stale'),
  }
}

function assertOf(company: CompanyRef, row: Row): void {
  const { connectionId, endpointId } = company
  if (text(row, 'connection_id') === connectionId && text(row, 'endpoint_id') === endpointId) return
  throw new StoreError(appError('invalid-input', 'This draft belongs to another company’s books.'))
}

/** Throws unless the user may change the draft. A queued one may be changed while its batch is on hold. */
function assertFree(row: Row): void {
  const state = textOrNull(row, 'state') as OperationState | null
  switch (state) {
    case null:
    case 'rejected':
    case 'acked':
      return
    case 'queued':
      if (text(row, 'status') !== 'open') return
      break
    case 'sending':
    case 'unknown':
      break
    case 'held':
    case 'conflict':
      throw new StoreError(
        appError(
          'invalid-input',
          'This record waits for your decision.',
          'Decide about it first. Then you can edit it again.',
        ),
      )
  }
  throw new StoreError(
    appError(
      'invalid-input',
      'This record is being sent, so you can’t edit it now.',
      'You can edit it again as soon as its outcome is known.',
    ),
  )
}

/** Closes the operation that a draft belongs to when the user edits or discards the draft. */
export function closeOperationOf(database: Database, operationId: string | null): void {
  if (operationId === null) return
  database.run('UPDATE operations SET is_closed = 1 WHERE operation_id = ?', operationId)
  sealOperation(database, operationId)
}

/**
 * Releases a record that was saved differently than sent and only waits to be seen, so that it can be edited again. The
 * row shows the difference, and the history keeps it.
 */
function releaseUnseen(database: Database, draft: DraftState): void {
  const seen = database.all(
    `SELECT drafts.draft_id AS draft_id, operation_id FROM operations JOIN drafts USING (operation_id)
     WHERE operations.connection_id = ? AND operations.endpoint_id = ? AND operations.object = ?
       AND operations.record_id = ? AND operations.state = 'acked' AND drafts.draft_id <> ?`,
    draft.company.connectionId,
    draft.company.endpointId,
    draft.object,
    draft.recordId,
    draft.draftId,
  )
  for (const row of seen) {
    closeOperationOf(database, text(row, 'operation_id'))
    database.run('DELETE FROM drafts WHERE draft_id = ?', text(row, 'draft_id'))
  }
}

/** SQLite's code for a second draft of the same record. */
const CONSTRAINT_UNIQUE = 2067

/** Writes a draft, replacing one with the same ID. It belongs to no operation. */
export function putDraft(database: Database, draft: DraftState): void {
  if (draft.kind === 'change') releaseUnseen(database, draft)
  try {
    database.run(
      `INSERT INTO drafts
         (draft_id, connection_id, endpoint_id, object, kind, record_id, before, edits, changed_at, operation_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)
       ON CONFLICT (draft_id) DO UPDATE SET
         kind = excluded.kind, record_id = excluded.record_id, before = excluded.before,
         edits = excluded.edits, changed_at = excluded.changed_at, operation_id = NULL`,
      draft.draftId,
      draft.company.connectionId,
      draft.company.endpointId,
      draft.object,
      draft.kind,
      draft.recordId,
      toJson(draft.before),
      toJson(draft.edits),
      draft.changedAt,
    )
  } catch (error) {
    if (!isSqliteError(error) || error.errcode !== CONSTRAINT_UNIQUE) throw error
    throw new StoreError(
      appError(
        'invalid-input',
        'This record already has another draft.',
        'Get the list again and continue with that draft.',
      ),
    )
  }
}

function findDraft(database: Database, company: CompanyRef, draftId: string): Row | null {
  const row = database.one(`${SELECT} WHERE drafts.draft_id = ?`, draftId)
  if (row !== null) assertOf(company, row)
  return row
}

/** Throws before anything is written. */
function saveDraft(database: Database, draft: DraftState): void {
  const known = findDraft(database, draft.company, draft.draftId)
  if (known !== null) {
    assertFree(known)
    if (draft.kind === 'insert' && draft.edits.length > 0 && textOrNull(known, 'state') === 'acked') {
      throw new StoreError(
        appError(
          'invalid-input',
          'This record was already added, so saving it as a new one would create a duplicate.',
          'Read the list again and edit the record there.',
        ),
      )
    }
    if (text(known, 'object') !== draft.object) {
      throw new StoreError(appError('invalid-input', 'This draft belongs to another list.'))
    }
  }
  if (draft.edits.length === 0) database.run('DELETE FROM drafts WHERE draft_id = ?', draft.draftId)
  else putDraft(database, draft)
  if (known !== null) closeOperationOf(database, textOrNull(known, 'operation_id'))
}

/**
 * Saves drafts in the transaction that is open, and leaves out those that are refused.
 * @returns the refused ones
 */
export function saveDrafts(
  database: Database,
  drafts: readonly DraftState[],
): ReturnType<DraftStore['saveAll']> {
  return drafts.flatMap((draft) => {
    try {
      saveDraft(database, draft)
      return []
    } catch (cause) {
      if (!(cause instanceof StoreError)) throw cause
      return [{ draftId: draft.draftId, error: cause.error }]
    }
  })
}

export function createDraftStore(database: Database): DraftStore {
  return {
    list: (company, object) =>
      database.read(() =>
        database
          .all(
            `SELECT * FROM drafts WHERE connection_id = ? AND endpoint_id = ? AND object = ? ORDER BY rowid`,
            company.connectionId,
            company.endpointId,
            object,
          )
          .map(draftFromRow),
      ),
    get: (company, draftIds) =>
      database.read(() => {
        const rows = database.all(
          'SELECT * FROM drafts WHERE draft_id IN (SELECT value FROM json_each(?))',
          JSON.stringify(draftIds),
        )
        for (const row of rows) assertOf(company, row)
        const found = new Map(rows.map((row) => [text(row, 'draft_id'), draftFromRow(row)]))
        return draftIds.flatMap((draftId) => found.get(draftId) ?? [])
      }),
    saveAll: (many) => database.write(() => saveDrafts(database, many)),
    addUndoDrafts: (drafts) =>
      database.write(() => {
        for (const draft of drafts) {
          putDraft(database, draft)
          database.run('UPDATE drafts SET undoes = ? WHERE draft_id = ?', draft.undoes, draft.draftId)
        }
      }),
    discard: (company, draftIds) =>
      database.write(() => {
        for (const draftId of draftIds) {
          const known = findDraft(database, company, draftId)
          if (known === null) continue
          assertFree(known)
          closeOperationOf(database, textOrNull(known, 'operation_id'))
          database.run('DELETE FROM drafts WHERE draft_id = ?', draftId)
        }
      }),
  }
}
