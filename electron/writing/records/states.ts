/**
 * The states of an operation, the moves between them, and the facts and errors that moves carry. A move that isn't in
 * the table can't happen.
 */
import type { OperationState } from '../../../shared/contract/records.ts'
import type { RecordData } from '../../../shared/records/changes.ts'
import { type AppError, appError } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import type { JournalOperation, OperationFacts, OperationMove } from '../../store/journal/journal.ts'
import { fullNameOf, idOf } from './recognition.ts'

/** What can happen to an operation. */
export type OperationEvent =
  /** Its request is about to be sent, and the journal says so on disk. */
  | 'send'
  /** No byte of its request was sent, for certain. */
  | 'not-sent'
  /** The response has the record. */
  | 'answer-saved'
  /** The response certainly refuses it: an item's own error without a record, or a refused key. */
  | 'answer-refused'
  /** Any other response, or none. */
  | 'uncertain'
  /** Reading back found it as sent. */
  | 'found-as-sent'
  /** Reading back found that a change was not made, or that an insert is not there. */
  | 'found-undone'
  /** Reading back found records that may be the insert. */
  | 'found-possible'
  /** Reading back found other values, or the record twice. */
  | 'found-otherwise'
  /** The user said which record is the insert. */
  | 'claimed'
  /** The check before sending found that someone else changed the same field. */
  | 'guard-differs'
  /** It can't be sent, given its record's current values. Nothing of it was sent. */
  | 'unsendable'
  /** The user chose **Send again**, and one more recheck agreed. */
  | 'send-again'

