/**
 * The exact JSON text of an insert or a change, from a person's edits and the record as it is now. Written by hand,
 * so that an amount goes from its decimal text to the wire without ever being a binary float (specification 2.1).
 *
 * *Assumption* (decisions.md, "payload of PATCH"): the shapes of POST; `ID` and only the changed top-level fields,
 * a nested object sent whole with its changes.
 */
import {
  isGivenWhole,
  memberOf,
  ownValue,
  textOf,
  topField,
  type EditValue,
  type FieldEdit,
  type JsonType,
  type RecordData,
  type SentAs,
} from '../../shared/changes.ts'
import { parseExactJson } from '../../shared/exact-json.ts'
import { canonicalDecimal, isExactInJson, parseDecimal } from '../../shared/money.ts'
import { fieldDefinition, isDescribed, NEVER_SENT } from '../../shared/records.ts'
import { appError, err, ok, type AppError, type Result } from '../../shared/result.ts'

/** What is needed to write one record. */
export interface RecordToSend {
  readonly object: string
  readonly kind: 'insert' | 'change'
  readonly recordId: string
  readonly edits: readonly FieldEdit[]
  /** Our mark as `ExternalID`; empty when it carries none of ours. */
  readonly mark: string
  /** As read right before sending; nested objects are rebuilt from it. Empty for an insert. */
  readonly fresh: RecordData
  /** The same as JSON text, as it came: what was a number goes back as one. */
  readonly freshText?: string | undefined
}

/** One record as JSON text, or an error of kind `invalid-input` that names the field. */
export function recordBody(record: RecordToSend): Result<string> {
  const members: [name: string, json: string][] = [
    ['ID', JSON.stringify(record.kind === 'insert' ? '' : record.recordId)],
  ]
  if (record.mark !== '') members.push(['ExternalID', JSON.stringify(record.mark)])
  const fresh =
    record.freshText === undefined ? record.fresh : (parseExactJson(record.freshText) as RecordData)
  for (const [field, edits] of byTopField(record.edits)) {
    const refusal = neverSent(record, field)
    if (refusal) return err(refusal)
    const json = fieldJson({ ...record, fresh }, field, edits)
    if (!json.ok) return json
    members.push([field, json.value])
  }
  return ok(`{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`)
}

/** One record alone as an object, several as an array (specification 4.1). */
export function requestBody(records: readonly string[]): string {
  const [only] = records
  return records.length === 1 && only !== undefined ? only : `[${records.join(',')}]`
}

function byTopField(edits: readonly FieldEdit[]): Map<string, readonly FieldEdit[]> {
  const fields = new Map<string, readonly FieldEdit[]>()
  for (const edit of edits) {
    const field = topField(edit.path)
    fields.set(field, [...(fields.get(field) ?? []), edit])
  }
  return fields
}

function invalid(message: string, advice = ''): AppError {
  return appError('invalid-input', message, advice)
}

function neverSent(record: RecordToSend, field: string): AppError | null {
  if (NEVER_SENT.includes(field)) return invalid(`“${field}” is kept by the accounting application.`)
  if (record.kind === 'change' && fieldDefinition(record.object, field).editable === 'insert-only') {
    return invalid(`“${fieldDefinition(record.object, field).label}” can only be given when a record is new.`)
  }
  if (field === 'ExternalID' && record.mark !== '') return invalid('The external ID is given twice.')
  return null
}

/** @param record its `fresh` with raw JSON for numbers, where it is known */
function fieldJson(record: RecordToSend, field: string, edits: readonly FieldEdit[]): Result<string> {
  const { label, type } = fieldDefinition(record.object, field)
  const last = edits.at(-1)
  if (last === undefined || edits.some((edit) => memberOf(edit.path) !== null)) {
    return nestedJson(record, field, edits)
  }
  const value = last.now
  switch (type) {
    case 'reference':
      return referenceJson(value, label, last.as)
    case 'boolean':
      return booleanJson(value, label)
    case 'money':
      return amountJson(value, label)
    case 'text':
    case 'timestamp':
      return isDescribed(record.object, field)
        ? typedJson(label, { ...last, as: 'text' }, undefined)
        : typedJson(label, last, readValue(record, record.fresh, field))
    case 'address':
    case 'contact':
      return err(invalid(`“${label}” is changed part by part.`))
  }
}

/** A value that was read; of numbers kept as text nobody knows that they were none. */
function readValue({ freshText }: RecordToSend, holder: RecordData, name: string): unknown {
  const value = ownValue(holder, name)
  return freshText === undefined && typeof value === 'string' ? undefined : value
}

/**
 * What was typed, in the JSON type that was read; where nothing was, in the one that the edit names. An object or a list
 * is never replaced by text.
 */
function typedJson(label: string, { now, as }: FieldEdit, was: unknown): Result<string> {
  if (typeof now !== 'string') return referenceJson(now, label, as)
  switch (typeRead(was) ?? as) {
    case 'number':
      return amountJson(now, label)
    case 'boolean':
      return booleanJson(now, label)
    case 'list':
    case 'object':
      return structureJson(now, label, was, as)
    case 'text':
    case 'ID':
    case 'FullName':
    case undefined:
      return ok(JSON.stringify(now))
  }
}

