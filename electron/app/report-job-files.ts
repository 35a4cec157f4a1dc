/** What a job of reports leaves behind: a file of each kind for each report, one workbook of all, a PDF pack a company. */
import { existsSync } from 'node:fs'
import { join, parse } from 'node:path'
import { capitalised, Format, type FormatChoice } from '../../shared/format.ts'
import type { JobCompany, JobFile, JobItem, ReportJob } from '../../shared/report-jobs.ts'
import { headingTitle } from '../../shared/report-words.ts'
import type { ReportHead, ReportRow } from '../../shared/reports.ts'
import { err, ok, type Result } from '../../shared/result.ts'
import { proposedFileName } from '../files/file-name.ts'
import { fittingOnPaper, reportsPrint } from '../files/print/report-print.ts'
import { reportCsv } from '../files/report-csv.ts'
import { forWorkbook, reportFileName, type FiledReport } from '../files/report-file.ts'
import { reportWorkbook } from '../files/workbook/report-workbook.ts'
import { combinedSheets } from '../files/side-by-side.ts'
import { writeWholeFile, type Pieces } from '../files/write-file.ts'
import type { Rows } from '../rows/rows.ts'
import type { ReportJobStore } from '../store/report-jobs.ts'
import type { Companies } from './companies.ts'
import type { Clock, Printer } from './ports.ts'
import { aboutJob, combinedFileName, contentsOf } from './report-job-words.ts'

export interface JobFilesOptions {
  readonly rows: Pick<Rows, 'reportChunk'>
  readonly store: ReportJobStore
  readonly companies: Pick<Companies, 'known'>
  readonly printer: Printer
  /** Read anew for each file. */
  readonly format: () => FormatChoice
  readonly clock: Clock
}

export interface JobFiles {
  /** Writes one report's files and keeps its rows where the combined files need them. */
  writeReport(
    job: ReportJob,
    company: JobCompany,
    item: JobItem,
    head: ReportHead,
  ): Promise<Result<WrittenReport>>
  /** Writes what is made of all of them; answers the files' names. */
  writeCombined(job: ReportJob): Promise<Result<readonly string[]>>
}

/** The files of one report. */
export interface WrittenReport {
  readonly names: readonly string[]
  /** Which file was not made, and why. */
  readonly notes: readonly string[]
}

const ROWS_AT_ONCE = 2_000

