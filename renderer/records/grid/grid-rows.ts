/**
 * Which rows a list's grid shows, and in which order. The grid draws them on demand. All of them are filtered and
 * sorted in time slices, and the changes in the meantime are applied to the result.
 */
import { untrack } from 'svelte'
import type { Format } from '../../../shared/format/format.ts'
import { type GridApi, type IRowNode, showRows } from '../../ui/grid/grid.ts'
import { RowFilter } from '../filters/row-filter.ts'
import type { GridPort, InsertPosition } from '../list/list-rows.svelte.ts'
import { RowOrder, type SortedBy, type Sorter } from '../list/order.ts'
import type { RecordRow } from '../list/rows.ts'
import { END_SLICE, type Interruptible, runInSlices, runToCompletion } from '../list/time-slice.ts'
import type { RecordsView } from '../screen/records-view.svelte.ts'

/** Rows redrawn per step. */
const ROWS_PER_STEP = 4
/** Rows filtered per step. */
const STRIDE = 128
/** With more rows, sorting starts in a slice of its own. */
const MANY_ROWS = 5_000
/** Duration of the highlight in ms (`--flash` in the tokens). */
const FLASH = 1_400

interface Setting {
  readonly view: RecordsView
  readonly format: () => Format
  /** Returns the sorter of a column; `undefined` if the list doesn't have the column. */
  readonly sorterOf: (path: string) => Sorter | undefined
  /** Called when sorting starts and ends. */
  readonly onsorting: (isSorting: boolean) => void
  /** Called when a row gets another ID, because its new record was saved. */
  readonly onreplace: (rowId: string, newId: string) => void
  /** Called before other rows are shown, or the same ones in another order, and right after. */
  readonly onmove: () => void
  readonly onmoved: () => void
  /** Called when the states of rows changed, after the visible ones were redrawn. */
  readonly onstates: (rowIds: readonly string[]) => Interruptible<void>
}

/** A change to the rows on screen. It may change the array itself. */
type Change = (rows: RecordRow[]) => RecordRow[]

export class GridRows implements GridPort {
  readonly #api: GridApi<RecordRow>
  readonly #setting: Setting
  readonly #order: RowOrder
  readonly #filters: RowFilter
  #shown: RecordRow[] = []
  /** The columns that the rows were last sorted by. */
  #sortedBy: readonly SortedBy[] = []
  #wasFilling = false
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The work that filters and sorts the rows; `null` if there is none. */
  #work: Interruptible<RecordRow[]> | null = null
  /** Whether rows changed during that work, so that it is done once more. */
  #isOutdated = false
  #stopArranging: () => void = () => undefined
  /** Changes since the rows that are being arranged were taken from the list. */
  #since: Change[] = []
  #onfiltered: () => void = () => undefined
  /** Called once the rows are arranged. */
  #waiting: (() => void)[] = []

