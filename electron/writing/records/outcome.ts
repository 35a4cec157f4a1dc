/**
 * What an answer to a write says about each operation in it. Doubt is UNKNOWN: a refusal needs an item's own error
 * without a record (or a refused key), a success needs the record as it was sent.
 */
import { ownValue, topField, type RecordData } from '../../../shared/records/changes.ts'
import type { Difference } from '../../../shared/contract/records.ts'
import type { JournalOperation } from '../../store/journal/journal.ts'
import type { Envelope, EnvelopeItem, ServiceError } from '../../service/protocol/wire.ts'
import { hasValue, isSilentAbout } from './compare.ts'
import { normalCode } from '../../service/errors/service-errors.ts'
import { evidenceFor, isAnotherRecord, isContradicted, compareExternalId } from './recognition.ts'
import { matchItems, type SentRecord } from './matching.ts'
import { idOf, namesOf } from './names.ts'
import { savedDifferences } from './reconcile.ts'

export type ItemOutcome =
  /** The record came back; what differs from what was sent is named. */
  | { readonly outcome: 'saved'; readonly record: RecordData; readonly notAsSent: readonly Difference[] }
  /** It came back, but says nothing about some of what was sent: it has to be read. */
  | { readonly outcome: 'silent'; readonly record: RecordData }
  | { readonly outcome: 'refused'; readonly errors: readonly ServiceError[] }
  /**
   * `toldId`: of an insert, the record that it was told to be and that was there before; else empty. `isWarned`: its own
   * errors are nothing but warnings, which say that it was done.
   */
  | {
      readonly outcome: 'doubt'
      readonly errors: readonly ServiceError[]
      readonly toldId?: string
      readonly isWarned?: boolean
    }

export interface ArrayOutcome {
  readonly outcomes: ReadonlyMap<string, ItemOutcome>
  /** The item that each was matched to, for the journal. */
  readonly items: ReadonlyMap<string, EnvelopeItem>
  /** Every operation was saved or refused by an item of its own. */
  readonly accountsForAll: boolean
}

function sentRecord(operation: JournalOperation): SentRecord {
  return {
    operationId: operation.operationId,
    kind: operation.kind,
    object: operation.object,
    edits: operation.edits,
    recordId: operation.recordId,
    mark: operation.mark,
    names: namesOf(operation.edits, operation.before),
  }
}

/** The ids that an answer tells of. */
export function toldIds({ items }: Envelope): readonly string[] {
  return items.flatMap(({ object }) => (object === null || idOf(object) === '' ? [] : [idOf(object)]))
}

/**
 * @param application its short code: a code means nothing without it
 * @param knownIds of records that others of our operations are about: a new record is none of them
 */
export function outcomesOf(
  application: string,
  operations: readonly JournalOperation[],
  envelope: Envelope,
  knownIds: ReadonlySet<string>,
): ArrayOutcome {
  const items = loneItem(operations, envelope.items) ?? matchItems(operations.map(sentRecord), envelope.items)
  const outcomes = new Map(
    operations.map((operation) => [
      operation.operationId,
      itemOutcome(application, operation, items.get(operation.operationId), envelope, knownIds),
    ]),
  )
  const accountsForAll = [...outcomes.values()].every(({ outcome }) => outcome !== 'doubt')
  return { outcomes, items, accountsForAll }
}

