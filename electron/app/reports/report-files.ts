/** The files of a run of reports: one of each kind for each report, and joint files with several reports. */
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SavedFile } from '../../../shared/contract/parts.ts'
import { capitalized, Format, type FormatChoice } from '../../../shared/format/format.ts'
import { headingTitle } from '../../../shared/reports/messages.ts'
import { type ReportHead, reportTitle } from '../../../shared/reports/reports.ts'
import {
  type JointFile,
  NO_TOTAL_CHECKED,
  plainRunTitle,
  type ReportFileKind,
  type ReportRun,
  type RunCompany,
  runCounts,
  type RunItem,
} from '../../../shared/reports/runs.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { isKeyRefused } from '../../../shared/runs.ts'
import { type Clock, timestamp } from '../../clock.ts'
import { reportCsv } from '../../files/csv/report-csv.ts'
import { fileName, folderName, proposedFileName, unusedFileName } from '../../files/file-name.ts'
import type { Letterhead } from '../../files/print/letterhead.ts'
import { reportsPrint, reportsThatFitOnPaper } from '../../files/print/report-print.ts'
import { reportFileName, type ReportForFile, toReportForWorkbook } from '../../files/report-file.ts'
import { reportWorkbook } from '../../files/workbook/report-workbook.ts'
import {
  fileFingerprint,
  type Pieces,
  writeFileAtomically,
  type WritingOptions,
} from '../../files/write-file.ts'
import type { ReportRows } from '../../rows/rows.ts'
import { resultOf, resultOfAsync } from '../../store/database.ts'
import type { ReportRunStore } from '../../store/report-runs.ts'
import type { Companies } from '../companies/companies.ts'
import type { Printer } from '../ports.ts'
import { pullHeld, pullKept, ROWS_AT_ONCE } from './report-reader.ts'
import { combinedSheets } from './side-by-side.ts'

export interface ReportFilesOptions {
  readonly rows: Pick<ReportRows, 'reportChunk'>
  readonly store: ReportRunStore
  readonly companies: Pick<Companies, 'find'>
  readonly printer: Printer
  /** Called for each file. */
  readonly format: () => FormatChoice
  readonly letterhead: () => Letterhead
  readonly clock: Clock
}

/** A report that was read, to write. */
export interface ReportToWrite {
  readonly run: ReportRun
  readonly company: RunCompany
  readonly item: RunItem
  readonly head: ReportHead
}

export interface ReportFiles {
  /**
   * Chooses the names of a report's files, to save before they are written: the previous ones with their fingerprints, or free
   * ones if there are none or if another file has taken the name.
   */
  namesOf(report: ReportToWrite): Pick<RunItem, 'files' | 'fingerprints'>
  /**
   * Writes a report's files under the item's names, and keeps its rows if a joint file needs them.
   * @param keepFingerprint saves a file's fingerprint before the file gets its name
   * @returns which files couldn't be made, and why
   */
  writeReport(
    report: ReportToWrite,
    keepFingerprint: (at: number, fingerprint: string) => Result<void>,
  ): Promise<Result<readonly string[]>>
  /** The joint files to write, with their names, to save before they are written. */
  due(run: ReportRun): readonly JointFile[]
  /** Writes a joint file. `null` if none of its reports fits on paper. */
  writeJoint: JointFiles['write']
}

