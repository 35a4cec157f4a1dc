/**
 * Decides what a run does next, and how it changes. A run makes reports for several companies, or one change in several
 * companies. Pure. `runner.ts` takes one step at a time and saves the run.
 */
import type { TestOutcome } from '../../../shared/contract/companies.ts'
import type { ReportRun, RunCompany, RunItem } from '../../../shared/reports/runs.ts'
import type { AppError } from '../../../shared/result.ts'
import { isKeyRefused, type ItemState } from '../../../shared/runs.ts'
import { isOutOfReach } from '../companies/company-tests.ts'

/** What the steps depend on. */
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
export function nextRunStep<Run extends AnyRun>({ companies, items }: Run): RunStep<Run> {
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

/** A company that comes after the others. */
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

/** Stops a run that was in progress when the program ended. */
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
    item.state === 'running' ? { ...item, state: 'waiting' } : item,
  )
  return { ...run, state: 'stopped', error, items }
}
