/** What to try when a company refuses or stays silent: after **Test company**, and where a list or a report would be. */
import { isDesktop } from '../../shared/applications.ts'
import type { ErrorKind } from '../../shared/result.ts'

/**
 * In the order in which they are quickest to look at. Nothing when the service itself was not reached, asked to wait
 * or refused the key: that is not about this company's books, and the error says what to do.
 * @param application its short code
 */
export function whatToTry(application: string, kind: ErrorKind): readonly string[] {
  if (NOT_THE_BOOKS.has(kind)) return []
  return isDesktop(application) ? DESKTOP : ONLINE
}

/** The same for a list or a report that was not given: only where the company's books could not be reached. */
export function whatToTryToReach(application: string, kind: ErrorKind): readonly string[] {
  return kind === 'timed-out' || kind === 'company-unavailable' ? whatToTry(application, kind) : []
}

const NOT_THE_BOOKS: ReadonlySet<ErrorKind> = new Set([
  'unauthorised',
  'unreachable',
  'redirected',
  'malformed-response',
  'busy',
])

const DESKTOP = [
  'Is the machine on, and is somebody logged in?',
  'Is the agent running there, with this company’s token?',
  'Is this company’s file open, or none at all?',
  'Is a dialog open in the application? It may be behind other windows.',
] as const

const ONLINE = [
  'Can you log in to the application yourself, and open these books?',
  'Was the authorisation withdrawn, or has the subscription ended?',
] as const
