/** The color of a company, and the letters that identify it without color. */
import { fileNameOf, isWholePath } from '../../shared/companies/companies.ts'
import type { Band } from '../../shared/contract/companies.ts'
import { compareNaturally } from '../../shared/format/text.ts'
import { lazy } from '../../shared/lazy.ts'

/** The width of a tile and the gap after it, in rem. For columns. */
export const TILE_REM = 2.25

/** A company's color; `none` for no company. */
export type ShownBand = Band | 'none'

/** Words that don't identify a company. */
const PASSED_OVER = new Set(['and', 'the', 'of', 'inc', 'llc', 'ltd', 'co', 'pllc', 'llp'])
const segmenter = lazy(() => new Intl.Segmenter())

/** Two letters for a tile, from the first two words that identify the company. A path stands for its file. */
export function initials(name: string): string {
  return twoLetters(wordsOf(name))
}

/**
 * The letters for the tiles of companies that are shown together, by key. If several would have the same two, the first
 * by name keeps them, and each of the others gets a third letter from its name, or a number.
 */
export function tileLetters(
  companies: readonly {
    readonly key: string
    readonly name: string
    /** Empty if the user chose none. Chosen letters stay as they are. */
    readonly chosen: string
  }[],
): ReadonlyMap<string, string> {
  const letters = new Map(companies.flatMap(({ key, chosen }) => (chosen === '' ? [] : [[key, chosen]])))
  const taken = new Set([...letters.values()].map((each) => each.toLocaleUpperCase()))
  const others = companies
    .filter(({ chosen }) => chosen === '')
    .toSorted((one, other) => compareNaturally(one.name, other.name) || (one.key < other.key ? -1 : 1))
  /** The next number to try, by the two letters before it. */
  const numbers = new Map<string, number>()
  for (const { key, name } of others) {
    const words = wordsOf(name)
    const two = twoLetters(words)
    const isFree = (more: string): boolean => !taken.has(withThird(two, more))
    let more = taken.has(two) ? thirdLetters(words).find(isFree) : ''
    if (more === undefined) {
      let number = numbers.get(two) ?? 2
      while (number < 100 && !isFree(String(number))) number += 1
      numbers.set(two, number)
      more = number < 100 ? String(number) : ''
    }
    const shown = withThird(two, more)
    taken.add(shown)
    letters.set(key, shown)
  }
  return letters
}

function twoLetters([first = '', second = '']: readonly string[]): string {
  const [one = '', another = ''] = lettersOf(first)
  return (one + (second === '' ? another : (lettersOf(second)[0] ?? ''))).toLocaleUpperCase() || '?'
}

/** Adds a third letter or a number. A number of two digits replaces the second letter. */
function withThird(two: string, more: string): string {
  return `${/^\d\d$/.test(more) ? (lettersOf(two)[0] ?? '') : two}${more}`
}

/** What distinguishes a company from others with the same two letters, best first: a number in its name, or a letter. */
function thirdLetters([first = '', second = '', ...further]: readonly string[]): readonly string[] {
  const letters = [
    ...further.map((word) => lettersOf(word)[0] ?? ''),
    ...lettersOf(second).slice(1),
    ...lettersOf(first).slice(1),
  ]
  return [
    ...further.filter((word) => /^\d{1,2}$/.test(word)),
    ...letters.map((letter) => letter.toLocaleUpperCase()),
  ]
}

/** The words that identify a company. */
function wordsOf(name: string): readonly string[] {
  const text = isWholePath(name) ? fileNameOf(name).replace(/\.[a-z]\w{1,3}$/i, '') : name
  return text
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !PASSED_OVER.has(word.toLocaleLowerCase()))
}

/** The letters of a word, with their combining accents. */
function lettersOf(word: string): readonly string[] {
  // Most words have no accents, and can be split without the slower segmenter.
  if (/^[\x20-\x7e]*$/.test(word)) return word.split('')
  return Array.from(segmenter().segment(word), ({ segment }) => segment)
}
