/**
 * Find, Tidy up, and one change in several companies over lists as other services may give them: references without
 * names, IDs that look like numbers, names with colons, missing fields, and lists that are empty or only inactive.
 */
import { expect, test } from 'vitest'
import type { RecordCriteria, ShownChange } from '../../../shared/contract/all-companies.ts'
import { type RecordData, textOf } from '../../../shared/records/changes.ts'
import { plainCompanies, type PlainCompany, PlainService } from '../../e2e/support/plain-service.ts'
import { value } from '../../result.ts'
import { CONNECTION_ID, makeCore } from '../world/core-parts.ts'
import { collectLists, pause, Person } from '../world/person.ts'
import { type AtEnd, callerOf, QUICK_SETTINGS, usedFolder } from '../world/world.ts'

type Lists = Readonly<Record<string, readonly RecordData[]>>

/** A connected program, and the kept lists of companies, one object of lists for each. */
class OddWorld {
  readonly service: PlainService
  readonly companies: readonly PlainCompany[]
  readonly person: Person
  readonly defects: readonly unknown[]

  private constructor(service: PlainService, person: Person, defects: readonly unknown[]) {
    this.service = service
    this.companies = service.companies
    this.person = person
    this.defects = defects
  }

  static async start(atEnd: AtEnd, lists: readonly Lists[]): Promise<OddWorld> {
    const companies = plainCompanies(lists.length)
    const service = await PlainService.start(companies)
    atEnd(() => service.close())
    for (const [at, { endpointId }] of companies.entries())
      for (const [object, records] of Object.entries(lists[at] ?? {}))
        service.lists.set(`${endpointId}/${object}`, [...records])
    const plan = { settings: QUICK_SETTINGS, beginsAt: Date.now(), factor: 1, saved: null }
    const running = value(makeCore({ ...plan, userData: usedFolder(atEnd) }))
    atEnd(() => running.core.close())
    running.core.start()
    const person = new Person(callerOf(running))
    await person.connect(service.url, service.key)
    const world = new OddWorld(service, person, running.defects)
    await world.keep(lists)
    return world
  }

  async keep(lists: readonly Lists[]): Promise<void> {
    const wanted = this.companies.flatMap(({ endpointId }, at) =>
      Object.keys(lists[at] ?? {}).map((object) => ({ endpointId, object })),
    )
    expect((await this.person.keepLists(wanted)).failed).toEqual([])
  }

  /** Waits until a change was sent. */
  async finished(changeId: string): Promise<ShownChange> {
    for (;;) {
      const all = value(await this.person.call('multiCompanyChanges.list', { connectionId: CONNECTION_ID }))
      const found = all.find((change) => change.changeId === changeId)
      if (found?.state === 'finished') return found
      expect(found?.state).toBe('running')
      await pause(2)
    }
  }

  async compare(object: string, criteria: RecordCriteria) {
    const asked = { connectionId: CONNECTION_ID, object, criteria }
    return value(await this.person.call('multiCompanyChanges.compare', asked)).companies
  }

  async values(object: string, path: string) {
    const asked = { connectionId: CONNECTION_ID, object, path }
    return value(await this.person.call('multiCompanyChanges.values', asked)).values
  }
}

const customer = (ID: string, Name: string, more: RecordData = {}): RecordData => ({
  ...{ ID, Name, FullName: Name, IsActive: 'true' },
  ...more,
})

test('references without names are compared by the names in their own company’s lists', async ({
  onTestFinished,
}) => {
  const terms = (ID: string): RecordData => ({ Terms: { ID, FullName: '' } })
  const world = await OddWorld.start(onTestFinished, [
    {
      customer: [customer('1', 'Alder', terms('5')), customer('2', 'Birch', terms('6'))],
      terms: [
        { ID: '5', Name: 'Net 30' },
        { ID: '6', Name: 'Net 60' },
      ],
    },
    // The same ID is another record here.
    { customer: [customer('1', 'Alder', terms('5'))], terms: [{ ID: '5', Name: 'Net 60' }] },
    // No one knows what it is here.
    { customer: [customer('1', 'Alder', terms('5'))] },
  ])
  const nameIn = (record: RecordData | undefined): string =>
    textOf((record?.['Terms'] as RecordData | undefined)?.['FullName'])
  const compared = await world.compare('customer', { by: 'name', text: 'Alder' })
  expect(compared.map(({ records }) => nameIn(records[0]?.record))).toEqual(['Net 30', 'Net 60', ''])
  const names = await world.values('customer', 'Terms')
  expect(names.map((each) => [each.value, each.count])).toEqual([
    [{ ID: '', FullName: 'Net 60' }, 2],
    [{ ID: '', FullName: 'Net 30' }, 1],
  ])
  const criteria = { by: 'value', path: 'Terms', value: { ID: '', FullName: 'Net 60' } } as const
  const found = await world.compare('customer', criteria)
  expect(found.map(({ records }) => records.map(({ name }) => name))).toEqual([['Birch'], ['Alder'], []])
  expect(world.defects).toEqual([])
})

