/** What a person does with a report on the page: makes it, puts it beside others, opens what is behind a row, saves it. */
import type { Period } from '../../shared/periods.ts'
import { checkedWords, headingDays, headingTitle, periodLabelOf } from '../../shared/report-words.ts'
import type { ReportRow } from '../../shared/reports.ts'
import type { AppError } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import type { Announcer, Toasts } from '../ui/announcer.svelte.ts'
import type { Format } from '../ui/format.ts'
import type { CompanyReports } from './report-desk.svelte.ts'
import { saveReport, type SaveAs } from './report-saving.ts'

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
    this.#ports.announcer.say(`${rows} ${checkedWords(made.head.checks, format)}`)
  }
}
