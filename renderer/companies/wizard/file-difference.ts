/** Where two file names or paths differ, so that it can be shown: the words between what they begin and end alike with. */

/** A piece of one of the two, in order; their texts together are the whole. */
export interface Piece {
  readonly text: string
  readonly differs: boolean
}

export interface FileDifference {
  readonly named: readonly Piece[]
  readonly returned: readonly Piece[]
}

/** Words, and what stands between them: a whole word is shown to differ, never half of one. */
const WORDS = /[\p{L}\p{N}]+|[^\p{L}\p{N}]/gu

/** Compares without regard to case; spelling is shown as it is. */
export function fileDifference(named: string, returned: string): FileDifference {
  const left = named.match(WORDS) ?? []
  const right = returned.match(WORDS) ?? []
  const most = Math.min(left.length, right.length)
  const isAlike = (first: string | undefined, second: string | undefined): boolean =>
    first?.toLowerCase() === second?.toLowerCase()
  let from = 0
  while (from < most && isAlike(left[from], right[from])) from += 1
  let after = 0
  while (after < most - from && isAlike(left.at(-1 - after), right.at(-1 - after))) after += 1
  return { named: pieces(left, from, after), returned: pieces(right, from, after) }
}

function pieces(words: readonly string[], from: number, after: number): readonly Piece[] {
  const to = words.length - after
  return [
    { text: words.slice(0, from).join(''), differs: false },
    { text: words.slice(from, to).join(''), differs: true },
    { text: words.slice(to).join(''), differs: false },
  ].filter(({ text }) => text !== '')
}
