/**
 * The cell editor of the grid. References and yes/no fields suggest values, and amounts use the locale's marks.
 * An invalid value stays in the editor with an error message.
 */
import { flushSync, mount, unmount } from 'svelte'
import type { EditValue } from '../../../../shared/records/changes.ts'
import type { ICellEditorComp, ICellEditorParams } from '../../../ui/grid/grid.ts'
import type { RecordRow } from '../../list/rows.ts'
import CellEditorBox from './CellEditorBox.svelte'
import { type CellEditorSetup, CellEditorState } from './editor-state.svelte.ts'

/** Whether a key types a character. Such keys are named by the character itself. */
function isPrintable(key: string | null): key is string {
  return key !== null && [...key].length === 1
}

export class CellEditor implements ICellEditorComp<RecordRow, EditValue> {
  readonly #gui = document.createElement('div')
  #state: CellEditorState | null = null
  #mounted: Record<string, unknown> | null = null
  /**
   * Whether the cursor goes to the end of the existing text, as with F2. A field with a list starts a new
   * search instead.
   */
  #goesOn = false

  init(params: ICellEditorParams<RecordRow, EditValue> & CellEditorSetup): void {
    this.#gui.className = 'cell-editor'
    const begun = isPrintable(params.eventKey) ? params.eventKey : null
    const erased = params.eventKey === 'Backspace'
    this.#state = new CellEditorState(params, erased ? '' : begun)
    this.#goesOn = params.eventKey === 'F2' && !this.#state.hasList
    const props = { editor: this.#state, oncommit: () => params.stopEditing() }
    this.#mounted = mount(CellEditorBox, { target: this.#gui, props })
  }

  getGui(): HTMLElement {
    return this.#gui
  }

  /** The text as typed or chosen. */
  get text(): string {
    return this.#state?.written ?? ''
  }

  /** Whether an arrow key commits and moves to the next cell. */
  get movesByArrow(): boolean {
    return this.#state?.movesByArrow ?? false
  }

  /** Accepts the highlighted suggestion, as Enter does. */
  takeActive(): void {
    this.#state?.takeActive()
  }

  afterGuiAttached(): void {
    // An element in the top layer can take the focus only after it is shown.
    flushSync()
    const input = this.#gui.querySelector<HTMLInputElement | HTMLTextAreaElement>('input, textarea')
    input?.focus()
    if (this.#goesOn) input?.setSelectionRange(input.value.length, input.value.length)
    else if (this.#state?.text === this.#state?.start) input?.select()
  }

  getValue(): EditValue | undefined {
    const typed = this.#state?.value
    return typed?.ok ? typed.value : undefined
  }

  isCancelAfterEnd(): boolean {
    return this.#state === null || !this.#state.value.ok || this.#state.isUnchanged
  }

  getValidationErrors(): string[] | null {
    const typed = this.#state?.value
    if (!this.#state || !typed || typed.ok || this.#state.isUnchanged) return null
    this.#state.complain()
    return [typed.reason]
  }

  destroy(): void {
    if (this.#mounted) void unmount(this.#mounted)
    this.#mounted = null
  }
}
