/** Takes a run of reports step by step until it ends, is stopped, or needs the user. Saves every step. */
import type { TestOutcome } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { ReportRun, RunCompany, RunItem } from '../../../shared/reports/runs.ts'
import type { AppError, ErrorKind, Result } from '../../../shared/result.ts'
import type { Rows } from '../../rows/rows.ts'
import { resultOf } from '../../store/database.ts'
import type { ReportRunStore } from '../../store/report-runs.ts'
import type { TestOptions } from '../companies/company-tests.ts'
import type { ReportFiles } from './report-files.ts'
import type { ReportReader } from './reports.ts'
import { nextStep, withCompany, withFile, withItem, withoutFile } from './run-steps.ts'

export interface RunnerOptions {
  readonly store: ReportRunStore
  readonly reader: ReportReader
  readonly rows: Pick<Rows, 'closeReport'>
  readonly files: ReportFiles
  readonly test: (company: CompanyRef, manner: TestOptions) => Promise<Result<TestOutcome>>
  /** Removes a request from the queue, or abandons it if it is running. */
  readonly stopEntry: (entryId: string) => void
  readonly changed: (run: ReportRun) => void
  readonly defect: (cause: unknown) => void
}

export interface ReportRunner {
  /** Continues a saved run. Further calls join the first. Resolves when the run is no longer going on. */
  continue(runId: string): Promise<void>
  /** Resolves when a run is no longer going on. */
  ended(runId: string): Promise<void>
  stop(runId: string): void
  /** Begins no further step. The next start finds the saved runs. */
  close(): void
}

/** Errors that say that a company can't be reached now. It comes last, and the user is asked. */
export const OUT_OF_REACH: ReadonlySet<ErrorKind> = new Set([
  'timed-out',
  'dropped',
  'unreachable',
  'company-unavailable',
])
/** Errors that would occur for every company. They stop the run. */
export const FAILS_FOR_ALL: ReadonlySet<ErrorKind> = new Set([
  'unauthorized',
  'untrusted-certificate',
  'proxy-refused',
  'connection-changed',
  'paused',
  'keychain',
  'store',
])

/** A run that is going on. */
interface ActiveRun {
  /** The queue entry of its current request. */
  entryId: string | null
  isStopping: boolean
  ended: Promise<void>
}

