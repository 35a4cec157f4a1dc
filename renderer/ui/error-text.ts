/** An `AppError` as lines for **Details** and as text for a support mail. */
import type { AppError } from '../../shared/result.ts'

/** What there is to show of an error: nothing where the person said no themselves. */
export function errorToShow(error: AppError): AppError | null {
  return error.kind === 'declined' ? null : error
}

export interface ErrorFact {
  readonly name: string
  readonly value: string
}

/** The technical particulars that are there, in the order in which support asks for them. */
export function errorFacts({ kind, details }: AppError): readonly ErrorFact[] {
  // Without either, nothing came from the service: the words are the system's.
  const isAnswer = details.requestId !== undefined || details.status !== undefined
  const facts: (ErrorFact | null)[] = [
    { name: 'Kind', value: kind },
    details.code === undefined ? null : { name: 'Code', value: details.code },
    details.status === undefined ? null : { name: 'HTTP status', value: String(details.status) },
    details.requestId === undefined ? null : { name: 'RequestId', value: details.requestId },
    details.raw === undefined || details.raw === ''
      ? null
      : { name: isAnswer ? 'The service’s words' : 'In technical words', value: details.raw },
    details.more === undefined || details.more.length === 0
      ? null
      : { name: 'More', value: details.more.join('\n') },
  ]
  return facts.filter((fact) => fact !== null)
}

/** What **Copy for support** puts on the clipboard; `at` is when it was copied. Holds no key, token or record. */
export function errorForSupport(error: AppError, at: Date): string {
  const lines = errorFacts(error).map((fact) => `${fact.name}: ${fact.value}`)
  return [`Bookbridge, ${at.toISOString()}`, error.message, error.advice, ...lines].filter(Boolean).join('\n')
}
