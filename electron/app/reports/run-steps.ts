/**
 * Decides what a run of reports does next, and how it changes. Pure. The runner in `report-runner.ts` takes one step at a
 * time and saves the run.
 */
import type { TestOutcome } from '../../../shared/contract/companies.ts'
import {
  type ItemState,
  type RunCompany,
  type RunItem,
  type JointFile,
  type ReportRun,
  isKeyRefused,
} from '../../../shared/reports/runs.ts'
import { isListedReport, reportNames, sameReport } from '../../../shared/reports/reports.ts'
import type { AppError } from '../../../shared/result.ts'
import { isOutOfReach } from '../companies/company-tests.ts'

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
          findings: 0,
          said: [],
        },
      ]
    })
  })
}

/** What the steps depend on. It is the same for reports and for a change in several companies. */
export interface AnyRun {
  readonly companies: readonly Pick<RunCompany, 'company' | 'contact' | 'contactError'>[]
  readonly items: readonly Pick<RunItem, 'itemId' | 'endpointId' | 'state' | 'error'>[]
}
export type CompanyOf<Run extends AnyRun> = Run['companies'][number]
export type ItemOf<Run extends AnyRun> = Run['items'][number]

export type RunStep<Run extends AnyRun = ReportRun> =
  | { readonly step: 'test'; readonly company: CompanyOf<Run> }
  | { readonly step: 'make'; readonly company: CompanyOf<Run>; readonly item: ItemOf<Run> }
  /** Only companies that don't respond are left. */
  | { readonly step: 'ask-user' }
  | { readonly step: 'finish' }

/**
 * One company after another. Each is tested first. Those that refused the key before come after the others, and those that
 * don't respond come last, after the user was asked.
 */
export function nextStep<Run extends AnyRun>({ companies, items }: Run): RunStep<Run> {
  const waiting = (company: CompanyOf<Run>): ItemOf<Run> | undefined =>
    items.find(({ endpointId, state }) => endpointId === company.company.endpointId && state === 'waiting')
  const ordered = [...companies.filter((each) => !isKeyRefused(each)), ...companies.filter(isKeyRefused)]
  let hasSilent = false
  for (const company of ordered) {
    const item = waiting(company)
    if (!item) continue
    if (company.contact === 'untested') return { step: 'test', company }
    if (company.contact === 'answered') return { step: 'make', company, item }
    hasSilent = true
  }
  return hasSilent ? { step: 'ask-user' } : { step: 'finish' }
}

/** The joint files to write: those that don't exist, or that lack a report that was made since. */
export function dueFiles(run: ReportRun): readonly Pick<JointFile, 'endpointId' | 'itemIds'>[] {
  const made = run.items.filter(({ state }) => state === 'made')
  const wanted = [
    ...(run.combined ? [{ endpointId: '', items: made }] : []),
    ...(run.pack ? run.companies : []).map(({ company: { endpointId } }) => ({
      endpointId,
      items: made.filter((item) => item.endpointId === endpointId),
    })),
  ]
  return wanted.flatMap(({ endpointId, items }) => {
    const itemIds = items.map(({ itemId }) => itemId)
    const there = run.files.find((file) => file.endpointId === endpointId)
    const isThere = there !== undefined && there.itemIds.join() === itemIds.join()
    return itemIds.length === 0 || isThere ? [] : [{ endpointId, itemIds }]
  })
}

/** Replaces a joint file. */
export function withFile(run: ReportRun, file: JointFile): ReportRun {
  const at = run.files.findIndex(({ endpointId }) => endpointId === file.endpointId)
  return { ...run, files: at < 0 ? [...run.files, file] : run.files.with(at, file) }
}

/** Removes a joint file that couldn't be made. */
export function withoutFile(run: ReportRun, { endpointId }: Pick<JointFile, 'endpointId'>): ReportRun {
  return { ...run, files: run.files.filter((file) => file.endpointId !== endpointId) }
}

export function withItem<Run extends AnyRun>(
  run: Run,
  itemId: string,
  change: Partial<ItemOf<Run>> | Partial<Pick<RunItem, 'state' | 'error'>>,
): Run {
  return { ...run, items: run.items.map((item) => (item.itemId === itemId ? { ...item, ...change } : item)) }
}

export function withCompany<Run extends AnyRun>(
  run: Run,
  endpointId: string,
  change: Partial<Pick<RunCompany, 'contact' | 'contactError'>>,
): Run {
  const companies = run.companies.map((each) =>
    each.company.endpointId === endpointId ? { ...each, ...change } : each,
  )
  return { ...run, companies }
}

