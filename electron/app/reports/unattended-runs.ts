/**
 * Runs that nobody watches, as a run file says: reads the list of companies, makes the reports, reads the months, asks
 * silent companies again until a time of day, and writes a summary beside the files. Runs take turns.
 */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { displayName } from '../../../shared/companies/companies.ts'
import type { Company } from '../../../shared/contract/companies.ts'
import type { Review } from '../../../shared/contract/review.ts'
import { Format } from '../../../shared/format/format.ts'
import { type ReportRun, runCounts } from '../../../shared/reports/runs.ts'
import { todayIso } from '../../../shared/reports/messages.ts'
import { periodFor } from '../../../shared/reports/periods.ts'
import { reportTitle } from '../../../shared/reports/reports.ts'
import { balanceText, formatSentence, subjectText } from '../../../shared/review/review.ts'
import { type AppError, type Result, appError, causeText, err, ok } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import { fileName, unusedFileName } from '../../files/file-name.ts'
import { type Named, type RunPlan, readRunFile } from '../../files/run-file.ts'
import { writeWholeFile } from '../../files/write-file.ts'
import { STATEMENTS } from '../../store/months.ts'
import type { Announcer, SettingsStore } from '../ports.ts'
import type { Companies } from '../companies/companies.ts'
import { whyNot } from '../review/evaluate.ts'
import type { Months } from '../review/months.ts'
import type { ReportRuns } from './report-runs.ts'
import { joinNames } from '../../../shared/format/text.ts'

/** Minutes between two attempts to reach companies that stayed silent. */
const ASK_AGAIN_MINUTES = 10
const MINUTE = 60_000
/** Companies that a message names. */
const MAX_NAMES = 5

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
  readonly outcome: RunOutcome
  /** In a sentence or two. */
  readonly message: string
  /** Where the files are, and the summary's own name; empty if nothing was written. */
  readonly folder: string
  readonly summaryFile: string
}

export interface UnattendedRunsOptions {
  readonly settings: Pick<SettingsStore, 'connections'>
  readonly companies: Pick<Companies['handlers'], 'companies.refresh' | 'companies.list'>
  /** An error if a connection's key is missing. */
  readonly hasKey: (connectionId: string) => Promise<Result<unknown>>
  readonly reportRuns: Pick<ReportRuns, 'begin' | 'ended' | 'answered' | 'resume'> & {
    readonly handlers: Pick<ReportRuns['handlers'], 'reportRuns.sets'>
  }
  readonly months: Pick<Months, 'read' | 'review'>
  readonly announcer: Pick<Announcer, 'notify'>
  /** Called with the run file's path when a run has ended. */
  readonly onEnded: (runFile: string, summary: RunSummary) => void
  /** When a schedule of this run file was last due, in ms since 1970; `null` if none uses it. */
  readonly dueAt: (runFile: string) => number | null
  readonly locale: string
  readonly clock: Clock
}

/** A run file's text and path. */
export interface RunRequest {
  readonly text: string
  readonly file: string
}

/** Whom a run asks, and for what. */
interface Prepared {
  readonly connectionId: string
  readonly companies: readonly Company[]
  readonly reports: readonly string[]
}

/** The result of a run. */
interface Made {
  /** `null` if only a review was requested. */
  readonly reportRun: ReportRun | null
  readonly reviews: readonly Review[]
}

export interface UnattendedRuns {
  /** Makes what a run file asks for, after the runs before it. Throws only if the store can no longer be read. */
  run(request: RunRequest): Promise<RunSummary>
  /** What a run file asks for, and why it would do nothing now. Sends no request. */
  check(request: RunRequest): Promise<{ readonly plan: RunPlan | null; readonly problem: AppError | null }>
  /** Ends the waiting for silent companies. */
  close(): void
}

