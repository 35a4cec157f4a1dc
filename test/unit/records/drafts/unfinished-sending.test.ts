/** Unfinished work says whether a batch is being sent or waits for the user, so that no one is asked to resume it twice. */
import { expect, test } from 'vitest'
import { setupSign, unfinishedAction } from '../../../../renderer/companies/unfinished.ts'
import { value } from '../../../result.ts'
import { World } from '../../writing/world.ts'

test('a running batch is only shown. One that was stopped, or left by an earlier run, can be resumed', async () => {
  let world = new World()
  const drafts = ['A', 'B'].map((Name) => world.draftInsert({ Name }))
  const batch = value(world.send(drafts))
  const shown = (): readonly unknown[] =>
    world.store.unfinished.list('c1').map(({ kind, count }) => [kind, count, unfinishedAction(kind)])
  expect(shown()).toEqual([['sending', 2, 'Show']])
  expect(world.writer.unfinishedCounts('c1').get('e1')?.drafts).toBe(2)

  value(world.writer.stopBatch(batch.batchId))
  await world.settle()
  expect(shown()).toEqual([['queued', 2, 'Continue']])

  value(world.writer.resumeBatch(batch.batchId))
  expect(shown()).toEqual([['sending', 2, 'Show']])
  world = world.restart()
  await world.settle()
  expect(shown()).toEqual([['queued', 2, 'Continue']])
})

test('a setup says which books it is for, and its state', () => {
  const world = new World()
  const file = 'C:\\Books\\New.qbw'
  const set = { application: 'qbd', userId: 'u1', expectedFile: file, place: 'here' } as const
  value(world.writer.provision('c1', set))
  const [item] = world.store.unfinished.list('c1')
  if (!item) throw new Error('No setup is unfinished.')
  expect(item).toMatchObject({ kind: 'provisioning', companyName: 'New.qbw' })
  expect(setupSign('arrived')).toEqual({ outcome: 'decision', says: 'Is this the right file?' })
  expect(setupSign('refused')).toMatchObject({ outcome: 'not-accepted', says: 'Not provisioned' })
})
