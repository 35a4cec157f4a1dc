/** A request as Activity keeps it: what, how long, what became of it; no secret, body or record. */
import type { LogEntry } from '../../../shared/contract/activity.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Exchange } from '../transport/exchange.ts'
import type { Operation } from './operations.ts'
import { isInServiceWords } from '../errors/service-errors.ts'
import type { SlotRequest } from './wire.ts'

/**
 * The line of a request that is about to leave.
 * @param started milliseconds since 1970
 * @param doing what its turn says that it does just now; may be empty
 */
export function begunEntry(
  entryId: string,
  request: SlotRequest,
  operation: Operation,
  started: number,
  doing: string,
): LogEntry {
  return {
    entryId,
    at: new Date(started).toISOString(),
    connectionId: request.connectionId,
    companyName: request.companyName,
    company: request.company,
    what: whatOf(request, operation, doing),
    method: operation.method,
    path: withoutValues(operation.path),
    isWrite: operation.method !== 'GET',
    outcome: 'begun',
    says: 'On its way',
    code: '',
    status: null,
    milliseconds: 0,
    bytes: 0,
    requestId: '',
    batchId: request.batchId,
  }
}

/** A read within a turn that sends is not the sending: it looks before, or confirms after. */
function whatOf({ what, isWrite }: SlotRequest, { method }: Operation, doing: string): string {
  return isWrite && method === 'GET' ? `${doing === '' ? 'Reading' : doing} · ${what}` : what
}

/** The same line once its request has ended; `withOutcome` says how. */
export function endedEntry(entry: LogEntry, result: Exchange, ended: number): LogEntry {
  return {
    ...entry,
    status: result.came ? result.raw.status : result.status,
    milliseconds: Math.max(0, Math.round(ended - Date.parse(entry.at))),
    bytes: result.came ? result.raw.length : 0,
  }
}

/** What became of a request, for its line. */
export interface LoggedOutcome {
  readonly came: boolean
  /** The person let go of it while it was on its way. */
  readonly isAbandoned: boolean
  /** What was wrong with the request or with its answer; `null` when nothing was. */
  readonly error: AppError | null
  /** Codes of errors in an answer that was taken, to its request or to single records. */
  readonly codes: readonly string[]
}

export function withOutcome(entry: LogEntry, { came, isAbandoned, error, codes }: LoggedOutcome): LogEntry {
  if (error === null) {
    const says = codes.length === 0 ? 'Answered' : 'Answered, with errors'
    return { ...entry, outcome: 'answered', says, code: plainCodes(codes) }
  }
  // What was let go of, by the person or with the page that asked, is read to its end; nobody holds a place for it.
  if (came && error.kind === 'not-found') {
    return { ...entry, outcome: 'answered', says: 'Answered after it was stopped' }
  }
  const says = isInServiceWords(error) ? 'The service answered with an error of its own.' : error.message
  return {
    ...entry,
    outcome: came
      ? 'service-error'
      : error.kind === 'stopped'
        ? 'stopped'
        : isAbandoned
          ? 'let-go'
          : 'failed',
    says: says.slice(0, LONGEST_WORDS),
    code: plainCodes([error.details.code ?? error.kind]),
  }
}

const LONGEST_WORDS = 500
const MOST_CODES = 5

/** Those that look like codes: an odd service might put a sentence, and so a record, in their place. */
function plainCodes(found: readonly string[]): string {
  const plain = [...new Set(found)].filter(
    (code) => /^[A-Za-z0-9_.:-]+(?: \d{3})?$/.test(code) && code.length <= 40,
  )
  return plain.slice(0, MOST_CODES).join(', ')
}

/**
 * A path without what could be a record's: a record is named in the query alone (`id=`), so of the query only the
 * names of its parameters are kept, and a report's name, which says what was asked. The path itself names the company
 * by its endpoint id and the kind of record, both of which support needs.
 */
function withoutValues(path: string): string {
  const [bare = '', query] = path.split('?')
  if (query === undefined) return bare
  const names = [...new URLSearchParams(query)].map(([name, value]) =>
    name === 'name' ? `name=${value}` : name,
  )
  return `${bare}?${[...new Set(names)].join('&')}`
}