export function createUnattendedRuns(options: UnattendedRunsOptions): UnattendedRuns {
  const { clock } = options
  const closing = Promise.withResolvers<null>()
  let isClosed = false
  let before: Promise<unknown> = Promise.resolve()

  /** Waits. Returns whether that ended early: because the program closes, or because of `early`. */
  const wait = async (milliseconds: number, early?: Promise<unknown>): Promise<boolean> => {
    const passed = Promise.withResolvers<boolean>()
    const cancel = clock.after(milliseconds, () => {
      passed.resolve(false)
    })
    const sooner = [closing.promise, ...(early === undefined ? [] : [early])].map((each) =>
      each.then(() => true),
    )
    const isEarly = await Promise.race([passed.promise, ...sooner])
    cancel()
    return isEarly
  }

  const make = async (plan: RunPlan, file: string): Promise<Result<Made>> => {
    const prepared = await prepare(plan)
    if (!prepared.ok) return prepared
    // A computer that slept through the start and its *until* wakes up too late to wait until tomorrow.
    const until = untilOf(plan.until, options.dueAt(file) ?? clock.now())
    const begun =
      plan.set === '' && plan.reports.length === 0 ? ok(null) : await beginReports(plan, prepared.value)
    if (!begun.ok) return begun
    const reportRun = begun.value === null ? null : await runToEnd(begun.value, until)
    if (!plan.review) return ok({ reportRun, reviews: [] })
    const reviews = await reviewMonths(plan, prepared.value, until)
    return reviews.ok ? ok({ reportRun, reviews: reviews.value }) : reviews
  }

  /** Reads the month of each company, and silent ones again. Closed months are compared with what was kept. */
  const reviewMonths = async (
    { period }: RunPlan,
    { connectionId, companies }: Prepared,
    until: number,
  ): Promise<Result<readonly Review[]>> => {
    const today = todayIso(new Date(clock.now()))
    const month =
      (period.choice === 'dates' ? period : periodFor(period.choice, today, 1))?.from.slice(0, 7) ?? ''
    let endpointIds = companies.map(({ ref }) => ref.endpointId)
    for (let again = true; ; again = false) {
      const read = await options.months.read(connectionId, month, endpointIds, again)
      if (!read.ok) return read
      endpointIds = [...read.value]
      const left = until - clock.now()
      if (endpointIds.length === 0 || left <= 0 || isClosed) break
      await wait(Math.min(left, ASK_AGAIN_MINUTES * MINUTE))
    }
    const reviews: Review[] = []
    for (const { ref } of companies) {
      const review = options.months.review(ref, month)
      if (!review.ok) return review
      reviews.push(review.value)
    }
    return ok(reviews)
  }

  const runToEnd = async (begun: ReportRun, until: number): Promise<ReportRun> => {
    let run = begun
    for (;;) {
      run = (await options.reportRuns.ended(run.runId)) ?? { ...run, state: 'stopped' }
      if (run.state !== 'needs-you' || isClosed) return run
      const left = until - clock.now()
      // Somebody may answer in a window meanwhile.
      const answered = options.reportRuns.answered(run.runId)
      if (left > 0 && (await wait(Math.min(left, ASK_AGAIN_MINUTES * MINUTE), answered))) continue
      await options.reportRuns.resume(run.runId, left > 0 ? 'again' : 'skip')
    }
  }

  /** Which companies are asked for which reports, once everything was checked. */
  const prepare = async (plan: RunPlan): Promise<Result<Prepared>> => {
    const connection = connectionOf(plan, options.settings.connections())
    if (!connection.ok) return connection
    const connectionId = connection.value
    const listed = await options.companies['companies.refresh']({ connectionId })
    if (!listed.ok) return listed
    const chosen = chosenCompanies(plan, listed.value.companies)
    if (!chosen.ok) return chosen
    const reports = await reportsOf(plan)
    if (!reports.ok) return reports
    try {
      mkdirSync(plan.folder, { recursive: true })
    } catch (cause) {
      return err(
        appError('file', `The folder ${plan.folder} can’t be used.`, 'Choose another folder.', {
          raw: causeText(cause),
        }),
      )
    }
    return ok({ connectionId, companies: chosen.value, reports: reports.value })
  }

  const beginReports = (
    plan: RunPlan,
    { connectionId, companies, reports }: Prepared,
  ): Result<ReportRun> | Promise<Result<ReportRun>> => {
    const { period, title, fileKinds, combined, pack, hideZeroRows } = plan
    const today = todayIso(new Date(clock.now()))
    return options.reportRuns.begin(
      {
        connectionId,
        title,
        reports: [...reports],
        endpointIds: companies.map(({ ref }) => ref.endpointId),
        period: period.choice === 'dates' ? period : { ...period, today },
        fileKinds: [...fileKinds],
        combined,
        pack,
        hideZeroRows,
      },
      plan.folder,
    )
  }

  const reportsOf = async (plan: RunPlan): Promise<Result<readonly string[]>> => {
    if (plan.set === '') return ok(plan.reports)
    const sets = await options.reportRuns.handlers['reportRuns.sets']({})
    if (!sets.ok) return sets
    const found = sets.value.find(({ name }) => isSameName(name, plan.set))
    if (found !== undefined) return ok(found.reports)
    return err(appError('not-found', `There is no set named “${plan.set}”.`, 'Save the set under Reports.'))
  }

  const check = async (plan: RunPlan): Promise<Result<unknown>> => {
    const connection = connectionOf(plan, options.settings.connections())
    if (!connection.ok) return connection
    const key = await options.hasKey(connection.value)
    if (!key.ok) return key
    const listed = await options.companies['companies.list']({ connectionId: connection.value })
    if (!listed.ok) return listed
    const chosen = chosenCompanies(plan, listed.value.companies)
    return chosen.ok ? reportsOf(plan) : chosen
  }

  const runNow = async ({ text, file }: RunRequest): Promise<RunSummary> => {
    const startedAt = timestamp(clock)
    const plan = readRunFile(text, dirname(file))
    const title = plan.ok ? plan.value.title : 'Reports'
    const made = plan.ok ? await make(plan.value, file) : plan
    const told = { title, startedAt, endedAt: timestamp(clock), summaryFile: '' }
    const summary: RunSummary =
      made.ok && plan.ok
        ? await writeSummary({ ...told, ...outcomeOf(made.value), folder: plan.value.folder }, made.value)
        : { ...told, outcome: 'not-started', message: made.ok ? '' : sentence(made.error), folder: '' }
    options.onEnded(file, summary)
    options.announcer.notify(title, summary.message)
    return summary
  }

  const writeSummary = async (summary: RunSummary, made: Made): Promise<RunSummary> => {
    const { title, folder, startedAt } = summary
    const name = unusedFileName(folder, fileName([title, `summary ${localTime(startedAt)}`], 'txt'))
    const text = summaryText(summary, made, options.locale)
    const written = await clock.during(writeWholeFile(join(folder, name), [ok(Buffer.from(text))]))
    if (written.ok) return { ...summary, summaryFile: name }
    return { ...summary, outcome: 'partly-made', message: `${summary.message} ${sentence(written.error)}` }
  }

  return {
    run(request) {
      const next = before.then(() => runNow(request))
      // The next run begins, however this one ended.
      before = next.catch(() => undefined)
      return next
    },
    async check({ text, file }) {
      const plan = readRunFile(text, dirname(file))
      if (!plan.ok) return { plan: null, problem: plan.error }
      const checked = await check(plan.value)
      return { plan: plan.value, problem: checked.ok ? null : checked.error }
    },
    close() {
      isClosed = true
      closing.resolve(null)
    },
  }
}

