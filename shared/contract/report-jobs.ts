/** Reports for several companies as one job, and the saved sets of reports. */
import { z } from 'zod'
import { PERIOD_CHOICES } from '../reports/periods.ts'
import { CONTACTS, ITEM_STATES, JOB_FILES, JOB_STATES } from '../reports/jobs.ts'
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
  said,
  text,
} from './parts.ts'

const jobItem = z.object({
  itemId: id,
  endpointId: id,
  name: line,
  madeAs: line,
  state: z.enum(ITEM_STATES),
  error: appErrorSchema.nullable(),
  files: z.array(line).readonly(),
  marks: z.array(line).readonly(),
  findings: count,
  said: z.array(said).readonly(),
})

const jobCompany = z.object({
  company: companyRef,
  companyName: line,
  application: line,
  applicationName: line,
  from: isoDate,
  to: isoDate,
  contact: z.enum(CONTACTS),
  silence: appErrorSchema.nullable(),
})

const jointFile = z.object({
  name: line,
  endpointId: z.union([id, z.literal('')]),
  itemIds: z.array(id).readonly(),
  mark: line,
})

/** A job, in the window and on disk. */
export const reportJob = z.object({
  jobId: id,
  connectionId: id,
  title: line,
  createdAt: isoTime,
  folder: text,
  state: z.enum(JOB_STATES),
  error: appErrorSchema.nullable(),
  companies: z.array(jobCompany).readonly(),
  items: z.array(jobItem).readonly(),
  fileKinds: z.array(z.enum(JOB_FILES)).readonly(),
  combined: z.boolean(),
  pack: z.boolean(),
  hideZeroRows: z.boolean(),
  files: z.array(jointFile).readonly(),
})

/** The names that were chosen. Each application's own names for them are found later. */
const reportSet = z.object({ name: line.min(1), reports: z.array(line.min(1)).min(1).max(60).readonly() })

const one = z.strictObject({ jobId: id })

export const reportJobCalls = {
  /** All jobs of the connection, newest first. */
  'reportJobs.list': call(z.strictObject({ connectionId: id }), z.array(reportJob).readonly()),
  /** Asks for a folder, then starts; `null` if canceled. */
  'reportJobs.start': call(
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
      fileKinds: z.array(z.enum(JOB_FILES)).max(JOB_FILES.length).readonly(),
      combined: z.boolean(),
      pack: z.boolean(),
      hideZeroRows: z.boolean(),
    }),
    z.object({ job: reportJob.nullable() }),
  ),
  'reportJobs.stop': call(one, none),
  /** Resumes a job that was stopped. */
  'reportJobs.resume': call(one, none),
  /** Tries again what failed or was skipped. */
  'reportJobs.retry': call(one, none),
  /** The user's decision about a company that doesn't respond. */
  'reportJobs.answer': call(
    z.strictObject({ jobId: id, endpointId: id, answer: z.enum(['again', 'skip']) }),
    none,
  ),
  /** Deletes the job, but not its files. */
  'reportJobs.remove': call(one, none),
  'reportJobs.sets': call(none, z.array(reportSet).readonly()),
  /** Saves a set under its name. */
  'reportJobs.saveSet': call(reportSet, none),
  'reportJobs.removeSet': call(z.strictObject({ name: line }), none),
} as const

export const reportJobEvents = {
  'reportJobs.changed': reportJob,
} as const

export type ReportSet = z.output<typeof reportSet>
