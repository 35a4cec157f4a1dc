/** **Test company**: answered, refused (with the words) or silent, and never a word on books that were not asked. */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { TestOutcome } from '../../shared/contract/companies.ts'
import type { Settings } from '../../shared/contract/settings.ts'
import type { Result } from '../../shared/result.ts'
import { whatToTry } from '../../renderer/ui/what-to-try.ts'
import { makeCore } from '../reliability/core-parts.ts'
import { Person } from '../reliability/person.ts'
import { callerOf, emptyFolder, QUICK_SETTINGS, startServer } from '../reliability/world.ts'
import type { SampleServer } from '../sample-server/server.ts'
import { value } from './writing-world.ts'

async function connected(settings: Partial<Settings> = {}): Promise<{
  server: SampleServer
  person: Person
  ask: () => Promise<Result<TestOutcome>>
  tries: () => number
}> {
  const server = await startServer(onTestFinished)
  const userData = emptyFolder(onTestFinished)
  const plan = {
    userData,
    settings: { ...QUICK_SETTINGS, ...settings },
    beginsAt: Date.now(),
    factor: 1,
    saved: null,
  }
  const { core, ...rest } = value(makeCore(plan))
  onTestFinished(() => core.close())
  core.start()
  const person = new Person(callerOf({ core, ...rest }))
  await person.connect(server.url, server.key)
  return {
    server,
    person,
    ask: () => person.call('companies.test', { company: person.company }),
    tries: () => server.counters().requests.filter(({ path }) => /\/customer$/i.test(path)).length,
  }
}

describe('a company', () => {
  test('that answers is told with how long it took, after one small read', async () => {
    const { ask, tries } = await connected()
    const outcome = value(await ask())
    expect(outcome).toMatchObject({ outcome: 'answered' })
    if (outcome.outcome === 'answered') expect(outcome.milliseconds).toBeGreaterThanOrEqual(0)
    expect(tries()).toBe(1)
  })

  test.each([
    ['token', 'missing', /no valid token/],
    ['dialog', 'open', /A dialog is open/],
    ['openFile', 'another', /Another company file is open/],
    ['mode', 'other', /another mode/],
    ['authorisation', 'denied', /Access was denied/],
  ] as const)(
    'whose %s is %s has refused, with the words and what to do',
    async (condition, state, words) => {
      const { server, ask, tries } = await connected()
      server.control({ conditions: { [condition]: state } })
      const outcome = value(await ask())
      expect(outcome).toMatchObject({ outcome: 'refused', error: { kind: 'company-unavailable' } })
      if (outcome.outcome === 'refused') {
        expect(outcome.error.message).toMatch(words)
        expect(outcome.error.advice).not.toBe('')
        expect(outcome.error.details.requestId).not.toBe('')
      }
      expect(tries()).toBe(1)
    },
  )

  test('whose refusal comes as the error of its one item has refused', async () => {
    const { server, ask } = await connected()
    const text = JSON.stringify({
      Contents: [{ Object: null, Kind: 'customer', Errors: [{ Code: '0x80040414', Message: 'busy' }] }],
      HasErrors: true,
      RequestId: 'r-8',
    })
    server.control({
      faults: [{ match: { method: 'GET', path: '/customer' }, fault: { kind: 'body', text } }],
    })
    expect(value(await ask())).toMatchObject({ outcome: 'refused', error: { message: /dialog is open/ } })
  })

  test('without anything changed has answered: "nothing matched" is an answer', async () => {
    const { server, ask } = await connected()
    const text = JSON.stringify({
      Contents: [],
      Errors: [{ Code: '1', Message: 'no match' }],
      RequestId: 'r-9',
    })
    server.control({
      faults: [{ match: { method: 'GET', path: '/customer' }, fault: { kind: 'body', text } }],
    })
    expect(value(await ask())).toMatchObject({ outcome: 'answered' })
  })

  test('whose agent is away under that very code has refused', async () => {
    const { server, ask } = await connected()
    const text = JSON.stringify({
      Contents: [],
      Errors: [{ StatusCode: 1, Severity: 'Error', Message: 'The agent did not answer.' }],
      RequestId: 'r-10',
    })
    server.control({
      faults: [{ match: { method: 'GET', path: '/customer' }, fault: { kind: 'body', text } }],
    })
    expect(value(await ask())).toMatchObject({ outcome: 'refused', error: { message: /agent/ } })
  })

  test.each([
    ['hangs', { kind: 'hang', when: 'before' }, 'timed-out'],
    ['is cut off', { kind: 'drop', when: 'before' }, 'dropped'],
  ] as const)('that %s is silent, and is asked once', async (_what, fault, kind) => {
    const { server, ask, tries } = await connected({ readSeconds: 1 })
    server.control({ faults: [{ match: { method: 'GET', path: '/customer' }, fault }] })
    expect(value(await ask())).toMatchObject({ outcome: 'silent', error: { kind } })
    expect(tries()).toBe(1)
  })

  test('that was not asked, because the person stopped it, gets no word on its books', async () => {
    const { server, person, ask } = await connected()
    server.control({ latencyMs: 2_000 })
    const asked = ask()
    await expect
      .poll(async () => value(await person.call('activity.lanes', {}))[0]?.running ?? null)
      .not.toBeNull()
    const [lane] = value(await person.call('activity.lanes', {}))
    value(await person.call('activity.stop', { entryId: lane?.running?.entryId ?? '' }))
    expect(await asked).toMatchObject({ ok: false, error: { kind: 'stopped' } })
  })
})

