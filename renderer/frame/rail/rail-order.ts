/**
 * Keeps companies in their places in the rail while the window is open, so that a second click doesn't hit another
 * client's books.
 */

/**
 * The IDs to show.
 * @param shown the IDs shown so far, in order
 * @param candidates all IDs that may be shown, most recent first
 * @param open the open company or `null`; it is always shown
 * @param most how many fit
 */
export function railOrder(
  shown: readonly string[],
  candidates: readonly string[],
  open: string | null,
  most: number,
): readonly string[] {
  const known = new Set(candidates)
  const kept = shown.filter((id) => known.has(id))
  const order = [...kept, ...candidates.filter((id) => !kept.includes(id))].slice(0, most)
  // A company opened from the palette replaces only the last one.
  if (open !== null && known.has(open) && !order.includes(open)) order.splice(most - 1, 1, open)
  return order
}
