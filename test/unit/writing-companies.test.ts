/** Provisioning, creating users and de-provisioning by the protocol: sent once, settled by looking, proved. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  isDeprovisioned,
  judgeAnswer,
  judgeDataCall,
  judgeInactiveList,
} from '../../electron/writing/companies/confirmations.ts'
import { nextRecheck } from '../../electron/writing/companies/watch.ts'
import { appError, err, ok } from '../../shared/result.ts'
import { record } from './company-records.ts'
import { COMPANY, value, World } from './writing-world.ts'
import { StoreError } from '../../electron/store/database.ts'

const WHAT = { application: 'qbd', userId: 'u1', expectedFile: 'New.qbw', place: 'here' } as const

function provisioned(world: World) {
  const [provisioning] = world.writer.provisionings('c1')
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
      before: 'not-there',
      company: { connectionId: 'c1', endpointId: 'E1' },
    })
    expect(value(world.writer.decideProvisioning(queued.provisioningId, 'keep')).state).toBe('kept')
  })

  test.each([
    [404, 'refused'],
    [405, 'refused'],
    // An agent's own refusal may come under these, after it was asked.
    [400, 'waiting'],
    [502, 'waiting'],
  ])('an answer without an envelope under HTTP %i: %s', async (status, state) => {
    const world = new World()
    const ask = world.service.ask.bind(world.service)
    world.service.ask = (method, object, body, work) =>
      method === 'PROVISION'
        ? Promise.resolve({
            outcome: 'in-doubt',
            error: appError('malformed-response', 'A page.', 'Wait.', { status, raw: '<html>' }),
          })
        : ask(method, object, body, work)
    value(world.writer.provision('c1', WHAT))
    await world.settle()
    const { error, ...provisioning } = provisioned(world)
    expect(provisioning).toMatchObject({ state })
    expect(error?.details.status).toBe(status)
    if (state === 'refused') expect(error?.message).toContain(`(HTTP ${String(status)})`)
    expect(provisioning.nextLookAt === null).toBe(state === 'refused')
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
    world.writer.stopWaiting(provisioningId)
    world.service.companies.list.push({ endpointId: 'E9', endpoint: 'qbd', userId: 'u1', isActive: 'true' })
    await world.settle(50 * 60_000)
    expect(provisioned(world)).toMatchObject({ state: 'arrived', stoppedWaiting: true })
    expect(world.service.requests.filter(({ method }) => method === 'LIST')).toHaveLength(5)
  })

  test('after a crash in the middle it is searched for at the start, and not sent again', async () => {
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
    expect(provisioned(world)).toMatchObject({ state: 'arrived', before: 'active' })
  })

  test('an answer that writes the id otherwise than the list did names the company that is known', async () => {
    const world = new World()
    const there = { endpointId: 'EP-1', endpoint: 'qbd', userId: 'u1', isActive: 'true' }
    world.service.companies.list.push(there)
    const ask = world.service.ask.bind(world.service)
    const answered = { items: [{ Object: { ...there, endpointId: 'ep-1' } }] }
    world.service.ask = (method, object, body, work) =>
      ask(method, object, body, method === 'PROVISION' ? () => answered : work)
    value(world.writer.provision('c1', WHAT))
    await world.settle()
    expect(provisioned(world).company?.endpointId).toBe('EP-1')
  })

  test('a second try looks first: what the first one brought meanwhile is kept, and nothing is sent again', async () => {
    const world = new World()
    world.service.fault = (method) => (method === 'PROVISION' ? 'dropped-before' : 'none')
    const first = value(world.writer.provision('c1', WHAT))
    await world.flush()
    world.service.companies.list.push({ endpointId: 'E9', endpoint: 'qbd', userId: 'u1', isActive: 'true' })
    value(world.writer.provision('c1', { ...WHAT, again: first.provisioningId }))
    await world.flush()
    expect(world.writer.provisionings('c1').map(({ state }) => state)).toEqual(['dropped', 'arrived'])
    expect(world.service.requests.filter(({ method }) => method === 'PROVISION')).toHaveLength(1)
  })

  test('the first try is watched beside the second, and given up after the last recheck', async () => {
    const world = new World()
    world.service.fault = (method) => (method === 'PROVISION' ? 'dropped-before' : 'none')
    const first = value(world.writer.provision('c1', WHAT))
    await world.flush()
    world.service.fault = () => 'none'
    value(world.writer.provision('c1', { ...WHAT, again: first.provisioningId }))
    await world.settle(5 * 60_000)
    expect(world.writer.provisionings('c1').map(({ state }) => state)).toEqual(['arrived', 'waiting'])
    await world.settle(60 * 60_000)
    expect(world.writer.provisionings('c1').map(({ state }) => state)).toEqual(['arrived', 'dropped'])
  })

  test('what was queued when the program ended says that nothing was sent, and waits for the person', async () => {
    let world = new World()
    value(world.writer.provision('c1', WHAT))
    world = world.restart()
    await world.settle()
    expect(provisioned(world)).toMatchObject({ state: 'refused', sentAt: null })
    expect(world.service.requests.some(({ method }) => method === 'PROVISION')).toBe(false)
  })

  test('a recheck by the person does not take the place of one that is due', () => {
    const [since, minute] = [1_000, 60_000]
    expect(nextRecheck(since, null)).toBe(since)
    expect(nextRecheck(since, since + minute)).toBe(since + 2 * minute)
    expect(nextRecheck(since, since + 10 * minute)).toBe(since + 60 * minute)
    expect(nextRecheck(since, since + 60 * minute)).toBeNull()
  })

  test('a list whose records name no user still tells, but one that names another user does not', async () => {
    const world = new World()
    world.service.fault = (method) => (method === 'PROVISION' ? 'dropped-before' : 'none')
    value(world.writer.provision('c1', WHAT))
    await world.flush()
    world.service.companies.list.push({ endpointId: 'E7', endpoint: 'qbd', userId: 'u2', isActive: 'true' })
    await world.settle(3 * 60_000)
    expect(provisioned(world).state).toBe('waiting')
    world.service.companies.list.push({ endpointId: 'E9', endpoint: 'qbd', isActive: 'true' })
    await world.settle(10 * 60_000)
    expect(provisioned(world)).toMatchObject({ state: 'arrived', company: { endpointId: 'E9' } })
  })

  test('an inactive record that is given back active is found, however the list writes its user, and is billed again', async () => {
    const world = new World()
    const former = { endpointId: 'E9', endpoint: 'QBD', userId: 'U1', isActive: 'false' }
    world.service.companies.list.push(former)
    world.service.fault = (method) => (method === 'PROVISION' ? 'dropped-before' : 'none')
    value(world.writer.provision('c1', WHAT))
    await world.flush()
    former.isActive = 'true'
    await world.settle(3 * 60_000)
    expect(provisioned(world)).toMatchObject({ state: 'arrived', before: 'inactive' })
  })

  test('an answer that gives an inactive record back says that it was inactive', async () => {
    const world = new World()
    const former = { endpointId: 'E9', endpoint: 'qbd', userId: 'u1', isActive: 'false' }
    world.service.companies.list.push(former)
    const ask = world.service.ask.bind(world.service)
    const back = () => ({ items: [{ Object: { ...former, endpointId: 'e9', isActive: 'true' } }] })
    world.service.ask = (method, object, body, work) =>
      ask(method, object, body, method === 'PROVISION' ? back : work)
    value(world.writer.provision('c1', WHAT))
    await world.settle()
    expect(provisioned(world)).toMatchObject({ state: 'arrived', before: 'inactive' })
  })

  test('before it is sent again the person looks at what is active since, and then it is sent once', async () => {
    const world = new World()
    world.service.fault = (method) => (method === 'PROVISION' ? 'dropped-before' : 'none')
    const first = value(world.writer.provision('c1', WHAT))
    await world.flush()
    world.service.fault = () => 'none'
    // Of another user, so nothing says that it is the one.
    const unsure = {
      endpointId: 'E9',
      endpoint: 'qbd',
      userId: 'other',
      companyName: 'Late',
      isActive: 'true',
    }
    world.service.companies.list.push(unsure)
    const second = value(world.writer.provision('c1', { ...WHAT, again: first.provisioningId }))
    await world.flush()
    expect(provisioned(world)).toMatchObject({ state: 'refused', sentAt: null })
    expect(provisioned(world).error?.message).toContain('“Late”')
    const sent = () => world.service.requests.filter(({ method }) => method === 'PROVISION').length
    expect(sent()).toBe(1)
    value(world.writer.provision('c1', { ...WHAT, again: second.provisioningId }))
    await world.flush()
    expect(sent()).toBe(2)
    expect(provisioned(world)).toMatchObject({ state: 'arrived', before: 'not-there' })
  })

  test('a second try that was not sent leaves the first one searched for, also by the third', async () => {
    const world = new World()
    world.service.fault = (method) => (method === 'PROVISION' ? 'dropped-before' : 'none')
    const first = value(world.writer.provision('c1', WHAT))
    await world.flush()
    world.service.fault = (method) => (method === 'LIST' ? 'dropped-before' : 'none')
    const second = value(world.writer.provision('c1', { ...WHAT, again: first.provisioningId }))
    await world.flush()
    expect(provisioned(world)).toMatchObject({ state: 'refused', sentAt: null })
    world.service.fault = () => 'none'
    world.service.companies.list.push({ endpointId: 'E9', endpoint: 'qbd', userId: 'u1', isActive: 'true' })
    value(world.writer.provision('c1', { ...WHAT, again: second.provisioningId }))
    await world.flush()
    const states = world.writer.provisionings('c1').map(({ state }) => state)
    expect(states).toEqual(['dropped', 'dropped', 'arrived'])
    expect(world.service.requests.filter(({ method }) => method === 'PROVISION')).toHaveLength(1)
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

  test('goes over the older service where both list it and the person wants that; its data is asked for too', async () => {
    const world = new World()
    world.putCompany({ listedBy: 'both' })
    world.service.companies.list.push({ endpointId: 'e1', endpoint: 'qbd', isActive: 'true' })
    const done = world.writer.deprovision(COMPANY, 'v1')
    await world.settle()
    const { isDeprovisioned, confirmations } = value(await done)
    expect(isDeprovisioned).toBe(true)
    expect(confirmations.map(({ what }) => what)).toEqual(['answer', 'inactive-list', 'data-call'])
    expect(world.service.requests.map(({ method }) => method)).toContain('LEGACY-DEPROVISION')
    expect(world.service.requests.map(({ method }) => method)).not.toContain('DEPROVISION')
  })

  test('names the company as the service lists it, in whatever spelling it is kept here', async () => {
    const world = new World()
    world.putCompany()
    const known = world.store.companies.get(COMPANY)
    if (!known) throw new Error('The company is not known.')
    world.store.companies.put({ ...known, listedAs: 'E1' })
    world.service.companies.list.push({ endpointId: 'E1', endpoint: 'qbd', isActive: 'true' })
    const done = world.writer.deprovision(COMPANY)
    await world.settle()
    expect(value(await done).isDeprovisioned).toBe(true)
    expect(JSON.parse(world.service.requests[0]?.body ?? '')).toMatchObject({ endpointId: 'E1' })
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

  test('a service that does it after its answer was lost is found by a later recheck', async () => {
    const world = new World()
    world.putCompany()
    const company = { endpointId: 'e1', endpoint: 'qbd', isActive: 'true' }
    world.service.companies.list.push(company)
    world.service.fault = (method) => (method === 'DEPROVISION' ? 'dropped-before' : 'none')
    const sent = world.writer.deprovision(COMPANY)
    await world.flush()
    expect(value(await sent).isDeprovisioned).toBe(false)
    expect(world.writer.deprovisionings('c1')).toMatchObject([{ state: 'unknown' }])
    company.isActive = 'false'
    await world.settle(3 * 60_000)
    expect(world.writer.deprovisionings('c1')).toMatchObject([{ state: 'done' }])
    expect(world.service.requests.filter(({ method }) => method === 'DEPROVISION')).toHaveLength(1)
  })

  /** The inactive list leaves the company out, as one does that lags behind. */
  const lagging = (world: World): void => {
    const ask = world.service.ask.bind(world.service)
    world.service.ask = (method, object, body, work) =>
      ask(method, object, body, method === 'LIST' ? () => ({ items: [] }) : work)
  }

  test('a confirming answer with a list that lags behind is searched for again, by itself and at once', async () => {
    const world = new World()
    world.putCompany()
    world.service.companies.list.push({ endpointId: 'e1', endpoint: 'qbd', isActive: 'true' })
    const { ask } = world.service
    lagging(world)
    const sent = world.writer.deprovision(COMPANY)
    await world.flush()
    const { deprovisioningId, confirmations } = value(await sent)
    expect(confirmations).toMatchObject([{ result: 'confirmed' }, { result: 'denied' }, {}])
    expect(world.writer.deprovisionings('c1')).toMatchObject([{ state: 'unknown' }])
    expect(world.store.unfinished.list('c1')).toMatchObject([{ kind: 'deprovisioning', count: 1 }])
    expect(world.writer.unfinishedCounts('c1').get('e1')).toMatchObject({ notConfirmed: 1 })
    world.service.ask = ask.bind(world.service)
    const looked = world.writer.recheckDeprovisioning(deprovisioningId)
    await world.flush()
    expect(value(await looked)).toMatchObject({
      state: 'done',
      confirmations: [
        { what: 'answer' },
        { what: 'inactive-list', result: 'confirmed' },
        { what: 'data-call' },
      ],
    })
    expect(world.store.unfinished.list('c1')).toEqual([])
  })

  test('any list that calls the company inactive proves it, however it writes the id', async () => {
    const world = new World()
    world.putCompany()
    world.service.companies.list.push({ endpointId: 'e1', endpoint: 'qbd', isActive: 'true' })
    lagging(world)
    const sent = world.writer.deprovision(COMPANY)
    await world.flush()
    value(await sent)
    const list = { companies: [record('E1', { isActive: false })], requestId: 'r-9' }
    world.writer.deprovisionedByList('c1', 'v1', list)
    expect(world.writer.deprovisionings('c1')).toMatchObject([{ state: 'unknown' }])
    world.writer.deprovisionedByList('c1', 'v2', list)
    expect(world.writer.deprovisionings('c1')).toMatchObject([
      { state: 'done', confirmations: [{}, { result: 'confirmed', requestId: 'r-9' }, {}] },
    ])
    await world.settle(3 * 60_000)
    expect(world.writer.deprovisionings('c1')).toMatchObject([{ state: 'done' }])
  })

  test('a connection is not removed while one is being sent', async () => {
    const world = new World()
    world.putCompany()
    world.service.fault = (method) => {
      if (method === 'DEPROVISION') throw new Error('killed')
      return 'none'
    }
    void world.writer.deprovision(COMPANY).catch(() => undefined)
    await world.flush()
    await expect(world.store.companies.removeConnection('c1')).rejects.toThrow(StoreError)
  })

  test('a record that does not say whether it is active is no witness', () => {
    const silent = record('E1', { saysActive: false })
    expect(judgeAnswer([silent], [], 'e1').result).toBe('unclear')
    expect(judgeInactiveList(ok({ companies: [silent], isWhole: true }), 'e1').result).toBe('unclear')
    expect(judgeAnswer([record('E1', { isActive: false })], [], 'e1').result).toBe('confirmed')
  })

  test('of the older service: its own call, and the two confirmations that it has', async () => {
    const world = new World()
    world.putCompany({ listedBy: 'v1' })
    world.service.companies.list.push({ endpointId: 'e1', endpoint: 'qbd', isActive: 'true' })
    const done = world.writer.deprovision(COMPANY)
    await world.settle()
    expect(value(await done)).toMatchObject({
      isDeprovisioned: true,
      confirmations: [
        { what: 'answer', result: 'confirmed' },
        { what: 'inactive-list', result: 'confirmed' },
      ],
    })
    expect(world.service.requests.map(({ method, body }) => [method, body])).toEqual([
      ['LEGACY-DEPROVISION', JSON.stringify({ endpointId: 'e1', isActive: 'false' })],
    ])
  })

  test('stays in the journal with what was known of the company, for its report', async () => {
    let world = new World()
    world.putCompany({ label: 'Finch' })
    world.service.companies.list.push({ endpointId: 'e1', endpoint: 'qbd', isActive: 'true' })
    const done = world.writer.deprovision(COMPANY)
    await world.settle()
    const { deprovisioningId } = value(await done)
    world = world.restart()
    expect(world.writer.deprovisionings('c1')).toMatchObject([{ deprovisioningId, state: 'done' }])
    expect(world.writer.deprovisioningsById([deprovisioningId])).toMatchObject([
      { known: { companyName: 'Alder & Finch', label: 'Finch', sentBy: 'v2' }, confirmations: [{}, {}, {}] },
    ])
  })

  test('a data call confirms by words that speak of the company, and nothing else does', () => {
    expect(judgeDataCall(err(appError('timed-out', 'No answer.'))).result).toBe('unclear')
    const refusal = appError('service-error', 'Refused.', '', { raw: 'The company is inactive' })
    expect(judgeDataCall(err(refusal)).result).toBe('confirmed')
    for (const raw of [
      'The company file was not found on the client machine.',
      'The agent of this company is inactive.',
      'Connection not found.',
      'The company token is no longer valid.',
    ]) {
      expect(judgeDataCall(err(appError('service-error', 'Refused.', '', { raw }))).result).toBe('unclear')
    }
    expect(isDeprovisioned([])).toBe(false)
  })
})
