/**
 * The data definition (specification 2.2 to 2.4): each object's fields, their types and labels, and which ones a user
 * may change. Objects without a definition work from their records and metadata alone.
 */

/** The most fields of a list, including members. A hundred are many. */
export const MAX_FIELDS = 1_000

export const FIELD_TYPES = [
  'text',
  'money',
  'boolean',
  'timestamp',
  'reference',
  'address',
  'contact',
] as const
export type FieldType = (typeof FIELD_TYPES)[number]

export interface FieldDefinition {
  /** Name on the wire, exactly as the specification writes it. */
  readonly name: string
  readonly type: FieldType
  /** The name on screen. */
  readonly label: string
  /**
   * `never`: the application maintains it. `insert-only`: sent with a new record, never with a change. `yes`: if
   * metadata supports it. (decisions.md, "Which fields a user may change")
   */
  readonly editable: 'yes' | 'insert-only' | 'never'
  /** The object that a reference points to, for suggestions. */
  readonly refersTo?: string
  /** Whether its values come from a short list of the application's. Those in use are suggested. */
  readonly isChoice?: true
}

export interface ObjectDefinition {
  /** The object's name in paths, as the specification writes it (`customer`). */
  readonly object: string
  /** The list's name on screen: *Customers*. */
  readonly list: string
  /** One record: *customer*. */
  readonly singular: string
  /** Several: *customers*. */
  readonly plural: string
  readonly fields: readonly FieldDefinition[]
  /** Fields that Bookbridge requires in a new record (decisions.md, "Required fields"). */
  readonly required: readonly string[]
}

/** Members of an address, in the specification's order. */
export const ADDRESS_PARTS = [
  { name: 'Line1', label: 'Line 1' },
  { name: 'Line2', label: 'Line 2' },
  { name: 'Line3', label: 'Line 3' },
  { name: 'Line4', label: 'Line 4' },
  { name: 'Line5', label: 'Line 5' },
  { name: 'City', label: 'City' },
  { name: 'State', label: 'State' },
  { name: 'PostalCode', label: 'Postal code' },
  { name: 'Country', label: 'Country' },
  { name: 'Notes', label: 'Notes' },
] as const

/** Members of a contact. */
export const CONTACT_PARTS = [{ name: 'Name', label: 'Name' }] as const

function field(
  name: string,
  label: string,
  type: FieldType = 'text',
  more: Partial<Pick<FieldDefinition, 'editable' | 'refersTo' | 'isChoice'>> = {},
): FieldDefinition {
  return { name, label, type, editable: 'yes', ...more }
}

const ID = field('ID', 'ID', 'text', { editable: 'never' })
const FULL_NAME = field('FullName', 'Full name', 'text', { editable: 'never' })
const CREATED = field('CreatedDate', 'Created', 'timestamp', { editable: 'never' })
const MODIFIED = field('LastModifiedDate', 'Last modified', 'timestamp', { editable: 'never' })
const BALANCE = field('Balance', 'Balance', 'money', { editable: 'insert-only' })

const CUSTOMER: ObjectDefinition = {
  object: 'customer',
  list: 'Customers',
  singular: 'customer',
  plural: 'customers',
  required: ['Name'],
  fields: [
    ID,
    field('ExternalID', 'External ID'),
    field('Name', 'Name'),
    FULL_NAME,
    field('Parent', 'Parent', 'reference', { refersTo: 'customer' }),
    field('Terms', 'Terms', 'reference'),
    field('CompanyName', 'Company name'),
    field('Salutation', 'Salutation'),
    field('FirstName', 'First name'),
    field('MiddleName', 'Middle name'),
    field('LastName', 'Last name'),
    field('Suffix', 'Suffix'),
    field('TaxCode', 'Tax code', 'reference'),
    field('ItemSalesTax', 'Sales tax item', 'reference'),
    field('BillingAddress', 'Billing address', 'address'),
    field('ShippingAddress', 'Shipping address', 'address'),
    field('Phone', 'Phone'),
    field('Mobile', 'Mobile'),
    field('AlternatePhone', 'Alternate phone'),
    field('Email', 'Email'),
    field('Contact', 'Contact', 'contact'),
    field('AlternateContact', 'Alternate contact'),
    field('Number', 'Number'),
    BALANCE,
    field('IsActive', 'Active', 'boolean'),
    CREATED,
    MODIFIED,
    field('Class', 'Class', 'reference'),
  ],
}

