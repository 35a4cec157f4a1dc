/** The wall clock of the program's process is set back or forward a day while a request is running. */
import { describe, expect, test, type TestContext } from 'vitest'
import { value } from '../../result.ts'
import type { Fault } from '../../sample-server/faults.ts'
import type { SampleServer } from '../../sample-server/server.ts'
import { KillableCore } from '../kills/killable.ts'
import { Ledger, NO_VIOLATIONS } from '../world/ledger.ts'
import { pause, Person } from '../world/person.ts'
import { settableWallClock, type WallClock, wallClockLibrary } from '../world/wall-clock.ts'
import { emptyFolder, FACTOR, QUICK_SETTINGS, startServer } from '../world/world.ts'

/** In seconds of the computer's clock. The program's runs `FACTOR` times as fast. */
const DAY = 86_400 / FACTOR
const JUMPS = [
  ['set back a day', -DAY],
  ['set forward a day', DAY],
] as const

interface Clocked {
  readonly clock: WallClock
  readonly core: KillableCore
  readonly person: Person
  readonly ledger: Ledger
  readonly server: SampleServer
}

/** Connected, with a company open that has responded. Skipped if the computer has no such clock. */
async function clocked({ skip, onTestFinished }: TestContext): Promise<Clocked> {
  const library = wallClockLibrary() ?? skip('this machine lacks libfaketime')
  const server = await startServer(onTestFinished)
  const clock = settableWallClock(library, emptyFolder(onTestFinished))
  const plan = {
    userData: emptyFolder(onTestFinished),
    settings: { ...QUICK_SETTINGS, writeSeconds: 60, readSeconds: 60 },
    beginsAt: Date.now(),
    factor: FACTOR,
    saved: null,
  }
  const core = value(await KillableCore.begin(plan, { env: clock.env }))
  onTestFinished(() => core.kill())
  await core.start()
  const person = new Person(core.call)
  await person.connect(server.url, server.key)
  value(await person.call('companies.test', { company: person.company }))
  const ledger = new Ledger(server)
  ledger.countRequests()
  return { clock, core, person, ledger, server }
}

function came({ server }: Clocked, isIt: (method: string) => boolean): number {
  return server.counters().requests.filter(({ method }) => isIt(method)).length
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 2_000 && !isSo(); tries += 1) await pause(2)
}

async function expectNoViolations({ server, ledger, person, core }: Clocked): Promise<void> {
  server.control({ clearFaults: true })
  const { violations, findings } = await ledger.compare(person)
  expect({ violations, findings }).toEqual({ violations: NO_VIOLATIONS, findings: [] })
  expect(await core.defects()).toEqual([])
}

describe.each(JUMPS)('the clock is %s', (_, seconds) => {
  test.for<[string, Fault]>([
    ['is answered later', { kind: 'slow', milliseconds: 200, when: 'after' }],
    ['is never answered', { kind: 'hang', when: 'after' }],
  ])(
    'while a write that %s is being sent: it is in the books once, and known to be',
    async ([, fault], context) => {
      const world = await clocked(context)
      const { clock, ledger, person, server } = world
      const draftIds = [
        await ledger.insert(person, 'd1', 'Clocked, 1', '555-1'),
        await ledger.insert(person, 'd2', 'Clocked, 2', '555-2'),
      ]
      server.addFaults({ match: { method: 'POST', path: '/customer' }, fault })
      ledger.allowSend(draftIds)
      value(await person.send(draftIds))
      await until(() => came(world, (method) => method === 'POST') === 1)
      clock.setAhead(seconds)
      await person.settle()
      // The second one doesn't wait for a clock: it is sent once the first one is settled.
      expect((await person.operations()).map(({ state }) => state)).toEqual(['acked', 'acked'])
      expect(came(world, (method) => method === 'POST')).toBe(2)
      await expectNoViolations(world)
    },
  )

  test('while a list is being read: complete in the end, one request at a time', async (context) => {
    const world = await clocked(context)
    const { clock, person, server } = world
    server.addFaults({ match: { method: 'GET', path: '/customer' }, fault: { kind: 'hang', when: 'before' } })
    const reading = person.read()
    await until(() => came(world, (method) => method === 'GET') > 0)
    clock.setAhead(seconds)
    expect(await reading).toMatchObject({ ok: true, value: { count: 30, isWhole: true } })
    expect(server.counters()).toMatchObject({ mostAtOnce: 1, refused: 0 })
    await expectNoViolations(world)
  })
})
