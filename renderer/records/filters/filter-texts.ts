/** Which rows the columns' filters let through, and which values a column has. Worked out once per record, in slices. */
import { isGivenWhole, ownValue, textOf, topField, type RecordData } from '../../../shared/records/changes.ts'
import type { Format } from '../../../shared/format/format.ts'
import { plainValue, valueText } from '../../../shared/records/value-text.ts'
import { oneLine } from '../grid/cell-text.ts'
import type { PlannedColumn } from '../grid/columns/plan.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import type { Interruptible } from '../list/time-slice.ts'
import type { RecordsView } from '../screen/records-view.svelte.ts'
import { filterNeedle, passesFilter, type ColumnFilter } from './column-filters.svelte.ts'

/** Rows between two checks of the time. */
const STRIDE = 64

/** A filter made ready. */
interface Ready {
  readonly filter: ColumnFilter
  readonly needle: string
  readonly path: string
  readonly column: PlannedColumn | undefined
  /** Texts of cells in lower case, which outlive a change of the filter: somebody is typing it. */
  readonly texts: WeakMap<RecordData, string>
  readonly verdicts: WeakMap<RecordData, boolean>
}

export class FilterTexts {
  readonly #view: RecordsView
  readonly #format: () => Format
  #ready: readonly Ready[] = []

  constructor(view: RecordsView, format: () => Format) {
    this.#view = view
    this.#format = format
  }

  /** Makes ready what the filters need, so that they can be applied without a pause. */
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

  /** Whether every filter lets the row through. New records always are: they stay on top until they are sent. */
  passes(row: RecordRow): boolean {
    if (row.origin === 'new' || !this.#view.isColumnFiltered) return true
    return this.#ready.every((ready) => this.#passes(row, ready))
  }

  #passes(row: RecordRow, ready: Ready): boolean {
    const { filter, needle, path, column, texts, verdicts } = ready
    const { list } = this.#view
    // A draft's row has other values than its record.
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
    const shown = isGivenWhole(whole)
      ? textOf(whole)
      : oneLine((member) => plainValue(list.value(rowId, `${path}.${member}`)), members)
    return { shown, value: shown, isAmount: false }
  }
  const value = list.value(rowId, path)
  return { shown: valueText(type, value, format), value: plainValue(value), isAmount: type === 'money' }
}

/** As it is shown; an amount also as plain figures. */
function textOfCell({ shown, value, isAmount }: Cell): string {
  return (isAmount && value !== '' ? `${shown}\n${value}` : shown).toLocaleLowerCase()
}

/** A value of a column as it is shown, and how many rows have it. */
export interface ValueCount {
  readonly shown: string
  readonly count: number
}

/** The values of a column, sorted. New records are left out, as they are never filtered. */
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
