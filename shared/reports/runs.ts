/** A run that makes reports for several companies, and the state of each report. */
import type { CompanyRef } from '../contract/parts.ts'
import type { Format } from '../format/format.ts'
import type { AppError } from '../result.ts'
import type { Contact, ItemState, RunState } from '../runs.ts'
import { isOneMonth, type Period } from './periods.ts'
import type { TotalsResult } from './reports.ts'

/** The files that can be made from each report. */
export const REPORT_FILE_KINDS = ['xlsx', 'pdf', 'csv'] as const
export type ReportFileKind = (typeof REPORT_FILE_KINDS)[number]

export interface RunItem {
  readonly itemId: string
  readonly endpointId: string
  /** The report's name as chosen, and the application's name for it. */
  readonly name: string
  readonly offeredName: string
  readonly state: ItemState
  readonly error: AppError | null
  /** Names of its files in the run's folder. Saved before they are written, so that a retry writes the same files. */
  readonly files: readonly string[]
  /** For each file, its size and time when it was written; empty until then. */
  readonly fingerprints: readonly string[]
  /** What its totals show once it is made, and how many don't add up. */
  readonly totals: TotalsResult
  readonly findings: number
  /** What the service said beside its rows, and which file couldn't be made. */
  readonly notes: readonly string[]
}

export interface RunCompany extends Period {
  readonly company: CompanyRef
  readonly companyName: string
  readonly application: string
  readonly applicationName: string
  readonly contact: Contact
  /** The error when it didn't respond; `null` if it does. */
  readonly contactError: AppError | null
}

/** A file with several reports: the workbook of all, or a company's PDF pack. */
export interface JointFile {
  readonly name: string
  /** The company of a pack; empty for the workbook of all. */
  readonly endpointId: string
  /** The reports in it; empty while it is first written. */
  readonly itemIds: readonly string[]
  /** The file's size and time when it was written, to notice whether someone has changed it since. */
  readonly fingerprint: string
}

export interface ReportRun {
  readonly runId: string
  readonly connectionId: string
  /** *Month end*, or the report's title. */
  readonly title: string
  readonly createdAt: string
  readonly folder: string
  readonly state: RunState
  /** Why it stopped, unless the user stopped it. */
  readonly error: AppError | null
  readonly companies: readonly RunCompany[]
  readonly items: readonly RunItem[]
  readonly fileKinds: readonly ReportFileKind[]
  /** `combined`: one workbook of all reports. `pack`: for each company, one PDF with a cover. */
  readonly combined: boolean
  readonly pack: boolean
  readonly hideZeroRows: boolean
  readonly files: readonly JointFile[]
}

/** How many totals don’t add up: *2 totals don’t add up*. */
export function formatWrongTotals(count: number): string {
  return count === 1 ? '1 total doesn’t add up' : `${count} totals don’t add up`
}

/** What the totals of the reports that were made show, such as *totals agree*; empty if none was made. */
export function formatTotals(items: readonly Pick<RunItem, 'state' | 'totals' | 'findings'>[]): string {
  const made = items.filter(({ state }) => state === 'done')
  if (made.length === 0) return ''
  const wrong = made.reduce((sum, { findings }) => sum + findings, 0)
  if (wrong > 0) return formatWrongTotals(wrong)
  const count = (result: TotalsResult): number => made.filter(({ totals }) => totals === result).length
  const incomplete = count('incomplete')
  if (incomplete > 0) return `${incomplete} ${incomplete === 1 ? 'report' : 'reports'} may be incomplete`
  const agree = count('agree')
  if (agree === 0) return NO_TOTAL_CHECKED
  return agree === made.length ? 'totals agree' : `totals agree in ${agree} of ${made.length}`
}

export const NO_TOTAL_CHECKED = 'no total was checked'

/** What a run is called: *Month end – October 2026*; without days where each company has its own. */
export function runTitle(what: string, days: readonly Period[], format: Format): string {
  const titles = new Set(days.map((each) => periodTitle(each, format)))
  const [only] = titles
  return titles.size === 1 && only !== undefined ? `${what} – ${only}` : what
}

/** A run’s title without its period, for files and covers that name the period themselves. */
export function plainRunTitle(
  { title, companies }: Pick<ReportRun, 'title' | 'companies'>,
  format: Format,
): string {
  // The window’s engine and this one may write a period with different spaces.
  const plain = (text: string): string => text.replace(/\s/gu, ' ')
  const ending = companies
    .map((each) => plain(` – ${periodTitle(each, format)}`))
    .find((each) => plain(title).endsWith(each))
  return ending === undefined ? title : title.slice(0, -ending.length)
}

function periodTitle({ from, to }: Period, format: Format): string {
  return isOneMonth({ from, to }) ? format.longMonth(from) : format.period(from, to)
}

/** How many reports are in each state. */
export function runCounts(run: Pick<ReportRun, 'items'>): Readonly<Record<ItemState, number>> {
  const counts = { waiting: 0, running: 0, done: 0, failed: 0, skipped: 0, 'not-offered': 0 }
  for (const { state } of run.items) counts[state] += 1
  return counts
}
