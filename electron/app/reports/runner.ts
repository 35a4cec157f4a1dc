/**
 * Takes a saved run step by step until it ends, is stopped, or needs the user. Saves every step. Reports for several
 * companies and changes in several companies are runs.
 */
import type { RunState } from '../../../shared/reports/runs.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import { resultOf } from '../../store/database.ts'
import { failsForAll, isOutOfReach } from '../companies/company-tests.ts'
import {
  type AnyRun,
  type CompanyOf,
  type ItemOf,
  nextStep,
  silentFor,
  stoppedRun,
  withCompany,
  withItem,
} from './run-steps.ts'

interface SavedRun extends AnyRun {
  readonly state: RunState | 'draft'
  readonly error: AppError | null
}

/** A run that is going on. */
export interface ActiveRun {
  isStopping: boolean
  /** The queue entry of its current request. */
  entryId: string | null
  ended: Promise<void>
}

export function newActiveRun(): ActiveRun {
  return { isStopping: false, entryId: null, ended: Promise.resolve() }
}

export interface RunnerOptions<Run> {
  /** Removes a request from the queue, or abandons it if it is running. */
  readonly stopEntry: (entryId: string) => void
  readonly changed: (run: Run) => void
  readonly defect: (cause: unknown) => void
}

export abstract class Runner<Run extends SavedRun, Active extends ActiveRun = ActiveRun> {
  readonly #options: RunnerOptions<Run>
  /** The runs that are going on, by ID. */
  protected readonly active = new Map<string, Active>()
  protected isClosed = false

  constructor(options: RunnerOptions<Run>) {
    this.#options = options
  }

  protected abstract load(runId: string, active: Active): Run | null
  /** Returns the run as it was saved. */
  protected abstract save(run: Run): Run
  protected abstract test(run: Run, company: CompanyOf<Run>, active: Active): Promise<Run>
  protected abstract make(run: Run, company: CompanyOf<Run>, item: ItemOf<Run>, active: Active): Promise<Run>

  /** Only companies that don't respond are left. */
  protected askUser(run: Run, _active?: Active): Run {
    return this.put({ ...run, state: 'needs-you' })
  }

  protected finish(run: Run): Promise<Run> | Run {
    return this.put({ ...run, state: 'finished', error: null })
  }

  /** Continues a saved run. Further calls join the first. Resolves when the run is no longer going on. */
  protected begin(runId: string, active: Active): Promise<void> {
    if (this.isClosed) return Promise.resolve()
    const before = this.active.get(runId)
    if (before !== undefined) return before.ended
    this.active.set(runId, active)
    active.ended = this.#work(runId, active).catch(this.#options.defect)
    return active.ended
  }

  /** Whether it is going on. A run that a full disk interrupted is still saved as running. */
  isRunning(runId: string): boolean {
    return this.active.has(runId)
  }

  /** Resolves when a run is no longer going on. */
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

  /** Begins no further step. The next start finds the saved runs. */
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
    const told: Run = saved.ok ? saved.value : { ...run, state: 'stopped', error: saved.error }
    this.#options.changed(told)
    return told
  }

  protected stopped(run: Run, error: AppError | null): Run {
    return this.put(stoppedRun(run, error))
  }

  /** Stops a run whose test could not be made. */
  protected untested(run: Run, error: AppError): Run {
    return this.stopped(run, error.kind === 'stopped' ? null : error)
  }

  /** What a failed item means for the run. */
  protected failed(run: Run, { itemId, endpointId }: ItemOf<Run>, error: AppError): Run {
    if (error.kind === 'stopped') return this.stopped(run, null)
    if (failsForAll(error)) return this.stopped(run, error)
    if (!isOutOfReach(error)) return this.put(withItem(run, itemId, { state: 'failed', error }))
    const waiting = withItem(run, itemId, { state: 'waiting' })
    return this.put(withCompany(waiting, endpointId, silentFor(error)))
  }

  #step(run: Run, active: Active): Promise<Run> | Run {
    const next = nextStep<Run>(run)
    switch (next.step) {
      case 'test':
        return this.test(run, next.company, active)
      case 'make':
        return this.make(run, next.company, next.item, active)
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
