// The control path of the loopback server: what a test can set and query.
import { z } from 'zod'
import { controlTrouble, type SampleControl } from '../../electron/sample/desktop.ts'
import { type FaultRule } from './faults.ts'

/** The body of a POST to `controlUrl`. Every member is optional. */
export interface ControlBody extends SampleControl {
  /** Rules to add to the current ones. */
  readonly faults?: readonly FaultRule[]
  readonly clearFaults?: boolean
  /** Deletes the requests and counts so far. */
  readonly clearRequests?: boolean
  /** Resets the sample, including every edit. */
  readonly reset?: boolean
}

const when = z.enum(['before', 'after'])
const status = z.int().min(200).max(599)
const whole = z.int().min(0).max(2_147_483_647)
const count = z.int().min(1)
const code = z.union([z.string(), z.number()])

const FAULT = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal(['drop', 'reset']), when }),
  z.strictObject({ kind: z.literal('cutOff'), workMs: whole, status: status.optional() }),
  z.strictObject({ kind: z.literal('hang'), when, workMs: whole.optional() }),
  z.strictObject({
    kind: z.literal(['silence', 'reorderedItems', 'endlessMoreData', 'repeatedPage']),
  }),
  z.strictObject({
    kind: z.literal('rewrittenMarks'),
    how: z.literal(['capitals', 'braces', 'cut']).optional(),
  }),
  z.strictObject({ kind: z.literal('shortNames'), length: count }),
  z.strictObject({ kind: z.literal('trickle'), bytes: count.optional(), everyMs: whole.optional() }),
  z.strictObject({
    kind: z.literal('truncate'),
    share: z.number().min(0).max(1).optional(),
    abruptly: z.boolean().optional(),
  }),
  z.strictObject({ kind: z.literal('html'), status: status.optional(), when: when.optional() }),
  z.strictObject({
    kind: z.literal('status'),
    status,
    retryAfter: code.optional(),
    body: z.enum(['envelope', 'html', 'empty']).optional(),
    when: when.optional(),
  }),
  z.strictObject({
    kind: z.literal('redirect'),
    location: z.string().min(1),
    status: status.optional(),
    when: when.optional(),
  }),
  z.strictObject({ kind: z.literal(['missingItems', 'extraItems']), count: count.optional() }),
  z.strictObject({
    kind: z.literal('itemError'),
    index: whole.optional(),
    code: code.optional(),
    message: z.string().optional(),
    keepRecord: z.boolean().optional(),
  }),
  z.strictObject({ kind: z.literal('requestError'), code: code.optional(), message: z.string().optional() }),
  z.strictObject({ kind: z.literal('slow'), milliseconds: whole, when: when.optional() }),
  z.strictObject({ kind: z.literal('missingMembers'), members: z.array(z.string()).min(1) }),
  z.strictObject({
    kind: z.literal('body'),
    text: z.string(),
    status: status.optional(),
    contentType: z.string().optional(),
    when: when.optional(),
  }),
])

const part = z.string().optional()
const RULE = z.strictObject({
  match: z.strictObject({ method: part, path: part, query: part, body: part }).optional(),
  nth: count.optional(),
  times: whole.optional(),
  chance: z.number().min(0).max(1).optional(),
  fault: FAULT,
})

const BODY = z.strictObject({
  company: z.string().optional(),
  conditions: z.record(z.string(), z.unknown()).optional(),
  openFile: z.string().optional(),
  closingDate: z.string().optional(),
  lateEntry: z.boolean().optional(),
  latencyMs: z.number().optional(),
  provisionMs: z.number().optional(),
  pageSize: z.number().optional(),
  faults: z.array(RULE).optional(),
  clearFaults: z.boolean().optional(),
  clearRequests: z.boolean().optional(),
  reset: z.boolean().optional(),
})

/** Parses a control body. Returns a message if it is invalid. */
export function readControl(text: string): ControlBody | string {
  let json: unknown
  try {
    json = text === '' ? {} : JSON.parse(text)
  } catch {
    return 'The body is not valid JSON'
  }
  const read = BODY.safeParse(json)
  if (!read.success) return z.prettifyError(read.error)
  // JSON has no undefined, so the checked value matches the type.
  const body = read.data as ControlBody
  return controlTrouble(body) ?? body
}
