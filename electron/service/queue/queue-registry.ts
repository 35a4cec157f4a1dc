/** The request queues, and which of them each connection uses. */
import { createHmac } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { SAMPLE_ADDRESS } from '../protocol/operations.ts'
import type { ServiceTarget } from '../protocol/wire.ts'
import { type QueueState, type QueueStorage, restoreQueue } from './request-queue.ts'

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
   * request that is running with one key blocks the other.
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

  /** Every queue that a connection used (a changed key has another queue), and the keys of those in use now. */
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

/** The sample's queue. Each program has its own sample, which no other program uses. */
export const SAMPLE_QUEUE = 'sample'

/** Names the queue of a target's key, or of its older service's key. */
export type QueueNames = (target: ServiceTarget, service?: 'v1') => string

/**
 * Names queues. There is one name per key, whatever address or connection leads to it, because two names may lead to
 * one service (docs/decisions.md, "One request at a time"). The name is on disk, so it is a digest keyed with a secret
 * of this computer's user. Without the secret, no one can try keys against it.
 * @param secret the same for all programs of this user on this computer
 */
export function createQueueNames(secret: string): QueueNames {
  return ({ address, key, legacyKey }, service) => {
    if (address === SAMPLE_ADDRESS) return SAMPLE_QUEUE
    const digest = createHmac('sha256', secret).update(service === 'v1' ? legacyKey : key)
    return `key-${digest.digest('hex')}`
  }
}