  constructor(api: GridApi<RecordRow>, setting: Setting) {
    const { view } = setting
    this.#api = api
    this.#setting = setting
    this.#filters = new RowFilter(view, setting.format)
    this.#order = new RowOrder({
      rows: () => view.list.rows,
      sorterOf: setting.sorterOf,
      isFilling: () => view.list.reader.isFilling,
      onready: () => this.setRows(),
      onsorting: setting.onsorting,
    })
  }

  stop(): void {
    this.#order.stop()
    this.#stopArranging()
    clearTimeout(this.#timer)
  }

  /**
   * Filters the rows again.
   * @param then called when that is done, unless another call comes first
   */
  filter(then: () => void): void {
    this.#onfiltered = then
    this.setRows()
  }

  /** Filters the rows again after some of them changed. What is being done meanwhile is finished first. */
  filterAgain(then: () => void): void {
    this.#onfiltered = then
    this.#setRowsSoon()
  }

  /** Calls back once the rows are filtered and sorted: at once, if they are. */
  whenArranged(then: () => void): void {
    if (this.#work) this.#waiting.push(then)
    else then()
  }

  /** Sorts the rows if other columns are sorted than before. */
  sort(): void {
    if (JSON.stringify(sortedBy(this.#api)) !== JSON.stringify(this.#sortedBy)) this.setRows()
  }

  /** Sorts rows that arrived while the list was loading. Call it in an effect. */
  sortWhenFilled(): void {
    const { isFilling } = this.#setting.view.list.reader
    if (this.#wasFilling && !isFilling && sortedBy(this.#api).length > 0) this.setRows()
    this.#wasFilling = isFilling
  }

  /** Filters and sorts the list's rows and shows them. The current ones stay until that is done. */
  setRows(): void {
    clearTimeout(this.#timer)
    this.#stopArranging()
    this.#isOutdated = false
    const work = this.#arranged()
    this.#work = work
    const ended = (): void => {
      this.#work = null
      if (this.#isOutdated) this.#setRowsSoon()
    }
    const stop = untrack(() =>
      runInSlices(
        work,
        (rows) => {
          ended()
          this.#show(this.#since.reduce((changed, change) => change(changed), rows))
          const waiting = [this.#onfiltered, ...this.#waiting]
          this.#onfiltered = () => undefined
          this.#waiting = []
          for (const then of waiting) then()
        },
        ended,
      ),
    )
    if (this.#work === work) this.#stopArranging = stop
  }

  /** In a task of its own, because many rows may change at a time. */
  #setRowsSoon(): void {
    this.#isOutdated = this.#work !== null
    if (this.#isOutdated) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.setRows(), 0)
  }

  *#arranged(): Interruptible<RecordRow[]> {
    const { view } = this.#setting
    yield* view.prepareSearch()
    yield* this.#filters.prepare()
    const all = [...view.list.rows]
    this.#since = []
    const rows = view.isFiltered ? yield* this.#passing(all) : all
    // A long list isn't sorted in the first slice.
    if (rows.length > MANY_ROWS) yield END_SLICE
    this.#sortedBy = sortedBy(this.#api)
    return newRowsFirst([...(yield* this.#order.arrange(rows, this.#sortedBy))])
  }

  *#passing(rows: readonly RecordRow[]): Interruptible<readonly RecordRow[]> {
    const passing: RecordRow[] = []
    let filtered = 0
    for (const row of rows) {
      if (this.#passes(row)) passing.push(row)
      filtered += 1
      if (filtered % STRIDE === 0) yield
    }
    return passing
  }

  /** Whether a row passes the chip, the search, and the column filters. */
  #passes(row: RecordRow): boolean {
    const { view } = this.#setting
    return !view.isFiltered || (view.passes(row) && this.#filters.passes(row))
  }

  #show(rows: RecordRow[]): void {
    this.#setting.onmove()
    this.#shown = rows
    showRows(this.#api, rows)
    // AG Grid reports it in a later task. By then, a key could change the record that took the place of another.
    this.#setting.onmoved()
  }

  /** Changes the rows on screen, and those that are being filtered and sorted. */
  #change(change: Change): void {
    if (this.#work) this.#since.push(change)
    const rows = change(this.#shown)
    if (rows !== this.#shown) this.#show(rows)
  }

  addRows(rows: readonly RecordRow[], position: InsertPosition | 'end'): void {
    this.#order.invalidate()
    this.#change((shown) => {
      const added = rows.filter((row) => this.#passes(row))
      return newRowsFirst(position === 'top' ? [...added, ...shown] : [...shown, ...added])
    })
    if (position === 'top' && !rows.every(isNew)) this.#setRowsSoon()
  }

  mergeRows(changed: readonly RecordRow[], added: readonly RecordRow[]): void {
    this.#update(changed)
    if (added.length > 0) this.addRows(added, 'end')
    if (added.length > 0 || this.#setting.view.isFiltered) this.#setRowsSoon()
  }

  /** Updates rows that keep their ID, in place. */
  #update(rows: readonly RecordRow[]): void {
    this.#order.invalidate()
    const changed = new Map(rows.map((row) => [row.rowId, row]))
    this.#change((shown) => {
      for (const [index, row] of shown.entries()) shown[index] = changed.get(row.rowId) ?? row
      return shown
    })
    this.#redraw(changed)
  }

  #redraw(changed: ReadonlyMap<string, RecordRow>): void {
    for (const node of this.#api.getRenderedNodes()) {
      const row = changed.get(node.data?.rowId ?? '')
      if (row) node.updateData(row)
    }
  }

  replaceRow(before: RecordRow, row: RecordRow): void {
    this.#order.invalidate()
    if (before.rowId === row.rowId) {
      this.#change((shown) => {
        const place = shown.indexOf(before)
        if (place >= 0) shown[place] = row
        return shown
      })
      return this.#redraw(new Map([[row.rowId, row]]))
    }
    this.#setting.onreplace(before.rowId, row.rowId)
    this.#change((shown) =>
      shown.filter(({ rowId }) => rowId !== row.rowId).map((each) => (each === before ? row : each)),
    )
    this.#setRowsSoon()
  }

  removeRows(rowIds: readonly string[]): void {
    const removed = new Set(rowIds)
    if (removed.size > 0) this.#change((shown) => shown.filter(({ rowId }) => !removed.has(rowId)))
  }

  refresh(rowIds: readonly string[]): void {
    runToCompletion(this.#refreshing(rowIds, Infinity))
  }

  refreshing(rowIds: readonly string[]): Interruptible<void> {
    return this.#refreshing(rowIds, ROWS_PER_STEP)
  }

  *#refreshing(rowIds: readonly string[], rowsAStep: number): Interruptible<void> {
    this.#order.invalidate()
    const nodes = this.#drawn(rowIds)
    for (let from = 0; from < nodes.length; from += rowsAStep) {
      this.#api.refreshCells({ rowNodes: nodes.slice(from, from + rowsAStep), force: true })
      yield
      // The screen was left in the meantime.
      if (this.#api.isDestroyed()) return
    }
    yield* this.#setting.onstates(rowIds)
  }

  flash(rowIds: readonly string[]): void {
    const rowNodes = this.#drawn(rowIds)
    if (rowNodes.length > 0) this.#api.flashCells({ rowNodes, flashDuration: 200, fadeDuration: FLASH })
  }

  /** The few of these rows that are currently rendered. */
  #drawn(rowIds: readonly string[]): IRowNode<RecordRow>[] {
    const wanted = new Set(rowIds)
    return this.#api.getRenderedNodes().filter(({ data }) => data !== undefined && wanted.has(data.rowId))
  }
}

/** The columns that the list is sorted by, in order of priority. */
export function sortedBy(api: GridApi<RecordRow>): readonly SortedBy[] {
  return api
    .getColumnState()
    .filter(({ sort }) => sort)
    .sort((left, right) => (left.sortIndex ?? 0) - (right.sortIndex ?? 0))
    .map(({ colId, sort }) => ({ path: colId, descending: sort === 'desc' }))
}

function isNew({ origin }: RecordRow): boolean {
  return origin === 'new'
}

function newRowsFirst(rows: RecordRow[]): RecordRow[] {
  return rows.some(isNew) ? [...rows.filter(isNew), ...rows.filter((row) => !isNew(row))] : rows
}
