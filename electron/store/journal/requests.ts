/** Requests that change something outside: the exact bytes before they are sent, and their outcomes. */
import {
  json,
  numberOrNull,
  text,
  textOrNull,
  toJson,
  toJsonOrNull,
  type Database,
  type Row,
} from '../database.ts'
import { digestOf, intactInSql, isIntact, sealing } from '../schema.ts'
import type { JournalRequest, NewRequest, RequestAnswer, RequestKind } from './journal.ts'
import { countSend } from '../lineage.ts'

export function insertRequest(database: Database, request: NewRequest): void {
  database.run(
    `INSERT INTO requests (request_key, batch_id, kind, connection_id, endpoint_id, object, body, sent_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    request.requestKey,
    request.batchId,
    request.kind,
    request.connectionId,
    request.endpointId,
    request.object,
    request.body,
    request.sentAt,
  )
  seal(database, request.requestKey)
  countSend(database, { requestKey: request.requestKey, at: request.sentAt })
}

function seal(database: Database, requestKey: string): void {
  database.run(sealing('requests', 'request_key = ?'), requestKey)
}

/** Records that a request carries an operation. */
export function insertAttempt(
  database: Database,
  operationId: string,
  requestKey: string,
  position: number,
): void {
  const digest = digestOf([operationId, requestKey, position])
  database.run(
    'INSERT INTO attempts (operation_id, request_key, position, digest) VALUES (?, ?, ?, ?)',
    operationId,
    requestKey,
    position,
    digest,
  )
}

/** Keeps the first answer. A second one would be a defect, and must not overwrite evidence. */
export function answerRequest(database: Database, answer: RequestAnswer): void {
  const known = database.one('SELECT outcome FROM requests WHERE request_key = ?', answer.requestKey)
  if (known === null || textOrNull(known, 'outcome') !== null) return
  database.run(
    `UPDATE requests SET answered_at = ?, outcome = ?, status = ?, request_id = ?, error = ?, answer = ?,
       told_ids = ?
     WHERE request_key = ?`,
    answer.answeredAt,
    answer.outcome,
    answer.status,
    answer.requestId,
    toJsonOrNull(answer.error),
    answer.text,
    toJson(answer.toldIds),
    answer.requestKey,
  )
  seal(database, answer.requestKey)
  for (const item of answer.items) {
    database.run(
      'UPDATE attempts SET answer = ? WHERE operation_id = ? AND request_key = ?',
      item.text,
      item.operationId,
      answer.requestKey,
    )
  }
}

/** If the row of a request or of an attempt was altered outside the program, its outcome is not known. */
function requestFromRow(database: Database, row: Row): JournalRequest {
  const requestKey = text(row, 'request_key')
  const attempts = database.all('SELECT * FROM attempts WHERE request_key = ? ORDER BY position', requestKey)
  const isBelieved = isIntact('requests', row) && attempts.every((each) => isIntact('attempts', each))
  return {
    requestKey,
    batchId: text(row, 'batch_id'),
    kind: text(row, 'kind') as RequestKind,
    connectionId: text(row, 'connection_id'),
    endpointId: text(row, 'endpoint_id'),
    object: text(row, 'object'),
    body: text(row, 'body'),
    sentAt: text(row, 'sent_at'),
    answeredAt: textOrNull(row, 'answered_at'),
    outcome: isBelieved ? (textOrNull(row, 'outcome') as RequestAnswer['outcome'] | null) : 'in-doubt',
    status: numberOrNull(row, 'status'),
    requestId: text(row, 'request_id'),
    operationIds: attempts.map((each) => text(each, 'operation_id')),
  }
}

/** The requests that carried an operation, oldest first. */
export function requestsOf(database: Database, operationId: string): readonly JournalRequest[] {
  return database
    .all(
      `SELECT requests.* FROM attempts JOIN requests USING (request_key)
       WHERE attempts.operation_id = ? ORDER BY sent_at, requests.rowid`,
      operationId,
    )
    .map((row) => requestFromRow(database, row))
}

/** When each operation was first sent (ISO), by ID. Leaves out those that never left, as far as is known. */
export function firstSentAt(
  database: Database,
  operationIds: readonly string[],
): ReadonlyMap<string, string> {
  const rows = database.all(
    `SELECT operation_id, min(sent_at) AS first FROM attempts JOIN requests USING (request_key)
     WHERE operation_id IN (SELECT value FROM json_each(?))
       AND (outcome IS NOT 'not-sent' OR NOT ${intactInSql('requests')})
     GROUP BY operation_id`,
    JSON.stringify(operationIds),
  )
  return new Map(rows.map((row) => [text(row, 'operation_id'), text(row, 'first')]))
}

/**
 * Every ID that answers to an operation's requests named, by operation ID. Leaves out operations without one.
 */
export function toldIds(
  database: Database,
  operationIds: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const rows = database.all(
    `SELECT operation_id, told_ids FROM attempts JOIN requests USING (request_key)
     WHERE operation_id IN (SELECT value FROM json_each(?)) AND told_ids <> '[]' ORDER BY sent_at`,
    toJson(operationIds),
  )
  const told = new Map<string, readonly string[]>()
  for (const row of rows) {
    const operationId = text(row, 'operation_id')
    const ids = json(row, 'told_ids') as readonly string[]
    told.set(operationId, [...new Set([...(told.get(operationId) ?? []), ...ids])])
  }
  return told
}
