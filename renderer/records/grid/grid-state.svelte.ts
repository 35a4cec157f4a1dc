/** Connects a list's view to the grid: options, keys, chips and search, selection, and saved columns. */
import { tick, untrack } from 'svelte'
import type { Format } from '../../../shared/format/format.ts'
import { type NumberSeparators, numberSeparators } from '../../../shared/format/money.ts'
import { memberOf, topField } from '../../../shared/records/changes.ts'
import { focusLate } from '../../ui/focus.ts'
import { CellTooltip } from '../../ui/grid/cells.ts'
import { type GridApi, type GridOptions, gridRowId, type IRowNode, shownRows } from '../../ui/grid/grid.ts'
import { GridBulk } from '../bulk/bulk.svelte.ts'
import { Finder } from '../find/finder.svelte.ts'
import type { SortedBy } from '../list/order.ts'
import type { RecordRow } from '../list/rows.ts'
import { runToCompletion } from '../list/time-slice.ts'
import { RowCallout } from '../outcome/callout.svelte.ts'
import type { RecordsView } from '../screen/records-view.svelte.ts'
import { GridAnnouncements } from './announcements.ts'
import { parentPrefix } from './cell-text.ts'
import { columnDefs, columnSorter, fitGroupHeadings } from './columns/column-defs.ts'
import { applyLayout, type GridLayout } from './columns/column-state.ts'
import { GridColumns, StateCells } from './columns/grid-columns.ts'
import { groupIdOf, OUTCOME } from './columns/plan.ts'
import { checkboxColumn, marginColumn, outcomeColumn, outcomeSorter } from './columns/state-columns.ts'
import { recordsGridOptions } from './grid-options.ts'
import { GridRows, sortedBy } from './grid-rows.ts'
import { GridKeyboard } from './keyboard.ts'
import { focusedCell, focusOn, showFromLeft } from './keys.ts'
import { GridSelection, markSelected } from './selection/selection.svelte.ts'

/** The parts that exist once the grid's code has loaded. */
export interface GridParts {
  readonly api: GridApi<RecordRow>
  readonly rows: GridRows
  readonly columns: GridColumns
  readonly states: StateCells
  readonly selection: GridSelection
  readonly bulk: GridBulk
  readonly keyboard: GridKeyboard
  readonly finder: Finder
}

interface Setting {
  readonly view: RecordsView
  /** BCP 47 tag for the separators in amounts. */
  readonly locale: string
  readonly kept: GridLayout | null
  readonly format: () => Format
  readonly isMac: boolean
  readonly onkeep: (kept: GridLayout) => void
  readonly onfocuscell: (rowId: string, path: string) => void
  readonly onrefused: (reason: string) => void
  /** Called when a column's filter should open below its heading. */
  readonly onfilter: (path: string, heading: Element) => void
  /** Announces text to screen readers. */
  readonly say: (message: string) => void
}

export class GridState {
  readonly view: RecordsView
  readonly callout: RowCallout
  readonly #setting: Setting
  readonly #separators: NumberSeparators
  #parts = $state.raw<GridParts | null>(null)
  #isReviewShown = false
  /** Whether a review was opened and its rows are still being filtered. */
  #beginsReview = false
  #wanted: { readonly rowId: string; readonly path: string } | null = null
  /** The focused row, or the last one, and its index at the time. AG Grid keeps the index when rows move. */
  #focusedRow: { readonly rowId: string; readonly rowIndex: number } | null = null
  /** Chip, search, filters, and review that the grid currently shows. */
  #shown = ''
  /** Column filters that the headings currently show. */
  #filtered = '[]'
  /** Whether the columns have saved widths or were fitted to their values. */
  #isFitted = false
  /** The row to scroll to, as the list was left; `null` once that is done. */
  #topRow: number | null
  /** Number of rows that the grid shows. */
  count = $state(0)
  /** Whether the rows are being sorted. */
  isSorting = $state(false)
  isFinding = $state(false)
  /** Whether the editor of a cell is open. */
  isEditing = $state(false)
  /** The last request for **Find and replace**. A new object each time, so that its box takes the focus again. */
  findAsked = $state.raw<{ readonly replaces: boolean }>({ replaces: false })
  readonly #speech: GridAnnouncements
  readonly #tooltip = new CellTooltip()
  readonly #columnDefs = $derived.by(() => this.#makeColumns())
  readonly options: GridOptions<RecordRow>

