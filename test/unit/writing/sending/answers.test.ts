/**
 * What a response to a write proves and what it doesn't: a short response, an ID that is returned twice, a status in place of
 * an error, and a refusal after an earlier sending with an unknown outcome.
 */
import { describe, expect, test } from 'vitest'
import { matchItems, namedPath, outcomesOf } from '../../../../electron/writing/records/item-outcomes.ts'
import { value } from '../../../result.ts'
import type { TestService } from '../service.ts'
import { World } from '../world.ts'

const CUSTOMER = { Name: 'Alder', FullName: 'Alder', Phone: 'old', Email: 'a@b', CompanyName: 'Alder & Co' }

const methods = (world: World): readonly string[] => world.service.requests.map(({ method }) => method)

/** Makes the service insert as `by` says, given what it would have done and answered. */
function inserting(
  service: TestService,
  by: (done: { items: unknown[] }, nth: number) => { items: unknown[] },
): void {
  const insert = service.insert.bind(service)
  let count = 0
  service.insert = (object, records) => by(insert(object, records), (count += 1))
}

describe('an emptied field', () => {
  /** Proves a first change, so that the next one only needs its response. */
  async function provenWorld(): Promise<{ readonly world: World; readonly id: string }> {
    const world = new World()
    const first = world.service.add('customer', { ...CUSTOMER, Name: 'First', FullName: 'First' })
    await world.sendAndSettle([world.draftChange(first, { Phone: 'new' })])
    const id = world.service.add('customer', CUSTOMER)
    world.service.requests.splice(0)
    return { world, id }
  }

  test('that a service ignores doesn’t count as saved because of a short answer: the record is read back', async () => {
    const { world, id } = await provenWorld()
    const change = world.service.change.bind(world.service)
    world.service.change = (object, records) =>
      change(
        object,
        records.map((record) => Object.fromEntries(Object.entries(record).filter(([, is]) => is !== ''))),
      )
    world.service.fault = (method) => (method === 'PATCH' ? 'short-records' : 'none')
    const operation = (await world.sendAndSettle([world.draftChange(id, { Phone: '' })])).at(-1)
    expect(world.service.get('customer', id)['Phone']).toBe('old')
    expect(operation?.state).toBe('held')
  })

  test('that a complete answer omits is saved without another read', async () => {
    const { world, id } = await provenWorld()
    world.service.alter = (record) => {
      if (record['Phone'] === '') delete record['Phone']
    }
    const operation = (await world.sendAndSettle([world.draftChange(id, { Phone: '' })])).at(-1)
    expect(operation).toMatchObject({ state: 'acked', confirmedByReading: false })
    expect(methods(world)).toEqual(['GET', 'PATCH'])
  })
})

test('an ID that is returned for two records belongs to neither: both are searched for', () => {
  const sent = ['ada', 'bob'].map((name) => ({
    operationId: name,
    kind: 'insert' as const,
    object: 'customer',
    edits: [],
    recordId: '',
    externalId: '',
    names: [name],
  }))
  const items = ['Ada', 'Bob'].map((Name) => ({ object: { ID: '7', Name }, errors: [], kind: 'customer' }))
  expect(matchItems(sent, items).size).toBe(0)
})

describe('a status in place of errors', () => {
  const OK = { Code: '0', Severity: 'Info', Message: 'Status OK' }

  test('refuses nothing: an insert that succeeded is found', async () => {
    const world = new World()
    inserting(world.service, () => ({ items: [{ Object: null, Errors: [OK] }] }))
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder' })])
    expect(world.operations()[0]).toMatchObject({ state: 'acked', confirmedByReading: true })
  })
})

