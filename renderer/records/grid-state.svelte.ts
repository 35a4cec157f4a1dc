/** What stands between a list's view and the grid: options, keys, chips and search, the callout, kept columns. */
import { tick, untrack } from 'svelte'
import type { NumberMarks } from '../../shared/money.ts'
import type { Format } from '../ui/format.ts'
import type { GridApi, GridOptions } from '../ui/grid/grid.ts'
import { columnDefs, groupIdOf } from './column-defs.ts'
import { applyKept, type KeptColumns } from './column-state.ts'
import { GridColumns } from './grid-columns.ts'
import { copied, focusedCell, isWriting, pasted, selectRow, takesOver, turnedOver } from './grid-keys.ts'
import { gridPort, STATE_COLUMNS } from './grid-port.ts'
import { GridRows } from './grid-rows.ts'
import { hasCallout, type OutcomeAction } from './outcome-actions.ts'
import type { Refusal } from './list-editing.ts'
import type { RecordsView } from './records-view.svelte.ts'
import type { RowOutcome } from './row-outcome.ts'
import type { RecordRow } from './rows.ts'
import { marginColumn, outcomeColumn, tickColumn } from './state-columns.ts'
import { numberMarks } from './typed-values.ts'

interface Setting {
  readonly view: RecordsView
  /** BCP 47, for the marks of amounts. */
  readonly locale: string
  readonly kept: KeptColumns | null
  readonly format: () => Format
  readonly onkeep: (kept: KeptColumns) => void
  readonly onfocuscell: (rowId: string, path: string) => void
  readonly onrefused: (because: string) => void
}

interface Callout {
  readonly rowId: string
  readonly outcome: RowOutcome
  readonly left: number
  readonly top: number
}

export class GridState {
  readonly view: RecordsView
  readonly #setting: Setting
  readonly #marks: NumberMarks
  #api: GridApi<RecordRow> | null = null
  #columns: GridColumns | null = null
  #isReviewShown = false
  #wanted: { readonly rowId: string; readonly path: string } | null = null
  /** Chip, search and review as the grid shows them. */
  #shown = ''
  readonly #rows: GridRows
  callout = $state.raw<Callout | null>(null)
  readonly #columnDefs = $derived.by(() => this.#makeColumns())
  readonly options: GridOptions<RecordRow>

  constructor(setting: Setting) {
    this.#setting = setting
    this.view = setting.view
    this.#marks = numberMarks(setting.locale)
    this.#rows = new GridRows(setting)
    this.options = this.#makeOptions()
  }

  get columnDefs() {
    return this.#columnDefs
  }

