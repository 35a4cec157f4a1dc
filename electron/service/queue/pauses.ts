/** Which connections are paused, by the user or because their key was refused. */
import type { AppError } from '../../../shared/result.ts'
import type { Entry } from './request-queue.ts'

interface Pause {
  readonly byPerson: AppError | null
  readonly byKey: { readonly reason: AppError; readonly lastOrder: number } | null
}

const NOT_PAUSED: Pause = { byPerson: null, byKey: null }

/**
 * Connections for which nothing starts automatically, because the user paused them or the service refused their key.
 * Both may apply at once, and each is lifted separately: an accepted key doesn't end the user's pause.
 */
export class Pauses {
  readonly #paused = new Map<string, Pause>()

  /** @param lastOrder the order of the newest entry at that time */
  pause(connectionId: string, reason: AppError, lastOrder: number): void {
    const before = this.#paused.get(connectionId) ?? NOT_PAUSED
    this.#paused.set(
      connectionId,
      reason.kind === 'unauthorized'
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

  /** Why a connection is paused; `null` if it isn't. A refused key comes first, because the user has to fix it. */
  reasonOf(connectionId: string): AppError | null {
    const { byPerson, byKey } = this.#paused.get(connectionId) ?? NOT_PAUSED
    return byKey?.reason ?? byPerson
  }

  connections(): readonly string[] {
    return [...this.#paused.keys()]
  }

  /**
   * Whether a pause lets a waiting entry start. Only reads that a user requested may, because a successful one lifts
   * the pause. After a refused key, only reads requested since then may start. Otherwise everything in the queue would
   * be sent with it.
   */
  canBegin({ begin, request, order }: Entry): boolean {
    if (begin === null) return false
    const pause = this.#paused.get(request.connectionId)
    if (pause === undefined) return true
    if (request.priority !== 'interactive' || request.isWrite) return false
    return pause.byKey === null || order > pause.byKey.lastOrder
  }
}
