/** What a job of reports leaves behind: a file of each kind for each report, and those of several together. */
import { existsSync } from 'node:fs'
import { join, parse } from 'node:path'
import { Format, type FormatChoice } from '../../shared/format/format.ts'
import {
  dueFiles,
  type JobCompany,
  type JobFile,
  type JobItem,
  type JointFile,
  type ReportJob,
} from '../../shared/reports/jobs.ts'
import { headingTitle } from '../../shared/reports/words.ts'
import type { ReportHead } from '../../shared/reports/reports.ts'
import { ok, type Result } from '../../shared/result.ts'
import { fittingOnPaper, reportsPrint } from '../files/print/report-print.ts'
import { reportCsv } from '../files/csv/report-csv.ts'
import { forWorkbook, reportFileName, type FiledReport } from '../files/report-file.ts'
import { reportWorkbook } from '../files/workbook/report-workbook.ts'
import { writeWholeFile, type Pieces } from '../files/write-file.ts'
import type { Rows } from '../rows/rows.ts'
import type { ReportJobStore } from '../store/report-jobs.ts'
import type { Companies } from './companies.ts'
import type { Clock } from '../clock.ts'
import type { Printer } from './ports.ts'
import { claiming, createJointFiles, isAsWritten, type JointFiles } from './report-joint-files.ts'
import { pullHeld, ROWS_AT_ONCE } from './report-rows.ts'
import { timestamp } from './timestamp.ts'

export interface JobFilesOptions {
  readonly rows: Pick<Rows, 'reportChunk'>
  readonly store: ReportJobStore
  readonly companies: Pick<Companies, 'known'>
  readonly printer: Printer
  /** Read anew for each file. */
  readonly format: () => FormatChoice
  readonly clock: Clock
}

/** A report of a job that is here, to be written. */
export interface ReportToWrite {
  readonly job: ReportJob
  readonly company: JobCompany
  readonly item: JobItem
  readonly head: ReportHead
}

export interface JobFiles {
  /**
   * The names of one report's files, to be kept before they are written: those it had, with the marks of what is there;
   * free ones where it had none, or where somebody else's file is there now.
   */
  namesOf(report: ReportToWrite): Pick<JobItem, 'files' | 'marks'>
  /**
   * Writes one report's files under the item's names and keeps its rows where files of several need them.
   * @param keepMark keeps a file's mark, before it is put in its place
   * @returns which file was not made, and why
   */
  writeReport(
    report: ReportToWrite,
    keepMark: (at: number, mark: string) => Result<void>,
  ): Promise<Result<readonly string[]>>
  /** The files of several that have to be written, each with its name, to be kept before it is written. */
  due(job: ReportJob): readonly JointFile[]
  /** Writes a file of several; `null` where nothing of it has room on paper. */
  writeJoint: JointFiles['write']
}

