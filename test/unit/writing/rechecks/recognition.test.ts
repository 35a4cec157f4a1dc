/**
 * Services that differ from the sample: they alter names, keep no external IDs, answer what they don't store, date records
 * by their own clock, or reassign IDs. Whatever they do, a record is recognized only with proof. What isn't proven is shown
 * and never claimed.
 */
import { describe, expect, test } from 'vitest'
import type { Operation } from '../../../../shared/contract/records.ts'
import { looseKey } from '../../../../shared/records/names.ts'
import { value } from '../../../result.ts'
import { NOTHING_LEARNED, TestService } from '../service.ts'
import { COMPANY, World } from '../world.ts'

/** How services alter the names that they store. */
const ALTERATIONS: readonly (readonly [what: string, alter: (name: string) => string])[] = [
  ['cut at 41 characters', (name) => name.slice(0, 41)],
  ['cut at 31 characters', (name) => name.slice(0, 31)],
  ['escaped for markup', (name) => name.replaceAll('&', '&amp;').replaceAll("'", '&#39;')],
  ['with smart quotes', (name) => name.replaceAll("'", '’').replace(/"([^"]*)"/g, '“$1”')],
  ['with hyphens for colons', (name) => name.replaceAll(':', '-')],
  ['in compatibility form', (name) => name.normalize('NFKC')],
  ['without accents', (name) => name.normalize('NFD').replace(/\p{M}/gu, '')],
  ['in capitals', (name) => name.toUpperCase()],
  ['without punctuation', (name) => name.replace(/[^\p{L}\p{N} ]/gu, '')],
  ['with blanks put together', (name) => name.replace(/\s+/g, ' ').trim()],
  [
    'renamed altogether',
    (name) => `Customer ${[...name].reduce((sum, each) => sum + each.charCodeAt(0), 0)}`,
  ],
]

const NAMES = [
  'O\'Brien & Sons: "Ｆｕｌｌ Ｗｉｄｔｈ"  Plumbing and Heating of Upper Saddle River',
  'Müller & Co: Café  "Zoë" and the Associates of the Greater Metropolitan Area',
  'Smith & Daughters: Bakers\' Supply  "No. 1" of the Pacific Northwest and Alaska',
] as const

function altering(alter: (name: string) => string): World {
  const service = new TestService()
  service.manner = { keepsExternalIds: false, uniqueNames: false }
  service.alter = (record) => {
    record['Name'] = alter(String(record['Name']))
    record['FullName'] = record['Name']
  }
  return new World({ service, settings: { markWithExternalId: false } })
}

function draftsOf(world: World): readonly string[] {
  return NAMES.flatMap((Name, index) =>
    Array.from({ length: 4 }, (_, copy) =>
      world.draftInsert({ Name: `${copy} ${Name}`, Phone: `555-${index}${copy}` }),
    ),
  )
}

function stored(world: World, operation: Operation | undefined): unknown {
  return world.service.of('customer').get(operation?.recordId ?? '')?.['Phone']
}

function sentPhone(operation: Operation | undefined): unknown {
  return operation?.edits.find(({ path }) => path === 'Phone')?.now
}

/** Makes the service answer with what was sent and the IDs of what it stored. */
function echoing(service: TestService, id: (stored: string, index: number) => string, echo: boolean): void {
  const insert = service.insert.bind(service)
  service.insert = (object, records) => ({
    items: insert(object, records).items.map((item, index) => {
      const stored = (item as { readonly Object: { readonly ID: string } }).Object.ID
      const told = echo ? records[index] : { Name: `Unheard of ${index}` }
      return { Object: { ...told, ID: id(stored, index) }, Errors: null, Kind: object }
    }),
  })
}

