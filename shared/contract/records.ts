/** Records: reading a list, drafts, sending them, and their outcomes. */
import { z } from 'zod'
import { SENT_AS } from '../records/changes.ts'
import { MAX_FIELDS } from '../records/definition.ts'
import {
  appErrorSchema,
  call,
  companyRef,
  count,
  editValue,
  id,
  isJsonWithin,
  isoTime,
  jsonBytes,
  line,
  none,
  reference,
  serviceText,
  storedValue,
} from './parts.ts'

/** The most characters of a record as JSON: twice the size of the largest one, because its numbers are quoted. */
const LARGEST_RECORD = 16_000_000

/** The filter of a read (specification 4.1). */
const recordsFilter = z.object({
  /** ISO 8601 with this computer's offset. */
  modifiedFrom: isoTime.nullable(),
  modifiedTo: isoTime.nullable(),
  ids: z.array(id).max(10_000).readonly(),
})

/** The top-level members of all records, in the order in which they were first seen, with the members of objects. */
const fieldShapes = z
  .array(z.object({ name: serviceText, members: z.array(serviceText).readonly() }))
  .readonly()

/** When a read began, and when its last page arrived, by this computer’s clock. */
const readTimes = z.object({ readAt: isoTime, endedAt: isoTime })

/** A list that was read. The rows worker holds it. */
const recordSet = z.object({
  setId: id,
  company: companyRef,
  object: line,
  filter: recordsFilter,
  count,
  fields: fieldShapes,
  ...readTimes.shape,
  /** What was saved from here before it was read. Only the main process understands it. */
  savesMark: line,
  /** Whether it certainly has everything that was requested. */
  isWhole: z.boolean(),
  /** Why it may be incomplete; empty if it is complete. */
  partialReason: serviceText,
  pages: count,
  /** The service's errors about single records, and others to show. */
  problems: z.array(appErrorSchema).readonly(),
  requestIds: z.array(serviceText).readonly(),
})

/** A list after newer records were merged into it. */
const changedSet = z.object({ count, fields: fieldShapes })

const fieldSupport = z.object({
  /**
   * Paths of the fields, and of their members, that metadata lists for this company's application; `null` if metadata
   * couldn't be read.
   */
  supported: z.array(serviceText).readonly().nullable(),
  error: appErrorSchema.nullable(),
})

export const fieldEdit = z.object({
  path: line,
  was: editValue.nullable(),
  now: editValue,
  as: z.enum(SENT_AS).optional(),
  keeps: reference.optional(),
  balance: line.optional(),
})
/** A record as the service sent it. Not `z.record`, which drops a field that is named `__proto__`. */
export const recordData = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

/** The record that an edit belongs to, as the window has it. No list with a larger one is shown. */
const recordBefore = recordData.refine(
  (record) => Object.keys(record).length <= MAX_FIELDS && isJsonWithin(record, LARGEST_RECORD),
)

/** Whose value to keep, by path. As above, a path may be `__proto__`. */
const choices = z.custom<Readonly<Record<string, 'theirs' | 'yours'>>>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length <= MAX_FIELDS &&
    Object.entries(value).every(
      ([path, side]) => line.safeParse(path).success && (side === 'theirs' || side === 'yours'),
    ),
)

export const OPERATION_STATES = [
  'queued',
  'sending',
  'acked',
  'rejected',
  'unknown',
  'held',
  'conflict',
] as const

/** A field that both sides changed: as read, theirs, and yours. */
export const difference = z.object({
  path: line,
  asRead: storedValue.nullable(),
  theirs: storedValue.nullable(),
  yours: editValue,
})