export function createReportRunner(options: RunnerOptions): ReportRunner {
  const { store, reader, files, changed } = options
  const active = new Map<string, ActiveRun>()
  let isClosed = false

  const keep = (run: ReportRun): Result<void> =>
    resultOf(() => {
      store.put(run)
    })

  const put = (run: ReportRun): ReportRun => {
    const kept = keep(run)
    if (kept.ok) {
      changed(run)
      return run
    }
    const stopped: ReportRun = { ...run, state: 'stopped', error: kept.error }
    changed(stopped)
    return stopped
  }

  const stopped = (run: ReportRun, error: AppError | null): ReportRun =>
    put({
      ...run,
      state: 'stopped',
      error,
      items: run.items.map((item): RunItem =>
        item.state === 'making' ? { ...item, state: 'waiting' } : item,
      ),
    })

  const testOne = async (
    run: ReportRun,
    { company }: RunCompany,
    manner: TestOptions,
  ): Promise<ReportRun> => {
    const tested = await options.test(company, manner)
    if (!tested.ok) return stopped(run, tested.error.kind === 'stopped' ? null : tested.error)
    const { value } = tested
    const isSilent =
      value.outcome === 'silent' || (value.outcome === 'refused' && OUT_OF_REACH.has(value.error.kind))
    // Another kind of refusal says nothing about its reports.
    return put(
      withCompany(run, company.endpointId, {
        contact: isSilent ? 'silent' : 'answered',
        silence: isSilent ? value.error : null,
      }),
    )
  }

  const makeOne = async (
    before: ReportRun,
    company: RunCompany,
    item: RunItem,
    manner: TestOptions,
  ): Promise<ReportRun> => {
    const run = put(withItem(before, item.itemId, { state: 'making' }))
    if (run.state === 'stopped') return run
    const { companyName, application, from, to } = company
    const asked = { company: company.company, companyName, application, name: item.madeAs, from, to }
    const head = await reader.read({ ...asked, ...manner })
    if (!head.ok) return unmade(run, company, item, head.error)
    const report = { run, company, item, head: head.value }
    // Saved before the files are written, so that the same files are written again after a crash.
    const names = files.namesOf(report)
    let named = put(withItem(run, item.itemId, names))
    if (named.state === 'stopped') {
      await options.rows.closeReport(head.value.reportId)
      return named
    }
    const toWrite = { ...report, run: named, item: { ...item, ...names } }
    let { marks } = names
    const written = await files.writeReport(toWrite, (at, mark) => {
      marks = marks.with(at, mark)
      const next = withItem(named, item.itemId, { marks })
      const kept = keep(next)
      if (kept.ok) named = next
      return kept
    })
    await options.rows.closeReport(head.value.reportId)
    if (!written.ok) return unmade(named, company, item, written.error)
    const { checks } = head.value
    const findings = new Set(checks.findings.map(({ row }) => row)).size
    const said = [...head.value.said, ...written.value]
    return put(withItem(named, item.itemId, { state: 'made', findings, said, error: null }))
  }

  const unmade = (run: ReportRun, { company }: RunCompany, item: RunItem, error: AppError): ReportRun => {
    if (error.kind === 'stopped') return stopped(run, null)
    if (FAILS_FOR_ALL.has(error.kind)) return stopped(run, error)
    if (!OUT_OF_REACH.has(error.kind)) return put(withItem(run, item.itemId, { state: 'failed', error }))
    const waiting = withItem(run, item.itemId, { state: 'waiting' })
    return put(withCompany(waiting, company.endpointId, { contact: 'silent', silence: error }))
  }

  const finish = async (before: ReportRun): Promise<ReportRun> => {
    let run = before
    for (const due of files.due(run)) {
      // As above, its name first. While it is written, it counts as empty.
      run = put(withFile(run, { ...due, itemIds: [] }))
      if (run.state === 'stopped') return run
      const written = await files.writeJoint(run, due, (file) => {
        const next = withFile(run, { ...file, itemIds: [] })
        const kept = keep(next)
        if (kept.ok) run = next
        return kept
      })
      if (!written.ok) return put({ ...run, state: 'stopped', error: written.error })
      run = put(written.value === null ? withoutFile(run, due) : withFile(run, written.value))
      if (run.state === 'stopped') return run
    }
    // Failed reports can be tried again, and the joint files with them.
    const isWhole = run.items.every(({ state }) => state === 'made' || state === 'not-offered')
    if (isWhole) {
      resultOf(() => {
        store.removeReports(run.runId)
      })
    }
    return put({ ...run, state: 'finished', error: null })
  }

  const step = (run: ReportRun, manner: TestOptions): Promise<ReportRun> | ReportRun => {
    const next = nextStep(run)
    switch (next.step) {
      case 'test':
        return testOne(run, next.company, manner)
      case 'make':
        return makeOne(run, next.company, next.item, manner)
      case 'ask-user':
        return put({ ...run, state: 'needs-you' })
      case 'finish':
        return finish(run)
    }
  }

  const work = async (runId: string, own: ActiveRun): Promise<void> => {
    try {
      const read = resultOf(() => store.get(runId))
      const found = read.ok ? read.value : null
      if (found === null) return
      let run = put({ ...found, state: 'running', error: null })
      const manner: TestOptions = {
        priority: 'batch',
        batchId: runId,
        onEntry: (entryId) => {
          own.entryId = entryId
          if (own.isStopping) options.stopEntry(entryId)
        },
      }
      while (run.state === 'running' && !isClosed) {
        run = own.isStopping ? stopped(run, null) : await step(run, manner)
        own.entryId = null
      }
    } finally {
      active.delete(runId)
    }
  }

  return {
    continue(runId) {
      if (isClosed) return Promise.resolve()
      const before = active.get(runId)
      if (before !== undefined) return before.ended
      const own: ActiveRun = { entryId: null, isStopping: false, ended: Promise.resolve() }
      active.set(runId, own)
      own.ended = work(runId, own).catch(options.defect)
      return own.ended
    },
    ended: (runId) => active.get(runId)?.ended ?? Promise.resolve(),
    stop(runId) {
      const own = active.get(runId)
      if (own === undefined) return
      own.isStopping = true
      if (own.entryId !== null) options.stopEntry(own.entryId)
    },
    close() {
      isClosed = true
    },
  }
}