describe('names that come back %s', () => {
  test.each(ALTERATIONS)(
    '%s: every insert in an answer is saved, with its own record',
    async (_what, alter) => {
      const world = altering(alter)
      await world.sendAndSettle(draftsOf(world))
      expect(world.service.of('customer').size).toBe(12)
      for (const operation of world.operations()) {
        expect(operation.state).toBe('acked')
        expect(stored(world, operation)).toBe(sentPhone(operation))
      }
    },
  )

  test.each(ALTERATIONS)(
    '%s, and the answer is lost: saved, or shown next to the draft, but never “not there”',
    async (_what, alter) => {
      const world = altering(alter)
      await world.sendAndSettle(draftsOf(world).slice(0, 1))
      world.service.fault = (method) => (method === 'POST' ? 'dropped-after' : 'none')
      const before = world.service.of('customer').size
      await world.sendAndSettle([world.draftInsert({ Name: NAMES[1], Phone: '555-99' })])
      expect(world.service.of('customer').size).toBe(before + 1)
      const [, lost] = world.operations()
      const made = [...world.service.of('customer').values()].at(-1)
      if (lost?.state === 'acked') expect(stored(world, lost)).toBe('555-99')
      else {
        expect(lost?.state).toBe('held')
        expect(lost?.candidates.map(({ ID }) => ID)).toEqual([made?.['ID']])
        expect(world.writer.decide(lost?.operationId ?? '', { what: 'send-again' }).ok).toBe(false)
      }
    },
  )

  test.each([
    ['its letters lost', (name: string) => name.replace(/[^\p{ASCII}]/gu, '?'), ''],
    [
      'its letters dropped, the parent told by its ID alone',
      (name: string) => name.replace(/ü|ß/g, ''),
      'R1',
    ],
  ])('%s: a lost insert under a parent of the same batch is never “not there”', async (_what, alter, ID) => {
    const world = altering(alter)
    const { alter: alterName } = world.service
    world.service.alter = (record) => {
      alterName(record)
      const parent = record['Parent'] as { readonly FullName: string } | undefined
      if (parent !== undefined) record['Parent'] = { ID, FullName: ID === '' ? alter(parent.FullName) : '' }
    }
    let posts = 0
    world.service.fault = (method) => (method === 'POST' && (posts += 1) === 2 ? 'dropped-after' : 'none')
    const Parent = { ID: '', FullName: 'Müller Hochbau' }
    await world.sendAndSettle([
      world.draftInsert({ Name: Parent.FullName, Phone: '1' }),
      world.draftInsert({ Name: 'Außenanlagen', Parent }),
    ])
    const [, child] = world.operations()
    const known = child?.state === 'acked' ? [child.recordId] : child?.candidates.map((each) => each['ID'])
    expect(known).toEqual(['R2'])
  })

  test('an insert with only a name, which was renamed completely, and whose answer is lost: any new record is shown', async () => {
    const world = altering(() => 'Somebody else')
    world.service.fault = (method) => (method === 'POST' ? 'dropped-after' : 'none')
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder' })])
    const [lost] = world.operations()
    expect(lost).toMatchObject({ state: 'held', candidates: [{ Name: 'Somebody else' }] })
    value(
      world.writer.decide(lost?.operationId ?? '', {
        what: 'claim',
        recordId: String(lost?.candidates[0]?.['ID']),
      }),
    )
    expect(world.operations()[0]).toMatchObject({
      state: 'conflict',
      conflicts: [{ path: 'Name', theirs: 'Somebody else' }],
    })
  })

  test('loose comparison of names ignores punctuation, case, accents, and markup', () => {
    expect(looseKey('O&#39;Brien &amp; Söhne')).toBe(looseKey('O’BRIEN & SOHNE'))
    expect(looseKey('&amp;amp;')).toBe('')
  })
})

describe('an answer with IDs that no insert claims', () => {
  test('never leads to “not there”, even if no list has them', async () => {
    const world = altering((name) => name)
    echoing(world.service, (_stored, index) => `T${index}`, false)
    world.service.alter = (record) => {
      record['Name'] = `Renamed ${String(record['ID'])}`
      record['FullName'] = record['Name']
      delete record['Phone']
    }
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    const [operation] = world.operations()
    expect(operation?.state).toBe('held')
    expect(operation?.candidates.map(({ ID }) => ID)).toContain('T0')
  })

  test('is remembered when it is sent again, and its ID no longer identifies the record', async () => {
    const world = altering((name) => name)
    echoing(world.service, (_stored, index) => `T${index}`, false)
    world.service.step = () => {
      world.service.of('customer').clear()
    }
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    const { operationId = '' } = world.operations()[0] ?? {}
    expect(world.operations()).toMatchObject([{ state: 'held', recordId: 'T0', candidates: [{ ID: 'T0' }] }])
    world.service.fault = (method) => (method === 'POST' ? 'dropped-before' : 'none')
    value(world.writer.decide(operationId, { what: 'send-again', dismissed: ['T0'] }))
    await world.settle()
    expect(world.service.requests.filter(({ method }) => method === 'POST')).toHaveLength(2)
    expect(world.operations()).toMatchObject([{ state: 'held', recordId: '', candidates: [{ ID: 'T0' }] }])
  })
})