describe('a refusal after an earlier sending with an unknown outcome', () => {
  /** The first insert is lost before it is found, held, and sent again by the user. */
  async function sentAgain(second: ReturnType<TestService['fault']>): Promise<World> {
    const world = new World()
    let inserts = 0
    world.service.fault = (method) => {
      if (method !== 'POST') return 'none'
      inserts += 1
      return inserts === 1 ? 'dropped-before' : inserts === 2 ? second : 'none'
    }
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    expect(world.states()).toEqual(['held'])
    return world
  }
  const again = async (world: World): Promise<void> => {
    value(world.writer.decide(world.operations()[0]?.operationId ?? '', { what: 'send-again' }))
    await world.settle()
  }
  const landsLate = (world: World): void => {
    const externalId = world.operations()[0]?.operationId
    world.service.add('customer', { Name: 'Alder', FullName: 'Alder', Phone: '1', ExternalID: externalId })
  }

  test('“name in use”, because the first one has succeeded in the meantime: the record is found', async () => {
    const world = await sentAgain('none')
    const insert = world.service.insert.bind(world.service)
    world.service.insert = (object, records) => {
      insert(object, records)
      return insert(object, records)
    }
    await again(world)
    expect(world.operations()[0]).toMatchObject({ state: 'acked', confirmedByReading: true })
    expect(world.service.of('customer').size).toBe(1)
  })

  test.each(['refused-key', 'item', 'not-sent'] as const)(
    '%s: is never called not accepted, and is searched for before each further sending',
    async (how) => {
      const world = await sentAgain(how === 'item' ? 'none' : how)
      if (how === 'item') world.service.refusal = () => ({ Code: '3140', Message: 'No such terms' })
      await again(world)
      expect(world.states()).toEqual(['held'])
      world.service.refusal = () => null
      landsLate(world)
      await again(world)
      expect(world.states()).toEqual(['acked'])
      expect(world.service.of('customer').size).toBe(1)
    },
  )
})

/** How an application may store an external ID. */
const SPELLINGS: Readonly<Record<string, (externalId: string) => string>> = {
  'in capitals': (externalId) => externalId.toUpperCase(),
  'in braces': (externalId) => `{${externalId.toUpperCase()}}`,
  'cut short': (externalId) => externalId.slice(0, 10),
}

const looseNames = { keepsExternalIds: true, uniqueNames: false }

describe('a record whose external ID or name the application altered', () => {
  const world = (spell: (externalId: string) => string): World => {
    const made = new World()
    made.service.manner = looseNames
    made.service.alter = (record) => {
      if (typeof record['ExternalID'] === 'string') record['ExternalID'] = spell(record['ExternalID'])
    }
    return made
  }

  test.each(Object.entries(SPELLINGS))(
    'external ID %s: saved, even if the answer is lost',
    async (_how, spell) => {
      const altered = world(spell)
      await altered.sendAndSettle([altered.draftInsert({ Name: 'Ada' })])
      let inserts = 0
      altered.service.fault = (method) =>
        method === 'POST' && (inserts += 1) === 1 ? 'dropped-after' : 'none'
      await altered.sendAndSettle([altered.draftInsert({ Name: 'Bob' })])
      expect(altered.states()).toEqual(['acked', 'acked'])
      expect(altered.operations().map(({ notAsSent }) => notAsSent)).toEqual([[], []])
    },
  )

  test('external IDs came back complete before and shortened now: one whose answer is lost is found by both', async () => {
    const spellings = [(externalId: string) => externalId, (externalId: string) => externalId.slice(0, 10)]
    const altered = world((externalId) => (spellings[0] ?? String)(externalId))
    await altered.sendAndSettle([altered.draftInsert({ Name: 'Ada' })])
    altered.service.fault = (method) => (method === 'POST' ? 'dropped-after' : 'none')
    await altered.sendAndSettle([altered.draftInsert({ Name: 'Bea' })])
    spellings.shift()
    await altered.sendAndSettle([altered.draftInsert({ Name: 'Bob' })])
    expect(altered.states()).toEqual(['acked', 'acked', 'acked'])
  })

  test('an external ID that the application assigned: saved, but not as sent, even if the answer was lost', async () => {
    const altered = world(() => 'their-own-number')
    await altered.sendAndSettle([altered.draftInsert({ Name: 'Ada' })])
    expect(altered.operations()[0]).toMatchObject({
      state: 'acked',
      notAsSent: [{ path: 'ExternalID', theirs: 'their-own-number' }],
    })
    altered.service.fault = (method) => (method === 'POST' ? 'dropped-after' : 'none')
    await altered.sendAndSettle([altered.draftInsert({ Name: 'Bob' })])
    expect(altered.operations()[1]).toMatchObject({
      state: 'acked',
      notAsSent: [{ path: 'ExternalID', theirs: 'their-own-number' }],
    })
  })

  test('a name with merged spaces, without external IDs: saved, but not as sent', async () => {
    const altered = new World({ settings: { markWithExternalId: false } })
    altered.service.manner = looseNames
    altered.service.alter = (record) => {
      record['Name'] = String(record['Name']).replace(/\s+/g, ' ')
      record['FullName'] = record['Name']
    }
    const [operation] = await altered.sendAndSettle([altered.draftInsert({ Name: 'Ada  Lovelace' })])
    expect(operation).toMatchObject({ state: 'acked', notAsSent: [{ path: 'Name', theirs: 'Ada Lovelace' }] })
  })

  test.each([
    ['with other values that are as sent', { Name: 'Ada', Phone: '1' }],
    ['of an insert of nothing but a name', { Name: 'Ada' }],
  ])('another name %s, in its only answer: saved, but not as sent', async (_what, fields) => {
    const altered = new World({ settings: { markWithExternalId: false } })
    altered.service.manner = looseNames
    altered.service.alter = (record) => {
      record['Name'] = 'Customer 17'
      record['FullName'] = 'Customer 17'
    }
    const [operation] = await altered.sendAndSettle([altered.draftInsert(fields)])
    expect(operation).toMatchObject({
      state: 'acked',
      notAsSent: [{ path: 'Name', theirs: 'Customer 17', yours: 'Ada' }],
    })
  })
})

