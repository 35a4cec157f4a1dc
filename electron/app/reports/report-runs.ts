/** Runs of reports for several companies, such as month end. Also the saved sets of reports. */
import { displayName } from '../../../shared/companies/companies.ts'
import type { TestOutcome } from '../../../shared/contract/companies.ts'
import type { CheckedInput } from '../../../shared/contract/contract.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { type RunCompany, type RunItem, type ReportRun, runCounts } from '../../../shared/reports/runs.ts'
import {
  afterAnswer,
  afterRestart,
  forRetry,
  nextStep,
  planItems,
  withCompany,
  withFile,
  withItem,
  withoutFile,
} from './run-steps.ts'
import { type Period, periodFor, periodProblem } from '../../../shared/reports/periods.ts'
import { type AppError, type ErrorKind, type Result, appError, err, ok } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import { letterheadOf } from '../../files/print/letterhead.ts'
import type { Rows } from '../../rows/rows.ts'
import type { ServiceClient } from '../../service/protocol/wire.ts'
import { resultOf } from '../../store/database.ts'
import type { ReportRunStore } from '../../store/report-runs.ts'
import type { StoredCompany } from '../../store/companies.ts'
import type { HandlersOf } from '../calls.ts'
import type { Companies, TestOptions } from '../companies/companies.ts'
import type { Announcer, FolderDialog, Printer, SettingsStore } from '../ports.ts'
import { type ReportFiles, createReportFiles } from './report-files.ts'
import { type ReportReader, type ReportWatch, createReportReader } from './reports.ts'

export interface ReportRunsOptions {
  readonly client: ServiceClient
  /** Not the window's, because a run outlives the page. */
  readonly rows: Rows
  readonly store: ReportRunStore
  readonly companies: Pick<Companies, 'find' | 'test' | 'withProbe'>
  readonly watch: ReportWatch
  readonly folderDialog: FolderDialog
  readonly printer: Printer
  readonly settings: SettingsStore
  readonly locale: string
  readonly announcer: Announcer
  readonly clock: Clock
  readonly stopEntry: (entryId: string) => void
  readonly newId: () => string
  readonly defect: (where: string, cause: unknown) => void
}

type NewRun = CheckedInput<'reportRuns.start'>

export interface ReportRuns {
  readonly handlers: HandlersOf<'reportRuns'>
  /** Starts a run with a known folder. The caller announces its end. */
  begin(asked: NewRun, folder: string): Result<ReportRun>
  /** Waits until a run is no longer going on. Returns it, or `null` if it was removed. */
  ended(runId: string): Promise<ReportRun | null>
  /** Waits until a run that isn’t going on is resumed or removed. */
  answered(runId: string): Promise<unknown>
  /** Resumes a run: tries companies that didn't respond again, or skips them. */
  resume(runId: string, silent: 'again' | 'skip'): Promise<Result<unknown>>
  /** Shows runs that were going on when the program ended as stopped. They resume when the user says so. */
  start(): void
  close(): void
}

