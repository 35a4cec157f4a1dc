import type { Result } from '../shared/result.ts'

/** The value of a result. Throws its error. */
export function value<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(`${result.error.kind}: ${result.error.message} ${result.error.details.raw ?? ''}`)
}
