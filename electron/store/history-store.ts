/** Reads the journal as it is looked through: each batch with its counts, each operation with what it changes back. */
import type { HistoryOutcome } from '../../shared/contract/history.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { batchFromRow } from './batch-rows.ts'
import { number, text, type Database, type Row } from './database.ts'
import { batchesPage, operationsPage, OUTCOME } from './history-pages.ts'
import type {
  BatchLink,
  HistoryBatch,
  HistoryOperation,
  HistoryStore,
  KeptCounts,
  OperationLink,
} from './history.ts'
import { operationOf } from './operation-rows.ts'
import { WAS_SENT } from './operations.ts'

function batchLinks(database: Database, sql: string, batchId: string): readonly BatchLink[] {
  return database.all(sql, batchId).map((row) => ({
    batchId: text(row, 'batch_id'),
    at: text(row, 'queued_at'),
    count: number(row, 'count'),
  }))
}

const CHANGES_BACK = `SELECT theirs.batch_id, theirs.queued_at, count(*) AS count
  FROM operations AS ours JOIN operations AS theirs ON theirs.operation_id = ours.changes_back
  WHERE ours.batch_id = ? AND ours.changes_back <> '' GROUP BY theirs.batch_id ORDER BY theirs.queued_at`

/** Those that were refused, or that the person let be, have changed nothing back. */
const DID_NOT = `(theirs.state IN ('rejected', 'conflict') OR (theirs.is_closed = 1 AND theirs.state <> 'acked'))`

const CHANGED_BACK_BY = `SELECT theirs.batch_id, theirs.queued_at, count(*) AS count
  FROM operations AS ours JOIN operations AS theirs
    ON theirs.changes_back = ours.operation_id AND theirs.changes_back <> ''
  WHERE ours.batch_id = ? AND NOT ${DID_NOT} GROUP BY theirs.batch_id ORDER BY theirs.queued_at`

function historyBatch(database: Database, row: Row): HistoryBatch {
  const batch = batchFromRow(row)
  const outcomes = new Map<HistoryOutcome, number>()
  let inserts = 0
  let changes = 0
  const groups = database.all(
    `SELECT kind, ${OUTCOME} AS outcome, count(*) AS count FROM operations
     WHERE batch_id = ? AND ${WAS_SENT} GROUP BY 1, 2`,
    batch.batchId,
  )
  for (const group of groups) {
    const count = number(group, 'count')
    const outcome = text(group, 'outcome') as HistoryOutcome
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count)
    if (text(group, 'kind') === 'insert') inserts += count
    else changes += count
  }
  const requestIds = database.all(
    `SELECT DISTINCT requests.request_id FROM requests
     WHERE request_key IN (SELECT request_key FROM attempts WHERE operation_id IN
       (SELECT operation_id FROM operations WHERE batch_id = ?)) AND requests.request_id <> ''
     ORDER BY requests.sent_at LIMIT 50`,
    batch.batchId,
  )
  return {
    batch,
    inserts,
    changes,
    outcomes,
    requestIds: requestIds.map((each) => text(each, 'request_id')),
    changesBack: batchLinks(database, CHANGES_BACK, batch.batchId),
    changedBackBy: batchLinks(database, CHANGED_BACK_BY, batch.batchId),
  }
}

function linkOf(row: Row | null): OperationLink | null {
  if (row === null) return null
  return {
    operationId: text(row, 'operation_id'),
    batchId: text(row, 'batch_id'),
    at: text(row, 'queued_at'),
  }
}

function historyOperation(database: Database, row: Row): HistoryOperation {
  const operation = operationOf(database, row)
  const changesBack = text(row, 'changes_back')
  return {
    ...operation,
    changesBack: linkOf(
      changesBack === ''
        ? null
        : database.one(
            'SELECT operation_id, batch_id, queued_at FROM operations WHERE operation_id = ?',
            changesBack,
          ),
    ),
    changedBackBy: linkOf(
      database.one(
        `SELECT operation_id, batch_id, queued_at FROM operations AS theirs
         WHERE changes_back = ? AND changes_back <> '' AND NOT ${DID_NOT} ORDER BY rowid DESC LIMIT 1`,
        operation.operationId,
      ),
    ),
  }
}

