/** **Tidy up** on the whole core: what is proposed, drafted, sent, dismissed, and left out. */
import { expect, test } from 'vitest'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { ListToTidy, ShownProposal } from '../../../shared/contract/tidy.ts'
import { type RecordData, textOf } from '../../../shared/records/changes.ts'
import { value } from '../../result.ts'
import { CONNECTION_ID, makeCore } from '../world/core-parts.ts'
import { collectLists, LIST, pause, Person } from '../world/person.ts'
import { callerOf, startWorld, type World } from '../world/world.ts'
import { editElsewhere } from './kept-copies.ts'

async function companiesOf({ person }: World) {
  const listed = value(await person.call('companies.list', { connectionId: CONNECTION_ID })).companies
  return listed.filter(({ isActive, isListed }) => isActive && isListed)
}

/** Keeps these lists of every company. */
async function keep(world: World, objects: readonly string[] = ['customer']): Promise<void> {
  const lists = (await companiesOf(world)).flatMap(({ ref }) =>
    objects.map((object) => ({ endpointId: ref.endpointId, object })),
  )
  await world.person.keepLists(lists)
}

function look(person: Person): Promise<readonly ListToTidy[]> {
  return collectLists((after) => person.call('tidy.proposals', { connectionId: CONNECTION_ID, after }))
}

async function proposalsOf(person: Person, company: CompanyRef): Promise<readonly ShownProposal[]> {
  const lists = await look(person)
  return lists.find((each) => each.company.endpointId === company.endpointId)?.proposals ?? []
}

const of = (proposals: readonly ShownProposal[], kind: ShownProposal['kind']): readonly ShownProposal[] =>
  proposals.filter((proposal) => proposal.kind === kind)

async function customersOf({ person }: World, company: CompanyRef): Promise<readonly RecordData[]> {
  const filter = { ids: [], modifiedFrom: null, modifiedTo: null }
  const set = value(await person.call('records.open', { company, object: 'customer', filter }))
  const records = await person.held(set.setId, set.count)
  value(await person.call('records.close', { setId: set.setId }))
  return records
}

/** Two companies with a phone in another form and with a duplicate each; the first is returned first. */
async function untidyWorld(onTestFinished: Parameters<typeof startWorld>[0]) {
  const world = await startWorld(onTestFinished)
  const companies = (await companiesOf(world)).slice(0, 2)
  const planted: {
    readonly ref: CompanyRef
    readonly phone: string
    readonly kept: string
    readonly twin: string
  }[] = []
  for (const { ref } of companies) {
    const isPlain = (record: RecordData): boolean =>
      ['AlternatePhone', 'Mobile', 'MiddleName', 'Suffix', 'CompanyName', 'Number'].every(
        (name) => textOf(record[name]) === '',
      )
    const active = (await customersOf(world, ref)).filter(
      (record) =>
        isPlain(record) && record['IsActive'] !== 'false' && textOf(record['Parent']).includes('"ID":""'),
    )
    const [odd, kept, twin] = active.toSorted(
      (one, other) => Number(other['Balance']) - Number(one['Balance']),
    )
    const ids = [odd, kept, twin].map((record) => textOf(record?.['ID']))
    const [phone = '', keptId = '', twinId = ''] = ids
    const BillingAddress = { Line1: '218 Alder Court', City: 'Bayshore', State: 'CA', PostalCode: '94123' }
    const person = { FirstName: 'Robin', LastName: 'Keller', Phone: '(415) 555-0188' }
    // Contacts and classes may differ. Emails may not.
    const Email = 'robin.keller@bluepine.example'
    const details = { ...person, Salutation: '', Email, BillingAddress, ShippingAddress: BillingAddress }
    await editElsewhere(world.server, ref, LIST, [
      { ID: phone, Phone: '415.555.0177' },
      { ID: keptId, Name: 'Robin Keller', ...details },
      { ID: twinId, Name: 'Keller, Robin', ...details },
    ])
    planted.push({ ref, phone, kept: keptId, twin: twinId })
  }
  await keep(world)
  return { world, planted }
}

