/** What a person does while the records of a batch are read once more before it leaves: their last word counts. */
import { describe, expect, test } from 'vitest'
import type { Result } from '../../shared/result.ts'
import { COMPANY, value, World } from './writing-world.ts'
import { resultOf } from '../../electron/store/database.ts'

function phoneOf(world: World, id: string): unknown {
  return world.service.get('customer', id)['Phone']
}

function patches(world: World): readonly string[] {
  return world.service.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body)
}

/** The first change of all is behind it, so others travel in arrays. */
async function proven(count: number): Promise<{ world: World; ids: readonly string[] }> {
  const world = new World()
  const add = (Name: string): string => world.service.add('customer', { Name, FullName: Name, Phone: 'old' })
  await world.sendAndSettle([world.draftChange(add('First'), { Phone: 'new' })])
  world.service.requests.splice(0)
  return { world, ids: Array.from({ length: count }, (_, index) => add(`Customer ${index}`)) }
}

/** The person does something while the next request is out. */
function meanwhile(world: World, act: () => void): void {
  let isOver = false
  world.service.step = (name) => {
    if (name !== 'leaves' || isOver) return
    isOver = true
    act()
  }
}

describe('while records are read before sending', () => {
  test('one that is discarded does not leave; those beside it do', async () => {
    const { world, ids } = await proven(3)
    const batch = value(world.send(ids.map((id) => world.draftChange(id, { Phone: 'new' }))))
    let discarded: Result<void> | null = null
    meanwhile(world, () => {
      const second = world.operations().find((each) => each.recordId === ids[1] && each.state === 'queued')
      discarded = world.writer.decide(second?.operationId ?? '', { what: 'discard' })
    })
    await world.settle()
    expect(discarded).toMatchObject({ ok: true })
    expect(ids.map((id) => phoneOf(world, id))).toEqual(['new', 'old', 'new'])
    const [shown] = world.writer
      .batches(COMPANY, 'customer')
      .filter(({ batchId }) => batchId === batch.batchId)
    expect(shown).toMatchObject({ phase: 'done', total: 2, saved: 2, notConfirmed: 0 })
  })

  test('a batch that is stopped stays, and its drafts can be edited or discarded', async () => {
    const { world, ids } = await proven(2)
    const drafts = ids.map((id) => world.draftChange(id, { Phone: 'new' }))
    const batch = value(world.send(drafts))
    // Whatever left would also be lost, and is then never heard of.
    world.service.fault = (method) => (method === 'PATCH' ? 'dropped-after' : 'none')
    meanwhile(world, () => {
      value(world.writer.stopBatch(batch.batchId))
      world.store.drafts.discard(COMPANY, [drafts[0] ?? ''])
    })
    await world.settle()
    expect(patches(world)).toEqual([])
    expect(world.drafts().map(({ draftId }) => draftId)).toEqual([drafts[1]])
    expect(world.writer.batches(COMPANY, 'customer').at(-1)).toMatchObject({
      phase: 'stopped',
      toGo: 1,
    })
    // What was kept goes when the person says so.
    world.service.fault = () => 'none'
    value(world.writer.resumeBatch(batch.batchId))
    await world.settle()
    expect(ids.map((id) => phoneOf(world, id))).toEqual(['old', 'new'])
  })

  test('books that are locked are not written to', async () => {
    const { world, ids } = await proven(1)
    value(world.send(ids.map((id) => world.draftChange(id, { Phone: 'new' }))))
    meanwhile(world, () => {
      world.readOnly = true
    })
    await world.settle()
    expect(patches(world)).toEqual([])
    expect(world.states().at(-1)).toBe('queued')
    expect(world.writer.batches(COMPANY, 'customer').at(-1)).toMatchObject({
      phase: 'paused',
      error: { kind: 'read-only' },
    })
  })

  test('one that is dropped is no conflict either: it was never sent', async () => {
    const { world, ids } = await proven(1)
    const [id = ''] = ids
    value(world.send([world.draftChange(id, { Phone: 'new' })]))
    world.service.of('customer').set(id, { ...world.service.of('customer').get(id), Phone: 'theirs' })
    meanwhile(world, () => {
      const last = world.operations().at(-1)
      value(world.writer.decide(last?.operationId ?? '', { what: 'discard' }))
    })
    await world.settle()
    expect(world.states()).toEqual(['acked'])
  })
})

test('the journal does not begin to send what was dropped', () => {
  const world = new World()
  const draft = world.draftInsert({ Name: 'Ada' })
  const batch = value(world.send([draft]))
  const operationId = world.operations()[0]?.operationId ?? ''
  const { operations } = world.store.journal
  operations.end([{ operationId, from: 'queued', draft: 'remove' }])
  const request = {
    requestKey: 'request',
    batchId: batch.batchId,
    kind: 'insert',
    ...COMPANY,
    object: 'customer',
    body: '{}',
    sentAt: '2026-03-01T09:00:00Z',
  } as const
  const move = { operationId, from: 'queued', to: 'sending', facts: {}, closes: false } as const
  const begin = () => {
    operations.begin(request, [move])
  }
  expect(resultOf(begin)).toMatchObject({ ok: false, error: { kind: 'internal' } })
})

test('a start looks for what is in doubt, also where an earlier program took it for closed', async () => {
  let world = new World()
  world.service.fault = (method) => (method === 'POST' ? 'dropped-after' : 'dropped-before')
  value(world.send([world.draftInsert({ Name: 'Ada' })]))
  await world.flush()
  const { operationId = '' } = world.operations()[0] ?? {}
  expect(world.states()).toEqual(['unknown'])
  world.store.journal.operations.end([{ operationId, from: 'unknown', draft: 'remove' }])
  world.service.fault = () => 'none'
  world = world.restart()
  expect(world.writer.unfinishedCounts('c1').get('e1')).toMatchObject({ notConfirmed: 1 })
  await world.settle()
  expect(world.states()).toEqual(['acked'])
})
