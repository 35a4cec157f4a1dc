/** A job of reports in words. Pure. */
import { jobCounts, type JobItem, type ReportJob } from '../../../shared/report-jobs.ts'
import { reportTitle } from '../../../shared/reports.ts'
import type { Outcome } from '../../ui/outcomes.ts'

/** How far it is, or how it ended: `12 of 14 made, 1 failed, 1 not offered`. */
export function jobSummary(job: ReportJob): string {
  const counts = jobCounts(job)
  const parts = [`${counts.made} of ${job.items.length} made`]
  if (counts.failed > 0) parts.push(`${counts.failed} failed`)
  if (counts.skipped > 0) parts.push(`${counts.skipped} skipped`)
  if (counts['not-offered'] > 0) parts.push(`${counts['not-offered']} not offered`)
  if (counts.waiting > 0 && job.state !== 'running') parts.push(`${counts.waiting} waiting`)
  return parts.join(', ')
}

export function jobStateWords(job: ReportJob): string {
  switch (job.state) {
    case 'running':
      return 'Running'
    case 'needs-you':
      return 'Waits for you'
    case 'stopped':
      return 'Stopped'
    case 'finished':
      return 'Finished'
  }
}

function wrongWords({ findings }: JobItem): string[] {
  if (findings === 0) return []
  return [findings === 1 ? '1 total doesn’t add up' : `${findings} totals don’t add up`]
}

/** What became of one report, and its sign; why, where it was not made. */
export function itemWords(
  item: JobItem,
  applicationName: string,
): { readonly words: string; readonly outcome: Outcome | null } {
  const mapped =
    item.madeAs === item.name ? '' : `, as ${reportTitle(item.madeAs)}: its name in ${applicationName}`
  switch (item.state) {
    case 'waiting':
      return { words: 'waiting', outcome: 'waiting' }
    case 'making':
      return { words: 'being made', outcome: 'sending' }
    case 'made': {
      const caution = [...wrongWords(item), ...item.said]
      return caution.length > 0
        ? { words: `made${mapped}; ${caution.join('; ')}`, outcome: 'caution' }
        : { words: `made${mapped}`, outcome: 'saved' }
    }
    case 'failed':
      return { words: item.error?.message ?? 'failed', outcome: 'refused' }
    case 'skipped':
      return { words: 'skipped: the company could not be reached', outcome: null }
    case 'not-offered':
      return { words: `${applicationName} has no such report`, outcome: null }
  }
}
