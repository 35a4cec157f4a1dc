/** Interprets the response to a write, and journals its outcomes together with the response in one transaction. */
import { type RecordData } from '../../../shared/records/changes.ts'
import { type AppError, appError } from '../../../shared/result.ts'
import { maskTokens } from '../../service/errors/redact.ts'
import type { Envelope, WriteResult } from '../../service/protocol/wire.ts'
import type {
  JournalOperation,
  NewRequest,
  OperationFacts,
  OperationMove,
  RequestResult,
} from '../../store/journal/journal.ts'
import type { BatchSlot, WritingContext } from '../context.ts'
import { idsInResponse, type ItemOutcome, namedPath, outcomesOf } from './item-outcomes.ts'
import { idOf, wasInBaseline } from './recognition.ts'
import { applyMove, createMove, NEW_UNCERTAINTY, warned, wasUncertain } from './states.ts'

/** How many characters are kept of a response that could not be matched to its operations. */
const LONGEST_RESPONSE = 1_000_000

export interface JournaledResponse {
  /** Operations whose record came back, but must be read again to know the outcome. They are unknown until then. */
  readonly toConfirm: readonly JournalOperation[]
  /** The records in the response, by operation ID. */
  readonly returned: ReadonlyMap<string, RecordData>
  readonly accountsForAll: boolean
}

/** A write that was made, and its result. */
export interface CompletedWrite {
  /** The application's short code, without which an error code means nothing. */
  readonly application: string
  readonly request: NewRequest
  readonly sending: readonly JournalOperation[]
  readonly result: WriteResult
  /** Whether to read back even what the response calls saved. */
  readonly readBackSaved: boolean
}

/**
 * Journals a response, or lets `postponed` do it if everything was saved as sent and more of the batch is queued. Nothing
 * depends on such a response. After a crash, its operations are rechecked, as if it had never arrived.
 */
export function journalResponse(
  context: WritingContext,
  write: CompletedWrite,
  { batch, postponed }: Pick<BatchSlot, 'batch' | 'postponed'>,
): JournaledResponse {
  const { operations } = context.store.journal
  const known = write.request.kind === 'insert' ? knownAlready(context, write) : new Set<string>()
  const { moves, journal, ...journaled } = interpretResponse(context, write, known)
  const ids = moves.map(({ operationId }) => operationId)
  const writeOutcome = (): void => {
    operations.move(moves, journal)
    context.changed(batch.company, batch.object, ids, batch.batchId)
  }
  const isSavedAsSent = journaled.accountsForAll && moves.every(({ to, closes }) => to === 'acked' && closes)
  if (postponed !== null && isSavedAsSent && operations.queuedOfBatch(batch.batchId, 1).length > 0)
    postponed.put(batch, writeOutcome)
  else writeOutcome()
  return journaled
}

/** IDs in a response to inserts that belong to other records: those of other operations, or those read earlier. */
function knownAlready(context: WritingContext, { sending, result }: CompletedWrite): ReadonlySet<string> {
  const [first] = sending
  if (first === undefined || result.outcome !== 'answered') return new Set<string>()
  const { company, object } = first
  const ids = idsInResponse(result.envelope)
  const known = context.store.journal.writePolicies.amongKnown(company, object, ids)
  const baseline = context.store.journal.operations.baselineOf(first.batchId)
  const before = result.envelope.items.flatMap(({ object }) =>
    object !== null && wasInBaseline(baseline, object) ? [idOf(object)] : [],
  )
  return new Set([...known, ...before])
}

type ResponseContext = Pick<WritingContext, 'timestamp' | 'translate'>

interface Interpreted extends JournaledResponse {
  readonly moves: readonly OperationMove[]
  readonly journal: RequestResult
}

/**
 * Derives from a response the moves of its operations, and what the journal keeps of it. Writes nothing.
 * @internal
 */