test('proposes corrections of untidy values; checked ones become drafts that are sent like any other', async ({
  onTestFinished,
}) => {
  const { world, planted } = await untidyWorld(onTestFinished)
  const { person, running } = world
  const picks: {
    endpointId: string
    records: { recordId: string; edits: ShownProposal['records'][number]['edits'] }[]
  }[] = []
  for (const { ref, phone, kept, twin } of planted) {
    const found = await proposalsOf(person, ref)
    const phones = of(found, 'phone').flatMap(({ records }) => records)
    expect(phones.find(({ recordId }) => recordId === phone)?.edits).toEqual([
      { path: 'Phone', was: '415.555.0177', now: '(415) 555-0177' },
    ])
    const pairs = of(found, 'duplicate').map(({ records }) =>
      records.map(({ recordId }) => recordId).toSorted(),
    )
    expect(pairs).toContainEqual([kept, twin].toSorted())
    const edits = phones.find(({ recordId }) => recordId === phone)?.edits ?? []
    picks.push({ endpointId: ref.endpointId, records: [{ recordId: phone, edits }] })
  }
  const change = value(
    await person.call('tidy.draft', { connectionId: CONNECTION_ID, object: 'customer', picks }),
  )
  expect(change.items.flatMap(({ records }) => records.map(({ edits }) => edits[0]?.now))).toEqual(
    planted.map(() => '(415) 555-0177'),
  )
  // A record with a draft in its list gets no other checkbox.
  for (const { ref, phone } of planted) {
    const drafts = value(await person.call('records.drafts', { company: ref, object: 'customer' }))
    expect(drafts.map(({ recordId }) => recordId)).toEqual([phone])
    const again = of(await proposalsOf(person, ref), 'phone').flatMap(({ records }) => records)
    expect(again.find(({ recordId }) => recordId === phone)).toMatchObject({
      edits: [],
      blockedReason: [expect.stringContaining('aren’t sent yet')],
    })
  }
  const draftIds = change.items.flatMap(({ records }) => records.map(({ draftId }) => draftId))
  value(await person.call('multiCompanyChanges.send', { changeId: change.changeId, draftIds }))
  for (;;) {
    const [sent] = value(await person.call('multiCompanyChanges.list', { connectionId: CONNECTION_ID }))
    if (sent?.state === 'finished') {
      expect(sent.items.flatMap(({ records }) => records.map(({ state }) => state))).toEqual(
        planted.map(() => 'saved'),
      )
      break
    }
    await pause(5)
  }
  for (const { ref, phone } of planted) {
    const left = of(await proposalsOf(person, ref), 'phone').flatMap(({ records }) => records)
    expect(left.map(({ recordId }) => recordId)).not.toContain(phone)
  }
  expect(running.defects).toEqual([])
})

test('what was dismissed stays dismissed after a restart, until that is undone or the company’s data is deleted', async ({
  onTestFinished,
}) => {
  const { world, planted } = await untidyWorld(onTestFinished)
  const [first] = planted
  if (first === undefined) throw new Error('There are two companies.')
  const { ref, twin } = first
  const pair = async (person: Person) =>
    of(await proposalsOf(person, ref), 'duplicate').find(({ records }) =>
      records.some(({ recordId }) => recordId === twin),
    )
  const key = (await pair(world.person))?.key ?? ''
  value(await world.person.call('tidy.dismiss', { company: ref, key, isDismissed: true }))
  expect((await pair(world.person))?.isDismissed).toBe(true)
  await world.running.core.close()

  const { server, plan, running } = world
  const again = value(
    makeCore(
      { ...plan, saved: { address: server.url, key: server.key } },
      { settings: { store: running.settings }, secrets: running.secrets },
    ),
  )
  onTestFinished(() => again.core.close())
  again.core.start()
  const person = new Person(callerOf(again))
  await person.openCompany()
  await keep({ ...world, running: again, person })
  expect((await pair(person))?.isDismissed).toBe(true)
  value(await person.call('tidy.dismiss', { company: ref, key, isDismissed: false }))
  expect((await pair(person))?.isDismissed).toBe(false)

  value(await person.call('tidy.dismiss', { company: ref, key, isDismissed: true }))
  value(await person.call('history.deleteCompany', { company: ref }))
  value(await person.call('companies.refresh', { connectionId: CONNECTION_ID }))
  await keep({ ...world, running: again, person })
  expect((await pair(person))?.isDismissed).toBe(false)
})

