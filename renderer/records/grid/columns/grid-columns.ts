/** The columns of the grid that is shown: which are chosen, what is kept of them, and whether Outcome is one of them. */
import type { GridApi } from '../../../ui/grid/grid.ts'
import type { RecordRow } from '../../list/rows.ts'
import { runToCompletion, type Interruptible } from '../../list/time-slice.ts'
import type { RowOutcome } from '../../outcome/outcome.ts'
import { ReviewColumns } from '../../review/review-columns.svelte.ts'
import type { RecordsView } from '../../screen/records-view.svelte.ts'
import { type KeptColumns, keptFrom } from './column-state.ts'
import { OUTCOME, STATE_COLUMNS } from './plan.ts'

const KEEP_AFTER = 400
/** Pixels that the Outcome column needs for its words and buttons; the widest of those that stand there. */
const OUTCOME_WIDTHS: Readonly<Record<RowOutcome['kind'], number>> = {
  none: 0,
  draft: 0,
  new: 0,
  'changes-back': 124,
  queued: 150,
  sending: 150,
  saved: 150,
  problem: 190,
  refused: 206,
  unconfirmed: 262,
  underneath: 206,
  meanwhile: 206,
  deleted: 226,
  'saved-otherwise': 214,
  held: 240,
}

/** Of a row that says what the application filled in. */
const NEWS_WIDTH = 270
/** As wide as its heading, with the arrow of a sorted column. */
export const OUTCOME_WIDTH = 112
/** Rows between two looks at the clock. */
const STRIDE = 64
/** Of more rows it is not worth asking each what it has to say. */
const FEW_MARKED = 500

/** Rows whose values decide how wide a column is at first. */
const MEASURED_ROWS = 200
/** Pixels around the text of a cell, and around that of a heading with its arrow and its filter. */
const CELL_MARGIN = 20
const HEADING_MARGIN = 44
const WIDEST: ReadonlyMap<string, number> = new Map([
  ['Name', 280],
  ['Email', 320],
])
const WIDEST_OTHER = 220

export interface ColumnChoice {
  readonly field: string
  readonly label: string
  readonly isShown: boolean
}

export class GridColumns {
  readonly #api: GridApi<RecordRow>
  readonly #view: RecordsView
  readonly #onkeep: (kept: KeptColumns) => void
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly review: ReviewColumns
  /** The width that the Outcome column was given last. */
  #fitted = OUTCOME_WIDTH

  constructor(api: GridApi<RecordRow>, view: RecordsView, onkeep: (kept: KeptColumns) => void) {
    this.#api = api
    this.#view = view
    this.#onkeep = onkeep
    this.review = new ReviewColumns(api, view.list)
  }

