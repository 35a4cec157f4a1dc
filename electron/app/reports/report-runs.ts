/** Runs of reports for several companies, such as month end. Also the saved sets of reports. */
import { displayName } from '../../../shared/companies/companies.ts'
import type { CheckedInput } from '../../../shared/contract/contract.ts'
import { type Period, periodFor, periodProblem } from '../../../shared/reports/periods.ts'
import { type ReportRun, type RunCompany, runCounts } from '../../../shared/reports/runs.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import { letterheadOf } from '../../files/print/letterhead.ts'
import type { ReportRows } from '../../rows/rows.ts'
import type { ServiceClient } from '../../service/protocol/wire.ts'
import type { StoredCompany } from '../../store/companies.ts'
import { resultOf } from '../../store/database.ts'
import { type ReportRunStore, RUN_GONE } from '../../store/report-runs.ts'
import type { HandlersOf } from '../calls.ts'
import type { Companies } from '../companies/companies.ts'
import type { Announcer, FolderDialog, Printer, SettingsStore } from '../ports.ts'
import { afterAnswer, afterRestart, forRetry, silentNotice, untested } from '../runs/run-steps.ts'
import { createReportFiles } from './report-files.ts'
import { createReportReader, type ReportWatch } from './report-reader.ts'
import { planItems, ReportRunner } from './report-runner.ts'

export interface ReportRunsOptions {
  readonly client: ServiceClient
  /** Not the window's, because a run outlives the page. */
  readonly rows: ReportRows
  readonly store: ReportRunStore
  readonly companies: Pick<Companies, 'find' | 'test' | 'withProbe'>
  readonly watch: ReportWatch
  readonly folderDialog: FolderDialog
  readonly printer: Printer
  readonly settings: SettingsStore
  readonly locale: string
  readonly announcer: Announcer
  readonly clock: Clock
  readonly stopEntry: (entryId: string) => void
  readonly newId: () => string
  readonly defect: (where: string, cause: unknown) => void
}

type NewRun = CheckedInput<'reportRuns.start'>

export interface ReportRuns {
  readonly handlers: HandlersOf<'reportRuns'>
  /** Starts a run with a known folder. The caller announces its end. */
  begin(asked: NewRun, folder: string): Result<ReportRun>
  /** Waits until a run is no longer in progress. Returns it, or `null` if it was removed. */
  ended(runId: string): Promise<ReportRun | null>
  /** Waits until a run that isn’t in progress is resumed or removed. */
  answered(runId: string): Promise<unknown>
  /** Resumes a run: tries these companies again, or skips them. */
  resume(
    runId: string,
    companies: readonly Pick<RunCompany, 'company'>[],
    answer: 'again' | 'skip',
  ): Promise<Result<unknown>>
  /** Shows runs that were in progress when the program ended as stopped. They resume when the user says so. */
  start(): void
  close(): void
}

