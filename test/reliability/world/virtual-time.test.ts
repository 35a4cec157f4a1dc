/** The whole core in virtual time: a lost response takes no real time, and every run is the same. */
import { expect, test } from 'vitest'
import { createSampleService } from '../../../electron/sample/service.ts'
import { value } from '../../result.ts'
import { inProcessFetch, seededRandom, VirtualClock } from '../../virtual-clock.ts'
import { makeCore } from './core-parts.ts'
import { Person } from './person.ts'
import { type AtEnd, callerOf, emptyFolder } from './world.ts'

const ADDRESS = 'https://service.example'
const KEY = 'key'

/** Loses the answer to an insert. Returns each request with the second at which it was sent. */
async function runOnce(atEnd: AtEnd): Promise<readonly string[]> {
  const clock = new VirtualClock()
  const began = clock.now()
  const requests: string[] = []
  const service = createSampleService({
    key: KEY,
    customers: 30,
    volume: 0.05,
    today: '2026-03-01',
    now: () => clock.now(),
  })
  let isLosing = false
  const fetch = inProcessFetch(async (request) => {
    const { method, url } = request
    requests.push(`${String((clock.now() - began) / 1_000)} ${method} ${new URL(url).pathname}`)
    const answer = await clock.during(service.handle(request))
    if (isLosing && method === 'POST') await new Promise(() => undefined)
    await clock.sleep(1_500)
    return answer
  })
  const running = value(
    makeCore(
      {
        userData: emptyFolder(atEnd),
        settings: { readSeconds: 60, writeSeconds: 180, graceSeconds: 5, recheckSeconds: 60 },
        beginsAt: began,
        factor: 1,
        saved: null,
      },
      { clock, random: seededRandom(1, clock), fetch },
    ),
  )
  atEnd(() => running.core.close())
  running.core.start()
  const person = new Person(callerOf(running))
  await clock.run(person.connect(ADDRESS, KEY))
  await clock.run(person.draftInsert('d1', 'Lost and found', '555-lost'))
  isLosing = true
  value(await clock.run(person.send(['d1'])))
  await clock.advance(60 * 60_000)
  expect(await person.operations()).toMatchObject([{ state: 'acked', confirmedByReading: true }])
  expect(running.defects).toEqual([])
  return requests
}

test('a lost response is settled after its deadline, the same way in each run', async ({
  onTestFinished,
}) => {
  const first = await runOnce(onTestFinished)
  const sent = first.findIndex((line) => line.includes(' POST '))
  const [sentAt, readBackAt] = [first[sent], first[sent + 1]].map((line) => Number.parseFloat(line ?? ''))
  // The deadline of 180 s and the settling pause of 5 s.
  expect(Number(readBackAt) - Number(sentAt)).toBe(185)
  expect(await runOnce(onTestFinished)).toEqual(first)
})

test('time stops while something is running', async () => {
  const clock = new VirtualClock()
  const real = Promise.withResolvers<undefined>()
  const order: string[] = []
  void clock.during(real.promise.then(() => order.push('worker')))
  clock.after(1_000, () => order.push('timer'))
  const turned = clock.advance(1_000)
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(order).toEqual([])
  real.resolve(undefined)
  await turned
  expect(order).toEqual(['worker', 'timer'])
})

test('waiting for something that no timer triggers is an error, not a hanging test', async () => {
  const clock = new VirtualClock()
  await expect(clock.run(new Promise(() => undefined))).rejects.toThrow('no timer')
})