const MOVES: Readonly<Record<OperationState, Partial<Readonly<Record<OperationEvent, OperationState>>>>> = {
  queued: { send: 'sending', 'guard-differs': 'conflict', unsendable: 'rejected' },
  sending: {
    'not-sent': 'queued',
    'answer-saved': 'acked',
    'answer-refused': 'rejected',
    uncertain: 'unknown',
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

/** Creates a move that the table allows. Throws for any other, which is a defect. */
export function createMove(
  operation: Pick<JournalOperation, 'operationId' | 'state'>,
  event: OperationEvent,
  facts: OperationFacts,
  closes = false,
): OperationMove {
  const to = MOVES[operation.state][event]
  if (to === undefined) throw new Error(`An operation can't go from ${operation.state} by ${event}.`)
  return { operationId: operation.operationId, from: operation.state, to, facts, closes }
}

/** Creates a move that updates an operation's facts and keeps its state. */
export function createFactsUpdate(operation: JournalOperation, facts: OperationFacts): OperationMove {
  return {
    operationId: operation.operationId,
    from: operation.state,
    to: operation.state,
    facts,
    closes: false,
  }
}

/** Applies a move to an operation in memory, without reading it from disk again. */
export function applyMove(operation: JournalOperation, move: OperationMove): JournalOperation {
  return { ...operation, ...move.facts, state: move.to, isClosed: operation.isClosed || move.closes }
}

/** The states from which a user may drop an operation. */
const DROPPABLE: readonly OperationState[] = ['queued', 'held', 'conflict']

/** Whether a user may drop an operation. */
export function canDrop(state: OperationState): boolean {
  return DROPPABLE.includes(state)
}

/** Facts of an operation that is sent again: the permission is used up, and the previous outcome no longer applies. */
export const SENT_AGAIN = { sendAgain: false, settledAt: null, error: null } as const

/** Milliseconds after **Send again** until the list is searched for a late effect of the previous request. */
const RECHECK_AFTER = 60 * 60_000

/** When to search for a duplicate of a held insert that is sent now (ISO). */
export function recheckTime(clock: Pick<Clock, 'now'>): string {
  return new Date(clock.now() + RECHECK_AFTER).toISOString()
}

/** The moves with which an operation is sent, in one transaction. */
export interface SendMoves {
  /** For an operation that is sent again: its move from held to queued, which comes first. */
  readonly again: OperationMove | null
  readonly send: OperationMove
}

/**
 * Creates the moves with which an operation is sent. An insert that is sent again stays held until then, because queued
 * operations are sent without a recheck.
 * @param operation a queued one, or a held insert that was rechecked in this same slot
 * @param beforeSending for a change whose side effects are checked: the current record; otherwise `null`
 * @param recheckAt for an insert that is sent again: when to search for a duplicate (ISO)
 */
export function createSendMoves(
  operation: JournalOperation,
  beforeSending: RecordData | null,
  recheckAt: string,
): SendMoves {
  // The record that the previous response named was not found. The next response names its own.
  const again =
    operation.state === 'held'
      ? createMove(operation, 'send-again', { ...SENT_AGAIN, recordId: '', candidates: [], recheckAt })
      : null
  const queued = again === null ? operation : applyMove(operation, again)
  return { again, send: createMove(queued, 'send', { error: null, errorPath: '', beforeSending }) }
}

/** Restarts the rechecks when an operation's outcome becomes unknown again. */
export const NEW_UNCERTAINTY = { rechecks: 0, firstRecheckedAt: null, lastRecheckedAt: null } as const

/** Whether an earlier request may still take effect. Only operations with an unknown outcome are ever rechecked. */
export function wasUncertain({ rechecks }: JournalOperation): boolean {
  return rechecks > 0
}

/**
 * Combines why an outcome is unknown with why a recheck was inconclusive.
 * @param own why it is unknown, possibly with the reason of an earlier recheck; `null` if there is no error
 * @param recheck why the latest recheck was inconclusive; `null` if it was conclusive
 * @returns the error to store with the operation, with only the latest recheck's reason
 */
export function uncertaintyAfterRecheck(own: AppError | null, recheck: AppError | null): AppError | null {
  if (recheck === null) {
    if (own === null) return null
    const { recheckReason: _before, ...details } = own.details
    return { ...own, details }
  }
  const doubt = own ?? NO_ANSWER
  return { ...doubt, details: { ...doubt.details, recheckReason: recheck.message } }
}

/** Marks an error of a record as a warning if it is one. */
export function warned(error: AppError, isWarned = false): AppError {
  return isWarned ? { ...error, details: { ...error.details, isWarning: true } } : error
}

/** The error to keep for a record that was found as sent: warnings still apply, uncertainty does not. */
export function warningAfterRecheck(own: AppError | null): AppError | null {
  return own?.details.isWarning === true ? uncertaintyAfterRecheck(own, null) : null
}

/**
 * The error for a change whose `ID` now belongs to another record.
 * @param isSent whether the change may have been made to that record
 */
export function anotherRecordError(name: string, found: RecordData, isSent: boolean): AppError {
  const now = fullNameOf(found) || idOf(found)
  if (!isSent && now === name) {
    return appError(
      'service-error',
      `This may be another record named “${name}”: its details differ from those that were read, and it has no date or number that tells. Nothing was sent.`,
      'Discard this change, read the list again, and make the change in the right record.',
    )
  }
  return isSent
    ? appError(
        'service-error',
        `The ID of “${name}” now belongs to “${now}”, so this change may have been made to the wrong record.`,
        `Check both records in the accounting application and correct “${now}” there if needed. Then discard this change and read the list again.`,
      )
    : appError(
        'service-error',
        `The ID of “${name}” now belongs to “${now}”. Nothing was sent.`,
        'Discard this change, read the list again, and make the change in the right record.',
      )
}

const NO_ANSWER = appError(
  'service-error',
  'The outcome is not known.',
  'Bookbridge checks whether it was saved. It is never sent again automatically.',
)

/** The error for changes that wait to be sent and were meant for the previous service. */
export const ADDRESS_CHANGED: AppError = appError(
  'connection-changed',
  'You changed this connection’s address. These changes were meant for the previous service.',
  'Continue sends them to the new address. If that is another service, discard them or change the address back.',
)

/** The error for changes that were sent to the previous service and still await an outcome. */
export function sentToPreviousServiceError(address: string): AppError {
  return appError(
    'connection-changed',
    `The address of this connection was changed. This was sent to ${address}, so it can’t be checked at the new address.`,
    'Change the address back under Settings, Connections, and Bookbridge checks again. If the service only moved, change it from there and select “The service moved to this address”.',
  )
}
