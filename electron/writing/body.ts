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
  type RecordData,
} from '../../shared/changes.ts'
import { canonicalDecimal, isExactInJson, parseDecimal } from '../../shared/money.ts'
import { fieldDefinition, NEVER_SENT, objectDefinition } from '../../shared/records.ts'
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
}

/** One record as JSON text, or an error of kind `invalid-input` that names the field. */
export function recordBody(record: RecordToSend): Result<string> {
  const members: [name: string, json: string][] = [
    ['ID', JSON.stringify(record.kind === 'insert' ? '' : record.recordId)],
  ]
  if (record.mark !== '') members.push(['ExternalID', JSON.stringify(record.mark)])
  for (const [field, edits] of byTopField(record.edits)) {
    const refusal = neverSent(record, field)
    if (refusal) return err(refusal)
    const json = fieldJson(record, field, edits)
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

function fieldJson(record: RecordToSend, field: string, edits: readonly FieldEdit[]): Result<string> {
  const definition = fieldDefinition(record.object, field)
  if (edits.some((edit) => memberOf(edit.path) !== null)) return nestedJson(record, field, edits)
  const value = edits.at(-1)?.now ?? ''
  switch (definition.type) {
    case 'reference':
      return ok(referenceJson(value))
    case 'boolean':
      return value === 'true' || value === 'false'
        ? ok(value)
        : err(invalid(`“${definition.label}” has to be yes or no.`))
    case 'money':
      return typeof value === 'string'
        ? amountJson(value, definition.label)
        : err(invalid(`“${definition.label}” has to be an amount.`))
    case 'text':
    case 'timestamp':
      return typeof value === 'string'
        ? textAsRead(record.object, field, definition.label, value, ownValue(record.fresh, field))
        : ok(referenceJson(value))
    case 'address':
    case 'contact':
      return err(invalid(`“${definition.label}” is changed part by part.`))
  }
}

/**
 * What was typed, as JSON. A field that the definition does not describe keeps the type that was read; an object or a
 * list is never replaced by text.
 */
function textAsRead(object: string, field: string, label: string, now: string, was: unknown): Result<string> {
  if (typeof was === 'object' && was !== null) {
    return err(invalid(`“${label}” has parts in this record.`, 'Change it in the application.'))
  }
  const isDescribed = objectDefinition(object)?.fields.some(({ name }) => name === field) ?? false
  if (isDescribed || typeof was !== 'boolean') return ok(JSON.stringify(now))
  return now === 'true' || now === 'false' ? ok(now) : err(invalid(`“${label}” has to be true or false.`))
}

function referenceJson(value: EditValue): string {
  const { ID, FullName } = typeof value === 'string' ? { ID: '', FullName: value } : value
  return JSON.stringify({ ID, FullName })
}

/** The amount as a JSON number, when every reader of JSON gets the same amount back; refused otherwise. */
export function amountJson(text: string, label: string): Result<string> {
  const decimal = parseDecimal(text.trim())
  if (decimal === null) return err(invalid(`“${label}” has to be an amount.`))
  if (!isExactInJson(decimal)) {
    return err(
      invalid(
        `The amount ${text} in “${label}” has more digits than can be sent without rounding.`,
        'Give it with fewer digits.',
      ),
    )
  }
  return ok(canonicalDecimal(decimal))
}

/** An address or contact: whole, as it is now, with the person's changes in it. */
function nestedJson(record: RecordToSend, field: string, edits: readonly FieldEdit[]): Result<string> {
  const now = ownValue(record.fresh, field)
  const { label } = fieldDefinition(record.object, field)
  if (isGivenWhole(now)) {
    return err(
      invalid(`“${label}” is one value in this record, without parts.`, 'Change it in the application.'),
    )
  }
  const read: RecordData = typeof now === 'object' && now !== null ? { ...now } : {}
  const members = new Map(Object.entries(read).map(([name, value]) => [name, partJson(value)]))
  for (const edit of edits) {
    const member = memberOf(edit.path)
    if (member === null || typeof edit.now !== 'string') {
      return err(invalid(`“${label}” is changed part by part.`))
    }
    const part = textAsRead(record.object, field, `${label}, ${member}`, edit.now, ownValue(read, member))
    if (!part.ok) return part
    members.set(member, part.value)
  }
  const parts = [...members].map(([name, json]) => `${JSON.stringify(name)}:${json}`)
  return ok(`{${parts.join(',')}}`)
}

/** A part that nobody changed goes back as it came; parts are text in the data definition. */
function partJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'object') return JSON.stringify(value)
  return JSON.stringify(textOf(value))
}
