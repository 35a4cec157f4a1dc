/** The person's word on a record whose outcome waits for one. */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { type FieldEdit, pathType, sameValue, topField, valueAt } from '../../../shared/records/changes.ts'
import { fieldDefinition } from '../../../shared/records/definition.ts'
import { type Result, appError, err, ok } from '../../../shared/result.ts'
import type { JournalOperation, OperationFacts, OperationMove } from '../../store/journal/journal.ts'
import type { DraftState } from '../../store/drafts.ts'
import { type WritingContext, createMove, notFound, stay } from '../context.ts'
import { differencesFrom } from './compare.ts'
import { idOf, identityOf, isOnlyAnId } from './names.ts'
import { companyRefusal } from './payload.ts'
import type { CompanyQueue } from './queue.ts'
import { OTHER_VALUES } from './recheck.ts'
import { isKnownAs } from './recognition.ts'
import { savedDifferences } from './reconcile.ts'
import { canDrop } from './states.ts'
import { sentToPreviousService } from './uncertainty.ts'

/** The person's word on one operation (contract, `records.decide`). */
export type Decision =
  /** `dismissed`: the IDs of all records that were shown as possibly this one, and that the person says are not. */
  | { readonly what: 'send-again'; readonly dismissed?: readonly string[] }
  /** One of the records that may be this insert is it. */
  | { readonly what: 'claim'; readonly recordId: string }
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
  const [operation] = context.store.journal.operations.byIds([operationId])
  if (operation === undefined) throw notFound('This record')
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
      if (operation.elsewhere !== '') return err(sentToPreviousService(operation.elsewhere))
      const refusal = companyRefusal(context.directory.facts(operation.company))
      if (refusal !== null) return err(refusal)
      const said = new Set(decision.dismissed)
      if (!operation.candidates.every((record) => said.has(idOf(record)))) return err(MAY_BE_THERE)
      // A record of which only the ID is known was not seen: it is shown once it can be read.
      const [unread, read] = partition(operation.candidates, isOnlyAnId)
      const dismissed = [...new Set([...operation.dismissed, ...read.map(identityOf)])]
      const facts: OperationFacts = { sendAgain: true, error: null, dismissed, candidates: unread }
      operations.move([stay(operation, facts)], null)
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
        // The record that it was taken for is nobody's again: it may be another insert's.
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

function partition<T>(all: readonly T[], is: (each: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(is), all.filter((each) => !is(each))]
}

const MAY_BE_THERE = appError(
  'invalid-input',
  'Records were added that may be this one, so sending it again could create a duplicate.',
  'Compare them first. Choose the one that is yours, or confirm that none of them is.',
)

/** The insert is that record: saved, or a choice field by field where it has other values than were sent. */
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
  const { manners } = context.store.journal
  const others = manners.knownRecords(operation.company, operation.object, [operation.operationId])
  const known = others.get(recordId)
  if (isKnownAs(known, record) && known.since === '') {
    return err(
      appError(
        'invalid-input',
        'This record belongs to another insert that was confirmed.',
        'Choose another.',
      ),
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
  return err(appError('invalid-input', 'This record’s outcome has changed meanwhile.', 'Look at it again.'))
}

// The person's word on a conflict: per field theirs or yours, and the draft that is left of it.

/**
 * @param choices per path of the conflict whose value stands; a path that is left out keeps yours
 * @returns the draft on the record as it is now, or `null` when nothing of ours is left
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
        'Discard this one, and look in the accounting application.',
      ),
    )
  }
  const wanted = new Map(operation.edits.map((edit) => [edit.path, edit.now]))
  for (const { path, yours } of operation.conflicts) {
    if (Object.hasOwn(choices, path) && choices[path] === 'theirs') wanted.delete(path)
    else wanted.set(path, yours)
  }
  const edits = [...wanted].flatMap(([path, now]): FieldEdit[] => {
    const was = valueAt(object, theirs, path)
    return sameValue(pathType(object, path), was, now) ? [] : [{ path, was, now }]
  })
  const fixed = edits.find(({ path }) => fieldDefinition(object, topField(path)).editable === 'insert-only')
  if (fixed !== undefined) {
    const { label } = fieldDefinition(object, topField(fixed.path))
    return err(
      appError(
        'invalid-input',
        `“${label}” can only be given when a record is new, and this one is in the books by now.`,
        'Choose theirs for it. Correct it in the accounting application if it is wrong.',
      ),
    )
  }
  if (edits.length === 0) return ok(null)
  return ok({
    draftId: operation.draftId,
    company: operation.company,
    object,
    // What was found of an insert is a record by now: the rest is a change of it.
    kind: 'change',
    recordId: idOf(theirs),
    before: theirs,
    edits,
    changedAt,
  })
}
