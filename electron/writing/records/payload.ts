/**
 * Writes the exact JSON text of an insert or a change, from a user's edits and the record's current values. It assembles
 * the text itself, so that an amount goes from decimal text to the wire without ever being a binary float (specification
 * 2.1).
 *
 * *Assumption*: a PATCH has the shapes of a POST, with `ID` and only the changed top-level fields. A nested object is
 * sent whole, with its changes.
 */
import { canonicalDecimal, isExactInJson, parseDecimal } from '../../../shared/format/money.ts'
import {
  canonicalValue,
  type EditValue,
  type FieldEdit,
  isSingleValue,
  type JsonType,
  memberOf,
  ownValue,
  type RecordData,
  type SentAs,
  textOf,
  topField,
} from '../../../shared/records/changes.ts'
import { fieldDefinition, isDescribed, NEVER_SENT } from '../../../shared/records/definition.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import { parseExactJson } from '../../service/protocol/envelope.ts'

/** What is needed to write one record. */
export interface RecordToSend {
  readonly object: string
  readonly kind: 'insert' | 'change'
  readonly recordId: string
  readonly edits: readonly FieldEdit[]
  /** Our `ExternalID`, or empty. */
  readonly externalId: string
  /** The record as read right before sending. Nested objects are rebuilt from it. Empty for an insert. */
  readonly current: RecordData
  /** The same record as its original JSON text, so that numbers go back as numbers. */
  readonly currentText?: string | undefined
}

/** Writes one record as JSON text, or returns an `invalid-input` error that names the field. */
export function recordBody(record: RecordToSend): Result<string> {
  const members: [name: string, json: string][] = [
    ['ID', JSON.stringify(record.kind === 'insert' ? '' : record.recordId)],
  ]
  if (record.externalId !== '') members.push(['ExternalID', JSON.stringify(record.externalId)])
  const current =
    record.currentText === undefined ? record.current : (parseExactJson(record.currentText) as RecordData)
  for (const [field, edits] of byTopField(record.edits)) {
    const refusal = neverSent(record, field)
    if (refusal) return err(refusal)
    const json = fieldJson({ ...record, current }, field, edits)
    if (!json.ok) return json
    members.push([field, json.value])
  }
  return ok(`{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`)
}

/** The body of a request: a single record as an object, several as an array (specification 4.1). */
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
  if (NEVER_SENT.includes(field)) return invalid(`The accounting application sets “${field}” itself.`)
  if (record.kind === 'change' && fieldDefinition(record.object, field).editable === 'insert-only') {
    return invalid(`“${fieldDefinition(record.object, field).label}” can be set only on a new record.`)
  }
  if (field === 'ExternalID' && record.externalId !== '') return invalid('The external ID appears twice.')
  return null
}

/** @param record its `current` has raw JSON for numbers where that is known */
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
        : typedJson(label, last, readValue(record, record.current, field))
    case 'address':
    case 'contact':
      return err(invalid(`Change the parts of “${label}” one at a time.`))
  }
}

/** A value that was read. A number that was kept as text may have been either. */
function readValue({ currentText }: RecordToSend, holder: RecordData, name: string): unknown {
  const value = ownValue(holder, name)
  return currentText === undefined && typeof value === 'string' ? undefined : value
}

/**
 * A value that the user typed, in the JSON type that was read or, if none was, in the type that the edit names. Text
 * never replaces an object or a list.
 */
