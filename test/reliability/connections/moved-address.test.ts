/**
 * A connection's address changes: nothing is sent to the new service automatically, the new service's data isn't
 * mistaken for the old one's, and nothing is lost.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { value } from '../../result.ts'
import type { SampleServer } from '../../sample-server/server.ts'
import { CONNECTION_ID } from '../world/core-parts.ts'
import { type Person } from '../world/person.ts'
import { startVirtualWorld, type VirtualWorld } from '../world/virtual-world.ts'
import { emptyFolder } from '../world/world.ts'

async function connectTo(person: Person, server: SampleServer, isSameService = false): Promise<void> {
  value(await person.call('connection.setKey', { connectionId: CONNECTION_ID, key: server.key }))
  const address = server.url
  const input = { connectionId: CONNECTION_ID, name: 'Moved', address, isSameService }
  value(await person.call('connection.connect', input))
}

function writes(server: SampleServer): readonly string[] {
  return server
    .counters()
    .requests.filter(({ method }) => method !== 'GET')
    .map(({ body }) => body)
}

async function states(person: Person): Promise<Record<string, string>> {
  return Object.fromEntries(
    (await person.operations()).map(({ draftId, state }) => [draftId, state] as const),
  )
}

/** d1 was saved at the first service, but its response was lost. d2 and d3 wait for it. */
async function inDoubt({ person, server, until }: VirtualWorld): Promise<string> {
  for (const number of [1, 2, 3]) await person.draftInsert(`d${number}`, `Moved ${number}`, `7-${number}`)
  value(await person.call('records.support', { company: person.company, object: 'customer' }))
  server.addFaults({ match: { method: 'POST', path: '/customer' }, fault: { kind: 'drop', when: 'after' } })
  const { batchId } = value(await person.send(['d1', 'd2', 'd3']))
  await until(async () => (await states(person))['d1'] === 'unknown')
  return batchId
}

test('queued changes stop, and uncertain ones are found again once the previous address is back', async ({
  onTestFinished,
}) => {
  const world = await startVirtualWorld(onTestFinished)
  const other = await world.startServer({ key: 'sample-of-another-service' })
  const { person, server } = world
  const batchId = await inDoubt(world)
  await connectTo(person, other)
  await person.settle()
  expect(await states(person)).toEqual({ d1: 'unknown', d2: 'queued', d3: 'queued' })
  const [batch] = await person.batches()
  expect(batch).toMatchObject({ phase: 'stopped', unsent: 2, error: { kind: 'connection-changed' } })
  const [d1] = (await person.operations()).filter(({ draftId }) => draftId === 'd1')
  expect(d1?.error?.message).toContain(server.url)
  // If the user checks anyway, it says why it can't, and sends nothing to the other service.
  const before = other.counters().received
  const { company } = person
  const operationIds = [d1?.operationId ?? '']
  expect(await person.call('records.checkNow', { company, operationIds })).toMatchObject({
    ok: false,
    error: { kind: 'connection-changed' },
  })
  expect(other.counters().received).toBe(before)
  expect(writes(other)).toEqual([])

  await connectTo(person, server)
  await person.settle()
  expect(await states(person)).toEqual({ d1: 'acked', d2: 'queued', d3: 'queued' })
  expect(writes(server)).toHaveLength(1)
  value(await person.call('records.resumeBatch', { batchId }))
  await person.settle()
  expect(await states(person)).toEqual({ d1: 'acked', d2: 'acked', d3: 'acked' })
  expect(world.running.defects).toEqual([])
})

test('if it is the same service, uncertain changes are searched for there', async ({ onTestFinished }) => {
  const world = await startVirtualWorld(onTestFinished)
  const other = await world.startServer({ key: 'sample-of-another-service' })
  await inDoubt(world)
  await connectTo(world.person, other, true)
  await world.person.settle()
  // After two rechecks without a match, the user decides.
  expect(await states(world.person)).toMatchObject({ d1: 'held' })
})

test('what was learned about one service doesn’t count for the other, whose first change goes alone', async ({
  onTestFinished,
}) => {
  const { person, startServer } = await startVirtualWorld(onTestFinished)
  const other = await startServer()
  const change = async (ids: readonly string[]): Promise<void> => {
    const records = await person.records()
    for (const [index, draftId] of ids.entries()) {
      const record = records[index]
      if (record !== undefined) await person.draftChange(draftId, record, `1-${draftId}`)
    }
    value(await person.send(ids))
    await person.settle()
  }
  await change(['a1'])
  await change(['a2', 'a3', 'a4'])
  await connectTo(person, other)
  const asked = (): number => other.counters().requests.filter(({ path }) => path.includes('/meta/')).length
  expect(asked()).toBe(0)
  await change(['b1', 'b2', 'b3', 'b4'])
  expect(asked()).toBe(1)
  const [first] = writes(other).map((body): unknown => JSON.parse(body))
  expect(Array.isArray(first)).toBe(false)
})

test('an uncertain de-provisioning is not confirmed by another service’s list', async ({
  onTestFinished,
}) => {
  const { person, server, startServer, clock } = await startVirtualWorld(onTestFinished)
  const other = await startServer()
  const { company } = person
  const isListed = { method: 'GET', query: 'isactive=false' } as const
  server.addFaults(
    { match: { method: 'PATCH', path: 'manage/endpoint' }, fault: { kind: 'drop', when: 'before' } },
    { match: isListed, times: 0, fault: { kind: 'status', status: 500 } },
  )
  await person.call('companies.deprovision', { company })
  const before = other.counters().received
  await connectTo(person, other)
  await clock.advance(30_000)
  const { requests } = other.counters()
  expect(requests.slice(before).some(({ path }) => path.includes('isActive=false'))).toBe(false)
  const unfinished = value(await person.call('activity.unfinished', { connectionId: CONNECTION_ID }))
  expect(unfinished.map(({ kind }) => kind)).toContain('deprovisioning')
})

test('removing a connection leaves no trace of its records in the file or in the log beside it', async ({
  onTestFinished,
}) => {
  const folder = emptyFolder(onTestFinished)
  const { person } = await startVirtualWorld(onTestFinished, { folder })
  await person.draftInsert('d1', 'Canary Sent', '5-3')
  value(await person.send(['d1']))
  await person.settle()
  await person.draftInsert('d2', 'Canary Draft', '5-4')
  const bytes = (): string =>
    ['', '-wal']
      .map((suffix) => join(folder, `bookbridge.sqlite${suffix}`))
      .filter((path) => existsSync(path))
      .map((path) => readFileSync(path, 'latin1'))
      .join('')
  expect(bytes()).toContain('Canary')
  value(await person.call('connection.remove', { connectionId: CONNECTION_ID }))
  // While the program keeps running.
  expect(bytes()).not.toContain('Canary')
})
