/** A system notification when a batch has ended, for those who look elsewhere meanwhile. */
import { batchCounts } from '../../shared/records/outcome.ts'
import type { Batch } from '../../shared/contract/records.ts'
import { listName } from '../../shared/records/definition.ts'
import type { CompanyDirectory } from '../writing/ports.ts'
import type { Announcer } from './ports.ts'

/** Answers a listener that tells each batch's end once. */
export function createBatchNotice(
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

/** Counts in the words of the outcomes: *48 saved, 1 not accepted*. */
export function batchSummary(batch: Batch): string {
  const parts = batchCounts(batch).map(({ count, words }) => `${String(count)} ${words}`)
  return parts.length === 0 ? 'Nothing was sent.' : `${parts.join(', ')}.`
}
