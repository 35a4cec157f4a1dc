/** Decodes a report (specification 2.7): rows as text, with levels and checked sums. */
import { isObject, textOf } from '../../../shared/records/changes.ts'
import { columnsOf, levelReport } from '../../../shared/reports/levels.ts'
import type { RawReportRow, ReportRow } from '../../../shared/reports/reports.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { decodeEnvelope, member, scalarText } from '../../service/protocol/envelope.ts'
import type { Envelope, RawResponse, ServiceError } from '../../service/protocol/wire.ts'
import type { ReportSummary } from '../rows.ts'
import { checkReport } from './checks.ts'

/** One page of a report as it arrived. */
interface ReportPage {
  readonly page: number | null
  readonly moreData: boolean
  readonly requestId: string
  /** Type, period, and headings, which all pages of a report share. */
  readonly head: Pick<ReportSummary, 'reportType' | 'startDate' | 'endDate'> & {
    readonly headings: readonly string[]
  }
  readonly rows: readonly RawReportRow[]
  readonly errors: readonly ServiceError[]
  /** Why the page may be incomplete, apart from `moreData`. */
  readonly missing: readonly string[]
}

/** A report with more pages to come. It is checked after the last one. */
export interface ReportPages {
  readonly name: string
  readonly first: ReportPage
  readonly rows: readonly RawReportRow[]
  /** The index of each page's first row. */
  readonly starts: readonly number[]
}

type Decoded = { readonly summary: ReportSummary; readonly rows: readonly ReportRow[] }

/** @param name the name that was requested, which decides what is checked */
export function decodeReport(
  name: string,
  raw: RawResponse,
): Result<Decoded & { pages: ReportPages | null }> {
  const decoded = decodePage(raw)
  if (!decoded.ok) return decoded
  const first = decoded.value
  const pages: ReportPages = { name, first, rows: first.rows, starts: [0] }
  const isClean = first.errors.length === 0 && first.missing.length === 0 && first.rows.length > 0
  const canContinue = first.moreData && isClean && (first.page ?? 1) === 1
  return ok({
    ...finishReport(pages, first.moreData ? MORE_THAN_SENT : ''),
    pages: canContinue ? pages : null,
  })
}

interface JoinedPage {
  readonly pages: ReportPages
  readonly hasMore: boolean
  /** A sentence about why the page was not added. Empty if it was. */
  readonly reason: string
  readonly requestId: string
}

/**
 * Adds the next page if that is safe: it has the same type, period, and headings, and its rows continue.
 * *Assumption* (decisions.md, "Further pages of a report").
 */
export function joinReportPage(pages: ReportPages, raw: RawResponse): Result<JoinedPage> {
  const decoded = decodePage(raw)
  if (!decoded.ok) return decoded
  const { page, head, rows, errors, missing, moreData, requestId } = decoded.value
  const number = pages.starts.length + 1
  const refuse = (why: string): Result<JoinedPage> =>
    ok({ pages, hasMore: false, reason: `${MORE_THAN_SENT} Page ${number} ${why}.`, requestId })
  if (errors.length > 0 || missing.length > 0) return refuse('had an error')
  const goesOn =
    (page ?? number) === number &&
    rows.length > 0 &&
    isSame(head, pages.first.head) &&
    !pages.starts.some((start) => isSame(rows[0], pages.rows[start])) &&
    !isSame(rows[0], pages.rows.at(-1))
  if (!goesOn) return refuse('doesn’t continue the previous page')
  const joined = {
    ...pages,
    rows: [...pages.rows, ...rows],
    starts: [...pages.starts, pages.rows.length],
  }
  return ok({ pages: joined, hasMore: moreData, reason: '', requestId })
}

/** @param reason why pages are missing, or empty if none are */
export function finishReport({ name, first, rows: rawRows, starts }: ReportPages, reason: string): Decoded {
  const { headings, ...head } = first.head
  const { nameColumn, columns } = columnsOf(headings, rawRows)
  const rows = levelReport(rawRows)
  const checks = checkReport(name, columns, rows)
  let unproven = ''
  if (reason === '' && starts.length > 1) {
    // The report may have changed between two pages. Only a sum across pages proves that it did not.
    const before = checkReport(name, columns, levelReport(rawRows.slice(0, starts.at(-1))))
    const came = `It came in ${starts.length} pages, and`
    if (checks.findings.length > 0) unproven = `${came} the totals don’t add up across them.`
    else if (checks.held <= before.held) unproven = `${came} no total proves that they belong together.`
  }
  return {
    rows,
    summary: {
      ...head,
      nameColumn,
      columns,
      rowCount: rows.length,
      checks,
      requestId: first.requestId,
      errors: first.errors,
      missing: [reason, ...first.missing, unproven].filter((words) => words !== ''),
    },
  }
}

const MORE_THAN_SENT = 'The service says there is more of this report than it sent.'

function decodePage(raw: RawResponse): Result<ReportPage> {
  const decoded = decodeEnvelope(raw)
  if (!decoded.ok) return decoded
  const envelope = decoded.value
  const report = envelope.items.find((item) => item.object !== null)?.object ?? {}
  return ok({
    page: envelope.page,
    moreData: envelope.moreData === true,
    requestId: envelope.requestId,
    head: {
      reportType: scalarText(member(report, 'ReportType')),
      startDate: scalarText(member(report, 'StartDate')),
      endDate: scalarText(member(report, 'EndDate')),
      headings: listOf(member(report, 'Columns')).map(textOf),
    },
    rows: listOf(member(report, 'ReportLineData')).map(decodeRow),
    errors: [...envelope.errors, ...envelope.items.flatMap((item) => item.errors)],
    missing: whatIsMissing(envelope),
  })
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Sentences about everything in a response other than its one report. */
function whatIsMissing({ hasErrors, errors, items }: Envelope): string[] {
  const others = items.filter((item) => item.object !== null).length - 1
  const isUnlisted = hasErrors && errors.length === 0 && items.every((item) => item.errors.length === 0)
  return [
    ...(others < 0 && !hasErrors ? ['The response contained no report.'] : []),
    ...(others > 0 ? [`The service sent ${others + 1} reports at once. This is the first of them.`] : []),
    ...(isUnlisted ? ['The service reported errors without details.'] : []),
  ]
}

/** A list of one item may come without brackets. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return value === null || value === undefined ? [] : [value]
}

function decodeRow(value: unknown): RawReportRow {
  if (!isObject(value)) return { rowType: '', name: textOf(value), id: '', values: [] }
  const entity = member(value, 'EntityRef')
  return {
    rowType: scalarText(member(value, 'RowType')),
    name: isObject(entity) ? textOf(member(entity, 'FullName')) : textOf(entity),
    id: isObject(entity) ? textOf(member(entity, 'ID')) : '',
    values: listOf(member(value, 'Values')).map(textOf),
  }
}
