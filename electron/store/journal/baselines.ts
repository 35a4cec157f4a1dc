/**
 * What a list held before inserts were sent to it. A record in it is none of those inserts; a record that is not in it
 * may be one.
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { json, text, toJson, type Database } from '../database.ts'
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
  { baselineId, records }: Baseline,
): void {
  database.run(UNUSED_BASELINES)
  database.run(
    `INSERT OR IGNORE INTO baselines (baseline_id, connection_id, endpoint_id, object, records)
     VALUES (?, ?, ?, ?, ?)`,
    baselineId,
    connectionId,
    endpointId,
    object,
    toJson([...records]),
  )
}

/** Reads baselines by batch. The last one is kept in memory: it is asked for after each answer. */
export function createBaselineReader(database: Database): (batchId: string) => Baseline['records'] | null {
  let last: Baseline | null = null
  return (batchId) => {
    const row = database.one('SELECT baseline_id FROM batches WHERE batch_id = ?', batchId)
    const baselineId = row === null ? '' : text(row, 'baseline_id')
    if (baselineId === '') return null
    if (last?.baselineId === baselineId) return last.records
    const kept = database.one('SELECT records FROM baselines WHERE baseline_id = ?', baselineId)
    if (kept === null) return null
    const records = json(kept, 'records') as readonly (readonly [string, string])[]
    last = { baselineId, records: new Map(records) }
    return last.records
  }
}
