/** Activity: what runs and waits, what was asked and sent, what is unfinished. */
import { z } from 'zod'
import { id, line, text, isoTime, count, none, appErrorSchema, companyRef, savedFile, call } from './parts.ts'

/** One request that waits or runs. */
const queueEntry = z.object({
  entryId: id,
  connectionId: id,
  /** The company's name here; empty when the request concerns none. */
  companyName: line,
  company: companyRef.nullable(),
  /** In words: *Reading customers*. */
  what: line,
  isWrite: z.boolean(),
  /** A person waits for it, or it goes behind that. */
  priority: z.enum(['person', 'batch']),
  /** The batch that it sends or checks; empty for none. */
  batchId: line,
  state: z.enum(['waiting', 'running', 'let-go', 'backing-off']),
  queuedAt: isoTime,
  startedAt: isoTime.nullable(),
  /** When the answer must be there. */
  deadlineAt: isoTime.nullable(),
  /** The end of its present pause: before the next try, or before its next request; `null` for none. */
  pausesUntil: isoTime.nullable(),
  /** The try that runs, or the next one when none does. */
  attempt: count,
  attempts: count,
  /** Place in the queue, 1 is next; 0 when it runs or pauses before another try. */
  position: count,
  /** Progress in words, e.g. *3 pages, 6,000 records*; empty when unknown. */
  progress: line,
  /** What was wrong with the try before, in words; empty for none. */
  trouble: line,
})

const queue = z.object({
  connectionId: id,
  running: queueEntry.nullable(),
  waiting: z.array(queueEntry).readonly(),
  /** Nothing leaves until then; `null` when open. */
  blockedUntil: isoTime.nullable(),
  /**
   * What shut it: its `answer` may still arrive, the service may still be `at-work` on it although its answer can no
   * longer come, the service is given a moment (`settling`) after it ended without one, or the service `asked` to wait;
   * or another Bookbridge on this computer is using the connection (`elsewhere`).
   * `what` is empty when it left in an earlier run.
   */
  blockedBy: z
    .object({
      what: line,
      companyName: line,
      because: z.enum(['answer', 'at-work', 'settling', 'asked', 'elsewhere']),
    })
    .nullable(),
  /** Paused, and why; `null` when it goes on by itself. */
  paused: appErrorSchema.nullable(),
  /** The last thing that was done, in words, with its time and duration. */
  last: z
    .object({
      what: line,
      companyName: line,
      at: isoTime,
      milliseconds: count,
      /** `stopped`: by the person, before it was done. */
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
  /** Method and path for Details; no query values that could be records. */
  method: line,
  path: text,
  isWrite: z.boolean(),
  outcome: z.enum([
    'answered',
    'service-error',
    'failed',
    /** The person let go of it, and no answer came afterwards. */
    'let-go',
    'stopped',
    /** A write that is on its way; its line is on disk before it leaves. */
    'begun',
    /** The program ended before the answer. */
    'cut-off',
  ]),
  /** In our own words: what the service said could name a record. */
  says: line,
  /** Codes of what was wrong, as the service or the system gave them; empty when nothing was. */
  code: line,
  status: z.number().int().nullable(),
  milliseconds: count,
  bytes: count,
  requestId: line,
  batchId: line,
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
    /** Waits for the person. */
    'queued',
    /** In a batch that is being sent. */
    'sending',
    'provisioning',
    /** Sent, and no sure word yet: it may be billed still. */
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
  /** Waiting: taken out of the queue. Running: let go of; the queue stays shut until it is safe. */
  'activity.stop': call(z.strictObject({ entryId: id }), none),
  'activity.pause': call(z.strictObject({ connectionId: id }), none),
  /** **Support file…**: asks where to, and writes versions, settings and requests there; no secret and no record. */
  'activity.saveSupportFile': call(none, savedFile),
  'activity.resume': call(z.strictObject({ connectionId: id }), none),
} as const

export const activityEvents = {
  /** What runs and waits has changed. */
  'activity.changed': z.object({ queues: z.array(queue).readonly() }),
} as const

export type QueueEntry = z.output<typeof queueEntry>
export type RequestQueue = z.output<typeof queue>
export type LogEntry = z.output<typeof logEntry>
export type UnfinishedItem = z.output<typeof unfinishedItem>
