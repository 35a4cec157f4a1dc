/**
 * Until when nothing may leave on a lane, in memory and on disk, so that a restart and other programs heed it too
 * (decisions.md, "Stopping is letting go"). A running program measures it by `Clock.elapsed`, which nobody can set: a
 * wall clock that is set forward opens no lane early, and one that is set back keeps none shut.
 */
import type { Lane } from '../../shared/contract/activity.ts'
import type { Result } from '../../shared/result.ts'
import type { Clock } from '../clock.ts'
import type { LaneState } from './lane-queue.ts'
import type { Rest } from './still-at-work.ts'
import type { TurnRequest } from './wire.ts'

/** What others know of a lane that this program leaves shut. */
export interface KeptShut {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Milliseconds since 1970. */
  readonly until: number
  /** `at` by `Clock.elapsed`; `null` where an older program kept it. */
  readonly elapsed: number | null
  readonly what: string
  readonly because: NonNullable<Lane['shutBy']>['because']
}

/** Lanes as all programs on this computer share them, kept on disk (`SharedLanes` of the store fits). */
export interface LaneMemory {
  shut(laneKey: string, shut: KeptShut): Result<void>
  open(laneKey: string): Result<void>
  shutOf(laneKey: string): Result<KeptShut | null>
  /** Takes a lane for this program; `false` while another one has it. */
  take(laneKey: string): Result<boolean>
  release(laneKey: string): void
}

/** No deadline is longer than this. */
const LONGEST_SHUT = 3 * 60 * 60 * 1_000

/** A lane with nothing on it, shut for as long as the disk says. */
export function rememberedLane(key: string, memory: LaneMemory, clock: Clock): LaneState {
  const lane: LaneState = {
    key,
    entries: [],
    running: null,
    shut: null,
    heeded: null,
    usedElsewhereUntil: null,
    cancelTimer: null,
  }
  recallLane(lane, memory, clock)
  return lane
}

/**
 * Reads until when an earlier run or another program has shut a lane, which may have opened it meanwhile. What was
 * read before is heeded as it was then, and once.
 */
export function recallLane(lane: LaneState, memory: LaneMemory, clock: Clock): void {
  const kept = keptShut(lane.key, memory)
  if (kept === null) {
    if (lane.shut?.isByDisk === true) lane.shut = null
    return
  }
  if (isSame(kept, lane.heeded)) return
  lane.heeded = kept
  const left = leftOf(kept, clock)
  if (left <= 0) return
  lane.shut = {
    // Of which company it was is not on disk.
    by: { what: kept.what, companyName: '', because: kept.because },
    opensAt: clock.elapsed() + left,
    until: kept.until,
    isByDisk: true,
  }
}

/**
 * Milliseconds for which others still heed it. By `elapsed`, as long as the computer may be running since: after a
 * restart of it less has elapsed than did, or more time has passed than that says, so it is never too short.
 */
function leftOf({ at, until, elapsed }: KeptShut, clock: Clock): number {
  const whole = Math.min(until - at, LONGEST_SHUT)
  const since = elapsed === null || clock.elapsed() < elapsed ? clock.now() - at : clock.elapsed() - elapsed
  return Math.min(whole, whole - since)
}

/** Another program has the lane: its request ends by then, or when its answer comes. */
export function showUsedElsewhere(lane: LaneState, memory: LaneMemory, now: number): void {
  lane.usedElsewhereUntil = Math.max(now, keptShut(lane.key, memory)?.until ?? now)
}

function keptShut(laneKey: string, memory: LaneMemory): KeptShut | null {
  const remembered = memory.shutOf(laneKey)
  return remembered.ok ? remembered.value : null
}

function isSame(one: KeptShut, other: KeptShut | null): boolean {
  return one.at === other?.at && one.until === other.until && one.elapsed === other.elapsed
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
}

/**
 * Shuts a lane, on disk too, until what is at work has ended and a settling pause after that; or just until the moment
 * that the service asks for, at which the next try is. A write, and what was let go of, are given the settling pause too.
 */
export function shutLane(lane: LaneState, memory: LaneMemory, clock: Clock, shutting: Shutting): void {
  const { request, rest, isStopped, settle } = shutting
  const { what, companyName } = request
  const now = clock.now()
  const settled = now + settle
  const until =
    rest.because === 'at-work'
      ? Math.max(settled, rest.until + settle)
      : request.isWrite || isStopped
        ? Math.max(settled, rest.until)
        : rest.until
  const because = rest.because === 'at-work' && rest.until <= now ? 'settling' : rest.because
  const elapsed = clock.elapsed()
  lane.shut = {
    by: { what, companyName, because },
    opensAt: elapsed + until - now,
    until,
    isByDisk: false,
  }
  lane.heeded = { at: Math.floor(now), until: Math.ceil(until), elapsed, what, because }
  memory.shut(lane.key, lane.heeded)
}

/** Milliseconds for which a lane is still shut; 0 or less when it may be opened. */
export function shutFor({ shut }: LaneState, clock: Clock): number {
  return shut === null ? 0 : shut.opensAt - clock.elapsed()
}

/** The computer slept, which `elapsed` may not have counted: the wall clock is believed. */
export function wakeLane(lane: LaneState, clock: Clock): void {
  if (lane.shut === null) return
  const left = Math.max(0, lane.shut.until - clock.now())
  lane.shut = { ...lane.shut, opensAt: Math.min(lane.shut.opensAt, clock.elapsed() + left) }
}

/** Opens a lane whose time has passed, on disk too unless another program has shut it meanwhile. */
export function openLane(lane: LaneState, memory: LaneMemory): void {
  lane.shut = null
  const taken = memory.take(lane.key)
  if (!taken.ok || !taken.value) return
  const kept = keptShut(lane.key, memory)
  if (kept !== null && isSame(kept, lane.heeded)) memory.open(lane.key)
  memory.release(lane.key)
}
