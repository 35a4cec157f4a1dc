/** Applies the user's decision about an operation. */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Decision } from '../../../shared/contract/records.ts'
import { type FieldEdit, pathType, sameValue, topField, valueAt } from '../../../shared/records/changes.ts'
import { fieldDefinition } from '../../../shared/records/definition.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import type { DraftState } from '../../store/drafts.ts'
import type { JournalOperation, OperationFacts, OperationMove } from '../../store/journal/journal.ts'
import { notFoundError, type WritingContext } from '../context.ts'
import { companyRefusal } from '../context.ts'
import { differencesFrom } from './compare.ts'
import type { CompanyQueue } from './queue.ts'
import { OTHER_VALUES } from './recheck.ts'
import { identityOf, idOf, isKnownAs, isOnlyAnId, savedDifferences } from './recognition.ts'
import { canDrop, createFactsUpdate, createMove, sentToPreviousServiceError } from './states.ts'

/** Applies a decision and resumes the company's queue. Refused if the outcome has changed in the meantime. */
export function decide(
  context: WritingContext,
  queueOf: (company: CompanyRef) => CompanyQueue,
  operationId: string,
  decision: Decision,
): Result<void> {
  const [operation] = context.store.journal.operations.byIds([operationId])
  if (operation === undefined) throw notFoundError('This record')
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
  // Whoever edits the record again has seen the outcome of the last change.
  if (decision.what === 'seen' && state === 'acked' && operation.isClosed) return ok(undefined)
  if (operation.isClosed) return changedMeanwhile()
  switch (decision.what) {
    case 'send-again': {
      if (state !== 'held') return changedMeanwhile()
      if (operation.previousService !== '') return err(sentToPreviousServiceError(operation.previousService))
      const refusal = companyRefusal(context.directory.facts(operation.company))
      if (refusal !== null) return err(refusal)
      const shownIds = new Set(decision.dismissed)
      if (!operation.candidates.every((record) => shownIds.has(idOf(record)))) return err(MAY_BE_THERE)
      // The user hasn't seen a record of which only the ID is known. It is shown once it can be read.
      const [unread, read] = partition(operation.candidates, isOnlyAnId)
      const dismissed = [...new Set([...operation.dismissed, ...read.map(identityOf)])]
      const facts: OperationFacts = { sendAgain: true, error: null, dismissed, candidates: unread }
      operations.move([createFactsUpdate(operation, facts)], null)
      return ok(undefined)
    }
    case 'claim': {
      if (state !== 'held') return changedMeanwhile()
      const claimed = claim(context, operation, decision.recordId)
      if (!claimed.ok) return claimed
      operations.move([claimed.value], null)
      return ok(undefined)
    }
    case 'discard':
      if (!canDrop(state) && state !== 'rejected') return changedMeanwhile()
      if (operation.kind === 'insert' && state === 'conflict') {
        // The record that was matched is free again. It may belong to another insert.
        operations.note(operationId, { recordId: '' })
      }
      operations.end([{ operationId, from: state, draft: 'remove' }])
      return ok(undefined)
    case 'choose': {
      if (state !== 'conflict') return changedMeanwhile()
      const draft = draftAfterChoice(operation, decision.choices, context.timestamp())
      if (!draft.ok) return draft
      operations.end([{ operationId, from: state, draft: draft.value ?? 'remove' }])
      return ok(undefined)
    }
    case 'seen':
      if (state !== 'acked') return changedMeanwhile()
      operations.end([{ operationId, from: state, draft: 'remove' }])
      return ok(undefined)
  }
}

const MAY_BE_THERE = appError(
  'invalid-input',
  'Records were added that may be this one, so sending it again could create a duplicate.',
  'Compare them first. Choose the one that is yours, or confirm that none of them is.',
)

/** Takes that record as the insert. If its values differ, the user chooses field by field. */
function claim(
  context: WritingContext,
  operation: JournalOperation,
  recordId: string,
): Result<OperationMove> {
  const record = operation.candidates.find((each) => idOf(each) === recordId)
  if (record === undefined) return changedMeanwhile()
  if (isOnlyAnId(record)) {
    return err(
      appError(
        'invalid-input',
        `The record with ID ${recordId} is not in the list yet.`,
        'Check again later, or look in the accounting application.',
      ),
    )
  }
  const { writePolicies } = context.store.journal
  const others = writePolicies.knownRecords(operation.company, operation.object, [operation.operationId])
  const known = others.get(recordId)
  if (isKnownAs(known, record) && known.since === '') {
    return err(
      appError('invalid-input', 'This record was already matched to another new record.', 'Choose another.'),
    )
  }
  const base = { recordId, candidates: [], error: null, settledAt: context.timestamp() }
  const conflicts = differencesFrom(operation, record)
  if (conflicts.length > 0) {
    return ok(
      createMove(operation, 'found-otherwise', { ...base, conflicts, theirs: record, error: OTHER_VALUES }),
    )
  }
  const notAsSent = savedDifferences(operation, record)
  const facts = { ...base, after: record, notAsSent, confirmedByReading: true, isKnownByName: true }
  return ok(createMove(operation, 'claimed', facts, notAsSent.length === 0))
}

function changedMeanwhile(): Result<never> {
  return err(appError('invalid-input', 'This record has a new outcome.', 'Check it again.'))
}

/**
 * Creates the draft that is left after a conflict was resolved.
 * @param choices whose value to keep, by path of the conflict; a path that is left out keeps yours
 * @returns the draft on top of the current record, or `null` if nothing of ours is left
 * @internal
 */
export function draftAfterChoice(
  operation: JournalOperation,
  choices: Readonly<Record<string, 'theirs' | 'yours'>>,
  changedAt: string,
): Result<DraftState | null> {
  const { theirs, object } = operation
  if (theirs === null) {
    return err(
      appError(
        'invalid-input',
        'There is no single record to choose from.',
        'Discard this one and check the accounting application.',
      ),
    )
  }
  const wanted = new Map(operation.edits.map((edit) => [edit.path, edit.now]))
  for (const { path, yours } of operation.conflicts) {
    if (Object.hasOwn(choices, path) && choices[path] === 'theirs') wanted.delete(path)
    else wanted.set(path, yours)
  }
  const before = new Map(operation.edits.map((edit) => [edit.path, edit]))
  const edits = [...wanted].flatMap(([path, now]): FieldEdit[] => {
    const was = valueAt(object, theirs, path)
    const { keeps, balance } = before.get(path) ?? {}
    const edit = { path, was, now, keeps, balance }
    return sameValue(pathType(object, path), was, now) ? [] : [edit]
  })
  const fixed = edits.find(({ path }) => fieldDefinition(object, topField(path)).editable === 'insert-only')
  if (fixed !== undefined) {
    const { label } = fieldDefinition(object, topField(fixed.path))
    return err(
      appError(
        'invalid-input',
        `“${label}” can be set only on a new record, and this one is already in the books.`,
        'Choose theirs for it. Correct it in the accounting application if it is wrong.',
      ),
    )
  }
  if (edits.length === 0) return ok(null)
  return ok({
    draftId: operation.draftId,
    company: operation.company,
    object,
    // The record of an insert exists by now, so what is left is a change.
    kind: 'change',
    recordId: idOf(theirs),
    before: theirs,
    edits,
    changedAt,
  })
}

function partition<T>(all: readonly T[], is: (each: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(is), all.filter((each) => !is(each))]
}
