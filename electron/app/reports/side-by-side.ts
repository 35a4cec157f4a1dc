/** The sheets of the workbook of all reports: first reports of several companies side by side, then each report. */
import type { Format } from '../../../shared/format/format.ts'
import { listsEntries } from '../../../shared/reports/columns.ts'
import {
  findingsTitle,
  formatFinding,
  headingTitle,
  SERVICE_MESSAGES_TITLE,
} from '../../../shared/reports/messages.ts'
import type { ReportRow } from '../../../shared/reports/reports.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { type ReportForFile, toReportForWorkbook } from '../../files/report-file.ts'
import type { ReportForWorkbook } from '../../files/workbook/report-workbook.ts'
import { once } from '../../files/write-file.ts'
import { type CombinedSource, companiesSideBySide } from '../../rows/reports/combine.ts'

/** The most rows of all companies together, because they are all in memory while they are merged. */
const MAX_ROWS = 100_000
const MAX_FINDINGS = 20

/**
 * Reports of several companies as sheets. If several companies have the same report, it comes first, side by side.
 * @param reports of one run, in its order
 */
export async function combinedSheets(
  reports: readonly ReportForFile[],
  format: Format,
): Promise<Result<readonly ReportForWorkbook[]>> {
  const names = [...new Set(reports.map(({ head }) => head.name))]
  const isOneReport = names.length === 1
  const beside: ReportForWorkbook[] = []
  for (const name of names) {
    const own = reports.filter(({ head }) => head.name === name)
    const sheetName = isOneReport ? 'Side by side' : `All ${headingTitle({ name, making: 'single' })}`
    const sheet = await sideBySide(own, sheetName, format)
    if (!sheet.ok) return sheet
    if (sheet.value) beside.push(sheet.value)
  }
  const each = reports.map((report) => {
    const title = headingTitle(report.head)
    return toReportForWorkbook(
      report,
      isOneReport ? report.companyName : `${title} ${report.companyName}`,
      format,
    )
  })
  return ok([...beside, ...each])
}

/**
 * @param reports with the same name, one of each company
 * @returns `null` if they can't be side by side: only one company, a list of entries, or too many rows
 */
async function sideBySide(
  reports: readonly ReportForFile[],
  sheetName: string,
  format: Format,
): Promise<Result<ReportForWorkbook | null>> {
  const [first] = reports
  const rowCount = reports.reduce((sum, { head }) => sum + head.rowCount, 0)
  if (!first || reports.length < 2 || listsEntries(first.head.name) || rowCount > MAX_ROWS) return ok(null)
  const isAlike = reports.every(({ head: { from, to } }) => from === first.head.from && to === first.head.to)
  const sources: CombinedSource[] = []
  for (const report of reports) {
    const rows = await allRows(report)
    if (!rows.ok) return rows
    const { columns, checks, from, to } = report.head
    const label = isAlike ? report.companyName : `${report.companyName}, ${format.period(from, to)}`
    sources.push({ label, columns, checks, rows: rows.value })
  }
  const { columns, rows, checks } = companiesSideBySide(first.head.name, sources)
  const findings = checks.findings.slice(0, MAX_FINDINGS).map((finding) => {
    const { text, difference } = formatFinding(finding, format)
    return `${text} ${difference}.`
  })
  const notes = reports.flatMap(({ companyName, head }) =>
    head.notes.map((sentences) => `${companyName}: ${sentences}`),
  )
  return ok({
    sheetName,
    companyName: `${format.count(reports.length)} companies`,
    title: headingTitle(first.head),
    period: isAlike ? format.period(first.head.from, first.head.to) : 'Each company’s own dates',
    notes: ['Accounts are matched by name. Totals include intercompany balances (no eliminations).'],
    wrong: [
      ...(notes.length > 0 ? [SERVICE_MESSAGES_TITLE, ...notes] : []),
      ...(findings.length > 0 ? [findingsTitle(checks), ...findings] : []),
    ],
    unchecked: checks.unchecked,
    head: { name: first.head.name, nameColumn: first.head.nameColumn, columns },
    rows: () => once(rows),
    hideZeroRows: first.hideZeroRows,
  })
}

async function allRows({ rows }: ReportForFile): Promise<Result<readonly ReportRow[]>> {
  const all: ReportRow[] = []
  for await (const batch of rows()) {
    if (!batch.ok) return batch
    for (const row of batch.value) all.push(row)
  }
  return ok(all)
}
