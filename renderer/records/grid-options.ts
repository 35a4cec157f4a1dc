/** How the grid of a list is set up: which rows it shows and how, and who hears what happens in it. */
import type { Format } from '../ui/format.ts'
import type { CellHint } from '../ui/grid/cell-hint.ts'
import type { GridOptions } from '../ui/grid/grid.ts'
import type { GridColumns } from './grid-columns.ts'
import type { GridRows } from './grid-rows.ts'
import { hoverWords } from './hover-words.ts'
import type { RecordsView } from './records-view.svelte.ts'
import type { RecordRow } from './rows.ts'
import type { GridSelection } from './selection/grid-selection.svelte.ts'

interface Ports {
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
  /** So many rows are shown. */
  readonly oncount: (count: number) => void
}

export function recordsGridOptions(ports: Ports): GridOptions<RecordRow> {
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
    onModelUpdated: ({ api }) => {
      ports.oncount(api.getDisplayedRowCount())
      parts()?.selection.rowsChanged()
    },
    onGridSizeChanged: () => parts()?.columns.review.fit(),
    onDisplayedColumnsChanged: () => parts()?.selection.columnsChanged(),
    onColumnMoved: ({ finished }) => finished && parts()?.columns.keepSoon(),
    onColumnResized: ({ finished, source }) =>
      finished && source === 'uiColumnResized' && parts()?.columns.keepSoon(),
    onColumnGroupOpened: () => parts()?.columns.keepSoon(),
    onColumnVisible: () => parts()?.columns.keepSoon(),
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