test('a read-only company is named and skipped, and so is a record that changed in the meantime', async ({
  onTestFinished,
}) => {
  const { world, planted } = await untidyWorld(onTestFinished)
  const { person } = world
  const [readOnly, other] = planted
  if (readOnly === undefined || other === undefined) throw new Error('There are two companies.')
  value(await person.call('companies.annotate', { company: readOnly.ref, notes: { readOnly: true } }))
  const lists = await look(person)
  const blockedReason = lists.find(
    ({ company }) => company.endpointId === readOnly.ref.endpointId,
  )?.blockedReason
  expect(blockedReason).toContain('read only')
  const edits = [{ path: 'Phone', was: 'something else', now: '(415) 555-0177' }]
  const refused = await person.call('tidy.draft', {
    connectionId: CONNECTION_ID,
    object: 'customer',
    picks: planted.map(({ ref, phone }) => ({
      endpointId: ref.endpointId,
      records: [{ recordId: phone, edits }],
    })),
  })
  expect(refused.ok ? [] : refused.error.details.more).toEqual([
    expect.stringContaining('read only'),
    expect.stringContaining('It has changed since you compared it.'),
  ])
  for (const { ref } of planted)
    expect(value(await person.call('records.drafts', { company: ref, object: 'customer' }))).toEqual([])
})

test('only the records that would get the same name are skipped, not their whole list', async ({
  onTestFinished,
}) => {
  const { world, planted } = await untidyWorld(onTestFinished)
  const { person } = world
  const [first] = planted
  if (first === undefined) throw new Error('There is a company.')
  await look(person)
  const customers = await customersOf(world, first.ref)
  const pick = (record: RecordData, path: string, now: string) => ({
    recordId: textOf(record['ID']),
    edits: [{ path, was: textOf(record[path]), now }],
  })
  const topLevel = customers.filter(
    (record) => record['FullName'] === record['Name'] && record['ID'] !== first.phone,
  )
  const records = [
    ...topLevel.slice(0, 2).map((record) => pick(record, 'Name', 'One Name for Two')),
    ...customers
      .filter((record) => record['ID'] === first.phone)
      .map((record) => pick(record, 'Phone', '(415) 555-0177')),
  ]
  const picks = [{ endpointId: first.ref.endpointId, records }]
  const drafted = value(
    await person.call('tidy.draft', { connectionId: CONNECTION_ID, object: 'customer', picks }),
  )
  expect(drafted.leftOut.map(({ reason }) => reason)).toEqual([
    'Only one record in a company can have this name.',
    'Only one record in a company can have this name.',
  ])
  const drafts = value(await person.call('records.drafts', { company: first.ref, object: 'customer' }))
  expect(drafts.map(({ recordId }) => recordId)).toEqual([first.phone])
})

