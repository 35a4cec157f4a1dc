/**
 * Provisioning, de-provisioning, and unfinished work of an earlier run if the connection's address has changed to
 * another service.
 */
import { describe, expect, test } from 'vitest'
import { value } from '../../result.ts'
import type { SampleServer } from '../../sample-server/server.ts'
import { CONNECTION_ID } from '../world/core-parts.ts'
import { type Person } from '../world/person.ts'
import { startVirtualWorld, type VirtualWorld } from '../world/virtual-world.ts'

/** Longer than several rechecks and a list of companies take, in milliseconds. */
const A_WHILE = 300_000

interface ServiceAddresses {
  readonly address: SampleServer
  readonly older?: SampleServer
}

async function connectTo(person: Person, { address, older }: ServiceAddresses): Promise<void> {
  const connectionId = CONNECTION_ID
  value(await person.call('connection.setKey', { connectionId, key: address.key }))
  if (older !== undefined) {
    value(await person.call('connection.setKey', { connectionId, key: older.key, service: 'v1' }))
  }
  const legacyAddress = older?.legacyUrl ?? ''
  const input = { connectionId, name: 'Moved', address: address.url, legacyAddress }
  value(await person.call('connection.connect', input))
}

function asked(server: SampleServer, part: RegExp): number {
  return server.counters().requests.filter(({ method, path }) => part.test(`${method} ${path}`)).length
}

/** The service provisions a company, which starts billing, and its response is lost. */
async function provisionInDoubt({ person, server, until }: VirtualWorld): Promise<string> {
  const known = value(await person.call('companies.list', { connectionId: CONNECTION_ID }))
  const userId = known.companies.find((each) => each.userId !== '')?.userId ?? ''
  const application =
    server.counters().state.files.find(({ isProvisioned }) => !isProvisioned)?.endpoint ?? 'qbd'
  server.addFaults({
    match: { method: 'POST', path: 'manage/company' },
    fault: { kind: 'drop', when: 'after' },
  })
  const input = { connectionId: CONNECTION_ID, application, userId, expectedFile: '', place: 'here' } as const
  const { provisioningId } = value(await person.call('companies.provision', input))
  await until(async () => (await stateOf(person, provisioningId)) === 'waiting')
  // The program must not learn of the new company before the address has changed.
  const list = { method: 'GET', path: 'manage/endpoint' }
  server.addFaults({ match: list, times: 0, fault: { kind: 'status', status: 500 } })
  return provisioningId
}

async function stateOf(person: Person, provisioningId: string): Promise<string> {
  const all = value(await person.call('companies.provisionings', { connectionId: CONNECTION_ID }))
  return all.find((each) => each.provisioningId === provisioningId)?.state ?? 'gone'
}

describe('the address changes while a request about a company is in doubt', () => {
  test('a setup isn’t searched for at the other service, says why, and is found once the previous address is back', async ({
    onTestFinished,
  }) => {
    const world = await startVirtualWorld(onTestFinished, { settings: { provisionSeconds: 60 } })
    const other = await world.startServer({ seed: 7 })
    const { person, server, clock, until } = world
    const provisioningId = await provisionInDoubt(world)
    await connectTo(person, { address: other })
    const before = other.counters().received
    const look = await person.call('companies.recheckProvisioning', { provisioningId })
    expect(look).toMatchObject({ ok: false, error: { kind: 'connection-changed' } })
    expect(look.ok ? '' : look.error.message).toContain(server.url)
    await clock.advance(A_WHILE)
    expect(other.counters().received).toBe(before)
    expect(await stateOf(person, provisioningId)).toBe('waiting')

    server.control({ clearFaults: true })
    await connectTo(person, { address: server })
    await until(async () => (await stateOf(person, provisioningId)) === 'arrived')
    expect(await stateOf(person, provisioningId)).toBe('arrived')
    expect(asked(server, /POST .*manage\/company/i)).toBe(1)
    expect(asked(other, /POST/)).toBe(0)
  })

  test('a de-provisioning at the older service is not confirmed by another older service', async ({
    onTestFinished,
  }) => {
    const { person, server, startServer, clock } = await startVirtualWorld(onTestFinished)
    const other = await startServer({ seed: 7 })
    await connectTo(person, { address: server, older: server })
    const { companies } = value(await person.call('companies.list', { connectionId: CONNECTION_ID }))
    const company = companies.find(({ isActive, listedBy }) => isActive && listedBy === 'v1')
    if (company === undefined) throw new Error('The older service lists no company of its own.')
    server.addFaults(
      { match: { method: 'PATCH', path: '/v1/manage/endpoint' }, fault: { kind: 'drop', when: 'after' } },
      { match: { method: 'GET', path: '/v1/' }, times: 0, fault: { kind: 'status', status: 500 } },
    )
    await person.call('companies.deprovision', { company: company.ref })
    const inDoubt = async (): Promise<string | undefined> => {
      const all = value(await person.call('companies.deprovisionings', { connectionId: CONNECTION_ID }))
      return all.find((each) => each.company.endpointId === company.ref.endpointId)?.state
    }
    expect(await inDoubt()).toBe('unknown')
    await connectTo(person, { address: server, older: other })
    const unfinished = value(await person.call('activity.unfinished', { connectionId: CONNECTION_ID }))
    expect(unfinished.map(({ kind }) => kind)).toContain('deprovisioning')
    await clock.advance(A_WHILE)
    expect(await inDoubt()).toBe('unknown')
    expect(asked(other, /PATCH/)).toBe(0)
  })
})

test('if the settings lead to another service at startup, uncertain changes are neither searched for nor sent there', async ({
  onTestFinished,
}) => {
  const world = await startVirtualWorld(onTestFinished)
  const other = await world.startServer()
  await world.person.draftInsert('d1', 'Elsewhere 1', '7-1')
  world.server.addFaults({
    match: { method: 'POST', path: '/customer' },
    fault: { kind: 'drop', when: 'after' },
  })
  value(await world.person.send(['d1']))
  await world.until(async () => (await world.person.operations()).some(({ state }) => state === 'unknown'))
  await world.running.core.close()

  const { running, person } = world.startAgain({ address: other.url, key: other.key })
  await person.openCompany()
  await world.clock.advance(A_WHILE)
  expect(asked(other, /customer/)).toBe(0)
  const [operation] = await person.operations()
  expect(operation).toMatchObject({ state: 'unknown', error: { kind: 'connection-changed' } })
  expect(running.defects).toEqual([])
})
