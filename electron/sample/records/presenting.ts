// A record as the wire shows it (section 2.1): booleans and amounts as strings, references with their names.
import { isProfitAndLoss, naturalSign } from '../books/ledger.ts'
import { formatTimestamp } from '../time.ts'
import { formatCents } from '../cents.ts'
import { type Company } from '../company.ts'
import { addressMembers, type FieldDefinition, fieldsFor, type ObjectName } from './definition.ts'
import { fullNameOf, textOf } from './names-in-use.ts'
import { type SampleRecord } from './table.ts'

/**
 * The record's supported fields. A desktop answer has every field, empty where there is no value; an online
 * one leaves empty fields out: section 2.1 allows both.
 */
export function presentRecord(
  company: Company,
  object: ObjectName,
  record: SampleRecord,
): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const field of fieldsFor(object, company.application)) {
    const value = presentField(company, object, record, field)
    if (company.application === 'qbd' || !isEmpty(value)) shown[field.name] = value
  }
  return shown
}

function presentField(
  company: Company,
  object: ObjectName,
  record: SampleRecord,
  field: FieldDefinition,
): unknown {
  const value = record.values[field.name]
  switch (field.type) {
    case 'reference':
      return presentReference(company, field.target ?? object, textOf(record, field.name))
    case 'address':
      return Object.fromEntries(
        addressMembers(company.application).map((member) => [member, memberOf(value, member)]),
      )
    case 'contact':
      return { Name: memberOf(value, 'Name') }
    case 'boolean':
      return typeof value === 'boolean' ? String(value) : ''
    case 'amount':
      return presentBalance(company, object, record)
    case 'timestamp':
      return formatTimestamp(field.name === 'CreatedDate' ? record.created : record.modified)
    case 'text':
      if (field.name === 'ID') return record.id
      if (field.name === 'FullName') return fullNameOf(company, object, record)
      return typeof value === 'string' ? value : ''
  }
}

function presentReference(
  company: Company,
  target: ObjectName,
  id: string,
): { ID: string; FullName: string } {
  const record = id === '' ? undefined : company.table(target).get(id)
  if (record === undefined) return { ID: '', FullName: '' }
  return { ID: id, FullName: fullNameOf(company, target, record) }
}

function presentBalance(company: Company, object: ObjectName, record: SampleRecord): string {
  const balances = company.balances()
  if (object === 'customer') return formatCents(balances.customer(record.id))
  const type = textOf(record, 'Type')
  if (isProfitAndLoss(type)) return company.application === 'qbd' ? '' : '0.00'
  return formatCents(balances.account(record.id) * naturalSign(type) || 0)
}

function memberOf(value: unknown, member: string): string {
  if (typeof value !== 'object' || value === null) return ''
  const found: unknown = Reflect.get(value, member)
  return typeof found === 'string' ? found : ''
}

function isEmpty(value: unknown): boolean {
  if (value === '') return true
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).every((member) => member === '')
}
