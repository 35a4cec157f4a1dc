// The data definition of sections 2.2 to 2.4 and of the sample's other lists: each field's type, its applications, and
// whether the application maintains it.
import { type Application } from '../responses.ts'

/** The type of a field's value on the wire. */
type FieldType = 'text' | 'boolean' | 'amount' | 'timestamp' | 'reference' | 'address' | 'contact'

/** One field of an object. */
export interface FieldDefinition {
  readonly name: string
  readonly type: FieldType
  /** The applications that support this field. */
  readonly applications: readonly Application[]
  /** The list that a reference refers to. */
  readonly target?: ObjectName
  /** The application maintains the field and ignores what is sent. */
  readonly readOnly?: true
  /** The maximum length of a text, by application. */
  readonly longest?: Readonly<Record<Application, number>>
}

/** The objects of the sample, as in `Kind`. */
export type ObjectName =
  | 'customer'
  | 'vendor'
  | 'account'
  | 'employee'
  | 'class'
  | 'terms'
  | 'taxcode'
  | 'itemsalestax'
  | 'item'
  | 'currency'

const BOTH: readonly Application[] = ['qbd', 'qbo']
const DESKTOP: readonly Application[] = ['qbd']
const ONLINE: readonly Application[] = ['qbo']

const longest = (qbd: number, qbo: number): { longest: Readonly<Record<Application, number>> } => ({
  longest: { qbd, qbo },
})
const text = (name: string, applications = BOTH, limits = longest(500, 500)): FieldDefinition => ({
  name,
  type: 'text',
  applications,
  ...limits,
})
const kept = (name: string, type: FieldType = 'text'): FieldDefinition => ({
  name,
  type,
  applications: BOTH,
  readOnly: true,
})
const field = (name: string, type: FieldType, applications = BOTH): FieldDefinition => ({
  name,
  type,
  applications,
})
const reference = (name: string, target: ObjectName, applications = BOTH): FieldDefinition => ({
  name,
  type: 'reference',
  applications,
  target,
})

const STAMPS = [kept('CreatedDate', 'timestamp'), kept('LastModifiedDate', 'timestamp')]