describe('a record that was not in the list before', () => {
  test.each([
    ['dated a day earlier', -24 * 60],
    ['dated a day later', 24 * 60],
    ['without a date', null],
  ])('%s, is shown or accepted, and never said to have existed before', async (_what, minutes) => {
    const world = altering((name) => name)
    const alter = world.service.alter
    world.service.alter = (record) => {
      alter(record)
      if (minutes === null) delete record['CreatedDate']
      else record['CreatedDate'] = new Date(world.clock.now() + minutes * 60_000).toISOString()
    }
    world.service.fault = (method) => (method === 'POST' ? 'dropped-after' : 'none')
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    const [operation] = world.operations()
    expect(['acked', 'held']).toContain(operation?.state)
    if (operation?.state === 'held') expect(operation.candidates).toHaveLength(1)
  })

  test('isn’t said to have existed before if the list couldn’t be read then', async () => {
    const service = new TestService()
    service.manner = { keepsExternalIds: false, uniqueNames: false }
    let reads = 0
    const isListWhole = (): boolean => (reads += 1) > 1
    const world = new World({ service, settings: { markWithExternalId: false }, isListWhole })
    world.service.add('customer', {
      Name: 'Alder',
      FullName: 'Alder',
      Phone: '1',
      CreatedDate: '2020-01-01T00:00:00Z',
    })
    world.service.fault = (method) => (method === 'POST' ? 'dropped-before' : 'none')
    value(world.sendUnread([world.draftInsert({ Name: 'Alder', Phone: '1' })]))
    await world.settle()
    expect(world.operations()[0]).toMatchObject({
      state: 'held',
      candidates: [{ CreatedDate: '2020-01-01T00:00:00Z' }],
    })
  })

  test('isn’t accepted next to another one with its name if the list wasn’t read before', async () => {
    let reads = 0
    const world = new World({
      settings: { markWithExternalId: false },
      isListWhole: () => (reads += 1) > 1,
    })
    world.service.manner = { keepsExternalIds: false, uniqueNames: false }
    world.service.fault = (method) => (method === 'POST' ? 'dropped-before' : 'none')
    value(world.sendUnread([world.draftInsert({ Name: 'Alder', Phone: '1' })]))
    await world.flush()
    const CreatedDate = new Date(world.clock.now() + 1000).toISOString()
    for (const _each of ['one', 'two']) {
      world.service.add('customer', { Name: 'Alder', FullName: 'Alder', Phone: '1', CreatedDate })
    }
    await world.settle()
    const [operation] = world.operations()
    expect(operation?.state).toBe('held')
    expect(operation?.candidates).toHaveLength(2)
  })

  test('that was dismissed isn’t shown again. A newer one stops the sending', async () => {
    const world = altering((name) => name)
    world.service.fault = (method) => (method === 'POST' ? 'dropped-before' : 'none')
    value(world.send([world.draftInsert({ Name: 'Alder', Phone: '1' })]))
    const other = world.service.add('customer', { Name: 'ALDER!', FullName: 'ALDER!', Phone: '1' })
    await world.settle()
    const [held] = world.operations()
    const operationId = held?.operationId ?? ''
    // The only new record, and the same except for its spelling, so it is accepted.
    expect(held).toMatchObject({ state: 'acked', recordId: other })
    world.service.fault = (method) => (method === 'POST' ? 'dropped-before' : 'none')
    value(world.send([world.draftInsert({ Name: 'Birch', Phone: '2' })]))
    const first = world.service.add('customer', { Name: 'Elm', FullName: 'Elm', Phone: '2' })
    await world.settle()
    const birch = world.operations()[1]
    expect(birch?.candidates.map(({ ID }) => ID)).toEqual([first])
    const second = world.service.add('customer', { Name: 'Oak', FullName: 'Oak', Phone: '2' })
    value(world.writer.decide(birch?.operationId ?? '', { what: 'send-again', dismissed: [first] }))
    world.service.fault = () => 'none'
    await world.settle()
    expect(world.operations()[1]).toMatchObject({ state: 'held', candidates: [{ ID: second }] })
    value(world.writer.decide(birch?.operationId ?? '', { what: 'send-again', dismissed: [second] }))
    await world.settle()
    expect(world.operations()[1]).toMatchObject({ state: 'acked' })
    expect(operationId).not.toBe('')
  })
})

