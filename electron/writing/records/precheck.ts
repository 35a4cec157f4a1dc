/**
 * Checks changes right before an array is sent, against their records' current values and against what the user has
 * decided in the meantime.
 */
import type { Difference } from '../../../shared/contract/records.ts'
import {
  type EditValue,
  type FieldEdit,
  isDeactivation,
  isInactive,
  isSameBalance,
  memberOf,
  ownValue,
  pathOf,
  pathType,
  type RecordData,
  sameValue,
  textOf,
  topField,
  valueAt,
} from '../../../shared/records/changes.ts'
import { typedNameKey } from '../../../shared/records/names.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import { translateReadErrors } from '../../service/errors/service-errors.ts'
import type { JournalBatch, JournalOperation, OperationMove } from '../../store/journal/journal.ts'
import type { BatchSlot, CurrentRecords, FoundById, WritingContext } from '../context.ts'
import { companyRefusal } from '../context.ts'
import { isAsSent } from './compare.ts'
import { isAnotherRecord, mayBeNamesake, mayBeOneOfSeveral, namesOfRecord } from './recognition.ts'
import { anotherRecordError, createMove } from './states.ts'

export interface Checked {
  readonly ready: readonly JournalOperation[]
  /** Empty for inserts. */
  readonly current: CurrentRecords
}

/**
 * Checks an array. Journals conflicts and leaves them out.
 * @param operations queued operations of one kind
 * @param justRead records that were read in this same slot
 * @returns an error if something could not be read or written, or if the company is no longer written to
 */
export async function checkFirst(
  { context, wire, batch }: BatchSlot,
  application: string,
  operations: readonly JournalOperation[],
  justRead: CurrentRecords,
): Promise<Result<Checked>> {
  const ids = [
    ...new Set(
      operations.flatMap((operation) =>
        operation.kind === 'change' ? [operation.recordId, ...survivorIds(operation)] : [],
      ),
    ),
  ]
  if (ids.length === 0) return ok({ ready: operations, current: justRead })
  context.setPhase(batch.batchId, 'checking')
  wire.progress('Checking for changes in the application')
  context.changed(batch.company, batch.object, [], batch.batchId)
  const found: Result<FoundById> = ids.every((id) => justRead.records.has(id))
    ? ok({ ...justRead, refused: [], gone: [], requestIds: [], partialReason: '' })
    : await context.reader.byIds(wire, batch.company, batch.object, ids)
  if (!found.ok) return found
  const missing = operations.filter((operation) =>
    [operation.recordId, ...survivorIds(operation)].some((id) => !found.value.records.has(id)),
  )
  // A partial response is enough if it has every record that was requested.
  if (missing.length > 0 && found.value.partialReason !== '') {
    return err(notChecked(application, missing, found.value))
  }
  const meant = meantNow(context, batch, operations)
  if (!meant.ok) return meant
  const retired = new Set(
    meant.value.filter(({ edits }) => edits.some(isDeactivation)).map(({ recordId }) => recordId),
  )
  const conflicts = meant.value.flatMap(
    (operation) =>
      conflictOf(context, application, operation, found.value) ??
      goneSurvivor(context, operation, found.value, retired) ??
      otherBalance(context, operation, found.value) ??
      [],
  )
  const inConflict = new Set(conflicts.map(({ operationId }) => operationId))
  const rest = meant.value.filter(({ operationId }) => !inConflict.has(operationId))
  const others = await namesakesOf({ context, wire, batch }, rest, found.value)
  if (!others.ok) return others
  conflicts.push(...others.value)
  if (conflicts.length > 0) context.store.journal.operations.move(conflicts, null)
  const gone = new Set(conflicts.map(({ operationId }) => operationId))
  if (gone.size > 0) context.changed(batch.company, batch.object, [...gone], batch.batchId)
  return ok({
    ready: meant.value.filter(({ operationId }) => !gone.has(operationId)),
    current: found.value,
  })
}

/** The operations of an array that still have to be sent after reading. */
function meantNow(
  context: WritingContext,
  batch: JournalBatch,
  operations: readonly JournalOperation[],
): Result<readonly JournalOperation[]> {
  const refusal = companyRefusal(context.directory.facts(batch.company))
  if (refusal !== null) return err(refusal)
  const { journal } = context.store
  const now = journal.operations.batch(batch.batchId)
  const current = journal.operations.byIds(operations.map(({ operationId }) => operationId))
  return ok(stillMeant(current, batch.status === 'open', now?.status === 'open'))
}

/**
 * Leaves out operations that the user has dropped or stopped in the meantime.
 * @param wasOpen whether the batch was open; operations that are sent again may belong to one that isn't
 */
function stillMeant(
  operations: readonly JournalOperation[],
  wasOpen: boolean,
  isOpen: boolean,
): readonly JournalOperation[] {
  if (wasOpen && !isOpen) return []
  return operations.filter(({ state, isClosed }) => state === 'queued' && !isClosed)
}

