/** The jobs of one connection as the main process has them, and what can be done with them. */
import type { ReportJob } from '../../../shared/report-jobs.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'

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
