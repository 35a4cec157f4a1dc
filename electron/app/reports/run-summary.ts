/** How an unattended run ended, and its summary: for the user, for scripts, and in a file. Pure functions. */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Review } from '../../../shared/contract/review.ts'
import { capitalized, Format, formatSentence } from '../../../shared/format/format.ts'
import { joinNames } from '../../../shared/format/text.ts'
import { reportTitle } from '../../../shared/reports/reports.ts'
import { formatTotals, NO_TOTAL_CHECKED, type ReportRun, runCounts } from '../../../shared/reports/runs.ts'
import type { AppError } from '../../../shared/result.ts'
import { balanceText, isNothingCompared, subjectText, worstFirst } from '../../../shared/review/review.ts'
import { unusableReason } from '../review/evaluate.ts'

/** How a run ended: every report made, some not, or none begun. */
export type RunOutcome = 'made' | 'partly-made' | 'not-started'

/** What scripts see (docs/guide/month-end.md). */
export const RUN_EXIT_CODES: Readonly<Record<RunOutcome, number>> = {
  made: 0,
  'partly-made': 1,
  'not-started': 2,
}

export function outcomeOfCode(exitCode: number): RunOutcome {
  const outcomes = ['made', 'partly-made', 'not-started'] as const
  return outcomes.find((outcome) => RUN_EXIT_CODES[outcome] === exitCode) ?? 'not-started'
}

export interface RunSummary {
  readonly title: string
  /** ISO times. */
  readonly startedAt: string
  readonly endedAt: string
  /** When a run that starts on a later day was due (ISO); empty if it isn’t one. Its period is as of that day. */
  readonly dueAt: string
  readonly outcome: RunOutcome
  /** In a sentence or two. */
  readonly message: string
  /** Whether a reviewed month has open findings, or a closed one changed. */
  readonly hasFindings: boolean
  /** Where the files are, and the summary's own name; empty if nothing was written. */
  readonly folder: string
  readonly summaryFile: string
}

/** What a run made. */
export interface FinishedRun {
  /** `null` if only a review was requested. */
  readonly reportRun: ReportRun | null
  readonly reviews: readonly Review[]
  readonly notReviewed: readonly NotReviewed[]
  /** Why companies that the run file names were left out, one sentence for each. */
  readonly leftOut: readonly string[]
}

/** A company whose month could not be reviewed, such as one whose data was deleted during the run. */
export interface NotReviewed {
  readonly company: CompanyRef
  readonly companyName: string
  readonly error: AppError
}

/** Companies that a message names. */
const MAX_NAMES = 5

/** Adds the company’s ID to names that several companies have. */
export function withDistinctNames({ reportRun, reviews, notReviewed, leftOut }: FinishedRun): FinishedRun {
  const all = [
    ...(reportRun?.companies ?? []).map(({ company, companyName }) => ({ company, companyName })),
    ...reviews.map(({ month }) => month),
    ...notReviewed,
  ]
  const ids = Map.groupBy(all, ({ companyName }) => companyName)
  const isShared = (name: string): boolean =>
    new Set(ids.get(name)?.map(({ company }) => company.endpointId)).size > 1
  const distinct = <Each extends Pick<NotReviewed, 'company' | 'companyName'>>(each: Each): Each =>
    isShared(each.companyName)
      ? { ...each, companyName: `${each.companyName} (${each.company.endpointId})` }
      : each
  return {
    reportRun: reportRun && { ...reportRun, companies: reportRun.companies.map(distinct) },
    reviews: reviews.map((review) => ({ ...review, month: distinct(review.month) })),
    notReviewed: notReviewed.map(distinct),
    leftOut,
  }
}

/** Whether everything was made, and a summary in a sentence or two. */
export function runOutcome({
  reportRun,
  reviews,
  notReviewed,
  leftOut,
}: FinishedRun): Pick<RunSummary, 'outcome' | 'message' | 'hasFindings'> {
  const parts = [
    ...(reportRun === null ? [] : [reportsOutcome(reportRun)]),
    ...(reviews.length + notReviewed.length === 0 ? [] : [reviewOutcome(reviews, notReviewed)]),
  ]
  return {
    outcome: leftOut.length === 0 && parts.every(({ isWhole }) => isWhole) ? 'made' : 'partly-made',
    message: [...parts.map(({ message }) => message), ...leftOut].join(' '),
    hasFindings: openFindings(reviews) + changedMonths(reviews) > 0,
  }
}

interface PartOutcome {
  readonly isWhole: boolean
  readonly message: string
}

