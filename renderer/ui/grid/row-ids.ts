/** The ids under which a grid keeps its rows, whatever the records' own are. */

/** Stands before an id that would not do by itself. */
const APART = '~'

/**
 * The id under which the grid keeps a row, and finds it. It keeps rows in a plain object, where what every object has
 * by itself (`__proto__`, `constructor`) is no row; all other ids are as they are.
 */
export function gridRowId(rowId: string): string {
  return rowId in Object.prototype || rowId.startsWith(APART) ? APART + rowId : rowId
}