describe('the first insert of a list', () => {
  test('is read back alone, and shows how records come back', async () => {
    const world = altering((name) => name.slice(0, 5))
    await world.sendAndSettle(['Alder', 'Birch', 'Cedar'].map((Name) => world.draftInsert({ Name })))
    const methods = world.service.requests.map(
      ({ method, body }) => `${method} ${body.startsWith('[') ? 'many' : 'one'}`,
    )
    expect(methods.slice(0, 2)).toEqual(['POST one', 'GET one'])
    const [learned] = world.store.journal.writePolicies.list(COMPANY.connectionId)
    expect(learned?.policy).toMatchObject({
      isProven: true,
      learned: { keepsNames: true, returnsStoredValues: true, keepsIds: true, lag: 0 },
    })
  })

  test('is remembered even with many kinds of text and long field names', () => {
    const { writePolicies } = altering((name) => name).store.journal
    const key = { connectionId: 'c', application: 'qbd', object: 'customer', kind: 'insert' } as const
    const traits = Array.from({ length: 200 }, (_, number) => `${'Field'.repeat(12)} ${number}`)
    const learned = { ...NOTHING_LEARNED, keepsNames: false, traits }
    writePolicies.set(key, { stage: 0, isProven: true, isStopped: false, learned })
    expect(writePolicies.get(key).learned).toEqual(learned)
  })

  test('an answer that only repeats what was sent is detected, and later ones are read back', async () => {
    const world = altering((name) => name.slice(0, 5))
    echoing(world.service, (stored) => stored, true)
    await world.sendAndSettle(['Alderman', 'Bircher', 'Cedarwood'].map((Name) => world.draftInsert({ Name })))
    expect(world.operations().map(({ state, notAsSent }) => [state, notAsSent[0]?.theirs])).toEqual([
      ['acked', 'Alder'],
      ['acked', 'Birch'],
      ['acked', 'Cedar'],
    ])
  })

  test('if a service’s answer to a change was wrong, its answers to inserts aren’t believed', async () => {
    const world = altering((name) => name)
    const id = world.service.add('customer', { Name: 'Alder', FullName: 'Alder', Phone: '1' })
    await world.sendAndSettle([world.draftInsert({ Name: 'Birch' })])
    const key = { connectionId: COMPANY.connectionId, application: 'qbd', object: 'customer' } as const
    const { writePolicies } = world.store.journal
    const ofChanges = writePolicies.get({ ...key, kind: 'change' })
    const learned = { ...ofChanges.learned, returnsStoredValues: false }
    writePolicies.set({ ...key, kind: 'change' }, { ...ofChanges, learned })
    echoing(world.service, (stored) => stored, true)
    world.service.requests.splice(0)
    await world.sendAndSettle([world.draftInsert({ Name: 'Cedar' })])
    expect(world.service.requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
    expect(world.service.get('customer', id)['Phone']).toBe('1')
  })

  test('a new kind of text is read back as well', async () => {
    const world = altering((name) => name.replaceAll('&', '&amp;'))
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder' })])
    echoing(world.service, (stored) => stored, true)
    await world.sendAndSettle([
      world.draftInsert({ Name: 'Birch' }),
      world.draftInsert({ Name: 'Cedar & Co' }),
    ])
    expect(world.operations()[2]).toMatchObject({ state: 'acked', notAsSent: [{ theirs: 'Cedar &amp; Co' }] })
  })
})

describe('an ID that belongs to another record now', () => {
  const READ = { Name: 'Alder', FullName: 'Alder', Phone: '1', CreatedDate: '2020-01-01T00:00:00Z' }
  const OTHER = { Name: 'Zebra', FullName: 'Zebra', Phone: '1', CreatedDate: '2021-05-05T00:00:00Z' }

  function dealAnew(world: World, id: string): void {
    world.service.of('customer').set(id, { ...world.service.get('customer', id), ...OTHER })
  }

  test('is detected before anything is sent', async () => {
    const world = new World()
    const id = world.service.add('customer', READ)
    const draft = world.draftChange(id, { Email: 'a@b' })
    dealAnew(world, id)
    const [operation] = await world.sendAndSettle([draft])
    expect(operation).toMatchObject({
      state: 'conflict',
      error: { message: expect.stringContaining('Zebra') as string },
    })
    expect(world.service.requests.filter(({ method }) => method === 'PATCH')).toEqual([])
  })

  test('is detected among namesakes without dates, by their other values', async () => {
    const world = new World()
    const id = world.service.add('customer', { Name: 'Alder', Phone: '1', Number: '7', CompanyName: 'Ash' })
    const draft = world.draftChange(id, { Email: 'a@b' })
    const { CreatedDate: _, ...record } = world.service.get('customer', id)
    world.service.of('customer').set(id, { ...record, Phone: '2', Number: '8' })
    const [operation] = await world.sendAndSettle([draft])
    expect(operation?.state).toBe('conflict')
    expect(world.service.requests.filter(({ method }) => method === 'PATCH')).toEqual([])
  })

  test.for([
    ['another record has its name, so nothing is sent', 'Alder', 'conflict'],
    ['no other record has its name, so it is sent', 'Birch', 'acked'],
  ] as const)('without dates and numbers, if one detail differs: %s', async ([, other, state]) => {
    const world = new World()
    const id = world.service.add('customer', {
      Name: 'Alder',
      Phone: '1',
      CompanyName: 'Ash',
    })
    world.service.add('customer', { Name: other, Phone: '3' })
    const draft = world.draftChange(id, { Email: 'a@b' })
    const { CreatedDate: _, ...record } = world.service.get('customer', id)
    world.service.of('customer').set(id, { ...record, Phone: '2' })
    const [operation] = await world.sendAndSettle([draft])
    expect(operation?.state).toBe(state)
    const isSent = world.service.requests.some(({ method }) => method === 'PATCH')
    expect(isSent).toBe(state === 'acked')
    if (state === 'conflict')
      expect(operation?.error?.message).toContain('may be another record named “Alder”')
  })

  test('isn’t proof, in an answer with another record, that ours was changed', async () => {
    const world = new World()
    const id = world.service.add('customer', READ)
    const draft = world.draftChange(id, { Email: 'a@b' })
    let wasSent = false
    world.service.fault = (method) => {
      if (method === 'PATCH' && !wasSent) {
        wasSent = true
        dealAnew(world, id)
      }
      return 'none'
    }
    const [operation] = await world.sendAndSettle([draft])
    expect(operation).toMatchObject({
      state: 'conflict',
      error: { message: expect.stringContaining('wrong record') as string },
    })
  })

  test('isn’t ours if it leads to another record than the new one', async () => {
    const world = new World()
    world.service.step = (name) => {
      const [id] = world.service.of('customer').keys()
      if (name === 'answered' && id !== undefined) world.service.of('customer').set(id, { ID: id, ...OTHER })
    }
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '7' })])
    expect(world.states()).toEqual(['held'])
  })

  test('doesn’t offer a choice between our record and another one', async () => {
    const world = new World()
    const id = world.service.add('customer', READ)
    await world.sendAndSettle([world.draftChange(id, { Email: 'a@b' })])
    world.service.fault = (method) => {
      if (method === 'PATCH') dealAnew(world, id)
      return method === 'PATCH' ? 'dropped-after' : 'none'
    }
    await world.sendAndSettle([world.draftChange(id, { Email: 'c@d' })])
    const last = world.operations().at(-1)
    expect(last?.state).toBe('conflict')
    const choices = { Email: 'yours' } as const
    expect(world.writer.decide(last?.operationId ?? '', { what: 'choose', choices }).ok).toBe(false)
  })

  test('a renamed record is still the same', async () => {
    const world = new World()
    const id = world.service.add('customer', READ)
    const draft = world.draftChange(id, { Email: 'a@b' })
    world.service
      .of('customer')
      .set(id, { ...world.service.get('customer', id), Name: 'Alder Inc', FullName: 'Alder Inc' })
    const [operation] = await world.sendAndSettle([draft])
    expect(operation?.state).toBe('acked')
  })
})

