/** How long to wait before a read is tried again. */
import { appError, type AppError } from '../../../shared/result.ts'

/** The service may ask to wait so many milliseconds; above it, the person is told instead. */
export const LONGEST_RETRY_AFTER = 5 * 60 * 1_000

const FIRST_WAIT = 2_000
const LONGEST_WAIT = 60_000

/**
 * Full jitter in milliseconds: anything between the first wait and a ceiling that doubles.
 * @param tried how often it was tried so far
 * @param random 0 ≤ n < 1
 */
export function jitter(tried: number, random: () => number): number {
  const ceiling = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** tried)
  return FIRST_WAIT + random() * (ceiling - FIRST_WAIT)
}

/**
 * 429 always asks to wait, and so does 503 with a `Retry-After`. Without one a 503 may explain itself in an envelope
 * (decisions.md, "HTTP status codes"): see `bareBusyError`.
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
  const message = wait === null ? 'The service asks to wait a while.' : `The service asks to wait ${minutes}.`
  return { wait, error: busyIn(message, status) }
}

function busyIn(message: string, status: number): AppError {
  return appError('busy', message, 'Nothing is wrong with your key or the books. Try again later.', {
    status,
    code: `HTTP ${String(status)}`,
  })
}

/** A 503 that said nothing else: neither how long to wait nor, in an envelope, why. `null` for any other error. */
export function bareBusyError({ details }: AppError): AppError | null {
  return details.code === 'HTTP 503' ? busyIn('The service asks to wait a while.', 503) : null
}

/** `Retry-After` in seconds or as a date, in milliseconds from `now`. */
export function retryAfterMilliseconds(value: string, now: number): number | null {
  const text = value.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
