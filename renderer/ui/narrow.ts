/** The entries of a combobox, and which of them what was typed leaves; pure. */
import { searched, searchedWords } from './found.ts'

/** One entry of a combobox. `note` is shown beside the label in second ink; `group` begins a heading where it changes. */
export interface ComboboxOption<Value extends string = string> {
  readonly value: Value
  readonly label: string
  readonly note?: string
  readonly group?: string
  /** It can't be taken; its note says why. */
  readonly disabled?: boolean
}

/** What a combobox offers, in order. */
export type ComboboxOptions<Value extends string> = readonly ComboboxOption<Value>[]

/**
 * The options that hold every word typed, in any case, with its accents or without, in label, note or value. Nothing typed keeps all.
 */
export function narrow<Value extends string>(
  options: ComboboxOptions<Value>,
  typed: string,
): ComboboxOptions<Value> {
  const words = searchedWords(typed)
  if (words.length === 0) return options
  return options.filter((option) => {
    const text = searched(`${option.label} ${option.note ?? ''} ${option.value}`)
    return words.every((word) => text.includes(word))
  })
}