describe('a temporary ID', () => {
  test('doesn’t matter: the record is found by its external ID, and nothing is sent twice', async () => {
    const world = new World()
    world.service.manner = looseNames
    inserting(world.service, () => ({ items: [{ Object: { ID: 'TMP-1', Name: 'Ada' }, Errors: null }] }))
    await world.sendAndSettle([world.draftInsert({ Name: 'Ada', Phone: '1' })])
    expect(world.operations()[0]).toMatchObject({ state: 'acked', recordId: 'R1', confirmedByReading: true })
  })

  test('is forgotten when the record is sent again', async () => {
    const world = new World()
    world.service.manner = looseNames
    inserting(world.service, ({ items }, nth) => {
      if (nth > 1) return { items }
      world.service.of('customer').clear()
      return { items: [{ Object: { ID: 'TMP-1', Name: 'Ada' }, Errors: null }] }
    })
    await world.sendAndSettle([world.draftInsert({ Name: 'Ada', Phone: '1' })])
    const [held] = world.operations()
    expect(held?.state).toBe('held')
    let writes = 0
    world.service.fault = (method) => (method === 'POST' && (writes += 1) === 1 ? 'dropped-after' : 'none')
    expect(held?.candidates).toEqual([{ ID: 'TMP-1' }])
    expect(world.writer.decide(held?.operationId ?? '', { what: 'send-again' }).ok).toBe(false)
    value(world.writer.decide(held?.operationId ?? '', { what: 'send-again', dismissed: ['TMP-1'] }))
    await world.settle()
    expect(world.operations()[0]).toMatchObject({ state: 'acked', recordId: 'R2' })
    expect(world.service.of('customer').size).toBe(1)
  })
})

test('of several errors, the first one that names a field marks it', () => {
  const edits = ['Phone', 'Email'].map((path) => ({ path, was: '', now: 'x' }))
  const error = (message: string) => ({ code: '', message, severity: '', detail: '', raw: '' })
  const both = error('Phone or Email is wrong')
  expect(namedPath({ edits }, [both])).toBe('')
  expect(namedPath({ edits }, [both, error('Email is no address'), error('Phone is too long')])).toBe('Email')
})

