/**
 * What the grid announces to screen readers: how many cells are selected, and why a cell can't be changed. Also
 * the text of its tooltips.
 */
import type { Format } from '../../../shared/format/format.ts'
import { editAt } from '../../../shared/records/changes.ts'
import { plainValue, valueText } from '../../../shared/records/value-text.ts'
import { cellElement } from '../../ui/grid/cells.ts'
import type { RecordRow } from '../list/rows.ts'
import type { RecordsView } from '../screen/records-view.svelte.ts'
import { cellReader } from './cell-values.ts'

/** Delay in ms before a new selection is announced. */
const SAY_AFTER = 400

interface Setting {
  readonly view: RecordsView
  readonly count: (value: number) => string
  readonly say: (message: string) => void
}

export class GridAnnouncements {
  readonly #setting: Setting
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(setting: Setting) {
    this.#setting = setting
  }

  chosen(cells: number): void {
    const { count, say } = this.#setting
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => say(cells < 2 ? 'One cell selected' : `${count(cells)} cells selected`),
      SAY_AFTER,
    )
  }

  /** Describes the focused cell for screen readers. The tooltip has the same content. */
  focused(rowId: string, path: string): void {
    const { list } = this.#setting.view
    const cell = cellElement(rowId, path)
    if (!cell || !list.column(path)) return
    const right = list.editing.editability(rowId, path)
    cell.setAttribute('aria-readonly', String(!right.editable))
    if (right.editable) cell.removeAttribute('aria-description')
    else cell.setAttribute('aria-description', `Read only. ${right.reason}`)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}

/*
 * The tooltip of a cell: the old value of an edited one, otherwise the full value if it may be cut off, and why
 * it can't be changed.
 */

/** Shorter values fit into every column. */
const LONG = 16

/** Returns the tooltip of a cell; empty if there is none. */
export function cellTooltip(view: RecordsView, row: RecordRow, path: string, format: Format): string {
  const { list } = view
  const column = list.column(path)
  if (!column) return ''
  const edit = editAt(list.drafts.draft(row.rowId)?.edits, path)
  if (edit && row.origin !== 'new' && column.type !== 'line') {
    const was = edit.was === null ? '' : valueText(column.type, edit.was, format)
    return `was: ${was || '(empty)'}`
  }
  const value = cellReader(column, list.drafts)(row)
  const shown = column.type === 'line' ? plainValue(value) : valueText(column.type, value, format)
  const right = list.editing.editability(row.rowId, path)
  const reason = right.editable ? '' : right.reason
  return [shown.length > LONG ? shown : '', reason].filter(Boolean).join('\n')
}