test('a duplicate stays active if the record that should stay instead was merged into it or made inactive', async ({
  onTestFinished,
}) => {
  const { world, planted } = await untidyWorld(onTestFinished)
  const { person, running, server } = world
  const [merged, inactive] = planted
  if (merged === undefined || inactive === undefined) throw new Error('There are two companies.')
  await look(person)
  const picks = planted.map(({ ref, kept, twin }) => ({
    endpointId: ref.endpointId,
    records: [
      {
        recordId: twin,
        edits: [
          {
            path: 'IsActive',
            was: 'true',
            now: 'false',
            keeps: { ID: kept, FullName: 'Robin Keller' },
          },
          { path: 'Name', was: 'Keller, Robin', now: 'Keller, Robin (duplicate)' },
        ],
      },
    ],
  }))
  const change = value(
    await person.call('tidy.draft', { connectionId: CONNECTION_ID, object: 'customer', picks }),
  )
  // In the application: one is merged into its duplicate, so it is gone; the other becomes inactive.
  const twin = (await customersOf(world, merged.ref)).find(({ ID }) => ID === merged.twin)
  const text = JSON.stringify({
    HasErrors: false,
    RequestId: 'req-merged',
    Contents: [{ Object: twin, Errors: null, Kind: 'customer' }],
    Errors: null,
  })
  server.addFaults({
    match: { method: 'GET', path: merged.ref.endpointId, query: 'id=' },
    times: 0,
    fault: { kind: 'body', text, status: 200 },
  })
  await editElsewhere(server, inactive.ref, LIST, [{ ID: inactive.kept, IsActive: false }])
  const draftIds = change.items.flatMap(({ records }) => records.map(({ draftId }) => draftId))
  value(await person.call('multiCompanyChanges.send', { changeId: change.changeId, draftIds }))
  for (;;) {
    const [sent] = value(await person.call('multiCompanyChanges.list', { connectionId: CONNECTION_ID }))
    if (sent?.state === 'finished') {
      const shown = sent.items.flatMap(({ records }) => records)
      expect(shown.map(({ state }) => state)).toEqual(['changed-meanwhile', 'changed-meanwhile'])
      for (const { error } of shown) expect(error?.message).toContain('“Robin Keller” should stay instead')
      break
    }
    await pause(5)
  }
  server.control({ clearFaults: true })
  for (const { ref, twin: id } of planted) {
    const record = (await customersOf(world, ref)).find(({ ID }) => ID === id)
    expect(record).toMatchObject({ Name: 'Keller, Robin', IsActive: 'true' })
  }
  expect(running.defects).toEqual([])
})

test('what is proposed because of a balance is drafted and sent only while the record has it', async ({
  onTestFinished,
}) => {
  const { world, planted } = await untidyWorld(onTestFinished)
  const { person, server } = world
  const [one, other] = planted
  if (one === undefined || other === undefined) throw new Error('There are two companies.')
  const pickOf = async ({ ref, twin }: (typeof planted)[number]) => {
    const pair = of(await proposalsOf(person, ref), 'duplicate').find(({ records }) =>
      records.some(({ recordId }) => recordId === twin),
    )
    const { recordId = '', edits = [] } = pair?.records[1] ?? {}
    return { endpointId: ref.endpointId, records: [{ recordId, edits }] }
  }
  const [mine, theirs] = [await pickOf(one), await pickOf(other)]
  expect(mine.records[0]?.edits.map(({ path, balance }) => [path, balance])).toEqual([
    ['IsActive', '0.00'],
    ['Name', undefined],
  ])
  // The copy was refreshed after the proposal was shown.
  const stale = {
    ...theirs,
    records: theirs.records.map((record) => ({
      ...record,
      edits: record.edits.map((edit) => ({ ...edit, ...(edit.balance && { balance: '1250.00' }) })),
    })),
  }
  const change = value(
    await person.call('tidy.draft', {
      connectionId: CONNECTION_ID,
      object: 'customer',
      picks: [mine, stale],
    }),
  )
  expect(change.leftOut.map(({ endpointId, reason }) => [endpointId, reason])).toEqual([
    [theirs.endpointId, 'It has changed since you compared it.'],
  ])
  const [{ recordId } = { recordId: '' }] = mine.records
  // In the application, an invoice is posted to it.
  const before = (await customersOf(world, one.ref)).find(({ ID }) => ID === recordId)
  const text = JSON.stringify({
    HasErrors: false,
    RequestId: 'req-invoiced',
    Contents: [{ Object: { ...before, Balance: '480.00' }, Errors: null, Kind: 'customer' }],
    Errors: null,
  })
  server.addFaults({
    match: { method: 'GET', path: one.ref.endpointId, query: 'id=' },
    times: 0,
    fault: { kind: 'body', text, status: 200 },
  })
  const draftIds = change.items.flatMap(({ records }) => records.map(({ draftId }) => draftId))
  value(await person.call('multiCompanyChanges.send', { changeId: change.changeId, draftIds }))
  const sent = async () =>
    value(await person.call('multiCompanyChanges.list', { connectionId: CONNECTION_ID }))[0]
  while ((await sent())?.state === 'running') await pause(5)
  const [shown] = (await sent())?.items.flatMap(({ records }) => records) ?? []
  expect(shown?.state).toBe('changed-meanwhile')
  expect(shown?.error?.message).toContain('480.00')
  server.control({ clearFaults: true })
  const record = (await customersOf(world, one.ref)).find(({ ID }) => ID === recordId)
  expect(record).toMatchObject({ IsActive: 'true' })
})

