/**
 * The simulated computers of the sample: their state, and what can be set. The sample itself imports nothing from here.
 * The compiler checks that its types match where `core.ts` passes it in.
 */
import { z } from 'zod'
import { call, count, isoDate, line, none } from './parts.ts'

/** The state of a company's computer (specification, section 1). */
const conditions = z.object({
  machine: z.enum(['on', 'off']),
  session: z.enum(['logged-in', 'logged-out']),
  agent: z.enum(['running', 'stopped']),
  token: z.enum(['entered', 'missing']),
  openFile: z.enum(['target', 'none', 'another']),
  dialog: z.enum(['none', 'open']),
  mode: z.enum(['expected', 'other']),
  authorization: z.enum(['granted', 'pending', 'denied']),
  /** Milliseconds until the service reports that the computer doesn't answer. */
  answerAfter: count,
  /** Milliseconds until a pending authorization is granted; 0 waits until it is set. */
  grantedAfter: count,
})

const file = z.object({
  companyName: line,
  /** The service's short code for its application. */
  endpoint: line,
  /** Whether it has been added as a company. */
  isProvisioned: z.boolean(),
  /** Whether last month has a bill that was entered today. */
  hasLateEntry: z.boolean(),
  conditions,
})

/** The state of the sample. */
const sampleState = z.object({
  /** The day that its dates are counted from. */
  today: isoDate,
  /** The least time of each request, in milliseconds. */
  latencyMs: count,
  /** Balances dated on or before this day are refused; empty if the books are open. */
  closingDate: z.union([isoDate, z.literal('')]),
  /** All files of the sample's users, each with its computer. */
  files: z.array(file).readonly(),
  /** The desktop file that the next **Add company** finds open; empty for none. */
  nextFile: line,
  /** The state of a computer where everything works. */
  allWell: conditions,
  counts: z.object({
    received: count,
    /** The most requests that were ever processed at once. */
    mostAtOnce: count,
    /** Refused because another request was being processed. */
    refused: count,
  }),
})

/** What can be set. */
const sampleControl = z.strictObject({
  /** The file that `conditions` and `lateEntry` apply to. Without it, `conditions` apply to every file. */
  company: line.exactOptional(),
  conditions: z.strictObject(conditions.partial().shape).exactOptional(),
  lateEntry: z.boolean().exactOptional(),
  openFile: line.exactOptional(),
  closingDate: z.union([isoDate, z.literal('')]).exactOptional(),
  latencyMs: count.max(600_000).exactOptional(),
})

export const sampleCalls = {
  /** The state of the sample; an error while another connection is in use. */
  'sample.state': call(none, sampleState),
  /** Changes the sample. Returns its new state. */
  'sample.control': call(sampleControl, sampleState),
} as const

export type SampleConditions = z.output<typeof conditions>
export type SampleDeskFile = z.output<typeof file>
export type SampleState = z.output<typeof sampleState>
export type SampleControl = z.output<typeof sampleControl>
