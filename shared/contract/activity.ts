/** Activity: the request queues, the log, and unfinished work. */
import { z } from 'zod'
import { appErrorSchema, call, companyRef, count, id, isoTime, line, none, savedFile, text } from './parts.ts'
import { month } from './review.ts'

/** A request that waits or runs. */
const queueEntry = z.object({
  entryId: id,
  connectionId: id,
  /** The company's name; empty if the request isn't about a company. */
  companyName: line,
  company: companyRef.nullable(),
  /** Its title, such as *Reading customers*. */
  what: line,
  isWrite: z.boolean(),
  /** `interactive` if a user waits for it. `batch` runs after those. */
  priority: z.enum(['interactive', 'batch']),
  /** The batch that it sends or confirms; empty for none. */
  batchId: line,
  state: z.enum(['waiting', 'running', 'abandoned', 'backing-off']),
  queuedAt: isoTime,
  startedAt: isoTime.nullable(),
  /** When the response is due. */
  deadlineAt: isoTime.nullable(),
  /** When its pause ends, before the next attempt or request; `null` for none. */
  pausesUntil: isoTime.nullable(),
  /** The attempt that runs, or the next one. */
  attempt: count,
  attempts: count,
  /** The place in the queue, from 1; 0 while it runs or waits for another attempt. */
  position: count,
  /** Progress, such as *3 pages, 6,000 records*; empty if unknown. */
  progress: line,
  /** Why the previous attempt failed; empty for none. */
  trouble: line,
})

const queue = z.object({
  connectionId: id,
  running: queueEntry.nullable(),
  waiting: z.array(queueEntry).readonly(),
  /** Nothing is sent until then; `null` if not blocked. */
  blockedUntil: isoTime.nullable(),
  /**
   * Why it is blocked: an `answer` may still arrive; the service may still be `at-work`, although its response can no longer
   * come; the service gets a moment (`settling`) after a request ended without a response; the service `asked` to wait; or
   * another Bookbridge on this computer uses the connection (`elsewhere`). `what` is empty if it was sent in an earlier
   * run.
   */
  blockedBy: z
    .object({
      what: line,
      companyName: line,
      reason: z.enum(['answer', 'at-work', 'settling', 'asked', 'elsewhere']),
    })
    .nullable(),
  /** Why it is paused; `null` if it isn't. */
  paused: appErrorSchema.nullable(),
  /** The last request, with its time and duration. */
  last: z
    .object({
      what: line,
      companyName: line,
      at: isoTime,
      milliseconds: count,
      /** `stopped`: by the user. */
      ended: z.enum(['done', 'failed', 'stopped']),
    })
    .nullable(),
})

export const logEntry = z.object({
  entryId: id,
  at: isoTime,
  connectionId: id,
  companyName: line,
  company: companyRef.nullable(),
  what: line,
  /** Method and path, for **Details**. Without query values, which could name records. */
  method: line,
  path: text,
  isWrite: z.boolean(),
  outcome: z.enum([
    'answered',
    'service-error',
    'failed',
    /** The user stopped it, and no response came afterward. */
    'abandoned',
    'stopped',
    /** A write that is running. Its line is on disk before it is sent. */
    'begun',
    /** The program ended before the response arrived. */
    'cut-off',
  ]),
  /** In Bookbridge's words, because the service's could name a record. */
  says: line,
  /** Error codes from the service or the system; empty if there were none. */
  code: line,
  status: z.number().int().nullable(),
  milliseconds: count,
  bytes: count,
  requestId: line,
  batchId: line,
  /** `null` for a write, and for a read that Activity neither counts nor groups. */
  reads: z.enum(['fields', 'list', 'report']).nullable().default(null),
  /** The month whose review reads it; `null` for none. */
  reviewedMonth: month.nullable().default(null),
})

const unfinishedItem = z.object({
  company: companyRef,
  companyName: line,
  object: line,
  kind: z.enum([
    'draft',
    'not-accepted',
    'not-confirmed',
    'decision',
    'changed-meanwhile',
    /** Waits for the user. */
    'queued',
    /** In a batch that is being sent. */
    'sending',
    'provisioning',
    /** Sent but not confirmed, so it may still be billed. */
    'deprovisioning',
  ]),
  count,
  since: isoTime,
  provisioningId: line,
})

export const activityCalls = {
  'activity.queues': call(none, z.array(queue).readonly()),
  'activity.log': call(
    z.strictObject({ connectionId: id.nullable(), before: isoTime.nullable(), limit: count.max(1_000) }),
    z.array(logEntry).readonly(),
  ),
  'activity.unfinished': call(z.strictObject({ connectionId: id }), z.array(unfinishedItem).readonly()),
  /** Removes a waiting request. Abandons a running one, and blocks the queue until it is safe. */
  'activity.stop': call(z.strictObject({ entryId: id }), none),
  'activity.pause': call(z.strictObject({ connectionId: id }), none),
  /** **Support file…**: asks where to save versions, settings, and requests, without secrets or records. */
  'activity.saveSupportFile': call(none, savedFile),
  'activity.resume': call(z.strictObject({ connectionId: id }), none),
} as const

export const activityEvents = {
  /** A queue has changed. */
  'activity.changed': z.object({ queues: z.array(queue).readonly() }),
} as const

export type QueueEntry = z.output<typeof queueEntry>
export type RequestQueue = z.output<typeof queue>
export type LogEntry = z.output<typeof logEntry>
export type UnfinishedItem = z.output<typeof unfinishedItem>
