/** Connections on which nothing begins by itself, because the person said so or the key was refused. */
import type { AppError } from '../../shared/result.ts'
import type { Entry } from './lane-queue.ts'

export interface Pauses {
  /** @param lastOrder the place of what was asked for last before it */
  pause(connectionId: string, reason: AppError, lastOrder: number): void
  /** Answers whether there was one. */
  lift(connectionId: string): boolean
  /** `null` when it is not paused. */
  readonly reasonOf: (connectionId: string) => AppError | null
  connections(): Iterable<string>
  /** Whether a waiting entry may begin its turn as far as pauses go. */
  mayBegin(entry: Entry): boolean
}

export function makePauses(): Pauses {
  const paused = new Map<string, { readonly reason: AppError; readonly lastOrder: number }>()
  return {
    pause(connectionId, reason, lastOrder) {
      paused.set(connectionId, { reason, lastOrder })
    },
    lift: (connectionId) => paused.delete(connectionId),
    reasonOf: (connectionId) => paused.get(connectionId)?.reason ?? null,
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
      return pause.reason.kind !== 'unauthorised' || order > pause.lastOrder
    },
  }
}
