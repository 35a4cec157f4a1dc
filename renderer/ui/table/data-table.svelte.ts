/** Sorting, keyboard, copying, and the drawn rows of `DataTable.svelte`. The component only draws. */
import { type Snippet, tick } from 'svelte'
import { compareNaturally, guardCell } from '../../../shared/format/text.ts'
import { writeBlock } from '../../../shared/import/clipboard-block.ts'
import { type CopiedBlock, copiedBlock, type CopiedCell, copyBlock } from '../clipboard.ts'
import { focusLate } from '../focus.ts'
import type { MenuEntry } from '../overlays/overlays.ts'

/** What a table shows, or copies, of each row. */
export interface DataColumn<Row> {
  readonly id: string
  /** The heading. */
  readonly header: string
  /** The heading for screen readers where none is shown. */
  readonly headerLabel?: string
  /** Drawn before the heading, such as a box that checks every row. */
  readonly headingStart?: Snippet
  /** The cell's text. Sorted by, and shown unless `cell` draws it. */
  readonly text: (row: Row) => string
  readonly cell?: Snippet<[Row]>
  /** The tooltip, if it says more than the text. */
  readonly hover?: (row: Row) => string
  /** `end` for numbers. */
  readonly align?: 'start' | 'end' | 'center'
  /** Compares rows, for dates and amounts. By default, texts are compared naturally. */
  readonly compare?: (left: Row, right: Row) => number
  readonly sortable?: boolean
  /** Whether its text has a secondary color. */
  readonly quiet?: boolean
}

/** A column with its width. A table shows only the columns that fit. */
export interface FittedColumn<Row> extends DataColumn<Row> {
  /** The width that its content needs, in rem. */
  readonly rem: number
  /** The minimum width before columns are hidden, in rem; `rem` by default. */
  readonly leastRem?: number
  /** The order in which columns are hidden, lowest first; `null` if it is never hidden. */
  readonly hideOrder: number | null
  /** For the one column that takes the rest: its minimum width in rem. */
  readonly flexMinRem?: number
}

interface ShownColumn<Row> extends DataColumn<Row> {
  /** The width in rem; the minimum for the column that takes the rest. */
  readonly rem: number
  readonly takesRest: boolean
}

export interface Sort {
  readonly columnId: string
  readonly direction: 'ascending' | 'descending'
}

/** The sorted rows; unchanged without a sort or for an unknown column. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly DataColumn<Row>[],
  sort: Sort | null,
): readonly Row[] {
  const column = sort && columns.find((candidate) => candidate.id === sort.columnId)
  if (!column) return rows
  const { compare, text } = column
  const sign = sort.direction === 'ascending' ? 1 : -1
  if (compare) return rows.toSorted((left, right) => sign * compare(left, right))
  // Computes each text once, because sorting compares it many times.
  return rows
    .map((row) => ({ row, text: text(row) }))
    .toSorted((left, right) => sign * compareNaturally(left.text, right.text))
    .map(({ row }) => row)
}

/** The sort after a click on a heading: ascending first, then descending. */
export function nextSort(sort: Sort | null, columnId: string): Sort {
  const turned = sort?.columnId === columnId && sort.direction === 'ascending'
  return { columnId, direction: turned ? 'descending' : 'ascending' }
}

/** One `rem` in pixels. It depends on the system's text size. */
export function remInPixels(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
}

/** The width of a cell's text in rem, estimated from its number of letters, with the cell's padding. */
export function textWidth(letters: number, room: { readonly least: number; readonly most: number }): number {
  return Math.min(room.most, Math.max(room.least, letters * 0.42 + 1.1))
}

/**
 * The columns that fit, with their widths. If even the required ones don't fit, the table scrolls.
 * @param room the table's width in rem
 * @param sortedBy the sorted column, which is never hidden
 */
