/**
 * What reading back says about a write whose answer is in doubt (the design's page on reliability, "Writing").
 * Decides only; the looks themselves are made by `looking.ts`.
 */
import { isEmpty, pathType, type RecordData } from '../../shared/changes.ts'
import type { Difference } from '../../shared/contract/records.ts'
import type { ErrorKind } from '../../shared/result.ts'
import type { JournalOperation } from '../store/journal.ts'
import {
  differencesFrom,
  editDifferences,
  partDifferences,
  isAsBefore,
  isAsSent as isAsSentIn,
} from './compare.ts'
import { markDifferences, markSays } from './marks.ts'
import { createdAt, idOf, isNamedAs, namesOf, namesOfRecord } from './names.ts'

export type Settlement =
  /** There as sent. */
  | {
      readonly verdict: 'done'
      readonly record: RecordData
      readonly notAsSent: readonly Difference[]
      /** Nothing but its name and its values say that this record is ours. */
      readonly isKnownByName: boolean
    }
  /** A change not made; an insert not in a complete list. */
  | { readonly verdict: 'undone' }
  /** There with other values, or twice, or gone; or what is there was there before. */
  | {
      readonly verdict: 'otherwise'
      readonly record: RecordData | null
      readonly differences: readonly Difference[]
      readonly because: OtherwiseBecause
    }
  /** The look could not tell. */
  | { readonly verdict: 'open' }

export type OtherwiseBecause = 'other-values' | 'twice' | 'gone' | 'was-there' | 'perhaps-ours'

/**
 * A change, by its record read by `ID`.
 * @param found `null` when a whole answer lacks the record
 */
export function settleChange(operation: JournalOperation, found: RecordData | null): Settlement {
  if (found === null)
    return { verdict: 'otherwise', record: null, differences: goneFrom(operation), because: 'gone' }
  const { object, edits } = operation
  if (editDifferences(operation, found).length === 0) {
    const notAsSent = partDifferences(operation, found)
    return { verdict: 'done', record: found, notAsSent, isKnownByName: false }
  }
  if (edits.every((edit) => isAsBefore(object, edit, found))) return { verdict: 'undone' }
  const differences = differencesFrom(operation, found)
  return { verdict: 'otherwise', record: found, differences, because: 'other-values' }
}

function goneFrom(operation: JournalOperation): readonly Difference[] {
  return operation.edits.map((edit) => ({
    path: edit.path,
    asRead: edit.was,
    theirs: null,
    yours: edit.now,
  }))
}

/**
 * An insert whose new `ID` the answer told, and the record of that id: what it says now is what came of the insert,
 * unless it looks like another one.
 */
export function settleKnownInsert(operation: JournalOperation, found: RecordData): Settlement {
  if (!isRecognised(operation, found)) return PERHAPS_OURS
  return {
    verdict: 'done',
    record: found,
    notAsSent: savedDifferences(operation, found),
    isKnownByName: false,
  }
}

/**
 * Whether a record that was told of for an insert can be it: by its mark, by its name, or, where the application
 * altered its name, by everything else that was sent.
 */
export function isRecognised({ object, edits, mark }: JournalOperation, record: RecordData): boolean {
  if (markSays(mark, record) === 'ours') return true
  const [own, told] = [namesOf(edits, {}), namesOfRecord(record)]
  if (own.length === 0 || told.length === 0 || told.some((name) => own.includes(name))) return true
  const others = edits.filter(({ path }) => path !== 'Name')
  const isTelling = others.some(({ path, now }) => pathType(object, path) !== 'boolean' && !isEmpty(now))
  return isTelling && others.every((edit) => isAsSentIn(object, edit, record))
}

/** What a record that was written says otherwise than it was sent. */
export function savedDifferences(operation: JournalOperation, record: RecordData): readonly Difference[] {
  return [...differencesFrom(operation, record), ...markDifferences(operation.mark, record)]
}

/** What the whole list holds, and what is known besides. */
export interface ListLook {
  readonly isWhole: boolean
  readonly candidates: readonly RecordData[]
  /** Marks have come back from this application's lists: a record without ours is not ours. */
  readonly areMarksTrusted: boolean
  /** Since when (ISO) records are known to have been there, by their ids; empty: another insert of ours made it. */
  readonly knownSince: ReadonlyMap<string, string>
  /** When each operation was first sent (ISO), by its id. */
  readonly sentAt: ReadonlyMap<string, string>
}

/** Inserts of one list, all settled by one pass over it. Each record found settles at most one of them. */
export function settleInserts(
  operations: readonly JournalOperation[],
  look: ListLook,
): ReadonlyMap<string, Settlement> {
  const settled = new Map<string, Settlement>()
  if (!look.isWhole) {
    for (const operation of operations) settled.set(operation.operationId, { verdict: 'open' })
    return settled
  }
  const taken = new Set([...look.knownSince].flatMap(([id, since]) => (since === '' ? [id] : [])))
  const settle = (operation: JournalOperation, settlement: Settlement): void => {
    settled.set(operation.operationId, settlement)
    if ('record' in settlement && settlement.record !== null) taken.add(idOf(settlement.record))
  }
  // Those that their mark proves come first, then those that are as sent: of two of one name, each finds its own.
  for (const operation of operations) {
    const marked = look.candidates.filter((record) => markSays(operation.mark, record) === 'ours')
    const told = look.candidates.find(
      (record) =>
        isToldOf(operation, record) && !taken.has(idOf(record)) && !wasSeenBefore(operation, look, record),
    )
    if (marked.length > 0) settle(operation, judge(operation, marked, false))
    else if (told !== undefined && isRecognised(operation, told)) {
      settle(operation, settleKnownInsert(operation, told))
    }
  }
  const open = operations.filter(({ operationId }) => !settled.has(operationId))
  for (const operation of open) {
    const named = withoutThoseBefore(operation, look, namedLike(operation, look, taken))
    const same = named.filter((record) => isAsSent(operation, record))
    if (named.length === 1 && same.length === 1) settle(operation, judge(operation, same, true))
  }
  for (const operation of open) {
    if (settled.has(operation.operationId)) continue
    const named = namedLike(operation, look, taken)
    const since = withoutThoseBefore(operation, look, named)
    const [before] = named
    if (since.length > 0) settle(operation, judge(operation, since, true))
    else if (isPerhapsThere(operation, look, taken)) settle(operation, PERHAPS_OURS)
    else settle(operation, before === undefined ? { verdict: 'undone' } : WAS_THERE)
  }
  return settled
}

