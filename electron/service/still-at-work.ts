/**
 * Whether the service may still be at work on a request that has ended here, and until when (decisions.md, "one
 * request at a time"). Decides only; `scheduler.ts` keeps the lane shut that long.
 */
import { decodeEnvelope, decodeLegacyEnvelope } from './envelope.ts'
import type { Exchange } from './exchange.ts'
import { busyError } from './waiting.ts'
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

/**
 * Until when something may be at work out there, in milliseconds since 1970; `null` where nothing is.
 *
 * A write whose connection was cut, or that a gateway answered in the service's place, may be at work until its own
 * deadline. A read in the same place gets the settling pause alone, from now on: it changes nothing, and to wait
 * minutes before each further try would make every flicker of a line an outage. An answer that asks to wait names the
 * wait itself, and took nothing on.
 */
export function atWorkUntil({ result, isWrite, isLegacy, deadlineAt, now }: EndedRequest): number | null {
  if (result.came) {
    if (!isWrite && busyError(result.raw.status, result.retryAfter) !== null) return null
    return isOfGateway(result.raw, isLegacy) ? doubtful(isWrite, deadlineAt, now) : null
  }
  // A redirect is an answer: it came instead of the work.
  if (result.nothingLeft || result.error.kind === 'redirected') return null
  // An answer past the cap had begun, and it was we who hung up.
  return result.error.kind === 'too-large' ? now : doubtful(isWrite, deadlineAt, now)
}

function doubtful(isWrite: boolean, deadlineAt: number, now: number): number {
  return isWrite ? Math.max(now, deadlineAt) : now
}

/**
 * A gateway in between says with these, on a page of its own, that it gave up: what is behind it may go on. 520 to 527
 * are those of a well-known one. With an envelope it is the service that speaks.
 */
function isOfGateway(raw: RawAnswer, isLegacy: boolean): boolean {
  const { status } = raw
  const isGatewayStatus = (status >= 502 && status <= 504) || (status >= 520 && status <= 527)
  return isGatewayStatus && !(isLegacy ? decodeLegacyEnvelope(raw) : decodeEnvelope(raw)).ok
}
