/** Converts operations and batches to what the screens see, and announces their changes to the window. */
import { companyKey } from '../../shared/companies/companies.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Batch, Operation } from '../../shared/contract/records.ts'
import type { Clock } from '../clock.ts'
import type { BatchCounts, BatchStatus, JournalBatch, JournalOperation } from '../store/journal/journal.ts'
import type { RunningPhase, WritingListener } from './context.ts'
import { sentToPreviousServiceError } from './records/states.ts'

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
    waitsForUser: operation.state === 'queued' && status !== 'open',
    edits: operation.edits,
    queuedAt: operation.queuedAt,
    settledAt: operation.settledAt,
    lastRecheckedAt: operation.lastRecheckedAt,
    rechecks: operation.rechecks,
    confirmedByReading: operation.confirmedByReading,
    notAsSent: operation.notAsSent,
    conflicts: operation.conflicts,
    candidates: operation.candidates,
    error: isWaitedFor(operation) ? sentToPreviousServiceError(operation.previousService) : operation.error,
    errorPath: operation.errorPath,
    requestId: operation.requestId,
    after: operation.state === 'acked' ? operation.after : null,
  }
}

/** Whether it awaits an outcome or a decision, and was sent to a service other than the connection's current one. */
function isWaitedFor({ previousService, state }: JournalOperation): boolean {
  return previousService !== '' && (state === 'unknown' || state === 'held')
}

/**
 * A batch as the screens see it.
 * @param isRechecking whether some of it will still be rechecked automatically
 */
export function batchView(
  batch: JournalBatch,
  counts: BatchCounts,
  running: RunningPhase | null,
  isRechecking: boolean,
): Batch {
  const { states } = counts
  return {
    batchId: batch.batchId,
    company: batch.company,
    object: batch.object,
    phase: running ?? restingPhase(batch, states.queued, isRechecking),
    total: counts.total - counts.dropped,
    sent: counts.total - counts.dropped - states.queued,
    saved: states.acked,
    undone: counts.undone,
    notAccepted: states.rejected,
    // What is being sent may still get its response.
    notConfirmed: states.unknown + (running === 'sending' ? 0 : states.sending),
    decisions: states.held,
    changedMeanwhile: states.conflict,
    unsent: states.queued,
    error: batch.error,
  }
}

function restingPhase(batch: JournalBatch, queued: number, isRechecking: boolean): Batch['phase'] {
  if (batch.status !== 'open' && (queued > 0 || batch.error !== null)) return batch.status
  if (isRechecking) return 'confirming'
  return queued > 0 ? 'waiting' : 'done'
}

/** Milliseconds without another change before an announcement. */
const QUIET_PERIOD = 10
/** Milliseconds before an announcement if changes keep coming. */
const MAX_DELAY = 100
/** How many records one announcement has. More are split up, so that nothing else waits long. */
const MAX_PER_ANNOUNCEMENT = 500

interface Announcements {
  /** Reports changed operations of a list, and a changed batch (`null`: that of the operations). */
  changed(company: CompanyRef, object: string, operationIds: readonly string[], batchId: string | null): void
  /** Announces nothing more. */
  close(): void
}

interface AnnouncementsOptions {
  readonly clock: Clock
  readonly listener: Pick<WritingListener, 'operationsChanged'>
  readonly operations: (operationIds: readonly string[]) => readonly JournalOperation[]
  readonly viewOperations: (operations: readonly JournalOperation[]) => readonly Operation[]
  /** `null` if it no longer exists. */
  readonly viewBatch: (batchId: string) => Batch | null
  /** Called when everything was announced, usually while the next request is running. */
  readonly onAnnounced: () => void
  readonly onDefect: (defect: unknown) => void
}

/** Changes of one list that were not announced yet. */
interface Gathered {
  readonly company: CompanyRef
  readonly object: string
  readonly operationIds: Set<string>
  readonly batchIds: Set<string>
}

/**
 * Whether the window needs to know. The window already has the result of discarding, deciding, or acknowledging a
 * record, and another announcement would return the record to the list. Records that were saved exactly as sent are
 * closed at once, but are news.
 */
function shouldAnnounce({ isClosed, state, notAsSent, error }: JournalOperation): boolean {
  return !isClosed || (state === 'acked' && notAsSent.length === 0 && error === null)
}

/**
 * Announces what has changed on disk, collected over a short time. Reading records for the window takes longer than
 * sending them. So the changes of a response and of the next request are announced together, while that request is
 * running and there is nothing to do but wait.
 */
export function createAnnouncements(options: AnnouncementsOptions): Announcements {
  const { clock, listener } = options
  const gathered = new Map<string, Gathered>()
  let isClosed = false
  let timer: { readonly cancel: () => void; readonly since: number } | null = null

  const tellSoon = (): void => {
    const now = clock.now()
    const since = timer?.since ?? now
    timer?.cancel()
    const wait = Math.max(0, Math.min(QUIET_PERIOD, since + MAX_DELAY - now))
    timer = { cancel: clock.after(wait, tell), since }
  }

  /** Announces part of what was collected, and schedules the rest. */
  const tell = (): void => {
    timer = null
    const [first] = gathered
    if (first === undefined) return
    const [key, list] = first
    try {
      tellOf(list)
    } catch (defect) {
      options.onDefect(defect)
    }
    if (list.operationIds.size === 0) gathered.delete(key)
    if (gathered.size > 0) tellSoon()
    else announced()
  }

  const announced = (): void => {
    try {
      options.onAnnounced()
    } catch (defect) {
      options.onDefect(defect)
    }
  }

  /** The changes are on disk, so a failure to announce them stops nothing. */
  const tellOf = ({ company, object, operationIds, batchIds }: Gathered): void => {
    const ids = [...operationIds].slice(0, MAX_PER_ANNOUNCEMENT)
    for (const id of ids) operationIds.delete(id)
    const changed = options.operations(ids)
    for (const { batchId } of changed) batchIds.add(batchId)
    const shown = options.viewOperations(changed.filter(shouldAnnounce))
    // A batch comes with the last of its records, so whoever learns that it ended knows all of them.
    const batches = operationIds.size === 0 ? [...batchIds].flatMap(batchOf) : []
    const [batch = null, ...more] = batches
    const draftIds = changed.map(({ draftId }) => draftId)
    listener.operationsChanged(company, object, shown, batch, draftIds)
    for (const other of more) listener.operationsChanged(company, object, [], other, [])
  }

  const batchOf = (batchId: string): readonly Batch[] => {
    const batch = options.viewBatch(batchId)
    return batch === null ? [] : [batch]
  }

  return {
    changed(company, object, operationIds, batchId) {
      if (isClosed) return
      const key = companyKey(company, object)
      const list = gathered.get(key) ?? { company, object, operationIds: new Set(), batchIds: new Set() }
      for (const id of operationIds) list.operationIds.add(id)
      if (batchId !== null) list.batchIds.add(batchId)
      gathered.set(key, list)
      tellSoon()
    },
    close() {
      isClosed = true
      timer?.cancel()
      timer = null
      gathered.clear()
    },
  }
}
