/** Sending the drafts of one list, and deciding on what became of them. The write protocol itself is main's. */
import type { RequestQueue } from '../../../shared/contract/activity.ts'
import type { CallInput } from '../../../shared/contract/contract.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Batch, Operation } from '../../../shared/contract/records.ts'
import { type AppError, appError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { type QueueWait, type ShowTime, heldWait, queueWait } from '../../frame/status/status.ts'
import { errorToShow } from '../../ui/notices/errors.ts'

interface Ports {
  readonly api: Api
  readonly company: CompanyRef
  readonly object: string
  /** Waits until all drafts are on disk; what is not there can't be sent. */
  readonly draftsSaved: () => Promise<boolean>
  /** Drafts may have other contents now. */
  readonly ondecided: () => Promise<void>
  /** A batch has come to its end. */
  readonly onend: (batch: Batch) => void
}

export type Decision = CallInput<'records.decide'>['decision']

/** Phases in which a batch is at work and can be stopped. */
const AT_WORK: readonly Batch['phase'][] = ['waiting', 'checking', 'sending', 'confirming']

export class Sending {
  readonly #ports: Ports
  /** The batch that was heard of last. */
  batch = $state.raw<Batch | null>(null)
  /** From the click until the batch is known. */
  isStarting = $state(false)
  isStopping = $state(false)
  error = $state.raw<AppError | null>(null)

  constructor(ports: Ports) {
    this.#ports = ports
  }

  get isAtWork(): boolean {
    return this.isStarting || (this.batch !== null && AT_WORK.includes(this.batch.phase))
  }

  /**
   * Sends these drafts. A second click while it starts does nothing.
   * @param evenFromBefore the person has confirmed that drafts from before are sent
   */
  async send(draftIds: readonly string[], evenFromBefore = false): Promise<void> {
    if (this.isAtWork || draftIds.length === 0) return
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
      const input = { company, object, draftIds: [...draftIds], evenFromBefore }
      const sent = await api.call('records.send', input)
      if (!sent.ok) this.error = errorToShow(sent.error)
      else if (this.batch?.batchId !== sent.value.batchId) this.report(sent.value)
    } finally {
      this.isStarting = false
    }
  }

  /** Takes up what the main process tells of a batch. */
  report(batch: Batch): void {
    const wasDone = this.batch?.batchId === batch.batchId && !AT_WORK.includes(this.batch.phase)
    this.batch = batch
    if (AT_WORK.includes(batch.phase)) return
    this.isStopping = false
    if (!wasDone) this.#ports.onend(batch)
  }

  /** The person has seen how the last batch ended. */
  forget(): void {
    if (!this.isAtWork) this.batch = null
  }

  /** Learns of batches that an earlier visit or run began. */
  async load(): Promise<void> {
    const { api, company, object } = this.#ports
    const batches = await api.call('records.batches', { company, object })
    if (!batches.ok) return
    const open = batches.value.filter((batch) => batch.phase !== 'done')
    this.batch = open.find((batch) => AT_WORK.includes(batch.phase)) ?? open.at(-1) ?? null
  }

  /** Lets the request that is on its way finish, and sends no further one. */
  async stopAfterThisBatch(): Promise<void> {
    if (!this.batch) return
    this.isStopping = true
    await this.#onBatch('records.stopBatch', this.batch.batchId)
  }

  /** Goes on with what waits for the person. */
  async goOn(batchId: string): Promise<void> {
    this.isStopping = false
    await this.#onBatch('records.resumeBatch', batchId)
  }

  async checkNow(operationIds: readonly string[]): Promise<void> {
    const { api, company } = this.#ports
    const asked = await api.call('records.checkNow', { company, operationIds: [...operationIds] })
    this.error = asked.ok ? null : asked.error
  }

  async decide(operationId: string, decision: Decision): Promise<boolean> {
    const decided = await this.#ports.api.call('records.decide', { operationId, decision })
    this.error = decided.ok ? null : decided.error
    if (decided.ok) await this.#ports.ondecided()
    return decided.ok
  }

  async #onBatch(call: 'records.stopBatch' | 'records.resumeBatch', batchId: string): Promise<void> {
    const answer = await this.#ports.api.call(call, { batchId })
    if (answer.ok) this.report(answer.value)
    else {
      this.error = answer.error
      this.isStopping = false
    }
  }
}

// What a batch waits for just now: its turn, a queue that is shut or paused, the second look; pure.

export interface WaitFacts {
  readonly batch: Batch
  /** The queue of the batch's connection; `null` when nothing was heard of it. */
  readonly queue: RequestQueue | null
  /** Operations of the batch that are not confirmed. */
  readonly unconfirmed: readonly Pick<Operation, 'looks' | 'lastLookedAt'>[]
  /** The setting: seconds between the two looks for a new record. */
  readonly lookAgainSeconds: number
}

/** `null` when it waits for nothing but the answer to what it is doing. */
export function batchWait(facts: WaitFacts, time: ShowTime): QueueWait | null {
  const { batch, queue } = facts
  if (queue?.running?.batchId === batch.batchId) return null
  switch (batch.phase) {
    case 'waiting':
      return queueWait(queue, ({ batchId }) => batchId === batch.batchId, time)
    case 'confirming':
      return lookWait(facts, time)
    case 'checking':
    case 'sending':
    case 'stopped':
    case 'paused':
    case 'done':
      return null
  }
}

function lookWait({ queue, unconfirmed, lookAgainSeconds }: WaitFacts, time: ShowTime): QueueWait | null {
  const held = heldWait(queue, time)
  if (held !== null) return { ...held, words: `Confirming. ${held.words}` }
  const lastLooked = unconfirmed
    .flatMap(({ looks, lastLookedAt }) => (looks > 0 && lastLookedAt !== null ? [lastLookedAt] : []))
    .toSorted()
    .at(-1)
  if (lastLooked === undefined) return null
  const again = new Date(Date.parse(lastLooked) + lookAgainSeconds * 1_000).toISOString()
  return {
    words: `Confirming. First check at ${time(lastLooked)}, second check at ${time(again)}`,
    until: again,
  }
}
