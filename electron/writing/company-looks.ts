/** When a company whose set-up or taking away was not surely answered is looked for again. */

/** Minutes after the answer was lost at which it is looked for by itself (the design's page on reliability). */
const LOOKS_AFTER_MINUTES = [0, 2, 10, 60] as const

/**
 * When the next look is due, in milliseconds since 1970; `null` after the last.
 * @param since when it came to be in doubt, or the start of the program
 * @param lookedAt the last look since then, by itself or by the person; `null` before the first
 */
export function nextLook(since: number, lookedAt: number | null): number | null {
  if (lookedAt === null) return since
  const minutes = LOOKS_AFTER_MINUTES.find((each) => since + each * 60_000 > lookedAt)
  return minutes === undefined ? null : since + minutes * 60_000
}
