/**
 * Pure decisions about a write whose outcome is unknown, from records that were read back. `recheck.ts` does the
 * reading.
 */
import type { Difference } from '../../../shared/contract/records.ts'
import type { RecordData } from '../../../shared/records/changes.ts'
import type { JournalOperation } from '../../store/journal/journal.ts'
import type { KnownRecord } from '../../store/services.ts'
import { differencesFrom, editDifferences, isAsBefore, partDifferences } from './compare.ts'
import {
  compareExternalId,
  createdAt,
  differsOnlyInSpelling,
  evidenceFor,
  externalIdDifferences,
  hasOffset,
  identityOf,
  idOf,
  isAnotherRecord,
  isContradicted,
  isKnownAs,
  isNamedAs,
  isPossibleMatch,
  matchScore,
  savedDifferences,
  wasInBaseline,
} from './recognition.ts'

export type Reconciliation =
  /** The record is there as it was sent. */
  | {
      readonly verdict: 'done'
      readonly record: RecordData
      readonly notAsSent: readonly Difference[]
      /** Whether only its name and values identify the record as ours. */
      readonly isKnownByName: boolean
    }
  /** The change was not made, or a complete list doesn't have the insert. */
  | { readonly verdict: 'undone' }
  /**
   * The insert may be one of these records, but none is certain. A record that a response named and that was not found
   * has only an `ID`.
   */
  | { readonly verdict: 'possible'; readonly candidates: readonly RecordData[] }
  /** The record is there with other values, exists twice, or is gone; or a record of that name existed before. */
  | {
      readonly verdict: 'otherwise'
      readonly record: RecordData | null
      readonly differences: readonly Difference[]
      readonly reason: OtherwiseReason
    }
  | { readonly verdict: 'open' }

export type OtherwiseReason = 'other-values' | 'twice' | 'gone' | 'was-there' | 'another-record'

/**
 * Reconciles a change with its record, which was read by `ID`.
 * @param found `null` if a complete response doesn't have the record
 */
