/** A report out of its envelope (specification 2.7): rows as text, levelled and checked. */
import { checkReport } from '../../shared/report-checks.ts'
import { columnsOf, levelReport } from '../../shared/report-levels.ts'
import type { RawReportRow, ReportRow } from '../../shared/reports.ts'
import { ok, type Result } from '../../shared/result.ts'
import { textOf } from '../../shared/changes.ts'
import { decodeEnvelope, isMembers, member, scalarText } from '../service/envelope.ts'
import type { Envelope, RawAnswer } from '../service/wire.ts'
import type { ReportSummary } from './rows.ts'

/** @param name as asked for; the checks of a report depend on what it is */
export function decodeReport(
  name: string,
  raw: RawAnswer,
): Result<{ summary: ReportSummary; rows: readonly ReportRow[] }> {
  const decoded = decodeEnvelope(raw)
  if (!decoded.ok) return decoded
  const envelope = decoded.value
  const report = envelope.items.find((item) => item.object !== null)?.object ?? {}
  const rawRows = listOf(member(report, 'ReportLineData')).map(decodeRow)
  const headings = listOf(member(report, 'Columns')).map(textOf)
  const { nameColumn, columns } = columnsOf(headings, rawRows)
  const rows = levelReport(rawRows)
  return ok({
    rows,
    summary: {
      reportType: scalarText(member(report, 'ReportType')),
      startDate: scalarText(member(report, 'StartDate')),
      endDate: scalarText(member(report, 'EndDate')),
      nameColumn,
      columns,
      rowCount: rows.length,
      checks: checkReport(name, columns, rows),
      requestId: envelope.requestId,
      errors: [...envelope.errors, ...envelope.items.flatMap((item) => item.errors)],
      missing: whatIsMissing(envelope),
    },
  })
}

/**
 * *Assumption* (docs/decisions.md, "one request is one report"): what goes beyond it is said, since it can't be shown
 * with it.
 */
function whatIsMissing({ moreData, hasErrors, errors, items }: Envelope): string[] {
  const others = items.filter((item) => item.object !== null).length - 1
  const isUntold = hasErrors && errors.length === 0 && items.every((item) => item.errors.length === 0)
  return [
    ...(moreData === true ? ['The service says that there is more of it than it sent.'] : []),
    ...(others < 0 && !hasErrors ? ['The answer held no report.'] : []),
    ...(others > 0 ? [`The service sent ${others + 1} reports at once; this is the first of them.`] : []),
    ...(isUntold ? ['The service says that there were errors, but not which.'] : []),
  ]
}

/** A list of one may have been written as that one. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return value === null || value === undefined ? [] : [value]
}

function decodeRow(value: unknown): RawReportRow {
  if (!isMembers(value)) return { rowType: '', name: textOf(value), id: '', values: [] }
  const entity = member(value, 'EntityRef')
  return {
    rowType: scalarText(member(value, 'RowType')),
    name: isMembers(entity) ? textOf(member(entity, 'FullName')) : textOf(entity),
    id: isMembers(entity) ? textOf(member(entity, 'ID')) : '',
    values: listOf(member(value, 'Values')).map(textOf),
  }
}
