/** One request at a time per key, whatever the address, and across all programs of this user. */
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type TestContext } from 'vitest'
import { value } from '../../result.ts'
import type { SampleServer } from '../../sample-server/server.ts'
import { KillableCore } from '../kills/killable.ts'
import type { CorePlan } from '../world/core-parts.ts'
import { CONNECTION_ID, makeCore, savedConnection } from '../world/core-parts.ts'
import { Ledger } from '../world/ledger.ts'
import { Person } from '../world/person.ts'
import { callerOf, emptyFolder, FACTOR, QUICK_SETTINGS, startServer } from '../world/world.ts'

const SLOW = { kind: 'slow', milliseconds: 300, when: 'before' } as const

/** Starts a program with its own user-data folder on a computer where other instances run. */
async function startProgram(
  { onTestFinished }: TestContext,
  server: SampleServer,
  plan: Pick<CorePlan, 'queueFolder' | 'beginsAt'> & { readonly userData?: string },
): Promise<{ readonly core: KillableCore; readonly person: Person }> {
  const core = value(
    await KillableCore.begin({
      userData: emptyFolder(onTestFinished),
      ...plan,
      settings: { ...QUICK_SETTINGS, writeSeconds: 300 },
      factor: FACTOR,
      saved: null,
    }),
  )
  onTestFinished(() => core.kill())
  await core.start()
  const person = new Person(core.call)
  await person.connect(server.url, server.key)
  return { core, person }
}

test('two names of one host share one queue', async ({ onTestFinished }) => {
  const server = await startServer(onTestFinished)
  const plan: CorePlan = {
    userData: emptyFolder(onTestFinished),
    settings: QUICK_SETTINGS,
    beginsAt: Date.now(),
    factor: FACTOR,
    saved: { address: server.url, key: server.key },
  }
  const running = value(makeCore(plan))
  onTestFinished(() => running.core.close())
  const other = server.url.replace('127.0.0.1', 'localhost')
  expect(other).not.toBe(server.url)
  const connections = [
    savedConnection(server.url),
    { ...savedConnection(other), connectionId: 'other', name: 'Other' },
  ]
  value(running.settings.setConnections(connections, CONNECTION_ID))
  running.core.start()
  server.addFaults({ match: { method: 'GET' }, times: 0, fault: SLOW })
  const call = callerOf(running)
  const listed = await Promise.all(
    [CONNECTION_ID, 'other'].map((connectionId) => call('companies.refresh', { connectionId })),
  )
  expect(listed.map(({ ok }) => ok)).toEqual([true, true])
  expect(server.counters()).toMatchObject({ mostAtOnce: 1, refused: 0 })
})

test('a second program with the same key waits, and says for whom', async (context) => {
  const server = await startServer(context.onTestFinished)
  const plan = { queueFolder: emptyFolder(context.onTestFinished), beginsAt: Date.now() }
  const first = await startProgram(context, server, plan)
  const second = await startProgram(context, server, plan)
  server.addFaults({ match: { method: 'GET' }, times: 0, fault: SLOW })
  const arrived = server.counters().requests.length
  const connectionId = CONNECTION_ID
  const one = first.core.call('companies.refresh', { connectionId })
  await expect.poll(() => server.counters().requests.length).toBeGreaterThan(arrived)
  const two = second.core.call('companies.refresh', { connectionId })
  await expect
    .poll(async () => value(await second.core.call('activity.queues', {}))[0]?.blockedBy?.reason)
    .toBe('elsewhere')
  expect(await one).toMatchObject({ ok: true })
  expect(await two).toMatchObject({ ok: true })
  expect(server.counters()).toMatchObject({ mostAtOnce: 1, refused: 0 })
})

test('a request that a killed program left running keeps the queue blocked for the other program', async (context) => {
  const server = await startServer(context.onTestFinished)
  const plan = { queueFolder: emptyFolder(context.onTestFinished), beginsAt: Date.now() }
  const first = await startProgram(context, server, plan)
  const second = await startProgram(context, server, plan)
  const ledger = new Ledger(server)
  const draftId = await ledger.insert(first.person, 'd1', 'Killed', '555-killed')
  server.addFaults({
    match: { method: 'POST', path: '/customer' },
    fault: { kind: 'hang', when: 'before', workMs: 500 },
  })
  value(await first.person.send([draftId]))
  await expect.poll(() => server.counters().requests.some(({ method }) => method === 'POST')).toBe(true)
  await first.core.kill()
  const listed = second.core.call('companies.refresh', { connectionId: CONNECTION_ID })
  await expect
    .poll(async () => value(await second.core.call('activity.queues', {}))[0]?.blockedBy?.reason)
    .toBe('at-work')
  expect(await listed).toMatchObject({ ok: true })
  expect(server.counters()).toMatchObject({ mostAtOnce: 1, refused: 0 })
})

test('a program whose folder is moved stops sending and says so, and no other one starts on it', async (context) => {
  const server = await startServer(context.onTestFinished)
  const parent = emptyFolder(context.onTestFinished)
  const [before, after] = [join(parent, 'before'), join(parent, 'after')]
  mkdirSync(before)
  const plan = { queueFolder: emptyFolder(context.onTestFinished), beginsAt: Date.now() }
  const { core } = await startProgram(context, server, { ...plan, userData: before })
  const connectionId = CONNECTION_ID
  const arrived = server.counters().requests.length
  renameSync(before, after)
  expect(await core.call('companies.refresh', { connectionId })).toMatchObject({
    ok: false,
    error: { kind: 'store', message: expect.stringContaining('was moved or renamed') as string },
  })
  expect(server.counters().requests).toHaveLength(arrived)
  const saved = { address: server.url, key: server.key }
  const other = await KillableCore.begin({ ...plan, userData: after, settings: {}, factor: FACTOR, saved })
  if (other.ok) await other.value.kill()
  expect(other).toMatchObject({ ok: false, error: { kind: 'store' } })
  // Once the folder is moved back, it continues.
  renameSync(after, before)
  expect(await core.call('companies.refresh', { connectionId })).toMatchObject({ ok: true })
})
