/** Takes a run of reports step by step until it ends, is stopped, or needs the user. Saves every step. */
import type { TestOutcome } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { ReportRun, RunCompany, RunItem } from '../../../shared/reports/runs.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import type { Rows } from '../../rows/rows.ts'
import { resultOf } from '../../store/database.ts'
import type { ReportRunStore } from '../../store/report-runs.ts'
import { type TestOptions, failsForAll, isOutOfReach } from '../companies/company-tests.ts'
import type { ReportFiles } from './report-files.ts'
import type { ReportReader } from './reports.ts'
import { contactOf, nextStep, stoppedRun, withCompany, withFile, withItem, withoutFile } from './run-steps.ts'

export interface RunnerOptions {
  readonly store: ReportRunStore
  readonly reader: ReportReader
  readonly rows: Pick<Rows, 'closeReport'>
  readonly files: ReportFiles
  readonly test: (company: CompanyRef, testOptions: TestOptions) => Promise<Result<TestOutcome>>
  /** Removes a request from the queue, or abandons it if it is running. */
  readonly stopEntry: (entryId: string) => void
  readonly changed: (run: ReportRun) => void
  readonly defect: (cause: unknown) => void
}

/** A run that is going on. */
interface ActiveRun {
  /** The queue entry of its current request. */
  entryId: string | null
  isStopping: boolean
  ended: Promise<void>
}

