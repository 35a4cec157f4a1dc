/**
 * The IDs that were in a list before inserts were sent to it. A record that is among them is none of those inserts; one
 * that is not may be.
 */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { json, text, toJson, type Database } from './database.ts'
import type { Baseline } from './journal.ts'

/** Deletes the baselines that no unfinished operation needs. */
export const UNUSED_BASELINES = `DELETE FROM baselines WHERE baseline_id NOT IN
  (SELECT baseline_id FROM batches JOIN operations USING (batch_id)
   WHERE operations.is_closed = 0 OR operations.recheck_at IS NOT NULL)`

/** Keeps a baseline for a batch that is about to be queued. */
export function putBaseline(
  database: Database,
  { connectionId, endpointId }: CompanyRef,
  object: string,
  { baselineId, ids }: Baseline,
): void {
  database.run(UNUSED_BASELINES)
  database.run(
    `INSERT OR IGNORE INTO baselines (baseline_id, connection_id, endpoint_id, object, ids)
     VALUES (?, ?, ?, ?, ?)`,
    baselineId,
    connectionId,
    endpointId,
    object,
    toJson(ids),
  )
}

/** Reads baselines by batch. The last one is kept in memory: it is asked for after each answer. */
export function createBaselineReader(database: Database): (batchId: string) => ReadonlySet<string> | null {
  let last: { readonly baselineId: string; readonly ids: ReadonlySet<string> } | null = null
  return (batchId) => {
    const row = database.one('SELECT baseline_id FROM batches WHERE batch_id = ?', batchId)
    const baselineId = row === null ? '' : text(row, 'baseline_id')
    if (baselineId === '') return null
    if (last?.baselineId === baselineId) return last.ids
    const kept = database.one('SELECT ids FROM baselines WHERE baseline_id = ?', baselineId)
    if (kept === null) return null
    last = { baselineId, ids: new Set(json(kept, 'ids') as readonly string[]) }
    return last.ids
  }
}
