/** Proposes the field of each column, from remembered choices or from its heading. */
import type { RememberedChoice } from '../../../../shared/contract/import.ts'
import { REASON_HEADING } from '../../../../shared/import/table.ts'
import { memberOf, topField } from '../../../../shared/records/changes.ts'
import { fieldDefinition } from '../../../../shared/records/definition.ts'
import { pathHeading } from '../../../../shared/records/fields.ts'

/** A column and the field it is imported into. */
export interface ColumnTarget {
  /** Zero-based index in the file. */
  readonly column: number
  readonly heading: string
  /** `null` skips the column. */
  readonly path: string | null
  /** What an empty cell does to the field of an existing record. */
  readonly emptyMeans: 'leave' | 'clear'
}

/** Names for a field in other programs, normalized by `plainName`. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  ID: ['recordid', 'listid', 'internalid', 'customerid', 'custid', 'vendorid', 'accountid', 'supplierid'],
  ExternalID: ['externalreference', 'foreignid'],
  Name: ['displayname'],
  FullName: ['fullyqualifiedname', 'customerfullname', 'vendorfullname', 'accountfullname'],
  Parent: ['parentname', 'parentaccount', 'parentcustomer', 'subcustomerof', 'subaccountof', 'jobof'],
  Terms: ['paymentterms', 'term', 'creditterms', 'salesterms'],
  CompanyName: ['company', 'business', 'businessname', 'organisation', 'organization'],
  Salutation: ['title', 'mrms', 'prefix'],
  FirstName: ['givenname', 'forename', 'first'],
  MiddleName: ['middle', 'middleinitial', 'mi'],
  LastName: ['surname', 'familyname', 'last'],
  TaxCode: ['salestaxcode', 'taxstatus', 'taxable'],
  ItemSalesTax: ['taxitem', 'salestax'],
  Phone: [
    'telephone',
    'phonenumber',
    'phonenumbers',
    'mainphone',
    'primaryphone',
    'workphone',
    'businessphone',
    'tel',
    'phoneno',
  ],
  Mobile: ['mobilephone', 'cell', 'cellphone', 'mobilenumber'],
  AlternatePhone: ['altphone', 'otherphone', 'phone2', 'secondphone'],
  Email: ['emailaddress', 'mainemail', 'mail', 'emails'],
  Contact: ['contactname', 'primarycontact', 'contactperson', 'maincontact'],
  AlternateContact: ['altcontact', 'secondarycontact', 'contact2'],
  Number: [
    'accountnumber',
    'accountno',
    'acctno',
    'acct',
    'accnt',
    'acctnumber',
    'accntnumber',
    'accntno',
    'customernumber',
    'customerno',
    'clientnumber',
    'clientno',
    'no',
    'num',
    'nr',
    'code',
    'accountcode',
  ],
  AccountNumber: ['accountno', 'acctno', 'number'],
  Balance: ['openbalance', 'openingbalance', 'balancetotal', 'currentbalance', 'amount'],
  IsActive: ['activestatus', 'status', 'enabled'],
  Class: ['classname', 'department'],
  EligibleFor1099: ['1099', 'track1099', '1099vendor', 'eligiblefor1099vendor'],
  Currency: ['currencycode'],
  Description: ['desc', 'memo', 'details'],
  BankNumber: ['bankaccountnumber', 'bankaccount', 'bankno'],
  Type: ['accounttype', 'kind'],
  BillingAddress: [
    'billing',
    'billto',
    'billaddress',
    'billtoaddress',
    'po',
    'mailingaddress',
    'invoiceaddress',
    'address',
    'streetaddress',
  ],
  ShippingAddress: [
    'shipping',
    'shipto',
    'shipaddress',
    'shiptoaddress',
    'deliveryaddress',
    'delivery',
    'sa',
  ],
  Address: ['mailingaddress', 'vendoraddress', 'mailing', 'billfrom', 'billto', 'po'],
  Line1: ['street', 'streetaddress', 'address1', 'addressline1', 'street1', 'addr1', 'streetline1', '1'],
  Line2: ['address2', 'addressline2', 'street2', 'addr2', 'streetline2', '2'],
  Line3: ['address3', 'addressline3', 'street3', 'addr3', 'streetline3', '3'],
  Line4: ['address4', 'addressline4', 'addr4', '4'],
  Line5: ['address5', 'addressline5', 'addr5', '5'],
  City: ['town', 'towncity', 'suburb'],
  State: ['st', 'province', 'region', 'county', 'stateprovince'],
  PostalCode: ['zip', 'zipcode', 'postcode', 'postal', 'zippostalcode', 'zippostcode'],
  Country: ['countryregion', 'countrycode'],
  Notes: ['note', 'addressnotes'],
}
/** Names for the name field in other programs, by object. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  customer: ['customer', 'customername', 'client', 'clientname'],
  vendor: ['vendor', 'vendorname', 'supplier', 'suppliername', 'payee'],
  account: ['account', 'accountname'],
}
/** The address that a column such as `City` belongs to if its heading names none. */
const FIRST_ADDRESS = ['BillingAddress', 'Address']