function connectionOf(
  plan: RunPlan,
  all: readonly { readonly connectionId: string; readonly name: string }[],
): Result<string> {
  const wanted = plan.connection
  const named = wanted === null ? all : all.filter((each) => isConnection(each, wanted))
  const [only] = named
  if (only !== undefined && named.length === 1) return ok(only.connectionId)
  const advice = 'Name one of the connections under Settings in the run file.'
  if (named.length > 1)
    return err(
      appError('invalid-input', 'The run file doesn’t name a connection, and there are several.', advice),
    )
  const message =
    wanted === null ? 'There is no connection.' : `There is no connection named “${wanted.name}”.`
  return err(appError('not-found', message, advice))
}

/** All of them, or those that are named; an error if a name matches none, several, or an inactive one. */
function chosenCompanies(plan: RunPlan, known: readonly Company[]): Result<readonly Company[]> {
  const listed = known.filter(({ isListed }) => isListed)
  if (plan.companies === null) {
    const active = listed.filter(({ isActive }) => isActive)
    if (active.length > 0) return ok(active)
    return err(appError('not-found', 'There is no active company.', 'Add a company first.'))
  }
  const chosen: Company[] = []
  const problems: string[] = []
  for (const wanted of plan.companies) {
    const found = listed.filter((company) => isCompany(company, wanted))
    const [only] = found
    if (only === undefined) problems.push(`There is no company named “${wanted.name}”.`)
    else if (found.length > 1)
      problems.push(`Several companies are named “${wanted.name}”: use the company’s ID.`)
    else if (!only.isActive) problems.push(`“${wanted.name}” is inactive.`)
    else chosen.push(only)
  }
  if (problems.length === 0) return ok(chosen)
  return err(appError('not-found', problems.join(' '), 'Correct the companies in the run file.'))
}