export function createReportFiles(options: ReportFilesOptions): ReportFiles {
  const { rows, store, printer, clock } = options
  /** Names taken since the program started, because two runs may write into the same folder. */
  const taken = new Set<string>()

  const filed = (
    run: ReportRun,
    company: RunCompany,
    head: ReportHead,
    pull: ReportForFile['rows'],
  ): ReportForFile => {
    const known = options.companies.find(company.company)
    return {
      head,
      companyName: company.companyName,
      basis: known.ok ? known.value.basis : 'unknown',
      rows: pull,
      hideZeroRows: run.hideZeroRows,
    }
  }

  const joint = createJointFiles({ ...options, filed, now: () => timestamp(clock) })

  /** The bytes of a report's file. */
  const bytesOf = async (kind: ReportFileKind, report: ReportForFile): Promise<Result<Pieces>> => {
    const choice = options.format()
    switch (kind) {
      case 'csv':
        return ok(reportCsv(report.head, report.rows, 'as-shown', report.hideZeroRows))
      case 'xlsx': {
        const sheet = toReportForWorkbook(report, headingTitle(report.head), new Format(choice))
        return ok(reportWorkbook([sheet], { negatives: choice.negatives, madeAt: timestamp(clock) }))
      }
      case 'pdf': {
        const printed = await reportsPrint([report], choice, options.letterhead())
        if (!printed.ok) return printed
        const bytes = await printer.pdf(printed.value)
        return bytes.ok ? ok([bytes]) : bytes
      }
    }
  }

  const filedOf = ({ run, company, head }: ReportToWrite): ReportForFile =>
    filed(run, company, head, () => pullHeld(rows, head))

  /** The kinds of files for a report. A ledger that is too long for paper still becomes a workbook. */
  const kindsFor = (report: ReportToWrite): readonly ReportFileKind[] => {
    const { fileKinds, combined, pack } = report.run
    const isOnlyPdf = fileKinds.length === 1 && !combined && !pack
    const isTooLong = !isOnlyPdf && reportsThatFitOnPaper([filedOf(report)]).size === 0
    return fileKinds.filter((kind) => kind !== 'pdf' || !isTooLong)
  }

  const freeName = (folder: string, name: string): string => {
    const free = unusedFileName(folder, name, (path) => taken.has(path))
    taken.add(join(folder, free))
    return free
  }

  const keep = ({ run, item, head }: ReportToWrite): Promise<Result<void>> =>
    resultOfAsync(async () => {
      store.putHead(run.runId, item.itemId, head)
      for (let from = 0, part = 0; from < head.rowCount; from += ROWS_AT_ONCE, part += 1) {
        const bytes = await rows.reportChunk(head.reportId, from, ROWS_AT_ONCE)
        if (!bytes.ok) return bytes
        store.putPart(run.runId, item.itemId, part, bytes.value)
      }
      return ok(undefined)
    })

  return {
    namesOf(report) {
      const { run, item } = report
      const kinds = kindsFor(report)
      const isNamed = item.files.length === kinds.length
      const named = kinds.map((kind, at) => {
        const [name, fingerprint] = [item.files[at] ?? '', item.fingerprints[at] ?? '']
        return isNamed && isAsWritten(run.folder, name, fingerprint)
          ? { name, fingerprint }
          : {
              name: freeName(run.folder, nameIn(run, report.company, reportFileName(filedOf(report), kind))),
              fingerprint: '',
            }
      })
      return {
        files: named.map(({ name }) => name),
        fingerprints: named.map(({ fingerprint }) => fingerprint),
      }
    },

    async writeReport(report, keepFingerprint) {
      const { run, item } = report
      const kinds = kindsFor(report)
      for (const [at, kind] of kinds.entries()) {
        const bytes = await bytesOf(kind, filedOf(report))
        if (!bytes.ok) return bytes
        const name =
          item.files[at] ??
          freeName(run.folder, nameIn(run, report.company, reportFileName(filedOf(report), kind)))
        const written = await clock.during(
          writeInFolder(run.folder, name, bytes.value, {
            claim: claiming(name, item.fingerprints[at] ?? '', (fingerprint) =>
              keepFingerprint(at, fingerprint),
            ),
          }),
        )
        if (!written.ok) return written
      }
      const notes = kinds.length < run.fileKinds.length ? ['it has too many rows for a PDF'] : []
      if (!run.combined && !run.pack) return ok(notes)
      const kept = await keep(report)
      return kept.ok ? ok(notes) : kept
    },

    due: (run) =>
      dueFiles(run).map(({ endpointId, itemIds }) => {
        const before = run.files.find((file) => file.endpointId === endpointId)
        // If someone has changed the file since, it is theirs.
        const isOurs = before !== undefined && isAsWritten(run.folder, before.name, before.fingerprint)
        const name = isOurs ? before.name : freeName(run.folder, joint.nameOf(run, endpointId))
        return { name, endpointId, itemIds, fingerprint: isOurs ? before.fingerprint : '' }
      }),

    writeJoint: joint.write,
  }
}

// Joint files: the workbook of all reports, and one PDF with a cover for each company.

interface JointFilesOptions {
  readonly store: ReportRunStore
  readonly printer: Printer
  /** Called for each file. */
  readonly format: () => FormatChoice
  readonly letterhead: () => Letterhead
  readonly filed: (
    run: ReportRun,
    company: RunCompany,
    head: ReportHead,
    pull: ReportForFile['rows'],
  ) => ReportForFile
  /** ISO 8601. */
  readonly now: () => string
}

