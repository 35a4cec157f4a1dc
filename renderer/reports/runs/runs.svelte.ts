/** The report runs of one connection and their commands. */
import type { Company } from '../../../shared/contract/companies.ts'
import type { CallInput } from '../../../shared/contract/contract.ts'
import type { ReportSet } from '../../../shared/contract/report-runs.ts'
import type { Format } from '../../../shared/format/format.ts'
import { type Period, type PeriodChoice, periodFor, periodProblem } from '../../../shared/reports/periods.ts'
import { reportTitle } from '../../../shared/reports/reports.ts'
import {
  formatTotals,
  formatWrongTotals,
  NO_TOTAL_CHECKED,
  type ReportRun,
  type RunCompany,
  runCounts,
  type RunItem,
  runTitle,
} from '../../../shared/reports/runs.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import { isKeyRefused } from '../../../shared/runs.ts'
import type { Api } from '../../api.ts'
import type { Outcome } from '../../ui/notices/outcomes.ts'
import { OutputChoice } from './output.svelte.ts'

export class RunsModel {
  readonly #api: Api
  readonly #connectionId: string
  runs = $state.raw<readonly ReportRun[]>([])
  error = $state.raw<AppError | null>(null)

  constructor(api: Api, connectionId: string) {
    this.#api = api
    this.#connectionId = connectionId
  }

  /** Loads the runs and follows their changes until the returned function is called. */
  listen(): () => void {
    void this.#load()
    return this.#api.on('reportRuns.changed', (run) => {
      if (run.connectionId !== this.#connectionId) return
      const isKnown = this.runs.some(({ runId }) => runId === run.runId)
      this.runs = isKnown
        ? this.runs.map((each) => (each.runId === run.runId ? run : each))
        : [run, ...this.runs]
    })
  }

  async stop({ runId }: ReportRun): Promise<void> {
    this.#setError(await this.#api.call('reportRuns.stop', { runId }))
  }

  async resume({ runId }: ReportRun): Promise<void> {
    this.#setError(await this.#api.call('reportRuns.resume', { runId }))
  }

  async retry({ runId }: ReportRun): Promise<void> {
    this.#setError(await this.#api.call('reportRuns.retry', { runId }))
  }

  async answer({ runId }: ReportRun, endpointId: string, answer: 'again' | 'skip'): Promise<void> {
    this.#setError(await this.#api.call('reportRuns.answer', { runId, endpointId, answer }))
  }

  async remove({ runId }: ReportRun): Promise<void> {
    const removed = await this.#api.call('reportRuns.remove', { runId })
    this.#setError(removed)
    if (removed.ok) this.runs = this.runs.filter((run) => run.runId !== runId)
  }

  async #load(): Promise<void> {
    const runs = await this.#api.call('reportRuns.list', { connectionId: this.#connectionId })
    this.#setError(runs)
    if (runs.ok) this.runs = runs.value
  }

  #setError(result: Result<unknown>): void {
    this.error = result.ok ? null : result.error
  }
}

// The form for a new run: reports, companies, period, and files.

/** Prefix of a set's value in *Reports*. Reports have their name as value. */
const SET = 'set:'

export class RunForm {
  /** A report's name, or `set:` followed by a set's name. */
  what = $state(`${SET}Month end`)
  /** The run's name; `null` while it is the proposed one. */
  name = $state<string | null>(null)
  choice = $state<PeriodChoice>('last-month')
  typed = $state.raw<Period>({ from: '', to: '' })
  checked = $state.raw<ReadonlySet<string>>(new Set())
  sets = $state.raw<readonly ReportSet[]>([])
  /** A set makes a pack for each company; a single report makes one workbook of all. */
  readonly output = new OutputChoice(() => {
    const isSet = this.what.startsWith(SET)
    return { combined: !isSet, pack: isSet }
  })
  hideZeroRows = $state(false)

  /** @param companies all of them are selected */
  constructor(companies: readonly Company[]) {
    this.checked = new Set(companies.map(({ ref }) => ref.endpointId))
  }

  /** The selected set; `null` if a single report is selected. */
  get set(): ReportSet | null {
    if (!this.what.startsWith(SET)) return null
    const name = this.what.slice(SET.length)
    return this.sets.find((set) => set.name === name) ?? null
  }

  get reports(): readonly string[] {
    if (this.set) return this.set.reports
    return this.what.startsWith(SET) || this.what.trim() === '' ? [] : [this.what.trim()]
  }

  /** The name of the run unless the user changes it: *Month end – October 2026*. */
  proposedName(companies: readonly Company[], today: string, format: Format): string {
    const what =
      this.set?.name ??
      reportTitle(this.what.startsWith(SET) ? this.what.slice(SET.length) : this.what.trim())
    const { choice } = this
    const days =
      choice === 'dates'
        ? [this.typed]
        : companies
            .filter(({ ref }) => this.checked.has(ref.endpointId))
            .flatMap(({ fiscalYearStart }) => periodFor(choice, today, fiscalYearStart) ?? [])
    return runTitle(
      what,
      days.filter((each) => periodProblem(each) === null),
      format,
    )
  }

  static setValue(name: string): string {
    return `${SET}${name}`
  }

  /** Why the run can't start; `null` if it can. */
  get problem(): string | null {
    if (this.reports.length === 0) return 'Choose a report or a set.'
    if (this.checked.size === 0) return 'Select at least one company.'
    if (this.choice === 'dates') {
      const problem = periodProblem(this.typed)
      if (problem) return problem
    }
    return this.output.problem
  }

