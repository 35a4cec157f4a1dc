/** **Find and replace** in the grid. Replacing is one undoable step, for one cell or all. */
import { type GridApi, shownRows } from '../../ui/grid/grid.ts'
import type { GridBulk } from '../bulk/bulk.svelte.ts'
import type { Typed } from '../../ui/fields/typed-values.ts'
import type { GridSelection } from '../grid/selection/selection.svelte.ts'
import type { CellEdit, Refusal } from '../list/editing.svelte.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import { type Interruptible, runInSlices } from '../list/time-slice.ts'

interface Setting {
  readonly api: GridApi<RecordRow>
  readonly list: RecordsList
  readonly selection: GridSelection
  readonly bulk: GridBulk
  readonly say: (message: string) => void
  /** Called with the match that is shown. */
  readonly onmatch: (rowId: string, path: string) => void
}

/** The option to search only the cells that were selected when **Find and replace** was opened. */
export const SELECTED = '\u0000selected'

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
    api.ensureIndexVisible(this.#at.row)
    api.ensureColumnVisible(this.#at.path)
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

// Searches the cells of a list and plans replacements, both in time slices.

/** A matching cell and its position in the grid. */
export interface FoundCell {
  readonly row: number
  readonly column: number
  readonly rowId: string
  readonly path: string
}

/** The grid as a search sees it. */
export interface FindScope {
  readonly rowCount: number
  readonly rowIdAt: (row: number) => string | undefined
  /** The columns to search, with their indexes. */
  readonly columns: readonly { readonly path: string; readonly column: number }[]
  readonly text: (rowId: string, path: string) => string
}

/** Cells per step of work that yields between steps. */
const STRIDE = 128

/**
 * Finds all matching cells, row by row.
 * @internal
 */
export function* findCells(scope: FindScope, terms: FindTerms): Interruptible<readonly FoundCell[]> {
  const found: FoundCell[] = []
  let seen = 0
  for (let row = 0; row < scope.rowCount; row += 1) {
    const rowId = scope.rowIdAt(row)
    if (rowId === undefined) continue
    for (const { path, column } of scope.columns) {
      if (isFound(scope.text(rowId, path), terms)) found.push({ row, column, rowId, path })
      seen += 1
      if (seen % STRIDE === 0) yield
    }
  }
  return found
}

/** The rules of a list for replacing text. */
interface ReplaceRules {
  readonly text: (rowId: string, path: string) => string
  readonly read: (rowId: string, path: string, text: string) => Typed
  /** Why a cell can't be changed; empty if it can. */
  readonly closed: (rowId: string, path: string) => string
}

/**
 * Returns the edits that replace the text, and the cells that can't be changed.
 * @internal
 */
export function* replacements(
  found: readonly Cell[],
  terms: FindTerms,
  by: string,
  rules: ReplaceRules,
): Interruptible<{ readonly edits: readonly CellEdit[]; readonly refused: readonly Refusal[] }> {
  const edits: CellEdit[] = []
  const refused: Refusal[] = []
  for (const [looked, { rowId, path }] of found.entries()) {
    if (looked % STRIDE === STRIDE - 1) yield
    const text = rules.text(rowId, path)
    // An earlier replacement may have changed it.
    if (!isFound(text, terms)) continue
    const reason = rules.closed(rowId, path)
    const typed = reason === '' ? rules.read(rowId, path, replaced(text, terms, by)) : null
    if (typed?.ok) edits.push({ rowId, path, now: typed.value })
    else refused.push({ rowId, path, reason: typed?.reason ?? reason })
  }
  return { edits, refused }
}

/**
 * Returns the index of the next or previous match after a cell, wrapping around; −1 if there are no matches.
 * @internal
 */
export function nextFound(
  found: readonly FoundCell[],
  from: { readonly row: number; readonly column: number } | null,
  backwards: boolean,
): number {
  if (found.length === 0) return -1
  if (from === null) return backwards ? found.length - 1 : 0
  const after = (each: FoundCell): number => each.row - from.row || each.column - from.column
  if (backwards) {
    const before = found.findLastIndex((each) => after(each) < 0)
    return before < 0 ? found.length - 1 : before
  }
  const next = found.findIndex((each) => after(each) > 0)
  return next < 0 ? 0 : next
}

// Finds and replaces plain text in a cell, without patterns.

export interface FindTerms {
  readonly find: string
  readonly matchesCase: boolean
  /** Whether the whole cell must match, instead of any part of it. */
  readonly wholeCell: boolean
}

/**
 * Whether a cell's text matches. An empty search matches nothing.
 * @internal
 */
export function isFound(text: string, { find, matchesCase, wholeCell }: FindTerms): boolean {
  if (find === '') return false
  if (wholeCell) return matchesCase ? text === find : sameLetters(text, find)
  return matchesCase ? text.includes(find) : foldedIndexOf(text, find, 0).at >= 0
}

/**
 * Replaces all matches in a text.
 * @internal
 */
export function replaced(text: string, terms: FindTerms, by: string): string {
  const { find, matchesCase, wholeCell } = terms
  if (!isFound(text, terms)) return text
  if (wholeCell) return by
  if (matchesCase) return text.split(find).join(by)
  let made = ''
  let from = 0
  for (;;) {
    const { at, length } = foldedIndexOf(text, find, from)
    if (at < 0) return made + text.slice(from)
    made += text.slice(from, at) + by
    from = at + length
  }
}

function sameLetters(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase()
}

/**
 * Finds a text, ignoring case. Some letters change length with their case (`İ`), so that indexes in the
 * lowercase text differ. Such texts are compared position by position.
 */
function foldedIndexOf(text: string, find: string, from: number): { at: number; length: number } {
  const lowered = text.toLowerCase()
  if (lowered.length === text.length) {
    const wanted = find.toLowerCase()
    return { at: lowered.indexOf(wanted, from), length: wanted.length }
  }
  for (let at = from; at + find.length <= text.length; at += 1) {
    if (sameLetters(text.slice(at, at + find.length), find)) return { at, length: find.length }
  }
  return { at: -1, length: 0 }
}
