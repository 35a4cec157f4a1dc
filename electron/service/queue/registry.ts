/** Which queues there are, and on which of them each connection asks. */
import { createHmac } from 'node:crypto'
import type { AppError } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import { SAMPLE_ADDRESS } from '../protocol/operations.ts'
import type { ServiceTarget } from '../protocol/wire.ts'
import { type Entry, type QueueStorage, type QueueState, restoreQueue } from './request-queue.ts'

/** A connection's queues. */
export interface ConnectionQueues {
  /** Every queue on which it asked: a changed key is another queue. */
  readonly queues: readonly QueueState[]
  /** The keys of those that lead to its services now. */
  readonly currentKeys: ReadonlySet<string>
}

export interface QueueRegistry {
  /** The queue of a key; at first as an earlier run left it. */
  queueOf(key: string): QueueState
  /** A connection asks one of its services on this queue. */
  use(connectionId: string, key: string, service?: 'v2' | 'v1', address?: string): void
  /**
   * The other queues of connections to the same address: a key that was changed leads to the same agents, so that what
   * is at work with the former one holds up the new one.
   */
  siblings(key: string): readonly QueueState[]
  all(): Iterable<QueueState>
  /** The ids of the connections that asked. */
  connections(): Iterable<string>
  of(connectionId: string): ConnectionQueues
}

export function createQueueRegistry(clock: Clock, storage: QueueStorage): QueueRegistry {
  const queues = new Map<string, QueueState>()
  const keysOf = new Map<string, Set<string>>()
  const currentOf = new Map<string, Map<'v2' | 'v1', string>>()
  /** By connection, service, and address: the keys of the queues. */
  const groups = new Map<string, Set<string>>()
  const queueOf = (key: string): QueueState => {
    const known = queues.get(key)
    if (known !== undefined) return known
    const queue = restoreQueue(key, storage, clock)
    queues.set(key, queue)
    return queue
  }
  return {
    queueOf,
    use(connectionId, key, service = 'v2', address = '') {
      const group = JSON.stringify([connectionId, service, address])
      groups.set(group, (groups.get(group) ?? new Set()).add(key))
      const keys = keysOf.get(connectionId) ?? new Set()
      keysOf.set(connectionId, keys.add(key))
      const current = currentOf.get(connectionId) ?? new Map<'v2' | 'v1', string>()
      currentOf.set(connectionId, current.set(service, key))
    },
    siblings(key) {
      const keys = new Set(
        [...groups.values()].filter((group) => group.has(key)).flatMap((group) => [...group]),
      )
      keys.delete(key)
      return [...keys].map(queueOf)
    },
    all: () => queues.values(),
    connections: () => keysOf.keys(),
    of: (connectionId) => ({
      queues: [...(keysOf.get(connectionId) ?? [])].map(queueOf),
      currentKeys: new Set(currentOf.get(connectionId)?.values()),
    }),
  }
}

/*
 * What a queue is called: one per key, whatever address or connection leads to it (decisions.md, "One request at a
 * time"), because two names may lead to one service. The name is on disk, so it is a digest keyed with a secret of this
 * computer's user: without that secret nobody can try out keys on it.
 */

/** Each program has a sample of its own, and no other program has anything to do with it. */
export const SAMPLE_QUEUE = 'sample'

/** Names the queue of a turn: that of the key, or of the older service's key. */
export type QueueNames = (target: ServiceTarget, service?: 'v1') => string

/** @param secret kept on this computer, the same for all programs that share its queues */
export function createQueueNames(secret: string): QueueNames {
  return ({ address, key, legacyKey }, service) => {
    if (address === SAMPLE_ADDRESS) return SAMPLE_QUEUE
    const digest = createHmac('sha256', secret).update(service === 'v1' ? legacyKey : key)
    return `key-${digest.digest('hex')}`
  }
}

/*
 * Connections on which nothing begins by itself, because the person said so or the key was refused. Both may hold at
 * once, and each is lifted for itself: an accepted key is no word of the person's.
 */

export interface Pauses {
  /** @param lastOrder the place of what was asked for last before it */
  pause(connectionId: string, reason: AppError, lastOrder: number): void
  /** Lifts both. Answers whether there was one. */
  lift(connectionId: string): boolean
  /** Lifts that of a refused key. Answers whether there was one and nothing pauses the connection any more. */
  liftKey(connectionId: string): boolean
  /** `null` when it is not paused; the refused key where both hold, since it is what has to be seen to. */
  readonly reasonOf: (connectionId: string) => AppError | null
  connections(): Iterable<string>
  /** Whether a waiting entry may begin its turn as far as pauses go. */
  mayBegin(entry: Entry): boolean
}

interface Pause {
  readonly byPerson: AppError | null
  readonly byKey: { readonly reason: AppError; readonly lastOrder: number } | null
}

const NONE: Pause = { byPerson: null, byKey: null }

export function createPauses(): Pauses {
  const paused = new Map<string, Pause>()
  return {
    pause(connectionId, reason, lastOrder) {
      const before = paused.get(connectionId) ?? NONE
      const isOfKey = reason.kind === 'unauthorised'
      const byKey = { reason, lastOrder }
      paused.set(connectionId, isOfKey ? { ...before, byKey } : { ...before, byPerson: reason })
    },
    lift: (connectionId) => paused.delete(connectionId),
    liftKey(connectionId) {
      const before = paused.get(connectionId) ?? NONE
      if (before.byKey === null) return false
      if (before.byPerson === null) return paused.delete(connectionId)
      paused.set(connectionId, { ...before, byKey: null })
      return false
    },
    reasonOf(connectionId) {
      const { byPerson, byKey } = paused.get(connectionId) ?? NONE
      return byKey?.reason ?? byPerson
    },
    connections: () => paused.keys(),
    /**
     * Paused: only what a person reads may try, and after a refused key only what they asked for since then, or all
     * that waits would go out with that key. It lifts the pause when it is answered.
     */
    mayBegin({ begin, request, order }) {
      if (begin === null) return false
      const pause = paused.get(request.connectionId)
      if (pause === undefined) return true
      if (request.priority !== 'person' || request.isWrite) return false
      return pause.byKey === null || order > pause.byKey.lastOrder
    },
  }
}
