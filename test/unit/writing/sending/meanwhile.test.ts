/** What a user does while the records of a batch are checked before it is sent: their last action counts. */
import { describe, expect, test } from 'vitest'
import { resultOf } from '../../../../electron/store/database.ts'
import type { Result } from '../../../../shared/result.ts'
import { value } from '../../../result.ts'
import { COMPANY, World } from '../world.ts'

function phoneOf(world: World, id: string): unknown {
  return world.service.get('customer', id)['Phone']
}

function patches(world: World): readonly string[] {
  return world.service.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body)
}

/** The first change was made, so others are sent in arrays. */
async function proven(count: number): Promise<{ world: World; ids: readonly string[] }> {
  const world = new World()
  const add = (Name: string): string => world.service.add('customer', { Name, FullName: Name, Phone: 'old' })
  await world.sendAndSettle([world.draftChange(add('First'), { Phone: 'new' })])
  world.service.requests.splice(0)
  return { world, ids: Array.from({ length: count }, (_, index) => add(`Customer ${index}`)) }
}

/** The user does something while the next request is running. */
function meanwhile(world: World, act: () => void): void {
  let isOver = false
  world.service.step = (name) => {
    if (name !== 'leaves' || isOver) return
    isOver = true
    act()
  }
}

describe('while records are read before sending', () => {
  test('a discarded one isn’t sent, but the others are', async () => {
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

  test('a stopped batch isn’t sent, and its drafts can be edited or discarded', async () => {
    const { world, ids } = await proven(2)
    const drafts = ids.map((id) => world.draftChange(id, { Phone: 'new' }))
    const batch = value(world.send(drafts))
    // Anything that is sent is lost, too, and stays unknown.
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
      unsent: 1,
    })
    // What was kept is sent when the user says so.
    world.service.fault = () => 'none'
    value(world.writer.resumeBatch(batch.batchId))
    await world.settle()
    expect(ids.map((id) => phoneOf(world, id))).toEqual(['old', 'new'])
  })

  test('locked books aren’t written to', async () => {
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

  test('a discarded one isn’t a conflict either, because it was never sent', async () => {
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

test('the journal doesn’t start to send what was discarded', () => {
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

test('a start rechecks unknown outcomes, even if an earlier version considered them closed', async () => {
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
