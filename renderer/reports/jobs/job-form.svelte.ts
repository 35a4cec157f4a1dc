/** What is chosen for a job of reports: which reports, of whom, for which days, as which files. */
import type { CallInput } from '../../../shared/contract.ts'
import type { Company } from '../../../shared/contract/companies.ts'
import type { ReportSet } from '../../../shared/contract/report-jobs.ts'
import { periodProblem, type Period, type PeriodChoice } from '../../../shared/periods.ts'
import type { JobFile } from '../../../shared/report-jobs.ts'
import { reportTitle } from '../../../shared/reports.ts'

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
    if (this.ticked.size === 0) return 'Tick at least one company.'
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
