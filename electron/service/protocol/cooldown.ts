/**
 * Pure decisions about how long to wait after a response: before a read is retried, and before any other request may
 * start. `client.ts` waits before a retry, and `scheduler.ts` keeps the queue blocked.
 */
import { type AppError, appError } from '../../../shared/result.ts'
import { isLegacyTrouble } from '../companies/company-list.ts'
import { saysFileNotReached } from '../errors/service-errors.ts'
import type { Exchange } from '../transport/exchange.ts'
import { decodeLegacyEnvelope, decodeUserResponse } from './envelope.ts'
import type { RawResponse } from './wire.ts'

/** The longest `Retry-After` to wait for, in milliseconds. Beyond it, the error is shown instead. */
export const LONGEST_RETRY_AFTER = 5 * 60 * 1_000

const FIRST_WAIT = 2_000
const LONGEST_WAIT = 60_000

/**
 * The milliseconds before a retry, with full jitter: between the first wait and a ceiling that doubles.
 * @param tried the number of tries so far
 * @param random 0 ≤ n < 1
 */
export function jitter(tried: number, random: () => number): number {
  const ceiling = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** tried)
  return FIRST_WAIT + random() * (ceiling - FIRST_WAIT)
}

/**
 * The error of a response that asks to wait, and for how many milliseconds (`null` if it doesn't say); `null` for other
 * responses. A 429 always asks to wait, and so does a 503 with a `Retry-After`. A 503 without one may explain itself in
 * an envelope: see `bareBusyError`.
 */
export function busyError(
  status: number,
  retryAfter: string | null,
  now: number,
): { readonly error: AppError; readonly wait: number | null } | null {
  if (status !== 429 && !(status === 503 && retryAfter !== null)) return null
  const wait = retryAfter === null ? null : retryAfterMilliseconds(retryAfter, now)
  const minutes =
    wait === null
      ? ''
      : wait > 90_000
        ? `${String(Math.ceil(wait / 60_000))} minutes`
        : `${String(Math.ceil(wait / 1_000))} seconds`
  const message =
    wait === null
      ? 'The service is busy and asked Bookbridge to wait.'
      : `The service is busy and asked Bookbridge to wait ${minutes}.`
  return { wait, error: busyIn(message, status) }
}

function busyIn(message: string, status: number): AppError {
  return appError('busy', message, 'Your key and the books are fine. Try again later.', {
    status,
    code: `HTTP ${String(status)}`,
  })
}

/** The error of a 503 with neither a `Retry-After` nor an envelope; `null` for any other error. */
export function bareBusyError({ details }: AppError): AppError | null {
  return details.code === 'HTTP 503' ? busyIn('The service is busy and asked Bookbridge to wait.', 503) : null
}

