/** Reads one report from the service, decodes it in the rows worker, and passes on its rows. */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { Format } from '../../../shared/format/format.ts'
import { coveredDays, isAsOfDay } from '../../../shared/reports/messages.ts'
import type { Period } from '../../../shared/reports/periods.ts'
import {
  type ReportHead,
  type ReportMaking,
  type ReportRow,
  reportTitle,
} from '../../../shared/reports/reports.ts'
import { type AppError, err, ok, type Result } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import type { ReportRows, ReportSummary } from '../../rows/rows.ts'
import { redact, redactErrors } from '../../service/errors/redact.ts'
import { isRefusedKey, translateReadErrors } from '../../service/errors/service-errors.ts'
import { cut, keyRefusedError } from '../../service/protocol/envelope.ts'
import type {
  CountedResponse,
  Decoder,
  Mask,
  ServiceClient,
  SlotRequest,
} from '../../service/protocol/wire.ts'
import { resultOf } from '../../store/database.ts'
import type { ReportRunStore } from '../../store/report-runs.ts'
import type { Companies } from '../companies/companies.ts'
import { type LongRead, PROBE_LIST, type ProbeWhen } from '../companies/company-tests.ts'

export interface ReportRequest extends Period {
  readonly company: CompanyRef
  readonly companyName: string
  /** Short code of the company's application, to explain its errors. */
  readonly application: string
  readonly name: string
  /** The other period, if the report is for a comparison. */
  readonly comparedWith?: Period
  readonly priority: SlotRequest['priority']
  /** The run that the report belongs to. */
  readonly batchId?: string
  /** The month whose review it belongs to, as `yyyy-mm`; `null` for none. */
  readonly reviewedMonth?: string | null
  /** Called with the queue entry, so that it can be stopped. */
  readonly onEntry?: (entryId: string) => void
}

export interface ReportReader {
  /** Tries three times, like every read. The worker holds the rows until `closeReport`. */
  read(asked: ReportRequest): Promise<Result<ReportHead>>
}

/**
 * Returns the head of a report that the worker made from others.
 * @param parts at least one
 */
export function combinedHead(
  making: Exclude<ReportMaking, 'single'>,
  parts: readonly ReportHead[],
  { reportId, summary }: { readonly reportId: string; readonly summary: ReportSummary },
): ReportHead {
  const { errors: _errors, missing: _missing, ...rest } = summary
  const [first] = parts
  if (first === undefined) throw new RangeError('A report is combined from at least one other.')
  const last = making === 'trend' ? (parts.at(-1) ?? first) : first
  return {
    ...rest,
    reportId,
    name: first.name,
    from: first.from,
    to: last.to,
    making,
    periods: parts.map(({ from, to }) => ({ from, to })),
    notes: [...new Set(parts.flatMap(({ notes }) => notes))],
    // As old as its oldest part.
    madeAt: parts.map(({ madeAt }) => madeAt).toSorted()[0] ?? first.madeAt,
  }
}

/** The longest error text beside a report, in characters. */
const LONGEST_WORDS = 600

/** Called with each report that was read, before it is passed on. */
export interface ReportWatch {
  onReport(company: CompanyRef, head: ReportHead): Promise<void>
}

interface ReportReaderOptions {
  readonly client: ServiceClient
  readonly rows: ReportRows
  readonly clock: Clock
  /** Makes a small read first if the company hasn't responded for a while. */
  readonly companies: Pick<Companies, 'withProbe'>
  readonly watch: ReportWatch
  /** For the dates that a report covers, also in the log. */
  readonly locale: string
}