test('a duplicate stays active if the record that should stay instead was renamed before it was drafted or sent', async ({
  onTestFinished,
}) => {
  const { world, planted } = await untidyWorld(onTestFinished)
  const { person, running, server } = world
  const [before, after] = planted
  if (before === undefined || after === undefined) throw new Error('There are two companies.')
  await look(person)
  const draft = ({ ref, kept, twin }: typeof before) =>
    person.call('tidy.draft', {
      connectionId: CONNECTION_ID,
      object: 'customer',
      picks: [
        {
          endpointId: ref.endpointId,
          records: [
            {
              recordId: twin,
              edits: [
                {
                  path: 'IsActive',
                  was: 'true',
                  now: 'false',
                  keeps: { ID: kept, FullName: 'Robin Keller' },
                },
              ],
            },
          ],
        },
      ],
    })
  const rename = ({ ref, kept }: typeof before) =>
    editElsewhere(server, ref, LIST, [{ ID: kept, Name: 'Robin Kessler' }])

  // Renamed and read again while the proposal was on screen.
  await rename(before)
  await keep(world)
  const refused = await draft(before)
  expect(refused.ok ? [] : refused.error.details.more).toEqual([
    expect.stringContaining('“Robin Keller” should stay instead'),
  ])

  // Renamed after the draft was made.
  const change = value(await draft(after))
  await rename(after)
  const draftIds = change.items.flatMap(({ records }) => records.map(({ draftId }) => draftId))
  value(await person.call('multiCompanyChanges.send', { changeId: change.changeId, draftIds }))
  for (;;) {
    const [sent] = value(await person.call('multiCompanyChanges.list', { connectionId: CONNECTION_ID }))
    if (sent?.state === 'finished') {
      const [record] = sent.items.flatMap(({ records }) => records)
      expect(record?.state).toBe('changed-meanwhile')
      expect(record?.error?.message).toContain('“Robin Keller” should stay instead')
      break
    }
    await pause(5)
  }
  for (const { ref, twin: id } of planted) {
    const record = (await customersOf(world, ref)).find(({ ID }) => ID === id)
    expect(record).toMatchObject({ Name: 'Keller, Robin', IsActive: 'true' })
  }
  expect(running.defects).toEqual([])
})

test('no draft makes a duplicate inactive together with the record that should stay', async ({
  onTestFinished,
}) => {
  const { world, planted } = await untidyWorld(onTestFinished)
  const { person } = world
  const [first] = planted
  if (first === undefined) throw new Error('There is a company.')
  const { ref, kept, twin } = first
  await look(person)
  const retire = (recordId: string, keeps: string) => ({
    recordId,
    edits: [{ path: 'IsActive', was: 'true', now: 'false', keeps: { ID: keeps, FullName: 'Robin Keller' } }],
  })
  const picks = [{ endpointId: ref.endpointId, records: [retire(kept, twin), retire(twin, kept)] }]
  const refused = await person.call('tidy.draft', {
    connectionId: CONNECTION_ID,
    object: 'customer',
    picks,
  })
  expect(refused.ok ? [] : refused.error.details.more).toEqual([
    expect.stringContaining('“Robin Keller” should stay instead'),
  ])
})
