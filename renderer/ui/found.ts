/** Finding what a person typed, in any case and without the accents: *brucke* finds *Brücke*, *strasse* *Straße*. Pure. */

/** Letters that no normal form takes apart, and how they are typed without their like on the keyboard. */
const TYPED_AS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  þ: 'th',
}
/** Accents alone: signs of other scripts tell words apart. */
const ACCENTS = /[\u0300-\u036f]/g

/** A text as it is searched in: small letters without accents. */
export function searched(text: string): string {
  const letters = text.toLowerCase().normalize('NFD').replace(ACCENTS, '')
  return letters.replace(/[ßæœøđðłħıþ]/g, (letter) => TYPED_AS[letter] ?? letter)
}

/** The words of what was typed, as `searched` writes them. */
export function searchedWords(typed: string): readonly string[] {
  return searched(typed).split(/\s+/).filter(Boolean)
}

/**
 * Where a word stands in a text, as places in the text as it is written; `null` where it does not.
 * @param word as `searchedWords` gives it
 */
export function placeIn(text: string, word: string): { readonly start: number; readonly end: number } | null {
  const at = word === '' ? -1 : searched(text).indexOf(word)
  if (at < 0) return null
  // A letter may be searched as two or as none, so its places are counted.
  let passed = 0
  let start = -1
  let end = 0
  for (const letter of text) {
    const next = passed + searched(letter).length
    if (start < 0 && next > at) start = end
    else if (start >= 0 && passed >= at + word.length && next > passed) break
    passed = next
    end += letter.length
  }
  return start < 0 ? null : { start, end }
}
