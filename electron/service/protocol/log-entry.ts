/**
 * A request's line in the log, which Activity shows: what, how long, and with what result. Contains no secret, body, or
 * record. Pure functions.
 */
import type { LogEntry } from '../../../shared/contract/activity.ts'
import type { AppError } from '../../../shared/result.ts'
import { isQuotedFromService } from '../errors/service-errors.ts'
import type { Exchange } from '../transport/exchange.ts'
import type { ServiceRequest } from './requests.ts'
import type { SlotRequest } from './wire.ts'

/**
 * The line of a request that is about to be sent.
 * @param started milliseconds since 1970
 * @param doing what its slot is doing; may be empty
 */
export function begunEntry(
  slotRequest: SlotRequest,
  request: ServiceRequest,
  { entryId, started, doing }: { readonly entryId: string; readonly started: number; readonly doing: string },
): LogEntry {
  return {
    entryId,
    at: new Date(started).toISOString(),
    connectionId: slotRequest.connectionId,
    companyName: slotRequest.companyName,
    company: slotRequest.company,
    what: whatOf(slotRequest, request, doing),
    method: request.method,
    path: withoutValues(request.path),
    isWrite: request.method !== 'GET',
    outcome: 'begun',
    says: 'On its way',
    code: '',
    status: null,
    milliseconds: 0,
    bytes: 0,
    requestId: '',
    batchId: slotRequest.batchId,
    reads: slotRequest.reads ?? null,
    reviewedMonth: slotRequest.reviewedMonth ?? null,
  }
}

/** A read in a writing slot is not the write itself. It checks before or confirms after, and says so. */
function whatOf({ what, isWrite }: SlotRequest, { method }: ServiceRequest, doing: string): string {
  return isWrite && method === 'GET' ? `${doing === '' ? 'Checking first' : doing} · ${what}` : what
}

/** The line of a request that has ended, still without its outcome. */
export function endedEntry(entry: LogEntry, result: Exchange, ended: number): LogEntry {
  return {
    ...entry,
    status: result.hasResponse ? result.raw.status : result.status,
    milliseconds: Math.max(0, Math.round(ended - Date.parse(entry.at))),
    bytes: result.hasResponse ? result.raw.length : 0,
  }
}

/** How a request ended. */
interface LoggedOutcome {
  readonly hasResponse: boolean
  /** Whether the user stopped it while it was running. */
  readonly isAbandoned: boolean
  /** The error of the request or of its response; `null` if there is none. */
  readonly error: AppError | null
  /** The codes of errors in a response that was accepted: the request's and its records'. */
  readonly codes: readonly string[]
  /** What was received, in words: *2,412 customers*. Empty if nothing was counted. */
  readonly received: string
}

/** The line with its outcome. */
export function withOutcome(
  entry: LogEntry,
  { hasResponse, isAbandoned, error, codes, received }: LoggedOutcome,
): LogEntry {
  if (error === null) {
    const says = codes.length === 0 ? received || 'Done' : 'Done, with errors'
    return { ...entry, outcome: 'answered', says, code: plainCodes(codes) }
  }
  // The response to a read that was stopped, by the user or with its page, is read to the end and discarded.
  if (hasResponse && error.kind === 'not-found') {
    return { ...entry, outcome: 'answered', says: 'Done after it was stopped' }
  }
  const says = isQuotedFromService(error) ? 'The service answered with an error of its own.' : error.message
  return {
    ...entry,
    outcome: hasResponse
      ? 'service-error'
      : error.kind === 'stopped'
        ? 'stopped'
        : isAbandoned
          ? 'abandoned'
          : 'failed',
    says: says.slice(0, LONGEST_WORDS),
    code: plainCodes([error.details.code ?? error.kind]),
  }
}

const LONGEST_WORDS = 500
const MAX_CODES = 5

/** Keeps only what looks like a code. A service may put a sentence there, and with it a record. */
function plainCodes(found: readonly string[]): string {
  const plain = [...new Set(found)].filter(
    (code) => /^[A-Za-z0-9_.:-]+(?: \d{3})?$/.test(code) && code.length <= 40,
  )
  return plain.slice(0, MAX_CODES).join(', ')
}

/**
 * A path without values that could belong to a record. Records are named only in the query (`id=`), so its values are
 * dropped, except a report's name. The path itself names the company's endpoint ID and the list, which support needs.
 */
function withoutValues(path: string): string {
  const [bare = '', query] = path.split('?')
  if (query === undefined) return bare
  const names = [...new URLSearchParams(query)].map(([name, value]) =>
    name === 'name' ? `name=${value}` : name,
  )
  return `${bare}?${[...new Set(names)].join('&')}`
}
