/** Does a job of reports one step after another, keeping each on disk, until it ends, is stopped, or needs the person. */
import type { TestOutcome } from '../../shared/contract/companies.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import {
  nextStep,
  withCompany,
  withFile,
  withItem,
  withoutFile,
  type JobCompany,
  type JobItem,
  type ReportJob,
} from '../../shared/reports/jobs.ts'
import type { AppError, ErrorKind, Result } from '../../shared/result.ts'
import type { Rows } from '../rows/rows.ts'
import type { ReportJobStore } from '../store/report-jobs.ts'
import type { TestManner } from './company-test.ts'
import type { JobFiles } from './report-job-files.ts'
import type { ReportReader } from './report-reader.ts'

export interface RunnerOptions {
  readonly store: ReportJobStore
  readonly reader: ReportReader
  readonly rows: Pick<Rows, 'closeReport'>
  readonly files: JobFiles
  readonly test: (company: CompanyRef, manner: TestManner) => Promise<Result<TestOutcome>>
  /** Takes a request out of the queue, or lets go of it. */
  readonly stopEntry: (entryId: string) => void
  readonly changed: (job: ReportJob) => void
  readonly defect: (cause: unknown) => void
}

export interface JobRunner {
  /** Runs a job that is on disk; once, however often it is asked. */
  run(jobId: string): void
  stop(jobId: string): void
  /** No further step begins; what is on disk is taken up at another start. */
  close(): void
}

/** The company can't be reached just now: it goes to the end, and the person is asked. */
const OUT_OF_REACH: ReadonlySet<ErrorKind> = new Set([
  'timed-out',
  'dropped',
  'unreachable',
  'company-unavailable',
])
/** What would fail for every company: the job stops and says so. */
const OF_ALL: ReadonlySet<ErrorKind> = new Set([
  'unauthorised',
  'untrusted-certificate',
  'proxy-refused',
  'connection-changed',
  'paused',
  'keychain',
  'store',
])

export function createJobRunner(options: RunnerOptions): JobRunner {
  const { store, reader, files, changed } = options
  /** The jobs that run here, with the entry that is on its way. */
  const running = new Map<string, { entryId: string | null; isStopping: boolean }>()
  let isClosed = false

  const put = (job: ReportJob): ReportJob => {
    const kept = store.put(job)
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

  const testOne = async (job: ReportJob, { company }: JobCompany, manner: TestManner): Promise<ReportJob> => {
    const tested = await options.test(company, manner)
    if (!tested.ok) return stopped(job, tested.error.kind === 'stopped' ? null : tested.error)
    const { value } = tested
    const isSilent =
      value.outcome === 'silent' || (value.outcome === 'refused' && OUT_OF_REACH.has(value.error.kind))
    // A refusal of another kind says nothing of its reports.
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
    manner: TestManner,
  ): Promise<ReportJob> => {
    const job = put(withItem(before, item.itemId, { state: 'making' }))
    if (job.state === 'stopped') return job
    const { companyName, application, from, to } = company
    const asked = { company: company.company, companyName, application, name: item.madeAs, from, to }
    const head = await reader.read({ ...asked, ...manner })
    if (!head.ok) return unmade(job, company, item, head.error)
    const report = { job, company, item, head: head.value }
    // Known before they are written, so that after a crash the same ones are written and no second ones.
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
      const kept = store.put(next)
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
      // As above: its name first. What was in it counts for nothing while it is written.
      job = put(withFile(job, { ...due, itemIds: [] }))
      if (job.state === 'stopped') return job
      const written = await files.writeJoint(job, due, (file) => {
        const next = withFile(job, { ...file, itemIds: [] })
        const kept = store.put(next)
        if (kept.ok) job = next
        return kept
      })
      if (!written.ok) return put({ ...job, state: 'stopped', error: written.error })
      job = put(written.value === null ? withoutFile(job, due) : withFile(job, written.value))
      if (job.state === 'stopped') return job
    }
    // What failed may be made again, and the files of several with it.
    const isWhole = job.items.every(({ state }) => state === 'made' || state === 'not-offered')
    if (isWhole) store.removeReports(job.jobId)
    return put({ ...job, state: 'finished', error: null })
  }

  const step = (job: ReportJob, manner: TestManner): Promise<ReportJob> | ReportJob => {
    const next = nextStep(job)
    switch (next.step) {
      case 'test':
        return testOne(job, next.company, manner)
      case 'make':
        return makeOne(job, next.company, next.item, manner)
      case 'ask-person':
        return put({ ...job, state: 'needs-you' })
      case 'finish':
        return finish(job)
    }
  }

  const work = async (jobId: string): Promise<void> => {
    const own = { entryId: null as string | null, isStopping: false }
    running.set(jobId, own)
    try {
      const found = store.get(jobId)
      if (!found.ok || found.value === null) return
      let job = put({ ...found.value, state: 'running', error: null })
      const manner: TestManner = {
        priority: 'batch',
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
      if (running.has(jobId) || isClosed) return
      work(jobId).catch(options.defect)
    },
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