function typedJson(label: string, { now, as }: FieldEdit, was: unknown): Result<string> {
  if (typeof now !== 'string') {
    const others = typeRead(was) === 'object' ? Object.keys(was as RecordData) : []
    return others.every((name) => name === 'ID' || name === 'FullName')
      ? referenceJson(now, label, as)
      : err(
          invalid(`“${label}” has more parts in this record than an ID and a name. Change them one by one.`),
        )
  }
  const type = typeRead(was) ?? as
  if (now === '' && (type === 'number' || type === 'boolean'))
    return err(invalid(`“${label}” can’t be cleared from here, only in the accounting application.`))
  switch (type) {
    case 'number':
      return amountJson(now, label)
    case 'boolean': {
      // Its type was unknown while it was typed, and spreadsheets write TRUE.
      const yesOrNo = booleanJson(canonicalValue('boolean', now), label)
      return yesOrNo.ok ? yesOrNo : err(invalid(`“${label}” must be true or false.`))
    }
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

/** The JSON type of a value that was read; `undefined` if it is empty. */
function typeRead(was: unknown): JsonType | undefined {
  if (JSON.isRawJSON(was)) return 'number'
  if (typeof was === 'boolean') return 'boolean'
  if (Array.isArray(was)) return 'list'
  if (typeof was === 'object' && was !== null) return 'object'
  return typeof was === 'string' && was !== '' ? 'text' : undefined
}

function booleanJson(value: EditValue, label: string): Result<string> {
  return value === 'true' || value === 'false' ? ok(value) : err(invalid(`“${label}” must be yes or no.`))
}

/** A reference, with only one member if that is all the application takes (`as`). */
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

/** The amount as a JSON number. Refuses an amount that some JSON reader would read as another one. */
function amountJson(value: EditValue, label: string): Result<string> {
  const decimal = typeof value === 'string' ? parseDecimal(value.trim()) : null
  if (decimal === null) return err(invalid(`“${label}” must be an amount.`))
  if (!isExactInJson(decimal)) {
    return err(
      invalid(
        `The amount ${textOf(value)} in “${label}” has more digits than can be sent without rounding.`,
        'Use fewer decimal places.',
      ),
    )
  }
  return ok(canonicalDecimal(decimal))
}

/** A list or an object, given as JSON. Numbers in it stay numbers, even if they are written as text. */
function structureJson(text: string, label: string, was: unknown, as: SentAs | undefined): Result<string> {
  const isList = Array.isArray(was) || (typeRead(was) === undefined && as === 'list')
  const given = parsedOrNull(text)
  const isOne = isList ? Array.isArray(given) : typeRead(given) === 'object'
  if (!isOne) {
    return err(
      invalid(
        isList
          ? `“${label}” is a list. Enter it as JSON, in square brackets.`
          : `“${label}” has parts in this record. Enter them as JSON, in braces.`,
      ),
    )
  }
  const structure: StructureToSend = { leaves: leavesOf(was), label, refused: [] }
  const json = JSON.stringify(asRead(given, was, structure))
  const [refused] = structure.refused
  return refused === undefined ? ok(json) : err(refused)
}

function parsedOrNull(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return null
  }
}

/** Texts and numbers of a structure by path, ignoring the indexes of lists. */
interface Leaves {
  /** By path and text. The value is the number's original notation. */
  readonly numbers: Map<string, unknown>
  readonly texts: Set<string>
  readonly pathsOfNumbers: Set<string>
  readonly pathsOfTexts: Set<string>
}

function leavesOf(value: unknown): Leaves {
  const leaves: Leaves = {
    numbers: new Map(),
    texts: new Set(),
    pathsOfNumbers: new Set(),
    pathsOfTexts: new Set(),
  }
  const note = (each: unknown, path: string): void => {
    if (JSON.isRawJSON(each)) {
      leaves.numbers.set(leafKey(path, each.rawJSON), each)
      leaves.pathsOfNumbers.add(path)
    } else if (typeof each === 'string' && each !== '') {
      leaves.texts.add(leafKey(path, each))
      leaves.pathsOfTexts.add(path)
    } else if (typeof each === 'object' && each !== null) {
      for (const [name, member] of Object.entries(each)) note(member, stepOf(path, each, name))
    }
  }
  note(value, '')
  return leaves
}

function leafKey(path: string, text: string): string {
  return JSON.stringify([path, text])
}

function stepOf(path: string, holder: object, name: string): string {
  return `${path}/${Array.isArray(holder) ? '' : JSON.stringify(name)}`
}

interface StructureToSend {
  /** What was read of it. */
  readonly leaves: Leaves
  readonly label: string
  /** Why parts of it can't be sent. */
  readonly refused: AppError[]
}

/**
 * A structure as it is sent. Numbers are shown as text. A number that was read goes back as it came. Typed text becomes
 * a number if only numbers were there, and stays text if there was text, too.
 * @param was the previous value
 */
function asRead(value: unknown, was: unknown, structure: StructureToSend, path = ''): unknown {
  const { leaves, label, refused } = structure
  if (typeof value === 'string' || JSON.isRawJSON(value)) {
    const text = typeof value === 'string' ? value : value.rawJSON
    const wasText = JSON.isRawJSON(was) ? was.rawJSON : was
    if (typeof value === 'string' && wasText === text) return was
    const key = leafKey(path, text)
    const number = leaves.numbers.get(key)
    if (number !== undefined && (typeof value !== 'string' || !leaves.texts.has(key))) return number
    const isText = !leaves.pathsOfNumbers.has(path) || leaves.pathsOfTexts.has(path)
    if (typeof value === 'string' && (isText || parseDecimal(text) === null)) return value
    if (parseDecimal(text) === null) return value
    const amount = amountJson(text, label)
    if (!amount.ok) refused.push(amount.error)
    return typeof value !== 'string' || !amount.ok ? value : JSON.rawJSON(amount.value)
  }
  if (typeof value !== 'object' || value === null) return value
  const holder = typeof was === 'object' && was !== null && !JSON.isRawJSON(was) ? (was as RecordData) : {}
  const members = Object.entries(value).map(([name, each]): [string, unknown] => [
    name,
    asRead(each, ownValue(holder, name), structure, stepOf(path, value, name)),
  ])
  return Array.isArray(value) ? members.map(([, each]) => each) : Object.fromEntries(members)
}

/** A field with members: whole, with its current values and the user's changes. */
function nestedJson(record: RecordToSend, field: string, edits: readonly FieldEdit[]): Result<string> {
  const now = ownValue(record.current, field)
  const { label } = fieldDefinition(record.object, field)
  if (isSingleValue(now) || JSON.isRawJSON(now)) {
    return err(
      invalid(`“${label}” is one value in this record, without parts.`, 'Change it in the application.'),
    )
  }
  const read: RecordData = typeof now === 'object' && now !== null ? { ...now } : {}
  const members = new Map(Object.entries(read).map(([name, value]) => [name, JSON.stringify(value)]))
  for (const edit of edits) {
    const member = memberOf(edit.path)
    if (member === null || typeof edit.now !== 'string') {
      return err(invalid(`Change the parts of “${label}” one at a time.`))
    }
    const part = typedJson(`${label}, ${member}`, edit, readValue(record, read, member))
    if (!part.ok) return part
    members.set(member, part.value)
  }
  const parts = [...members].map(([name, json]) => `${JSON.stringify(name)}:${json}`)
  return ok(`{${parts.join(',')}}`)
}
