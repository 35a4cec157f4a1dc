/** Formats the history: titles of entries, outcomes, values, and why something can't be changed back. */
import type {
  ChangeBackRecord,
  HistoryEntry,
  HistoryOutcome,
  HistoryRecord,
  NoWayBack,
} from '../../shared/contract/history.ts'
import { objectDefinition } from '../../shared/records/definition.ts'
import { OUTCOME_WORDS } from '../../shared/records/outcome.ts'
import { assertNever } from '../../shared/result.ts'
import { capitalized, type Format } from '../../shared/format/format.ts'
import type { Outcome } from '../ui/notices/outcomes.ts'

const SIGNS: Readonly<Record<HistoryOutcome, Outcome | null>> = {
  saved: 'saved',
  'not-accepted': 'refused',
  'not-confirmed': 'unconfirmed',
  decision: 'decide',
  'changed-meanwhile': 'meanwhile',
  discarded: null,
  'not-sent': 'draft',
}

/** The sign of an outcome, and the word beside it. */
export function outcomeSign(outcome: HistoryOutcome): {
  readonly sign: Outcome | null
  readonly word: string
} {
  return { sign: SIGNS[outcome], word: OUTCOME_WORDS[outcome] }
}

const FILTERS: readonly HistoryOutcome[] = [
  'saved',
  'not-accepted',
  'not-confirmed',
  'decision',
  'changed-meanwhile',
]

/** The outcomes to filter by, with their labels. */
export const HISTORY_OUTCOME_WORDS = FILTERS.map((value) => ({
  value,
  label: capitalized(outcomeSign(value).word),
}))

/** The gravest first. */
const BY_CONCERN: readonly HistoryOutcome[] = [
  'not-confirmed',
  'decision',
  'changed-meanwhile',
  'not-accepted',
  'not-sent',
  'discarded',
  'saved',
]

/** The outcome whose sign stands for the entry. */
export function gravestOutcome(outcomes: HistoryEntry['outcomes']): HistoryOutcome {
  return BY_CONCERN.find((each) => outcomes.some(({ outcome }) => outcome === each)) ?? 'saved'
}

/** *47 saved, 1 not accepted*. */
export function outcomeWords({ kind, outcomes }: HistoryEntry, format: Format): string {
  if (kind !== 'records') return outcomeSign(gravestOutcome(outcomes)).word.replace(/^saved$/, 'done')
  return BY_CONCERN.toReversed()
    .flatMap((each) => outcomes.find(({ outcome }) => outcome === each) ?? [])
    .map(({ outcome, count }) => `${format.count(count)} ${outcomeSign(outcome).word}`)
    .join(', ')
}

/** *Reverses an earlier change today 9:02*; empty without links. */
function linkWords(links: readonly { readonly at: string }[], before: string, format: Format): string {
  return links.length === 0 ? '' : `${before} ${links.map(({ at }) => format.moment(at)).join(', ')}`
}

/** What an entry changes back, and what changed it back, in full or in part. */
export function entryLinks(entry: HistoryEntry, format: Format): string {
  const total = entry.changes + entry.inserts
  const back = entry.changedBackBy.reduce((sum, { count }) => sum + count, 0)
  const changedBack = back < total ? `${format.count(back)} of ${format.count(total)} undone` : 'Undone'
  return [
    linkWords(entry.changesBack, 'Reverses an earlier change', format),
    linkWords(entry.changedBackBy, changedBack, format),
  ]
    .filter(Boolean)
    .join('. ')
}

/** Why an entry can't be changed back; empty for a batch of records. */
export function whyEntryStays({ kind }: HistoryEntry): string {
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

/** The word for one record of a list: *customer*. */
export function recordWord(object: string): string {
  return objectDefinition(object)?.singular ?? 'record'
}

/** What there is to add to a record's outcome, in sentences; empty for nothing. */
export function recordNote(record: HistoryRecord, format: Format): string {
  const parts = [
    linkWords(record.changesBack ? [record.changesBack] : [], 'Reverses an earlier change', format),
    linkWords(record.changedBackBy ? [record.changedBackBy] : [], 'Undone', format),
    record.confirmedByReading ? 'Confirmed by reading it back' : '',
    record.error === null ? '' : record.error.message.replace(/\.$/, ''),
  ].filter(Boolean)
  return parts.length === 0 ? '' : `${parts.join('. ')}.`
}

/** Why something can't be changed back. */
export function stayWords({ because, at }: NoWayBack, object: string, format: Format): string {
  const when = at === null ? '' : ` ${format.moment(at)}`
  switch (because) {
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
      return 'This application doesn’t support this field'
    case 'cannot-be-emptied':
      return 'It was empty before and can’t be cleared'
    case 'no-active-field':
      return `A new ${recordWord(object)} can’t be made inactive, because this list has no Active field`
    case 'already-inactive':
      return 'It is already inactive'
    case 'known-by-name':
      return 'The response was lost, and it was found by name only. Check in the accounting application that it’s yours'
    case 'no-record':
      return 'The record is unknown'
    default:
      return assertNever(because)
  }
}

/** The label of a record's tick box: *Undo Alder*. */
export function tickLabel(record: ChangeBackRecord): string {
  return `Undo ${record.recordName || record.recordId}`
}
