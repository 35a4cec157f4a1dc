/** What a person can do about a row's outcome, by the words on the button. */
import type { RowOutcome } from './row-outcome.ts'

export type OutcomeAction =
  | { readonly what: 'check-now'; readonly label: 'Check now'; readonly operationId: string }
  | { readonly what: 'send-again'; readonly label: 'Send again'; readonly operationId: string }
  | { readonly what: 'discard'; readonly label: 'Discard'; readonly operationId: string }
  /** Opens the callout: the reason, or whose values stand. */
  | { readonly what: 'show'; readonly label: 'Why' | 'Choose' | 'Show' }

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
      const { operationId, conflicts, error } = outcome.operation
      return [
        { what: 'show', label: conflicts.length > 0 ? 'Choose' : 'Show' },
        // What looking found may leave nothing to choose from: gone, twice, or there before.
        ...(error === null ? [] : [{ what: 'discard', label: 'Discard', operationId } as const]),
      ]
    }
    case 'unconfirmed':
      return [{ what: 'check-now', label: 'Check now', operationId: outcome.operation.operationId }]
    case 'held': {
      const { operationId } = outcome.operation
      return [
        { what: 'send-again', label: 'Send again', operationId },
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
