/** A job of reports in words, for its files: what is in them, what is not and why, and what they are called. */
import { capitalised, Format } from '../../shared/format/format.ts'
import { jobCounts, type JobCompany, type JobItem, type ReportJob } from '../../shared/reports/jobs.ts'
import { reportTitle } from '../../shared/reports/reports.ts'
import { fileName, proposedFileName } from '../files/file-name.ts'

const TOO_LONG = 'left out: it has too many rows for a PDF'

/**
 * What is in a company's pack, and what is not and why.
 * @param tooLong the items that were made, and have more rows than fit on paper
 */
export function contentsOf(
  { items }: ReportJob,
  company: JobCompany,
  tooLong: ReadonlySet<string>,
  format: Format,
): readonly { readonly title: string; readonly note: string }[] {
  return items
    .filter(({ endpointId }) => endpointId === company.company.endpointId)
    .map((item) => ({
      title: reportTitle(item.madeAs),
      note: capitalised(tooLong.has(item.itemId) ? TOO_LONG : itemNote(item, company, format)),
    }))
}

function wrongWords({ findings }: JobItem, format: Format): string[] {
  if (findings === 0) return []
  return [findings === 1 ? 'one total doesn’t add up' : `${format.count(findings)} totals don’t add up`]
}

/** How a report of a job ended, for the cover and the sheet *About*. */
function itemNote(item: JobItem, { applicationName }: JobCompany, format: Format): string {
  switch (item.state) {
    case 'made':
      return [...wrongWords(item, format), ...item.said].join('; ')
    case 'not-offered':
      return `left out: ${applicationName} has no such report`
    case 'failed':
      return `left out: ${item.error?.message ?? 'it could not be made'}`
    case 'skipped':
      return 'left out: the company could not be reached'
    case 'waiting':
    case 'making':
      return 'left out: not made yet'
  }
}

/** What the sheet *About* says of a job: how many were made, and what there is to say of single ones. */
export function aboutJob(job: ReportJob): readonly (readonly [string, string])[] {
  const counts = jobCounts(job)
  const format = new Format({ locale: '', negatives: 'minus' })
  const lines = job.items
    .filter(({ state, findings, said }) => state !== 'made' || findings > 0 || said.length > 0)
    .flatMap((item): (readonly [string, string])[] => {
      const company = job.companies.find((each) => each.company.endpointId === item.endpointId)
      if (!company) return []
      return [[company.companyName, `${reportTitle(item.madeAs)}: ${itemNote(item, company, format)}`]]
    })
  return [
    ['Reports', job.title],
    ['Companies', String(job.companies.length)],
    ['Made', `${String(counts.made)} of ${String(job.items.length)}`],
    ...lines,
  ]
}

/** `3 companies - Profit and loss - 2026-01-01 to 2026-03-31.xlsx`; without days where each has its own. */
export function combinedFileName({ companies, title }: ReportJob): string {
  const [first] = companies
  const isAlike = companies.every(({ from, to }) => from === first?.from && to === first.to)
  const who = companies.length === 1 ? (first?.companyName ?? '') : `${String(companies.length)} companies`
  return isAlike && first ? proposedFileName(who, title, first, 'xlsx') : fileName([who, title], 'xlsx')
}