  constructor(setting: Setting) {
    this.#setting = setting
    this.view = setting.view
    this.#topRow = setting.view.isReviewing ? null : setting.view.position.topRow
    this.callout = new RowCallout(setting.view)
    this.#separators = numberSeparators(setting.locale)
    this.#speech = new GridAnnouncements({
      view: setting.view,
      count: (value) => setting.format().count(value),
      say: setting.say,
    })
    this.options = recordsGridOptions({
      view: setting.view,
      format: setting.format,
      tooltip: this.#tooltip,
      parts: () => this.#parts,
      onfocused: (rowIndex, column) => this.#focused(rowIndex, column),
      onexplain: (rowId, path) => this.#explain(rowId, path),
      onediting: (isEditing) => (this.isEditing = isEditing),
      onscroll: () => {
        // At once: the list may be left before scrolling has ended.
        this.#keepTopRow()
      },
      onscrolled: () => this.#markSelected(),
      onsorted: () => this.#sorted(),
      onresized: () => {
        this.#showCalloutRow()
        if (this.isFinding) this.#parts?.finder.scrollToMatch()
      },
    })
  }

  get columnDefs() {
    return this.#columnDefs
  }

  /** The parts that need the grid; `null` until it has loaded. */
  get parts(): GridParts | null {
    return this.#parts
  }

  /** The columns of the grid; `null` until it has loaded. */
  get columns(): GridColumns | null {
    return this.#parts?.columns ?? null
  }

  ready(api: GridApi<RecordRow>): void {
    const { view } = this
    const parts = this.#createParts(api)
    view.list.rows.grid = parts.rows
    if (this.#setting.kept) applyLayout(api, this.#setting.kept)
    this.#isFitted = this.#setting.kept !== null
    sortBy(api, view.position.sortedBy)
    fitGroupHeadings(api)
    untrack(() => (this.#parts = parts))
    this.#fitOutcomes()
    this.followView()
    if (this.#wanted) this.focusCell(this.#wanted.rowId, this.#wanted.path)
  }

  #fitOutcomes(): void {
    const { columns, view } = this
    if (columns) untrack(() => runToCompletion(columns.fittingOutcomes(view.list.drafts.markedRows())))
  }

  #createParts(api: GridApi<RecordRow>): GridParts {
    const { view } = this
    const { list } = view
    const { format, onkeep, onrefused, say } = this.#setting
    const selection = new GridSelection(
      api,
      (cells) => this.#speech.chosen(cells),
      () => this.#markSelected(),
    )
    const bulk = new GridBulk({
      api,
      list,
      selection,
      separators: this.#separators,
      isFiltered: () => view.isFiltered,
      count: (value) => format().count(value),
      say,
      onrefused,
    })
    const columns = new GridColumns(api, view, onkeep)
    const states = new StateCells(api, () => list.drafts.markedRows())
    return {
      api,
      rows: new GridRows(api, {
        view,
        format,
        sorterOf: (path) => (path === OUTCOME ? outcomeSorter({ view, format }) : columnSorter(view, path)),
        onsorting: (isSorting) => untrack(() => (this.isSorting = isSorting)),
        onreplace: (rowId, newId) => {
          this.#noteFocus()
          if (this.#focusedRow?.rowId === rowId) this.#focusedRow = { ...this.#focusedRow, rowId: newId }
        },
        onmove: () => this.#noteFocus(),
        onmoved: () => {
          this.#rowsMoved()
          selection.rowsChanged()
        },
        onstates: function* (rowIds) {
          states.refresh(rowIds)
          yield* columns.fittingEdits(rowIds)
          yield* columns.fittingOutcomes(rowIds)
        },
      }),
      selection,
      bulk,
      columns,
      keyboard: new GridKeyboard({
        api,
        view,
        selection,
        bulk,
        isMac: this.#setting.isMac,
        onexplain: (rowId, path) => this.#explain(rowId, path),
        say,
      }),
      finder: new Finder({ api, list, selection, bulk, say, onmatch: this.#setting.onfocuscell }),
      states,
    }
  }

  leave(): void {
    this.#speech.stop()
    this.#tooltip.hide()
    this.columns?.stop()
    this.#parts?.rows.stop()
    this.view.list.rows.grid = null
    this.#parts = null
  }

  /** Applies chip, search, filters, and review to the grid. Call it in an effect. */
  followView(): void {
    const { chip, search, isReviewing, filters } = this.view
    void this.view.counts
    void this.view.chosen
    const parts = this.#parts
    if (!parts) return
    const { api, rows } = parts
    if (isReviewing !== this.#isReviewShown) this.#showReview(isReviewing)
    const filtered = JSON.stringify([...filters.all])
    const shown = JSON.stringify([chip, search, isReviewing, filtered])
    // With a chip or filter, each edit may show or hide a row. A search alone isn't repeated for that.
    const then = (): void => {
      this.#beginReview()
      this.#showTopRow()
    }
    if (shown !== this.#shown) rows.filter(then)
    else if (chip !== 'all') rows.filterAgain(then)
    // Redrawing the headings takes a fifth as long as a search, so do it only when they change.
    if (filtered !== this.#filtered) api.refreshHeader()
    this.#filtered = filtered
    this.#shown = shown
    rows.sortWhenFilled()
    this.#fitToValues()
    parts.states.refresh()
    if (untrack(() => this.callout.forget())) this.refocus()
  }

  /** Fits the columns once, when all rows have arrived, not only those with drafts. Saved widths are kept. */
  #fitToValues(): void {
    const { reader, count } = this.view.list
    if (this.#isFitted || reader.isBusy || reader.set === null || count === 0) return
    this.#isFitted = true
    untrack(() => this.columns?.fitToValues())
  }

  #sorted(): void {
    const { api, rows } = this.#parts ?? {}
    if (!api) return
    this.view.position = { ...this.view.position, sortedBy: sortedBy(api) }
    rows?.sort()
  }

  /** The row at the top of the list, for the next time it is shown. A review has an order of its own. */
  #keepTopRow(): void {
    const api = this.#parts?.api
    if (!api || this.view.isReviewing || this.#topRow !== null) return
    const topRow = Math.round(api.getVerticalPixelRange().top / api.getSizesForCurrentTheme().rowHeight)
    this.view.position = { ...this.view.position, topRow }
  }

  /** Once, as soon as the rows are there. */
  #showTopRow(): void {
    const [api, topRow] = [this.#parts?.api, this.#topRow]
    if (!api || topRow === null || this.view.list.reader.isFilling) return
    this.#topRow = null
    if (topRow > 0 && topRow < api.getDisplayedRowCount()) api.ensureIndexVisible(topRow, 'top')
  }

  #showReview(isReviewing: boolean): void {
    this.#isReviewShown = isReviewing
    this.#beginsReview = isReviewing
    if (isReviewing) this.columns?.review.start()
    else this.columns?.leaveReview()
    this.#fitOutcomes()
    this.#parts?.api.refreshCells({ force: true })
  }

  /** Focuses the first change once the review shows only changes. */
  #beginReview(): void {
    const parts = this.#parts
    if (!parts || !this.#beginsReview) return
    this.#beginsReview = false
    // Only now, all of its rows are shown.
    parts.columns.review.fit()
    // The list may be scrolled to the right.
    showFromLeft(parts.api)
    const first = parts.columns.review.firstChange()
    // Before sending, the panel has the focus.
    if (first && !this.view.isReviewForSending) this.focusCell(first.rowId, first.path)
    // The list was scrolled to the focused row, which may be the last one of a large fill.
    else if (first) parts.api.ensureIndexVisible(0, 'top')
  }

  /**
   * Ends the editing of a cell.
   * @returns whether no editor is open anymore
   */
  commit(): boolean {
    const api = this.#parts?.api
    api?.stopEditing()
    return (api?.getEditingCells().length ?? 0) === 0
  }

  /** Notes which row is focused, which AG Grid reports late. Call it before rows move. */
  #noteFocus(): void {
    const api = this.#parts?.api
    const rowIndex = api?.getFocusedCell()?.rowIndex
    if (!api || rowIndex === undefined || rowIndex === this.#focusedRow?.rowIndex) return
    const rowId = shownRows(api)[rowIndex]?.rowId
    if (rowId !== undefined) this.#focusedRow = { rowId, rowIndex }
  }

  /**
   * Keeps the focus on its record after rows were added, removed, or moved, so that typing doesn't change
   * another one.
   */
  #rowsMoved(): void {
    const api = this.#parts?.api
    if (!api) return
    this.count = api.getDisplayedRowCount()
    drawNestedNames(api)
    const [cell, row] = [api.getFocusedCell(), this.#focusedRow]
    if (!cell || cell.rowIndex !== row?.rowIndex) return
    const rowIndex = api.getRowNode(gridRowId(row.rowId))?.rowIndex
    if (rowIndex === null || rowIndex === undefined || rowIndex === cell.rowIndex) return
    const { activeElement } = document
    const isElsewhere = activeElement !== document.body && !activeElement?.closest('.ag-cell')
    if (isElsewhere) return
    this.#focusedRow = { rowId: row.rowId, rowIndex }
    // An open editor moves with its row. The grid's own focus must follow, or the next key would go to another record.
    if (api.getEditingCells().length > 0) {
      api.setFocusedCell(rowIndex, cell.column)
    } else focusOn(api, rowIndex, cell.column.getColId())
  }

  /** Focuses a cell and scrolls it into view. */
  focusCell(rowId: string, path: string): void {
    const api = this.#parts?.api
    // If the grid's code is still loading, focus it afterwards.
    this.#wanted = api ? null : { rowId, path }
    // It may be filtered out until the rows are arranged.
    this.#parts?.rows.whenArranged(() => {
      const rowIndex = api?.getRowNode(gridRowId(rowId))?.rowIndex
      if (!api || rowIndex === null || rowIndex === undefined) return
      focusLate({
        focus: () => {
          this.#focusedRow = { rowId, rowIndex }
          focusOn(api, rowIndex, path)
        },
      })
    })
  }

  /** Returns the focus to its last cell in the grid, or to the last row if that cell is gone. */
  refocus(): void {
    const api = this.#parts?.api
    const cell = api?.getFocusedCell()
    const column = cell?.column ?? this.#parts?.selection.columns[0]
    const last = (api?.getDisplayedRowCount() ?? 0) - 1
    if (column === undefined || last < 0) return
    focusLate({ focus: () => api?.setFocusedCell(Math.min(cell?.rowIndex ?? 0, last), column) })
  }

  openFind(replaces: boolean): void {
    this.#parts?.finder.takeSelection()
    this.findAsked = { replaces }
    this.isFinding = true
  }

  /** Closes the find bar and focuses the last match, or the previous cell if there is none. */
  closeFind(): void {
    const shown = this.#parts?.finder.shown
    this.isFinding = false
    if (shown) this.focusCell(shown.rowId, shown.path)
    else this.refocus()
  }

  /** The callout takes its space from the grid, which keeps the explained row visible. */
  #showCalloutRow(): void {
    const { open } = this.callout
    const api = this.#parts?.api
    const row = open && api?.getRowNode(gridRowId(open.rowId))
    if (!api || !row || row.rowIndex === null) return
    api.ensureIndexVisible(row.rowIndex)
    // The first row isn't cut off, either.
    const { top, bottom } = api.getVerticalPixelRange()
    const [first] = api
      .getRenderedNodes()
      .filter((node) => endOf(node) > top)
      .toSorted((left, right) => endOf(left) - endOf(right))
    if (!first || first.rowIndex === null) return
    const hasSpace = endOf(row) - (first.rowTop ?? 0) <= bottom - top
    api.ensureIndexVisible(hasSpace ? first.rowIndex : Math.min(first.rowIndex + 1, row.rowIndex), 'top')
  }

  /** Closes the callout and returns the focus to its cell. */
  closeCallout(): void {
    const api = this.#parts?.api
    if (!this.callout.open) return
    this.callout.close(api ? focusedCell(api) : null)
    this.refocus()
  }

  /** Closes the callout and opens the editor of a cell in its row. */
  editFromCallout(path: string): void {
    const [api, rowId] = [this.#parts?.api, this.callout.open?.rowId]
    const rowIndex = rowId === undefined ? null : (api?.getRowNode(gridRowId(rowId))?.rowIndex ?? null)
    if (!api || rowId === undefined || rowIndex === null) return
    // Its column may be hidden, or folded into a group.
    api.setColumnsVisible([path], true)
    if (memberOf(path) !== null) api.setColumnGroupOpened(groupIdOf(topField(path)), true)
    this.callout.close({ rowId, path })
    focusOn(api, rowIndex, path)
    api.startEditingCell({ rowIndex, colKey: path })
  }

  #makeColumns() {
    const { view } = this
    const setting = {
      view,
      format: this.#setting.format,
      separators: this.#separators,
      filter: {
        isOn: (path: string) => view.filters.of(path) !== undefined,
        onopen: this.#setting.onfilter,
      },
      onshow: (rowId: string) => this.#openCallout(rowId),
      oncheck: (rowIds: readonly string[], checked: boolean) => view.setChecked(rowIds, checked),
    }
    return [
      marginColumn(setting),
      checkboxColumn(setting),
      ...columnDefs(view.list.plan, setting),
      outcomeColumn(setting),
    ]
  }

  #markSelected(): void {
    const { selection } = this.#parts ?? {}
    if (selection) markSelected(document, (row, path) => selection.isMarked(row, path))
  }

  /** Opens the callout of a row and moves the focus into it. */
  #openCallout(rowId: string): void {
    this.callout.show(rowId)
    void tick().then(() =>
      focusLate(document.querySelector<HTMLElement>('.callout :is(input, button):not(:disabled)')),
    )
  }

  #focused(rowIndex: number | null, column: { getColId(): string } | null): void {
    const { api, selection, keyboard } = this.#parts ?? {}
    selection?.focused()
    const cell = api?.getFocusedCell()
    // Its row may have moved since. The focus followed it.
    if (cell && cell.rowIndex !== rowIndex) return
    const rowId = rowIndex === null ? undefined : api?.getDisplayedRowAtIndex(rowIndex)?.data?.rowId
    if (rowId === undefined || !column) return
    const path = column.getColId()
    if (rowIndex !== null && cell) this.#focusedRow = { rowId, rowIndex }
    const { count } = this.view.list
    keyboard?.focused(rowId)
    // An empty new row above may have been removed.
    if (this.view.list.count !== count) this.#fitOutcomes()
    this.#setting.onfocuscell(rowId, path)
    this.#speech.focused(rowId, path)
    this.callout.focused(rowId, path)
  }

  /** Explains why a cell can't be edited. A collapsed group expands instead. */
  #explain(rowId: string, path: string): void {
    const column = this.view.list.column(path)
    if (!column) return
    if (column.type === 'line') {
      this.#parts?.api.setColumnGroupOpened(groupIdOf(path), true)
      const first = `${path}.${column.members[0] ?? ''}`
      return this.focusCell(rowId, first)
    }
    const right = this.view.list.editing.editability(rowId, path)
    if (!right.editable) this.#setting.onrefused(`${this.view.list.fieldLabel(path)}: ${right.reason}`)
  }
}

