/** The log behind Activity: kept for 90 days, and bounded whatever happens in them. */
import type { LogEntry } from '../../shared/contract/activity.ts'
import type { Result } from '../../shared/result.ts'
import type { RequestLogStore } from '../store/store.ts'
import type { Clock } from '../clock.ts'

export interface RequestLogOptions {
  readonly store: RequestLogStore
  readonly clock: Pick<Clock, 'now'>
  /** A log that can't be written stops nothing; it is said here. */
  readonly defect: (where: string, cause: unknown) => void
}

export interface RequestLog {
  put(entry: LogEntry): void
  /** What is on its way over a connection, or for one company of it, writes no line any more: theirs were deleted. */
  forget(whose: { readonly connectionId: string; readonly endpointId?: string }): void
  /** Ends what an earlier run left on its way, and trims. */
  start(): void
}

const DAY = 86_400_000
/** Which of these comes first. */
const KEPT_DAYS = 90
const MOST_LINES = 50_000
const MOST_BYTES = 16 * 1024 * 1024
/** So many further lines may be there before it is trimmed again. */
const TRIM_EVERY = 500

export function createRequestLog({ store, clock, defect }: RequestLogOptions): RequestLog {
  let untrimmed = 0
  /** By connection and company: lines of what began until then (milliseconds since 1970) are not wanted. */
  const forgottenUntil = new Map<string, number>()
  const keyOf = (connectionId: string, endpointId = ''): string => JSON.stringify([connectionId, endpointId])
  const isForgotten = ({ connectionId, company, at }: LogEntry): boolean =>
    [keyOf(connectionId), keyOf(connectionId, company?.endpointId)].some(
      (key) => Date.parse(at) <= (forgottenUntil.get(key) ?? Number.NEGATIVE_INFINITY),
    )

  const told = (result: Result<void>): void => {
    if (!result.ok) defect('request log', result.error.details.raw ?? result.error.message)
  }

  const trim = (): void => {
    untrimmed = 0
    const before = new Date(clock.now() - KEPT_DAYS * DAY).toISOString()
    told(store.trim({ before, most: MOST_LINES, mostBytes: MOST_BYTES }))
  }

  return {
    put(entry) {
      if (isForgotten(entry)) return
      told(store.put(entry))
      untrimmed += 1
      if (untrimmed >= TRIM_EVERY) trim()
    },
    forget({ connectionId, endpointId }) {
      forgottenUntil.set(keyOf(connectionId, endpointId), clock.now())
    },
    start() {
      told(store.endBegun('The program ended before the answer.'))
      trim()
    },
  }
}
