/** Copying from a `DataTable`: a cell, a row, or the ticked rows, as a spreadsheet reads them; by keys or by a menu. */
import { copiedBlock } from '../../shared/clipboard-html.ts'
import { copyBlock } from './clipboard.ts'
import { copiedTable, copiedText, type DataColumn } from './data-table.ts'
import type { MenuEntry } from './menu-entry.ts'

export interface Copied<Row> {
  /** As they are shown. */
  readonly columns: readonly DataColumn<Row>[]
  /** What is copied of a row, where that is more than there is room to show. */
  readonly copied: readonly DataColumn<Row>[] | undefined
  /** Rows that are copied together; the chosen one when there are none. */
  readonly ticked: readonly Row[]
  /** Told how many rows were copied, or 0 for a cell; where it is not told of, there is no menu. */
  readonly oncopy: ((rows: number) => void) | undefined
}

interface Asked<Row> {
  readonly row: Row
  readonly column: DataColumn<Row> | null
  /** What had the pointer or the focus: there the menu stands, and there the focus goes back. */
  readonly cell: HTMLElement
}

export class RowCopying<Row> {
  /** What the menu that is open was asked for at. */
  menu = $state.raw<Asked<Row> | null>(null)
  readonly #of: () => Copied<Row>

  constructor(of: () => Copied<Row>) {
    this.#of = of
  }

  /** @param column of the cell; `null` copies rows */
  async copy(row: Row, column: DataColumn<Row> | null): Promise<void> {
    const { columns, copied, ticked, oncopy } = this.#of()
    const chosen = ticked.length > 0 ? ticked : [row]
    const text = column?.text(row) ?? ''
    const block = column
      ? { ...copiedBlock([[copiedText(text)]]), text }
      : copiedTable(copied ?? columns, chosen)
    if (await copyBlock(block)) oncopy?.(column ? 0 : chosen.length)
  }

  /** By the right button on a cell, or by the menu key on what has the focus. Answers whether there is a menu. */
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
    const { ticked } = this.#of()
    const ofCell = column
      ? [{ label: `Copy ${column.header}`, onselect: () => void this.copy(row, column) }]
      : []
    const label = ticked.length > 1 ? `Copy ${String(ticked.length)} rows` : 'Copy row'
    return [...ofCell, { label, onselect: () => void this.copy(row, null) }]
  }
}
