/**
 * Filters rows by the column filters and counts the values of a column. Results are cached per record and
 * computed in time slices.
 */
import type { Format } from '../../../shared/format/format.ts'
import {
  isSingleValue,
  ownValue,
  type RecordData,
  textOf,
  topField,
} from '../../../shared/records/changes.ts'
import { plainValue, valueText } from '../../../shared/records/value-text.ts'
import { oneLine } from '../grid/cell-text.ts'
import type { PlannedColumn } from '../grid/columns/plan.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import type { Interruptible } from '../list/time-slice.ts'
import type { RecordsView } from '../screen/records-view.svelte.ts'
import { type ColumnFilter, filterNeedle, passesFilter } from './column-filters.svelte.ts'

/** Rows per step of work that yields between steps. */
const STRIDE = 64

/** A prepared filter with its caches. */
interface Ready {
  readonly filter: ColumnFilter
  readonly needle: string
  readonly path: string
  readonly column: PlannedColumn | undefined
  /** Lowercase texts of cells, kept when the filter changes, because the user is still typing. */
  readonly texts: WeakMap<RecordData, string>
  readonly verdicts: WeakMap<RecordData, boolean>
}

export class RowFilter {
  readonly #view: RecordsView
  readonly #format: () => Format
  #ready: readonly Ready[] = []

  constructor(view: RecordsView, format: () => Format) {
    this.#view = view
    this.#format = format
  }

  /** Prepares the filters, so that they can then be applied without a pause. */
  *prepare(): Interruptible<void> {
    const { list, filters } = this.#view
    const before = new Map(this.#ready.map((ready) => [ready.path, ready]))
    this.#ready = [...filters.all].map(([path, filter]) => {
      const texts = before.get(path)?.texts ?? new WeakMap<RecordData, string>()
      const needle = filter.kind === 'contains' ? filterNeedle(filter.text) : ''
      return { filter, needle, path, column: list.column(path), texts, verdicts: new WeakMap() }
    })
    let made = 0
    for (const ready of this.#ready) {
      if (ready.filter.kind === 'edited') continue
      for (const row of list.rows) {
        this.#passes(row, ready)
        made += 1
        if (made % STRIDE === 0) yield
      }
    }
  }

  /** Whether a row passes all filters. New records always do, because they stay at the top until they are sent. */
  passes(row: RecordRow): boolean {
    if (row.origin === 'new' || !this.#view.isColumnFiltered) return true
    return this.#ready.every((ready) => this.#passes(row, ready))
  }

  #passes(row: RecordRow, ready: Ready): boolean {
    const { filter, needle, path, column, texts, verdicts } = ready
    const { list } = this.#view
    // Rows with a draft aren't cached, because their values differ from the record's.
    const draft = list.drafts.draft(row.rowId)
    const known = draft === undefined ? verdicts.get(row.record) : undefined
    if (known !== undefined) return known
    const isEdited = Object.keys(draft?.edits ?? {}).some((each) => each === path || topField(each) === path)
    if (filter.kind === 'edited') return isEdited
    const cell = column === undefined ? NO_CELL : cellOf(list, row.rowId, column, this.#format())
    const text = (draft === undefined ? texts.get(row.record) : undefined) ?? textOfCell(cell)
    const passes = passesFilter(filter, needle, { ...cell, text, isEdited })
    if (draft !== undefined) return passes
    texts.set(row.record, text)
    verdicts.set(row.record, passes)
    return passes
  }
}

interface Cell {
  readonly shown: string
  readonly value: string
  readonly isAmount: boolean
}

const NO_CELL: Cell = { shown: '', value: '', isAmount: false }

function cellOf(list: RecordsList, rowId: string, column: PlannedColumn, format: Format): Cell {
  const { type, path, members } = column
  if (type === 'line') {
    const whole = ownValue(list.row(rowId)?.record ?? {}, topField(path))
    const shown = isSingleValue(whole)
      ? textOf(whole)
      : oneLine((member) => plainValue(list.value(rowId, `${path}.${member}`)), members)
    return { shown, value: shown, isAmount: false }
  }
  const value = list.value(rowId, path)
  return { shown: valueText(type, value, format), value: plainValue(value), isAmount: type === 'money' }
}

/** The text as shown, and for amounts also the plain number. */
function textOfCell({ shown, value, isAmount }: Cell): string {
  return (isAmount && value !== '' ? `${shown}\n${value}` : shown).toLocaleLowerCase()
}

/** A value of a column as shown, and the number of rows that have it. */
export interface ValueCount {
  readonly shown: string
  readonly count: number
}

/** Counts the values of a column, sorted. New records are excluded, because they are never filtered. */
export function* countValues(
  list: RecordsList,
  column: PlannedColumn,
  format: Format,
): Interruptible<readonly ValueCount[]> {
  const counts = new Map<string, number>()
  let counted = 0
  for (const row of list.rows) {
    if (row.origin !== 'new') {
      const { shown } = cellOf(list, row.rowId, column, format)
      counts.set(shown, (counts.get(shown) ?? 0) + 1)
    }
    counted += 1
    if (counted % STRIDE === 0) yield
  }
  const { compare } = new Intl.Collator(undefined, { numeric: true })
  return [...counts]
    .toSorted(([left], [right]) => compare(left, right))
    .map(([shown, count]) => ({ shown, count }))
}