export function createReportRuns(options: ReportRunsOptions): ReportRuns {
  const { store, companies, clock, announcer } = options
  /** Report runs that belong to unattended runs, which announce their own end. */
  const ownNotice = new Set<string>()
  const answers = new Map<string, PromiseWithResolvers<null>>()
  const wasAnswered = (runId: string): void => {
    answers.get(runId)?.resolve(null)
    answers.delete(runId)
  }
  const runner = new ReportRunner({
    store,
    reader: createReportReader(options),
    rows: options.rows,
    files: createReportFiles({
      ...options,
      format: () => ({ locale: options.locale, negatives: options.settings.get().negatives }),
      letterhead: () => letterheadOf(options.settings.get()),
    }),
    test: companies.test,
    stopEntry: options.stopEntry,
    changed(run) {
      announcer.emit('reportRuns.changed', run)
      if (ownNotice.has(run.runId)) return
      if (run.state === 'finished' || run.state === 'needs-you') announcer.notify(run.title, noticeOf(run))
    },
    defect: (cause) => {
      options.defect('report run', cause)
    },
  })

  /** Changes a run that isn't in progress, and starts it. A restored one has no folder, so the user chooses one. */
  const resume = async (
    runId: string,
    change: (run: ReportRun) => ReportRun,
  ): Promise<Result<Record<string, never>>> => {
    const asked = store.get(runId)
    const hasFolder = asked === null || asked.folder !== ''
    const chosen = hasFolder ? '' : await options.folderDialog.choose()
    if (chosen === null) return ok({})
    // While the dialog was open, it may have been removed or resumed.
    const found = hasFolder ? asked : store.get(runId)
    if (found === null) return err(RUN_GONE)
    if (found.state === 'running') return ok({})
    store.put(change({ ...found, folder: found.folder || chosen }))
    void runner.continue(runId)
    wasAnswered(runId)
    return ok({})
  }

  const runCompanies = ({ connectionId, endpointIds, period }: NewRun): Result<readonly RunCompany[]> => {
    const chosen: RunCompany[] = []
    for (const endpointId of new Set(endpointIds)) {
      const found = companies.find({ connectionId, endpointId })
      if (!found.ok) return found
      const days =
        period.choice === 'dates'
          ? period
          : periodFor(period.choice, period.today, found.value.fiscalYearStart)
      if (days === null || periodProblem(days) !== null) {
        return err(appError('invalid-input', 'This is not a valid period.', 'Choose another period.'))
      }
      chosen.push(runCompany(found.value, days))
    }
    return ok(chosen)
  }

  const startRun = (asked: NewRun, chosen: readonly RunCompany[], folder: string): ReportRun => {
    const { connectionId, title, reports, fileKinds, combined, pack, hideZeroRows } = asked
    const run: ReportRun = {
      runId: options.newId(),
      connectionId,
      title,
      createdAt: timestamp(clock),
      folder,
      state: 'running',
      error: null,
      companies: chosen,
      items: planItems(chosen, reports, options.newId),
      fileKinds,
      combined,
      pack,
      hideZeroRows,
      files: [],
    }
    store.add(run)
    void runner.continue(run.runId)
    return run
  }

  const handlers: HandlersOf<'reportRuns'> = {
    'reportRuns.list': ({ connectionId }) => ok(store.list(connectionId)),

    'reportRuns.start': async (asked) => {
      const chosen = runCompanies(asked)
      if (!chosen.ok) return chosen
      const folder = await options.folderDialog.choose()
      return ok({ run: folder === null ? null : startRun(asked, chosen.value, folder) })
    },

    'reportRuns.stop': ({ runId }) => {
      runner.stop(runId)
      return ok({})
    },

    'reportRuns.resume': ({ runId }) => resume(runId, untested),

    'reportRuns.retry': ({ runId }) => resume(runId, forRetry),

    'reportRuns.answer': ({ runId, endpointId, answer }) =>
      resume(runId, (run) => afterAnswer(run, endpointId, answer)),

    'reportRuns.remove': ({ runId }) => {
      const found = store.get(runId)
      if (found?.state === 'running') {
        return err(appError('invalid-input', 'It is still running.', 'Stop it first.'))
      }
      store.remove(runId)
      wasAnswered(runId)
      return ok({})
    },

    'reportRuns.sets': () => ok(store.sets()),

    'reportRuns.saveSet': (set) => {
      store.putSet(set)
      return ok({})
    },

    'reportRuns.removeSet': ({ name }) => {
      store.removeSet(name)
      return ok({})
    },
  }

  return {
    handlers,
    begin(asked, folder) {
      const chosen = runCompanies(asked)
      if (!chosen.ok) return chosen
      const begun = resultOf(() => startRun(asked, chosen.value, folder))
      if (begun.ok) ownNotice.add(begun.value.runId)
      return begun
    },
    async ended(runId) {
      await runner.ended(runId)
      return store.get(runId)
    },
    answered(runId) {
      const answer = answers.get(runId) ?? Promise.withResolvers<null>()
      answers.set(runId, answer)
      return answer.promise
    },
    resume: (runId, answered, answer) =>
      resume(runId, (run) =>
        answered.reduce((next, { company }) => afterAnswer(next, company.endpointId, answer), run),
      ),
    start() {
      resultOf(() => {
        for (const run of store.all()) {
          const left = afterRestart(run)
          if (left !== run) store.put(left)
        }
      })
    },
    close() {
      runner.close()
    },
  }
}

function runCompany(company: StoredCompany, { from, to }: Period): RunCompany {
  const { ref, application, applicationName } = company
  return {
    company: ref,
    companyName: displayName(company),
    application,
    applicationName,
    from,
    to,
    contact: 'untested',
    contactError: null,
  }
}

/** For people who have switched to another window. */
function noticeOf(run: ReportRun): string {
  if (run.state === 'needs-you') return silentNotice(run)
  const { done: made, failed, skipped } = runCounts(run)
  const parts = [`${String(made)} made`]
  if (failed > 0) parts.push(`${String(failed)} failed`)
  if (skipped > 0) parts.push(`${String(skipped)} skipped`)
  return `${parts.join(', ')}.`
}
