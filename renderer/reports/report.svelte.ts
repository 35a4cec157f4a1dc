/**
 * The state of Reports, per company: the choice of report and period, the last report, and the one that is running. It
 * outlives the screen, so that a report keeps running while another screen is used.
 */
import { companyKey } from '../../shared/companies/companies.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { type Period, type PeriodChoice, periodFor, periodProblem } from '../../shared/reports/periods.ts'
import { type ReportHead, type ReportMaking, type ReportRow } from '../../shared/reports/reports.ts'
import { checkedWords, headingDays, headingTitle, periodLabelOf } from '../../shared/reports/messages.ts'
import { type AppError, type Result, ok } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import type { Announcer, Toasts } from '../ui/notices/announcer.svelte.ts'
import type { Format } from '../../shared/format/format.ts'
import { allButAccount, daysBehind, findAccount } from './drill.ts'
import { type MadeReport, ReportMaker, type SaveAs, saveReport } from './maker.ts'

export interface Running {
  readonly name: string
  /** ISO moment at which it was asked for, all of it. */
  readonly since: string
  /** Reports that are here, of those that it is made of. */
  readonly done: number
  readonly total: number
  /** Rows that are here, once the service has answered. */
  readonly rowsHere: number
  readonly rowCount: number
}

/** Several periods that are asked for one after another; what is here is kept when it is stopped. */
export interface Series {
  readonly making: Exclude<ReportMaking, 'single'>
  readonly name: string
  readonly periods: readonly Period[]
  readonly labels: readonly string[]
  readonly parts: readonly ReportHead[]
}

/** One company's reports. */
export class CompanyReports {
  readonly #maker: ReportMaker
  name = $state('ProfitAndLoss')
  choice = $state<PeriodChoice>('this-quarter')
  /** The dates typed or picked; they count when `choice` is `dates`. */
  typed = $state.raw<Period>({ from: '', to: '' })
  showZeroRows = $state(true)
  /** Whether the chart is shown; `null` while nobody has said: then by the room there is. */
  showChart = $state<boolean | null>(null)
  made = $state.raw<MadeReport | null>(null)
  /** The statement that a row was opened from. */
  before = $state.raw<MadeReport | null>(null)
  /** The row that was looked for in the report, and where it stands; −1 when it is not there. */
  opened = $state.raw<{ readonly name: string; readonly row: number } | null>(null)
  running = $state.raw<Running | null>(null)
  /** A comparison or trend that is not whole: it can be taken up again. */
  unfinished = $state.raw<Series | null>(null)
  error = $state.raw<AppError | null>(null)
  /** The person stopped the last one. */
  wasStopped = $state(false)
  /** Sections that are folded, by row. Replaced, never changed: asking it of 200,000 rows must cost nothing. */
  folded = $state.raw<ReadonlySet<number>>(new Set())
  #isStopping = false

  constructor(api: Api, company: CompanyRef) {
    this.#maker = new ReportMaker(api, company)
  }

  /** The dates that the choice stands for today. */
  period(today: string, fiscalYearStart: number): Period {
    if (this.choice === 'dates') return this.typed
    return periodFor(this.choice, today, fiscalYearStart) ?? this.typed
  }

  /** Asks the service; the report on the desk stays until the new one is whole. */
  async run(period: Period): Promise<void> {
    const name = this.name.trim()
    if (name === '' || periodProblem(period)) return
    await this.#work(name, 1, () => this.#make(name, period))
  }

  /** The report beside the same of another period, or over several. What is on the desk already is not asked again. */
  async beside(
    making: Series['making'],
    periods: readonly Period[],
    labels: readonly string[],
  ): Promise<void> {
    const name = this.name.trim()
    const [first] = periods
    if (name === '' || !first || this.running) return
    this.#forgetSeries()
    await this.#goOn({ making, name, periods, labels, parts: [] })
  }

