/** What to try when a company refuses or stays silent (ux.md, **Test company**). */
import type { CompanyTest } from '../companies.svelte.ts'
import type { ErrorKind } from '../../../shared/result.ts'
import { isDesktop } from '../wizard/steps.ts'

/**
 * In the order in which they are quickest to look at. Nothing when the service itself was not reached, asked to wait
 * or refused the key: that is not about this company's books, and the error says what to do.
 */
export function whatToTry(application: string, kind: ErrorKind): readonly string[] {
  if (NOT_THE_BOOKS.has(kind)) return []
  return isDesktop(application) ? DESKTOP : ONLINE
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

/** A test in one or two words, for the list. */
export function testWord(test: CompanyTest | null): string {
  if (test === null) return ''
  if (test.state === 'running') return 'Testing…'
  if (test.state === 'failed') return 'Not tested'
  return { answered: 'Answered', refused: 'Refused', silent: 'Silent' }[test.result.outcome]
}
