/**
 * The write protocol as the use cases see it. Every change outside this computer goes through here. State is on disk.
 * Memory holds only what this run is doing.
 */
import { companyKey } from '../../shared/companies/companies.ts'
import type { Unfinished } from '../../shared/contract/companies.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Batch, Operation } from '../../shared/contract/records.ts'
import { type AppError, ok, type Result } from '../../shared/result.ts'
import { resultOfAsync, StoreError } from '../store/database.ts'
import type { JournalBatch, JournalOperation, JournalRequest } from '../store/journal/journal.ts'
import { createDeprovisioning, type DeprovisioningWriter } from './companies/deprovision.ts'
import { createProvisioning, type ProvisioningWriter } from './companies/provision.ts'
import type { FindInList, RunningPhase, WriterDependencies, WritingContext } from './context.ts'
import { findDuplicates } from './records/duplicates.ts'
import { CompanyQueue, recheckDueAt } from './records/queue.ts'
import { createRecordsWriter, type RecordsWriter } from './records/records-writer.ts'
import { ADDRESS_CHANGED } from './records/states.ts'
import { batchView, createAnnouncements, operationView } from './views.ts'

export interface Writer extends RecordsWriter, ProvisioningWriter, DeprovisioningWriter {
  /** By endpoint ID. Omits companies with nothing unfinished. */
  unfinishedCounts(connectionId: string): ReadonlyMap<string, Unfinished>
  /** What was saved up to now, for `savedSince`. */
  savesMark(): string
  /** Operations of a list that were saved since a mark, oldest first; `null` if some of them may be missing. */
  savedSince(company: CompanyRef, object: string, mark: string): readonly Operation[] | null
  /**
   * Searches a list that was read for second records of inserts that were sent recently or sent again, and flags them.
   * @param find finds the list's records that have one of the external IDs or names, and those that are in no baseline
   */
  noticeDuplicates(company: CompanyRef, object: string, find: FindInList): Promise<Result<void>>
  /** The requests that contained an operation, with the exact text that was sent, oldest first. */
  requests(operationId: string): readonly JournalRequest[]
  /**
   * Sets the addresses to which a connection leads from now on. If they belong to another service, waiting operations
   * stop, and operations with an unknown outcome are not rechecked there. If they lead back, rechecking resumes.
   */
  changeAddresses(connectionId: string, leads: ServiceAddresses, isSameService: boolean): void
  /**
   * Starts the protocol, once per run. Operations that were being sent become unknown and are rechecked. Queued
   * operations wait for the user. Sends nothing.
   */
  start(): void
  /** Starts nothing more. A running request continues until the process ends. The next start rechecks it. */
  close(): void
}

/** Milliseconds after sending during which every list that is read is searched for duplicates. */
const DUPLICATES_WITHIN = 24 * 60 * 60_000

/** The longest wait for a list that lags behind the books, in milliseconds. */
const LONGEST_PAUSE = 60 * 60_000

