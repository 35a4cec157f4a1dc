/** How columns share the room that there is. */

/** What a column makes of room, in pixels. */
export interface WidthRange {
  /** It is never narrower. */
  readonly least: number
  /** More is of no use. */
  readonly most: number
}

/** A column of changes, in pixels. */
export interface ChangeWidths {
  /** Not even with what it becomes cut is it narrower. */
  readonly floor: number
  /** What it becomes is read whole. */
  readonly whole: number
  /** What was there stands beside it. */
  readonly beside: number
}

/** How a review lies in the room that there is, in pixels. */
export interface ReviewWidths {
  readonly changes: ReadonlyMap<string, number>
  /** What stands beside the changes, in the order in which it was given. */
  readonly others: ReadonlyMap<string, number>
  /** Whether what was there stands over what comes. */
  readonly hasTwoLines: boolean
}

/**
 * Lays a review out. Where was and is have no room beside each other they take two lines; where what comes can't be read
 * whole even then, the columns beside the changes give way, one after the other; and only then it is cut.
 * @param others the columns beside the changes: as wide as they stand at most
 * @param room of all columns together
 */
export function reviewWidths(
  changes: ReadonlyMap<string, ChangeWidths>,
  others: ReadonlyMap<string, WidthRange>,
  room: number,
): ReviewWidths {
  const sum = (widths: Iterable<number>): number => [...widths].reduce((all, width) => all + width, 0)
  const whole = sum([...changes.values()].map((widths) => widths.whole))
  const beside = sum([...changes.values()].map((widths) => widths.beside))
  const left = room - sum([...others.values()].map(({ most }) => most))
  const given = new Map<string, number>()
  let missing = Math.max(0, whole - left)
  for (const [id, { least, most }] of others) {
    const gives = Math.min(missing, Math.max(0, most - least))
    given.set(id, most - gives)
    missing -= gives
  }
  const isReadWhole = missing === 0
  const ranges = [...changes].map(([path, { floor, whole, beside }]): [string, WidthRange] => [
    path,
    isReadWhole ? { least: whole, most: beside } : { least: floor, most: whole },
  ])
  const widths = widthsWithin(new Map(ranges), room - sum(given.values()))
  return { changes: widths, others: given, hasTwoLines: beside > left }
}

/**
 * What each column gets of the room: as much as is of use where there is enough for all, else those that want the most
 * beyond their least give way first, none below its least. In pixels.
 */
function widthsWithin(ranges: ReadonlyMap<string, WidthRange>, room: number): ReadonlyMap<string, number> {
  const extra = ({ least, most }: WidthRange): number => most - least
  const easiestFirst = [...ranges].sort(([, left], [, right]) => extra(left) - extra(right))
  const widths = new Map<string, number>()
  let rest = easiestFirst.reduce((left, [, { least }]) => left - least, room)
  for (const [path, range] of easiestFirst) {
    const given = Math.max(0, Math.min(extra(range), rest))
    widths.set(path, range.least + given)
    rest -= given
  }
  return widths
}
