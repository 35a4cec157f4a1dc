/** The journal's line of an answer that may hold a token: its outcome, never its text. */
import type { WriteAnswer } from '../service/wire.ts'
import type { RequestAnswer } from '../store/journal.ts'
import type { WritingContext } from './context.ts'

/** What is kept of the answer to a provisioning, a de-provisioning or a user creation. */
export function requestAnswer<T extends { readonly status: number }>(
  context: Pick<WritingContext, 'timestamp'>,
  requestKey: string,
  answer: WriteAnswer<T>,
): RequestAnswer {
  const isAnswered = answer.outcome === 'answered'
  const requestId = isAnswered && 'requestId' in answer.envelope ? String(answer.envelope.requestId) : ''
  return {
    requestKey,
    answeredAt: context.timestamp(),
    outcome: answer.outcome,
    status: isAnswered ? answer.envelope.status : (answer.error.details.status ?? null),
    requestId: isAnswered ? requestId : (answer.error.details.requestId ?? ''),
    error: isAnswered ? null : answer.error,
    text: null,
    toldIds: [],
    items: [],
  }
}
