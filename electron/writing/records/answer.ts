/** Journals what an answer to a write says about each operation, in one transaction with the answer itself. */
import { maskTokens } from '../../service/errors/redact.ts'
import { appError, type AppError } from '../../../shared/result.ts'
import type { RecordData } from '../../../shared/records/changes.ts'
import type { WriteAnswer } from '../../service/protocol/wire.ts'
import type {
  JournalOperation,
  NewRequest,
  OperationFacts,
  OperationMove,
  RequestAnswer,
} from '../../store/journal/journal.ts'
import type { WritingContext } from '../context.ts'
import { warned, NEW_UNCERTAINTY, wasUncertain, createMove, moved } from './states.ts'
import { idOf, wasInBaseline } from './recognition.ts'
import { namedPath, outcomesOf, toldIds, type ItemOutcome } from './outcome.ts'

/** How many characters are kept of an answer that could not be matched to its operations. */
const LONGEST_TEXT = 1_000_000

export interface JournaledAnswer {
  /** Operations whose record came back but has to be read to know the outcome. They are unknown until then. */
  readonly toConfirm: readonly JournalOperation[]
  /** The records in the answer, by operation. */
  readonly told: ReadonlyMap<string, RecordData>
  readonly accountsForAll: boolean
}

/**
 * Journals an answer.
 * @param readBackSaved whether to read back even what the answer calls saved
 */
export function journalAnswer(
  context: WritingContext,
  application: string,
  request: NewRequest,
  sending: readonly JournalOperation[],
  answer: WriteAnswer,
  readBackSaved: boolean,
): JournaledAnswer {
  const known = request.kind === 'insert' ? knownAlready(context, sending, answer) : new Set<string>()
  const { moves, journal, ...journalled } = digestAnswer(
    context,
    application,
    request,
    sending,
    answer,
    readBackSaved,
    known,
  )
  context.store.journal.operations.move(moves, journal)
  return journalled
}

/** IDs in an answer to inserts that belong to other records: to those of other operations, or to those read before. */
function knownAlready(
  context: WritingContext,
  sending: readonly JournalOperation[],
  answer: WriteAnswer,
): ReadonlySet<string> {
  const [first] = sending
  if (first === undefined || answer.outcome !== 'answered') return new Set<string>()
  const { company, object } = first
  const told = toldIds(answer.envelope)
  const known = context.store.journal.writePolicies.amongKnown(company, object, told)
  const baseline = context.store.journal.operations.baselineOf(first.batchId)
  const before = answer.envelope.items.flatMap(({ object }) =>
    object !== null && wasInBaseline(baseline, object) ? [idOf(object)] : [],
  )
  return new Set([...known, ...before])
}

type AnswerContext = Pick<WritingContext, 'timestamp' | 'translate'>

interface Digested extends JournaledAnswer {
  readonly moves: readonly OperationMove[]
  readonly journal: RequestAnswer
}

