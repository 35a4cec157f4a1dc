/**
 * Reports as a workbook: real numbers, levels as indents, subtotals ruled above and totals ruled double, headings that
 * stay and repeat in print, and what did not add up said above the rows.
 */
import { isZeroRow } from '../../../shared/reports/levels.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports/reports.ts'
import { err, ok, type Result } from '../../../shared/result.ts'
import type { PullRows } from '../csv/report-csv.ts'
import { type SheetRow, type WorkbookSheet, reportColumns } from './sheet.ts'
import { CAUTION, NOTE, PLAIN, TITLE, type Negatives, type RowLook } from './cells.ts'
import { workbookPieces } from './workbook.ts'

/** One report to put on a sheet of its own. */
export interface ReportForWorkbook {
  /** The sheet's name: the report's, or the company's where one report is made for several. */
  readonly sheetName: string
  readonly companyName: string
  /** In words: *Profit and loss*. */
  readonly title: string
  /** In words: *1 January to 31 March 2026*. */
  readonly period: string
  /** Further lines under the title: when it was made, on which basis, what could not be checked. */
  readonly notes: readonly string[]
  /** What did not add up, and what the service said beside it. */
  readonly wrong: readonly string[]
  readonly head: Pick<ReportHead, 'nameColumn' | 'columns'>
  /** The rows from the first, anew at each call: they are read twice. */
  readonly rows: PullRows
  readonly hideZeroRows: boolean
}

export interface ReportWorkbookOptions {
  readonly negatives: Negatives
  /** When the file is made, ISO 8601. */
  readonly madeAt: string
  /** What the last sheet, *About*, says; left out: no such sheet. */
  readonly about?: readonly (readonly [word: string, text: string])[]
}

/** More columns than fit a page upright. */
const MOST_UPRIGHT = 5
const MOST_INDENT = 15

/**
 * The workbook's bytes, piece by piece; one sheet a report, in order. For `writeWholeFile`.
 * @returns pieces; an error among the rows is the last piece
 */
export async function* reportWorkbook(
  reports: readonly ReportForWorkbook[],
  { negatives, madeAt, about = [] }: ReportWorkbookOptions,
): AsyncGenerator<Result<Uint8Array>, void, undefined> {
  const sheets: WorkbookSheet[] = []
  for (const report of reports) {
    const sheet = await reportSheet(report)
    if (!sheet.ok) {
      yield sheet
      return
    }
    sheets.push(sheet.value)
  }
  const [first] = reports
  const titles = [...new Set(reports.map(({ title }) => title))]
  const companies = [...new Set(reports.map(({ companyName }) => companyName))]
  yield* workbookPieces(sheets, {
    properties: {
      title: titles.length === 1 ? (first?.title ?? '') : 'Reports',
      company: companies.join(', '),
      madeAt,
    },
    negatives,
    about,
  })
}

async function reportSheet(report: ReportForWorkbook): Promise<Result<WorkbookSheet>> {
  const columns = await reportColumns(report.head, report.rows(), report.hideZeroRows)
  if (!columns.ok) return columns
  const above: SheetRow[] = [
    { cells: [report.companyName], look: TITLE },
    { cells: [report.title], look: { ...PLAIN, role: 'title' } },
    { cells: [report.period], look: NOTE },
    ...report.notes.map((note) => ({ cells: [note], look: NOTE })),
    ...report.wrong.map((words) => ({ cells: [words], look: CAUTION })),
    { cells: [], look: NOTE },
  ]
  return ok({
    name: report.sheetName,
    above,
    columns: columns.value,
    rows: () => sheetRows(report),
    frozenColumns: 1,
    hasFilter: false,
    print: {
      orientation: report.head.columns.length > MOST_UPRIGHT ? 'landscape' : 'portrait',
      header: '',
      footer: `${report.companyName} - ${report.title} - ${report.period}`,
    },
  })
}

async function* sheetRows({
  head,
  rows,
  hideZeroRows,
}: ReportForWorkbook): AsyncGenerator<Result<readonly SheetRow[]>> {
  const looks = new Map<string, RowLook>()
  const lookOf = (row: ReportRow): RowLook => {
    const indent = Math.min(MOST_INDENT, row.level)
    const name = `${row.kind} ${String(indent)}`
    const known = looks.get(name)
    if (known !== undefined) return known
    const look = makeLook(row.kind, indent)
    looks.set(name, look)
    return look
  }
  for await (const batch of rows()) {
    if (!batch.ok) {
      yield err(batch.error)
      return
    }
    const shown = hideZeroRows ? batch.value.filter((row) => !isZeroRow(row)) : batch.value
    yield ok(
      shown.map((row) => ({
        cells: [row.name, ...head.columns.map((_, column) => row.values[column] ?? '')],
        look: lookOf(row),
      })),
    )
  }
}

function makeLook(kind: ReportRow['kind'], indent: number): RowLook {
  switch (kind) {
    case 'section':
      return { role: 'body', indent, bold: true, rule: 'none' }
    case 'subtotal':
      return { role: 'body', indent, bold: true, rule: 'subtotal' }
    case 'total':
      return { role: 'body', indent, bold: true, rule: 'total' }
    case 'data':
    case 'other':
    case 'spacer':
      return { role: 'body', indent, bold: false, rule: 'none' }
  }
}
