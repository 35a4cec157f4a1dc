/** The person's word on a record whose outcome waits for one. */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import type { JournalOperation, OperationFacts } from '../store/journal.ts'
import type { CompanyQueue } from './company-queue.ts'
import { draftAfterChoice } from './conflict-choice.ts'
import { notFound, stay, type WritingContext } from './context.ts'
import { sentElsewhere } from './elsewhere.ts'
import { canDrop } from './states.ts'
import { companyRefusal } from './validate.ts'

/** The person's word on one operation (contract, `records.decide`). */
export type Decision =
  | { readonly what: 'send-again' }
  | { readonly what: 'discard' }
  | { readonly what: 'choose'; readonly choices: Readonly<Record<string, 'theirs' | 'yours'>> }
  | { readonly what: 'seen' }

/** Applies it, and lets the company's queue go on. Refused when the outcome has changed meanwhile. */
export function decide(
  context: WritingContext,
  queueOf: (company: CompanyRef) => CompanyQueue,
  operationId: string,
  decision: Decision,
): Result<void> {
  const found = context.store.journal.operations.byIds([operationId])
  if (!found.ok) return found
  const [operation] = found.value
  if (operation === undefined) return notFound('This record')
  const decided = applyDecision(context, operation, decision)
  if (!decided.ok) return decided
  context.changed(operation.company, operation.object, [operationId], operation.batchId)
  queueOf(operation.company).wake()
  return ok(undefined)
}

function applyDecision(
  context: WritingContext,
  operation: JournalOperation,
  decision: Decision,
): Result<void> {
  const { operations } = context.store.journal
  const { operationId, state } = operation
  // Who typed into the record anew has seen what became of the last change (`drafts.ts`).
  if (decision.what === 'seen' && state === 'acked' && operation.isClosed) return ok(undefined)
  if (operation.isClosed) return changedMeanwhile()
  switch (decision.what) {
    case 'send-again': {
      if (state !== 'held') return changedMeanwhile()
      if (operation.elsewhere !== '') return err(sentElsewhere(operation.elsewhere))
      const refusal = companyRefusal(context.directory.facts(operation.company))
      if (refusal !== null) return err(refusal)
      const facts: OperationFacts = { sendAgain: true, error: null }
      return operations.move([stay(operation, facts)], null)
    }
    case 'discard':
      if (!canDrop(state) && state !== 'rejected') return changedMeanwhile()
      return operations.end([{ operationId, from: state, draft: 'remove' }])
    case 'choose': {
      if (state !== 'conflict') return changedMeanwhile()
      const draft = draftAfterChoice(operation, decision.choices, context.timestamp())
      if (!draft.ok) return draft
      return operations.end([{ operationId, from: state, draft: draft.value ?? 'remove' }])
    }
    case 'seen':
      if (state !== 'acked') return changedMeanwhile()
      return operations.end([{ operationId, from: state, draft: 'remove' }])
  }
}

function changedMeanwhile(): Result<never> {
  return err(appError('invalid-input', 'This record’s outcome has changed meanwhile.', 'Look at it again.'))
}
