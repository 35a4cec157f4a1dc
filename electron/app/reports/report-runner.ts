/** Plans the reports of a run, makes them, and writes their files. */
import {
  countWrongTotals,
  isListedReport,
  reportNames,
  sameReport,
  totalsResult,
} from '../../../shared/reports/reports.ts'
import {
  type JointFile,
  type ReportRun,
  type RunCompany,
  type RunItem,
} from '../../../shared/reports/runs.ts'
import type { Result } from '../../../shared/result.ts'
import type { ReportRows } from '../../rows/rows.ts'
import { resultOf } from '../../store/database.ts'
import type { ReportRunStore } from '../../store/report-runs.ts'
import type { TestOptions } from '../companies/company-tests.ts'
import { withItem } from '../runs/run-steps.ts'
import { type ActiveRun, newActiveRun, Runner, type RunnerOptions } from '../runs/runner.ts'
import type { ReportFiles } from './report-files.ts'
import type { ReportReader } from './report-reader.ts'

export interface ReportRunnerOptions extends RunnerOptions<ReportRun> {
  readonly store: ReportRunStore
  readonly reader: ReportReader
  readonly rows: Pick<ReportRows, 'closeReport'>
  readonly files: ReportFiles
}

export class ReportRunner extends Runner<ReportRun> {
  readonly #options: ReportRunnerOptions

  constructor(options: ReportRunnerOptions) {
    super(options)
    this.#options = options
  }

  continue(runId: string): Promise<void> {
    return this.begin(runId, newActiveRun())
  }

  protected load(runId: string): ReportRun | null {
    return this.#options.store.get(runId)
  }

  protected save(run: ReportRun): ReportRun {
    this.#options.store.put(run)
    return run
  }

  /** Saves a run without telling the window. */
  #keep(run: ReportRun): Result<void> {
    return resultOf(() => {
      this.save(run)
    })
  }

  protected testOptions({ runId }: ReportRun): Pick<TestOptions, 'batchId'> {
    return { batchId: runId }
  }

  protected async make(
    before: ReportRun,
    company: RunCompany,
    item: RunItem,
    active: ActiveRun,
  ): Promise<ReportRun> {
    const { files } = this.#options
    const run = this.put(withItem(before, item.itemId, { state: 'running' }))
    if (run.state === 'stopped') return run
    const { companyName, application, from, to } = company
    const asked = { company: company.company, companyName, application, name: item.offeredName, from, to }
    const head = await this.#options.reader.read({
      ...asked,
      ...this.testOptions(run),
      priority: 'batch',
      onEntry: this.onEntry(active),
    })
    if (!head.ok && head.error.kind === 'unauthorized') {
      return this.refused(run, item, head.error, active)
    }
    if (!head.ok) return this.failed(run, item, head.error)
    const report = { run, company, item, head: head.value }
    // Saved before the files are written, so that the same files are written again after a crash.
    const names = files.namesOf(report)
    let named = this.put(withItem(run, item.itemId, names))
    if (named.state === 'stopped') {
      await this.#options.rows.closeReport(head.value.reportId)
      return named
    }
    const toWrite = { ...report, run: named, item: { ...item, ...names } }
    let { fingerprints } = names
    const written = await files.writeReport(toWrite, (at, fingerprint) => {
      fingerprints = fingerprints.with(at, fingerprint)
      const next = withItem(named, item.itemId, { fingerprints })
      const kept = this.#keep(next)
      if (kept.ok) named = next
      return kept
    })
    await this.#options.rows.closeReport(head.value.reportId)
    if (!written.ok) return this.failed(named, item, written.error)
    const totals = totalsResult(head.value)
    const findings = countWrongTotals(head.value.checks.findings)
    const notes = [...head.value.notes, ...written.value]
    return this.put(withItem(named, item.itemId, { state: 'done', totals, findings, notes, error: null }))
  }

  protected override async finish(before: ReportRun): Promise<ReportRun> {
    const { files } = this.#options
    let run = before
    for (const due of files.due(run)) {
      // The name is saved before the file is written. Until then, the file counts as empty.
      run = this.put(withFile(run, { ...due, itemIds: [] }))
      if (run.state === 'stopped') return run
      const written = await files.writeJoint(run, due, (file) => {
        const next = withFile(run, { ...file, itemIds: [] })
        const kept = this.#keep(next)
        if (kept.ok) run = next
        return kept
      })
      if (!written.ok) return this.put({ ...run, state: 'stopped', error: written.error })
      run = this.put(written.value === null ? withoutFile(run, due) : withFile(run, written.value))
      if (run.state === 'stopped') return run
    }
    // Failed reports can be tried again, and the joint files with them.
    const isWhole = run.items.every(({ state }) => state === 'done' || state === 'not-offered')
    if (isWhole) {
      resultOf(() => {
        this.#options.store.removeReports(run.runId)
      })
    }
    return super.finish(run)
  }
}

/** Replaces a joint file. */
function withFile(run: ReportRun, file: JointFile): ReportRun {
  const at = run.files.findIndex(({ endpointId }) => endpointId === file.endpointId)
  return { ...run, files: at < 0 ? [...run.files, file] : run.files.with(at, file) }
}

/** Removes a joint file that couldn't be made. */
function withoutFile(run: ReportRun, { endpointId }: Pick<JointFile, 'endpointId'>): ReportRun {
  return { ...run, files: run.files.filter((file) => file.endpointId !== endpointId) }
}

/** The reports of each company. Those that its application doesn't offer are marked right away. */
export function planItems(
  companies: readonly Pick<RunCompany, 'company' | 'application'>[],
  names: readonly string[],
  newId: () => string,
): readonly RunItem[] {
  return companies.flatMap(({ company, application }) => {
    const made = new Set<string>()
    return names.flatMap((name): RunItem[] => {
      const offered = offeredReport(application, name)
      const offeredName = offered.offer === 'none' ? name : offered.name
      // If two names mean the same report there, it is made once.
      if (made.has(offeredName)) return []
      made.add(offeredName)
      const state = offered.offer === 'none' ? 'not-offered' : 'waiting'
      const { endpointId } = company
      return [
        {
          itemId: newId(),
          endpointId,
          name,
          offeredName,
          state,
          error: null,
          files: [],
          fingerprints: [],
          totals: 'unchecked',
          findings: 0,
          notes: [],
        },
      ]
    })
  })
}

/** What an application offers for a report: the report itself, the same one under another name, or nothing. */
type OfferedReport =
  | { readonly offer: 'same'; readonly name: string }
  | { readonly offer: 'mapped'; readonly name: string }
  | { readonly offer: 'none' }

/** The service may know a name that isn't in the specification, so such a report is requested as it is. */
function offeredReport(application: string, name: string): OfferedReport {
  if (reportNames(application).includes(name) || !isListedReport(name)) return { offer: 'same', name }
  const same = sameReport(application, name)
  return same === undefined ? { offer: 'none' } : { offer: 'mapped', name: same }
}