test('a class below another one is named with its parent, and terms or classes without names are named by nothing', async ({
  onTestFinished,
}) => {
  const inClass = (ID: string): RecordData => ({ Class: { ID, FullName: '' } })
  const world = await OddWorld.start(onTestFinished, [
    {
      customer: [customer('1', 'Alder', inClass('c1')), customer('2', 'Birch', inClass('c2'))],
      class: [{ ID: 'c1', Name: 'East', FullName: 'Region:East' }, { ID: 'c2' }],
    },
    { customer: [customer('1', 'Alder', { Class: { ID: 'x', FullName: 'Region:East' } })] },
  ])
  const values = await world.values('customer', 'Class')
  expect(values.map((each) => [each.value, each.count, each.companies])).toEqual([
    [{ ID: '', FullName: 'Region:East' }, 2, 2],
  ])
  expect(world.defects).toEqual([])
})

test('a name is called missing only if a list could show it, and a company where only inactive records have it is left out', async ({
  onTestFinished,
}) => {
  const someone = [customer('1', 'Alder', { Class: { ID: '', FullName: '' } })]
  const world = await OddWorld.start(onTestFinished, [
    // No record at all, as from a service that doesn't give this list.
    { customer: someone, class: [] },
    // Names without their parents.
    {
      customer: someone,
      class: [
        { ID: 'r', Name: 'Region' },
        { ID: 'e', Name: 'East' },
      ],
    },
    { customer: someone, class: [{ ID: 'e', Name: 'East', FullName: 'Region:East', IsActive: 'false' }] },
    { customer: someone, class: [{ ID: 'w', Name: 'West', FullName: 'Region:West', IsActive: 'true' }] },
    { customer: someone, class: [{ ID: 'e', Name: 'East', FullName: 'Region : east', IsActive: 'true' }] },
    // An inactive record of that name beside an active one.
    {
      customer: someone,
      class: [
        { ID: 'e', Name: 'East', FullName: 'Region : East', IsActive: 'false' },
        { ID: 'f', Name: 'East', FullName: 'Region:East', IsActive: 'true' },
      ],
    },
  ])
  const change = value(
    await world.person.call('multiCompanyChanges.draft', {
      ...{ connectionId: CONNECTION_ID, object: 'customer', path: 'Class' },
      now: { ID: '', FullName: 'Region:East' },
      picks: world.companies.map(({ endpointId }) => ({ endpointId, recordIds: ['1'] })),
    }),
  )
  expect(change.items.map(({ endpointId, warning }) => [endpointId, warning.slice(0, 40)])).toEqual([
    [world.companies[0]?.endpointId, 'Bookbridge doesn’t know whether the list'],
    [world.companies[1]?.endpointId, 'Bookbridge doesn’t know whether the list'],
    [world.companies[4]?.endpointId, ''],
    [world.companies[5]?.endpointId, ''],
  ])
  expect(change.leftOut.map(({ endpointId, reason }) => [endpointId, reason.split('.', 1)[0]])).toEqual([
    [world.companies[2]?.endpointId, 'In its list class, “Region:East” is inactive'],
    [world.companies[3]?.endpointId, 'Its list class has no “Region:East”'],
  ])
})

const renamed =
  (ID: string, Name: string): ((records: readonly RecordData[]) => readonly RecordData[]) =>
  (records) =>
    records.map((record) => (record['ID'] === ID ? { ...record, Name, FullName: Name } : record))

