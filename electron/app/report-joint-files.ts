/** Files of several reports of a job: the workbook of all, and one PDF with a cover for each company. */
import { join } from 'node:path'
import { capitalised, Format, type FormatChoice } from '../../shared/format/format.ts'
import type { JobCompany, JobItem, JointFile, ReportJob } from '../../shared/reports/jobs.ts'
import type { ReportHead } from '../../shared/reports/reports.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import { proposedFileName } from '../files/file-name.ts'
import { fittingOnPaper, reportsPrint } from '../files/print/report-print.ts'
import type { FiledReport } from '../files/report-file.ts'
import { combinedSheets } from '../files/workbook/side-by-side.ts'
import { reportWorkbook } from '../files/workbook/report-workbook.ts'
import { markOf, writeWholeFile, type Pieces } from '../files/write-file.ts'
import type { ReportJobStore } from '../store/report-jobs.ts'
import type { Printer } from './ports.ts'
import { aboutJob, combinedFileName, contentsOf } from './report-job-words.ts'
import { pullKept } from './report-rows.ts'

export interface JointFilesOptions {
  readonly store: ReportJobStore
  readonly printer: Printer
  /** Read anew for each file. */
  readonly format: () => FormatChoice
  readonly filed: (
    job: ReportJob,
    company: JobCompany,
    head: ReportHead,
    pull: FiledReport['rows'],
  ) => FiledReport
  /** ISO 8601. */
  readonly now: () => string
}

export interface JointFiles {
  nameOf(job: ReportJob, endpointId: string): string
  /**
   * @param keep keeps the file with its mark, before it is put in its place
   * @returns the file as it is now; `null` where nothing of it has room on paper
   */
  write(
    job: ReportJob,
    file: JointFile,
    keep: (file: JointFile) => Result<void>,
  ): Promise<Result<JointFile | null>>
}

interface KeptReport {
  readonly item: JobItem
  readonly report: FiledReport
}

/** Whether a file is as it was left, or is not there: then it may be written. What anybody else has put there is theirs. */
export function isAsWritten(folder: string, name: string, mark: string): boolean {
  return ['', mark].includes(markOf(join(folder, name)))
}

/** Lets a file take its place where that is free, or the job's own file is there, as it was left. */
export function claiming(
  name: string,
  markBefore: string,
  keep: (mark: string) => Result<void>,
): (mark: string, there: string) => Result<void> {
  return (mark, there) =>
    there === '' || there === markBefore
      ? keep(mark)
      : err(
          appError(
            'file',
            `There is another file ${name} in the folder now, so it was not written.`,
            'Try again: it gets another name then.',
          ),
        )
}

export function createJointFiles({ store, printer, format, filed, now }: JointFilesOptions): JointFiles {
  /** The reports that a file is made of, in the job's order. */
  const keptReports = (job: ReportJob, itemIds: readonly string[]): Result<readonly KeptReport[]> => {
    const kept: KeptReport[] = []
    for (const item of job.items.filter(({ itemId }) => itemIds.includes(itemId))) {
      const company = job.companies.find((each) => each.company.endpointId === item.endpointId)
      const head = store.head(job.jobId, item.itemId)
      if (!head.ok) return head
      if (!company || head.value === null) {
        return err(appError('not-found', 'A report of this job is no longer kept.', 'Start the job anew.'))
      }
      const report = filed(job, company, head.value, () => pullKept(store, job.jobId, item.itemId))
      kept.push({ item, report })
    }
    return ok(kept)
  }

  const workbook = async (job: ReportJob, kept: readonly KeptReport[]): Promise<Result<Pieces>> => {
    const choice = format()
    const reports = kept.map(({ report }) => report)
    const sheets = await combinedSheets(reports, new Format(choice))
    if (!sheets.ok) return sheets
    const { negatives } = choice
    return ok(reportWorkbook(sheets.value, { negatives, madeAt: now(), about: aboutJob(job) }))
  }

  const pack = async (
    job: ReportJob,
    company: JobCompany,
    kept: readonly KeptReport[],
  ): Promise<Result<Pieces | null>> => {
    const fitting = fittingOnPaper(kept.map(({ report }) => report))
    if (fitting.size === 0) return ok(null)
    const choice = format()
    const words = new Format(choice)
    const tooLong = kept.filter(({ report }) => !fitting.has(report)).map(({ item }) => item.itemId)
    const printed = await reportsPrint([...fitting], choice, {
      companyName: company.companyName,
      title: job.title,
      period: capitalised(words.period(company.from, company.to)),
      madeAt: now(),
      contents: contentsOf(job, company, new Set(tooLong), words),
    })
    if (!printed.ok) return printed
    const bytes = await printer.pdf(printed.value)
    return bytes.ok ? ok([bytes]) : bytes
  }

  const companyOf = (job: ReportJob, endpointId: string): JobCompany | undefined =>
    job.companies.find(({ company }) => company.endpointId === endpointId)

  return {
    nameOf(job, endpointId) {
      const company = companyOf(job, endpointId)
      return company
        ? proposedFileName(company.companyName, job.title, company, 'pdf')
        : combinedFileName(job)
    },

    async write(job, file, keep) {
      const kept = keptReports(job, file.itemIds)
      if (!kept.ok) return kept
      const company = companyOf(job, file.endpointId)
      const pieces = company ? await pack(job, company, kept.value) : await workbook(job, kept.value)
      if (!pieces.ok) return pieces
      if (pieces.value === null) return ok(null)
      let made = file
      const written = await writeWholeFile(join(job.folder, file.name), pieces.value, {
        claim: claiming(file.name, file.mark, (mark) => {
          made = { ...file, mark }
          return keep(made)
        }),
      })
      return written.ok ? ok(made) : written
    },
  }
}
