/** A report made of several that are held (`shared/report-combine.ts`). */
import { compareReports, trendOfReports, type CombinedSource } from '../../shared/report-combine.ts'
import type { ReportMaking, ReportRow } from '../../shared/reports/reports.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import type { ReportSummary } from './rows.ts'

export interface HeldReport {
  readonly summary: ReportSummary
  readonly rows: readonly ReportRow[]
}

/** @param labels what each is called in the headings */
export function combinedReport(
  making: Exclude<ReportMaking, 'single'>,
  name: string,
  held: readonly HeldReport[],
  labels: readonly string[],
): Result<HeldReport> {
  const sources = held.map(({ summary, rows }, at): CombinedSource => ({
    label: labels[at] ?? '',
    columns: summary.columns,
    rows,
    checks: summary.checks,
  }))
  const [first, second] = sources
  const [report] = held
  if (!first || !report || (making === 'compared' && !second)) {
    return err(appError('invalid-input', 'There is nothing to put beside the report.', ''))
  }
  const { columns, rows, checks } =
    making === 'compared' && second
      ? compareReports(name, first, second, true)
      : trendOfReports(name, sources)
  const { reportType, nameColumn, requestId } = report.summary
  return ok({
    rows,
    summary: {
      reportType,
      nameColumn,
      requestId,
      startDate: '',
      endDate: '',
      columns,
      rowCount: rows.length,
      checks,
      errors: [],
      missing: [],
    },
  })
}
