/** Formats an `AppError` for **Details** and for a support email. */
import { isDesktop } from '../../../shared/companies/companies.ts'
import type { AppError, ErrorKind } from '../../../shared/result.ts'

/** The error to show; `null` if the user declined. */
export function errorToShow(error: AppError): AppError | null {
  return error.kind === 'declined' ? null : error
}

export interface ErrorFact {
  readonly name: string
  readonly value: string
}

/** The technical details, in the order in which support asks for them. */
export function errorFacts({ kind, details }: AppError): readonly ErrorFact[] {
  // Without either, the text is from the system, not from the service.
  const isAnswer = details.requestId !== undefined || details.status !== undefined
  const facts: (ErrorFact | null)[] = [
    { name: 'Kind', value: kind },
    details.code === undefined ? null : { name: 'Code', value: details.code },
    details.status === undefined ? null : { name: 'HTTP status', value: String(details.status) },
    details.requestId === undefined ? null : { name: 'RequestId', value: details.requestId },
    details.raw === undefined || details.raw === ''
      ? null
      : { name: isAnswer ? 'What the service said' : 'Technical details', value: details.raw },
    details.more === undefined || details.more.length === 0
      ? null
      : { name: 'More', value: details.more.join('\n') },
  ]
  return facts.filter((fact) => fact !== null)
}

/** What **Copy for support** copies; `at` is the time of copying. Contains no key, token, or record. */
export function errorForSupport(error: AppError, at: Date): string {
  const lines = errorFacts(error).map((fact) => `${fact.name}: ${fact.value}`)
  return [`Bookbridge, ${at.toISOString()}`, error.message, error.advice, ...lines].filter(Boolean).join('\n')
}

/**
 * What to try when a company refuses or doesn't answer, quickest check first. Empty if the problem isn't with this
 * company's books, such as an unreachable service or a refused key. The error then says what to do.
 * @param application its short code
 */
export function whatToTry(application: string, kind: ErrorKind): readonly string[] {
  if (NOT_THE_BOOKS.has(kind)) return []
  return isDesktop(application) ? DESKTOP : ONLINE
}

/** The same for a list or report that could not be read, only if the company's books could not be reached. */
export function whatToTryToReach(application: string, kind: ErrorKind): readonly string[] {
  return kind === 'timed-out' || kind === 'company-unavailable' ? whatToTry(application, kind) : []
}

const NOT_THE_BOOKS: ReadonlySet<ErrorKind> = new Set([
  'unauthorized',
  'unreachable',
  'redirected',
  'malformed-response',
  'busy',
])

const DESKTOP = [
  'Is the computer on, and is someone signed in?',
  'Is the agent running there, with this company’s token?',
  'Is this company’s file open, and no other file?',
  'Is a dialog open in the application? It may be behind other windows.',
] as const

const ONLINE = [
  'Can you sign in to the application yourself and open these books?',
  'Was access withdrawn, or has the subscription ended?',
] as const
