/**
 * What lies on the desk in Reports, per company: the choice of report and period, the last report that was made, and
 * the one that is being made. It outlives the screen, so that a report goes on while another screen is used. Made
 * once in `App.svelte`.
 */
import type { LaneEntry } from '../../shared/contract/activity.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { periodFor, periodProblem, type Period, type PeriodChoice } from '../../shared/periods.ts'
import { reportTitle, type ReportHead, type ReportRow } from '../../shared/reports.ts'
import { ok, type AppError, type Result } from '../../shared/result.ts'
import type { Api } from '../api.ts'

const ROWS_AT_ONCE = 5_000

export interface MadeReport {
  readonly head: ReportHead
  readonly rows: readonly ReportRow[]
}

export interface Running {
  readonly name: string
  /** ISO moment at which it was asked for. */
  readonly since: string
  /** Rows that are here, once the service has answered. */
  readonly rowsHere: number
  readonly rowCount: number
}

/** One company's reports. */
export class CompanyReports {
  readonly #api: Api
  readonly #company: CompanyRef
  name = $state('ProfitAndLoss')
  choice = $state<PeriodChoice>('this-quarter')
  /** The dates typed or picked; they count when `choice` is `dates`. */
  typed = $state.raw<Period>({ from: '', to: '' })
  showZeroRows = $state(true)
  /** Whether the chart is shown; `null` while nobody has said: then by the room there is. */
  showChart = $state<boolean | null>(null)
  made = $state.raw<MadeReport | null>(null)
  running = $state.raw<Running | null>(null)
  error = $state.raw<AppError | null>(null)
  /** The person stopped the last one. */
  wasStopped = $state(false)
  /** Sections that are folded, by row. Replaced, never changed: asking it of 200,000 rows must cost nothing. */
  folded = $state.raw<ReadonlySet<number>>(new Set())

  constructor(api: Api, company: CompanyRef) {
    this.#api = api
    this.#company = company
  }

  /** The dates that the choice stands for today. */
  period(today: string, fiscalYearStart: number): Period {
    if (this.choice === 'dates') return this.typed
    return periodFor(this.choice, today, fiscalYearStart) ?? this.typed
  }

  /** Asks the service; the report on the desk stays until the new one is whole. */
  async run(period: Period): Promise<void> {
    if (this.running || this.name.trim() === '' || periodProblem(period)) return
    const name = this.name.trim()
    this.running = { name, since: new Date().toISOString(), rowsHere: 0, rowCount: 0 }
    this.error = null
    this.wasStopped = false
    const made = await this.#make(name, period)
    this.running = null
    if (made.ok) this.#put(made.value)
    else if (made.error.kind === 'stopped') this.wasStopped = true
    else this.error = made.error
  }

  /** Takes the request out of the queue, or lets go of it when it is on its way. */
  async stop(): Promise<void> {
    const { running } = this
    if (!running) return
    const lanes = await this.#api.call('activity.lanes', {})
    if (!lanes.ok) {
      this.error = lanes.error
      return
    }
    const entries = lanes.value.flatMap((lane) => [...(lane.running ? [lane.running] : []), ...lane.waiting])
    const entry = ownEntry(entries, this.#company, running)
    if (!entry) return
    const stopped = await this.#api.call('activity.stop', { entryId: entry.entryId })
    if (!stopped.ok) this.error = stopped.error
  }

  async #make(name: string, { from, to }: Period): Promise<Result<MadeReport>> {
    const head = await this.#api.call('reports.select', { company: this.#company, name, from, to })
    if (!head.ok) return head
    const rows: ReportRow[] = []
    const { reportId, rowCount } = head.value
    const decoder = new TextDecoder()
    while (rows.length < rowCount) {
      this.running = this.running && { ...this.running, rowsHere: rows.length, rowCount }
      const bytes = await this.#api.call('reports.rows', { reportId, from: rows.length, count: ROWS_AT_ONCE })
      if (!bytes.ok) {
        void this.#api.call('reports.close', { reportId })
        return bytes
      }
      // Checked at the service's edge, by the rows worker.
      const chunk = JSON.parse(decoder.decode(bytes.value)) as readonly ReportRow[]
      if (chunk.length === 0) break
      for (const row of chunk) rows.push(row)
    }
    return ok({ head: head.value, rows })
  }

  #put(made: MadeReport): void {
    if (this.made) void this.#api.call('reports.close', { reportId: this.made.head.reportId })
    this.folded = new Set()
    this.made = made
  }
}

/** The lane's entry for a report that is being made: this company's, asked for since, by its words if there are several. */
function ownEntry(
  entries: readonly LaneEntry[],
  company: CompanyRef,
  running: Pick<Running, 'name' | 'since'>,
): LaneEntry | undefined {
  const own = entries.filter(
    (entry) =>
      !entry.isWrite &&
      entry.company?.connectionId === company.connectionId &&
      entry.company.endpointId === company.endpointId &&
      // The main process may have taken it up within the same millisecond.
      Date.parse(entry.queuedAt) >= Date.parse(running.since) - 1_000,
  )
  return own.find((entry) => entry.what.includes(reportTitle(running.name))) ?? own[0]
}

/** Every company's reports in this window. */
export class ReportDesk {
  readonly #api: Api
  readonly #companies = new Map<string, CompanyReports>()

  constructor(api: Api) {
    this.#api = api
  }

  of(company: CompanyRef): CompanyReports {
    const key = JSON.stringify([company.connectionId, company.endpointId])
    let reports = this.#companies.get(key)
    if (!reports) {
      reports = new CompanyReports(this.#api, company)
      this.#companies.set(key, reports)
    }
    return reports
  }
}