  /** Takes up again what was stopped or went wrong, from where it was. */
  async goOn(): Promise<void> {
    if (this.unfinished) await this.#goOn(this.unfinished)
  }

  /** Opens the entries of a row in the report behind this one. */
  async drill(row: ReportRow, name: string): Promise<void> {
    const from = this.made
    if (!from || this.running) return
    const days = daysBehind(from.head)
    await this.#work(name, 1, async () => {
      const made = await this.#make(name, days)
      if (made.ok) this.before = from
      return made
    })
    const made = this.made
    if (!made || made === from) return
    const at = findAccount(made.rows, row)
    this.opened = { name: row.name.trim(), row: at }
    if (at >= 0) this.folded = allButAccount(made.rows, at)
  }

  /** Back to the statement that a row was opened from. */
  back(): void {
    const { before } = this
    if (!before) return
    this.before = null
    this.#put(before)
  }

  /** Stops what runs, and lets the main process drop what it holds. */
  close(): void {
    if (this.running) void this.stop()
    const heads = [this.made?.head, this.before?.head, ...(this.unfinished?.parts ?? [])]
    for (const head of heads) if (head) this.#maker.close(head)
  }

  async stop(): Promise<void> {
    if (!this.running) return
    this.#isStopping = true
    const stopped = await this.#maker.stop()
    if (!stopped.ok) this.error = stopped.error
  }

  /** One at a time, with its clock and its end. */
  async #work(name: string, total: number, make: () => Promise<Result<MadeReport>>): Promise<void> {
    if (this.running) return
    this.running = { name, since: new Date().toISOString(), done: 0, total, rowsHere: 0, rowCount: 0 }
    this.error = null
    this.wasStopped = false
    this.#isStopping = false
    const made = await make()
    this.running = null
    if (made.ok) this.#put(made.value)
    else if (made.error.kind === 'stopped') this.wasStopped = true
    else this.error = made.error
  }

  async #goOn(series: Series): Promise<void> {
    await this.#work(series.name, series.periods.length, () => this.#makeSeries(series))
  }

  async #makeSeries(series: Series): Promise<Result<MadeReport>> {
    const { name, periods } = series
    const parts = [...series.parts]
    const desk = this.made?.head
    for (const period of periods.slice(parts.length)) {
      this.unfinished = { ...series, parts: [...parts] }
      if (this.running) this.running = { ...this.running, done: parts.length }
      const isOnDesk =
        desk?.making === 'single' && desk.name === name && desk.from === period.from && desk.to === period.to
      const head = isOnDesk ? ok(desk) : await this.#maker.ask(name, period)
      if (!head.ok) return head
      parts.push(head.value)
      this.unfinished = { ...series, parts: [...parts] }
      if (this.#isStopping && parts.length < periods.length) {
        return { ok: false, error: { kind: 'stopped', message: 'Stopped.', advice: '', details: {} } }
      }
    }
    const head = await this.#maker.combine(series.making, parts, series.labels)
    if (!head.ok) return head
    const made = await this.#pull(head.value)
    if (made.ok) this.#forgetSeries()
    return made
  }

  async #make(name: string, period: Period): Promise<Result<MadeReport>> {
    const head = await this.#maker.ask(name, period)
    return head.ok ? this.#pull(head.value) : head
  }

  #pull(head: ReportHead): Promise<Result<MadeReport>> {
    const { rowCount } = head
    return this.#maker.rows(head, (rowsHere) => {
      this.running = this.running && { ...this.running, rowsHere, rowCount }
    })
  }

  /** Lets go of what a series held, but for the report on the desk. */
  #forgetSeries(): void {
    for (const part of this.unfinished?.parts ?? []) {
      if (part.reportId !== this.made?.head.reportId) this.#maker.close(part)
    }
    this.unfinished = null
  }

  #put(made: MadeReport): void {
    const isPart = this.unfinished?.parts.some(({ reportId }) => reportId === this.made?.head.reportId)
    if (this.made && this.made !== this.before && !isPart) this.#maker.close(this.made.head)
    // Another report than the one behind the statement: nothing leads back any more.
    if (this.before && this.made !== this.before && made !== this.before) {
      this.#maker.close(this.before.head)
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

/** Every company’s reports in this window. */
export class ReportStates {
  readonly #api: Api
  readonly #companies = new Map<string, CompanyReports>()

  constructor(api: Api) {
    this.#api = api
  }

  of(company: CompanyRef): CompanyReports {
    const key = companyKey(company)
    let reports = this.#companies.get(key)
    if (!reports) {
      reports = new CompanyReports(this.#api, company)
      this.#companies.set(key, reports)
    }
    return reports
  }

  close(): void {
    for (const reports of this.#companies.values()) reports.close()
    this.#companies.clear()
  }
}

/*
 * What a person does with a report on the page: makes it, puts it beside others, opens what is behind a row, saves it.
 */

interface Ports {
  readonly api: Api
  readonly toasts: Toasts
  readonly announcer: Announcer
  readonly format: () => Format
  /** Shows a row of the report that has just come. */
  readonly reveal: (row: number) => Promise<void>
}

export class ReportWork {
  readonly #ports: Ports
  /** Why the last file was not saved. */
  saveError = $state.raw<AppError | null>(null)

  constructor(ports: Ports) {
    this.#ports = ports
  }

  run(reports: CompanyReports, period: Period): Promise<void> {
    return this.#follow(reports, () => reports.run(period))
  }

  /** Takes up again what was stopped. */
  goOn(reports: CompanyReports): Promise<void> {
    return this.#follow(reports, () => reports.goOn())
  }

  beside(reports: CompanyReports, making: 'compared' | 'trend', periods: readonly Period[]): Promise<void> {
    const labels = periods.map((each) => periodLabelOf(reports.name, each, this.#ports.format()))
    return this.#follow(reports, () => reports.beside(making, periods, labels))
  }

  /** Opens the entries of a row in the report of this name. */
  drill(reports: CompanyReports, row: ReportRow, name: string): Promise<void> {
    return this.#follow(reports, () => reports.drill(row, name))
  }

  /** @param drawing the chart as it is drawn; needed only where it is saved or copied */
  async save(
    reports: CompanyReports,
    as: SaveAs,
    drawing: SVGSVGElement | undefined,
    companyName: string,
  ): Promise<void> {
    const { api, format } = this.#ports
    const { made } = reports
    if (!made) return
    const note = `${companyName} · ${headingDays(made.head, format()).shown}`
    const picture = drawing ? { drawing, caption: { title: headingTitle(made.head), note } } : null
    const saved = await saveReport(api, made.head, as, !reports.showZeroRows, picture)
    this.saveError = saved.ok ? null : saved.error
    if (!saved.ok || saved.value?.saved === false) return
    if (saved.value === null) {
      this.#tell('Chart copied')
      return
    }
    const { name, path } = saved.value
    this.#tell(`Saved ${name}`, {
      label: 'Show in folder',
      run: () => void api.call('app.showFile', { path }),
    })
  }

  #tell(words: string, action?: Parameters<Toasts['show']>[1]): void {
    this.#ports.toasts.show(words, action)
    this.#ports.announcer.say(words)
  }

  /** The screen may be left while it runs: what is needed then is held before. */
  async #follow(reports: CompanyReports, make: () => Promise<void>): Promise<void> {
    this.saveError = null
    const [format, was] = [this.#ports.format(), reports.made]
    await make()
    const { made, opened } = reports
    if (!made || made === was || reports.error || reports.wasStopped) return
    // A report that a row was opened from shows that row.
    if (opened && opened.row >= 0) await this.#ports.reveal(opened.row)
    const rows = `${headingTitle(made.head)}: ${format.count(made.rows.length)} rows.`
    this.#ports.announcer.say(`${rows} ${checkedWords(made.head.checks, format)}.`)
  }
}