describe('what arrives late', () => {
  test('an unknown change is rechecked twice before it counts as not made', async () => {
    const world = new World()
    const id = world.service.add('customer', { Name: 'Alder', FullName: 'Alder', Phone: '1' })
    world.service.fault = (method) => (method === 'PATCH' ? 'dropped-before' : 'none')
    value(world.send([world.draftChange(id, { Phone: '2' })]))
    await world.settle(30_000)
    expect(world.operations()[0]).toMatchObject({ state: 'unknown', rechecks: 1 })
    world.service.of('customer').set(id, { ...world.service.get('customer', id), Phone: '2' })
    await world.settle()
    expect(world.operations()[0]).toMatchObject({ state: 'acked', confirmedByReading: true })
  })

  test('a second record of an insert that was sent again is reported an hour later, with both IDs', async () => {
    const world = altering((name) => name)
    world.service.fault = (method) => (method === 'POST' ? 'dropped-before' : 'none')
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    const [held] = world.operations()
    expect(held).toMatchObject({ state: 'held', candidates: [] })
    world.service.fault = () => 'none'
    value(world.writer.decide(held?.operationId ?? '', { what: 'send-again' }))
    await world.settle()
    expect(world.operations()[0]).toMatchObject({ state: 'acked', error: null })
    expect(world.drafts()).toEqual([])
    const late = world.service.add('customer', { Name: 'Alder', FullName: 'Alder', Phone: '1' })
    await world.settle(2 * 60 * 60_000)
    const [flagged] = world.operations()
    expect(flagged).toMatchObject({
      state: 'acked',
      error: { message: expect.stringContaining('twice') as string },
    })
    expect(flagged?.candidates.map(({ ID }) => ID)).toContain(late)
    expect(world.drafts()).toHaveLength(1)
    value(world.writer.decide(flagged?.operationId ?? '', { what: 'seen' }))
    await world.settle(5 * 60 * 60_000)
    expect(world.drafts()).toEqual([])
  })

  test('a held insert that exists with other values now is a choice field by field', async () => {
    const world = altering((name) => name)
    world.service.fault = (method) => (method === 'POST' ? 'dropped-before' : 'none')
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1', Email: 'a@b' })])
    const [held] = world.operations()
    world.service.add('customer', { Name: 'Alder', FullName: 'Alder', Phone: '9', Email: 'a@b' })
    value(await world.writer.checkNow(COMPANY, [held?.operationId ?? '']))
    expect(world.operations()[0]).toMatchObject({
      state: 'conflict',
      conflicts: [{ path: 'Phone', theirs: '9' }],
    })
  })
})

