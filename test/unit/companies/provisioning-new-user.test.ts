/** A new user is part of the setup: one user and one company per setup, whatever is clicked, stopped, or killed. */
import { describe, expect, test } from 'vitest'
import { createSetups } from '../../../electron/app/companies/setups.ts'
import type { Provisioning } from '../../../shared/contract/companies.ts'
import { value } from '../../result.ts'
import { World } from '../writing/world.ts'

const SETUP_DRAFT = '2026-03-01T09:00:00.000Z'
const WHAT = {
  application: 'qbd',
  userId: null,
  expectedFile: 'New.qbw',
  place: 'here',
  draftBegunAt: SETUP_DRAFT,
} as const

function latest(world: World): Provisioning {
  const [provisioning] = world.writer.provisionings('c1')
  if (!provisioning) throw new Error('Nothing was provisioned.')
  return provisioning
}

function sent(world: World): readonly string[] {
  return world.service.requests.map(({ method }) => method)
}

/** The response about the user arrives when the test says so. */
function slowUser(world: World): () => void {
  let answer: () => void = () => undefined
  const waits = new Promise<void>((resolve) => (answer = resolve))
  const ask = world.service.ask.bind(world.service)
  world.service.ask = async (method, object, body, work) => {
    const answered = ask(method, object, body, work)
    if (method === 'USER') await waits
    return answered
  }
  return answer
}

describe('a new user', () => {
  test('is created first, and the company is requested with it', async () => {
    const world = new World()
    expect(value(world.writer.provision('c1', WHAT))).toMatchObject({ state: 'queued', userId: '' })
    await world.settle()
    expect(sent(world)).toEqual(['USER', 'LIST', 'PROVISION'])
    expect(world.service.requests[0]?.body).toBe('{}')
    expect(JSON.parse(world.service.requests[2]?.body ?? '')).toEqual({ userId: 'user-77', endpoint: 'qbd' })
    expect(latest(world)).toMatchObject({ state: 'arrived', userId: 'user-77', newUser: { state: 'made' } })
  })

  test('that is slow is shown, and its setup provisions nothing else', async () => {
    const world = new World()
    const calls = createSetups({
      settings: { connections: () => [] },
      setupDrafts: world.store.setupDrafts,
      writer: () => world.writer,
      dialog: { choose: () => Promise.resolve(null) },
      now: () => SETUP_DRAFT,
    })
    const entered = {
      begunAt: SETUP_DRAFT,
      step: 4,
      application: 'qbd',
      user: 'new',
      pastedUserId: '',
      file: 'New.qbw',
      place: 'here',
      checkedReminders: [],
      again: null,
    } as const
    world.store.setupDrafts.put('c1', entered)
    const answer = slowUser(world)
    value(await calls['companies.provision']({ connectionId: 'c1', ...WHAT }))
    await expect.poll(() => latest(world).state).toBe('making-user')
    expect(latest(world)).toMatchObject({ state: 'making-user', newUser: { state: 'asked' } })
    // Even if the draft is still on disk, it leads only to the setup that it has become.
    world.store.setupDrafts.put('c1', entered)
    expect(value(await calls['companies.setupDraft']({ connectionId: 'c1' })).draft).toBeNull()
    const second = await calls['companies.provision']({ connectionId: 'c1', ...WHAT })
    expect(second).toMatchObject({ ok: false, error: { kind: 'invalid-input' } })
    const { provisioningId } = latest(world)
    expect(world.writer.provision('c1', { ...WHAT, again: provisioningId }).ok).toBe(false)
    answer()
    await world.settle()
    expect(sent(world)).toEqual(['USER', 'LIST', 'PROVISION'])
    expect(world.writer.provisionings('c1')).toHaveLength(1)
  })

  test('if discarded in the meantime, no company is requested, whatever the answer', async () => {
    const world = new World()
    const answer = slowUser(world)
    const { provisioningId } = value(world.writer.provision('c1', WHAT))
    await expect.poll(() => latest(world).state).toBe('making-user')
    expect(value(world.writer.decideProvisioning(provisioningId, 'drop')).state).toBe('dropped')
    answer()
    await world.settle()
    expect(sent(world)).toEqual(['USER'])
    expect(latest(world)).toMatchObject({ state: 'dropped', userId: 'user-77' })
  })

  test('if no longer waited for, continues and is watched', async () => {
    const world = new World()
    const answer = slowUser(world)
    const { provisioningId } = value(world.writer.provision('c1', WHAT))
    await expect.poll(() => latest(world).state).toBe('making-user')
    world.writer.stopWaiting(provisioningId)
    answer()
    await world.settle()
    expect(latest(world)).toMatchObject({ state: 'arrived', stoppedWaiting: true })
  })

  test('if killed while it is created, may exist. No company is requested, and the user decides on the next attempt', async () => {
    let world = new World()
    slowUser(world)
    value(world.writer.provision('c1', WHAT))
    await expect.poll(() => latest(world).state).toBe('making-user')
    world = world.restart()
    await world.settle()
    expect(latest(world)).toMatchObject({ state: 'refused', sentAt: null, newUser: { state: 'held' } })
    expect(sent(world)).toEqual(['USER'])
    expect(world.store.journal.manage.userCreations('c1')).toMatchObject([{ state: 'held' }])
  })

  test('if killed after it was created, is used by the next attempt', async () => {
    let world = new World()
    world.service.fault = (method) => {
      if (method === 'LIST') throw new Error('killed')
      return 'none'
    }
    value(world.writer.provision('c1', WHAT))
    await world.flush()
    world.service.fault = () => 'none'
    world = world.restart()
    await world.settle()
    const first = latest(world)
    expect(first).toMatchObject({ state: 'refused', userId: 'user-77', newUser: { state: 'made' } })
    value(world.writer.provision('c1', { ...WHAT, again: first.provisioningId }))
    // A second click, and the same from another place.
    expect(world.writer.provision('c1', { ...WHAT, again: first.provisioningId }).ok).toBe(false)
    await world.settle()
    expect(sent(world)).toEqual(['USER', 'LIST', 'PROVISION'])
    expect(latest(world)).toMatchObject({ state: 'arrived', userId: 'user-77' })
  })

  test('whose answer was lost is held at once, because no one can look it up. The next attempt creates another one', async () => {
    const world = new World()
    world.service.fault = () => 'dropped-after'
    const { provisioningId } = value(world.writer.provision('c1', WHAT))
    await world.settle()
    expect(latest(world)).toMatchObject({ state: 'refused', userId: '', newUser: { state: 'held' } })
    expect(sent(world)).toEqual(['USER'])
    world.service.fault = () => 'none'
    value(world.writer.provision('c1', { ...WHAT, again: provisioningId }))
    await world.settle()
    expect(sent(world)).toEqual(['USER', 'USER', 'LIST', 'PROVISION'])
  })

  test('whose ID is too long is uncertain: held, with a message', async () => {
    const world = new World()
    const ask = world.service.ask.bind(world.service)
    const items = [{ Object: { userId: 'u'.repeat(2_001) }, Errors: null }]
    world.service.ask = (method, object, body) => ask(method, object, body, () => ({ items }))
    value(world.writer.provision('c1', WHAT))
    await world.settle()
    expect(latest(world)).toMatchObject({ newUser: { state: 'held' }, error: { kind: 'service-error' } })
  })
})
