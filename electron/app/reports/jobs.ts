/** Report jobs, such as month end: reports for several companies. Also the saved sets of reports. */
import { displayName } from '../../../shared/companies/companies.ts'
import type { TestOutcome } from '../../../shared/contract/companies.ts'
import type { CheckedInput } from '../../../shared/contract/contract.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { type JobCompany, type JobItem, type ReportJob, jobCounts } from '../../../shared/reports/jobs.ts'
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
} from './job-steps.ts'
import { type Period, periodFor, periodProblem } from '../../../shared/reports/periods.ts'
import { type AppError, type ErrorKind, type Result, appError, err, ok } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import { letterheadOf } from '../../files/print/letterhead.ts'
import type { Rows } from '../../rows/rows.ts'
import type { ServiceClient } from '../../service/protocol/wire.ts'
import { resultOf } from '../../store/database.ts'
import type { ReportJobStore } from '../../store/report-jobs.ts'
import type { StoredCompany } from '../../store/companies.ts'
import type { HandlersOf } from '../calls.ts'
import type { Companies, TestOptions } from '../companies/companies.ts'
import type { Announcer, FolderDialog, Printer, SettingsStore } from '../ports.ts'
import { type JobFiles, createJobFiles } from './job-files.ts'
import { type ReportReader, type ReportWatch, createReportReader } from './reports.ts'

export interface ReportJobsOptions {
  readonly client: ServiceClient
  /** Not the window's, because a job outlives the page. */
  readonly rows: Rows
  readonly store: ReportJobStore
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

type JobRequest = CheckedInput<'reportJobs.start'>

export interface ReportJobs {
  readonly handlers: HandlersOf<'reportJobs'>
  /** Starts a job with a known folder. The caller announces its end. */
  begin(asked: JobRequest, folder: string): Result<ReportJob>
  /** Waits until a job has stopped running. Returns it, or `null` if it was removed. */
  ended(jobId: string): Promise<ReportJob | null>
  /** Resumes a job: tries companies that didn't respond again, or skips them. */
  resume(jobId: string, silent: 'again' | 'skip'): Promise<Result<unknown>>
  /** Shows jobs that an earlier run left running as stopped. They resume when the user says so. */
  start(): void
  close(): void
}

export function createReportJobs(options: ReportJobsOptions): ReportJobs {
  const { store, companies, clock, announcer } = options
  /** Jobs of unattended runs, which announce their own end. */
  const ownNotice = new Set<string>()
  const runner = createJobRunner({
    store,
    reader: createReportReader(options),
    rows: options.rows,
    files: createJobFiles({
      ...options,
      format: () => ({ locale: options.locale, negatives: options.settings.get().negatives }),
      letterhead: () => letterheadOf(options.settings.get()),
    }),
    test: companies.test,
    stopEntry: options.stopEntry,
    changed(job) {
      announcer.emit('reportJobs.changed', job)
      if (ownNotice.has(job.jobId)) return
      if (job.state === 'finished' || job.state === 'needs-you') announcer.notify(job.title, noticeOf(job))
    },
    defect: (cause) => {
      options.defect('report job', cause)
    },
  })

  /** Changes a job that isn't running, and starts it. A restored one has no folder, so the user chooses one. */
  const resume = async (
    jobId: string,
    change: (job: ReportJob) => ReportJob,
  ): Promise<Result<Record<string, never>>> => {
    const asked = store.get(jobId)
    const hasFolder = asked === null || asked.folder !== ''
    const chosen = hasFolder ? '' : await options.folderDialog.choose()
    if (chosen === null) return ok({})
    // While the dialog was open, it may have been removed or resumed.
    const found = hasFolder ? asked : store.get(jobId)
    if (found === null) return err(appError('not-found', 'This run is no longer kept.', 'Start it again.'))
    if (found.state === 'running') return ok({})
    store.put(change({ ...found, folder: found.folder || chosen }))
    void runner.run(jobId)
    return ok({})
  }

  const jobCompanies = ({ connectionId, endpointIds, period }: JobRequest): Result<readonly JobCompany[]> => {
    const chosen: JobCompany[] = []
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
      chosen.push(jobCompany(found.value, days))
    }
    return ok(chosen)
  }

