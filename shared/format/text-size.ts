/** The sizes that the window’s text can have, in percent of the usual one. */
export const TEXT_SIZES = [90, 100, 110, 125, 150, 175, 200] as const

/** The next larger or smaller size; the same one if there is none. */
export function nextTextSize(current: number, way: 'larger' | 'smaller'): number {
  return way === 'larger'
    ? (TEXT_SIZES.find((size) => size > current) ?? current)
    : (TEXT_SIZES.findLast((size) => size < current) ?? current)
}
