/** The outcome of a row, with its sign, text, and actions. */
import type { Operation } from '../../../shared/contract/records.ts'
import type { Format } from '../../../shared/format/format.ts'
import { isZero, parseDecimal } from '../../../shared/format/money.ts'
import {
  canonicalValue,
  editAt,
  isObject,
  ownValue,
  type RecordData,
  textOf,
  topField,
} from '../../../shared/records/changes.ts'
import { fieldDefinition, NEVER_SENT } from '../../../shared/records/definition.ts'
import { fieldValueText, valueText } from '../../../shared/records/value-text.ts'
import { assertNever, type ErrorKind } from '../../../shared/result.ts'
import type { Outcome } from '../../ui/notices/outcomes.ts'
import { formatProblem, type Problem, stopsSending } from '../drafts/problems.ts'
import { type ChangeUnderneath, hasEdits, type RowDraft } from '../drafts/row-draft.ts'
import { oneLine } from '../grid/cell-text.ts'

/** A record that was saved since the list was opened. */
export interface SavedMark {
  /** ISO time. */
  readonly at: string
  readonly operation: Operation
  /** Fields that the application filled in. */
  readonly filledIn: readonly FilledIn[]
}

export type RowOutcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'draft' }
  | { readonly kind: 'new' }
  /** A draft that reverts an earlier change. */
  | { readonly kind: 'changes-back' }
  | { readonly kind: 'problem'; readonly problems: readonly Problem[] }
  /** Someone changed the same fields in the application, as a later read shows. */
  | { readonly kind: 'underneath'; readonly changes: readonly ChangeUnderneath[] }
  /** In the queue. `left` means that it waits for the user, such as after a restart. */
  | { readonly kind: 'queued'; readonly left: boolean; readonly operation: Operation }
  | { readonly kind: 'sending'; readonly operation: Operation }
  | { readonly kind: 'saved'; readonly mark: SavedMark }
  /** Saved with different values than sent, or with a warning. It stays until the user has seen it. */
  | { readonly kind: 'saved-otherwise'; readonly operation: Operation }
  | { readonly kind: 'not-accepted'; readonly operation: Operation }
  | { readonly kind: 'not-confirmed'; readonly operation: Operation }
  | { readonly kind: 'decision'; readonly operation: Operation }
  | { readonly kind: 'changed-meanwhile'; readonly operation: Operation }
  /**
   * The record was deleted: the check before sending didn't find it, or the whole list lacks it (`operation` is
   * `null`).
   */
  | { readonly kind: 'deleted'; readonly operation: Operation | null }

/** Determines the outcome of a row. */
export function rowOutcome(
  draft: RowDraft | undefined,
  saved: SavedMark | undefined,
  problems: readonly Problem[],
  underneath: readonly ChangeUnderneath[],
): RowOutcome {
  const operation = draft?.operation ?? null
  if (draft && operation) return operationOutcome(operation, draft)
  // A row that was just added lacks everything, and no one needs to be told.
  if (draft?.kind === 'insert' && !hasEdits(draft)) return { kind: 'new' }
  if (underneath.length > 0) return { kind: 'underneath', changes: underneath }
  if (problems.some(({ kind }) => kind === 'vanished')) return { kind: 'deleted', operation: null }
  if (problems.length > 0) return { kind: 'problem', problems }
  if (saved && !isSavedAsSent(saved.operation)) {
    return { kind: 'saved-otherwise', operation: saved.operation }
  }
  if (!draft) return saved ? { kind: 'saved', mark: saved } : { kind: 'none' }
  if (draft.undoes) return { kind: 'changes-back' }
  return draft.kind === 'insert' ? { kind: 'new' } : { kind: 'draft' }
}

function operationOutcome(operation: Operation, { before }: RowDraft): RowOutcome {
  switch (operation.state) {
    case 'queued':
      return { kind: 'queued', left: operation.waitsForUser, operation }
    case 'sending':
      return { kind: 'sending', operation }
    case 'acked':
      return isSavedAsSent(operation)
        ? { kind: 'saved', mark: savedMark(operation, before) }
        : { kind: 'saved-otherwise', operation }
    case 'rejected':
      return { kind: 'not-accepted', operation }
    case 'unknown':
      return { kind: 'not-confirmed', operation }
    case 'held':
      return { kind: 'decision', operation }
    case 'conflict':
      return { kind: isDeleted(operation) ? 'deleted' : 'changed-meanwhile', operation }
    default:
      return assertNever(operation.state)
  }
}

