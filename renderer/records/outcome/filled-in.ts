/** What the application filled in when a record was saved. It is news, not a difference, and is shown once. */
import {
  canonicalValue,
  ownValue,
  textOf,
  topField,
  type RecordData,
  isObject,
} from '../../../shared/records/changes.ts'
import type { Operation } from '../../../shared/contract/records.ts'
import { isZero, parseDecimal } from '../../../shared/format/money.ts'
import { fieldDefinition, NEVER_SENT } from '../../../shared/records/definition.ts'
import type { Format } from '../../../shared/format/format.ts'
import { oneLine } from '../grid/cell-text.ts'
import { valueText } from '../../../shared/records/value-text.ts'

/** A field that was not sent and has a new value. */
export interface FilledIn {
  readonly field: string
  readonly value: unknown
}

/** Bookbridge's own field for recognizing records whose response was lost. It isn't reported to the user. */
const OUR_MARK = 'ExternalID'

/**
 * Returns the fields that the application filled in.
 * @param before the record when it was sent; `{}` for a new one
 */
export function filledIn(before: RecordData, operation: Operation): readonly FilledIn[] {
  const { after, object, kind } = operation
  const sent = new Set([...operation.edits, ...operation.notAsSent].map(({ path }) => topField(path)))
  return Object.entries(after ?? {}).flatMap(([field, value]) => {
    if (NEVER_SENT.includes(field) || field === OUR_MARK || sent.has(field)) return []
    if (sameContent(value, ownValue(before, field)) || isNothing(value)) return []
    // Every new record is active and has no balance.
    if (kind === 'insert' && isDefault(object, field, value)) return []
    return [{ field, value }]
  })
}

/** Formats filled-in fields: *Tax code: Non, Terms: Net 30*. */
export function filledInWords(
  object: string,
  filled: readonly FilledIn[],
  words: (path: string) => string,
  format: Format,
): string {
  return filled
    .map(({ field, value }) => `${words(field)}: ${valueWords(object, field, value, format)}`)
    .join(', ')
}

function valueWords(object: string, field: string, value: unknown, format: Format): string {
  const { type } = fieldDefinition(object, field)
  if (isObject(value) && type !== 'reference') {
    return oneLine((member) => textOf(ownValue(value, member)), Object.keys(value))
  }
  return valueText(type, canonicalValue(type, value), format)
}

function sameContent(left: unknown, right: unknown): boolean {
  return contentOf(left) === contentOf(right)
}

/** Ignores empty members and their order, so that an omitted member equals an empty one. */
function contentOf(value: unknown): string {
  if (!isObject(value)) return textOf(value)
  const members = Object.keys(value).filter((name) => !isNothing(value[name]))
  return JSON.stringify(members.toSorted().map((name) => [name, contentOf(value[name])]))
}

function isNothing(value: unknown): boolean {
  return isObject(value) ? Object.values(value).every(isNothing) : textOf(value) === ''
}

function isDefault(object: string, field: string, value: unknown): boolean {
  const { type } = fieldDefinition(object, field)
  if (type === 'boolean') return true
  const amount = type === 'money' ? parseDecimal(textOf(value)) : null
  return amount !== null && isZero(amount)
}
