// **Tidy up**: what is proposed for a list's records, and what is left alone because it is uncertain.
import { describe, expect, it, test } from 'vitest'
import {
  Casings,
  phoneIn,
  stateIn,
  suggestEmail,
  withoutStraySpaces,
  zipOf,
} from '../../../electron/tidy/forms.ts'
import { type ScanOptions, TidyScan } from '../../../electron/tidy/scan.ts'
import { Format, formatSentence } from '../../../shared/format/format.ts'
import { type RecordData, textOf } from '../../../shared/records/changes.ts'
import {
  dismissedBy,
  keyWithoutFacts,
  type Proposal,
  type TidiedList,
  type TidyKind,
} from '../../../shared/records/tidy.ts'

const NOW = '2026-11-26T12:00:00.000Z'
/** The proposals of a kind that a list shows at a time. */
const MAX_PROPOSALS = 1_000
const ALL = [
  ...[
    'Name',
    'CompanyName',
    'FirstName',
    'LastName',
    'Phone',
    'Mobile',
    'Email',
    'IsActive',
    'BillingAddress',
  ],
  ...['City', 'State', 'PostalCode', 'Line1'].map((member) => `BillingAddress.${member}`),
]

function tidied(
  records: readonly RecordData[],
  {
    object = 'customer',
    supported = ALL,
    dismissed = [],
    drafted = [],
  }: Partial<Pick<ScanOptions, 'object' | 'supported' | 'dismissed' | 'drafted'>> = {},
): TidiedList {
  const scan = new TidyScan({ object, supported, now: NOW, dismissed, drafted })
  for (const [at, record] of records.entries())
    scan.add({ ID: `r${String(at + 1)}`, IsActive: 'true', ...record })
  return scan.finish((ids) =>
    records
      .map((record, at): RecordData => ({ ID: `r${String(at + 1)}`, ...record }))
      .filter(({ ID }) => ids.includes(String(ID))),
  )
}

function inWords(reason: Proposal['reason']): string {
  return formatSentence(reason, new Format({ locale: 'en-US', negatives: 'minus' }))
}

/** A proposal in a line: *phone r1: Phone → (415) 555-0101*. */
function line({ kind, records }: Proposal): string {
  const each = records.map(({ recordId, edits }) =>
    [recordId, ...edits.map(({ path, now }) => `${path} → ${textOf(now)}`)].join(' '),
  )
  return `${kind} ${each.join(', ')}`
}

function lines(
  records: readonly RecordData[],
  kind: TidyKind,
  options: Parameters<typeof tidied>[1] = {},
): string[] {
  return tidied(records, options)
    .proposals.filter((each) => each.kind === kind)
    .map(line)
}

describe('a value has one form', () => {
  test.for([
    ['415-555-0101', '(415) 555-0101'],
    ['4155550101', '(415) 555-0101'],
    ['+1 415.555.0101', '(415) 555-0101'],
    // Local, with an extension, foreign, or invalid.
    ['555-0101', null],
    ['415-555-0101 x12', null],
    ['+44 20 7946 0958', null],
    ['+47 22 33 44 55', null],
    ['55 1234 5678', null],
    ['115-555-0101', null],
  ] as const)('phone %s', ([text, wanted]) => {
    expect(phoneIn('(###) ###-####', text)).toBe(wanted)
  })

  test.for([
    ['941070123', 'CA', '94107-0123'],
    ['94107 0123', 'CA', '94107-0123'],
    ['2139', 'MA', '02139'],
    ['94107', 'CA', null],
    ['2139', 'CA', null],
    // It would be Rhode Island's.
    ['2801', 'MA', null],
    // Elsewhere: Catania, Casablanca.
    ['951210123', 'CT', null],
    ['2000', 'MA', null],
    ['941070123', '', null],
    ['SW1A 1AA', 'CA', null],
  ] as const)('ZIP code %s in %s', ([text, state, wanted]) => {
    expect(zipOf(text, state)).toBe(wanted)
  })

  test.for([
    ['ca', 'CA'],
    ['California', 'CA'],
    ['N.Y.', 'NY'],
    ['new  york', 'NY'],
    ['Ontario', null],
    ['Calif', null],
  ] as const)('state %s', ([text, wanted]) => {
    expect(stateIn('code', text)).toBe(wanted)
  })

  test.for([
    ['office@ash.example.', 'office@ash.example'],
    ['office @ash.example', 'office@ash.example'],
    ['<office@ash.example>', 'office@ash.example'],
    ['office@ash,com', 'office@ash.com'],
    ['office@ash.con', 'office@ash.com'],
    ['(office)@ash.con', null],
    ['(office@ash.con)', 'office@ash.com'],
    ["'office@ash.example'", 'office@ash.example'],
    ["o'leary@ash.con", "o'leary@ash.com"],
    ['office at ash', null],
    ['office@', null],
    ['a@b.example and c@d.example', null],
    ['office@ash . example', 'office@ash.example'],
    ['Dr. ash@bakery.example', null],
    ['a@b.example, c@d.example', null],
  ] as const)('email address %s', ([text, wanted]) => {
    expect(suggestEmail(text)).toBe(wanted)
  })

  test.for([
    [' Ash Bakery', 'Ash Bakery'],
    ['Ash  Bakery', 'Ash Bakery'],
    ['Ash\u00a0Bakery\t', 'Ash Bakery'],
    ['Ash Bakery', null],
    ['First line\nSecond line', null],
  ] as const)('stray spaces in %j', ([text, wanted]) => {
    expect(withoutStraySpaces(text)).toBe(wanted)
  })

  test.for([
    ['MARIA LOPEZ', 'Maria Lopez'],
    ["DANIEL O'BRIEN", "Daniel O'Brien"],
    ['harbor light llc', 'Harbor Light LLC'],
    ['LOPEZ, MARIA 2', 'Lopez, Maria 2'],
    ['light of the harbor', 'Light of the Harbor'],
    ['PETER LEBLANC', 'Peter LeBlanc'],
    // No name of the list has them.
    ['MARIA OBRIEN', null],
    ['MARIA DSOUZA', null],
    ['ucla harbor', null],
    // In two forms, or in an odd one that may be a typo.
    ['MARIA DE LA CRUZ', null],
    ['PETER SMITH', null],
    // It begins no name, and a name that it begins says nothing about others.
    ['of maria', null],
    ['light and harbor', null],
  ] as const)('capital letters of %s', ([text, wanted]) => {
    const casings = new Casings([text])
    for (const name of [
      ...['Maria Lopez', "Peter O'Brien", 'Daniel LeBlanc', 'Peter LeBlanc', 'Harbor Light LLC', 'Ash LLC'],
      ...['Light of the Sea', 'Ana de la Cruz', 'Ana De Cruz', 'Ana SMith', 'And Co'],
    ])
      casings.learn(name)
    expect(casings.apply(text)).toBe(wanted)
  })
})

