/** What there is of a records grid once its code has been loaded: columns, keys, chosen cells, many cells, find. */
import type { NumberMarks } from '../../../shared/format/money.ts'
import type { Format } from '../../../shared/format/format.ts'
import type { GridApi } from '../../ui/grid/grid.ts'
import { GridBulk } from '../bulk/bulk.svelte.ts'
import type { KeptColumns } from './columns/column-state.ts'
import { Finder } from '../find/finder.svelte.ts'
import { GridColumns, StateCells } from './columns/grid-columns.ts'
import { GridKeyboard } from './keyboard.ts'
import type { RecordsView } from '../screen/records-view.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import { GridSelection } from './selection/selection.svelte.ts'

export interface GridParts {
  readonly api: GridApi<RecordRow>
  readonly columns: GridColumns
  readonly states: StateCells
  readonly selection: GridSelection
  readonly bulk: GridBulk
  readonly keyboard: GridKeyboard
  readonly finder: Finder
}

interface Setting {
  readonly view: RecordsView
  readonly marks: NumberMarks
  readonly format: () => Format
  readonly onkeep: (kept: KeptColumns) => void
  readonly onrefused: (because: string) => void
  /** Other cells are chosen, so many. */
  readonly onchosen: (cells: number) => void
  /** The cells that are chosen are to be marked anew. */
  readonly onmark: () => void
  readonly onexplain: (rowId: string, path: string) => void
  readonly say: (words: string) => void
}

export function makeParts(api: GridApi<RecordRow>, setting: Setting): GridParts {
  const { view, marks, format, onkeep, onrefused, onchosen, onmark, onexplain, say } = setting
  const { list } = view
  const columns = new GridColumns(api, view, onkeep)
  const selection = new GridSelection(api, onchosen, onmark)
  const bulk = new GridBulk({
    api,
    list,
    selection,
    marks,
    isFiltered: () => view.isFiltered,
    count: (value) => format().count(value),
    say,
    onrefused,
  })
  const keyboard = new GridKeyboard({ api, view, selection, bulk, onexplain, say })
  const finder = new Finder({ api, list, selection, bulk, say })
  const states = new StateCells(api, () => list.book.markedRows())
  return { api, columns, states, selection, bulk, keyboard, finder }
}
