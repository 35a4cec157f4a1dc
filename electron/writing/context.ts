/** What every part of the runner is given, and the small steps that they share. */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { appError, causeText, err, ok, type AppError, type Result } from '../../shared/result.ts'
import type { Clock } from '../clock.ts'
import type { ServiceClient, TurnRequest, Wire } from '../service/wire.ts'
import type { JournalOperation, OperationFacts, OperationMove } from '../store/journal.ts'
import type { Store } from '../store/store.ts'
import type {
  CompanyDirectory,
  ErrorTranslator,
  RecordReader,
  WritingListener,
  WritingSettings,
} from './ports.ts'
import { nextState, type OperationEvent } from './states.ts'

export interface WriterDependencies {
  readonly client: ServiceClient
  readonly store: Pick<Store, 'companies' | 'drafts' | 'journal'>
  readonly reader: RecordReader
  readonly directory: CompanyDirectory
  readonly listener: WritingListener
  readonly translate: ErrorTranslator
  /** The settings of a connection. */
  readonly settings: (connectionId: string) => WritingSettings
  readonly clock: Clock
  /** A new id, never the same twice in any installation. */
  readonly newId: () => string
  /** Hears of defects of ours that were caught in the background. */
  readonly onDefect: (defect: unknown) => void
}

export interface WritingContext extends WriterDependencies {
  /** ISO time. */
  readonly timestamp: () => string
  /** Says that operations, or their batch, have changed on disk. */
  readonly changed: (
    company: CompanyRef,
    object: string,
    operationIds: readonly string[],
    batchId: string | null,
  ) => void
  /** What a batch is doing right now, for the screen; `null` when nothing. */
  readonly setPhase: (batchId: string, phase: RunningPhase | null) => void
  /** Why a batch rests, kept for this run only since the disk lets nothing be written; `null` when it goes on. */
  readonly setStall: (batchId: string, error: AppError | null) => void
  readonly isClosed: () => boolean
  /** Milliseconds between the two looks for an operation. */
  readonly lookPause: (operation: JournalOperation) => number
}

export type RunningPhase = 'checking' | 'sending' | 'confirming'

/**
 * A turn from its beginning to its true end. When the person lets go of it the client answers at once, while the
 * work goes on so that a late answer reaches the journal: this waits for that.
 */
export async function turnToEnd<T>(
  client: ServiceClient,
  request: TurnRequest,
  work: (wire: Wire) => Promise<T>,
): Promise<{ readonly result: Result<T>; readonly wasLetGo: boolean }> {
  const begun: { work: Promise<T> | null } = { work: null }
  const outer = await client.turn(request, (wire) => {
    begun.work = work(wire)
    return begun.work
  })
  if (outer.ok || begun.work === null) return { result: outer, wasLetGo: false }
  return { result: ok(await begun.work), wasLetGo: true }
}

/** A move by the table; that the table lacks it is a defect of ours. */
export function moveBy(
  operation: JournalOperation,
  event: OperationEvent,
  facts: OperationFacts,
  closes = false,
): OperationMove {
  const to = nextState(operation.state, event)
  if (to === null) throw new Error(`An operation can't go from ${operation.state} by ${event}.`)
  return { operationId: operation.operationId, from: operation.state, to, facts, closes }
}

/** New facts about an operation that stays where it is. */
export function stay(operation: JournalOperation, facts: OperationFacts): OperationMove {
  return {
    operationId: operation.operationId,
    from: operation.state,
    to: operation.state,
    facts,
    closes: false,
  }
}

/** The operation as it is after a move, without reading it again. */
export function moved(operation: JournalOperation, move: OperationMove): JournalOperation {
  return { ...operation, ...move.facts, state: move.to, isClosed: operation.isClosed || move.closes }
}

export function notFound(what: string): Result<never> {
  return err(appError('not-found', `${what} is no longer there.`, 'Look at the list again.'))
}

/** A defect of ours as a value, for a batch that can't go on. */
export function defectError(defect: unknown): AppError {
  return appError(
    'internal',
    'Something went wrong inside Bookbridge, so nothing more was sent.',
    'What was sent is looked up. Tell us about it with the support file.',
    { raw: causeText(defect) },
  )
}