/** Not ours, but of the same name: whether ours was made beside it only a person can tell. */
const WAS_THERE: Settlement = { verdict: 'otherwise', record: null, differences: [], because: 'was-there' }

/** A record that an answer named or that has our name, and that says otherwise in what is surer. */
const PERHAPS_OURS: Settlement = {
  verdict: 'otherwise',
  record: null,
  differences: [],
  because: 'perhaps-ours',
}

function isToldOf(operation: JournalOperation, record: RecordData): boolean {
  return operation.recordId !== '' && idOf(record) === operation.recordId
}

/** While nobody knows whether this list shows marks as they were sent, another mark proves nothing. */
function isPerhapsThere(operation: JournalOperation, look: ListLook, taken: ReadonlySet<string>): boolean {
  return look.candidates.some(
    (record) =>
      isToldOf(operation, record) ||
      (!taken.has(idOf(record)) &&
        !look.areMarksTrusted &&
        isNamedAs(operation.fullName, operation.edits, record) &&
        markSays(operation.mark, record) === 'other' &&
        !wasThereBefore(operation, look, record)),
  )
}

/** How far the clock of the accounting application may be behind ours, in milliseconds. */
const CLOCKS_DIFFER = 15 * 60_000
/** A time without an offset is a time of some zone. */
const ZONES_DIFFER = 24 * 60 * 60_000

function withoutThoseBefore(
  operation: JournalOperation,
  look: ListLook,
  records: readonly RecordData[],
): readonly RecordData[] {
  return records.filter((record) => !wasThereBefore(operation, look, record))
}

function wasSeenBefore(operation: JournalOperation, look: ListLook, record: RecordData): boolean {
  if (operation.namesakes.includes(idOf(record))) return true
  const sentAt = look.sentAt.get(operation.operationId)
  return Date.parse(look.knownSince.get(idOf(record)) ?? '') < Date.parse(sentAt ?? '')
}

/** Whether the record was there before the insert was sent: it was seen, or it says when it was made. */
function wasThereBefore(operation: JournalOperation, look: ListLook, record: RecordData): boolean {
  if (wasSeenBefore(operation, look, record)) return true
  const sentAt = look.sentAt.get(operation.operationId)
  if (sentAt === undefined) return false
  const sent = Date.parse(sentAt)
  const made = createdAt(record)
  const margin = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(made) ? CLOCKS_DIFFER : ZONES_DIFFER
  return Date.parse(made) < sent - margin
}

function isAsSent(operation: JournalOperation, record: RecordData): boolean {
  return differencesFrom(operation, record).length === 0
}

/** Records of the same full name that nobody else has made, as far as is known. */
function namedLike(
  operation: JournalOperation,
  look: ListLook,
  taken: ReadonlySet<string>,
): readonly RecordData[] {
  const needsMark = operation.mark !== '' && look.areMarksTrusted
  return look.candidates.filter((record) => {
    if (taken.has(idOf(record)) || !isNamedAs(operation.fullName, operation.edits, record)) return false
    const says = markSays(operation.mark, record)
    // Another mark than ours is not surely ours; where marks come back, none is another's; what is left of one is ours.
    return needsMark ? says === 'cut' : says !== 'other'
  })
}

function judge(
  operation: JournalOperation,
  found: readonly RecordData[],
  isKnownByName: boolean,
): Settlement {
  const [record, ...more] = found
  if (record === undefined) return { verdict: 'undone' }
  const differences = differencesFrom(operation, record)
  if (more.length > 0) return { verdict: 'otherwise', record, differences, because: 'twice' }
  if (differences.length > 0) return { verdict: 'otherwise', record, differences, because: 'other-values' }
  return { verdict: 'done', record, notAsSent: [], isKnownByName }
}

/**
 * Whether a look that found nothing is the second one: an insert is looked for twice, with a pause between, since
 * the application may still be at work on it.
 * @param now and `pause` in milliseconds
 */
export function isSecondLook(operation: JournalOperation, now: number, pause: number): boolean {
  if (operation.firstLookedAt === null) return false
  return now - Date.parse(operation.firstLookedAt) >= pause
}

/** Their doubt ends with a deadline that the lane was shut to, so what was not done by then is not done. */
const OUTLASTED: ReadonlySet<ErrorKind> = new Set([
  'dropped',
  'timed-out',
  'redirected',
  'malformed-response',
])

/**
 * Whether what a look finds as before may come yet, so that it takes a second one: any insert, and a change that the
 * service answered with an error, while the agent behind it may be at work.
 */
export function mayComeYet({ kind, error }: JournalOperation): boolean {
  return kind === 'insert' || (error !== null && !OUTLASTED.has(error.kind))
}

/** Whether the first look seems to be yet to come: the clock was set back since, and the pause begins anew. */
export function isLookedAtLater(operation: JournalOperation, now: number): boolean {
  return operation.firstLookedAt !== null && Date.parse(operation.firstLookedAt) > now
}
