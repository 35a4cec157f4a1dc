/**
 * Connections on which nothing begins by itself, because the person said so or the key was refused. Both may hold at
 * once, and each is lifted for itself: an accepted key is no word of the person's.
 */
import type { AppError } from '../../shared/result.ts'
import type { Entry } from './lane-queue.ts'

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

export function makePauses(): Pauses {
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
