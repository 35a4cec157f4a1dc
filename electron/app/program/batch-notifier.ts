/** A system notification when a batch ends, for a user who works in another program. */
import type { Batch } from '../../../shared/contract/records.ts'
import { listName } from '../../../shared/records/definition.ts'
import { batchCounts } from '../../../shared/records/outcome.ts'
import type { CompanyDirectory } from '../../writing/context.ts'
import type { Announcer } from '../ports.ts'

/** Returns a listener that announces the end of each batch once. */
export function createBatchNotifier(
  announcer: Pick<Announcer, 'notify'>,
  directory: CompanyDirectory,
): (batch: Batch) => void {
  const told = new Set<string>()
  return (batch) => {
    const hasEnded = batch.phase === 'done' || batch.phase === 'stopped' || batch.phase === 'paused'
    if (!hasEnded) {
      told.delete(batch.batchId)
      return
    }
    if (told.has(batch.batchId)) return
    told.add(batch.batchId)
    const company = directory.facts(batch.company)?.displayName ?? ''
    announcer.notify(`${listName(batch.object)} of ${company}`, batchSummary(batch))
  }
}

/**
 * Summarizes a batch by its outcomes: *48 saved, 1 not accepted*.
 * @internal
 */
export function batchSummary(batch: Batch): string {
  const parts = batchCounts(batch).map(({ count, label }) => `${String(count)} ${label}`)
  return parts.length === 0 ? 'Nothing was sent.' : `${parts.join(', ')}.`
}
