/**
 * Sends one change to several companies, one after another, through the same write protocol as any other change.
 *
 * Which drafts belong to the change and how far each company has come are saved on disk. What became of a draft is only
 * in the journal. So nothing is sent twice, wherever a crash happens: a draft that became an operation is never sent
 * from here again, and what was left in the queue resumes only when the user says so.
 */
import type { TestOutcome } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Batch } from '../../../shared/contract/records.ts'
import type { SharedChange, SharedItem } from '../../../shared/contract/across.ts'
import { type AppError, type Result, appError } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import { resultOf } from '../../store/database.ts'
import type { DraftStore } from '../../store/drafts.ts'
import type { OperationStore } from '../../store/journal/operations.ts'
import type { SharedChangeStore } from '../../store/shared-changes.ts'
import type { Writer } from '../../writing/writer.ts'
import type { TestOptions } from '../companies/company-tests.ts'
import { nextStep, withCompany, withItem } from '../reports/run-steps.ts'
import { FAILS_FOR_ALL, OUT_OF_REACH } from '../reports/report-runner.ts'

export interface ChangeRunnerOptions {
  readonly store: SharedChangeStore
  readonly drafts: Pick<DraftStore, 'get'>
  readonly operations: Pick<OperationStore, 'ofSent'>
  readonly writer: Pick<Writer, 'batches' | 'resumeBatch' | 'stopBatch'>
  /** `records.send`. */
  readonly send: (company: CompanyRef, object: string, draftIds: readonly string[]) => Promise<Result<Batch>>
  readonly test: (company: CompanyRef, manner: TestOptions) => Promise<Result<TestOutcome>>
  readonly stopEntry: (entryId: string) => void
  readonly clock: Pick<Clock, 'after'>
  readonly changed: (change: SharedChange) => void
  readonly defect: (cause: unknown) => void
}

export interface ChangeRunner {
  /** Runs a saved change. A second call joins the run in progress. Resolves when the run has stopped. */
  run(changeId: string): Promise<void>
  /** Whether it runs now. A change that a full disk interrupted is still saved as running. */
  isRunning(changeId: string): boolean
  stop(changeId: string): void
  /** Call it when a batch has made progress. */
  onBatch(batch: Batch): void
  /** Starts no further company. */
  close(): void
}

/** Phases in which a batch continues by itself. */
const AT_WORK: readonly Batch['phase'][] = ['waiting', 'checking', 'sending', 'confirming']

/** How often a batch that reports nothing is checked, in ms. */
const LONGEST_WAIT = 2_000

type ChangeCompany = SharedChange['companies'][number]

interface Running {
  isStopping: boolean
  /** The running test of whether a company responds. */
  entryId: string | null
  /** The batch that is being sent. */
  batchId: string | null
  /** Resolves the promise of whoever waits for the batch. */
  wake: () => void
  ended: Promise<void>
}

