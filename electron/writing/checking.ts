/**
 * Right before an array leaves: its changes are held against their records as they are now, and what the person has
 * said while those were read counts.
 */
import { appError, err, ok, type AppError, type Result } from '../../shared/result.ts'
import { translateReadErrors } from '../service/service-errors.ts'
import type { Wire } from '../service/wire.ts'
import type { JournalBatch, JournalOperation, OperationMove } from '../store/journal.ts'
import { moveBy, type WritingContext } from './context.ts'
import { anotherRecord } from './doubt-words.ts'
import { guard } from './guard.ts'
import type { FoundById, FreshRecords } from './ports.ts'
import { isAnotherRecord } from './recognition.ts'
import { companyRefusal } from './validate.ts'

export interface Checked {
  readonly ready: readonly JournalOperation[]
  /** Empty for inserts. */
  readonly fresh: FreshRecords
}

/**
 * The guard: conflicts are written down, and are not ready.
 * @param operations queued, of one kind
 * @param justRead what this same turn has read already
 * @returns an error when not all could be read or written, or when these books are no longer written to
 */
export async function checkFirst(
  context: WritingContext,
  wire: Wire,
  batch: JournalBatch,
  application: string,
  operations: readonly JournalOperation[],
  justRead: FreshRecords,
): Promise<Result<Checked>> {
  const ids = operations.flatMap(({ kind, recordId }) => (kind === 'change' ? [recordId] : []))
  if (ids.length === 0) return ok({ ready: operations, fresh: justRead })
  context.setPhase(batch.batchId, 'checking')
  wire.progress('Checking for changes in the application')
  context.changed(batch.company, batch.object, [], batch.batchId)
  const found: Result<FoundById> = ids.every((id) => justRead.records.has(id))
    ? ok({ ...justRead, refused: [], gone: [], requestIds: [], partialBecause: '' })
    : await context.reader.byIds(wire, batch.company, batch.object, ids)
  if (!found.ok) return found
  const missing = operations.filter(({ recordId }) => !found.value.records.has(recordId))
  // What did come is enough where it is all that was asked for.
  if (missing.length > 0 && found.value.partialBecause !== '') {
    return err(notChecked(application, missing, found.value))
  }
  const meant = meantNow(context, batch, operations)
  if (!meant.ok) return meant
  const conflicts = meant.value.flatMap(
    (operation) => conflictOf(context, application, operation, found.value) ?? [],
  )
  const written =
    conflicts.length === 0 ? ok(undefined) : context.store.journal.operations.move(conflicts, null)
  if (!written.ok) return written
  const gone = new Set(conflicts.map(({ operationId }) => operationId))
  if (gone.size > 0) context.changed(batch.company, batch.object, [...gone], batch.batchId)
  return ok({
    ready: meant.value.filter(({ operationId }) => !gone.has(operationId)),
    fresh: found.value,
  })
}

/** What of an array is still to be sent, after the reading before it. */
function meantNow(
  context: WritingContext,
  batch: JournalBatch,
  operations: readonly JournalOperation[],
): Result<readonly JournalOperation[]> {
  const refusal = companyRefusal(context.directory.facts(batch.company))
  if (refusal !== null) return err(refusal)
  const { journal } = context.store
  const now = journal.operations.batch(batch.batchId)
  if (!now.ok) return now
  const current = journal.operations.byIds(operations.map(({ operationId }) => operationId))
  if (!current.ok) return current
  return ok(stillMeant(current.value, batch.status === 'open', now.value?.status === 'open'))
}

/**
 * Those that the person has neither dropped nor held back since.
 * @param wasOpen whether the batch went on by itself; what is sent again may be of one that does not
 */
function stillMeant(
  operations: readonly JournalOperation[],
  wasOpen: boolean,
  isOpen: boolean,
): readonly JournalOperation[] {
  if (wasOpen && !isOpen) return []
  return operations.filter(({ state, isClosed }) => state === 'queued' && !isClosed)
}

/** `null` where the change may leave. */
function conflictOf(
  context: WritingContext,
  application: string,
  operation: JournalOperation,
  found: FoundById,
): OperationMove | null {
  const settledAt = context.timestamp()
  const fresh = found.records.get(operation.recordId)
  if (fresh === undefined) {
    const { gone, requestIds } = found
    const error =
      gone.length > 0 ? translateReadErrors(application, gone, requestIds.at(-1) ?? '', 200, 'record') : GONE
    const conflicts = operation.edits.map(({ path, was, now }) => ({
      path,
      asRead: was,
      theirs: null,
      yours: now,
    }))
    return moveBy(operation, 'guard-differs', { error, conflicts, settledAt })
  }
  // Never sent, it has changed nothing: a record that has its new name already may be another one.
  const ownEdits = operation.firstLookedAt === null ? [] : operation.edits
  if (isAnotherRecord(operation.object, operation.before, fresh, ownEdits)) {
    const error = anotherRecord(operation.recordName, fresh, false)
    return moveBy(operation, 'guard-differs', { error, conflicts: [], theirs: null, settledAt })
  }
  const verdict = guard(operation.object, operation.before, fresh, operation.edits)
  if (verdict.verdict === 'proceed') return null
  return moveBy(operation, 'guard-differs', { conflicts: verdict.differences, theirs: fresh, settledAt })
}

const GONE = appError(
  'service-error',
  'The record is no longer there.',
  'It may have been deleted in the accounting application. Nothing was sent for it.',
)

/** Why records are not here that may be there all the same: nothing is known of them, and nothing is sent. */
function notChecked(
  application: string,
  missing: readonly JournalOperation[],
  { refused, requestIds, partialBecause }: FoundById,
): AppError {
  const [first] = refused
  if (first === undefined) {
    return appError(
      'service-error',
      `The records could not all be read again before sending. ${partialBecause}`,
      'Nothing was sent. Go on with the batch to try again.',
    )
  }
  const error = translateReadErrors(application, refused, requestIds.at(-1) ?? '', 200)
  const [only, ...others] = missing
  // An error in the place of a record does not name it; where one alone is missing, it can be no other.
  return only === undefined || others.length > 0
    ? error
    : { ...error, message: `${only.recordName}: ${error.message}` }
}
