/** The columns while changes are reviewed: what changes and nothing else, as wide as there is room for was → is. */
import { untrack } from 'svelte'
import { editAt, memberOf, topField, type EditValue } from '../../shared/changes.ts'
import type { GridApi } from '../ui/grid/grid.ts'
import { groupIdOf } from './column-defs.ts'
import { applyKept, keptFrom, type KeptColumns } from './column-state.ts'
import type { CellPlace } from './grid-keys.ts'
import { widthsWithin, type WidthRange } from './column-widths.ts'
import { STATE_COLUMNS } from './state-cells.ts'
import type { RecordsList } from './records-list.svelte.ts'
import type { RecordRow } from './rows.ts'

/** Pixels of a character on average, and of what stands around a change: padding, arrow, thousands marks. */
const CHARACTER = 8
const CHANGE_MARGIN = 48
const NARROWEST_CHANGE = 140
const WIDEST_CHANGE = 400
/** Where there is no room for all of them, the old values stand over the new ones; what a cell becomes is read whole up to here. */
const NARROWEST_NEW = 110
const WIDEST_NEW = 240
/** Pixels of a row in which a change takes two lines, the old value over the new one (`--row-change`). */
const TWO_LINES = 44
const YES_OR_NO: WidthRange = { least: 110, most: 110 }

export class ReviewColumns {
  readonly #api: GridApi<RecordRow>
  readonly #list: RecordsList
  /** Whether changes take two lines, for want of room beside each other. */
  hasTwoLines = $state(false)
  #before: KeptColumns | null = null
  /** What the columns that change would take, in pixels. */
  #wanted: ReadonlyMap<string, WidthRange> = new Map()

  constructor(api: GridApi<RecordRow>, list: RecordsList) {
    this.#api = api
    this.#list = list
  }

  get isShown(): boolean {
    return this.#before !== null
  }

  start(): void {
    this.#before ??= keptFrom(this.#api)
    const edited = new Set([...this.#list.book.drafts].flatMap((draft) => Object.keys(draft.edits)))
    const isShown = (path: string): boolean =>
      path === 'Name' || STATE_COLUMNS.includes(path) || edited.has(path)
    const columns = this.#api.getColumns() ?? []
    const state = columns.map((column) => ({ colId: column.getColId(), hide: !isShown(column.getColId()) }))
    this.#api.applyColumnState({ state })
    const groups = [...edited].filter((path) => memberOf(path) !== null).map(topField)
    for (const group of new Set(groups)) this.#api.setColumnGroupOpened(groupIdOf(group), true)
    const wide = [...edited].filter((path) => path !== 'Name')
    this.#wanted = new Map(wide.map((path) => [path, this.#widthOf(path)]))
    this.fit()
  }

  /** The columns as they were before. */
  leave(): void {
    if (!this.#before) return
    this.#api.setColumnsVisible(['tick'], false)
    this.#api.resetColumnGroupState()
    // The Outcome column is as wide as what it says by now.
    const columns = this.#before.columns.filter(({ id }) => id !== 'outcome')
    applyKept(this.#api, { ...this.#before, columns })
    this.#before = null
    this.#layLines(false)
  }

  /** The cell at which a look at the changes begins: of the first row that is shown, the first one that changes. */
  firstChange(): CellPlace | null {
    const rowId = this.#api.getDisplayedRowAtIndex(0)?.data?.rowId
    if (rowId === undefined) return null
    const edits = this.#list.book.draft(rowId)?.edits
    const shown = this.#api.getAllDisplayedColumns().map((column) => column.getColId())
    return { rowId, path: shown.find((path) => editAt(edits, path)) ?? 'Name' }
  }

  /** Brings what changes into sight, from the left on: the list may have been looked at further to the right. */
  showFromLeft(): void {
    const first = this.#api.getDisplayedCenterColumns()[0]
    if (first) this.#api.ensureColumnVisible(first, 'start')
  }

  /** Changes give way to the Outcome column, which would lie over the last of them: there is another room now. */
  fit(): void {
    if (!this.isShown) return
    // Of what is not pinned.
    const { left, right } = this.#api.getHorizontalPixelRange()
    const others = this.#api
      .getAllDisplayedColumns()
      .filter((column) => !column.isPinned() && !this.#wanted.has(column.getColId()))
      .reduce((sum, column) => sum + column.getActualWidth(), 0)
    const widths = widthsWithin(this.#wanted, right - left - others)
    this.#api.setColumnWidths([...widths].map(([key, newWidth]) => ({ key, newWidth })))
    this.#layLines([...this.#wanted].some(([path, { most }]) => (widths.get(path) ?? most) < most))
  }

  /** Nothing that was there before may be out of sight: where it can't stand beside what comes, it stands over it. */
  #layLines(two: boolean): void {
    // Whoever opens or leaves a review does not follow how it lies.
    if (two === untrack(() => this.hasTwoLines)) return
    this.hasTwoLines = two
    this.#api.setGridOption('rowHeight', two ? TWO_LINES : undefined)
  }

  /** Room for the longest new value, and for it beside its old one. */
  #widthOf(path: string): WidthRange {
    if (this.#list.column(path)?.type === 'boolean') return YES_OR_NO
    let [longest, longestNew] = [0, 0]
    for (const { edits } of this.#list.book.drafts) {
      const edit = editAt(edits, path)
      if (!edit) continue
      longest = Math.max(longest, lengthOf(edit.was) + lengthOf(edit.now))
      longestNew = Math.max(longestNew, lengthOf(edit.now))
    }
    const within = (characters: number, narrowest: number, widest: number): number =>
      Math.min(widest, Math.max(narrowest, characters * CHARACTER + CHANGE_MARGIN))
    return {
      least: within(longestNew, NARROWEST_NEW, WIDEST_NEW),
      most: within(longest, NARROWEST_CHANGE, WIDEST_CHANGE),
    }
  }
}

/** Characters of a value as it is about to be shown. */
function lengthOf(value: EditValue | null): number {
  if (value === null) return 1
  return typeof value === 'string' ? value.length : value.FullName.length
}
