// POST and PATCH (section 4.1): inserts or changes one record or several, each with its own outcome.
import { isProfitAndLoss, naturalSign } from '../books/ledger.ts'
import { centsOfNumber } from '../cents.ts'
import { type Company, type OpeningBalance } from '../company.ts'
import {
  accepted,
  type ContentItem,
  contentOf,
  type Outcome,
  recordRefusal,
  type RecordTrouble,
  refused,
  type ResponseContent,
} from '../responses.ts'
import { isObject } from '../routes.ts'
import { dayOfMoment, formatTimestamp, parseDay, parseMoment } from '../time.ts'
import {
  addressMembers,
  definitionOf,
  type FieldDefinition,
  fieldsFor,
  type ObjectName,
} from './definition.ts'
import { itemOf } from './reading.ts'
import {
  type FieldValue,
  findByFullName,
  fullNameOf,
  idOf,
  isNameTaken,
  type SampleRecord,
  textOf,
} from './table.ts'

/** What a write needs besides its body. */
export interface WriteContext {
  readonly company: Company
  readonly object: ObjectName
  /** The service's clock, in milliseconds since 1970. */
  readonly now: number
  /** Entries on or before this day (`yyyy-mm-dd`) are refused. Empty if no period is closed. */
  readonly closingDate: string
  readonly self: string
}

const ACCOUNT_TYPES = new Set([
  'Bank',
  'AccountsReceivable',
  'OtherCurrentAsset',
  'FixedAsset',
  'OtherAsset',
  'AccountsPayable',
  'CreditCard',
  'OtherCurrentLiability',
  'LongTermLiability',
  'Equity',
  'Income',
  'CostOfGoodsSold',
  'Expense',
  'OtherIncome',
  'OtherExpense',
])

/** The largest amount that the applications accept. Sums of such amounts stay exact. */
const LARGEST_AMOUNT = 9_999_999_999.99

/** Inserts the records of a body. */
export function insertRecords(context: WriteContext, body: unknown): Outcome<ResponseContent> {
  return writeEach(context, body, insertRecord)
}

/** Changes the records of a body, each only in the fields that were sent. */
export function changeRecords(context: WriteContext, body: unknown): Outcome<ResponseContent> {
  return writeEach(context, body, changeRecord)
}

type WriteOne = (context: WriteContext, body: Readonly<Record<string, unknown>>) => Outcome<SampleRecord>

function writeEach(context: WriteContext, body: unknown, write: WriteOne): Outcome<ResponseContent> {
  const bodies: readonly unknown[] = Array.isArray(body) ? body : [body]
  if (bodies.length === 0) return refused(400, 'EmptyBody', 'The body holds no record.')
  if (!Array.isArray(body) && !isObject(body)) {
    return refused(400, 'BadBody', 'The body must be a JSON object, or an array of objects.')
  }
  const items = bodies.map((one): ContentItem => {
    const written = isObject(one)
      ? write(context, one)
      : refused(200, 'BadBody', 'A record must be a JSON object of the data-definition fields.')
    return written.ok
      ? itemOf(context.company, context.object, written.value, context.self)
      : { Object: null, Errors: [written.refusal.entry], Self: null, Kind: context.object }
  })
  return accepted(contentOf(items))
}

function insertRecord(context: WriteContext, body: Readonly<Record<string, unknown>>): Outcome<SampleRecord> {
  const { company, object, now } = context
  const { application } = company
  if (body['ID'] !== undefined && body['ID'] !== '') {
    return recordRefusal(
      application,
      'businessRule',
      shown(body['ID']),
      'ID',
      'The ID must be empty on insert.',
    )
  }
  const checked = checkFields(company, object, body)
  if (!checked.ok) return checked
  const name = checked.value.values['Name']
  if (typeof name !== 'string' || name.trim() === '')
    return recordRefusal(application, 'missingValue', '', 'Name')
  const values = filledIn(company, object, { IsActive: true, ...checked.value.values })
  const record = { id: nextId(context), created: now, modified: now, values }
  const proper = checkRecord(company, object, record)
  if (!proper.ok) return proper
  const opening = openingOf(context, record, checked.value.balance)
  if (!opening.ok) return opening
  company.save(object, record, opening.value)
  return accepted(record)
}

