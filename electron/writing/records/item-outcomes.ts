/**
 * What a response says about each operation. A refusal takes an item's own error without a record, or a refused key. A
 * success takes the record as it was sent. Anything else is unknown.
 */
import type { Difference } from '../../../shared/contract/records.ts'
import { type FieldEdit, ownValue, type RecordData, topField } from '../../../shared/records/changes.ts'
import { normalCode } from '../../service/errors/service-errors.ts'
import type { Envelope, EnvelopeItem, ServiceError } from '../../service/protocol/wire.ts'
import type { JournalOperation } from '../../store/journal/journal.ts'
import { hasValue, omitsSentFields } from './compare.ts'
import {
  compareExternalId,
  evidenceFor,
  idOf,
  isAnotherRecord,
  isContradicted,
  matchScore,
  namesOf,
  namesOfRecord,
  savedDifferences,
} from './recognition.ts'

export type ItemOutcome =
  /** The record came back. `notAsSent` lists its differences from what was sent. */
  | { readonly outcome: 'saved'; readonly record: RecordData; readonly notAsSent: readonly Difference[] }
  /** The record came back without some of the fields that were sent, so it must be read. */
  | { readonly outcome: 'silent'; readonly record: RecordData }
  | { readonly outcome: 'refused'; readonly errors: readonly ServiceError[] }
  /**
   * `returnedId`: for an insert, the existing record that the response named, if any. `isWarned`: all of its errors are
   * warnings, which mean that the write succeeded.
   */
  | {
      readonly outcome: 'uncertain'
      readonly errors: readonly ServiceError[]
      readonly returnedId?: string
      readonly isWarned?: boolean
    }

export interface ArrayOutcome {
  readonly outcomes: ReadonlyMap<string, ItemOutcome>
  /** The item matched to each operation, for the journal. */
  readonly items: ReadonlyMap<string, EnvelopeItem>
  /** Whether every operation was saved or refused by its own item. */
  readonly accountsForAll: boolean
}

function sentIdentity(operation: JournalOperation): SentIdentity {
  return {
    operationId: operation.operationId,
    kind: operation.kind,
    object: operation.object,
    edits: operation.edits,
    recordId: operation.recordId,
    externalId: operation.externalId,
    names: namesOf(operation.edits, operation.before),
  }
}

export function idsInResponse({ items }: Envelope): readonly string[] {
  return items.flatMap(({ object }) => (object === null || idOf(object) === '' ? [] : [idOf(object)]))
}

/** What the outcomes are judged by. */
interface Response {
  /** The application's short code, without which an error code means nothing. */
  readonly application: string
  readonly envelope: Envelope
  /** IDs of other operations' records, which a new record can't have. */
  readonly knownIds: ReadonlySet<string>
}

/** Judges the outcome of each operation. */
export function outcomesOf(operations: readonly JournalOperation[], response: Response): ArrayOutcome {
  const { envelope } = response
  const items =
    loneItem(operations, envelope.items) ?? matchItems(operations.map(sentIdentity), envelope.items)
  const outcomes = new Map(
    operations.map((operation) => [
      operation.operationId,
      itemOutcome(operation, items.get(operation.operationId), response),
    ]),
  )
  const accountsForAll = [...outcomes.values()].every(({ outcome }) => outcome !== 'uncertain')
  return { outcomes, items, accountsForAll }
}

/**
 * If one record was sent and one came back, they belong together. Its `ID` is the one to read, even if the application
 * changed its name and external ID.
 */
function loneItem(
  operations: readonly JournalOperation[],
  items: readonly EnvelopeItem[],
): ReadonlyMap<string, EnvelopeItem> | null {
  const [[operation, ...others], [item, ...more]] = [operations, items]
  const isLone = operation?.kind === 'insert' && others.length === 0 && more.length === 0
  if (!isLone || item === undefined || recordOf(item) === null) return null
  return new Map([[operation.operationId, item]])
}

