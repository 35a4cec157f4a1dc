/** History: what was sent, by batch and by record, and undoing it. */
import { z } from 'zod'
import {
  appErrorSchema,
  call,
  companyRef,
  count,
  id,
  isoDate,
  isoTime,
  line,
  none,
  savedFile,
  serviceText,
  storedValue,
  text,
} from './parts.ts'

/** The outcome of something that was sent. `discarded`: it wasn't found, and the user left it. */
const HISTORY_OUTCOMES = [
  'saved',
  'not-accepted',
  'not-confirmed',
  'decision',
  'changed-meanwhile',
  'discarded',
  'not-sent',
] as const
const outcome = z.enum(HISTORY_OUTCOMES)

/** Another batch that this one undoes, or that undid it. */
const batchLink = z.object({ batchId: id, at: isoTime, count })

/** When something was sent. */
const sentTime = {
  /** When its first request left this computer. If none did: when it was queued. The history is in this order. */
  at: isoTime,
  /** When its last request left this computer; otherwise the same as `at`. */
  lastAt: isoTime,
  /** Whether any request with it left this computer. */
  isSent: z.boolean(),
}

/** An entry of the history: a batch of records, or a request about a company or user. */
const historyEntry = z.object({
  entryId: id,
  kind: z.enum(['records', 'provisioning', 'deprovisioning', 'user']),
  ...sentTime,
  /** The name of the signed-in user; empty if unknown. */
  sentBy: line,
  connectionId: id,
  company: companyRef.nullable(),
  /** The company's name; empty if unknown. */
  companyName: line,
  /** Empty unless records were sent. */
  object: line,
  inserts: count,
  changes: count,
  outcomes: z.array(z.object({ outcome, count })).readonly(),
  /** More about a request for a company or user: its application, user, and file. */
  says: line,
  requestIds: z.array(serviceText).readonly(),
  error: appErrorSchema.nullable(),
  undoes: z.array(batchLink).readonly(),
  undoneBy: z.array(batchLink).readonly(),
})

const recordLink = z.object({ operationId: id, batchId: id, at: isoTime })

/** A record that was sent: the values before, the values sent, and the response. */
const historyRecord = z.object({
  operationId: id,
  batchId: id,
  company: companyRef,
  object: line,
  kind: z.enum(['insert', 'change']),
  recordId: serviceText,
  recordName: serviceText,
  outcome,
  ...sentTime,
  /** Earlier requests with it that were followed by another one, oldest first. Their outcomes don't count. */
  earlier: z.array(z.object({ at: isoTime, requestId: serviceText, outcome })).readonly(),
  settledAt: isoTime.nullable(),
  confirmedByReading: z.boolean(),
  fields: z
    .array(
      z.object({
        path: line,
        /** `null` for a new record. */
        was: storedValue.nullable(),
        sent: storedValue,
        /** The record in the response; `null` unless it was saved. */
        is: storedValue.nullable(),
      }),
    )
    .readonly(),
  error: appErrorSchema.nullable(),
  /** The RequestId of the last request with it; empty if it got no response. */
  requestId: serviceText,
  undoes: recordLink.nullable(),
  undoneBy: recordLink.nullable(),
})

/** A request that contained a record, for **Details**. */
const historyRequest = z.object({
  sentAt: isoTime,
  respondedAt: isoTime.nullable(),
  outcome: z.enum(['answered', 'refused-key', 'not-sent', 'uncertain']).nullable(),
  status: z.number().int().nullable(),
  requestId: serviceText,
  /** The exact text sent, cut to a readable length. For a batch, it includes the other records. */
  sent: text,
  /** This record's part of the response, or the whole response if it couldn't be matched to records. */
  response: text,
  records: count,
})

/** Why something can't be undone. */
const UNDO_REFUSALS = [
  /** Its outcome isn't known yet. */
  'not-settled',
  /** It was never saved, so there is nothing to undo. */
  'not-saved',
  /** The record has a draft of something else. */
  'has-draft',
  /** A draft that undoes it already exists. */
  'draft-waits',
  'changed-back',
  /** Sent again later, with another value. */
  'changed-again',
  /** The application saved something other than what was sent. */
  'altered',
  'not-taken',
  /** It was empty before, and this type of field can’t be cleared. */
  'cannot-be-emptied',
  /** A new record of a list without *Active*. */
  'no-active-field',
  'already-inactive',
  /** A new record whose response was lost, and which was found only by its name. */
  'known-by-name',
  /** What was sent doesn't identify one record. */
  'no-record',
] as const
const undoRefusal = z.object({ reason: z.enum(UNDO_REFUSALS), at: isoTime.nullable() })