function isConnection(
  connection: { readonly connectionId: string; readonly name: string },
  { id, name }: Named,
): boolean {
  return id === null ? isSameName(connection.name, name) : connection.connectionId === id
}

function isCompany(company: Company, { id, name }: Named): boolean {
  const { endpointId } = company.ref
  if (id !== null) return endpointId === id
  return [displayName(company), company.companyName, endpointId].some((each) => isSameName(each, name))
}

function isSameName(left: string, right: string): boolean {
  return left.trim().toLowerCase() === right.trim().toLowerCase()
}

/** The first time after `start` that the clock shows so many minutes of the local day, in ms since 1970; `start` for `null`. */
function untilOf(minutes: number | null, start: number): number {
  if (minutes === null) return start
  const at = new Date(start)
  at.setHours(0, minutes, 0, 0)
  if (at.getTime() <= start) at.setDate(at.getDate() + 1)
  return at.getTime()
}

function outcomeOf({ reportRun, reviews }: Made): Pick<RunSummary, 'outcome' | 'message'> {
  const parts = [
    ...(reportRun === null ? [] : [reportsOutcome(reportRun)]),
    ...(reviews.length === 0 ? [] : [reviewOutcome(reviews)]),
  ]
  return {
    outcome: parts.every(({ isWhole }) => isWhole) ? 'made' : 'partly-made',
    message: parts.map(({ message }) => message).join(' '),
  }
}

interface PartOutcome {
  readonly isWhole: boolean
  readonly message: string
}

function reportsOutcome(run: ReportRun): PartOutcome {
  const { made, 'not-offered': notOffered } = runCounts(run)
  const asked = run.items.length - notOffered
  const counts = `${String(made)} of ${counted(asked, 'report')} ready.`
  if (run.state === 'finished') return { isWhole: made === asked, message: counts }
  const why = run.error === null ? 'The run was stopped.' : sentence(run.error)
  return { isWhole: false, message: `${counts} ${why}` }
}

/** A month is reviewed when all of it was read, and compared if it is closed, whatever was found. */
function reviewOutcome(reviews: readonly Review[]): PartOutcome {
  const notWhole = reviews.filter((review) => !isWhole(review))
  const nothing = notWhole.filter(isNothingChecked)
  const incomplete = notWhole.filter((review) => !isNothingChecked(review))
  const read = reviews.length - notWhole.length
  const open = reviews.reduce((sum, { month: { status } }) => sum + ('open' in status ? status.open : 0), 0)
  const changed = reviews.filter(({ month }) => month.status.state === 'changed').length
  return {
    isWhole: notWhole.length === 0,
    message: [
      `${String(read)} of ${counted(reviews.length, 'month')} reviewed, ${counted(open, 'open finding')}.`,
      ...(changed === 0 ? [] : [`${counted(changed, 'closed month')} changed.`]),
      ...(nothing.length === 0 ? [] : [`Nothing was checked: ${namesOf(nothing)}.`]),
      ...(incomplete.length === 0 ? [] : [`Incomplete: ${namesOf(incomplete)}.`]),
    ].join(' '),
  }
}

/** Whether every report and list was read whole that the application offers. */
function isWhole({ notCompared, readings }: Review): boolean {
  return notCompared.length === 0 && readings.length > 0 && readings.every(isReadOrLacking)
}

function isReadOrLacking(reading: Review['readings'][number]): boolean {
  return reading.state === 'not-offered' || whyNot(reading) === null
}

/** Whether a month that is not closed has nothing that a rule could use. */
function isNothingChecked({ month: { status }, readings }: Review): boolean {
  if (status.state === 'closed' || status.state === 'changed') return false
  return readings.every((reading) => whyNot(reading) !== null)
}

/** The summary file has all of them. */
function namesOf(reviews: readonly Review[]): string {
  return joinNames(
    reviews.map(({ month }) => month.companyName),
    MAX_NAMES,
  )
}

