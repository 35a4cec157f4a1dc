/**
 * Staged edits: values that a user typed and hasn't sent. Pure.
 *
 * An edit belongs to a *path*: a top-level field (`Phone`, `IsActive`), a member of an address or contact
 * (`BillingAddress.City`), or a whole reference (`Terms`), because half a reference means nothing.
 */
import { canonicalDecimal, parseDecimal } from '../format/money.ts'
import { fieldDefinition, type FieldType } from './definition.ts'

/** A record as it was read: the members of the service's `Object`, with numbers as source text. */
export type RecordData = Readonly<Record<string, unknown>>

export interface Reference {
  readonly ID: string
  readonly FullName: string
}

/** A value in canonical form: text as typed, money as a plain decimal, booleans as `true` or `false`, references as pairs. */
export type EditValue = string | Reference

/** The type of a JSON value. */
const JSON_TYPES = ['text', 'number', 'boolean', 'list', 'object'] as const
export type JsonType = (typeof JSON_TYPES)[number]

/** A JSON type, or the only member of a reference that an application accepts. */
export const SENT_AS = [...JSON_TYPES, 'ID', 'FullName'] as const
export type SentAs = (typeof SENT_AS)[number]

export interface FieldEdit {
  readonly path: string
  /** The value before the edit; `null` for a new record. */
  readonly was: EditValue | null
  readonly now: EditValue
  /** How it is sent if the data definition doesn't say. Set when the record is sent. */
  readonly as?: SentAs | undefined
  /**
   * Of a duplicate that becomes inactive: the record that stays. The change is sent only if that one is still there and
   * active.
   */
  readonly keeps?: Reference | undefined
  /**
   * The record's balance when **Tidy up** proposed the edit; empty if its list has none. The change is sent only if the
   * record still has it.
   */
  readonly balance?: string | undefined
}

/** The edits of one record, by path, in the order in which they were made. `editAt` finds one. */
export type Edits = Readonly<Record<string, FieldEdit>>

/** The most characters of a value. No field has more, and a longer draft couldn't be saved. */
export const LONGEST_TEXT = 100_000

export const EMPTY_REFERENCE: Reference = { ID: '', FullName: '' }

/**
 * The path of a field or of a member of it. A dot in a service's name (`P.O. Number`) is escaped as `\.`, because a
 * plain dot separates the member.
 */
export function pathOf(field: string, member: string | null = null): string {
  const top = /[.\\]/.test(field) ? field.replace(/[.\\]/g, '\\$&') : field
  return member === null ? top : `${top}.${member}`
}

/** The top-level field of a path: `BillingAddress` for `BillingAddress.City`. */
export function topField(path: string): string {
  const dot = memberDot(path)
  const top = dot < 0 ? path : path.slice(0, dot)
  return top.includes('\\') ? top.replace(/\\(.)/g, '$1') : top
}

/** The member below the top-level field, or `null`. */
export function memberOf(path: string): string | null {
  const dot = memberDot(path)
  return dot < 0 ? null : path.slice(dot + 1)
}

/** The index of the dot before a member; −1 for none. */
function memberDot(path: string): number {
  const first = path.indexOf('.')
  if (first <= 0 || !path.includes('\\')) return first
  for (let at = 0; at < path.length; at += 1) {
    if (path[at] === '\\') at += 1
    else if (path[at] === '.') return at
  }
  return -1
}

/** The type of the value at a path. Members of an address or contact are text. */
export function pathType(object: string, path: string): FieldType {
  if (memberOf(path) !== null) return 'text'
  return fieldDefinition(object, topField(path)).type
}

/**
 * Whether a field that has members in other records has a single value in this one: text, a number, or a list. Setting a
 * member would overwrite it.
 */
export function isSingleValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !isObject(value)
}

/** Whether a value is a JSON object, not `null` or an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The record's own value for a name from the service, which may be inherited by every JavaScript object, such as
 * `constructor` or `__proto__`.
 */
