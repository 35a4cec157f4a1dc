/** The grid's keys. They are handled before AG Grid gets them. */
import { focusBeside } from '../../ui/focus.ts'
import { cellElement } from '../../ui/grid/cells.ts'
import { type GridApi, gridRowId } from '../../ui/grid/grid.ts'
import type { GridBulk } from '../bulk/bulk.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import { outcomeActions } from '../outcome/outcome.ts'
import type { RecordsView } from '../screen/records-view.svelte.ts'
import { MARGIN, OUTCOME, TICK } from './columns/plan.ts'
import { CellEditor } from './editor/cell-editor.ts'
import {
  type CellPlace,
  type GridCommand,
  GridTab,
  MODIFIERS,
  type Steps,
  arrowSteps,
  focusOn,
  focusedCell,
  gridCommand,
  isEscape,
  isWriting,
  leavingKey,
  showFromLeft,
  tabStep,
  turnedOver,
} from './keys.ts'
import type { GridSelection, Key } from './selection/selection.svelte.ts'

interface Setting {
  readonly api: GridApi<RecordRow>
  readonly view: RecordsView
  readonly selection: GridSelection
  readonly bulk: GridBulk
  /** Says why nothing can be typed here, or unfolds what is folded. */
  readonly onexplain: (rowId: string, path: string) => void
  /** Words for those who can't see what happened. */
  readonly say: (words: string) => void
}

/** Commands that something else than the grid carries out: what they open stands over it. */
export type OpeningCommand = Extract<GridCommand, 'menu' | 'filter' | 'copy-headings'> | 'next-step'

export class GridKeyboard {
  readonly #setting: Setting
  readonly #tab: GridTab
  /** Escape was pressed just before: Tab leaves the grid. */
  #isLeaving = false
  /** The row that Enter or Tab began below the last new one, and whether the focus has reached it. */
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

  /** The focus is on this row. A row that a key began is removed when the focus leaves it empty. */
  focused(rowId: string): void {
    const opened = this.#opened
    if (opened === null) return
    if (rowId === opened.rowId) opened.isReached = true
    // The grid reports some moves late: one from before the row was begun doesn't count.
    if (rowId === opened.rowId || !opened.isReached) return
    this.#opened = null
    const { list } = this.#setting.view
    const edits = list.drafts.draft(opened.rowId)?.edits ?? {}
    if (Object.keys(edits).length === 0) list.rows.removeNew([opened.rowId])
  }

  /**
   * Takes a key of the grid's cells.
   * @returns what is left to be opened, `true` when the key is done with, `false` when it is the grid's
   */
  key(event: KeyboardEvent): OpeningCommand | boolean {
    const { api, selection } = this.#setting
    if (!(event.target instanceof Element) || !event.target.closest('.ag-cell')) return false
    if (MODIFIERS.has(event.key)) return false
    if (api.getEditingCells().length > 0) return this.#keyWhileEditing(event)
    const button = event.target.closest('button')
    if (button && this.#goBeside(button, event)) return true
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
    const command = gridCommand(event)
    if (command !== null) return this.#run(command, cell)
    if (event.key === 'Enter' && cell.path === OUTCOME) {
      enterButtons(cellElement(cell.rowId, OUTCOME))
      return true
    }
    // What was typed along the row is done, also where the last cell of it was left as it is.
    if (event.key === 'Enter' && !event.shiftKey && this.#tab.ledHereTyping) return this.#tab.goBack()
    if (event.key === 'Enter' || event.key === 'F2' || isWriting(event)) {
      this.#setting.onexplain(cell.rowId, cell.path)
    }
    return false
  }

  /** From a button in a cell to the next one, or out to the cell. */
  #goBeside(button: Element, event: KeyboardEvent): boolean {
    const beside = besideButton(button, event)
    const cell = this.#setting.api.getFocusedCell()
    if (beside === 'cell' && cell) this.#setting.api.setFocusedCell(cell.rowIndex, cell.column)
    else if (beside !== null && beside !== 'cell') beside.focus()
    return beside !== null
  }

  #run(command: GridCommand, cell: CellPlace): OpeningCommand | boolean {
    const { bulk, selection } = this.#setting
    switch (command) {
      case 'clear':
        void bulk.clear()
        return true
      case 'fill-down':
        void bulk.fillDown()
        return true
      case 'set':
        // In one cell there is nothing to set that typing wouldn't: the key takes the list's next step.
        if (selection.count <= 1) return 'next-step'
        bulk.askSet()
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
        return command
    }
  }

