/**
 * A report to be saved as a file: its company and period, its notes, and its rows, which are read again with
 * each call.
 */
import type { Company } from '../../shared/contract/companies.ts'
import { capitalized, type Format } from '../../shared/format/format.ts'
import {
  findingsTitle,
  formatBasis,
  formatChecks,
  formatFinding,
  headingDays,
  headingTitle,
  SERVICE_MESSAGES_TITLE,
} from '../../shared/reports/messages.ts'
import { type ReportHead, totalsResult } from '../../shared/reports/reports.ts'
import type { PullRows, ReportShape } from './csv/report-csv.ts'
import { fileName, proposedFileName } from './file-name.ts'
import type { ReportForWorkbook } from './workbook/report-workbook.ts'

export interface ReportForFile {
  readonly head: ReportHead
  readonly companyName: string
  readonly basis: Company['basis']
  readonly rows: PullRows
  readonly hideZeroRows: boolean
}

/** Differences listed above a table. The rest is counted. */
const MAX_FINDINGS = 20

/**
 * Returns the notes below the heading: the requested period, when it was made, the basis, and the results of
 * the checks.
 */
export function reportNotes(
  { head, basis }: Pick<ReportForFile, 'head' | 'basis'>,
  format: Format,
): {
  readonly basis: string
  readonly stamp: string
  readonly wrong: readonly string[]
  readonly unchecked: readonly string[]
} {
  const { notes, checks } = head
  const { findings, unchecked } = checks
  const listed = findings.slice(0, MAX_FINDINGS).map((finding) => {
    const { text, difference } = formatFinding(finding, format)
    return `${text} ${difference}.`
  })
  const more = findings.length - listed.length
  const facts = [
    `Created ${format.dayAndTime(head.madeAt)}`,
    `${formatChecks(checks, format)}${totalsResult(head) === 'agree' ? ' ✓' : ''}`,
  ]
  return {
    basis: formatBasis(basis),
    stamp: facts.join(' · '),
    wrong: [
      ...(notes.length === 0 ? [] : [SERVICE_MESSAGES_TITLE, ...notes]),
      ...(findings.length === 0
        ? []
        : [
            `${findingsTitle(checks)} Shown as the application sent it.`,
            ...listed,
            ...(more > 0 ? [`And ${format.count(more)} more.`] : []),
          ]),
    ],
    unchecked,
  }
}

/**
 * Converts a report for a workbook.
 * @param sheetName the report's name, with the company's if the workbook contains several companies
 */
export function toReportForWorkbook(
  report: ReportForFile,
  sheetName: string,
  format: Format,
): ReportForWorkbook {
  const { head, companyName, rows, hideZeroRows } = report
  const { basis, stamp, wrong, unchecked } = reportNotes(report, format)
  return {
    sheetName,
    companyName,
    title: headingTitle(head),
    period: capitalized(headingDays(head, format)),
    notes: [basis, stamp].filter((note) => note !== ''),
    wrong,
    unchecked,
    head,
    rows,
    hideZeroRows,
  }
}

/**
 * Returns a file name such as `Company - Report - 2026-01-01 to 2026-03-31.xlsx`. A comparison names both
 * periods, and a flat CSV file is marked: `Company - Report, flat - …`.
 */
export function reportFileName(
  { head, companyName }: Pick<ReportForFile, 'head' | 'companyName'>,
  ending: string,
  shape: ReportShape = 'as-shown',
): string {
  const title = `${headingTitle(head)}${shape === 'flat' ? ', flat' : ''}`
  const [current, other] = head.periods
  if (head.making !== 'compared' || !current || !other) {
    return proposedFileName(companyName, title, head, ending)
  }
  const both = `${current.from} to ${current.to} and ${other.from} to ${other.to}`
  return fileName([companyName, title, both], ending)
}