/** What someone else does to Alder (1), Birch (2), and Cedar (3), and what becomes of the changes of Alder and Cedar. */
test.for([
  [
    'one record is deleted',
    (records) => records.filter(({ ID }) => ID !== '1'),
    ['changed-meanwhile', 'saved'],
  ],
  ['all records are deleted', () => [], ['changed-meanwhile', 'changed-meanwhile']],
  ['a record gets the name of another one', renamed('1', 'Birch'), ['changed-meanwhile', 'saved']],
  ['another record gets its name', renamed('2', 'Alder'), ['saved', 'saved']],
  [
    'two records change places',
    (records) => [renamed('1', 'Birch'), renamed('2', 'Alder')].reduce((all, rename) => rename(all), records),
    ['changed-meanwhile', 'saved'],
  ],
  [
    'another record gets its ID, too',
    (records) => [...records, customer('1', 'Dogwood')],
    ['not-sent', 'not-sent'],
  ],
  [
    'its value changes',
    (records) => records.map((record) => (record['ID'] === '1' ? { ...record, Phone: '999' } : record)),
    ['changed-meanwhile', 'saved'],
  ],
  [
    'the field is gone',
    (records) => records.map(({ Phone: _, ...record }) => record),
    ['changed-meanwhile', 'changed-meanwhile'],
  ],
  [
    'the agent opened another file',
    () => ['Elm', 'Fir', 'Oak'].map((name, at) => customer(String(at + 1), name, { Phone: String(at + 1) })),
    ['changed-meanwhile', 'changed-meanwhile'],
  ],
] as const satisfies readonly (readonly [
  string,
  (records: readonly RecordData[]) => readonly RecordData[],
  readonly string[],
])[])(
  'a change sends nothing wrong if, since it was reviewed, %s',
  async ([, others, states], { onTestFinished }) => {
    const three = ['Alder', 'Birch', 'Cedar'].map((name, at) =>
      customer(String(at + 1), name, { Phone: String(at + 1) }),
    )
    const world = await OddWorld.start(onTestFinished, [{ customer: three }, { customer: three }])
    const change = value(
      await world.person.call('multiCompanyChanges.draft', {
        ...{ connectionId: CONNECTION_ID, object: 'customer', path: 'Phone', now: '77' },
        picks: world.companies.map(({ endpointId }) => ({ endpointId, recordIds: ['1', '3'] })),
      }),
    )
    const lists = world.companies.map(({ endpointId }) => `${endpointId}/customer`)
    const [first = '', second = ''] = lists
    const before = others(three)
    world.service.lists.set(first, [...before])
    const { changeId, items } = change
    const draftIds = items.flatMap(({ records }) => records.map(({ draftId }) => draftId))
    value(await world.person.call('multiCompanyChanges.send', { changeId, draftIds }))
    const ended = await world.finished(changeId)
    expect(ended.items.map(({ records }) => records.map(({ state }) => state))).toEqual([
      states,
      ['saved', 'saved'],
    ])
    // Only what is reported as saved is in the books.
    const isSaved = new Map([
      ['1', states[0] === 'saved'],
      ['3', states[1] === 'saved'],
    ])
    expect(world.service.lists.get(first)).toEqual(
      before.map((record) =>
        isSaved.get(textOf(record['ID'])) === true ? { ...record, Phone: '77' } : record,
      ),
    )
    expect(world.service.lists.get(second)?.map(({ Phone }) => Phone)).toEqual(['77', '2', '77'])
    expect(world.defects).toEqual([])
  },
)