/** `undefined` of what is empty. */
function typeRead(was: unknown): JsonType | undefined {
  if (JSON.isRawJSON(was)) return 'number'
  if (typeof was === 'boolean') return 'boolean'
  if (Array.isArray(was)) return 'list'
  if (typeof was === 'object' && was !== null) return 'object'
  return typeof was === 'string' && was !== '' ? 'text' : undefined
}

function booleanJson(value: EditValue, label: string): Result<string> {
  return value === 'true' || value === 'false' ? ok(value) : err(invalid(`“${label}” has to be yes or no.`))
}

/** A reference; by one member alone where the application takes only that (`as`). */
function referenceJson(value: EditValue, label: string, as: SentAs | undefined): Result<string> {
  const { ID, FullName } = typeof value === 'string' ? { ID: '', FullName: value } : value
  if (as !== 'ID' && as !== 'FullName') return ok(JSON.stringify({ ID, FullName }))
  const [sent, other] = as === 'ID' ? [ID, FullName] : [FullName, ID]
  if (sent === '' && other !== '') {
    const by = as === 'ID' ? 'ID' : 'name'
    return err(invalid(`This application takes “${label}” only by its ${by}.`, 'Choose one from the list.'))
  }
  return ok(JSON.stringify({ [as]: sent }))
}

/** The amount as a JSON number, when every reader of JSON gets the same amount back; refused otherwise. */
export function amountJson(value: EditValue, label: string): Result<string> {
  const decimal = typeof value === 'string' ? parseDecimal(value.trim()) : null
  if (decimal === null) return err(invalid(`“${label}” has to be an amount.`))
  if (!isExactInJson(decimal)) {
    return err(
      invalid(
        `The amount ${textOf(value)} in “${label}” has more digits than can be sent without rounding.`,
        'Give it with fewer digits.',
      ),
    )
  }
  return ok(canonicalDecimal(decimal))
}

/** A list or an object, given as its JSON. What was a number in it is one again, also where it is written as text. */
function structureJson(text: string, label: string, was: unknown, as: SentAs | undefined): Result<string> {
  const isList = Array.isArray(was) || (typeRead(was) === undefined && as === 'list')
  const given = parsedOrNull(text)
  const isOne = isList ? Array.isArray(given) : typeRead(given) === 'object'
  if (!isOne) {
    return err(
      invalid(
        isList
          ? `“${label}” is a list. Give it as JSON, in square brackets.`
          : `“${label}” has parts in this record. Give them as JSON, in braces.`,
      ),
    )
  }
  const numbers = numberPaths(was)
  return ok(JSON.stringify(withNumbers(given, numbers)))
}

function parsedOrNull(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return null
  }
}

/** Paths of the numbers in a structure, the places in its lists left out. */
function numberPaths(value: unknown, path = ''): ReadonlySet<string> {
  if (JSON.isRawJSON(value)) return new Set([path])
  if (typeof value !== 'object' || value === null) return new Set()
  const isList = Array.isArray(value)
  return new Set(
    Object.entries(value).flatMap(([name, each]) => [
      ...numberPaths(each, isList ? `${path}[]` : `${path}.${name}`),
    ]),
  )
}

function withNumbers(value: unknown, numbers: ReadonlySet<string>, path = ''): unknown {
  if (typeof value === 'string') {
    const decimal = numbers.has(path) ? parseDecimal(value) : null
    return decimal === null ? value : JSON.rawJSON(canonicalDecimal(decimal))
  }
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value
  if (Array.isArray(value)) return value.map((each) => withNumbers(each, numbers, `${path}[]`))
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, withNumbers(each, numbers, `${path}.${name}`)]),
  )
}

/** A field with parts: whole, as it is now, with the person's changes in it. */
function nestedJson(record: RecordToSend, field: string, edits: readonly FieldEdit[]): Result<string> {
  const now = ownValue(record.fresh, field)
  const { label } = fieldDefinition(record.object, field)
  if (isGivenWhole(now) || JSON.isRawJSON(now)) {
    return err(
      invalid(`“${label}” is one value in this record, without parts.`, 'Change it in the application.'),
    )
  }
  const read: RecordData = typeof now === 'object' && now !== null ? { ...now } : {}
  const members = new Map(Object.entries(read).map(([name, value]) => [name, JSON.stringify(value)]))
  for (const edit of edits) {
    const member = memberOf(edit.path)
    if (member === null || typeof edit.now !== 'string') {
      return err(invalid(`“${label}” is changed part by part.`))
    }
    const part = typedJson(`${label}, ${member}`, edit, readValue(record, read, member))
    if (!part.ok) return part
    members.set(member, part.value)
  }
  const parts = [...members].map(([name, json]) => `${JSON.stringify(name)}:${json}`)
  return ok(`{${parts.join(',')}}`)
}
