/** Collects failed worlds of a randomized test, so that one failure doesn't end the run. */

/** Stop after this many failures. */
export const MAX_FAILURES = 20

/** A description of a failed world, with the seed that repeats it. */
export function formatFailure(seed: number, cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  const isComparison = typeof cause === 'object' && cause !== null && 'actual' in cause
  return `BOOKBRIDGE_SEED=${seed}: ${message}${isComparison ? ` ${JSON.stringify(cause.actual)}` : ''}`
}
