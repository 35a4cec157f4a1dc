/** What a row's margin and Outcome column say: one state a row, its sign and its words. */
import type { Operation } from '../../../shared/contract/records.ts'
import { type RecordData, editAt } from '../../../shared/records/changes.ts'
import { fieldValueText } from '../../../shared/records/value-text.ts'
import { assertNever } from '../../../shared/result.ts'
import type { Format } from '../../../shared/format/format.ts'
import type { Outcome } from '../../ui/notices/outcomes.ts'
import { type Problem, problemWords } from '../drafts/problems.ts'
import type { ChangeUnderneath, RowDraft } from '../drafts/row-draft.ts'
import { type FilledIn, filledIn, filledInWords } from './filled-in.ts'

/** What was saved in this visit, until it is cleared. */
export interface SavedMark {
  /** ISO time. */
  readonly at: string
  readonly operation: Operation
  /** What the application gave a value to by itself. */
  readonly filledIn: readonly FilledIn[]
}

export type RowOutcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'draft' }
  | { readonly kind: 'new' }
  /** A draft that puts back what was there before something was sent. */
  | { readonly kind: 'changes-back' }
  | { readonly kind: 'problem'; readonly problems: readonly Problem[] }
  /** Read again, and somebody had changed what the draft changes. */
  | { readonly kind: 'underneath'; readonly changes: readonly ChangeUnderneath[] }
  /** In the queue; `left`: of an earlier run, it waits for the person. */
  | { readonly kind: 'queued'; readonly left: boolean; readonly operation: Operation }
  | { readonly kind: 'sending'; readonly operation: Operation }
  | { readonly kind: 'saved'; readonly mark: SavedMark }
  /** Saved with other values than were sent, or with a word of the service beside it: it stays until it is seen. */
  | { readonly kind: 'saved-otherwise'; readonly operation: Operation }
  | { readonly kind: 'refused'; readonly operation: Operation }
  | { readonly kind: 'unconfirmed'; readonly operation: Operation }
  | { readonly kind: 'held'; readonly operation: Operation }
  | { readonly kind: 'meanwhile'; readonly operation: Operation }
  /** The record is gone: a read before sending did not find it, or the whole list lacks it (`operation` is `null`). */
  | { readonly kind: 'deleted'; readonly operation: Operation | null }

/** Decides on a row's state from everything that is known of it. */
export function rowOutcome(
  draft: RowDraft | undefined,
  saved: SavedMark | undefined,
  problems: readonly Problem[],
  underneath: readonly ChangeUnderneath[],
): RowOutcome {
  const operation = draft?.operation ?? null
  if (draft && operation) return operationOutcome(operation, draft)
  if (underneath.length > 0) return { kind: 'underneath', changes: underneath }
  if (problems.some(({ kind }) => kind === 'vanished')) return { kind: 'deleted', operation: null }
  if (problems.length > 0) return { kind: 'problem', problems }
  if (saved && !isSavedAsSent(saved.operation)) {
    return { kind: 'saved-otherwise', operation: saved.operation }
  }
  if (!draft) return saved ? { kind: 'saved', mark: saved } : { kind: 'none' }
  if (draft.changesBack) return { kind: 'changes-back' }
  return draft.kind === 'insert' ? { kind: 'new' } : { kind: 'draft' }
}

function operationOutcome(operation: Operation, { before }: RowDraft): RowOutcome {
  switch (operation.state) {
    case 'queued':
      return { kind: 'queued', left: operation.waitsForPerson, operation }
    case 'sending':
      return { kind: 'sending', operation }
    case 'acked':
      return isSavedAsSent(operation)
        ? { kind: 'saved', mark: savedMark(operation, before) }
        : { kind: 'saved-otherwise', operation }
    case 'rejected':
      return { kind: 'refused', operation }
    case 'unknown':
      return { kind: 'unconfirmed', operation }
    case 'held':
      return { kind: 'held', operation }
    case 'conflict':
      return { kind: isDeleted(operation) ? 'deleted' : 'meanwhile', operation }
    default:
      return assertNever(operation.state)
  }
}