function keptCounts(database: Database, company: CompanyRef): KeptCounts {
  const key = [company.connectionId, company.endpointId] as const
  const count = (sql: string): number => {
    const row = database.one(sql, ...key)
    return row === null ? 0 : number(row, 'count')
  }
  const ofCompany = 'connection_id = ? AND endpoint_id = ?'
  const states = (condition: string): number =>
    count(`SELECT count(*) AS count FROM operations WHERE ${ofCompany} AND ${condition}`)
  return {
    drafts: count(`SELECT count(*) AS count FROM drafts WHERE ${ofCompany}`),
    records: states('TRUE'),
    sending: states(`state = 'sending'`),
  }
}

export function makeHistoryStore(database: Database): HistoryStore {
  return {
    batches: (query) =>
      database.read(() => batchesPage(database, query).map((row) => historyBatch(database, row))),
    operations: (query) =>
      database.read(() => operationsPage(database, query).map((row) => historyOperation(database, row))),
    operation: (operationId) =>
      database.read(() => {
        const row = database.one('SELECT * FROM operations WHERE operation_id = ?', operationId)
        return row === null ? null : historyOperation(database, row)
      }),
    operationIds: (batchId) =>
      database.read(() =>
        database
          .all(
            `SELECT operation_id FROM operations WHERE batch_id = ? AND ${WAS_SENT} ORDER BY position`,
            batchId,
          )
          .map((row) => text(row, 'operation_id')),
      ),
    later: ({ company, object, recordId, operationId }) =>
      database.read(() =>
        recordId === ''
          ? []
          : database
              .all(
                `SELECT * FROM operations
                 WHERE connection_id = ? AND endpoint_id = ? AND object = ? AND record_id = ? AND state = 'acked'
                   AND rowid > (SELECT rowid FROM operations WHERE operation_id = ?)
                 ORDER BY rowid`,
                company.connectionId,
                company.endpointId,
                object,
                recordId,
                operationId,
              )
              .map((row) => historyOperation(database, row)),
      ),
    draftOf: (company, object, recordId) =>
      database.read(() => {
        const row = database.one(
          `SELECT drafts.draft_id AS draft_id, drafts.changes_back AS changes_back
           FROM drafts LEFT JOIN operations USING (operation_id)
           WHERE drafts.connection_id = ? AND drafts.endpoint_id = ? AND drafts.object = ? AND drafts.record_id = ?
             AND drafts.kind = 'change' AND operations.state IS NOT 'acked'`,
          company.connectionId,
          company.endpointId,
          object,
          recordId,
        )
        return row === null
          ? null
          : { draftId: text(row, 'draft_id'), changesBack: text(row, 'changes_back') }
      }),
    requestId: (kind, connectionId, sentAt) =>
      database.read(() => {
        const row = database.one(
          `SELECT request_id FROM requests WHERE sent_at >= ? AND connection_id = ? AND kind = ?
           ORDER BY sent_at LIMIT 1`,
          sentAt,
          connectionId,
          kind,
        )
        return row === null ? '' : text(row, 'request_id')
      }),
    answers: (operationId) =>
      database.read(
        () =>
          new Map(
            database
              .all(
                `SELECT request_key, coalesce(attempts.answer, requests.answer) AS answer
                   FROM attempts JOIN requests USING (request_key)
                  WHERE operation_id = ? AND coalesce(attempts.answer, requests.answer) IS NOT NULL`,
                operationId,
              )
              .map((row) => [text(row, 'request_key'), text(row, 'answer')]),
          ),
      ),
    kept: (company) => database.read(() => keptCounts(database, company)),
  }
}
