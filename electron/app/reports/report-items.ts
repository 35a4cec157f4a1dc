/** The reports of a run, under the names that each application has for them, and the files that hold several. Pure. */
import { isListedReport, reportNames, sameReport } from '../../../shared/reports/reports.ts'
import type { JointFile, ReportRun, RunCompany, RunItem } from '../../../shared/reports/runs.ts'

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

/** The joint files to write: those that don't exist, or that lack a report that was made since. */
export function dueFiles(run: ReportRun): readonly Pick<JointFile, 'endpointId' | 'itemIds'>[] {
  const made = run.items.filter(({ state }) => state === 'done')
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