/** Whether a saved record needs no look: it is as it was sent, and nothing was said beside it. */
function isSavedAsSent({ notAsSent, error }: Operation): boolean {
  return notAsSent.length === 0 && error === null
}

/** @param before the record as it was when it was sent; what it says already is no news */
export function savedMark(operation: Operation, before: RecordData): SavedMark {
  return {
    at: operation.settledAt ?? operation.queuedAt,
    operation,
    filledIn: filledIn(before, operation),
  }
}

/** The sign in the margin, or none. */
export function outcomeSign(outcome: RowOutcome): Outcome | null {
  switch (outcome.kind) {
    case 'none':
      return null
    case 'draft':
    case 'changes-back':
      return 'draft'
    case 'new':
      return 'new'
    case 'problem':
    case 'saved-otherwise':
      return 'caution'
    case 'underneath':
    case 'meanwhile':
    case 'deleted':
      return 'meanwhile'
    case 'queued':
      return outcome.left ? 'waiting' : 'sending'
    case 'sending':
      return 'sending'
    case 'saved':
      return 'saved'
    case 'refused':
      return 'refused'
    case 'unconfirmed':
      return 'unconfirmed'
    case 'held':
      return 'decide'
    default:
      return assertNever(outcome)
  }
}

/** The sign's words, where its own say another thing: what waits here waits for nobody's authorisation. */
export function signWords(outcome: RowOutcome): string | undefined {
  if (outcome.kind !== 'queued') return undefined
  return outcome.left ? 'not sent yet' : 'waits to be sent'
}

/** Whether the record was not there when its change was about to be sent. */
function isDeleted({ conflicts }: Operation): boolean {
  return conflicts.length > 0 && conflicts.every(({ theirs }) => theirs === null)
}

/** What is said of a record that is gone. */
export function deletedTitle(operation: Operation | null): string {
  return operation === null ? 'No longer in the list' : 'Deleted in the books'
}

/** The words of the Outcome column; `strong` ones are those that a person has to read. */
export function outcomeWords(
  outcome: RowOutcome,
  words: (path: string) => string,
  format: Format,
): { readonly text: string; readonly more: string; readonly strong: boolean } {
  const say = (text: string, more = '', strong = false): ReturnType<typeof outcomeWords> => ({
    text,
    more,
    strong,
  })
  switch (outcome.kind) {
    case 'none':
    case 'draft':
    case 'new':
      return say('')
    case 'changes-back':
      return say('Undoes a change')
    case 'problem':
      return say(outcome.problems.map((problem) => problemWords(problem, words)).join('; '))
    case 'underneath':
      return say('Changed meanwhile', '', true)
    case 'queued':
      return outcome.left ? say('Not sent yet', '', true) : say('Waits to be sent')
    case 'sending':
      return say('Being sent')
    case 'saved':
      return say(`Saved ${format.time(outcome.mark.at)}`, filledWords(outcome.mark, words, format))
    case 'saved-otherwise':
      return outcome.operation.notAsSent.length > 0
        ? say(savedTitle(outcome.operation), '', true)
        : say(savedTitle(outcome.operation), outcome.operation.error?.message)
    case 'refused':
      return say('Not accepted', refusedField(outcome.operation, words), true)
    case 'unconfirmed':
      return say('Not confirmed', lastLooked(outcome.operation, format), true)
    case 'held':
      return say(
        'Your decision',
        outcome.operation.error?.message ?? notSavedWords(outcome.operation, format),
        true,
      )
    case 'deleted':
      return say(deletedTitle(outcome.operation), '', true)
    case 'meanwhile':
      return say(
        'Changed meanwhile',
        canChoose(outcome.operation) ? '' : outcome.operation.error?.message,
        true,
      )
    default:
      return assertNever(outcome)
  }
}

/** What is said of a record that was saved, and has to be seen. */
export function savedTitle({ notAsSent }: Operation): string {
  return notAsSent.length > 0 ? 'Saved, but not as sent' : 'Saved, with a warning'
}

