/** The check right before sending: each change is compared with its record as it is now. */
import { describe, expect, test } from 'vitest'
import { value } from '../../../result.ts'
import { COMPANY, World } from '../world.ts'

function add(world: World, name: string): string {
  return world.service.add('customer', { Name: name, FullName: name, Phone: 'old' })
}

/** The user stops the running request while the records are read. */
function abandonAtRead(world: World): void {
  const ask = world.service.ask.bind(world.service)
  world.service.ask = (...input) => {
    if (input[0] === 'GET') world.client.abandon?.()
    return ask(...input)
  }
}

function change(world: World, id: string, more: Readonly<Record<string, unknown>>): void {
  world.service.of('customer').set(id, { ...world.service.of('customer').get(id), ...more })
}

type Edited = Readonly<Record<string, string>>

function methods(world: World): readonly string[] {
  return world.service.requests.map(({ method }) => method)
}

/** The first change is sent alone and read back. After that, arrays grow. */
async function proven(count: number): Promise<{ world: World; ids: readonly string[] }> {
  const world = new World()
  await world.sendAndSettle([world.draftChange(add(world, 'First'), { Phone: 'new' })])
  const ids = Array.from({ length: count }, (_, index) => add(world, `Customer ${index}`))
  world.service.requests.splice(0)
  return { world, ids }
}

describe('before an array of changes is sent', () => {
  test('all its records are read in one request, right before the write', async () => {
    const { world, ids } = await proven(10)
    await world.sendAndSettle(ids.map((id) => world.draftChange(id, { Phone: 'new' })))
    expect(methods(world)).toEqual(['GET', 'PATCH'])
    expect(new Set(world.states())).toEqual(new Set(['acked']))
  })

  test('only those that someone else changed, too, are removed from it', async () => {
    const { world, ids } = await proven(3)
    const drafts = ids.map((id) => world.draftChange(id, { Phone: 'new' }))
    change(world, ids[1] ?? '', { Phone: 'theirs' })
    await world.sendAndSettle(drafts)
    expect(world.states().slice(1)).toEqual(['acked', 'conflict', 'acked'])
    expect(methods(world)).toEqual(['GET', 'PATCH'])
    expect(JSON.parse(world.service.requests[1]?.body ?? '')).toEqual([
      { ID: ids[0], Phone: 'new' },
      { ID: ids[2], Phone: 'new' },
    ])
  })

  test('one that waited is read again: an earlier read never counts as fresh', async () => {
    const { world, ids } = await proven(1)
    const draft = world.draftChange(ids[0] ?? '', { Phone: 'new' })
    const batch = value(world.send([draft]))
    value(world.writer.stopBatch(batch.batchId))
    await world.settle()
    change(world, ids[0] ?? '', { Phone: 'theirs' })
    value(world.writer.resumeBatch(batch.batchId))
    await world.settle()
    expect(world.states().at(-1)).toBe('conflict')
    expect(methods(world)).not.toContain('PATCH')
  })
})

test.for([
  ['0.00', { Balance: '480.00' }, 'conflict'],
  ['0.00', {}, 'conflict'],
  ['', { Balance: '12.50' }, 'conflict'],
  ['1250.00', { Balance: '0.00' }, 'conflict'],
  ['0.00', { Balance: 0 }, 'acked'],
  ['', {}, 'acked'],
] as const)('a change proposed because of the balance “%s” meets %j: %s', async ([proposed, now, state]) => {
  const { world, ids } = await proven(1)
  const [id = ''] = ids
  change(world, id, { IsActive: 'true', ...(proposed === '' ? {} : { Balance: proposed }) })
  const draftId = world.draftChange(id, { IsActive: 'false' })
  world.store.drafts.saveAll(
    world.store.drafts
      .get(COMPANY, [draftId])
      .map((draft) => ({ ...draft, edits: draft.edits.map((edit) => ({ ...edit, balance: proposed })) })),
  )
  const { Balance: _, ...others } = world.service.get('customer', id)
  world.service.of('customer').set(id, { ...others, ...now })
  await world.sendAndSettle([draftId])
  expect(world.states().at(-1)).toBe(state)
  expect(methods(world).includes('PATCH')).toBe(state === 'acked')
  if (state === 'conflict')
    expect(world.operations().at(-1)?.error?.message).toContain('when this was proposed')
})

test('a change that is stopped while its record is read isn’t sent', async () => {
  const { world, ids } = await proven(1)
  abandonAtRead(world)
  await world.sendAndSettle([world.draftChange(ids[0] ?? '', { Phone: 'new' })])
  expect(methods(world)).toEqual(['GET'])
  expect(world.states().at(-1)).toBe('queued')
})