/** `Retry-After`, in seconds or as a date, as milliseconds from `now`; `null` if it is neither. */
function retryAfterMilliseconds(value: string, now: number): number | null {
  const text = value.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

/** A request that has ended, with or without a response. */
export interface EndedRequest {
  readonly result: Exchange
  readonly isWrite: boolean
  /** Whether it went to the older service. */
  readonly isLegacy: boolean
  /** Milliseconds since 1970. */
  readonly deadlineAt: number
  readonly now: number
}

/** Until when nothing else may start, in milliseconds since 1970. */
export type Cooldown =
  /** The service may still be working on the request. A grace period follows. */
  | { readonly reason: 'at-work'; readonly until: number }
  /** The service did not start the request, and asked to wait. */
  | { readonly reason: 'asked'; readonly until: number }

/**
 * How long a request that has ended keeps its queue blocked; `null` if not at all.
 *
 * The service may work on a request until the request's own deadline if its connection was cut, or if something other
 * than the service responded: a gateway's page, half an envelope, or (to a write) any page. The same is true of a write
 * whose response is an error of the whole request, because the service may have given up on an agent that is still
 * working.
 *
 * A response proves that nothing is running if its status blames the request itself, if it refuses the key, if it
 * reports on single records, or if all of its errors say that the company file wasn't reached.
 */
export function cooldownAfter({ result, isWrite, isLegacy, deadlineAt, now }: EndedRequest): Cooldown | null {
  if (result.hasResponse) {
    const { raw, retryAfter } = result
    const busy = busyError(raw.status, retryAfter, now)
    const asked = askedWait(busy?.wait ?? 0)
    if (!isWrite) {
      if (busy === null) {
        const isLost = isOfGateway(raw, isLegacy) || isCutShort(raw)
        return isLost ? atWork(Math.max(now, deadlineAt)) : null
      }
      return asked === 0 ? null : { reason: 'asked', until: now + asked }
    }
    const until = afterWrite(raw, isLegacy, deadlineAt, now)
    if (asked > 0 && now + asked > (until ?? 0)) return { reason: 'asked', until: now + asked }
    return until === null ? null : atWork(until)
  }
  // A redirect replaces the work.
  if (result.wasNotSent || result.error.kind === 'redirected') return null
  // Bookbridge closed the connection during the response: it was too large, or a read's response can't be decompressed.
  const { kind } = result.error
  if (kind === 'too-large' || (kind === 'malformed-response' && !isWrite)) return atWork(now)
  return atWork(Math.max(now, deadlineAt))
}

function atWork(until: number): Cooldown {
  return { reason: 'at-work', until }
}

/** The milliseconds to wait of those that the service asked for: 0 if they are too many, which is an error instead. */
function askedWait(wait: number): number {
  return wait > LONGEST_RETRY_AFTER ? 0 : wait
}

/** Until when the service may work on a write that got a response; `null` if the response ends it. */
function afterWrite(raw: RawResponse, isLegacy: boolean, deadlineAt: number, now: number): number | null {
  const untilDeadline = Math.max(now, deadlineAt)
  // The service did not start this request, but may be working on the ones that count against its limit.
  if (raw.status === 429) return now
  if (isLegacy) {
    const legacy = decodeLegacyEnvelope(raw)
    if (legacy.ok) {
      const isTrouble = isLegacyTrouble(legacy.value) && !callsRequestWrong(raw.status)
      return isTrouble ? untilDeadline : null
    }
  } else {
    const response = decodeUserResponse(raw)
    if (response.ok) {
      const { errors, items, hasErrors } = response.value
      const trouble = errors.filter(({ severity }) => !/^(?:warn|info)/i.test(severity))
      const isUnlisted = hasErrors && [errors, ...items.map((item) => item.errors)].flat().length === 0
      const tellsOfRecords = items.some((item) => item.object !== null || item.errors.length > 0)
      // 202 (accepted) doesn't mean that the work is done.
      if (raw.status === 202 && !tellsOfRecords) return untilDeadline
      if ((trouble.length === 0 && !isUnlisted) || raw.status === 401 || raw.status === 403) return null
      const isProven = callsRequestWrong(raw.status) || tellsOfRecords
      return isProven || (!isUnlisted && trouble.every(saysFileNotReached)) ? now : untilDeadline
    }
  }
  return callsRequestWrong(raw.status) ? null : untilDeadline
}

const REQUEST_IS_WRONG: ReadonlySet<number> = new Set([
  400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422, 431,
])

/**
 * Whether a status blames the request itself, so that the service started nothing. Others, such as 408, may come from a
 * gateway at any stage.
 */
export function callsRequestWrong(status: number): boolean {
  return REQUEST_IS_WRONG.has(status)
}

/** `{`, `}`, and the whitespace of JSON. */
const [OPENS, CLOSES, BLANKS] = [0x7b, 0x7d, [0x20, 0x09, 0x0a, 0x0d]] as const

/**
 * Whether the end of an envelope is missing. If the end of the connection marks the end of a response, HTTP can't tell
 * a truncated response from a complete one. Looks only at the first and last bytes, because responses may be long.
 */
function isCutShort({ blocks }: RawResponse): boolean {
  const isSign = (byte: number): boolean => !BLANKS.some((blank) => blank === byte)
  const first = blocks[0]?.find(isSign)
  const last = blocks.findLast((block) => block.some(isSign))?.findLast(isSign)
  return first === OPENS && last !== CLOSES
}

/**
 * Whether a gateway gave up on the service, which may still be working. 520 to 527 are Cloudflare's. A response with an
 * envelope comes from the service itself.
 */
function isOfGateway(raw: RawResponse, isLegacy: boolean): boolean {
  const { status } = raw
  const isGatewayStatus = (status >= 502 && status <= 504) || (status >= 520 && status <= 527)
  return isGatewayStatus && !(isLegacy ? decodeLegacyEnvelope(raw) : decodeUserResponse(raw)).ok
}
