/**
 * Sets one stated sum against the ways in which it may be read, and decides: it holds, it does not, or nobody can
 * tell.
 */
import { type Line, type Reading, unitsToText } from './reports/readings.ts'
import type { StatedSum } from './report-equations.ts'
import type { FoundAgainst, ReportFinding, ReportRow } from './reports/reports.ts'

/** Everything that the walk collects. */
export interface Walk {
  readonly columns: readonly string[]
  readonly scale: number
  readonly isSum: readonly boolean[]
  readonly findings: ReportFinding[]
  /** Names of sums whose make-up is not known, and columns in which text stood. */
  readonly unclear: Set<string>
  readonly texts: Set<number>
  readonly held: Set<number>
  readonly failed: Set<number>
  readonly sums: StatedSum[]
}

/** What a reading comes to in one column: whether it can be told, and whether it equals what is stated. */
function compare(reading: Reading, line: Line, column: number): 'equal' | 'different' | 'unknown' {
  const usable = reading.vectors.filter((vector) => vector.isUsable(column))
  if (usable.length === 0) return 'unknown'
  return usable.some((vector) => vector.equals(line.sums, column)) ? 'equal' : 'different'
}

/** How well a reading fits a row: columns that are equal (and not merely zero), and how far off the others are. */
interface Fit {
  readonly reading: Reading
  readonly different: readonly number[]
  readonly equal: number
  readonly proof: number
  readonly off: bigint
}

function fit(reading: Reading, line: Line, checked: readonly number[]): Fit {
  const different: number[] = []
  let [equal, proof, off] = [0, 0, 0n]
  for (const column of checked) {
    const outcome = compare(reading, line, column)
    if (outcome === 'equal') {
      equal += 1
      if (line.sums.value(column) !== 0n) proof += 1
    } else if (outcome === 'different') {
      different.push(column)
      const difference = nearest(reading, line, column) - line.sums.value(column)
      off += difference < 0n ? -difference : difference
    }
  }
  return { reading, different, equal, proof, off }
}

/** What the parts come to, by the vector that is nearest to what is stated (the first of equals). */
function nearest(reading: Reading, line: Line, column: number): bigint {
  const stated = line.sums.value(column)
  let best: bigint | null = null
  for (const vector of reading.vectors) {
    if (!vector.isUsable(column)) continue
    const value = vector.value(column)
    if (best === null || distance(value, stated) < distance(best, stated)) best = value
  }
  return best ?? stated
}

function distance(left: bigint, right: bigint): bigint {
  return left < right ? right - left : left - right
}

/** *(1,234.50)*, *$5*, *12.00-*: written for people, and no plain decimal. */
const LIKE_AN_AMOUNT = /^[^\p{L}\d]{0,4}\d[\d.,'\s]*[^\p{L}\d]{0,3}$/u

/** Checks one stated sum against its readings. */
export function judge(
  walk: Walk,
  index: number,
  row: ReportRow,
  line: Line,
  readings: readonly Reading[],
): void {
  const checked: number[] = []
  line.kinds.forEach((kind, column) => {
    if (walk.isSum[column] !== true) return
    if (kind === 'amount') checked.push(column)
    // A sum that nobody can read is not passed over.
    else if (kind === 'text' && LIKE_AN_AMOUNT.test(row.values[column] ?? '')) walk.texts.add(column)
  })
  if (checked.length === 0) return
  const fits = readings.map((reading) => fit(reading, line, checked))
  const whole = fits.find(({ different, equal }) => different.length === 0 && equal > 0)
  const best =
    whole ?? fits.reduce((a, b) => (b.equal > a.equal || (b.equal === a.equal && b.off < a.off) ? b : a))
  for (const column of checked) {
    if (compare(best.reading, line, column) === 'unknown') walk.texts.add(column)
  }
  if (best.different.length === 0) {
    if (best.equal > 0) walk.held.add(index)
    return
  }
  // A difference is an alarm only if the sum can't mean anything else, or if it holds so in another column.
  if (fits.some(({ reading }) => reading.certain) || best.proof > 0) {
    for (const column of best.different) {
      const stated = line.sums.value(column)
      addFinding(walk, index, row, { column, stated, computed: nearest(best.reading, line, column) }, 'parts')
    }
  } else {
    walk.unclear.add(row.name.trim() === '' ? `row ${String(index + 1)}` : row.name.trim())
  }
}

/** Notes a difference; amounts are whole numbers of the walk's scale. */
export function addFinding(
  walk: Walk,
  index: number,
  row: ReportRow,
  {
    column,
    stated,
    computed,
  }: { readonly column: number; readonly stated: bigint; readonly computed: bigint },
  against: FoundAgainst,
): void {
  walk.failed.add(index)
  walk.findings.push({
    row: index,
    rowName: row.name,
    column,
    columnName: walk.columns[column] ?? '',
    against,
    stated: unitsToText(stated, walk.scale),
    computed: unitsToText(computed, walk.scale),
    difference: unitsToText(computed - stated, walk.scale),
  })
}
