/**
 * A first change on a service that replaces the whole record by what was sent: whichever way its answer or its reading
 * back is lost, what else was wiped is shown, and nothing more is changed there.
 */
import { describe, expect, test } from 'vitest'
import { COMPANY, value, World } from './writing-world.ts'

const KEPT = 'kept@example.com'
const WIPED = { path: 'Email', asRead: KEPT, theirs: '', yours: KEPT }

function worldOf(count: number): { world: World; ids: readonly string[] } {
  const world = new World()
  const ids = Array.from({ length: count }, (_, index) => {
    const name = `Customer ${index}`
    return world.service.add('customer', { Name: name, FullName: name, Phone: 'old', Email: KEPT })
  })
  world.service.alter = (record) => {
    record['Email'] = ''
  }
  return { world, ids }
}

function emails(world: World, ids: readonly string[]): readonly unknown[] {
  return ids.map((id) => world.service.get('customer', id)['Email'])
}

function changes(world: World, ids: readonly string[]): readonly string[] {
  return ids.map((id) => world.draftChange(id, { Phone: 'new' }))
}

describe('a first change that wiped more than was meant', () => {
  test('is shown and stops the rest although its answer was lost', async () => {
    const { world, ids } = worldOf(2)
    world.service.fault = (method) => (method === 'PATCH' ? 'dropped-after' : 'none')
    const drafts = changes(world, ids)
    await world.sendAndSettle(drafts)
    expect(world.states()).toEqual(['acked', 'queued'])
    expect(world.operations()[0]).toMatchObject({ confirmedByReading: true, notAsSent: [WIPED] })
    expect(emails(world, ids)).toEqual(['', KEPT])
    expect(value(world.writer.batches(COMPANY, 'customer'))[0]).toMatchObject({ phase: 'stopped', toGo: 1 })
    // It stays with the person until they have seen it.
    expect(world.drafts().map(({ draftId }) => draftId)).toEqual(drafts)
    expect(value(world.writer.unfinishedCounts('c1')).get('e1')).toMatchObject({ drafts: 1, decisions: 1 })
  })

  test('is shown and stops the rest although its reading back was lost', async () => {
    const { world, ids } = worldOf(2)
    let reads = 0
    world.service.fault = (method) => (method === 'GET' && (reads += 1) === 2 ? 'dropped-before' : 'none')
    await world.sendAndSettle(changes(world, ids))
    expect(world.states()).toEqual(['acked', 'queued'])
    expect(world.operations()[0]?.notAsSent).toEqual([WIPED])
    expect(emails(world, ids)).toEqual(['', KEPT])
  })

  test('is shown by the next start where the program ended meanwhile; later changes wait for the person', async () => {
    const first = worldOf(2)
    const [sent = '', other = ''] = first.ids
    let { world } = first
    const { service } = world
    service.fault = (method) => (method === 'PATCH' ? 'dropped-after' : 'none')
    let isGone = false
    service.step = (name) => {
      if (name === 'answered' && service.requests.at(-1)?.method === 'PATCH') isGone = true
      if (isGone) throw new Error('killed')
    }
    value(world.send(changes(world, [sent])))
    await world.flush()
    service.step = () => undefined
    service.fault = () => 'none'
    world = world.restart()
    await world.settle()
    expect(world.operations()[0]).toMatchObject({ state: 'acked', notAsSent: [WIPED] })
    const [later = ''] = changes(world, [other])
    const batch = value(world.send([later]))
    await world.settle()
    expect(emails(world, [other])).toEqual([KEPT])
    // Mended, and the person goes on: it goes alone and is read back.
    service.alter = () => undefined
    value(world.writer.resumeBatch(batch.batchId))
    await world.settle()
    expect(world.operations().at(-1)).toMatchObject({
      state: 'acked',
      notAsSent: [],
      confirmedByReading: true,
    })
    expect(emails(world, [other])).toEqual([KEPT])
  })

  test('and did not do what was meant is a conflict with both versions', async () => {
    const { world, ids } = worldOf(2)
    world.service.alter = (record) => {
      record['Email'] = ''
      record['Phone'] = 'old'
    }
    world.service.fault = (method) => (method === 'PATCH' ? 'dropped-after' : 'none')
    await world.sendAndSettle(changes(world, ids))
    expect(world.states()).toEqual(['conflict', 'queued'])
    expect(world.operations()[0]?.conflicts).toEqual([
      { path: 'Phone', asRead: 'old', theirs: 'old', yours: 'new' },
      WIPED,
    ])
    expect(emails(world, ids)).toEqual(['', KEPT])
  })
})

test('going on with inserts of the list lets no change go', async () => {
  const { world, ids } = worldOf(2)
  const [first = '', other = ''] = ids
  await world.sendAndSettle(changes(world, [first]))
  const inserts = value(world.send([world.draftInsert({ Name: 'Finch' })]))
  value(world.writer.stopBatch(inserts.batchId))
  value(world.writer.resumeBatch(inserts.batchId))
  await world.settle()
  await world.sendAndSettle(changes(world, [other]))
  expect(emails(world, ids)).toEqual(['', KEPT])
  expect(world.service.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(1)
})

test('a first change that never came to be done stops nothing', async () => {
  const { world, ids } = worldOf(2)
  world.service.alter = () => undefined
  let nth = 0
  world.service.fault = (method) => (method === 'PATCH' && (nth += 1) === 1 ? 'dropped-before' : 'none')
  await world.sendAndSettle(changes(world, ids))
  expect(world.states()).toEqual(['held', 'acked'])
})

test('a later change is not held against what others changed in its record meanwhile', async () => {
  const { world, ids } = worldOf(2)
  const [first = '', second = ''] = ids
  world.service.alter = () => undefined
  await world.sendAndSettle(changes(world, [first]))
  world.service.fault = (method) => (method === 'PATCH' ? 'dropped-after' : 'none')
  world.service.alter = (record) => {
    record['Email'] = 'moved@example.com'
  }
  await world.sendAndSettle(changes(world, [second]))
  expect(world.operations().at(-1)).toMatchObject({ state: 'acked', notAsSent: [], confirmedByReading: true })
})
