/** Reports for several companies as one run, and the saved sets of reports. */
import { z } from 'zod'
import { PERIOD_CHOICES } from '../reports/periods.ts'
import { TOTALS_RESULTS } from '../reports/reports.ts'
import { REPORT_FILE_KINDS } from '../reports/runs.ts'
import { CONTACTS, ITEM_STATES, RUN_STATES } from '../runs.ts'
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
  serviceText,
  text,
} from './parts.ts'

const runItem = z.object({
  itemId: id,
  endpointId: id,
  name: line,
  offeredName: line,
  state: z.enum(ITEM_STATES),
  error: appErrorSchema.nullable(),
  files: z.array(line).readonly(),
  fingerprints: z.array(line).readonly(),
  totals: z.enum(TOTALS_RESULTS).default('unchecked'),
  findings: count,
  notes: z.array(serviceText).readonly(),
})

const runCompany = z.object({
  company: companyRef,
  companyName: line,
  application: line,
  applicationName: line,
  from: isoDate,
  to: isoDate,
  contact: z.enum(CONTACTS),
  contactError: appErrorSchema.nullable(),
})

const jointFile = z.object({
  name: line,
  endpointId: z.union([id, z.literal('')]),
  itemIds: z.array(id).readonly(),
  fingerprint: line,
})

/** A run, in the window and on disk. */
export const reportRun = z.object({
  runId: id,
  connectionId: id,
  title: line,
  createdAt: isoTime,
  folder: text,
  state: z.enum(RUN_STATES),
  error: appErrorSchema.nullable(),
  companies: z.array(runCompany).readonly(),
  items: z.array(runItem).readonly(),
  fileKinds: z.array(z.enum(REPORT_FILE_KINDS)).readonly(),
  combined: z.boolean(),
  pack: z.boolean(),
  hideZeroRows: z.boolean(),
  files: z.array(jointFile).readonly(),
})

/** The names that were chosen. Each application's own names for them are found later. */
const reportSet = z.object({ name: line.min(1), reports: z.array(line.min(1)).min(1).max(60).readonly() })

const one = z.strictObject({ runId: id })

export const reportRunCalls = {
  /** All runs of the connection, newest first. */
  'reportRuns.list': call(z.strictObject({ connectionId: id }), z.array(reportRun).readonly()),
  /** Asks for a folder, then starts; `null` if canceled. */
  'reportRuns.start': call(
    z.strictObject({
      connectionId: id,
      title: line.min(1),
      reports: z.array(line.min(1)).min(1).max(60).readonly(),
      endpointIds: z.array(id).min(1).max(2_000).readonly(),
      /** For a choice, each company's days depend on its fiscal year. */
      period: z.discriminatedUnion('choice', [
        z.strictObject({ choice: z.literal('dates'), from: isoDate, to: isoDate }),
        z.strictObject({ choice: z.enum(PERIOD_CHOICES).exclude(['dates']), today: isoDate }),
      ]),
      fileKinds: z.array(z.enum(REPORT_FILE_KINDS)).max(REPORT_FILE_KINDS.length).readonly(),
      combined: z.boolean(),
      pack: z.boolean(),
      hideZeroRows: z.boolean(),
    }),
    z.object({ run: reportRun.nullable() }),
  ),
  'reportRuns.stop': call(one, none),
  /** Resumes a run that was stopped. */
  'reportRuns.resume': call(one, none),
  /** Tries again what failed or was skipped. */
  'reportRuns.retry': call(one, none),
  /** The user's decision about a company that doesn't respond. */
  'reportRuns.answer': call(
    z.strictObject({ runId: id, endpointId: id, answer: z.enum(['again', 'skip']) }),
    none,
  ),
  /** Deletes the run, but not its files. */
  'reportRuns.remove': call(one, none),
  'reportRuns.sets': call(none, z.array(reportSet).readonly()),
  /** Saves a set under its name. */
  'reportRuns.saveSet': call(reportSet, none),
  'reportRuns.removeSet': call(z.strictObject({ name: line }), none),
} as const

export const reportRunEvents = {
  'reportRuns.changed': reportRun,
} as const

export type ReportSet = z.output<typeof reportSet>
