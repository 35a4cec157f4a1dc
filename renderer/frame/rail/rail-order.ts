/**
 * The companies in the rail keep their places while the window lives: what lies under the pointer must not become
 * another client's books between two clicks.
 */

/**
 * The ids to show, from those shown before.
 * @param shown in their order, as shown so far
 * @param candidates all that may be shown, most recent first
 * @param open the company whose books are open, or `null`; it is always among them
 * @param most how many have room
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
  // Only the last place is given up for one that came from the palette.
  if (open !== null && known.has(open) && !order.includes(open)) order.splice(most - 1, 1, open)
  return order
}
