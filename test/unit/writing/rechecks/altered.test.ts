/**
 * Services that store something other than what was sent: names that are shortened, escaped, or lose characters, and
 * values in their own format. Late duplicates, older records, and changes to another record are still reported.
 */
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { SlotRequest } from '../../../../electron/service/protocol/wire.ts'
import type { FindInList } from '../../../../electron/writing/context.ts'
import { type RecordData, textOf } from '../../../../shared/records/changes.ts'
import { nameKey } from '../../../../shared/records/names.ts'
import { value } from '../../../result.ts'
import { readerOf } from '../service.ts'
import { COMPANY, SUPPORTED, World, type WorldOptions } from '../world.ts'

const HOUR = 3_600_000
const LONG = 'Alderwood & Finch International Trading Company of the North'
const WITHOUT_MARKS: WorldOptions = { settings: { markWithExternalId: false } }

const READ: SlotRequest = {
  connectionId: COMPANY.connectionId,
  company: COMPANY,
  companyName: 'Alder & Finch',
  what: 'Reading customers',
  isWrite: false,
  priority: 'interactive',
  batchId: '',
}

type Alter = (text: string) => string
const cut: Alter = (text) => text.slice(0, 41)
const escaped: Alter = (text) => text.replaceAll('&', '&amp;')
const ascii: Alter = (text) => text.replace(/[^\p{ASCII}]/gu, '?')

/** A service that alters these fields, keeps no marks, and lets names repeat. */
function altering(fields: readonly string[], alter: Alter, options = WITHOUT_MARKS): World {
  const world = new World(options)
  world.service.manner = { keepsExternalIds: false, uniqueNames: false }
  world.service.alter = (record) => {
    for (const field of fields) record[field] = alter(textOf(record[field]))
    record['FullName'] = record['Name']
  }
  return world
}

function loseAnswers(
  world: World,
  fault: 'dropped-before' | 'dropped-after' | 'none',
  method = 'POST',
): void {
  world.service.fault = (asked) => (asked === method ? fault : 'none')
}

/** Restarts the program after its file was altered from outside. */
function alterStored(world: World, sql: string): World {
  world.end()
  const raw = new DatabaseSync(world.path)
  raw.exec(sql)
  raw.close()
  return world.restart(WITHOUT_MARKS)
}

describe('a second record that arrives late', () => {
  test.each([
    ['as it was sent', ['Name'], (text: string) => text],
    ['with its name cut', ['Name'], cut],
    ['with its name escaped', ['Name'], escaped],
    ['with its phone in another format', ['Phone'], (text: string) => text.replaceAll('-', '')],
  ] as const)('%s is reported an hour after Send again', async (_what, fields, alter) => {
    const world = altering(fields, alter)
    const sent = { Name: LONG, Phone: '555-1234', Email: 'a@b.example' }
    loseAnswers(world, 'dropped-before')
    const [held] = await world.sendAndSettle([world.draftInsert(sent)])
    loseAnswers(world, 'none')
    value(world.writer.decide(held?.operationId ?? '', { what: 'send-again' }))
    await world.settle()
    world.service.insert('customer', [sent])
    await world.settle(3 * HOUR)
    expect(world.operations()[0]?.candidates).toHaveLength(2)
    expect(world.operations()[0]?.error?.message).toContain('twice')
  })
})