const DEFINITIONS: Readonly<Record<ObjectName, readonly FieldDefinition[]>> = {
  customer: [
    kept('ID'),
    text('ExternalID', DESKTOP),
    text('Name', BOTH, longest(41, 500)),
    kept('FullName'),
    reference('Parent', 'customer'),
    reference('Terms', 'terms'),
    text('CompanyName', BOTH, longest(41, 100)),
    text('Salutation', BOTH, longest(15, 16)),
    text('FirstName', BOTH, longest(25, 100)),
    text('MiddleName', BOTH, longest(25, 100)),
    text('LastName', BOTH, longest(25, 100)),
    text('Suffix', ONLINE, longest(16, 16)),
    reference('TaxCode', 'taxcode'),
    reference('ItemSalesTax', 'itemsalestax', DESKTOP),
    field('BillingAddress', 'address'),
    field('ShippingAddress', 'address'),
    text('Phone', BOTH, longest(21, 30)),
    text('Mobile', ONLINE, longest(21, 30)),
    text('AlternatePhone', BOTH, longest(21, 30)),
    text('Email', BOTH, longest(1023, 100)),
    field('Contact', 'contact', DESKTOP),
    text('AlternateContact', DESKTOP, longest(41, 41)),
    text('Number', DESKTOP, longest(99, 99)),
    field('Balance', 'amount'),
    field('IsActive', 'boolean'),
    ...STAMPS,
    reference('Class', 'class', DESKTOP),
  ],
  vendor: [
    kept('ID'),
    ...STAMPS,
    text('Name', BOTH, longest(41, 500)),
    field('IsActive', 'boolean'),
    text('CompanyName', BOTH, longest(41, 100)),
    field('Address', 'address'),
    text('Phone', BOTH, longest(21, 30)),
    field('EligibleFor1099', 'boolean'),
    reference('Currency', 'currency', ONLINE),
  ],
  account: [
    kept('ID'),
    text('Name', BOTH, longest(31, 100)),
    kept('FullName'),
    text('Number', BOTH, longest(7, 20)),
    text('Description', BOTH, longest(200, 100)),
    text('BankNumber', DESKTOP, longest(25, 25)),
    reference('Parent', 'account'),
    field('Balance', 'amount'),
    field('IsActive', 'boolean'),
    text('Type'),
    ...STAMPS,
  ],
  employee: [
    kept('ID'),
    text('Name', BOTH, longest(41, 500)),
    text('FirstName', BOTH, longest(25, 100)),
    text('LastName', BOTH, longest(25, 100)),
    text('JobTitle', DESKTOP, longest(41, 41)),
    field('Address', 'address'),
    text('Phone', BOTH, longest(21, 30)),
    text('Email', BOTH, longest(1023, 100)),
    field('IsActive', 'boolean'),
    ...STAMPS,
  ],
  class: [
    kept('ID'),
    text('Name', BOTH, longest(31, 100)),
    kept('FullName'),
    field('IsActive', 'boolean'),
    ...STAMPS,
  ],
  terms: [
    kept('ID'),
    text('Name', BOTH, longest(31, 31)),
    text('DueDays', BOTH, longest(4, 4)),
    field('IsActive', 'boolean'),
    ...STAMPS,
  ],
  taxcode: [
    kept('ID'),
    text('Name', BOTH, longest(3, 100)),
    text('Description', BOTH, longest(31, 100)),
    field('IsTaxable', 'boolean'),
    field('IsActive', 'boolean'),
    ...STAMPS,
  ],
  itemsalestax: [
    kept('ID'),
    text('Name', DESKTOP, longest(31, 31)),
    text('Description', DESKTOP, longest(200, 200)),
    text('TaxRate', DESKTOP, longest(10, 10)),
    field('IsActive', 'boolean', DESKTOP),
    ...STAMPS,
  ],
  item: [
    kept('ID'),
    text('Name', BOTH, longest(31, 100)),
    kept('FullName'),
    text('Type', BOTH, longest(31, 31)),
    text('Description'),
    reference('IncomeAccount', 'account'),
    field('IsActive', 'boolean'),
    ...STAMPS,
  ],
  currency: [
    kept('ID'),
    text('Name', ONLINE, longest(31, 31)),
    text('Code', ONLINE, longest(3, 3)),
    field('IsActive', 'boolean', ONLINE),
  ],
}

const ADDRESS_LINES = ['Line1', 'Line2', 'Line3', 'Line4', 'Line5', 'City', 'State', 'PostalCode', 'Country']

/** The members of an address that an application supports (section 2.2). */
export function addressMembers(application: Application): readonly string[] {
  return application === 'qbd' ? [...ADDRESS_LINES, 'Notes'] : ADDRESS_LINES
}

/** The fields of an object, by its name in any case. Undefined if the sample has no such object. */
export function definitionOf(
  name: string,
): { object: ObjectName; fields: readonly FieldDefinition[] } | undefined {
  const wanted = name.toLowerCase()
  for (const [object, fields] of Object.entries(DEFINITIONS) as [ObjectName, readonly FieldDefinition[]][]) {
    if (object === wanted) return { object, fields }
  }
  return undefined
}

/** The fields of an object that an application supports. */
export function fieldsFor(object: ObjectName, application: Application): readonly FieldDefinition[] {
  return DEFINITIONS[object].filter((candidate) => candidate.applications.includes(application))
}

/** Whether an application has the object. */
export function hasObject(object: ObjectName, application: Application): boolean {
  return DEFINITIONS[object].some(
    (candidate) => candidate.name === 'Name' && candidate.applications.includes(application),
  )
}
