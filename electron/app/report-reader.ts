/** Asks the service for one report: its turn, its decoding in the rows worker, its head. */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Period } from '../../shared/reports/periods.ts'
import { reportTitle, type ReportHead } from '../../shared/reports/reports.ts'
import { err, ok, type AppError, type Result } from '../../shared/result.ts'
import type { ReportSummary, Rows } from '../rows/rows.ts'
import { cut } from '../service/cut.ts'
import { keyRefused } from '../service/envelope.ts'
import { redact, redactErrors, secretsOf } from '../service/redact.ts'
import { isRefusedKey, translateReadErrors } from '../service/service-errors.ts'
import type { Decoder, Numbered, ServiceClient, TurnRequest } from '../service/wire.ts'
import type { Companies } from './companies.ts'
import { SMALL_LIST, type LongRead, type WorthAsking } from './company-test.ts'
import type { Clock } from '../clock.ts'
import { timestamp } from './timestamp.ts'

export interface ReportAsked extends Period {
  readonly company: CompanyRef
  readonly companyName: string
  /** Short code of the company's application, for the words of its errors. */
  readonly application: string
  readonly name: string
  readonly priority: TurnRequest['priority']
  /** Told the entry of the queue, for stopping it. */
  readonly onEntry?: (entryId: string) => void
}

export interface ReportReader {
  /** Three tries, as for every read. The rows are held by the worker until `closeReport`. */
  read(asked: ReportAsked): Promise<Result<ReportHead>>
}

/** Characters of an error beside a report. */
const LONGEST_WORDS = 600

/** @param companies asks a company for something small first that has not been heard of */
export function createReportReader(
  client: ServiceClient,
  rows: Rows,
  clock: Clock,
  companies: Pick<Companies, 'ledBySmallRead'>,
): ReportReader {
  return {
    async read({ company, companyName, application, name, from, to, priority, onEntry }) {
      const ask = <T extends Numbered>(
        worth: WorthAsking,
        page: number,
        decoderOf: (secrets: readonly string[]) => Decoder<T>,
      ): Promise<Result<T>> => {
        const request: TurnRequest = {
          connectionId: company.connectionId,
          company,
          companyName,
          what: `Making ${reportTitle(name)}`,
          isWrite: false,
          priority,
          batchId: '',
        }
        const query = { name, from: `${from}T00:00:00`, to: `${to}T23:59:59`, page }
        const operation: LongRead<T> = (wire) => {
          if (page > 1) wire.progress(`page ${String(page)}`)
          return wire.selectReport(company.endpointId, query, decoderOf(secretsOf(wire.target)))
        }
        return client.read(
          request,
          companies.ledBySmallRead(company, SMALL_LIST, worth, operation),
          onEntry === undefined ? {} : { onEntry },
        )
      }

      /** Asks for the pages after the first, as long as each goes on from the one before. */
      const readOn = async (reportId: string): Promise<Result<ReportSummary>> => {
        for (let page = 2; page <= MOST_PAGES; page += 1) {
          const answer = await ask('silent', page, () => (raw) => rows.addReportPage(reportId, raw))
          if (!answer.ok && answer.error.kind === 'stopped') {
            await rows.closeReport(reportId)
            return answer
          }
          const because = answer.ok ? answer.value.because : notGiven(page, answer.error)
          if (because !== '' || (answer.ok && !answer.value.hasMore)) {
            return rows.finishReport(reportId, because)
          }
        }
        return rows.finishReport(reportId, NO_END_SEEN)
      }

      const answer = await ask('quiet', 1, (secrets) => reportDecoder(rows, name, application, secrets))
      if (!answer.ok) return answer
      const { reportId, hasMore } = answer.value
      const finished = hasMore ? await readOn(reportId) : ok(answer.value.summary)
      if (!finished.ok) return finished
      const { errors, missing, ...rest } = finished.value
      const words = errors.map((error) => `The service says: ${cut(error.message, LONGEST_WORDS)}`)
      return ok({
        ...rest,
        requestId: answer.value.summary.requestId,
        said: [...new Set([...words, ...missing])],
        reportId,
        name,
        from,
        to,
        making: 'single',
        periods: [{ from, to }],
        madeAt: timestamp(clock),
      })
    },
  }
}

/** *Assumption* (decisions.md, "further pages of a report"): never loop without end, also where each page is new. */
const MOST_PAGES = 200
const NO_END_SEEN = `The service says “there is more” after every page; after ${String(MOST_PAGES)} of them no more was asked for.`

function notGiven(page: number, { message }: AppError): string {
  return `The service says that there is more of it than it sent. Page ${String(page)} did not come: ${message}`
}

/** Errors beside a report go on without the secrets, which a service may echo. */
function reportDecoder(
  rows: Rows,
  name: string,
  application: string,
  secrets: readonly string[],
): Decoder<
  Numbered & { readonly reportId: string; readonly summary: ReportSummary; readonly hasMore: boolean }
> {
  return async (raw) => {
    const { status } = raw
    const opened = await rows.openReport(name, raw)
    if (!opened.ok) return opened
    const { errors, rowCount, columns, requestId } = opened.value.summary
    if (errors.length > 0 && rowCount === 0 && columns.length === 0) {
      await rows.closeReport(opened.value.reportId)
      if (isRefusedKey(status, errors))
        return err(keyRefused({ status, raw: errors[0]?.raw ?? '', requestId }))
      return err(translateReadErrors(application, errors, requestId, status))
    }
    const { reportId, summary, hasMore } = opened.value
    return ok({
      reportId,
      hasMore,
      requestId,
      summary: {
        ...summary,
        requestId: redact(requestId, secrets),
        errors: redactErrors(errors, secrets),
      },
    })
  }
}
