/** Finding and replacing plain text in the text of a cell; no patterns, no surprises. */

export interface FindTerms {
  readonly find: string
  readonly matchesCase: boolean
  /** The whole cell has to be it; else it may stand anywhere in it. */
  readonly wholeCell: boolean
}

/** Whether a cell's text is found. Nothing is found by nothing. */
export function isFound(text: string, { find, matchesCase, wholeCell }: FindTerms): boolean {
  if (find === '') return false
  if (wholeCell) return matchesCase ? text === find : sameLetters(text, find)
  return matchesCase ? text.includes(find) : foldedIndexOf(text, find, 0).at >= 0
}

/** The text with every place of it replaced. */
export function replaced(text: string, terms: FindTerms, by: string): string {
  const { find, matchesCase, wholeCell } = terms
  if (!isFound(text, terms)) return text
  if (wholeCell) return by
  if (matchesCase) return text.split(find).join(by)
  let made = ''
  let from = 0
  for (;;) {
    const { at, length } = foldedIndexOf(text, find, from)
    if (at < 0) return made + text.slice(from)
    made += text.slice(from, at) + by
    from = at + length
  }
}

function sameLetters(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase()
}

/**
 * Where the text stands, in any case. Letters may change their length with their case (`İ`), and then places in the
 * lowered text are not places in the text: those few are looked for one by one.
 */
function foldedIndexOf(text: string, find: string, from: number): { at: number; length: number } {
  const lowered = text.toLowerCase()
  if (lowered.length === text.length) {
    const wanted = find.toLowerCase()
    return { at: lowered.indexOf(wanted, from), length: wanted.length }
  }
  for (let at = from; at + find.length <= text.length; at += 1) {
    if (sameLetters(text.slice(at, at + find.length), find)) return { at, length: find.length }
  }
  return { at: -1, length: 0 }
}
