/** The color of a company, and the initials that identify it without color. */
import { fileNameOf, isWholePath } from '../../shared/companies/companies.ts'
import type { Band as CompanyBand } from '../../shared/contract/companies.ts'

/** A company's color; `none` for no company. */
export type Band = CompanyBand | 'none'

/** Words that don't identify a company. */
const PASSED_OVER = new Set(['and', 'the', 'of', 'inc', 'llc', 'ltd', 'co', 'pllc', 'llp'])

/** Two letters for a tile, from the first two words that identify the company. A path stands for its file. */
export function initials(name: string): string {
  const words = (isWholePath(name) ? fileNameOf(name) : name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !PASSED_OVER.has(word.toLocaleLowerCase()))
  const first = letters(words[0] ?? '')
  const second = letters(words[1] ?? '')
  const shown = second.length > 0 ? [first[0], second[0]] : first.slice(0, 2)
  return shown.join('').toLocaleUpperCase() || '?'
}

/** The letters of a word, with their combining accents. */
function letters(word: string): readonly string[] {
  return Array.from(new Intl.Segmenter().segment(word), ({ segment }) => segment)
}
