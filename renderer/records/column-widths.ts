/** How columns share the room that there is. */

/** What a column makes of room, in pixels. */
export interface WidthRange {
  /** Below it what has to be read is cut. */
  readonly least: number
  /** More is of no use. */
  readonly most: number
}

/**
 * What each column gets of the room: as much as is of use where there is enough for all, else those that want the most
 * beyond their least give way first, none below its least. In pixels.
 */
export function widthsWithin(
  ranges: ReadonlyMap<string, WidthRange>,
  room: number,
): ReadonlyMap<string, number> {
  const extra = ({ least, most }: WidthRange): number => most - least
  const easiestFirst = [...ranges].sort(([, left], [, right]) => extra(left) - extra(right))
  const widths = new Map<string, number>()
  let rest = easiestFirst.reduce((left, [, { least }]) => left - least, room)
  for (const [index, [path, range]] of easiestFirst.entries()) {
    const share = Math.max(0, Math.floor(rest / (easiestFirst.length - index)))
    const given = Math.min(extra(range), share)
    widths.set(path, range.least + given)
    rest -= given
  }
  return widths
}
