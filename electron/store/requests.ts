/** Requests that change something outside: the exact bytes before they leave, and what came of them. */
import { textOrNull, toJsonOrNull, type Database } from './database.ts'
import type { NewRequest, RequestAnswer } from './journal.ts'

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
}

/** The first answer stands: a second one would be a defect, and must not overwrite proof. */
export function answerRequest(database: Database, answer: RequestAnswer): void {
  const known = database.one('SELECT outcome FROM requests WHERE request_key = ?', answer.requestKey)
  if (known === null || textOrNull(known, 'outcome') !== null) return
  database.run(
    `UPDATE requests SET answered_at = ?, outcome = ?, status = ?, request_id = ?, error = ?, answer = ?
     WHERE request_key = ?`,
    answer.answeredAt,
    answer.outcome,
    answer.status,
    answer.requestId,
    toJsonOrNull(answer.error),
    answer.text,
    answer.requestKey,
  )
  for (const item of answer.items) {
    database.run(
      'UPDATE attempts SET answer = ? WHERE operation_id = ? AND request_key = ?',
      item.text,
      item.operationId,
      answer.requestKey,
    )
  }
}
