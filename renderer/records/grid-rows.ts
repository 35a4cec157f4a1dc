/** Which rows the grid shows and in which order; either without a pause, however many there are. */
import type { Format } from '../ui/format.ts'
import type { GridApi, IRowNode } from '../ui/grid/grid.ts'
import { columnSorter } from './column-defs.ts'
import { FilterTexts } from './filters/filter-texts.ts'
import { OUTCOME } from './own-columns.ts'
import type { RecordsView } from './records-view.svelte.ts'
import { RowOrder, type SortedBy } from './row-order.ts'
import type { RecordRow } from './rows.ts'
import { outcomeSorter } from './state-columns.ts'
import { inTurns, type Interruptible } from './turns.ts'

interface Setting {
  readonly view: RecordsView
  readonly format: () => Format
}

export class GridRows {
  readonly #view: RecordsView
  readonly #order: RowOrder
  readonly #filters: FilterTexts
  #onready: () => void = () => undefined
  #stopFiltering: () => void = () => undefined
  #wasFilling = false

  constructor(setting: Setting) {
    const { view } = setting
    this.#view = view
    this.#filters = new FilterTexts(view, setting.format)
    this.#order = new RowOrder({
      rows: () => view.list.rows,
      sorterOf: (path) => (path === OUTCOME ? outcomeSorter(setting) : columnSorter(view, path)),
      isFilling: () => view.list.reader.isFilling,
      onready: () => this.#onready(),
    })
  }

  /** Rows came, went, or have other values. */
  forget(): void {
    this.#order.forget()
  }

  stop(): void {
    this.#order.stop()
    this.#stopFiltering()
  }

  /**
   * Asks every row anew whether it is shown, as soon as the search can tell without a pause.
   * @param then follows when it is done; not called when it is asked for again before
   */
  filter(api: GridApi<RecordRow>, then: () => void): void {
    this.#stopFiltering()
    this.#stopFiltering = inTurns(this.#prepare(), () => {
      api.onFilterChanged()
      then()
    })
  }

  *#prepare(): Interruptible<void> {
    yield* this.#view.prepareSearch()
    yield* this.#filters.prepare()
  }

  /** Whether chip, search and the columns' filters let a row through. */
  passes(row: RecordRow): boolean {
    return this.#view.passes(row) && this.#filters.passes(row)
  }

  /** Puts rows in the order of the sorted columns; new records stay on top. */
  arrange(nodes: IRowNode<RecordRow>[], api: GridApi<RecordRow>): void {
    this.#onready = () => api.refreshClientSideRowModel('sort')
    this.#order.arrange(nodes, sortedBy(api))
    newRowsFirst(nodes)
  }

  /** Rows that came while the list was being filled take their places in the order; called in an effect. */
  sortWhenFilled(api: GridApi<RecordRow>): void {
    const { isFilling } = this.#view.list.reader
    if (this.#wasFilling && !isFilling && sortedBy(api).length > 0) api.refreshClientSideRowModel('sort')
    this.#wasFilling = isFilling
  }
}

/** The columns that the list is sorted by, the first one first. */
function sortedBy(api: GridApi<RecordRow>): readonly SortedBy[] {
  return api
    .getColumnState()
    .filter(({ sort }) => sort)
    .sort((left, right) => (left.sortIndex ?? 0) - (right.sortIndex ?? 0))
    .map(({ colId, sort }) => ({ path: colId, descending: sort === 'desc' }))
}

/** In place, and without a list of its own where nothing is new: it is asked anew with each batch of rows that comes. */
function newRowsFirst(nodes: IRowNode<RecordRow>[]): void {
  const isNew = ({ data }: IRowNode<RecordRow>): boolean => data?.origin === 'new'
  if (!nodes.some(isNew)) return
  const others = nodes.filter((node) => !isNew(node))
  const fresh = nodes.filter(isNew)
  for (const [index, node] of [...fresh, ...others].entries()) nodes[index] = node
}
