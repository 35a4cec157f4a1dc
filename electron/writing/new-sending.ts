/** How an operation leaves, and what of an earlier sending it keeps. */
import type { RecordData } from '../../shared/changes.ts'
import type { JournalOperation, OperationMove } from '../store/journal.ts'
import { moveBy } from './context.ts'

/** The person's word to send it again is spent, and what was said of the sending before holds no longer. */
export const SENT_AGAIN = { sendAgain: false, settledAt: null, error: null } as const

/**
 * The move with which it leaves: queued, or an insert that is held and was looked for in this same turn.
 * @param fresh the record as it is, of a change whose reading back tells what else it did; else `null`
 */
export function sendMove(operation: JournalOperation, fresh: RecordData | null): OperationMove {
  // What the answer before called a new record led to none: the next one tells its own.
  const again = operation.state === 'held' ? { ...SENT_AGAIN, recordId: '' } : {}
  return moveBy(operation, 'send', { error: null, errorPath: '', fresh, ...again })
}

/** Whether an earlier sending may be done yet: it was looked for, which is what becomes of doubt. */
export function wasInDoubt({ looks }: JournalOperation): boolean {
  return looks > 0
}
