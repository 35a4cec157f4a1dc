// Checks the fields of a record that was sent (section 4.1) against the data definition and the lists.
import { type Company } from '../company.ts'
import { accepted, type Outcome, recordRefusal, type RecordTrouble } from '../refusal.ts'
import { addressMembers, definitionOf, type FieldDefinition, type ObjectName } from './definition.ts'
import { findByFullName, fullNameOf, type FieldValue } from './table.ts'

/** What was sent, checked: values as they are kept, and the balance if there was one. */
export interface CheckedFields {
  readonly values: Readonly<Record<string, FieldValue>>
  /** A JSON number, in the application's own currency. */
  readonly balance: number | undefined
}

/** Checks every member of a body's object. The first that is wrong is what is told. */
export function checkFields(
  company: Company,
  object: ObjectName,
  body: Readonly<Record<string, unknown>>,
): Outcome<CheckedFields> {
  const definition = definitionOf(object)
  const values: Record<string, FieldValue> = {}
  let balance: number | undefined
  for (const [name, value] of Object.entries(body)) {
    const field = definition?.fields.find((candidate) => candidate.name === name)
    if (field === undefined || !field.applications.includes(company.application)) {
      return trouble(company, 'unsupportedField', object, name)
    }
    if (field.readOnly === true) continue
    if (field.type === 'amount') {
      if (typeof value !== 'number') return trouble(company, 'wrongType', shown(value), name)
      balance = value
      continue
    }
    const checked = checkValue(company, field, value)
    if (!checked.ok) return checked
    values[name] = checked.value
  }
  return accepted({ values, balance })
}

function trouble(
  company: Company,
  kind: RecordTrouble,
  subject: string,
  field: string,
): ReturnType<typeof recordRefusal> {
  return recordRefusal(company.application, kind, subject, field)
}

/** A value as it was sent, for words about it. */
export function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function checkValue(company: Company, field: FieldDefinition, value: unknown): Outcome<FieldValue> {
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean'
        ? accepted(value)
        : trouble(company, 'wrongType', shown(value), field.name)
    case 'reference':
      return checkReference(company, field, value)
    case 'address':
      return checkMembers(company, field, value, addressMembers(company.application))
    case 'contact':
      return checkMembers(company, field, value, ['Name'])
    case 'text':
    case 'amount':
    case 'timestamp': {
      if (typeof value !== 'string') return trouble(company, 'wrongType', shown(value), field.name)
      const longest = field.longest?.[company.application] ?? Number.POSITIVE_INFINITY
      return value.length > longest ? trouble(company, 'tooLong', value, field.name) : accepted(value)
    }
  }
}

function checkMembers(
  company: Company,
  field: FieldDefinition,
  value: unknown,
  members: readonly string[],
): Outcome<FieldValue> {
  if (!isObject(value)) return trouble(company, 'wrongType', shown(value), field.name)
  const kept: Record<string, string> = {}
  for (const [name, text] of Object.entries(value)) {
    const path = `${field.name}.${name}`
    if (!members.includes(name)) return trouble(company, 'unsupportedField', field.name, path)
    if (typeof text !== 'string') return trouble(company, 'wrongType', shown(text), path)
    if (text !== '') kept[name] = text
  }
  return accepted(kept)
}

/** A reference is found by its ID, or by its FullName where no ID is given; both empty clears it. */
function checkReference(company: Company, field: FieldDefinition, value: unknown): Outcome<FieldValue> {
  if (!isObject(value)) return trouble(company, 'wrongType', shown(value), field.name)
  for (const [name, part] of Object.entries(value)) {
    if (name !== 'ID' && name !== 'FullName') return trouble(company, 'unsupportedField', field.name, name)
    if (typeof part !== 'string') return trouble(company, 'wrongType', shown(part), `${field.name}.${name}`)
  }
  const id = typeof value['ID'] === 'string' ? value['ID'] : ''
  const fullName = typeof value['FullName'] === 'string' ? value['FullName'] : ''
  if (id === '' && fullName === '') return accepted('')
  const target = field.target ?? 'customer'
  const record = id === '' ? findByFullName(company, target, fullName) : company.table(target).get(id)
  if (record === undefined) return trouble(company, 'badReference', id === '' ? fullName : id, field.name)
  if (company.application === 'qbo' && record.values['IsActive'] === false) {
    return trouble(company, 'badReference', fullNameOf(company, target, record), field.name)
  }
  return accepted(record.id)
}

/** True for a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
