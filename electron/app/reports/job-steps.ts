/**
 * Decides what a report job does next, and how it changes. Pure. The runner in `jobs.ts` takes one step at a time and
 * saves the job.
 */
import type { ItemState, JobCompany, JobItem, JointFile, ReportJob } from '../../../shared/reports/jobs.ts'
import { isListedReport, reportNames, sameReport } from '../../../shared/reports/reports.ts'

/** The reports of each company. Those that its application doesn't offer are marked right away. */
export function planItems(
  companies: readonly Pick<JobCompany, 'company' | 'application'>[],
  names: readonly string[],
  newId: () => string,
): readonly JobItem[] {
  return companies.flatMap(({ company, application }) => {
    const made = new Set<string>()
    return names.flatMap((name): JobItem[] => {
      const offered = offeredReport(application, name)
      const madeAs = offered.offer === 'none' ? name : offered.name
      // If two names mean the same report there, it is made once.
      if (made.has(madeAs)) return []
      made.add(madeAs)
      const state = offered.offer === 'none' ? 'not-offered' : 'waiting'
      const { endpointId } = company
      return [
        {
          itemId: newId(),
          endpointId,
          name,
          madeAs,
          state,
          error: null,
          files: [],
          marks: [],
          findings: 0,
          said: [],
        },
      ]
    })
  })
}

/** What the steps depend on. It is the same for reports and for a change in several companies. */
interface AnyJob {
  readonly companies: readonly Pick<JobCompany, 'company' | 'contact' | 'silence'>[]
  readonly items: readonly Pick<JobItem, 'itemId' | 'endpointId' | 'state' | 'error'>[]
}
type CompanyOf<Job extends AnyJob> = Job['companies'][number]
type ItemOf<Job extends AnyJob> = Job['items'][number]

export type JobStep<Job extends AnyJob = ReportJob> =
  | { readonly step: 'test'; readonly company: CompanyOf<Job> }
  | { readonly step: 'make'; readonly company: CompanyOf<Job>; readonly item: ItemOf<Job> }
  /** Only companies that don't respond are left. */
  | { readonly step: 'ask-user' }
  | { readonly step: 'finish' }

/** One company after another. Each is tested first. Those that don't respond come last, after the user was asked. */
export function nextStep<Job extends AnyJob>({ companies, items }: Job): JobStep<Job> {
  const waiting = (company: CompanyOf<Job>): ItemOf<Job> | undefined =>
    items.find(({ endpointId, state }) => endpointId === company.company.endpointId && state === 'waiting')
  let hasSilent = false
  for (const company of companies) {
    const item = waiting(company)
    if (!item) continue
    if (company.contact === 'untested') return { step: 'test', company }
    if (company.contact === 'answered') return { step: 'make', company, item }
    hasSilent = true
  }
  return hasSilent ? { step: 'ask-user' } : { step: 'finish' }
}

/** The joint files to write: those that don't exist, or that lack a report that was made since. */
export function dueFiles(job: ReportJob): readonly Pick<JointFile, 'endpointId' | 'itemIds'>[] {
  const made = job.items.filter(({ state }) => state === 'made')
  const wanted = [
    ...(job.combined ? [{ endpointId: '', items: made }] : []),
    ...(job.pack ? job.companies : []).map(({ company: { endpointId } }) => ({
      endpointId,
      items: made.filter((item) => item.endpointId === endpointId),
    })),
  ]
  return wanted.flatMap(({ endpointId, items }) => {
    const itemIds = items.map(({ itemId }) => itemId)
    const there = job.files.find((file) => file.endpointId === endpointId)
    const isThere = there !== undefined && there.itemIds.join() === itemIds.join()
    return itemIds.length === 0 || isThere ? [] : [{ endpointId, itemIds }]
  })
}

/** Replaces a joint file. */
export function withFile(job: ReportJob, file: JointFile): ReportJob {
  const at = job.files.findIndex(({ endpointId }) => endpointId === file.endpointId)
  return { ...job, files: at < 0 ? [...job.files, file] : job.files.with(at, file) }
}

/** Removes a joint file that couldn't be made. */
export function withoutFile(job: ReportJob, { endpointId }: Pick<JointFile, 'endpointId'>): ReportJob {
  return { ...job, files: job.files.filter((file) => file.endpointId !== endpointId) }
}

export function withItem<Job extends AnyJob>(job: Job, itemId: string, change: Partial<ItemOf<Job>>): Job {
  return { ...job, items: job.items.map((item) => (item.itemId === itemId ? { ...item, ...change } : item)) }
}

export function withCompany<Job extends AnyJob>(
  job: Job,
  endpointId: string,
  change: Partial<Pick<JobCompany, 'contact' | 'silence'>>,
): Job {
  const companies = job.companies.map((each) =>
    each.company.endpointId === endpointId ? { ...each, ...change } : each,
  )
  return { ...job, companies }
}

/** Applies the user's decision about a company that doesn't respond: try again, or skip it. */
export function afterAnswer<Job extends AnyJob>(job: Job, endpointId: string, answer: 'again' | 'skip'): Job {
  if (answer === 'again') return withCompany(job, endpointId, { contact: 'untested', silence: null })
  const items = job.items.map((item): ItemOf<Job> =>
    item.endpointId === endpointId && item.state === 'waiting' ? { ...item, state: 'skipped' } : item,
  )
  return { ...job, items }
}

/** Items that failed or were skipped wait again, and their companies are tested again. */
export function forRetry(job: ReportJob): ReportJob {
  const again = (state: ItemState): boolean => state === 'failed' || state === 'skipped'
  const endpointIds = new Set(
    job.items.filter(({ state }) => again(state)).map(({ endpointId }) => endpointId),
  )
  return {
    ...job,
    items: job.items.map((item): JobItem =>
      again(item.state) ? { ...item, state: 'waiting', error: null } : item,
    ),
    companies: job.companies.map((each): JobCompany =>
      endpointIds.has(each.company.endpointId) ? { ...each, contact: 'untested', silence: null } : each,
    ),
  }
}

/** A job that an earlier run left running: it is stopped, and the report that was being made waits again. */
export function afterRestart<Job extends AnyJob & { readonly state: string }>(job: Job): Job {
  if (job.state !== 'running') return job
  const items = job.items.map((item): ItemOf<Job> =>
    item.state === 'making' ? { ...item, state: 'waiting' } : item,
  )
  return { ...job, state: 'stopped', items }
}

// The same report under another application's name, for jobs with several companies.

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
