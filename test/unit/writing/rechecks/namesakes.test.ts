/**
 * A lost insert and a record with its name. Without an external ID, it counts as ours only if nothing says that it existed
 * before, and what was identified only by its name is never undone.
 */
import { describe, expect, test } from 'vitest'
import { nameKey } from '../../../../shared/records/names.ts'
import { value } from '../../../result.ts'
import { History } from '../../store/history-steps.ts'
import { COMPANY, SUPPORTED, World } from '../world.ts'

/** A service that keeps no external IDs, and loses the response to the first insert. */
function lossyWorld(isDone: boolean): World {
  const world = new World({ settings: { markWithExternalId: false } })
  world.service.manner = { keepsExternalIds: false, uniqueNames: true }
  let inserts = 0
  world.service.fault = (method) => {
    if (method !== 'POST' || (inserts += 1) > 1) return 'none'
    return isDone ? 'dropped-after' : 'dropped-before'
  }
  return world
}

const ALDER = { Name: 'Alder', FullName: 'Alder', Phone: '1' }

function minutesAgo(world: World, minutes: number): string {
  return new Date(world.clock.now() - minutes * 60_000).toISOString()
}

describe('a record with the same name and values that existed before the insert was sent', () => {
  test.each([
    ['made an hour ago', 60, ''],
    ['made two days ago, in a time without an offset', 2 * 24 * 60, 'Z'],
  ])('%s: the user decides, and it never counts as saved', async (_what, minutes, without) => {
    const world = lossyWorld(true)
    world.service.add('customer', { ...ALDER, CreatedDate: minutesAgo(world, minutes).replace(without, '') })
    const [operation] = await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    expect(operation).toMatchObject({ state: 'conflict', recordId: '', rechecks: 2 })
    expect(operation?.error?.message).toContain('was already there before you sent yours')
    value(world.writer.decide(operation?.operationId ?? '', { what: 'discard' }))
    expect(world.drafts()).toEqual([])
  })

  test('in a list that was read before: the user decides', async () => {
    const world = lossyWorld(true)
    const theirs = world.service.add('customer', ALDER)
    const namesakes = new Map([[nameKey('ALDER '), [theirs]]])
    const draftId = world.draftInsert({ Name: 'Alder', Phone: '1' })
    value(world.writer.send(COMPANY, 'customer', [draftId], { supported: SUPPORTED, namesakes }))
    await world.settle()
    expect(world.states()).toEqual(['conflict'])
  })

  test('changed from here before: the user decides', async () => {
    const world = lossyWorld(true)
    const theirs = world.service.add('customer', ALDER)
    await world.sendAndSettle([world.draftChange(theirs, { Email: 'a@b' })])
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    expect(world.states()).toEqual(['acked', 'conflict'])
  })

  test('and ours, which was created later: each is recognized', async () => {
    const world = lossyWorld(true)
    world.service.manner = { keepsExternalIds: false, uniqueNames: false }
    world.service.add('customer', { ...ALDER, CreatedDate: minutesAgo(world, 60) })
    const [operation] = await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    expect(operation).toMatchObject({ state: 'acked', recordId: 'R2', confirmedByReading: true })
  })
})

describe('a record with the same name that was created after the insert was sent', () => {
  test.each([
    ['by a clock that is ten minutes slow', 10, ''],
    ['in a time of some other zone', 10 * 60, 'Z'],
  ])('%s, is ours', async (_what, minutes, without) => {
    const world = lossyWorld(true)
    world.service.alter = (record) => {
      record['CreatedDate'] = minutesAgo(world, minutes).replace(without, '')
    }
    const [operation] = await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    expect(operation).toMatchObject({ state: 'acked', confirmedByReading: true })
  })

  test('is ours even if the user has begun to edit it: sending again isn’t offered', async () => {
    const world = lossyWorld(true)
    value(world.send([world.draftInsert({ Name: 'Alder', Phone: '1' })]))
    const fault = world.service.fault
    world.service.fault = (method, nth) => (method === 'GET' ? 'dropped-before' : fault(method, nth))
    await world.flush()
    const [made] = [...world.service.of('customer').keys()]
    world.draftChange(made ?? '', { Email: 'a@b' })
    world.service.fault = fault
    await world.settle()
    expect(world.states()).toEqual(['acked'])
  })
})

