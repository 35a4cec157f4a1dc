/** The state of a cell editor. `CellEditorBox.svelte` draws it, and `CellEditor` gives it to the grid. */
import type { NumberSeparators } from '../../../../shared/format/money.ts'
import type { Reference } from '../../../../shared/records/changes.ts'
import type { FieldType } from '../../../../shared/records/definition.ts'
import { readTyped, type Typed } from '../../../ui/fields/typed-values.ts'
import type { SuggestedReference } from '../../list/references.svelte.ts'

export interface CellEditorSetup {
  readonly type: FieldType
  /** The column's name, which is the editor's accessible name. */
  readonly label: string
  /** The initial text. */
  readonly start: string
  readonly separators: NumberSeparators
  readonly canBeEmpty: boolean
  readonly suggest: (typed: string) => readonly SuggestedReference[]
  /** The values of a text field to choose from; `null` if there is no such list. */
  readonly choices: (() => readonly string[]) | null
}

interface Suggestion {
  readonly text: string
  /** Distinguishes suggestions with the same text. Shown in a lighter color. */
  readonly note: string
  readonly reference: Reference | null
}

/** Converts line ends to those of a text box. */
function shownLines(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

export class CellEditorState {
  readonly #setup: CellEditorSetup
  readonly label: string
  readonly start: string
  text = $state('')
  /** Index of the highlighted suggestion; −1 for none. */
  active = $state(-1)
  /** Whether the list is open. Typing or an arrow key opens it. */
  isOpen = $state(false)
  message = $state('')
  /** Whether typing replaced the cell's text. F2, Enter, a double-click, or a click into the text edits it instead. */
  #isTypedOver: boolean
  /** The value's line ending. A text box always uses `\n`. */
  readonly #lineEnd: string
  #chosen = $state.raw<Reference | null>(null)
  readonly #suggestions = $derived.by(() => this.#suggest())

  /** @param begun the character that started the edit; `null` if the existing text is edited */
  constructor(setup: CellEditorSetup, begun: string | null) {
    this.#setup = setup
    this.label = setup.label
    this.#lineEnd = /\r\n?/.exec(setup.start)?.[0] ?? '\n'
    this.start = shownLines(setup.start)
    this.text = begun ?? this.start
    this.isOpen = begun !== null && this.hasList
    this.#isTypedOver = begun !== null
  }

  /** Whether an arrow key commits and moves on, as in Excel. While the list is open, it moves through the list. */
  get movesByArrow(): boolean {
    return this.#isTypedOver && this.suggestions.length === 0
  }

  get hasList(): boolean {
    const { type, choices } = this.#setup
    return type === 'reference' || type === 'boolean' || choices !== null
  }

  /** Whether the text may have several lines. */
  get hasLines(): boolean {
    return !this.hasList && this.#setup.type !== 'money' && this.#setup.type !== 'timestamp'
  }

  get isNumber(): boolean {
    return this.#setup.type === 'money'
  }

  get suggestions(): readonly Suggestion[] {
    return this.isOpen ? this.#suggestions : []
  }

  get isUnchanged(): boolean {
    return this.#chosen === null && this.text === this.start
  }

  /** The text with the value's own line ends. */
  get written(): string {
    return this.text.replaceAll('\n', this.#lineEnd)
  }

  /** The value. For a chosen suggestion, the reference with its ID. */
  get value(): Typed {
    if (this.#chosen) return { ok: true, value: this.#chosen }
    return readTyped(this.#setup.type, this.written, this.#setup.separators, this.#setup.canBeEmpty)
  }

  /** Switches to editing the existing text, so that arrow keys move through it. */
  stay(): void {
    this.#isTypedOver = false
  }

  typed(text: string): void {
    this.text = text
    this.#chosen = null
    this.active = -1
    this.isOpen = this.hasList
    if (this.message !== '') this.complain()
  }

  move(step: 1 | -1): void {
    if (!this.hasList) return
    this.isOpen = true
    const count = this.#suggestions.length
    if (count === 0) return
    this.active = this.active < 0 ? (step === 1 ? 0 : count - 1) : (this.active + step + count) % count
  }

  /** Accepts the highlighted suggestion, if any. */
  takeActive(): void {
    if (this.active >= 0) this.take(this.active)
  }

  take(index: number): void {
    const suggestion = this.#suggestions[index]
    if (!suggestion) return
    this.text = suggestion.text
    this.#chosen = suggestion.reference
    this.isOpen = false
    this.active = -1
    this.message = ''
  }

  /** Shows the error message of an invalid text. */
  complain(): void {
    const typed = this.value
    this.message = typed.ok ? '' : typed.reason
  }

  #suggest(): readonly Suggestion[] {
    const typed = this.text === this.start ? '' : this.text
    if (this.#setup.type === 'boolean') {
      const words = ['Yes', 'No'].filter((word) => word.toLowerCase().startsWith(typed.trim().toLowerCase()))
      return words.map((text) => ({ text, note: '', reference: null }))
    }
    const { choices } = this.#setup
    if (choices !== null) {
      const word = typed.trim().toLocaleLowerCase()
      const found = choices().filter((text) => text.toLocaleLowerCase().includes(word))
      return found.map((text) => ({ text, note: '', reference: null }))
    }
    return this.#setup
      .suggest(typed)
      .map(({ reference, note }) => ({ text: reference.FullName || reference.ID, note, reference }))
  }
}
