/** Reports that the window opens: reading one, combining several, and saving files. */
import { companyKey, displayName } from '../../../shared/companies/companies.ts'
import type { CompanyRef, SavedFile } from '../../../shared/contract/parts.ts'
import { Format } from '../../../shared/format/format.ts'
import { headingTitle } from '../../../shared/reports/messages.ts'
import type { ReportHead } from '../../../shared/reports/reports.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import { isChartPicture } from '../../files/chart-picture.ts'
import { reportCsv, type ReportShape } from '../../files/csv/report-csv.ts'
import { letterheadOf } from '../../files/print/letterhead.ts'
import { reportsPrint } from '../../files/print/report-print.ts'
import { reportFileName, type ReportForFile, toReportForWorkbook } from '../../files/report-file.ts'
import { reportWorkbook } from '../../files/workbook/report-workbook.ts'
import { once, writeFileAtomically } from '../../files/write-file.ts'
import type { ReportRows } from '../../rows/rows.ts'
import type { ServiceClient } from '../../service/protocol/wire.ts'
import type { HandlersOf } from '../calls.ts'
import type { Companies } from '../companies/companies.ts'
import type { Clipboard, Printer, SaveDialog, SettingsStore } from '../ports.ts'
import { combinedHead, createReportReader, pullHeld, type ReportWatch } from './report-reader.ts'

export interface ReportsOptions {
  readonly client: ServiceClient
  readonly rows: ReportRows
  readonly companies: Pick<Companies, 'find' | 'withProbe'>
  readonly watch: ReportWatch
  readonly dialog: SaveDialog
  readonly clipboard: Clipboard
  readonly printer: Printer
  readonly settings: SettingsStore
  /** The computer's locale, BCP 47. */
  readonly locale: string
  readonly clock: Clock
  /** Stops an entry of the queue. */
  readonly stopEntry: (entryId: string) => void
}

/** A report that is being read. */
interface Reading {
  isStopped: boolean
  /** `null` until it is in the queue. */
  entryId: string | null
}

interface Held {
  readonly head: ReportHead
  readonly company: CompanyRef
  readonly companyName: string
}

const NO_PICTURE = appError('invalid-input', 'This chart can’t be saved as a picture.')
const NOT_HELD = appError('not-found', 'This report is no longer in memory.', 'Run it again.')

export interface Reports {
  readonly handlers: HandlersOf<'reports'>
  /** Forgets all open reports, because their page is gone. The rows worker holds their rows. */
  forgetAll(): void
}

