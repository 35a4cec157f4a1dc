/** Operations between their table and their value. */
import type { FieldEdit, RecordData } from '../../shared/changes.ts'
import type { Difference, OperationState } from '../../shared/contract/records.ts'
import { appError, type AppError } from '../../shared/result.ts'
import {
  flag,
  json,
  jsonOrNull,
  number,
  Refusal,
  text,
  textOrNull,
  toFlag,
  toJson,
  toJsonOrNull,
  type Database,
  type Row,
} from './database.ts'
import type {
  JournalBatch,
  JournalOperation,
  NewOperation,
  OperationFacts,
  OperationMove,
} from './journal.ts'
import { insertWords } from './operation-words.ts'

export function operationFromRow(row: Row): JournalOperation {
  return {
    operationId: text(row, 'operation_id'),
    batchId: text(row, 'batch_id'),
    position: number(row, 'position'),
    draftId: text(row, 'draft_id'),
    company: { connectionId: text(row, 'connection_id'), endpointId: text(row, 'endpoint_id') },
    object: text(row, 'object'),
    kind: text(row, 'kind') as JournalOperation['kind'],
    recordId: text(row, 'record_id'),
    recordName: text(row, 'record_name'),
    fullName: text(row, 'full_name'),
    mark: text(row, 'mark'),
    namesakes: json(row, 'namesakes') as readonly string[],
    state: text(row, 'state') as OperationState,
    isClosed: flag(row, 'is_closed'),
    sendAgain: flag(row, 'send_again'),
    before: json(row, 'before') as RecordData,
    edits: json(row, 'edits') as readonly FieldEdit[],
    queuedAt: text(row, 'queued_at'),
    settledAt: textOrNull(row, 'settled_at'),
    firstLookedAt: textOrNull(row, 'first_looked_at'),
    lastLookedAt: textOrNull(row, 'last_looked_at'),
    looks: number(row, 'looks'),
    confirmedByReading: flag(row, 'confirmed_by_reading'),
    isKnownByName: flag(row, 'is_known_by_name'),
    notAsSent: json(row, 'not_as_sent') as readonly Difference[],
    conflicts: json(row, 'conflicts') as readonly Difference[],
    theirs: jsonOrNull(row, 'theirs') as RecordData | null,
    error: jsonOrNull(row, 'error') as AppError | null,
    errorPath: text(row, 'error_path'),
    requestId: text(row, 'request_id'),
    after: jsonOrNull(row, 'after') as RecordData | null,
  }
}

export function insertOperation(
  database: Database,
  batch: JournalBatch,
  position: number,
  operation: NewOperation,
): void {
  database.run(
    `INSERT INTO operations
       (operation_id, batch_id, position, draft_id, connection_id, endpoint_id, object, kind, record_id,
        record_name, full_name, mark, namesakes, state, before, edits, queued_at, changes_back)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?,
       coalesce((SELECT changes_back FROM drafts WHERE draft_id = ?), ''))`,
    operation.operationId,
    batch.batchId,
    position,
    operation.draftId,
    batch.company.connectionId,
    batch.company.endpointId,
    batch.object,
    operation.kind,
    operation.recordId,
    operation.recordName,
    operation.fullName,
    operation.mark,
    toJson(operation.namesakes),
    toJson(operation.before),
    toJson(operation.edits),
    batch.queuedAt,
    operation.draftId,
  )
  insertWords(database, batch.batchId, operation)
}

const UPDATE = `UPDATE operations SET
    state = ?, is_closed = ?, record_id = ?, send_again = ?, settled_at = ?, first_looked_at = ?,
    last_looked_at = ?, looks = ?, confirmed_by_reading = ?, is_known_by_name = ?, not_as_sent = ?, conflicts = ?, theirs = ?,
    error = ?, error_path = ?, request_id = ?, after = ?
  WHERE operation_id = ? AND state = ?`

/** Refuses when the operation is not, or no longer, in the state that the move leaves. */
export function moveOperation(database: Database, move: OperationMove): void {
  const row = database.one('SELECT * FROM operations WHERE operation_id = ?', move.operationId)
  const known = row === null ? null : operationFromRow(row)
  if (known?.state !== move.from) {
    throw new Refusal(
      appError('internal', 'A record’s state in the journal is not what it was taken for.', '', {
        raw: `${move.operationId}: ${known?.state ?? 'none'} instead of ${move.from}`,
      }),
    )
  }
  const next: JournalOperation & Required<OperationFacts> = { ...known, ...move.facts }
  database.run(
    UPDATE,
    move.to,
    toFlag(known.isClosed || move.closes),
    next.recordId,
    toFlag(next.sendAgain),
    next.settledAt,
    next.firstLookedAt,
    next.lastLookedAt,
    next.looks,
    toFlag(next.confirmedByReading),
    toFlag(next.isKnownByName),
    toJson(next.notAsSent),
    toJson(next.conflicts),
    toJsonOrNull(next.theirs),
    toJsonOrNull(next.error),
    next.errorPath,
    next.requestId,
    toJsonOrNull(next.after),
    move.operationId,
    move.from,
  )
  if (move.closes) {
    database.run('DELETE FROM drafts WHERE operation_id = ?', move.operationId)
  }
}