/**
 * One record was sent and one is told of: whatever the application made of its name and its mark, its `ID` is where
 * to look.
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
  application: string,
  operation: JournalOperation,
  item: EnvelopeItem | undefined,
  envelope: Envelope,
  knownIds: ReadonlySet<string>,
): ItemOutcome {
  if (item === undefined) return { outcome: 'doubt', errors: envelope.errors }
  const record = recordOf(item)
  const errors = item.errors.filter((error) => !isGoodNews(error))
  if (errors.length > 0) {
    // A warning, or any error with a record beside it: the record may be saved.
    const isWarned = errors.every((error) => isWarning(application, error))
    return record === null && !isWarned && !hasMoreThanSent(item, operation)
      ? { outcome: 'refused', errors }
      : { outcome: 'doubt', errors, isWarned }
  }
  // An error of the whole request, or errors that are announced and not told, may stand for any item.
  const isClouded = !envelope.errors.every(isGoodNews) || isErrorUntold(envelope)
  if (record === null || isClouded) return { outcome: 'doubt', errors: envelope.errors }
  const { kind, object, before, edits } = operation
  if (kind === 'change' && idOf(record) !== operation.recordId) return { outcome: 'doubt', errors: [] }
  if (kind === 'change' && isAnotherRecord(object, before, record, edits)) {
    return { outcome: 'doubt', errors: [] }
  }
  const isInsert = operation.kind === 'insert'
  // It was there before this one was sent: a service may answer a name that it has with the record of that name.
  if (isInsert && (operation.namesakes.includes(idOf(record)) || knownIds.has(idOf(record)))) {
    return { outcome: 'doubt', errors: [], toldId: idOf(record) }
  }
  // Its place in the answer speaks for it; what it says does not.
  if (isInsert && !isSpokenFor(operation, record)) return { outcome: 'silent', record }
  if (isSilentAbout(operation, record)) return { outcome: 'silent', record }
  return {
    outcome: 'saved',
    record,
    notAsSent: savedDifferences(operation, record),
  }
}

/** Whether the record in an answer says itself that it is the one that was sent. */
function isSpokenFor(operation: JournalOperation, record: RecordData): boolean {
  if (compareExternalId(operation.mark, record) === 'ours') return true
  const evidence = evidenceFor(operation, record)
  return !isContradicted(evidence) && (evidence.name !== 'different' || evidence.equal > 0)
}

/** *Assumption*: the desktop application's 500 to 999 say that it was done, not quite as asked. */
function isWarning(application: string, { code, severity }: ServiceError): boolean {
  return (
    /^warn/i.test(severity) || (application.toLowerCase() === 'qbd' && /^[5-9]\d\d$/.test(normalCode(code)))
  )
}

/**
 * *Assumption*: an entry of severity *Info*, or of code 0 and no severity of an error, is a status ("Status OK") that
 * stands where errors stand. It refuses nothing; what it is said of is saved only if its record is there too.
 */
function isGoodNews({ code, severity }: ServiceError): boolean {
  return /^info/i.test(severity) || (normalCode(code) === '0' && /^(?:$|ok|success)/i.test(severity))
}

/** An object without an `ID` is an echo of what was sent, not a record. */
function recordOf({ object }: EnvelopeItem): RecordData | null {
  return object !== null && idOf(object) !== '' ? object : null
}

/** Beside an error, an object without an `ID` is an echo of what was sent, unless it has a value that nobody sent. */
function hasMoreThanSent({ object }: EnvelopeItem, { edits }: JournalOperation): boolean {
  if (object === null) return false
  const sent = new Set(['ID', 'ExternalID', ...edits.map(({ path }) => topField(path))])
  return Object.keys(object).some((field) => !sent.has(field) && hasValue(ownValue(object, field)))
}

function isErrorUntold(envelope: Envelope): boolean {
  const told = [envelope.errors, ...envelope.items.map((item) => item.errors)].flat()
  return envelope.hasErrors && told.every(isGoodNews)
}

/** The path that a refusal names: of the first of its errors that names one field that was sent; empty otherwise. */
export function namedPath(
  operation: Pick<JournalOperation, 'edits'>,
  errors: readonly ServiceError[],
): string {
  for (const { message, detail, raw } of errors) {
    const words = `${message} ${detail} ${raw}`
    const named = operation.edits.filter(
      (edit) => names(words, edit.path) || names(words, topField(edit.path)),
    )
    const exact = named.filter((edit) => names(words, edit.path))
    const [only, ...more] = exact.length > 0 ? exact : named
    if (only !== undefined && more.length === 0) return only.path
  }
  return ''
}

function names(words: string, path: string): boolean {
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'iu').test(words)
}
