/** Errors as values. Whatever can fail at a border (wire, IPC, files, keychain) returns a `Result`. Exceptions are defects. */

/** A value or an error, distinguished by `ok`. */
export type Result<T, E = AppError> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E }

/** The kinds of errors. A closed union, so that every screen can handle all of them. */
export const ERROR_KINDS = [
  /** Invalid input; nothing was sent. */
  'invalid-input',
  /** The service refused the key (decisions.md, "HTTP status codes"). */
  'unauthorized',
  /** No connection: refused, or unknown host. */
  'unreachable',
  /** This computer doesn't trust the address's certificate. */
  'untrusted-certificate',
  /** The office's proxy refused the request; retrying doesn't help. */
  'proxy-refused',
  /** No complete response within the time limit. */
  'timed-out',
  /** The connection ended before the response was complete. */
  'dropped',
  /** The response isn't the service's envelope. */
  'malformed-response',
  /** The response exceeds the size limit. */
  'too-large',
  /** The address redirected; the key is sent nowhere else. */
  'redirected',
  /** 429 or 503: the service asks to wait longer than Bookbridge retries. */
  'busy',
  /** The service answered with an error (in the envelope, or only a status). */
  'service-error',
  /** A change had an effect that no one asked for, so changes to its list are stopped. */
  'unexpected-effect',
  /** The company's books could not be reached: its agent, computer, or file. */
  'company-unavailable',
  /** The user stopped it. */
  'stopped',
  /** The user declined in a dialog of the main process; nothing is shown. */
  'declined',
  /** The connection's address or key changed while it waited; nothing was sent. */
  'connection-changed',
  /** The queue is paused (key refused, or paused by the user). */
  'paused',
  /** The books are locked against writing on this computer. */
  'read-only',
  /** The computer's keychain can't be used. */
  'keychain',
  /** A file or folder could not be read or written. */
  'file',
  /** The store could not be read or written; nothing is sent without a journal entry. */
  'store',
  /** It no longer exists, such as a closed list or an ended batch. */
  'not-found',
  /** A defect in Bookbridge. */
  'internal',
] as const

export type ErrorKind = (typeof ERROR_KINDS)[number]

/** Technical details, shown under **Details**. Never a secret or a record. */
export interface ErrorDetails {
  /** The service's or system's code, such as `3100` or `ECONNREFUSED`. */
  readonly code?: string
  /** The HTTP status, if there was a response. */
  readonly status?: number
  /** The service's or system's own words, redacted. */
  readonly raw?: string
  /** The service's ID of the request, for its support. */
  readonly requestId?: string
  /** Set if the error is from the older service. */
  readonly service?: 'v1'
  /** For an uncertain write: why checking for it didn't settle it, in a sentence. */
  readonly recheckReason?: string
  /** Only a warning: it was done, but not exactly as requested. */
  readonly isWarning?: true
  /** More codes and texts, if there was more than one. */
  readonly more?: readonly string[]
}

/** An error in a bookkeeper's words: what happened, and what to do. */
export interface AppError {
  readonly kind: ErrorKind
  /** One sentence: what happened. */
  readonly message: string
  /** What to do, in a sentence or two; empty if nothing can be done. */
  readonly advice: string
  readonly details: ErrorDetails
}

export function ok<T>(value: T): Result<T, never> {
  return { ok: true, value }
}

export function err<E>(error: E): Result<never, E> {
  return { ok: false, error }
}

/** Creates an `AppError`. */
export function appError(
  kind: ErrorKind,
  message: string,
  advice = '',
  details: ErrorDetails = {},
): AppError {
  return { kind, message, advice, details }
}

/** The message of a caught exception, or the thrown value as text, for `details.raw`. */
export function causeText(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** Ends a `switch` over a closed union. The compiler proves that it is never reached. */
export function assertNever(value: never): never {
  throw new Error(`Not a known case: ${JSON.stringify(value)}`)
}
