/** Which rows the columns' filters let through. Texts are put together once a record, in short turns. */
import { isGivenWhole, ownValue, textOf, topField, type RecordData } from '../../../shared/records/changes.ts'
import type { Format } from '../../../shared/format/format.ts'
import { oneLine } from '../grid/cell-text.ts'
import { plainValue, valueText } from '../../../shared/records/value-text.ts'
import type { PlannedColumn } from '../grid/columns/plan.ts'
import type { RecordsView } from '../screen/records-view.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import type { Interruptible } from '../list/time-slice.ts'
import { filterNeedle, passesFilter, type ColumnFilter } from './column-filters.svelte.ts'

/** Rows between two looks at the clock. */
const STRIDE = 64

/** A filter made ready. */
interface Ready {
  readonly filter: ColumnFilter
  readonly needle: string
  readonly path: string
  readonly column: PlannedColumn | undefined
  readonly texts: WeakMap<RecordData, string>
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
      return { filter, needle, path, column: list.column(path), texts }
    })
    let made = 0
    for (const ready of this.#ready) {
      if (ready.filter.kind === 'edited') continue
      for (const row of list.rows) {
        this.#textOf(row, ready)
        made += 1
        if (made % STRIDE === 0) yield
      }
    }
  }

  /** Whether every filter lets the row through. New records always are: they stay on top until they are sent. */
  passes(row: RecordRow): boolean {
    if (row.origin === 'new' || !this.#view.isColumnFiltered) return true
    const draft = this.#view.list.drafts.draft(row.rowId)
    return this.#ready.every((ready) => {
      const { filter, needle, path } = ready
      const isEdited = Object.keys(draft?.edits ?? {}).some(
        (each) => each === path || topField(each) === path,
      )
      return passesFilter(filter, needle, filter.kind === 'edited' ? '' : this.#textOf(row, ready), isEdited)
    })
  }

  /** A draft's row has other texts than its record. */
  #textOf(row: RecordRow, { column, texts }: Ready): string {
    if (!column) return ''
    const isDraft = this.#view.list.drafts.draft(row.rowId) !== undefined
    const known = isDraft ? undefined : texts.get(row.record)
    if (known !== undefined) return known
    const made = this.#make(row.rowId, column).toLocaleLowerCase()
    if (!isDraft) texts.set(row.record, made)
    return made
  }

  /** As it is shown; an amount also as plain figures. */
  #make(rowId: string, { type, path, members }: PlannedColumn): string {
    const { list } = this.#view
    if (type === 'line') {
      const whole = ownValue(list.row(rowId)?.record ?? {}, topField(path))
      if (isGivenWhole(whole)) return textOf(whole)
      return oneLine((member) => plainValue(list.value(rowId, `${path}.${member}`)), members)
    }
    const value = list.value(rowId, path)
    const shown = valueText(type, value, this.#format())
    return type === 'money' && value !== '' ? `${shown}\n${plainValue(value)}` : shown
  }
}
