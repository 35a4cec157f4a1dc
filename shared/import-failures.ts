/** Rows that could not be imported, as a table with the reason beside each: to be corrected and imported again. */
import { cellText, type HeadedTable } from './import-table.ts'

/** Import leaves a column of this heading out, so that the corrected file can be imported as it is. */
export const REASON_HEADING = 'Why it was not imported'

/**
 * The headings and every failed row, its cells as they were read, with its reason in the last column. For
 * `csvPieces`, which makes cells harmless.
 * @param reasons by the row's number in the file
 */
export function failedRows(
  table: HeadedTable,
  reasons: ReadonlyMap<number, string>,
): readonly (readonly string[])[] {
  const old = table.headings.indexOf(REASON_HEADING)
  const failed = table.rows.filter(({ number }) => reasons.has(number))
  const width = failed.reduce((most, { cells }) => Math.max(most, cells.length), table.headings.length)
  const line = (cells: readonly string[], last: string): readonly string[] => [
    ...Array.from({ length: width }, (_, column) => cells[column] ?? '').filter(
      (_, column) => column !== old,
    ),
    last,
  ]
  return [
    line(table.headings, REASON_HEADING),
    ...failed.map(({ number, cells }) => line(cells.map(cellText), reasons.get(number) ?? '')),
  ]
}