/** What is done about a record whose answer was lost, and what the person can do. */
export function unconfirmedWords({ looks }: Operation): string {
  // A look by itself is made twice; after that only the person asks for another.
  return looks < 2
    ? 'Bookbridge checks the books before it sends anything else.'
    : 'Bookbridge couldn’t read the books, so it doesn’t know whether this was saved. Check now tries again. Continue sends the rest. Discard drops this change.'
}

const FROM_BEFORE =
  'This change comes from an older backup, so it may already be in the books. Check now looks for it. Send again looks first and sends only if it’s missing.'

/** What is known about a write that waits for a decision, and what is not. */
export function heldWords(operation: Operation, format: Format): string {
  const { error } = operation
  if (looksThatTold(operation) <= 0) return FROM_BEFORE
  const known = lookedFor(operation, format)
  return error === null ? known : `When it was sent: ${error.message} ${known}`
}

/** Checks after which something was known. */
function looksThatTold({ error, looks }: Operation): number {
  return error?.details.look === undefined ? looks : looks - 1
}

/** What the books show in place of a change that didn't arrive; empty where that isn't known. */
function notSavedWords(operation: Operation, format: Format): string {
  const { kind, object, edits } = operation
  if (kind !== 'change' || looksThatTold(operation) <= 0) return ''
  const [edit] = edits
  if (edit === undefined || edits.length > 1) return 'Not saved. The books still have the old values.'
  return `Not saved. The books still have ${fieldValueText(object, edit.path, edit.was, format)}.`
}

function lookedFor(operation: Operation, format: Format): string {
  const { kind, looks, lastLookedAt, candidates } = operation
  const times = looks > 2 ? `${format.count(looks)} times` : looks === 2 ? 'twice' : 'once'
  const looked = lastLookedAt === null ? times : `${times}, most recently ${format.moment(lastLookedAt)},`
  if (kind === 'change') {
    return `${notSavedWords(operation, format)} Bookbridge read the record ${looked}. The service may still be working on the change.`
  }
  if (candidates.some(isFound)) return `Bookbridge checked ${looked} and couldn’t tell whether it was added.`
  const matches = 'found no record in the whole list that matches its name or external ID'
  return candidates.length > 0
    ? `Bookbridge checked ${looked} and ${matches}.`
    : `Bookbridge checked ${looked} and ${matches}, and no new one that matches its values. The service may still be working on it.`
}

/** Whether a candidate was found in the list; one that an answer named and nobody found is its `ID` alone. */
export function isFound(candidate: RecordData): boolean {
  return Object.keys(candidate).length > 1
}

/** Whether a conflict leaves a choice between two values; there is none where no single record was found. */
export function canChoose({ conflicts }: Operation): boolean {
  return conflicts.some(({ theirs }) => theirs !== null)
}

/** Why the latest look could not tell; empty when it could, or when none was made. */
export function lookWords({ error }: Operation): string {
  const look = error?.details.look ?? ''
  return look === '' ? '' : `The last check was inconclusive: ${look}`
}

function filledWords(mark: SavedMark, words: (path: string) => string, format: Format): string {
  const { filledIn: filled, operation } = mark
  if (filled.length === 0) return ''
  return `the application filled in ${filledInWords(operation.object, filled, words, format)}`
}

function lastLooked({ lastLookedAt }: Operation, format: Format): string {
  return lastLookedAt === null ? '' : `looked ${format.time(lastLookedAt)}`
}

function refusedField(operation: Operation, words: (path: string) => string): string {
  return operation.errorPath === '' ? (operation.error?.message ?? '') : words(operation.errorPath)
}

