/** What became of a batch, in the words of the outcomes: said by the window and by a system notification alike. */
import type { Batch } from './contract/records.ts'

/** The counts that are not zero, with their words, in the order in which they are said. */
export function batchCounts(batch: Batch): readonly { readonly count: number; readonly words: string }[] {
  return [
    { count: batch.saved, words: 'saved' },
    { count: batch.notAccepted, words: 'not accepted' },
    { count: batch.notConfirmed, words: 'not confirmed' },
    { count: batch.decisions, words: 'for your decision' },
    { count: batch.changedMeanwhile, words: 'changed meanwhile' },
    { count: batch.toGo, words: 'not sent' },
  ].filter(({ count }) => count > 0)
}
