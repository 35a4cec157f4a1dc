/**
 * Whether a request that has ended here leaves its lane shut, until when, and why (decisions.md, "one request at a
 * time"). Decides only; `scheduler.ts` keeps the lane shut that long.
 */
import { decodeLegacyEnvelope, decodeUserAnswer } from './envelope.ts'
import type { Exchange } from './exchange.ts'
import { isLegacyTrouble } from './legacy-answers.ts'
import { saysNotReached } from './service-errors.ts'
import { busyError, LONGEST_RETRY_AFTER } from './waiting.ts'
import type { RawAnswer } from './wire.ts'

/** What is known of a request when it has ended. */
export interface EndedRequest {
  readonly result: Exchange
  readonly isWrite: boolean
  /** It went to the older service. */
  readonly isLegacy: boolean
  /** Milliseconds since 1970. */
  readonly deadlineAt: number
  readonly now: number
}

/** Until when, in milliseconds since 1970, nothing else may leave. */
export type Rest =
  /** Something may be `at-work` out there; the settling pause comes on top. */
  | { readonly because: 'at-work'; readonly until: number }
  /** The service asks to wait so long, and took nothing on. */
  | { readonly because: 'asked'; readonly until: number }

/**
 * `null` where nothing is at work and nothing was asked for.
 *
 * A request whose connection was cut, or that was answered by something that is not the service's answer (a gateway's
 * page, half an envelope, and to a write any page), may be at work until its own deadline, read or write. So may a
 * write that was answered by an error of the whole request: the service may have given up an agent that goes on. An
 * answer proves that nothing runs when its status calls the request itself wrong, when it refuses the key, when it
 * tells of single records, or when all of its errors say that the company file was not reached. An answer that asks to wait names the wait itself.
 */
export function restAfter({ result, isWrite, isLegacy, deadlineAt, now }: EndedRequest): Rest | null {
  if (result.came) {
    const { raw, retryAfter } = result
    const busy = busyError(raw.status, retryAfter, now)
    const asked = askedWait(busy?.wait ?? 0)
    if (!isWrite) {
      if (busy === null) {
        const isLost = isOfGateway(raw, isLegacy) || isCutShort(raw)
        return isLost ? atWork(Math.max(now, deadlineAt)) : null
      }
      return asked === 0 ? null : { because: 'asked', until: now + asked }
    }
    const until = afterWrite(raw, isLegacy, deadlineAt, now)
    if (asked > 0 && now + asked > (until ?? 0)) return { because: 'asked', until: now + asked }
    return until === null ? null : atWork(until)
  }
  // A redirect is an answer: it came instead of the work.
  if (result.nothingLeft || result.error.kind === 'redirected') return null
  // An answer past the cap, or one to a read that can't be unpacked, had begun, and it was we who hung up.
  const { kind } = result.error
  if (kind === 'too-large' || (kind === 'malformed-response' && !isWrite)) return atWork(now)
  return atWork(Math.max(now, deadlineAt))
}

function atWork(until: number): Rest {
  return { because: 'at-work', until }
}

/**
 * Of the milliseconds that the service asks to wait, those that are waited for: none where it is longer than we wait by
 * ourselves, since the person is told, and asks again when they want to.
 */
function askedWait(wait: number): number {
  return wait > LONGEST_RETRY_AFTER ? 0 : wait
}

/** Until when a write that was answered may be at work; `null` where its answer is the end of it. */
function afterWrite(raw: RawAnswer, isLegacy: boolean, deadlineAt: number, now: number): number | null {
  const untilDeadline = Math.max(now, deadlineAt)
  // Too many requests: this one was not begun, but what it would have gone beside may be at work.
  if (raw.status === 429) return now
  if (isLegacy) {
    const legacy = decodeLegacyEnvelope(raw)
    if (legacy.ok) {
      const isTrouble = isLegacyTrouble(legacy.value) && !callsRequestWrong(raw.status)
      return isTrouble ? untilDeadline : null
    }
  } else {
    const answer = decodeUserAnswer(raw)
    if (answer.ok) {
      const trouble = answer.value.errors.filter(({ severity }) => !/^(?:warn|info)/i.test(severity))
      if (trouble.length === 0 || raw.status === 401 || raw.status === 403) return null
      const isProven = callsRequestWrong(raw.status) || answer.value.items.length > 0
      return isProven || trouble.every(saysNotReached) ? now : untilDeadline
    }
  }
  return callsRequestWrong(raw.status) ? null : untilDeadline
}

const REQUEST_IS_WRONG: ReadonlySet<number> = new Set([
  400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422, 431,
])

/**
 * Whether a status calls the request itself wrong, so that nothing was begun. Others, as 408 and 429, may be said by
 * whatever stands in between, at any stage.
 */
export function callsRequestWrong(status: number): boolean {
  return REQUEST_IS_WRONG.has(status)
}

/** `{`, `}`, and what JSON takes for blank. */
const [OPENS, CLOSES, BLANKS] = [0x7b, 0x7d, [0x20, 0x09, 0x0a, 0x0d]] as const

/**
 * An envelope that has no end. Where a connection's end is the answer's end, HTTP can't tell a cut one from a whole
 * one. Only both ends are looked at: the whole may be long.
 */
function isCutShort({ blocks }: RawAnswer): boolean {
  const isSign = (byte: number): boolean => !BLANKS.some((blank) => blank === byte)
  const first = blocks[0]?.find(isSign)
  const last = blocks.findLast((block) => block.some(isSign))?.findLast(isSign)
  return first === OPENS && last !== CLOSES
}

/**
 * A gateway in between says with these, on a page of its own, that it gave up: what is behind it may go on. 520 to 527
 * are those of a well-known one. With an envelope it is the service that speaks.
 */
function isOfGateway(raw: RawAnswer, isLegacy: boolean): boolean {
  const { status } = raw
  const isGatewayStatus = (status >= 502 && status <= 504) || (status >= 520 && status <= 527)
  return isGatewayStatus && !(isLegacy ? decodeLegacyEnvelope(raw) : decodeUserAnswer(raw)).ok
}
