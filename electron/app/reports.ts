/** Reports: asking for one, handing out its rows, and saving what was made of it. */
import type { CompanyRef, SavedFile } from '../../shared/contract/parts.ts'
import { reportTitle, type ReportHead, type ReportRow } from '../../shared/reports.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import { proposedFileName } from '../files/file-name.ts'
import { reportCsv } from '../files/report-csv.ts'
import { writeWholeFile } from '../files/write-file.ts'
import type { ReportSummary, Rows } from '../rows/rows.ts'
import { cut } from '../service/cut.ts'
import { keyRefused } from '../service/envelope.ts'
import { redact, redactErrors, secretsOf } from '../service/redact.ts'
import { isRefusedKey, translateErrors } from '../service/service-errors.ts'
import type { Decoder, ServiceClient } from '../service/wire.ts'
import { displayName, type Companies } from './companies.ts'
import type { HandlersOf } from './handlers.ts'
import type { Clock, SaveDialog } from './ports.ts'

export interface ReportsOptions {
  readonly client: ServiceClient
  readonly rows: Rows
  readonly companies: Pick<Companies, 'known' | 'beforeLong'>
  readonly dialog: SaveDialog
  readonly clock: Clock
}

interface Held {
  readonly head: ReportHead
  readonly company: CompanyRef
  readonly companyName: string
}

const ROWS_AT_ONCE = 2_000
/** Characters of an error beside a report. */
const LONGEST_WORDS = 600

export interface Reports {
  readonly handlers: HandlersOf<'reports'>
  /** Forgets the reports that were handed out: the page that had them is gone. Their rows are the worker's. */
  forgetAll(): void
}

export function createReports(options: ReportsOptions): Reports {
  const { client, rows, companies, clock } = options
  const held = new Map<string, Held>()
  /** Counts the window's pages: what one has asked for is not kept for the next. */
  let page = 0

  const find = (reportId: string): Result<Held> => {
    const found = held.get(reportId)
    return found === undefined
      ? err(appError('not-found', 'This report is no longer held.', 'Run it again.'))
      : ok(found)
  }

  /** The rows from the first, by the batch; the worker's trouble is the file's trouble. */
  async function* pull(head: ReportHead): AsyncGenerator<Result<readonly ReportRow[]>> {
    const decoder = new TextDecoder()
    for (let from = 0; from < head.rowCount; from += ROWS_AT_ONCE) {
      const bytes = await rows.reportChunk(head.reportId, from, ROWS_AT_ONCE)
      if (!bytes.ok) {
        yield bytes
        return
      }
      yield ok(JSON.parse(decoder.decode(bytes.value)) as readonly ReportRow[])
    }
  }

  /** Asks where to, and writes whole or not at all. */
  const save = async (
    { head, companyName }: Held,
    kind: 'csv' | 'svg' | 'png',
    pieces: () => AsyncIterable<Result<Uint8Array>>,
  ): Promise<Result<SavedFile>> => {
    const name = proposedFileName(companyName, reportTitle(head.name), head, kind)
    const path = await options.dialog.choose(name, kind)
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
      const reachable = await companies.beforeLong(company)
      if (!reachable.ok) return reachable
      const { application } = found.value
      const askedBy = page
      const answer = await client.read(
        {
          connectionId: company.connectionId,
          company,
          companyName: displayName(found.value),
          what: `Making ${reportTitle(name)}`,
          isWrite: false,
          priority: 'person',
          batchId: '',
        },
        (wire) =>
          wire.selectReport(
            company.endpointId,
            name,
            `${from}T00:00:00`,
            `${to}T23:59:59`,
            reportDecoder(rows, name, application, secretsOf(wire.target)),
          ),
      )
      if (!answer.ok) return answer
      const { reportId, summary } = answer.value
      if (askedBy !== page) {
        await rows.closeReport(reportId)
        return err(appError('stopped', 'The window was loaded anew meanwhile.', 'Run the report again.'))
      }
      const { errors, ...rest } = summary
      const head: ReportHead = {
        ...rest,
        checks: {
          ...rest.checks,
          unchecked: [
            ...rest.checks.unchecked,
            ...errors.map((error) => `The service says: ${cut(error.message, LONGEST_WORDS)}`),
          ],
        },
        reportId,
        name,
        from,
        to,
        madeAt: new Date(clock.now()).toISOString(),
      }
      held.set(reportId, { head, company, companyName: displayName(found.value) })
      return ok(head)
    },

    'reports.rows': ({ reportId, from, count }) => rows.reportChunk(reportId, from, count),

    'reports.close': async ({ reportId }) => {
      held.delete(reportId)
      await rows.closeReport(reportId)
      return ok({})
    },

    'reports.saveCsv': async ({ reportId, shape, hideZeroRows }) => {
      const found = find(reportId)
      if (!found.ok) return found
      const { head } = found.value
      return save(found.value, 'csv', () => reportCsv(head, () => pull(head), shape, hideZeroRows))
    },

    'reports.saveChart': async ({ reportId, format, bytes }) => {
      const found = find(reportId)
      return found.ok ? save(found.value, format, () => once(bytes)) : found
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

/** Errors beside a report go on without the secrets, which a service may echo. */
function reportDecoder(
  rows: Rows,
  name: string,
  application: string,
  secrets: readonly string[],
): Decoder<{ readonly reportId: string; readonly summary: ReportSummary }> {
  return async (raw) => {
    const { status } = raw
    const opened = await rows.openReport(name, raw)
    if (!opened.ok) return opened
    const { errors, rowCount, columns, requestId } = opened.value.summary
    if (errors.length > 0 && rowCount === 0 && columns.length === 0) {
      await rows.closeReport(opened.value.reportId)
      if (isRefusedKey(status, errors))
        return err(keyRefused({ status, raw: errors[0]?.raw ?? '', requestId }))
      return err(translateErrors(application, errors, requestId, status))
    }
    const { reportId, summary } = opened.value
    return ok({
      reportId,
      summary: {
        ...summary,
        requestId: redact(requestId, secrets),
        errors: redactErrors(errors, secrets),
      },
    })
  }
}
