/** Handles the grid's keys before AG Grid does. */
import { focusBeside } from '../../ui/focus.ts'
import { cellElement } from '../../ui/grid/cells.ts'
import { type GridApi, gridRowId } from '../../ui/grid/grid.ts'
import type { GridBulk } from '../bulk/bulk.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import { hasCallout } from '../outcome/outcome.ts'
import type { RecordsView } from '../screen/records-view.svelte.ts'
import { CHECKBOX, MARGIN, OUTCOME } from './columns/plan.ts'
import { CellEditor } from './editor/cell-editor.ts'
import {
  arrowSteps,
  type CellPosition,
  focusedCell,
  focusOn,
  type GridCommand,
  gridCommand,
  isEscape,
  isWriting,
  leavingKey,
  MODIFIERS,
  showFromLeft,
  type Steps,
  tabStep,
  toggleEdit,
} from './keys.ts'
import type { GridSelection } from './selection/selection.svelte.ts'
import { GridTab } from './tab.ts'

interface Setting {
  readonly api: GridApi<RecordRow>
  readonly view: RecordsView
  readonly selection: GridSelection
  readonly bulk: GridBulk
  readonly isMac: boolean
  /** Explains why a cell can't be edited, or expands a collapsed group. */
  readonly onexplain: (rowId: string, path: string) => void
  /** Announces text to screen readers. */
  readonly say: (message: string) => void
}

/** Commands that the grid passes on, because they open something above it. */
export type OpeningCommand = Extract<GridCommand, 'menu' | 'filter' | 'copy-headings' | 'next-step'>

export class GridKeyboard {
  readonly #setting: Setting
  readonly #tab: GridTab
  /** Whether Escape was just pressed, so that Tab leaves the grid. */
  #isLeaving = false
  /** The new row that Enter or Tab added, and whether the focus has reached it. */
  #opened: { readonly rowId: string; isReached: boolean } | null = null