export function createWriter(dependencies: WriterDependencies): Writer {
  const { journal } = dependencies.store
  const queues = new Map<string, CompanyQueue>()
  const phases = new Map<string, RunningPhase>()
  /** Why batches are paused, for pauses that could not be saved to disk. */
  const stalls = new Map<string, AppError>()
  let isClosed = false

  const configuredPause = ({ kind, company, object }: JournalOperation): number => {
    const pause = dependencies.settings(company.connectionId).recheckSeconds * 1_000
    if (kind === 'change') return pause
    const application = dependencies.directory.facts(company)?.application ?? ''
    const key = { connectionId: company.connectionId, application, object, kind }
    const lag = journal.writePolicies.get(key).learned.lag ?? 0
    return Math.max(pause, Math.min(2 * lag, LONGEST_PAUSE))
  }

  /** When first rechecks were made, by `Clock.elapsed`. Keyed by operation and time. */
  const firstRechecks = new Map<string, number>()

  /**
   * The pause, extended by however far the wall clock was set forward since the first recheck, so that the time really
   * passes.
   */
  const recheckPause = (operation: JournalOperation): number => {
    const pause = configuredPause(operation)
    const { operationId, firstRecheckedAt } = operation
    if (firstRecheckedAt === null) return pause
    const { clock } = dependencies
    const passed = clock.now() - Date.parse(firstRecheckedAt)
    const key = `${operationId} ${firstRecheckedAt}`
    const madeAt = firstRechecks.get(key) ?? clock.elapsed() - Math.max(0, passed)
    firstRechecks.set(key, madeAt)
    const left = pause - (clock.elapsed() - madeAt)
    return left > 0 ? Math.max(pause, passed + left) : pause
  }

  const viewBatch = (batch: JournalBatch): Batch => {
    const counts = journal.operations.counts(batch.batchId)
    let isRechecking = false
    if (counts.states.unknown > 0) {
      const unknown = journal.operations.open(batch.company, ['unknown'])
      isRechecking = unknown.some(
        (operation) =>
          operation.batchId === batch.batchId && recheckDueAt(operation, recheckPause(operation)) !== null,
      )
    }
    const stall = stalls.get(batch.batchId)
    const shown: JournalBatch = stall === undefined ? batch : { ...batch, status: 'paused', error: stall }
    return batchView(shown, counts, phases.get(batch.batchId) ?? null, isRechecking)
  }

  const viewOperations = (operations: readonly JournalOperation[]): readonly Operation[] => {
    const statuses = new Map<string, JournalBatch['status']>()
    for (const batchId of new Set(operations.map((operation) => operation.batchId))) {
      const batch = journal.operations.batch(batchId)
      statuses.set(batchId, batch?.status ?? 'stopped')
    }
    return operations.map((operation) =>
      operationView(operation, statuses.get(operation.batchId) ?? 'stopped'),
    )
  }

  /** A disk failure is not a defect. The next start continues with what is left. */
  const onDefect = (cause: unknown): void => {
    if (!(cause instanceof StoreError)) dependencies.onDefect(cause)
  }

  const announcements = createAnnouncements({
    clock: dependencies.clock,
    listener: dependencies.listener,
    operations: (operationIds) => journal.operations.byIds(operationIds),
    viewOperations,
    onAnnounced: () => {
      dependencies.store.checkpoint()
    },
    onDefect,
    viewBatch(batchId) {
      const batch = journal.operations.batch(batchId)
      return batch === null ? null : viewBatch(batch)
    },
  })

  const context: WritingContext = {
    ...dependencies,
    onDefect,
    timestamp: () => new Date(dependencies.clock.now()).toISOString(),
    changed: announcements.changed,
    setPhase(batchId, phase) {
      if (phase === null) phases.delete(batchId)
      else phases.set(batchId, phase)
    },
    setStall(batchId, error) {
      if (error === null) stalls.delete(batchId)
      else stalls.set(batchId, error)
    },
    isClosed: () => isClosed,
    recheckPause,
  }

  const queueOf = (company: CompanyRef): CompanyQueue => {
    const key = companyKey(company)
    const known = queues.get(key)
    if (known) return known
    const queue = new CompanyQueue(context, company)
    queues.set(key, queue)
    return queue
  }

  const provisioning = createProvisioning(context)
  const deprovisioning = createDeprovisioning(context, (company) => {
    provisioning.companyEnded(company)
  })

  const changeAddresses = createServiceAddresses(context, (connectionId) => {
    const companies = journal.operations.companiesWithUnknownOutcome()
    for (const company of companies) {
      if (company.connectionId !== connectionId) continue
      queueOf(company).forgetFailures()
      queueOf(company).wake()
    }
    provisioning.start(connectionId)
    deprovisioning.start(connectionId)
  })

  return {
    ...createRecordsWriter({ context, queueOf, view: { batch: viewBatch, operations: viewOperations } }),
    ...provisioning.writer,
    ...deprovisioning.writer,
    changeAddresses,
    unfinishedCounts: (connectionId) => journal.operations.unfinishedCounts(connectionId),
    noticeDuplicates: (company, object, find) =>
      resultOfAsync(async () => {
        const since = new Date(dependencies.clock.now() - DUPLICATES_WITHIN).toISOString()
        const sent = journal.operations.possibleDuplicates(company, object, since)
        if (sent.length === 0) return ok(undefined)
        return findDuplicates({ context, company, object }, sent, find)
      }),
    savesMark: () => journal.operations.savesMark(),
    savedSince(company, object, mark) {
      const saved = journal.operations.savedSince(company, object, mark)
      return saved === null ? null : viewOperations(saved)
    },
    requests: (operationId) => journal.operations.requests(operationId),
    start() {
      journal.recover()
      const companies = journal.operations.companiesWithUnknownOutcome()
      for (const company of companies) {
        const unknown = journal.operations.open(company, ['unknown'])
        // Includes those whose rechecks were inconclusive in an earlier run, because the service may have recovered.
        void queueOf(company).checkNow(unknown.map(({ operationId }) => operationId))
        queueOf(company).wake()
      }
      provisioning.start()
      deprovisioning.start()
    },
    close() {
      isClosed = true
      for (const queue of queues.values()) queue.close()
      announcements.close()
      provisioning.close()
      deprovisioning.close()
    },
  }
}

/* Changes a connection's addresses. Stops what waits, and rechecks what was sent to the new address before. */

/** The addresses of a connection's two services; empty if it has none. */
export interface ServiceAddresses {
  readonly v2: string
  readonly v1: string
}

/**
 * @param recheckUncertain rechecks a connection's operations with an unknown outcome, because its address may be right
 * again
 */
function createServiceAddresses(
  context: WritingContext,
  recheckUncertain: (connectionId: string) => void,
): (connectionId: string, leads: ServiceAddresses, isSameService: boolean) => void {
  const { operations, serviceAddresses } = context.store.journal

  /** Informs the window of everything that has changed. */
  const tell = (connectionId: string, stopped: readonly string[]): void => {
    for (const batchId of stopped) {
      context.setStall(batchId, null)
      const batch = operations.batch(batchId)
      const left = operations.queuedOfBatch(batchId, Number.MAX_SAFE_INTEGER)
      if (batch === null) continue
      const ids = left.map(({ operationId }) => operationId)
      context.changed(batch.company, batch.object, ids, batchId)
    }
    const uncertain = operations.byIds(serviceAddresses.uncertainOperations(connectionId))
    for (const { company, object, operationId, batchId } of uncertain) {
      context.changed(company, object, [operationId], batchId)
    }
    context.listener.companiesChanged(connectionId)
  }

  return (connectionId, leads, isSameService) => {
    const stopped = serviceAddresses.change(connectionId, leads, { isSameService, reason: ADDRESS_CHANGED })
    tell(connectionId, stopped)
    recheckUncertain(connectionId)
  }
}