const undoRecord = z.object({
  operationId: id,
  recordId: serviceText,
  recordName: serviceText,
  kind: z.enum(['insert', 'change']),
  /** Why none of it can be undone; `null` if some can. */
  refused: undoRefusal.nullable(),
  fields: z
    .array(
      z.object({
        path: line,
        was: storedValue.nullable(),
        /** The value as last known. The record is read again before anything is sent. */
        is: storedValue,
        /** `null` leaves it unchanged. */
        willBe: storedValue.nullable(),
        refused: undoRefusal.nullable(),
      }),
    )
    .readonly(),
})

const undoPlan = z.object({
  company: companyRef,
  object: line,
  at: isoTime,
  /** Why nothing can be written to these books; `null` if it can. */
  refusal: appErrorSchema.nullable(),
  records: z.array(undoRecord).readonly(),
})

/** A whole batch, or single records. */
/** What to undo. */
const undoTarget = z.discriminatedUnion('of', [
  z.object({ of: z.literal('batch'), batchId: id }),
  z.object({ of: z.literal('records'), operationIds: z.array(id).min(1).max(10_000).readonly() }),
])

/** Whose records the *History* dialog shows: a batch's, or the changes of one record. */
const historyScope = z.discriminatedUnion('of', [
  z.object({ of: z.literal('batch'), batchId: id }),
  z.object({ of: z.literal('record'), company: companyRef, object: line.min(1), recordId: id }),
])

export const historyCalls = {
  /** Newest first. `cursor` is the previous page's `next`; empty for the first page. */
  'history.entries': call(
    z.strictObject({
      connectionId: id,
      company: companyRef.nullable(),
      object: line,
      outcome: outcome.nullable(),
      text: line,
      cursor: line,
      limit: count.min(1).max(500),
    }),
    z.object({ entries: z.array(historyEntry).readonly(), next: line }),
  ),
  /** A batch's records in the order in which they were sent, or a record's changes, newest first. */
  'history.records': call(
    z.strictObject({
      which: historyScope,
      outcome: outcome.nullable(),
      text: line,
      cursor: line,
      limit: count.min(1).max(1_000),
    }),
    z.object({ records: z.array(historyRecord).readonly(), next: line }),
  ),
  'history.requests': call(z.strictObject({ operationId: id }), z.array(historyRequest).readonly()),
  /** Saves a receipt of a batch as a PDF: each record's old values, what was sent, and the outcome. */
  'history.saveReceipt': call(z.strictObject({ batchId: id }), savedFile),
  /**
   * Saves the history of a company as a file: everything sent to it, or to one of its lists or records, in a period of
   * whole days.
   */
  'history.saveHistory': call(
    z
      .strictObject({
        company: companyRef,
        /** Empty for all lists. */
        object: line,
        /** Empty for all records. */
        recordId: line,
        from: isoDate.nullable(),
        to: isoDate.nullable(),
        kind: z.enum(['xlsx', 'pdf']),
      })
      .refine(({ object, recordId }) => recordId === '' || object !== ''),
    savedFile,
  ),
  /** What **Undo…** would do, according to the journal. Requests only the supported fields from the service. */
  'history.planUndo': call(z.strictObject({ which: undoTarget }), undoPlan),
  /** Creates the drafts that undo these, in one step. Refused as a whole if one can no longer be undone. */
  'history.undo': call(
    z.strictObject({ operationIds: z.array(id).min(1).max(10_000).readonly() }),
    z.object({ company: companyRef, object: line, draftIds: z.array(id).readonly() }),
  ),
  /** **Delete this company's data…**: the main process asks first. Refused while something is being sent. */
  'history.deleteCompany': call(z.strictObject({ company: companyRef }), none),
} as const

export type HistoryOutcome = z.output<typeof outcome>
export type SentTime = Pick<HistoryEntry, 'at' | 'lastAt' | 'isSent'>
export type HistoryEntry = z.output<typeof historyEntry>
export type HistoryRecord = z.output<typeof historyRecord>
export type HistoryRequest = z.output<typeof historyRequest>
export type UndoRefusal = z.output<typeof undoRefusal>
export type UndoRecord = z.output<typeof undoRecord>
export type UndoPlan = z.output<typeof undoPlan>
export type UndoTarget = z.output<typeof undoTarget>
export type HistoryScope = z.output<typeof historyScope>