const HANG = { kind: 'hang', when: 'before' } as const

describe('a long read', () => {
  test('of a company not yet heard of in this run is led by one small read, whose silence is the answer', async () => {
    const { server, person, tries } = await connected({ readSeconds: 1, settleSeconds: 0.1 })
    server.control({ faults: [{ match: { path: '/customer' }, times: 0, fault: HANG }] })
    const silent = await person.read()
    expect(silent).toMatchObject({ ok: false, error: { kind: 'company-unavailable' } })
    expect(silent.ok ? '' : silent.error.message).toMatch(/stays silent: .*within 1 seconds/)
    expect(tries(), 'the small read alone, once').toBe(1)

    const period = { from: '2026-01-01', to: '2026-01-31' }
    const report = person.call('reports.select', {
      company: person.company,
      name: 'TrialBalance',
      ...period,
    })
    expect(await report).toMatchObject({ ok: false, error: { kind: 'company-unavailable' } })
    expect(server.counters().requests.filter(({ path }) => /selectReport/i.test(path))).toEqual([])

    server.control({ clearFaults: true, clearRequests: true })
    expect(await person.read()).toMatchObject({ ok: true })
    expect(tries(), 'the small read, then the list').toBe(2)
    expect(await person.read()).toMatchObject({ ok: true })
    expect(tries(), 'nothing small where it answers').toBe(3)
  })

  test('that was lost while the company answered is tried again after one small read, and says that it stays silent', async () => {
    const { server, person, ask, tries } = await connected({ readSeconds: 1, settleSeconds: 0.1 })
    value(await ask())
    server.control({ clearRequests: true, faults: [{ match: { path: '/customer' }, times: 0, fault: HANG }] })
    expect(await person.read()).toMatchObject({ ok: false, error: { kind: 'company-unavailable' } })
    expect(tries(), 'the list, then the small read').toBe(2)
  })

  test('goes on when the small read is answered: the list alone was lost', async () => {
    const { server, person, ask, tries } = await connected({ readSeconds: 1, settleSeconds: 0.1 })
    value(await ask())
    server.control({ clearRequests: true, faults: [{ match: { path: '/customer' }, times: 1, fault: HANG }] })
    expect(await person.read()).toMatchObject({ ok: true })
    expect(tries()).toBe(3)
  })

  test('is not led where the small one turned out to be the whole list: nothing is read twice again', async () => {
    const { server, person, tries } = await connected({ readSeconds: 1, settleSeconds: 0.1 })
    const old = { ID: '1', Name: 'Ash', LastModifiedDate: '2020-01-01T00:00:00Z' }
    const text = JSON.stringify({ Contents: [{ Object: old, Kind: 'customer', Errors: null }], Errors: null })
    server.control({ faults: [{ match: { path: '/customer' }, times: 1, fault: { kind: 'body', text } }] })
    expect(await person.read()).toMatchObject({ ok: true })
    expect(tries()).toBe(2)
    server.control({ clearRequests: true, faults: [{ match: { path: '/customer' }, times: 1, fault: HANG }] })
    expect(await person.read()).toMatchObject({ ok: true })
    expect(tries(), 'the list, lost, and the list again').toBe(2)
  })

  test('by id or by when records changed is small itself, and is not led', async () => {
    const { person, tries } = await connected()
    const filter = { ids: ['no-such-id'], modifiedFrom: null, modifiedTo: null }
    await person.call('records.open', { company: person.company, object: 'customer', filter })
    expect(tries()).toBe(1)
  })

  test.each([
    ['a connection that was cut is tried again', { kind: 'drop', when: 'before' }, true, 3],
    [
      'words that are about customers alone go on to the list',
      { kind: 'requestError', message: 'No.' },
      true,
      2,
    ],
    ['a refused key is asked once', { kind: 'status', status: 401 }, false, 1],
  ] as const)('whose small read fails: %s', async (_what, fault, goesOn, asked) => {
    const { server, person, tries } = await connected({ settleSeconds: 0.1 })
    server.control({ faults: [{ match: { path: '/customer' }, times: 1, fault }] })
    expect((await person.read()).ok).toBe(goesOn)
    expect(tries()).toBe(asked)
  })

  test('says in the status line that it asks first, and can be stopped there', async () => {
    const { server, person } = await connected()
    server.control({ latencyMs: 4_000 })
    const reading = person.read()
    const running = async () => value(await person.call('activity.lanes', {}))[0]?.running ?? null
    // The rows worker starts first, which takes its time on a busy machine.
    await expect
      .poll(async () => (await running())?.progress, { timeout: 10_000 })
      .toBe('asking first whether it answers')
    value(await person.call('activity.stop', { entryId: (await running())?.entryId ?? '' }))
    expect(await reading).toMatchObject({ ok: false, error: { kind: 'stopped' } })
  })
})

describe('what to try', () => {
  test('is about the machine, the agent, the file and dialogs on the desktop, about the login online', () => {
    const desktop = whatToTry('qbd', 'timed-out').join(' ')
    for (const thing of ['machine', 'logged in', 'agent', 'token', 'file', 'dialog'])
      expect(desktop).toContain(thing)
    const online = whatToTry('qbo', 'service-error').join(' ')
    expect(online).not.toContain('agent')
    expect(online).toContain('authorisation')
  })

  test('is nothing where the books were not the trouble', () => {
    for (const kind of ['unauthorised', 'unreachable', 'busy'] as const)
      expect(whatToTry('qbd', kind)).toEqual([])
  })
})