function sentence({ message, advice }: AppError): string {
  return `${message} ${advice}`.trim()
}

/** The summary for the user: what was made for each company, and why anything is missing. */
function summaryText(summary: RunSummary, { reportRun, reviews }: Made, locale: string): string {
  const format = new Format({ locale, negatives: 'minus' })
  const lines = [
    summary.title,
    `Started ${format.fullMoment(summary.startedAt)}, ended ${format.fullMoment(summary.endedAt)}.`,
    summary.message,
    '',
  ]
  for (const company of reportRun?.companies ?? []) {
    const items = (reportRun?.items ?? []).filter(
      ({ endpointId }) => endpointId === company.company.endpointId,
    )
    const offered = items.filter(({ state }) => state !== 'not-offered')
    const made = offered.filter(({ state }) => state === 'made')
    const findings = made.reduce((sum, item) => sum + item.findings, 0)
    const totals =
      made.length === 0
        ? ''
        : findings === 0
          ? ' Totals agree.'
          : ` ${counted(findings, 'total')} ${findings === 1 ? 'doesn’t' : 'don’t'} add up.`
    lines.push(
      `${company.companyName} (${company.applicationName}), ${format.period(company.from, company.to)}: ` +
        `${String(made.length)} of ${counted(offered.length, 'report')} ready.${totals}`,
    )
    for (const item of items) {
      const why = whyNotMade(item.state, item.error ?? company.silence, company.applicationName)
      if (why !== '') lines.push(`  ${reportTitle(item.madeAs)}: ${why}`)
      for (const said of item.state === 'made' ? item.said : [])
        lines.push(`  ${reportTitle(item.madeAs)}: ${said}`)
    }
  }
  for (const review of reviews) lines.push(...reviewLines(review, format))
  return `${lines.join('\r\n')}\r\n`
}

/** The open findings of a month, worst first as on screen, what was not read whole, and what was not checked. */
function reviewLines(review: Review, format: Format): readonly string[] {
  const { month, readings, notCompared, rules } = review
  const { companyName, status } = month
  const title = `${companyName}, review of ${format.month(`${month.month}-01`)}`
  const open = rules.flatMap((rule) =>
    rule.findings
      .filter(({ decision }) => decision === null)
      .map((finding) => {
        const amount = finding.amount === '' ? '' : `, ${balanceText(finding.amount, finding.side, format)}`
        const subject = subjectText(finding.subject, format)
        // A name may end with a period of its own, such as *Inc.*
        const what = `${subject}${amount}`.replace(/\.?$/, '.')
        return `  ${rule.title}: ${what} ${formatSentence(finding.detail, format)}`
      }),
  )
  const notWhole = readings.flatMap((reading) =>
    isReadOrLacking(reading) ? [] : (whyNot(reading)?.reason ?? []),
  )
  const differing = notCompared.map(({ report, reason }) => `  ${report} could not be compared. ${reason}`)
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
      const size = `${counted(status.accounts, 'account')}, ${format.money(status.amount)}`
      const notRead = status.notRead === '' ? '' : ` Not read again: ${status.notRead}`
      return [`${title}: changed since it was closed (${size}).${notRead}`, ...differing]
    }
    case 'closed': {
      if (status.notRead !== '') return [`${title}: closed, and not read again. ${status.notRead}`]
      if (status.notCompared === 0) return [`${title}: closed, and unchanged.`]
      return [
        status.notCompared < STATEMENTS.size
          ? `${title}: closed, and unchanged as far as it could be compared.`
          : `${title}: closed. Nothing could be compared.`,
        ...differing,
      ]
    }
    case 'findings':
    case 'reviewed':
      return all()
  }
}

function whyNotMade(
  state: ReportRun['items'][number]['state'],
  error: AppError | null,
  application: string,
): string {
  switch (state) {
    case 'made':
      return ''
    case 'not-offered':
      return `${application} doesn’t have this report.`
    default:
      return error === null ? 'It wasn’t run.' : sentence(error)
  }
}

/** For a file name: `2026-11-24 06.30`, in local time. */
function localTime(iso: string): string {
  const at = new Date(iso)
  return `${todayIso(at)} ${at.toTimeString().slice(0, 5).replace(':', '.')}`
}

function counted(count: number, word: string): string {
  return `${String(count)} ${word}${count === 1 ? '' : 's'}`
}
