/** Batches between their table and their value, and the counts of what is in them. */
import { OPERATION_STATES, type OperationState } from '../../shared/contract/records.ts'
import type { AppError } from '../../shared/result.ts'
import { flag, jsonOrNull, number, text, type Database, type Row } from './database.ts'
import type { BatchCounts, BatchStatus, JournalBatch } from './journal.ts'

export function batchFromRow(row: Row): JournalBatch {
  return {
    batchId: text(row, 'batch_id'),
    company: { connectionId: text(row, 'connection_id'), endpointId: text(row, 'endpoint_id') },
    object: text(row, 'object'),
    queuedAt: text(row, 'queued_at'),
    status: text(row, 'status') as BatchStatus,
    error: jsonOrNull(row, 'error') as AppError | null,
  }
}

/** How many of a batch are in each state. */
export function countStates(database: Database, batchId: string): BatchCounts {
  const states = Object.fromEntries(OPERATION_STATES.map((state) => [state, 0])) as Record<
    OperationState,
    number
  >
  let total = 0
  let dropped = 0
  let decided = 0
  const rows = database.all(
    'SELECT state, is_closed, count(*) AS count FROM operations WHERE batch_id = ? GROUP BY state, is_closed',
    batchId,
  )
  for (const row of rows) {
    const count = number(row, 'count')
    total += count
    const state = text(row, 'state') as OperationState
    const isClosed = flag(row, 'is_closed')
    if (isClosed && state === 'queued') dropped += count
    else if (isClosed && (state === 'held' || state === 'conflict')) decided += count
    else states[state] += count
  }
  return { total, dropped, decided, states }
}
