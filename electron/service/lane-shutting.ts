/**
 * Until when nothing may leave on a lane, in memory and on disk, so that a restart heeds it too (decisions.md,
 * "cancelling a request that is on its way").
 */
import type { Lane } from '../../shared/contract/activity.ts'
import type { Result } from '../../shared/result.ts'
import type { LaneState } from './lane-queue.ts'
import type { Rest } from './still-at-work.ts'
import type { TurnRequest } from './wire.ts'

/** What a later run knows of a lane that this one leaves shut; times in milliseconds since 1970. */
export interface KeptShut {
  readonly at: number
  readonly until: number
  readonly what: string
  readonly because: NonNullable<Lane['shutBy']>['because']
}

/** Lanes that are shut, kept on disk (`LaneStore` of the store fits). */
export interface LaneMemory {
  shut(laneKey: string, shut: KeptShut): Result<void>
  open(laneKey: string): Result<void>
  shutOf(laneKey: string): Result<KeptShut | null>
}

/** No deadline is longer than this. */
const LONGEST_SHUT = 3 * 60 * 60 * 1_000

/**
 * A lane with nothing on it, shut for as long as an earlier run left it; where the clock was set back since, for no longer
 * than it was to be shut in all.
 */
export function rememberedLane(key: string, memory: LaneMemory, now: number): LaneState {
  const remembered = memory.shutOf(key)
  const kept = remembered.ok ? remembered.value : null
  return {
    key,
    entries: [],
    running: null,
    shutUntil:
      kept === null ? null : Math.min(kept.until, now + Math.min(kept.until - kept.at, LONGEST_SHUT)),
    shutAt: now,
    // Of which company it was is not on disk.
    shutBy: kept === null ? null : { what: kept.what, companyName: '', because: kept.because },
    cancelTimer: null,
  }
}

export interface Shutting {
  /** What left, and may be at work. */
  readonly request: Pick<TurnRequest, 'what' | 'companyName' | 'isWrite'>
  /** When it has surely ended out there, which may have passed, or until when the service asks to wait. */
  readonly rest: Rest
  /** The person let go of it. */
  readonly isStopped: boolean
  /** The settling pause in milliseconds. */
  readonly settle: number
  readonly now: number
}

/**
 * Shuts a lane, on disk too, until what is at work has ended and a settling pause after that; or just until the moment
 * that the service asks for, at which the next try is. A write, and what was let go of, are given the settling pause too.
 */
export function shutLane(lane: LaneState, memory: LaneMemory, shutting: Shutting): void {
  const { request, rest, isStopped, settle, now } = shutting
  const { what, companyName } = request
  lane.shutAt = now
  const settled = now + settle
  switch (rest.because) {
    case 'at-work':
      lane.shutUntil = Math.max(settled, rest.until + settle)
      lane.shutBy = { what, companyName, because: rest.until > now ? 'at-work' : 'settling' }
      break
    case 'asked':
      lane.shutUntil = request.isWrite || isStopped ? Math.max(settled, rest.until) : rest.until
      lane.shutBy = { what, companyName, because: 'asked' }
      break
  }
  memory.shut(lane.key, { at: now, until: lane.shutUntil, what, because: lane.shutBy.because })
}

/** Milliseconds for which a lane is still shut; 0 or less when it may be opened. */
export function shutFor(lane: LaneState, now: number): number {
  if (lane.shutUntil === null) return 0
  // A clock that was set back must not keep the lane shut for as long as it was set back by.
  lane.shutUntil = Math.min(lane.shutUntil, lane.shutUntil - lane.shutAt + now)
  lane.shutAt = now
  return lane.shutUntil - now
}

export function openLane(lane: LaneState, memory: LaneMemory): void {
  lane.shutUntil = null
  lane.shutBy = null
  memory.open(lane.key)
}
