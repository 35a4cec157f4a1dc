/**
 * The sample's desks, as the window and the use cases speak of them: what can be set, and how it stands. A part of the
 * contract. The sample itself imports nothing of ours; the compiler holds its words to these where `core.ts` hands
 * it in.
 */
import { z } from 'zod'
import { call, count, isoDate, line, none } from './parts.ts'

/** How things stand at the machine of a company's file (specification, section 1). */
const conditions = z.object({
  machine: z.enum(['on', 'off']),
  session: z.enum(['logged-in', 'logged-out']),
  agent: z.enum(['running', 'stopped']),
  token: z.enum(['entered', 'missing']),
  openFile: z.enum(['target', 'none', 'another']),
  dialog: z.enum(['none', 'open']),
  mode: z.enum(['expected', 'other']),
  authorisation: z.enum(['granted', 'pending', 'denied']),
  /** Milliseconds until the service says that nobody answers there. */
  answerAfter: count,
  /** Milliseconds after which a pending authorisation is granted by itself; 0 waits until it is set. */
  grantedAfter: count,
})

const file = z.object({
  companyName: line,
  /** Short code of its application, as the service says it. */
  endpoint: line,
  /** It is one of the companies already. */
  isProvisioned: z.boolean(),
  /** Its last full month has a bill that was entered today. */
  hasLateEntry: z.boolean(),
  conditions,
})

/** How the sample stands. */
const sampleState = z.object({
  /** The day that its dates are counted from. */
  today: isoDate,
  /** The time each request takes at least, in milliseconds. */
  latencyMs: count,
  /** Balances dated until that day are refused; empty when the books are open. */
  closingDate: z.union([isoDate, z.literal('')]),
  /** Every file that a made-up end user has, with its desk. */
  files: z.array(file).readonly(),
  /** The desktop file that the next **Add company** finds open; empty when there is none. */
  nextFile: line,
  counts: z.object({
    received: count,
    /** The largest number of requests ever at work at the same time. */
    mostAtOnce: count,
    /** Refused because another was at work. */
    refused: count,
  }),
})

/** What can be set, a part at a time. */
const sampleControl = z.strictObject({
  /** The file that `conditions` and `lateEntry` are about. Without it, `conditions` are about every file. */
  company: line.exactOptional(),
  conditions: z.strictObject(conditions.partial().shape).exactOptional(),
  lateEntry: z.boolean().exactOptional(),
  openFile: line.exactOptional(),
  closingDate: z.union([isoDate, z.literal('')]).exactOptional(),
  latencyMs: count.max(600_000).exactOptional(),
})

export const sampleCalls = {
  /** How the sample stands; an error while another connection is in use. */
  'sample.state': call(none, sampleState),
  /** Changes the desks of the sample; answers how it stands then. */
  'sample.control': call(sampleControl, sampleState),
} as const

export type SampleConditions = z.output<typeof conditions>
export type SampleDeskFile = z.output<typeof file>
export type SampleState = z.output<typeof sampleState>
export type SampleControl = z.output<typeof sampleControl>
