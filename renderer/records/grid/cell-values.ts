/** The values of a column's cells: the unsent edit, or else the record's value. */
import {
  canonicalValue,
  editAt,
  type EditValue,
  isObject,
  isSingleValue,
  memberOf,
  ownValue,
  type RecordData,
  textOf,
  topField,
} from '../../../shared/records/changes.ts'
import { plainValue } from '../../../shared/records/value-text.ts'
import type { ListDrafts } from '../drafts/list-drafts.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import { oneLine } from './cell-text.ts'
import type { PlannedColumn } from './columns/plan.ts'

/**
 * Creates a function that reads the cells of a column. Create it once per column, because drawing and sorting
 * call it constantly.
 */
export function cellReader(
  { path, type, members }: PlannedColumn,
  drafts: ListDrafts,
): (row: RecordRow) => EditValue {
  const field = topField(path)
  const member = memberOf(path)
  if (type === 'line') {
    return (row) => {
      const whole = ownValue(row.record, field)
      if (isSingleValue(whole)) return textOf(whole)
      const edits = drafts.draft(row.rowId)?.edits
      const parts = partsOf(row.record, field)
      return oneLine(
        (name) => plainValue(editAt(edits, `${path}.${name}`)?.now ?? textOf(ownValue(parts, name))),
        members,
      )
    }
  }
  return (row) => {
    const edit = editAt(drafts.draft(row.rowId)?.edits, path)
    if (edit) return edit.now
    if (member !== null) return textOf(ownValue(partsOf(row.record, field), member))
    return canonicalValue(type, ownValue(row.record, field))
  }
}

function partsOf(record: RecordData, field: string): RecordData {
  const value = ownValue(record, field)
  return isObject(value) ? value : {}
}
