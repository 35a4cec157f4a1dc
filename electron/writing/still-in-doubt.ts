/** What is said of records whose outcome is still not known, and of what waits behind them. */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { appError, type AppError } from '../../shared/result.ts'
import type { JournalOperation } from '../store/journal.ts'
import { stay, type WritingContext } from './context.ts'
import { doubtAfterLook } from './doubt-words.ts'

/** Why what is queued waits, and what the person can do about it. */
export function stillUnknown(unknown: readonly JournalOperation[]): AppError {
  const [first, ...more] = unknown
  const others = more.length === 0 ? '' : ` and ${more.length} more`
  return appError(
    'service-error',
    `Not sent yet: what became of ${first?.recordName ?? ''}${others} is still not known.`,
    'Check it now, or look in the accounting application. Go on sends these all the same.',
  )
}

/** Why something is still not confirmed stands beside why it is in doubt. Answers false when that could not be written. */
export function tellWhy(
  context: WritingContext,
  company: CompanyRef,
  operations: readonly JournalOperation[],
  error: AppError,
): boolean {
  const { journal } = context.store
  const current = journal.operations.byIds(operations.map(({ operationId }) => operationId))
  if (!current.ok) return false
  const open = current.value.filter(
    ({ state, sendAgain }) => state === 'unknown' || (state === 'held' && sendAgain),
  )
  const moves = open.map((operation) =>
    stay(operation, { error: doubtAfterLook(operation.error, error), sendAgain: false }),
  )
  const [first] = open
  if (first === undefined) return true
  const written = journal.operations.move(moves, null)
  context.changed(
    company,
    first.object,
    moves.map(({ operationId }) => operationId),
    null,
  )
  return written.ok
}
