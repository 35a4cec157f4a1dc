/** Formats the history: titles of entries, outcomes, values, and why something can't be undone. */
import type {
  HistoryEntry,
  HistoryOutcome,
  HistoryRecord,
  UndoRecord,
  UndoRefusal,
} from '../../shared/contract/history.ts'
import { capitalized, type Format } from '../../shared/format/format.ts'
import { objectDefinition } from '../../shared/records/definition.ts'
import { OUTCOME_LABELS, sentTimeText } from '../../shared/records/outcome.ts'
import { assertNever } from '../../shared/result.ts'
import { BY_CONCERN, type Outcome } from '../ui/notices/outcomes.ts'

/** Returns the sign of an outcome and its label. */
export function historySign(outcome: HistoryOutcome): {
  readonly sign: Outcome | null
  readonly word: string
} {
  const sign = outcome === 'discarded' ? null : outcome === 'not-sent' ? 'draft' : outcome
  return { sign, word: OUTCOME_LABELS[outcome] }
}

const FILTERS: readonly HistoryOutcome[] = [
  'saved',
  'not-accepted',
  'not-confirmed',
  'decision',
  'changed-meanwhile',
]

/** The outcomes to filter by, with their labels. */
export const HISTORY_OUTCOME_LABELS = FILTERS.map((value) => ({
  value,
  label: capitalized(historySign(value).word),
}))

/** Most serious first. */
const ORDER: readonly HistoryOutcome[] = [...BY_CONCERN, 'not-sent', 'discarded', 'saved']

/** Returns the most serious outcome, whose sign represents the entry. */
export function mostSeriousOutcome(outcomes: HistoryEntry['outcomes']): HistoryOutcome {
  return ORDER.find((each) => outcomes.some(({ outcome }) => outcome === each)) ?? 'saved'
}

/** Formats the outcomes of an entry: *47 saved, 1 not accepted*. */
export function formatOutcomes({ kind, outcomes }: HistoryEntry, format: Format): string {
  if (kind !== 'records') return historySign(mostSeriousOutcome(outcomes)).word.replace(/^saved$/, 'done')
  return ORDER.toReversed()
    .flatMap((each) => outcomes.find(({ outcome }) => outcome === each) ?? [])
    .map(({ outcome, count }) => `${format.count(count)} ${historySign(outcome).word}`)
    .join(', ')
}

/** Formats links to other entries: *Reverses an earlier change today 9:02*; empty without links. */
function formatLinks(links: readonly { readonly at: string }[], before: string, format: Format): string {
  return links.length === 0 ? '' : `${before} ${links.map(({ at }) => format.moment(at)).join(', ')}`
}

/** Describes what an entry undoes and what undid it, in full or in part. */
export function entryLinks(entry: HistoryEntry, format: Format): string {
  const total = entry.changes + entry.inserts
  const back = entry.undoneBy.reduce((sum, { count }) => sum + count, 0)
  const changedBack = back < total ? `${format.count(back)} of ${format.count(total)} undone` : 'Undone'
  return [
    formatLinks(entry.undoes, 'Reverses an earlier change', format),
    formatLinks(entry.undoneBy, changedBack, format),
  ]
    .filter(Boolean)
    .join('. ')
}

/** Says why an entry can't be undone; empty for a batch of records. */
export function whyNotUndoable({ kind }: HistoryEntry): string {
  switch (kind) {
    case 'records':
      return ''
    case 'provisioning':
      return 'Provisioning can’t be undone. De-provision the company under Companies to end it.'
    case 'deprovisioning':
      return 'De-provisioning can’t be undone. Provision the company again to use it.'
    case 'user':
      return 'A client can’t be removed. The service has no way to do it.'
    default:
      return assertNever(kind)
  }
}

/** Returns the singular of a list: *customer*. */
export function singularOf(object: string): string {
  return objectDefinition(object)?.singular ?? 'record'
}

/** Returns remarks about a record's outcome; empty if there are none. */
export function recordNote(record: HistoryRecord, format: Format): string {
  const parts = [
    record.isSent ? '' : sentTimeText(record, format),
    formatLinks(record.undoes ? [record.undoes] : [], 'Reverses an earlier change', format),
    formatLinks(record.undoneBy ? [record.undoneBy] : [], 'Undone', format),
    record.confirmedByReading ? 'Confirmed by reading it back' : '',
    record.error === null ? '' : record.error.message.replace(/\.$/, ''),
  ].filter(Boolean)
  return parts.length === 0 ? '' : `${parts.join('. ')}.`
}

/** Says why something can't be undone. */
export function formatUndoRefusal({ reason, at }: UndoRefusal, object: string, format: Format): string {
  const when = at === null ? '' : ` ${format.moment(at)}`
  switch (reason) {
    case 'not-settled':
      return 'Not confirmed yet. Wait, or decide first'
    case 'not-saved':
      return 'Never saved, so there is nothing to undo'
    case 'has-draft':
      return 'This record has a draft. Send it or revert it first'
    case 'draft-waits':
      return 'A draft that undoes it is waiting to be sent'
    case 'changed-back':
      return `Already undone${when}`
    case 'changed-again':
      return `Changed again later${when}. Undo that first`
    case 'altered':
      return 'The value has changed since it was sent'
    case 'not-taken':
      return 'The application doesn’t support this field'
    case 'cannot-be-emptied':
      return 'It was empty before and can’t be cleared'
    case 'no-active-field':
      return `A new ${singularOf(object)} can’t be made inactive, because this list has no Active field`
    case 'already-inactive':
      return 'It is already inactive'
    case 'known-by-name':
      return 'The response was lost, and it was found by name only. Check in the accounting application that it’s yours'
    case 'no-record':
      return 'The record is unknown'
    default:
      return assertNever(reason)
  }
}

/** Returns the label of a record's check box: *Undo Alder*. */
export function checkboxLabel(record: UndoRecord): string {
  return `Undo ${record.recordName || record.recordId}`
}
