/** Operations and batches as the screens see them. Pure. */
import type { Batch, Operation } from '../../../shared/contract/records.ts'
import type { BatchCounts, BatchStatus, JournalBatch, JournalOperation } from '../../store/journal/journal.ts'
import type { RunningPhase } from '../context.ts'
import { sentToPreviousService } from './states.ts'

/** An operation as the screens see it. `status` is its batch's. */
export function operationView(operation: JournalOperation, status: BatchStatus): Operation {
  return {
    operationId: operation.operationId,
    batchId: operation.batchId,
    draftId: operation.draftId,
    company: operation.company,
    object: operation.object,
    kind: operation.kind,
    recordId: operation.recordId,
    recordName: operation.recordName,
    state: operation.state,
    waitsForPerson: operation.state === 'queued' && status !== 'open',
    edits: operation.edits,
    queuedAt: operation.queuedAt,
    settledAt: operation.settledAt,
    lastRecheckedAt: operation.lastRecheckedAt,
    rechecks: operation.rechecks,
    confirmedByReading: operation.confirmedByReading,
    notAsSent: operation.notAsSent,
    conflicts: operation.conflicts,
    candidates: operation.candidates,
    error: isWaitedFor(operation) ? sentToPreviousService(operation.previousService) : operation.error,
    errorPath: operation.errorPath,
    requestId: operation.requestId,
    after: operation.state === 'acked' ? operation.after : null,
  }
}

/** Whether it awaits an outcome or a decision, and was sent to another service than the connection leads to now. */
function isWaitedFor({ previousService, state }: JournalOperation): boolean {
  return previousService !== '' && (state === 'unknown' || state === 'held')
}

/**
 * A batch as the screens see it.
 * @param isLooking whether some of it will still be rechecked automatically
 */
export function batchView(
  batch: JournalBatch,
  counts: BatchCounts,
  running: RunningPhase | null,
  isLooking: boolean,
): Batch {
  const { states } = counts
  return {
    batchId: batch.batchId,
    company: batch.company,
    object: batch.object,
    phase: running ?? restingPhase(batch, states.queued, isLooking),
    total: counts.total - counts.dropped,
    sent: counts.total - counts.dropped - states.queued,
    saved: states.acked,
    undone: counts.undone,
    notAccepted: states.rejected,
    notConfirmed: states.sending + states.unknown,
    decisions: states.held,
    changedMeanwhile: states.conflict,
    toGo: states.queued,
    error: batch.error,
  }
}

function restingPhase(batch: JournalBatch, queued: number, isLooking: boolean): Batch['phase'] {
  if (batch.status !== 'open' && (queued > 0 || batch.error !== null)) return batch.status
  if (isLooking) return 'confirming'
  return queued > 0 ? 'waiting' : 'done'
}