/** Whether a record was saved exactly as sent, without a warning. */
function isSavedAsSent({ notAsSent, error }: Operation): boolean {
  return notAsSent.length === 0 && error === null
}

/**
 * Creates the mark of a saved record.
 * @param before the record when it was sent, whose values aren't reported as filled in
 */
function savedMark(operation: Operation, before: RecordData): SavedMark {
  return {
    at: operation.settledAt ?? operation.queuedAt,
    operation,
    filledIn: filledIn(before, operation),
  }
}

/** Returns the sign for the margin. */
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
      return outcome.problems.some(stopsSending) ? 'not-accepted' : 'caution'
    case 'saved-otherwise':
      return 'caution'
    case 'underneath':
    case 'changed-meanwhile':
    case 'deleted':
      return 'changed-meanwhile'
    case 'queued':
      return outcome.left ? 'waiting' : 'sending'
    case 'sending':
      return 'sending'
    case 'saved':
      return 'saved'
    case 'not-accepted':
      return 'not-accepted'
    case 'not-confirmed':
      return 'not-confirmed'
    case 'decision':
      return 'decision'
    default:
      return assertNever(outcome)
  }
}

/** Returns the sign's label where its default doesn't fit: a queued change isn't waiting for authorization. */
export function formatSign(outcome: RowOutcome): string | undefined {
  if (outcome.kind === 'problem' && outcome.problems.some(stopsSending)) return 'can’t be sent yet'
  if (outcome.kind !== 'queued') return undefined
  return outcome.left ? 'not sent yet' : 'waits to be sent'
}

/** Whether the check before sending didn't find the record. */
function isDeleted({ conflicts }: Operation): boolean {
  return conflicts.length > 0 && conflicts.every(({ theirs }) => theirs === null)
}

/** Returns the title for a deleted record. */
export function deletedTitle(operation: Operation | null): string {
  return operation === null ? 'No longer in the list' : 'Deleted in the books'
}

/** The text of the Outcome column. `strong` text must be read. */
export interface OutcomeText {
  readonly text: string
  readonly more: string
  readonly strong: boolean
  /** For the tooltip. */
  readonly whole: string
}

/** Returns the text of the Outcome column. */
export function formatOutcome(
  outcome: RowOutcome,
  fieldLabel: (path: string) => string,
  format: Format,
): OutcomeText {
  const say = (text: string, more = '', strong = false): OutcomeText => ({
    text,
    more,
    strong,
    whole: more === '' ? text : `${text}: ${more}`,
  })
  switch (outcome.kind) {
    case 'none':
    case 'draft':
    case 'new':
      return say('')
    case 'changes-back':
      return say('Undoes a change')
    case 'problem':
      return say(outcome.problems.map((problem) => formatProblem(problem, fieldLabel)).join('; '))
    case 'underneath':
      return say('Changed elsewhere', '', true)
    case 'queued':
      return outcome.left ? say('Not sent yet', '', true) : say('Waits to be sent')
    case 'sending':
      return say('Being sent')
    case 'saved':
      return formatSaved(outcome.mark, fieldLabel, format)
    case 'saved-otherwise':
      return outcome.operation.notAsSent.length > 0
        ? say(savedTitle(outcome.operation), '', true)
        : say(savedTitle(outcome.operation), outcome.operation.error?.message)
    case 'not-accepted':
      return say('Not accepted', refusedField(outcome.operation, fieldLabel), true)
    case 'not-confirmed':
      return say('Not confirmed', lastLooked(outcome.operation, format), true)
    case 'decision':
      return say('Your decision', '', true)
    case 'deleted':
      return say(deletedTitle(outcome.operation), '', true)
    case 'changed-meanwhile':
      return say(
        'Changed elsewhere',
        canChoose(outcome.operation) ? '' : outcome.operation.error?.message,
        true,
      )
    default:
      return assertNever(outcome)
  }
}

