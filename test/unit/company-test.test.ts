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

describe('a long read of a company that was silent', () => {
  test('asks for something small before it is tried again, and says that the company stays silent', async () => {
    const { server, person, tries } = await connected({ readSeconds: 1, settleSeconds: 0.1 })
    server.control({
      faults: [{ match: { path: '/customer' }, times: 0, fault: { kind: 'hang', when: 'before' } }],
    })
    const read = (): Promise<Result<unknown>> => person.read()
    const first = await read()
    expect(first).toMatchObject({ ok: false, error: { kind: 'company-unavailable' } })
    expect(first.ok ? '' : first.error.message).toMatch(/stays silent: .*within 1 seconds/)
    expect(tries(), 'the list, and the small read').toBe(2)
    expect(await read()).toMatchObject({ ok: false, error: { kind: 'company-unavailable' } })
    expect(tries(), 'the small read alone').toBe(3)
    server.control({ clearFaults: true })
    expect(await read()).toMatchObject({ ok: true })
    expect(tries(), 'the small read, then the list').toBe(5)
    expect(await read()).toMatchObject({ ok: true })
    expect(tries(), 'nothing small where it answers').toBe(6)
  })

  test('goes on when the small read is answered: the list alone was lost', async () => {
    const { server, person, tries } = await connected({ readSeconds: 1, settleSeconds: 0.1 })
    server.control({
      faults: [{ match: { path: '/customer' }, times: 1, fault: { kind: 'hang', when: 'before' } }],
    })
    expect(await person.read()).toMatchObject({
      ok: true,
    })
    expect(tries()).toBe(3)
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