/** Strips case, accents, spaces, and punctuation: `E-mail address` becomes `emailaddress`. */
export function plainName(name: string): string {
  return (
    name
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll('#', 'number')
      // Xero marks required headings with an asterisk and calls the name of a record this.
      .replace(/^\s*\*\s*contactname\s*$/, 'displayname')
      .replace(/[^\p{L}\p{N}]/gu, '')
  )
}

/** The key under which the choices for a set of headings are remembered. */
export function headingSetKey(headings: readonly string[]): string {
  return JSON.stringify(headings.map(plainName))
}

/**
 * Proposes a field for each column. Each field is used once, for the best match, or for the first column among
 * equal matches.
 * @param paths the fields to choose from (`importPaths`)
 * @param remembered earlier choices for these headings
 */
export function proposeColumns(
  object: string,
  headings: readonly string[],
  paths: readonly string[],
  remembered: readonly RememberedChoice[],
): readonly ColumnTarget[] {
  const known = rememberedByColumn(headings, remembered)
  const allowed = new Set(paths)
  const names = pathNames(object, paths)
  const taken = new Set<string>()
  const chosen = new Map<number, string>()
  const take = (column: number, path: string | null | undefined): void => {
    if (path === null || path === undefined || !allowed.has(path) || taken.has(path)) return
    taken.add(path)
    chosen.set(column, path)
  }
  known.forEach((choice, column) => {
    take(column, choice?.path)
  })
  for (const ranked of names) {
    headings.forEach((heading, column) => {
      const name = plainName(heading)
      if (name === '' || heading === REASON_HEADING || chosen.has(column)) return
      if (known[column] !== undefined) return
      take(column, ranked.get(name))
    })
  }
  return headings.map((heading, column) => ({
    column,
    heading,
    path: chosen.get(column) ?? null,
    emptyMeans: known[column]?.emptyMeans ?? 'leave',
  }))
}

/** Pairs columns with remembered choices. Repeated headings are paired in order. */
function rememberedByColumn(
  headings: readonly string[],
  remembered: readonly RememberedChoice[],
): readonly (RememberedChoice | undefined)[] {
  const waiting = Map.groupBy(remembered, ({ heading }) => plainName(heading))
  return headings.map((heading) => waiting.get(plainName(heading))?.shift())
}

type Names = ReadonlyMap<string, string>

/** Names of paths in tiers, the most specific first. Within a tier, the first path with a name gets it. */
function pathNames(object: string, paths: readonly string[]): readonly Names[] {
  // If a list has both fields, a “Full name” column is a user's name.
  const ofObject = collect(paths, (path) => (path === 'FullName' ? [`${object}fullname`] : []))
  const exact = collect(paths, (path) => [path, pathHeading(object, path)])
  const whole = collect(paths, (path) => {
    const member = memberOf(path)
    const field = topField(path)
    if (member === null)
      return [
        ...synonyms(field),
        ...(field === 'Name' ? nameWords(object) : []),
        ...withObject(object, field),
      ]
    return withMember(fieldNames(object, field), [member, ...synonyms(member)])
  })
  // `Contact` means the contact's name. `City` means a member of the first address.
  const loose = collect(paths, (path) => {
    const member = memberOf(path)
    const field = topField(path)
    // For customers, “Account” is the account number. In the chart of accounts, it is the name.
    if (member === null) return field === 'Number' ? ['account'] : []
    if (member === 'Name') return fieldNames(object, field)
    // A “Notes” column belongs to the record, not to its address.
    return FIRST_ADDRESS.includes(field) && member !== 'Notes'
      ? [member, ...synonyms(member)].filter((name) => !/^\d$/.test(name))
      : []
  })
  const faint = collect(
    paths.filter((path) => memberOf(path) === 'Line1'),
    (path) => fieldNames(object, topField(path)),
  )
  return [ofObject, exact, whole, loose, faint]
}

function collect(paths: readonly string[], namesOf: (path: string) => readonly string[]): Names {
  const names = new Map<string, string>()
  for (const path of paths) {
    for (const each of namesOf(path)) {
      const name = plainName(each)
      if (name !== '' && !names.has(name)) names.set(name, path)
    }
  }
  return names
}

function synonyms(field: string): readonly string[] {
  return (Object.hasOwn(SYNONYMS, field) ? SYNONYMS[field] : undefined) ?? []
}

function nameWords(object: string): readonly string[] {
  return (Object.hasOwn(NAMES, object) ? NAMES[object] : undefined) ?? Object.values(NAMES).flat()
}

function fieldNames(object: string, field: string): readonly string[] {
  return [field, fieldDefinition(object, field).label, ...synonyms(field)]
}

/** `Customer phone` for `Phone`. */
function withObject(object: string, field: string): readonly string[] {
  return [field, fieldDefinition(object, field).label].map((name) => `${object}${name}`)
}

function withMember(fields: readonly string[], members: readonly string[]): readonly string[] {
  return fields.flatMap((field) => members.map((member) => `${field}${member}`))
}