  /** Keeps order, widths and choice, once the hand rests. */
  keepSoon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (!this.review.isShown) this.#onkeep(keptFrom(this.#api))
    }, KEEP_AFTER)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  /** Makes each column as wide as its values, as far as the first rows show, so that few are cut. */
  fitToValues(): void {
    if (this.review.isShown) return
    const measure = textMeasure()
    if (measure === null) return
    const rows = Math.min(MEASURED_ROWS, this.#api.getDisplayedRowCount())
    const widths = this.#api.getAllDisplayedColumns().flatMap((column) => {
      const key = column.getColId()
      if (STATE_COLUMNS.includes(key)) return []
      let width = measure(column.getColDef().headerName ?? '') + HEADING_MARGIN
      for (let index = 0; index < rows; index += 1) {
        const rowNode = this.#api.getDisplayedRowAtIndex(index)
        const text: unknown = rowNode && this.#api.getCellValue({ rowNode, colKey: key, useFormatter: true })
        if (typeof text === 'string') width = Math.max(width, measure(text) + CELL_MARGIN + indentOf(key))
      }
      return [{ key, newWidth: Math.ceil(Math.min(width, WIDEST.get(key) ?? WIDEST_OTHER)) }]
    })
    this.#api.setColumnWidths(widths)
  }

  /** The fields of the list and whether each is shown, for choosing columns. */
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

  /** Paths of the columns that are seen, from left to right. */
  shownPaths(): readonly string[] {
    const ids = this.#api.getAllDisplayedColumns().map((column) => column.getColId())
    return ids.filter((id) => !STATE_COLUMNS.includes(id))
  }

  /** The rows as they are filtered and sorted. */
  shownRows(): readonly RecordRow[] {
    const rows: RecordRow[] = []
    this.#api.forEachNodeAfterFilterAndSort(({ data }) => {
      if (data) rows.push(data)
    })
    return rows
  }

  /** Order, widths and choice as they are at first. */
  reset(): void {
    this.#api.resetColumnState()
    this.#api.resetColumnGroupState()
    this.fitToValues()
    runToCompletion(this.fittingOutcomes(this.#view.list.drafts.markedRows()))
    this.keepSoon()
  }

  /**
   * The Outcome column is there while a row has something to say, or to ask: these may have by now. It is as wide as
   * that, where nobody has made it wider by hand.
   */
  *fittingOutcomes(rowIds: Iterable<string>): Interruptible<void> {
    const needed = yield* this.#widthFor(rowIds)
    const column = this.#api.isDestroyed() ? null : this.#api.getColumn(OUTCOME)
    if (!column) return
    const wasShown = column.isVisible()
    const width = this.review.ownWidth(OUTCOME)
    const marked = this.#view.list.drafts.markedRows()
    // Asking many rows isn't worth it: then it stays as it is, or becomes wider.
    const said = marked.size <= FEW_MARKED ? yield* this.#widthFor(marked) : Infinity
    this.#showOutcome(needed > 0 || (said === Infinity ? column.isVisible() : said > 0))
    const canNarrow = width === this.#fitted && needed < width && said < Infinity
    const newWidth = canNarrow ? Math.max(OUTCOME_WIDTH, said) : Math.max(width, needed)
    if (newWidth !== width) {
      this.#fitted = newWidth
      this.#api.setColumnWidths([{ key: OUTCOME, newWidth }])
    }
    if (newWidth !== width || column.isVisible() !== wasShown) this.review.fit()
  }

  #showOutcome(isShown: boolean): void {
    if (this.#api.getColumn(OUTCOME)?.isVisible() === isShown) return
    const focused = this.#api.getFocusedCell()
    // The focus stays in its row.
    if (!isShown && focused?.column.getColId() === OUTCOME) this.#api.setFocusedCell(focused.rowIndex, 'Name')
    this.#api.setColumnsVisible([OUTCOME], isShown)
  }

  *#widthFor(rowIds: Iterable<string>): Interruptible<number> {
    const { drafts } = this.#view.list
    let width = 0
    let asked = 0
    for (const rowId of rowIds) {
      width = Math.max(width, outcomeWidth(drafts.outcome(rowId)))
      asked += 1
      if (asked % STRIDE === 0) yield
    }
    return width
  }
}

/** A name may be indented under its parents. */
function indentOf(key: string): number {
  return key === 'Name' ? 16 : 0
}

/** Measures text in the grid's font, in pixels; `null` where nothing can be drawn. */
function textMeasure(): ((text: string) => number) | null {
  const context = document.createElement('canvas').getContext('2d')
  if (context === null) return null
  const cell = document.querySelector('.records-grid') ?? document.body
  const { fontSize, fontFamily } = getComputedStyle(cell)
  context.font = `${fontSize} ${fontFamily}`
  return (text) => context.measureText(text).width
}

function outcomeWidth(outcome: RowOutcome): number {
  const hasNews = outcome.kind === 'saved' && outcome.mark.filledIn.length > 0
  return hasNews ? NEWS_WIDTH : OUTCOME_WIDTHS[outcome.kind]
}

/*
 * Draws anew the cells that say something about a row as a whole: of the rows that say something now, or did when they
 * were drawn last, which are few of those in sight.
 */

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
