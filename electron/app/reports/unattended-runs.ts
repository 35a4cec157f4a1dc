/**
 * Unattended runs, as described by a run file: reads the list of companies, makes the reports, reads the months, tries
 * silent companies again until a time of day, and writes a summary beside the files. Only one run at a time is in
 * progress.
 */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { displayName } from '../../../shared/companies/companies.ts'
import type { Company } from '../../../shared/contract/companies.ts'
import type { Review } from '../../../shared/contract/review.ts'
import { localDay } from '../../../shared/format/format.ts'
import { periodFor } from '../../../shared/reports/periods.ts'
import type { ReportRun } from '../../../shared/reports/runs.ts'
import { type AppError, appError, causeText, err, ok, type Result } from '../../../shared/result.ts'
import { isKeyRefused } from '../../../shared/runs.ts'
import { type Clock, timestamp } from '../../clock.ts'
import { fileName, unusedFileName } from '../../files/file-name.ts'
import { type NameWithId, readRunFile, type RunPlan } from '../../files/run-file.ts'
import { writeFileAtomically } from '../../files/write-file.ts'
import type { Companies } from '../companies/companies.ts'
import type { Announcer, SettingsStore } from '../ports.ts'
import type { Months } from '../review/months.ts'
import { silentCompanies } from '../runs/run-steps.ts'
import type { ReportRuns } from './report-runs.ts'
import {
  errorSentence,
  type FinishedRun,
  type NotReviewed,
  runOutcome,
  type RunSummary,
  summaryText,
  withDistinctNames,
} from './run-summary.ts'

/** Minutes between two attempts to reach companies that stayed silent. */
const ASK_AGAIN_MINUTES = 10
const MINUTE = 60_000

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
  readonly dueAt: (runFile: string) => Promise<number | null>
  readonly locale: string
  readonly clock: Clock
}

/** A run file's text and path. */
export interface RunRequest {
  readonly text: string
  readonly file: string
  /** Whether a user started it by hand, so it doesn't make up for a missed start. */
  readonly isByHand?: boolean
}

interface Chosen {
  readonly companies: readonly Company[]
  /** Why others that the run file names are left out, one sentence for each. */
  readonly leftOut: readonly string[]
}

/** Which companies a run reads from, and what it reads. */
interface Prepared extends Chosen {
  readonly connectionId: string
  readonly reports: readonly string[]
}

export class UnattendedRuns {
  readonly #options: UnattendedRunsOptions
  readonly #closing = Promise.withResolvers<null>()
  #isClosed = false
  #previousRun: Promise<unknown> = Promise.resolve()

  constructor(options: UnattendedRunsOptions) {
    this.#options = options
  }

  /** Makes what a run file asks for, once earlier runs have ended. Throws only if the store can no longer be read. */
  run(request: RunRequest): Promise<RunSummary> {
    const next = this.#previousRun.then(() => this.#runNow(request))
    // The next run begins, however this one ended.
    this.#previousRun = next.catch(() => undefined)
    return next
  }

  /** What a run file asks for, and why it would do nothing now. Sends no request. */
  async check({
    text,
    file,
  }: RunRequest): Promise<{ readonly plan: RunPlan | null; readonly problem: AppError | null }> {
    const plan = readRunFile(text, dirname(file))
    if (!plan.ok) return { plan: null, problem: plan.error }
    const checked = await this.#checkPlan(plan.value)
    return { plan: plan.value, problem: checked.ok ? null : checked.error }
  }

  /** Stops waiting for silent companies. */
  close(): void {
    this.#isClosed = true
    this.#closing.resolve(null)
  }

