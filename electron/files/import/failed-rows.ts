/** Saves rows that couldn't be imported, each with the reason, to be corrected and imported again. */
import { cellText, type HeadedTable, REASON_HEADING } from '../../../shared/import/table.ts'
import type { Result } from '../../../shared/result.ts'
import { csvPieces } from '../csv/csv.ts'
import { PLAIN } from '../workbook/cells.ts'
import type { SheetColumn, WorkbookSheet } from '../workbook/sheet.ts'
import { workbookPieces } from '../workbook/workbook.ts'
import { once } from '../write-file.ts'

export interface FailedRow {
  /** The row's number in the file. */
  readonly row: number
  readonly reason: string
  /** Columns of the invalid cells. */
  readonly columns: readonly number[]
}

export interface FailedRowsFile {
  readonly kind: 'xlsx' | 'csv'
  readonly companyName: string
  /** The list's title. */
  readonly list: string
  /** ISO 8601. */
  readonly madeAt: string
}

const NARROWEST = 10
const WIDEST = 40

/**
 * Creates a file with the original headings and the failed rows, with cells as they were read. In a workbook,
 * invalid cells are marked.
 */
export function failedRowsFile(
  table: HeadedTable,
  failed: readonly FailedRow[],
  file: FailedRowsFile,
): AsyncGenerator<Result<Uint8Array>, void, undefined> {
  const byRow = new Map(failed.map((each) => [each.row, each]))
  const rows = table.rows.filter(({ number }) => byRow.has(number))
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), table.headings.length)
  // Replace the reasons of an earlier import.
  const kept = Array.from({ length: width }, (_, column) => column).filter(
    (column) => table.headings[column] !== REASON_HEADING,
  )
  const lines = rows.map(({ number, cells }) => [
    ...kept.map((column) => cellText(cells[column] ?? '')),
    byRow.get(number)?.reason ?? '',
  ])
  const headings = [...kept.map((column) => table.headings[column] ?? ''), REASON_HEADING]
  if (file.kind === 'csv') return csvPieces(once([headings, ...lines]))

  const columns = headings.map((heading, at): SheetColumn => {
    const longest = lines.reduce((most, line) => Math.max(most, line[at]?.length ?? 0), heading.length)
    // Keep numbers as numbers, so that no locale misreads their decimal marks.
    const areNumbers = rows.every(({ cells }) => {
      const cell = cells[kept[at] ?? -1] ?? ''
      return cell === '' || (typeof cell === 'object' && 'number' in cell && cell.shown === undefined)
    })
    return {
      heading,
      kind: areNumbers && at < kept.length ? 'amount' : 'text',
      width: Math.min(WIDEST, Math.max(NARROWEST, longest + 2)),
    }
  })
  const sheet: WorkbookSheet = {
    name: file.list,
    above: [],
    columns,
    rows: () =>
      once(
        rows.map(({ number }, index) => {
          const wrong = byRow.get(number)?.columns ?? []
          return {
            cells: lines[index] ?? [],
            look: PLAIN,
            marked: wrong.map((column) => kept.indexOf(column)),
          }
        }),
      ),
    frozenColumns: 0,
    hasFilter: true,
    print: { orientation: 'landscape', header: `${file.companyName} - ${file.list}`, footer: '' },
  }
  return workbookPieces([sheet], {
    properties: { title: file.list, company: file.companyName, madeAt: file.madeAt },
    negatives: 'minus',
    about: [],
  })
}
