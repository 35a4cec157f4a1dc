/** What is known of what would be lost with a connection, and whether it may be removed; pure. */
import type { UnfinishedItem } from '../../shared/contract/activity.ts'
import type { AppError, Result } from '../../shared/result.ts'

/** As long as it is `looking`, and where it could not be found out, the connection is kept. */
export type Removal =
  | { readonly state: 'looking' | 'nothing-unfinished' }
  | { readonly state: 'unknown'; readonly error: AppError }
  | { readonly state: 'unfinished'; readonly items: readonly UnfinishedItem[] }

/** @param answered what is unfinished there; `null` as long as it is asked */
export function removalAfter(answered: Result<readonly UnfinishedItem[]> | null): Removal {
  if (answered === null) return { state: 'looking' }
  if (!answered.ok) return { state: 'unknown', error: answered.error }
  return answered.value.length === 0
    ? { state: 'nothing-unfinished' }
    : { state: 'unfinished', items: answered.value }
}

/** Whether **Remove** is held back. */
export function isHeld({ state }: Removal): boolean {
  return state === 'looking' || state === 'unknown'
}