  constructor(setting: Setting) {
    this.#setting = setting
    const { list } = setting.view
    this.#tab = new GridTab(
      setting.api,
      (rowId, path) => this.#stopsAt(rowId, path),
      (rowId, isTyped) => {
        const edits = list.drafts.draft(rowId)?.edits ?? {}
        if (!isTyped && Object.keys(edits).length === 0) return null
        setting.say('Another new row')
        const added = list.addRecord('below-new')
        this.#opened = { rowId: added, isReached: false }
        return setting.api.getRowNode(gridRowId(added))?.rowIndex ?? null
      },
    )
  }

  /** Handles a focus change. A row that a key added is removed if the focus leaves it empty. */
  focused(rowId: string): void {
    const opened = this.#opened
    if (opened === null) return
    if (rowId === opened.rowId) opened.isReached = true
    // AG Grid reports some moves late. Ignore moves from before the row was added.
    if (rowId === opened.rowId || !opened.isReached) return
    this.#opened = null
    const { list } = this.#setting.view
    const edits = list.drafts.draft(opened.rowId)?.edits ?? {}
    if (Object.keys(edits).length === 0) list.rows.removeNew([opened.rowId])
  }

  /**
   * Handles a key in the grid's cells.
   * @returns what the caller has to open, `true` if the key is handled, `false` if it is AG Grid's
   */
  key(event: KeyboardEvent): OpeningCommand | boolean {
    const { api, selection } = this.#setting
    if (!(event.target instanceof Element) || !event.target.closest('.ag-cell')) return false
    if (MODIFIERS.has(event.key)) return false
    if (api.getEditingCells().length > 0) return this.#keyWhileEditing(event)
    if (event.key === 'Escape' && event.target.closest('button')) return this.#leaveLink()
    const isLeaving = this.#isLeaving
    this.#isLeaving = isEscape(event)
    if (this.#isLeaving) this.#setting.say('Tab leaves the grid now')
    const way = tabStep(event)
    if (way !== null) return !isLeaving && this.#tab.go(way, false)
    if (leavingKey(event)) return this.#leave(event)
    if (event.target.closest('button, input')) return false
    const cell = focusedCell(api)
    if (!cell) return false
    if (selection.key(event)) return true
    const command = gridCommand(event, this.#setting.isMac)
    if (command !== null) return this.#run(command, cell)
    if (event.key === 'Enter' && cell.path === OUTCOME) {
      cellElement(cell.rowId, OUTCOME)?.querySelector('button')?.click()
      return true
    }
    // The row is done, even if its last cell was left unchanged.
    if (event.key === 'Enter' && !event.shiftKey && this.#tab.ledHereTyping) return this.#tab.goBack()
    if (event.key === 'Enter' || event.key === 'F2' || isWriting(event)) {
      this.#setting.onexplain(cell.rowId, cell.path)
    }
    return false
  }

  /** Moves the focus from the link in a cell, which is not a Tab stop itself, to the cell. */
  #leaveLink(): true {
    const cell = this.#setting.api.getFocusedCell()
    if (cell) this.#setting.api.setFocusedCell(cell.rowIndex, cell.column)
    return true
  }

  #run(command: GridCommand, cell: CellPosition): OpeningCommand | boolean {
    const { bulk } = this.#setting
    switch (command) {
      case 'clear':
        void bulk.clear()
        return true
      case 'fill-down':
        void bulk.fillDown()
        return true
      case 'revert-cells':
        void bulk.revertCells()
        return true
      case 'turn-over':
        this.#turnOver(cell)
        return true
      case 'row-start':
        return this.#goTo(null, 0)
      case 'row-end':
        return this.#goTo(null, -1)
      case 'first-cell':
        return this.#goTo(0, 0)
      case 'last-cell':
        return this.#goTo(this.#setting.api.getDisplayedRowCount() - 1, -1)
      case 'copy-headings':
      case 'menu':
      case 'filter':
      case 'next-step':
        return command
    }
  }

  /**
   * Moves like Home and End in a spreadsheet.
   * @param row `null` for the focused one
   * @param column index among the selectable columns; −1 for the last
   */
  #goTo(row: number | null, column: number): true {
    const { api, selection } = this.#setting
    const path = selection.columns.at(column)
    const rowIndex = row ?? api.getFocusedCell()?.rowIndex
    if (path !== undefined && rowIndex !== undefined) focusOn(api, rowIndex, path)
    if (column === 0) showFromLeft(api)
    return true
  }

  /** Space toggles the check box in the review and yes/no cells. Elsewhere it does nothing, and it never scrolls. */
  #turnOver(cell: CellPosition): void {
    const { view, bulk } = this.#setting
    if (cell.path === CHECKBOX && view.canCheck(cell.rowId)) {
      return view.setChecked([cell.rowId], !view.isChecked(cell.rowId))
    }
    const turned = toggleEdit(view.list, cell)
    if (turned) void bulk.apply([turned], [])
  }

  /** While editing, Ctrl+Enter fills the selection, and arrow keys move on if typing replaced the cell's text. */
  #keyWhileEditing(event: KeyboardEvent): boolean {
    const [editor] = this.#setting.api.getCellEditorInstances()
    if (!(editor instanceof CellEditor) || event.isComposing) return false
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      this.#putIntoAll(editor)
      return true
    }
    const way = tabStep(event)
    if (way !== null) return this.#moveByTab(editor, way)
    if (leavingKey(event)) return this.#leave(event, editor)
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) return this.#returned(editor)
    const steps = editor.movesByArrow ? arrowSteps(event) : null
    if (!steps) return false
    // Invalid text stays in the editor with its message.
    if (editor.getValidationErrors() === null) this.#moveByArrow(steps)
    return true
  }

  /** Commits and moves to the next cell. Invalid text stays in the editor with its message. */
  #moveByTab(editor: CellEditor, way: 1 | -1): true {
    if (!this.#taken(editor)) return true
    const cell = this.#setting.api.getFocusedCell()
    this.#setting.api.stopEditing()
    // At the last cell, the focus stays.
    if (!this.#tab.go(way, true) && cell) focusOn(this.#setting.api, cell.rowIndex, cell.column.getColId())
    return true
  }

  /**
   * Enter after Tab moves to the cell below the one where Tab started. On a new record, it moves to another new
   * record.
   */
  #returned(editor: CellEditor): boolean {
    const isOnNew = this.#tab.isOnNew
    const cell = focusedCell(this.#setting.api)
    if (!cell || (!this.#tab.ledHere && !isOnNew)) return false
    if (!this.#taken(editor)) return true
    const isTyped = editor.text !== ''
    this.#setting.api.stopEditing()
    return this.#tab.goBack() || this.#tab.down(cell.path, isTyped)
  }

  /**
   * Accepts the highlighted suggestion.
   * @returns whether the text is valid
   */
  #taken(editor: CellEditor): boolean {
    editor.takeActive()
    return editor.getValidationErrors() === null
  }

  /** Moves the focus behind the grid, or with Shift in front of it. */
  #leave(event: KeyboardEvent, editor: CellEditor | null = null): true {
    if (editor && !this.#taken(editor)) return true
    this.#setting.api.stopEditing()
    const grid = event.currentTarget
    if (grid instanceof Element) focusBeside(grid, event.shiftKey ? 'before' : 'after')
    return true
  }

  /** Whether Tab stops at a cell. It skips signs, and outcomes without a callout. */
  #stopsAt(rowId: string, path: string): boolean {
    const { view } = this.#setting
    switch (path) {
      case MARGIN:
        return false
      case CHECKBOX:
        return view.canCheck(rowId)
      case OUTCOME:
        return hasCallout(view.list.drafts.outcome(rowId))
      default:
        return true
    }
  }

  #putIntoAll(editor: CellEditor): void {
    const { api, selection, bulk } = this.#setting
    const ranges = selection.ranges()
    const cell = focusedCell(api)
    if (!this.#taken(editor)) return
    const { text } = editor
    const value = editor.getValue()
    api.stopEditing(true)
    // Keep the chosen reference, because another one may have the same name.
    const isChosen = cell !== null && typeof value === 'object'
    void bulk.set(ranges, text, isChosen ? { path: cell.path, value } : null)
  }

  /** Commits and moves to the next cell. At the edge, the focus stays. */
  #moveByArrow({ rows, columns }: Steps): void {
    const { api } = this.#setting
    const cell = api.getFocusedCell()
    if (!cell) return
    const row = api.getDisplayedRowAtIndex(cell.rowIndex + rows) ?? api.getDisplayedRowAtIndex(cell.rowIndex)
    const beside =
      columns < 0 ? api.getDisplayedColBefore(cell.column) : api.getDisplayedColAfter(cell.column)
    const column = (columns === 0 ? null : beside) ?? cell.column
    api.stopEditing()
    focusOn(api, row?.rowIndex ?? cell.rowIndex, column.getColId())
  }
}
