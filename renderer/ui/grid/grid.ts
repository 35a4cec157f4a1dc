/**
 * The only access to AG Grid: its types for the screens, and the setup of Bookbridge's grids. Renderers, rules,
 * and overlays are functions that return elements, never strings, because the content security policy forbids
 * those.
 */
import type { ColDef, ColGroupDef, GridApi, GridOptions } from 'ag-grid-community'
import { wrapParts } from '../text/wrap.ts'
import type { LazyRows } from './lazy-row-model.ts'

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

/** The props of `Grid.svelte`. Other AG Grid options go into `options`, which is read once. */
export interface GridSetup<Row> {
  /** The accessible name, which says what the grid shows. */
  readonly label: string
  /** The accessible description, for keys that aren't obvious. */
  readonly description?: string
  readonly columnDefs: readonly (ColDef<Row> | ColGroupDef<Row>)[]
  readonly rowId: (row: Row) => string
  readonly options?: GridOptions<Row>
}

/** Loads AG Grid's code. A screen can call it before it has anything to show. */
export function loadGrid() {
  return import('./modules.ts')
}

/**
 * Returns the nonce that lets AG Grid add its styles. Vite puts it into a meta element. The browser hides the
 * attribute, so it is read as a property.
 */
function styleNonce(): string | undefined {
  const holder = document.querySelector<HTMLElement>('meta[property="csp-nonce"], script[nonce]')
  return holder?.nonce || undefined
}

/** Returns the options of all grids. `Grid.svelte` sets the columns afterwards. */
export function gridOptions<Row>({
  rowId,
  options,
}: Pick<GridSetup<Row>, 'rowId' | 'options'>): GridOptions<Row> {
  const nonce = styleNonce()
  return {
    ...(nonce === undefined ? {} : { styleNonce: nonce }),
    columnDefs: [],
    // `LazyRowModel` takes the place of the infinite row model.
    rowModelType: 'infinite',
    getRowId: ({ data }) => gridRowId(rowId(data)),
    defaultColDef: { sortable: true, resizable: true, minWidth: 60, suppressHeaderMenuButton: true },
    animateRows: false,
    // Rows rendered beyond the visible ones on each side. Each costs as much as a visible one.
    rowBuffer: 4,
    enableCellTextSelection: false,
    ensureDomOrder: true,
    // Position rows with `top`, because a transform makes each row a separate layer in addition to those of its
    // pinned cells.
    suppressRowTransform: true,
    // Render rows together with their cells. If the cells came in a second animation frame, hit testing under
    // the mouse would force a layout of the empty rows first.
    suppressAnimationFrame: true,
    stopEditingWhenCellsLoseFocus: true,
    // Screens show their own text for an empty grid.
    suppressOverlays: ['noRows', 'noMatchingRows'],
    suppressDragLeaveHidesColumns: true,
    // Tooltips are Bookbridge's own (`CellTooltip`). AG Grid's come with its editors and add seven listeners to
    // each rendered cell unless the browser's are used.
    enableBrowserTooltips: true,
    // A Tab that AG Grid receives leaves the grid. Screens where Tab moves between cells handle it before.
    tabToNextCell: () => false,
    tabToNextHeader: () => false,
    focusGridInnerElement: ({ api }) => focusWhereItWas(api),
    ...options,
  }
}

function shown<Row>(api: GridApi<Row>): LazyRows<Row> {
  return (api.getGridOption('context') as LazyRows<Row> | undefined) ?? { rows: [], heightOf: null }
}

/** Shows these rows in this order. */
export function showRows<Row>(api: GridApi<Row>, rows: readonly Row[]): void {
  api.setGridOption('context', { ...shown(api), rows } satisfies LazyRows<Row>)
}

/** Returns the rows on screen, from top to bottom. Unlike AG Grid's functions, it creates no node for any. */
export function shownRows<Row>(api: GridApi<Row>): readonly Row[] {
  return shown(api).rows
}

/** Gives rows heights of their own, or with `null` all the same. */
export function setRowHeights<Row>(api: GridApi<Row>, heightOf: LazyRows<Row>['heightOf']): void {
  if (heightOf !== shown(api).heightOf) api.setGridOption('context', { ...shown(api), heightOf })
}

/** Tabbing into the grid focuses the last focused cell, or the first one. */
function focusWhereItWas<Row>(api: GridApi<Row>): boolean {
  const column = api.getAllDisplayedColumns()[0]
  if (!column || api.getDisplayedRowCount() === 0) return false
  const before = api.getFocusedCell()
  const row = Math.min(before?.rowIndex ?? api.getFirstDisplayedRowIndex(), api.getDisplayedRowCount() - 1)
  api.ensureIndexVisible(row)
  api.setFocusedCell(row, before?.column ?? column)
  return true
}

/** Sets the accessible name and description, for which AG Grid has no option. */
export function setAccessibleName(host: HTMLElement, label: string, description: string | undefined): void {
  const grid = host.querySelector('[role="grid"], [role="treegrid"]')
  grid?.setAttribute('aria-label', label)
  if (description !== undefined) grid?.setAttribute('aria-description', description)
}

/** Creates a text that wraps, if it has to, where `wrapParts` says. */
export function textElement(name: string, text: string, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement('span')
  made.className = name
  for (const [at, part] of wrapParts(text).entries()) {
    if (at > 0) made.append(document.createElement('wbr'))
    made.append(part)
  }
  made.append(...children)
  return made
}

/** Creates the content of a changed cell: the old value struck through, the new one in bold. */
export function changeElement(was: string, now: string): HTMLElement {
  const before = was === '' ? textElement('was none', '–') : textElement('was', was)
  if (was === '') before.setAttribute('aria-label', 'empty')
  return textElement(
    'cell-change',
    '',
    before,
    textElement('new', '', textElement('to', '→'), textElement('is', now)),
  )
}

// Row IDs that are safe for AG Grid.

/** Prefix of an ID that isn't safe unchanged. */
const PREFIX = '~'

/**
 * Returns the ID of a row in AG Grid, which stores rows in a plain object. Names of inherited properties
 * (`__proto__`, `constructor`) would collide there, so they get a prefix. Other IDs stay unchanged.
 */
export function gridRowId(rowId: string): string {
  return rowId in Object.prototype || rowId.startsWith(PREFIX) ? PREFIX + rowId : rowId
}