/** Returns the title for a record that was saved differently. */
export function savedTitle({ notAsSent }: Operation): string {
  return notAsSent.length > 0 ? 'Saved, but not as sent' : 'Saved, with a warning'
}

/** Explains what happens to a record whose response was lost, and what the user can do. */
export function formatUnconfirmed({ rechecks }: Operation): string {
  // Bookbridge checks twice on its own. After that, only the user starts a check.
  return rechecks < 2
    ? 'Bookbridge checks the books before it sends anything else.'
    : 'Bookbridge couldn’t read the books, so it doesn’t know whether this was saved. Check now tries again. Continue sends the rest. Discard drops this change.'
}

const NO_RESPONSE: ReadonlySet<ErrorKind> = new Set(['dropped', 'timed-out'])

const FROM_BEFORE =
  'This change comes from an older backup, so it may already be in the books. Check now looks for it. Send again looks first and sends only if it’s missing.'

/** Explains how a change was checked that waits for the user's decision. */
export function formatHeld(operation: Operation, format: Format): string {
  if (conclusiveRechecks(operation) <= 0) return FROM_BEFORE
  const known = formatRechecks(operation, format)
  const response = serviceWords(operation)
  return response === '' ? known : `When it was sent: ${response} ${known}`
}

/**
 * Returns what the service said when a change was sent; empty without a response. How the connection failed is for
 * **Details**.
 */
export function serviceWords({ error }: Operation): string {
  return error === null || NO_RESPONSE.has(error.kind) ? '' : error.message
}

/** Number of conclusive checks. */
function conclusiveRechecks({ error, rechecks }: Operation): number {
  return error?.details.recheckReason === undefined ? rechecks : rechecks - 1
}

/** What the books still show if a change didn't arrive; empty if that isn't known. */
export function stillInBooks(operation: Operation, format: Format): string {
  const { kind, object, edits } = operation
  if (kind !== 'change' || conclusiveRechecks(operation) <= 0) return ''
  const [edit] = edits
  if (edit === undefined || edits.length > 1) return 'the old values'
  return fieldValueText(object, edit.path, edit.was, format)
}

/** Says how often a change was checked, and what the checks found. */
export function formatRechecks(operation: Operation, format: Format): string {
  const { kind, rechecks, lastRecheckedAt, candidates } = operation
  const times = rechecks > 2 ? `${format.count(rechecks)} times` : rechecks === 2 ? 'twice' : 'once'
  const last = lastRecheckedAt === null ? '' : `, most recently ${format.moment(lastRecheckedAt)}`
  const looked = last === '' ? times : `${times}${last},`
  if (kind === 'change') {
    return `Bookbridge read the record ${times}${last}. The service may still be working on the change.`
  }
  if (candidates.some(isCandidateListed))
    return `Bookbridge checked ${looked} and couldn’t tell whether it was added.`
  const matches = 'found no record in the whole list that matches its name or external ID'
  return candidates.length > 0
    ? `Bookbridge checked ${looked} and ${matches}.`
    : `Bookbridge checked ${looked} and ${matches}, and no new one that matches its values. The service may still be working on it.`
}

/** Whether a candidate is in the list. A candidate that only a response named consists of its `ID`. */
export function isCandidateListed(candidate: RecordData): boolean {
  return Object.keys(candidate).length > 1
}

/** Whether a conflict offers a choice between two values. It doesn't if no single record was found. */
export function canChoose({ conflicts }: Operation): boolean {
  return conflicts.some(({ theirs }) => theirs !== null)
}

/** Says why the latest check was inconclusive; empty if it wasn't, or if there was none. */
export function formatInconclusive({ error }: Operation): string {
  const recheckReason = error?.details.recheckReason ?? ''
  return recheckReason === '' ? '' : `The last check was inconclusive: ${recheckReason}`
}

function formatSaved(mark: SavedMark, fieldLabel: (path: string) => string, format: Format): OutcomeText {
  const { filledIn: filled, operation, at } = mark
  const text = `Saved ${format.time(at)}`
  if (filled.length === 0) return { text, more: '', strong: false, whole: text }
  const fields = formatFilledIn(operation.object, filled, fieldLabel, format)
  // Short, because two lines of a narrow column have to hold it. The tooltip lists several fields.
  const more = filled.length === 1 ? `filled in ${fields}` : `${format.count(filled.length)} fields filled in`
  return { text, more, strong: false, whole: `${text}: the application filled in ${fields}` }
}