  const startJob = (asked: JobRequest, chosen: readonly JobCompany[], folder: string): ReportJob => {
    const { connectionId, title, reports, fileKinds, combined, pack, hideZeroRows } = asked
    const job: ReportJob = {
      jobId: options.newId(),
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
    store.add(job)
    void runner.run(job.jobId)
    return job
  }

  const handlers: HandlersOf<'reportJobs'> = {
    'reportJobs.list': ({ connectionId }) => ok(store.list(connectionId)),

    'reportJobs.start': async (asked) => {
      const chosen = jobCompanies(asked)
      if (!chosen.ok) return chosen
      const folder = await options.folderDialog.choose()
      return ok({ job: folder === null ? null : startJob(asked, chosen.value, folder) })
    },

    'reportJobs.stop': ({ jobId }) => {
      runner.stop(jobId)
      return ok({})
    },

    'reportJobs.resume': ({ jobId }) => resume(jobId, (job) => job),

    'reportJobs.retry': ({ jobId }) => resume(jobId, forRetry),

    'reportJobs.answer': ({ jobId, endpointId, answer }) =>
      resume(jobId, (job) => afterAnswer(job, endpointId, answer)),

    'reportJobs.remove': ({ jobId }) => {
      const found = store.get(jobId)
      if (found?.state === 'running') {
        return err(appError('invalid-input', 'It is still running.', 'Stop it first.'))
      }
      store.remove(jobId)
      return ok({})
    },

    'reportJobs.sets': () => ok(store.sets()),

    'reportJobs.saveSet': (set) => {
      store.putSet(set)
      return ok({})
    },

    'reportJobs.removeSet': ({ name }) => {
      store.removeSet(name)
      return ok({})
    },
  }

  return {
    handlers,
    begin(asked, folder) {
      const chosen = jobCompanies(asked)
      if (!chosen.ok) return chosen
      const begun = resultOf(() => startJob(asked, chosen.value, folder))
      if (begun.ok) ownNotice.add(begun.value.jobId)
      return begun
    },
    async ended(jobId) {
      await runner.ended(jobId)
      return store.get(jobId)
    },
    resume: (jobId, silent) =>
      resume(jobId, (job) =>
        job.companies
          .filter(({ contact }) => contact === 'silent')
          .reduce((next, { company }) => afterAnswer(next, company.endpointId, silent), job),
      ),
    start() {
      resultOf(() => {
        for (const job of store.all()) {
          const left = afterRestart(job)
          if (left !== job) store.put(left)
        }
      })
    },
    close() {
      runner.close()
    },
  }
}

function jobCompany(company: StoredCompany, { from, to }: Period): JobCompany {
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
function noticeOf(job: ReportJob): string {
  if (job.state === 'needs-you') {
    const silent = job.companies.filter(({ contact }) => contact === 'silent')
    const names = silent.map(({ companyName }) => companyName).join(', ')
    return `Open ${names} now, or skip.`
  }
  const { made, failed, skipped } = jobCounts(job)
  const parts = [`${String(made)} made`]
  if (failed > 0) parts.push(`${String(failed)} failed`)
  if (skipped > 0) parts.push(`${String(skipped)} skipped`)
  return `${parts.join(', ')}.`
}

/*
 * Runs a job step by step until it ends, is stopped, or needs the user. Saves every step.
 */

export interface RunnerOptions {
  readonly store: ReportJobStore
  readonly reader: ReportReader
  readonly rows: Pick<Rows, 'closeReport'>
  readonly files: JobFiles
  readonly test: (company: CompanyRef, manner: TestOptions) => Promise<Result<TestOutcome>>
  /** Removes a request from the queue, or abandons it if it is running. */
  readonly stopEntry: (entryId: string) => void
  readonly changed: (job: ReportJob) => void
  readonly defect: (cause: unknown) => void
}

export interface JobRunner {
  /** Runs a saved job. Further calls join the same run. Resolves when it has stopped running. */
  run(jobId: string): Promise<void>
  /** Resolves when a job has stopped running. */
  ended(jobId: string): Promise<void>
  stop(jobId: string): void
  /** Begins no further step. The next start finds the saved jobs. */
  close(): void
}

/** Errors that say that a company can't be reached now. It comes last, and the user is asked. */
export const OUT_OF_REACH: ReadonlySet<ErrorKind> = new Set([
  'timed-out',
  'dropped',
  'unreachable',
  'company-unavailable',
])
/** Errors that would occur for every company. They stop the job. */
export const OF_ALL: ReadonlySet<ErrorKind> = new Set([
  'unauthorized',
  'untrusted-certificate',
  'proxy-refused',
  'connection-changed',
  'paused',
  'keychain',
  'store',
])

/** A running job. */
interface RunningJob {
  /** The queue entry of its current request. */
  entryId: string | null
  isStopping: boolean
  ended: Promise<void>
}

/** @internal */
export function createJobRunner(options: RunnerOptions): JobRunner {
  const { store, reader, files, changed } = options
  const running = new Map<string, RunningJob>()
  let isClosed = false

  const keep = (job: ReportJob): Result<void> =>
    resultOf(() => {
      store.put(job)
    })

  const put = (job: ReportJob): ReportJob => {
    const kept = keep(job)
    if (kept.ok) {
      changed(job)
      return job
    }
    const stopped: ReportJob = { ...job, state: 'stopped', error: kept.error }
    changed(stopped)
    return stopped
  }

  const stopped = (job: ReportJob, error: AppError | null): ReportJob =>
    put({
      ...job,
      state: 'stopped',
      error,
      items: job.items.map((item): JobItem =>
        item.state === 'making' ? { ...item, state: 'waiting' } : item,
      ),
    })

  const testOne = async (
    job: ReportJob,
    { company }: JobCompany,
    manner: TestOptions,
  ): Promise<ReportJob> => {
    const tested = await options.test(company, manner)
    if (!tested.ok) return stopped(job, tested.error.kind === 'stopped' ? null : tested.error)
    const { value } = tested
    const isSilent =
      value.outcome === 'silent' || (value.outcome === 'refused' && OUT_OF_REACH.has(value.error.kind))
    // Another kind of refusal says nothing about its reports.
    return put(
      withCompany(job, company.endpointId, {
        contact: isSilent ? 'silent' : 'answered',
        silence: isSilent ? value.error : null,
      }),
    )
  }

  const makeOne = async (
    before: ReportJob,
    company: JobCompany,
    item: JobItem,
    manner: TestOptions,
  ): Promise<ReportJob> => {
    const job = put(withItem(before, item.itemId, { state: 'making' }))
    if (job.state === 'stopped') return job
    const { companyName, application, from, to } = company
    const asked = { company: company.company, companyName, application, name: item.madeAs, from, to }
    const head = await reader.read({ ...asked, ...manner })
    if (!head.ok) return unmade(job, company, item, head.error)
    const report = { job, company, item, head: head.value }
    // Saved before the files are written, so that the same files are written again after a crash.
    const names = files.namesOf(report)
    let named = put(withItem(job, item.itemId, names))
    if (named.state === 'stopped') {
      await options.rows.closeReport(head.value.reportId)
      return named
    }
    const toWrite = { ...report, job: named, item: { ...item, ...names } }
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

  const unmade = (job: ReportJob, { company }: JobCompany, item: JobItem, error: AppError): ReportJob => {
    if (error.kind === 'stopped') return stopped(job, null)
    if (OF_ALL.has(error.kind)) return stopped(job, error)
    if (!OUT_OF_REACH.has(error.kind)) return put(withItem(job, item.itemId, { state: 'failed', error }))
    const waiting = withItem(job, item.itemId, { state: 'waiting' })
    return put(withCompany(waiting, company.endpointId, { contact: 'silent', silence: error }))
  }

  const finish = async (before: ReportJob): Promise<ReportJob> => {
    let job = before
    for (const due of files.due(job)) {
      // As above, its name first. While it is written, it counts as empty.
      job = put(withFile(job, { ...due, itemIds: [] }))
      if (job.state === 'stopped') return job
      const written = await files.writeJoint(job, due, (file) => {
        const next = withFile(job, { ...file, itemIds: [] })
        const kept = keep(next)
        if (kept.ok) job = next
        return kept
      })
      if (!written.ok) return put({ ...job, state: 'stopped', error: written.error })
      job = put(written.value === null ? withoutFile(job, due) : withFile(job, written.value))
      if (job.state === 'stopped') return job
    }
    // Failed reports can be tried again, and the joint files with them.
    const isWhole = job.items.every(({ state }) => state === 'made' || state === 'not-offered')
    if (isWhole) {
      resultOf(() => {
        store.removeReports(job.jobId)
      })
    }
    return put({ ...job, state: 'finished', error: null })
  }

  const step = (job: ReportJob, manner: TestOptions): Promise<ReportJob> | ReportJob => {
    const next = nextStep(job)
    switch (next.step) {
      case 'test':
        return testOne(job, next.company, manner)
      case 'make':
        return makeOne(job, next.company, next.item, manner)
      case 'ask-user':
        return put({ ...job, state: 'needs-you' })
      case 'finish':
        return finish(job)
    }
  }

  const work = async (jobId: string, own: RunningJob): Promise<void> => {
    try {
      const read = resultOf(() => store.get(jobId))
      const found = read.ok ? read.value : null
      if (found === null) return
      let job = put({ ...found, state: 'running', error: null })
      const manner: TestOptions = {
        priority: 'batch',
        batchId: jobId,
        onEntry: (entryId) => {
          own.entryId = entryId
          if (own.isStopping) options.stopEntry(entryId)
        },
      }
      while (job.state === 'running' && !isClosed) {
        job = own.isStopping ? stopped(job, null) : await step(job, manner)
        own.entryId = null
      }
    } finally {
      running.delete(jobId)
    }
  }

  return {
    run(jobId) {
      if (isClosed) return Promise.resolve()
      const before = running.get(jobId)
      if (before !== undefined) return before.ended
      const own: RunningJob = { entryId: null, isStopping: false, ended: Promise.resolve() }
      running.set(jobId, own)
      own.ended = work(jobId, own).catch(options.defect)
      return own.ended
    },
    ended: (jobId) => running.get(jobId)?.ended ?? Promise.resolve(),
    stop(jobId) {
      const own = running.get(jobId)
      if (own === undefined) return
      own.isStopping = true
      if (own.entryId !== null) options.stopEntry(own.entryId)
    },
    close() {
      isClosed = true
    },
  }
}
