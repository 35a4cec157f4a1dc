/** Writes down what an answer to a write says, in one transaction with the answer itself. */
import { maskTokens } from '../../service/errors/redact.ts'
import { decodeUtf8 } from '../../service/protocol/json.ts'
import { appError, type AppError } from '../../../shared/result.ts'
import type { RecordData } from '../../../shared/records/changes.ts'
import type { RawAnswer, WriteAnswer } from '../../service/protocol/wire.ts'
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

/** Characters of an answer that are kept when it could not be matched to its operations. */
const LONGEST_TEXT = 1_000_000

export interface JournaledAnswer {
  /** Those whose record came back but has to be read to know what became of it. They are unknown until then. */
  readonly toConfirm: readonly JournalOperation[]
  /** The records that the answer told, by operation. */
  readonly told: ReadonlyMap<string, RecordData>
  readonly accountsForAll: boolean
}

/** @param readBackSaved what the answer calls saved is read back too (the first change of all) */
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

/** IDs in an answer to inserts that belong to other records: to those of other operations, and to those read before. */
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

/** What an answer comes to, without writing it down: the moves of its operations, and what the journal keeps of it. */
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

  const { envelope, raw } = answer
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
      text: accountsForAll ? null : textOf(raw),
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
 * A refusal proves that this sending did nothing. An earlier one of the same operation may still do it, so that the
 * record is looked for again and nothing is called not accepted.
 */
function refused(operation: JournalOperation, facts: OperationFacts, at: string): OperationMove {
  return wasUncertain(operation)
    ? createMove(operation, 'doubt', { ...facts, settledAt: null, ...NEW_UNCERTAINTY })
    : createMove(operation, 'answer-refused', { ...facts, settledAt: at })
}

/**
 * No byte of this sending left. An insert whose earlier one may still do it is not queued, since what is queued leaves
 * without a look; a change is, since the guard reads its record first.
 */
function notSent(operation: JournalOperation, error: AppError): OperationMove {
  const facts = { error, settledAt: null }
  return operation.kind === 'insert' && wasUncertain(operation)
    ? createMove(operation, 'doubt', { ...facts, ...NEW_UNCERTAINTY })
    : createMove(operation, 'nothing-left', facts)
}

/**
 * What came of it could not be written down. It may have been an error of the service, while the agent behind it is at
 * work: it is told as one, so that also a change is looked at twice.
 */
export function answerNotWritten(operation: JournalOperation): OperationMove {
  return createMove(operation, 'doubt', { ...NEW_UNCERTAINTY, error: NOT_WRITTEN })
}

const NOT_WRITTEN = appError(
  'store',
  'What was answered could not be written down here.',
  'It is looked up, and never sent again by itself.',
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
  'The service’s answer does not say what became of this record.',
  'It is looked up, and never sent again by itself.',
)

/** An answer that says less than it should is kept as it came, for its reader. */
function textOf(raw: RawAnswer): string | null {
  const text = decodeUtf8(raw.blocks)
  return text.ok ? text.value.slice(0, LONGEST_TEXT) : null
}
