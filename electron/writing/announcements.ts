/**
 * Announces what has changed on disk, gathered for a moment. Reading records for the window takes longer than sending
 * them, so the changes of an answer and of the next request are announced together, once that request is running and
 * there is nothing to do but wait.
 */
import { companyKey } from '../../shared/companies/companies.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Batch, Operation } from '../../shared/contract/records.ts'
import type { Clock } from '../clock.ts'
import type { BatchCounts, BatchStatus, JournalBatch, JournalOperation } from '../store/journal/journal.ts'
import type { RunningPhase, WritingListener } from './context.ts'
import { sentToPreviousService } from './records/states.ts'

/** Milliseconds without another change before an announcement. */
const QUIET = 10
/** Milliseconds before an announcement if changes keep coming. */
const LONGEST = 100
/** How many records one announcement has. More are split up, so that nothing else waits long for them. */
const MOST_AT_ONCE = 500

export interface Announcements {
  /** Reports that operations of a list have changed, and a batch (`null`: that of the operations). */
  changed(company: CompanyRef, object: string, operationIds: readonly string[], batchId: string | null): void
  /** Announces nothing more. */
  close(): void
}

export interface AnnouncementsOptions {
  readonly clock: Clock
  readonly listener: Pick<WritingListener, 'operationsChanged'>
  readonly operations: (operationIds: readonly string[]) => readonly JournalOperation[]
  readonly viewOperations: (operations: readonly JournalOperation[]) => readonly Operation[]
  /** `null` if it no longer exists. */
  readonly viewBatch: (batchId: string) => Batch | null
  /** Called when everything was announced, which is mostly while the next request is running. */
  readonly onTold: () => void
  readonly onDefect: (defect: unknown) => void
}

/** What is still to be announced of one list. */
interface Gathered {
  readonly company: CompanyRef
  readonly object: string
  readonly operationIds: Set<string>
  readonly batchIds: Set<string>
}

/**
 * Whether the window needs to know. Records that the person discarded, decided, or saw have been answered by now, and
 * would return to the list. Records that were saved exactly as sent are closed at once, and are news.
 */
function isNews({ isClosed, state, notAsSent, error }: JournalOperation): boolean {
  return !isClosed || (state === 'acked' && notAsSent.length === 0 && error === null)
}

export function createAnnouncements(options: AnnouncementsOptions): Announcements {
  const { clock, listener } = options
  const gathered = new Map<string, Gathered>()
  let isClosed = false
  let timer: { readonly cancel: () => void; readonly since: number } | null = null

  const tellSoon = (): void => {
    const now = clock.now()
    const since = timer?.since ?? now
    timer?.cancel()
    const wait = Math.max(0, Math.min(QUIET, since + LONGEST - now))
    timer = { cancel: clock.after(wait, tell), since }
  }

  /** Announces some of what was gathered, and schedules the rest. */
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
    else tidy()
  }

  const tidy = (): void => {
    try {
      options.onTold()
    } catch (defect) {
      options.onDefect(defect)
    }
  }

  /** The changes are on disk, so a failure to announce them stops nothing. */
  const tellOf = ({ company, object, operationIds, batchIds }: Gathered): void => {
    const ids = [...operationIds].slice(0, MOST_AT_ONCE)
    for (const id of ids) operationIds.delete(id)
    const changed = options.operations(ids)
    for (const { batchId } of changed) batchIds.add(batchId)
    const shown = options.viewOperations(changed.filter(isNews))
    // A batch comes with the last of its records, so that whoever learns of its end knows all of them.
    const batches = operationIds.size === 0 ? [...batchIds].flatMap(batchOf) : []
    const [batch = null, ...more] = batches
    listener.operationsChanged(company, object, shown, batch)
    for (const other of more) listener.operationsChanged(company, object, [], other)
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

// Operations and batches as the screens see them.

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
    lastLookedAt: operation.lastLookedAt,
    looks: operation.looks,
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
