/** The color of a company, and the letters that identify it without color. */
import { fileNameOf, isWholePath } from '../../shared/companies/companies.ts'
import type { Band } from '../../shared/contract/companies.ts'
import { compareNaturally } from '../../shared/format/text.ts'
import { lazy } from '../../shared/lazy.ts'

/** A company's color; `none` for no company. */
export type ShownBand = Band | 'none'

/** Words that don't identify a company. */
const PASSED_OVER = new Set(['and', 'the', 'of', 'inc', 'llc', 'ltd', 'co', 'pllc', 'llp'])
const segmenter = lazy(() => new Intl.Segmenter())

/** Two letters for a tile, from the first two words that identify the company. A path stands for its file. */
export function initials(name: string): string {
  const [first = [], second = []] = wordsOf(name)
  const shown = second.length > 0 ? [first[0], second[0]] : first.slice(0, 2)
  return shown.join('').toLocaleUpperCase() || '?'
}

/**
 * The letters for the tiles of companies that are shown together, by key. Of those that would have the same two, the first
 * by name keeps them, and each other one gets a third from its name, or a number.
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
  for (const { key, name } of others) {
    const two = initials(name)
    const shown = taken.has(two) ? (threeLetters(name, two).find((each) => !taken.has(each)) ?? two) : two
    taken.add(shown)
    letters.set(key, shown)
  }
  return letters
}

/** The two letters with a third: the number or initial of a further word, another letter, or a number. */
function threeLetters(name: string, two: string): readonly string[] {
  const [first = [], second = [], ...further] = wordsOf(name)
  const [initial = ''] = two
  const withNumber = (number: string): string => `${number.length > 1 ? initial : two}${number}`
  return [
    ...further
      .map((word) => word.join(''))
      .filter((word) => /^\d{1,2}$/.test(word))
      .map(withNumber),
    ...further.map(([letter = '']) => `${two}${letter}`),
    ...[...second.slice(1), ...first.slice(1)].map((letter) => `${two}${letter}`),
    ...Array.from({ length: 98 }, (_, at) => withNumber(String(at + 2))),
  ].map((each) => each.toLocaleUpperCase())
}

/** The words that identify a company, as letters with their combining accents. */
function wordsOf(name: string): readonly (readonly string[])[] {
  const text = isWholePath(name) ? fileNameOf(name).replace(/\.[a-z]\w{1,3}$/i, '') : name
  return text
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !PASSED_OVER.has(word.toLocaleLowerCase()))
    .map((word) => Array.from(segmenter().segment(word), ({ segment }) => segment))
}
