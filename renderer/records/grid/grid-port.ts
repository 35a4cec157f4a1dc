/** How a list tells its grid what changed: in place where it can, so that 100,000 rows stay as they are. */
import { runToCompletion, type Interruptible } from '../list/time-slice.ts'
import { type GridApi, gridRowId, type IRowNode } from '../../ui/grid/grid.ts'
import type { RecordRow } from '../list/rows.ts'

/** Where new records go: above all others, or below those that are new already. */
export type NewPlace = 'top' | 'below-new'

/** What the list tells the grid, while one is shown. */
export interface GridPort {
  setRows(rows: readonly RecordRow[]): void
  addRows(rows: readonly RecordRow[], place: NewPlace | 'end'): void
  /** Rows that stand there have other content, and others come at the end. */
  mergeRows(changed: readonly RecordRow[], added: readonly RecordRow[]): void
  /** The row stands there with another content, perhaps under another id. */
  replaceRow(rowId: string, row: RecordRow): void
  removeRows(rowIds: readonly string[]): void
  /** These rows have other values or states; others may have other signs, as one name may be another row's problem. */
  refresh(rowIds: readonly string[]): void
  /** The same where they are many, a few in a step. */
  refreshing(rowIds: readonly string[]): Interruptible<void>
  /** Saved just now: their cells flash. */
  flash(rowIds: readonly string[]): void
}

/** Rows that are drawn anew in a step. */
const ROWS_PER_STEP = 4
/** How long a saved row shows it (tokens: `--flash`). */
const FLASH = 1_400

interface Ports {
  /** Called when rows come, go or have other values, before the grid is told. */
  readonly onchange: () => void
  /** Called when a row gets another ID, because its new record was saved. */
  readonly onreplace: (rowId: string, newId: string) => void
  /** These rows have other states; those of them in sight were drawn anew. */
  readonly onstates: (rowIds: readonly string[]) => Interruptible<void>
}

export function gridPort(api: GridApi<RecordRow>, { onchange, onreplace, onstates }: Ports): GridPort {
  /** Those of the rows that are drawn: a few, of however many. */
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
      // Left meanwhile.
      if (api.isDestroyed()) return
    }
    yield* onstates(rowIds)
  }
  return {
    setRows: (rows) => {
      onchange()
      api.setGridOption('rowData', [...rows])
    },
    addRows: (rows, place) => {
      onchange()
      const addIndex = place === 'below-new' ? indexBelowNew(api) : 0
      api.applyTransaction({ add: [...rows], ...(place === 'end' ? {} : { addIndex }) })
    },
    mergeRows: (changed, added) => {
      onchange()
      api.applyTransaction({ update: [...changed], add: [...added] })
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

/** Among the rows as they were given to the grid, whatever it sorts them by. */
function indexBelowNew(api: GridApi<RecordRow>): number {
  let index = 0
  api.forEachNode(({ data, sourceRowIndex }) => {
    if (data?.origin === 'new') index = Math.max(index, sourceRowIndex + 1)
  })
  return index
}
