/** Finding records in the searchable text of a list: names as people type them, phones by digits, amounts exactly. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SearchIndex } from '../../../../electron/rows/records/search-index.ts'
import { draftFor, withValue } from '../../../../renderer/records/drafts/row-draft.ts'
import { RowSearch } from '../../../../renderer/records/list/search.ts'
import type { RecordData } from '../../../../shared/records/changes.ts'
import { findQuery } from '../../../../shared/records/search-text.ts'

const RECORDS: readonly RecordData[] = [
  {
    ID: '1',
    Name: 'O’Leary & Søns',
    FullName: 'O’Leary & Søns',
    Phone: '(415) 555-0101',
    Email: 'office@oleary.example',
    Balance: '1234.50',
    Terms: { ID: 't-1', FullName: 'Net 60' },
    IsActive: 'true',
    LastModifiedDate: '2026-01-01T09:15:00Z',
  },
  {
    ID: '2',
    Name: 'Kitchen',
    FullName: 'José Álvarez:Kitchen',
    Phone: '+1 415.555.0102',
    Balance: '0.00',
    Number: '40017',
    BillingAddress: { Line1: '1234 Main Street', City: 'Ōmura' },
    IsActive: 'false',
  },
  { ID: '3', Name: 'Net 60', FullName: 'Net 60', Rate: '12.50', Days: '60', Open: null },
]

function indexOf(records: readonly RecordData[] = RECORDS): SearchIndex {
  const index = new SearchIndex('customer')
  for (const record of records) index.add(record)
  index.seal()
  return index
}

const found = (typed: string, index = indexOf()): readonly string[] =>
  index
    .find(findQuery(typed), 50)
    .found.map(({ recordId, path, value }) => `${recordId} ${path} ${value}`)
    .toSorted()

describe('a search text', () => {
  test.each([
    ["o'leary sons", ['1 FullName O’Leary & Søns']],
    ['JOSE alvarez', ['2 FullName José Álvarez:Kitchen']],
    ['josé', ['2 FullName José Álvarez:Kitchen']],
    ['omura', ['2 BillingAddress.City Ōmura']],
    ['oleary.example', ['1 Email office@oleary.example']],
    ['4155550101', ['1 Phone (415) 555-0101']],
    ['415-555-0102', ['2 Phone +1 415.555.0102']],
    ['(415) 555', ['1 Phone (415) 555-0101', '2 Phone +1 415.555.0102']],
    ['4001', ['2 Number 40017']],
    ['net 60', ['1 Terms Net 60', '3 FullName Net 60']],
    // The value that the name doesn’t show.
    ['kitchen main', ['2 BillingAddress.Line1 1234 Main Street']],
    ['nobody', []],
    ['', []],
  ])('%s', (typed, expected) => {
    expect(found(typed)).toEqual(expected)
  })

  test('finds equally good matches in the order of their names, whatever the order of the list', () => {
    const names = ['Phase 2:Quail', 'phase 2:Alder', 'Phase 2:Élan', 'Late phase 2', 'Phase 2:Finch']
    const index = indexOf(names.map((FullName, at) => ({ ID: String(at), Name: FullName, FullName })))
    expect(index.find(findQuery('phase 2'), 50).found.map(({ name }) => name)).toEqual([
      'phase 2:Alder',
      'Phase 2:Élan',
      'Phase 2:Finch',
      'Phase 2:Quail',
      'Late phase 2',
    ])
  })

  test.each(['1234.50', '$1,234.50', '1234.5', '1,234.50'])('%s is an amount, compared whole', (typed) => {
    expect(found(typed)).toEqual(['1 Balance 1234.50'])
  })

  test.each([
    ['415-555-0101 x23', ['4155550101', '+1 (415) 555-0101', '415.555.0101', '555-0101']],
    ['(415) 555\u20110101', ['4155550101', '415\u2011555\u20110101']],
    ['415/555-0101 ext. 7', ['4155550101', '415/555-0101']],
    ['+1 415 555 0101', ['4155550101', '14155550101', '+1 (415) 555-0101']],
  ])('the phone %s is found by its digits, however it is typed', (Phone, typed) => {
    const index = indexOf([{ ID: '1', Name: 'Ash', Phone }])
    for (const each of typed) expect(found(each, index), each).toEqual([`1 Phone ${Phone}`])
    expect(found('555010123', index)).toEqual([])
  })

  test.each([
    ['415-555-0101 cell', ['4155550101', '(415) 555-0101', '+1 415 555 0101']],
    ['C: 415-555-0101', ['4155550101', '(415) 555-0101']],
    ['415-555-0101 / 415-555-0102', ['4155550101', '4155550102', '(415) 555-0102', '415.555.0101']],
    ['(415) 555-0101, ext. 23', ['4155550101', '415-555-0101 x23', '415-555-0101 extension 23']],
    ['(415) 555-0101', ['415-555-0101 x23']],
    ['Office +44 (0)20 7946 0958', ['+44 20 7946 0958', '020 7946 0958']],
  ])('each number in %s is found by its digits', (Phone, typed) => {
    const index = indexOf([{ ID: '1', Name: 'Ash', Phone }])
    for (const each of typed) expect(found(each, index), each).toEqual([`1 Phone ${Phone}`])
    expect(found('0101415', index)).toEqual([])
  })

  test.each([
    ['O’Leary', ['oleary', "o'leary"]],
    ['OLeary', ["o'leary", 'O’Leary']],
    ['A.B. Plumbing', ['ab plumbing', 'a.b. plumbing', 'A.B. plumbing']],
    ['AB Plumbing', ['a.b. plumbing']],
    ['ＡＣＭＥ Oﬃce', ['acme office']],
    ['ΟΔΥΣΣΕΥΣ', ['ΟΔΥΣ', 'οδυσσευσ', 'οδυσσευς']],
  ])('the name %s is found however its letters and marks are typed', (Name, typed) => {
    const index = indexOf([{ ID: '1', Name }])
    for (const each of typed) expect(found(each, index), each).toEqual([`1 Name ${Name}`])
  })

  test('a record found by its name has a phone number or the like, which tells it apart from its namesakes', () => {
    const { found: ashes } = indexOf([
      { ID: '1', Name: 'Ash', Email: 'ash@oleary.example', Phone: '555-0101' },
      { ID: '2', Name: 'Ash', BillingAddress: { Line1: '1234 Main Street' } },
      { ID: '3', Name: 'Ash' },
      { ID: '4', Name: 'Birch', Phone: '555-0102', Notes: 'Near the ash' },
    ]).find(findQuery('ash'), 50)
    expect(ashes.map(({ recordId, contact }) => `${recordId} ${contact}`).toSorted()).toEqual([
      '1 555-0101',
      '2 1234 Main Street',
      '3 ',
      '4 ',
    ])
  })

  test('a word late in a long note is found and shown', () => {
    const index = indexOf([
      { ID: '1', Name: 'Ash', Notes: `${'word '.repeat(300)}needle ${'end '.repeat(300)}` },
    ])
    const [only] = index.find(findQuery('needle'), 5).found
    expect(only?.path).toBe('Notes')
    expect(only?.value).toContain('needle')
    expect(only?.value.length).toBeLessThan(600)
  })

  test('a name with umlauts is found with and without them, and as typed without such keys', () => {
    const index = indexOf([{ ID: '1', Name: 'Müller & Söhne' }])
    for (const typed of ['Müller', 'muller', 'mueller', 'Mu\u0308ller', 'mueller soehne'])
      expect(found(typed, index), typed).toEqual(['1 Name Müller & Söhne'])
  })

  test('a name that was spelled without umlauts is found with them', () => {
    const index = indexOf([{ ID: '1', Name: 'Mueller & Soehne' }])
    for (const typed of ['Müller', 'mueller', 'söhne']) {
      expect(found(typed, index), typed).toEqual(['1 Name Mueller & Soehne'])
    }
    expect(found('muller', index)).toEqual([])
  })

  test('an amount without a sign also finds a credit; one with a sign finds only its own', () => {
    const index = indexOf([
      { ID: '1', Name: 'Ash', Balance: '250.00' },
      { ID: '2', Name: 'Elm', Balance: '-250.00' },
    ])
    expect(found('250', index)).toEqual(['1 Balance 250.00', '2 Balance -250.00'])
    expect(found('$250.00', index)).toEqual(['1 Balance 250.00', '2 Balance -250.00'])
    for (const typed of ['-250.00', '(250.00)', '−250']) {
      expect(found(typed, index), typed).toEqual(['2 Balance -250.00'])
    }
    expect(found('+250.00', index)).toEqual(['1 Balance 250.00'])
  })

  test('an amount is found in the forms of other regions, and before its last digits are typed', () => {
    const index = indexOf([
      { ID: '1', Name: 'Ash', Balance: '1234.50' },
      { ID: '2', Name: 'Elm', Balance: '-1234.50' },
      { ID: '3', Name: 'Oak', Balance: '5000.00' },
    ])
    const both = ['1 Balance 1234.50', '2 Balance -1234.50']
    for (const typed of ['1.234,50', '1234,50', "1'234.50", '1 234,50'])
      expect(found(typed, index), typed).toEqual(both)
    expect(found('1.234,50-', index)).toEqual(['2 Balance -1234.50'])
    for (const typed of ['5000.', '5.000', '5.000,00'])
      expect(found(typed, index), typed).toEqual(['3 Balance 5000.00'])
    for (const typed of ['(1234.50', '1234.50)', '12,34,5']) expect(found(typed, index), typed).toEqual([])
  })

  test('an amount below one is found with and without its zero, and with any currency’s sign', () => {
    const index = indexOf([
      { ID: '1', Name: 'Ash', Balance: '0.50' },
      { ID: '2', Name: 'Elm', Balance: '-.50' },
    ])
    const both = ['1 Balance 0.50', '2 Balance -.50']
    for (const typed of ['.50', '.5', '0.50', ',50', '0,50', '$.50', '€0.50', '.50 £'])
      expect(found(typed, index), typed).toEqual(both)
    for (const typed of ['-.50', '(.50)', '($.50)', '.50-', '−0.5'])
      expect(found(typed, index), typed).toEqual(['2 Balance -.50'])
    expect(found('+.50', index)).toEqual(['1 Balance 0.50'])
  })

  test('an amount of a service with thousands separators is found like any other', () => {
    const index = indexOf([{ ID: '1', Name: 'Ash', Balance: '1,234.50' }])
    for (const typed of ['1234.50', '1,234.50']) expect(found(typed, index)).toEqual(['1 Balance 1,234.50'])
  })

  test('a number or phone with a point is found like any other, and is no amount', () => {
    const index = indexOf([
      { ID: '1', Name: 'Checking', Number: '1000.10', Balance: '5.00' },
      { ID: '2', Name: 'Rent', BankNumber: '6010.05', Mobile: '415.5550' },
      { ID: '3', Name: 'Ash', Phone: '555.0101', BillingAddress: { Line1: '12.50' } },
      { ID: '4', Name: 'Elm', CreditLimit: '1000.10', DealerNo: '77.30', Prepaid: '88.40' },
    ])
    expect(found('1000', index)).toEqual(['1 Number 1000.10'])
    expect(found('1000.1', index)).toEqual(['1 Number 1000.10', '4 CreditLimit 1000.10'])
    expect(found('6010', index)).toEqual(['2 BankNumber 6010.05'])
    expect(found('4155550', index)).toEqual(['2 Mobile 415.5550'])
    for (const typed of ['5550101', '555.0101', '0101'])
      expect(found(typed, index), typed).toEqual(['3 Phone 555.0101'])
    expect(found('12', index)).toEqual(['3 BillingAddress.Line1 12.50'])
    expect(found('77', index)).toEqual(['4 DealerNo 77.30'])
    expect(found('88', index)).toEqual([])
  })

  test('with part of an amount, its digits, a time, an ID, or yes or no finds nothing', () => {
    for (const typed of ['234.50', '-1234.50', '0.00', '09:15', 't-1', 'true'])
      expect(found(typed)).toEqual([])
    expect(found('12.50')).toEqual(['3 Rate 12.50'])
  })

  test('with words of two records or across two values finds nothing', () => {
    expect(found('kitchen oleary')).toEqual([])
    expect(found('main streetomura')).toEqual([])
  })
})

test('every place in many blocks is found, each record once, with the total', () => {
  const records = Array.from({ length: 3_000 }, (_, at) => ({
    ID: String(at),
    Name: `Customer ${String(at).padStart(4, '0')} ${'x'.repeat(at % 97)}`,
    Balance: `${String(at)}.25`,
    IsActive: at % 2 === 0 ? 'true' : 'false',
  }))
  const index = indexOf(records)
  for (const at of [0, 1, 731, 1_499, 2_998, 2_999]) {
    expect(index.find(findQuery(`customer ${String(at).padStart(4, '0')}`), 50)).toEqual({
      total: 1,
      isMore: false,
      found: [
        {
          recordId: String(at),
          name: records[at]?.Name,
          isActive: at % 2 === 0,
          path: 'Name',
          value: records[at]?.Name,
          contact: '',
        },
      ],
    })
    expect(found(`${String(at)}.25`, index)).toContain(`${String(at)} Balance ${String(at)}.25`)
  }
  const all = index.find(findQuery('customer'), 10)
  expect(all).toMatchObject({ total: 2_000, isMore: true })
  expect(all.found).toHaveLength(10)
})

test('a whole name ranks before the beginning of one, and that before the rest', () => {
  const names = ['A Smith', 'Smithers', 'Smith', 'Blacksmith']
  const index = indexOf(names.map((Name, at) => ({ ID: String(at), Name })))
  expect(index.find(findQuery('smith'), 9).found.map(({ name }) => name)).toEqual([
    'Smith',
    'Smithers',
    'A Smith',
    'Blacksmith',
  ])
})

test('by name finds the name alone or the full name, whatever its quotes, case, or spaces', () => {
  const index = indexOf()
  const ids = (name: string) => index.named(name, 9).found.map(({ recordId }) => recordId)
  expect(ids("o'leary &  SØNS")).toEqual(['1'])
  expect(ids('kitchen')).toEqual(['2'])
  expect(ids('José Álvarez : Kitchen')).toEqual(['2'])
  // Similar names aren't equal.
  expect(ids('Jose Alvarez:Kitchen')).toEqual([])
  expect(ids('Net 60')).toEqual(['3'])
})

test('finds exactly the records that the search of a list finds', () => {
  const names = [
    'O’Leary',
    'OLeary',
    'A.B. Plumbing',
    'AB Plumbing',
    'ＡＣＭＥ',
    'Müller',
    'Mueller',
    'ΟΔΥΣΣΕΥΣ',
    '1,000 Oaks',
  ]
  const phones = [
    '(415) 555-0101',
    '415-555-0101 cell',
    'C: 415-555-0101 / 415-555-0102',
    '+44 20 7946 0958',
    '４１５-555-0101',
  ]
  const amounts = ['1234.50', '-1234.50', '.50', '0.50', '250.00', '1,234.50', '0.00', 'n/a']
  const others = ['1234.50', '5550.01', '250', 'true', '2026-01-01T09:15:00Z', 'a\nb']
  const record = fc.record({
    Name: fc.constantFrom(...names),
    Phone: fc.constantFrom(...phones),
    Balance: fc.constantFrom(...amounts),
    Terms: fc.constantFrom({ ID: '250', FullName: 'Net 60' }, { ID: '7' }),
    Custom: fc.oneof(fc.constantFrom(...others), fc.record({ Price: fc.constantFrom(...others, 250) })),
  })
  const typed = fc.constantFrom(
    ...names,
    ...phones,
    ...amounts,
    ...others,
    ...["o'leary", 'ab plumbing', 'acme', 'mueller', 'οδυσ', '1000 oaks', '4155550101', '+1 415 555 0102'],
    ...[
      '020 7946 0958',
      '(1,234.50)',
      '$.50',
      '-.50',
      ',50',
      '1.234,50',
      '€250',
      '250.',
      'net 60 250',
      '01',
      'fals',
    ],
  )
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 40 }), typed, (records, text) => {
      const listed = records.map((each, at) => ({ ...each, ID: `id-${String(at)}` }))
      const [search, query] = [new RowSearch('customer'), findQuery(text)]
      const inList = listed.filter((each) => search.matches(each, undefined, query)).map(({ ID }) => ID)
      const anywhere = indexOf(listed).find(query, 100).found
      // The list shows the days of timestamps.
      if (!text.startsWith('2026') && text !== '01')
        expect(anywhere.map(({ recordId }) => recordId).toSorted()).toEqual(inList.toSorted())
    }),
    { numRuns: 2_000 },
  )
})

test('the search of a list also looks at what was edited, as at what was read', () => {
  const record = { ID: '1', Name: 'Ash', Balance: '5.00' }
  const row = { rowId: '1', recordId: '1', record, origin: 'read' } as const
  const edited = [
    ['Balance', '1,234.50'],
    ['Phone', '(415) 555-0101'],
    ['Terms', { ID: '', FullName: 'Net 60' }],
  ] as const
  const draft = edited.reduce(
    (kept, [path, now]) => withValue(kept, 'customer', path, now),
    draftFor(row, 'd'),
  )
  const finds = (typed: string): boolean => new RowSearch('customer').matches(record, draft, findQuery(typed))
  for (const typed of ['1234.50', '1.234,50', '4155550101', 'ash net 60', '5.00'])
    expect(finds(typed), typed).toBe(true)
  for (const typed of ['1234', '234.50', 'net 70']) expect(finds(typed), typed).toBe(false)
})

test('in a large list, what is exactly what was typed comes first, and a name alone is always found', () => {
  const many = Array.from({ length: 6_000 }, (_none, at) => ({
    ...{
      ID: `p${String(at)}`,
      Name: `Joanna Planner ${String(at)}`,
      FullName: `Joanna Planner ${String(at)}`,
    },
  }))
  const index = indexOf([
    ...many,
    { ID: 'ann', Name: 'Ann', FullName: 'Ann' },
    ...many.map((each) => ({ ...each, ID: `q${each.ID}` })),
  ])
  const typed = index.find(findQuery('Ann'), 5)
  expect(typed.isMore).toBe(true)
  expect(typed.found[0]?.recordId).toBe('ann')
  expect(index.named('ann', 5)).toMatchObject({ total: 1, isMore: false, found: [{ recordId: 'ann' }] })
  expect(index.named('Joanna', 5)).toMatchObject({ total: 0, isMore: false })
})

test('names with thousands marks, local numbers, and numbers with another country’s code are found', () => {
  const index = indexOf([
    { ID: '1', Name: '1,000 Oaks Dental', Balance: '2500.00' },
    { ID: '2', Name: 'Local', Phone: '555-0100' },
    { ID: '3', Name: 'London', Phone: '+44 20 7946 0958' },
    { ID: '4', Name: 'Leeds', Phone: '0113 496 0958' },
    { ID: '5', Name: 'Numbered', Number: '000012' },
    { ID: '6', Name: 'Eight', Number: '00123456' },
    { ID: '7', Name: 'Ten', Number: '0000123456' },
    { ID: '8', Name: 'Other', Number: '9912345678' },
  ])
  const ids = (text: string): readonly string[] =>
    index.find(findQuery(text), 9).found.map(({ recordId }) => recordId)
  expect(ids('1,000 oaks')).toEqual(['1'])
  expect(ids('2,500.00')).toEqual(['1'])
  expect(ids('5550100')).toEqual(['2'])
  expect(ids('555-0100')).toEqual(['2'])
  expect(ids('020 7946 0958')).toEqual(['3'])
  expect(ids('0044 20 7946 0958')).toEqual(['3'])
  // Other leading zeros aren't a prefix.
  expect(ids('000012').toSorted()).toEqual(['5', '7'])
  expect(ids('00123456').toSorted()).toEqual(['6', '7'])
  expect(ids('0000123456')).toEqual(['7'])
  expect(ids('0012345678')).toEqual([])
  for (const typed of ['0000000', '000-0000', '0001234567']) expect(ids(typed), typed).toEqual([])
  expect(ids('+44 113 496 0958')).toEqual(['4'])
})

test('an amount that was typed ranks like a whole line, also in a large list', () => {
  for (const count of [300, 6_000]) {
    const many = Array.from({ length: count }, (_none, at) => ({
      ID: String(at),
      Name: `Customer ${String(at)} of 25`,
      Balance: at === count - 1 ? '25.00' : '0.00',
    }))
    const { found, isMore } = indexOf(many).find(findQuery('25'), 5)
    expect(isMore).toBe(count > 2_000)
    expect(found[0]).toMatchObject({ recordId: String(count - 1), path: 'Balance', value: '25.00' })
  }
})
