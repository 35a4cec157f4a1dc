/** The jobs of one connection as the main process has them, and what can be done with them. */
import type { Company } from '../../../shared/contract/companies.ts'
import type { CallInput } from '../../../shared/contract/contract.ts'
import type { ReportSet } from '../../../shared/contract/report-jobs.ts'
import { type JobFile, type JobItem, type ReportJob, jobCounts } from '../../../shared/reports/jobs.ts'
import { type Period, type PeriodChoice, periodProblem } from '../../../shared/reports/periods.ts'
import { reportTitle } from '../../../shared/reports/reports.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import type { Outcome } from '../../ui/notices/outcomes.ts'

export class JobsDesk {
  readonly #api: Api
  readonly #connectionId: string
  jobs = $state.raw<readonly ReportJob[]>([])
  error = $state.raw<AppError | null>(null)

  constructor(api: Api, connectionId: string) {
    this.#api = api
    this.#connectionId = connectionId
  }

  /** Reads them, and follows their changes until the answered function is called. */
  listen(): () => void {
    void this.#load()
    return this.#api.on('reportJobs.changed', (job) => {
      if (job.connectionId !== this.#connectionId) return
      const isKnown = this.jobs.some(({ jobId }) => jobId === job.jobId)
      this.jobs = isKnown
        ? this.jobs.map((each) => (each.jobId === job.jobId ? job : each))
        : [job, ...this.jobs]
    })
  }

  async stop({ jobId }: ReportJob): Promise<void> {
    this.#told(await this.#api.call('reportJobs.stop', { jobId }))
  }

  async goOn({ jobId }: ReportJob): Promise<void> {
    this.#told(await this.#api.call('reportJobs.goOn', { jobId }))
  }

  async retry({ jobId }: ReportJob): Promise<void> {
    this.#told(await this.#api.call('reportJobs.retry', { jobId }))
  }

  async answer({ jobId }: ReportJob, endpointId: string, answer: 'again' | 'skip'): Promise<void> {
    this.#told(await this.#api.call('reportJobs.answer', { jobId, endpointId, answer }))
  }

  async remove({ jobId }: ReportJob): Promise<void> {
    const removed = await this.#api.call('reportJobs.remove', { jobId })
    this.#told(removed)
    if (removed.ok) this.jobs = this.jobs.filter((job) => job.jobId !== jobId)
  }

  async #load(): Promise<void> {
    const jobs = await this.#api.call('reportJobs.list', { connectionId: this.#connectionId })
    this.#told(jobs)
    if (jobs.ok) this.jobs = jobs.value
  }

  #told(result: Result<unknown>): void {
    this.error = result.ok ? null : result.error
  }
}

// What is chosen for a job of reports: which reports, of whom, for which days, as which files.

/** `several`: one report or a set, many companies. `month-end`: a set, beginning with the open company alone. */
export type JobKind = 'several' | 'month-end'

/** Which job page an address names; `null` for the page of one report. */
export function jobKindOf(part: string | undefined): JobKind | null {
  return part === 'several' || part === 'month-end' ? part : null
}

/** The value of *Reports* for a set; report names stand for themselves. */
const SET = 'set:'

export class JobForm {
  readonly kind: JobKind
  /** A report's name, or `set:` and a set's. */
  what = $state('')
  choice = $state<PeriodChoice>('last-month')
  typed = $state.raw<Period>({ from: '', to: '' })
  ticked = $state.raw<ReadonlySet<string>>(new Set())
  sets = $state.raw<readonly ReportSet[]>([])
  fileKinds = $state.raw<ReadonlySet<JobFile>>(new Set(['xlsx']))
  combined = $state(true)
  pack = $state(false)
  hideZeroRows = $state(false)

  constructor(kind: JobKind, name: string, open: Company | null) {
    this.kind = kind
    this.what = kind === 'several' ? name : `${SET}Month end`
    this.combined = kind === 'several'
    this.pack = kind === 'month-end'
    if (open && kind === 'month-end') this.ticked = new Set([open.ref.endpointId])
  }

  /** The set that is chosen; `null` where one report is. */
  get set(): ReportSet | null {
    if (!this.what.startsWith(SET)) return null
    const name = this.what.slice(SET.length)
    return this.sets.find((set) => set.name === name) ?? null
  }

  get reports(): readonly string[] {
    if (this.set) return this.set.reports
    return this.what.startsWith(SET) || this.what.trim() === '' ? [] : [this.what.trim()]
  }

  get title(): string {
    return this.set?.name ?? reportTitle(this.what.trim())
  }

  static setValue(name: string): string {
    return `${SET}${name}`
  }

  /** Why it can't begin yet, in words; `null` when it can. */
  get problem(): string | null {
    if (this.reports.length === 0) return 'Choose a report or a set.'
    if (this.ticked.size === 0) return 'Select at least one company.'
    if (this.choice === 'dates') {
      const problem = periodProblem(this.typed)
      if (problem) return problem
    }
    return this.fileKinds.size === 0 && !this.combined && !this.pack ? 'Choose what to save.' : null
  }