function reportsOutcome(run: ReportRun): PartOutcome {
  const { done: made, 'not-offered': notOffered } = runCounts(run)
  const asked = run.items.length - notOffered
  const counts = `${String(made)} of ${counted(asked, 'report')} ready.`
  if (run.state === 'finished') return { isWhole: made === asked, message: counts }
  const why = run.error === null ? 'The run was stopped.' : errorSentence(run.error)
  return { isWhole: false, message: `${counts} ${why}` }
}

/** A month is reviewed when all of it was read, and compared if it is closed, whatever was found. */
function reviewOutcome(reviews: readonly Review[], notReviewed: readonly NotReviewed[]): PartOutcome {
  const notWhole = reviews.filter((review) => !isWhole(review))
  const nothing = notWhole.filter(isNothingChecked)
  const incomplete = notWhole.filter((review) => !isNothingChecked(review))
  const read = reviews.length - notWhole.length
  const open = openFindings(reviews)
  const changed = changedMonths(reviews)
  return {
    isWhole: notWhole.length + notReviewed.length === 0,
    message: [
      `${String(read)} of ${counted(reviews.length + notReviewed.length, 'month')} reviewed, ${counted(open, 'open finding')}.`,
      ...(changed === 0 ? [] : [`${counted(changed, 'closed month')} changed.`]),
      ...(nothing.length === 0 ? [] : [`Nothing was checked: ${namesOf(monthsOf(nothing))}.`]),
      ...(incomplete.length === 0 ? [] : [`Incomplete: ${namesOf(monthsOf(incomplete))}.`]),
      ...(notReviewed.length === 0 ? [] : [`Not reviewed: ${namesOf(notReviewed)}.`]),
    ].join(' '),
  }
}

function openFindings(reviews: readonly Review[]): number {
  return reviews.reduce((sum, { month: { status } }) => sum + ('open' in status ? status.open : 0), 0)
}

function changedMonths(reviews: readonly Review[]): number {
  return reviews.filter(({ month }) => month.status.state === 'changed').length
}

/** Whether every report and list that the application offers was read completely. */
function isWhole({ notCompared, readings }: Review): boolean {
  return notCompared.length === 0 && readings.length > 0 && readings.every(isReadOrLacking)
}

function isReadOrLacking(reading: Review['readings'][number]): boolean {
  return reading.state === 'not-offered' || unusableReason(reading) === null
}

/** Whether a month that is not closed has nothing that a rule could use. */
function isNothingChecked({ month: { status }, readings }: Review): boolean {
  if (status.state === 'closed' || status.state === 'changed') return false
  return readings.every((reading) => unusableReason(reading) !== null)
}

/** The summary file has all of them. */
function namesOf(companies: readonly { readonly companyName: string }[]): string {
  return joinNames(
    companies.map(({ companyName }) => companyName),
    MAX_NAMES,
  )
}

function monthsOf(reviews: readonly Review[]): readonly Review['month'][] {
  return reviews.map(({ month }) => month)
}

export function errorSentence({ message, advice }: AppError): string {
  return `${message} ${advice}`.trim()
}

/** The summary for the user: what was made for each company, and why anything is missing. */
export function summaryText(
  summary: RunSummary,
  { reportRun, reviews, notReviewed }: FinishedRun,
  locale: string,
): string {
  const format = new Format({ locale, negatives: 'minus' })
  const lines = [
    summary.title,
    `Started ${format.fullMoment(summary.startedAt)}, ended ${format.fullMoment(summary.endedAt)}.`,
    ...(summary.dueAt === ''
      ? []
      : [`It was due ${format.fullMoment(summary.dueAt)}, so its period is as of that day.`]),
    summary.message,
    '',
  ]
  for (const company of reportRun?.companies ?? []) {
    const items = (reportRun?.items ?? []).filter(
      ({ endpointId }) => endpointId === company.company.endpointId,
    )
    const offered = items.filter(({ state }) => state !== 'not-offered')
    const made = offered.filter(({ state }) => state === 'done')
    const totals = formatTotals(made)
    lines.push(
      `${company.companyName} (${company.applicationName}), ${format.period(company.from, company.to)}: ` +
        `${String(made.length)} of ${counted(offered.length, 'report')} ready.${totals === '' ? '' : ` ${capitalized(totals)}.`}`,
    )
    for (const item of items) {
      const why = whyNotMade(item.state, item.error ?? company.contactError, company.applicationName)
      if (why !== '') lines.push(`  ${reportTitle(item.offeredName)}: ${why}`)
      if (item.state !== 'done') continue
      const notes = item.totals === 'unchecked' ? [`${capitalized(NO_TOTAL_CHECKED)}.`] : []
      for (const note of [...notes, ...item.notes]) lines.push(`  ${reportTitle(item.offeredName)}: ${note}`)
    }
  }
  for (const review of reviews) lines.push(...reviewLines(review, format.forBooks(review.month)))
  for (const { companyName, error } of notReviewed)
    lines.push(`${companyName}: not reviewed. ${errorSentence(error)}`)
  return `${lines.join('\r\n')}\r\n`
}

