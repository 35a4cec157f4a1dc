/** The AG Grid options of a list, and which rows it shows in which order. */
import type { Format } from '../../../shared/format/format.ts'
import { isInactive } from '../../../shared/records/activity.ts'
import type { CellTooltip } from '../../ui/grid/cells.ts'
import type { GridApi, GridOptions, IRowNode } from '../../ui/grid/grid.ts'
import { RowFilter } from '../filters/row-filter.ts'
import { RowOrder, type SortedBy } from '../list/order.ts'
import type { RecordRow } from '../list/rows.ts'
import { type Interruptible, runInSlices } from '../list/time-slice.ts'
import type { RecordsView } from '../screen/records-view.svelte.ts'
import { columnSorter, fitGroupHeadings } from './columns/column-defs.ts'
import type { GridColumns } from './columns/grid-columns.ts'
import { OUTCOME } from './columns/plan.ts'
import { outcomeSorter } from './columns/state-columns.ts'
import type { GridSelection } from './selection/selection.svelte.ts'
import { cellTooltip } from './announcements.ts'

interface OptionsPorts {
  readonly view: RecordsView
  readonly format: () => Format
  readonly rows: GridRows
  readonly tooltip: CellTooltip
  /** `null` until the grid has loaded. */
  readonly parts: () => { readonly columns: GridColumns; readonly selection: GridSelection } | null
  readonly onfocused: (rowIndex: number | null, column: { getColId(): string } | null) => void
  /** Called when a cell is double-clicked, to explain why it can't be edited. */
  readonly onexplain: (rowId: string, path: string) => void
  readonly onscroll: () => void
  readonly onscrolled: () => void
  readonly onsorted: (by: readonly SortedBy[]) => void
  /** Called when rows were added, removed, or moved. */
  readonly onmodel: () => void
  readonly onresized: () => void
}

export function recordsGridOptions(ports: OptionsPorts): GridOptions<RecordRow> {
  const { view, rows, tooltip, parts } = ports
  return {
    suppressColumnMoveAnimation: true,
    groupHeaderHeight: 0,
    // The headings over groups take no room while none is open, so nothing there can be focused.
    navigateToNextHeader: ({ nextHeaderPosition, api }) =>
      nextHeaderPosition?.headerRowIndex === 0 &&
      api.getGridOption('groupHeaderHeight') === 0 &&
      api.getColumnGroupState().length > 0
        ? null
        : nextHeaderPosition,
    invalidEditValueMode: 'block',
    enterNavigatesVerticallyAfterEdit: true,
    maintainColumnOrder: true,
    // If the scroll bar appeared with the first rows, the grid would recalculate all widths and styles.
    alwaysShowVerticalScroll: true,
    rowClassRules: {
      'row-new': ({ data }) => data?.origin === 'new',
      'row-inactive': ({ data }) => data !== undefined && isInactive(data.record),
    },
    isExternalFilterPresent: () => view.isFiltered,
    doesExternalFilterPass: ({ data }) => data !== undefined && rows.passes(data),
    postSortRows: ({ nodes, api }) => rows.arrange(nodes, api),
    onCellFocused: ({ rowIndex, column }) =>
      ports.onfocused(rowIndex, typeof column === 'object' ? column : null),
    // A pinned column may cover the cell.
    onCellEditingStarted: ({ api, column }) => api.ensureColumnVisible(column),
    onCellDoubleClicked: ({ data, colDef }) => data && ports.onexplain(data.rowId, colDef.colId ?? ''),
    onBodyScroll: () => {
      ports.onscroll()
      tooltip.hide()
    },
    onCellMouseOver: ({ data, colDef, event }) =>
      data &&
      event instanceof MouseEvent &&
      tooltip.over(event, () => cellTooltip(view, data, colDef.colId ?? '', ports.format())),
    onCellMouseOut: () => tooltip.hide(),
    onCellMouseDown: () => tooltip.hide(),
    onCellKeyDown: () => tooltip.hide(),
    onBodyScrollEnd: ports.onscrolled,
    onModelUpdated: () => {
      ports.onmodel()
      parts()?.selection.rowsChanged()
    },
    onGridSizeChanged: () => {
      parts()?.columns.resized()
      ports.onresized()
    },
    onDisplayedColumnsChanged: () => parts()?.selection.columnsChanged(),
    onColumnMoved: ({ finished }) => finished && parts()?.columns.keepSoon(),
    onColumnResized: ({ finished, source }) =>
      finished && source === 'uiColumnResized' && parts()?.columns.keepSoon(),
    onColumnGroupOpened: ({ api }) => {
      fitGroupHeadings(api)
      parts()?.columns.keepSoon()
    },
    onSortChanged: ({ api }) => ports.onsorted(sortedBy(api)),
    // The Outcome column is shown and hidden automatically.
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
      // Keys on a button in a cell belong to the button.
      suppressKeyboardEvent: ({ event }) =>
        event.target instanceof Element &&
        !event.target.closest('.cell-editor') &&
        event.target.closest('button, input') !== null,
    },
  }
}