export class ReportRunner {
  readonly #options: RunnerOptions
  readonly #active = new Map<string, ActiveRun>()
  #isClosed = false

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  /** Continues a saved run. Further calls join the first. Resolves when the run is no longer going on. */
  continue(runId: string): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    const before = this.#active.get(runId)
    if (before !== undefined) return before.ended
    const own: ActiveRun = { entryId: null, isStopping: false, ended: Promise.resolve() }
    this.#active.set(runId, own)
    own.ended = this.#work(runId, own).catch(this.#options.defect)
    return own.ended
  }

  /** Resolves when a run is no longer going on. */
  ended(runId: string): Promise<void> {
    return this.#active.get(runId)?.ended ?? Promise.resolve()
  }

  stop(runId: string): void {
    const own = this.#active.get(runId)
    if (own === undefined) return
    own.isStopping = true
    if (own.entryId !== null) this.#options.stopEntry(own.entryId)
  }

  /** Begins no further step. The next start finds the saved runs. */
  close(): void {
    this.#isClosed = true
  }

  #keep(run: ReportRun): Result<void> {
    return resultOf(() => {
      this.#options.store.put(run)
    })
  }

  #put(run: ReportRun): ReportRun {
    const { changed } = this.#options
    const kept = this.#keep(run)
    if (kept.ok) {
      changed(run)
      return run
    }
    const stopped: ReportRun = { ...run, state: 'stopped', error: kept.error }
    changed(stopped)
    return stopped
  }

  #stopped(run: ReportRun, error: AppError | null): ReportRun {
    return this.#put(stoppedRun(run, error))
  }

  async #testOne(run: ReportRun, { company }: RunCompany, slotOptions: TestOptions): Promise<ReportRun> {
    const tested = await this.#options.test(company, slotOptions)
    if (!tested.ok) return this.#stopped(run, tested.error.kind === 'stopped' ? null : tested.error)
    return this.#put(withCompany(run, company.endpointId, contactOf(tested.value)))
  }

  async #makeOne(
    before: ReportRun,
    company: RunCompany,
    item: RunItem,
    slotOptions: TestOptions,
  ): Promise<ReportRun> {
    const { files } = this.#options
    const run = this.#put(withItem(before, item.itemId, { state: 'making' }))
    if (run.state === 'stopped') return run
    const { companyName, application, from, to } = company
    const asked = { company: company.company, companyName, application, name: item.offeredName, from, to }
    const head = await this.#options.reader.read({ ...asked, ...slotOptions })
    if (!head.ok) return this.#unmade(run, company, item, head.error)
    const report = { run, company, item, head: head.value }
    // Saved before the files are written, so that the same files are written again after a crash.
    const names = files.namesOf(report)
    let named = this.#put(withItem(run, item.itemId, names))
    if (named.state === 'stopped') {
      await this.#options.rows.closeReport(head.value.reportId)
      return named
    }
    const toWrite = { ...report, run: named, item: { ...item, ...names } }
    let { fingerprints } = names
    const written = await files.writeReport(toWrite, (at, fingerprint) => {
      fingerprints = fingerprints.with(at, fingerprint)
      const next = withItem(named, item.itemId, { fingerprints })
      const kept = this.#keep(next)
      if (kept.ok) named = next
      return kept
    })
    await this.#options.rows.closeReport(head.value.reportId)
    if (!written.ok) return this.#unmade(named, company, item, written.error)
    const { checks } = head.value
    const findings = new Set(checks.findings.map(({ row }) => row)).size
    const said = [...head.value.said, ...written.value]
    return this.#put(withItem(named, item.itemId, { state: 'made', findings, said, error: null }))
  }

  #unmade(run: ReportRun, { company }: RunCompany, item: RunItem, error: AppError): ReportRun {
    if (error.kind === 'stopped') return this.#stopped(run, null)
    if (failsForAll(error)) return this.#stopped(run, error)
    if (!isOutOfReach(error)) return this.#put(withItem(run, item.itemId, { state: 'failed', error }))
    const waiting = withItem(run, item.itemId, { state: 'waiting' })
    return this.#put(withCompany(waiting, company.endpointId, { contact: 'silent', contactError: error }))
  }

  async #finish(before: ReportRun): Promise<ReportRun> {
    const { files } = this.#options
    let run = before
    for (const due of files.due(run)) {
      // As above, its name first. While it is written, it counts as empty.
      run = this.#put(withFile(run, { ...due, itemIds: [] }))
      if (run.state === 'stopped') return run
      const written = await files.writeJoint(run, due, (file) => {
        const next = withFile(run, { ...file, itemIds: [] })
        const kept = this.#keep(next)
        if (kept.ok) run = next
        return kept
      })
      if (!written.ok) return this.#put({ ...run, state: 'stopped', error: written.error })
      run = this.#put(written.value === null ? withoutFile(run, due) : withFile(run, written.value))
      if (run.state === 'stopped') return run
    }
    // Failed reports can be tried again, and the joint files with them.
    const isWhole = run.items.every(({ state }) => state === 'made' || state === 'not-offered')
    if (isWhole) {
      resultOf(() => {
        this.#options.store.removeReports(run.runId)
      })
    }
    return this.#put({ ...run, state: 'finished', error: null })
  }

  #step(run: ReportRun, slotOptions: TestOptions): Promise<ReportRun> | ReportRun {
    const next = nextStep(run)
    switch (next.step) {
      case 'test':
        return this.#testOne(run, next.company, slotOptions)
      case 'make':
        return this.#makeOne(run, next.company, next.item, slotOptions)
      case 'ask-user':
        return this.#put({ ...run, state: 'needs-you' })
      case 'finish':
        return this.#finish(run)
    }
  }

  async #work(runId: string, own: ActiveRun): Promise<void> {
    try {
      const read = resultOf(() => this.#options.store.get(runId))
      const found = read.ok ? read.value : null
      if (found === null) return
      let run = this.#put({ ...found, state: 'running', error: null })
      const slotOptions: TestOptions = {
        priority: 'batch',
        batchId: runId,
        onEntry: (entryId) => {
          own.entryId = entryId
          if (own.isStopping) this.#options.stopEntry(entryId)
        },
      }
      while (run.state === 'running' && !this.#isClosed) {
        run = own.isStopping ? this.#stopped(run, null) : await this.#step(run, slotOptions)
        own.entryId = null
      }
    } finally {
      this.#active.delete(runId)
    }
  }
}