/** Sorts by these columns; `null` leaves the order that the columns begin with. */
function sortBy(api: GridApi<RecordRow>, sortedBy: readonly SortedBy[] | null): void {
  if (sortedBy === null) return
  const state = sortedBy.map(({ path, descending }, sortIndex) => ({
    colId: path,
    sort: descending ? ('desc' as const) : ('asc' as const),
    sortIndex,
  }))
  api.applyColumnState({ state, defaultState: { sort: null } })
}

/** Redraws the names of nested records, because whether they are shown in full depends on the rows above. */
function drawNestedNames(api: GridApi<RecordRow>): void {
  const rowNodes = api.getRenderedNodes().filter(({ data }) => data && parentPrefix(data.record) !== '')
  if (rowNodes.length > 0) api.refreshCells({ rowNodes, columns: ['Name'], force: true })
}

/** Where a row ends, in pixels from the top of all rows. */
function endOf({ rowTop, rowHeight }: Pick<IRowNode<RecordRow>, 'rowTop' | 'rowHeight'>): number {
  return (rowTop ?? 0) + (rowHeight ?? 0)
}

// What is open above the grid: the cell menu or a column filter, one at a time.

/** The position of a popup that has no button. */
interface Anchor {
  readonly getBoundingClientRect: () => DOMRect
}

export class GridPopovers {
  menu = $state.raw<Anchor | null>(null)
  filter = $state.raw<{ readonly path: string; readonly anchor: Anchor } | null>(null)

  /** Opens the menu at a point, as for a right-click. */
  openMenuAt(x: number, y: number): void {
    this.close()
    const box = DOMRect.fromRect({ x, y })
    this.menu = { getBoundingClientRect: () => box }
  }

  /** Opens the menu below a cell, as for a key. */
  openMenuUnder(cell: Element): void {
    const { left, bottom } = cell.getBoundingClientRect()
    this.openMenuAt(left + 8, bottom - 2)
  }

  /** Opens the filter of a column below an element. */
  openFilter(path: string, under: Element): void {
    this.close()
    const box = under.getBoundingClientRect()
    this.filter = { path, anchor: { getBoundingClientRect: () => box } }
  }

  close(): void {
    this.menu = null
    this.filter = null
  }
}
