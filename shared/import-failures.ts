/** Rows that could not be imported, as a table with the reason beside each: to be corrected and imported again. */
import { cellText, type HeadedTable } from './import-table.ts'
import type { ImportPlan } from './import-plan.ts'

/** Import leaves a column of this heading out, so that the corrected file can be imported as it is. */
export const REASON_HEADING = 'Why it was not imported'

/**
 * The headings and every refused row, its cells as they were read, with its reasons in the last column. For
 * `csvPieces`, which makes cells harmless.
 */
export function failedRows(table: HeadedTable, plan: ImportPlan): readonly (readonly string[])[] {
  const reasons = new Map(
    plan.outcomes.flatMap((outcome) =>
      outcome.kind === 'refused' ? [[outcome.row, outcome.reasons.join(' ')] as const] : [],
    ),
  )
  const old = table.headings.indexOf(REASON_HEADING)
  const width = Math.max(table.headings.length, ...table.rows.map(({ cells }) => cells.length))
  const line = (cells: readonly string[], last: string): readonly string[] => [
    ...Array.from({ length: width }, (_, column) => cells[column] ?? '').filter(
      (_, column) => column !== old,
    ),
    last,
  ]
  const refused = table.rows.flatMap(({ number, cells }) => {
    const reason = reasons.get(number)
    return reason === undefined ? [] : [line(cells.map(cellText), reason)]
  })
  return [line(table.headings, REASON_HEADING), ...refused]
}
