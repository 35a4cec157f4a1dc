/** The AG Grid options of a list. */
import type { Format } from '../../../shared/format/format.ts'
import { isInactive } from '../../../shared/records/changes.ts'
import type { CellTooltip } from '../../ui/grid/cells.ts'
import type { GridOptions } from '../../ui/grid/grid.ts'
import type { Finder } from '../find/finder.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import type { RecordsView } from '../screen/records-view.svelte.ts'
import { cellTooltip } from './announcements.ts'
import { fitGroupHeadings } from './columns/column-defs.ts'
import type { GridColumns } from './columns/grid-columns.ts'
import { OUTCOME } from './columns/plan.ts'
import type { GridRows } from './grid-rows.ts'
import type { GridSelection } from './selection/selection.svelte.ts'

interface OptionsPorts {
  readonly view: RecordsView
  readonly format: () => Format
  readonly tooltip: CellTooltip
  /** `null` until the grid has loaded. */
  readonly parts: () => {
    readonly rows: GridRows
    readonly columns: GridColumns
    readonly selection: GridSelection
    readonly finder: Finder
  } | null
  readonly onfocused: (rowIndex: number | null, column: { getColId(): string } | null) => void
  /** Called when a cell is double-clicked, to explain why it can't be edited. */
  readonly onexplain: (rowId: string, path: string) => void
  /** Called when the editor of a cell opens or closes. */
  readonly onediting: (isEditing: boolean) => void
  readonly onscroll: () => void
  readonly onscrolled: () => void
  readonly onsorted: () => void
  readonly onresized: () => void
}

export function recordsGridOptions(ports: OptionsPorts): GridOptions<RecordRow> {
  const { view, tooltip, parts } = ports
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
    onCellFocused: ({ rowIndex, column }) =>
      ports.onfocused(rowIndex, typeof column === 'object' ? column : null),
    // A pinned column may cover the cell.
    onCellEditingStarted: ({ api, column }) => {
      api.ensureColumnVisible(column)
      ports.onediting(true)
    },
    onCellEditingStopped: () => ports.onediting(false),
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
    onSortChanged: ports.onsorted,
    // A column may come with its sort order.
    onGridColumnsChanged: () => parts()?.rows.sort(),
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
        'cell-match': ({ data, column }) =>
          data !== undefined && (parts()?.finder.markOf(data.rowId, column.getColId()) ?? null) !== null,
        'cell-current-match': ({ data, column }) =>
          data !== undefined && parts()?.finder.markOf(data.rowId, column.getColId()) === 'current',
      },
      // Keys on a button in a cell belong to the button.
      suppressKeyboardEvent: ({ event }) =>
        event.target instanceof Element &&
        !event.target.closest('.cell-editor') &&
        event.target.closest('button, input') !== null,
    },
  }
}