export function createJobFiles(options: JobFilesOptions): JobFiles {
  const { rows, store, printer, clock } = options

  const basisOf = ({ company }: JobCompany): FiledReport['basis'] => {
    const known = options.companies.known(company)
    return known.ok ? known.value.basis : 'unknown'
  }

  const filed = (
    job: ReportJob,
    company: JobCompany,
    head: ReportHead,
    pull: FiledReport['rows'],
  ): FiledReport => ({
    head,
    companyName: company.companyName,
    basis: basisOf(company),
    rows: pull,
    hideZeroRows: job.hideZeroRows,
  })

  /** The file's bytes, of one or several reports. */
  const bytesOf = async (kind: JobFile, report: FiledReport): Promise<Result<Pieces>> => {
    const choice = options.format()
    switch (kind) {
      case 'csv':
        return ok(reportCsv(report.head, report.rows, 'as-shown', report.hideZeroRows))
      case 'xlsx': {
        const sheet = forWorkbook(report, headingTitle(report.head), new Format(choice))
        return ok(reportWorkbook([sheet], { negatives: choice.negatives, madeAt: now() }))
      }
      case 'pdf': {
        const printed = await reportsPrint([report], choice)
        if (!printed.ok) return printed
        const bytes = await printer.pdf(printed.value)
        return bytes.ok ? ok([bytes]) : bytes
      }
    }
  }

  const now = (): string => new Date(clock.now()).toISOString()

  const write = async (folder: string, name: string, pieces: Pieces): Promise<Result<string>> => {
    const saved = await writeWholeFile(freePath(folder, name), pieces)
    if (!saved.ok) return saved
    return ok(saved.value.saved ? saved.value.name : name)
  }

  const keep = async (job: ReportJob, item: JobItem, head: ReportHead): Promise<Result<void>> => {
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

  /** The reports of a job that are kept, in order, each with its item. */
  const keptReports = (job: ReportJob): Result<readonly KeptReport[]> => {
    const kept: KeptReport[] = []
    for (const item of job.items) {
      if (item.state !== 'made') continue
      const company = job.companies.find((each) => each.company.endpointId === item.endpointId)
      const head = store.head(job.jobId, item.itemId)
      if (!head.ok) return head
      if (!company || head.value === null) continue
      const report = filed(job, company, head.value, () => pullKept(store, job.jobId, item.itemId))
      kept.push({ item, company, report })
    }
    return ok(kept)
  }

  return {
    async writeReport(job, company, item, head) {
      const report = filed(job, company, head, () => pullHeld(rows, head))
      const [names, notes]: [string[], string[]] = [[], []]
      const isOnlyPdf = job.fileKinds.length === 1 && !job.combined && !job.pack
      for (const kind of job.fileKinds) {
        // A ledger that is too long for paper is still a workbook; nothing of it is asked for again.
        if (kind === 'pdf' && !isOnlyPdf && fittingOnPaper([report]).size === 0) {
          notes.push('it has too many rows for a PDF')
          continue
        }
        const bytes = await bytesOf(kind, report)
        if (!bytes.ok) return bytes
        const written = await write(job.folder, reportFileName(report, kind), bytes.value)
        if (!written.ok) return written
        names.push(written.value)
      }
      if (!job.combined && !job.pack) return ok({ names, notes })
      const kept = await keep(job, item, head)
      return kept.ok ? ok({ names, notes }) : kept
    },

    async writeCombined(job) {
      const kept = keptReports(job)
      if (!kept.ok) return kept
      const names: string[] = []
      const choice = options.format()
      const format = new Format(choice)
      if (job.combined && kept.value.length > 0) {
        const sheets = await combinedSheets(
          kept.value.map(({ report }) => report),
          format,
        )
        if (!sheets.ok) return sheets
        const pieces = reportWorkbook(sheets.value, {
          negatives: choice.negatives,
          madeAt: now(),
          about: aboutJob(job),
        })
        const written = await write(job.folder, combinedFileName(job), pieces)
        if (!written.ok) return written
        names.push(written.value)
      }
      for (const company of job.pack ? job.companies : []) {
        const own = kept.value.filter(({ item }) => item.endpointId === company.company.endpointId)
        const fitting = fittingOnPaper(own.map(({ report }) => report))
        if (fitting.size === 0) continue
        const tooLong = own.filter(({ report }) => !fitting.has(report)).map(({ item }) => item.itemId)
        const printed = await reportsPrint([...fitting], choice, {
          companyName: company.companyName,
          title: job.title,
          period: capitalised(format.period(company.from, company.to)),
          madeAt: now(),
          contents: contentsOf(job, company, new Set(tooLong), format),
        })
        if (!printed.ok) return printed
        const bytes = await printer.pdf(printed.value)
        if (!bytes.ok) return bytes
        const name = proposedFileName(company.companyName, job.title, company, 'pdf')
        const written = await write(job.folder, name, [bytes])
        if (!written.ok) return written
        names.push(written.value)
      }
      return ok(names)
    },
  }
}

interface KeptReport {
  readonly item: JobItem
  readonly company: JobCompany
  readonly report: FiledReport
}

/** A name that is there already gets ` (2)`: nobody is asked in the middle of a job, and nothing is replaced. */
function freePath(folder: string, name: string): string {
  const { name: stem, ext } = parse(name)
  for (let number = 1; ; number += 1) {
    const path = join(folder, number === 1 ? name : `${stem} (${String(number)})${ext}`)
    if (!existsSync(path)) return path
  }
}

/** The rows that the worker holds, from the first, by the batch. */
export async function* pullHeld(
  rows: Pick<Rows, 'reportChunk'>,
  { reportId, rowCount }: ReportHead,
): AsyncGenerator<Result<readonly ReportRow[]>> {
  const decoder = new TextDecoder()
  for (let from = 0; from < rowCount; from += ROWS_AT_ONCE) {
    const bytes = await rows.reportChunk(reportId, from, ROWS_AT_ONCE)
    if (!bytes.ok) {
      yield bytes
      return
    }
    yield ok(JSON.parse(decoder.decode(bytes.value)) as readonly ReportRow[])
  }
}

/** The rows that a job keeps on disk. */
async function* pullKept(
  store: ReportJobStore,
  jobId: string,
  itemId: string,
): AsyncGenerator<Result<readonly ReportRow[]>> {
  const decoder = new TextDecoder()
  for (let part = 0; ; part += 1) {
    const bytes = await Promise.resolve(store.part(jobId, itemId, part))
    if (!bytes.ok) {
      yield err(bytes.error)
      return
    }
    if (bytes.value === null) return
    yield ok(JSON.parse(decoder.decode(bytes.value)) as readonly ReportRow[])
  }
}
