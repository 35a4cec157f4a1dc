/**
 * The reports of each company: the selected report and period, the last report, and the one in progress.
 * Outlives the screen, so that a report keeps running while another screen is used.
 */
import { companyKey } from '../../shared/companies/companies.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Format } from '../../shared/format/format.ts'
import { formatChecks, headingDays, headingTitle, periodLabelOf } from '../../shared/reports/messages.ts'
import { type Period, type PeriodChoice, periodFor, periodProblem } from '../../shared/reports/periods.ts'
import { type ReportHead, type ReportMaking, type ReportRow } from '../../shared/reports/reports.ts'
import { type AppError, ok, type Result } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import { clock } from '../clock.ts'
import type { Session } from '../frame/session.svelte.ts'
import type { LiveAnnouncer, Toasts } from '../ui/notices/announcer.svelte.ts'
import { accountReport, drillPeriod, findAccount, findRow, otherSections } from './drill.ts'
import { type LoadedReport, ReportLoader, type SaveAs, saveReport } from './loader.ts'

export interface Running {
  readonly name: string
  /** Start time of the whole request in ISO format. */
  readonly since: string
  /** Number of reports that have arrived, of those it consists of. */
  readonly done: number
  readonly total: number
  /** Number of rows loaded, once the service has responded. */
  readonly rowsHere: number
  readonly rowCount: number
}

/** Several periods that are requested one after another. After a stop, the ones that have arrived are kept. */
export interface Series {
  readonly making: Exclude<ReportMaking, 'single'>
  readonly name: string
  readonly periods: readonly Period[]
  readonly labels: readonly string[]
  readonly parts: readonly ReportHead[]
}

export interface OpenedAccount {
  readonly name: string
  /** The index of its row in the report; −1 if it isn't there. */
  readonly row: number
  /** Only its own rows; `null` once all accounts are shown. */
  readonly alone: LoadedReport | null
}

/** One company's reports. */
export class CompanyReports {
  readonly #loader: ReportLoader
  name = $state('ProfitAndLoss')
  choice = $state<PeriodChoice>('last-month')
  /** The entered dates, used if `choice` is `dates`. */
  typed = $state.raw<Period>({ from: '', to: '' })
  showZeroRows = $state(true)
  /** Whether the chart is shown; `null` to decide by the available space. */
  showChart = $state<boolean | null>(null)
  made = $state.raw<LoadedReport | null>(null)
  /** The statement whose row was opened. */
  before = $state.raw<LoadedReport | null>(null)
  opened = $state.raw<OpenedAccount | null>(null)
  running = $state.raw<Running | null>(null)
  /** An incomplete comparison or trend, which can be continued. */
  unfinished = $state.raw<Series | null>(null)
  error = $state.raw<AppError | null>(null)
  /** Whether the user stopped the last report. */
  wasStopped = $state(false)
  /** Row indexes of the collapsed sections. An immutable set, so that reading it for 200,000 rows costs nothing. */
  folded = $state.raw<ReadonlySet<number>>(new Set())
  #isStopping = false

  /** @param choice the period to begin with */
  constructor(api: Api, company: CompanyRef, choice: PeriodChoice) {
    this.#loader = new ReportLoader(api, company)
    this.choice = choice
  }

  /** Returns the dates of the selected period as of today. */
  period(today: string, fiscalYearStart: number): Period {
    if (this.choice === 'dates') return this.typed
    return periodFor(this.choice, today, fiscalYearStart) ?? this.typed
  }

  /** Runs the report. The current one stays until the new one is complete. */
  async run(period: Period): Promise<void> {
    const name = this.name.trim()
    if (name === '' || periodProblem(period)) return
    await this.#runOne(name, 1, () => this.#make(name, period))
  }

  /**
   * Runs the report for several periods as a comparison or trend. A period that is already shown isn't
   * requested again.
   */
  async runSeries(
    making: Series['making'],
    periods: readonly Period[],
    labels: readonly string[],
  ): Promise<void> {
    const name = this.name.trim()
    const [first] = periods
    if (name === '' || !first || this.running) return
    this.#releaseSeries()
    await this.#runSeries({ making, name, periods, labels, parts: [] })
  }

  /** Continues an incomplete comparison or trend. */
  async resume(): Promise<void> {
    if (this.unfinished) await this.#runSeries(this.unfinished)
  }

