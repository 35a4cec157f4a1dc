/** Turns on a lane, as those see them who send: entered, waited for, held, tried again, left. */
import type { Lane } from '../../shared/contract/activity.ts'
import type { AppError, Result } from '../../shared/result.ts'
import type { Clock } from '../clock.ts'
import type { Ticket } from './lane-queue.ts'
import type { LaneMemory } from './lane-shutting.ts'
import type { Rest } from './still-at-work.ts'
import type { TurnRequest } from './wire.ts'

export interface SchedulerOptions {
  readonly clock: Clock
  /** Names an entry of the queue. */
  readonly newId: () => string
  readonly memory: LaneMemory
  /** The settling pause in milliseconds. */
  readonly settleMilliseconds: () => number
  readonly onChange: () => void
  /** A pause was lifted, by the person or by a key that was accepted. */
  readonly onResume?: (connectionId: string) => void
}

export interface Scheduler {
  /** Puts a request into the queue of a lane. */
  enter(laneKey: string, request: TurnRequest, attempts: number): Ticket
  /** Answers when the turn begins, or an error when it was stopped before. */
  takeTurn(ticket: Ticket): Promise<Result<void>>
  /**
   * Ends the turn. `rest`: until when nothing may leave; where something may be at work, the lane opens after that and
   * the settling pause. `null`: it opens at once.
   */
  endTurn(ticket: Ticket, rest: Rest | null): void
  /** Waits before another try, outside the lane; `trouble` says what was wrong with the last one. */
  backOff(ticket: Ticket, milliseconds: number, trouble: string): Promise<Result<void>>
  /** Takes the request out of the queue; `done` is what Activity shows as the last thing. */
  leave(ticket: Ticket, isOk: boolean): void
  /** A request of this turn leaves now and must be answered by `deadlineAt`; on disk before it leaves. */
  requestLeaves(ticket: Ticket, deadlineAt: number): Result<void>
  /** It was answered (or it is proven that nothing left). */
  requestAnswered(ticket: Ticket): void
  /** The same wait within a turn, before its next request; ends at once when the person stops it. */
  settle(ticket: Ticket, rest: Rest): Promise<void>
  progress(ticket: Ticket, words: string): void
  stop(entryId: string): Result<void>
  /** Begins no further turn on the lanes of this connection until `resume`. */
  pause(connectionId: string, reason: AppError): void
  resume(connectionId: string): void
  /** The key was accepted: lifts a pause for a refused key, not one that the person asked for. */
  resumeKey(connectionId: string): void
  isPaused(connectionId: string): AppError | null
  /** The computer slept: lanes that have opened by the wall clock open now. */
  wake(): void
  /** At a start: shows whether the lane of this connection, to one of the services, is still shut by an earlier run. */
  recall(connectionId: string, laneKey: string, service?: 'v1'): void
  lanes(): readonly Lane[]
  /** Answers when nothing runs and nothing waits; for tests and for quitting. */
  idle(): Promise<void>
}
