/**
 * What reading back says about a write whose answer is in doubt.
 * Pure decisions; `recheck.ts` does the reading.
 */
import type { RecordData } from '../../../shared/records/changes.ts'
import type { Difference } from '../../../shared/contract/records.ts'
import type { JournalOperation } from '../../store/journal/journal.ts'
import type { KnownRecord } from '../../store/services.ts'
import { differencesFrom, editDifferences, partDifferences, isAsBefore } from './compare.ts'
import {
  evidenceFor,
  fitOf,
  isAnotherRecord,
  isContradicted,
  isKnownAs,
  differsOnlyInSpelling,
  isPossibleMatch,
  markDifferences,
  compareExternalId,
  wasInBaseline,
  createdAt,
  hasOffset,
  identityOf,
  idOf,
  isNamedAs,
} from './recognition.ts'

export type Reconciliation =
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
  /** An insert that is not surely there: these may be it. One that an answer named and nobody found is its `ID` alone. */
  | { readonly verdict: 'possible'; readonly candidates: readonly RecordData[] }
  /** There with other values, or twice, or gone; or what is there was there before. */
  | {
      readonly verdict: 'otherwise'
      readonly record: RecordData | null
      readonly differences: readonly Difference[]
      readonly because: OtherwiseBecause
    }
  /** The look could not tell. */
  | { readonly verdict: 'open' }

export type OtherwiseBecause = 'other-values' | 'twice' | 'gone' | 'was-there' | 'another-record'

/**
 * Reconciles a change with its record, which was read by `ID`.
 * @param found `null` when a whole answer lacks the record
 */
