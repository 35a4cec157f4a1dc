/** How columns share the room that there is. */

/**
 * What each column gets of the room: what it wants where there is enough for all, else the widest give way first, none
 * below `least`. In pixels.
 */
export function widthsWithin(
  wanted: ReadonlyMap<string, number>,
  room: number,
  least: number,
): ReadonlyMap<string, number> {
  const narrowestFirst = [...wanted].sort(([, left], [, right]) => left - right)
  const widths = new Map<string, number>()
  let rest = room
  for (const [index, [path, width]] of narrowestFirst.entries()) {
    const share = Math.floor(rest / (narrowestFirst.length - index))
    const given = Math.min(width, Math.max(least, share))
    widths.set(path, given)
    rest -= given
  }
  return widths
}
