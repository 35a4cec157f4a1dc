/** Records: reading a list, drafts, sending them, and what became of each. */
import { z } from 'zod'
import { SENT_AS } from '../records/changes.ts'
import { MOST_FIELDS } from '../records/definition.ts'
import {
  id,
  line,
  said,
  isoTime,
  count,
  none,
  appErrorSchema,
  companyRef,
  editValue,
  heldValue,
  isJsonWithin,
  jsonBytes,
  call,
} from './parts.ts'

/** Characters of one record as JSON: twice the bytes of the largest that is shown, since its numbers are quoted. */
const LARGEST_RECORD = 16_000_000

/** What a read asks for (specification 4.1). */
const recordsFilter = z.object({
  /** ISO 8601 with the machine's offset. */
  modifiedFrom: isoTime.nullable(),
  modifiedTo: isoTime.nullable(),
  ids: z.array(id).max(10_000).readonly(),
})

/** The union of top-level member names over the records, first seen first, with the members of nested objects. */
const fieldShapes = z.array(z.object({ name: said, members: z.array(said).readonly() })).readonly()

/** When a read was asked for, and when the last of it had come. By this computer’s clock. */
const readTimes = z.object({ readAt: isoTime, endedAt: isoTime })

/** A list that was read and is held by the rows worker. */
const recordSet = z.object({
  setId: id,
  company: companyRef,
  object: line,
  filter: recordsFilter,
  count,
  fields: fieldShapes,
  ...readTimes.shape,
  /** Known to be everything that was asked for. */
  isWhole: z.boolean(),
  /** Why not, in words; empty when whole. */
  partialBecause: said,
  pages: count,
  /** Errors that the service gave on single records, and others worth saying. */
  problems: z.array(appErrorSchema).readonly(),
  requestIds: z.array(said).readonly(),
})

/** A list after what changed since was taken over into it. */
const changedSet = z.object({ count, fields: fieldShapes })

const fieldSupport = z.object({
  /**
   * Paths of the fields that metadata lists for this company's application, with the members that it names of them;
   * `null` when it could not be read.
   */
  supported: z.array(said).readonly().nullable(),
  error: appErrorSchema.nullable(),
})

export const fieldEdit = z.object({
  path: line,
  was: editValue.nullable(),
  now: editValue,
  as: z.enum(SENT_AS).optional(),
})
/** A record as it came. Not `z.record`, which drops a field that is named `__proto__`. */
export const recordData = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

/** The record that an edit belongs to, as the window has it; no list is shown with one that is larger. */
const recordBefore = recordData.refine(
  (record) => Object.keys(record).length <= MOST_FIELDS && isJsonWithin(record, LARGEST_RECORD),
)

/** Per path whose value stands. As above, a path may be `__proto__`. */
const choices = z.custom<Readonly<Record<string, 'theirs' | 'yours'>>>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length <= MOST_FIELDS &&
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

/** One field on which both sides differ: theirs, yours, as read. */
export const difference = z.object({
  path: line,
  asRead: heldValue.nullable(),
  theirs: heldValue.nullable(),
  yours: editValue,
})

/** What became of one record that was sent. */
const operation = z.object({
  operationId: id,
  batchId: id,
  draftId: id,
  company: companyRef,
  object: line,
  kind: z.enum(['insert', 'change']),
  recordId: said,
  recordName: said,
  state: z.enum(OPERATION_STATES),
  /** Sent in an earlier run and left in the queue: waits for the person. */
  waitsForPerson: z.boolean(),
  edits: z.array(fieldEdit).readonly(),
  queuedAt: isoTime,
  settledAt: isoTime.nullable(),
  lastLookedAt: isoTime.nullable(),
  looks: count,
  /** Confirmed by reading back instead of by the answer. */
  confirmedByReading: z.boolean(),
  /** ACKED, but these fields came back otherwise than sent. */
  notAsSent: z.array(difference).readonly(),
  /** CONFLICT: the fields on which both sides differ. */
  conflicts: z.array(difference).readonly(),
  /**
   * HELD: records that may be this insert. One that an answer told of and nobody found is its `ID` alone. ACKED: the
   * records that one insert made.
   */
  candidates: z.array(recordData).readonly(),
  /** REJECTED, or why it is not confirmed. */
  error: appErrorSchema.nullable(),
  /** The field that the refusal names, where it names one. */
  errorPath: said,
  requestId: said,
  /** The record as the service answered or as it was read back, once ACKED. */
  after: recordData.nullable(),
})

/** What a copy on disk says about itself. Written by us and authenticated, but perhaps by another version. */
export const keptCopy = z.object({
  /** Of the service that it was read from. */
  address: z.string(),
  set: recordSet.omit({ setId: true }),
  updated: readTimes.nullable(),
  supported: z.array(z.string()).readonly().nullable(),
})

/** A copy of a list that is kept on this computer. */
const keptList = z.object({
  set: recordSet,
  /** When **Changed since** last had its whole answer; `null` since the list itself was read. */
  updated: readTimes.nullable(),
  /** Paths of the fields that metadata listed then; `null` if it wasn’t known. */
  supported: z.array(said).readonly().nullable(),
  /** What was sent from here and saved since then, oldest first: the copy doesn’t have it. */
  savedSince: z.array(operation).readonly(),
})