describe('a held change', () => {
  test('is sent again when the user says so, even the first one of its list', async () => {
    const world = new World()
    const id = world.service.add('customer', { Name: 'Alder', FullName: 'Alder', Phone: '1' })
    world.service.fault = (method) => (method === 'PATCH' ? 'dropped-before' : 'none')
    await world.sendAndSettle([world.draftChange(id, { Phone: '2' })])
    const [held] = world.operations()
    expect(held?.state).toBe('held')
    world.service.fault = () => 'none'
    value(world.writer.decide(held?.operationId ?? '', { what: 'send-again' }))
    await world.settle()
    expect(world.operations()[0]?.state).toBe('acked')
  })
})

describe('a list that was never read', () => {
  test('is read before its first insert is sent, so that an altered name can be recognized later', async () => {
    const world = altering((name) => name.replaceAll('<', '&lt;').toUpperCase())
    world.service.add('customer', { Name: 'OLD', FullName: 'OLD', Phone: '1' })
    world.service.fault = (method) => (method === 'POST' ? 'dropped-after' : 'none')
    value(world.sendUnread([world.draftInsert({ Name: '<b>Alder', Phone: '1' })]))
    await world.settle()
    expect(world.service.requests.slice(0, 2).map(({ method }) => method)).toEqual(['GET', 'POST'])
    expect(world.operations()[0]).toMatchObject({ state: 'acked', after: { Name: '&LT;B>ALDER' } })
  })
})

describe('an insert that was saved', () => {
  test('can’t be saved as a new record from its old draft', async () => {
    const world = altering((name) => name.slice(0, 5))
    await world.sendAndSettle([world.draftInsert({ Name: 'Alderman' })])
    const [draft] = world.drafts()
    expect(draft?.operation?.state).toBe('acked')
    const edits = [{ path: 'Name', was: null, now: 'Alderman' }]
    const changedAt = new Date(world.clock.now()).toISOString()
    const saved = world.store.drafts.saveAll([
      { ...(draft ?? expect.fail()), draftId: draft?.draftId ?? '', edits, changedAt },
    ])
    expect(saved).toMatchObject([{ draftId: draft?.draftId }])
  })
})