export function createReportRuns(options: ReportRunsOptions): ReportRuns {
  const { store, companies, clock, announcer } = options
  /** Runs of unattended runs, which announce their own end. */
  const ownNotice = new Set<string>()
  const answers = new Map<string, PromiseWithResolvers<null>>()
  const wasAnswered = (runId: string): void => {
    answers.get(runId)?.resolve(null)
    answers.delete(runId)
  }
  const runner = createReportRunner({
    store,
    reader: createReportReader(options),
    rows: options.rows,
    files: createReportFiles({
      ...options,
      format: () => ({ locale: options.locale, negatives: options.settings.get().negatives }),
      letterhead: () => letterheadOf(options.settings.get()),
    }),
    test: companies.test,
    stopEntry: options.stopEntry,
    changed(run) {
      announcer.emit('reportRuns.changed', run)
      if (ownNotice.has(run.runId)) return
      if (run.state === 'finished' || run.state === 'needs-you') announcer.notify(run.title, noticeOf(run))
    },
    defect: (cause) => {
      options.defect('report run', cause)
    },
  })

  /** Changes a run that isn't going on, and starts it. A restored one has no folder, so the user chooses one. */
  const resume = async (
    runId: string,
    change: (run: ReportRun) => ReportRun,
  ): Promise<Result<Record<string, never>>> => {
    const asked = store.get(runId)
    const hasFolder = asked === null || asked.folder !== ''
    const chosen = hasFolder ? '' : await options.folderDialog.choose()
    if (chosen === null) return ok({})
    // While the dialog was open, it may have been removed or resumed.
    const found = hasFolder ? asked : store.get(runId)
    if (found === null) return err(appError('not-found', 'This run no longer exists.', 'Start it again.'))
    if (found.state === 'running') return ok({})
    store.put(change({ ...found, folder: found.folder || chosen }))
    void runner.continue(runId)
    wasAnswered(runId)
    return ok({})
  }

  const runCompanies = ({ connectionId, endpointIds, period }: NewRun): Result<readonly RunCompany[]> => {
    const chosen: RunCompany[] = []
    for (const endpointId of new Set(endpointIds)) {
      const found = companies.find({ connectionId, endpointId })
      if (!found.ok) return found
      const days =
        period.choice === 'dates'
          ? period
          : periodFor(period.choice, period.today, found.value.fiscalYearStart)
      if (days === null || periodProblem(days) !== null) {
        return err(appError('invalid-input', 'This is not a valid period.', 'Choose another period.'))
      }
      chosen.push(runCompany(found.value, days))
    }
    return ok(chosen)
  }

  const startRun = (asked: NewRun, chosen: readonly RunCompany[], folder: string): ReportRun => {
    const { connectionId, title, reports, fileKinds, combined, pack, hideZeroRows } = asked
    const run: ReportRun = {
      runId: options.newId(),
      connectionId,
      title,
      createdAt: timestamp(clock),
      folder,
      state: 'running',
      error: null,
      companies: chosen,
      items: planItems(chosen, reports, options.newId),
      fileKinds,
      combined,
      pack,
      hideZeroRows,
      files: [],
    }
    store.add(run)
    void runner.continue(run.runId)
    return run
  }

  const handlers: HandlersOf<'reportRuns'> = {
    'reportRuns.list': ({ connectionId }) => ok(store.list(connectionId)),

    'reportRuns.start': async (asked) => {
      const chosen = runCompanies(asked)
      if (!chosen.ok) return chosen
      const folder = await options.folderDialog.choose()
      return ok({ run: folder === null ? null : startRun(asked, chosen.value, folder) })
    },

    'reportRuns.stop': ({ runId }) => {
      runner.stop(runId)
      return ok({})
    },

    'reportRuns.resume': ({ runId }) => resume(runId, (run) => run),

    'reportRuns.retry': ({ runId }) => resume(runId, forRetry),

    'reportRuns.answer': ({ runId, endpointId, answer }) =>
      resume(runId, (run) => afterAnswer(run, endpointId, answer)),

    'reportRuns.remove': ({ runId }) => {
      const found = store.get(runId)
      if (found?.state === 'running') {
        return err(appError('invalid-input', 'It is still running.', 'Stop it first.'))
      }
      store.remove(runId)
      wasAnswered(runId)
      return ok({})
    },

    'reportRuns.sets': () => ok(store.sets()),

    'reportRuns.saveSet': (set) => {
      store.putSet(set)
      return ok({})
    },

    'reportRuns.removeSet': ({ name }) => {
      store.removeSet(name)
      return ok({})
    },
  }

  return {
    handlers,
    begin(asked, folder) {
      const chosen = runCompanies(asked)
      if (!chosen.ok) return chosen
      const begun = resultOf(() => startRun(asked, chosen.value, folder))
      if (begun.ok) ownNotice.add(begun.value.runId)
      return begun
    },
    async ended(runId) {
      await runner.ended(runId)
      return store.get(runId)
    },
    answered(runId) {
      const answer = answers.get(runId) ?? Promise.withResolvers<null>()
      answers.set(runId, answer)
      return answer.promise
    },
    resume: (runId, silent) =>
      resume(runId, (run) =>
        run.companies
          .filter(({ contact }) => contact === 'silent')
          .reduce((next, { company }) => afterAnswer(next, company.endpointId, silent), run),
      ),
    start() {
      resultOf(() => {
        for (const run of store.all()) {
          const left = afterRestart(run)
          if (left !== run) store.put(left)
        }
      })
    },
    close() {
      runner.close()
    },
  }
}

function runCompany(company: StoredCompany, { from, to }: Period): RunCompany {
  const { ref, application, applicationName } = company
  return {
    company: ref,
    companyName: displayName(company),
    application,
    applicationName,
    from,
    to,
    contact: 'untested',
    silence: null,
  }
}

/** For people who have switched to another window. */
function noticeOf(run: ReportRun): string {
  if (run.state === 'needs-you') {
    const silent = run.companies.filter(({ contact }) => contact === 'silent')
    const names = silent.map(({ companyName }) => companyName).join(', ')
    return `Open ${names} now, or skip.`
  }
  const { made, failed, skipped } = runCounts(run)
  const parts = [`${String(made)} made`]
  if (failed > 0) parts.push(`${String(failed)} failed`)
  if (skipped > 0) parts.push(`${String(skipped)} skipped`)
  return `${parts.join(', ')}.`
}

/*
 * Takes a run step by step until it ends, is stopped, or needs the user. Saves every step.
 */

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

/** @internal */
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
