/**
 * **Send again** rechecks right before, whatever happened in between: the service was away for a moment, the program
 * ended, the disk was full, or the user stopped.
 */
import { describe, expect, test } from 'vitest'
import { StoreError } from '../../../../electron/store/database.ts'
import type { Store } from '../../../../electron/store/store.ts'
import { appError } from '../../../../shared/result.ts'
import { value } from '../../../result.ts'
import { COMPANY, World } from '../world.ts'

/** A service that keeps no external IDs and accepts a name twice, so that only a recheck prevents a second record. */
async function worldWithHeld(
  names: readonly string[],
  wrap?: (store: Store) => Store,
  isListWhole: () => boolean = () => true,
): Promise<World> {
  const settings = { markWithExternalId: false }
  const world = new World({ settings, isListWhole, ...(wrap ? { wrap } : {}) })
  world.service.manner = { keepsExternalIds: false, uniqueNames: false }
  world.service.fault = (method) => (method === 'POST' ? 'dropped-before' : 'none')
  value(world.send(names.map((Name) => world.draftInsert({ Name, Phone: '1' }))))
  for (const _each of names) await world.settle()
  expect(world.states()).toEqual(names.map(() => 'held'))
  world.service.requests.splice(0)
  return world
}

function sayAgain(world: World): void {
  for (const { operationId } of world.operations()) {
    value(world.writer.decide(operationId, { what: 'send-again' }))
  }
}

async function resume(world: World): Promise<void> {
  for (const { batchId } of world.writer.batches(COMPANY, 'customer')) {
    value(world.writer.resumeBatch(batchId))
  }
  await world.settle()
}

const methods = (world: World): readonly string[] => world.service.requests.map(({ method }) => method)
const posts = (world: World): number => methods(world).filter((method) => method === 'POST').length

/** The service creates it late, or someone creates it by hand. */
function appears(world: World): void {
  world.service.add('customer', { Name: 'Alder', FullName: 'Alder', Phone: '1' })
}

describe('an insert that could not leave when it was sent again', () => {
  async function notLeft(): Promise<World> {
    const world = await worldWithHeld(['Alder'])
    world.service.fault = (method) => (method === 'POST' ? 'not-sent' : 'none')
    sayAgain(world)
    await world.flush()
    expect(world.states()).toEqual(['unknown'])
    world.service.fault = () => 'none'
    return world
  }

  test('is searched for and never queued: resuming sends nothing that already exists', async () => {
    const world = await notLeft()
    appears(world)
    await resume(world)
    expect(world.states()).toEqual(['acked'])
    expect(posts(world)).toBe(0)
    expect(world.service.of('customer').size).toBe(1)
  })

  test('is searched for after a restart, too', async () => {
    const world = (await notLeft()).restart()
    appears(world)
    await resume(world)
    expect(world.states()).toEqual(['acked'])
    expect(world.service.of('customer').size).toBe(1)
  })

  test('can’t be sent as a new record, which would hide the unknown outcome', async () => {
    const world = await notLeft()
    const [draft] = world.drafts()
    expect(draft).toBeDefined()
    if (draft === undefined) return
    world.send([draft.draftId])
    expect(world.operations()).toHaveLength(1)
    const { operation: _tied, ...stored } = draft
    expect(world.store.drafts.saveAll([stored])).toMatchObject([{ draftId: draft.draftId }])
    expect(() => world.store.drafts.discard(COMPANY, [draft.draftId])).toThrow(StoreError)
    await world.settle()
    expect(world.states()).toEqual(['held'])
    expect(world.service.of('customer').size).toBe(0)
    sayAgain(world)
    await world.settle()
    expect(world.states()).toEqual(['acked'])
    expect(world.service.of('customer').size).toBe(1)
  })
})