describe('proposals', () => {
  it('follow the form that most of the list uses', () => {
    const dashes = ['415-555-0101', '415-555-0102', '415-555-0103', '(415) 555-0104'].map((Phone) => ({
      Phone,
    }))
    expect(lines(dashes, 'phone')).toEqual(['phone r4 Phone → 415-555-0104'])
    const names = ['California', 'Oregon', 'CA'].map((State) => ({ BillingAddress: { State } }))
    expect(lines(names, 'state')).toEqual(['state r3 BillingAddress.State → California'])
  })

  it('are not made without a form that more than half of all values have', () => {
    const phones = (numbers: readonly string[]) => numbers.map((Phone) => ({ Phone }))
    const spaced = ['0101', '0102', '0103', '0104', '0105'].map((line) => `510 555 ${line}`)
    expect(lines(phones(spaced), 'phone')).toEqual([])
    expect(lines(phones([...spaced, '510.555.0199']), 'phone')).toEqual([])
    expect(lines(phones(['5105550101', '510-555-0102']), 'phone')).toEqual([])
    const states = ['ca', 'or', 'CA'].map((State) => ({ BillingAddress: { State } }))
    expect(lines(states, 'state')).toEqual([])
  })

  it('don’t change other countries’ values', () => {
    const abroad = { Country: 'Mexico', State: 'ca', PostalCode: '941070123' }
    const home = ['(415) 555-0102', '(415) 555-0103'].map((Phone) => ({ Phone }))
    const records = [{ Phone: '4155550101', BillingAddress: abroad }, ...home]
    expect(tidied(records).proposals).toEqual([])
    // A state or a postal code says so without a country.
    const codes = ['CA', 'NY'].map((State) => ({ BillingAddress: { State } }))
    const tbilisi = { State: 'Georgia', PostalCode: '0108' }
    expect(tidied([{ BillingAddress: tbilisi }, ...codes]).proposals).toEqual([])
    const phoneIn = (State: string) =>
      lines([{ Phone: '2345678901', BillingAddress: { State } }, ...home], 'phone')
    expect(['RM', 'PR', 'CA'].map((state) => phoneIn(state).length)).toEqual([0, 1, 1])
    const perth = { State: 'WA', PostalCode: '6000' }
    const names = ['Oregon', 'Ohio'].map((State) => ({ BillingAddress: { State } }))
    expect(tidied([{ Phone: '2345678901', BillingAddress: perth }, ...names, ...home]).proposals).toEqual([])
  })

  it('don’t call a short number of another country invalid, or several numbers in one field', () => {
    const germany = { Country: 'Germany' }
    expect(lines([{ Phone: '4711 23', BillingAddress: germany }], 'malformed')).toEqual([])
    expect(lines([{ Phone: '4711 23' }], 'malformed')).toHaveLength(1)
    expect(lines([{ Phone: '+1 510 555 0100 / +1 510 555 0101' }], 'malformed')).toEqual([])
    expect(lines([{ Phone: '510 555 0100 / 12' }, { Phone: '510 555 0100 /' }], 'malformed')).toEqual([])
    expect(lines([{ Phone: '+1 510 555 0100 / +1 510 555 0101 / 12' }], 'malformed')).toHaveLength(1)
  })

  it('are not made for records that share an ID, because a change names its record by ID alone', () => {
    const records = [
      { ID: '5', Name: 'Ash Bakery', Email: 'nowhere', Balance: '1.00', IsActive: 'false' },
      { ID: '5', Name: 'Ash Bakery', Email: 'nowhere' },
      { ID: '6', Name: 'Elm Florist', Email: 'nowhere' },
    ]
    expect(tidied(records).proposals.map(line)).toEqual(['malformed 6'])
  })

  it('are only for fields that the application can change', () => {
    const records = [
      { Name: ' Ash', Phone: '4155550101', BillingAddress: { City: ' Bayshore' } },
      { Phone: '(415) 555-0102' },
    ]
    const supported = ['Name', 'BillingAddress', 'BillingAddress.Line1']
    expect(tidied(records, { supported }).proposals.map(line)).toEqual(['blanks r1 Name → Ash'])
    // Problems other than the form are proposed anyway, with the reason.
    const [found] = tidied([{ Balance: '12.00', IsActive: 'false' }], { supported }).proposals
    expect(found?.records[0]).toMatchObject({
      edits: [],
      blockedReason: [expect.stringContaining('can’t change')],
    })
    const phones = ['4155550101', '(415) 555-0102', '(415) 555-0103'].map((Phone) => ({ Phone }))
    const unknown = tidied(phones, { supported: null }).proposals
    expect(unknown[0]?.records[0]?.blockedReason).toEqual([
      expect.stringContaining('doesn’t know which fields'),
    ])
  })

  it('name invalid emails and phone numbers, and correct those with only one possible meaning', () => {
    const records = [{ Email: 'office@ash.con', Phone: '12' }, { Email: 'nowhere' }, { Email: 'a@b.example' }]
    expect(lines(records, 'malformed')).toEqual(['malformed r1 Email → office@ash.com', 'malformed r2'])
  })

  it('name phone numbers and ZIP codes with a digit missing or too many, if the list is of the US', () => {
    const ofUs = (Phone: string, PostalCode = '94601') => ({
      Phone,
      BillingAddress: { State: 'CA', PostalCode },
    })
    const right = [
      ...['(415) 555-0101', '(415) 555-0102', '(415) 555-0103', '(415) 555-0104', '(415) 555-0105'],
      ...['555-0106', '1-415-555-0107', '(415) 555-0108 x123', '+52 55 1234 567', '415-555-0109 / 555-0110'],
      ...['(415) 555-0111', '(415) 555-0112', '(415) 555-0113', '(415) 555-0114'],
    ].map((phone) => ofUs(phone))
    const odd = [
      ofUs('415-555-222'),
      ofUs('(415) 555-22222 ext. 4'),
      ofUs('5555-2222'),
      ofUs('(415) 555-0115', '946011'),
      ofUs('(415) 555-0116', 'O4601'),
      ofUs('(415) 555-0117', '94601-12'),
    ]
    expect(lines([...odd, ...right], 'malformed')).toEqual(odd.map((_, at) => `malformed r${String(at + 1)}`))
    // Elsewhere, no one knows.
    const abroad = { Phone: '415-555-222', BillingAddress: { State: 'WA', PostalCode: '6000' } }
    expect(lines([abroad, ...right], 'malformed')).toEqual([])
    const perth = Array.from({ length: 40 }, () => abroad)
    // Phone numbers are compared with those of US records only.
    expect(lines([...odd, ...right, ...perth], 'malformed')).toEqual(
      [1, 2, 3].map((at) => `malformed r${String(at)}`),
    )
  })

  it('name inactive records with a balance', () => {
    const records = [
      { IsActive: 'false', Balance: '12.00' },
      { IsActive: 'false', Balance: '0.00' },
      { Balance: '5.00' },
    ]
    expect(lines(records, 'inactive-balance')).toEqual(['inactive-balance r1 IsActive → true'])
  })

  it('name what is missing for a 1099 or an invoice', () => {
    const street = { Line1: '12 Elm Street', City: 'Bayshore' }
    const gets = { EligibleFor1099: 'true', Name: 'Maria Lopez', CompanyName: '' }
    const vendors: RecordData[] = [
      { ...gets, Address: { City: '' } },
      { ...gets, Address: { Country: 'USA' } },
      { ...gets, Address: { Line1: 'Attn Bob', City: 'Bayshore' } },
      { ...gets, Address: { Line1: 'Smith, Al', Line2: 'PO Box 94107' } },
      { ...gets, Address: { Line1: '100 Main St', Line2: 'Vendor ID 12345' } },
      { EligibleFor1099: 'false', CompanyName: 'Cedar' },
      // A sole proprietor has no company name.
      { ...gets, Address: street },
      { ...gets, Address: { Line1: 'Maria Lopez', Line2: 'PO Box 7', PostalCode: '94107' } },
      { ...gets, Address: { Line1: 'One Market Plaza', City: 'Bayshore' } },
      { ...gets, Address: { Line1: 'Maria Lopez', Line2: '12 Elm Street', Line3: 'Bayshore, CA 94107' } },
      { ...gets, Address: { Line1: '12 Elm Street', Line2: 'Bayshore, California 94107' } },
      { ...gets, Address: { Line1: '12 Elm Street', Line2: 'Bayshore CA, 94107' } },
      { ...gets, Address: { Line1: '12 Elm Street', Line2: 'Bayshore, CA 94107 USA' } },
      { ...gets, Address: { Line1: '12 Elm Street', Line2: 'Bayshore, N.Y. 94107' } },
      { ...gets, Address: { Line1: '12 Elm Street', Line2: 'Bayshore, CA' } },
      { ...gets, Address: { Line1: '12 Elm Street, Bayshore CA 94107' } },
      { ...gets, Address: { Line1: '12 Elm Street\nBayshore, CA 94107' } },
    ]
    const found = tidied(vendors, { object: 'vendor' }).proposals.filter(
      ({ kind }) => kind === 'incomplete-1099',
    )
    expect(found.map(line)).toEqual([1, 2, 3, 4, 5].map((at) => `incomplete-1099 r${String(at)}`))
    expect(new Set(found.map(({ reason }) => inWords(reason)))).toEqual(new Set(['No complete address.']))
    const customers = [
      { Balance: '10.00', BillingAddress: { City: '' } },
      { Balance: '10.00', BillingAddress: { City: '' }, Email: 'a@b.example' },
      { Balance: '0.00', BillingAddress: { City: '' } },
      { Balance: '10.00', BillingAddress: { City: '' }, Parent: { ID: 'r2', FullName: '' } },
    ]
    expect(lines(customers, 'no-invoice-address')).toEqual(['no-invoice-address r1'])
    // A service may leave empty fields out (specification 2.1), but a list without the field says nothing.
    const omitted = [{ Balance: '10.00' }, { Balance: '10.00', Email: 'a@b.example' }]
    expect(lines(omitted, 'no-invoice-address')).toEqual(['no-invoice-address r1'])
    const without = tidied(omitted, { supported: ['Name', 'Email', 'Balance'] })
    expect(without.proposals).toEqual([])
    expect(without.notChecked).toEqual(['no-invoice-address'])
  })

  it('name a missing tax ID, if the list has them', () => {
    const gets = { EligibleFor1099: 'true', Name: 'Maria Lopez' }
    const street = { Line1: '12 Elm Street', City: 'Bayshore' }
    const reasons = (vendors: readonly RecordData[]) =>
      tidied(vendors, { object: 'vendor' })
        .proposals.filter(({ kind }) => kind === 'incomplete-1099')
        .map(({ records: [record], reason }) => [record?.recordId, inWords(reason)])
    expect(
      reasons([
        { ...gets, Address: street, TaxID: '' },
        { ...gets, Address: { City: '' }, TaxID: ' - ' },
        { ...gets, Address: street, TaxID: '94-1234567' },
        { ...gets, EligibleFor1099: 'false', TaxID: '' },
      ]),
    ).toEqual([
      ['r1', 'No tax ID.'],
      ['r2', 'No complete address, and no tax ID.'],
    ])
    expect(reasons([{ ...gets, Address: street }])).toEqual([])
  })

  it('aren’t made for vendors with different tax IDs', () => {
    const same = { Name: 'Ash Plumbing', Phone: '(415) 555-0101' }
    const vendors = (one: string, other: string) =>
      tidied(
        [
          { ...same, TaxID: one },
          { ...same, Name: 'ASH PLUMBING', TaxID: other },
        ],
        { object: 'vendor' },
      )
        .proposals.filter(({ kind }) => kind === 'duplicate')
        .map(({ records }) => records.length)
    expect(vendors('94-1234567', '20-7654321')).toEqual([])
    expect(vendors('94-1234567', '941234567')).toEqual([2])
    expect(vendors('94-1234567', '')).toEqual([2])
  })

  it('don’t say that no address differs if the addresses can’t be compared', () => {
    const reason = (one: RecordData, other: RecordData) => {
      const [found] = tidied([
        { Name: 'Ash Plumbing', BillingAddress: one },
        { Name: 'ASH PLUMBING', BillingAddress: other },
      ]).proposals.filter(({ kind }) => kind === 'duplicate')
      return found === undefined ? 'none' : inWords(found.reason)
    }
    expect(reason({ Line1: '12 Elm Street' }, {})).toContain('no address, phone')
    expect(reason({ Line1: '12 Elm Street' }, { Line1: 'Stoneridge Mall' })).toContain('no phone')
    expect(reason({ Line1: 'Pier 39' }, { Line1: 'Pier 41' })).toBe('none')
    const [one, other] = [{ Line1: '100 Main St', Line2: 'Ste 2' }, { Line1: '100 Main Street #2' }]
    expect(reason({ ...one, City: 'Bayshore' }, { ...other, City: 'BAYSHORE' })).toContain('the same address')
    // Many towns have this street.
    expect(reason(one, other)).toContain('no address, phone')
  })

  it('don’t put records that the user said are different into a larger group', () => {
    const named = ['Ash Plumbing', 'ASH PLUMBING', 'Ash-Plumbing', 'ash plumbing'].map((Name) => ({
      Name,
      Phone: '(415) 555-0101',
    }))
    const groups = (count: number, ...dismissed: readonly string[]) => {
      const keys = dismissed.map((ids) => `duplicates|customers|${ids}`)
      return tidied(named.slice(0, count), { dismissed: keys })
        .proposals.filter(({ kind }) => kind === 'duplicate')
        .map((proposal) => {
          const ids = proposal.records.map(({ recordId }) => recordId).join(' ')
          return dismissedBy(keys)(proposal) ? `dismissed: ${ids}` : ids
        })
    }
    expect(groups(3)).toEqual(['r1 r2 r3'])
    // A dismissed group is still found, so that dismissing can be undone.
    expect(groups(2, 'r1,r2')).toEqual(['dismissed: r1 r2'])
    expect(groups(3, 'r1,r2')).toEqual(['r1 r3'])
    expect(groups(3, 'r1,r2', 'r1,r3')).toEqual(['r2 r3'])
    expect(groups(3, 'r1,r2', 'r1,r3', 'r2,r3')).toEqual(['dismissed: r2 r3'])
    expect(groups(4, 'r1,r2', 'r3,r4')).toEqual(['r1 r3', 'r2 r4'])
  })

  it('say what was not checked if a service gives fields other names, and check details that it can recognize', () => {
    const record = {
      ...{ DisplayName: 'Ash', Active: 'true', OpenBalance: '5.00' },
      ...{ BillingAddress: {}, PrimaryPhone: '12', WorkEmail: 'ash@home' },
    }
    const supported = ['DisplayName', 'Active', 'OpenBalance', 'BillingAddress']
    const found = (paths: readonly string[] | null, records: readonly RecordData[] = [record]) => {
      const scan = new TidyScan({
        object: 'customer',
        supported: paths,
        now: NOW,
        dismissed: [],
        drafted: [],
      })
      for (const [at, each] of records.entries()) scan.add({ ID: `r${String(at)}`, ...each })
      return scan.finish(() => records)
    }
    expect(found(supported).notChecked).toEqual(['duplicate', 'inactive-balance', 'malformed'])
    const { notChecked, proposals } = found([...supported, 'PrimaryPhone', 'WorkEmail'])
    expect(notChecked).toEqual(['duplicate', 'inactive-balance'])
    expect(proposals.map(({ reason }) => inWords(reason))).toEqual([
      'The phone number “12” and the email address “ash@home” can’t be right.',
    ])
    // An empty field may be left out (specification 2.1), and without metadata, no one knows.
    expect(found(ALL.concat('Balance'), [{ Name: 'Ash' }]).notChecked).toEqual([])
    expect(found(null).notChecked).toEqual([])
    expect(found(supported, []).notChecked).toEqual([])
  })

  it('say that vendors of a list without addresses were not checked, instead of proposing all of them', () => {
    const vendors = [{ EligibleFor1099: 'true', Name: 'Maria Lopez' }]
    const options = { object: 'vendor', supported: ['Name', 'Phone', 'EligibleFor1099'] }
    const told = tidied(vendors, options)
    expect(told.proposals).toEqual([])
    expect(told.notChecked).toEqual(['incomplete-1099'])
    // A response may omit an empty address completely (specification 2.1).
    for (const others of [
      tidied(vendors, { ...options, supported: ['Name', 'Phone', 'Address'] }),
      tidied([...vendors, { Name: 'Cedar', Address: { City: '' } }], { ...options, supported: null }),
    ]) {
      expect(others.proposals.map(line)).toEqual(['incomplete-1099 r1'])
      expect(others.notChecked).toEqual([])
    }
    expect(tidied([{ EligibleFor1099: 'false' }], options).notChecked).toEqual([])
  })

  it('name records that owe nothing and were not changed for three years', () => {
    const old = {
      Balance: '0.00',
      CreatedDate: '2020-01-01T00:00:00Z',
      LastModifiedDate: '2023-01-01T00:00:00Z',
    }
    const records = [
      old,
      { ...old, Balance: '1.00' },
      { ...old, LastModifiedDate: '2026-01-01T00:00:00Z' },
      { ...old, Balance: '' },
      // Others are below it.
      old,
      { Parent: { ID: 'r5', FullName: '' } },
      // Also where a child names its parent only by name, or in its own full name.
      { ...old, Name: 'Acme' },
      { Name: 'Job 1', Balance: '900.00', Parent: { ID: '', FullName: 'Acme' } },
      { ...old, Name: 'Birch, Bob' },
      { Name: 'Roof', FullName: 'Birch, Bob:Roof', Balance: '900.00' },
    ]
    expect(lines(records, 'unused')).toEqual(['unused r1 IsActive → false'])
  })

  it('don’t call a record unused whose dates are not known', () => {
    const dated = (CreatedDate: string, LastModifiedDate: string) => ({
      Balance: '0.00',
      CreatedDate,
      LastModifiedDate,
    })
    const records = [
      dated('0001-01-01T00:00:00', '0001-01-01T00:00:00'),
      dated('11/03/2019', '11/03/2020'),
      dated('2019-11-03', '1900-01-01'),
      dated('2019-11-03', ''),
      dated('1998-11-03', '2001-02-03'),
    ]
    expect(lines(records, 'unused')).toEqual(['unused r5 IsActive → false'])
  })

  it('offer no change of a record of which it isn’t clear whether it is active', () => {
    const phone = { Phone: '(415) 555-0101', Balance: '0.00' }
    const pair = (IsActive: unknown) => [
      { Name: 'Maria Lopez', ...phone, IsActive },
      { Name: 'Lopez, Maria', ...phone, IsActive },
    ]
    const blocked = tidied(pair(undefined)).proposals.find(({ kind }) => kind === 'duplicate')
    expect(blocked?.records.map(({ edits }) => edits)).toEqual([[], []])
    expect(blocked?.records[1]?.blockedReason).toEqual([expect.stringContaining('whether it is active')])
    expect(lines(pair('N'), 'duplicate')).toEqual([])
    expect(lines([{ IsActive: 'N', Balance: '12.00' }], 'inactive-balance')).toEqual(['inactive-balance r1'])
  })

  it('capitalize names of people if most are mixed, and no abbreviations', () => {
    const mixed = Array.from({ length: 9 }, (_, at) => ({ Name: `Ash Bakery ${'abcdefghi'.charAt(at)}` }))
    const odd = [
      { Name: 'MARIA LOPEZ', FirstName: 'MARIA', LastName: 'LOPEZ' },
      { Name: 'ADESA AUTO' },
      { Name: 'ucla bakery' },
    ]
    const known = [{ Name: 'Ana Lopez' }, { Name: 'Maria Smith' }]
    expect(lines([...odd, ...mixed, ...known], 'casing')).toEqual([
      'casing r1 Name → Maria Lopez FirstName → Maria LastName → Lopez',
    ])
    const cruz = { Name: 'MARIA DE LA CRUZ', FirstName: 'MARIA', LastName: 'DE LA CRUZ' }
    expect(lines([cruz, ...mixed, ...known, { Name: 'Ana de la Cruz' }], 'casing')).toEqual([
      'casing r1 Name → Maria de la Cruz FirstName → Maria LastName → de la Cruz',
    ])
    expect(lines([...odd, ...mixed], 'casing')).toEqual([])
    expect(lines(odd, 'casing')).toEqual([])
  })

  it('keep the duplicate with a balance, and make the other one inactive under its own name', () => {
    const phone = { Phone: '(415) 555-0101' }
    const records = [
      { Name: 'Lopez, Maria', ...phone },
      { Name: 'Maria Lopez', ...phone, Balance: '10.00' },
      { Name: 'Lopez, Maria (duplicate)' },
    ]
    expect(lines(records, 'duplicate')).toEqual([
      'duplicate r2, r1 IsActive → false Name → Lopez, Maria (duplicate 2)',
    ])
    // No character is cut in two.
    const emoji = `Bakery and Coffee House 12\u{1f600} Extra`
    const [cut] = tidied([
      { Name: emoji, ...phone },
      { Name: emoji.toUpperCase(), ...phone },
    ]).proposals.filter(({ kind }) => kind === 'duplicate')
    expect(cut?.records[1]?.edits[1]?.now).toBe('BAKERY AND COFFEE HOUSE 12 (duplicate 2)')
    const long = 'The Very Long Name of a Company, Incorporated'
    const [found] = tidied([
      { Name: long, ...phone },
      { Name: long.toUpperCase(), ...phone },
    ]).proposals.filter(({ kind }) => kind === 'duplicate')
    expect(found?.records[1]?.edits[1]?.now).toHaveLength(41)
  })

  it('never make a duplicate inactive that has a balance or other records below it', () => {
    const both = [
      { Name: 'Lopez, Maria', Balance: '5.00' },
      { Name: 'Maria Lopez', Balance: '10.00' },
    ]
    expect(lines(both, 'duplicate')).toEqual(['duplicate r1, r2'])
    const parents = [
      { Name: 'Lopez, Maria' },
      { Name: 'Maria Lopez' },
      { Name: 'Kitchen', Parent: { ID: 'r1', FullName: '' } },
      { Name: 'Roof', Parent: { ID: 'r2', FullName: '' } },
    ]
    expect(lines(parents, 'duplicate')).toEqual(['duplicate r1, r2'])
    const named = [
      { Name: 'Lopez, Maria' },
      { Name: 'Maria Lopez' },
      { Name: 'Kitchen', Parent: { ID: '', FullName: 'Lopez, Maria' } },
      { Name: 'Roof', FullName: 'maria lopez:Roof' },
    ]
    expect(lines(named, 'duplicate')).toEqual(['duplicate r1, r2'])
  })

  it('are not made for jobs with the same name below different customers, in a list without parents', () => {
    const job = (customer: string) => ({ Name: 'Kitchen remodel', FullName: `${customer}:Kitchen remodel` })
    expect(lines([job('Alder, Ann'), job('Birch, Bob')], 'duplicate')).toEqual([])
    const account = (above: string) => ({
      Name: 'Repairs',
      FullName: `${above}:Repairs`,
      Type: 'Expense',
    })
    expect(lines([account('Vehicles'), account('Building')], 'duplicate', { object: 'account' })).toEqual([])
  })

  const home = { Phone: '(415) 555-0101', BillingAddress: { Line1: '12 Elm Street', PostalCode: '94601' } }
  test.for<readonly [string, RecordData, RecordData]>([
    [
      'father and son',
      { Name: 'John Smith', Mobile: '415-555-0102', Number: 'C-1', ...home },
      { Name: 'John B Smith', Mobile: '415-555-0103', Number: 'C-2', ...home },
    ],
    [
      'two mobile phones',
      { Name: 'John Smith', Mobile: '415-555-0102', ...home },
      { Name: 'Smith, John', Mobile: '415-555-0103', ...home },
    ],
    [
      'two branches',
      { Name: 'Corner Bakery', Email: 'a@b.example', ShippingAddress: { Line1: '1 Elm Street' }, ...home },
      { Name: 'Corner Bakery.', Email: 'a@b.example', ShippingAddress: { Line1: '9 Oak Street' }, ...home },
    ],
    ['sisters', { Name: 'Kirsten Hale', ...home }, { Name: 'Kristen Hale', ...home }],
    ['sisters, last name first', { Name: 'Hale, Kirsten', ...home }, { Name: 'Hale, Kristen', ...home }],
  ])('are not made for %s, whatever else they share', ([, one, other]) => {
    expect(lines([one, other], 'duplicate')).toEqual([])
  })

  it('are made for a typo in a family name with the same phone, or in a first name with the same email', () => {
    const pair = (one: string, other: string, more: RecordData) => [
      { Name: one, ...home, ...more },
      { Name: other, ...home, ...more },
    ]
    expect(lines(pair('Maria Hernandez', 'Maria Hernadnez', {}), 'duplicate')).toHaveLength(1)
    const email = { Email: 'k@hale.example' }
    expect(lines(pair('Kirsten Hale', 'Kristen Hale', email), 'duplicate')).toHaveLength(1)
  })

  it('compare accounts word by word, under the same parent and of the same type', () => {
    const account = (Name: string, more: RecordData = {}) => ({ Name, Type: 'Expense', ...more })
    const same = [account('Office Supplies'), account('Office-supplies')]
    const accounts = { object: 'account' }
    expect(lines(same, 'duplicate', accounts)).toHaveLength(1)
    expect(lines([account('Loan to Smith'), account('Smith, loan to')], 'duplicate', accounts)).toEqual([])
    expect(lines([account('Truck 1'), account('Truck 2')], 'duplicate', accounts)).toEqual([])
    const elsewhere = account('office supplies', { Parent: { ID: 'r9', FullName: 'Rent' } })
    expect(lines([account('Office Supplies'), elsewhere], 'duplicate', accounts)).toEqual([])
  })

  const at = (City: string, State: string): RecordData => ({ BillingAddress: { City, State } })
  const of = (Line1: string, PostalCode: string): RecordData => ({ Line1, PostalCode })
  test.for<readonly [string, RecordData, RecordData]>([
    ['cities', at('Oakland', 'CA'), at('Austin', 'TX')],
    ['states', at('', 'CA'), at('', 'Texas')],
    ['ZIP codes', { BillingAddress: { PostalCode: '94601' } }, { BillingAddress: { PostalCode: '73301' } }],
    ['plazas', { BillingAddress: of('One Market Plaza', '') }, { BillingAddress: of('Two Elm Plaza', '') }],
    [
      'shipping addresses',
      { ShippingAddress: of('1 Elm Street', '94601') },
      { ShippingAddress: of('9 Oak Street', '94601') },
    ],
    ['numbers', { Number: 'C-17' }, { Number: 'C-95' }],
    ['mobile phones', { Mobile: '415-555-0101' }, { Mobile: '415-555-0102' }],
    ['alternate phones', { AlternatePhone: '415-555-0101' }, { AlternatePhone: '415-555-0102' }],
    ['currencies', { Currency: { FullName: 'USD' } }, { Currency: { FullName: 'EUR' } }],
  ])('are not made for two records with the same name and different %s', ([, one, other]) => {
    const pair = (more: RecordData) => [
      { Name: 'Harbor Dental', ...one },
      { Name: 'Harbor Dental.', ...more },
    ]
    expect(lines(pair(other), 'duplicate')).toEqual([])
    expect(lines(pair({ ...one }), 'duplicate')).toHaveLength(1)
  })

  it('aren’t made of jobs that only share the phone of the record above them', () => {
    const manager = { Name: 'Plaza Management', Phone: '(415) 555-0101' }
    const jobs = (Phone: string) => [
      manager,
      ...['Maria Lopez', 'Lopez, Maria'].map((Name) => ({
        ...{ Name, Phone },
        Parent: { ID: 'r1', FullName: 'Plaza Management' },
      })),
    ]
    expect(lines(jobs('415.555.0101'), 'duplicate')).toEqual([])
    expect(lines(jobs('(415) 555-0199'), 'duplicate')).toHaveLength(1)
  })

  it('are made of jobs with the same name, with their customer’s phone as well as with none', () => {
    const jobs = (names: readonly string[], Phone: string) =>
      lines(
        [
          { Name: 'Plaza Management', Phone: '(415) 555-0101' },
          ...names.map((Name) => ({ Name, Phone, Parent: { ID: 'r1', FullName: 'Plaza Management' } })),
        ],
        'duplicate',
      ).length
    const found = (names: readonly string[]) =>
      ['', '(415) 555-0101', '(415) 555-0199'].map((phone) => jobs(names, phone))
    expect(found(['Kitchen Remodel', 'KITCHEN  REMODEL.'])).toEqual([1, 1, 1])
    expect(found(['Maria Lopez', 'Lopez, Maria'])).toEqual([0, 0, 1])
  })

  const custom = (Name: string, Value: unknown): RecordData => ({ CustomFields: [{ Name, Value }] })
  const orders = (Value: string): RecordData => ({ CustomFields: { PurchaseOrder: { Value } } })
  test.for<readonly [string, number, RecordData, RecordData]>([
    ['revisions', 1, { Metadata: { RevisionNumber: '4' } }, { Metadata: { RevisionNumber: '9' } }],
    ['last invoices', 1, { LastInvoice: { Number: 'A-1' } }, { LastInvoice: { Number: 'A-2' } }],
    ['days', 1, custom('Last contacted', '2024-01-02'), custom('Last contacted', '3/9/2025')],
    ['days after a year', 1, custom('Last contacted', '2026/11/24'), custom('Last contacted', '2026/11/25')],
    ['days in words', 1, custom('Last contacted', '24 Nov 2026'), custom('Last contacted', '25 Nov 2026')],
    ['times', 1, custom('Seen', '11/24/2026 3:00 PM'), custom('Seen', '11/25/2026 4:00 PM')],
    ['numbers after a year', 0, custom('Case', '2024-01-02 A1'), custom('Case', '2024-01-02 A2')],
    ['decimals', 0, custom('Lot', '12.5'), custom('Lot', '125')],
    ['zeros', 1, custom('Score', '0.00'), custom('Score', '12.5')],
    ['birthdays', 0, custom('Date of birth', '1950-01-02'), custom('Date of birth', '1980-03-04')],
    ['days named DOB', 0, custom('CustomerDOB', '1/2/1980'), custom('CustomerDOB', '3/4/1981')],
    ['days named dob_1', 0, custom('dob_1', '1/2/1980'), custom('dob_1', '3/4/1981')],
    ['days named D.O.B.', 0, custom('D.O.B.', '1/2/1980'), custom('D.O.B.', '3/4/1981')],
    ['birthdays of the service', 0, { BirthDate: '1950-01-02' }, { BirthDate: '1980-03-04' }],
    ['days named Born', 0, custom('Born', '1/2/1980'), custom('Born', '3/4/1981')],
    ['months after December', 0, custom('Site', '24-17-1005'), custom('Site', '24-17-1006')],
    ['years long ago', 0, custom('Policy', '12-31-5678'), custom('Policy', '12-31-5679')],
    ['days after the 31st', 0, custom('Locker', '31/99/55'), custom('Locker', '31/99/56')],
    ['purchase orders', 0, orders('A-1'), orders('A-2')],
    ['background checks', 0, { BackgroundCheck: { Number: 'A1' } }, { BackgroundCheck: { Number: 'A2' } }],
    ['cards', 0, { LastCard: { CardNumber: 'A1' } }, { LastCard: { CardNumber: 'A2' } }],
    ['bills’ accounts', 0, { MasterBill: { AccountNumber: 'A1' } }, { MasterBill: { AccountNumber: 'A2' } }],
    ['numbers like phones', 0, { AccountNumber: '415-555-0101' }, { AccountNumber: '1 415 555 0101' }],
    [
      'numbers in miscellany',
      0,
      custom('Miscellaneous', '4155550101'),
      custom('Miscellaneous', '14155550101'),
    ],
    ['lots', 0, custom('Lot', '1.10'), custom('Lot', '1.1')],
    ['forms of ten', 0, custom('Lot', '10'), custom('Lot', '1')],
    ['account numbers with points', 0, { AccountNumber: '12.50' }, { AccountNumber: '12.5' }],
    ['forms of a birthday', 1, custom('Birthday', '1980-01-02'), custom('Birthday', '1/2/1980')],
    ['forms of a birthday, day first', 1, { DateOfBirth: '02.01.1980' }, { DateOfBirth: '1980-01-02' }],
    ['forms of a birthday in words', 1, custom('Born', 'January 2, 1980'), custom('Born', '2 Jan 1980')],
    ['forms of a birthday’s year', 1, custom('DOB', '01/02/80'), custom('DOB', '1980-01-02')],
    ['birthdays in one form', 0, custom('DOB', '1/2/1980'), custom('DOB', '2/1/1980')],
    ['birthdays in two forms', 0, custom('DOB', '1/2/1980'), custom('DOB', '1980-01-03')],
    ['birthdays’ years', 0, custom('DOB', '1/2/1980'), custom('DOB', '1979-01-02')],
    ['birthday greetings', 1, { BirthdayGreeting: 'yes' }, { BirthdayGreeting: 'no' }],
    ...['Tel', 'WhatsApp', 'Contact No', 'Contact #', 'Work', 'Home', 'Office No.', 'Phone at work'].flatMap(
      (name): (readonly [string, number, RecordData, RecordData])[] => [
        [`forms of ${name}`, 1, custom(name, '(415) 555-0101'), custom(name, '14155550101')],
        [`numbers in ${name}`, 0, custom(name, '(415) 555-0101'), custom(name, '4155550102')],
      ],
    ),
    ['forms of a phone anywhere', 1, custom('Gate', '(415) 555-0101'), custom('Gate', '+1 415.555.0101')],
    ['phones of the service', 0, { WhatsApp: '(415) 555-0101' }, { WhatsApp: '(415) 555-0102' }],
    ['hotels', 1, { Hotel: 'Plaza' }, { Hotel: 'Grand' }],
    ['numbers', 0, custom('Lot', '12.0'), custom('Lot', '120')],
    ['forms of a phone', 1, custom('Cell', '(415) 555-0101'), custom('Cell', '+1 415 555 0101')],
    ['phones', 0, custom('Cell', '(415) 555-0101'), custom('Cell', '(415) 555-0102')],
    [
      'forms of a phone in a list',
      1,
      { PhoneNumbers: [{ Type: 'Home', Number: '(415) 555-0101' }] },
      { PhoneNumbers: [{ Type: 'Home', Number: '14155550101' }] },
    ],
  ])('with different %s in fields of the service: %i', ([, count, one, other]) => {
    const records = [
      { Name: 'Ash Bakery', ...home, ...one },
      { Name: 'ASH BAKERY', ...home, ...other },
    ]
    expect(lines(records, 'duplicate')).toHaveLength(count)
  })

  it('compare places in any form, and show currencies', () => {
    const more = { Currency: { FullName: 'USD' } }
    const records = [
      {
        Name: 'Harbor Dental',
        BillingAddress: { City: 'OAKLAND', State: 'CA', PostalCode: '94601' },
        ...more,
      },
      {
        Name: 'Harbor Dental.',
        BillingAddress: { City: 'Oakland', State: 'California', PostalCode: '94601-1234' },
        ...more,
      },
    ]
    const [found] = tidied(records).proposals.filter(({ kind }) => kind === 'duplicate')
    expect(found?.records[0]?.facts).toContainEqual({ path: 'Currency', value: 'USD' })
  })

  test.for([
    ['A/C Repair Oakland', 'A/C Repair - Oakland'],
    ['A/C Repair', 'A/C Repair!'],
    ['Smith/Jones, Inc.', 'Smith/Jones: Inc'],
    ['Munoz/Garcia Farm', 'Muñoz/Garcia Farm'],
    ['Smith/Jones 2', 'Smith / Jones 2'],
    ['Unit 4A/B', 'Unit 4A / B'],
    ['24/7 Towing', '24 / 7 towing'],
    ['24/Seven Fitness', '24-Seven Fitness'],
  ] as const)('are made for %s and %s, because a slash may be written in several ways', (names) => {
    expect(
      lines(
        names.map((Name) => ({ Name, ...home })),
        'duplicate',
      ),
    ).toHaveLength(1)
  })

  test.for<readonly [string, RecordData, RecordData]>([
    ['100 Main St / Suite 4', of('100 Main St / Suite 4', '94601'), of('100 Main St, Suite 4', '94601')],
    [
      '100 Main St / Ste 4',
      of('100 Main St / Ste 4', '94601'),
      { ...of('100 Main St', '94601'), Line2: 'Suite 4' },
    ],
    ['Unit 4A / B', of('100 Main St Unit 4A / B', '94601'), of('100 Main St #4a/b', '94601')],
  ])('are made for one address with a slash: %s', ([, one, other]) => {
    const records = [one, other].map((BillingAddress, index) => ({
      Name: index === 0 ? 'Ash Bakery' : 'ASH BAKERY',
      BillingAddress,
    }))
    expect(lines(records, 'duplicate')).toHaveLength(1)
  })

  it('about spaces don’t make a name that another record has under the same parent', () => {
    const below = { Parent: { ID: 'r1', FullName: 'Ash' } }
    const records = [
      { Name: 'Ash' },
      { Name: ' ash', Phone: ' 415-555-0101' },
      { Name: ' Ash', ...below },
      // Only one of two can have it.
      { Name: ' Ash ', ...below },
      { Name: 'Ash ' },
    ]
    expect(lines(records, 'blanks')).toEqual(['blanks r2 Phone → 415-555-0101', 'blanks r3 Name → Ash'])
  })

  it('are at most a thousand of a kind, with the number of all', () => {
    const records = Array.from({ length: MAX_PROPOSALS + 5 }, (_, at) => ({ Name: ` Ash ${String(at)}` }))
    const { proposals, more } = tidied(records)
    expect(proposals.filter(({ kind }) => kind === 'blanks')).toHaveLength(MAX_PROPOSALS)
    expect(more).toContainEqual({ kind: 'blanks', count: 5 })
  })

  it('about a value come back if it changes, not if its record is renamed or the rest of the list changes', () => {
    const usual = ['Ash', 'Elm', 'Fir', 'Oak'].map((Name, at) => ({
      ...{ Name: `${Name} Florist`, Phone: `(415) 555-011${String(at)}`, CompanyName: `${Name} Florist Inc` },
      BillingAddress: {
        Line1: `${String(at)} Alder Court`,
        City: 'Bayshore',
        State: 'CA',
        PostalCode: '94123',
      },
    }))
    const address = {
      Line1: '218 Alder Court',
      City: 'Bayshore',
      State: 'California',
      PostalCode: '941231234',
    }
    const odd = {
      Name: 'Robin Keller',
      CompanyName: 'Keller  Inc',
      Phone: '415.555.0177',
      BillingAddress: address,
    }
    const named = { ...odd, Name: 'ROBIN KELLER', FirstName: 'ROBIN', LastName: 'KELLER', Phone: '' }
    const more = { Name: 'Kim Robin Keller-Moore', Phone: '(415) 555-0199' }
    const names = [{ Name: 'Robin Ash' }, { Name: 'Ann Keller' }, { Name: 'Kim Lee' }]
    const proposed = (record: RecordData, list: readonly RecordData[], dismissed: readonly string[] = []) =>
      tidied([record, ...usual, ...names, ...list], { dismissed }).proposals.filter(
        ({ kind, key, records }) =>
          records[0]?.recordId === 'r1' && kind !== 'duplicate' && !dismissedBy(dismissed)({ kind, key }),
      )
    const kindsOf = (proposals: readonly Proposal[]) => proposals.map(({ kind }) => kind)
    const dismissed = [odd, named].flatMap((record) => proposed(record, []).map(({ key }) => key))
    expect(kindsOf(proposed(odd, []))).toEqual(['phone', 'zip', 'state', 'blanks'])
    expect(kindsOf(proposed(named, []))).toContain('casing')
    expect(kindsOf(proposed({ ...odd, Name: 'Robin Keller-Moore' }, [more], dismissed))).toEqual([])
    expect(kindsOf(proposed(named, [more], dismissed))).toEqual([])
    const changes: readonly (readonly [TidyKind, RecordData])[] = [
      ['phone', { ...odd, Phone: '415.555.0178' }],
      ['zip', { ...odd, BillingAddress: { ...address, PostalCode: '941231235' } }],
      ['state', { ...odd, BillingAddress: { ...address, State: 'CALIFORNIA' } }],
      ['blanks', { ...odd, CompanyName: 'Keller  LLC' }],
      ['casing', { ...named, Name: 'KELLER ROBIN' }],
    ]
    for (const [kind, record] of changes) expect(kindsOf(proposed(record, [], dismissed))).toEqual([kind])
  })

  test.for<readonly [TidyKind, string, RecordData, RecordData]>([
    ['malformed', 'customer', { Email: 'ash@home' }, { Email: 'ash@work' }],
    ['inactive-balance', 'customer', { IsActive: 'false', Balance: '5.00' }, { Balance: '6.00' }],
    [
      'incomplete-1099',
      'vendor',
      { EligibleFor1099: 'true', TaxID: '12-3456789', Address: {} },
      { TaxID: '' },
    ],
    ['duplicate', 'customer', { Phone: '(415) 555-0101' }, { Phone: '(415) 555-0102' }],
  ])('of the kind %s come back if what they are about changes', ([kind, object, one, change]) => {
    const other = kind === 'duplicate' ? [{ Name: 'ASH BAKERY' }] : []
    const keyOf = (record: RecordData) =>
      tidied([{ Name: 'Ash Bakery', ...record }, ...other], { object }).proposals.find(
        (each) => each.kind === kind,
      )?.key ?? ''
    const isDismissed = (key: string, by: string) => dismissedBy([by])({ kind, key })
    const [before, same, after] = [one, { ...one, Notes: 'New' }, { ...one, ...change }].map(keyOf)
    expect(before).toContain('r1')
    expect(isDismissed(same ?? '', before ?? '')).toBe(true)
    expect(isDismissed(after ?? '', before ?? '')).toBe(false)
    // The review of a month has keys without the values.
    expect(isDismissed(after ?? '', keyWithoutFacts(before ?? ''))).toBe(true)
  })

  it('make room for others if they are dismissed, and are still listed', () => {
    const records = Array.from({ length: MAX_PROPOSALS + 5 }, (_, at) => ({ Name: ` Ash ${String(at)}` }))
    const off = tidied(records)
      .proposals.filter(({ kind }) => kind === 'blanks')
      .slice(0, 3)
      .map(({ key }) => key)
    const { proposals, more } = tidied(records, { dismissed: off })
    const keys = proposals.flatMap(({ kind, key }) => (kind === 'blanks' ? [key] : []))
    expect(keys).toHaveLength(MAX_PROPOSALS + 3)
    expect(keys).toEqual(expect.arrayContaining(off))
    expect(more).toContainEqual({ kind: 'blanks', count: 2 })
    expect(tidied(records.slice(0, MAX_PROPOSALS + 3), { dismissed: off }).more).toEqual([])
  })

  it('make room for others if they have drafts, so that all can be drafted', () => {
    const records = Array.from({ length: MAX_PROPOSALS + 5 }, (_, at) => ({ Name: ` Ash ${String(at)}` }))
    const drafted = Array.from({ length: MAX_PROPOSALS + 2 }, (_, at) => `r${String(at + 1)}`)
    const { proposals, more } = tidied(records, { drafted })
    const ids = proposals.flatMap(({ kind, records: [record] }) =>
      kind === 'blanks' ? [record?.recordId ?? ''] : [],
    )
    expect(ids.filter((id) => !drafted.includes(id))).toHaveLength(3)
    expect(ids).toHaveLength(MAX_PROPOSALS + 3)
    expect(more).toEqual([])
  })

  it('make room for others if they are dismissed, also as part of a larger group of duplicates', () => {
    const pairs = Array.from({ length: MAX_PROPOSALS + 2 }, (_, at) => `Ash ${String(at)} Florist`)
    const records = pairs.flatMap((Name) => [{ Name }, { Name: `${Name}.` }])
    const groups = (list: TidiedList) => list.proposals.filter(({ kind }) => kind === 'duplicate')
    const [first] = groups(tidied(records))
    const larger = `${first?.key ?? ''},r999999`
    const list = tidied(records, { dismissed: [larger] })
    expect(groups(list)).toHaveLength(MAX_PROPOSALS + 1)
    expect(groups(list).every((each) => each.records.length === 2)).toBe(true)
  })
})