/** The move of a change that conflicts; `null` if it may be sent. */
function conflictOf(
  context: WritingContext,
  application: string,
  operation: JournalOperation,
  found: FoundById,
): OperationMove | null {
  const settledAt = context.timestamp()
  const current = found.records.get(operation.recordId)
  if (current === undefined) {
    const { gone, requestIds } = found
    const error =
      gone.length > 0 ? translateReadErrors(application, gone, requestIds.at(-1) ?? '', 200, 'record') : GONE
    const conflicts = operation.edits.map(({ path, was, now }) => ({
      path,
      asRead: was,
      theirs: null,
      yours: now,
    }))
    return createMove(operation, 'guard-differs', { error, conflicts, settledAt })
  }
  // A change that was never sent changed nothing. If a record already has the new name, it may be another one.
  const ownEdits = operation.firstRecheckedAt === null ? [] : operation.edits
  const isFirst = operation.firstRecheckedAt === null
  if (
    isAnotherRecord(operation.object, operation.before, current, ownEdits) ||
    (isFirst && mayBeNamesake(operation.object, operation.before, current))
  ) {
    const error = anotherRecordError(operation.recordName, current, false)
    return createMove(operation, 'guard-differs', { error, conflicts: [], theirs: null, settledAt })
  }
  const verdict = guard(operation.object, operation.before, current, operation.edits)
  if (verdict.verdict === 'proceed') return null
  return createMove(operation, 'guard-differs', {
    conflicts: verdict.differences,
    theirs: current,
    settledAt,
  })
}

/**
 * The moves of changes whose record may have been replaced by another one of the same name. Reads the whole list to look
 * for a second one, but only if a contact detail has changed and no date or number identifies the record.
 */
async function namesakesOf(
  { context, wire, batch }: Pick<BatchSlot, 'context' | 'wire' | 'batch'>,
  operations: readonly JournalOperation[],
  found: FoundById,
): Promise<Result<readonly OperationMove[]>> {
  const uncertain = operations.flatMap((operation) => {
    const current = found.records.get(operation.recordId)
    const mayBeAnother =
      operation.kind === 'change' &&
      operation.firstRecheckedAt === null &&
      current !== undefined &&
      mayBeOneOfSeveral(operation.before, current)
    return mayBeAnother ? [{ operation, current, names: namesOfRecord(current) }] : []
  })
  if (uncertain.length === 0) return ok([])
  const names = uncertain.flatMap((each) => each.names)
  const wanted = { externalIds: [], names, ids: [], baselines: new Map<string, never>() }
  const listed = await context.reader.inWholeList(wire, batch.company, batch.object, wanted)
  if (!listed.ok) return listed
  const { isWhole, candidates } = listed.value
  const settledAt = context.timestamp()
  return ok(
    uncertain.flatMap(({ operation, current, names: own }) => {
      const others = candidates.filter(
        (record) =>
          textOf(ownValue(record, 'ID')) !== operation.recordId &&
          namesOfRecord(record).some((name) => own.includes(name)),
      )
      if (isWhole && others.length === 0) return []
      const error = anotherRecordError(operation.recordName, current, false)
      return [createMove(operation, 'guard-differs', { error, conflicts: [], theirs: null, settledAt })]
    }),
  )
}

/**
 * The move of a duplicate whose surviving record no longer survives: it is gone (perhaps merged into this one), inactive,
 * or another record has its ID. Retiring the duplicate would leave no active record.
 * @param retired the records that become inactive in the same array
 */
function goneSurvivor(
  context: WritingContext,
  operation: JournalOperation,
  found: FoundById,
  retired: ReadonlySet<string>,
): OperationMove | null {
  const lost = operation.edits
    .flatMap(({ keeps }) => keeps ?? [])
    .find(({ ID, FullName }) => {
      const record = found.records.get(ID)
      if (record === undefined || retired.has(ID)) return true
      return (
        isInactive(record) ||
        !namesOfRecord(record).some((name) => typedNameKey(name) === typedNameKey(FullName))
      )
    })
  if (lost === undefined) return null
  const error = appError(
    'service-error',
    `“${lost.FullName}” should stay instead of “${operation.recordName}”, but it was deleted, renamed, merged, or made inactive. Nothing was sent.`,
    'Discard this change, read the list again, and decide which record should stay.',
  )
  const settledAt = context.timestamp()
  return createMove(operation, 'guard-differs', { error, conflicts: [], theirs: null, settledAt })
}

/**
 * The move of a change that **Tidy up** proposed because of a balance that has changed since. A new invoice doesn't
 * change the record's other fields, and may not even change its `LastModifiedDate`.
 */