test('if the list is incomplete an hour later, the next search finds a late second record', async () => {
  let isWhole = true
  const world = await worldWithHeld(['Alder'], undefined, () => isWhole)
  world.service.fault = () => 'none'
  sayAgain(world)
  await world.flush()
  expect(world.states()).toEqual(['acked'])
  isWhole = false
  await world.settle(61 * 60_000)
  appears(world)
  isWhole = true
  await world.settle(61 * 60_000)
  expect(world.operations()[0]?.candidates).toHaveLength(2)
})

test('what couldn’t be journaled isn’t sent, and stays held with the reason', async () => {
  let isFull = false
  const full = new StoreError(appError('store', 'The disk is full.'))
  const world = await worldWithHeld(['Alder'], (store) => {
    const { operations } = store.journal
    const begin: typeof operations.begin = (...given) => {
      if (isFull) throw full
      operations.begin(...given)
    }
    return { ...store, journal: { ...store.journal, operations: { ...operations, begin } } }
  })
  world.service.fault = () => 'none'
  isFull = true
  sayAgain(world)
  await world.settle()
  expect(world.operations()[0]).toMatchObject({
    state: 'held',
    error: { details: { recheckReason: 'The disk is full.' } },
  })
  isFull = false
  appears(world)
  await resume(world)
  expect(posts(world)).toBe(0)
  sayAgain(world)
  await world.settle()
  expect(world.states()).toEqual(['acked'])
  expect(world.service.of('customer').size).toBe(1)
})

test('stopped while the first of several is being sent: the others are held and not sent', async () => {
  const world = await worldWithHeld(['Alder', 'Finch', 'Gull', 'Heron'])
  world.service.fault = () => 'none'
  const [batch] = world.writer.batches(COMPANY, 'customer')
  world.service.step = (name) => {
    if (name !== 'leaves' || !methods(world).includes('POST')) return
    world.service.step = () => undefined
    value(world.writer.stopBatch(batch?.batchId ?? ''))
  }
  sayAgain(world)
  await world.settle()
  expect(posts(world)).toBeLessThan(4)
  expect(world.states().filter((state) => state === 'held')).toHaveLength(4 - posts(world))
  expect(world.service.of('customer').size).toBe(posts(world))
})

describe('an answer that couldn’t be journaled', () => {
  const full = new StoreError(appError('store', 'The disk is full.'))
  let isFull = false
  const wrap = (store: Store): Store => {
    const { operations } = store.journal
    const move: typeof operations.move = (moves, answer) => {
      if (isFull && answer !== null) throw full
      operations.move(moves, answer)
    }
    return { ...store, journal: { ...store.journal, operations: { ...operations, move } } }
  }

  test('to an insert that is sent again an hour later: it is rechecked twice more', async () => {
    const world = await worldWithHeld(['Alder'], wrap)
    world.clock.time += 60 * 60_000
    isFull = true
    sayAgain(world)
    await world.flush()
    isFull = false
    // Both the disk and the application are slow, so it exists only after the first recheck.
    value(world.send([world.draftInsert({ Name: 'Finch' })]))
    await world.flush()
    expect(world.operations()[0]).toMatchObject({ state: 'unknown', rechecks: 1 })
    appears(world)
    await world.settle()
    expect(world.operations()[0]).toMatchObject({ state: 'acked', confirmedByReading: true })
  })

  test('to a change: it is rechecked twice', async () => {
    const world = new World({ wrap })
    const id = world.service.add('customer', { Name: 'Alder', FullName: 'Alder', Phone: 'old' })
    world.service.fault = (method) => (method === 'PATCH' ? 'whole-error-before' : 'none')
    isFull = true
    value(world.send([world.draftChange(id, { Phone: 'new' })]))
    await world.flush()
    isFull = false
    value(world.send([world.draftInsert({ Name: 'Finch' })]))
    await world.flush()
    expect(world.operations()[0]).toMatchObject({ state: 'unknown', rechecks: 1 })
    await world.settle()
    expect(world.operations()[0]).toMatchObject({ state: 'held', rechecks: 2 })
  })
})