interface JointFiles {
  nameOf(run: ReportRun, endpointId: string): string
  /**
   * @param keep saves the file and its fingerprint before the file gets its name
   * @returns the file as written; `null` if none of its reports fits on paper
   */
  write(
    run: ReportRun,
    file: JointFile,
    keep: (file: JointFile) => Result<void>,
  ): Promise<Result<JointFile | null>>
}

interface KeptReport {
  readonly item: RunItem
  readonly report: ReportForFile
}

/** Each company's files are in its own folder, if there are several. */
function nameIn({ companies }: ReportRun, { companyName }: RunCompany, name: string): string {
  return companies.length > 1 ? `${folderName(companyName)}/${name}` : name
}

/** Writes a file, and first creates the company's folder that it is in. */
async function writeInFolder(
  folder: string,
  name: string,
  pieces: Pieces,
  options: WritingOptions,
): Promise<Result<SavedFile>> {
  const path = join(folder, name)
  // If it can’t be created, writing the file fails and says so.
  if (dirname(name) !== '.') await mkdir(dirname(path)).catch(() => undefined)
  return writeFileAtomically(path, pieces, options)
}

/** Whether a file may be written: it doesn't exist, or no one has changed it since we wrote it. */
function isAsWritten(folder: string, name: string, fingerprint: string): boolean {
  return ['', fingerprint].includes(fileFingerprint(join(folder, name)))
}

/** Gives a file its name if that is free, or if it belongs to the run's own unchanged file. */
function claiming(
  name: string,
  fingerprintBefore: string,
  keep: (fingerprint: string) => Result<void>,
): (fingerprint: string, there: string) => Result<void> {
  return (fingerprint, there) =>
    there === '' || there === fingerprintBefore
      ? keep(fingerprint)
      : err(
          appError(
            'file',
            `There is another file ${name} in the folder now, so it was not written.`,
            'Try again. The file will get another name.',
          ),
        )
}

function createJointFiles({ store, printer, format, letterhead, filed, now }: JointFilesOptions): JointFiles {
  /** The reports in a file, in the run's order. */
  const keptReports = (run: ReportRun, itemIds: readonly string[]): Result<readonly KeptReport[]> => {
    const kept: KeptReport[] = []
    for (const item of run.items.filter(({ itemId }) => itemIds.includes(itemId))) {
      const company = run.companies.find((each) => each.company.endpointId === item.endpointId)
      const read = resultOf(() => store.head(run.runId, item.itemId))
      if (!read.ok) return read
      const head = read.value
      if (!company || head === null) {
        return err(
          appError(
            'not-found',
            'A report of this run is no longer on this computer.',
            'Start the run again.',
          ),
        )
      }
      const report = filed(run, company, head, () => pullKept(store, run.runId, item.itemId))
      kept.push({ item, report })
    }
    return ok(kept)
  }

  const workbook = async (run: ReportRun, kept: readonly KeptReport[]): Promise<Result<Pieces>> => {
    const choice = format()
    const reports = kept.map(({ report }) => report)
    const sheets = await combinedSheets(reports, new Format(choice))
    if (!sheets.ok) return sheets
    const { negatives } = choice
    return ok(reportWorkbook(sheets.value, { negatives, madeAt: now(), about: aboutRun(run) }))
  }

  const pack = async (
    run: ReportRun,
    company: RunCompany,
    kept: readonly KeptReport[],
  ): Promise<Result<Pieces | null>> => {
    const fitting = reportsThatFitOnPaper(kept.map(({ report }) => report))
    if (fitting.size === 0) return ok(null)
    const choice = format()
    const formatter = new Format(choice)
    const tooLong = kept.filter(({ report }) => !fitting.has(report)).map(({ item }) => item.itemId)
    const printed = await reportsPrint([...fitting], choice, letterhead(), {
      companyName: company.companyName,
      title: plainRunTitle(run, formatter),
      period: capitalized(formatter.period(company.from, company.to)),
      madeAt: now(),
      signature: '',
      note: '',
      contents: contentsOf(run, company, new Set(tooLong), formatter),
    })
    if (!printed.ok) return printed
    const bytes = await printer.pdf(printed.value)
    return bytes.ok ? ok([bytes]) : bytes
  }

  const companyOf = (run: ReportRun, endpointId: string): RunCompany | undefined =>
    run.companies.find(({ company }) => company.endpointId === endpointId)

  return {
    nameOf(run, endpointId) {
      const company = companyOf(run, endpointId)
      return company
        ? nameIn(
            run,
            company,
            proposedFileName(company.companyName, plainRunTitle(run, new Format(format())), company, 'pdf'),
          )
        : combinedFileName(run, plainRunTitle(run, new Format(format())))
    },

    async write(run, file, keep) {
      const kept = keptReports(run, file.itemIds)
      if (!kept.ok) return kept
      const company = companyOf(run, file.endpointId)
      const pieces = company ? await pack(run, company, kept.value) : await workbook(run, kept.value)
      if (!pieces.ok) return pieces
      if (pieces.value === null) return ok(null)
      let made = file
      const written = await writeInFolder(run.folder, file.name, pieces.value, {
        claim: claiming(file.name, file.fingerprint, (fingerprint) => {
          made = { ...file, fingerprint }
          return keep(made)
        }),
      })
      return written.ok ? ok(made) : written
    },
  }
}

