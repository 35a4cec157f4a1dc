/** Converts a report to CSV, as shown or flat. Rows are pulled as needed and never held all at once. */
import { isZeroRow } from '../../../shared/reports/levels.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports/reports.ts'
import { err, ok, type Result } from '../../../shared/result.ts'
import { csvPieces } from './csv.ts'

/** `as-shown`: one line per row. `flat`: one line per leaf, preceded by the names of its sections. */
export type ReportShape = 'as-shown' | 'flat'

/** Reads the report's rows in batches from the start. Called once per pass. */
export type PullRows = () => AsyncIterable<Result<readonly ReportRow[]>>

/** Deeper than any real report. Limits the columns for a list that contains only headings. */
const MAX_LEVELS = 40

type Head = Pick<ReportHead, 'nameColumn' | 'columns'>
type Lines = AsyncGenerator<Result<readonly (readonly string[])[]>, void, undefined>

/**
 * Returns the bytes of the CSV file in pieces.
 * @param rows reads the rows from the start with each call, because the flat shape needs a first pass for its
 * depth
 * @param hideZeroRows skips data rows with only zeros, as on screen
 */
export function reportCsv(
  head: Head,
  rows: PullRows,
  shape: ReportShape,
  hideZeroRows: boolean,
): AsyncGenerator<Result<Uint8Array>, void, undefined> {
  return csvPieces(shape === 'as-shown' ? asShown(head, rows, hideZeroRows) : flat(head, rows, hideZeroRows))
}

/** Returns a row's values, one cell per column. */
function cells(head: Head, row: ReportRow): string[] {
  return head.columns.map((_, column) => row.values[column] ?? '')
}

async function* asShown(head: Head, rows: PullRows, hideZeroRows: boolean): Lines {
  yield ok([[head.nameColumn, ...head.columns]])
  for await (const batch of rows()) {
    if (!batch.ok) {
      yield err(batch.error)
      return
    }
    const shown = hideZeroRows ? batch.value.filter((row) => !isZeroRow(row)) : batch.value
    yield ok(shown.map((row) => [row.name, ...cells(head, row)]))
  }
}

/** Whether a row has its own amounts: data rows, and headings that have some. */
function isLeaf(row: ReportRow): boolean {
  switch (row.kind) {
    case 'data':
    case 'other':
      return true
    case 'section':
      return row.values.some((value) => value.trim() !== '')
    case 'subtotal':
    case 'total':
    case 'spacer':
      return false
  }
}

async function* flat(head: Head, rows: PullRows, hideZeroRows: boolean): Lines {
  const isShown = (row: ReportRow): boolean => isLeaf(row) && !(hideZeroRows && isZeroRow(row))
  let depth = 0
  for await (const batch of rows()) {
    if (!batch.ok) {
      yield err(batch.error)
      return
    }
    for (const row of batch.value) if (isShown(row)) depth = Math.min(MAX_LEVELS, Math.max(depth, row.level))
  }
  const levels = Array.from({ length: depth }, (_, level) => `Level ${String(level + 1)}`)
  yield ok([[...levels, head.nameColumn === '' ? 'Name' : head.nameColumn, ...head.columns]])
  // Names of the open sections. A row at level n is inside the last sections at levels 0 to n − 1.
  const path: string[] = []
  for await (const batch of rows()) {
    if (!batch.ok) {
      yield err(batch.error)
      return
    }
    const lines: string[][] = []
    for (const row of batch.value) {
      if (isShown(row)) {
        const names = levels.map((_, level) => (level < row.level ? (path[level] ?? '') : ''))
        lines.push([...names, row.name, ...cells(head, row)])
      }
      if (row.kind === 'section' && row.level < MAX_LEVELS) path[row.level] = row.name
    }
    yield ok(lines)
  }
}