export function reconcileChange(operation: JournalOperation, found: RecordData | null): Reconciliation {
  if (found === null)
    return { verdict: 'otherwise', record: null, differences: goneFrom(operation), because: 'gone' }
  const { object, edits, before } = operation
  if (isAnotherRecord(object, before, found, edits)) {
    return { verdict: 'otherwise', record: found, differences: [], because: 'another-record' }
  }
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
export function reconcileKnownInsert(operation: JournalOperation, found: RecordData): Reconciliation {
  if (!isRecognized(operation, found)) return { verdict: 'possible', candidates: [found] }
  return {
    verdict: 'done',
    record: found,
    notAsSent: savedDifferences(operation, found),
    isKnownByName: false,
  }
}

/** Whether a record that an answer told for an insert can be it: nothing that it says contradicts what was sent. */
export function isRecognized(operation: JournalOperation, record: RecordData): boolean {
  return (
    compareExternalId(operation.mark, record) === 'ours' || !isContradicted(evidenceFor(operation, record))
  )
}

/**
 * Whether the record says more of what another insert sent, and so is rather that one's: IDs may have been dealt anew
 * since an answer told them.
 */
function looksLikeAnothers(
  operation: JournalOperation,
  record: RecordData,
  operations: readonly JournalOperation[],
): boolean {
  const fit = fitOf(evidenceFor(operation, record))
  return operations.some((other) => other !== operation && fitOf(evidenceFor(other, record)) > fit)
}

/** What was known of a list before an insert was sent to it. */
export interface KnownBefore {
  /** What other operations, and drafts, know, by IDs. */
  readonly known: ReadonlyMap<string, KnownRecord>
  /** Fingerprints of names, by IDs; `null` where the list was not read. */
  readonly baseline: ReadonlyMap<string, string> | null
}

/**
 * Whether the record at the ID that an answer told for an insert is surely not its own. An ID may be one for the moment,
 * or another insert's, and then leads to a record that was there before or that is somebody else's.
 */
export function belongsToAnotherRecord(
  operation: JournalOperation,
  record: RecordData,
  { known, baseline }: KnownBefore,
  operations: readonly JournalOperation[],
): boolean {
  const id = idOf(record)
  if (compareExternalId(operation.mark, record) === 'ours') return false
  const { name, equal } = evidenceFor(operation, record)
  return (
    operation.namesakes.includes(id) ||
    isKnownAs(known.get(id), record) ||
    wasInBaseline(baseline, record) ||
    // Nothing says that it is new, and nothing in it was sent.
    (baseline === null && name === 'different' && equal === 0) ||
    looksLikeAnothers(operation, record, operations)
  )
}

/** What a record that was written says otherwise than it was sent. */
export function savedDifferences(operation: JournalOperation, record: RecordData): readonly Difference[] {
  return [...differencesFrom(operation, record), ...markDifferences(operation.mark, record)]
}

/** A whole list as read, and what else is known about its records. */
export interface ListSnapshot {
  readonly isWhole: boolean
  /** Records with one of our marks, names, or told IDs. */
  readonly candidates: readonly RecordData[]
  /** By batch: the records that its baseline lacks. Without an entry: the list was not read whole before. */
  readonly newcomers: ReadonlyMap<string, readonly RecordData[]>
  /** Marks have come back from this application's lists: a record without ours is hardly ours. */
  readonly areMarksTrusted: boolean
  /** False where the service is known to replace or drop marks: another mark than ours then says nothing. */
  readonly keepsMarks: boolean | null
  /** What other operations, and drafts, know, by IDs. */
  readonly known: ReadonlyMap<string, KnownRecord>
  /** When each operation was first sent (ISO), by its id. */
  readonly sentAt: ReadonlyMap<string, string>
  /** Every ID that an answer to its requests named, by the operation's id. */
  readonly toldIds: ReadonlyMap<string, readonly string[]>
  /** Milliseconds by which the service's clock is ahead of ours; `null` while it is not known. */
  readonly clockAhead: number | null
}

/** Reconciles the inserts of one list in one pass. Each record in the list matches at most one insert. */
export function reconcileInserts(
  operations: readonly JournalOperation[],
  look: ListSnapshot,
): ReadonlyMap<string, Reconciliation> {
  const settled = new Map<string, Reconciliation>()
  if (!look.isWhole) {
    for (const operation of operations) settled.set(operation.operationId, { verdict: 'open' })
    return settled
  }
  const taken = idsTaken(look)
  const settle = (operation: JournalOperation, reconciliation: Reconciliation): void => {
    settled.set(operation.operationId, reconciliation)
    if ('record' in reconciliation && reconciliation.record !== null) taken.add(idOf(reconciliation.record))
  }
  const open = (): readonly JournalOperation[] =>
    operations.filter(({ operationId }) => !settled.has(operationId))

  // The surest proof first, over all of them: of two of one name, each finds its own.
  for (const operation of operations) {
    const marked = look.candidates.filter((record) => compareExternalId(operation.mark, record) === 'ours')
    if (marked.length > 0) settle(operation, judge(operation, marked, false))
  }
  for (const operation of open()) {
    const told = look.candidates.find(
      (record) => isToldOf(operation, record) && mayBeOurs(operation, look, taken, record),
    )
    if (told === undefined || looksLikeAnothers(operation, told, open())) continue
    if (isRecognized(operation, told)) {
      settle(operation, reconcileKnownInsert(operation, told))
    }
  }
  for (const operation of open()) {
    const only = onlyNamesake(operation, look, taken)
    if (only === null || differencesFrom(operation, only).length > 0) continue
    const rivals = open().filter((other) => mayBeOurs(other, look, taken, only))
    if (looksLikeAnothers(operation, only, rivals)) continue
    settle(operation, judge(operation, [only], true))
  }
  for (const [operation, record] of onlyFits(open(), look, taken)) {
    const notAsSent = savedDifferences(operation, record)
    settle(operation, { verdict: 'done', record, notAsSent, isKnownByName: true })
  }
  for (const operation of open()) settle(operation, settleUnproven(operation, look, taken))
  return settled
}

/** The IDs of other inserts' records, as far as the list does not show another record by such an ID. */
function idsTaken({ known, candidates, newcomers }: ListSnapshot): Set<string> {
  const taken = new Set([...known].flatMap(([id, { since }]) => (since === '' ? [id] : [])))
  for (const record of [candidates, ...newcomers.values()].flat()) {
    const id = idOf(record)
    if (taken.has(id) && !isKnownAs(known.get(id), record)) taken.delete(id)
  }
  return taken
}

/** What is left to say of an insert of which no record is surely the one. */
function settleUnproven(
  operation: JournalOperation,
  look: ListSnapshot,
  taken: ReadonlySet<string>,
): Reconciliation {
  const named = onlyNamesake(operation, look, taken)
  // A namesake whose values are all others may be somebody else's.
  if (named !== null && evidenceFor(operation, named).equal > 0) return judge(operation, [named], true)
  const candidates = possibleRecords(operation, look, taken)
  if (candidates.length > 0) return { verdict: 'possible', candidates: candidates.slice(0, MOST_CANDIDATES) }
  const wasThere = look.candidates.some(
    (record) =>
      isNamedAs(operation.fullName, operation.edits, record) &&
      // An answer may tell the record of that name which is there, such as one of ours.
      (taken.has(idOf(record)) ? isToldOf(operation, record) : wasReadBefore(operation, look, record)),
  )
  return wasThere ? WAS_THERE : { verdict: 'undone' }
}

/** Records shown beside one draft, at most: more than that nobody compares. */
const MOST_CANDIDATES = 20

/** Not ours, but of the same name: whether ours was made beside it only a person can tell. */
const WAS_THERE: Reconciliation = {
  verdict: 'otherwise',
  record: null,
  differences: [],
  because: 'was-there',
}

function isToldOf(operation: JournalOperation, record: RecordData): boolean {
  return operation.recordId !== '' && idOf(record) === operation.recordId
}

/** Whether nothing proves that the record is another one: nobody claims it, and no list that was read before held it. */
function mayBeOurs(
  operation: JournalOperation,
  look: ListSnapshot,
  taken: ReadonlySet<string>,
  record: RecordData,
): boolean {
  const isDismissed = operation.dismissed.includes(identityOf(record))
  return !taken.has(idOf(record)) && !isDismissed && !wasReadBefore(operation, look, record)
}

/** Whether a list that was read before the insert was sent, or an edit of ours, had the record. */
function wasReadBefore(operation: JournalOperation, look: ListSnapshot, record: RecordData): boolean {
  const id = idOf(record)
  if (operation.namesakes.includes(id)) return true
  const newcomers = look.newcomers.get(operation.batchId)
  if (newcomers !== undefined) return !newcomers.some((each) => idOf(each) === id)
  const [known, sentAt] = [look.known.get(id), look.sentAt.get(operation.operationId)]
  return isKnownAs(known, record) && Date.parse(known.since) < Date.parse(sentAt ?? '')
}

/** How far a clock that was not measured yet may be behind ours, in milliseconds. */
const CLOCKS_DIFFER = 15 * 60_000
/** What is left of that once it was measured: requests take time, and some services round to a minute. */
const CLOCKS_DRIFT = 2 * 60_000
/** A time without an offset is a time of some zone. */
const ZONES_DIFFER = 24 * 60 * 60_000

/**
 * Whether the record calls itself older than the insert. That proves nothing, since clocks differ, but a record that
 * does is never taken for ours without a person's word.
 */
function saysItIsOlder(operation: JournalOperation, look: ListSnapshot, record: RecordData): boolean {
  const sentAt = look.sentAt.get(operation.operationId)
  if (sentAt === undefined) return false
  const created = createdAt(record)
  const isInstant = hasOffset(created)
  const margin = !isInstant ? ZONES_DIFFER : look.clockAhead === null ? CLOCKS_DIFFER : CLOCKS_DRIFT
  return Date.parse(created) - (isInstant ? (look.clockAhead ?? 0) : 0) < Date.parse(sentAt) - margin
}

/** Whether a list that was read before lacked the record, or, where none was read, the record says when it was made. */
function isSurelyNew(operation: JournalOperation, look: ListSnapshot, record: RecordData): boolean {
  return look.newcomers.has(operation.batchId) || !Number.isNaN(Date.parse(createdAt(record)))
}

/**
 * The record of the very name that is surely new, that nothing speaks against, and that no other could be mistaken for.
 * A newcomer that calls itself older may still be ours, by a clock that was not measured.
 */
function onlyNamesake(
  operation: JournalOperation,
  look: ListSnapshot,
  taken: ReadonlySet<string>,
): RecordData | null {
  const named = namesakesOf(operation, look, taken)
  const newer = named.filter((record) => !saysItIsOlder(operation, look, record))
  const [only, ...more] = newer
  if (only === undefined || more.length > 0 || !isSurelyNew(operation, look, only)) return null
  return look.newcomers.has(operation.batchId) && named.length > 1 ? null : only
}

/** Records of the very name that may be ours. */
function namesakesOf(
  operation: JournalOperation,
  look: ListSnapshot,
  taken: ReadonlySet<string>,
): readonly RecordData[] {
  const needsMark = operation.mark !== '' && look.areMarksTrusted
  return look.candidates.filter((record) => {
    if (!mayBeOurs(operation, look, taken, record)) return false
    if (!isNamedAs(operation.fullName, operation.edits, record)) return false
    // Where marks come back, none is another's; what is left of one is ours.
    return needsMark
      ? compareExternalId(operation.mark, record) === 'cut'
      : !hasAnothersMark(operation, look, record)
  })
}

/** Whether the record has another mark than ours, and the service is not known to replace marks. */
function hasAnothersMark(operation: JournalOperation, look: ListSnapshot, record: RecordData): boolean {
  return look.keepsMarks !== false && compareExternalId(operation.mark, record) === 'other'
}

/**
 * Operations and records that fit one another and nothing else: new to the list, the same but for the spelling of the
 * name, with no other operation or record to mistake them for.
 */
function onlyFits(
  operations: readonly JournalOperation[],
  look: ListSnapshot,
  taken: ReadonlySet<string>,
): readonly (readonly [JournalOperation, RecordData])[] {
  const possible = new Map(
    operations.map((operation) => [operation, possibleRecords(operation, look, taken)] as const),
  )
  return operations.flatMap((operation) => {
    const [record, ...more] = possible.get(operation) ?? []
    const isNew = look.newcomers.has(operation.batchId) && record !== undefined && more.length === 0
    if (!isNew || saysItIsOlder(operation, look, record)) return []
    if (operation.mark !== '' && look.areMarksTrusted) return []
    if (hasAnothersMark(operation, look, record)) return []
    if (!differsOnlyInSpelling(evidenceFor(operation, record))) return []
    const isWanted = [...possible].some(
      ([other, records]) => other !== operation && records.some((each) => idOf(each) === idOf(record)),
    )
    return isWanted ? [] : [[operation, record] as const]
  })
}

/**
 * Records that may be the insert, the likeliest first: those that an answer named; and those that no list read before
 * held, that nobody claims, and that nothing sent contradicts. A record that was not found is its `ID` alone.
 */
function possibleRecords(
  operation: JournalOperation,
  look: ListSnapshot,
  taken: ReadonlySet<string>,
): readonly RecordData[] {
  const newcomers = look.newcomers.get(operation.batchId)
  const told = new Set([operation.recordId, ...(look.toldIds.get(operation.operationId) ?? [])])
  // What was shown stays shown, whatever others make of it meanwhile.
  const shown = new Set(operation.candidates.map(idOf))
  const pool = new Map([...look.candidates, ...(newcomers ?? [])].map((record) => [idOf(record), record]))
  const found = [...pool.values()].filter((record) => {
    if (!mayBeOurs(operation, look, taken, record)) return false
    if (told.has(idOf(record)) || shown.has(idOf(record))) return true
    const evidence = evidenceFor(operation, record)
    // Without a list from before, any record of the books would do for an insert of nothing but a name.
    const isLikely = evidence.name !== 'different' || (evidence.equal > 0 && evidence.different === 0)
    return newcomers === undefined ? isLikely : isPossibleMatch(evidence)
  })
  const missing = [...told].filter(
    (id) => id !== '' && !pool.has(id) && !taken.has(id) && !operation.namesakes.includes(id),
  )
  const fit = (record: RecordData): number =>
    fitOf(evidenceFor(operation, record)) + (told.has(idOf(record)) ? 1_000_000 : 0)
  return [...missing.map((ID): RecordData => ({ ID })), ...found.toSorted((a, b) => fit(b) - fit(a))]
}

function judge(
  operation: JournalOperation,
  found: readonly RecordData[],
  isKnownByName: boolean,
): Reconciliation {
  const [record, ...more] = found
  if (record === undefined) return { verdict: 'undone' }
  const differences = differencesFrom(operation, record)
  if (more.length > 0) return { verdict: 'otherwise', record, differences: [], because: 'twice' }
  if (differences.length > 0) return { verdict: 'otherwise', record, differences, because: 'other-values' }
  const notAsSent = markDifferences(operation.mark, record)
  return { verdict: 'done', record, notAsSent, isKnownByName }
}

/**
 * Whether a look that found nothing is the second one: an insert is looked for twice, with a pause between, since
 * the application may still be at work on it.
 * @param now and `pause` in milliseconds
 */
export function isSecondRecheck(operation: JournalOperation, now: number, pause: number): boolean {
  if (operation.firstLookedAt === null) return false
  return now - Date.parse(operation.firstLookedAt) >= pause
}

/** Whether the first recheck has a time in the future. The clock was set back since then, so the pause starts over. */
export function isRecheckedInFuture(operation: JournalOperation, now: number): boolean {
  return operation.firstLookedAt !== null && Date.parse(operation.firstLookedAt) > now
}
