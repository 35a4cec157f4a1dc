/** What the mark on a record (its `ExternalID`) says about an insert of ours that carried one. */
import type { RecordData } from '../../shared/records/changes.ts'
import type { Difference } from '../../shared/contract/records.ts'
import { markKey } from '../../shared/records/names.ts'
import { externalIdOf } from './names.ts'

/**
 * `silent`: the record has no mark, or ours was sent without one. `cut`: it begins as ours does, as marks made in one
 * moment may. In both other things have to tell.
 */
export type MarkWord = 'ours' | 'cut' | 'silent' | 'other'

/** Characters of a mark, as it is compared, from which on a cut one can't be anybody's. */
const SHORTEST_CUT = 8

/** @param mark what the insert carried; empty when it carried none of ours */
export function markSays(mark: string, record: RecordData): MarkWord {
  const [ours, theirs] = [markKey(mark), markKey(externalIdOf(record))]
  if (ours === '' || theirs === '') return 'silent'
  if (theirs === ours) return 'ours'
  return theirs.length >= SHORTEST_CUT && ours.startsWith(theirs) ? 'cut' : 'other'
}

/** A mark that the application replaced by one of its own: a field that is not as sent. */
export function markDifferences(mark: string, record: RecordData): readonly Difference[] {
  if (markSays(mark, record) !== 'other') return []
  return [{ path: 'ExternalID', asRead: null, theirs: externalIdOf(record), yours: mark }]
}
