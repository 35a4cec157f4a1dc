/** The columns of the visible grid: which are shown, what is saved about them, and whether Outcome is among them. */
import { type GridApi, gridRowId, shownRows } from '../../../ui/grid/grid.ts'
import { NARROW_WINDOW, SMALL_WINDOW } from '../../../ui/styles/breakpoints.ts'
import type { RecordRow } from '../../list/rows.ts'
import { END_SLICE, type Interruptible, runInSlices, runToCompletion } from '../../list/time-slice.ts'
import type { RowOutcome } from '../../outcome/outcome.ts'
import { ReviewColumns, type TextMeasure } from '../../review/review-columns.svelte.ts'
import type { RecordsView } from '../../screen/records-view.svelte.ts'
import { type GridLayout, layoutOf, widthsToEdge } from './column-state.ts'
import { OUTCOME, STATE_COLUMNS } from './plan.ts'

const KEEP_AFTER = 400
/** Width in pixels that the Outcome column needs for its text and link, by outcome. */
const OUTCOME_WIDTHS: Readonly<Record<RowOutcome['kind'], number>> = {
  none: 0,
  draft: 0,
  new: 0,
  'changes-back': 124,
  queued: 150,
  sending: 150,
  saved: 150,
  problem: 190,
  'not-accepted': 206,
  'not-confirmed': 160,
  underneath: 206,
  'changed-meanwhile': 206,
  deleted: 226,
  'saved-otherwise': 214,
  decision: 170,
}

/** Width for a row that lists what the application filled in. */
const NEWS_WIDTH = 270
/** Width for an unconfirmed row that was looked for. */
const LOOKED_WIDTH = 236
/** Width of its heading with the sort arrow. */
export const OUTCOME_WIDTH = 112
/** Rows per step of work that yields between steps. */
const STRIDE = 64
/** Beyond this many rows with outcomes, they aren't all measured. */
const FEW_MARKED = 500

/** Rows whose values determine the initial width of a column. */
const MEASURED_ROWS = 200
/** Space in pixels around the text of a cell, and around a heading with its sort arrow and filter button. */
const CELL_MARGIN = 20
const HEADING_MARGIN = 44
const WIDEST: ReadonlyMap<string, number> = new Map([
  ['Name', 280],
  ['Email', 320],
])
const WIDEST_OTHER = 220
/**
 * The least width at the edge of the view, where values are cut with an ellipsis: of an address in one line, and of others
 * by path.
 */
const NARROWEST_LINE = 90
const NARROWEST_AT_EDGE: ReadonlyMap<string, number> = new Map([['Email', 150]])

export interface ColumnChoice {
  readonly field: string
  readonly label: string
  readonly isShown: boolean
}

export class GridColumns {
  readonly #api: GridApi<RecordRow>
  readonly #view: RecordsView
  readonly #onkeep: (kept: GridLayout) => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #stopFitting: () => void = () => undefined
  readonly review: ReviewColumns
  /** The last automatic width of the Outcome column. */
  #fitted = OUTCOME_WIDTH
  /** Whether the window was small when the Outcome column was fitted. */
  #wasSmall = false
  #wasNarrow = matchMedia(NARROW_WINDOW).matches
  /** Widths without regard to the edge of the view, and those that `#fitToEdge` set, by column. */
  readonly #natural = new Map<string, { readonly width: number; readonly fitted: number }>()
  readonly #measures = new Map<FontWeight, TextMeasure | null>()