/** The class that a cell wears, or none. `path` is the cell's column. */
export function cellMark(
  outcome: RowOutcome,
  path: string,
  draft: RowDraft | undefined,
): 'draft' | 'refused' | 'unconfirmed' | 'meanwhile' | 'saved' | null {
  const isEdited = editAt(draft?.edits, path) !== undefined
  switch (outcome.kind) {
    case 'refused': {
      const { errorPath } = outcome.operation
      if (errorPath === path || (errorPath === '' && isEdited)) return 'refused'
      return isEdited ? 'draft' : null
    }
    case 'unconfirmed':
      return isEdited ? 'unconfirmed' : null
    case 'meanwhile':
      if (outcome.operation.conflicts.some((each) => each.path === path)) return 'meanwhile'
      return isEdited ? 'draft' : null
    case 'underneath':
      if (outcome.changes.some((each) => each.path === path)) return 'meanwhile'
      return isEdited ? 'draft' : null
    case 'saved':
      return outcome.mark.operation.edits.some((edit) => edit.path === path) ? 'saved' : null
    case 'saved-otherwise':
      return outcome.operation.notAsSent.some((each) => each.path === path) ? 'meanwhile' : null
    default:
      return isEdited ? 'draft' : null
  }
}

// What a person can do about a row's outcome, by the words on the button.

export type OutcomeAction =
  | { readonly what: 'check-now'; readonly label: 'Check now'; readonly operationId: string }
  | { readonly what: 'send-again'; readonly label: 'Send again'; readonly operationId: string }
  | { readonly what: 'discard'; readonly label: 'Discard'; readonly operationId: string }
  /** Opens the callout: the reason, whose values stand, or which record it is. */
  | { readonly what: 'show'; readonly label: 'Why' | 'Choose' | 'Show' | 'Send again…' }

/** The actions of an outcome, in the order in which they stand. */
export function outcomeActions(outcome: RowOutcome): readonly OutcomeAction[] {
  switch (outcome.kind) {
    case 'refused':
      return [{ what: 'show', label: 'Why' }]
    case 'saved-otherwise':
      return [{ what: 'show', label: 'Show' }]
    case 'underneath':
    case 'deleted':
      return [{ what: 'show', label: 'Choose' }]
    case 'meanwhile': {
      const { operationId, error } = outcome.operation
      return [
        { what: 'show', label: canChoose(outcome.operation) ? 'Choose' : 'Show' },
        ...(error === null ? [] : [{ what: 'discard', label: 'Discard', operationId } as const]),
      ]
    }
    case 'unconfirmed':
      return [{ what: 'check-now', label: 'Check now', operationId: outcome.operation.operationId }]
    case 'held': {
      const { operationId, candidates } = outcome.operation
      return [
        // Records that may be this one are compared first.
        candidates.length > 0
          ? { what: 'show', label: 'Send again…' }
          : { what: 'send-again', label: 'Send again', operationId },
        { what: 'discard', label: 'Discard', operationId },
      ]
    }
    case 'none':
    case 'draft':
    case 'new':
    case 'changes-back':
    case 'problem':
    case 'queued':
    case 'sending':
    case 'saved':
      return []
  }
}

/** Whether a callout has something to say about it. */
export function hasCallout(outcome: RowOutcome): boolean {
  return ['refused', 'saved-otherwise', 'underneath', 'meanwhile', 'deleted', 'unconfirmed', 'held'].includes(
    outcome.kind,
  )
}

// What was saved in this visit: the marks of its rows, until they are cleared.

export class SavedMarks {
  readonly #marks = new Map<string, SavedMark>()

  of(rowId: string): SavedMark | undefined {
    return this.#marks.get(rowId)
  }

  get rowIds(): Iterable<string> {
    return this.#marks.keys()
  }

  /** @param before the record as it was when it was sent */
  add(rowId: string, operation: Operation, before: RecordData): void {
    this.#marks.set(rowId, savedMark(operation, before))
  }

  /** All of those that are as they were sent. */
  clearAsSent(): void {
    for (const [rowId, { operation }] of this.#marks) if (isSavedAsSent(operation)) this.#marks.delete(rowId)
  }

  /** One that has been looked at. */
  clear(rowId: string): void {
    this.#marks.delete(rowId)
  }

  /** What was changed by them, field by field. */
  changes(): Operation['edits'] {
    return [...this.#marks.values()].flatMap(({ operation }) => operation.edits)
  }
}