export function interpretResponse(
  context: ResponseContext,
  write: CompletedWrite,
  knownIds: ReadonlySet<string>,
): Interpreted {
  const { request, sending, result } = write
  const at = context.timestamp()
  const base = { requestKey: request.requestKey, respondedAt: at, items: [] }
  if (result.outcome !== 'answered') {
    const { error } = result
    const moves = sending.map((operation) => {
      switch (result.outcome) {
        case 'refused-key':
          return refused(operation, { error }, at)
        case 'not-sent':
          return notSent(operation, error)
        case 'uncertain':
          return createMove(operation, 'uncertain', { error, settledAt: null, ...NEW_UNCERTAINTY })
      }
    })
    return {
      moves,
      journal: {
        ...base,
        outcome: result.outcome,
        status: error.details.status ?? null,
        requestId: error.details.requestId ?? '',
        error,
        text: null,
        returnedIds: [],
      },
      toConfirm: [],
      returned: new Map(),
      accountsForAll: result.outcome !== 'uncertain',
    }
  }

  const { envelope } = result
  const { outcomes, items, accountsForAll } = outcomesOf(sending, { ...write, envelope, knownIds })
  const toConfirm: JournalOperation[] = []
  const returned = new Map<string, RecordData>()
  const moves = sending.map((operation) => {
    const outcome = outcomes.get(operation.operationId) ?? { outcome: 'uncertain' as const, errors: [] }
    const move = moveFor(context, operation, outcome, { ...write, envelope, at })
    const hasRecord = outcome.outcome === 'silent' || outcome.outcome === 'saved'
    if (hasRecord) returned.set(operation.operationId, outcome.record)
    if (hasRecord && move.to === 'unknown') toConfirm.push(applyMove(operation, move))
    return move
  })
  return {
    moves,
    journal: {
      ...base,
      outcome: 'answered',
      status: envelope.status,
      requestId: envelope.requestId,
      error: null,
      // An incomplete response is kept for the user to read.
      text: accountsForAll ? null : (result.text()?.slice(0, LONGEST_RESPONSE) ?? null),
      returnedIds: idsInResponse(envelope),
      items: sending.flatMap(({ operationId }) => {
        const item = items.get(operationId)
        return item === undefined ? [] : [{ operationId, text: maskTokens(JSON.stringify(item)) }]
      }),
    },
    toConfirm,
    returned,
    accountsForAll,
  }
}

/**
 * A refusal proves that this request did nothing. If an earlier request of the same operation may still take effect,
 * the record is rechecked instead of being reported as not accepted.
 */
function refused(operation: JournalOperation, facts: OperationFacts, at: string): OperationMove {
  return wasUncertain(operation)
    ? createMove(operation, 'uncertain', { ...facts, settledAt: null, ...NEW_UNCERTAINTY })
    : createMove(operation, 'answer-refused', { ...facts, settledAt: at })
}

/**
 * The move if nothing of this request was sent. Queued inserts are sent without a recheck, so an insert whose earlier
 * request may still take effect doesn't return to the queue. A change does, because its record is read before sending.
 */
function notSent(operation: JournalOperation, error: AppError): OperationMove {
  const facts = { error, settledAt: null }
  return operation.kind === 'insert' && wasUncertain(operation)
    ? createMove(operation, 'uncertain', { ...facts, ...NEW_UNCERTAINTY })
    : createMove(operation, 'not-sent', facts)
}

/**
 * The move if the outcome could not be saved to disk. The response may have been an error that the service returned
 * while its agent was still working, so even a change is rechecked twice.
 */
export function responseNotWritten(operation: JournalOperation): OperationMove {
  return createMove(operation, 'uncertain', { ...NEW_UNCERTAINTY, error: NOT_WRITTEN })
}

const NOT_WRITTEN = appError(
  'store',
  'The response couldn’t be saved on this computer.',
  'Bookbridge is checking whether it was saved. It won’t be sent again automatically.',
)

function moveFor(
  context: ResponseContext,
  operation: JournalOperation,
  outcome: ItemOutcome,
  answered: Pick<CompletedWrite, 'application' | 'readBackSaved'> & {
    readonly envelope: Envelope
    readonly at: string
  },
): OperationMove {
  const { application, readBackSaved, at } = answered
  const { requestId, status } = answered.envelope
  switch (outcome.outcome) {
    case 'saved': {
      const recordId = idOf(outcome.record)
      if (readBackSaved)
        return createMove(operation, 'uncertain', { ...NEW_UNCERTAINTY, recordId, requestId })
      const facts = {
        recordId,
        requestId,
        after: outcome.record,
        notAsSent: outcome.notAsSent,
        error: null,
        settledAt: at,
      }
      return createMove(operation, 'answer-saved', facts, outcome.notAsSent.length === 0)
    }
    case 'silent':
      return createMove(operation, 'uncertain', {
        ...NEW_UNCERTAINTY,
        recordId: idOf(outcome.record),
        requestId,
      })
    case 'refused':
      return refused(
        operation,
        {
          requestId,
          error: context.translate(application, outcome.errors, requestId, status, 'record'),
          errorPath: namedPath(operation, outcome.errors),
        },
        at,
      )
    case 'uncertain': {
      const error: AppError =
        outcome.errors.length > 0
          ? warned(context.translate(application, outcome.errors, requestId, status), outcome.isWarned)
          : NOT_ACCOUNTED
      const named = outcome.returnedId === undefined ? {} : { recordId: outcome.returnedId }
      return createMove(operation, 'uncertain', { ...NEW_UNCERTAINTY, ...named, requestId, error })
    }
  }
}

const NOT_ACCOUNTED = appError(
  'service-error',
  'The service’s response doesn’t say whether this record was saved.',
  'Bookbridge is checking whether it was saved. It won’t be sent again automatically.',
)