/** A record that was sent, and its outcome. */
const operation = z.object({
  operationId: id,
  batchId: id,
  draftId: id,
  company: companyRef,
  object: line,
  kind: z.enum(['insert', 'change']),
  recordId: serviceText,
  recordName: serviceText,
  state: z.enum(OPERATION_STATES),
  /** Whether it was queued in an earlier run and waits for the user. */
  waitsForUser: z.boolean(),
  edits: z.array(fieldEdit).readonly(),
  queuedAt: isoTime,
  settledAt: isoTime.nullable(),
  lastRecheckedAt: isoTime.nullable(),
  rechecks: count,
  /** Whether it was confirmed by reading back, not by the response. */
  confirmedByReading: z.boolean(),
  /** ACKED: the fields that came back with other values than were sent. */
  notAsSent: z.array(difference).readonly(),
  /** CONFLICT: the fields that both sides changed. */
  conflicts: z.array(difference).readonly(),
  /**
   * HELD: the records that may be this insert. One that a response named and no one found has only its `ID`. ACKED: the
   * records that one insert created.
   */
  candidates: z.array(recordData).readonly(),
  /** Why it was rejected, or why it isn't confirmed. */
  error: appErrorSchema.nullable(),
  /** The field that the refusal names; empty for none. */
  errorPath: serviceText,
  requestId: serviceText,
  /** ACKED: the record as the service returned it, or as it was read back. */
  after: recordData.nullable(),
})

/** The caller's data in a copy on disk. Authenticated, but perhaps written by another version. */
export const keptCopy = z.object({
  /** The address of the service that it was read from. */
  address: z.string(),
  set: recordSet.omit({ setId: true }),
  updated: readTimes.extend({ savesMark: line }).nullable(),
  supported: z.array(z.string()).readonly().nullable(),
})

/** A copy of a list that is kept on this computer. */
const keptList = z.object({
  set: recordSet,
  /** When **Changed since** was last read to its end; `null` if never since the list itself was read. */
  updated: readTimes.nullable(),
  /** Paths of the fields that metadata listed then; `null` if unknown. */
  supported: z.array(serviceText).readonly().nullable(),
  /** The operations that were saved from here since then, oldest first. The copy doesn’t include them. */
  savedSince: z.array(operation).readonly(),
})

const draft = z.object({
  draftId: id,
  company: companyRef,
  object: line,
  kind: z.enum(['insert', 'change']),
  /** Empty for a new record. */
  recordId: line,
  /** The record as it was read before the first edit; empty for a new one. */
  before: recordData,
  edits: z.array(fieldEdit).readonly(),
  changedAt: isoTime,
  /** Whether **Undo…** created it. */
  undoes: z.boolean(),
  /** Whether it comes from an older database, so that it may have been sent since. */
  isStale: z.boolean(),
  /** Its outcome, if it was sent and isn't finished. */
  operation: operation.nullable(),
})

/** A user's edits of one record, as they are saved. */
const draftState = z.strictObject({
  draftId: id,
  kind: z.enum(['insert', 'change']),
  recordId: line,
  before: recordBefore,
  edits: z.array(fieldEdit).max(MAX_FIELDS).readonly(),
})

const batch = z.object({
  batchId: id,
  company: companyRef,
  object: line,
  phase: z.enum(['waiting', 'checking', 'sending', 'confirming', 'stopped', 'paused', 'done']),
  total: count,
  sent: count,
  saved: count,
  /** The saved ones that undo an earlier change. */
  undone: count,
  notAccepted: count,
  notConfirmed: count,
  decisions: count,
  changedMeanwhile: count,
  unsent: count,
  /** Why it is paused or stopped, in words. */
  error: appErrorSchema.nullable(),
})

/** Records in a row, so that the window can list them without parsing them. */
const recordChunk = z.object({
  /** In ASCII, with numbers as text. */
  bytes: jsonBytes,
  /** Bytes of each record. A comma separates them. */
  lengths: z.array(count),
  /** The ID of each record, empty if it has none. `null` if only parsing the record tells its ID and name. */
  ids: z.array(z.string().nullable()),
  /** The full name of each record, or else its name or ID. */
  names: z.array(z.string().nullable()),
})

/** The user's decision about one operation. */
const decision = z.discriminatedUnion('what', [
  /**
   * HELD only, after another recheck. `dismissed`: the IDs of all `candidates`, which the user says are other
   * records.
   */
  z.object({
    what: z.literal('send-again'),
    dismissed: z.array(id).max(100).readonly().exactOptional(),
  }),
  /** HELD only: one of the `candidates` is the record that was sent. */
  z.object({ what: z.literal('claim'), recordId: id }),
  z.object({ what: z.literal('discard') }),
  /** CONFLICT: by path, whose value to keep. `theirs` drops the edit. */
  z.object({ what: z.literal('choose'), choices }),
  /** The user has seen “Saved, but not as sent”. */
  z.object({ what: z.literal('seen') }),
])