test('a record that couldn’t be read isn’t called deleted, neither before its change is sent nor after', async () => {
  const { world, ids } = await proven(1)
  const [id = ''] = ids
  const { unreadable } = world.service
  unreadable.add(id)
  const batch = value(world.send([world.draftChange(id, { Phone: 'new' })]))
  await world.settle()
  expect(world.states().at(-1)).toBe('queued')
  unreadable.clear()
  world.service.fault = (method) => {
    if (method === 'PATCH') unreadable.add(id)
    return method === 'PATCH' ? 'dropped-before' : 'none'
  }
  value(world.writer.resumeBatch(batch.batchId))
  await world.settle()
  expect(world.states().at(-1)).toBe('unknown')
})

test('a member that no one edited is sent as it is now, not as it was read', async () => {
  const { world, ids } = await proven(1)
  const [id = ''] = ids
  change(world, id, { BillingAddress: { City: 'Bath' } })
  const draft = world.draftChange(id, { 'BillingAddress.City': 'Bristol' })
  change(world, id, { BillingAddress: { City: 'Bath', Line2: '' } })
  await world.sendAndSettle([draft])
  const sent = { ID: id, BillingAddress: { City: 'Bristol', Line2: '' } }
  expect(JSON.parse(world.service.requests[1]?.body ?? '')).toEqual(sent)
})

describe('sent again', () => {
  async function held(
    edits: Edited = { Phone: 'new' },
  ): Promise<{ world: World; id: string; operationId: string }> {
    const { world, ids } = await proven(1)
    const [id = ''] = ids
    world.service.fault = (method) => (method === 'PATCH' ? 'dropped-before' : 'none')
    await world.sendAndSettle([world.draftChange(id, edits)])
    expect(world.states().at(-1)).toBe('held')
    world.service.fault = () => 'none'
    world.service.requests.splice(0)
    return { world, id, operationId: world.operations().at(-1)?.operationId ?? '' }
  }

  test('if it is stopped during the recheck, it stays held', async () => {
    const { world, operationId } = await held()
    abandonAtRead(world)
    value(world.writer.decide(operationId, { what: 'send-again' }))
    await world.settle()
    expect(methods(world)).toEqual(['GET'])
    expect(world.states().at(-1)).toBe('held')
  })

  test('if someone else has made the same change, it isn’t a conflict', async () => {
    const { world, id, operationId } = await held({ Phone: 'new', Email: 'new' })
    change(world, id, { Phone: 'new' })
    value(world.writer.decide(operationId, { what: 'send-again' }))
    await world.settle()
    expect(methods(world)).toContain('PATCH')
    expect(world.states().at(-1)).toBe('acked')
  })

  test('a record that is missing from a recheck of several is read again before it is called deleted', async () => {
    const { world, ids } = await proven(3)
    const [id = '', , other = ''] = ids
    world.service.fault = (method) => (method === 'PATCH' ? 'dropped-before' : 'none')
    await world.sendAndSettle(ids.slice(0, 2).map((each) => world.draftChange(each, { Phone: 'new' })))
    world.service.fault = () => 'none'
    const held = world.operations().slice(1)
    expect(held.map(({ state }) => state)).toEqual(['held', 'held'])
    const records = world.service.of('customer')
    const record = records.get(id) ?? {}
    records.delete(id)
    // After a change with a response, several are sent together again, and checked right before.
    const answered = [
      () => undefined,
      () => {
        for (const { operationId } of held) value(world.writer.decide(operationId, { what: 'send-again' }))
      },
      () => records.set(id, record),
    ]
    world.service.step = (name) => name === 'answered' && answered.shift()?.()
    await world.sendAndSettle([world.draftChange(other, { Phone: 'new' })])
    expect(world.states().slice(1)).toEqual(['acked', 'acked', 'acked'])
  })

  test('the recheck right before also serves as the check: the record is read once', async () => {
    const { world, operationId } = await held()
    value(world.writer.decide(operationId, { what: 'send-again' }))
    await world.settle()
    expect(methods(world)).toEqual(['GET', 'PATCH'])
    expect(world.states().at(-1)).toBe('acked')
  })

  test('what someone else has changed is a conflict, and nothing is sent', async () => {
    const { world, id, operationId } = await held()
    change(world, id, { Phone: 'theirs' })
    value(world.writer.decide(operationId, { what: 'send-again' }))
    await world.settle()
    expect(methods(world)).toEqual(['GET'])
    expect(world.operations().at(-1)).toMatchObject({
      state: 'conflict',
      conflicts: [{ path: 'Phone', asRead: 'old', theirs: 'theirs', yours: 'new' }],
    })
  })
})
