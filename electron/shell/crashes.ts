/** Whether a window whose page has fallen comes back by itself: not when it falls again and again. */

const WITHIN_MILLISECONDS = 60_000
const MOST = 3

/** @param times of the crashes so far, this one last, in milliseconds since 1970 */
export function comesBack(times: readonly number[]): boolean {
  const now = times.at(-1) ?? 0
  return times.filter((time) => now - time < WITHIN_MILLISECONDS).length <= MOST
}
