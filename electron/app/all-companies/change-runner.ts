/**
 * Sends one change to several companies, one after another, through the same write protocol as any other change.
 *
 * The change's drafts and each company's progress are saved on disk. The outcome of a draft is only in the journal. So
 * nothing is sent twice, wherever a crash happens: a draft that became an operation is never sent from here again, and
 * operations left in the queue resume only when the user says so.
 */
import type { ChangeItem, MultiCompanyChange } from '../../../shared/contract/all-companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Batch, OperationState } from '../../../shared/contract/records.ts'
import { joinNames } from '../../../shared/format/text.ts'
import { type FieldEdit, pathType, sameValue } from '../../../shared/records/changes.ts'
import { type AppError, appError, type Result } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import { resultOf } from '../../store/database.ts'
import type { DraftStore } from '../../store/drafts.ts'
import type { JournalOperation } from '../../store/journal/journal.ts'
import type { OperationStore } from '../../store/journal/operations.ts'
import type { MultiCompanyChangeStore } from '../../store/multi-company-changes.ts'
import type { Writer } from '../../writing/writer.ts'
import type { TestOptions } from '../companies/company-tests.ts'
import { withCompany, withItem } from '../runs/run-steps.ts'
import { type ActiveRun, newActiveRun, Runner, type RunnerOptions } from '../runs/runner.ts'

export interface ChangeRunnerOptions extends RunnerOptions<MultiCompanyChange> {
  readonly store: MultiCompanyChangeStore
  readonly drafts: Pick<DraftStore, 'get'>
  readonly operations: Pick<OperationStore, 'ofSent' | 'nextOfBatch'>
  readonly writer: Pick<Writer, 'batches' | 'recheckError' | 'reopenBatch' | 'resumeChanges' | 'stopBatch'>
  /** Same as `records.send`. */
  readonly send: (company: CompanyRef, object: string, draftIds: readonly string[]) => Promise<Result<Batch>>
  readonly operationListeners: Set<OperationListener>
  readonly clock: Pick<Clock, 'after'>
}

/** Called when a batch has made progress, or when the outcome of drafts has changed. */
export type OperationListener = (batch: Batch | null, draftIds: readonly string[]) => void

/** Phases in which a batch continues by itself. */
const RUNNING_PHASES: readonly Batch['phase'][] = ['waiting', 'checking', 'sending', 'confirming']

/** States of operations that may still have to be sent or confirmed. */
const UNSETTLED: readonly OperationState[] = ['queued', 'unknown', 'rejected']

/** How often a batch that reports nothing is checked, in ms. */
const LONGEST_WAIT = 2_000

type ChangeCompany = MultiCompanyChange['companies'][number]

interface ActiveChange extends ActiveRun {
  /** Whether the user pressed **Continue**, which sends past records whose outcome stays unknown. */
  readonly isContinued: boolean
  /**
   * Whether the user has seen that an unexpected result stopped this change, and continued. That resumes the changes to
   * one list once. If one of them has an unexpected result again, the run ends.
   */
  mayResumeChanges: boolean
  /** Endpoint IDs of companies that were set aside because an unknown outcome couldn't be rechecked there. */
  readonly unsettled: Set<string>
  /** The batch that is being sent. */
  batchId: string | null
  /** Resolves the promise of whoever waits for the batch. */
  wake: () => void
}

export class ChangeRunner extends Runner<MultiCompanyChange, ActiveChange> {
  readonly #options: ChangeRunnerOptions

  constructor(options: ChangeRunnerOptions) {
    super(options)
    this.#options = options
  }

  /** @param isContinued whether the user pressed **Continue** */
  run(changeId: string, isContinued = false): Promise<void> {
    return this.begin(changeId, {
      ...newActiveRun(),
      isContinued,
      mayResumeChanges: isContinued,
      unsettled: new Set(),
      batchId: null,
      wake: () => undefined,
    })
  }

  protected load(changeId: string, active: ActiveChange): MultiCompanyChange | null {
    const found = this.#options.store.get(changeId)
    active.mayResumeChanges &&= found?.error?.kind === 'unexpected-effect'
    return found
  }

  protected save(change: MultiCompanyChange): MultiCompanyChange {
    return this.#options.store.put(change)
  }