export function createChangeRunner(options: ChangeRunnerOptions): ChangeRunner {
  const { store, writer } = options
  const running = new Map<string, Running>()
  let isClosed = false

  const put = (change: SharedChange): SharedChange => {
    const kept = resultOf(() => store.put(change))
    const told: SharedChange = kept.ok ? kept.value : { ...change, state: 'stopped', error: kept.error }
    options.changed(told)
    return told
  }

  const stopped = (change: SharedChange, error: AppError | null): SharedChange =>
    put({
      ...change,
      state: 'stopped',
      error,
      items: change.items.map((item): SharedItem =>
        item.state === 'making' ? { ...item, state: 'waiting' } : item,
      ),
    })

  const silent = (change: SharedChange, item: SharedItem, error: AppError): SharedChange =>
    put(
      withCompany(withItem(change, item.itemId, { state: 'waiting' }), item.endpointId, {
        contact: 'silent',
        silence: error,
      }),
    )

  const testOne = async (
    change: SharedChange,
    { company }: ChangeCompany,
    own: Running,
  ): Promise<SharedChange> => {
    const tested = await options.test(company, {
      priority: 'batch',
      batchId: change.changeId,
      object: change.object,
      onEntry: (entryId) => {
        own.entryId = entryId
        if (own.isStopping) options.stopEntry(entryId)
      },
    })
    own.entryId = null
    if (!tested.ok) return stopped(change, tested.error.kind === 'stopped' ? null : tested.error)
    const { value } = tested
    // A refused key has paused the queue, so a write would only wait there.
    if (value.outcome === 'refused' && FAILS_FOR_ALL.has(value.error.kind))
      return stopped(change, value.error)
    const isSilent =
      value.outcome === 'silent' || (value.outcome === 'refused' && OUT_OF_REACH.has(value.error.kind))
    return put(
      withCompany(change, company.endpointId, {
        contact: isSilent ? 'silent' : 'answered',
        silence: isSilent ? value.error : null,
      }),
    )
  }

  /** The drafts that were not sent, and the batches that wait for the user. */
  const leftOf = (
    { object }: SharedChange,
    company: CompanyRef,
    item: SharedItem,
  ): { readonly draftIds: readonly string[]; readonly batchIds: readonly string[] } => {
    const sent = options.operations.ofSent(company, object, item.records)
    const queued = sent.filter(({ state, isClosed: isOver }) => state === 'queued' && !isOver)
    const drafts = options.drafts.get(
      company,
      item.records.map(({ draftId }) => draftId),
    )
    // A rejected operation becomes a draft again and keeps its operation. The user has to review it first, unless only
    // the key was refused, which proves that nothing was done.
    const last = new Map(sent.map((operation) => [operation.draftId, operation]))
    const isLeft = ({ draftId, operationId }: (typeof drafts)[number]): boolean => {
      const operation = last.get(draftId)
      if (operationId === null) return true
      return operation?.state === 'rejected' && operation.error?.kind === 'unauthorized'
    }
    const draftIds = drafts.filter(isLeft).map(({ draftId }) => draftId)
    return { draftIds, batchIds: [...new Set(queued.map(({ batchId }) => batchId))] }
  }

  const sendOne = async (
    before: SharedChange,
    { company }: ChangeCompany,
    item: SharedItem,
    own: Running,
  ): Promise<SharedChange> => {
    const change = put(withItem(before, item.itemId, { state: 'making', error: null }))
    if (change.state !== 'running') return change
    let tried = ''
    for (;;) {
      const read = resultOf(() => leftOf(change, company, item))
      if (!read.ok) return stopped(change, read.error)
      const left = read.value
      const isNone = left.batchIds.length === 0 && left.draftIds.length === 0
      // After a refused key, the queue may have continued by itself. What was refused then follows.
      if (isNone || JSON.stringify(left) === tried) break
      tried = JSON.stringify(left)
      for (const batchId of left.batchIds) {
        const resumed = resultOf(() => writer.resumeBatch(batchId))
        const batch = resumed.ok ? resumed.value : resumed
        const ended = batch.ok ? await untilResting(company, change.object, batchId, own) : batch
        const after = afterBatch(change, item, ended, own)
        if (after !== null) return after
      }
      if (left.draftIds.length > 0) {
        const sent = await options.send(company, change.object, left.draftIds)
        const ended = sent.ok ? await untilResting(company, change.object, sent.value.batchId, own) : sent
        const after = afterBatch(change, item, ended, own)
        if (after !== null) return after
      }
    }
    return put(withItem(change, item.itemId, { state: 'made', error: null }))
  }

  /** Waits until a batch no longer continues by itself. Returns `null` if the program closes first. */
  const untilResting = async (
    company: CompanyRef,
    object: string,
    batchId: string,
    own: Running,
  ): Promise<Result<Batch> | null> => {
    own.batchId = batchId
    try {
      if (own.isStopping) resultOf(() => writer.stopBatch(batchId))
      for (;;) {
        const woken = new Promise<void>((wake) => (own.wake = wake))
        const batch = writer.batches(company, object).find((each) => each.batchId === batchId)
        if (isClosed) return null
        if (batch === undefined) return { ok: false, error: GONE }
        if (!AT_WORK.includes(batch.phase)) return { ok: true, value: batch }
        const cancel = options.clock.after(LONGEST_WAIT, own.wake)
        await woken
        cancel()
      }
    } finally {
      own.batchId = null
    }
  }

  /** Returns what the end of a batch means for the change; `null` if its company is done. */
  const afterBatch = (
    change: SharedChange,
    item: SharedItem,
    ended: Result<Batch> | null,
    own: Running,
  ): SharedChange | null => {
    if (ended === null) return change
    const error = ended.ok ? ended.value.error : ended.error
    if (ended.ok && ended.value.toGo === 0 && error === null) return null
    if (error === null) return stopped(change, null)
    if (error.kind === 'stopped' && own.isStopping) return stopped(change, null)
    if (FAILS_FOR_ALL.has(error.kind)) return stopped(change, error)
    if (OUT_OF_REACH.has(error.kind)) return silent(change, item, error)
    return put(withItem(change, item.itemId, { state: 'failed', error }))
  }

  const step = async (change: SharedChange, own: Running): Promise<SharedChange> => {
    const next = nextStep<SharedChange>(change)
    switch (next.step) {
      case 'test':
        return testOne(change, next.company, own)
      case 'make':
        return sendOne(change, next.company, next.item, own)
      case 'ask-user':
        return put({ ...change, state: 'needs-you' })
      case 'finish':
        return put({ ...change, state: 'finished', error: null })
    }
  }

  const work = async (changeId: string, own: Running): Promise<void> => {
    try {
      const read = resultOf(() => store.get(changeId))
      const found = read.ok ? read.value : null
      if (found === null) return
      let change = put({ ...found, state: 'running', error: null })
      while (change.state === 'running' && !isClosed) {
        change = own.isStopping ? stopped(change, null) : await step(change, own)
      }
    } finally {
      running.delete(changeId)
    }
  }

  return {
    run(changeId) {
      if (isClosed) return Promise.resolve()
      const before = running.get(changeId)
      if (before !== undefined) return before.ended
      const own: Running = {
        isStopping: false,
        entryId: null,
        batchId: null,
        wake: () => undefined,
        ended: Promise.resolve(),
      }
      running.set(changeId, own)
      own.ended = work(changeId, own).catch(options.defect)
      return own.ended
    },
    isRunning: (changeId) => running.has(changeId),
    stop(changeId) {
      const own = running.get(changeId)
      if (own === undefined) return
      own.isStopping = true
      if (own.entryId !== null) options.stopEntry(own.entryId)
      const { batchId } = own
      if (batchId !== null) resultOf(() => writer.stopBatch(batchId))
    },
    onBatch({ batchId }) {
      for (const own of running.values()) if (own.batchId === batchId) own.wake()
    },
    close() {
      isClosed = true
      for (const own of running.values()) own.wake()
    },
  }
}

const GONE = appError(
  'not-found',
  'This batch is no longer in the history.',
  'Check the records of this company.',
)
