/**
 * Finds records that one insert created twice. A request whose response was lost may take effect long after the insert
 * was sent again. The list is searched an hour after each **Send again**, and whenever it is read completely. A
 * duplicate reopens the operation with a warning that names the records to compare.
 */
import {
  ownValue,
  pathType,
  type RecordData,
  sameValue,
  textOf,
  valueAt,
} from '../../../shared/records/changes.ts'
import { nameKey } from '../../../shared/records/names.ts'
import { type AppError, appError, ok, type Result } from '../../../shared/result.ts'
import { resultOfAsync } from '../../store/database.ts'
import type { JournalOperation } from '../../store/journal/journal.ts'
import type { KnownRecord } from '../../store/services.ts'
import type { FindInList, FoundInList, ListSlot, WritingContext } from '../context.ts'
import { differencesFrom } from './compare.ts'
import { baselinesOf } from './recheck.ts'
import { compareExternalId, fullNameOf, identityOf, idOf, isKnownAs, isNamedAs } from './recognition.ts'
import { recheckTime } from './states.ts'

/** Milliseconds after which the search ends if the list can't be read. */
const LONGEST_WATCH = 7 * 24 * 60 * 60_000

/** Reads the whole list and searches it for a second record of each insert. The caller holds the slot. */
export async function findDuplicatesInSlot(
  { context, wire, company, object }: ListSlot,
  operations: readonly JournalOperation[],
): Promise<Result<void>> {
  const read = { isWhole: false }
  const rechecked = await resultOfAsync(() =>
    findDuplicates({ context, company, object }, operations, async (wanted) => {
      const found = await context.reader.inWholeList(wire, company, object, wanted)
      read.isWhole = found.ok && found.value.isWhole
      return found
    }),
  )
  if (rechecked.ok && read.isWhole) setRechecks(context, operations, () => null)
  else postpone(context, operations)
  return rechecked
}

type WrittenList = Pick<ListSlot, 'context' | 'company' | 'object'>

/**
 * Searches a list for a second record of each insert, and flags what it finds. A second record may still appear later.
 * Only the search of the complete list an hour after **Send again** ends the wait.
 */
export async function findDuplicates(
  list: WrittenList,
  operations: readonly JournalOperation[],
  find: FindInList,
): Promise<Result<void>> {
  const { context } = list
  const baselines = baselinesOf(context, operations)
  const isSaid = (text: string): boolean => text !== ''
  const found = await find({
    externalIds: operations.map(({ externalId }) => externalId).filter(isSaid),
    names: operations.flatMap(({ fullName, after }) => [fullName, fullNameOf(after ?? {})]).filter(isSaid),
    ids: operations.map(({ recordId }) => recordId).filter(isSaid),
    baselines,
  })
  if (!found.ok) return found
  // Reads the operations again, because the user or a recheck may have settled them.
  const current = context.store.journal.operations.byIds(operations.map(({ operationId }) => operationId))
  flagDuplicates(list, current, found.value)
  return ok(undefined)
}

/** Waits another hour, up to a limit. The list is also searched whenever a user reads it. */
function postpone(context: WritingContext, operations: readonly JournalOperation[]): void {
  setRechecks(context, operations, ({ queuedAt }) => {
    const isOld = context.clock.now() - Date.parse(queuedAt) > LONGEST_WATCH
    return isOld ? null : recheckTime(context.clock)
  })
}

function setRechecks(
  context: WritingContext,
  operations: readonly JournalOperation[],
  recheckAt: (operation: JournalOperation) => string | null,
): void {
  for (const operation of operations) {
    const facts = { recheckAt: recheckAt(operation) }
    context.store.journal.operations.note(operation.operationId, facts)
  }
}

/** Reopens the operations that have several records in the list. */
function flagDuplicates(
  { context, company, object }: WrittenList,
  operations: readonly JournalOperation[],
  found: Pick<FoundInList, 'candidates' | 'newRecords'>,
): void {
  const { journal } = context.store
  const others = journal.writePolicies.knownRecords(company, object, [])
  for (const operation of operations) {
    // Other operations are unknown or await a decision, and have their own rechecks.
    if (operation.state !== 'acked') continue
    const records = recordsOf(operation, found, others)
    const known = new Set(operation.candidates.map(idOf))
    const hasNewCandidate = records.length > 1 && records.some((record) => !known.has(idOf(record)))
    if (!hasNewCandidate) continue
    const facts = { recheckAt: null, candidates: records, error: duplicated(operation.recordName, records) }
    journal.operations.reopen(operation.operationId, facts)
    context.changed(company, object, [operation.operationId], operation.batchId)
  }
}

/**
 * The records that one insert may have created. They match its external ID, or its name and values, either as sent or
 * as the service stored the known record.
 */
function recordsOf(
  operation: JournalOperation,
  { candidates, newRecords }: Pick<FoundInList, 'candidates' | 'newRecords'>,
  others: ReadonlyMap<string, KnownRecord>,
): readonly RecordData[] {
  const added = newRecords.get(operation.batchId)
  const pool = new Map([...candidates, ...(added ?? [])].map((record) => [idOf(record), record]))
  const own = pool.get(operation.recordId) ?? operation.after
  return [...pool.values()].filter((record) => {
    const id = idOf(record)
    if (id === operation.recordId || compareExternalId(operation.externalId, record) === 'ours') return true
    if (operation.namesakes.includes(id) || operation.dismissed.includes(identityOf(record))) return false
    const known = others.get(id)
    if (isKnownAs(known, record) && known.since === '') return false
    if (added !== undefined && !added.some((each) => idOf(each) === id)) return false
    const isAsSent =
      isNamedAs(operation.fullName, operation.edits, record) &&
      differencesFrom(operation, record).length === 0
    return isAsSent || (own !== null && isStoredAs(operation, own, record))
  })
}

function isStoredAs({ object, edits }: JournalOperation, own: RecordData, record: RecordData): boolean {
  return (
    nameKey(fullNameOf(own)) === nameKey(fullNameOf(record)) &&
    edits.every(({ path }) =>
      sameValue(pathType(object, path), valueAt(object, own, path), valueAt(object, record, path)),
    )
  )
}

function duplicated(name: string, records: readonly RecordData[]): AppError {
  const ids = records.map((record) => {
    const created = textOf(ownValue(record, 'CreatedDate')).slice(0, 16).replace('T', ' ')
    return created === '' ? idOf(record) : `${idOf(record)} (created ${created})`
  })
  return appError(
    'service-error',
    `“${name}” is in the books ${records.length === 2 ? 'twice' : `${records.length} times`}: IDs ${ids.join(', ')}. A delayed request probably added one of them.`,
    'Compare them in the accounting application, keep one, and make the other inactive.',
  )
}
