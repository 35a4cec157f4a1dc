/** Reports for several companies as one job, month end among them, and the saved sets of reports. */
import { displayName } from '../../shared/companies/companies.ts'
import {
  type JobCompany,
  type ReportJob,
  afterAnswer,
  afterRestart,
  forRetry,
  jobCounts,
  planItems,
} from '../../shared/reports/jobs.ts'
import { periodFor, periodProblem, type Period } from '../../shared/reports/periods.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import type { Rows } from '../rows/rows.ts'
import type { ServiceClient } from '../service/wire.ts'
import type { StoredCompany } from '../store/store.ts'
import type { ReportJobStore } from '../store/report-jobs.ts'
import type { Companies } from './companies.ts'
import type { HandlersOf } from './handlers.ts'
import type { Clock } from '../clock.ts'
import type { Announcer, FolderDialog, Printer, SettingsStore } from './ports.ts'
import { createJobFiles } from './report-job-files.ts'
import { createJobRunner } from './report-job-runner.ts'
import { createReportReader } from './report-reader.ts'
import { timestamp } from './timestamp.ts'

export interface ReportJobsOptions {
  readonly client: ServiceClient
  /** Of their own, since a job outlives the window's page. */
  readonly rows: Rows
  readonly store: ReportJobStore
  readonly companies: Pick<Companies, 'known' | 'test' | 'ledBySmallRead'>
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

export interface ReportJobs {
  readonly handlers: HandlersOf<'reportJobs'>
  /** What an earlier run left running is shown as stopped; it goes on when the person says so. */
  start(): void
  close(): void
}

export function createReportJobs(options: ReportJobsOptions): ReportJobs {
  const { store, companies, clock, announcer } = options
  const runner = createJobRunner({
    store,
    reader: createReportReader(options.client, options.rows, clock, companies),
    rows: options.rows,
    files: createJobFiles({
      ...options,
      format: () => ({ locale: options.locale, negatives: options.settings.get().negatives }),
    }),
    test: companies.test,
    stopEntry: options.stopEntry,
    changed(job) {
      announcer.emit('reportJobs.changed', job)
      if (job.state === 'finished' || job.state === 'needs-you') announcer.notify(job.title, noticeOf(job))
    },
    defect: (cause) => {
      options.defect('report job', cause)
    },
  })

  /** Changes a job that does not run, and lets it run. A restored one has no folder yet: the person chooses it. */
  const goOn = async (
    jobId: string,
    change: (job: ReportJob) => ReportJob,
  ): Promise<Result<Record<string, never>>> => {
    const asked = store.get(jobId)
    if (!asked.ok) return asked
    const hasFolder = asked.value === null || asked.value.folder !== ''
    const chosen = hasFolder ? '' : await options.folderDialog.choose()
    if (chosen === null) return ok({})
    // While the dialog was open it may have been removed, or let go on.
    const found = hasFolder ? asked : store.get(jobId)
    if (!found.ok) return found
    if (found.value === null)
      return err(appError('not-found', 'This job is no longer kept.', 'Start it anew.'))
    if (found.value.state === 'running') return ok({})
    const kept = store.put(change({ ...found.value, folder: found.value.folder || chosen }))
    if (!kept.ok) return kept
    runner.run(jobId)
    return ok({})
  }

  const handlers: HandlersOf<'reportJobs'> = {
    'reportJobs.list': ({ connectionId }) => store.list(connectionId),

    'reportJobs.start': async (asked) => {
      const { connectionId, title, reports, endpointIds, period } = asked
      const chosen: JobCompany[] = []
      for (const endpointId of new Set(endpointIds)) {
        const found = companies.known({ connectionId, endpointId })
        if (!found.ok) return found
        const days =
          period.choice === 'dates'
            ? period
            : periodFor(period.choice, period.today, found.value.fiscalYearStart)
        if (days === null || periodProblem(days) !== null) {
          return err(appError('invalid-input', 'The period is not one.', 'Choose another period.'))
        }
        chosen.push(jobCompany(found.value, days))
      }
      const folder = await options.folderDialog.choose()
      if (folder === null) return ok({ job: null })
      const { fileKinds, combined, pack, hideZeroRows } = asked
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
      const kept = store.add(job)
      if (!kept.ok) return kept
      runner.run(job.jobId)
      return ok({ job })
    },

    'reportJobs.stop': ({ jobId }) => {
      runner.stop(jobId)
      return ok({})
    },

    'reportJobs.goOn': ({ jobId }) => goOn(jobId, (job) => job),

    'reportJobs.retry': ({ jobId }) => goOn(jobId, forRetry),

    'reportJobs.answer': ({ jobId, endpointId, answer }) =>
      goOn(jobId, (job) => afterAnswer(job, endpointId, answer)),

    'reportJobs.remove': ({ jobId }) => {
      const found = store.get(jobId)
      if (!found.ok) return found
      if (found.value?.state === 'running') {
        return err(appError('invalid-input', 'This job is running.', 'Stop it first.'))
      }
      const removed = store.remove(jobId)
      return removed.ok ? ok({}) : removed
    },

    'reportJobs.sets': () => store.sets(),

    'reportJobs.saveSet': (set) => {
      const kept = store.putSet(set)
      return kept.ok ? ok({}) : kept
    },

    'reportJobs.removeSet': ({ name }) => {
      const removed = store.removeSet(name)
      return removed.ok ? ok({}) : removed
    },
  }

  return {
    handlers,
    start() {
      const jobs = store.all()
      if (!jobs.ok) return
      for (const job of jobs.value) {
        const left = afterRestart(job)
        if (left !== job) store.put(left)
      }
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

/** For those who look elsewhere meanwhile. */
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