  async #runNow({ text, file, isByHand }: RunRequest): Promise<RunSummary> {
    const { clock } = this.#options
    const startedAt = timestamp(clock)
    const plan = readRunFile(text, dirname(file))
    const title = plan.ok ? plan.value.title : 'Reports'
    // A run that makes up for a missed start counts for the day on which it was due, however late it runs.
    const now = clock.now()
    const from = (isByHand === true ? null : await this.#options.dueAt(file)) ?? now
    const made = plan.ok ? await this.#make(plan.value, from) : plan
    const isLate = dayOf(from) !== dayOf(now)
    const dueAt = isLate ? new Date(from).toISOString() : ''
    const common = { title, startedAt, endedAt: timestamp(clock), dueAt, hasFindings: false, summaryFile: '' }
    const summary: RunSummary =
      made.ok && plan.ok
        ? await this.#writeSummary(
            { ...common, ...runOutcome(made.value), folder: plan.value.folder },
            made.value,
          )
        : { ...common, outcome: 'not-started', message: made.ok ? '' : errorSentence(made.error), folder: '' }
    this.#options.onEnded(file, summary)
    this.#options.announcer.notify(title, summary.message)
    return summary
  }

  async #writeSummary(summary: RunSummary, made: FinishedRun): Promise<RunSummary> {
    const { title, folder, startedAt } = summary
    const name = unusedFileName(folder, fileName([title, `summary ${localTime(startedAt)}`], 'txt'))
    const text = summaryText(summary, made, this.#options.locale)
    const written = await this.#options.clock.during(
      writeFileAtomically(join(folder, name), [ok(Buffer.from(text))]),
    )
    if (written.ok) return { ...summary, summaryFile: name }
    return {
      ...summary,
      outcome: 'partly-made',
      message: `${summary.message} ${errorSentence(written.error)}`,
    }
  }

  /** @param from when it was due, in ms since 1970 */
  async #make(plan: RunPlan, from: number): Promise<Result<FinishedRun>> {
    const prepared = await this.#prepare(plan)
    if (!prepared.ok) return prepared
    // A computer that slept through the start and its *until* wakes up too late to wait until tomorrow.
    const until = untilOf(plan.until, from)
    const today = dayOf(from)
    const begun =
      plan.set === '' && plan.reports.length === 0
        ? ok(null)
        : await this.#beginReports(plan, prepared.value, today)
    if (!begun.ok) return begun
    const reportRun = begun.value === null ? null : await this.#runToEnd(begun.value, until)
    const review = plan.review
      ? await this.#reviewMonths(plan, prepared.value, today, until)
      : { reviews: [], notReviewed: [] }
    const [failed] = review.notReviewed
    const isNothingMade = reportRun === null && review.reviews.length === 0
    if (isNothingMade && failed !== undefined) return err(failed.error)
    const { leftOut } = prepared.value
    return ok(withDistinctNames({ reportRun, ...review, leftOut }))
  }

  /**
   * Reads the month of each company, and tries silent companies again. Closed months are compared with what was kept.
   */
  async #reviewMonths(
    { period }: RunPlan,
    { connectionId, companies }: Prepared,
    today: string,
    until: number,
  ): Promise<Pick<FinishedRun, 'reviews' | 'notReviewed'>> {
    const { clock } = this.#options
    const month =
      (period.choice === 'dates' ? period : periodFor(period.choice, today, 1))?.from.slice(0, 7) ?? ''
    let endpointIds = companies.map(({ ref }) => ref.endpointId)
    let error: AppError | null = null
    for (let again = true; ; again = false) {
      const read = await this.#options.months.read(connectionId, month, endpointIds, again)
      if (!read.ok) {
        error = read.error
        break
      }
      endpointIds = [...read.value]
      const left = until - clock.now()
      if (endpointIds.length === 0 || left <= 0 || this.#isClosed) break
      await this.#wait(Math.min(left, ASK_AGAIN_MINUTES * MINUTE))
    }
    const reviews: Review[] = []
    const notReviewed: NotReviewed[] = []
    for (const company of companies) {
      const review = error === null ? this.#options.months.review(company.ref, month) : err(error)
      if (review.ok) reviews.push(review.value)
      else notReviewed.push({ company: company.ref, companyName: displayName(company), error: review.error })
    }
    return { reviews, notReviewed }
  }

  async #runToEnd(begun: ReportRun, until: number): Promise<ReportRun> {
    let run = begun
    for (;;) {
      run = (await this.#options.reportRuns.ended(run.runId)) ?? { ...run, state: 'stopped' }
      if (run.state !== 'needs-you' || this.#isClosed) return run
      const silent = silentCompanies(run)
      // A company whose key is refused isn't waited for: only the provider can allow it.
      const refused = silent.filter(isKeyRefused)
      if (refused.length > 0) {
        await this.#options.reportRuns.resume(run.runId, refused, 'skip')
        continue
      }
      const left = until - this.#options.clock.now()
      // Someone may answer in a window meanwhile.
      const answered = this.#options.reportRuns.answered(run.runId)
      if (left > 0 && (await this.#wait(Math.min(left, ASK_AGAIN_MINUTES * MINUTE), answered))) continue
      await this.#options.reportRuns.resume(run.runId, silent, left > 0 ? 'again' : 'skip')
    }
  }

  /** Which companies are asked for which reports, once everything was checked. */
  async #prepare(plan: RunPlan): Promise<Result<Prepared>> {
    const connection = connectionOf(plan, this.#options.settings.connections())
    if (!connection.ok) return connection
    const connectionId = connection.value
    const listed = await this.#options.companies['companies.refresh']({ connectionId })
    if (!listed.ok) return listed
    const chosen = chosenCompanies(plan, listed.value.companies)
    if (!chosen.ok) return chosen
    const reports = await this.#reportsOf(plan)
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
    return ok({ connectionId, ...chosen.value, reports: reports.value })
  }

  #beginReports(
    plan: RunPlan,
    { connectionId, companies, reports }: Prepared,
    today: string,
  ): Result<ReportRun> | Promise<Result<ReportRun>> {
    const { period, title, fileKinds, combined, pack, hideZeroRows } = plan
    return this.#options.reportRuns.begin(
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

  async #reportsOf(plan: RunPlan): Promise<Result<readonly string[]>> {
    if (plan.set === '') return ok(plan.reports)
    const sets = await this.#options.reportRuns.handlers['reportRuns.sets']({})
    if (!sets.ok) return sets
    const found = sets.value.find(({ name }) => isSameName(name, plan.set))
    if (found !== undefined) return ok(found.reports)
    return err(appError('not-found', `There is no set named “${plan.set}”.`, 'Save the set under Reports.'))
  }

  async #checkPlan(plan: RunPlan): Promise<Result<unknown>> {
    const connection = connectionOf(plan, this.#options.settings.connections())
    if (!connection.ok) return connection
    const key = await this.#options.hasKey(connection.value)
    if (!key.ok) return key
    const listed = await this.#options.companies['companies.list']({ connectionId: connection.value })
    if (!listed.ok) return listed
    const chosen = chosenCompanies(plan, listed.value.companies)
    return chosen.ok ? this.#reportsOf(plan) : chosen
  }

  /** Waits. Returns whether that ended early: because the program closes, or because of `early`. */
  async #wait(milliseconds: number, early?: Promise<unknown>): Promise<boolean> {
    const passed = Promise.withResolvers<boolean>()
    const cancel = this.#options.clock.after(milliseconds, () => {
      passed.resolve(false)
    })
    const sooner = [this.#closing.promise, ...(early === undefined ? [] : [early])].map((each) =>
      each.then(() => true),
    )
    const isEarly = await Promise.race([passed.promise, ...sooner])
    cancel()
    return isEarly
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

/** All of them, or those that are named. One whose name matches none, several, or an inactive one is left out; an error if all are. */
function chosenCompanies(plan: RunPlan, known: readonly Company[]): Result<Chosen> {
  const listed = known.filter(({ isListed }) => isListed)
  if (plan.companies === null) {
    const active = listed.filter(({ isActive }) => isActive)
    if (active.length > 0) return ok({ companies: active, leftOut: [] })
    return err(appError('not-found', 'There is no active company.', 'Add a company first.'))
  }
  const chosen: Company[] = []
  const problems: string[] = []
  for (const wanted of plan.companies) {
    const named = listed.filter((company) => isCompany(company, wanted))
    const active = named.filter(({ isActive }) => isActive)
    const found = active.length > 0 ? active : named
    const [only] = found
    if (only === undefined) problems.push(`There is no company named “${wanted.name}”.`)
    else if (!only.isActive) problems.push(`“${wanted.name}” is inactive.`)
    else if (found.length > 1)
      problems.push(`Several companies are named “${wanted.name}”: use the company’s ID.`)
    else if (!chosen.includes(only)) chosen.push(only)
  }
  if (chosen.length > 0) return ok({ companies: chosen, leftOut: problems })
  return err(appError('not-found', problems.join(' '), 'Correct the companies in the run file.'))
}

function isConnection(
  connection: { readonly connectionId: string; readonly name: string },
  { id, name }: NameWithId,
): boolean {
  return id === null ? isSameName(connection.name, name) : connection.connectionId === id
}

function isCompany(company: Company, { id, name }: NameWithId): boolean {
  const { endpointId } = company.ref
  if (id !== null) return endpointId === id
  return [displayName(company), company.companyName, endpointId].some((each) => isSameName(each, name))
}

function dayOf(moment: number): string {
  return localDay(new Date(moment))
}

function isSameName(left: string, right: string): boolean {
  return left.trim().toLowerCase() === right.trim().toLowerCase()
}

/**
 * The first time after `start` at which the local clock shows this many minutes after midnight, in ms since 1970;
 * `start` for `null`.
 */
function untilOf(minutes: number | null, start: number): number {
  if (minutes === null) return start
  const at = new Date(start)
  at.setHours(0, minutes, 0, 0)
  if (at.getTime() <= start) at.setDate(at.getDate() + 1)
  return at.getTime()
}

/** For a file name: `2026-11-24 06.30`, in local time. */
function localTime(iso: string): string {
  const at = new Date(iso)
  return `${localDay(at)} ${at.toTimeString().slice(0, 5).replace(':', '.')}`
}
