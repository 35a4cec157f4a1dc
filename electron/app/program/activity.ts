/** Activity: what runs and waits, what is unfinished, the request log, and the notification when a batch ends. */
import { companyKey } from '../../../shared/companies/companies.ts'
import type { LogEntry, UnfinishedItem } from '../../../shared/contract/activity.ts'
import type { Batch } from '../../../shared/contract/records.ts'
import { listName } from '../../../shared/records/definition.ts'
import { batchCounts } from '../../../shared/records/outcome.ts'
import { appError, ok } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import type { Scheduler } from '../../service/queue/scheduler.ts'
import type { RequestLogStore, UnfinishedStore } from '../../store/activity.ts'
import { resultOf } from '../../store/database.ts'
import type { CompanyDirectory } from '../../writing/context.ts'
import type { HandlersOf } from '../calls.ts'
import type { Announcer, SettingsStore } from '../ports.ts'
import type { SupportFile } from './support.ts'

export interface ActivityOptions {
  readonly scheduler: Scheduler
  readonly log: RequestLogStore
  readonly unfinished: UnfinishedStore
  readonly supportFile: SupportFile
}

export function createActivity({
  scheduler,
  log,
  unfinished,
  supportFile,
}: ActivityOptions): HandlersOf<'activity'> {
  return {
    'activity.queues': () => ok(scheduler.queues()),
    'activity.log': (query) => ok(log.list(query)),
    'activity.unfinished': ({ connectionId }) => ok(unfinished.list(connectionId)),
    'activity.saveSupportFile': () => supportFile.save(),
    'activity.stop': ({ entryId }) => {
      const stopped = scheduler.stop(entryId)
      return stopped.ok ? ok({}) : stopped
    },
    'activity.pause': ({ connectionId }) => {
      scheduler.pause(
        connectionId,
        appError(
          'paused',
          'Paused by you.',
          'Nothing is sent until you resume. You can still load lists and run reports.',
        ),
      )
      return ok({})
    },
    'activity.resume': ({ connectionId }) => {
      scheduler.resume(connectionId)
      return ok({})
    },
  }
}

/** Unfinished work of all connections, in the order of the settings. */
export function unfinishedItems(
  unfinished: UnfinishedStore,
  settings: Pick<SettingsStore, 'connections'>,
): readonly UnfinishedItem[] {
  return settings.connections().flatMap(({ connectionId }) => unfinished.list(connectionId))
}

/* The log behind Activity: kept for 90 days, and limited in size. */

interface RequestLogOptions {
  readonly store: RequestLogStore
  readonly clock: Pick<Clock, 'now'>
  /** Called when the log can't be written. Nothing else stops because of it. */
  readonly defect: (where: string, cause: unknown) => void
}

interface RequestLog {
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

/* A system notification when a batch ends, for a user who works in another program. */

/** Returns a listener that announces the end of each batch once. */
export function createBatchNotifier(
  announcer: Pick<Announcer, 'notify'>,
  directory: CompanyDirectory,
): (batch: Batch) => void {
  const announced = new Set<string>()
  return (batch) => {
    const hasEnded = batch.phase === 'done' || batch.phase === 'stopped' || batch.phase === 'paused'
    if (!hasEnded) {
      announced.delete(batch.batchId)
      return
    }
    if (announced.has(batch.batchId)) return
    announced.add(batch.batchId)
    const company = directory.facts(batch.company)?.displayName ?? ''
    announcer.notify(`${listName(batch.object)} of ${company}`, batchSummary(batch))
  }
}

/** Summarizes a batch by its outcomes: *48 saved, 1 not accepted*. */
function batchSummary(batch: Batch): string {
  const parts = batchCounts(batch).map(({ count, label }) => `${String(count)} ${label}`)
  return parts.length === 0 ? 'Nothing was sent.' : `${parts.join(', ')}.`
}
