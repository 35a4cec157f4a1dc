/** Reports: asking for one, handing out its rows, putting several beside each other, and saving what was made. */
import { displayName } from '../../shared/companies/companies.ts'
import type { CompanyRef, SavedFile } from '../../shared/contract/parts.ts'
import { Format } from '../../shared/format/format.ts'
import { headingTitle } from '../../shared/reports/words.ts'
import type { ReportHead } from '../../shared/reports/reports.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import { reportsPrint } from '../files/print/report-print.ts'
import { reportCsv } from '../files/csv/report-csv.ts'
import { forWorkbook, reportFileName, type FiledReport } from '../files/report-file.ts'
import { reportWorkbook } from '../files/workbook/report-workbook.ts'
import { writeWholeFile } from '../files/write-file.ts'
import type { Rows } from '../rows/rows.ts'
import type { ServiceClient } from '../service/wire.ts'
import type { Companies } from './companies.ts'
import type { HandlersOf } from './handlers.ts'
import type { Clock } from '../clock.ts'
import type { Clipboard, Printer, SaveDialog, SettingsStore } from './ports.ts'
import { pullHeld } from './report-rows.ts'
import { createReportReader } from './report-reader.ts'
import { timestamp } from './timestamp.ts'

export interface ReportsOptions {
  readonly client: ServiceClient
  readonly rows: Rows
  readonly companies: Pick<Companies, 'known' | 'ledBySmallRead'>
  readonly dialog: SaveDialog
  readonly clipboard: Clipboard
  readonly printer: Printer
  readonly settings: SettingsStore
  /** BCP 47, of the machine. */
  readonly locale: string
  readonly clock: Clock
}

interface Held {
  readonly head: ReportHead
  readonly company: CompanyRef
  readonly companyName: string
}

const NOT_HELD = appError('not-found', 'This report is no longer held.', 'Run it again.')

export interface Reports {
  readonly handlers: HandlersOf<'reports'>
  /** Forgets the reports that were handed out: the page that had them is gone. Their rows are the worker's. */
  forgetAll(): void
}

export function createReports(options: ReportsOptions): Reports {
  const { client, rows, companies, clock, settings } = options
  const reader = createReportReader(client, rows, clock, companies)
  const held = new Map<string, Held>()
  /** Counts the window's pages: what one has asked for is not kept for the next. */
  let page = 0

  const find = (reportId: string): Result<Held> => {
    const found = held.get(reportId)
    return found === undefined ? err(NOT_HELD) : ok(found)
  }

  const filed = ({ head, company, companyName }: Held, hideZeroRows: boolean): FiledReport => {
    const known = companies.known(company)
    return {
      head,
      companyName,
      basis: known.ok ? known.value.basis : 'unknown',
      rows: () => pullHeld(rows, head),
      hideZeroRows,
    }
  }

  const format = (): Format => new Format({ locale: options.locale, negatives: settings.get().negatives })

  /** Asks where to, and writes whole or not at all. */
  const save = async (
    report: Held,
    kind: 'csv' | 'svg' | 'png' | 'xlsx' | 'pdf',
    pieces: () => AsyncIterable<Result<Uint8Array>>,
  ): Promise<Result<SavedFile>> => {
    const path = await options.dialog.choose(reportFileName(report, kind), kind)
    if (path === null) return ok({ saved: false })
    return writeWholeFile(path, pieces())
  }

  const handlers: HandlersOf<'reports'> = {
    'reports.select': async ({ company, name, from, to }) => {
      const found = companies.known(company)
      if (!found.ok) return found
      if (from > to)
        return err(
          appError(
            'invalid-input',
            'The period ends before it begins.',
            'Choose an end on or after the beginning.',
          ),
        )
      const askedBy = page
      const companyName = displayName(found.value)
      const { application } = found.value
      const head = await reader.read({
        company,
        companyName,
        application,
        name,
        from,
        to,
        priority: 'person',
      })
      if (!head.ok) return head
      const { reportId } = head.value
      if (askedBy !== page) {
        await rows.closeReport(reportId)
        return err(appError('stopped', 'The window was loaded anew meanwhile.', 'Run the report again.'))
      }
      held.set(reportId, { head: head.value, company, companyName })
      return head
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
      const { reportId, summary } = combined.value
      const { errors: _errors, missing: _missing, ...rest } = summary
      const last = making === 'trend' ? (parts.at(-1) ?? first) : first
      const head: ReportHead = {
        ...rest,
        reportId,
        name: first.head.name,
        from: first.head.from,
        to: last.head.to,
        making,
        periods: parts.map(({ head: { from, to } }) => ({ from, to })),
        said: [...new Set(parts.flatMap((part) => part.head.said))],
        // As old as the oldest part of it.
        madeAt: parts.map((part) => part.head.madeAt).toSorted()[0] ?? first.head.madeAt,
      }
      if (askedBy === page) held.set(reportId, { ...first, head })
      return ok(head)
    },

    'reports.saveCsv': async ({ reportId, shape, hideZeroRows }) => {
      const found = find(reportId)
      if (!found.ok) return found
      const { head } = found.value
      return save(found.value, 'csv', () => reportCsv(head, () => pullHeld(rows, head), shape, hideZeroRows))
    },

    'reports.saveDocument': async ({ reportId, format: kind, hideZeroRows }) => {
      const found = find(reportId)
      if (!found.ok) return found
      const report = filed(found.value, hideZeroRows)
      const { negatives } = settings.get()
      if (kind === 'xlsx') {
        const sheet = forWorkbook(report, headingTitle(report.head), format())
        const madeAt = timestamp(clock)
        return save(found.value, kind, () => reportWorkbook([sheet], { negatives, madeAt }))
      }
      const printed = await reportsPrint([report], { locale: options.locale, negatives })
      if (!printed.ok) return printed
      const bytes = await options.printer.pdf(printed.value)
      return bytes.ok ? save(found.value, kind, () => once(bytes.value)) : bytes
    },

    'reports.saveChart': async ({ reportId, format: kind, bytes }) => {
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

async function* once(bytes: Uint8Array): AsyncGenerator<Result<Uint8Array>> {
  yield await Promise.resolve(ok(bytes))
}
