/**
 * Reads run files: small JSON files that say which reports to make without a window (docs/guide/month-end.md).
 * They can only request reports. Anything else in them is refused.
 */
import { isAbsolute, resolve } from 'node:path'
import { z } from 'zod'
import { isObject } from '../../shared/records/changes.ts'
import { isOneMonth, parseIsoDate, PERIOD_CHOICES, type PeriodChoice } from '../../shared/reports/periods.ts'
import { reportNames, reportTitle } from '../../shared/reports/reports.ts'
import { REPORT_FILE_KINDS, type ReportFileKind } from '../../shared/reports/runs.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'

const name = z.string().trim().min(1).max(200)
const names = z.array(name).min(1).max(2_000)
/** A reference by ID, with the name to use in messages, or by name only. */
const named = z.union([name, z.strictObject({ id: name, name })])
const day = z.string().refine((text) => parseIsoDate(text) !== null)
const KINDS = ['workbook', 'pdf', 'csv'] as const

const runFile = z.strictObject({
  title: name.optional(),
  connection: named.optional(),
  companies: z.union([z.string().regex(/^all$/i), z.array(named).min(1).max(2_000)]),
  reports: names.optional(),
  set: name.optional(),
  period: z.union([name, z.strictObject({ from: day, to: day })]),
  files: z.array(z.enum(KINDS)).max(KINDS.length).optional(),
  oneWorkbook: z.boolean().optional(),
  pack: z.boolean().optional(),
  hideZeroRows: z.boolean().optional(),
  review: z.boolean().optional(),
  folder: name,
  until: z
    .string()
    .regex(/^([01]?\d|2[0-3]):[0-5]\d$/)
    .optional(),
})

const TRUE_OR_FALSE = 'true or false'
/** What each member must be. */
const EXPECTED: Readonly<Record<keyof z.output<typeof runFile>, string>> = {
  title: 'a title of at most 200 characters, such as "Month end"',
  connection: 'the name of a connection, such as "Office"',
  companies: '"all" or a list of names, such as ["Alder & Finch"]',
  reports: 'a list of reports, such as ["Balance sheet"]',
  set: 'the name of a saved set, such as "Month end"',
  period: '"last month", for example, or { "from": "2026-01-01", "to": "2026-01-31" }',
  files: 'a list of "workbook", "pdf", and "csv", such as ["workbook", "pdf"]',
  oneWorkbook: TRUE_OR_FALSE,
  pack: TRUE_OR_FALSE,
  hideZeroRows: TRUE_OR_FALSE,
  review: TRUE_OR_FALSE,
  folder: 'a folder, such as "Reports"',
  until: 'a time, such as "18:00"',
}

export interface NameWithId {
  /** `null` if only the name is given. */
  readonly id: string | null
  readonly name: string
}

/** The validated content of a run file. */
export interface RunPlan {
  /** If empty, the name of the set is used, or *Reports*. */
  readonly title: string
  /** `null` if there is only one connection. */
  readonly connection: NameWithId | null
  /** Without an ID, the name may also be an ID. `null` for all active companies. */
  readonly companies: readonly NameWithId[] | null
  /** The service's names of the reports; empty if a set is named, or if only a review is requested. */
  readonly reports: readonly string[]
  readonly set: string
  readonly period:
    | { readonly choice: 'dates'; readonly from: string; readonly to: string }
    | { readonly choice: Exclude<PeriodChoice, 'dates'> }
  readonly fileKinds: readonly ReportFileKind[]
  readonly combined: boolean
  readonly pack: boolean
  readonly hideZeroRows: boolean
  /** Whether the months are reviewed, too. The period is then one month. */
  readonly review: boolean
  /** An absolute path. */
  readonly folder: string
  /** When to stop retrying companies that don't respond, in minutes of the local day; `null` to not retry. */
  readonly until: number | null
}

/**
 * Parses the text of a run file.
 * @param folder the folder of the file, against which a relative `folder` in it is resolved
 * @returns an error that names the invalid field
 */