export const recordCalls = {
  'records.open': call(
    z.strictObject({ company: companyRef, object: line.min(1), filter: recordsFilter }),
    recordSet,
  ),
  /** Opens the copy of a list that is kept on this computer, without the service; `null` if there is none. */
  'records.openKept': call(z.strictObject({ company: companyRef, object: line.min(1) }), keptList.nullable()),
  /** The size of all copies of lists on this computer. */
  'records.keptSize': call(none, z.object({ bytes: count })),
  /** Stops the read of a list. What has arrived is kept as a partial list. */
  'records.stop': call(z.strictObject({ company: companyRef, object: line }), none),
  'records.rows': call(z.strictObject({ setId: id, from: count, count: count.max(10_000) }), recordChunk),
  /** Merges a newer set of the same list into another one, and closes the newer one. */
  'records.merge': call(z.strictObject({ setId: id, newerId: id }), changedSet),
  'records.close': call(z.strictObject({ setId: id }), none),
  /**
   * The fields that the company's application supports, or those that all of `applications` (short codes) do. Read from
   * the service once per run, and again with `refresh`.
   */
  'records.support': call(
    z.strictObject({
      company: companyRef,
      object: line.min(1),
      applications: z.array(line.min(1)).min(1).max(10).readonly().exactOptional(),
      refresh: z.boolean().exactOptional(),
    }),
    fieldSupport,
  ),
  'records.drafts': call(z.strictObject({ company: companyRef, object: line }), z.array(draft).readonly()),
  /**
   * Saves the edits of many records in one transaction. A draft without edits is deleted. If one is refused, the others
   * are saved all the same.
   */
  'records.saveDrafts': call(
    z.strictObject({
      company: companyRef,
      object: line.min(1),
      drafts: z.array(draftState).max(1_000).readonly(),
    }),
    z.object({ refused: z.array(z.object({ draftId: id, error: appErrorSchema })).readonly() }),
  ),
  'records.discardDrafts': call(
    z.strictObject({ company: companyRef, draftIds: z.array(id).max(100_000).readonly() }),
    none,
  ),
  'records.send': call(
    z.strictObject({
      company: companyRef,
      object: line.min(1),
      draftIds: z.array(id).min(1).max(100_000).readonly(),
      /** Whether the user has confirmed sending drafts from an older database. Without it, they are refused. */
      evenIfStale: z.boolean().exactOptional(),
    }),
    batch,
  ),
  'records.batches': call(z.strictObject({ company: companyRef, object: line }), z.array(batch).readonly()),
  'records.stopBatch': call(z.strictObject({ batchId: id }), batch),
  /** Resumes what waits for the user: queued in an earlier run, or paused. */
  'records.resumeBatch': call(z.strictObject({ batchId: id }), batch),
  'records.checkNow': call(
    z.strictObject({ company: companyRef, operationIds: z.array(id).max(10_000).readonly() }),
    none,
  ),
  'records.decide': call(
    z.strictObject({
      operationId: id,
      decision,
    }),
    none,
  ),
} as const

export const recordEvents = {
  /** The outcomes of a list's rows have changed. */
  'records.changed': z.object({
    company: companyRef,
    object: line,
    operations: z.array(operation).readonly(),
    batch: batch.nullable(),
  }),
  /** How many records of a running read have arrived. They can be requested already. A new set replaces the previous one. */
  'records.progress': z.object({
    company: companyRef,
    object: line,
    records: count,
    pages: count,
    setId: id,
    fields: fieldShapes,
  }),
} as const

export type Decision = z.output<typeof decision>
export type OperationState = (typeof OPERATION_STATES)[number]
export type RecordsFilter = z.output<typeof recordsFilter>
export type KeptCopy = z.output<typeof keptCopy>
export type ReadTimes = z.output<typeof readTimes>
export type OpenedSet = z.output<typeof recordSet>
export type ChangedSet = z.output<typeof changedSet>
export type FieldSupport = z.output<typeof fieldSupport>
export type Operation = z.output<typeof operation>
export type Difference = z.output<typeof difference>
export type Draft = z.output<typeof draft>
export type Batch = z.output<typeof batch>
