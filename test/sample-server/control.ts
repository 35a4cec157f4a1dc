// The control path of the loopback server: what a test sets, and what it can ask for afterwards.
import { type SampleControl } from '../../electron/sample/service.ts'
import { type FaultRule } from './faults.ts'

/** The body of a POST to `controlUrl`; every member is optional. */
export interface ControlBody extends SampleControl {
  /** Rules that are added to those in force. */
  readonly faults?: readonly FaultRule[]
  readonly clearFaults?: boolean
  /** Forgets the requests and counts so far. */
  readonly clearRequests?: boolean
  /** Starts the sample over: every edit is gone. */
  readonly reset?: boolean
}

const MEMBERS = new Set([
  'company',
  'conditions',
  'openFile',
  'closingDate',
  'latencyMs',
  'provisionMs',
  'pageSize',
  'faults',
  'clearFaults',
  'clearRequests',
  'reset',
])

/** Reads a control body; a text says what is wrong with it. */
export function readControl(text: string): ControlBody | string {
  let body: unknown
  try {
    body = text === '' ? {} : JSON.parse(text)
  } catch {
    return 'The body is not valid JSON'
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return 'The body must be a JSON object'
  const unknown = Object.keys(body).find((name) => !MEMBERS.has(name))
  if (unknown !== undefined) return `"${unknown}" can't be set: ${[...MEMBERS].join(', ')} can`
  const rules: unknown = 'faults' in body ? body.faults : []
  if (!Array.isArray(rules) || !rules.every(isRule))
    return 'faults must be rules, each with a fault of some kind'
  return body
}

function isRule(rule: unknown): boolean {
  if (typeof rule !== 'object' || rule === null || !('fault' in rule)) return false
  const { fault } = rule
  return typeof fault === 'object' && fault !== null && 'kind' in fault && KINDS.has(String(fault.kind))
}

const KINDS = new Set([
  'drop',
  'reset',
  'hang',
  'silence',
  'trickle',
  'truncate',
  'html',
  'status',
  'redirect',
  'missingItems',
  'extraItems',
  'reorderedItems',
  'itemError',
  'requestError',
  'endlessMoreData',
  'repeatedPage',
  'slow',
  'missingMembers',
  'body',
])