const draft = z.object({
  draftId: id,
  company: companyRef,
  object: line,
  kind: z.enum(['insert', 'change']),
  /** Empty for a new record. */
  recordId: line,
  /** The record as it was read when the first edit was made (new: empty). */
  before: recordData,
  edits: z.array(fieldEdit).readonly(),
  changedAt: isoTime,
  /** Made by **Undo…**, from what was sent before. */
  changesBack: z.boolean(),
  /** It was in a database from before, and may have been sent since. */
  isFromBefore: z.boolean(),
  /** What became of it, when it was sent and is not done. */
  operation: operation.nullable(),
})

/** What a person typed into one record, as it is saved. */
const draftState = z.strictObject({
  draftId: id,
  kind: z.enum(['insert', 'change']),
  recordId: line,
  before: recordBefore,
  edits: z.array(fieldEdit).max(MOST_FIELDS).readonly(),
})

const batch = z.object({
  batchId: id,
  company: companyRef,
  object: line,
  phase: z.enum(['waiting', 'checking', 'sending', 'confirming', 'stopped', 'paused', 'done']),
  total: count,
  sent: count,
  saved: count,
  notAccepted: count,
  notConfirmed: count,
  decisions: count,
  changedMeanwhile: count,
  toGo: count,
  /** Why it is paused or stopped, in words. */
  error: appErrorSchema.nullable(),
})

export const recordCalls = {
  'records.open': call(
    z.strictObject({ company: companyRef, object: line.min(1), filter: recordsFilter }),
    recordSet,
  ),
  /** Opens the copy of a list that is kept on this computer, without the service; `null` if there is none. */
  'records.openKept': call(z.strictObject({ company: companyRef, object: line.min(1) }), keptList.nullable()),
  /** Bytes of all copies of lists on this computer. */
  'records.keptSize': call(none, z.object({ bytes: count })),
  /** Stops the read of a list; what came is kept as partial. */
  'records.stop': call(z.strictObject({ company: companyRef, object: line }), none),
  'records.rows': call(z.strictObject({ setId: id, from: count, count: count.max(10_000) }), jsonBytes),
  /** Takes a newer set of the same list over into one that is held; the newer one is closed. */
  'records.merge': call(z.strictObject({ setId: id, newerId: id }), changedSet),
  'records.close': call(z.strictObject({ setId: id }), none),
  /**
   * Of the company's application; with `applications` (short codes) what all of those take. Asked of the service once
   * a run, and `refresh` after the list was read again.
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
   * Saves edits of many records in one transaction; no edits takes a draft away. One that is refused does not keep the
   * others from being saved.
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
      /** The person has confirmed that drafts from before are sent; refused otherwise, where there are such. */
      evenFromBefore: z.boolean().exactOptional(),
    }),
    batch,
  ),
  'records.batches': call(z.strictObject({ company: companyRef, object: line }), z.array(batch).readonly()),
  'records.stopBatch': call(z.strictObject({ batchId: id }), batch),
  /** Goes on with what waits for the person (queued in an earlier run, or paused). */
  'records.resumeBatch': call(z.strictObject({ batchId: id }), batch),
  'records.checkNow': call(
    z.strictObject({ company: companyRef, operationIds: z.array(id).max(10_000).readonly() }),
    none,
  ),
  'records.decide': call(
    z.strictObject({
      operationId: id,
      decision: z.discriminatedUnion('what', [
        /** HELD only, after one more look. `dismissed`: the IDs of all `candidates`, which the person says are others. */
        z.object({
          what: z.literal('send-again'),
          dismissed: z.array(id).max(100).readonly().exactOptional(),
        }),
        /** HELD only: one of the `candidates` is the record that was sent. */
        z.object({ what: z.literal('claim'), recordId: id }),
        z.object({ what: z.literal('discard') }),
        /** CONFLICT: per path whose value stands; `theirs` drops that edit. */
        z.object({ what: z.literal('choose'), choices }),
        /** "Saved, but not as sent" was seen. */
        z.object({ what: z.literal('seen') }),
      ]),
    }),
    none,
  ),
} as const

export const recordEvents = {
  /** Operations of a list have changed: each row's outcome. */
  'records.changed': z.object({
    company: companyRef,
    object: line,
    operations: z.array(operation).readonly(),
    batch: batch.nullable(),
  }),
  /** A read goes on: so many records are there, and can be asked for already. Another set voids the one before. */
  'records.progress': z.object({
    company: companyRef,
    object: line,
    records: count,
    pages: count,
    setId: id,
    fields: fieldShapes,
  }),
} as const

export type OperationState = (typeof OPERATION_STATES)[number]
export type RecordsFilter = z.output<typeof recordsFilter>
export type KeptCopy = z.output<typeof keptCopy>
export type ReadTimes = z.output<typeof readTimes>
export type RecordSet = z.output<typeof recordSet>
export type ChangedSet = z.output<typeof changedSet>
export type FieldSupport = z.output<typeof fieldSupport>
export type Operation = z.output<typeof operation>
export type Difference = z.output<typeof difference>
export type Draft = z.output<typeof draft>
export type Batch = z.output<typeof batch>