/** The open findings of a month, worst first, what was not read completely, and what was not checked. */
function reviewLines(review: Review, format: Format): readonly string[] {
  const { month, readings, notCompared, rules } = review
  const { companyName, status } = month
  const title = `${companyName}, review of ${format.month(`${month.month}-01`)}`
  const undecided = rules.map((rule) => ({
    ...rule,
    findings: rule.findings.filter(({ decision }) => decision === null),
  }))
  const open = worstFirst(undecided).flatMap((rule) =>
    rule.findings.map((finding) => {
      const amount = finding.amount === '' ? '' : `, ${balanceText(finding.amount, finding.side, format)}`
      const subject = subjectText(finding.subject, format)
      // A name may end with a period of its own, such as *Inc.*
      const what = `${subject}${amount}`.replace(/\.?$/, '.')
      return `  ${rule.title}: ${what} ${formatSentence(finding.detail, format)}`
    }),
  )
  const notWhole = notWholeReasons(readings)
  const named = new Set(notCompared.map(({ report }) => report))
  const others = notWholeReasons(readings.filter(({ name }) => !named.has(reportTitle(name))))
  const ofClosed = [
    ...notCompared.map(({ report, reason }) => `  ${report} could not be compared. ${reason}`),
    ...others.map((why) => `  ${why}`),
  ]
  const notChecked = rules.flatMap(({ title: rule, result, reasons }) =>
    reasons.map((why) => `  ${result === 'off' ? 'Off' : 'Not checked'}: ${rule}. ${why}`),
  )
  const all = (): readonly string[] => [
    `${title}: ${counted(open.length, 'open finding')}${notWhole.length === 0 ? '' : ', not everything was read'}.`,
    ...notWhole.map((why) => `  ${why}`),
    ...open,
    ...notChecked,
  ]
  switch (status.state) {
    case 'not-started':
    case 'reading':
      return [`${title}: not everything was read.`]
    case 'partly-read':
      if (readings.some(({ state }) => state === 'waiting')) {
        return [`${title}: not everything was read. ${status.reason}`.trim()]
      }
      if (isNothingChecked(review)) {
        return [`${title}: nothing was checked.`, ...notWhole.map((why) => `  ${why}`)]
      }
      return all()
    case 'changed': {
      const accounts = counted(status.accounts, 'account')
      const amounts = status.amount === '' ? accounts : `${accounts}, ${format.money(status.amount)}`
      const entries = status.entries === 1 ? '1 entry' : `${String(status.entries)} entries`
      const size = status.accounts === 0 ? entries : amounts
      const notRead = status.notRead === '' ? '' : ` Not read again: ${status.notRead}`
      return [`${title}: changed since it was closed (${size}).${notRead}`, ...ofClosed]
    }
    case 'closed': {
      if (status.notRead !== '') return [`${title}: closed, and not read again. ${status.notRead}`]
      const closed = status.open === 0 ? 'closed' : `closed with ${counted(status.open, 'open finding')}`
      if (isNothingCompared(notCompared))
        return [`${title}: ${closed}. Nothing could be compared.`, ...ofClosed]
      const limit = notCompared.length === 0 ? '' : ' as far as it could be compared'
      const rest = others.length === 0 ? '' : ' Not everything was read.'
      return [`${title}: ${closed}, and unchanged${limit}.${rest}`, ...ofClosed]
    }
    case 'findings':
    case 'reviewed':
      return all()
  }
}

/** Why reports and lists are missing or may be incomplete. */
function notWholeReasons(readings: Review['readings']): readonly string[] {
  return readings.flatMap((reading) =>
    isReadOrLacking(reading) ? [] : (unusableReason(reading)?.reason ?? []),
  )
}

function whyNotMade(
  state: ReportRun['items'][number]['state'],
  error: AppError | null,
  application: string,
): string {
  switch (state) {
    case 'done':
      return ''
    case 'not-offered':
      return `${application} doesn’t have this report.`
    default:
      return error === null ? 'It wasn’t run.' : errorSentence(error)
  }
}

function counted(count: number, word: string): string {
  return `${String(count)} ${word}${count === 1 ? '' : 's'}`
}