  protected override stopping({ batchId }: ActiveChange): void {
    if (batchId !== null) resultOf(() => this.#options.writer.stopBatch(batchId))
  }

  override close(): void {
    super.close()
    for (const active of this.active.values()) active.wake()
  }

  protected testOptions({ changeId, object }: MultiCompanyChange): Pick<TestOptions, 'batchId' | 'object'> {
    return { batchId: changeId, object }
  }

  /**
   * The unsent drafts, the batches that wait for the user or for confirmation, and the names of records whose edits no
   * longer match what the user reviewed here.
   */
  #leftOf(
    { object }: MultiCompanyChange,
    company: CompanyRef,
    item: ChangeItem,
  ): {
    readonly draftIds: readonly string[]
    readonly batchIds: readonly string[]
    readonly unreviewed: readonly string[]
  } {
    const { operations, drafts, writer } = this.#options
    // Omits settled operations: there may be 10,000, and nothing is left to do for them.
    const sent = operations.ofSent(company, object, item.records, UNSETTLED)
    const records = new Map(item.records.map((record) => [record.draftId, record]))
    const isReviewed = ({ draftId, edits }: Pick<JournalOperation, 'draftId' | 'edits'>): boolean => {
      const record = records.get(draftId)
      return record !== undefined && hasEdits(object, edits, record.reviewed)
    }
    const queued = sent.filter(({ state, isClosed: isOver }) => state === 'queued' && !isOver)
    // A batch sent from the list may also hold other records, which the user stopped there.
    const reviewedIds = [...new Set(queued.map(({ batchId }) => batchId))].filter((batchId) =>
      operations.nextOfBatch(batchId, Number.MAX_SAFE_INTEGER).every(isReviewed),
    )
    const unknown = new Set(sent.flatMap(({ state, batchId }) => (state === 'unknown' ? [batchId] : [])))
    const toConfirm = writer
      .batches(company, object)
      .filter(({ batchId, phase, unsent }) => phase === 'confirming' && unsent === 0 && unknown.has(batchId))
    const batchIds = [...reviewedIds, ...toConfirm.map(({ batchId }) => batchId)]
    // A rejected draft keeps its operation. The user has to review it first, unless only the key was refused, which
    // proves that nothing was written.
    const byId = new Map(sent.map((operation) => [operation.operationId, operation]))
    const left = drafts.get(company, [...records.keys()]).filter(({ operationId }) => {
      if (operationId === null) return true
      const operation = byId.get(operationId)
      return operation?.state === 'rejected' && operation.error?.kind === 'unauthorized'
    })
    const unreviewed = [
      ...left.filter((draft) => !isReviewed(draft)),
      ...queued.filter(({ batchId }) => !reviewedIds.includes(batchId)),
    ]
    return {
      draftIds: left.filter(isReviewed).map(({ draftId }) => draftId),
      batchIds,
      unreviewed: unreviewed.map(({ draftId }) => records.get(draftId)?.recordName ?? ''),
    }
  }

