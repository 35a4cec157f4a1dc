/** What a read and a batch are doing, and what stands in the grid, in words. */
import { batchCounts } from '../../shared/batch-words.ts'
import type { Batch, RecordSet } from '../../shared/contract/records.ts'
import { objectDefinition } from '../../shared/records.ts'
import { capitalised, type Format } from '../ui/format.ts'
import { asksForAll, filterWords } from './list-filter.ts'

/** *1 customer*, *1,284 customers*; records of objects that nobody described are records. */
export function countWords(object: string, count: number, format: Format): string {
  const definition = objectDefinition(object)
  const [one, many] = definition ? [definition.singular, definition.plural] : ['record', 'records']
  return `${format.count(count)} ${count === 1 ? one : many}`
}

export interface Stamp {
  /** `Read today 9:14` */
  readonly when: string
  /** `changed since 1 Jan 2026`; empty when everything was asked for. */
  readonly asked: string
  /** `1,284 customers` */
  readonly count: string
  /** `the whole list`, `the whole answer`, or why it is not. */
  readonly extent: string
  readonly isWhole: boolean
}

/** When a list was read, what was asked for, how many there are, and whether that is all. */
export function stampOf(set: RecordSet, format: Format): Stamp {
  return {
    when: capitalised(`read ${format.moment(set.readAt)}`),
    asked: filterWords(set.filter, format),
    count: countWords(set.object, set.count, format),
    extent: set.isWhole
      ? asksForAll(set.filter)
        ? 'the whole list'
        : 'the whole answer'
      : `not the whole list: ${set.partialBecause || 'the service did not give all of it'}`,
    isWhole: set.isWhole,
  }
}

/** What a batch is doing. */
export function batchWords(batch: Batch, format: Format): string {
  switch (batch.phase) {
    case 'waiting':
      return 'Waiting for its turn'
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
