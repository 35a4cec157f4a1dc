/**
 * Reads records back in the same slot: those that a response named without all of their fields, and those that show how
 * the service behaves.
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Difference } from '../../../shared/contract/records.ts'
import {
  type EditValue,
  type FieldEdit,
  isEmpty,
  isObject,
  memberOf,
  ownValue,
  pathOf,
  pathType,
  type RecordData,
  sameValue,
  topField,
  valueAt,
} from '../../../shared/records/changes.ts'
import { fieldDefinition, isDescribed } from '../../../shared/records/definition.ts'
import { err, ok, type Result } from '../../../shared/result.ts'
import type {
  JournalOperation,
  Learned,
  OperationMove,
  WritePolicy,
  WritePolicyKey,
} from '../../store/journal/journal.ts'
import type { BatchSlot, WritingContext } from '../context.ts'
import { differencesFrom, isAsBefore, isUnexpectedChange } from './compare.ts'
import { compareExternalId, createdAt, idOf, isAnotherRecord, savedDifferences } from './recognition.ts'
import { belongsToAnotherRecord, isRecognized, type Reconciliation } from './reconcile.ts'
import { createFactsUpdate, createMove } from './states.ts'

export interface Confirmed {
  /** Whether every record could be read. */
  readonly areAllConclusive: boolean
  /** Whether the first insert was read back, or the first change did exactly what it should. */
  readonly isProven: boolean
  /** Whether the first change did more or less than it should. */
  readonly hasUnexpected: boolean
  readonly learned: Learned
}

/**
 * Reads records back and journals the findings.
 * @returns an error if nothing could be read or written; the operations stay unknown and are rechecked later
 */
export async function confirmByReading(
  { context, wire, batch }: BatchSlot,
  operations: readonly JournalOperation[],
  known: {
    readonly returned: ReadonlyMap<string, RecordData>
    readonly sentAt: string
    readonly learned: Learned
  },
): Promise<Result<Confirmed>> {
  const found = await context.reader.byIds(
    wire,
    batch.company,
    batch.object,
    operations.map(({ recordId }) => recordId),
  )
  if (!found.ok) return err(found.error)
  const { writePolicies, operations: journal } = context.store.journal
  const ids = operations.map(({ operationId }) => operationId)
  const others = writePolicies.knownRecords(batch.company, batch.object, ids)
  const baseline = journal.baselineOf(batch.batchId)
  const before = { known: others, baseline }
  const isOtherRecord = (operation: JournalOperation, record: RecordData): boolean =>
    operation.kind === 'insert'
      ? !isRecognized(operation, record) || belongsToAnotherRecord(operation, record, before, operations)
      : isAnotherRecord(operation.object, operation.before, record, operation.edits)
  const moves: OperationMove[] = []
  let areAllConclusive = true
  let hasUnexpected = false
  let { learned } = known
  for (const operation of operations) {
    const record = found.value.records.get(operation.recordId)
    const isOther = record !== undefined && isOtherRecord(operation, record)
    if (record === undefined || isOther) {
      areAllConclusive = false
      moves.push(createFactsUpdate(operation, {}))
      continue
    }
    const move = moveFor(context, operation, record, unexpectedChangesIn(operation, record))
    moves.push(move)
    // The response called it saved, but the record is as it was before. The books may show it late.
    if (move.to === 'unknown') areAllConclusive = false
    learned = learnFrom(learned, {
      operation,
      returned: known.returned.get(operation.operationId) ?? null,
      stored: record,
      sentAt: Date.parse(known.sentAt),
      foundAt: context.clock.now(),
      isFoundAtOnce: true,
    })
    const isOtherwise = move.to === 'acked' && (move.facts.notAsSent?.length ?? 0) > 0
    hasUnexpected ||= operation.beforeSending !== null && isOtherwise
  }
  // Saved before the moves. After a crash between the two, the recheck is repeated.
  if (hasUnexpected) stopChanges(context, batch.company, batch.object)
  journal.move(moves, null)
  context.changed(batch.company, batch.object, ids, batch.batchId)
  const isFirst = operations.some(({ kind, beforeSending }) => kind === 'insert' || beforeSending !== null)
  return ok({
    areAllConclusive,
    isProven: isFirst && areAllConclusive && !hasUnexpected,
    hasUnexpected,
    learned,
  })
}

