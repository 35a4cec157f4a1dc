/** Announcements to the window: collected while a request is running, in pieces, and never a batch before its records. */
import { expect, test } from 'vitest'
import type { Batch, Operation } from '../../../../shared/contract/records.ts'
import { value } from '../../../result.ts'
import { COMPANY, World } from '../world.ts'

function draftInserts(world: World, count: number): string[] {
  return Array.from({ length: count }, (_, index) => world.draftInsert({ Name: `Customer ${index}` }))
}

test('an answer and the next request are announced together, as they are on disk', async () => {
  const world = new World({ settings: { batchSize: 1 } })
  value(world.send(draftInserts(world, 3)))
  expect(world.events).toEqual([])
  await world.settle()
  const told = world.events.flatMap(({ operations }) => operations)
  expect(told.length).toBeLessThan(2 * 3 + 3)
  const last = new Map(told.map((operation: Operation) => [operation.operationId, operation.state]))
  expect([...last.values()]).toEqual(['acked', 'acked', 'acked'])
  expect(world.events.at(-1)?.batch).toMatchObject({ phase: 'done', saved: 3 })
})

test('what is being sent isn’t counted as not confirmed', async () => {
  const world = new World()
  const during: Batch[] = []
  world.service.fault = (method) => {
    if (method !== 'POST') return 'none'
    during.push(...world.writer.batches(COMPANY, 'customer'))
    return 'none'
  }
  value(world.send(draftInserts(world, 2)))
  await world.settle()
  expect(during).toMatchObject([
    { phase: 'sending', sent: 1, saved: 0, notConfirmed: 0 },
    { phase: 'sending', sent: 2, saved: 1, notConfirmed: 0 },
  ])
})

test('a large batch is announced in pieces, and its end with the last of its records', async () => {
  const world = new World()
  const batch = value(world.send(draftInserts(world, 1_200)))
  value(world.writer.stopBatch(batch.batchId))
  await world.settle()
  expect(world.events.map(({ operations }) => operations.length)).toEqual([500, 500, 200])
  expect(world.events.map((event) => event.batch?.phase ?? null)).toEqual([null, null, 'stopped'])
})

test('after the program has ended, nothing is announced', async () => {
  const world = new World()
  value(world.send(draftInserts(world, 2)))
  world.writer.close()
  await world.settle()
  expect(world.events).toEqual([])
})

test('decided operations are announced without their records, which would return to the list', async () => {
  const world = new World()
  world.service.fault = (method) => (method === 'POST' ? 'dropped-before' : 'none')
  const [operation] = await world.sendAndSettle(draftInserts(world, 1))
  if (operation === undefined) throw new Error('Nothing was sent.')
  expect(operation.state).toBe('held')
  world.events.length = 0
  value(world.writer.decide(operation.operationId, { what: 'discard' }))
  await world.settle()
  expect(world.events.flatMap(({ operations }) => operations)).toEqual([])
  expect(world.events.at(-1)?.batch).toMatchObject({ batchId: operation.batchId })
})