  /** Opens the entries behind a row in the named report. */
  async drill(row: ReportRow, name: string): Promise<void> {
    const from = this.made
    if (!from || this.running) return
    const days = drillPeriod(from.head)
    await this.#runOne(name, 1, async () => {
      const made = await this.#make(name, days)
      if (made.ok) this.before = from
      return made
    })
    const made = this.made
    if (!made || made === from) return
    const at = findAccount(made.rows, row)
    const alone = at < 0 ? null : accountReport(made, at)
    this.opened = { name: row.name.trim(), row: at, alone }
    // **Run** then repeats the report that is shown.
    this.name = name
  }

  /** Shows the other accounts beside the opened one, collapsed. */
  showAllAccounts(): void {
    const { opened, made } = this
    if (!opened?.alone || !made) return
    this.opened = { ...opened, alone: null }
    this.folded = otherSections(made.rows, opened.row)
  }

  /** Returns to the statement whose row was opened. */
  back(): void {
    const { before } = this
    if (!before) return
    this.before = null
    this.name = before.head.name
    this.#show(before)
  }

  /** Stops a running report and releases everything in the main process. */
  close(): void {
    if (this.running) void this.stop()
    const heads = [this.made?.head, this.before?.head, ...(this.unfinished?.parts ?? [])]
    for (const head of heads) if (head) this.#loader.close(head)
  }

  async stop(): Promise<void> {
    if (!this.running) return
    this.#isStopping = true
    const stopped = await this.#loader.stop()
    if (!stopped.ok) this.error = stopped.error
  }

  /** Runs one report at a time and tracks its progress. */
  async #runOne(name: string, total: number, make: () => Promise<Result<LoadedReport>>): Promise<void> {
    if (this.running) return
    this.running = { name, since: clock.date().toISOString(), done: 0, total, rowsHere: 0, rowCount: 0 }
    this.error = null
    this.wasStopped = false
    this.#isStopping = false
    const made = await make()
    this.running = null
    if (made.ok) this.#show(made.value)
    else if (made.error.kind === 'stopped') this.wasStopped = true
    else this.error = made.error
  }

  async #runSeries(series: Series): Promise<void> {
    await this.#runOne(series.name, series.periods.length, () => this.#makeSeries(series))
  }

  async #makeSeries(series: Series): Promise<Result<LoadedReport>> {
    const { name, periods } = series
    const parts = [...series.parts]
    const shown = this.made?.head
    for (const period of periods.slice(parts.length)) {
      this.unfinished = { ...series, parts: [...parts] }
      if (this.running) this.running = { ...this.running, done: parts.length }
      const isShown =
        shown?.making === 'single' &&
        shown.name === name &&
        shown.from === period.from &&
        shown.to === period.to
      const other = series.making === 'compared' ? periods.find((each) => each !== period) : undefined
      const head = isShown ? ok(shown) : await this.#loader.ask(name, period, other)
      if (!head.ok) return head
      parts.push(head.value)
      this.unfinished = { ...series, parts: [...parts] }
      if (this.#isStopping && parts.length < periods.length) {
        return { ok: false, error: { kind: 'stopped', message: 'Stopped.', advice: '', details: {} } }
      }
    }
    const head = await this.#loader.combine(series.making, parts, series.labels)
    if (!head.ok) return head
    const made = await this.#pull(head.value)
    if (made.ok) this.#releaseSeries()
    return made
  }

  async #make(name: string, period: Period): Promise<Result<LoadedReport>> {
    const head = await this.#loader.ask(name, period)
    return head.ok ? this.#pull(head.value) : head
  }

  #pull(head: ReportHead): Promise<Result<LoadedReport>> {
    const { rowCount } = head
    return this.#loader.rows(head, (rowsHere) => {
      this.running = this.running && { ...this.running, rowsHere, rowCount }
    })
  }

  /** Releases the parts of a series, except for the report that is shown. */
  #releaseSeries(): void {
    for (const part of this.unfinished?.parts ?? []) {
      if (part.reportId !== this.made?.head.reportId) this.#loader.close(part)
    }
    this.unfinished = null
  }

  #show(made: LoadedReport): void {
    const isPart = this.unfinished?.parts.some(({ reportId }) => reportId === this.made?.head.reportId)
    if (this.made && this.made !== this.before && !isPart) this.#loader.close(this.made.head)
    // After any other report, there is no way back to the statement.
    if (this.before && this.made !== this.before && made !== this.before) {
      this.#loader.close(this.before.head)
      this.before = null
    }
    this.opened = null
    this.folded = new Set()
    this.made = made
  }
}