function lastLooked({ lastRecheckedAt }: Operation, format: Format): string {
  return lastRecheckedAt === null ? '' : `looked ${format.time(lastRecheckedAt)}`
}

function refusedField(operation: Operation, fieldLabel: (path: string) => string): string {
  return operation.errorPath === '' ? (operation.error?.message ?? '') : fieldLabel(operation.errorPath)
}

/** Says that a rejected value is too long, if the service's words do; otherwise empty. */
export function formatTooLong({ error, errorPath }: Operation, fieldLabel: (path: string) => string): string {
  const isTooLong = errorPath !== '' && error !== null && /\btoo long\b/i.test(error.message)
  return isTooLong ? `${fieldLabel(errorPath)} is too long. Shorten it, then send it again.` : ''
}

/** Returns the class of a cell, if any. `path` is the cell's column. */
export function cellMark(
  outcome: RowOutcome,
  path: string,
  draft: RowDraft | undefined,
): 'draft' | 'not-accepted' | 'not-confirmed' | 'decision' | 'changed-meanwhile' | 'saved' | null {
  const isEdited = editAt(draft?.edits, path) !== undefined
  switch (outcome.kind) {
    case 'not-accepted': {
      const { errorPath } = outcome.operation
      if (errorPath === path || (errorPath === '' && isEdited)) return 'not-accepted'
      return isEdited ? 'draft' : null
    }
    case 'problem': {
      const isWrong = outcome.problems.some(
        (problem) => problem.kind === 'no-such-reference' && problem.path === path,
      )
      return isWrong ? 'not-accepted' : isEdited ? 'draft' : null
    }
    case 'not-confirmed':
    case 'decision':
      return isEdited ? outcome.kind : null
    case 'changed-meanwhile':
      if (outcome.operation.conflicts.some((each) => each.path === path)) return 'changed-meanwhile'
      return isEdited ? 'draft' : null
    case 'underneath':
      if (outcome.changes.some((each) => each.path === path)) return 'changed-meanwhile'
      return isEdited ? 'draft' : null
    case 'saved':
      return outcome.mark.operation.edits.some((edit) => edit.path === path) ? 'saved' : null
    case 'saved-otherwise':
      return outcome.operation.notAsSent.some((each) => each.path === path) ? 'changed-meanwhile' : null
    default:
      return isEdited ? 'draft' : null
  }
}

// The callout of an outcome, and its actions.

/** The label of the link in the Outcome column that opens the callout; empty for an outcome without one. */
export function calloutLabel(outcome: RowOutcome): string {
  switch (outcome.kind) {
    case 'not-accepted':
    case 'not-confirmed':
      return 'Why'
    case 'saved-otherwise':
      return 'Show'
    case 'underneath':
    case 'deleted':
      return 'Choose'
    case 'changed-meanwhile':
      return canChoose(outcome.operation) ? 'Choose' : 'Show'
    case 'decision':
      return 'Decide'
    case 'none':
    case 'draft':
    case 'new':
    case 'changes-back':
    case 'problem':
    case 'queued':
    case 'sending':
    case 'saved':
      return ''
  }
}

/** Whether the outcome has a callout. */
export function hasCallout(outcome: RowOutcome): boolean {
  return calloutLabel(outcome) !== ''
}

/** An action in the callout, by the label of its button. */
export type OutcomeAction =
  | { readonly what: 'check-now'; readonly label: 'Check now' | 'Checking…'; readonly isBusy: boolean }
  | { readonly what: 'send-again'; readonly label: 'Send again' }
  | { readonly what: 'discard'; readonly label: 'Discard' }

/**
 * Returns the actions of an outcome in order, without those for values or records to choose from.
 * @param checking IDs of the operations that **Check now** is checking
 */