export function columnsThatFit<Row>(
  columns: readonly FittedColumn<Row>[],
  room: number,
  sortedBy: string | null,
): readonly ShownColumn<Row>[] {
  const leaving = columns
    .filter(({ id, hideOrder }) => hideOrder !== null && id !== sortedBy)
    .toSorted((left, right) => (left.hideOrder ?? 0) - (right.hideOrder ?? 0))
  const least = ({ rem, leastRem }: FittedColumn<Row>): number => leastRem ?? rem
  const gone = new Set<string>()
  // A required column doesn't shrink for one that can be hidden.
  let needed = columns.reduce(
    (sum, column) => sum + (column.hideOrder === null ? column.rem : least(column)),
    0,
  )
  for (const column of leaving) {
    if (needed <= room) break
    needed -= least(column)
    gone.add(column.id)
  }
  const staying = columns.filter(({ id }) => !gone.has(id))
  // Columns that can be hidden shrink first, from the right; then the one that takes the rest; then the required ones.
  let missing = staying.reduce((sum, { rem }) => sum + rem, 0) - room
  const widths = new Map<string, number>()
  const squeeze = (
    squeezed: readonly FittedColumn<Row>[],
    leastOf: (column: FittedColumn<Row>) => number,
  ) => {
    for (const column of squeezed.toReversed()) {
      const taken = Math.max(0, Math.min(missing, column.rem - leastOf(column)))
      missing -= taken
      widths.set(column.id, column.rem - taken)
    }
  }
  const fixed = staying.filter(({ flexMinRem }) => flexMinRem === undefined)
  squeeze(
    fixed.filter(({ hideOrder }) => hideOrder !== null),
    least,
  )
  squeeze(
    staying.filter(({ flexMinRem }) => flexMinRem !== undefined),
    ({ flexMinRem, rem }) => flexMinRem ?? rem,
  )
  squeeze(
    fixed.filter(({ hideOrder }) => hideOrder === null),
    least,
  )
  return staying.map((fitted) => {
    const { rem, leastRem: _least, hideOrder: _order, flexMinRem, ...column } = fitted
    const width = flexMinRem ?? widths.get(column.id) ?? rem
    // Rounded down, because a hundredth too much would make the table scroll.
    return { ...column, rem: Math.floor(width * 100) / 100, takesRest: flexMinRem !== undefined }
  })
}

/** Up to this many rows are all drawn. */
const DRAW_ALL = 100
const OVERSCAN = 6

interface DrawnWindow {
  readonly from: number
  readonly to: number
}

/**
 * The rows to draw at a scroll position. Heights in pixels.
 * @internal
 */
export function drawnWindow(
  count: number,
  scrollTop: number,
  viewHeight: number,
  rowHeight: number,
): DrawnWindow {
  if (count <= DRAW_ALL) return { from: 0, to: count }
  const from = Math.max(0, Math.floor(scrollTop / rowHeight) - OVERSCAN)
  return { from, to: Math.min(count, Math.ceil((scrollTop + viewHeight) / rowHeight) + OVERSCAN) }
}

/** The cell that a key leads to, -1 for the row itself; `null` if the key doesn't move sideways. */
function cellAfterKey(key: string, cell: number, columns: number): number | null {
  if (key === 'ArrowRight') return Math.min(columns - 1, cell + 1)
  if (key === 'ArrowLeft') return Math.max(-1, cell - 1)
  return key === 'Escape' && cell >= 0 ? -1 : null
}

/** A number that a spreadsheet reads and writes unchanged. */
const PLAIN_NUMBER = /^-?(0|[1-9]\d{0,14})(\.\d+)?$/

/** Converts a cell for the clipboard, so that a spreadsheet keeps its text unchanged. */
export function copiedText(text: string): CopiedCell {
  return { text, isText: !PLAIN_NUMBER.test(text) }
}