export function ownValue(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

/** A value as text. `undefined` and `null` are empty; numbers and booleans are as in JSON. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value)
  return JSON.stringify(value)
}

/** The value at a path of a record in canonical form. */
export function valueAt(object: string, record: RecordData, path: string): EditValue {
  const top = ownValue(record, topField(path))
  const member = memberOf(path)
  if (member !== null) return isObject(top) ? textOf(ownValue(top, member)) : ''
  return canonicalValue(pathType(object, path), top)
}

/** A raw value in the canonical form of a type. A value of another type stays as its text. */
export function canonicalValue(type: FieldType, value: unknown): EditValue {
  switch (type) {
    case 'reference':
      if (isObject(value))
        return { ID: textOf(ownValue(value, 'ID')), FullName: textOf(ownValue(value, 'FullName')) }
      return value === undefined || value === null || value === ''
        ? EMPTY_REFERENCE
        : { ID: '', FullName: textOf(value) }
    case 'boolean':
      return textOf(value).trim().toLowerCase()
    case 'money': {
      const text = textOf(value).trim()
      return parseDecimal(text) ?? text
    }
    case 'text':
      // The object may have no definition.
      return isReference(value) ? value : textOf(value)
    case 'timestamp':
    case 'address':
    case 'contact':
      return textOf(value)
  }
}

/** Whether these are the members of a reference (specification 2.2). */
export function isReferenceShaped(members: readonly string[]): boolean {
  return members.length === 2 && members.includes('ID') && members.includes('FullName')
}

/** The ID of a reference without a name, which means nothing in another company; `null` for any other value. */
export function unnamedId(value: unknown): string | null {
  if (!isObject(value) || Object.keys(value).some((name) => name !== 'ID' && name !== 'FullName')) return null
  const id = textOf(ownValue(value, 'ID'))
  return id === '' || textOf(ownValue(value, 'FullName')) !== '' ? null : id
}

function isReference(value: unknown): value is Reference {
  return (
    isObject(value) &&
    isReferenceShaped(Object.keys(value)) &&
    Object.values(value).every((each) => typeof each === 'string')
  )
}

/** Whether two canonical values are equal: money by value, references by ID if both have one. */
export function sameValue(type: FieldType, left: EditValue | null, right: EditValue | null): boolean {
  if (left === null || right === null) return left === right
  if (typeof left !== 'string' || typeof right !== 'string') {
    const a = typeof left === 'string' ? { ID: '', FullName: left } : left
    const b = typeof right === 'string' ? { ID: '', FullName: right } : right
    if (a.ID !== '' && b.ID !== '') return a.ID === b.ID
    return a.FullName === b.FullName && (a.ID === b.ID || a.FullName !== '')
  }
  if (type === 'money') {
    const a = parseDecimal(left)
    const b = parseDecimal(right)
    if (a !== null && b !== null) return canonicalDecimal(a) === canonicalDecimal(b)
  }
  return left === right
}

/** Whether a record still has the balance of a proposal. Empty, where its list has none, counts as zero. */
export function isSameBalance(proposed: string, current: string): boolean {
  return sameValue('money', proposed || '0', proposed === '' ? current || '0' : current)
}

/**
 * Sets the value of a path. Typing the old value again removes the edit. A new record keeps only values that aren't empty.
 * @param was the record's value; `null` for a new record
 */
export function withEdit(
  edits: Edits,
  object: string,
  path: string,
  was: EditValue | null,
  now: EditValue,
): Edits {
  const type = pathType(object, path)
  const first = editAt(edits, path)?.was ?? was
  const gone = first === null ? isEmpty(now) : sameValue(type, first, now)
  if (gone) return withoutEdit(edits, path)
  return { ...edits, [path]: { path, was: first, now } }
}

export function withoutEdit(edits: Edits, path: string): Edits {
  return Object.fromEntries(Object.entries(edits).filter(([each]) => each !== path))
}

/** The edit of a path. Like `ownValue`, it ignores names that every object has. */
export function editAt(edits: Edits | undefined, path: string): FieldEdit | undefined {
  return edits !== undefined && Object.hasOwn(edits, path) ? edits[path] : undefined
}

export function isEmpty(value: EditValue): boolean {
  return typeof value === 'string' ? value === '' : value.ID === '' && value.FullName === ''
}

/** The value in a cell: the edit's if there is one, or else the record's. */
export function shownValue(
  object: string,
  record: RecordData,
  edits: Edits | undefined,
  path: string,
): EditValue {
  return editAt(edits, path)?.now ?? valueAt(object, record, path)
}

// Whether a record is active, and whether an edit makes it inactive.

/** An application may leave the field out or write it in another way. */
export function isInactive(record: RecordData): boolean {
  return ['false', 'no', 'n', '0'].includes(activeText(record))
}

/** Whether the field holds what the data definition says, so that it can be changed. */
export function isActivityClear(record: RecordData): boolean {
  return ['true', 'false'].includes(activeText(record))
}

/** Whether an edit makes its record inactive. */
export function isDeactivation({ path, now }: Pick<FieldEdit, 'path' | 'now'>): boolean {
  return path === 'IsActive' && now === 'false'
}

function activeText(record: RecordData): string {
  return textOf(ownValue(record, 'IsActive')).trim().toLowerCase()
}
