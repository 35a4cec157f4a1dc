/**
 * The one door to ag-grid: its types for the screens, and how a grid of ours is set up. Renderers, rules and
 * overlays are functions that return elements, never strings, because the content security policy forbids those.
 */
import type { ColDef, ColGroupDef, GridApi, GridOptions } from 'ag-grid-community'

export type {
  ColDef,
  ColGroupDef,
  GridApi,
  GridOptions,
  ICellEditorComp,
  ICellEditorParams,
  ICellRendererComp,
  ICellRendererParams,
  IRowNode,
} from 'ag-grid-community'

/** What `Grid.svelte` is given; the rest of ag-grid's options may be set in `options`, once. */
export interface GridSetup<Row> {
  /** The accessible name: what the grid shows. */
  readonly label: string
  /** The accessible description: what keys do in it that is not known by itself. */
  readonly description?: string
  readonly columnDefs: readonly (ColDef<Row> | ColGroupDef<Row>)[]
  readonly rowData: readonly Row[]
  readonly rowId: (row: Row) => string
  readonly options?: GridOptions<Row>
}

/** The grid's code. A screen that will show a grid may ask for it before it has anything to show in it. */
export function loadGrid() {
  return import('./modules.ts')
}

/**
 * The nonce of this load, under which the grid may add its styles. Vite puts it in a meta element; the browser
 * hides the attribute, so it is read as a property.
 */
function styleNonce(): string | undefined {
  const holder = document.querySelector<HTMLElement>('meta[property="csp-nonce"], script[nonce]')
  return holder?.nonce || undefined
}

/** Options that every grid of ours has. */
export function gridOptions<Row>(setup: GridSetup<Row>): GridOptions<Row> {
  const nonce = styleNonce()
  return {
    ...(nonce === undefined ? {} : { styleNonce: nonce }),
    columnDefs: [...setup.columnDefs],
    rowData: [...setup.rowData],
    getRowId: ({ data }) => gridRowId(setup.rowId(data)),
    defaultColDef: { sortable: true, resizable: true, minWidth: 60, suppressHeaderMenuButton: true },
    animateRows: false,
    // Rows that are drawn beyond those in sight, on either side: each costs as much as one in sight.
    rowBuffer: 4,
    cacheQuickFilter: true,
    enableCellTextSelection: false,
    ensureDomOrder: true,
    // By `top`: a row with a transform of its own is a layer of its own to draw, beside those of what is pinned in it.
    suppressRowTransform: true,
    // A row comes with its cells. When these come in a frame's second step, what the mouse is over has the browser work out
    // where the empty rows are first.
    suppressAnimationFrame: true,
    stopEditingWhenCellsLoseFocus: true,
    suppressNoRowsOverlay: true,
    suppressDragLeaveHidesColumns: true,
    // We show words on hover ourselves (`CellHint`). The grid's own, which come with its editors, listen to seven events
    // of each cell that comes in sight, unless they are the browser's.
    enableBrowserTooltips: true,
    // A Tab that the grid hears leaves it: where Tab goes from cell to cell, the screen takes it before.
    tabToNextCell: () => false,
    tabToNextHeader: () => false,
    focusGridInnerElement: ({ api }) => focusWhereItWas(api),
    ...setup.options,
  }
}

/** Tab into the grid leads to the cell that had the focus, else to the first one. */
function focusWhereItWas<Row>(api: GridApi<Row>): boolean {
  const column = api.getAllDisplayedColumns()[0]
  if (!column || api.getDisplayedRowCount() === 0) return false
  const before = api.getFocusedCell()
  const row = Math.min(before?.rowIndex ?? api.getFirstDisplayedRowIndex(), api.getDisplayedRowCount() - 1)
  api.ensureIndexVisible(row)
  api.setFocusedCell(row, before?.column ?? column)
  return true
}

/** Sets the grid's accessible name and description; ag-grid has no option for them. */
export function nameGrid(host: HTMLElement, label: string, description: string | undefined): void {
  const grid = host.querySelector('[role="grid"], [role="treegrid"]')
  grid?.setAttribute('aria-label', label)
  if (description !== undefined) grid?.setAttribute('aria-description', description)
}

/** Was → is in one cell, as elements: the old value struck through, the new one strong. */
export function changeElement(was: string, now: string): HTMLElement {
  const element = (name: string, text: string, ...children: Node[]): HTMLElement => {
    const made = document.createElement('span')
    made.className = name
    made.append(text, ...children)
    return made
  }
  const before = was === '' ? element('was none', '–') : element('was', was)
  if (was === '') before.setAttribute('aria-label', 'empty')
  return element('cell-change', '', before, element('new', '', element('to', '→'), element('is', now)))
}

// The ids under which a grid keeps its rows, whatever the records' own are.

/** Stands before an id that would not do by itself. */
const APART = '~'

/**
 * The id under which the grid keeps a row, and finds it. It keeps rows in a plain object, where what every object has
 * by itself (`__proto__`, `constructor`) is no row; all other ids are as they are.
 */
export function gridRowId(rowId: string): string {
  return rowId in Object.prototype || rowId.startsWith(APART) ? APART + rowId : rowId
}
