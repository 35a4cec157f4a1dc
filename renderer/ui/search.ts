/** Search without regard to case and accents: *brucke* finds *Brücke*, and *strasse* finds *Straße*. Pure. */

import { asTyped } from '../../shared/records/names.ts'

/** Letters that Unicode does not decompose, and how people type them on a keyboard that lacks them. */
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
/** Accents only. In other scripts, combining marks distinguish words. */
const ACCENTS = /[\u0300-\u036f]/g

/** A text in lowercase, without accents, with quotes and dashes as a keyboard types them. */
export function normalizeForSearch(text: string): string {
  const letters = asTyped(text).toLowerCase().normalize('NFD').replace(ACCENTS, '')
  return letters.replace(/[ßæœøđðłħıþ]/g, (letter) => TYPED_AS[letter] ?? letter)
}

/** The words that were typed, normalized. */
export function searchWords(typed: string): readonly string[] {
  return normalizeForSearch(typed).split(/\s+/).filter(Boolean)
}

/**
 * Finds a word in a text. Answers offsets into the text as written, or `null`.
 * @param word one of `searchWords`
 */
export function findWord(
  text: string,
  word: string,
): { readonly start: number; readonly end: number } | null {
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
