/** Clock jumps: rechecks are still made, nothing is sent because of a jump, and later writes don't wait for a day. */
import { expect, test } from 'vitest'
import { TestClock, World } from '../world.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Sets the wall clock. Timers continue as they were. */
class SettableClock extends TestClock {
  #shift = 0

  setBy(milliseconds: number): void {
    this.#shift += milliseconds
  }

  override now(): number {
    return super.now() + this.#shift
  }
}

function posts(world: World): number {
  return world.service.requests.filter(({ method }) => method === 'POST').length
}

/** The first of two inserts is lost, and was rechecked once. */
async function lost(): Promise<{ world: World; clock: SettableClock }> {
  const clock = new SettableClock()
  const world = new World({ clock })
  let isFirst = true
  world.service.fault = (method) => {
    if (method !== 'POST' || !isFirst) return 'none'
    isFirst = false
    return 'dropped-before'
  }
  const sent = world.send(['A', 'B'].map((Name) => world.draftInsert({ Name })))
  expect(sent.ok).toBe(true)
  await world.flush()
  expect(world.states()).toEqual(['unknown', 'queued'])
  return { world, clock }
}

test('set back a day between the two rechecks: the second one is made after the pause, and later writes continue', async () => {
  const { world, clock } = await lost()
  clock.setBy(-DAY)
  await world.settle(3 * 60_000)
  expect(world.states()).toEqual(['held', 'acked'])
  expect(posts(world)).toBe(2)
})

test('set forward a day between the two rechecks: rechecked, and not sent', async () => {
  const { world, clock } = await lost()
  clock.setBy(DAY)
  await world.settle(3 * 60_000)
  expect(world.states()).toEqual(['held', 'acked'])
  expect(posts(world)).toBe(2)
})

test('set forward a day, and something wakes the queue: the pause between the rechecks is still kept', async () => {
  const { world, clock } = await lost()
  clock.setBy(DAY)
  expect(world.send([world.draftInsert({ Name: 'C' })]).ok).toBe(true)
  await world.flush()
  expect(world.states()).toEqual(['unknown', 'queued', 'queued'])
  expect(posts(world)).toBe(1)
  await world.settle(3 * 60_000)
  expect(world.states()).toEqual(['held', 'acked', 'acked'])
})

test('set back an hour, and the record of a lost insert was edited: it isn’t reported as older', async () => {
  const clock = new SettableClock()
  let isWhole = false
  const options = { settings: { markWithExternalId: false }, isListWhole: () => isWhole }
  const world = new World({ ...options, clock })
  world.service.manner = { keepsExternalIds: false, uniqueNames: false }
  world.service.fault = (method) => (method === 'POST' ? 'dropped-after' : 'none')
  await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
  expect(world.states()).toEqual(['unknown'])
  clock.setBy(-HOUR)
  const [id = ''] = world.service.of('customer').keys()
  world.draftChange(id, { Email: 'a@b.example' })
  isWhole = true
  const next = world.restart(options)
  await next.settle(HOUR)
  expect(next.states()).toEqual(['acked'])
})
