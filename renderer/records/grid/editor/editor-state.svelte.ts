/** What a cell's editor knows; `CellEditorBox.svelte` draws it and `CellEditor` hands it to the grid. */
import type { Reference } from '../../../../shared/records/changes.ts'
import type { CellEditorSetup } from './cell-editor.ts'
import { readTyped, type Typed } from './typed-values.ts'

interface Suggestion {
  readonly text: string
  /** In second ink: what tells it from another of the same text. */
  readonly note: string
  readonly reference: Reference | null
}

/** Line ends as a box of text has them. */
function shownLines(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

export class CellEditorState {
  readonly #setup: CellEditorSetup
  readonly label: string
  readonly start: string
  text = $state('')
  /** The suggestion that arrows or a click chose; −1 for none. */
  active = $state(-1)
  /** Whether the list is wanted: it opens with typing or an arrow. */
  isOpen = $state(false)
  message = $state('')
  /** Whether typing wrote over the cell; what is there is edited after F2, Enter, a double click, or a click into it. */
  #isTypedOver: boolean
  /** How the lines of the value end: the box knows only its own way. */
  readonly #lineEnd: string
  #chosen = $state.raw<Reference | null>(null)
  readonly #suggestions = $derived.by(() => this.#suggest())

  /** @param begun what the key that began the editing writes; `null` when it edits what is there */
  constructor(setup: CellEditorSetup, begun: string | null) {
    this.#setup = setup
    this.label = setup.label
    this.#lineEnd = /\r\n?/.exec(setup.start)?.[0] ?? '\n'
    this.start = shownLines(setup.start)
    this.text = begun ?? this.start
    this.isOpen = begun !== null && this.hasList
    this.#isTypedOver = begun !== null
  }

  /** Whether an arrow takes what was typed and goes on, as in Excel: not while a list stands open for it. */
  get goesOnByArrow(): boolean {
    return this.#isTypedOver && this.suggestions.length === 0
  }

  get hasList(): boolean {
    return this.#setup.type === 'reference' || this.#setup.type === 'boolean'
  }

  /** Whether its text may have several lines. */
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

  /** The text with its lines ended as those of the value are. */
  get written(): string {
    return this.text.replaceAll('\n', this.#lineEnd)
  }

  /** What it comes to; a suggestion that was chosen is that very reference. */
  get value(): Typed {
    if (this.#chosen) return { ok: true, value: this.#chosen }
    return readTyped(this.#setup.type, this.written, this.#setup.marks, this.#setup.canBeEmpty)
  }

  /** What is there is edited from now on: arrows go through it. */
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

  /** Takes the suggestion that arrows went to, if they did. */
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

  /** Says what is wrong with what was typed, if anything. */
  complain(): void {
    const typed = this.value
    this.message = typed.ok ? '' : typed.because
  }

  #suggest(): readonly Suggestion[] {
    const typed = this.text === this.start ? '' : this.text
    if (this.#setup.type === 'boolean') {
      const words = ['Yes', 'No'].filter((word) => word.toLowerCase().startsWith(typed.trim().toLowerCase()))
      return words.map((text) => ({ text, note: '', reference: null }))
    }
    return this.#setup
      .suggest(typed)
      .map(({ reference, note }) => ({ text: reference.FullName || reference.ID, note, reference }))
  }
}
