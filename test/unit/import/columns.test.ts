// The mapping of a file's columns to fields: proposed by name, remembered, and never two columns for one field.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  headingSetKey,
  plainName,
  proposeColumns,
} from '../../../renderer/records/import/columns/headings.ts'
import { REASON_HEADING } from '../../../shared/import/table.ts'
import { importPaths, pathHeading } from '../../../shared/records/fields.ts'

function proposed(object: string, headings: readonly string[]): Record<string, string | null> {
  const columns = proposeColumns(object, headings, importPaths(object, []), [])
  return Object.fromEntries(columns.map(({ heading, path }) => [heading, path]))
}

describe('proposals by name', () => {
  it('for other programs’ headings of customers', () => {
    expect(
      proposed('customer', [
        'Customer',
        'Company',
        'Mr./Ms./...',
        'Main Phone',
        'E-mail address',
        'Bill to City',
        'Ship To ZIP',
        'Account No.',
        'Open balance',
        'Active Status',
        'Payment terms',
        'Town/City',
        'Ship to Address',
        'Favorite color',
      ]),
    ).toEqual({
      Customer: 'Name',
      Company: 'CompanyName',
      'Mr./Ms./...': 'Salutation',
      'Main Phone': 'Phone',
      'E-mail address': 'Email',
      'Bill to City': 'BillingAddress.City',
      'Ship To ZIP': 'ShippingAddress.PostalCode',
      'Account No.': 'Number',
      'Open balance': 'Balance',
      'Active Status': 'IsActive',
      'Payment terms': 'Terms',
      'Town/City': null,
      'Ship to Address': 'ShippingAddress.Line1',
      'Favorite color': null,
    })
  })

  it('for QuickBooks Desktop’s headings', () => {
    expect(
      proposed('customer', [
        'Active Status',
        'Account',
        'Customer',
        'Main Phone',
        'Accnt. #',
        'Cust. ID',
        'Bill to 1',
        'Bill to 2',
        'Bill to 5',
        'Ship to 1',
        'Ship to 5',
        'ST',
      ]),
    ).toEqual({
      'Active Status': 'IsActive',
      Account: null,
      Customer: 'Name',
      'Main Phone': 'Phone',
      'Accnt. #': 'Number',
      'Cust. ID': 'ID',
      'Bill to 1': 'BillingAddress.Line1',
      'Bill to 2': 'BillingAddress.Line2',
      'Bill to 5': 'BillingAddress.Line5',
      'Ship to 1': 'ShippingAddress.Line1',
      'Ship to 5': 'ShippingAddress.Line5',
      ST: 'BillingAddress.State',
    })
    expect(proposed('vendor', ['Vendor', 'Bill from 1', 'Bill from 5'])).toEqual({
      Vendor: 'Name',
      'Bill from 1': 'Address.Line1',
      'Bill from 5': 'Address.Line5',
    })
    expect(proposed('account', ['Account', 'Acct #', 'Type'])).toEqual({
      Account: 'Name',
      'Acct #': 'Number',
      Type: 'Type',
    })
  })

  it('for QuickBooks Online’s and Xero’s headings', () => {
    expect(proposed('customer', ['Customer full name', 'Phone numbers', 'Open balance'])).toEqual({
      'Customer full name': 'FullName',
      'Phone numbers': 'Phone',
      'Open balance': 'Balance',
    })
    const contacts = ['Full name', 'Customer full name', 'Bill address', 'Note', 'Notes']
    expect(proposed('customer', contacts), 'a contact list names the person, too').toEqual({
      'Full name': null,
      'Customer full name': 'FullName',
      'Bill address': 'BillingAddress.Line1',
      Note: null,
      Notes: null,
    })
    expect(
      proposed('customer', [
        '*ContactName',
        'AccountNumber',
        'EmailAddress',
        'POAddressLine1',
        'PORegion',
        'SACity',
      ]),
    ).toEqual({
      '*ContactName': 'Name',
      AccountNumber: 'Number',
      EmailAddress: 'Email',
      POAddressLine1: 'BillingAddress.Line1',
      PORegion: 'BillingAddress.State',
      SACity: 'ShippingAddress.City',
    })
  })

  it('an unnamed address is the first one, and its street the first line', () => {
    expect(proposed('customer', ['Name', 'Street', 'City', 'Zip code', 'Address'])).toMatchObject({
      Street: 'BillingAddress.Line1',
      City: 'BillingAddress.City',
      'Zip code': 'BillingAddress.PostalCode',
      Address: null,
    })
    expect(proposed('vendor', ['Vendor name', 'Address', 'Town', '1099'])).toEqual({
      'Vendor name': 'Name',
      Address: 'Address.Line1',
      Town: 'Address.City',
      '1099': 'EligibleFor1099',
    })
  })

  it('a better match gets the field, wherever it is', () => {
    expect(proposed('customer', ['Customer', 'Name'])).toEqual({ Customer: null, Name: 'Name' })
    expect(proposed('customer', ['Contact', 'Contact name', 'Contact.Name'])).toMatchObject({
      Contact: 'Contact.Name',
    })
  })

  it.each(['customer', 'vendor', 'account', 'item'])(
    'every heading of an export is recognized: %s',
    (object) => {
      const paths = importPaths(object, [
        { name: 'Odd', members: ['Deep', 'er'] },
        { name: 'Some', members: ['ID', 'FullName'] },
        { name: 'Plain', members: [] },
      ])
      for (const headings of [paths.map((path) => pathHeading(object, path)), paths]) {
        const columns = proposeColumns(object, headings, paths, [])
        expect(columns.map(({ path }) => path)).toEqual(paths)
      }
    },
  )

  it('earlier choices for these headings apply, even that a column is left out', () => {
    const remembered = [
      { heading: 'Ref', path: 'Number', emptyMeans: 'clear' },
      { heading: 'Phone', path: null, emptyMeans: 'leave' },
      { heading: 'Fax', path: 'NoLongerThere', emptyMeans: 'leave' },
    ] as const
    const columns = proposeColumns(
      'customer',
      ['Name', 'REF', 'Phone', 'Fax'],
      importPaths('customer', []),
      remembered,
    )
    expect(columns.map(({ path, emptyMeans }) => [path, emptyMeans])).toEqual([
      ['Name', 'leave'],
      ['Number', 'clear'],
      [null, 'leave'],
      [null, 'leave'],
    ])
    expect(headingSetKey(['Name', 'E-mail'])).toBe(headingSetKey(['NAME', 'email']))
    expect(headingSetKey(['Name', 'E-mail'])).not.toBe(headingSetKey(['E-mail', 'Name']))
  })

  it.each([
    [
      ['Name', 'Phone', 'Phone', 'Zip'],
      ['Name', 'Phone', 'Mobile', null],
    ],
    [
      ['Name', 'Phone', 'Phone', 'Zip'],
      ['Name', 'Phone', null, 'BillingAddress.PostalCode'],
    ],
    [
      ['Name', 'Tel. 1', 'Tel-1'],
      ['Name', 'Phone', 'Mobile'],
    ],
    [
      ['Name', '', ''],
      ['Name', 'Phone', 'Mobile'],
    ],
  ])('with equal headings, each column keeps its choice: %j is %j', (headings, paths) => {
    const before = headings.map((heading, column) => ({
      heading,
      path: paths[column] ?? null,
      emptyMeans: column === 2 ? ('clear' as const) : ('leave' as const),
    }))
    const again = proposeColumns('customer', headings, importPaths('customer', []), before)
    expect(again).toEqual(before.map((choice, column) => ({ ...choice, column })))
  })

  it('the reasons in a file of failed rows aren’t a field', () => {
    expect(proposed('customer', ['Name', REASON_HEADING])).toEqual({ Name: 'Name', [REASON_HEADING]: null })
  })

  it('any headings: each column is proposed once, and no field twice', () => {
    const heading = fc.oneof(
      fc.string(),
      fc.constantFrom(...importPaths('customer', []), 'Zip', 'street', 'Phone', ''),
    )
    fc.assert(
      fc.property(fc.array(heading, { maxLength: 40 }), (headings) => {
        const columns = proposeColumns('customer', headings, importPaths('customer', []), [])
        expect(columns.map((column) => column.heading)).toEqual(headings)
        const paths = columns.flatMap(({ path }) => (path === null ? [] : [path]))
        expect(new Set(paths).size).toBe(paths.length)
      }),
    )
  })

  it('names are compared ignoring case, accents, and punctuation', () => {
    expect(plainName(' É-mail  Address ')).toBe('emailaddress')
    expect(plainName('Acct #')).toBe('acctnumber')
  })
})
