/**
 * Compares what came back with what was sent, field by field in canonical form. Values that the application filled in
 * don't count as differences.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Difference } from '../../../shared/contract/records.ts'
import {
  canonicalValue,
  type EditValue,
  type FieldEdit,
  isEmpty,
  isObject,
  memberOf,
  ownValue,
  pathOf,
  pathType,
  type RecordData,
  sameValue,
  textOf,
  topField,
  valueAt,
} from '../../../shared/records/changes.ts'
import { parseJsonText } from '../../service/protocol/envelope.ts'
import type { JournalOperation } from '../../store/journal/journal.ts'

/** What was sent of a record: the edits and, for edits within an object, that object as it is in `before`. */
export type SentFields = Pick<JournalOperation, 'object' | 'edits' | 'before'>

/** The paths at which a record differs from what was sent. */
export function differencesFrom(sent: SentFields, record: RecordData): readonly Difference[] {
  return [...editDifferences(sent, record), ...partDifferences(sent, record)]
}

/** The differences among the edits. */
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

/** The differences among members that the user didn't edit but that were sent with their object. */
export function partDifferences(sent: SentFields, record: RecordData): readonly Difference[] {
  const { object, edits } = sent
  return otherParts(sent)
    .filter(({ field, part, value }) => {
      const now = ownValue(record, field)
      return (
        part !== 'ID' &&
        isUnexpectedChange(part, value, isNested(now) ? ownValue(now, part) : undefined, edits)
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
    return Object.entries(isNested(was) ? was : {}).flatMap(([part, value]) =>
      paths.has(pathOf(field, part)) || !hasValue(value) ? [] : [{ field, part, value }],
    )
  })
}

export function isAsSent(object: string, edit: FieldEdit, record: RecordData): boolean {
  const is = valueAt(object, record, edit.path)
  const type = edit.as === 'number' ? 'money' : pathType(object, edit.path)
  const now = edit.as === 'boolean' ? canonicalValue('boolean', edit.now) : edit.now
  if (sameValue(type, is, now)) return true
  return (edit.as === 'list' || edit.as === 'object') && isSameStructure(is, edit.now)
}

/** Whether two lists or objects are the same JSON. A number may be text, because records are read that way. */
function isSameStructure(left: EditValue, right: EditValue): boolean {
  if (typeof left !== 'string' || typeof right !== 'string') return false
  const [one, other] = [parseJsonText(left), parseJsonText(right)]
  return one.ok && other.ok && isDeepStrictEqual(one.value, other.value)
}

/** Whether the record still has the value it had before the edit. */
export function isAsBefore(object: string, edit: FieldEdit, record: RecordData): boolean {
  if (edit.was === null) return isEmpty(valueAt(object, record, edit.path))
  return sameValue(pathType(object, edit.path), valueAt(object, record, edit.path), edit.was)
}

/**
 * Whether a record in a response omits something that was sent. A short response proves nothing about a field. A field
 * that was cleared may be missing (specification 2.1: "fields with no value may be … omitted"), but only if everything
 * else that had a value is present.
 * @param sent its `before` is the record as it was read; empty for a new one
 */
export function omitsSentFields(sent: SentFields, record: RecordData): boolean {
  const { edits, before } = sent
  const touched = new Set(edits.map((edit) => topField(edit.path)))
  const isShort = lacksValues(before, record, (field) => touched.has(field))
  const isSilentAboutEdit = edits.some((edit) => {
    const top = topField(edit.path)
    const member = memberOf(edit.path)
    if (!Object.hasOwn(record, top)) return isShort || !isEmpty(edit.now)
    const value = record[top]
    if (member === null || !isNested(value) || Object.hasOwn(value, member)) return false
    return isShort || !isEmpty(edit.now)
  })
  return (
    isSilentAboutEdit ||
    otherParts(sent).some(({ field, part }) => {
      const value = ownValue(record, field)
      return isNested(value) && !Object.hasOwn(value, part)
    })
  )
}

/** Whether a value is an object or an array. */
function isNested(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Whether a value that existed and that no edit touched is missing. */
function lacksValues(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  isTouched: (name: string) => boolean,
): boolean {
  return Object.entries(before).some(
    ([name, value]) => !isTouched(name) && hasValue(value) && !Object.hasOwn(after, name),
  )
}

/*
 * Detects side effects of a change in fields that no data definition describes. *Assumption* (the specification only
 * names such fields): the application itself updates modification dates, versions, balances, totals, and names that
 * follow an edit. Any other value that changed did so unexpectedly.
 */

/** Words in the names of fields that an application updates itself. */
const KEPT_WORDS: ReadonlySet<string> = new Set([
  'modified',
  'modification',
  'updated',
  'changed',
  'accessed',
  'sync',
  'sequence',
  'version',
  'revision',
  'etag',
  'stamp',
  'timestamp',
  'checksum',
  'hash',
  'balance',
  'total',
  'subtotal',
])

/**
 * Whether a value changed without any sign that the application updated it itself. Filling in an empty value loses
 * nothing. Clearing a value is always unexpected.
 * @param name of the field or member, without its path
 */
export function isUnexpectedChange(
  name: string,
  was: unknown,
  is: unknown,
  edits: readonly FieldEdit[],
): boolean {
  if (!hasValue(was)) return false
  if (!hasValue(is)) return true
  if (Array.isArray(was) && Array.isArray(is)) {
    return was.length !== is.length || was.some((each, at) => isUnexpectedChange(name, each, is[at], edits))
  }
  if (isObject(was) && isObject(is)) {
    return Object.entries(was).some(([part, value]) =>
      isUnexpectedChange(part, value, ownValue(is, part), edits),
    )
  }
  const [before, after] = [textOf(was), textOf(is)]
  if (before === after) return false
  return !isKeptName(name) && !isLaterMoment(before, after) && !followsAnEdit(name, before, after, edits)
}

/** Whether a value is present. An address whose members are all empty isn't. */
export function hasValue(value: unknown): boolean {
  return typeof value === 'object' && value !== null
    ? Object.values(value).some(hasValue)
    : textOf(value) !== ''
}

/** The words in a name such as `EditSequence`, `TIME_MODIFIED`, or `balanceDue`. */
function wordsOf(name: string): readonly string[] {
  return (name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+/gu) ?? []).map((word) => word.toLowerCase())
}

function isKeptName(name: string): boolean {
  return name === 'FullName' || wordsOf(name).some((word) => KEPT_WORDS.has(word))
}

/**
 * Whether a date with a time of day moved forward, as a modification time does. A plain date, such as a due date,
 * doesn't count.
 */
function isLaterMoment(before: string, after: string): boolean {
  const [from, to] = [before, after].map(
    (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && Date.parse(text),
  )
  const isMidnight = /T00:00(?::00(?:\.0+)?)?(?!\d)/.test(after)
  return typeof from === 'number' && typeof to === 'number' && to > from && !isMidnight
}

/** Whether the new text contains the edited words, or is a name made of them. */
function followsAnEdit(name: string, before: string, after: string, edits: readonly FieldEdit[]): boolean {
  const isName = wordsOf(name).includes('name')
  return edits.some(({ was, now }) => {
    const [from, to] = [wordsIn(was), wordsIn(now)]
    if (to === '') return false
    return (isName && after.includes(to)) || (from !== '' && after === before.replaceAll(from, to))
  })
}

/** A value's text if it contains letters. A Boolean or a number occurs in many fields by chance. */
function wordsIn(value: EditValue | null): string {
  const text = typeof value === 'string' ? value : (value?.FullName ?? '')
  return /\p{L}/u.test(text) && !/^(?:true|false)$/i.test(text) ? text : ''
}
