/** What is said of a cell on hover: the old value of an edited one; else all of what may be cut, and why it can't be changed. */
import { editAt } from '../../shared/changes.ts'
import type { Format } from '../ui/format.ts'
import { asText, cellText } from './cell-text.ts'
import { reader } from './cell-values.ts'
import type { RecordsView } from './records-view.svelte.ts'
import type { RecordRow } from './rows.ts'

/** Shorter values are not cut in any column. */
const LONG = 16

/** @returns empty where there is nothing to say */
export function hoverWords(view: RecordsView, row: RecordRow, path: string, format: Format): string {
  const { list } = view
  const column = list.column(path)
  if (!column) return ''
  const edit = editAt(list.book.draft(row.rowId)?.edits, path)
  if (edit && row.origin !== 'new' && column.type !== 'line') {
    const was = edit.was === null ? '' : cellText(column.type, edit.was, format)
    return `was: ${was || '(empty)'}`
  }
  const value = reader(column, view)(row)
  const shown = column.type === 'line' ? asText(value) : cellText(column.type, value, format)
  const right = list.editing.editability(row.rowId, path)
  const because = right.editable ? '' : right.because
  return [shown.length > LONG ? shown : '', because].filter(Boolean).join('\n')
}
