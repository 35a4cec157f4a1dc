/**
 * Outcomes as values. Everything that can fail at a seam (wire, IPC, files, keychain, store) answers a
 * `Result`; exceptions are for defects.
 */

/** Either a value or an error, told apart by `ok`. */
export type Result<T, E = AppError> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E }

/** What kind of thing went wrong. Closed, so that every screen can decide on all of them. */
export const ERROR_KINDS = [
  /** Input that we refuse before anything is sent. */
  'invalid-input',
  /** The service refused the key (decisions.md, "HTTP status codes"). */
  'unauthorised',
  /** No connection could be made: refused, unknown host. */
  'unreachable',
  /** The certificate of the address is not trusted by this computer. */
  'untrusted-certificate',
  /** The office's proxy did not let the request through; asking again changes nothing. */
  'proxy-refused',
  /** No whole answer before the deadline. */
  'timed-out',
  /** The connection ended in the middle. */
  'dropped',
  /** What came back is not the service's envelope. */
  'malformed-response',
  /** The answer is larger than the cap. */
  'too-large',
  /** The address answered with a redirect; the key is sent nowhere else. */
  'redirected',
  /** 429 or 503: the service asks to wait, longer than we do by ourselves. */
  'busy',
  /** The service answered with an error of its own (envelope errors, or a status without one). */
  'service-error',
  /** The company's books could not be reached: agent, machine, file. */
  'company-unavailable',
  /** Stopped by the person before it was done. */
  'stopped',
  /** The person said no in a dialog of the main process; nothing is to be said about it. */
  'declined',
  /** The address or the key of the connection was changed while it waited its turn; nothing was sent. */
  'connection-changed',
  /** The queue is paused (key refused, or paused by the person). */
  'paused',
  /** The books are locked against writing on this computer. */
  'read-only',
  /** The computer's keychain could not be used. */
  'keychain',
  /** A file or folder could not be read or written. */
  'file',
  /** The store on disk could not be read or written; nothing is sent that cannot be journalled. */
  'store',
  /** What was asked for is no longer held (a list that was closed, a batch that ended). */
  'not-found',
  /** A defect of ours. */
  'internal',
] as const

export type ErrorKind = (typeof ERROR_KINDS)[number]

/** Technical particulars shown under **Details**, never a secret or a record. */
export interface ErrorDetails {
  /** The code as the service or system gave it, e.g. `3100` or `ECONNREFUSED`. */
  readonly code?: string
  /** HTTP status, when there was an answer. */
  readonly status?: number
  /** The service's or system's own words, redacted. */
  readonly raw?: string
  /** The service's id of the request, for its support. */
  readonly requestId?: string
  /** Given where the older service said it. */
  readonly service?: 'v1'
  /** Of a write in doubt: why looking for it afterwards could not tell either, in a sentence. */
  readonly look?: string
  /** Only a warning: what was asked for was done, not quite as it was asked. */
  readonly isWarning?: true
  /** Further codes and texts, when there was more than one. */
  readonly more?: readonly string[]
}

/** An error in a bookkeeper's words: what happened, and what to do about it. */
export interface AppError {
  readonly kind: ErrorKind
  /** One sentence: what happened. */
  readonly message: string
  /** What to do, in a sentence or two; may be empty where nothing can be done. */
  readonly advice: string
  readonly details: ErrorDetails
}

export function ok<T>(value: T): Result<T, never> {
  return { ok: true, value }
}

export function err<E>(error: E): Result<never, E> {
  return { ok: false, error }
}

/** Makes an `AppError`; `details` may be left out. */
export function appError(
  kind: ErrorKind,
  message: string,
  advice = '',
  details: ErrorDetails = {},
): AppError {
  return { kind, message, advice, details }
}

/** What a caught exception says of itself, for `details.raw`: its message, or the thrown value as text. */
export function causeText(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** Ends a `switch` over a closed union: the compiler proves that it is never reached. */
export function assertNever(value: never): never {
  throw new Error(`Not a known case: ${JSON.stringify(value)}`)
}
