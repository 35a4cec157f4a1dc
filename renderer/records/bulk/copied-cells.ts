/** Which copied cells are text to a spreadsheet, whatever they look like. */
import { topField } from '../../../shared/changes.ts'
import { isDescribed } from '../../../shared/records.ts'
import { copiedText } from '../../ui/data-table.ts'
import type { PlannedColumn } from '../columns.ts'

/**
 * How the texts of a column are copied. An amount is one in a spreadsheet too, to be added up there, and so is a plain
 * number in a field of which nothing is known; the number of a check, a telephone or an account stays as it stands.
 * @param type `undefined` of a column that the list does not have
 * @returns whether a text of the column stays text
 */
export function copiedAs(
  object: string,
  path: string,
  type: PlannedColumn['type'] | undefined,
): (text: string) => boolean {
  if (type === 'money' || type === 'boolean' || type === 'timestamp') return () => false
  return isDescribed(object, topField(path)) ? () => true : (text) => copiedText(text).isText
}
