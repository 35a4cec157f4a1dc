/**
 * The guard: before a change is sent its record is read again. A top-level field that both we and someone else
 * changed is a conflict before anything is sent. The moment between that read and the write can't be closed.
 */
import {
  memberOf,
  ownValue,
  pathOf,
  pathType,
  sameValue,
  topField,
  valueAt,
  type EditValue,
  type FieldEdit,
  type RecordData,
} from '../../shared/records/changes.ts'
import type { Difference } from '../../shared/contract/records.ts'
import { isAsSent } from './compare.ts'

export type GuardVerdict =
  | { readonly verdict: 'proceed' }
  | { readonly verdict: 'conflict'; readonly differences: readonly Difference[] }

/**
 * @param before the record as it was read when the person edited it
 * @param fresh the record as it is now
 */
export function guard(
  object: string,
  before: RecordData,
  fresh: RecordData,
  edits: readonly FieldEdit[],
): GuardVerdict {
  const fields = [...new Set(edits.map((edit) => topField(edit.path)))]
  const differences = fields.flatMap((field) => fieldDifferences(object, before, fresh, edits, field))
  return differences.length === 0 ? { verdict: 'proceed' } : { verdict: 'conflict', differences }
}

function fieldDifferences(
  object: string,
  before: RecordData,
  fresh: RecordData,
  edits: readonly FieldEdit[],
  field: string,
): readonly Difference[] {
  const ours = edits.filter((edit) => topField(edit.path) === field)
  const theirs = pathsOf(object, before, fresh, field, ours).filter(
    (path) =>
      !sameValue(pathType(object, path), asRead(object, before, ours, path), valueAt(object, fresh, path)),
  )
  // Someone else made the very same change: there is nothing to decide.
  const open = theirs.filter((path) => {
    const edit = ours.find((each) => each.path === path)
    return edit === undefined || !isAsSent(object, edit, fresh)
  })
  if (open.length === 0) return []
  const paths = [...new Set([...ours.map((edit) => edit.path), ...open])]
  return paths.map((path) => ({
    path,
    asRead: asRead(object, before, ours, path),
    theirs: valueAt(object, fresh, path),
    yours: ours.find((edit) => edit.path === path)?.now ?? asRead(object, before, ours, path),
  }))
}

/** What the person saw when they edited: the edit knows it best, since `before` may be a later read. */
function asRead(object: string, before: RecordData, ours: readonly FieldEdit[], path: string): EditValue {
  return ours.find((edit) => edit.path === path)?.was ?? valueAt(object, before, path)
}

/** A plain field is one path; an address or contact is all members that either side has. */
function pathsOf(
  object: string,
  before: RecordData,
  fresh: RecordData,
  field: string,
  ours: readonly FieldEdit[],
): readonly string[] {
  const type = pathType(object, field)
  const isNested =
    type === 'address' || type === 'contact' || ours.some((edit) => memberOf(edit.path) !== null)
  if (!isNested) return [pathOf(field)]
  const members = new Set<string>()
  for (const edit of ours) members.add(memberOf(edit.path) ?? '')
  for (const record of [before, fresh]) {
    const value = ownValue(record, field)
    if (typeof value === 'object' && value !== null) for (const name of Object.keys(value)) members.add(name)
  }
  members.delete('')
  return [...members].map((member) => pathOf(field, member))
}