declare module '../frame/session.svelte.ts' {
  interface ScreenState {
    reports: ReportStates
  }
}

/** The reports of all companies in this window. */
class ReportStates {
  readonly #api: Api
  readonly #choice: () => PeriodChoice
  readonly #companies = new Map<string, CompanyReports>()

  /** @param choice the period that a company’s reports begin with */
  constructor(api: Api, choice: () => PeriodChoice) {
    this.#api = api
    this.#choice = choice
  }

  of(company: CompanyRef): CompanyReports {
    const key = companyKey(company)
    let reports = this.#companies.get(key)
    if (!reports) {
      reports = new CompanyReports(this.#api, company, this.#choice())
      this.#companies.set(key, reports)
    }
    return reports
  }

  close(): void {
    for (const reports of this.#companies.values()) reports.close()
    this.#companies.clear()
  }
}

/** They begin with the period that was chosen last. */
export function createReportStates(session: Session): ReportStates {
  return new ReportStates(session.api, () => session.settings.reportPeriod)
}

/* The commands of the report page: run a report, compare it, open what is behind a row, and save it. */

interface Ports {
  readonly api: Api
  readonly toasts: Toasts
  readonly announcer: LiveAnnouncer
  readonly format: () => Format
  /** Shows a row of the new report. */
  readonly reveal: (row: number) => Promise<void>
}

export class ReportCommands {
  readonly #ports: Ports
  /** Why the last file wasn't saved. */
  saveError = $state.raw<AppError | null>(null)

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** @param row of an earlier reading, as text, to be shown once the report is there */
  run(reports: CompanyReports, period: Period, row?: string): Promise<void> {
    return this.#follow(reports, () => reports.run(period), row)
  }

  /** Continues an incomplete comparison or trend. */
  resume(reports: CompanyReports): Promise<void> {
    return this.#follow(reports, () => reports.resume())
  }

  runSeries(
    reports: CompanyReports,
    making: 'compared' | 'trend',
    periods: readonly Period[],
  ): Promise<void> {
    const labels = periods.map((each) => periodLabelOf(reports.name, each, this.#ports.format()))
    return this.#follow(reports, () => reports.runSeries(making, periods, labels))
  }

  /** Opens the entries behind a row in the named report. */
  drill(reports: CompanyReports, row: ReportRow, name: string): Promise<void> {
    return this.#follow(reports, () => reports.drill(row, name))
  }

  /** @param drawing the chart's element; only needed to save or copy it */
  async save(
    reports: CompanyReports,
    as: SaveAs,
    drawing: SVGSVGElement | undefined,
    companyName: string,
  ): Promise<void> {
    const { api, format } = this.#ports
    const { made } = reports
    if (!made) return
    const note = `${companyName} · ${headingDays(made.head, format())}`
    const picture = drawing ? { drawing, caption: { title: headingTitle(made.head), note } } : null
    const saved = await saveReport(api, made.head, as, !reports.showZeroRows, picture)
    this.saveError = saved.ok ? null : saved.error
    if (!saved.ok || saved.value?.saved === false) return
    if (saved.value === null) {
      this.#notify('Chart copied')
      return
    }
    const { name, path } = saved.value
    this.#notify(`Saved ${name}`, {
      label: 'Show in folder',
      run: () => void api.call('app.showFile', { path }),
    })
  }

  #notify(message: string, action?: Parameters<Toasts['show']>[1]): void {
    this.#ports.toasts.show(message, action)
    this.#ports.announcer.say(message)
  }

  /**
   * Runs a command and announces its result. Reads what it needs first, because the screen may be left in the
   * meantime.
   */
  async #follow(reports: CompanyReports, make: () => Promise<void>, row?: string): Promise<void> {
    this.saveError = null
    const [format, was] = [this.#ports.format(), reports.made]
    await make()
    const { made, opened } = reports
    if (!made || made === was || reports.error || reports.wasStopped) return
    // If a row was opened, show its account.
    if (opened && opened.row >= 0) await this.#ports.reveal(0)
    if (row !== undefined) {
      const at = findRow(made.rows, row)
      if (at >= 0) await this.#ports.reveal(at)
      else this.#ports.toasts.show('That row is no longer in this report.')
    }
    const rows = `${headingTitle(made.head)}: ${format.count(made.rows.length)} rows.`
    this.#ports.announcer.say(`${rows} ${formatChecks(made.head.checks, format)}.`)
  }
}