/** Headings and rows for the clipboard. Formulas are disarmed in the plain text, too, since nothing reads it back. */
export function copiedTable<Row>(columns: readonly DataColumn<Row>[], rows: readonly Row[]): CopiedBlock {
  const texts = [
    columns.map(({ header }) => header),
    ...rows.map((row) => columns.map((column) => column.text(row))),
  ]
  const { html } = copiedBlock(texts.map((row) => row.map(copiedText)))
  return { text: writeBlock(texts.map((row) => row.map(guardCell))), html }
}

/**
 * The row that a key leads to from row `index`; `null` if the key doesn't move.
 * @internal
 */
export function rowAfterKey(key: string, index: number, count: number, page: number): number | null {
  const last = count - 1
  switch (key) {
    case 'ArrowDown':
      return Math.min(last, index + 1)
    case 'ArrowUp':
      return Math.max(0, index - 1)
    case 'PageDown':
      return Math.min(last, index + page)
    case 'PageUp':
      return Math.max(0, index - page)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return null
  }
}

// The drawn rows of a `DataTable`, the selection, and the focus.

/** The height of a row and of the heading in pixels, until they are drawn. */
const ROW_HEIGHT = 28

interface Setting<Row> {
  /** All rows, sorted. */
  readonly sorted: () => readonly Row[]
  readonly rowId: (row: Row) => string
  readonly selectedId: () => string | null
  readonly onselect: (row: Row) => void
  /** Whether the selected row's panel covers the table. Then arrow keys only move. */
  readonly isCovered: () => boolean
}

export class TableRows<Row> {
  readonly #setting: Setting<Row>
  /** The scrolling element, once it exists. */
  scroller = $state.raw<HTMLElement>()
  viewHeight = $state(600)
  /** The height of a row and of the heading in pixels: `--row`, which is smaller in a low window. */
  readonly rowHeight = $derived.by(() => {
    void this.viewHeight
    const row = this.scroller && getComputedStyle(this.scroller).getPropertyValue('--row')
    return Number.parseFloat(row ?? '') || ROW_HEIGHT
  })
  #scrollTop = $state(0)
  /** The last selected row. Tab returns to it if none is selected. */
  #lastId = $state.raw<string | null>(null)

