import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isDeprovisioned, judgeDataCall } from '../../electron/writing/deprovisioning-decisions.ts'
import { appError, err } from '../../shared/result.ts'
import { COMPANY, value, World } from './writing-world.ts'

const WHAT = { application: 'qbd', userId: 'u1', expectedFile: 'New.qbw' }

function provisioned(world: World) {
  const [provisioning] = value(world.writer.provisionings('c1'))
  if (!provisioning) throw new Error('Nothing was provisioned.')
  return provisioning
}

describe('provisioning', () => {
  test('takes the list, sends once, and arrives; the person keeps it', async () => {
    const world = new World()
    const queued = value(world.writer.provision('c1', WHAT))
    expect(queued.state).toBe('queued')
    await world.settle()
    expect(world.service.requests.map(({ method }) => method)).toEqual(['LIST', 'PROVISION'])
    expect(JSON.parse(world.service.requests[1]?.body ?? '')).toEqual({ userId: 'u1', endpoint: 'qbd' })
    expect(provisioned(world)).toMatchObject({
      state: 'arrived',
      wasThereBefore: false,
      company: { connectionId: 'c1', endpointId: 'E1' },
    })
    expect(value(world.writer.decideProvisioning(queued.provisioningId, 'keep')).state).toBe('kept')
  })

  test('a lost answer is found in the list at once, and never sent again', async () => {
    const world = new World()
    world.service.fault = (method) => (method === 'PROVISION' ? 'dropped-after' : 'none')
    value(world.writer.provision('c1', WHAT))
    await world.settle()
    expect(provisioned(world)).toMatchObject({ state: 'arrived', company: { endpointId: 'E1' } })
    expect(world.service.requests.filter(({ method }) => method === 'PROVISION')).toHaveLength(1)
  })

  test('one that arrives late is found at 2, 10 or 60 minutes; not listed yet is never failed', async () => {
    const world = new World()
    world.service.fault = (method) => (method === 'PROVISION' ? 'dropped-before' : 'none')
    const { provisioningId } = value(world.writer.provision('c1', WHAT))
    await world.settle(11 * 60_000)
    expect(provisioned(world)).toMatchObject({ state: 'waiting' })
    value(world.writer.stopWaiting(provisioningId))
    world.service.companies.list.push({ endpointId: 'E9', endpoint: 'qbd', userId: 'u1', isActive: 'true' })
    await world.settle(50 * 60_000)
    expect(provisioned(world)).toMatchObject({ state: 'arrived', stoppedWaiting: true })
    expect(world.service.requests.filter(({ method }) => method === 'LIST')).toHaveLength(5)
  })

  test('after a crash in the middle it is looked for at the start, and not sent again', async () => {
    let world = new World()
    const { service } = world
    service.fault = (method) => {
      if (method === 'PROVISION') throw new Error('killed')
      return 'none'
    }
    value(world.writer.provision('c1', WHAT))
    await world.flush()
    service.fault = () => 'none'
    service.companies.list.push({ endpointId: 'E9', endpoint: 'qbd', userId: 'u1', isActive: 'true' })
    world = world.restart()
    await world.settle()
    expect(provisioned(world)).toMatchObject({ state: 'arrived', company: { endpointId: 'E9' } })
    expect(service.requests.some(({ method }) => method === 'PROVISION')).toBe(false)
  })

  test('a company that was in the list before is already there', async () => {
    const world = new World()
    const there = { endpointId: 'E1', endpoint: 'qbd', userId: 'u1', isActive: 'true' }
    world.service.companies.list.push(there)
    // The service answers the company that it has instead of a second one.
    const ask = world.service.ask.bind(world.service)
    world.service.ask = (method, object, body, work) =>
      ask(method, object, body, method === 'PROVISION' ? () => ({ items: [{ Object: there }] }) : work)
    value(world.writer.provision('c1', WHAT))
    await world.settle()
    expect(provisioned(world)).toMatchObject({ state: 'arrived', wasThereBefore: true })
  })

  test('the token is in no file', async () => {
    const world = new World()
    value(world.writer.provision('c1', WHAT))
    await world.settle()
    for (const name of readdirSync(world.folder)) {
      expect(readFileSync(join(world.folder, name)).includes('token-canary-4711'), name).toBe(false)
    }
  })
})

describe('creating a user', () => {
  test('answers the user id', async () => {
    const world = new World()
    const created = world.writer.createUser('c1')
    await world.flush()
    expect(await created).toEqual({ ok: true, value: { userId: 'user-77' } })
    expect(world.service.requests[0]?.body).toBe('{}')
  })

  test('a lost one is held at once, since nobody can look it up', async () => {
    const world = new World()
    world.service.fault = () => 'dropped-after'
    const created = world.writer.createUser('c1')
    await world.settle()
    expect((await created).ok).toBe(false)
    expect(value(world.writer.userCreations('c1'))).toMatchObject([{ state: 'held' }])
    expect(world.service.requests).toHaveLength(1)
  })
})

describe('de-provisioning', () => {
  test('gathers the three confirmations', async () => {
    const world = new World()
    world.putCompany()
    world.service.companies.list.push({ endpointId: 'e1', endpoint: 'qbd', isActive: 'true', token: 't' })
    const done = world.writer.deprovision(COMPANY)
    await world.settle()
    expect(value(await done)).toMatchObject({
      isDeprovisioned: true,
      confirmations: [
        { what: 'answer', result: 'confirmed' },
        { what: 'inactive-list', result: 'confirmed' },
        { what: 'data-call', result: 'unclear' },
      ],
    })
    expect(JSON.parse(world.service.requests[0]?.body ?? '')).toEqual({ endpointId: 'e1', isActive: 'false' })
  })

  test('a lost answer is decided by the inactive list', async () => {
    const world = new World()
    world.putCompany()
    world.service.companies.list.push({ endpointId: 'e1', endpoint: 'qbd', isActive: 'true' })
    world.service.fault = (method) => (method === 'DEPROVISION' ? 'dropped-before' : 'none')
    const denied = world.writer.deprovision(COMPANY)
    await world.settle()
    expect(value(await denied)).toMatchObject({
      isDeprovisioned: false,
      confirmations: [{ result: 'unclear' }, { result: 'denied' }, {}],
    })
    world.service.fault = (method) => (method === 'DEPROVISION' ? 'dropped-after' : 'none')
    const done = world.writer.deprovision(COMPANY)
    await world.settle()
    expect(value(await done).isDeprovisioned).toBe(true)
  })

  test('a data call confirms by words that speak of the company, and nothing else does', () => {
    expect(judgeDataCall(err(appError('timed-out', 'No answer.'))).result).toBe('unclear')
    const refusal = appError('service-error', 'Refused.', '', { raw: 'The company is inactive' })
    expect(judgeDataCall(err(refusal)).result).toBe('confirmed')
    expect(isDeprovisioned([])).toBe(false)
  })
})
