/** What a person can do about a row's outcome, by the words on the button. */
import { canChoose, type RowOutcome } from './row-outcome.ts'

export type OutcomeAction =
  | { readonly what: 'check-now'; readonly label: 'Check now'; readonly operationId: string }
  | { readonly what: 'send-again'; readonly label: 'Send again'; readonly operationId: string }
  | { readonly what: 'discard'; readonly label: 'Discard'; readonly operationId: string }
  /** Opens the callout: the reason, whose values stand, or which record it is. */
  | { readonly what: 'show'; readonly label: 'Why' | 'Choose' | 'Show' | 'Send again…' }

/** The actions of an outcome, in the order in which they stand. */
export function outcomeActions(outcome: RowOutcome): readonly OutcomeAction[] {
  switch (outcome.kind) {
    case 'refused':
      return [{ what: 'show', label: 'Why' }]
    case 'saved-otherwise':
      return [{ what: 'show', label: 'Show' }]
    case 'underneath':
      return [{ what: 'show', label: 'Choose' }]
    case 'meanwhile': {
      const { operationId, error } = outcome.operation
      return [
        { what: 'show', label: canChoose(outcome.operation) ? 'Choose' : 'Show' },
        ...(error === null ? [] : [{ what: 'discard', label: 'Discard', operationId } as const]),
      ]
    }
    case 'unconfirmed':
      return [{ what: 'check-now', label: 'Check now', operationId: outcome.operation.operationId }]
    case 'held': {
      const { operationId, candidates } = outcome.operation
      return [
        // Records that may be this one are compared first.
        candidates.length > 0
          ? { what: 'show', label: 'Send again…' }
          : { what: 'send-again', label: 'Send again', operationId },
        { what: 'discard', label: 'Discard', operationId },
      ]
    }
    case 'none':
    case 'draft':
    case 'new':
    case 'changes-back':
    case 'problem':
    case 'queued':
    case 'sending':
    case 'saved':
      return []
  }
}

/** Whether a callout has something to say about it. */
export function hasCallout(outcome: RowOutcome): boolean {
  return ['refused', 'saved-otherwise', 'underneath', 'meanwhile', 'unconfirmed', 'held'].includes(
    outcome.kind,
  )
}