// Filtering and sorting, both without blocking the window.

interface Setting {
  readonly view: RecordsView
  readonly format: () => Format
  /** Called when sorting starts and ends. */
  readonly onsorting: (isSorting: boolean) => void
}

export class GridRows {
  readonly #view: RecordsView
  readonly #order: RowOrder
  readonly #filters: RowFilter
  #onready: () => void = () => undefined
  #stopFiltering: () => void = () => undefined
  #wasFilling = false

  constructor(setting: Setting) {
    const { view } = setting
    this.#view = view
    this.#filters = new RowFilter(view, setting.format)
    this.#order = new RowOrder({
      rows: () => view.list.rows,
      sorterOf: (path) => (path === OUTCOME ? outcomeSorter(setting) : columnSorter(view, path)),
      isFilling: () => view.list.reader.isFilling,
      onready: () => this.#onready(),
      onsorting: setting.onsorting,
    })
  }

  /** Marks the order as outdated, because rows or values changed. */
  invalidate(): void {
    this.#order.invalidate()
  }

  stop(): void {
    this.#order.stop()
    this.#stopFiltering()
  }

  /**
   * Filters the rows again once the search is prepared.
   * @param then called when that is done, unless another call comes first
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

  /** Whether a row passes the chip, the search, and the column filters. */
  passes(row: RecordRow): boolean {
    return this.#view.passes(row) && this.#filters.passes(row)
  }

  /** Sorts the rows by the sorted columns. New records stay at the top. */
  arrange(nodes: IRowNode<RecordRow>[], api: GridApi<RecordRow>): void {
    this.#onready = () => api.refreshClientSideRowModel('sort')
    this.#order.arrange(nodes, sortedBy(api))
    newRowsFirst(nodes)
  }

  /** Sorts rows that arrived while the list was loading. Call it in an effect. */
  sortWhenFilled(api: GridApi<RecordRow>): void {
    const { isFilling } = this.#view.list.reader
    if (this.#wasFilling && !isFilling && sortedBy(api).length > 0) {
      this.#onready = () => api.refreshClientSideRowModel('sort')
      this.#order.prepare(sortedBy(api))
    }
    this.#wasFilling = isFilling
  }
}

/** The columns that the list is sorted by, in order of priority. */
function sortedBy(api: GridApi<RecordRow>): readonly SortedBy[] {
  return api
    .getColumnState()
    .filter(({ sort }) => sort)
    .sort((left, right) => (left.sortIndex ?? 0) - (right.sortIndex ?? 0))
    .map(({ colId, sort }) => ({ path: colId, descending: sort === 'desc' }))
}

/**
 * Moves new rows to the top, in place. Allocates nothing if there are none, because it runs for each batch of
 * rows that arrives.
 */
function newRowsFirst(nodes: IRowNode<RecordRow>[]): void {
  const isNew = ({ data }: IRowNode<RecordRow>): boolean => data?.origin === 'new'
  if (!nodes.some(isNew)) return
  const others = nodes.filter((node) => !isNew(node))
  const fresh = nodes.filter(isNew)
  for (const [index, node] of [...fresh, ...others].entries()) nodes[index] = node
}
