/**
 * Creates a workbook from reports: numbers and dates with their types, sums as formulas, sections as row
 * groups, levels as indentation, rules above subtotals and a double rule below grand totals, headings that stay
 * in view and repeat in print, and a sheet *Checks* for what doesn't add up or couldn't be checked.
 */
import { notASum } from '../../../shared/reports/columns.ts'
import type { EntryColumns } from '../../../shared/reports/entries.ts'
import { isZeroRow } from '../../../shared/reports/levels.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports/reports.ts'
import { isTotalAssets } from '../../../shared/reports/subjects.ts'
import { err, ok, type Result } from '../../../shared/result.ts'
import type { PullRows } from '../csv/report-csv.ts'
import { entriesOf, headInColumns, rowInColumns, rowsInColumns } from '../report-entries.ts'
import { once } from '../write-file.ts'
import { CAUTION, type Negatives, NOTE, PLAIN, type RowStyle, TITLE } from './cells.ts'
import { SumFormulaFinder } from './formulas.ts'
import { reportColumns, type SheetColumn, type SheetRow, type WorkbookSheet } from './sheet.ts'
import { workbookPieces } from './workbook.ts'

/** A report for one sheet. */
export interface ReportForWorkbook {
  /** The sheet's name: the report, or the company if one report is made for several. */
  readonly sheetName: string
  readonly companyName: string
  /** The title: *Profit and loss*. */
  readonly title: string
  /** The formatted period: *January 1 to March 31, 2026*. */
  readonly period: string
  /** More lines below the title: when it was made, and on which basis. */
  readonly notes: readonly string[]
  /** Remarks of the service, and what doesn't add up. The first line is also shown above the table. */
  readonly wrong: readonly string[]
  /** What couldn't be checked. */
  readonly unchecked: readonly string[]
  readonly head: Pick<ReportHead, 'name' | 'nameColumn' | 'columns'> & Partial<Pick<ReportHead, 'making'>>
  /** Iterates over the rows from the first. Called twice. */
  readonly rows: PullRows
  readonly hideZeroRows: boolean
}

export interface ReportWorkbookOptions {
  readonly negatives: Negatives
  /** When the file is created, in ISO 8601. */
  readonly madeAt: string
  /** Content of the last sheet, *About*. Without it, there is no such sheet. */
  readonly about?: readonly (readonly [word: string, text: string])[]
  /** Sheets before the reports. */
  readonly first?: readonly WorkbookSheet[]
}

/** Most columns that fit on a portrait page. */
const MAX_UPRIGHT = 5
const MAX_INDENT = 15

/**
 * Returns the workbook's bytes in pieces, with one sheet per report in order. For `writeFileAtomically`.
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
  const entries = await entriesOf(report.head.name, report.rows)
  if (!entries.ok) return entries
  const head = headInColumns(report.head, entries.value)
  let deepestGroup = 0
  let index = -1
  let lastTotal = -1
  const measured = async function* (): AsyncGenerator<Result<readonly ReportRow[]>> {
    for await (const batch of rowsInColumns(report.rows, entries.value)) {
      for (const { level, kind } of batch.ok ? batch.value : []) {
        index += 1
        deepestGroup = Math.max(deepestGroup, level)
        if (kind === 'total') lastTotal = index
      }
      yield batch
    }
  }
  const measuredColumns = await reportColumns(head, measured(), report.hideZeroRows)
  if (!measuredColumns.ok) return measuredColumns
  // Account names span the columns of text, which are empty in their rows.
  const columns = measuredColumns.value.map((column, at): SheetColumn =>
    at === 0 && entries.value !== null ? { ...column, kind: 'date', width: 14 } : column,
  )
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
    columns,
    rows: () => sheetRows({ ...report, head }, columns, entries.value, lastTotal),
    frozenColumns: 1,
    deepestGroup,
    hasFilter: false,
    print: {
      orientation: head.columns.length > MAX_UPRIGHT ? 'landscape' : 'portrait',
      header: '',
      footer: `${report.companyName} - ${report.title} - ${report.period}`,
    },
  })
}

const CHECKS = 'Checks'

/** Creates the sheet about what doesn't add up or couldn't be checked, by report; `null` if it would be empty. */
function checksSheet(reports: readonly ReportForWorkbook[]): WorkbookSheet | null {
  const rows = reports.flatMap(({ companyName, title, wrong, unchecked }): SheetRow[] => [
    ...wrong.map((text) => ({ cells: [companyName, title, text], look: CAUTION })),
    ...unchecked.map((text) => ({ cells: [companyName, title, text], look: PLAIN })),
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
    rows: () => once(rows),
    frozenColumns: 0,
    hasFilter: false,
    print: { orientation: 'landscape', header: '', footer: `${first?.companyName ?? ''} - ${CHECKS}` },
  }
}

async function* sheetRows(
  { head, rows, hideZeroRows }: ReportForWorkbook,
  columns: readonly SheetColumn[],
  entries: EntryColumns | null,
  lastTotal: number,
): AsyncGenerator<Result<readonly SheetRow[]>> {
  const added = head.columns.flatMap((_, column) => {
    const kind = columns[column + 1]?.kind
    const isAmount = kind === 'amount' || kind === 'change' || kind === 'integer'
    return isAmount && notASum('', head.columns, column) === null ? [column] : []
  })
  const sums = new SumFormulaFinder(added)
  let index = -1
  const looks = new Map<string, RowStyle>()
  const lookOf = (row: ReportRow, isGrandTotal: boolean): RowStyle => {
    const indent = Math.min(MAX_INDENT, row.level)
    const name = `${row.kind} ${String(indent)} ${String(isGrandTotal)}`
    const known = looks.get(name)
    if (known !== undefined) return known
    const look = makeLook(row.kind, indent, isGrandTotal)
    looks.set(name, look)
    return look
  }
  for await (const batch of rows()) {
    if (!batch.ok) {
      yield err(batch.error)
      return
    }
    const shown: SheetRow[] = []
    for (const raw of batch.value) {
      index += 1
      if (hideZeroRows && isZeroRow(raw)) continue
      const row = rowInColumns(raw, entries)
      const formulas = sums.next(row, index)
      shown.push({
        cells: [row.name, ...head.columns.map((_, column) => row.values[column] ?? '')],
        look: lookOf(row, index === lastTotal || isTotalAssets(head.name, row)),
        depth: row.level,
        // The first cell is the name.
        sums: formulas && new Map([...formulas].map(([column, formula]) => [column + 1, formula])),
      })
    }
    yield ok(shown)
  }
}

function makeLook(kind: ReportRow['kind'], indent: number, isGrandTotal: boolean): RowStyle {
  switch (kind) {
    case 'section':
      return { role: 'body', indent, bold: true, rule: 'none' }
    case 'subtotal':
      return { role: 'body', indent, bold: true, rule: 'subtotal' }
    case 'total':
      return { role: 'body', indent, bold: true, rule: isGrandTotal ? 'total' : 'subtotal' }
    case 'data':
    case 'other':
    case 'spacer':
      return { role: 'body', indent, bold: false, rule: 'none' }
  }
}
