/** Built-in mappings for the lists that common programs export, by object and program. */
import type { ColumnMapping, SavedMapping } from '../../../../shared/contract/import.ts'

type Fields = Readonly<Record<string, string | null>>

function address(heading: string, field: string): Fields {
  return Object.fromEntries(
    [1, 2, 3, 4, 5].map((line) => [`${heading} ${String(line)}`, `${field}.Line${String(line)}`]),
  )
}

/** Xero's columns for one address, which start with `PO` or `SA`. */
function xeroAddress(prefix: string, field: string): Fields {
  return {
    [`${prefix}AttentionTo`]: null,
    [`${prefix}AddressLine1`]: `${field}.Line1`,
    [`${prefix}AddressLine2`]: `${field}.Line2`,
    [`${prefix}AddressLine3`]: `${field}.Line3`,
    [`${prefix}AddressLine4`]: `${field}.Line4`,
    [`${prefix}City`]: `${field}.City`,
    [`${prefix}Region`]: `${field}.State`,
    [`${prefix}PostalCode`]: `${field}.PostalCode`,
    [`${prefix}Country`]: `${field}.Country`,
  }
}

/**
 * Fields by heading. `null` skips a column. Headings that a template doesn't mention are matched by name. In
 * QuickBooks exports of customers and accounts, the first column contains the full name (`Parent:Child`).
 */
const TEMPLATES: Readonly<Record<string, Readonly<Record<string, Fields>>>> = {
  customer: {
    'QuickBooks Desktop': {
      'Active Status': 'IsActive',
      Customer: 'FullName',
      Balance: null,
      'Balance Total': null,
      Company: 'CompanyName',
      'Mr./Ms./...': 'Salutation',
      'First Name': 'FirstName',
      'M.I.': 'MiddleName',
      'Last Name': 'LastName',
      'Primary Contact': 'Contact.Name',
      'Main Phone': 'Phone',
      'Alt. Phone': 'AlternatePhone',
      Mobile: 'Mobile',
      'Secondary Contact': 'AlternateContact',
      'Main Email': 'Email',
      ...address('Bill to', 'BillingAddress'),
      ...address('Ship to', 'ShippingAddress'),
      Terms: 'Terms',
      'Sales Tax Code': 'TaxCode',
      'Tax item': 'ItemSalesTax',
      'Account No.': 'Number',
      Class: 'Class',
    },
    'QuickBooks Online': {
      Name: 'FullName',
      'Customer full name': 'FullName',
      'Company name': 'CompanyName',
      'Full name': null,
      'First name': 'FirstName',
      'Last name': 'LastName',
      Phone: 'Phone',
      'Phone numbers': 'Phone',
      Email: 'Email',
      'Street Address': 'BillingAddress.Line1',
      'Bill address': 'BillingAddress.Line1',
      'Ship address': 'ShippingAddress.Line1',
      City: 'BillingAddress.City',
      State: 'BillingAddress.State',
      Zip: 'BillingAddress.PostalCode',
      Country: 'BillingAddress.Country',
      Terms: 'Terms',
      'Open balance': null,
      Note: null,
      Notes: null,
      Attachments: null,
    },
    Xero: {
      '*ContactName': 'Name',
      AccountNumber: 'Number',
      EmailAddress: 'Email',
      FirstName: 'FirstName',
      LastName: 'LastName',
      ...xeroAddress('PO', 'BillingAddress'),
      ...xeroAddress('SA', 'ShippingAddress'),
      PhoneNumber: 'Phone',
      MobileNumber: 'Mobile',
      DDINumber: 'AlternatePhone',
      FaxNumber: null,
      BankAccountName: null,
      BankAccountNumber: null,
      TaxNumber: null,
    },
  },
  vendor: {
    'QuickBooks Desktop': {
      'Active Status': 'IsActive',
      Vendor: 'Name',
      Balance: null,
      'Balance Total': null,
      Company: 'CompanyName',
      'Main Phone': 'Phone',
      ...address('Bill from', 'Address'),
      'Eligible for 1099': 'EligibleFor1099',
      'Account No.': null,
      'Tax ID': null,
      'Print on Check as': null,
    },
    'QuickBooks Online': {
      Name: 'Name',
      Vendor: 'Name',
      'Company name': 'CompanyName',
      Phone: 'Phone',
      'Phone numbers': 'Phone',
      'Street Address': 'Address.Line1',
      Address: 'Address.Line1',
      City: 'Address.City',
      State: 'Address.State',
      Zip: 'Address.PostalCode',
      Country: 'Address.Country',
      '1099 Tracking': 'EligibleFor1099',
      'Open balance': null,
    },
    Xero: {
      '*ContactName': 'Name',
      ...xeroAddress('PO', 'Address'),
      PhoneNumber: 'Phone',
      AccountNumber: null,
      BankAccountName: null,
      BankAccountNumber: null,
    },
  },
  account: {
    'QuickBooks Desktop': {
      'Active Status': 'IsActive',
      Account: 'FullName',
      Type: 'Type',
      Balance: null,
      'Balance Total': null,
      Description: 'Description',
      'Accnt. #': 'Number',
      'Account #': 'Number',
      'Tax Line': null,
    },
    'QuickBooks Online': {
      'Account #': 'Number',
      'Account number': 'Number',
      Name: 'FullName',
      'Full name': 'FullName',
      'Account name': 'FullName',
      Type: 'Type',
      'Account type': 'Type',
      'Detail type': null,
      Description: 'Description',
      Balance: null,
      'QuickBooks balance': null,
      'Bank balance': null,
    },
    Xero: {
      '*Code': 'Number',
      '*Name': 'Name',
      '*Type': 'Type',
      Description: 'Description',
      '*Tax Code': null,
      Dashboard: null,
      'Expense Claims': null,
      'Enable Payments': null,
      Balance: null,
    },
  },
}

/** Returns the templates for an object. There are none for objects that these programs don't export. */
export function templatesFor(object: string): readonly SavedMapping[] {
  const programs = Object.hasOwn(TEMPLATES, object.toLowerCase())
    ? TEMPLATES[object.toLowerCase()]
    : undefined
  return Object.entries(programs ?? {}).map(([name, fields]) => ({ name, mapping: mappingOf(fields) }))
}

function mappingOf(fields: Fields): ColumnMapping {
  return {
    choices: Object.entries(fields).map(([heading, path]) => ({ heading, path, emptyMeans: 'leave' })),
    derived: [],
  }
}
