/**
 * What came back against what was sent, field by field in canonical form. What the application filled in by itself
 * is news and no difference.
 */
import { isDeepStrictEqual } from 'node:util'
import {
  isEmpty,
  memberOf,
  pathOf,
  pathType,
  ownValue,
  sameValue,
  textOf,
  topField,
  valueAt,
  type EditValue,
  type FieldEdit,
  type RecordData,
} from '../../shared/records/changes.ts'
import type { Difference } from '../../shared/contract/records.ts'
import { parseJsonText } from '../service/strict-json.ts'
import type { JournalOperation } from '../store/journal.ts'
import { hasValue, isUnmeantChange } from './unmeant.ts'

/** What was sent of a record: the edits, and the objects around those of a part as they were in `before`. */
export type SentFields = Pick<JournalOperation, 'object' | 'edits' | 'before'>

/** The paths on which the record is not as it was sent. */
export function differencesFrom(sent: SentFields, record: RecordData): readonly Difference[] {
  return [...editDifferences(sent, record), ...partDifferences(sent, record)]
}

/** Those among the edits. */
export function editDifferences({ object, edits }: SentFields, record: RecordData): readonly Difference[] {
  return edits
    .filter((edit) => !isAsSent(object, edit, record))
    .map((edit) => ({
      path: edit.path,
      asRead: edit.was,
      theirs: valueAt(object, record, edit.path),
      yours: edit.now,
    }))
}

/** Those among the parts that nobody edited, and that were sent with their object. */
export function partDifferences(sent: SentFields, record: RecordData): readonly Difference[] {
  const { object, edits } = sent
  return otherParts(sent)
    .filter(({ field, part, value }) => {
      const now = ownValue(record, field)
      return (
        part !== 'ID' && isUnmeantChange(part, value, isObject(now) ? ownValue(now, part) : undefined, edits)
      )
    })
    .map(({ field, part, value }) => {
      const path = pathOf(field, part)
      return { path, asRead: textOf(value), theirs: valueAt(object, record, path), yours: textOf(value) }
    })
}

interface OtherPart {
  readonly field: string
  readonly part: string
  readonly value: unknown
}

function otherParts({ edits, before }: SentFields): readonly OtherPart[] {
  const paths = new Set(edits.map(({ path }) => path))
  const nested = new Set(edits.flatMap(({ path }) => (memberOf(path) === null ? [] : [topField(path)])))
  return [...nested].flatMap((field) => {
    const was = ownValue(before, field)
    return Object.entries(isObject(was) ? was : {}).flatMap(([part, value]) =>
      paths.has(pathOf(field, part)) || !hasValue(value) ? [] : [{ field, part, value }],
    )
  })
}

export function isAsSent(object: string, edit: FieldEdit, record: RecordData): boolean {
  const is = valueAt(object, record, edit.path)
  const type = edit.as === 'number' ? 'money' : pathType(object, edit.path)
  if (sameValue(type, is, edit.now)) return true
  return (edit.as === 'list' || edit.as === 'object') && isSameStructure(is, edit.now)
}

/** Two lists or objects as JSON: a number may be text, as records are read. */
function isSameStructure(left: EditValue, right: EditValue): boolean {
  if (typeof left !== 'string' || typeof right !== 'string') return false
  const [one, other] = [parseJsonText(left), parseJsonText(right)]
  return one.ok && other.ok && isDeepStrictEqual(one.value, other.value)
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
 * @param before of it, the record as it was read; empty for a new one
 */
export function isSilentAbout(sent: SentFields, record: RecordData): boolean {
  const { edits, before } = sent
  const touched = new Set(edits.map((edit) => topField(edit.path)))
  const isShort = lacksValues(before, record, (field) => touched.has(field))
  const isSilentAboutEdit = edits.some((edit) => {
    const top = topField(edit.path)
    const member = memberOf(edit.path)
    if (!Object.hasOwn(record, top)) return isShort || !isEmpty(edit.now)
    const value = record[top]
    if (member === null || !isObject(value) || Object.hasOwn(value, member)) return false
    return isShort || !isEmpty(edit.now)
  })
  return (
    isSilentAboutEdit ||
    otherParts(sent).some(({ field, part }) => {
      const value = ownValue(record, field)
      return isObject(value) && !Object.hasOwn(value, part)
    })
  )
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
