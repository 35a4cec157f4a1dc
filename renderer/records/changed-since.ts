/**
 * From when on changes are asked for, so that none falls between two reads. *Assumption* (decisions.md, "changes
 * since a read"): the application's clock is not ours, and what it stamps a record with may be neither.
 */
import { textOf } from '../../shared/changes.ts'
import type { RecordSet, RecordsFilter } from '../../shared/contract/records.ts'
import { withOffset } from '../../shared/offset-time.ts'
import { NO_FILTER } from './list-filter.ts'
import type { RecordRow } from './rows.ts'
import type { Interruptible } from './turns.ts'

/** When a read was asked for and when it had come, ISO, by this machine's clock. */
export type ReadTimes = Pick<RecordSet, 'readAt' | 'endedAt'>

const MINUTE = 60_000
/** Beyond the time that the earlier read took. */
const OVERLAP = 10 * MINUTE
/** Where records bear no stamp, the application's clock is unknown: as much as any time zone makes. */
const OVERLAP_WITHOUT_STAMPS = 24 * 60 * MINUTE
/** Rows between two looks at the clock. */
const STRIDE = 1_000

/** Whether what changed can be asked for by itself: not of a list between two days, of single IDs, or in part. */
export function canAskForChanges(set: RecordSet): boolean {
  return set.isWhole && set.filter.modifiedTo === null && set.filter.ids.length === 0
}

/** The latest stamp that the application put on one of the records, in ms; `null` when they bear none. */
export function* latestStamp(rows: Iterable<RecordRow>): Interruptible<number | null> {
  let latest: number | null = null
  let looked = 0
  for (const { record } of rows) {
    const stamp = Date.parse(textOf(record['LastModifiedDate']))
    if (!Number.isNaN(stamp) && (latest === null || stamp > latest)) latest = stamp
    looked += 1
    if (looked % STRIDE === 0) yield
  }
  return latest
}

/** What is asked for after a read: everything that the earlier of both clocks may have stamped since. */
export function changesFilter(asked: RecordsFilter, times: ReadTimes, latest: number | null): RecordsFilter {
  const readAt = Date.parse(times.readAt)
  const took = Math.max(0, Date.parse(times.endedAt) - readAt)
  const from =
    latest === null ? readAt - took - OVERLAP_WITHOUT_STAMPS : Math.min(readAt, latest) - took - OVERLAP
  const askedFrom = asked.modifiedFrom === null ? -Infinity : Date.parse(asked.modifiedFrom)
  if (askedFrom >= from) return asked
  return { ...NO_FILTER, modifiedFrom: withOffset(new Date(from)) }
}
