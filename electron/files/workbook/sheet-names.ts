/** Names of sheets as Excel allows them: at most 31 characters, some forbidden, no two alike. */

const MOST = 31
/** Excel's own list, control characters, and marks that make a name look like another. */
const FORBIDDEN = /[[\]:*?/\\\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffe\uffff]/gu

/** Excel keeps this one for itself. */
const RESERVED = 'history'

/** Gives names to sheets one by one, and remembers which are taken. */
export class SheetNames {
  readonly #taken = new Set<string>([RESERVED])

  /** A fit name for `wanted`; ` (2)` and so on where it is taken in any casing. */
  next(wanted: string): string {
    const safe = wanted
      .toWellFormed()
      .replace(FORBIDDEN, ' ')
      .replace(/\s+/g, ' ')
      .trim()
      // An apostrophe may not begin or end a name.
      .replace(/^['\s]+|['\s]+$/g, '')
    const stem = safe === '' ? 'Sheet' : safe
    for (let count = 1; ; count += 1) {
      const ending = count === 1 ? '' : ` (${String(count)})`
      const name = `${cut(stem, MOST - ending.length)}${ending}`
      if (this.#taken.has(name.toLowerCase())) continue
      this.#taken.add(name.toLowerCase())
      return name
    }
  }
}

/** At most so many UTF-16 units, by whole characters, and without what may not stand at an end. */
function cut(text: string, most: number): string {
  const characters = [...text]
  let length = text.length
  while (length > most) length -= characters.pop()?.length ?? 0
  return characters.join('').replace(/['\s]+$/g, '')
}