export function outcomeActions(
  outcome: RowOutcome,
  checking: ReadonlySet<string> = new Set(),
): readonly OutcomeAction[] {
  switch (outcome.kind) {
    case 'changed-meanwhile':
      return outcome.operation.error === null ? [] : [{ what: 'discard', label: 'Discard' }]
    case 'not-confirmed': {
      const isBusy = checking.has(outcome.operation.operationId)
      return [{ what: 'check-now', label: isBusy ? 'Checking…' : 'Check now', isBusy }]
    }
    case 'decision':
      return [
        // The user compares similar records first.
        ...(outcome.operation.candidates.length > 0
          ? []
          : [{ what: 'send-again', label: 'Send again' } as const]),
        { what: 'discard', label: 'Discard' },
      ]
    default:
      return []
  }
}

// Marks of the records that were saved since the list was opened.

export class SavedMarks {
  readonly #marks = new Map<string, SavedMark>()

  of(rowId: string): SavedMark | undefined {
    return this.#marks.get(rowId)
  }

  get rowIds(): Iterable<string> {
    return this.#marks.keys()
  }

  /** @param before the record when it was sent */
  add(rowId: string, operation: Operation, before: RecordData): void {
    this.#marks.set(rowId, savedMark(operation, before))
  }

  /** Clears the marks of records that were saved as sent. */
  clearAsSent(): void {
    for (const [rowId, { operation }] of this.#marks) if (isSavedAsSent(operation)) this.#marks.delete(rowId)
  }

  /** Clears the mark of one row. */
  clear(rowId: string): void {
    this.#marks.delete(rowId)
  }

  /** Returns the saved edits. */
  changes(): Operation['edits'] {
    return [...this.#marks.values()].flatMap(({ operation }) => operation.edits)
  }
}

/* What the application filled in when a record was saved. It is news, not a difference, and is shown once. */

/** A field that was not sent and has a new value. */
export interface FilledIn {
  readonly field: string
  readonly value: unknown
}

/** Bookbridge's own field for recognizing records whose response was lost. It isn't reported to the user. */
const OUR_MARK = 'ExternalID'

/**
 * Returns the fields that the application filled in.
 * @param before the record when it was sent; `{}` for a new one
 */
function filledIn(before: RecordData, operation: Operation): readonly FilledIn[] {
  const { after, object, kind } = operation
  const sent = new Set([...operation.edits, ...operation.notAsSent].map(({ path }) => topField(path)))
  return Object.entries(after ?? {}).flatMap(([field, value]) => {
    if (NEVER_SENT.includes(field) || field === OUR_MARK || sent.has(field)) return []
    if (sameContent(value, ownValue(before, field)) || isNothing(value)) return []
    // Every new record is active and has no balance.
    if (kind === 'insert' && isDefault(object, field, value)) return []
    return [{ field, value }]
  })
}

/** Formats filled-in fields: *Tax code: Non, Terms: Net 30*. */
function formatFilledIn(
  object: string,
  filled: readonly FilledIn[],
  fieldLabel: (path: string) => string,
  format: Format,
): string {
  return filled
    .map(({ field, value }) => `${fieldLabel(field)}: ${formatValue(object, field, value, format)}`)
    .join(', ')
}

function formatValue(object: string, field: string, value: unknown, format: Format): string {
  const { type } = fieldDefinition(object, field)
  if (isObject(value) && type !== 'reference') {
    return oneLine((member) => textOf(ownValue(value, member)), Object.keys(value))
  }
  return valueText(type, canonicalValue(type, value), format)
}

function sameContent(left: unknown, right: unknown): boolean {
  return contentOf(left) === contentOf(right)
}

/** Ignores empty members and their order, so that an omitted member equals an empty one. */
function contentOf(value: unknown): string {
  if (!isObject(value)) return textOf(value)
  const members = Object.keys(value).filter((name) => !isNothing(value[name]))
  return JSON.stringify(members.toSorted().map((name) => [name, contentOf(value[name])]))
}

function isNothing(value: unknown): boolean {
  return isObject(value) ? Object.values(value).every(isNothing) : textOf(value) === ''
}

function isDefault(object: string, field: string, value: unknown): boolean {
  const { type } = fieldDefinition(object, field)
  if (type === 'boolean') return true
  const amount = type === 'money' ? parseDecimal(textOf(value)) : null
  return amount !== null && isZero(amount)
}
