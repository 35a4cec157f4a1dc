/** The person's word on a conflict: per field theirs or yours, and the draft that is left of it. */
import { pathType, sameValue, topField, valueAt, type FieldEdit } from '../../shared/records/changes.ts'
import { fieldDefinition } from '../../shared/records/definition.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import type { JournalOperation } from '../store/journal.ts'
import type { DraftState } from '../store/store.ts'
import { idOf } from './names.ts'

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
