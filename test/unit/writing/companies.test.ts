/** Provisioning, creating users, and de-provisioning: sent once, settled by rechecks, and proven. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { StoreError } from '../../../electron/store/database.ts'
import {
  judgeDataCall,
  judgeInactiveList,
  judgeResponse,
  stateAfter,
} from '../../../electron/writing/companies/confirmation-verdicts.ts'
import { RecheckTimer } from '../../../electron/writing/companies/recheck-timer.ts'
import { appError, err, ok } from '../../../shared/result.ts'
import { value } from '../../result.ts'
import { VirtualClock } from '../../virtual-clock.ts'
import { record } from '../companies/company-records.ts'
import { COMPANY, World } from './world.ts'

const WHAT = { application: 'qbd', userId: 'u1', expectedFile: 'New.qbw', place: 'here' } as const

function provisioned(world: World) {
  const [provisioning] = world.writer.provisionings('c1')
  if (!provisioning) throw new Error('Nothing was provisioned.')
  return provisioning
}

describe('provisioning', () => {
  test('reads the list, sends once, and arrives. The user keeps it', async () => {
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
    // An agent's refusal may have these statuses, after it received the request.
    [400, 'waiting'],
    [502, 'waiting'],
  ])('an answer without an envelope under HTTP %i: %s', async (status, state) => {
    const world = new World()
    const ask = world.service.ask.bind(world.service)
    world.service.ask = (method, object, body, work) =>
      method === 'PROVISION'
        ? Promise.resolve({
            outcome: 'uncertain',
            error: appError('malformed-response', 'A page.', 'Wait.', { status, raw: '<html>' }),
          })
        : ask(method, object, body, work)
    value(world.writer.provision('c1', WHAT))
    await world.settle()
    const { error, ...provisioning } = provisioned(world)
    expect(provisioning).toMatchObject({ state })
    expect(error?.details.status).toBe(status)
    if (state === 'refused') expect(error?.message).toContain(`(HTTP ${String(status)})`)
    expect(provisioning.nextRecheckAt === null).toBe(state === 'refused')
  })

  test('after a lost answer, the company is found in the list at once, and never requested again', async () => {
    const world = new World()
    world.service.fault = (method) => (method === 'PROVISION' ? 'dropped-after' : 'none')
    value(world.writer.provision('c1', WHAT))
    await world.settle()
    expect(provisioned(world)).toMatchObject({ state: 'arrived', company: { endpointId: 'E1' } })
    expect(world.service.requests.filter(({ method }) => method === 'PROVISION')).toHaveLength(1)
  })

  test('one that arrives late is found after 2, 10, or 60 minutes. Not listed yet never means failed', async () => {
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

  test('after a crash in between, it is searched for at the start, and not sent again', async () => {
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

  test('a company that was in the list before counts as already there', async () => {
    const world = new World()
    const there = { endpointId: 'E1', endpoint: 'qbd', userId: 'u1', isActive: 'true' }
    world.service.companies.list.push(there)
    // The service answers with the existing company instead of a second one.
    const ask = world.service.ask.bind(world.service)
    world.service.ask = (method, object, body, work) =>
      ask(method, object, body, method === 'PROVISION' ? () => ({ items: [{ Object: there }] }) : work)
    value(world.writer.provision('c1', WHAT))
    await world.settle()
    expect(provisioned(world)).toMatchObject({ state: 'arrived', before: 'active' })
  })

  test('an answer that spells the ID differently from the list names the known company', async () => {
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

  test('a second attempt checks first. If the first one has succeeded in the meantime, nothing is sent again', async () => {
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

  test('the first attempt is watched along with the second, until the last recheck', async () => {
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

  test('a setup that was queued when the program ended says that nothing was sent, and waits for the user', async () => {
    let world = new World()
    value(world.writer.provision('c1', WHAT))
    world = world.restart()
    await world.settle()
    expect(provisioned(world)).toMatchObject({ state: 'refused', sentAt: null })
    expect(world.service.requests.some(({ method }) => method === 'PROVISION')).toBe(false)
  })

  test('a recheck by the user doesn’t replace one that is due', () => {
    const [since, minute] = [1_000, 60_000]
    const clock = new VirtualClock(since)
    const timer = new RecheckTimer(clock)
    const next = (): number | null => timer.schedule('removed', () => undefined)
    expect(next()).toBe(since)
    const dueAfterRecheck = (at: number): number | null => {
      clock.set(at)
      timer.rechecked('removed')
      return next()
    }
    expect(dueAfterRecheck(since + minute)).toBe(since + 2 * minute)
    expect(dueAfterRecheck(since + 10 * minute)).toBe(since + 60 * minute)
    expect(dueAfterRecheck(since + 60 * minute)).toBeNull()
  })

  test('a list without users is proof enough, but one that names another user isn’t', async () => {
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

  test('an inactive company that the service reactivated is found, however the list spells its user, and is billed again', async () => {
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

  test('an answer with an inactive company says that it was inactive', async () => {
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

  test('before it is sent again, the user sees which companies are newly active. Then it is sent once', async () => {
    const world = new World()
    world.service.fault = (method) => (method === 'PROVISION' ? 'dropped-before' : 'none')
    const first = value(world.writer.provision('c1', WHAT))
    await world.flush()
    world.service.fault = () => 'none'
    // It belongs to another user, so nothing says that it is the one.
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

  test('if a second attempt wasn’t sent, the first one is still searched for, even by the third', async () => {
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
  test('collects the three confirmations', async () => {
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

  test('uses the older service if both list it and the user chose that, and checks its data, too', async () => {
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

  test('names the company as the service spells it, whatever the spelling here', async () => {
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

  test('after a lost answer, the inactive list decides', async () => {
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

  test('if the service does it after a lost answer, a later recheck finds that', async () => {
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

  /** The inactive list lacks the company, because it lags. */
  const lagging = (world: World): void => {
    const ask = world.service.ask.bind(world.service)
    world.service.ask = (method, object, body, work) =>
      ask(method, object, body, method === 'LIST' ? () => ({ items: [] }) : work)
  }

  test('if the answer confirms it and the list lags, it is rechecked automatically', async () => {
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

  test('any list that calls the company inactive proves it, however it spells the ID', async () => {
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

  test('a connection can’t be removed while one is being sent', async () => {
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

  test('a record that doesn’t say whether it is active proves nothing', () => {
    const silent = record('E1', { saysActive: false })
    expect(judgeResponse([silent], [], 'e1').result).toBe('unclear')
    expect(judgeInactiveList(ok({ companies: [silent], isWhole: true }), 'e1').result).toBe('unclear')
    expect(judgeResponse([record('E1', { isActive: false })], [], 'e1').result).toBe('confirmed')
  })

  test('over the older service: uses its own call, and its two confirmations', async () => {
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

  test('stays in the journal with what was known about the company, for the report', async () => {
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

  test('a data call confirms it only with an error about the company', () => {
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
    expect(stateAfter([])).toBe('unknown')
  })
})