export function createJobFiles(options: JobFilesOptions): JobFiles {
  const { rows, store, printer, clock } = options
  /** Names that were given away in this run: two jobs may write into one folder. */
  const taken = new Set<string>()

  const filed = (
    job: ReportJob,
    company: JobCompany,
    head: ReportHead,
    pull: FiledReport['rows'],
  ): FiledReport => {
    const known = options.companies.known(company.company)
    return {
      head,
      companyName: company.companyName,
      basis: known.ok ? known.value.basis : 'unknown',
      rows: pull,
      hideZeroRows: job.hideZeroRows,
    }
  }

  const joint = createJointFiles({ ...options, filed, now: () => timestamp(clock) })

  /** The file's bytes, of one report. */
  const bytesOf = async (kind: JobFile, report: FiledReport): Promise<Result<Pieces>> => {
    const choice = options.format()
    switch (kind) {
      case 'csv':
        return ok(reportCsv(report.head, report.rows, 'as-shown', report.hideZeroRows))
      case 'xlsx': {
        const sheet = forWorkbook(report, headingTitle(report.head), new Format(choice))
        return ok(reportWorkbook([sheet], { negatives: choice.negatives, madeAt: timestamp(clock) }))
      }
      case 'pdf': {
        const printed = await reportsPrint([report], choice)
        if (!printed.ok) return printed
        const bytes = await printer.pdf(printed.value)
        return bytes.ok ? ok([bytes]) : bytes
      }
    }
  }

  const filedOf = ({ job, company, head }: ReportToWrite): FiledReport =>
    filed(job, company, head, () => pullHeld(rows, head))

  /** The kinds that are made of a report. A ledger that is too long for paper is still a workbook. */
  const kindsOf = (report: ReportToWrite): readonly JobFile[] => {
    const { fileKinds, combined, pack } = report.job
    const isOnlyPdf = fileKinds.length === 1 && !combined && !pack
    const isTooLong = !isOnlyPdf && fittingOnPaper([filedOf(report)]).size === 0
    return fileKinds.filter((kind) => kind !== 'pdf' || !isTooLong)
  }

  /** A name that is there already gets ` (2)`: nobody is asked in the middle of a job. */
  const freeName = (folder: string, name: string): string => {
    const { name: stem, ext } = parse(name)
    for (let number = 1; ; number += 1) {
      const free = number === 1 ? name : `${stem} (${String(number)})${ext}`
      const path = join(folder, free)
      if (existsSync(path) || taken.has(path)) continue
      taken.add(path)
      return free
    }
  }

  const keep = async ({ job, item, head }: ReportToWrite): Promise<Result<void>> => {
    const begun = store.putHead(job.jobId, item.itemId, head)
    if (!begun.ok) return begun
    for (let from = 0, part = 0; from < head.rowCount; from += ROWS_AT_ONCE, part += 1) {
      const bytes = await rows.reportChunk(head.reportId, from, ROWS_AT_ONCE)
      if (!bytes.ok) return bytes
      const kept = store.putPart(job.jobId, item.itemId, part, bytes.value)
      if (!kept.ok) return kept
    }
    return ok(undefined)
  }

  return {
    namesOf(report) {
      const { job, item } = report
      const kinds = kindsOf(report)
      const isNamed = item.files.length === kinds.length
      const named = kinds.map((kind, at) => {
        const [name, mark] = [item.files[at] ?? '', item.marks[at] ?? '']
        return isNamed && isAsWritten(job.folder, name, mark)
          ? { name, mark }
          : { name: freeName(job.folder, reportFileName(filedOf(report), kind)), mark: '' }
      })
      return { files: named.map(({ name }) => name), marks: named.map(({ mark }) => mark) }
    },

    async writeReport(report, keepMark) {
      const { job, item } = report
      const kinds = kindsOf(report)
      for (const [at, kind] of kinds.entries()) {
        const bytes = await bytesOf(kind, filedOf(report))
        if (!bytes.ok) return bytes
        const name = item.files[at] ?? freeName(job.folder, reportFileName(filedOf(report), kind))
        const written = await writeWholeFile(join(job.folder, name), bytes.value, {
          claim: claiming(name, item.marks[at] ?? '', (mark) => keepMark(at, mark)),
        })
        if (!written.ok) return written
      }
      const notes = kinds.length < job.fileKinds.length ? ['it has too many rows for a PDF'] : []
      if (!job.combined && !job.pack) return ok(notes)
      const kept = await keep(report)
      return kept.ok ? ok(notes) : kept
    },

    due: (job) =>
      dueFiles(job).map(({ endpointId, itemIds }) => {
        const before = job.files.find((file) => file.endpointId === endpointId)
        // What somebody has changed since is theirs.
        const isOurs = before !== undefined && isAsWritten(job.folder, before.name, before.mark)
        const name = isOurs ? before.name : freeName(job.folder, joint.nameOf(job, endpointId))
        return { name, endpointId, itemIds, mark: isOurs ? before.mark : '' }
      }),

    writeJoint: (job, file, keep) => joint.write(job, file, keep),
  }
}