describe('a service that answers an insert with the existing record of that name', () => {
  function answering(keepsExternalIds: boolean, by: 'record' | 'id'): World {
    const world = new World({ settings: { markWithExternalId: keepsExternalIds } })
    world.service.manner = { keepsExternalIds, uniqueNames: false }
    const insert = world.service.insert.bind(world.service)
    world.service.insert = (object, records) => ({
      items: records.flatMap((sent) => {
        const there = [...world.service.of(object).values()].find(({ Name }) => Name === sent['Name'])
        if (there === undefined) return insert(object, [sent]).items
        const { ID } = there
        const told = by === 'id' ? { ID } : world.service.get(object, String(ID))
        return [{ Object: told, Errors: null, Kind: object }]
      }),
    })
    return world
  }
  const ALDER_SENT = { Name: 'Alder', Phone: '1', IsActive: 'true' }

  test.each([
    [true, 'record'],
    [false, 'record'],
    [false, 'id'],
  ] as const)(
    'that another insert of ours created (external IDs: %s, returned by its %s): the user decides, and it is never undone',
    async (keepsExternalIds, by) => {
      const world = answering(keepsExternalIds, by)
      const history = new History(world)
      await world.sendAndSettle([world.draftInsert(ALDER_SENT)])
      await world.sendAndSettle([world.draftInsert(ALDER_SENT)])
      expect(world.states()).toEqual(['acked', 'conflict'])
      expect((await history.undo([world.operations()[1]?.operationId ?? ''])).ok).toBe(false)
      expect(world.service.of('customer').size).toBe(1)
    },
  )

  test('that was changed from here before: the user decides', async () => {
    const world = answering(false, 'id')
    const theirs = world.service.add('customer', ALDER)
    await world.sendAndSettle([world.draftChange(theirs, { Email: 'a@b' })])
    await world.sendAndSettle([world.draftInsert(ALDER_SENT)])
    expect(world.states()).toEqual(['acked', 'conflict'])
  })
})

describe('a lost insert under a parent that is given only by its ID', () => {
  function worldWithParents(): { world: World; ids: readonly string[] } {
    const world = lossyWorld(true)
    world.service.manner = { keepsExternalIds: false, uniqueNames: false }
    const ids = ['Alder', 'Finch'].map((Name) => world.service.add('customer', { Name, FullName: Name }))
    world.service.alter = (record) => {
      if (record['Name'] === 'Porch') record['FullName'] = 'Alder:Porch'
    }
    return { world, ids }
  }

  test('is found under that parent, whatever its full name is', async () => {
    const { world, ids } = worldWithParents()
    const [alder = ''] = ids
    const porch = world.draftInsert({ Name: 'Porch', Parent: { ID: alder, FullName: '' } })
    expect(await world.sendAndSettle([porch])).toMatchObject([{ state: 'acked', confirmedByReading: true }])
  })

  test('isn’t mistaken for one with that name under another parent', async () => {
    const { world, ids } = worldWithParents()
    const [alder = '', finch = ''] = ids
    world.service.fault = (method) => (method === 'POST' ? 'dropped-before' : 'none')
    world.service.add('customer', {
      Name: 'Porch',
      FullName: 'Finch:Porch',
      Parent: { ID: finch, FullName: 'Finch' },
    })
    const porch = world.draftInsert({ Name: 'Porch', Parent: { ID: alder, FullName: '' } })
    expect(await world.sendAndSettle([porch])).toMatchObject([{ state: 'held' }])
  })
})

describe('undoing', () => {
  test('refuses an insert that was identified only by its name, and says so', async () => {
    const world = lossyWorld(true)
    const history = new History(world)
    const [operation] = await world.sendAndSettle([
      world.draftInsert({ Name: 'Alder', Phone: '1', IsActive: 'true' }),
    ])
    expect(operation?.state).toBe('acked')
    expect(await history.reason(operation?.operationId ?? '')).toBe('known-by-name')
    const answer = await history.undo([operation?.operationId ?? ''])
    expect(answer.ok).toBe(false)
    expect(world.drafts()).toEqual([])
  })

  test('works if the external ID came back', async () => {
    const world = new World()
    world.service.fault = (method) => (method === 'POST' ? 'dropped-after' : 'none')
    const history = new History(world)
    const [operation] = await world.sendAndSettle([
      world.draftInsert({ Name: 'Alder', Phone: '1', IsActive: 'true' }),
    ])
    expect(operation).toMatchObject({ state: 'acked', confirmedByReading: true })
    expect((await history.undo([operation?.operationId ?? ''])).ok).toBe(true)
  })
})
