/** History: what was sent, batch by batch and record by record, and changing it back. */
import { z } from 'zod'
import {
  appErrorSchema,
  call,
  companyRef,
  count,
  heldValue,
  id,
  isoTime,
  line,
  none,
  said,
  savedFile,
  text,
} from './parts.ts'

/** What became of something that was sent. `discarded`: it was not there, and the person let it be. */
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

/** Another batch that this one changes back, or by which it was changed back. */
const batchLink = z.object({ batchId: id, at: isoTime, count })

/** One thing that was sent: a batch of records, or one call about a company or user. */
const historyEntry = z.object({
  entryId: id,
  kind: z.enum(['records', 'provisioning', 'deprovisioning', 'user']),
  at: isoTime,
  connectionId: id,
  company: companyRef.nullable(),
  /** As it is called here; empty when it is not known (any more). */
  companyName: line,
  /** Empty unless records were sent. */
  object: line,
  inserts: count,
  changes: count,
  outcomes: z.array(z.object({ outcome, count })).readonly(),
  /** What more is known of a call about a company or user: its application, user, file. */
  says: line,
  requestIds: z.array(said).readonly(),
  error: appErrorSchema.nullable(),
  changesBack: z.array(batchLink).readonly(),
  changedBackBy: z.array(batchLink).readonly(),
})

const recordLink = z.object({ operationId: id, batchId: id, at: isoTime })

/** One record that was sent: what was, what was sent, what the application answered. */
const historyRecord = z.object({
  operationId: id,
  batchId: id,
  company: companyRef,
  object: line,
  kind: z.enum(['insert', 'change']),
  recordId: said,
  recordName: said,
  outcome,
  at: isoTime,
  settledAt: isoTime.nullable(),
  confirmedByReading: z.boolean(),
  fields: z
    .array(
      z.object({
        path: line,
        /** `null` for a new record. */
        was: heldValue.nullable(),
        sent: heldValue,
        /** What the application answered; `null` unless it was saved. */
        is: heldValue.nullable(),
      }),
    )
    .readonly(),
  error: appErrorSchema.nullable(),
  requestId: said,
  changesBack: recordLink.nullable(),
  changedBackBy: recordLink.nullable(),
})

/** One request in which a record travelled, for Details. */
const historyRequest = z.object({
  sentAt: isoTime,
  answeredAt: isoTime.nullable(),
  outcome: z.enum(['answered', 'refused-key', 'not-sent', 'in-doubt']).nullable(),
  status: z.number().int().nullable(),
  requestId: said,
  /** The exact text sent, cut to a readable length; of a batch it holds the other records too. */
  sent: text,
  /** This record’s item of the answer, or the whole answer where it could not be matched to its records. */
  answered: text,
  records: count,
})

/** Why something can’t be changed back. */
const NO_WAY_BACK = [
  /** Not known yet what became of it. */
  'not-settled',
  /** It was never saved, so there is nothing to take back. */
  'not-saved',
  /** The record has a draft of something else. */
  'has-draft',
  /** A draft that changes it back is there already. */
  'draft-waits',
  'changed-back',
  /** Sent again later, with another value. */
  'changed-again',
  /** The application made something else of what was sent. */
  'altered',
  'not-taken',
  /** It was empty, and this kind of field can’t be emptied. */
  'cannot-be-emptied',
  /** A new record of a list without *Active*. */
  'no-active-field',
  'already-inactive',
  /** A new record whose answer was lost, and that was found by its name alone. */
  'known-by-name',
  /** What was sent is not the id of one record. */
  'no-record',
] as const
const noWayBack = z.object({ because: z.enum(NO_WAY_BACK), at: isoTime.nullable() })

const changeBackRecord = z.object({
  operationId: id,
  recordId: said,
  recordName: said,
  kind: z.enum(['insert', 'change']),
  /** Why nothing of it can be changed back; `null` when something can. */
  refused: noWayBack.nullable(),
  fields: z
    .array(
      z.object({
        path: line,
        was: heldValue.nullable(),
        /** As last known here; the record is read again before anything is sent. */
        is: heldValue,
        /** `null`: stays as it is. */
        willBe: heldValue.nullable(),
        refused: noWayBack.nullable(),
      }),
    )
    .readonly(),
})

const changeBackPlan = z.object({
  company: companyRef,
  object: line,
  at: isoTime,
  /** Why nothing may be written to these books at all; `null` when it may. */
  refusal: appErrorSchema.nullable(),
  records: z.array(changeBackRecord).readonly(),
})

/** Of which things that were sent: a whole batch, or single records of one. */
const whichSent = z.discriminatedUnion('of', [
  z.object({ of: z.literal('batch'), batchId: id }),
  z.object({ of: z.literal('records'), operationIds: z.array(id).min(1).max(10_000).readonly() }),
])

export const historyCalls = {
  /** Newest first. `cursor` is what the page before answered as `next`; empty for the first. */
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
  /** Of a batch in the order in which they were sent; of a record newest first. */
  'history.records': call(
    z.strictObject({
      which: z.discriminatedUnion('of', [
        z.object({ of: z.literal('batch'), batchId: id }),
        z.object({ of: z.literal('record'), company: companyRef, object: line.min(1), recordId: id }),
      ]),
      outcome: outcome.nullable(),
      text: line,
      cursor: line,
      limit: count.min(1).max(1_000),
    }),
    z.object({ records: z.array(historyRecord).readonly(), next: line }),
  ),
  'history.requests': call(z.strictObject({ operationId: id }), z.array(historyRequest).readonly()),
  /** Saves a receipt of a batch as a PDF: each record, what it was, what was sent, and what became of it. */
  'history.saveReceipt': call(z.strictObject({ batchId: id }), savedFile),
  /** What **Undo…** would do, decided from the journal; nothing is asked but which fields are taken. */
  'history.planChangeBack': call(z.strictObject({ which: whichSent }), changeBackPlan),
  /** Makes drafts that change these back, in one step; refused as a whole when one of them no longer can be. */
  'history.changeBack': call(
    z.strictObject({ operationIds: z.array(id).min(1).max(10_000).readonly() }),
    z.object({ company: companyRef, object: line, draftIds: z.array(id).readonly() }),
  ),
  /** **Delete this company’s data…** Asked about in the main process; refused while something is being sent. */
  'history.deleteCompany': call(z.strictObject({ company: companyRef }), none),
} as const

export type HistoryOutcome = z.output<typeof outcome>
export type HistoryEntry = z.output<typeof historyEntry>
export type HistoryRecord = z.output<typeof historyRecord>
export type HistoryRequest = z.output<typeof historyRequest>
export type NoWayBack = z.output<typeof noWayBack>
export type ChangeBackRecord = z.output<typeof changeBackRecord>
export type ChangeBackPlan = z.output<typeof changeBackPlan>
export type WhichSent = z.output<typeof whichSent>