  setChecked(endpointIds: readonly string[], on: boolean): void {
    const next = new Set(this.checked)
    for (const endpointId of endpointIds) {
      if (on) next.add(endpointId)
      else next.delete(endpointId)
    }
    this.checked = next
  }

  /** Returns the input of the call that starts the run, with companies in listed order. */
  request(
    connectionId: string,
    companies: readonly Company[],
    today: string,
    format: Format,
  ): CallInput<'reportRuns.start'> {
    const { choice } = this
    return {
      connectionId,
      title: this.name?.trim() || this.proposedName(companies, today, format),
      reports: [...this.reports],
      endpointIds: companies.map(({ ref }) => ref.endpointId).filter((id) => this.checked.has(id)),
      period: choice === 'dates' ? { choice, ...this.typed } : { choice, today },
      ...this.output.input(),
      hideZeroRows: this.hideZeroRows,
    }
  }
}

// The texts of a run.

/** Summarizes a run: `Running: 3 of 14 ready`; once it is finished, only its result. */
export function formatRun(run: ReportRun): string {
  const progress = formatRunProgress(run)
  return run.state === 'finished' ? progress : `${formatRunState(run.state)}: ${progress}`
}

/** Summarizes the progress or result: `12 of 14 ready, 1 failed, 1 not offered`. */
function formatRunProgress(run: ReportRun): string {
  const counts = runCounts(run)
  const parts = [`${counts.done} of ${run.items.length} ready`]
  if (counts.failed > 0) parts.push(`${counts.failed} failed`)
  if (counts.skipped > 0) parts.push(`${counts.skipped} skipped`)
  if (counts['not-offered'] > 0) parts.push(`${counts['not-offered']} not offered`)
  if (counts.waiting > 0 && run.state !== 'running') parts.push(`${counts.waiting} waiting`)
  return parts.join(', ')
}

function formatRunState(state: Exclude<ReportRun['state'], 'finished'>): string {
  switch (state) {
    case 'running':
      return 'Running'
    case 'needs-you':
      return 'Waiting for you'
    case 'stopped':
      return 'Stopped'
  }
}

/** Describes the result of one report, with its sign and the reason for a failure. */
export function formatItem(
  item: RunItem,
  company: Pick<RunCompany, 'applicationName' | 'contactError'>,
): { readonly text: string; readonly outcome: Outcome | null } {
  const { applicationName } = company
  const mapped =
    item.offeredName === item.name ? '' : `, called ${reportTitle(item.offeredName)} in ${applicationName}`
  switch (item.state) {
    case 'waiting':
      return { text: 'waiting', outcome: 'waiting' }
    case 'running':
      return { text: 'running', outcome: 'sending' }
    case 'done': {
      const caution = [...(item.findings > 0 ? [formatWrongTotals(item.findings)] : []), ...item.notes]
      return caution.length > 0
        ? { text: `ready${mapped}; ${caution.join('; ')}`, outcome: 'caution' }
        : {
            text: `ready${mapped}${item.totals === 'unchecked' ? `; ${NO_TOTAL_CHECKED}` : ''}`,
            outcome: 'saved',
          }
    }
    case 'failed':
      return { text: item.error?.message ?? 'failed', outcome: 'not-accepted' }
    case 'skipped':
      return {
        text: isKeyRefused(company)
          ? 'skipped: the key was refused'
          : 'skipped: the company couldn’t be reached',
        outcome: null,
      }
    case 'not-offered':
      return { text: `${applicationName} has no such report`, outcome: null }
  }
}

/** Says why a company waits for the others; empty if it doesn't. */
export function formatContact(
  company: Pick<RunCompany, 'contact' | 'contactError'>,
  items: readonly Pick<RunItem, 'state'>[],
): string {
  if (company.contact !== 'silent' || !items.some(({ state }) => state === 'waiting')) return ''
  return isKeyRefused(company) ? '· key refused' : '· silent'
}

/** Summarizes a company's reports: *5 of 5 reports · totals agree*. */
export function formatCompanyState(items: readonly RunItem[]): {
  readonly text: string
  readonly outcome: Outcome | null
  /** Whether any of them needs attention. */
  readonly needsAttention: boolean
} {
  const offered = items.filter(({ state }) => state !== 'not-offered')
  const count = (state: RunItem['state']): number => offered.filter((item) => item.state === state).length
  const [made, failed, skipped] = [count('done'), count('failed'), count('skipped')]
  const cautions = offered.filter(
    ({ state, findings, notes }) => state === 'done' && (findings > 0 || notes.length > 0),
  ).length
  const isWhole = made === offered.length
  const parts = [
    failed > 0 ? `${String(failed)} failed` : '',
    skipped > 0 ? `${String(skipped)} skipped` : '',
    cautions > 0 ? `${String(cautions)} to look at` : '',
    isWhole && cautions === 0 ? formatTotals(offered) : '',
  ].filter(Boolean)
  const text = [
    `${String(made)} of ${String(offered.length)} ${isWhole && made > 0 ? (made === 1 ? 'report' : 'reports') : 'ready'}`,
    ...parts,
  ].join(' · ')
  const needsAttention = failed + skipped + cautions > 0
  if (failed > 0) return { text, outcome: 'not-accepted', needsAttention }
  if (cautions > 0) return { text, outcome: 'caution', needsAttention }
  if (count('running') > 0) return { text, outcome: 'sending', needsAttention }
  if (isWhole) return { text, outcome: made > 0 ? 'saved' : null, needsAttention }
  return { text, outcome: skipped > 0 ? null : 'waiting', needsAttention }
}
