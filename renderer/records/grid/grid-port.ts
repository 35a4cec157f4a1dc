/** How a list updates its grid: in place where possible, so that 100,000 rows don't have to be replaced. */
import { runToCompletion, type Interruptible } from '../list/time-slice.ts'
import { type GridApi, gridRowId, type IRowNode } from '../../ui/grid/grid.ts'
import type { RecordRow } from '../list/rows.ts'

/** Where new records go: at the top, or below the other new ones. */
export type InsertPosition = 'top' | 'below-new'

/** The updates that a list sends to its grid. */
export interface GridPort {
  setRows(rows: readonly RecordRow[]): void
  addRows(rows: readonly RecordRow[], position: InsertPosition | 'end'): void
  /** Updates rows whose content changed and adds others at the end. */
  mergeRows(changed: readonly RecordRow[], added: readonly RecordRow[]): void
  /** Updates a row whose content and perhaps ID changed. */
  replaceRow(rowId: string, row: RecordRow): void
  removeRows(rowIds: readonly string[]): void
  /** Redraws these rows and the signs of others, because one row's name may be another row's problem. */
  refresh(rowIds: readonly string[]): void
  /** Redraws many rows, a few per step. */
  refreshing(rowIds: readonly string[]): Interruptible<void>
  /** Highlights rows that were just saved. */
  flash(rowIds: readonly string[]): void
}

/** Rows redrawn per step. */
const ROWS_PER_STEP = 4
/** Duration of the highlight in ms (`--flash` in the tokens). */
const FLASH = 1_400

interface Ports {
  /** Called when rows are added, removed, or changed, before the grid is updated. */
  readonly onchange: () => void
  /** Called when a row gets another ID, because its new record was saved. */
  readonly onreplace: (rowId: string, newId: string) => void
  /** Called when the states of rows changed, after the visible ones were redrawn. */
  readonly onstates: (rowIds: readonly string[]) => Interruptible<void>
}

export function gridPort(api: GridApi<RecordRow>, { onchange, onreplace, onstates }: Ports): GridPort {
  /** The few rows that are currently rendered. */
  const drawn = (rowIds: readonly string[]): IRowNode<RecordRow>[] => {
    const wanted = new Set(rowIds)
    return api.getRenderedNodes().filter(({ data }) => data !== undefined && wanted.has(data.rowId))
  }
  const refreshing = function* (rowIds: readonly string[], rowsAStep: number): Interruptible<void> {
    onchange()
    const nodes = drawn(rowIds)
    for (let from = 0; from < nodes.length; from += rowsAStep) {
      api.refreshCells({ rowNodes: nodes.slice(from, from + rowsAStep), force: true })
      yield
      // The screen was left in the meantime.
      if (api.isDestroyed()) return
    }
    yield* onstates(rowIds)
  }
  return {
    setRows: (rows) => {
      onchange()
      api.setGridOption('rowData', [...rows])
    },
    addRows: (rows, position) => {
      onchange()
      const addIndex = position === 'below-new' ? indexBelowNew(api) : 0
      api.applyTransaction({ add: [...rows], ...(position === 'end' ? {} : { addIndex }) })
    },
    mergeRows: (changed, added) => {
      onchange()
      // A transaction looks through all rows, which only a new row or a filter needs.
      if (added.length > 0 || api.isAnyFilterPresent())
        api.applyTransaction({ update: [...changed], add: [...added] })
      else for (const row of changed) api.getRowNode(gridRowId(row.rowId))?.updateData(row)
    },
    replaceRow: (rowId, row) => {
      onchange()
      onreplace(rowId, row.rowId)
      const node = api.getRowNode(gridRowId(rowId))
      if (node && rowId === row.rowId) return node.updateData(row)
      const other = api.getRowNode(gridRowId(row.rowId))?.data
      const remove = [node?.data, other].filter((each) => each !== undefined)
      api.applyTransaction({ remove, add: [row], addIndex: node?.sourceRowIndex ?? 0 })
    },
    removeRows: (rowIds) => {
      const remove = rowIds.flatMap((rowId) => api.getRowNode(gridRowId(rowId))?.data ?? [])
      if (remove.length > 0) api.applyTransaction({ remove })
    },
    refresh: (rowIds) => {
      runToCompletion(refreshing(rowIds, Infinity))
    },
    refreshing: (rowIds) => refreshing(rowIds, ROWS_PER_STEP),
    flash: (rowIds) => {
      const rowNodes = drawn(rowIds)
      if (rowNodes.length > 0) api.flashCells({ rowNodes, flashDuration: 200, fadeDuration: FLASH })
    },
  }
}

/** The index in the grid's row data, which doesn't depend on the sort order. */
function indexBelowNew(api: GridApi<RecordRow>): number {
  let index = 0
  api.forEachNode(({ data, sourceRowIndex }) => {
    if (data?.origin === 'new') index = Math.max(index, sourceRowIndex + 1)
  })
  return index
}
