/** Which request queues there are, which ones each connection uses, and which connections are paused. */
import { createHmac } from 'node:crypto'
import type { AppError } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import { SAMPLE_ADDRESS } from '../protocol/operations.ts'
import type { ServiceTarget } from '../protocol/wire.ts'
import { type Entry, type QueueState, type QueueStorage, restoreQueue } from './request-queue.ts'

type Service = 'v2' | 'v1'

export class QueueRegistry {
  readonly #clock: Clock
  readonly #storage: QueueStorage
  readonly #queues = new Map<string, QueueState>()
  /** The keys of every queue that a connection used. */
  readonly #keysOf = new Map<string, Set<string>>()
  readonly #currentOf = new Map<string, Map<Service, string>>()
  /** By connection, service, and address: the keys of the queues. */
  readonly #groups = new Map<string, Set<string>>()

  constructor(clock: Clock, storage: QueueStorage) {
    this.#clock = clock
    this.#storage = storage
  }

  /** The queue of a key, initially as an earlier run left it. */
  queueOf(key: string): QueueState {
    const known = this.#queues.get(key)
    if (known !== undefined) return known
    const queue = restoreQueue(key, this.#storage, this.#clock)
    this.#queues.set(key, queue)
    return queue
  }

  /** Notes that a connection uses a queue for one of its services. */
  use(connectionId: string, key: string, service: Service = 'v2', address = ''): void {
    const group = JSON.stringify([connectionId, service, address])
    this.#groups.set(group, (this.#groups.get(group) ?? new Set()).add(key))
    const keys = this.#keysOf.get(connectionId) ?? new Set()
    this.#keysOf.set(connectionId, keys.add(key))
    const current = this.#currentOf.get(connectionId) ?? new Map<Service, string>()
    this.#currentOf.set(connectionId, current.set(service, key))
  }

  /**
   * The other queues of connections to the same address. A new key leads to the same agents as the former one, so a
   * request that is running with one key holds up the other.
   */
  siblings(key: string): readonly QueueState[] {
    const keys = new Set(
      [...this.#groups.values()].filter((group) => group.has(key)).flatMap((group) => [...group]),
    )
    keys.delete(key)
    return [...keys].map((sibling) => this.queueOf(sibling))
  }

  all(): readonly QueueState[] {
    return [...this.#queues.values()]
  }

  /** The IDs of the connections that used a queue. */
  connections(): readonly string[] {
    return [...this.#keysOf.keys()]
  }

  /** Every queue that a connection used (a changed key has another queue), and the keys of those that it uses now. */
  of(connectionId: string): {
    readonly queues: readonly QueueState[]
    readonly currentKeys: ReadonlySet<string>
  } {
    return {
      queues: [...(this.#keysOf.get(connectionId) ?? [])].map((key) => this.queueOf(key)),
      currentKeys: new Set(this.#currentOf.get(connectionId)?.values()),
    }
  }
}

/*
 * A queue's name. There is one per key, whatever address or connection leads to it, because two names may lead to one
 * service (docs/decisions.md, "One request at a time"). The name is on disk, so it is a digest that is keyed with a
 * secret of this computer's user: without the secret, nobody can try keys against it.
 */

/** The sample's queue. Each program has a sample of its own that no other program uses. */
export const SAMPLE_QUEUE = 'sample'

/** Names the queue of a target's key, or of its older service's key. */
export type QueueNames = (target: ServiceTarget, service?: 'v1') => string

/** @param secret the same for all programs of this user on this computer */
export function createQueueNames(secret: string): QueueNames {
  return ({ address, key, legacyKey }, service) => {
    if (address === SAMPLE_ADDRESS) return SAMPLE_QUEUE
    const digest = createHmac('sha256', secret).update(service === 'v1' ? legacyKey : key)
    return `key-${digest.digest('hex')}`
  }
}

interface Pause {
  readonly byPerson: AppError | null
  readonly byKey: { readonly reason: AppError; readonly lastOrder: number } | null
}

const NOT_PAUSED: Pause = { byPerson: null, byKey: null }

/**
 * Connections for which nothing begins by itself: the person paused them, or the service refused their key. Both may
 * apply at once, and each is lifted separately: an accepted key doesn't end the person's pause.
 */
export class Pauses {
  readonly #paused = new Map<string, Pause>()

  /** @param lastOrder the order of the newest entry at that time */
  pause(connectionId: string, reason: AppError, lastOrder: number): void {
    const before = this.#paused.get(connectionId) ?? NOT_PAUSED
    this.#paused.set(
      connectionId,
      reason.kind === 'unauthorised'
        ? { ...before, byKey: { reason, lastOrder } }
        : { ...before, byPerson: reason },
    )
  }

  /** Lifts both. Returns whether the connection was paused. */
  lift(connectionId: string): boolean {
    return this.#paused.delete(connectionId)
  }

  /** Lifts the pause of a refused key. Returns whether that leaves the connection without a pause. */
  liftKey(connectionId: string): boolean {
    const before = this.#paused.get(connectionId) ?? NOT_PAUSED
    if (before.byKey === null) return false
    if (before.byPerson === null) return this.#paused.delete(connectionId)
    this.#paused.set(connectionId, { ...before, byKey: null })
    return false
  }

  /** Why a connection is paused; `null` if it isn't. A refused key comes first, since the person has to fix it. */
  reasonOf(connectionId: string): AppError | null {
    const { byPerson, byKey } = this.#paused.get(connectionId) ?? NOT_PAUSED
    return byKey?.reason ?? byPerson
  }

  connections(): readonly string[] {
    return [...this.#paused.keys()]
  }

  /**
   * Whether a pause lets a waiting entry begin. Only reads that a person asked for may, since an answer to one lifts
   * the pause. After a refused key only those asked for since: otherwise everything in the queue would go out with it.
   */
  mayBegin({ begin, request, order }: Entry): boolean {
    if (begin === null) return false
    const pause = this.#paused.get(request.connectionId)
    if (pause === undefined) return true
    if (request.priority !== 'person' || request.isWrite) return false
    return pause.byKey === null || order > pause.byKey.lastOrder
  }
}