  /**
   * As Home and End do in a spreadsheet.
   * @param row `null` for the one that has the focus
   * @param column among those that can be chosen; −1 for the last
   */
  #goTo(row: number | null, column: number): true {
    const { api, selection } = this.#setting
    const path = selection.columns.at(column)
    const rowIndex = row ?? api.getFocusedCell()?.rowIndex
    if (path !== undefined && rowIndex !== undefined) focusOn(api, rowIndex, path)
    if (column === 0) showFromLeft(api)
    return true
  }

  /** Space: a tick in the review, a yes or no anywhere; elsewhere it does nothing, and never scrolls. */
  #turnOver(cell: CellPlace): void {
    const { view, bulk } = this.#setting
    if (cell.path === TICK && view.canTick(cell.rowId)) {
      return view.tick([cell.rowId], !view.isTicked(cell.rowId))
    }
    const turned = turnedOver(view.list, cell)
    if (turned) void bulk.apply([turned], [])
  }

  /** Ctrl+Enter puts what was typed into everything that is chosen; an arrow goes on where typing wrote over a cell. */
  #keyWhileEditing(event: KeyboardEvent): boolean {
    const [editor] = this.#setting.api.getCellEditorInstances()
    if (!(editor instanceof CellEditor) || event.isComposing) return false
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      this.#putIntoAll(editor)
      return true
    }
    const way = tabStep(event)
    if (way !== null) return this.#goOnByTab(editor, way)
    if (leavingKey(event)) return this.#leave(event, editor)
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) return this.#returned(editor)
    const steps = editor.goesOnByArrow ? arrowSteps(event) : null
    if (!steps) return false
    // What can't be read stays in the editor, with its message.
    if (editor.getValidationErrors() === null) this.#goOn(steps)
    return true
  }

  /** Takes what was typed and goes on; what can't be read stays in the editor, with its message. */
  #goOnByTab(editor: CellEditor, way: 1 | -1): true {
    if (!this.#taken(editor)) return true
    const cell = this.#setting.api.getFocusedCell()
    this.#setting.api.stopEditing()
    // At the very last cell it stays.
    if (!this.#tab.go(way, true) && cell) focusOn(this.#setting.api, cell.rowIndex, cell.column.getColId())
    return true
  }

  /** Enter after Tab goes to where the row was begun, one row further down; on a new record to another new one. */
  #returned(editor: CellEditor): boolean {
    const isOnNew = this.#tab.isOnNew
    const cell = focusedCell(this.#setting.api)
    if (!cell || (!this.#tab.ledHere && !isOnNew)) return false
    if (!this.#taken(editor)) return true
    const isTyped = editor.text !== ''
    this.#setting.api.stopEditing()
    return this.#tab.goBack() || this.#tab.down(cell.path, isTyped)
  }

  /** Takes the suggestion that is highlighted. @returns whether what stands in the editor can be taken */
  #taken(editor: CellEditor): boolean {
    editor.takeActive()
    return editor.getValidationErrors() === null
  }

  /** To what stands after the grid, with Shift before it. */
  #leave(event: KeyboardEvent, editor: CellEditor | null = null): true {
    if (editor && !this.#taken(editor)) return true
    this.#setting.api.stopEditing()
    const grid = event.currentTarget
    if (grid instanceof Element) focusBeside(grid, event.shiftKey ? 'before' : 'after')
    return true
  }

  /** Whether Tab stops at a cell: the row's sign has nothing to say, and what became of it only where something can be done. */
  #stopsAt(rowId: string, path: string): boolean {
    const { view } = this.#setting
    switch (path) {
      case MARGIN:
        return false
      case TICK:
        return view.canTick(rowId)
      case OUTCOME:
        return outcomeActions(view.list.drafts.outcome(rowId)).length > 0
      default:
        return true
    }
  }

  #putIntoAll(editor: CellEditor): void {
    const { api, selection, bulk } = this.#setting
    const stripes = selection.stripes()
    const cell = focusedCell(api)
    if (!this.#taken(editor)) return
    const { text } = editor
    const value = editor.getValue()
    api.stopEditing(true)
    // A reference that was chosen is that very one, also where another is called the same.
    const isChosen = cell !== null && typeof value === 'object'
    void bulk.set(stripes, text, isChosen ? { path: cell.path, value } : null)
  }

  /** Takes what was typed and goes to the next cell; at the edge it stays on its own. */
  #goOn({ rows, columns }: Steps): void {
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

// The buttons of the Outcome column. They lie inside their cell and are not Tab stops by themselves.

/** Presses the cell's only button. If there are several, it is unclear which is meant, so the first one gets the focus. */
function enterButtons(cell: Element | null): void {
  const [first, second] = cell?.querySelectorAll('button') ?? []
  if (second) first?.focus()
  else first?.click()
}

/**
 * Where a key moves the focus from a button in a cell: Tab and arrows to the button beside it, Escape to the cell.
 * @returns `null` if the key leads nowhere within the cell
 */
function besideButton(button: Element, event: Key): HTMLElement | 'cell' | null {
  if (event.key === 'Escape') return 'cell'
  const isBack = event.key === 'ArrowLeft' || (event.key === 'Tab' && event.shiftKey)
  if (!isBack && event.key !== 'ArrowRight' && event.key !== 'Tab') return null
  const buttons = [...(button.closest('.ag-cell')?.querySelectorAll('button') ?? [])]
  return buttons.find((_, at) => buttons[isBack ? at + 1 : at - 1] === button) ?? null
}