  tick(endpointIds: readonly string[], on: boolean): void {
    const next = new Set(this.ticked)
    for (const endpointId of endpointIds) {
      if (on) next.add(endpointId)
      else next.delete(endpointId)
    }
    this.ticked = next
  }

  tickFile(kind: JobFile, on: boolean): void {
    const next = new Set(this.fileKinds)
    if (on) next.add(kind)
    else next.delete(kind)
    this.fileKinds = next
  }

  /** What is asked of the main process; companies in the order in which they are listed. */
  request(connectionId: string, companies: readonly Company[], today: string): CallInput<'reportJobs.start'> {
    const { choice } = this
    return {
      connectionId,
      title: this.title,
      reports: [...this.reports],
      endpointIds: companies.map(({ ref }) => ref.endpointId).filter((id) => this.ticked.has(id)),
      period: choice === 'dates' ? { choice, ...this.typed } : { choice, today },
      fileKinds: [...this.fileKinds],
      combined: this.combined,
      pack: this.pack,
      hideZeroRows: this.hideZeroRows,
    }
  }
}

// A job of reports in words. Pure.

/** How far it is, or how it ended: `12 of 14 made, 1 failed, 1 not offered`. */
export function jobSummary(job: ReportJob): string {
  const counts = jobCounts(job)
  const parts = [`${counts.made} of ${job.items.length} ready`]
  if (counts.failed > 0) parts.push(`${counts.failed} failed`)
  if (counts.skipped > 0) parts.push(`${counts.skipped} skipped`)
  if (counts['not-offered'] > 0) parts.push(`${counts['not-offered']} not offered`)
  if (counts.waiting > 0 && job.state !== 'running') parts.push(`${counts.waiting} waiting`)
  return parts.join(', ')
}

export function jobStateWords(job: ReportJob): string {
  switch (job.state) {
    case 'running':
      return 'Running'
    case 'needs-you':
      return 'Waits for you'
    case 'stopped':
      return 'Stopped'
    case 'finished':
      return 'Finished'
  }
}

function wrongWords({ findings }: JobItem): string[] {
  if (findings === 0) return []
  return [findings === 1 ? '1 total doesn’t add up' : `${findings} totals don’t add up`]
}

/** What became of one report, and its sign; why, where it was not made. */
export function itemWords(
  item: JobItem,
  applicationName: string,
): { readonly words: string; readonly outcome: Outcome | null } {
  const mapped =
    item.madeAs === item.name ? '' : `, as ${reportTitle(item.madeAs)}: its name in ${applicationName}`
  switch (item.state) {
    case 'waiting':
      return { words: 'waiting', outcome: 'waiting' }
    case 'making':
      return { words: 'running', outcome: 'sending' }
    case 'made': {
      const caution = [...wrongWords(item), ...item.said]
      return caution.length > 0
        ? { words: `made${mapped}; ${caution.join('; ')}`, outcome: 'caution' }
        : { words: `made${mapped}`, outcome: 'saved' }
    }
    case 'failed':
      return { words: item.error?.message ?? 'failed', outcome: 'refused' }
    case 'skipped':
      return { words: 'skipped: the company could not be reached', outcome: null }
    case 'not-offered':
      return { words: `${applicationName} has no such report`, outcome: null }
  }
}

/** What became of a company's reports together: *5 of 5 made · totals agree*. */
export function companyWords(items: readonly JobItem[]): {
  readonly words: string
  readonly outcome: Outcome | null
  /** Whether something has to be read about one of them. */
  readonly needsLook: boolean
} {
  const offered = items.filter(({ state }) => state !== 'not-offered')
  const count = (state: JobItem['state']): number => offered.filter((item) => item.state === state).length
  const [made, failed, skipped] = [count('made'), count('failed'), count('skipped')]
  const cautions = offered.filter((item) => itemWords(item, '').outcome === 'caution').length
  const isWhole = made === offered.length
  const told = [
    failed > 0 ? `${String(failed)} failed` : '',
    skipped > 0 ? `${String(skipped)} skipped` : '',
    cautions > 0 ? `${String(cautions)} to look at` : '',
    isWhole && made > 0 && cautions === 0 ? 'totals agree' : '',
  ].filter(Boolean)
  const words = [`${String(made)} of ${String(offered.length)} ready`, ...told].join(' · ')
  const needsLook = failed + skipped + cautions > 0
  if (failed > 0) return { words, outcome: 'refused', needsLook }
  if (cautions > 0) return { words, outcome: 'caution', needsLook }
  if (count('making') > 0) return { words, outcome: 'sending', needsLook }
  if (isWhole) return { words, outcome: made > 0 ? 'saved' : null, needsLook }
  return { words, outcome: skipped > 0 ? null : 'waiting', needsLook }
}
