/**
 * Advances a saved run step by step until it ends, is stopped, or needs the user. Saves every step. Reports for several
 * companies and changes in several companies are runs.
 */
import type { TestOutcome } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import { isKeyRefused, type RunState } from '../../../shared/runs.ts'
import { resultOf } from '../../store/database.ts'
import {
  failsForAll,
  isOutOfReach,
  type KeyRefusal,
  KeyRefusals,
  type TestOptions,
} from '../companies/company-tests.ts'
import {
  type AnyRun,
  type CompanyOf,
  contactOf,
  type ItemOf,
  nextRunStep,
  silentFor,
  stoppedRun,
  withCompany,
  withItem,
} from './run-steps.ts'

interface SavedRun extends AnyRun {
  readonly state: RunState | 'draft'
  readonly error: AppError | null
}

/** A run in progress. */
export interface ActiveRun {
  isStopping: boolean
  /** The queue entry of its current request. */
  entryId: string | null
  readonly keyRefusals: KeyRefusals
  ended: Promise<void>
}

export function newActiveRun(): ActiveRun {
  return {
    isStopping: false,
    entryId: null,
    keyRefusals: new KeyRefusals(),
    ended: Promise.resolve(),
  }
}

export interface RunnerOptions<Run> {
  readonly test: (company: CompanyRef, testOptions: TestOptions) => Promise<Result<TestOutcome>>
  /** Removes a request from the queue, or abandons it if it is running. */
  readonly stopEntry: (entryId: string) => void
  readonly changed: (run: Run) => void
  readonly defect: (cause: unknown) => void
}

export abstract class Runner<Run extends SavedRun, Active extends ActiveRun = ActiveRun> {
  readonly #options: RunnerOptions<Run>
  /** The runs in progress, by ID. */
  protected readonly active = new Map<string, Active>()
  protected isClosed = false

  constructor(options: RunnerOptions<Run>) {
    this.#options = options
  }

  protected abstract load(runId: string, active: Active): Run | null
  /** Returns the run as it was saved. */
  protected abstract save(run: Run): Run
  /** The run that company tests belong to. */
  protected abstract testOptions(run: Run): Pick<TestOptions, 'batchId' | 'object'>
  protected abstract make(run: Run, company: CompanyOf<Run>, item: ItemOf<Run>, active: Active): Promise<Run>

  /** Only companies that don't respond are left. */
  protected askUser(run: Run, { keyRefusals }: Active): Run {
    if (keyRefusals.pending !== null) return this.stopped(run, keyRefusals.pending)
    return this.put({ ...run, state: 'needs-you' })
  }

  protected finish(run: Run): Promise<Run> | Run {
    return this.put({ ...run, state: 'finished', error: null })
  }

  /** Continues a saved run. Further calls join the first. Resolves when the run is no longer in progress. */
  protected begin(runId: string, active: Active): Promise<void> {
    if (this.isClosed) return Promise.resolve()
    const before = this.active.get(runId)
    if (before !== undefined) return before.ended
    this.active.set(runId, active)
    active.ended = this.#work(runId, active).catch(this.#options.defect)
    return active.ended
  }

  /** Whether a run is in progress. A run that a full disk interrupted is still saved as running. */
  isRunning(runId: string): boolean {
    return this.active.has(runId)
  }

  /** Resolves when a run is no longer in progress. */
  ended(runId: string): Promise<void> {
    return this.active.get(runId)?.ended ?? Promise.resolve()
  }

  stop(runId: string): void {
    const active = this.active.get(runId)
    if (active === undefined) return
    active.isStopping = true
    if (active.entryId !== null) this.#options.stopEntry(active.entryId)
    this.stopping?.(active)
  }

  /** Stops what a run does besides its request. */
  protected stopping?(active: Active): void

  /** Starts no further step. The next start finds the saved runs. */
  close(): void {
    this.isClosed = true
  }

  /** Remembers the queue entry of a run's request, so that it can be stopped. */
  protected onEntry(active: Active): (entryId: string) => void {
    return (entryId) => {
      active.entryId = entryId
      if (active.isStopping) this.#options.stopEntry(entryId)
    }
  }

  /** Saves a run and tells the window. If it can't be saved, it stops. */
  protected put(run: Run): Run {
    const saved = resultOf(() => this.save(run))
    const current: Run = saved.ok ? saved.value : { ...run, state: 'stopped', error: saved.error }
    this.#options.changed(current)
    return current
  }

