/** What a read and a batch are doing, and what stands in the grid, in words. */
import { batchCounts } from '../../../shared/records/outcome.ts'
import type { Batch, RecordSet } from '../../../shared/contract/records.ts'
import { objectDefinition } from '../../../shared/records/definition.ts'
import type { Format } from '../../../shared/format/format.ts'
import { asksForAll, filterWords } from '../list/filter.ts'
import type { UpdateReport } from '../list/update.svelte.ts'

/** *1 customer*, *1,284 customers*; records of objects that nobody described are records. */
export function countWords(object: string, count: number, format: Format): string {
  const definition = objectDefinition(object)
  const [one, many] = definition ? [definition.singular, definition.plural] : ['record', 'records']
  return `${format.count(count)} ${count === 1 ? one : many}`
}

/** What the command that adds a record is called: *New customer*. */
export function newRecordLabel(object: string): string {
  return `New ${objectDefinition(object)?.singular ?? 'record'}`
}

/** How long ago, in words: *just now*, *12 minutes ago*; from a day on, the moment itself. */
export function ageWords(iso: string, now: Date, format: Format): string {
  const minutes = Math.floor((now.getTime() - Date.parse(iso)) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${format.count(minutes)} ${minutes === 1 ? 'minute' : 'minutes'} ago`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${format.count(hours)} ${hours === 1 ? 'hour' : 'hours'} ago`
  return format.moment(iso, now)
}

/** What **Changed since** brought, in a sentence or two. */
export function updateWords(report: UpdateReport, object: string, format: Format): string {
  const { added, changed, unchanged, underDrafts, leftOut, partialBecause } = report
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
  const left = leftOut > 0 ? ` ${countWords(object, leftOut, format)} without an ID were skipped.` : ''
  const partial = partialBecause === '' ? '' : ` Not all changes arrived: ${partialBecause}`
  return `${news}${asked}.${drafts}${left}${partial}`
}

export interface Stamp {
  /** `Read 12 minutes ago`, with `changes 2 minutes ago` where those were asked for since. */
  readonly when: string
  /** `Read today 9:14` */
  readonly moment: string
  /** `changed since 1 Jan 2026`; empty when everything was asked for. */
  readonly asked: string
  /** `1,284 customers` */
  readonly count: string
  /** `the whole list`, `everything you asked for`, or why it is not. */
  readonly extent: string
  readonly isWhole: boolean
}

/** When a list was read, what was asked for, how many there are, and whether that is all. */
export function stampOf(set: RecordSet, updatedAt: string | null, now: Date, format: Format): Stamp {
  const changes = updatedAt === null ? '' : `, changes ${ageWords(updatedAt, now, format)}`
  const moments = updatedAt === null ? '' : `, changes ${format.moment(updatedAt, now)}`
  return {
    when: `Read ${ageWords(set.readAt, now, format)}${changes}`,
    moment: `Read ${format.moment(set.readAt, now)}${moments}`,
    asked: filterWords(set.filter, format),
    count: countWords(set.object, set.count, format),
    extent: set.isWhole
      ? asksForAll(set.filter)
        ? 'the whole list'
        : 'everything you asked for'
      : `not the whole list: ${set.partialBecause || 'the service didn’t send all of it'}`,
    isWhole: set.isWhole,
  }
}

/** What a batch is doing. */
export function batchWords(batch: Batch, format: Format): string {
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

/** How a batch ended: *46 saved, 1 not accepted, 1 not confirmed*. */
export function batchSummary(batch: Batch, format: Format): string {
  const said = batchCounts(batch).map(({ count, words }) => `${format.count(count)} ${words}`)
  return said.length === 0 ? 'Nothing was sent' : said.join(', ')
}
