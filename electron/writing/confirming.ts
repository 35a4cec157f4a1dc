/** Reads back, in the same turn, records that an answer named without saying all, and those that teach something. */
import type { RecordData } from '../../shared/records/changes.ts'
import type { Difference } from '../../shared/contract/records.ts'
import { err, ok, type Result } from '../../shared/result.ts'
import type { Wire } from '../service/wire.ts'
import type { JournalBatch, JournalOperation, Learned, OperationMove } from '../store/journal.ts'
import { stopChanges } from './change-trust.ts'
import { isAsBefore } from './compare.ts'
import { moveBy, stay, type WritingContext } from './context.ts'
import { unmeantIn } from './first-change.ts'
import { learnFrom } from './learning.ts'
import { isAnotherRecord } from './recognition.ts'
import { isRecognized, leadsElsewhere, savedDifferences } from './settle.ts'

export interface Confirmed {
  /** Every record was there to be read. */
  readonly allTold: boolean
  /** The first insert was read back, or the first change did what was meant and nothing else. */
  readonly isProven: boolean
  /** The first change did more or less than it was asked to. */
  readonly didUnmeant: boolean
  readonly learned: Learned
}

/**
 * @returns an error when nothing could be read or written: the operations stay unknown and are looked at later
 */
export async function confirmByReading(
  context: WritingContext,
  wire: Wire,
  batch: JournalBatch,
  operations: readonly JournalOperation[],
  known: {
    readonly told: ReadonlyMap<string, RecordData>
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
  const { manners, operations: journal } = context.store.journal
  const ids = operations.map(({ operationId }) => operationId)
  const others = manners.knownRecords(batch.company, batch.object, ids)
  if (!others.ok) return others
  const baseline = journal.baselineOf(batch.batchId)
  if (!baseline.ok) return baseline
  const before = { known: others.value, baseline: baseline.value }
  const isNotIts = (operation: JournalOperation, record: RecordData): boolean =>
    operation.kind === 'insert'
      ? !isRecognized(operation, record) || leadsElsewhere(operation, record, before, operations)
      : isAnotherRecord(operation.object, operation.before, record, operation.edits)
  const moves: OperationMove[] = []
  let allTold = true
  let didUnmeant = false
  let { learned } = known
  for (const operation of operations) {
    const record = found.value.records.get(operation.recordId)
    const isOther = record !== undefined && isNotIts(operation, record)
    if (record === undefined || isOther) {
      allTold = false
      moves.push(stay(operation, {}))
      continue
    }
    const move = moveFor(context, operation, record, unmeantIn(operation, record))
    moves.push(move)
    // The answer called it saved, and the record says what it said before: the books may show it late.
    if (move.to === 'unknown') allTold = false
    learned = learnFrom(learned, {
      operation,
      told: known.told.get(operation.operationId) ?? null,
      stored: record,
      sentAt: Date.parse(known.sentAt),
      foundAt: context.clock.now(),
      isFoundAtOnce: true,
    })
    const isOtherwise = move.to === 'acked' && (move.facts.notAsSent?.length ?? 0) > 0
    didUnmeant ||= operation.fresh !== null && isOtherwise
  }
  // Before what was found: a program that ends between the two looks again.
  const stopped = didUnmeant ? stopChanges(context, batch.company, batch.object) : ok(undefined)
  if (!stopped.ok) return stopped
  const written = journal.move(moves, null)
  if (!written.ok) return written
  context.changed(batch.company, batch.object, ids, batch.batchId)
  const isFirst = operations.some(({ kind, fresh }) => kind === 'insert' || fresh !== null)
  return ok({ allTold, isProven: isFirst && allTold && !didUnmeant, didUnmeant, learned })
}

function moveFor(
  context: WritingContext,
  operation: JournalOperation,
  record: RecordData,
  unmeant: readonly Difference[],
): OperationMove {
  const { object, edits } = operation
  const at = context.timestamp()
  const looked = { looks: 1, firstLookedAt: at, lastLookedAt: at, settledAt: at }
  const isUndone = operation.kind === 'change' && edits.every((edit) => isAsBefore(object, edit, record))
  if (isUndone) return stay(operation, { ...looked, settledAt: null })
  const notAsSent = [...savedDifferences(operation, record), ...unmeant]
  const facts = { ...looked, after: record, notAsSent, confirmedByReading: true, error: null }
  return moveBy(operation, 'found-as-sent', facts, notAsSent.length === 0)
}
