/**
 * Sends the drafts of one list and passes on the user's decisions about them. The write protocol runs in the
 * main process.
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Batch, Decision } from '../../../shared/contract/records.ts'
import { type AppError, appError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { errorToShow } from '../../ui/notices/errors.ts'

interface Ports {
  readonly api: Api
  readonly company: CompanyRef
  readonly object: string
  /** Waits until all drafts are on disk. Only saved drafts can be sent. */
  readonly draftsSaved: () => Promise<boolean>
  /** Called after a decision, which may have changed drafts. */
  readonly ondecided: () => Promise<void>
  /** Called when a batch has ended. */
  readonly onend: (batch: Batch) => void
}

/** Phases in which a batch is running and can be stopped. */
const RUNNING_PHASES: readonly Batch['phase'][] = ['waiting', 'checking', 'sending', 'confirming']

export class Sending {
  readonly #ports: Ports
  /** The latest batch. */
  batch = $state.raw<Batch | null>(null)
  /** Whether a batch was requested and isn't known yet. */
  isStarting = $state(false)
  isStopping = $state(false)
  error = $state.raw<AppError | null>(null)
  /** IDs of the unconfirmed operations that **Check now** is checking. */
  checking = $state.raw<ReadonlySet<string>>(new Set())

  constructor(ports: Ports) {
    this.#ports = ports
  }

  get isSending(): boolean {
    return this.isStarting || (this.batch !== null && RUNNING_PHASES.includes(this.batch.phase))
  }

  /**
   * Sends drafts. Does nothing if a batch is already running or starting.
   * @param evenIfStale whether the user confirmed sending drafts from an older database
   */
  async send(draftIds: readonly string[], evenIfStale = false): Promise<void> {
    if (this.isSending || draftIds.length === 0) return
    this.isStarting = true
    this.isStopping = false
    this.error = null
    try {
      if (!(await this.#ports.draftsSaved())) {
        this.error = appError(
          'store',
          'Nothing was sent, because the last changes couldn’t be saved on this computer.',
          'See the message about saving changes. Send again when it’s gone.',
        )
        return
      }
      const { api, company, object } = this.#ports
      const input = { company, object, draftIds: [...draftIds], evenIfStale }
      const sent = await api.call('records.send', input)
      if (!sent.ok) this.error = errorToShow(sent.error)
      else if (this.batch?.batchId !== sent.value.batchId) this.report(sent.value)
    } finally {
      this.isStarting = false
    }
  }

  /** Handles an event from the main process about a batch. */
  report(batch: Batch): void {
    const wasDone = this.batch?.batchId === batch.batchId && !RUNNING_PHASES.includes(this.batch.phase)
    this.batch = batch
    if (RUNNING_PHASES.includes(batch.phase)) return
    this.isStopping = false
    if (!wasDone) this.#ports.onend(batch)
  }

  /** Dismisses the result of the last batch. */
  forget(): void {
    if (!this.isSending) this.batch = null
  }

  /** Loads batches that were started earlier, possibly in another run of the program. */
  async load(): Promise<void> {
    const { api, company, object } = this.#ports
    const batches = await api.call('records.batches', { company, object })
    if (!batches.ok) return
    const open = batches.value.filter((batch) => batch.phase !== 'done')
    this.batch = open.find((batch) => RUNNING_PHASES.includes(batch.phase)) ?? open.at(-1) ?? null
  }

  /** Stops after the request in progress. */
  async stopAfterThisBatch(): Promise<void> {
    if (!this.batch) return
    this.isStopping = true
    await this.#onBatch('records.stopBatch', this.batch.batchId)
  }

  /** Continues a batch that waits for the user. */
  async resume(batchId: string): Promise<void> {
    this.isStopping = false
    await this.#onBatch('records.resumeBatch', batchId)
  }

  /** Checks an unconfirmed operation. Returns when it is checked. */
  async checkNow(operationId: string): Promise<void> {
    const { api, company } = this.#ports
    this.checking = new Set([...this.checking, operationId])
    const checked = await api.call('records.checkNow', { company, operationIds: [operationId] })
    this.checking = new Set([...this.checking].filter((each) => each !== operationId))
    this.error = checked.ok ? null : checked.error
  }

  async decide(operationId: string, decision: Decision): Promise<boolean> {
    const decided = await this.#ports.api.call('records.decide', { operationId, decision })
    this.error = decided.ok ? null : decided.error
    if (decided.ok) await this.#ports.ondecided()
    return decided.ok
  }

  async #onBatch(call: 'records.stopBatch' | 'records.resumeBatch', batchId: string): Promise<void> {
    const result = await this.#ports.api.call(call, { batchId })
    if (result.ok) this.report(result.value)
    else {
      this.error = result.error
      this.isStopping = false
    }
  }
}