describe('a complete list that is read later', () => {
  const alder = { Name: 'Alder', FullName: 'Alder', Phone: '1' }

  async function readWhole(world: World): Promise<void> {
    const find: FindInList = (wanted) =>
      world.client.read(READ, (wire) => readerOf().inWholeList(wire, COMPANY, 'customer', wanted))
    value(await world.writer.noticeDuplicates(COMPANY, 'customer', find))
  }

  /** An insert that was sent twice, because its response was lost and no record was found. */
  async function sentTwice(settleFor = 2 * HOUR): Promise<World> {
    const world = altering([], (text) => text)
    loseAnswers(world, 'dropped-before')
    const [held] = await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    loseAnswers(world, 'none')
    value(world.writer.decide(held?.operationId ?? '', { what: 'send-again' }))
    await world.settle(settleFor)
    return world
  }

  test('doesn’t replace the search an hour after Send again', async () => {
    const world = await sentTwice(0)
    expect(world.states()).toEqual(['acked'])
    await readWhole(world)
    world.service.add('customer', alder)
    await world.settle(2 * HOUR)
    expect(world.operations()[0]?.candidates).toHaveLength(2)
  })

  test('reports a second record once', async () => {
    const world = await sentTwice()
    world.service.add('customer', alder)
    await readWhole(world)
    const [flagged] = world.operations()
    expect(flagged?.candidates).toHaveLength(2)
    value(world.writer.decide(flagged?.operationId ?? '', { what: 'seen' }))
    await readWhole(world)
    expect(world.drafts()).toEqual([])
  })

  test('doesn’t report a record that the list had before', async () => {
    const world = altering([], (text) => text)
    const theirs = world.service.add('customer', { ...alder, Phone: '9' })
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    world.service.of('customer').set(theirs, { ...alder, ID: theirs })
    await readWhole(world)
    expect(world.operations()).toMatchObject([{ error: null }])
  })

  test('doesn’t report a record with the same name that was known before', async () => {
    const world = altering([], (text) => text, { ...WITHOUT_MARKS, isListWhole: () => false })
    const theirs = world.service.add('customer', alder)
    const namesakes = new Map([[nameKey('Alder'), [theirs]]])
    const draftId = world.draftInsert({ Name: 'Alder', Phone: '1' })
    value(world.writer.send(COMPANY, 'customer', [draftId], { supported: SUPPORTED, namesakes }))
    await world.settle()
    await readWhole(world)
    expect(world.operations()).toMatchObject([{ state: 'acked', error: null }])
  })

  test('doesn’t settle an insert whose row was altered outside the program', async () => {
    const world = alterStored(await sentTwice(), `UPDATE operations SET full_name = 'Finch'`)
    world.service.add('customer', alder)
    await readWhole(world)
    expect(world.drafts()).toEqual([])
    expect(world.operations()).toMatchObject([{ state: 'unknown', candidates: [] }])
  })

  test('doesn’t report the record of another insert', async () => {
    const world = await sentTwice()
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    await readWhole(world)
    expect(world.operations()).toMatchObject([{ error: null }, { error: null }])
  })

  test('doesn’t report an insert whose record is uncertain by then', async () => {
    const world = altering([], (text) => text)
    loseAnswers(world, 'dropped-before')
    const [held] = await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    value(world.writer.decide(held?.operationId ?? '', { what: 'send-again' }))
    await world.settle()
    for (const _each of ['one', 'two']) world.service.add('customer', alder)
    await world.settle(2 * HOUR)
    expect(world.operations()[0]?.error?.message).not.toContain('twice')
  })

  test('is searched another hour later if it couldn’t be read', async () => {
    const world = altering([], (text) => text)
    loseAnswers(world, 'dropped-before')
    const [held] = await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    loseAnswers(world, 'none')
    value(world.writer.decide(held?.operationId ?? '', { what: 'send-again' }))
    await world.settle()
    world.service.add('customer', alder)
    loseAnswers(world, 'dropped-before', 'GET')
    await world.settle(1.5 * HOUR)
    expect(world.operations()).toMatchObject([{ error: null }])
    loseAnswers(world, 'none')
    await world.settle(1.5 * HOUR)
    expect(world.operations()[0]?.error?.message).toContain('twice')
  })
})

describe('a draft from an older database that is already in the books', () => {
  test.each([
    ['its name cut', 1, cut, LONG],
    ['its name cut, among many', 120, cut, LONG],
    ['letters of its name lost', 1, ascii, 'Grøn Kjøkken'],
  ] as const)('%s: its record is shown, and it isn’t sent', async (_what, count, alter, name) => {
    let world = altering(['Name'], alter)
    const { alter: stored } = world.service
    world.service.alter = (record) => {
      stored(record)
      record['CreatedDate'] = new Date(world.clock.now()).toISOString()
    }
    const draftIds = Array.from({ length: count }, (_each, index) =>
      world.draftInsert({ Name: `${String(index)} ${name}`, Email: `post${String(index)}@green.example` }),
    )
    world.end()
    copyFileSync(world.path, `${world.path}.old`)
    world = world.restart(WITHOUT_MARKS)
    await world.sendAndSettle(draftIds)
    expect(world.service.of('customer').size).toBe(count)
    world.end()
    for (const end of ['-wal', '-shm']) if (existsSync(world.path + end)) rmSync(world.path + end)
    copyFileSync(`${world.path}.old`, world.path)
    world = world.restart(WITHOUT_MARKS)
    const say = { supported: SUPPORTED, evenIfStale: true }
    value(world.writer.send(COMPANY, 'customer', draftIds, say))
    await world.settle(HOUR)
    expect(world.service.of('customer').size).toBe(count)
  })
})