function otherBalance(
  context: WritingContext,
  operation: JournalOperation,
  found: FoundById,
): OperationMove | null {
  const [proposed] = operation.edits.flatMap(({ balance }) => balance ?? [])
  if (proposed === undefined) return null
  const current = textOf(ownValue(found.records.get(operation.recordId) ?? {}, 'Balance')).trim()
  if (isSameBalance(proposed, current)) return null
  const now = current === '' ? 'isn’t known' : `is ${current}`
  const error = appError(
    'service-error',
    `“${operation.recordName}” had ${proposed === '' ? 'no balance' : `a balance of ${proposed}`} when this was proposed. Its balance ${now} now. Nothing was sent.`,
    'Discard this change, refresh the list, and look at the record again in Tidy up.',
  )
  const settledAt = context.timestamp()
  return createMove(operation, 'guard-differs', { error, conflicts: [], theirs: null, settledAt })
}

/** The IDs of records that must stay if these edits are made. */
export function survivorIds({
  edits,
}: {
  readonly edits: readonly Pick<FieldEdit, 'keeps'>[]
}): readonly string[] {
  return edits.flatMap(({ keeps }) => keeps?.ID ?? [])
}

const GONE = appError(
  'service-error',
  'The record is no longer there.',
  'It may have been deleted in the accounting application. Nothing was sent for it.',
)

/** The error for records that are missing but may exist. Nothing is sent. */
function notChecked(
  application: string,
  missing: readonly JournalOperation[],
  { refused, requestIds, partialReason }: FoundById,
): AppError {
  const [first] = refused
  if (first === undefined) {
    return appError(
      'service-error',
      `The records could not all be read again before sending. ${partialReason}`,
      'Nothing was sent. Continue with the batch to try again.',
    )
  }
  const error = translateReadErrors(application, refused, requestIds.at(-1) ?? '', 200)
  const [only, ...others] = missing
  // An error in place of a record doesn't name it. If only one record is missing, the error is about that one.
  return only === undefined || others.length > 0
    ? error
    : { ...error, message: `${only.recordName}: ${error.message}` }
}

/*
 * Reads a record again before its change is sent. If someone else has changed the same top-level field, that is a
 * conflict and nothing is sent. A change between this read and the write can't be detected.
 */

export type GuardVerdict =
  | { readonly verdict: 'proceed' }
  | { readonly verdict: 'conflict'; readonly differences: readonly Difference[] }

/**
 * Compares a record with what the user saw.
 * @param before the record as it was when the user edited it
 * @param current the record as it is now
 * @internal
 */
export function guard(
  object: string,
  before: RecordData,
  current: RecordData,
  edits: readonly FieldEdit[],
): GuardVerdict {
  const fields = [...new Set(edits.map((edit) => topField(edit.path)))]
  const differences = fields.flatMap((field) => {
    const ours = edits.filter((edit) => topField(edit.path) === field)
    return fieldDifferences(object, { before, current }, field, ours)
  })
  return differences.length === 0 ? { verdict: 'proceed' } : { verdict: 'conflict', differences }
}

/** The two versions of a record. */
interface Versions {
  readonly before: RecordData
  readonly current: RecordData
}

/** @param ours the user's edits of this field */
function fieldDifferences(
  object: string,
  versions: Versions,
  field: string,
  ours: readonly FieldEdit[],
): readonly Difference[] {
  const { before, current } = versions
  const theirs = pathsOf(object, versions, field, ours).filter(
    (path) =>
      !sameValue(pathType(object, path), asRead(object, before, ours, path), valueAt(object, current, path)),
  )
  // If someone else made the same change, there is nothing to decide.
  const open = theirs.filter((path) => {
    const edit = ours.find((each) => each.path === path)
    return edit === undefined || !isAsSent(object, edit, current)
  })
  if (open.length === 0) return []
  const paths = [...new Set([...ours.map((edit) => edit.path), ...open])]
  return paths.map((path) => ({
    path,
    asRead: asRead(object, before, ours, path),
    theirs: valueAt(object, current, path),
    yours: ours.find((edit) => edit.path === path)?.now ?? asRead(object, before, ours, path),
  }))
}

/**
 * The value that the user saw when editing. The edit itself is the best source, because `before` may have been read
 * later.
 */
function asRead(object: string, before: RecordData, ours: readonly FieldEdit[], path: string): EditValue {
  return ours.find((edit) => edit.path === path)?.was ?? valueAt(object, before, path)
}

/** The paths of a field: one for a plain field; for an address or contact, one for each member in either version. */
function pathsOf(
  object: string,
  { before, current }: Versions,
  field: string,
  ours: readonly FieldEdit[],
): readonly string[] {
  const type = pathType(object, field)
  const isNested =
    type === 'address' || type === 'contact' || ours.some((edit) => memberOf(edit.path) !== null)
  if (!isNested) return [pathOf(field)]
  const members = new Set<string>()
  for (const edit of ours) members.add(memberOf(edit.path) ?? '')
  for (const record of [before, current]) {
    const value = ownValue(record, field)
    if (typeof value === 'object' && value !== null) for (const name of Object.keys(value)) members.add(name)
  }
  members.delete('')
  return [...members].map((member) => pathOf(field, member))
}