function changeRecord(context: WriteContext, body: Readonly<Record<string, unknown>>): Outcome<SampleRecord> {
  const { company, object, now } = context
  const { application } = company
  const id = body['ID']
  if (typeof id !== 'string' || id === '') return recordRefusal(application, 'missingValue', '', 'ID')
  const before = company.table(object).get(id)
  if (before === undefined) return recordRefusal(application, 'notFound', id, object)
  const seen = body['LastModifiedDate']
  // Timestamps on the wire are whole seconds, and there are several ways to write one.
  const current = parseMoment(formatTimestamp(before.modified))
  if (typeof seen === 'string' && seen !== '' && parseMoment(seen) !== current) {
    return recordRefusal(application, 'stale', textOf(before, 'Name'), object)
  }
  const checked = checkFields(company, object, body)
  if (!checked.ok) return checked
  if (checked.value.balance !== undefined) {
    return recordRefusal(
      application,
      'businessRule',
      textOf(before, 'Name'),
      'Balance',
      'A balance follows from entries.',
    )
  }
  const after: SampleRecord = {
    ...before,
    values: { ...before.values, ...checked.value.values },
    // The timestamp must grow even if the clock is behind.
    modified: Math.max(now, before.modified + 1000),
  }
  if (textOf(after, 'Name').trim() === '') return recordRefusal(application, 'missingValue', '', 'Name')
  const proper = checkRecord(company, object, after)
  if (!proper.ok) return proper
  company.save(object, after)
  return accepted(after)
}

function nextId(context: WriteContext): string {
  const { company, object, now } = context
  return idOf(company.application, object, company.table(object).size, now)
}

/** Fills in what the application does on insert (section 4.1): tax code, sales tax, and home currency. */
function filledIn(
  company: Company,
  object: ObjectName,
  values: Readonly<Record<string, FieldValue>>,
): Readonly<Record<string, FieldValue>> {
  const { people } = company.lists()
  const filled: Record<string, FieldValue> = { ...values }
  const supported = new Set(fieldsFor(object, company.application).map((field) => field.name))
  const fill = (name: string, value: FieldValue | undefined): void => {
    if (supported.has(name) && (filled[name] ?? '') === '' && value !== undefined) filled[name] = value
  }
  if (object === 'customer') {
    fill('TaxCode', people.taxableId)
    fill('ItemSalesTax', people.salesTaxIds[0])
  }
  if (object === 'vendor') {
    if (filled['EligibleFor1099'] === undefined) filled['EligibleFor1099'] = false
    for (const currency of company.table('currency').all()) fill('Currency', currency.id)
  }
  return filled
}

function checkRecord(company: Company, object: ObjectName, record: SampleRecord): Outcome<undefined> {
  const { application } = company
  const name = textOf(record, 'Name')
  if (name.includes(':')) {
    return recordRefusal(application, 'businessRule', name, 'Name', 'A name cannot contain a colon.')
  }
  const misplaced = levelTrouble(company, object, record)
  if (misplaced !== undefined) return recordRefusal(application, 'businessRule', name, object, misplaced)
  const fullName = fullNameOf(company, object, record)
  if (isNameTaken(company, object, fullName, record.id)) {
    return recordRefusal(application, 'nameInUse', fullName, 'Name')
  }
  return object === 'account' ? checkAccount(company, record) : accepted(undefined)
}

