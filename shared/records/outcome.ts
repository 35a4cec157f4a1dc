/** A record after it was saved. */
import type { LeftOut } from '../contract/all-companies.ts'
import type { HistoryEntry, HistoryOutcome, SentTime } from '../contract/history.ts'
import type { Batch, Operation } from '../contract/records.ts'
import type { Format } from '../format/format.ts'
import { assertNever } from '../result.ts'
import { type EditValue, isObject, memberOf, ownValue, type RecordData, topField } from './changes.ts'
import { listName } from './definition.ts'

/**
 * The record as read, with the edits that were sent, overlaid with the service's response. A response may omit fields
 * without a value (specification 2.1), so an omitted field may also have been cleared. A new record takes nothing from
 * `before`: the service may have given it the ID of a deleted record.
 */
export function mergedRecord(
  before: RecordData,
  operation: Pick<Operation, 'kind' | 'edits' | 'after'>,
): RecordData {
  let record: RecordData = operation.kind === 'insert' ? {} : before
  for (const edit of operation.edits) record = withValueAt(record, edit.path, edit.now)
  return { ...record, ...operation.after }
}

/** The record with another value in one field or member. */
export function withValueAt(record: RecordData, path: string, value: EditValue): RecordData {
  const field = topField(path)
  const member = memberOf(path)
  if (member === null) return { ...record, [field]: value }
  const top = ownValue(record, field)
  const parts = isObject(top) ? top : {}
  return { ...record, [field]: { ...parts, [member]: value } }
}

// A batch's outcomes as text, for the window and for system notifications.

interface BatchCount {
  readonly count: number
  readonly label: string
  readonly outcome: HistoryOutcome
}

/** The counts that aren't zero, with their words, in the order in which they are shown. */
export function batchCounts(batch: Batch): readonly BatchCount[] {
  const counts: readonly BatchCount[] = [
    { count: batch.saved - batch.undone, label: 'saved', outcome: 'saved' },
    {
      count: batch.undone,
      label: batch.undone === 1 ? 'change undone' : 'changes undone',
      outcome: 'saved',
    },
    { count: batch.notAccepted, label: 'not accepted', outcome: 'not-accepted' },
    { count: batch.notConfirmed, label: 'not confirmed', outcome: 'not-confirmed' },
    {
      count: batch.decisions,
      label: batch.decisions === 1 ? 'change needs your decision' : 'changes need your decision',
      outcome: 'decision',
    },
    { count: batch.changedMeanwhile, label: 'changed elsewhere', outcome: 'changed-meanwhile' },
    { count: batch.unsent, label: 'not sent', outcome: 'not-sent' },
  ]
  return counts.filter(({ count }) => count > 0)
}

/** The labels of the outcomes. */
export const OUTCOME_LABELS: Readonly<Record<HistoryOutcome, string>> = {
  saved: 'saved',
  'not-accepted': 'not accepted',
  'not-confirmed': 'not confirmed',
  decision: 'your decision',
  'changed-meanwhile': 'changed elsewhere',
  discarded: 'discarded',
  'not-sent': 'not sent',
}

/** When something was sent, with its last day if that differs; or, if it never was, when it was queued. */
export function sentTimeText({ at, lastAt, isSent }: SentTime, format: Format): string {
  const first = format.fullMoment(at)
  if (!isSent) return `Never sent. Queued ${first}`
  return format.day(at) === format.day(lastAt) ? first : `${first} to ${format.fullMoment(lastAt)}`
}

/** Names what a change left out: *Alder & Finch, Ash*, or, of a whole company, *Alder & Finch (540 records)*. */
export function leftOutTitle(
  { companyName, recordName, records = 0 }: Pick<LeftOut, 'companyName' | 'recordName' | 'records'>,
  format: Format,
): string {
  if (records > 0) return `${companyName} (${counted(records, 'record', format)})`
  return [companyName, recordName].filter(Boolean).join(', ')
}

/** *3 changes and 2 new records in Customers*, *Provisioning*. */
export function entryTitle(entry: HistoryEntry, format: Format): string {
  switch (entry.kind) {
    case 'records': {
      const parts = [counted(entry.changes, 'change', format), counted(entry.inserts, 'new record', format)]
      return `${parts.filter(Boolean).join(' and ')} in ${listName(entry.object)}`
    }
    case 'provisioning':
      return 'Provisioning'
    case 'deprovisioning':
      return 'De-provisioning'
    case 'user':
      return 'Creating a client'
    default:
      return assertNever(entry.kind)
  }
}

function counted(count: number, word: string, format: Format): string {
  return count === 0 ? '' : `${format.count(count)} ${word}${count === 1 ? '' : 's'}`
}
