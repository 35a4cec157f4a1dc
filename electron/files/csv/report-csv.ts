/** A report as CSV rows: as shown, or flat. Rows are pulled, never all held. */
import { isZeroRow } from '../../../shared/reports/levels.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports/reports.ts'
import { err, ok, type Result } from '../../../shared/result.ts'
import { csvPieces } from './csv.ts'

/** `as-shown`: a line per row. `flat`: a line per leaf, with the names of its sections before it. */
export type ReportShape = 'as-shown' | 'flat'

/** The report's rows in order, from the first, by the batch. Called once per pass over them. */
export type PullRows = () => AsyncIterable<Result<readonly ReportRow[]>>

/** Deeper than any report; a list of nothing but headings must not become a square. */
const MOST_LEVELS = 40

type Head = Pick<ReportHead, 'nameColumn' | 'columns'>
type Lines = AsyncGenerator<Result<readonly (readonly string[])[]>, void, undefined>

/**
 * The CSV's bytes by the piece.
 * @param rows answers the rows anew at each call: the flat shape needs a first pass for its depth
 * @param hideZeroRows leaves out data rows with nothing but zeros, as on screen
 */
export function reportCsv(
  head: Head,
  rows: PullRows,
  shape: ReportShape,
  hideZeroRows: boolean,
): AsyncGenerator<Result<Uint8Array>, void, undefined> {
  return csvPieces(shape === 'as-shown' ? asShown(head, rows, hideZeroRows) : flat(head, rows, hideZeroRows))
}

/** The row's values, one cell per column. */
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

/** Whether a row carries amounts of its own: data rows, and headings that have some. */
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
    for (const row of batch.value) if (isShown(row)) depth = Math.min(MOST_LEVELS, Math.max(depth, row.level))
  }
  const levels = Array.from({ length: depth }, (_, level) => `Level ${String(level + 1)}`)
  yield ok([[...levels, head.nameColumn === '' ? 'Name' : head.nameColumn, ...head.columns]])
  // The names of the open sections: a row at level n lies in the last sections at levels 0 to n − 1.
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
      if (row.kind === 'section' && row.level < MOST_LEVELS) path[row.level] = row.name
    }
    yield ok(lines)
  }
}
