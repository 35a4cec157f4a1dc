// Specification, section 1: the conditions at the end user's computer, and the errors if one isn't met.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createSampleService,
  type SampleControl,
  type SampleOptions,
  type SampleService,
} from '../../electron/sample/service.ts'
import { createMemoryStorage } from '../../electron/sample/storage.ts'
import { VirtualClock } from '../virtual-clock.ts'
import { send as sendTo } from './books-agreement.ts'

const KEY = 'a-key'
let clock: VirtualClock
let service: SampleService

function open(options: Partial<SampleOptions> = {}): SampleService {
  const time = { now: () => clock.now(), after: clock.after.bind(clock) }
  return createSampleService({
    ...{ key: KEY, today: '2026-03-31', customers: 10, volume: 0.1 },
    ...time,
    ...options,
  })
}

beforeEach(() => {
  clock = new VirtualClock()
  service = open()
})
afterEach(() => {
  // Releases requests that still wait.
  service.reset()
})

const send = (...request: [path: string, method?: string, body?: unknown]): ReturnType<typeof sendTo> =>
  sendTo(service, KEY, ...request)

/** Resolves when all pending requests wait for time to pass. */
async function atWork(): Promise<void> {
  for (let turns = 0; turns < 50; turns += 1) await clock.settle()
}

function set(change: SampleControl): void {
  expect(service.control(change)).toBeTypeOf('object')
}

function pathOf(place: number): string {
  return `/v2/data/${service.state().companies[place]?.endpointId ?? ''}/terms`
}

async function userId(): Promise<unknown> {
  return (await send('/v2/manage/user', 'POST', {})).Contents[0]?.Object['userId']
}

describe('a data call to a desktop company', () => {
  it.each<[string, NonNullable<SampleControl['conditions']>, string]>([
    ['the machine is off', { machine: 'off' }, 'AgentNotConnected'],
    ['nobody is logged in', { session: 'logged-out' }, 'AgentNotConnected'],
    ['the agent does not run', { agent: 'stopped' }, 'AgentNotConnected'],
    ['the agent has no token', { token: 'missing' }, 'AgentTokenMissing'],
    ['another file is open', { openFile: 'another' }, '0x8004040A'],
    ['a dialog is open', { dialog: 'open' }, '0x80040414'],
    ['the file is open in another mode', { mode: 'other' }, '0x80040410'],
    ['the end user said no', { authorization: 'denied' }, '0x80040420'],
  ])('is refused while %s, and answered again afterward', async (_words, conditions, code) => {
    set({ company: 'Alder & Finch Builders', conditions })
    expect((await send(pathOf(0))).Errors?.map((error) => error.Code)).toEqual([code])
    expect((await send(pathOf(1))).HasErrors).toBe(false)
    service.reset()
    expect((await send(pathOf(0))).HasErrors).toBe(false)
  })

  it('is answered while no file is open', async () => {
    set({ conditions: { openFile: 'none' } })
    expect((await send(pathOf(0))).HasErrors).toBe(false)
  })

  it('waits while nothing responds, and continues when the computer is switched on', async () => {
    set({ conditions: { machine: 'off', answerAfter: 60_000 } })
    const answer = send(pathOf(0))
    await atWork()
    set({ conditions: { machine: 'on' } })
    expect((await answer).HasErrors).toBe(false)
  })
})

describe('a data call to an online company', () => {
  it('needs no computer, but does need an authorization', async () => {
    set({ conditions: { machine: 'off' } })
    expect((await send(pathOf(2))).HasErrors).toBe(false)
    set({ conditions: { authorization: 'denied' } })
    expect((await send(pathOf(2))).Errors?.map((error) => error.Code)).toEqual([3200])
  })
})