/** What follows from an answer: the moves of its operations, and what the journal keeps of it. Writes nothing. */
export function digestAnswer(
  context: AnswerContext,
  application: string,
  request: NewRequest,
  sending: readonly JournalOperation[],
  answer: WriteAnswer,
  readBackSaved: boolean,
  knownIds: ReadonlySet<string>,
): Digested {
  const at = context.timestamp()
  const base = { requestKey: request.requestKey, answeredAt: at, items: [] }
  if (answer.outcome !== 'answered') {
    const { error } = answer
    const moves = sending.map((operation) => {
      switch (answer.outcome) {
        case 'refused-key':
          return refused(operation, { error }, at)
        case 'not-sent':
          return notSent(operation, error)
        case 'in-doubt':
          return createMove(operation, 'doubt', { error, settledAt: null, ...NEW_UNCERTAINTY })
      }
    })
    return {
      moves,
      journal: {
        ...base,
        outcome: answer.outcome,
        status: error.details.status ?? null,
        requestId: error.details.requestId ?? '',
        error,
        text: null,
        toldIds: [],
      },
      toConfirm: [],
      told: new Map(),
      accountsForAll: answer.outcome !== 'in-doubt',
    }
  }

  const { envelope } = answer
  const { outcomes, items, accountsForAll } = outcomesOf(application, sending, envelope, knownIds)
  const toConfirm: JournalOperation[] = []
  const told = new Map<string, RecordData>()
  const moves = sending.map((operation) => {
    const outcome = outcomes.get(operation.operationId) ?? { outcome: 'doubt' as const, errors: [] }
    const move = moveFor(context, application, operation, outcome, envelope, at, readBackSaved)
    const hasRecord = outcome.outcome === 'silent' || outcome.outcome === 'saved'
    if (hasRecord) told.set(operation.operationId, outcome.record)
    if (hasRecord && move.to === 'unknown') toConfirm.push(moved(operation, move))
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
      // What says less than it should is kept for the person to read.
      text: accountsForAll ? null : (answer.text()?.slice(0, LONGEST_TEXT) ?? null),
      toldIds: toldIds(envelope),
      items: sending.flatMap(({ operationId }) => {
        const item = items.get(operationId)
        return item === undefined ? [] : [{ operationId, text: maskTokens(JSON.stringify(item)) }]
      }),
    },
    toConfirm,
    told,
    accountsForAll,
  }
}

/**
 * A refusal proves that this request did nothing. An earlier request of the same operation may still take effect, so
 * the record is rechecked instead of being called not accepted.
 */
function refused(operation: JournalOperation, facts: OperationFacts, at: string): OperationMove {
  return wasUncertain(operation)
    ? createMove(operation, 'doubt', { ...facts, settledAt: null, ...NEW_UNCERTAINTY })
    : createMove(operation, 'answer-refused', { ...facts, settledAt: at })
}

/**
 * Nothing of this request left. An insert whose earlier request may still take effect is not queued, since queued
 * inserts are sent without a recheck. A change is, since its record is read before sending.
 */
function notSent(operation: JournalOperation, error: AppError): OperationMove {
  const facts = { error, settledAt: null }
  return operation.kind === 'insert' && wasUncertain(operation)
    ? createMove(operation, 'doubt', { ...facts, ...NEW_UNCERTAINTY })
    : createMove(operation, 'nothing-left', facts)
}

/**
 * The outcome could not be written to disk. It may have been an error of the service while its agent was still working,
 * so the operation is treated like one, and even a change is rechecked twice.
 */
export function answerNotWritten(operation: JournalOperation): OperationMove {
  return createMove(operation, 'doubt', { ...NEW_UNCERTAINTY, error: NOT_WRITTEN })
}

const NOT_WRITTEN = appError(
  'store',
  'The answer couldn’t be saved on this computer.',
  'Bookbridge checks whether it was saved. It is never sent again automatically.',
)

function moveFor(
  context: AnswerContext,
  application: string,
  operation: JournalOperation,
  outcome: ItemOutcome,
  { requestId, status }: { readonly requestId: string; readonly status: number },
  at: string,
  readBackSaved: boolean,
): OperationMove {
  switch (outcome.outcome) {
    case 'saved': {
      const recordId = idOf(outcome.record)
      if (readBackSaved) return createMove(operation, 'doubt', { ...NEW_UNCERTAINTY, recordId, requestId })
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
      return createMove(operation, 'doubt', { ...NEW_UNCERTAINTY, recordId: idOf(outcome.record), requestId })
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
    case 'doubt': {
      const error: AppError =
        outcome.errors.length > 0
          ? warned(context.translate(application, outcome.errors, requestId, status), outcome.isWarned)
          : NOT_ACCOUNTED
      const told = outcome.toldId === undefined ? {} : { recordId: outcome.toldId }
      return createMove(operation, 'doubt', { ...NEW_UNCERTAINTY, ...told, requestId, error })
    }
  }
}

const NOT_ACCOUNTED = appError(
  'service-error',
  'The service’s answer doesn’t say whether this record was saved.',
  'Bookbridge checks whether it was saved. It is never sent again automatically.',
)
