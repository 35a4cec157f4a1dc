/** Search without regard to case and accents: *brucke* finds *Brücke*, and *strasse* finds *Straße*. Pure. */
import { normalizeForSearch, searchTerms } from '../../../shared/records/search-text.ts'

/**
 * Finds a word in a text. Returns offsets into the original text, or `null`.
 * @param word one of `searchTerms`
 */
function findWord(text: string, word: string): { readonly start: number; readonly end: number } | null {
  const at = word === '' ? -1 : normalizeForSearch(text).indexOf(word)
  if (at < 0) return null
  // Normalizing a letter may give two letters or none, so offsets are counted letter by letter.
  let passed = 0
  let start = -1
  let end = 0
  for (const letter of text) {
    const next = passed + normalizeForSearch(letter).length
    if (start < 0 && next > at) start = end
    else if (start >= 0 && passed >= at + word.length && next > passed) break
    passed = next
    end += letter.length
  }
  return start < 0 ? null : { start, end }
}

/** A part of a text, and whether it matches the search. */
export interface Piece {
  readonly text: string
  readonly isMatch: boolean
}

/** Splits a text around the first match of each word typed. */
export function highlightMatch(text: string, typed: string): readonly Piece[] {
  const matches = searchTerms(typed)
    .flatMap((word) => findWord(text, word) ?? [])
    .toSorted((left, right) => left.start - right.start)
  const pieces: Piece[] = []
  let at = 0
  for (const { start, end } of matches) {
    // Words may overlap: *ann* and *anna*.
    if (end <= at) continue
    pieces.push({ text: text.slice(at, start), isMatch: false })
    pieces.push({ text: text.slice(Math.max(at, start), end), isMatch: true })
    at = end
  }
  pieces.push({ text: text.slice(at), isMatch: false })
  return pieces.filter((piece) => piece.text !== '')
}
