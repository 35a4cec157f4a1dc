/**
 * The grid's own columns, beside those of the data: what they say is of a row as a whole. A column of the data has its
 * field's path as its id, and a field may have any name; but in a path a backslash stands only before a dot or another
 * one (`pathOf`), so that none of these is ever a path.
 */

/** The row's sign. */
export const MARGIN = '\\margin'
/** The row's tick; only in the review. */
export const TICK = '\\tick'
/** What became of the row. */
export const OUTCOME = '\\outcome'

/** Columns that say something about a row as a whole. */
export const STATE_COLUMNS: readonly string[] = [MARGIN, TICK, OUTCOME]

/** Ids as they were kept before a field could be called the same. */
const FORMER_IDS: ReadonlyMap<string, string> = new Map([
  ['margin', MARGIN],
  ['outcome', OUTCOME],
])

/** The columns that were kept of a list, under their ids of today. */
export function withOwnIds<Column extends { readonly id: string }>(
  columns: readonly Column[],
): readonly Column[] {
  if (columns.some(({ id }) => STATE_COLUMNS.includes(id))) return columns
  return columns.map((column) => ({ ...column, id: FORMER_IDS.get(column.id) ?? column.id }))
}
