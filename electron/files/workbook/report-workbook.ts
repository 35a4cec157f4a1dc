/**
 * Reports as a workbook: numbers and dates as such, sums as formulas, sections as groups of rows, levels as indents,
 * subtotals ruled above and totals ruled double, headings that stay and repeat in print, and a sheet *Checks* for what
 * did not add up or could not be checked.
 */
import { notASum } from '../../../shared/reports/columns.ts'
import { isZeroRow } from '../../../shared/reports/levels.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports/reports.ts'
import { err, ok, type Result } from '../../../shared/result.ts'
import type { PullRows } from '../csv/report-csv.ts'
import { ReportSums } from './formulas.ts'
import { type SheetColumn, type SheetRow, type WorkbookSheet, reportColumns } from './sheet.ts'
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
  /** Further lines under the title: when it was made, and on which basis. */
  readonly notes: readonly string[]
  /** What the service said beside it, and what did not add up. The first line stands above the table too. */
  readonly wrong: readonly string[]
  /** What could not be checked. */
  readonly unchecked: readonly string[]
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
  /** Sheets before the reports. */
  readonly first?: readonly WorkbookSheet[]
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
  { negatives, madeAt, about = [], first: before = [] }: ReportWorkbookOptions,
): AsyncGenerator<Result<Uint8Array>, void, undefined> {
  const sheets: WorkbookSheet[] = [...before]
  for (const report of reports) {
    const sheet = await reportSheet(report)
    if (!sheet.ok) {
      yield sheet
      return
    }
    sheets.push(sheet.value)
  }
  const checks = checksSheet(reports)
  if (checks !== null) sheets.push(checks)
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
  let deepestGroup = 0
  const measured = async function* (): AsyncGenerator<Result<readonly ReportRow[]>> {
    for await (const batch of report.rows()) {
      if (batch.ok) for (const { level } of batch.value) deepestGroup = Math.max(deepestGroup, level)
      yield batch
    }
  }
  const columns = await reportColumns(report.head, measured(), report.hideZeroRows)
  if (!columns.ok) return columns
  const [wrong] = report.wrong
  const above: SheetRow[] = [
    { cells: [report.companyName], look: TITLE },
    { cells: [report.title], look: { ...PLAIN, role: 'title' } },
    { cells: [report.period], look: NOTE },
    ...report.notes.map((note) => ({ cells: [note], look: NOTE })),
    ...(wrong === undefined ? [] : [{ cells: [`${wrong} See the sheet ${CHECKS}.`], look: CAUTION }]),
    { cells: [], look: NOTE },
  ]
  return ok({
    name: report.sheetName,
    above,
    columns: columns.value,
    rows: () => sheetRows(report, columns.value),
    frozenColumns: 1,
    deepestGroup,
    hasFilter: false,
    print: {
      orientation: report.head.columns.length > MOST_UPRIGHT ? 'landscape' : 'portrait',
      header: '',
      footer: `${report.companyName} - ${report.title} - ${report.period}`,
    },
  })
}

const CHECKS = 'Checks'

/** What did not add up or could not be checked, report by report; `null` where there is nothing to say. */
function checksSheet(reports: readonly ReportForWorkbook[]): WorkbookSheet | null {
  const rows = reports.flatMap(({ companyName, title, wrong, unchecked }): SheetRow[] => [
    ...wrong.map((words) => ({ cells: [companyName, title, words], look: CAUTION })),
    ...unchecked.map((words) => ({ cells: [companyName, title, words], look: PLAIN })),
  ])
  if (rows.length === 0) return null
  const [first] = reports
  return {
    name: CHECKS,
    above: [],
    columns: [
      { heading: 'Company', kind: 'text', width: 28 },
      { heading: 'Report', kind: 'text', width: 28 },
      { heading: 'What was found', kind: 'text', width: 80 },
    ],
    rows: async function* () {
      yield await Promise.resolve(ok(rows))
    },
    frozenColumns: 0,
    hasFilter: false,
    print: { orientation: 'landscape', header: '', footer: `${first?.companyName ?? ''} - ${CHECKS}` },
  }
}

async function* sheetRows(
  { head, rows, hideZeroRows }: ReportForWorkbook,
  columns: readonly SheetColumn[],
): AsyncGenerator<Result<readonly SheetRow[]>> {
  const added = head.columns.flatMap((_, column) => {
    const kind = columns[column + 1]?.kind
    const isAmount = kind === 'amount' || kind === 'integer'
    return isAmount && notASum('', head.columns, column) === null ? [column] : []
  })
  const sums = new ReportSums(added)
  let index = -1
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
    const shown: SheetRow[] = []
    for (const row of batch.value) {
      index += 1
      if (hideZeroRows && isZeroRow(row)) continue
      const formulas = sums.next(row, index)
      shown.push({
        cells: [row.name, ...head.columns.map((_, column) => row.values[column] ?? '')],
        look: lookOf(row),
        depth: row.level,
        // The name is the first cell.
        sums: formulas && new Map([...formulas].map(([column, formula]) => [column + 1, formula])),
      })
    }
    yield ok(shown)
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