export function createReports(options: ReportsOptions): Reports {
  const { rows, companies, clock, settings, stopEntry } = options
  const reader = createReportReader(options)
  const held = new Map<string, Held>()
  /** For each company, the latest report that the window requested and waits for. */
  const readings = new Map<string, Reading>()
  /** Numbers the window's pages. What one requested is not kept for the next. */
  let page = 0

  const find = (reportId: string): Result<Held> => {
    const found = held.get(reportId)
    return found === undefined ? err(NOT_HELD) : ok(found)
  }

  const filed = ({ head, company, companyName }: Held, hideZeroRows: boolean): ReportForFile => {
    const known = companies.find(company)
    return {
      head,
      companyName,
      basis: known.ok ? known.value.basis : 'unknown',
      rows: () => pullHeld(rows, head),
      hideZeroRows,
    }
  }

  const format = (): Format => new Format({ locale: options.locale, negatives: settings.get().negatives })

  /** Asks where to save, and writes the whole file or nothing. */
  const save = async (
    report: Held,
    kind: 'csv' | 'svg' | 'png' | 'xlsx' | 'pdf',
    pieces: () => AsyncIterable<Result<Uint8Array>>,
    shape: ReportShape = 'as-shown',
  ): Promise<Result<SavedFile>> => {
    const path = await options.dialog.choose(reportFileName(report, kind, shape), kind)
    if (path === null) return ok({ saved: false })
    return writeFileAtomically(path, pieces())
  }

  const handlers: HandlersOf<'reports'> = {
    'reports.select': async ({ company, name, from, to, comparedWith }) => {
      const found = companies.find(company)
      if (!found.ok) return found
      if (from > to)
        return err(
          appError(
            'invalid-input',
            'The period ends before it starts.',
            'Choose an end date on or after the start date.',
          ),
        )
      const askedBy = page
      const companyName = displayName(found.value)
      const { application } = found.value
      const reading: Reading = { isStopped: false, entryId: null }
      readings.set(companyKey(company), reading)
      const head = await reader
        .read({
          company,
          companyName,
          application,
          name,
          from,
          to,
          ...(comparedWith && { comparedWith }),
          priority: 'interactive',
          onEntry(entryId) {
            reading.entryId = entryId
            if (reading.isStopped) stopEntry(entryId)
          },
        })
        .finally(() => {
          if (readings.get(companyKey(company)) === reading) readings.delete(companyKey(company))
        })
      if (!head.ok) return head
      const { reportId } = head.value
      if (askedBy !== page) {
        await rows.closeReport(reportId)
        return err(appError('stopped', 'The window was reloaded.', 'Run the report again.'))
      }
      held.set(reportId, { head: head.value, company, companyName })
      return head
    },

    'reports.stop': ({ company }) => {
      const reading = readings.get(companyKey(company))
      if (reading === undefined) return ok({})
      reading.isStopped = true
      if (reading.entryId !== null) stopEntry(reading.entryId)
      return ok({})
    },

    'reports.rows': ({ reportId, from, count }) => rows.reportChunk(reportId, from, count),

    'reports.close': async ({ reportId }) => {
      held.delete(reportId)
      await rows.closeReport(reportId)
      return ok({})
    },

    'reports.combine': async ({ making, reportIds, labels }) => {
      const parts = reportIds.flatMap((reportId) => held.get(reportId) ?? [])
      const [first] = parts
      if (!first || parts.length < reportIds.length) return err(NOT_HELD)
      const askedBy = page
      const combined = await rows.combineReports(
        making,
        first.head.name,
        reportIds.map((reportId, at) => ({ reportId, label: labels[at] ?? '' })),
      )
      if (!combined.ok) return combined
      const heads = parts.map((part) => part.head)
      const head = combinedHead(making, heads, combined.value)
      if (askedBy === page) held.set(head.reportId, { ...first, head })
      return ok(head)
    },

    'reports.saveCsv': async ({ reportId, shape, hideZeroRows }) => {
      const found = find(reportId)
      if (!found.ok) return found
      const { head } = found.value
      const pieces = () => reportCsv(head, () => pullHeld(rows, head), shape, hideZeroRows)
      return save(found.value, 'csv', pieces, shape)
    },

    'reports.saveDocument': async ({ reportId, format: kind, hideZeroRows }) => {
      const found = find(reportId)
      if (!found.ok) return found
      const report = filed(found.value, hideZeroRows)
      const { negatives } = settings.get()
      if (kind === 'xlsx') {
        const sheet = toReportForWorkbook(report, headingTitle(report.head), format())
        const madeAt = timestamp(clock)
        return save(found.value, kind, () => reportWorkbook([sheet], { negatives, madeAt }))
      }
      const printed = await reportsPrint(
        [report],
        { locale: options.locale, negatives },
        letterheadOf(settings.get()),
      )
      if (!printed.ok) return printed
      const bytes = await options.printer.pdf(printed.value)
      return bytes.ok ? save(found.value, kind, () => once(bytes.value)) : bytes
    },

    'reports.saveChart': async ({ reportId, format: kind, bytes }) => {
      if (!isChartPicture(kind, bytes)) return err(NO_PICTURE)
      const found = find(reportId)
      return found.ok ? save(found.value, kind, () => once(bytes)) : found
    },

    'reports.copyChart': async ({ bytes }) => {
      await options.clipboard.writePicture(bytes)
      return ok({})
    },
  }
  return {
    handlers,
    forgetAll() {
      page += 1
      held.clear()
    },
  }
}
