/** Which lanes there are, and on which of them each connection asks. */
import type { Clock } from '../clock.ts'
import type { LaneState } from './lane-queue.ts'
import { rememberedLane, type LaneMemory } from './lane-shutting.ts'

/** A connection's lanes. */
export interface ConnectionLanes {
  /** Every lane on which it asked: a changed key is another lane. */
  readonly lanes: readonly LaneState[]
  /** The keys of those that lead to its services now. */
  readonly currentKeys: ReadonlySet<string>
}

export interface LaneRegistry {
  /** The lane of a key; at first as an earlier run left it. */
  laneOf(key: string): LaneState
  /** A connection asks one of its services on this lane. */
  use(connectionId: string, key: string, service?: 'v2' | 'v1'): void
  all(): Iterable<LaneState>
  /** The ids of the connections that asked. */
  connections(): Iterable<string>
  of(connectionId: string): ConnectionLanes
}

export function makeLaneRegistry(clock: Clock, memory: LaneMemory): LaneRegistry {
  const lanes = new Map<string, LaneState>()
  const keysOf = new Map<string, Set<string>>()
  const currentOf = new Map<string, Map<'v2' | 'v1', string>>()
  const laneOf = (key: string): LaneState => {
    const known = lanes.get(key)
    if (known !== undefined) return known
    const lane = rememberedLane(key, memory, clock)
    lanes.set(key, lane)
    return lane
  }
  return {
    laneOf,
    use(connectionId, key, service = 'v2') {
      const keys = keysOf.get(connectionId) ?? new Set()
      keysOf.set(connectionId, keys.add(key))
      const current = currentOf.get(connectionId) ?? new Map<'v2' | 'v1', string>()
      currentOf.set(connectionId, current.set(service, key))
    },
    all: () => lanes.values(),
    connections: () => keysOf.keys(),
    of: (connectionId) => ({
      lanes: [...(keysOf.get(connectionId) ?? [])].map(laneOf),
      currentKeys: new Set(currentOf.get(connectionId)?.values()),
    }),
  }
}