test('IDs that are numbers, names with colons, and missing or null fields are found, compared, and sent as they came', async ({
  onTestFinished,
}) => {
  const odd: readonly RecordData[] = [
    {
      ID: 9_007_199_254_740_991,
      Name: 'Alder: the second',
      FullName: 'Alder: the second',
      IsActive: true,
      Phone: null,
    },
    {
      ID: '007',
      Name: 'Birch',
      FullName: null,
      IsActive: null,
      Phone: '(415) 555-0101',
      BillingAddress: null,
    },
    { ID: 7, Name: 'Birch Two', Phone: '(415) 555-0102', Terms: null, Balance: null },
    { ID: '1e3', Name: 'Cedar', Phone: '(415) 555-0103', Parent: null },
    { ID: ' 8 ', Name: 'Dogwood', Phone: '415.555.0104', Terms: 'Net 30' },
    { ID: '', Name: 'No number', Phone: '415.555.0105' },
    { ID: null, Name: null, Phone: '415.555.0106' },
  ]
  const world = await OddWorld.start(onTestFinished, [{ customer: odd }, { customer: [] }])
  const [first] = world.companies
  const named = await world.compare('customer', { by: 'name', text: 'alder:the second' })
  expect(named.map(({ records }) => records.map(({ recordId }) => recordId))).toEqual([
    ['9007199254740991'],
    [],
  ])
  expect(named.map(({ readAt }) => readAt !== null)).toEqual([true, true])
  const asked = { connectionId: CONNECTION_ID, text: 'birch', after: null }
  const { lists } = value(await world.person.call('allCompanies.find', asked))
  expect(lists.map(({ total, hits }) => [total, hits.map(({ recordId }) => recordId)])).toEqual([
    [2, ['007', '7']],
  ])
  const terms = await world.values('customer', 'Terms')
  expect(terms.map((each) => [each.value, each.count])).toEqual([
    [{ ID: '', FullName: '' }, 6],
    [{ ID: '', FullName: 'Net 30' }, 1],
  ])
  const looked = await collectLists((after) =>
    world.person.call('tidy.proposals', { connectionId: CONNECTION_ID, after }),
  )
  const phones = looked.flatMap(({ company, proposals }) =>
    proposals
      .filter(({ kind }) => kind === 'phone')
      .flatMap(({ records }) => records.map(({ recordId }) => [company.endpointId, recordId])),
  )
  // What has no ID can't be changed.
  expect(phones).toEqual([[first?.endpointId, ' 8 ']])

  const change = value(
    await world.person.call('multiCompanyChanges.draft', {
      ...{ connectionId: CONNECTION_ID, object: 'customer', path: 'Phone', now: '(415) 555-0199' },
      picks: [
        { endpointId: first?.endpointId ?? '', recordIds: ['9007199254740991', '007', '7', '1e3', ' 8 '] },
      ],
    }),
  )
  expect(change.leftOut).toEqual([])
  const draftIds = change.items.flatMap(({ records }) => records.map(({ draftId }) => draftId))
  value(await world.person.call('multiCompanyChanges.send', { changeId: change.changeId, draftIds }))
  const sent = await world.finished(change.changeId)
  expect(sent.items.flatMap(({ records }) => records.map(({ state }) => state))).toEqual(
    draftIds.map(() => 'saved'),
  )
  const stored = world.service.lists.get(`${first?.endpointId ?? ''}/customer`) ?? []
  expect(stored.map(({ Phone }) => Phone)).toEqual([
    ...['(415) 555-0199', '(415) 555-0199', '(415) 555-0199', '(415) 555-0199', '(415) 555-0199'],
    ...['415.555.0105', '415.555.0106'],
  ])
  expect(world.defects).toEqual([])
})

test('records of which it isn’t clear whether they are active or what is below them stay as they are', async ({
  onTestFinished,
}) => {
  const details = {
    Phone: '(415) 555-0188',
    BillingAddress: { Line1: '218 Alder Court', City: 'Bayshore', State: 'CA', PostalCode: '94123' },
  }
  const pair = (one: RecordData, other: RecordData): readonly RecordData[] => [
    customer('k', 'Robin Keller', { ...details, Balance: '5.00', ...one }),
    customer('d', 'Keller, Robin', { ...details, Balance: '0.00', ...other }),
  ]
  const world = await OddWorld.start(onTestFinished, [
    { customer: pair({}, {}) },
    // Not what the data definition says.
    { customer: pair({}, { IsActive: 'Y' }) },
    { customer: pair({}, { IsActive: null }) },
    // A job that comes before its customer and names it only by its name.
    {
      customer: [
        customer('j', 'Kitchen', {
          FullName: 'Keller, Robin:Kitchen',
          Parent: { FullName: 'keller, robin' },
        }),
        ...pair({}, {}),
      ],
    },
    // Only the full name says so.
    { customer: [customer('j', 'Kitchen', { FullName: 'Keller, Robin:Kitchen' }), ...pair({}, {})] },
    // Inactive records only.
    { customer: pair({ IsActive: 'false', Balance: '0.00' }, { IsActive: 'false' }) },
    // Two records with one ID.
    { customer: [...pair({}, {}), customer('d', 'Someone Else')] },
    // In different currencies.
    {
      customer: pair({ Currency: { ID: '1', FullName: 'EUR' } }, { Currency: { ID: '2', FullName: 'USD' } }),
    },
  ])
  await world.values('customer', 'Phone')
  const looked = await collectLists((after) =>
    world.person.call('tidy.proposals', { connectionId: CONNECTION_ID, after }),
  )
  const retired = looked.map(({ proposals }) =>
    proposals
      .filter(({ kind }) => kind === 'duplicate')
      .flatMap(({ records }) => records.filter(({ edits }) => edits.length > 0))
      .map(({ recordId }) => recordId),
  )
  expect(looked).toHaveLength(8)
  // The record that stays could go instead if the user said so, unless it has a balance.
  expect(retired).toEqual([['d'], [], [], [], [], [], [], []])
  expect(world.defects).toEqual([])
})
