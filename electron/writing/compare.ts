/**
 * What came back against what was sent, field by field in canonical form. What the application filled in by itself
 * is news and no difference.
 */
import {
  isEmpty,
  memberOf,
  pathType,
  sameValue,
  textOf,
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
 * Whether an answered record is silent about something that was sent: it may be a short answer, which proves nothing
 * about that field. A field that was emptied may be left out (specification 2.1: "fields with no value may be …
 * omitted"), but only by an answer that holds everything else that had a value.
 * @param before the record as it was read; empty for a new one
 */
export function isSilentAbout(edits: readonly FieldEdit[], record: RecordData, before: RecordData): boolean {
  const touched = new Set(edits.map((edit) => topField(edit.path)))
  const isShort = lacksValues(before, record, (field) => touched.has(field))
  return edits.some((edit) => {
    const top = topField(edit.path)
    const member = memberOf(edit.path)
    if (!Object.hasOwn(record, top)) return isShort || !isEmpty(edit.now)
    const value = record[top]
    if (member === null || !isObject(value) || Object.hasOwn(value, member)) return false
    if (!isEmpty(edit.now)) return true
    const was = before[top]
    const isTouched = (name: string): boolean => edits.some(({ path }) => path === `${top}.${name}`)
    return isShort || (isObject(was) && lacksValues(was, value, isTouched))
  })
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Whether something that had a value, and that nobody touched, is left out. */
function lacksValues(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  isTouched: (name: string) => boolean,
): boolean {
  return Object.entries(before).some(
    ([name, value]) => !isTouched(name) && hasValue(value) && !Object.hasOwn(after, name),
  )
}

/** An address whose parts are all empty has none. */
function hasValue(value: unknown): boolean {
  return isObject(value) ? Object.values(value).some(hasValue) : textOf(value) !== ''
}