const VENDOR: ObjectDefinition = {
  object: 'vendor',
  list: 'Vendors',
  singular: 'vendor',
  plural: 'vendors',
  required: ['Name'],
  fields: [
    ID,
    CREATED,
    MODIFIED,
    field('Name', 'Name'),
    field('IsActive', 'Active', 'boolean'),
    field('CompanyName', 'Company name'),
    field('Address', 'Address', 'address'),
    field('Phone', 'Phone'),
    field('EligibleFor1099', 'Eligible for 1099', 'boolean'),
    field('Currency', 'Currency', 'reference'),
  ],
}

const ACCOUNT: ObjectDefinition = {
  object: 'account',
  list: 'Accounts',
  singular: 'account',
  plural: 'accounts',
  required: ['Name'],
  fields: [
    ID,
    field('Name', 'Name'),
    FULL_NAME,
    field('Number', 'Number'),
    field('Description', 'Description'),
    field('BankNumber', 'Bank number'),
    field('Parent', 'Parent', 'reference', { refersTo: 'account' }),
    BALANCE,
    field('IsActive', 'Active', 'boolean'),
    field('Type', 'Type', 'text', { isChoice: true }),
    CREATED,
    MODIFIED,
  ],
}

/** The objects that the specification describes. */
export const OBJECT_DEFINITIONS: readonly ObjectDefinition[] = [CUSTOMER, VENDOR, ACCOUNT]

/** By object and name, because every cell and every sent field looks one up. */
const FIELDS: ReadonlyMap<string, ReadonlyMap<string, FieldDefinition>> = new Map(
  OBJECT_DEFINITIONS.map(({ object, fields }) => [
    object,
    new Map(fields.map((field) => [field.name, field])),
  ]),
)

/** The definition of an object by its name in any case; `undefined` if the specification has none. */
export function objectDefinition(object: string): ObjectDefinition | undefined {
  const name = object.toLowerCase()
  return OBJECT_DEFINITIONS.find((definition) => definition.object === name)
}

/** The name of a list on screen, even if it has no definition. */
export function listName(object: string): string {
  return objectDefinition(object)?.list ?? object
}

/** One record and several: *customer*, *customers*. Without a definition, a list named in *s* has *terms*; others have *records*. */
export function recordNoun(object: string): Pick<ObjectDefinition, 'singular' | 'plural'> {
  const plural = /[^s]s$/i.test(object) ? object.toLowerCase() : 'records'
  return objectDefinition(object) ?? { singular: 'record', plural }
}

/** Fields that are never sent, even if metadata supports them (decisions.md). */
export const NEVER_SENT: readonly string[] = ['ID', 'FullName', 'CreatedDate', 'LastModifiedDate']

/** Whether the data definition has the field. */
export function isDescribed(object: string, name: string): boolean {
  return FIELDS.get(object.toLowerCase())?.has(name) ?? false
}

/**
 * The list that a reference points to. *Assumption* (decisions.md, "Lists of references"): it has the field's name, such
 * as `terms`, unless the definition names another one.
 */
export function referenceList(object: string, name: string): string {
  return (FIELDS.get(object.toLowerCase())?.get(name)?.refersTo ?? name).toLowerCase()
}

/** A field without a definition is text (decisions.md, "Field types in metadata"). */
export function fieldDefinition(object: string, name: string): FieldDefinition {
  const known = FIELDS.get(object.toLowerCase())?.get(name)
  if (known) return known
  return { name, label: name, type: 'text', editable: NEVER_SENT.includes(name) ? 'never' : 'yes' }
}
