/** How an operation leaves, and what of an earlier sending it keeps. */
import type { RecordData } from '../../../shared/records/changes.ts'
import type { JournalOperation, OperationMove } from '../../store/journal/journal.ts'
import { createMove, moved } from '../context.ts'

/** The person's word to send it again is spent, and what was said of the sending before holds no longer. */
export const SENT_AGAIN = { sendAgain: false, settledAt: null, error: null } as const

/** The moves with which it leaves, all of one transaction. */
export interface Leaving {
  /** Of what is sent again, before the other; else none. */
  readonly again: OperationMove | null
  readonly send: OperationMove
}

/**
 * An insert that is sent again is held until it leaves, and never rests queued: what is queued leaves without a look.
 * @param operation queued, or an insert that is held and was looked for in this same turn
 * @param fresh the record as it is, of a change whose reading back tells what else it did; else `null`
 * @param recheckAt when a second record of an insert that is sent again is looked for (ISO)
 */
export function leaving(operation: JournalOperation, fresh: RecordData | null, recheckAt: string): Leaving {
  // What the answer before called a new record led to none: the next one tells its own.
  const again =
    operation.state === 'held'
      ? createMove(operation, 'send-again', { ...SENT_AGAIN, recordId: '', candidates: [], recheckAt })
      : null
  const queued = again === null ? operation : moved(operation, again)
  return { again, send: createMove(queued, 'send', { error: null, errorPath: '', fresh }) }
}

/** Restarts the rechecks when an operation's outcome becomes unknown again. */
export const NEW_UNCERTAINTY = { looks: 0, firstLookedAt: null, lastLookedAt: null } as const

/** Whether an earlier request may still take effect. Only operations with an unknown outcome are ever rechecked. */
export function wasUncertain({ looks }: JournalOperation): boolean {
  return looks > 0
}
