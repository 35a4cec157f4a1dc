/**
 * What came back against what was sent, field by field in canonical form. What the application filled in by itself
 * is news and no difference.
 */
import {
  isEmpty,
  memberOf,
  pathType,
  sameValue,
  topField,
  valueAt,
  type FieldEdit,
  type RecordData,
} from '../../shared/changes.ts'
import type { Difference } from '../../shared/contract/records.ts'

/** The paths on which the record is not as the edits say. */
export function differencesFrom(
  object: string,
  edits: readonly FieldEdit[],
  record: RecordData,
): readonly Difference[] {
  return edits
    .filter((edit) => !isAsSent(object, edit, record))
    .map((edit) => ({
      path: edit.path,
      asRead: edit.was,
      theirs: valueAt(object, record, edit.path),
      yours: edit.now,
    }))
}

export function isAsSent(object: string, edit: FieldEdit, record: RecordData): boolean {
  return sameValue(pathType(object, edit.path), valueAt(object, record, edit.path), edit.now)
}

/** Whether the record still says what it said before the edit. */
export function isAsBefore(object: string, edit: FieldEdit, record: RecordData): boolean {
  if (edit.was === null) return isEmpty(valueAt(object, record, edit.path))
  return sameValue(pathType(object, edit.path), valueAt(object, record, edit.path), edit.was)
}

/**
 * Whether an answered record is silent about something that was sent with a value: it may be a short answer, which
 * proves nothing about that field (specification 2.1: "fields with no value may be … omitted").
 */
export function isSilentAbout(edits: readonly FieldEdit[], record: RecordData): boolean {
  return edits.some((edit) => {
    if (isEmpty(edit.now)) return false
    const top = topField(edit.path)
    if (!Object.hasOwn(record, top)) return true
    const member = memberOf(edit.path)
    const value = record[top]
    return member !== null && typeof value === 'object' && value !== null && !Object.hasOwn(value, member)
  })
}
