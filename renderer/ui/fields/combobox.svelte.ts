/** The state and behavior of a combobox. `Combobox.svelte` only draws it. */
import { normalizeForSearch, searchTerms } from '../../../shared/records/search-text.ts'

/**
 * Whether text other than an option may be chosen. `unmatched`: only if no option resembles it, so that a partly typed
 * name chooses the highlighted option.
 */
export type FreeText = boolean | 'unmatched'

interface Ports<Value extends string> {
  readonly options: () => ComboboxOptions<Value>
  readonly value: () => Value
  readonly free: () => FreeText
  readonly take: (value: Value) => void
}

export class ComboboxState<Value extends string> {
  readonly #ports: Ports<Value>
  /** The text typed since the list was opened; `null` while the chosen value is shown. */
  #typed = $state<string | null>(null)
  /** The option that arrows went to since the last typing, if any. */
  #movedTo = $state<Value | null>(null)
  open = $state(false)

  constructor(ports: Ports<Value>) {
    this.#ports = ports
  }

  get text(): string {
    if (this.#typed !== null) return this.#typed
    const value = this.#ports.value()
    return this.#ports.options().find((option) => option.value === value)?.label ?? value
  }

  get isTyping(): boolean {
    return this.#typed !== null
  }

  get shown(): ComboboxOptions<Value> {
    return this.#typed === null ? this.#ports.options() : narrow(this.#ports.options(), this.#typed)
  }

  /** The highlighted option as an index into `shown`, −1 for none. It stays the same option while others arrive. */
  get active(): number {
    if (!this.open) return -1
    const { shown } = this
    const moved = this.#movedTo === null ? -1 : shown.findIndex(({ value }) => value === this.#movedTo)
    if (moved >= 0) return moved
    if (this.#typed === null) return shown.findIndex(({ value }) => value === this.#ports.value())
    const exact = this.#exact()
    if (exact) return shown.indexOf(exact)
    return this.#typed.trim() !== '' && shown.length > 0 ? 0 : -1
  }

  show(): void {
    this.open = true
  }

  typed(text: string): void {
    this.#typed = text
    this.#movedTo = null
    this.open = true
  }

  takeAt(index: number): void {
    const option = this.shown[index]
    if (option?.disabled) return
    this.#close()
    if (option) this.#ports.take(option.value)
  }

  /** Handles the loss of focus: chooses an exact name or free text; anything else is reset to the value. */
  leave(): void {
    const typed = this.#typed?.trim() ?? ''
    const exact = this.#exact()
    const isFree = this.#takesFreeText()
    this.#close()
    if (typed === '') return
    if (exact) this.#ports.take(exact.value)
    else if (isFree) this.#ports.take(typed as Value)
  }

  key(event: KeyboardEvent): void {
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        event.preventDefault()
        if (this.open) this.#move(event.key === 'ArrowDown' ? 1 : -1)
        else this.#open(event.key === 'ArrowDown' ? 1 : -1)
        return
      case 'Enter':
        if (!this.open) return
        event.preventDefault()
        this.#enter()
        return
      case 'Escape':
        if (!this.open && this.#typed === null) return
        // The list closes first; a second Escape reaches the dialog or screen around it.
        event.preventDefault()
        event.stopPropagation()
        this.#close()
        return
    }
  }

  /** Free text takes precedence over a similar option: "Item" must not become "Items received". */
  #enter(): void {
    const exact = this.#exact()
    if (this.#takesFreeText() && this.#typed !== null && this.#movedTo === null && !exact) this.leave()
    else this.takeAt(this.active)
  }

  #takesFreeText(): boolean {
    const free = this.#ports.free()
    return free === 'unmatched' ? this.shown.length === 0 : free
  }

  /** If an arrow key opens the list, an option is always highlighted, so that Enter chooses one. */
  #open(step: 1 | -1): void {
    this.show()
    if (this.active < 0) this.#move(step)
  }

  #move(step: 1 | -1): void {
    const { shown, active } = this
    const next = active < 0 && step === -1 ? shown.length - 1 : (active + step + shown.length) % shown.length
    this.#movedTo = shown[next]?.value ?? null
  }

  #exact(): ComboboxOption<Value> | undefined {
    const typed = this.#typed?.trim().toLocaleLowerCase()
    if (!typed) return undefined
    return this.#ports
      .options()
      .find(
        (option) =>
          !option.disabled &&
          (option.label.toLocaleLowerCase() === typed || option.value.toLocaleLowerCase() === typed),
      )
  }

  #close(): void {
    this.open = false
    this.#typed = null
    this.#movedTo = null
  }
}

// The options of a combobox, and filtering them.

/** One entry of a combobox. `note` is shown beside the label in second ink; `group` begins a heading where it changes. */
export interface ComboboxOption<Value extends string = string> {
  readonly value: Value
  readonly label: string
  readonly note?: string
  readonly group?: string
  /** It can't be chosen; its note says why. */
  readonly disabled?: boolean
}

/** The options of a combobox, in order. */
export type ComboboxOptions<Value extends string> = readonly ComboboxOption<Value>[]

/** The options with every typed word in label, note, or value, ignoring case and accents. Without any, all options. */
function narrow<Value extends string>(
  options: ComboboxOptions<Value>,
  typed: string,
): ComboboxOptions<Value> {
  const terms = searchTerms(typed)
  if (terms.length === 0) return options
  return options.filter((option) => {
    const text = normalizeForSearch(`${option.label} ${option.note ?? ''} ${option.value}`)
    return terms.every((word) => text.includes(word))
  })
}