test('a refused draft from an older database is searched for, because the earlier sending may still succeed', async () => {
  const first = new World()
  const draftId = first.draftInsert({ Name: 'Alder' })
  const world = alterStored(first, 'UPDATE drafts SET is_stale = 1')
  world.service.refusal = () => ({ Code: '3000', Message: 'No.' })
  value(world.writer.send(COMPANY, 'customer', [draftId], { supported: SUPPORTED, evenIfStale: true }))
  await world.settle()
  expect(world.service.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  expect(world.states()).toEqual(['held'])
})

describe('an insert whose answer is lost', () => {
  test('whose name and another text lost their letters: its record is shown', async () => {
    const world = altering(['Name', 'Email'], ascii)
    loseAnswers(world, 'dropped-after')
    const sent = { Name: 'Иванов', Phone: '555-1234', Email: 'иван@пример.example' }
    const [held] = await world.sendAndSettle([world.draftInsert(sent)])
    expect(held).toMatchObject({ state: 'held', candidates: [{ Phone: '555-1234' }] })
  })

  test('whose name was altered, in a list that wasn’t read before: its record is shown because of its other values', async () => {
    let looks = 0
    const world = altering(['Name'], () => 'F?ge M?ller', {
      ...WITHOUT_MARKS,
      isListWhole: () => (looks += 1) > 1,
    })
    loseAnswers(world, 'dropped-after')
    const sent = { Name: 'Føge Møller', Phone: '555-1234', Email: 'a@b.example' }
    value(world.sendUnread([world.draftInsert(sent)]))
    await world.settle(HOUR)
    expect(world.operations()[0]).toMatchObject({ candidates: [{ Phone: '555-1234' }] })
  })
})

describe('a rename', () => {
  const alder = { Name: 'Alder', FullName: 'Alder', Phone: '1', CreatedDate: '2020-01-01T00:00:00Z' }
  const gull = { Name: 'Gull', FullName: 'Gull', Phone: '2', CreatedDate: '2023-05-05T00:00:00Z' }

  test.each(['none', 'dropped-after'] as const)(
    'of a record whose ID was just reassigned (answer: %s) is reported as made to another one',
    async (fault) => {
      const world = altering([], (text) => text)
      const [a, b] = [alder, gull].map((record) => world.service.add('customer', record))
      const records = world.service.of('customer')
      const swap = (): void => {
        const [first, second] = [a, b].map((id): RecordData => records.get(id ?? '') ?? {})
        records.set(a ?? '', { ...second, ID: a })
        records.set(b ?? '', { ...first, ID: b })
      }
      world.service.fault = (method) => {
        if (method !== 'PATCH') return 'none'
        if (records.get(a ?? '')?.['Name'] === 'Alder') swap()
        return fault
      }
      await world.sendAndSettle([world.draftChange(a ?? '', { Name: 'Alder Ltd' })])
      expect(world.states()).toEqual(['conflict'])
    },
  )

  test.each([
    ['cut', LONG, cut],
    ['escaped', 'Alder & Sons', escaped],
  ])('whose new name comes back %s, undated, is saved', async (_what, name, alter) => {
    const world = altering(['Name'], alter)
    const id = world.service.add('customer', { Name: 'Alder', FullName: 'Alder', Phone: '1' })
    await world.sendAndSettle([world.draftChange(id, { Name: name })])
    expect(world.states()).toEqual(['acked'])
  })
})

test('a change that is half made at the first recheck is rechecked again', async () => {
  const world = new World()
  const id = world.service.add('customer', { Name: 'Alder', FullName: 'Alder', Phone: '1', Email: 'x' })
  const record = (): Record<string, unknown> => world.service.of('customer').get(id) ?? {}
  world.service.fault = (method) => {
    if (method !== 'PATCH') return 'none'
    record()['Phone'] = '2'
    return 'dropped-before'
  }
  value(world.send([world.draftChange(id, { Phone: '2', Email: 'y' })]))
  await world.flush()
  expect(world.operations()[0]).toMatchObject({ state: 'unknown', rechecks: 1 })
  record()['Email'] = 'y'
  await world.settle()
  expect(world.states()).toEqual(['acked'])
})

test('for a field that only a new record accepts, yours can’t be chosen once the record exists', async () => {
  const world = new World(WITHOUT_MARKS)
  world.service.manner = { keepsExternalIds: false, uniqueNames: false }
  world.service.alter = (record) => {
    record['Balance'] = 0
    record['CreatedDate'] = new Date(world.clock.now()).toISOString()
  }
  loseAnswers(world, 'dropped-after')
  const sent = { Name: 'Alder', Phone: '555-1234', Balance: '100.00' }
  const [operation] = await world.sendAndSettle([world.draftInsert(sent)])
  expect(operation?.state).toBe('conflict')
  const { operationId = '' } = operation ?? {}
  const choose = (Balance: 'theirs' | 'yours') =>
    world.writer.decide(operationId, { what: 'choose', choices: { Balance } })
  expect(choose('yours')).toMatchObject({ ok: false, error: { kind: 'invalid-input' } })
  expect(world.writer.decide(operationId, { what: 'send-again' })).toMatchObject({ ok: false })
  value(choose('theirs'))
  expect(world.drafts()).toEqual([])
})

test('a record that was claimed for one insert can’t be claimed for another', async () => {
  const world = altering(['Name'], () => 'Somebody')
  let writes = 0
  world.service.fault = (method) => {
    if (method !== 'POST') return 'none'
    writes += 1
    return writes === 1 ? 'dropped-after' : 'dropped-before'
  }
  await world.sendAndSettle(['Alder', 'Birch'].map((Name) => world.draftInsert({ Name })))
  const [alder, birch] = world.operations()
  const recordId = String(alder?.candidates[0]?.['ID'])
  expect(birch?.candidates.map(({ ID }) => ID)).toEqual([recordId])
  const claim = (operationId = '') => world.writer.decide(operationId, { what: 'claim', recordId })
  value(claim(alder?.operationId))
  expect(claim(birch?.operationId)).toMatchObject({ ok: false, error: { kind: 'invalid-input' } })
})
