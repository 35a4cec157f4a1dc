/**
 * The editor of a cell: types that suggest (references, yes/no) have a list, amounts are read with the locale's
 * marks. What is wrong is refused with a message, and what was typed stays in the editor.
 */
import { flushSync, mount, unmount } from 'svelte'
import type { EditValue } from '../../../../shared/records/changes.ts'
import type { NumberMarks } from '../../../../shared/format/money.ts'
import type { FieldType } from '../../../../shared/records/definition.ts'
import type { ICellEditorComp, ICellEditorParams } from '../../../ui/grid/grid.ts'
import CellEditorBox from './CellEditorBox.svelte'
import { CellEditorState } from './editor-state.svelte.ts'
import type { SuggestedReference } from '../../list/references.ts'
import type { RecordRow } from '../../list/rows.ts'

export interface CellEditorSetup {
  readonly type: FieldType
  /** The column's words: the editor's accessible name. */
  readonly label: string
  /** What stands there when the editing begins. */
  readonly start: string
  readonly marks: NumberMarks
  readonly canBeEmpty: boolean
  readonly suggest: (typed: string) => readonly SuggestedReference[]
}

/** A key that writes something, as the event names it: a single character. */
function isPrintable(key: string | null): key is string {
  return key !== null && [...key].length === 1
}

export class CellEditor implements ICellEditorComp<RecordRow, EditValue> {
  readonly #gui = document.createElement('div')
  #state: CellEditorState | null = null
  #mounted: Record<string, unknown> | null = null
  /** F2 goes on with what is there; what a list is for is looked for anew. */
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

  /** What stands in it, as it was typed or chosen. */
  get text(): string {
    return this.#state?.written ?? ''
  }

  /** Whether an arrow ends the editing and goes on to the next cell. */
  get goesOnByArrow(): boolean {
    return this.#state?.goesOnByArrow ?? false
  }

  /** Takes the suggestion that is highlighted, as Enter does. */
  takeActive(): void {
    this.#state?.takeActive()
  }

  afterGuiAttached(): void {
    // What stands in the top layer can have the focus only once it is shown.
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
    return [typed.because]
  }

  destroy(): void {
    if (this.#mounted) void unmount(this.#mounted)
    this.#mounted = null
  }
}