describe('what one item proves', () => {
  const error = (code: string, severity = '') => ({ code, severity, message: 'Words.', detail: '', raw: '' })
  type Asked = {
    readonly object?: Readonly<Record<string, unknown>> | null
    readonly errors?: readonly ReturnType<typeof error>[]
    readonly ofWhole?: readonly ReturnType<typeof error>[]
    readonly hasErrors?: boolean
    readonly application?: string
    readonly change?: boolean
    readonly namesake?: string
  }
  const RECORD = { ID: 'R1', Name: 'Alder', FullName: 'Alder', Phone: '1' }

  /** The outcome of one operation after one answered item. */
  function outcome({ object = RECORD, errors = [], ...more }: Asked): string | undefined {
    const world = new World({ settings: { markWithExternalId: false } })
    const before = { ...RECORD, ID: 'R1', Phone: 'old', CreatedDate: '2026-01-01T00:00:00Z' }
    if (more.change) world.service.add('customer', before)
    const draft = more.change
      ? world.draftChange('R1', { Phone: '1' })
      : world.draftInsert({ Name: 'Alder', Phone: '1' })
    value(world.send([draft]))
    const { operationId = '' } = world.operations()[0] ?? {}
    const stored = world.store.journal.operations.byIds([operationId])
    const operations = stored.map((each) => ({
      ...each,
      namesakes: more.namesake === undefined ? [] : [more.namesake],
    }))
    const envelope = {
      status: 200,
      page: null,
      moreData: null,
      hasErrors: more.hasErrors ?? false,
      requestId: 'r',
      items: [{ object, errors, kind: 'customer' }],
      errors: more.ofWhole ?? [],
    }
    const { application = 'xero' } = more
    const { outcomes } = outcomesOf(operations, { application, envelope, knownIds: new Set() })
    return outcomes.get(operationId)?.outcome
  }

  test.each<readonly [words: string, asked: Asked, becomes: string]>([
    ['its record', {}, 'saved'],
    ['its record, with code 0', { errors: [error('0')] }, 'saved'],
    ['its record, with code 0 of severity Error', { errors: [error('0', 'Error')] }, 'uncertain'],
    ['its record, with an error', { errors: [error('3140')] }, 'uncertain'],
    [
      'only what was sent, with an ID and an error',
      { object: { ID: 'R1', Name: 'Alder', Phone: '1' }, errors: [error('3140')] },
      'uncertain',
    ],
    ['an error alone', { object: null, errors: [error('3140')] }, 'refused'],
    [
      '500 alone, of the desktop application',
      { object: null, errors: [error('550')], application: 'qbd' },
      'uncertain',
    ],
    ['500 alone, of another application', { object: null, errors: [error('550')] }, 'refused'],
    ['a warning alone', { object: null, errors: [error('1', 'Warn')] }, 'uncertain'],
    ['a warning and an error', { object: null, errors: [error('1', 'Warn'), error('3140')] }, 'refused'],
    [
      'an error and a dated record without an ID',
      { object: { Name: 'Alder', CreatedDate: '2026-03-01' }, errors: [error('1')] },
      'uncertain',
    ],
    [
      'an error and an object with a value that nobody sent',
      { object: { Name: 'Alder', Phone: '1', Terms: 'Net 30' }, errors: [error('1')] },
      'uncertain',
    ],
    [
      'an error and an echo of what was sent',
      { object: { ID: '', Name: 'Alder', Phone: '1' }, errors: [error('1')] },
      'refused',
    ],
    ['its record, with an error of the whole request', { ofWhole: [error('1')] }, 'uncertain'],
    ['its record, with errors announced and not told', { hasErrors: true }, 'uncertain'],
    ['an echo without an ID', { object: { Name: 'Alder', Phone: '1' } }, 'uncertain'],
    ['a record of its name that was there before', { namesake: 'R1' }, 'uncertain'],
    [
      'a record that says nothing of what was sent',
      { object: { ID: 'R1', Name: 'Zeta', Phone: '9' } },
      'silent',
    ],
    ['the record of a change', { change: true }, 'saved'],
    ['a record with another ID for a change', { change: true, object: { ...RECORD, ID: 'R9' } }, 'uncertain'],
    [
      'the ID of a change, on another record',
      {
        change: true,
        object: { ...RECORD, Name: 'Zeta', FullName: 'Zeta', CreatedDate: '2026-02-01T00:00:00Z' },
      },
      'uncertain',
    ],
    ['less than was sent', { object: { ID: 'R1', Name: 'Alder' } }, 'silent'],
  ])('%s', (_words, asked, becomes) => {
    expect(outcome(asked)).toBe(becomes)
  })
})
