/**
 * A section of a report while it is walked: what stands in it so far, and how a sum at its end may be read.
 */
import {
  type Line,
  type Part,
  Parts,
  type Reading,
  holdsBoth,
  isPlainTotal,
  isResult,
  namedParts,
  resultReadings,
  sumOf,
} from './reports/readings.ts'
import { subjectOf } from './reports/levels.ts'
import type { ReportRow } from './reports/reports.ts'

/** Results and totals that are kept by name; a list with a total per row needs none of them. */
const MOST_RESULTS = 60

/** A section that is open, or the report as a whole (row −1). */
export interface Frame {
  readonly row: number
  readonly subject: string
  /** What a heading row itself states, where it does. */
  readonly heading: Line | null
  /** Up to the last result in it, and since. */
  readonly before: Parts
  since: Parts
  /** Results and totals on the way, the last `MOST_RESULTS`. */
  readonly results: Part[]
  /** More results than are kept: sums by name are not looked for. */
  hasMoreResults: boolean
  /** Holds rows of a type that nobody described: whether they count is not known. */
  isUncertain: boolean
}

export function openFrame(row: number, subject: string, heading: Line | null, columns: number): Frame {
  return {
    row,
    subject,
    heading,
    before: new Parts(columns),
    since: new Parts(columns),
    results: [],
    hasMoreResults: false,
    isUncertain: false,
  }
}

/** Everything in a frame so far. */
function wholeOf(frame: Frame): Parts {
  if (frame.results.length === 0) return frame.since
  const all = new Parts(frame.before.columns)
  all.absorb(frame.before)
  all.absorb(frame.since)
  return all
}

/** Closes a section into the one around it; `stated` is its subtotal, or `null` when it has none. */
export function closeFrame(frame: Frame, around: Frame, stated: Line | null): void {
  const all = wholeOf(frame)
  if (!stated && !frame.heading && holdsBoth(frame.subject)) {
    // Nobody said what is left of it: its income and its cost count one by one above.
    around.since.absorb(all)
    around.isUncertain ||= frame.isUncertain
    return
  }
  const value = all.stated()
  if (frame.heading) value.add(frame.heading.sums)
  stated?.kinds.forEach((kind, column) => {
    if (kind === 'amount') value.take(stated.sums, column)
  })
  const rows = all.rows()
  if (frame.heading) rows.add(frame.heading.sums)
  around.since.addSection({ subject: frame.subject, value, rows })
  // With a subtotal the doubt ends: what is above goes by what it states.
  if (!stated) around.isUncertain ||= frame.isUncertain
}

/** How the subtotal of a section may be read. */
export function sectionReadings(frame: Frame, name: string): Reading[] {
  const all = wholeOf(frame)
  const [stated, rows] = [all.stated(), all.rows()]
  const withHeading = frame.heading
    ? [stated.copy().add(frame.heading.sums), rows.copy().add(frame.heading.sums)]
    : []
  if (isResult(name) || isResult(frame.subject) || holdsBoth(frame.subject)) {
    const last = frame.results.at(-1)?.value ?? null
    const before = frame.results.at(-2)?.value ?? null
    const readings = resultReadings(name, all, frame.since, last, before)
    const [first, ...others] = withHeading
    return first ? [...readings, { vectors: [first, ...others], certain: false }] : readings
  }
  // A section without rows may be shown folded up: its subtotal then has no parts to be set against.
  return [{ vectors: [stated, rows, ...withHeading], certain: !frame.isUncertain && !all.isEmpty }]
}

/** How a total, or a subtotal that closes nothing, may be read. */
export function totalReadings(
  frame: Frame,
  { name, kind }: Pick<ReportRow, 'name' | 'kind'>,
  closedSection: boolean,
): Reading[] {
  const all = wholeOf(frame)
  const columns = all.columns
  const last = frame.results.at(-1)?.value ?? null
  const before = frame.results.at(-2)?.value ?? null
  const since: Reading = {
    vectors: [frame.since.stated(), frame.since.rows(), all.stated(), all.rows()],
    // A total above its rows has nothing yet to be set against.
    certain:
      isPlainTotal(name) &&
      !frame.isUncertain &&
      !all.isEmpty &&
      !isOfNameless(frame, name, kind) &&
      (closedSection || isOnlyReading(frame, name)),
  }
  if (isResult(name)) return resultReadings(name, all, frame.since, last, before)
  const named = frame.hasMoreResults ? null : namedParts(name, [...all.sections, ...frame.results])
  const totals = frame.results.length > 1 ? [sumOf(frame.results, columns)] : []
  const plain: Reading = { ...since, vectors: [...since.vectors, ...totals] }
  if (!named || !isPlainTotal(name) || closedSection) return [plain]
  return [
    { vectors: [sumOf(named, columns)], certain: !frame.isUncertain },
    { ...plain, certain: false },
  ]
}

/** *Total* after sections and rows below them: the sum of all, or of those rows alone, whose section had no name. */
function isOfNameless(frame: Frame, name: string, kind: ReportRow['kind']): boolean {
  const { hasRows, sections } = frame.since
  return kind === 'subtotal' && subjectOf(name) === '' && hasRows && sections.length > 0
}

/** Nothing above but rows and sections that one total can only mean together. */
function isOnlyReading(frame: Frame, name: string): boolean {
  const subject = subjectOf(name)
  const sections = frame.since.sections.length
  return subject === '' || (sections === 0 && frame.since.hasRows) || (sections === 1 && !frame.since.hasRows)
}

/** A result or total on the way: what follows starts anew, and may go on from it. */
export function addResult(frame: Frame, name: string, line: Line): void {
  frame.before.absorb(frame.since)
  const value = frame.since.stated()
  line.kinds.forEach((kind, column) => {
    if (kind === 'amount') value.take(line.sums, column)
  })
  frame.results.push({ subject: subjectOf(name), value, rows: value })
  if (frame.results.length > MOST_RESULTS) {
    frame.results.shift()
    frame.hasMoreResults = true
  }
  frame.since = new Parts(frame.before.columns)
}