function moveFor(
  context: WritingContext,
  operation: JournalOperation,
  record: RecordData,
  unexpected: readonly Difference[],
): OperationMove {
  const { object, edits } = operation
  const at = context.timestamp()
  const rechecked = { rechecks: 1, firstRecheckedAt: at, lastRecheckedAt: at, settledAt: at }
  const isUndone = operation.kind === 'change' && edits.every((edit) => isAsBefore(object, edit, record))
  if (isUndone) return createFactsUpdate(operation, { ...rechecked, settledAt: null })
  const notAsSent = [...savedDifferences(operation, record), ...unexpected]
  const facts = { ...rechecked, after: record, notAsSent, confirmedByReading: true, error: null }
  return createMove(operation, 'found-as-sent', facts, notAsSent.length === 0)
}

/*
 * What reading back shows about a service: how it returns names and external IDs, whether its responses match what it
 * stores, whether its IDs last, and how its clock and its lists lag. Pure functions. The first insert and the first
 * change of a list are read back for this. So is every later array with a kind of text that is new for the list.
 */

/**
 * Lengths up to which texts were read back. QuickBooks Desktop cuts names at 31 or 41 characters and phone numbers at
 * 21.
 */
const LENGTHS = [21, 31, 41, 100] as const

const KINDS: readonly (readonly [trait: string, pattern: RegExp])[] = [
  ['markup', /[&<>]/],
  ['quotes', /['"‘’“”]/],
  ['colon', /:/],
  ['blanks', /^\s|\s\s|\s$/],
  ['control', /\p{C}/u],
  ['accents', /\p{M}|[À-ɏ]/u],
  ['other script', /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u],
  ['compatibility', /[\u{fb00}-\u{fb4f}\u{ff00}-\u{ffef}]/u],
]

/** The traits of the edits' texts that may lead a service to change them. Each field counts separately. */
function textTraits(edits: readonly FieldEdit[]): readonly string[] {
  const traits = new Set<string>()
  for (const { path, now } of edits) {
    const text = typeof now === 'string' ? now : now.FullName
    const length = LENGTHS.find((most) => text.length <= most)
    traits.add(`${path.slice(0, 60)} ${length ?? 'long'}`)
    for (const [trait, pattern] of KINDS) if (pattern.test(text)) traits.add(trait)
  }
  return [...traits]
}

/** Whether records that a response calls saved must be read back first. */
export function needsReadingBack(policy: WritePolicy, operations: readonly JournalOperation[]): boolean {
  const { isProven, learned } = policy
  if (!isProven || learned.returnsStoredValues === false || learned.keepsIds === false) return true
  const known = new Set(learned.traits)
  return operations.some(({ edits }) => textTraits(edits).some((trait) => !known.has(trait)))
}

/** A record that was read back. */
export interface ReadBack {
  readonly operation: JournalOperation
  /** The record as the response gave it, or `null`. */
  readonly returned: RecordData | null
  readonly stored: RecordData
  /** When it was sent and when it was first found, in milliseconds since 1970. */
  readonly sentAt: number
  readonly foundAt: number
  /** Whether a read right after the response found it. */
  readonly isFoundAtOnce: boolean
}

/** How many traits are kept. The oldest are read back again. */
const MAX_TRAITS = 200

export function learnFrom(learned: Learned, read: ReadBack): Learned {
  const { operation, returned, stored } = read
  const isStoredAsReturned = returned !== null && isAsReturned(operation, returned, stored)
  const traits = isStoredAsReturned
    ? [...new Set([...learned.traits, ...textTraits(operation.edits)])]
    : learned.traits
  const next: Learned = {
    ...learned,
    returnsStoredValues:
      returned === null
        ? learned.returnsStoredValues
        : learned.returnsStoredValues !== false && isStoredAsReturned,
    traits: traits.slice(-MAX_TRAITS),
  }
  if (operation.kind === 'change') return next
  const name = operation.edits.find(({ path }) => path === 'Name')
  const isNamed = name !== undefined && !isEmpty(name.now)
  const keepsName = isNamed && sameValue('text', valueAt(operation.object, stored, 'Name'), name.now)
  const says = compareExternalId(operation.externalId, stored)
  const returnedId = operation.recordId || (returned === null ? '' : idOf(returned))
  const lag = read.isFoundAtOnce ? 0 : Math.max(0, read.foundAt - read.sentAt)
  return {
    ...next,
    keepsNames: isNamed ? learned.keepsNames !== false && keepsName : learned.keepsNames,
    keepsExternalIds:
      operation.externalId === ''
        ? learned.keepsExternalIds
        : learned.keepsExternalIds !== false && says === 'ours',
    keepsIds:
      returnedId === '' ? learned.keepsIds : learned.keepsIds !== false && returnedId === idOf(stored),
    clockAhead: clockAhead(stored, read) ?? learned.clockAhead,
    lag: returnedId === '' ? learned.lag : Math.max(learned.lag ?? 0, lag),
  }
}

/** Whether the response gave the stored values of the fields that were sent. */
function isAsReturned(
  { object, edits }: JournalOperation,
  returned: RecordData,
  stored: RecordData,
): boolean {
  return edits.every(({ path }) => {
    if (!Object.hasOwn(returned, topField(path))) return true
    return sameValue(pathType(object, path), valueAt(object, returned, path), valueAt(object, stored, path))
  })
}

/**
 * In milliseconds. A service dates a record between receiving the request and responding. If the date is days off, it
 * follows other rules.
 */
const MAX_CLOCK_DIFFERENCE = 3 * 24 * 60 * 60_000
/** In milliseconds. The request's own duration explains a smaller difference. */
const MIN_CLOCK_DIFFERENCE = 5_000

function clockAhead(stored: RecordData, { sentAt, foundAt, isFoundAtOnce }: ReadBack): number | null {
  const created = createdAt(stored)
  if (!isFoundAtOnce || !/T\d\d:\d\d.*(?:Z|[+-]\d{2}:?\d{2})$/i.test(created)) return null
  const at = Date.parse(created)
  if (Number.isNaN(at)) return null
  const ahead = at < sentAt ? at - sentAt : at > foundAt ? at - foundAt : 0
  if (Math.abs(ahead) > MAX_CLOCK_DIFFERENCE) return null
  return Math.abs(ahead) < MIN_CLOCK_DIFFERENCE ? 0 : ahead
}

/*
 * The first change for a connection, application, and list is sent alone and read back. If it changed anything but its
 * own fields, writing stops (decisions.md, "Payload of PATCH": all of this is an *Assumption*).
 */

/** Lists what a first change altered besides its own fields. Empty for any other operation. */
function unexpectedChangesIn(
  { object, edits, beforeSending }: Pick<JournalOperation, 'object' | 'edits' | 'beforeSending'>,
  after: RecordData,
): readonly Difference[] {
  return beforeSending === null ? [] : unexpectedChangesOf(object, edits, beforeSending, after)
}

/**
 * Reconciles a change that was sent before any change was known to do what it should, and whose response or read-back
 * was lost. If an earlier recheck showed that a held change was not made, it didn't cause what has changed since.
 */
export function reconcileFirstChange(
  operation: JournalOperation,
  reconciliation: Reconciliation,
  found: RecordData | null,
): Reconciliation {
  const isAnother = reconciliation.verdict === 'otherwise' && reconciliation.reason === 'another-record'
  const unexpected = found === null || isAnother ? [] : unexpectedChangesIn(operation, found)
  if (unexpected.length === 0) return reconciliation
  const { verdict } = reconciliation
  if (verdict === 'done')
    return { ...reconciliation, notAsSent: [...reconciliation.notAsSent, ...unexpected] }
  if (verdict === 'open' || operation.state === 'held') return reconciliation
  const differences = [...(found === null ? [] : differencesFrom(operation, found)), ...unexpected]
  return { verdict: 'otherwise', record: found, differences, reason: 'other-values' }
}

/** Whether a recheck showed that a first change altered more than its own fields. Other changes then stop. */
export function hasUnexpectedChanges(
  { beforeSending, error }: JournalOperation,
  { from, to, facts }: OperationMove,
): boolean {
  if (beforeSending === null) return false
  // The response called it saved, but both rechecks found the record as it was before.
  if (from === 'unknown' && to === 'held' && error === null) return true
  return to === 'conflict' || (to === 'acked' && (facts.notAsSent?.length ?? 0) > 0)
}

/**
 * The paths that changed unexpectedly. `yours` is the value right before.
 * @param beforeSending the record right before the change
 * @param after the record read back right after it
 */
function unexpectedChangesOf(
  object: string,
  edits: readonly FieldEdit[],
  beforeSending: RecordData,
  after: RecordData,
): readonly Difference[] {
  const touched = new Set(edits.map((edit) => topField(edit.path)))
  return [...new Set([...Object.keys(beforeSending), ...Object.keys(after)])]
    .filter((field) => !touched.has(field))
    .flatMap((field) => pathsUnder(field, beforeSending, after))
    .flatMap((path) => {
      const was = valueAt(object, beforeSending, path)
      const is = valueAt(object, after, path)
      if (sameValue(pathType(object, path), was, is)) return []
      if (!isDescribed(object, topField(path))) {
        const name = memberOf(path) ?? path
        return isUnexpectedChange(name, rawAt(beforeSending, path), rawAt(after, path), edits)
          ? [loss(path, was, is)]
          : []
      }
      // The application updates its own fields, such as dates, the balance, and the full name. If one was cleared, a
      // change may replace the whole record.
      const isKept = fieldDefinition(object, topField(path)).editable !== 'yes'
      return isKept && !(isEmpty(is) && !isEmpty(was)) ? [] : [loss(path, was, is)]
    })
}

function loss(path: string, was: EditValue, is: EditValue): Difference {
  return { path, asRead: was, theirs: is, yours: was }
}

function rawAt(record: RecordData, path: string): unknown {
  const [top, member] = [topField(path), memberOf(path)]
  const value = ownValue(record, top)
  if (member === null) return value
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(member) : undefined
}

/** The path of a plain field, or the paths of the members that either version has. A reference counts as one value. */
function pathsUnder(field: string, beforeSending: RecordData, after: RecordData): readonly string[] {
  const members = [beforeSending, after].flatMap((record) => {
    const value = ownValue(record, field)
    return isObject(value) ? Object.keys(value) : []
  })
  if (members.length === 0 || members.includes('FullName')) return [pathOf(field)]
  return [...new Set(members)].map((member) => pathOf(field, member))
}

/*
 * Whether changes to a list are known to do what they should, and the stop after a first change that did not
 * (decisions.md, "Payload of PATCH"). Kept per connection, application, and list.
 */

function changesOf(context: WritingContext, company: CompanyRef, object: string): WritePolicyKey {
  const application = context.directory.facts(company)?.application ?? ''
  return { connectionId: company.connectionId, application, object, kind: 'change' }
}

/** Whether a first change was read back. Until then, each change keeps the record as it was right before. */
export function areChangesProven(context: WritingContext, company: CompanyRef, object: string): boolean {
  return context.store.journal.writePolicies.get(changesOf(context, company, object)).isProven
}

/** Stops changes to a list until the user resumes them. */
export function stopChanges(context: WritingContext, company: CompanyRef, object: string): void {
  setStopped(context, changesOf(context, company, object), true)
}

/**
 * Resumes changes after the user has reviewed the first one. The next change is sent alone and read back, too. Returns
 * whether they were stopped.
 */
export function resumeChanges(context: WritingContext, company: CompanyRef, object: string): boolean {
  return setStopped(context, changesOf(context, company, object), false)
}

/** Returns whether that changes anything. */
function setStopped(
  context: WritingContext,
  key: WritePolicyKey,
  isStopped: WritePolicy['isStopped'],
): boolean {
  const { writePolicies } = context.store.journal
  const policy = writePolicies.get(key)
  if (policy.isStopped === isStopped) return false
  writePolicies.set(key, { ...policy, isStopped })
  return true
}