  ready(api: GridApi<RecordRow>): void {
    this.#api = api
    this.#columns = new GridColumns(api, this.view, this.#setting.onkeep)
    this.view.list.grid = gridPort(api, () => this.#rows.forget())
    if (this.#setting.kept) applyKept(api, this.#setting.kept)
    // Rows may have come while the grid's code was being loaded.
    let held = 0
    api.forEachNode(() => (held += 1))
    if (held !== this.view.list.count) api.setGridOption('rowData', [...this.view.list.rows])
    this.followView()
    if (this.#wanted) this.focus(this.#wanted.rowId, this.#wanted.path)
  }

  leave(): void {
    this.#columns?.stop()
    this.#rows.stop()
    this.view.list.grid = null
    this.#api = null
  }

  /** Follows chip, search and review; called in an effect. */
  followView(): void {
    const { chip, search, isReviewing } = this.view
    void this.view.counts
    void this.view.unticked
    const api = this.#api
    if (!api) return
    if (isReviewing !== this.#isReviewShown) this.#showReview(isReviewing)
    const shown = JSON.stringify([chip, search, isReviewing])
    // Under a chip each edit may bring a row in or out; a search alone is not asked again for that.
    if (chip !== 'all' || shown !== this.#shown) this.#rows.filter(api)
    this.#shown = shown
    this.#rows.sortWhenFilled(api)
    api.refreshCells({ columns: STATE_COLUMNS, force: true })
    this.#columns?.fitOutcomes()
    untrack(() => this.#forgetCallout())
  }

  #showReview(isReviewing: boolean): void {
    this.#isReviewShown = isReviewing
    if (isReviewing) this.#columns?.startReview()
    else this.#columns?.leaveReview()
    this.#api?.refreshCells({ force: true })
  }

  /** The columns of the grid, once it is there. */
  get columns(): GridColumns | null {
    return this.#columns
  }

  /** What a callout speaks of may be over. */
  #forgetCallout(): void {
    const { callout } = this
    if (callout && this.view.list.book.outcome(callout.rowId).kind !== callout.outcome.kind)
      this.callout = null
  }

  /** Ends the editing of a cell; answers whether nothing is left in an editor. */
  commit(): boolean {
    this.#api?.stopEditing()
    return (this.#api?.getEditingCells().length ?? 0) === 0
  }

  /** Puts the focus on a cell, in sight. */
  focus(rowId: string, path: string): void {
    const api = this.#api
    // The grid's code may still be loading: then as soon as it is there.
    this.#wanted = api ? null : { rowId, path }
    const rowIndex = api?.getRowNode(rowId)?.rowIndex
    if (!api || rowIndex === null || rowIndex === undefined) return
    api.ensureIndexVisible(rowIndex)
    api.ensureColumnVisible(path)
    api.setFocusedCell(rowIndex, path)
  }

  copied(): string | null {
    return this.#api ? copied(this.#api, this.view.list, this.#marks.decimal) : null
  }

  paste(text: string): void {
    if (!this.#api) return
    const { edits, refused } = pasted(this.#api, this.view, text, this.#marks)
    this.#refuse([...refused, ...this.view.list.editing.edit(edits)])
  }

  openCallout(rowId: string, path: string): void {
    const outcome = this.view.list.book.outcome(rowId)
    const box = this.#cellBox(rowId, path)
    if (!box || !hasCallout(outcome)) return this.closeCallout()
    const left = Math.max(8, Math.min(box.left, window.innerWidth - 456))
    const top = box.bottom + 240 > window.innerHeight ? Math.max(8, box.top - 250) : box.bottom + 4
    this.callout = { rowId, outcome, left, top }
  }

  closeCallout(): void {
    const open = this.callout
    this.callout = null
    const cell = this.#api?.getFocusedCell()
    if (open && cell) this.#api?.setFocusedCell(cell.rowIndex, cell.column)
  }

  #cellBox(rowId: string, path: string): DOMRect | null {
    const row = CSS.escape(rowId)
    const cell = document.querySelector(`.ag-row[row-id="${row}"] [col-id="${CSS.escape(path)}"]`)
    return cell?.getBoundingClientRect() ?? null
  }

  #makeColumns() {
    const { view } = this
    const setting = {
      view,
      format: this.#setting.format,
      marks: this.#marks,
      onaction: (rowId: string, action: OutcomeAction) => this.#act(rowId, action),
      ontick: (rowIds: readonly string[], ticked: boolean) => view.tick(rowIds, ticked),
    }
    return [
      marginColumn(setting),
      tickColumn(setting),
      ...columnDefs(view.list.plan, setting),
      outcomeColumn(setting),
    ]
  }

  #makeOptions(): GridOptions<RecordRow> {
    const { view } = this
    return {
      suppressColumnMoveAnimation: true,
      groupHeaderHeight: 22,
      invalidEditValueMode: 'block',
      enterNavigatesVerticallyAfterEdit: true,
      maintainColumnOrder: true,
      rowSelection: {
        mode: 'multiRow',
        checkboxes: false,
        headerCheckbox: false,
        enableClickSelection: false,
      },
      rowClassRules: {
        'row-new': ({ data }) => data?.origin === 'new',
      },
      isExternalFilterPresent: () => view.isFiltered,
      doesExternalFilterPass: ({ data }) => data !== undefined && view.passes(data),
      postSortRows: ({ nodes, api }) => this.#rows.arrange(nodes, api),
      onCellFocused: ({ rowIndex, column }) =>
        this.#focused(rowIndex, typeof column === 'object' ? column : null),
      onCellKeyDown: ({ event }) => event instanceof KeyboardEvent && this.#key(event),
      onCellDoubleClicked: ({ data, colDef }) => data && this.#explain(data.rowId, colDef.colId ?? ''),
      onCellClicked: ({ node, colDef, event }) => colDef.colId === 'margin' && selectRow(node, event),
      onBodyScroll: () => this.callout && this.openCallout(this.callout.rowId, 'outcome'),
      onColumnMoved: ({ finished }) => finished && this.#columns?.keepSoon(),
      onColumnResized: ({ finished, source }) =>
        finished && source === 'uiColumnResized' && this.#columns?.keepSoon(),
      onColumnGroupOpened: () => this.#columns?.keepSoon(),
      onColumnVisible: () => this.#columns?.keepSoon(),
      defaultColDef: {
        sortable: true,
        resizable: true,
        minWidth: 60,
        suppressHeaderMenuButton: true,
        suppressKeyboardEvent: ({ event, editing }) => !editing && takesOver(event),
      },
    }
  }

  #act(rowId: string, action: OutcomeAction): void {
    const { sending } = this.view.list
    switch (action.what) {
      case 'check-now':
        return void sending.checkNow([action.operationId])
      case 'send-again':
        return void sending.decide(action.operationId, { what: 'send-again' })
      case 'discard':
        return void sending.decide(action.operationId, { what: 'discard' })
      case 'show':
        this.openCallout(rowId, 'outcome')
        void tick().then(() => document.querySelector<HTMLElement>('.callout :is(input, button)')?.focus())
    }
  }

  #focused(rowIndex: number | null, column: { getColId(): string } | null): void {
    const rowId = rowIndex === null ? undefined : this.#api?.getDisplayedRowAtIndex(rowIndex)?.data?.rowId
    if (rowId === undefined || !column) return
    const path = column.getColId()
    this.#setting.onfocuscell(rowId, path)
    const outcome = this.view.list.book.outcome(rowId)
    const isRefusedCell = outcome.kind === 'refused' && outcome.operation.errorPath === path
    if (isRefusedCell || (path === 'outcome' && hasCallout(outcome))) this.openCallout(rowId, path)
    else if (this.callout && this.callout.rowId !== rowId) this.callout = null
  }

  #key(event: KeyboardEvent): void {
    const api = this.#api
    const cell = api ? focusedCell(api) : null
    if (!api || !cell || api.getEditingCells().length > 0) return
    const { list } = this.view
    if (event.target instanceof Element && event.target.closest('button, input')) return
    if (event.key === ' ' && event.shiftKey) {
      const node = api.getRowNode(cell.rowId)
      if (node) selectRow(node, event)
    } else if (event.key === 'Delete') {
      this.#refuse(list.editing.clear([cell]))
    } else if (event.key === ' ') {
      if (cell.path === 'tick' && this.view.canTick(cell.rowId)) {
        return this.view.tick([cell.rowId], !this.view.isTicked(cell.rowId))
      }
      const turned = turnedOver(list, cell)
      if (turned) this.#refuse(list.editing.edit([turned]))
    } else if (event.key === 'Enter' && cell.path === 'outcome') {
      this.#cellElement(cell.rowId, 'outcome')?.querySelector('button')?.click()
    } else if (event.key === 'Enter' || event.key === 'F2' || isWriting(event)) {
      this.#explain(cell.rowId, cell.path)
    }
  }

  #cellElement(rowId: string, path: string): Element | null {
    return document.querySelector(`.ag-row[row-id="${CSS.escape(rowId)}"] [col-id="${CSS.escape(path)}"]`)
  }

  /** Typing where nothing can be typed says why; a folded line unfolds. */
  #explain(rowId: string, path: string): void {
    const column = this.view.list.column(path)
    if (!column) return
    if (column.type === 'line') {
      this.#api?.setColumnGroupOpened(groupIdOf(path), true)
      const first = `${path}.${column.members[0] ?? ''}`
      return this.focus(rowId, first)
    }
    const right = this.view.list.editing.editability(rowId, path)
    if (!right.editable) this.#setting.onrefused(`${this.view.list.words(path)}: ${right.because}`)
  }

  #refuse(refused: readonly Refusal[]): void {
    const [first] = refused
    if (!first) return
    const others = refused.length > 1 ? ` (and ${refused.length - 1} more)` : ''
    this.#setting.onrefused(`${this.view.list.words(first.path)}: ${first.because}${others}`)
  }
}