function itemOutcome(
  operation: JournalOperation,
  item: EnvelopeItem | undefined,
  { application, envelope, knownIds }: Response,
): ItemOutcome {
  if (item === undefined) return { outcome: 'uncertain', errors: envelope.errors }
  const record = recordOf(item)
  const errors = item.errors.filter((error) => !isStatus(error))
  if (errors.length > 0) {
    // If an item has a warning, or a record besides an error, its record may be saved.
    const isWarned = errors.every((error) => isWarning(application, error))
    return record === null && !isWarned && !hasMoreThanSent(item, operation)
      ? { outcome: 'refused', errors }
      : { outcome: 'uncertain', errors, isWarned }
  }
  // An error of the whole request, or errors that are announced but not listed, may concern any item.
  const mayHaveFailed = !envelope.errors.every(isStatus) || hasUnlistedErrors(envelope)
  if (record === null || mayHaveFailed) return { outcome: 'uncertain', errors: envelope.errors }
  const { kind, object, before, edits } = operation
  if (kind === 'change' && idOf(record) !== operation.recordId) return { outcome: 'uncertain', errors: [] }
  if (kind === 'change' && isAnotherRecord(object, before, record, edits)) {
    return { outcome: 'uncertain', errors: [] }
  }
  const isInsert = operation.kind === 'insert'
  // The record existed before. A service may return the record that already has the name.
  if (isInsert && (operation.namesakes.includes(idOf(record)) || knownIds.has(idOf(record)))) {
    return { outcome: 'uncertain', errors: [], returnedId: idOf(record) }
  }
  // Its position matches, but its values don't.
  if (isInsert && !isIdentified(operation, record)) return { outcome: 'silent', record }
  if (omitsSentFields(operation, record)) return { outcome: 'silent', record }
  return {
    outcome: 'saved',
    record,
    notAsSent: savedDifferences(operation, record),
  }
}

/** Whether a record in a response identifies itself as the one that was sent. */
function isIdentified(operation: JournalOperation, record: RecordData): boolean {
  if (compareExternalId(operation.externalId, record) === 'ours') return true
  const evidence = evidenceFor(operation, record)
  return !isContradicted(evidence) && (evidence.name !== 'different' || evidence.equal > 0)
}

/**
 * *Assumption*: QuickBooks Desktop's codes 500 to 999 mean that the write succeeded, but maybe not exactly as
 * requested.
 */
function isWarning(application: string, { code, severity }: ServiceError): boolean {
  return (
    /^warn/i.test(severity) || (application.toLowerCase() === 'qbd' && /^[5-9]\d\d$/.test(normalCode(code)))
  )
}

/**
 * *Assumption*: an entry with severity *Info*, or with code 0 and no error severity, is a status such as "Status OK" in
 * place of an error. It refuses nothing. A record counts as saved only if it is present as well.
 */
function isStatus({ code, severity }: ServiceError): boolean {
  return /^info/i.test(severity) || (normalCode(code) === '0' && /^(?:$|ok|success)/i.test(severity))
}

/** The record of an item. An object without an `ID` only echoes the request. */
function recordOf({ object }: EnvelopeItem): RecordData | null {
  return object !== null && idOf(object) !== '' ? object : null
}

/**
 * Whether an object besides an error has a value that wasn't sent. If not, and it has no `ID`, it only echoes the
 * request.
 */
function hasMoreThanSent({ object }: EnvelopeItem, { edits }: JournalOperation): boolean {
  if (object === null) return false
  const sent = new Set(['ID', 'ExternalID', ...edits.map(({ path }) => topField(path))])
  return Object.keys(object).some((field) => !sent.has(field) && hasValue(ownValue(object, field)))
}

function hasUnlistedErrors(envelope: Envelope): boolean {
  const errors = [envelope.errors, ...envelope.items.map((item) => item.errors)].flat()
  return envelope.hasErrors && errors.every(isStatus)
}

/**
 * The path that a refusal names: the field of the first error that names exactly one of the fields that were sent.
 * Empty if there is none.
 */
export function namedPath(
  operation: Pick<JournalOperation, 'edits'>,
  errors: readonly ServiceError[],
): string {
  for (const { message, detail, raw } of errors) {
    const text = `${message} ${detail} ${raw}`
    const named = operation.edits.filter((edit) => names(text, edit.path) || names(text, topField(edit.path)))
    const exact = named.filter((edit) => names(text, edit.path))
    const [only, ...more] = exact.length > 0 ? exact : named
    if (only !== undefined && more.length === 0) return only.path
  }
  return ''
}

function names(text: string, path: string): boolean {
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'iu').test(text)
}

/*
 * Matches the items of a response to operations. Items that name their records as they were sent decide first. The rest
 * are matched by position, if the counts agree and no item contradicts its position: a service may change names, and
 * most services keep no external ID. An operation without a match is in doubt.
 */

/** What identifies an operation in a response. */
export interface SentIdentity {
  readonly operationId: string
  readonly kind: 'insert' | 'change'
  readonly object: string
  readonly edits: readonly FieldEdit[]
  /** Empty for an insert. */
  readonly recordId: string
  readonly externalId: string
  /** Names under which the application may return it. The first is its full name. */
  readonly names: readonly string[]
}

/**
 * Matches operations to items.
 * @returns the item of each operation, by its ID; omits operations without a certain match
 * @internal
 */
export function matchItems(
  sent: readonly SentIdentity[],
  items: readonly EnvelopeItem[],
): ReadonlyMap<string, EnvelopeItem> {
  const strictly = byPosition(sent, items, agrees)
  if (strictly !== null) return strictly
  const named = byNaming(sent, items)
  return byRemainingPositions(sent, items, named) ?? named
}