  protected stopped(run: Run, error: AppError | null): Run {
    return this.put(stoppedRun(run, error))
  }

  /** Stops a run whose test could not be made. */
  #untested(run: Run, error: AppError): Run {
    return this.stopped(run, error.kind === 'stopped' ? null : error)
  }

  /** Interactive: while a refused key pauses the queue, only reads that a user waits for are sent. */
  async #ask(run: Run, company: CompanyRef, active: Active): Promise<Result<TestOutcome>> {
    const tested = await this.#options.test(company, {
      ...this.testOptions(run),
      priority: 'interactive',
      onEntry: this.onEntry(active),
    })
    active.entryId = null
    active.keyRefusals.onTested(tested)
    return tested
  }

  async #test(run: Run, listed: CompanyOf<Run>, active: Active): Promise<Run> {
    const tested = await this.#ask(run, listed.company, active)
    if (!tested.ok) return this.#untested(run, tested.error)
    const { value } = tested
    const { endpointId } = listed.company
    if (value.outcome === 'answered') return this.put(withCompany(run, endpointId, contactOf(value)))
    if (value.error.kind === 'unauthorized')
      return this.#setAside(run, { endpointId, of: 'test', error: value.error }, active)
    if (failsForAll(value.error)) return this.stopped(run, value.error)
    // Until a company accepts the key, anything else would only wait in the paused queue.
    const contact = active.keyRefusals.pending === null ? contactOf(value) : silentFor(value.error)
    return this.put(withCompany(run, endpointId, contact))
  }

  /** What a refused item means for the run. */
  protected refused(
    run: Run,
    { itemId, endpointId }: ItemOf<Run>,
    error: AppError,
    active: Active,
  ): Promise<Run> {
    const waiting = withItem(run, itemId, { state: 'waiting' })
    return this.#setAside(waiting, { endpointId, of: 'item', error }, active)
  }

  /** Sets a company aside whose key was refused. If that concerns the others, too, the run stops. */
  async #setAside(run: Run, refusal: KeyRefusal, active: Active): Promise<Run> {
    const aside = this.put(withCompany(run, refusal.endpointId, silentFor(refusal.error)))
    if (aside.state !== 'running') return aside
    const answered = aside.companies.flatMap(({ company, contact }) =>
      contact === 'answered' ? [company] : [],
    )
    const reason = await active.keyRefusals.add(refusal, answered, (company) =>
      this.#ask(aside, company, active),
    )
    return reason === null ? aside : this.#untested(aside, reason)
  }

  /** What a failed item means for the run. */
  protected failed(run: Run, { itemId, endpointId }: ItemOf<Run>, error: AppError): Run {
    if (error.kind === 'stopped') return this.stopped(run, null)
    if (failsForAll(error)) return this.stopped(run, error)
    if (!isOutOfReach(error)) return this.put(withItem(run, itemId, { state: 'failed', error }))
    const waiting = withItem(run, itemId, { state: 'waiting' })
    return this.put(withCompany(waiting, endpointId, silentFor(error)))
  }

  async #make(run: Run, company: CompanyOf<Run>, item: ItemOf<Run>, active: Active): Promise<Run> {
    const next = await this.make(run, company, item, active)
    const { itemId } = item
    // Any other failure means that the key was accepted.
    if (next.items.some((each) => each.itemId === itemId && ['done', 'failed'].includes(each.state)))
      active.keyRefusals.onItemAccepted()
    return next
  }

  #step(run: Run, active: Active): Promise<Run> | Run {
    const next = nextRunStep<Run>(run)
    switch (next.step) {
      case 'test':
        return this.#test(run, next.company, active)
      case 'make':
        if (active.keyRefusals.pending !== null) return this.#test(run, next.company, active)
        return this.#make(run, next.company, next.item, active)
      case 'ask-user':
        return this.askUser(run, active)
      case 'finish':
        return this.finish(run)
    }
  }

  async #work(runId: string, active: Active): Promise<void> {
    try {
      const read: Result<Run | null> = resultOf(() => this.load(runId, active))
      const found = read.ok ? read.value : null
      if (found === null) return
      active.keyRefusals.addEarlier(
        found.companies.filter(isKeyRefused).map(({ company }) => company.endpointId),
      )
      let run = this.put({ ...found, state: 'running', error: null })
      while (run.state === 'running' && !this.isClosed) {
        run = active.isStopping ? this.stopped(run, null) : await this.#step(run, active)
        active.entryId = null
      }
    } finally {
      this.active.delete(runId)
    }
  }
}