  constructor(api: GridApi<RecordRow>, view: RecordsView, onkeep: (kept: GridLayout) => void) {
    this.#api = api
    this.#view = view
    this.#onkeep = onkeep
    this.review = new ReviewColumns(api, view.list, (weight) => this.#measure(weight))
  }

  /** Saves order, widths, and visibility after a short delay. */
  keepSoon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (!this.review.isShown) this.#onkeep(layoutOf(this.#api))
    }, KEEP_AFTER)
  }

  stop(): void {
    this.#stopFitting()
    clearTimeout(this.#timer)
  }

  /** Fits each column to the values of the first rows, once they are drawn. */
  fitToValues(): void {
    this.#stopFitting()
    this.#stopFitting = runInSlices(this.#fittingToValues(), () => undefined)
  }

  *#fittingToValues(): Interruptible<void> {
    yield END_SLICE
    const measure = this.#measure()
    if (measure === null || this.review.isShown || this.#api.isDestroyed()) return
    const rows = Math.min(MEASURED_ROWS, this.#api.getDisplayedRowCount())
    const widths = []
    for (const column of this.#api.getAllDisplayedColumns()) {
      const key = column.getColId()
      if (STATE_COLUMNS.includes(key)) continue
      let width = measure(column.getColDef().headerName ?? '') + HEADING_MARGIN
      for (let index = 0; index < rows; index += 1) {
        const rowNode = this.#api.getDisplayedRowAtIndex(index)
        const text: unknown = rowNode && this.#api.getCellValue({ rowNode, colKey: key, useFormatter: true })
        if (typeof text === 'string') width = Math.max(width, measure(text) + CELL_MARGIN + indentOf(key))
      }
      widths.push({ key, newWidth: Math.ceil(Math.min(width, WIDEST.get(key) ?? WIDEST_OTHER)) })
      yield
      if (this.#api.isDestroyed()) return
    }
    this.#natural.clear()
    for (const { key, newWidth } of widths) this.#natural.set(key, { width: newWidth, fitted: newWidth })
    this.#api.setColumnWidths(widths)
    this.#fitToEdge()
  }

  /**
   * Ends the columns at the edge of the view, or at the Outcome column, instead of cutting letters there. Saved widths are
   * kept.
   * @param edited columns that an edit just widened, which keep their widths. The others only give up width to them.
   */
  #fitToEdge(edited: ReadonlySet<string> = new Set()): void {
    if (this.#natural.size === 0 || this.review.isShown || this.#api.isDestroyed()) return
    const { left, right } = this.#api.getHorizontalPixelRange()
    const columns = this.#api
      .getAllDisplayedColumns()
      .filter((column) => !column.isPinned())
      .map((column) => {
        const [key, now] = [column.getColId(), column.getActualWidth()]
        const known = this.#natural.get(key)
        // Unless it has been resized since.
        const natural = known?.fitted === now ? known.width : now
        const width = edited.size > 0 ? now : natural
        const isLine = this.#view.list.column(key)?.type === 'line'
        const least = isLine ? NARROWEST_LINE : (NARROWEST_AT_EDGE.get(key) ?? width)
        return { key, now, natural, width, least: edited.has(key) ? width : Math.min(least, width) }
      })
    const fitted = widthsToEdge(columns, right - left)
    const changed = columns.flatMap(({ key, now, natural, width }, at) => {
      const newWidth = fitted[at] ?? width
      this.#natural.set(key, { width: natural, fitted: newWidth })
      return newWidth === now ? [] : [{ key, newWidth }]
    })
    if (changed.length > 0) this.#api.setColumnWidths(changed)
  }

  /** The fields of the list and whether each is shown, for the columns dialog. */
  choices(): readonly ColumnChoice[] {
    return this.#view.list.plan.map((entry) => {
      const [path, label, field] =
        entry.kind === 'column'
          ? [entry.column.path, entry.column.header, entry.column.path]
          : [entry.group.columns[0]?.path ?? '', entry.group.header, entry.group.field]
      return { field, label, isShown: this.#api.getColumn(path)?.isVisible() ?? true }
    })
  }

  show(field: string, isShown: boolean): void {
    const entry = this.#view.list.plan.find((each) =>
      each.kind === 'column' ? each.column.path === field : each.group.field === field,
    )
    if (!entry) return
    const paths =
      entry.kind === 'column' ? [entry.column.path] : entry.group.columns.map((column) => column.path)
    this.#api.setColumnsVisible(paths, isShown)
  }

  /** Paths of the visible columns, from left to right. */
  shownPaths(): readonly string[] {
    const ids = this.#api.getAllDisplayedColumns().map((column) => column.getColId())
    return ids.filter((id) => !STATE_COLUMNS.includes(id))
  }

  /** The filtered and sorted rows. */
  shownRows(): readonly RecordRow[] {
    return shownRows(this.#api)
  }

  /** Resets order, widths, and visibility to the defaults. */
  reset(): void {
    this.#api.resetColumnState()
    this.#api.resetColumnGroupState()
    this.fitToValues()
    runToCompletion(this.fittingOutcomes(this.#view.list.drafts.markedRows()))
    this.keepSoon()
  }

  /**
   * Shows the Outcome column while any row has an outcome, and adjusts its width after these rows changed,
   * unless the user widened it.
   */
  *fittingOutcomes(rowIds: Iterable<string>): Interruptible<void> {
    this.#wasSmall = matchMedia(SMALL_WINDOW).matches
    const needed = yield* this.#widthFor(rowIds)
    const column = this.#api.isDestroyed() ? null : this.#api.getColumn(OUTCOME)
    if (!column) return
    const wasShown = column.isVisible()
    const width = this.review.ownWidth(OUTCOME)
    const marked = this.#view.list.drafts.markedRows()
    // With many outcomes, it keeps its width or becomes wider.
    const outcomeWidth = marked.size <= FEW_MARKED ? yield* this.#widthFor(marked) : Infinity
    this.#showOutcome(needed > 0 || (outcomeWidth === Infinity ? column.isVisible() : outcomeWidth > 0))
    const canNarrow = width === this.#fitted && needed < width && outcomeWidth < Infinity
    const newWidth = canNarrow ? Math.max(OUTCOME_WIDTH, outcomeWidth) : Math.max(width, needed)
    if (newWidth !== width) {
      this.#fitted = newWidth
      this.#api.setColumnWidths([{ key: OUTCOME, newWidth }])
    }
    if (newWidth === width && column.isVisible() === wasShown) return
    this.review.fit()
    this.#fitToEdge()
  }

  leaveReview(): void {
    this.review.leave()
    this.#fitToEdge()
  }

  /** Lays out the columns for the new size of the grid. */
  resized(): void {
    const isNarrow = matchMedia(NARROW_WINDOW).matches
    const isSmall = matchMedia(SMALL_WINDOW).matches
    const hasOtherLayout = isNarrow !== this.#wasNarrow || isSmall !== this.#wasSmall
    this.#wasNarrow = isNarrow
    if (!this.review.isShown) {
      // Not with every pixel, so that the columns don't move while the window is being resized.
      this.#wasSmall = isSmall
      if (hasOtherLayout) this.#fitToEdge()
      return
    }
    if (isSmall !== this.#wasSmall) runToCompletion(this.fittingOutcomes(this.#view.list.drafts.markedRows()))
    this.review.fit()
  }

  /** Widens the columns of values that were just edited, so that these aren't cut. */
  *fittingEdits(rowIds: readonly string[]): Interruptible<void> {
    const measure = rowIds.length <= FEW_MARKED ? this.#measure() : null
    if (measure === null || this.review.isShown || this.#api.isDestroyed()) return
    const widths = new Map<string, number>()
    for (const rowId of rowIds) {
      const rowNode = this.#api.getRowNode(gridRowId(rowId))
      for (const path of Object.keys(this.#view.list.drafts.draft(rowId)?.edits ?? {})) {
        if (!rowNode || !this.#api.getColumn(path)?.isVisible()) continue
        const text: unknown = this.#api.getCellValue({ rowNode, colKey: path, useFormatter: true })
        if (typeof text !== 'string') continue
        const width = Math.ceil(measure(text) + CELL_MARGIN + indentOf(path))
        widths.set(path, Math.max(widths.get(path) ?? 0, Math.min(width, WIDEST.get(path) ?? WIDEST_OTHER)))
      }
      yield
      if (this.#api.isDestroyed()) return
    }
    const wider = [...widths].filter(
      ([path, width]) => width > (this.#api.getColumn(path)?.getActualWidth() ?? Infinity),
    )
    if (wider.length === 0) return
    this.#api.setColumnWidths(wider.map(([key, newWidth]) => ({ key, newWidth })))
    this.#fitToEdge(new Set(widths.keys()))
  }

  /** Keeps what measures text: reading the grid's font after a change recalculates the page's styles. */
  #measure(weight: FontWeight = 'normal'): TextMeasure | null {
    const known = this.#measures.get(weight)
    if (known !== undefined) return known
    const made = textMeasure(weight)
    this.#measures.set(weight, made)
    return made
  }

  #showOutcome(isShown: boolean): void {
    if (this.#api.getColumn(OUTCOME)?.isVisible() === isShown) return
    const focused = this.#api.getFocusedCell()
    // Keep the focus in its row.
    if (!isShown && focused?.column.getColId() === OUTCOME) this.#api.setFocusedCell(focused.rowIndex, 'Name')
    this.#api.setColumnsVisible([OUTCOME], isShown)
  }

  *#widthFor(rowIds: Iterable<string>): Interruptible<number> {
    const { drafts } = this.#view.list
    let width = 0
    let asked = 0
    for (const rowId of rowIds) {
      const outcome = drafts.outcome(rowId)
      // In a small window, a review has no room for what its panel says, too.
      const isSaidBelow = this.#wasSmall && this.review.isShown && outcome.kind === 'problem'
      if (!isSaidBelow) width = Math.max(width, outcomeWidth(outcome, this.#wasSmall))
      asked += 1
      if (asked % STRIDE === 0) yield
    }
    return width
  }
}

/** Names may be indented below their parents. */
function indentOf(key: string): number {
  return key === 'Name' ? 16 : 0
}

type FontWeight = 'normal' | 'bold'

/** Creates a function that measures text in the grid's font, in pixels; `null` if there is no canvas. */
function textMeasure(weight: FontWeight): TextMeasure | null {
  const context = document.createElement('canvas').getContext('2d')
  if (context === null) return null
  const cell = document.querySelector('.records-grid') ?? document.body
  const { fontSize, fontFamily } = getComputedStyle(cell)
  context.font = `${weight} ${fontSize} ${fontFamily}`
  return (text) => context.measureText(text).width
}

/** @param isSmall whether the rows need the room more than what the callout says, too */
function outcomeWidth(outcome: RowOutcome, isSmall: boolean): number {
  const wasLookedFor = outcome.kind === 'not-confirmed' && outcome.operation.lastRecheckedAt !== null
  if (wasLookedFor && !isSmall) return LOOKED_WIDTH
  const hasNews = outcome.kind === 'saved' && outcome.mark.filledIn.length > 0
  return hasNews ? NEWS_WIDTH : OUTCOME_WIDTHS[outcome.kind]
}

/* Redraws the state cells of the visible rows that have an outcome, or had one at the last redraw. */

export class StateCells {
  readonly #api: GridApi<RecordRow>
  readonly #markedRows: () => ReadonlySet<string>
  #marked: ReadonlySet<string> = new Set()

  /** @param markedRows returns the rows with a draft or an outcome */
  constructor(api: GridApi<RecordRow>, markedRows: () => ReadonlySet<string>) {
    this.#api = api
    this.#markedRows = markedRows
  }

  /** @param drawn rows that were just redrawn completely */
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
