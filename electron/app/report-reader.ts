/** Asks the service for one report: its turn, its decoding in the rows worker, its head. */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Period } from '../../shared/periods.ts'
import { reportTitle, type ReportHead } from '../../shared/reports.ts'
import { err, ok, type Result } from '../../shared/result.ts'
import type { ReportSummary, Rows } from '../rows/rows.ts'
import { cut } from '../service/cut.ts'
import { keyRefused } from '../service/envelope.ts'
import { redact, redactErrors, secretsOf } from '../service/redact.ts'
import { isRefusedKey, translateReadErrors } from '../service/service-errors.ts'
import type { Decoder, Numbered, ServiceClient, TurnRequest } from '../service/wire.ts'
import type { Companies } from './companies.ts'
import { SMALL_LIST } from './company-test.ts'
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
      const answer = await client.read(
        {
          connectionId: company.connectionId,
          company,
          companyName,
          what: `Making ${reportTitle(name)}`,
          isWrite: false,
          priority,
          batchId: '',
        },
        companies.ledBySmallRead(company, SMALL_LIST, 'quiet', (wire) =>
          wire.selectReport(
            company.endpointId,
            name,
            `${from}T00:00:00`,
            `${to}T23:59:59`,
            reportDecoder(rows, name, application, secretsOf(wire.target)),
          ),
        ),
        onEntry === undefined ? {} : { onEntry },
      )
      if (!answer.ok) return answer
      const { reportId, summary } = answer.value
      const { errors, missing, ...rest } = summary
      const words = errors.map((error) => `The service says: ${cut(error.message, LONGEST_WORDS)}`)
      return ok({
        ...rest,
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

/** Errors beside a report go on without the secrets, which a service may echo. */
function reportDecoder(
  rows: Rows,
  name: string,
  application: string,
  secrets: readonly string[],
): Decoder<Numbered & { readonly reportId: string; readonly summary: ReportSummary }> {
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
    const { reportId, summary } = opened.value
    return ok({
      reportId,
      requestId,
      summary: {
        ...summary,
        requestId: redact(requestId, secrets),
        errors: redactErrors(errors, secrets),
      },
    })
  }
}