  readonly drawn = $derived.by(() =>
    drawnWindow(this.#count, this.#scrollTop, this.viewHeight, this.rowHeight),
  )
  readonly #selectedIndex = $derived.by(() => this.#indexOf(this.#setting.selectedId()))
  /** The row that Tab focuses. It must be drawn for that. */
  readonly stop = $derived.by(() => {
    const { from, to } = this.drawn
    const index = this.#selectedIndex >= 0 ? this.#selectedIndex : this.#indexOf(this.#lastId)
    return index >= from && index < to ? index : Math.min(from, this.#count - 1)
  })

  constructor(setting: Setting<Row>) {
    this.#setting = setting
  }

  get #count(): number {
    return this.#setting.sorted().length
  }

  scrolled(): void {
    this.#scrollTop = this.scroller?.scrollTop ?? 0
  }

  select(row: Row): void {
    this.#lastId = this.#setting.rowId(row)
    this.#setting.onselect(row)
  }

  /**
   * Moves to where a key leads from a row or a cell.
   * @param cell the column's index, or -1 for the row itself
   * @returns whether the key moves
   */
  follow(key: string, index: number, cell: number, columns: number): boolean {
    const page = Math.max(1, Math.floor(this.viewHeight / this.rowHeight) - 2)
    const nextCell = cellAfterKey(key, cell, columns)
    const next = nextCell === null ? rowAfterKey(key, index, this.#count, page) : index
    if (next === null) return false
    void this.#focus(next, nextCell ?? cell)
    return true
  }

  /** Scrolls to the selected row, if there is one, and focuses it. */
  async showSelected(): Promise<void> {
    if (this.#selectedIndex >= 0) await this.#moveTo(this.#selectedIndex)
  }

  async #focus(index: number, cell: number): Promise<void> {
    if (index !== this.#selectedIndex) await this.#moveTo(index)
    const line = this.#line(index)
    const target = cell < 0 ? line : line?.querySelectorAll<HTMLElement>('[role="gridcell"]')[cell]
    focusLate(target, { preventScroll: cell < 0 })
  }

  async #moveTo(index: number): Promise<void> {
    const { scroller, viewHeight, rowHeight } = this
    const row = this.#setting.sorted()[index]
    if (row === undefined || !scroller) return
    if (this.#setting.isCovered()) this.#lastId = this.#setting.rowId(row)
    else this.select(row)
    const top = index * rowHeight
    if (top < scroller.scrollTop) scroller.scrollTop = top
    // The heading stays in view and covers one row's height.
    else if (top + 2 * rowHeight > scroller.scrollTop + viewHeight) {
      scroller.scrollTop = top + 2 * rowHeight - viewHeight
    }
    this.scrolled()
    await tick()
    focusLate(this.#line(index), { preventScroll: true })
  }

  #line(index: number): HTMLElement | null | undefined {
    return this.scroller?.querySelector<HTMLElement>(`tr[aria-rowindex="${String(index + 2)}"]`)
  }

  #indexOf(id: string | null): number {
    const { sorted, rowId } = this.#setting
    return sorted().findIndex((row) => rowId(row) === id)
  }
}

// Copying from a `DataTable`: a cell, a row, or the checked rows, by keys or by a menu.

export interface Copied<Row> {
  /** The columns shown. */
  readonly columns: readonly DataColumn<Row>[]
  /** What is copied of a row, if that is more than is shown. */
  readonly copied: readonly DataColumn<Row>[] | undefined
  /** Rows that are copied together; if none, the selected one. */
  readonly checked: readonly Row[]
  /** Called with the number of rows copied, or 0 for a cell. Without it, there is no menu. */
  readonly oncopy: ((rows: number) => void) | undefined
}

interface Asked<Row> {
  readonly row: Row
  readonly column: DataColumn<Row> | null
  /** The cell or row where the menu opens, and which gets the focus back. */
  readonly cell: HTMLElement
}

export class RowCopying<Row> {
  /** The cell or row of the open menu. */
  menu = $state.raw<Asked<Row> | null>(null)
  readonly #of: () => Copied<Row>

  constructor(of: () => Copied<Row>) {
    this.#of = of
  }

  /** @param column the cell's column; `null` copies rows */
  async copy(row: Row, column: DataColumn<Row> | null): Promise<void> {
    const { columns, copied, checked, oncopy } = this.#of()
    const chosen = checked.length > 0 ? checked : [row]
    const text = column?.text(row) ?? ''
    const block = column
      ? { ...copiedBlock([[copiedText(text)]]), text }
      : copiedTable(copied ?? columns, chosen)
    if (await copyBlock(block)) oncopy?.(column ? 0 : chosen.length)
  }

  /** Opens the menu for a right click or the menu key. Returns whether there is one. */
  ask(event: MouseEvent, row: Row): boolean {
    const { columns, oncopy } = this.#of()
    if (!oncopy || !(event.target instanceof HTMLElement)) return false
    event.preventDefault()
    const cell = event.target.closest<HTMLElement>('[role="gridcell"]')
    const line = event.target.closest('tr')
    if (!line) return false
    const at = cell ? [...line.querySelectorAll('[role="gridcell"]')].indexOf(cell) : -1
    this.menu = { row, column: columns[at] ?? null, cell: cell ?? line }
    return true
  }

  close(): void {
    this.menu?.cell.focus({ preventScroll: true })
    this.menu = null
  }

  entries({ row, column }: Asked<Row>): readonly MenuEntry[] {
    const { checked } = this.#of()
    const ofCell = column
      ? [{ label: `Copy ${column.header}`, onselect: () => void this.copy(row, column) }]
      : []
    const label = checked.length > 1 ? `Copy ${String(checked.length)} rows` : 'Copy row'
    return [...ofCell, { label, onselect: () => void this.copy(row, null) }]
  }
}