// Texts and names for a run's files: what they contain, and what is missing and why.

const TOO_LONG = 'skipped: it has too many rows for a PDF'

/**
 * The cover of a company's pack: what it contains, and what is missing and why.
 * @param tooLong items with more rows than fit on paper
 */
function contentsOf(
  { items }: ReportRun,
  company: RunCompany,
  tooLong: ReadonlySet<string>,
  format: Format,
): readonly { readonly title: string; readonly note: string }[] {
  return items
    .filter(({ endpointId }) => endpointId === company.company.endpointId)
    .map((item) => ({
      title: reportTitle(item.offeredName),
      note: capitalized(tooLong.has(item.itemId) ? TOO_LONG : itemNote(item, company, format)),
    }))
}

function formatFailures({ findings }: RunItem, format: Format): string[] {
  if (findings === 0) return []
  return [findings === 1 ? 'one total doesn’t add up' : `${format.count(findings)} totals don’t add up`]
}

/** How a report ended, for the cover and the sheet *About*. */
function itemNote(item: RunItem, company: RunCompany, format: Format): string {
  switch (item.state) {
    case 'done':
      return [
        ...formatFailures(item, format),
        ...(item.totals === 'unchecked' ? [NO_TOTAL_CHECKED] : []),
        ...item.notes,
      ].join('; ')
    case 'not-offered':
      return `skipped: ${company.applicationName} has no such report`
    case 'failed':
      return `skipped: ${item.error?.message ?? 'it couldn’t be run'}`
    case 'skipped':
      return isKeyRefused(company) ? 'skipped: key refused' : 'skipped: company not reachable'
    case 'waiting':
    case 'running':
      return 'skipped: not run yet'
  }
}

/** The sheet *About* of a run: how many reports were made, and notes on single ones. */
function aboutRun(run: ReportRun): readonly (readonly [string, string])[] {
  const counts = runCounts(run)
  const format = new Format({ locale: '', negatives: 'minus' })
  const lines = run.items
    .filter(({ state, totals, notes }) => state !== 'done' || totals !== 'agree' || notes.length > 0)
    .flatMap((item): (readonly [string, string])[] => {
      const company = run.companies.find((each) => each.company.endpointId === item.endpointId)
      if (!company) return []
      return [[company.companyName, `${reportTitle(item.offeredName)}: ${itemNote(item, company, format)}`]]
    })
  return [
    ['Reports', run.title],
    ['Companies', String(run.companies.length)],
    ['Ready', `${String(counts.done)} of ${String(run.items.length)}`],
    ...lines,
  ]
}

/** `3 companies - Profit and loss - 2026-01-01 to 2026-03-31.xlsx`; without dates if the companies have different ones. */
function combinedFileName({ companies }: ReportRun, title: string): string {
  const [first] = companies
  const isAlike = companies.every(({ from, to }) => from === first?.from && to === first.to)
  const who = companies.length === 1 ? (first?.companyName ?? '') : `${String(companies.length)} companies`
  return isAlike && first ? proposedFileName(who, title, first, 'xlsx') : fileName([who, title], 'xlsx')
}

/** The joint files to write: those that don't exist, or that lack a report that was made since. */
function dueFiles(run: ReportRun): readonly Pick<JointFile, 'endpointId' | 'itemIds'>[] {
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
