/**
 * Draws anew the cells that say something about a row as a whole: of the rows that say something now, or did when they
 * were drawn last, which are few of those in sight.
 */
import type { GridApi } from '../ui/grid/grid.ts'
import { STATE_COLUMNS } from './own-columns.ts'
import type { RecordRow } from './rows.ts'

export class StateCells {
  readonly #api: GridApi<RecordRow>
  readonly #markedRows: () => ReadonlySet<string>
  #marked: ReadonlySet<string> = new Set()

  /** @param markedRows the rows that have something to say */
  constructor(api: GridApi<RecordRow>, markedRows: () => ReadonlySet<string>) {
    this.#api = api
    this.#markedRows = markedRows
  }

  /** @param drawn rows of which all cells were drawn just now */
  refresh(drawn: readonly string[] = []): void {
    const before = this.#marked
    this.#marked = this.#markedRows()
    const done = new Set(drawn)
    const rowNodes = this.#api
      .getRenderedNodes()
      .filter(
        ({ data }) =>
          data && !done.has(data.rowId) && (this.#marked.has(data.rowId) || before.has(data.rowId)),
      )
    if (rowNodes.length > 0) this.#api.refreshCells({ rowNodes, columns: [...STATE_COLUMNS], force: true })
  }
}
