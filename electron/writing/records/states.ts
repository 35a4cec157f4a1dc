/**
 * The states of an operation and every move between them. A move that is not in this
 * table does not exist.
 */
import type { OperationState } from '../../../shared/contract/records.ts'

/** What can happen to an operation. */
export type OperationEvent =
  /** Its request is about to leave, and that is on disk. */
  | 'send'
  /** It is proven that no byte left. */
  | 'nothing-left'
  /** The answer holds the record. */
  | 'answer-saved'
  /** The answer refuses it for certain: an item's own error without a record, or a refused key. */
  | 'answer-refused'
  /** Anything else came, or nothing. */
  | 'doubt'
  /** Reading back found it as sent. */
  | 'found-as-sent'
  /** Reading back found a change not made, or an insert not there. */
  | 'found-undone'
  /** Reading back found records that may be an insert. */
  | 'found-possible'
  /** Reading back found other values, or it twice. */
  | 'found-otherwise'
  /** The person said which of the records that may be an insert is it. */
  | 'claimed'
  /** The guard found that somebody else changed the same field. */
  | 'guard-differs'
  /** It can't be put on the wire, beside its record as that is now: nothing of it leaves. */
  | 'unsendable'
  /** The person's word, after one more look. */
  | 'send-again'

const MOVES: Readonly<Record<OperationState, Partial<Readonly<Record<OperationEvent, OperationState>>>>> = {
  queued: { send: 'sending', 'guard-differs': 'conflict', unsendable: 'rejected' },
  sending: {
    'nothing-left': 'queued',
    'answer-saved': 'acked',
    'answer-refused': 'rejected',
    doubt: 'unknown',
  },
  unknown: {
    'answer-saved': 'acked',
    'answer-refused': 'rejected',
    'found-as-sent': 'acked',
    'found-undone': 'held',
    'found-possible': 'held',
    'found-otherwise': 'conflict',
  },
  held: {
    'answer-saved': 'acked',
    'answer-refused': 'rejected',
    'found-as-sent': 'acked',
    'found-otherwise': 'conflict',
    claimed: 'acked',
    'send-again': 'queued',
  },
  acked: {},
  rejected: {},
  conflict: {},
}

/** The state after an event, or `null` where the event can't happen. */
export function nextState(state: OperationState, event: OperationEvent): OperationState | null {
  return MOVES[state][event] ?? null
}

/** States out of which a person may drop an operation. */
const DROPPABLE: readonly OperationState[] = ['queued', 'held', 'conflict']

export function canDrop(state: OperationState): boolean {
  return DROPPABLE.includes(state)
}
