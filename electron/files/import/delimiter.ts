/** Which character parts the cells of a text. A sniff of our own: papaparse takes the commas in a note for it. */

const CANDIDATES = [',', ';', '\t', '|'] as const
type Delimiter = (typeof CANDIDATES)[number]

/** As much of a text is looked at. */
const LOOKED_AT = 256 * 1024
const MOST_LINES = 200

/** The delimiter that a text says in a first line for spreadsheets (`sep=;`); `null` where it has none. */
export function statedDelimiter(text: string): string | null {
  return /^"?sep=([^\r\n"])"?[\r\n]/i.exec(text)?.[1] ?? null
}

/**
 * The delimiter by which most lines have as many cells as most others, cells in quotes counted as one. Lines without
 * anything in them don't count. `,` where nothing parts the lines.
 */
export function sniffDelimiter(text: string): Delimiter {
  const start = text.slice(0, LOOKED_AT)
  const isCut = text.length > LOOKED_AT
  let best: Delimiter = ','
  let bestScore = 0
  for (const delimiter of CANDIDATES) {
    const score = scoreOf(cellCounts(start, delimiter, isCut))
    if (score > bestScore) {
      bestScore = score
      best = delimiter
    }
  }
  return best
}

/** How many cells each line has. */
function cellCounts(text: string, delimiter: Delimiter, isCut: boolean): number[] {
  const counts: number[] = []
  let cells = 1
  let isQuoted = false
  let isCellStart = true
  let isBlank = true
  for (let at = 0; at < text.length && counts.length < MOST_LINES; at += 1) {
    const character = text[at] ?? ''
    if (isQuoted) {
      if (character !== '"') continue
      if (text[at + 1] === '"') at += 1
      else isQuoted = false
    } else if (character === '"' && isCellStart) {
      isQuoted = true
      isCellStart = false
      isBlank = false
    } else if (character === delimiter) {
      cells += 1
      isCellStart = true
    } else if (character === '\n' || character === '\r') {
      if (!isBlank) counts.push(cells)
      cells = 1
      isCellStart = true
      isBlank = true
    } else if (character !== ' ' && character !== '\t') {
      isCellStart = false
      isBlank = false
    }
  }
  if (!isBlank && !isQuoted && !isCut) counts.push(cells)
  return counts
}

/**
 * The share of lines that have the commonest number of cells, weighed by how many cells that is: a delimiter that
 * parts every line alike beats one that stands in some notes.
 */
function scoreOf(counts: readonly number[]): number {
  const times = new Map<number, number>()
  for (const count of counts) if (count > 1) times.set(count, (times.get(count) ?? 0) + 1)
  let score = 0
  for (const [cells, lines] of times)
    score = Math.max(score, (lines / counts.length) ** 2 * (1 + Math.log2(cells) / 10))
  return score
}