describe('provisioning', () => {
  const provision = async (): ReturnType<typeof send> =>
    await send('/v2/manage/company', 'POST', { userId: await userId(), endpoint: 'qbd' })

  it('waits for the end user, and answers once they say yes', async () => {
    set({ company: 'Juniper Ridge Veterinary', conditions: { authorization: 'pending' } })
    const answer = provision()
    await atWork()
    expect((await send('/v2/Manage/endpoint')).Errors?.[0]?.Code).toBe('ConcurrentRequest')
    set({ company: 'Juniper Ridge Veterinary', conditions: { authorization: 'granted' } })
    expect((await answer).Contents[0]?.Object['companyName']).toBe('Juniper Ridge Veterinary')
  })

  it('is granted automatically after a while if that is configured', async () => {
    set({ conditions: { authorization: 'pending', grantedAfter: 60_000 } })
    const provisioned = provision()
    await atWork()
    await clock.advance(60_000)
    const answer = await provisioned
    expect(answer.Errors?.map((error) => error.Code) ?? []).toEqual([])
  })

  it('is refused if the end user declines or no file is open', async () => {
    set({ conditions: { authorization: 'denied' } })
    expect((await provision()).Errors?.[0]?.Code).toBe('0x80040420')
    set({ conditions: { authorization: 'granted', openFile: 'none' } })
    expect((await provision()).Errors?.[0]?.Code).toBe('0x80040408')
    expect(service.state().companies.length).toBe(3)
  })

  it('finds the open file, and the same record if it is already provisioned', async () => {
    set({ openFile: 'Cobb & Daughters Remodeling' })
    const first = await provision()
    expect(first.Contents[0]?.Object['companyName']).toBe('Cobb & Daughters Remodeling')
    set({ openFile: 'Cobb & Daughters Remodeling' })
    const again = await provision()
    expect(again.Contents[0]?.Object['endpointId']).toBe(first.Contents[0]?.Object['endpointId'])
  })
})

describe('a closed period', () => {
  it('refuses transactions dated in it', async () => {
    set({ closingDate: '2099-12-31' })
    const path = pathOf(0).replace('terms', 'customer')
    const answer = await send(path, 'POST', { ID: '', Name: 'Test, Closed', Balance: 10 })
    expect(answer.Contents[0]).toMatchObject({ Object: null, Errors: [{ Code: '3171' }] })
    set({ closingDate: '' })
    expect((await send(path, 'POST', { ID: '', Name: 'Test, Closed', Balance: 10 })).HasErrors).toBe(false)
  })
})

describe('a request that waits while the sample is reset', () => {
  const customersPath = (): string => pathOf(0).replace('terms', 'customer')
  const namesOf = async (): Promise<unknown[]> =>
    (await send(customersPath())).Contents.map((item) => item.Object['Name'])

  it.each<[string, SampleControl]>([
    ['for an agent', { conditions: { machine: 'off', answerAfter: 60_000 } }],
    ['for its latency', { latencyMs: 80 }],
  ])('%s: returns an error and inserts nothing', async (_words, waitsFor) => {
    set(waitsFor)
    const answer = send(customersPath(), 'POST', { ID: '', Name: 'Test, Woken' })
    await atWork()
    service.reset()
    await clock.advance(60_000)
    expect((await answer).Errors?.map((error) => error.Code)).toEqual(['SampleReset'])
    set({ latencyMs: 0 })
    expect(await namesOf()).not.toContain('Test, Woken')
    // The next run doesn't restore it, either.
    service.reset()
    expect(await namesOf()).not.toContain('Test, Woken')
  })

  it('leaves nothing behind for the next run', async () => {
    const storage = createMemoryStorage()
    service = open({ storage })
    set({ conditions: { machine: 'off', answerAfter: 60_000 } })
    const answer = send(customersPath(), 'POST', { ID: '', Name: 'Test, Woken' })
    await atWork()
    service.reset()
    await answer
    service = open({ storage })
    expect(await namesOf()).not.toContain('Test, Woken')
    expect([...storage.entries()].map(([key]) => key)).toEqual(['today'])
  })

  it('waits for an end user’s authorization: adds no company', async () => {
    set({ conditions: { authorization: 'pending' } })
    const provisioned = send('/v2/manage/company', 'POST', { userId: await userId(), endpoint: 'qbd' })
    await atWork()
    service.reset()
    expect((await provisioned).HasErrors).toBe(true)
    expect(service.state().companies.length).toBe(3)
  })
})
