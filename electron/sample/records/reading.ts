// GET (section 4.1): the records of a list, by ID, by time of change, and by page.
import { isProfitAndLoss, naturalSign } from '../books/ledger.ts'
import { formatCents } from '../cents.ts'
import { type Company } from '../company.ts'
import {
  accepted,
  type ContentItem,
  contentOf,
  type ErrorEntry,
  type Outcome,
  recordRefusal,
  refused,
  type ResponseContent,
} from '../responses.ts'
import { parameter, parameters } from '../routes.ts'
import { formatTimestamp, parseMoment } from '../time.ts'
import { addressMembers, type FieldDefinition, fieldsFor, type ObjectName } from './definition.ts'
import { fullNameOf, type SampleRecord, textOf } from './table.ts'

/** Reads records. A `pageSize` of 0 returns the whole list as one page. `self` is the address of the list. */
export function readRecords(
  company: Company,
  object: ObjectName,
  query: URLSearchParams,
  pageSize: number,
  self: string,
): Outcome<ResponseContent> {
  const from = readMoment(query, 'modTimeStart')
  if (!from.ok) return from
  const until = readMoment(query, 'modTimeEnd')
  if (!until.ok) return until
  const page = readPage(query)
  if (!page.ok) return page
  const within = (record: SampleRecord): boolean =>
    (from.value === undefined || record.modified >= from.value) &&
    (until.value === undefined || record.modified <= until.value)

  const ids = parameters(query, 'id')
  if (ids.length > 0) return accepted(readByIds(company, object, ids, within, self))
  // Without pages, every page is the whole list.
  if (pageSize === 0) return accepted(contentOf(itemsOf(company, object, within, self), false))
  const first = (page.value - 1) * pageSize
  const chosen: SampleRecord[] = []
  let seen = 0
  for (const record of company.table(object).all()) {
    if (!within(record)) continue
    if (seen >= first) chosen.push(record)
    if (++seen > first + pageSize) break
  }
  const more = chosen.length > pageSize
  const items = chosen.slice(0, pageSize).map((record) => itemOf(company, object, record, self))
  return accepted(contentOf(items, more, page.value))
}

/** A record as a content item. */
export function itemOf(
  company: Company,
  object: ObjectName,
  record: SampleRecord,
  self: string,
): ContentItem {
  return {
    Object: presentRecord(company, object, record),
    Errors: null,
    Self: `${self}?id=${encodeURIComponent(record.id)}`,
    Kind: object,
  }
}

function* itemsOf(
  company: Company,
  object: ObjectName,
  within: (record: SampleRecord) => boolean,
  self: string,
): Iterable<ContentItem> {
  for (const record of company.table(object).all()) {
    if (within(record)) yield itemOf(company, object, record, self)
  }
}

function readByIds(
  company: Company,
  object: ObjectName,
  ids: readonly string[],
  within: (record: SampleRecord) => boolean,
  self: string,
): ResponseContent {
  const items: ContentItem[] = []
  const errors: ErrorEntry[] = []
  for (const id of new Set(ids)) {
    const record = company.table(object).get(id)
    if (record === undefined) {
      const { entry } = recordRefusal(company.application, 'queryNotFound', id, object).refusal
      errors.push(company.application === 'qbd' ? { ...entry, Severity: 'Warn' } : entry)
    } else if (within(record)) {
      items.push(itemOf(company, object, record, self))
    }
  }
  return contentOf(items, false, 1, errors)
}

function readMoment(query: URLSearchParams, name: string): Outcome<number | undefined> {
  const text = parameter(query, name)
  if (text === undefined || text === '') return accepted(undefined)
  const moment = parseMoment(text)
  if (moment === undefined) {
    return refused(
      400,
      'BadParameter',
      `The parameter ${name} must be a date-time with an offset, not "${text}".`,
    )
  }
  return accepted(moment)
}

function readPage(query: URLSearchParams): Outcome<number> {
  const text = parameter(query, 'page') ?? '1'
  const page = Number(text)
  if (Number.isSafeInteger(page) && page >= 1) return accepted(page)
  return refused(400, 'BadParameter', `The parameter page must be a whole number from 1, not "${text}".`)
}

// Records on the wire (section 2.1). Booleans and amounts are strings, and references have names.

/**
 * The record's supported fields. Desktop responses contain empty fields, and Online responses leave them out. Section 2.1
 * allows both.
 */
function presentRecord(company: Company, object: ObjectName, record: SampleRecord): Record<string, unknown> {
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
