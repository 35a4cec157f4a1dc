/** The twelve months as a combobox's entries, in the machine's own language. */
import type { ComboboxOption } from '../../ui/combobox.svelte.ts'

/** Values `1` to `12`. `locale` is BCP 47; empty for the engine's own. */
export function monthOptions(locale: string): readonly ComboboxOption[] {
  const name = new Intl.DateTimeFormat(Intl.DateTimeFormat.supportedLocalesOf(locale)[0], {
    month: 'long',
    timeZone: 'UTC',
  })
  return Array.from({ length: 12 }, (_, index) => ({
    value: String(index + 1),
    label: name.format(new Date(Date.UTC(2000, index, 1))),
  }))
}