/** Applies the user's decision about a company that doesn't respond: try again, or skip it. */
export function afterAnswer<Run extends AnyRun>(run: Run, endpointId: string, answer: 'again' | 'skip'): Run {
  if (answer === 'again')
    return {
      ...run,
      companies: run.companies.map((each) => (each.company.endpointId === endpointId ? toTest(each) : each)),
    }
  const items = run.items.map((item): ItemOf<Run> =>
    item.endpointId === endpointId && item.state === 'waiting' ? { ...item, state: 'skipped' } : item,
  )
  return { ...run, items }
}

/** Tests companies that still have waiting items, because their computers may be off, or their key accepted, by now. */
export function untested<Run extends AnyRun>(run: Run): Run {
  return run.items
    .filter(({ state }) => state === 'waiting')
    .reduce((next, { endpointId }) => afterAnswer(next, endpointId, 'again'), run)
}

/** Items that failed or were skipped wait again, and their companies are tested again. */
export function forRetry(run: ReportRun): ReportRun {
  const again = (state: ItemState): boolean => state === 'failed' || state === 'skipped'
  const endpointIds = new Set(
    run.items.filter(({ state }) => again(state)).map(({ endpointId }) => endpointId),
  )
  return {
    ...run,
    items: run.items.map((item): RunItem =>
      again(item.state) ? { ...item, state: 'waiting', error: null } : item,
    ),
    companies: run.companies.map((each): RunCompany =>
      endpointIds.has(each.company.endpointId) ? toTest(each) : each,
    ),
  }
}

/** A company to be tested again. A run remembers that the key was refused for it until it answers. */
function toTest<Company extends CompanyOf<AnyRun>>(company: Company): Company {
  return {
    ...company,
    contact: 'untested',
    contactError: isKeyRefused(company) ? company.contactError : null,
  }
}

/** What a test says about a company. Refusals other than that its books can't be reached say nothing about its items. */
export function contactOf(tested: TestOutcome): Pick<RunCompany, 'contact' | 'contactError'> {
  const isSilent = tested.outcome === 'silent' || (tested.outcome === 'refused' && isOutOfReach(tested.error))
  return isSilent ? silentFor(tested.error) : { contact: 'answered', contactError: null }
}

/** A company that the others go before. */
export function silentFor(error: AppError): Pick<RunCompany, 'contact' | 'contactError'> {
  return { contact: 'silent', contactError: error }
}

/** For people who have switched to another window, about a run that needs them. */
export function silentNotice(
  run: AnyRun & { readonly companies: readonly Pick<RunCompany, 'companyName'>[] },
): string {
  const silent = silentCompanies(run)
  const namesOf = (companies: typeof silent): string =>
    companies.map(({ companyName }) => companyName).join(', ')
  const refused = namesOf(silent.filter(isKeyRefused))
  const others = namesOf(silent.filter((company) => !isKeyRefused(company)))
  const sentences = [
    ...(others === '' ? [] : [`${others} can’t be reached.`]),
    ...(refused === '' ? [] : [`The service refused the key for ${refused}.`]),
  ]
  return `${sentences.join(' ')} Try again, or skip.`
}

/** Companies that a run is waiting for. One that was skipped isn't among them. */
export function silentCompanies<Run extends AnyRun>({ companies, items }: Run): readonly CompanyOf<Run>[] {
  const waiting = new Set(
    items.filter(({ state }) => state === 'waiting').map(({ endpointId }) => endpointId),
  )
  return companies.filter(({ company, contact }) => contact === 'silent' && waiting.has(company.endpointId))
}

/** A run that was going on when the program ended is stopped. */
export function afterRestart<Run extends AnyRun & Ending>(run: Run): Run {
  return run.state === 'running' ? stoppedRun(run, run.error) : run
}

interface Ending {
  readonly state: string
  readonly error: AppError | null
}

/** Stops a run. The item that was being made waits again. */
export function stoppedRun<Run extends AnyRun & Ending>(run: Run, error: AppError | null): Run {
  const items = run.items.map((item): ItemOf<Run> =>
    item.state === 'making' ? { ...item, state: 'waiting' } : item,
  )
  return { ...run, state: 'stopped', error, items }
}

// The same report under another application's name, for runs with several companies.

/** What an application offers for a report: the report itself, the same one under another name, or nothing. */
export type Offered =
  | { readonly offer: 'same'; readonly name: string }
  | { readonly offer: 'mapped'; readonly name: string }
  | { readonly offer: 'none' }

/**
 * The service may know a name that isn't in the specification, so such a report is requested as it is.
 * @internal
 */
export function offeredReport(application: string, name: string): Offered {
  if (reportNames(application).includes(name) || !isListedReport(name)) return { offer: 'same', name }
  const same = sameReport(application, name)
  return same === undefined ? { offer: 'none' } : { offer: 'mapped', name: same }
}
