/** The log behind Activity: kept for 90 days, and limited in size. */
import { companyKey } from '../../../shared/companies/companies.ts'
import type { LogEntry } from '../../../shared/contract/activity.ts'
import type { Clock } from '../../clock.ts'
import type { RequestLogStore } from '../../store/activity.ts'
import { resultOf } from '../../store/database.ts'

export interface RequestLogOptions {
  readonly store: RequestLogStore
  readonly clock: Pick<Clock, 'now'>
  /** Called when the log can't be written. Nothing else stops because of it. */
  readonly defect: (where: string, cause: unknown) => void
}

export interface RequestLog {
  /** How often lines were deleted in this run. */
  deletions(): number
  /** @param since `deletions` when the request began */
  put(entry: LogEntry, since: number): void
  /**
   * Requests still running for a connection, or for one of its companies, log nothing more: their lines were deleted.
   */
  forget(whose: { readonly connectionId: string; readonly endpointId?: string }): void
  /** Ends entries that an earlier run left open, and trims the log. */
  start(): void
}

const DAY = 86_400_000

/** Whichever limit is reached first. */
const KEPT_DAYS = 90

const MAX_LINES = 50_000

const MAX_BYTES = 16 * 1024 * 1024

/** Lines to add before the log is trimmed again. */
const TRIM_EVERY = 500

export function createRequestLog({ store, clock, defect }: RequestLogOptions): RequestLog {
  let untrimmed = 0
  let deletions = 0
  /** The last deletion by connection and company. Entries that began before it are dropped. */
  const forgotten = new Map<string, number>()
  const isForgotten = ({ connectionId, company }: LogEntry, since: number): boolean =>
    ['', company?.endpointId ?? '']
      .map((endpointId) => companyKey({ connectionId, endpointId }))
      .some((key) => since < (forgotten.get(key) ?? 0))

  const tell = (keep: () => void): void => {
    const result = resultOf(keep)
    if (!result.ok) defect('request log', result.error.details.raw ?? result.error.message)
  }

  const trim = (): void => {
    untrimmed = 0
    const before = new Date(clock.now() - KEPT_DAYS * DAY).toISOString()
    tell(() => {
      store.trim({ before, most: MAX_LINES, mostBytes: MAX_BYTES })
    })
  }

  return {
    deletions: () => deletions,
    put(entry, since) {
      if (isForgotten(entry, since)) return
      tell(() => {
        store.put(entry)
      })
      untrimmed += 1
      if (untrimmed >= TRIM_EVERY) trim()
    },
    forget({ connectionId, endpointId = '' }) {
      deletions += 1
      forgotten.set(companyKey({ connectionId, endpointId }), deletions)
    },
    start() {
      tell(() => {
        store.endBegun('Bookbridge closed before the response arrived.')
      })
      trim()
    },
  }
}
