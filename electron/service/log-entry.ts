/** A request as Activity keeps it: what, how long, what became of it; no secret, body or record. */
import { randomUUID } from 'node:crypto'
import type { LogEntry } from '../../shared/contract/activity.ts'
import type { AppError } from '../../shared/result.ts'
import type { Exchange } from './exchange.ts'
import type { Operation } from './operations.ts'
import type { RawAnswer, TurnRequest } from './wire.ts'

/**
 * The entry of a request that has ended; `withOutcome` adds what became of it.
 * @param started and `ended`: milliseconds since 1970
 */
export function logEntry(
  request: TurnRequest,
  operation: Operation,
  result: Exchange,
  started: number,
  ended: number,
): LogEntry {
  return {
    entryId: randomUUID(),
    at: new Date(started).toISOString(),
    connectionId: request.connectionId,
    companyName: request.companyName,
    company: request.company,
    what: request.what,
    method: operation.method,
    path: withoutValues(operation.path),
    isWrite: operation.method !== 'GET',
    outcome: 'answered',
    says: 'Answered',
    status: result.came ? result.raw.status : result.status,
    milliseconds: Math.max(0, Math.round(ended - started)),
    bytes: result.came ? result.raw.length : 0,
    requestId: result.came ? requestIdIn(result.raw) : '',
    batchId: request.batchId,
  }
}

/** @param error what was wrong with the request or with its answer; `null` when nothing was */
export function withOutcome(entry: LogEntry, result: Exchange, error: AppError | null): LogEntry {
  if (error === null) return entry
  const failed = error.kind === 'stopped' ? 'stopped' : 'failed'
  return {
    ...entry,
    outcome: result.came ? 'service-error' : failed,
    says: error.message.slice(0, LONGEST_WORDS),
  }
}

const LONGEST_WORDS = 500

/** Query values could be records' ids; the report's name says what was asked. */
function withoutValues(path: string): string {
  const [bare = '', query] = path.split('?')
  if (query === undefined) return bare
  const names = [...new URLSearchParams(query)].map(([name, value]) =>
    name === 'name' ? `name=${value}` : name,
  )
  return `${bare}?${[...new Set(names)].join('&')}`
}

const REQUEST_ID = /"requestid"\s*:\s*(?:"([^"\\]{1,200})"|(\d{1,40}))/i
const LOOK_AT = 4_096

/** The RequestId stands before or after the records; a look at both ends finds it without parsing a large body. */
function requestIdIn(raw: RawAnswer): string {
  const first = raw.blocks[0]
  const last = raw.blocks[raw.blocks.length - 1]
  if (first === undefined || last === undefined) return ''
  const decoder = new TextDecoder()
  for (const piece of [first.subarray(0, LOOK_AT), last.subarray(Math.max(0, last.length - LOOK_AT))]) {
    const found = REQUEST_ID.exec(decoder.decode(piece))
    if (found !== null) return found[1] ?? found[2] ?? ''
  }
  return ''
}
