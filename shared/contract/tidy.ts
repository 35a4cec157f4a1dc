/** ***Tidy up**: the proposals for the kept lists of a connection, drafting the checked ones, and dismissing others. */
import { z } from 'zod'
import { TIDY_KIND_IDS, type TidyKind } from '../records/tidy.ts'
import { MAX_CHANGED } from '../runs.ts'
import { listPosition, shownChange } from './all-companies.ts'
import {
  call,
  companyRef,
  count,
  editValue,
  id,
  isoTime,
  line,
  none,
  reference,
  serviceText,
  storedValue,
} from './parts.ts'
import { sentence } from './review.ts'

const kind = z.enum(TIDY_KIND_IDS as [TidyKind, ...TidyKind[]])

const proposal = z.object({
  kind,
  key: serviceText,
  reason: sentence,
  records: z
    .array(
      z.object({
        recordId: serviceText,
        name: serviceText,
        edits: z
          .array(
            z.object({
              path: serviceText,
              was: storedValue,
              now: storedValue,
              balance: serviceText.optional(),
            }),
          )
          .readonly(),
        blockedReason: sentence,
        facts: z.array(z.object({ path: serviceText, value: serviceText })).readonly(),
      }),
    )
    .readonly(),
  /** Whether the user has dismissed it. */
  isDismissed: z.boolean(),
})

/** The proposals for one list. */
const tidiedList = z.object({
  company: companyRef,
  object: serviceText,
  readAt: isoTime,
  count,
  /** Why nothing can be changed in this company; empty if it can. */
  blockedReason: serviceText,
  proposals: z.array(proposal).readonly(),
  /** How many more there are of each kind. They follow once others are done. */
  more: z.array(z.object({ kind, count })).readonly(),
  /** Kinds that could not be checked because the list lacks the fields, or has them under other names. */
  notChecked: z.array(kind).readonly(),
})

export const tidyCalls = {
  /**
   * Scans the kept lists of all companies, list by list in the order of company names. Returns after each list; `next`
   * is what to continue after, or `null` after the last list.
   */
  'tidy.proposals': call(
    z.strictObject({ connectionId: id, after: listPosition.nullable() }),
    z.object({
      lists: z.array(tidiedList).readonly(),
      next: listPosition.nullable(),
      /** Kept lists that were not opened yet. */
      waiting: count,
    }),
  ),
  /** Makes a draft for each of these records of one list. Nothing is sent. */
  'tidy.draft': call(
    z.strictObject({
      connectionId: id,
      object: line.min(1),
      picks: z
        .array(
          z.strictObject({
            endpointId: id,
            records: z
              .array(
                z.strictObject({
                  recordId: id,
                  edits: z
                    .array(
                      z.strictObject({
                        path: line.min(1),
                        was: editValue,
                        now: editValue,
                        /** Of a duplicate that becomes inactive: the record that stays. */
                        keeps: reference.optional(),
                        /** As in the proposal. */
                        balance: line.optional(),
                      }),
                    )
                    .min(1)
                    .max(100)
                    .readonly(),
                }),
              )
              .min(1)
              .max(MAX_CHANGED)
              .readonly(),
          }),
        )
        .min(1)
        .max(2_000)
        .readonly(),
    }),
    shownChange,
  ),
  /** Dismisses a proposal, or undoes that. Also hides the same finding in a month's review. */
  'tidy.dismiss': call(
    z.strictObject({ company: companyRef, key: z.string().min(1).max(10_000), isDismissed: z.boolean() }),
    none,
  ),
} as const

export type ListToTidy = z.output<typeof tidiedList>
export type ShownProposal = z.output<typeof proposal>