export function readRunFile(text: string, folder: string): Result<RunPlan> {
  let content: unknown
  try {
    content = JSON.parse(text.replace(/^\u{feff}/u, ''))
  } catch (cause) {
    return refused(`It is not JSON: ${cause instanceof Error ? cause.message : ''}`)
  }
  const read = runFile.safeParse(content)
  if (!read.success) return refused(issuesText(read.error.issues, content))
  const { data } = read
  const { review = false } = data
  const named = [data.reports, data.set].filter((each) => each !== undefined).length
  if (named > 1 || (named === 0 && !review)) return refused('It must name either “reports” or a “set”.')
  const reports = (data.reports ?? []).map(serviceName)
  const unknown = (data.reports ?? []).filter((_, at) => reports[at] === null)
  if (unknown.length > 0) {
    return refused(
      `There is no report named ${quoted(unknown)}. The names are those under Reports, such as “Profit and loss”.`,
    )
  }
  const period = typeof data.period === 'string' ? formatPeriod(data.period) : datesOf(data.period)
  if (period === null) {
    const words = PERIOD_CHOICES.filter((choice) => choice !== 'dates').map(periodName)
    return refused(
      `“period” is ${shown(data.period)}. It must be one of ${quoted(words)}, or two dates in order, such as { "from": "2026-01-01", "to": "2026-01-31" }.`,
    )
  }
  if (review && !isMonth(period)) {
    return refused('A “review” needs one month: “this month”, “last month”, or its first and last day.')
  }
  const { files = ['workbook'] } = data
  if (named > 0 && files.length === 0 && data.oneWorkbook !== true && data.pack !== true) {
    return refused('Its “files” are empty, so no report would be saved.')
  }
  return ok({
    title: data.title ?? data.set ?? (named === 0 ? 'Review' : 'Reports'),
    connection: data.connection === undefined ? null : namedOf(data.connection),
    companies: typeof data.companies === 'string' ? null : data.companies.map(namedOf),
    reports: [...new Set(reports)].filter((each) => each !== null),
    set: data.set ?? '',
    period,
    fileKinds: REPORT_FILE_KINDS.filter((kind) => files.includes(kind === 'xlsx' ? 'workbook' : kind)),
    combined: data.oneWorkbook ?? false,
    pack: data.pack ?? false,
    hideZeroRows: data.hideZeroRows ?? false,
    review,
    folder: isAbsolute(data.folder) ? data.folder : resolve(folder, data.folder),
    until: data.until === undefined ? null : minutesOf(data.until),
  })
}

function namedOf(given: z.output<typeof named>): NameWithId {
  return typeof given === 'string' ? { id: null, name: given } : given
}

/** Returns the service's name of a report that is given by title or by that name; `null` if there is none. */
function serviceName(given: string): string | null {
  const known = reportNames('')
  const wanted = plainName(given)
  if (wanted === 'pandl') return 'ProfitAndLoss'
  return (
    known.find((each) => plainName(each) === wanted) ??
    known.find((each) => plainName(reportTitle(each)) === wanted) ??
    null
  )
}

/** Applications and people write *Profit & Loss* and *A/R Aging Detail*. */
function plainName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('&', 'and')
    .replace(/[^a-z0-9]/g, '')
}

function formatPeriod(text: string): RunPlan['period'] | null {
  const wanted = text.toLowerCase().replaceAll('-', ' ')
  const choice = PERIOD_CHOICES.find((each) => periodName(each) === wanted)
  return choice === undefined || choice === 'dates' ? null : { choice }
}

function periodName(choice: PeriodChoice): string {
  return choice.replaceAll('-', ' ')
}

function datesOf({ from, to }: { from: string; to: string }): RunPlan['period'] | null {
  return from <= to ? { choice: 'dates', from, to } : null
}

function isMonth(period: RunPlan['period']): boolean {
  return period.choice === 'dates'
    ? isOneMonth(period)
    : period.choice === 'this-month' || period.choice === 'last-month'
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** Says which members are wrong, what they are, and what they must be. */
function issuesText(issues: readonly z.core.$ZodIssue[], content: unknown): string {
  const texts = issues.map((issue) => {
    const [member] = issue.path
    if (isMember(member)) {
      const given: unknown = isObject(content) ? content[member] : undefined
      return `“${member}” is ${shown(given)}. It must be ${EXPECTED[member]}.`
    }
    if (issue.code === 'unrecognized_keys') {
      return `${quoted(issue.keys)} isn’t allowed here. A run only makes reports and reviews.`
    }
    return 'It must have members between braces, such as { "companies": "all", "period": "last month" }.'
  })
  return [...new Set(texts)].join(' ')
}

/** Characters of a wrong value that a message shows. */
const MOST_SHOWN = 60

function shown(given: unknown): string {
  if (given === undefined) return 'missing'
  const text = JSON.stringify(given)
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
}

function isMember(key: PropertyKey | undefined): key is keyof typeof EXPECTED {
  return typeof key === 'string' && Object.hasOwn(EXPECTED, key)
}

function quoted(words: readonly unknown[]): string {
  return words.map((word) => `“${String(word)}”`).join(', ')
}

function refused(why: string): Result<never> {
  return err(appError('invalid-input', `The run file can’t be used. ${why}`, 'Correct the run file.'))
}