  protected async make(
    before: MultiCompanyChange,
    listed: ChangeCompany,
    item: ChangeItem,
    active: ActiveChange,
  ): Promise<MultiCompanyChange> {
    const { company } = listed
    const change = this.put(withItem(before, item.itemId, { state: 'running', error: null }))
    if (change.state !== 'running') return change
    let tried = ''
    let unreviewed: readonly string[]
    for (;;) {
      const read = resultOf(() => this.#leftOf(change, company, item))
      if (!read.ok) return this.stopped(change, read.error)
      const left = read.value
      unreviewed = left.unreviewed
      const isNone = left.batchIds.length === 0 && left.draftIds.length === 0
      // After a refused key, the queue may have continued by itself. In that case, send the refused operations, too.
      if (isNone || JSON.stringify(left) === tried) break
      tried = JSON.stringify(left)
      if (active.mayResumeChanges && this.#options.writer.resumeChanges(company, change.object))
        active.mayResumeChanges = false
      for (const batchId of left.batchIds) {
        const resumed = resultOf(() => this.#options.writer.reopenBatch(batchId, active.isContinued))
        const batch = resumed.ok ? resumed.value : resumed
        const ended = batch.ok ? await this.#untilResting(company, change.object, batchId, active) : batch
        const after = await this.#afterBatch(change, item, ended, active)
        if (after !== null) return after
      }
      if (left.draftIds.length > 0) {
        const sent = await this.#options.send(company, change.object, left.draftIds)
        const ended = sent.ok
          ? await this.#untilResting(company, change.object, sent.value.batchId, active)
          : sent
        const after = await this.#afterBatch(change, item, ended, active)
        if (after !== null) return after
      }
    }
    if (unreviewed.length > 0)
      return this.put(withItem(change, item.itemId, { state: 'failed', error: notReviewed(unreviewed) }))
    return this.put(withItem(change, item.itemId, { state: 'done', error: null }))
  }

  /**
   * Waits until a batch no longer continues by itself. If an unknown outcome can't be rechecked, stops the batch and
   * returns the reason. Rechecks continue in the background. Returns `null` if the program closes first.
   */
  async #untilResting(
    company: CompanyRef,
    object: string,
    batchId: string,
    active: ActiveChange,
  ): Promise<Result<Batch> | null> {
    const { writer, operationListeners } = this.#options
    const onOperations: OperationListener = (batch) => {
      if (batch?.batchId === batchId) active.wake()
    }
    operationListeners.add(onOperations)
    active.batchId = batchId
    try {
      if (active.isStopping) resultOf(() => writer.stopBatch(batchId))
      for (;;) {
        const woken = new Promise<void>((wake) => (active.wake = wake))
        const batch = writer.batches(company, object).find((each) => each.batchId === batchId)
        if (this.isClosed) return null
        if (batch === undefined) return { ok: false, error: GONE }
        if (!RUNNING_PHASES.includes(batch.phase)) return { ok: true, value: batch }
        const isConfirming = batch.phase === 'confirming'
        if (isConfirming && active.isStopping) return { ok: true, value: batch }
        const error = isConfirming || batch.phase === 'waiting' ? writer.recheckError(company) : null
        if (error !== null) {
          active.unsettled.add(company.endpointId)
          resultOf(() => writer.stopBatch(batchId))
          return { ok: false, error }
        }
        const cancel = this.#options.clock.after(LONGEST_WAIT, active.wake)
        await woken
        cancel()
      }
    } finally {
      active.batchId = null
      operationListeners.delete(onOperations)
    }
  }

  /** Returns what the end of a batch means for the change; `null` if its company is done. */
  async #afterBatch(
    change: MultiCompanyChange,
    item: ChangeItem,
    ended: Result<Batch> | null,
    active: ActiveChange,
  ): Promise<MultiCompanyChange | null> {
    if (ended === null) return change
    const error = ended.ok ? ended.value.error : ended.error
    if (ended.ok && ended.value.unsent === 0 && error === null) return null
    if (error === null) return this.stopped(change, null)
    if (error.kind === 'unauthorized') {
      // Otherwise, the batch would resume once another company accepts the key.
      if (ended.ok) resultOf(() => this.#options.writer.stopBatch(ended.value.batchId))
      return this.refused(change, item, error, active)
    }
    // The user decides whether the other companies get the change.
    if (error.kind === 'unexpected-effect') return this.stopped(change, error)
    return this.failed(change, item, error)
  }

  /** Goes back to companies whose unknown outcomes were settled in the meantime. */
  #settledMeanwhile(change: MultiCompanyChange, active: ActiveChange): MultiCompanyChange | null {
    const { operations } = this.#options
    const isSettled = ({ company, contact }: ChangeCompany): boolean =>
      contact === 'silent' &&
      active.unsettled.has(company.endpointId) &&
      change.items
        .filter(({ endpointId }) => endpointId === company.endpointId)
        .every(({ records }) => operations.ofSent(company, change.object, records, ['unknown']).length === 0)
    const read = resultOf(() => change.companies.filter(isSettled))
    const settled = read.ok ? read.value : []
    if (settled.length === 0) return null
    return settled.reduce((next, { company: { endpointId } }) => {
      active.unsettled.delete(endpointId)
      return this.put(withCompany(next, endpointId, { contact: 'untested', contactError: null }))
    }, change)
  }

  protected override askUser(change: MultiCompanyChange, active: ActiveChange): MultiCompanyChange {
    const next = active.keyRefusals.pending === null ? this.#settledMeanwhile(change, active) : null
    return next ?? super.askUser(change, active)
  }
}

/** Whether a draft or an operation changes what was reviewed, and nothing else. */
function hasEdits(
  object: string,
  edits: readonly FieldEdit[],
  reviewed: ChangeItem['records'][number]['reviewed'],
): boolean {
  // A change that was never reviewed here isn't sent either.
  if (edits.length !== reviewed?.length) return false
  return reviewed.every(({ path, now }) =>
    edits.some((edit) => edit.path === path && sameValue(pathType(object, path), edit.now, now)),
  )
}

/** The most records that a message names. */
const MAX_NAMED = 3

function notReviewed(names: readonly string[]): AppError {
  return appError(
    'invalid-input',
    `Not sent, because it is no longer what you reviewed here: ${joinNames(names, MAX_NAMED)}.`,
    'Review it in its list, and send it there or discard it.',
  )
}

const GONE = appError(
  'not-found',
  'This batch is no longer in the history.',
  'Check the records of this company.',
)