export function createReportReader(options: ReportReaderOptions): ReportReader {
  const { client, rows, clock, companies, watch } = options
  const format = new Format({ locale: options.locale, negatives: 'minus' })
  return {
    async read({ company, companyName, application, name, from, to, priority, onEntry, ...belongs }) {
      // Short, so that a line has room for both periods of a comparison.
      const days = ({ from, to }: Period): string =>
        isAsOfDay(name)
          ? `as of ${format.date(to)}`
          : belongs.comparedWith
            ? format.periodName(from, to)
            : format.period(from, to)
      const other = belongs.comparedWith ? ` vs. ${days(belongs.comparedWith)}` : ''
      const ask = <T extends CountedResponse>(
        when: ProbeWhen,
        page: number,
        decoderOf: (mask: Mask) => Decoder<T>,
      ): Promise<Result<T>> => {
        const request: SlotRequest = {
          connectionId: company.connectionId,
          company,
          companyName,
          what: `Running ${reportTitle(name)}, ${days({ from, to })}${other}`,
          isWrite: false,
          priority,
          batchId: belongs.batchId ?? '',
          reads: 'report',
          reviewedMonth: belongs.reviewedMonth ?? null,
        }
        const query = { name, from: `${from}T00:00:00`, to: `${to}T23:59:59`, page }
        const operation: LongRead<T> = (wire) => {
          if (page > 1) wire.progress(`page ${String(page)}`)
          return wire.selectReport(company.endpointId, query, decoderOf(wire.target.mask))
        }
        return client.read(
          request,
          companies.withProbe(company, PROBE_LIST, when, operation),
          onEntry === undefined ? {} : { onEntry },
        )
      }

      /** Reads the pages after the first, as long as each one continues the previous one. */
      const readOn = async (reportId: string): Promise<Result<ReportSummary>> => {
        for (let page = 2; page <= MAX_PAGES; page += 1) {
          const response = await ask('silent', page, () => (raw) => rows.addReportPage(reportId, raw))
          if (!response.ok && response.error.kind === 'stopped') {
            await rows.closeReport(reportId)
            return response
          }
          const reason = response.ok ? response.value.reason : notGiven(page, response.error)
          if (reason !== '' || (response.ok && !response.value.hasMore)) {
            return rows.finishReport(reportId, reason)
          }
        }
        return rows.finishReport(reportId, NO_END_SEEN)
      }

      const response = await ask('quiet', 1, (mask) => reportDecoder(rows, name, application, mask))
      if (!response.ok) return response
      const { reportId, hasMore } = response.value
      const finished = hasMore ? await readOn(reportId) : ok(response.value.summary)
      if (!finished.ok) return finished
      const { errors, missing, ...rest } = finished.value
      const sentences = errors.map((error) => `The service says: ${cut(error.message, LONGEST_WORDS)}`)
      const covered = coveredDays({ ...rest, name, from, to }, format)
      const head: ReportHead = {
        ...rest,
        requestId: response.value.summary.requestId,
        notes: [...new Set([...sentences, ...missing, ...(covered === '' ? [] : [covered])])],
        reportId,
        name,
        from,
        to,
        making: 'single',
        periods: [{ from, to }],
        madeAt: timestamp(clock),
      }
      await watch.onReport(company, head)
      return ok(head)
    },
  }
}

/** *Assumption* (decisions.md, "Further pages of a report"): a limit, so that it never loops forever, even if every page is new. */
const MAX_PAGES = 200
const NO_END_SEEN = `The service says “there is more” after every page, so Bookbridge stopped after ${String(MAX_PAGES)} of them.`

function notGiven(page: number, { message }: AppError): string {
  return `The service says there is more of this report than it sent. Page ${String(page)} didn’t arrive: ${message}`
}

/** Removes secrets, which a service may echo, from errors beside a report. */
function reportDecoder(
  rows: ReportRows,
  name: string,
  application: string,
  mask: Mask,
): Decoder<
  CountedResponse & { readonly reportId: string; readonly summary: ReportSummary; readonly hasMore: boolean }
> {
  return async (raw) => {
    const { status } = raw
    const opened = await rows.openReport(name, raw)
    if (!opened.ok) return opened
    const { errors, rowCount, columns, requestId } = opened.value.summary
    if (errors.length > 0 && rowCount === 0 && columns.length === 0) {
      await rows.closeReport(opened.value.reportId)
      if (isRefusedKey(status, errors))
        return err(keyRefusedError({ status, raw: errors[0]?.raw ?? '', requestId }))
      return err(translateReadErrors(application, errors, requestId, status))
    }
    const { reportId, summary, hasMore } = opened.value
    return ok({
      reportId,
      hasMore,
      requestId,
      summary: {
        ...summary,
        requestId: redact(requestId, mask),
        errors: redactErrors(errors, mask),
      },
    })
  }
}

// A report's rows in chunks, from the rows worker, or from disk if a run keeps them.

export const ROWS_AT_ONCE = 2_000

/** The rows in the worker, from the first, in chunks. */
export async function* pullHeld(
  rows: Pick<ReportRows, 'reportChunk'>,
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

/** The rows that a run keeps on disk. */
export async function* pullKept(
  store: ReportRunStore,
  runId: string,
  itemId: string,
): AsyncGenerator<Result<readonly ReportRow[]>> {
  const decoder = new TextDecoder()
  for (let part = 0; ; part += 1) {
    const bytes = await Promise.resolve(resultOf(() => store.part(runId, itemId, part)))
    if (!bytes.ok) {
      yield err(bytes.error)
      return
    }
    if (bytes.value === null) return
    yield ok(JSON.parse(decoder.decode(bytes.value)) as readonly ReportRow[])
  }
}
