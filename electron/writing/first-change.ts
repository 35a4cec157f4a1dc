/**
 * The first change of a connection, application and object goes alone and is read back: what was changed is changed
 * and nothing else is, or writing stops there (decisions.md, "payload of PATCH": all of it is an *Assumption*).
 */
import { topField, valueAt, type FieldEdit, type RecordData } from '../../shared/changes.ts'
import type { Difference } from '../../shared/contract/records.ts'
import { fieldDefinition, objectDefinition } from '../../shared/records.ts'
import { isEmpty, pathType, sameValue } from '../../shared/changes.ts'

/**
 * The paths that nobody meant to change and that changed: `yours` is what they said right before.
 * @param fresh the record right before the change
 * @param after the record read back right after it
 */
export function unmeantChanges(
  object: string,
  edits: readonly FieldEdit[],
  fresh: RecordData,
  after: RecordData,
): readonly Difference[] {
  const touched = new Set(edits.map((edit) => topField(edit.path)))
  return [...new Set([...Object.keys(fresh), ...Object.keys(after)])]
    .filter((field) => !touched.has(field))
    .flatMap((field) => pathsUnder(field, fresh, after))
    .flatMap((path) => {
      const was = valueAt(object, fresh, path)
      const is = valueAt(object, after, path)
      if (sameValue(pathType(object, path), was, is)) return []
      // What the application keeps (dates, balances, versions that nobody described) moves by itself;
      // that it was emptied would mean that a change replaces the whole record.
      if (isKeptByApplication(object, topField(path)) && !(isEmpty(is) && !isEmpty(was))) return []
      return [{ path, asRead: was, theirs: is, yours: was }]
    })
}

function isKeptByApplication(object: string, field: string): boolean {
  const isDescribed = objectDefinition(object)?.fields.some((each) => each.name === field) ?? false
  return !isDescribed || fieldDefinition(object, field).editable !== 'yes'
}

/** A plain field, or the members of an object that either version has. A reference is one thing. */
function pathsUnder(field: string, fresh: RecordData, after: RecordData): readonly string[] {
  const members = [fresh, after].flatMap((record) => {
    const value = Object.hasOwn(record, field) ? record[field] : undefined
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  })
  if (members.length === 0 || members.includes('FullName')) return [field]
  return [...new Set(members)].map((member) => `${field}.${member}`)
}