type Agrees = (sent: SentIdentity, item: EnvelopeItem, all: readonly SentIdentity[]) => boolean

function byPosition(
  sent: readonly SentIdentity[],
  items: readonly EnvelopeItem[],
  fits: Agrees,
): Map<string, EnvelopeItem> | null {
  if (sent.length !== items.length) return null
  const matched = new Map<string, EnvelopeItem>()
  for (const [index, record] of sent.entries()) {
    const item = items[index]
    if (item === undefined || !fits(record, item, sent)) return null
    matched.set(record.operationId, item)
  }
  return repeatedIds(items).size > 0 ? null : matched
}

/** IDs that occur in two items. At least one of the two is wrong, and nothing shows which. */
function repeatedIds(items: readonly EnvelopeItem[]): ReadonlySet<string> {
  const ids = items.flatMap(({ object }) => (object === null || idOf(object) === '' ? [] : [idOf(object)]))
  return new Set(ids.filter((id, index) => ids.indexOf(id) !== index))
}

/** Whether the item can be this record, judged by the item's strongest evidence. */
function agrees(sent: SentIdentity, { object }: EnvelopeItem, all: readonly SentIdentity[]): boolean {
  if (object === null) return true
  const says = compareExternalId(sent.externalId, object)
  if (says === 'ours') return true
  const isNamed = namesOfRecord(object).some((name) => sent.names.includes(name))
  // The external ID belongs to another record, or the application assigned its own. The name must match.
  if (says === 'other') return isNamed && !isMarkedForAnother(sent, object, all)
  const id = idOf(object)
  if (sent.kind === 'change' && id !== '') return id === sent.recordId
  return isNamed || namesOfRecord(object).length === 0 || sent.names.length === 0
}

function isMarkedForAnother(sent: SentIdentity, object: RecordData, all: readonly SentIdentity[]): boolean {
  return all.some((other) => other !== sent && compareExternalId(other.externalId, object) === 'ours')
}

/**
 * Matches the remaining inserts by position if the items show no other order and none fits another operation better.
 */
function byRemainingPositions(
  sent: readonly SentIdentity[],
  items: readonly EnvelopeItem[],
  named: ReadonlyMap<string, EnvelopeItem>,
): ReadonlyMap<string, EnvelopeItem> | null {
  if (sent.some(({ kind }) => kind !== 'insert')) return null
  return byPosition(sent, items, (record, item) => {
    const certain = named.get(record.operationId)
    if (certain !== undefined) return certain === item
    const { object } = item
    if (object === null) return true
    return !isMarkedForAnother(record, object, sent) && isInItsPlace(record, object, sent)
  })
}

function isInItsPlace(record: SentIdentity, object: RecordData, all: readonly SentIdentity[]): boolean {
  const evidence = evidenceFor(record, object)
  if (isContradicted(evidence)) return false
  const fit = matchScore(evidence)
  return all.every((other) => other === record || matchScore(evidenceFor(other, object)) <= fit)
}

const WAYS: readonly ((sent: SentIdentity, object: RecordData) => boolean)[] = [
  (sent, object) => compareExternalId(sent.externalId, object) === 'ours',
  (sent, object) => sent.kind === 'change' && idOf(object) === sent.recordId,
  (sent, object) => namesOfRecord(object).some((name) => sent.names.includes(name)),
]

function byNaming(sent: readonly SentIdentity[], items: readonly EnvelopeItem[]): Map<string, EnvelopeItem> {
  const matched = new Map<string, EnvelopeItem>()
  // Two items claim the record, or two records claim the item, so neither is certain.
  const contested = new Set<string>()
  const repeated = repeatedIds(items)
  for (const item of items) {
    if (item.object !== null && repeated.has(idOf(item.object))) continue
    const candidates = candidatesFor(sent, item)
    const [only] = candidates
    if (only === undefined) continue
    if (candidates.length > 1 || matched.has(only.operationId)) {
      for (const candidate of candidates) contested.add(candidate.operationId)
    } else {
      matched.set(only.operationId, item)
    }
  }
  for (const operationId of contested) matched.delete(operationId)
  return matched
}

/** Finds candidates for the item by the strongest evidence that finds any, unless stronger evidence contradicts it. */
function candidatesFor(sent: readonly SentIdentity[], item: EnvelopeItem): readonly SentIdentity[] {
  const { object } = item
  if (object === null) return []
  for (const isThis of WAYS) {
    const candidates = sent.filter((record) => isThis(record, object) && agrees(record, item, sent))
    if (candidates.length > 0) return candidates
  }
  return []
}
