/** How the grid of a list is set up: which rows it shows and how, and who hears what happens in it. */
import type { Format } from '../../../shared/format/format.ts'
import type { CellHint } from '../../ui/grid/cells.ts'
import type { GridApi, GridOptions, IRowNode } from '../../ui/grid/grid.ts'
import { FilterTexts } from '../filters/filter-texts.ts'
import { RowOrder, type SortedBy } from '../list/order.ts'
import type { RecordRow } from '../list/rows.ts'
import { type Interruptible, runInSlices } from '../list/time-slice.ts'
import type { RecordsView } from '../screen/records-view.svelte.ts'
import { columnSorter } from './columns/column-defs.ts'
import type { GridColumns } from './columns/grid-columns.ts'
import { OUTCOME } from './columns/plan.ts'
import { outcomeSorter } from './columns/state-columns.ts'
import type { GridSelection } from './selection/selection.svelte.ts'
import { hoverWords } from './speech.ts'

interface OptionsPorts {
  readonly view: RecordsView
  readonly format: () => Format
  readonly rows: GridRows
  readonly hint: CellHint
  /** Once the grid is there. */
  readonly parts: () => { readonly columns: GridColumns; readonly selection: GridSelection } | null
  readonly onfocused: (rowIndex: number | null, column: { getColId(): string } | null) => void
  /** A cell was double-clicked: it may not be one to be typed into. */
  readonly onexplain: (rowId: string, path: string) => void
  readonly onscroll: () => void
  readonly onscrolled: () => void
  /** Rows came, went, or moved. */
  readonly onmodel: () => void
}

export function recordsGridOptions(ports: OptionsPorts): GridOptions<RecordRow> {
  const { view, rows, hint, parts } = ports
  return {
    suppressColumnMoveAnimation: true,
    groupHeaderHeight: 22,
    invalidEditValueMode: 'block',
    enterNavigatesVerticallyAfterEdit: true,
    maintainColumnOrder: true,
    // When it comes with the first rows, the grid works out its widths anew, and the style of all that is in it.
    alwaysShowVerticalScroll: true,
    rowClassRules: {
      'row-new': ({ data }) => data?.origin === 'new',
    },
    isExternalFilterPresent: () => view.isFiltered,
    doesExternalFilterPass: ({ data }) => data !== undefined && rows.passes(data),
    postSortRows: ({ nodes, api }) => rows.arrange(nodes, api),
    onCellFocused: ({ rowIndex, column }) =>
      ports.onfocused(rowIndex, typeof column === 'object' ? column : null),
    // It may lie under what is pinned beside it.
    onCellEditingStarted: ({ api, column }) => api.ensureColumnVisible(column),
    onCellDoubleClicked: ({ data, colDef }) => data && ports.onexplain(data.rowId, colDef.colId ?? ''),
    onBodyScroll: () => {
      ports.onscroll()
      hint.hide()
    },
    onCellMouseOver: ({ data, colDef, event }) =>
      data &&
      event instanceof MouseEvent &&
      hint.over(event, () => hoverWords(view, data, colDef.colId ?? '', ports.format())),
    onCellMouseOut: () => hint.hide(),
    onCellMouseDown: () => hint.hide(),
    onCellKeyDown: () => hint.hide(),
    onBodyScrollEnd: ports.onscrolled,
    onModelUpdated: () => {
      ports.onmodel()
      parts()?.selection.rowsChanged()
    },
    onGridSizeChanged: () => parts()?.columns.review.fit(),
    onDisplayedColumnsChanged: () => parts()?.selection.columnsChanged(),
    onColumnMoved: ({ finished }) => finished && parts()?.columns.keepSoon(),
    onColumnResized: ({ finished, source }) =>
      finished && source === 'uiColumnResized' && parts()?.columns.keepSoon(),
    onColumnGroupOpened: () => parts()?.columns.keepSoon(),
    // The Outcome column comes and goes by itself.
    onColumnVisible: ({ columns }) =>
      columns?.some((column) => column.getColId() !== OUTCOME) === true && parts()?.columns.keepSoon(),
    defaultColDef: {
      sortable: true,
      resizable: true,
      minWidth: 60,
      suppressHeaderMenuButton: true,
      cellClassRules: {
        'cell-chosen': ({ rowIndex, column }) =>
          parts()?.selection.isMarked(rowIndex, column.getColId()) ?? false,
      },
      // Keys on a button in a cell are the button's.
      suppressKeyboardEvent: ({ event }) =>
        event.target instanceof Element &&
        !event.target.closest('.cell-editor') &&
        event.target.closest('button, input') !== null,
    },
  }
}

// Which rows the grid shows and in which order; either without a pause, however many there are.

interface Setting {
  readonly view: RecordsView
  readonly format: () => Format
  /** The rows are being sorted, or are in order. */
  readonly onsorting: (isSorting: boolean) => void
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
      onsorting: setting.onsorting,
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
    this.#stopFiltering = runInSlices(this.#prepare(), () => {
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
