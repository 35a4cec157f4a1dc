/** Texts about reads and batches: counts, ages, progress, and results. */
import type { HistoryOutcome } from '../../../shared/contract/history.ts'
import type { Batch, OpenedSet } from '../../../shared/contract/records.ts'
import type { Format } from '../../../shared/format/format.ts'
import { recordNoun } from '../../../shared/records/definition.ts'
import { batchCounts } from '../../../shared/records/outcome.ts'
import { formatFilter, isUnfiltered } from '../filters/records-filter.ts'
import type { UpdateReport } from '../list/update.svelte.ts'

/** Formats a number of records: *1 customer*, *1,284 customers*. */
export function formatRowCount(object: string, count: number, format: Format): string {
  const { singular, plural } = recordNoun(object)
  return `${format.count(count)} ${count === 1 ? singular : plural}`
}

/** The label of the command that adds a record: *New customer*. */
export function newRecordLabel(object: string): string {
  return `New ${recordNoun(object).singular}`
}

/** The label of the command that sends: *Send 48 changes to Alder & Finch (Desktop)*. */
export function sendLabel(count: number, destination: string, format: Format): string {
  const many = count === 0 ? '' : `${format.count(count)} `
  return `Send ${many}${count === 1 ? 'change' : 'changes'} to ${destination}`
}

/** The company's name, which may be cut off, and its application, which may not. */
export function splitDestination(destination: string): readonly [string, string] {
  const at = destination.lastIndexOf(' (')
  return at < 0 ? [destination, ''] : [destination.slice(0, at), destination.slice(at + 1)]
}

/** Formats an age: *just now*, *12 min ago*. After a day, the date and time. */
function formatAge(iso: string, now: Date, format: Format): string {
  const minutes = Math.floor((now.getTime() - Date.parse(iso)) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${format.count(minutes)} min ago`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${format.count(hours)} ${hours === 1 ? 'hour' : 'hours'} ago`
  return format.moment(iso, now)
}

/** Summarizes the result of **Changed since**. */
export function formatUpdate(report: UpdateReport, object: string, format: Format): string {
  const { added, changed, unchanged, underDrafts, leftOut, partialReason } = report
  const news =
    added + changed === 0
      ? 'Nothing has changed'
      : [added > 0 ? `${format.count(added)} new` : '', changed > 0 ? `${format.count(changed)} changed` : '']
          .filter(Boolean)
          .join(', ')
  const asked = unchanged > 0 ? ` (${format.count(unchanged)} already in the list)` : ''
  const drafts =
    underDrafts > 0
      ? ` ${underDrafts === 1 ? 'One of them has' : `${format.count(underDrafts)} of them have`} your draft on it. It’s marked.`
      : ''
  const left = leftOut > 0 ? ` ${formatRowCount(object, leftOut, format)} without an ID were skipped.` : ''
  const partial = partialReason === '' ? '' : ` Not all changes arrived: ${partialReason}`
  return `${news}${asked}.${drafts}${left}${partial}`
}

export interface Stamp {
  /** `Read 12 min ago`, followed by `changes 2 min ago` after an update. */
  readonly when: string
  /** `Read today 9:14` */
  readonly moment: string
  /** `changed since Jan 1, 2026`; empty for the whole list. */
  readonly asked: string
  /** `1,284 customers` */
  readonly count: string
  /** `the whole list`, `everything you asked for`, or why some records are missing. */
  readonly extent: string
  readonly isWhole: boolean
}

/** Describes the current list: when it was read, its filter, the number of records, and whether it is complete. */
export function stampOf(set: OpenedSet, updatedAt: string | null, now: Date, format: Format): Stamp {
  const changes = updatedAt === null ? '' : `, changes ${formatAge(updatedAt, now, format)}`
  const moments = updatedAt === null ? '' : `, changes ${format.moment(updatedAt, now)}`
  return {
    when: `Read ${formatAge(set.readAt, now, format)}${changes}`,
    moment: `Read ${format.moment(set.readAt, now)}${moments}`,
    asked: formatFilter(set.filter, format),
    count: formatRowCount(set.object, set.count, format),
    extent: set.isWhole
      ? isUnfiltered(set.filter)
        ? 'the whole list'
        : 'everything you asked for'
      : `not the whole list: ${set.partialReason || 'the service didn’t send all of it'}`,
    isWhole: set.isWhole,
  }
}

/** Describes the phase of a batch. */
export function formatBatch(batch: Batch, format: Format): string {
  switch (batch.phase) {
    case 'waiting':
      return 'Waiting in line'
    case 'checking':
      return 'Checking for changes in the application'
    case 'sending':
      return `Sending ${format.count(batch.sent)} of ${format.count(batch.total)}`
    case 'confirming':
      return 'Confirming'
    case 'stopped':
      return 'Stopped'
    case 'paused':
      return 'Paused'
    case 'done':
      return 'Done'
  }
}

/** Summarizes the result of a batch: *46 saved, 1 not accepted, 1 not confirmed*. */
export function batchSummary(batch: Batch, format: Format): string {
  const parts = batchParts(batch, format, 0)
  return parts.length === 0 ? 'Nothing was sent' : parts.map(({ text }) => text).join(', ')
}

interface BatchPart {
  readonly text: string
  readonly outcome: HistoryOutcome
}

/**
 * The parts of a summary, first what was saved.
 * @param heldBack number of changes outside the batch that can't be sent yet
 */
export function batchParts(batch: Batch, format: Format, heldBack: number): readonly BatchPart[] {
  const counted = batchCounts(batch).map(({ count, label, outcome }) => ({
    text: `${format.count(count)} ${label}`,
    outcome,
  }))
  const left: BatchPart = { text: `${format.count(heldBack)} not sent`, outcome: 'not-accepted' }
  return heldBack > 0 ? [...counted, left] : counted
}