export function reconcileChange(operation: JournalOperation, found: RecordData | null): Reconciliation {
  if (found === null)
    return { verdict: 'otherwise', record: null, differences: goneFrom(operation), reason: 'gone' }
  const { object, edits, before } = operation
  if (isAnotherRecord(object, before, found, edits)) {
    return { verdict: 'otherwise', record: found, differences: [], reason: 'another-record' }
  }
  if (editDifferences(operation, found).length === 0) {
    const notAsSent = partDifferences(operation, found)
    return { verdict: 'done', record: found, notAsSent, isKnownByName: false }
  }
  if (edits.every((edit) => isAsBefore(object, edit, found))) return { verdict: 'undone' }
  const differences = differencesFrom(operation, found)
  return { verdict: 'otherwise', record: found, differences, reason: 'other-values' }
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
 * Reconciles an insert with the record whose new `ID` the response named. Unless the record seems to be another one,
 * its current values are the result of the insert.
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

/**
 * Whether the record that a response named for an insert can be its record: nothing in it contradicts what was sent.
 */
export function isRecognized(operation: JournalOperation, record: RecordData): boolean {
  return (
    compareExternalId(operation.externalId, record) === 'ours' ||
    !isContradicted(evidenceFor(operation, record))
  )
}

/** Whether the record fits another insert better. IDs may have been reassigned since a response named them. */
function looksLikeAnothers(
  operation: JournalOperation,
  record: RecordData,
  operations: readonly JournalOperation[],
): boolean {
  const fit = matchScore(evidenceFor(operation, record))
  return operations.some((other) => other !== operation && matchScore(evidenceFor(other, record)) > fit)
}

/** What was known about a list before an insert was sent to it. */
export interface KnownBefore {
  /** What other operations and drafts know about records, by ID. */
  readonly known: ReadonlyMap<string, KnownRecord>
  /** Fingerprints of names, by ID. `null` if the list was not read. */
  readonly baseline: ReadonlyMap<string, string> | null
}

/**
 * Whether the record at the ID that a response named for an insert certainly isn't the insert's. A temporary ID, or an
 * ID of another insert, may lead to a record that existed before or that someone else created.
 */
export function belongsToAnotherRecord(
  operation: JournalOperation,
  record: RecordData,
  { known, baseline }: KnownBefore,
  operations: readonly JournalOperation[],
): boolean {
  const id = idOf(record)
  if (compareExternalId(operation.externalId, record) === 'ours') return false
  const { name, equal } = evidenceFor(operation, record)
  return (
    operation.namesakes.includes(id) ||
    isKnownAs(known.get(id), record) ||
    wasInBaseline(baseline, record) ||
    // Nothing says that it is new, and none of its values were sent.
    (baseline === null && name === 'different' && equal === 0) ||
    looksLikeAnothers(operation, record, operations)
  )
}

/** A complete list as it was read, and what else is known about its records. */
export interface ListSnapshot {
  readonly isWhole: boolean
  /** Records that have one of our external IDs, one of the names, or an ID that a response named. */
  readonly candidates: readonly RecordData[]
  /** By batch: the records that are not in its baseline. A batch whose list was never read completely has no entry. */
  readonly newRecords: ReadonlyMap<string, readonly RecordData[]>
  /**
   * Whether this application's lists are known to return our external IDs. A record without ours is then hardly ours.
   */
  readonly areExternalIdsTrusted: boolean
  /** False if the service is known to replace or drop external IDs, so that a different one proves nothing. */
  readonly keepsExternalIds: boolean | null
  /** What other operations and drafts know about records, by ID. */
  readonly known: ReadonlyMap<string, KnownRecord>
  /** When each operation was first sent (ISO), by its ID. */
  readonly sentAt: ReadonlyMap<string, string>
  /** Every ID that a response to the operation's requests named, by operation ID. */
  readonly returnedIds: ReadonlyMap<string, readonly string[]>
  /** Milliseconds by which the service's clock is ahead of ours. `null` if unknown. */
  readonly clockAhead: number | null
}

/** Reconciles the inserts of one list in one pass. Each record in the list matches at most one insert. */
export function reconcileInserts(
  operations: readonly JournalOperation[],
  snapshot: ListSnapshot,
): ReadonlyMap<string, Reconciliation> {
  const settled = new Map<string, Reconciliation>()
  if (!snapshot.isWhole) {
    for (const operation of operations) settled.set(operation.operationId, { verdict: 'open' })
    return settled
  }
  const taken = idsTaken(snapshot)
  const settle = (operation: JournalOperation, reconciliation: Reconciliation): void => {
    settled.set(operation.operationId, reconciliation)
    if ('record' in reconciliation && reconciliation.record !== null) taken.add(idOf(reconciliation.record))
  }
  const open = (): readonly JournalOperation[] =>
    operations.filter(({ operationId }) => !settled.has(operationId))

  // Goes through all inserts with the strongest evidence first, so that two inserts with the same name each find their
  // own record.
  for (const operation of operations) {
    const marked = snapshot.candidates.filter(
      (record) => compareExternalId(operation.externalId, record) === 'ours',
    )
    if (marked.length > 0) settle(operation, judge(operation, marked, false))
  }
  for (const operation of open()) {
    const named = snapshot.candidates.find(
      (record) => isNamedFor(operation, record) && isPossiblyOurs(operation, snapshot, taken, record),
    )
    if (named === undefined || looksLikeAnothers(operation, named, open())) continue
    if (isRecognized(operation, named)) {
      settle(operation, reconcileKnownInsert(operation, named))
    }
  }
  for (const operation of open()) {
    const only = onlyNamesake(operation, snapshot, taken)
    if (only === null || differencesFrom(operation, only).length > 0) continue
    const rivals = open().filter((other) => isPossiblyOurs(other, snapshot, taken, only))
    if (looksLikeAnothers(operation, only, rivals)) continue
    settle(operation, judge(operation, [only], true))
  }
  for (const [operation, record] of onlyFits(open(), snapshot, taken)) {
    const notAsSent = savedDifferences(operation, record)
    settle(operation, { verdict: 'done', record, notAsSent, isKnownByName: true })
  }
  for (const operation of open()) settle(operation, settleUnproven(operation, snapshot, taken))
  return settled
}

/** The IDs of other inserts' records, unless the list shows another record under that ID. */
function idsTaken({ known, candidates, newRecords }: ListSnapshot): Set<string> {
  const taken = new Set([...known].flatMap(([id, { since }]) => (since === '' ? [id] : [])))
  for (const record of [candidates, ...newRecords.values()].flat()) {
    const id = idOf(record)
    if (taken.has(id) && !isKnownAs(known.get(id), record)) taken.delete(id)
  }
  return taken
}

/** The verdict on an insert for which no record is certain. */
function settleUnproven(
  operation: JournalOperation,
  snapshot: ListSnapshot,
  taken: ReadonlySet<string>,
): Reconciliation {
  const named = onlyNamesake(operation, snapshot, taken)
  // A record with the same name but none of the values may be someone else's.
  if (named !== null && evidenceFor(operation, named).equal > 0) return judge(operation, [named], true)
  const candidates = possibleRecords(operation, snapshot, taken)
  if (candidates.length > 0) return { verdict: 'possible', candidates: candidates.slice(0, MAX_CANDIDATES) }
  const wasThere = snapshot.candidates.some(
    (record) =>
      isNamedAs(operation.fullName, operation.edits, record) &&
      // A response may name an existing record with that name, such as one of ours.
      (taken.has(idOf(record)) ? isNamedFor(operation, record) : wasReadBefore(operation, snapshot, record)),
  )
  return wasThere ? WAS_THERE : { verdict: 'undone' }
}

/** How many records are shown next to a draft. No one compares more. */
const MAX_CANDIDATES = 20

/** Only a user can tell whether our record was added next to an existing record with the same name. */
const WAS_THERE: Reconciliation = {
  verdict: 'otherwise',
  record: null,
  differences: [],
  reason: 'was-there',
}

function isNamedFor(operation: JournalOperation, record: RecordData): boolean {
  return operation.recordId !== '' && idOf(record) === operation.recordId
}

/** Whether the record may be ours: no other operation claims it, and no list that was read before had it. */
function isPossiblyOurs(
  operation: JournalOperation,
  snapshot: ListSnapshot,
  taken: ReadonlySet<string>,
  record: RecordData,
): boolean {
  const isDismissed = operation.dismissed.includes(identityOf(record))
  return !taken.has(idOf(record)) && !isDismissed && !wasReadBefore(operation, snapshot, record)
}

/** Whether a list that was read before the insert had the record, or an edit of ours refers to it. */
function wasReadBefore(operation: JournalOperation, snapshot: ListSnapshot, record: RecordData): boolean {
  const id = idOf(record)
  if (operation.namesakes.includes(id)) return true
  const newRecords = snapshot.newRecords.get(operation.batchId)
  if (newRecords !== undefined) return !newRecords.some((each) => idOf(each) === id)
  const [known, sentAt] = [snapshot.known.get(id), snapshot.sentAt.get(operation.operationId)]
  return isKnownAs(known, record) && Date.parse(known.since) < Date.parse(sentAt ?? '')
}

/** In milliseconds: how far the service's clock may be behind ours before it has been measured. */
const CLOCKS_DIFFER = 15 * 60_000
/** In milliseconds: the uncertainty of a measured clock. Requests take time, and some services round to a minute. */
const CLOCKS_DRIFT = 2 * 60_000
/** In milliseconds: a time without an offset may be in any time zone. */
const ZONES_DIFFER = 24 * 60 * 60_000

/**
 * Whether the record claims to be older than the insert. That proves nothing, because clocks differ, but such a record
 * is never taken as ours without asking.
 */
function saysItIsOlder(operation: JournalOperation, snapshot: ListSnapshot, record: RecordData): boolean {
  const sentAt = snapshot.sentAt.get(operation.operationId)
  if (sentAt === undefined) return false
  const created = createdAt(record)
  const isInstant = hasOffset(created)
  const margin = !isInstant ? ZONES_DIFFER : snapshot.clockAhead === null ? CLOCKS_DIFFER : CLOCKS_DRIFT
  return Date.parse(created) - (isInstant ? (snapshot.clockAhead ?? 0) : 0) < Date.parse(sentAt) - margin
}

/**
 * Whether a list that was read before didn't have the record. If none was read, whether the record says when it was
 * created.
 */
function isSurelyNew(operation: JournalOperation, snapshot: ListSnapshot, record: RecordData): boolean {
  return snapshot.newRecords.has(operation.batchId) || !Number.isNaN(Date.parse(createdAt(record)))
}

/**
 * The only record with exactly that name that is certainly new, that nothing contradicts, and that can't be mistaken
 * for another. A new record that claims to be older may still be ours if the clock was not measured.
 */
function onlyNamesake(
  operation: JournalOperation,
  snapshot: ListSnapshot,
  taken: ReadonlySet<string>,
): RecordData | null {
  const named = namesakesOf(operation, snapshot, taken)
  const newer = named.filter((record) => !saysItIsOlder(operation, snapshot, record))
  const [only, ...more] = newer
  if (only === undefined || more.length > 0 || !isSurelyNew(operation, snapshot, only)) return null
  return snapshot.newRecords.has(operation.batchId) && named.length > 1 ? null : only
}

/** Records with exactly that name that may be ours. */
function namesakesOf(
  operation: JournalOperation,
  snapshot: ListSnapshot,
  taken: ReadonlySet<string>,
): readonly RecordData[] {
  const needsExternalId = operation.externalId !== '' && snapshot.areExternalIdsTrusted
  return snapshot.candidates.filter((record) => {
    if (!isPossiblyOurs(operation, snapshot, taken, record)) return false
    if (!isNamedAs(operation.fullName, operation.edits, record)) return false
    // If external IDs come back, none of these has another one, and a truncated one may be ours.
    return needsExternalId
      ? compareExternalId(operation.externalId, record) === 'cut'
      : !hasOtherExternalId(operation, snapshot, record)
  })
}

/** Whether the record has an external ID other than ours, from a service that isn't known to replace them. */
function hasOtherExternalId(
  operation: JournalOperation,
  snapshot: ListSnapshot,
  record: RecordData,
): boolean {
  return snapshot.keepsExternalIds !== false && compareExternalId(operation.externalId, record) === 'other'
}

/**
 * Pairs of operations and records that fit only each other. The record is new in the list, differs at most in the
 * spelling of its name, and can't be mistaken for another.
 */
function onlyFits(
  operations: readonly JournalOperation[],
  snapshot: ListSnapshot,
  taken: ReadonlySet<string>,
): readonly (readonly [JournalOperation, RecordData])[] {
  const possible = new Map(
    operations.map((operation) => [operation, possibleRecords(operation, snapshot, taken)] as const),
  )
  return operations.flatMap((operation) => {
    const [record, ...more] = possible.get(operation) ?? []
    const isNew = snapshot.newRecords.has(operation.batchId) && record !== undefined && more.length === 0
    if (!isNew || saysItIsOlder(operation, snapshot, record)) return []
    if (operation.externalId !== '' && snapshot.areExternalIdsTrusted) return []
    if (hasOtherExternalId(operation, snapshot, record)) return []
    if (!differsOnlyInSpelling(evidenceFor(operation, record))) return []
    const isWanted = [...possible].some(
      ([other, records]) => other !== operation && records.some((each) => idOf(each) === idOf(record)),
    )
    return isWanted ? [] : [[operation, record] as const]
  })
}

/**
 * Records that may be the insert, most likely first. They were named by a response, or they are new in the list,
 * unclaimed, and not contradicted. A record that was not found has only an `ID`.
 */
function possibleRecords(
  operation: JournalOperation,
  snapshot: ListSnapshot,
  taken: ReadonlySet<string>,
): readonly RecordData[] {
  const newRecords = snapshot.newRecords.get(operation.batchId)
  const namedIds = new Set([operation.recordId, ...(snapshot.returnedIds.get(operation.operationId) ?? [])])
  // A record that was shown once stays, whatever other operations claim in the meantime.
  const shown = new Set(operation.candidates.map(idOf))
  const pool = new Map(
    [...snapshot.candidates, ...(newRecords ?? [])].map((record) => [idOf(record), record]),
  )
  const found = [...pool.values()].filter((record) => {
    if (!isPossiblyOurs(operation, snapshot, taken, record)) return false
    if (namedIds.has(idOf(record)) || shown.has(idOf(record))) return true
    const evidence = evidenceFor(operation, record)
    // Without an earlier list, any record in the books would match an insert that has only a name.
    const isLikely = evidence.name !== 'different' || (evidence.equal > 0 && evidence.different === 0)
    return newRecords === undefined ? isLikely : isPossibleMatch(evidence)
  })
  const missing = [...namedIds].filter(
    (id) => id !== '' && !pool.has(id) && !taken.has(id) && !operation.namesakes.includes(id),
  )
  const fit = (record: RecordData): number =>
    matchScore(evidenceFor(operation, record)) + (namedIds.has(idOf(record)) ? 1_000_000 : 0)
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
  if (more.length > 0) return { verdict: 'otherwise', record, differences: [], reason: 'twice' }
  if (differences.length > 0) return { verdict: 'otherwise', record, differences, reason: 'other-values' }
  const notAsSent = externalIdDifferences(operation.externalId, record)
  return { verdict: 'done', record, notAsSent, isKnownByName }
}

/**
 * Whether a recheck that found nothing is the second one. A pause separates the two, because the application may still
 * be working on the write.
 * @param now milliseconds since 1970
 * @param pause milliseconds
 */
export function isSecondRecheck(operation: JournalOperation, now: number, pause: number): boolean {
  if (operation.firstRecheckedAt === null) return false
  return now - Date.parse(operation.firstRecheckedAt) >= pause
}

/** Whether the first recheck has a time in the future. The clock was set back since then, so the pause starts over. */
export function isRecheckedInFuture(operation: JournalOperation, now: number): boolean {
  return operation.firstRecheckedAt !== null && Date.parse(operation.firstRecheckedAt) > now
}
