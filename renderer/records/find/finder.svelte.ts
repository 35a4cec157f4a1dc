/** **Find and replace** in the grid. Replacing is one undoable step, for one cell or all. */
import { type GridApi, shownRows } from '../../ui/grid/grid.ts'
import type { GridBulk } from '../bulk/bulk.svelte.ts'
import { showCell } from '../grid/keys.ts'
import type { GridSelection } from '../grid/selection/selection.svelte.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import { runInSlices } from '../list/time-slice.ts'
import {
  findCells,
  type FindTerms,
  type FoundCell,
  isFound,
  nextFound,
  replacements,
  SELECTED,
} from './search.ts'

interface Setting {
  readonly api: GridApi<RecordRow>
  readonly list: RecordsList
  readonly selection: GridSelection
  readonly bulk: GridBulk
  readonly say: (message: string) => void
  /** Called with the match that is shown. */
  readonly onmatch: (rowId: string, path: string) => void
}

/** Delay in ms after typing before the search starts. */
const LOOK_AFTER = 200

export class Finder {
  readonly #setting: Setting
  find = $state('')
  replacement = $state('')
  matchesCase = $state(false)
  wholeCell = $state(false)
  /** The column to search, or `SELECTED`; empty for all visible columns. */
  column = $state('')
  /** The selected cells to search; empty unless several were selected. */
  selected = $state.raw<SelectedCells>({ count: 0, pathsByRow: new Map() })
  /** The matches; `null` before and during a search. */
  found = $state.raw<readonly FoundCell[] | null>(null)
  /** Number of cells that **Replace all** just changed; `null` once another search starts or another match is shown. */
  replaced = $state<number | null>(null)
  #at = $state.raw<FoundCell | null>(null)
  /** The matches as the grid marks them. */
  #marked: ReadonlyMap<string, ReadonlySet<string>> = new Map()
  #timer: ReturnType<typeof setTimeout> | undefined
  #stop: () => void = () => undefined

  constructor(setting: Setting) {
    this.#setting = setting
  }

  get terms(): FindTerms {
    return { find: this.find, matchesCase: this.matchesCase, wholeCell: this.wholeCell }
  }

  /** One-based index of the match that is shown; 0 if there is none. */
  get position(): number {
    const at = this.#at
    return at === null ? 0 : (this.found ?? []).findIndex((each) => same(each, at)) + 1
  }

  /** The visible columns with their names. */
  get columns(): readonly { readonly path: string; readonly label: string }[] {
    const { selection, list } = this.#setting
    return selection.columns.map((path) => ({ path, label: list.fieldLabel(path) }))
  }

  /** Limits the search to the selected cells, if there are several. Call it before the focus leaves the grid. */
  takeSelection(): void {
    const { selection } = this.#setting
    const ranges = selection.count > 1 ? selection.ranges() : []
    const cells = ranges.flatMap(({ rowIds, paths }) =>
      rowIds.flatMap((rowId) => paths.map((path) => ({ rowId, path }))),
    )
    this.selected = { count: ranges.length === 0 ? 0 : selection.count, pathsByRow: pathsByRow(cells) }
    if (ranges.length > 0) this.column = SELECTED
    else if (this.column === SELECTED) this.column = ''
  }

  /** Starts a new search after a short delay. Call it in an effect that depends on the search terms. */
  searchSoon(): void {
    clearTimeout(this.#timer)
    this.#stop()
    this.found = null
    this.replaced = null
    this.#at = null
    this.#mark([])
    if (this.find !== '') this.#timer = setTimeout(() => this.#look(() => undefined), LOOK_AFTER)
  }

  /** Shows the next match, after a search if there was none yet. */
  next(backwards = false): void {
    const { found } = this
    this.replaced = null
    if (found === null) this.#look(() => this.#go(backwards))
    else this.#go(backwards)
  }

  /** Replaces the match that is shown and moves to the next one. */
  replace(): void {
    const at = this.#at
    if (at === null) return this.next()
    this.replaced = null
    this.#replaceIn([at], () => this.#go(false))
  }

  /** Replaces all matches as one step. */
  replaceAll(): void {
    this.#look((found) => {
      this.#replaceIn(found, (changed) => (this.replaced = changed))
    })
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#stop()
    this.#mark([])
    this.#setting.selection.endPointingOut()
  }

  /** How the grid marks a cell. Only a cell that was found is compared again, in case it was edited since. */
  markOf(rowId: string, path: string): 'current' | 'match' | null {
    if (this.#marked.get(rowId)?.has(path) !== true) return null
    if (!isFound(this.#setting.bulk.text(rowId, path), this.terms)) return null
    return this.#at?.rowId === rowId && this.#at.path === path ? 'current' : 'match'
  }

  #mark(found: readonly FoundCell[]): void {
    if (found.length === 0 && this.#marked.size === 0) return
    this.#marked = pathsByRow(found)
    this.#setting.api.refreshCells()
  }

  /** Replaces the matches and searches again. */
  #replaceIn(cells: readonly FoundCell[], then: (changed: number) => void): void {
    const { bulk } = this.#setting
    this.#stop()
    const work = replacements(cells, this.terms, this.replacement, bulk.pasteRules())
    this.#stop = runInSlices(work, ({ edits, refused }) => {
      void bulk.apply(edits, refused).then((changed) => this.#look(() => then(changed)))
    })
  }

  #look(done: (found: readonly FoundCell[]) => void): void {
    const { api, selection, bulk } = this.#setting
    clearTimeout(this.#timer)
    this.#stop()
    const columns = selection.columns.flatMap((path, column) =>
      this.column === '' || this.column === SELECTED || this.column === path ? [{ path, column }] : [],
    )
    const scope = {
      rowCount: api.getDisplayedRowCount(),
      rowIdAt: (row: number) => shownRows(api)[row]?.rowId,
      columns,
      text: (rowId: string, path: string) =>
        this.column === SELECTED && this.selected.pathsByRow.get(rowId)?.has(path) !== true
          ? ''
          : bulk.text(rowId, path),
    }
    this.#stop = runInSlices(findCells(scope, this.terms), (found) => {
      this.found = found
      this.#mark(found)
      done(found)
    })
  }

  #go(backwards: boolean): void {
    const { selection } = this.#setting
    const found = this.found ?? []
    const next = found[nextFound(found, this.#at ?? null, backwards)]
    if (!next) return this.#setting.say('Nothing found')
    this.#at = next
    this.scrollToMatch()
    selection.pointOut(next)
    this.#setting.onmatch(next.rowId, next.path)
    this.#setting.say(`${String(this.position)} of ${String(found.length)}`)
  }

  /** Scrolls the match that is shown into view, if there is one. */
  scrollToMatch(): void {
    const { api } = this.#setting
    if (this.#at === null) return
    showCell(api, this.#at.row, this.#at.path)
  }

  /** The cell of the match that is shown. */
  get shown(): Cell | null {
    return this.#at
  }
}

type Cell = Pick<FoundCell, 'rowId' | 'path'>

interface SelectedCells {
  readonly count: number
  readonly pathsByRow: ReadonlyMap<string, ReadonlySet<string>>
}

function pathsByRow(cells: Iterable<Cell>): ReadonlyMap<string, ReadonlySet<string>> {
  const byRow = new Map<string, Set<string>>()
  for (const { rowId, path } of cells) {
    const paths = byRow.get(rowId)
    if (paths) paths.add(path)
    else byRow.set(rowId, new Set([path]))
  }
  return byRow
}

function same(left: FoundCell, right: FoundCell): boolean {
  return left.rowId === right.rowId && left.path === right.path
}
