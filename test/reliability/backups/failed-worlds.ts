/** Worlds of faults in which something went wrong. Each ends alone: the others tell whether it is one of many. */

/** More of them tell no more. */
export const MAX_FAILED = 20

/** What went wrong in a world, with the seed by which it lives again alone. */
export function failedWorld(seed: number, cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  const isComparison = typeof cause === 'object' && cause !== null && 'actual' in cause
  return `BOOKBRIDGE_SEED=${seed}: ${message}${isComparison ? ` ${JSON.stringify(cause.actual)}` : ''}`
}