function checkAccount(company: Company, record: SampleRecord): Outcome<undefined> {
  const { application } = company
  const type = textOf(record, 'Type')
  if (type === '') return recordRefusal(application, 'missingValue', '', 'Type')
  if (!ACCOUNT_TYPES.has(type)) return recordRefusal(application, 'wrongType', type, 'Type')
  const before = company.table('account').get(record.id)
  if (before !== undefined && textOf(before, 'Type') !== type) {
    return recordRefusal(
      application,
      'businessRule',
      textOf(record, 'Name'),
      'Type',
      'The type of an account cannot be changed.',
    )
  }
  const parent = company.table('account').get(textOf(record, 'Parent'))
  if (parent !== undefined && textOf(parent, 'Type') !== type) {
    return recordRefusal(
      application,
      'badReference',
      textOf(parent, 'Name'),
      'Parent',
      'Its type is different.',
    )
  }
  return accepted(undefined)
}

function openingOf(
  context: WriteContext,
  record: SampleRecord,
  balance: number | undefined,
): Outcome<OpeningBalance | undefined> {
  const { company, object, now, closingDate } = context
  const { application } = company
  if (balance === undefined || balance === 0) return accepted(undefined)
  if (Math.abs(balance) > LARGEST_AMOUNT) {
    const detail = 'An amount can be at most 9,999,999,999.99.'
    return recordRefusal(application, 'tooLarge', String(balance), 'Balance', detail)
  }
  const cents = centsOfNumber(balance)
  if (cents === undefined) return recordRefusal(application, 'wrongType', String(balance), 'Balance')
  const type = object === 'account' ? textOf(record, 'Type') : 'AccountsReceivable'
  const isControl = object === 'account' && (type === 'AccountsReceivable' || type === 'AccountsPayable')
  if (isProfitAndLoss(type) || isControl) {
    return recordRefusal(
      application,
      'businessRule',
      textOf(record, 'Name'),
      'Balance',
      'This account cannot have an opening balance.',
    )
  }
  const day = dayOfMoment(now)
  const closed = parseDay(closingDate)
  if (closed !== undefined && day <= closed)
    return recordRefusal(application, 'closedPeriod', closingDate, 'Balance')
  return accepted({ cents: cents * naturalSign(type), day })
}

// Both applications allow records to be nested five levels deep.

const DEEPEST_LEVEL = 5

/** Why a record can't be nested where it is. Undefined if it can. */
function levelTrouble(company: Company, object: ObjectName, record: SampleRecord): string | undefined {
  const table = company.table(object)
  let level = 0
  for (let id = textOf(record, 'Parent'); id !== ''; level++) {
    if (id === record.id) return 'A record cannot be under itself.'
    const parent = table.get(id)
    id = parent === undefined ? '' : textOf(parent, 'Parent')
  }
  const before = table.get(record.id)
  if (level === 0 || (before !== undefined && textOf(before, 'Parent') === textOf(record, 'Parent')))
    return undefined
  const under = before === undefined ? 0 : levelsUnder(company, object, record.id)
  if (level + 1 + under <= DEEPEST_LEVEL) return undefined
  const words = `The parent is on level ${String(level)} of ${String(DEEPEST_LEVEL)}`
  return under === 0 ? `${words}.` : `${words}, and ${String(under)} levels are under the record.`
}

function levelsUnder(company: Company, object: ObjectName, id: string): number {
  const children = new Map<string, string[]>()
  for (const record of company.table(object).all()) {
    const parent = textOf(record, 'Parent')
    if (parent !== '') children.set(parent, [...(children.get(parent) ?? []), record.id])
  }
  const depthOf = (top: string): number =>
    Math.max(0, ...(children.get(top) ?? []).map((child) => 1 + depthOf(child)))
  return depthOf(id)
}

// Checks the fields that were sent (section 4.1) against the data definition and the lists.

/** The checked values as they are stored, and the balance, if any. */
export interface CheckedFields {
  readonly values: Readonly<Record<string, FieldValue>>
  /** The JSON number that was sent. */
  readonly balance: number | undefined
}

/** Checks all fields of a record. Refuses the first one that is wrong. */
function checkFields(
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

/** A value for an error message. */
function shown(value: unknown): string {
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

/** Finds a reference by its ID, or by its FullName if it has no ID. If both are empty, the field is cleared. */
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
