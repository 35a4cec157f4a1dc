/**
 * **Test company**: the company responded, refused (with the message), or was silent; no result if no request was sent.
 */
import { describe, expect, onTestFinished, test } from 'vitest'
import { whatToTry } from '../../../renderer/ui/notices/errors.ts'
import type { TestOutcome } from '../../../shared/contract/companies.ts'
import type { Result } from '../../../shared/result.ts'
import { startVirtualWorld, type VirtualWorld } from '../../reliability/world/virtual-world.ts'
import { value } from '../../result.ts'

async function connected(): Promise<
  VirtualWorld & { readonly ask: () => Promise<Result<TestOutcome>>; readonly tries: () => number }
> {
  const world = await startVirtualWorld(onTestFinished, { isNew: true })
  const { server, person } = world
  return {
    ...world,
    ask: () => person.call('companies.test', { company: person.company }),
    tries: () => server.counters().requests.filter(({ path }) => /\/customer$/i.test(path)).length,
  }
}

describe('a company', () => {
  test('that answers is reported with its time, after one small read', async () => {
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
    ['mode', 'other', /wrong mode/],
    ['authorization', 'denied', /Access was denied/],
  ] as const)(
    'whose %s is %s has refused, with the message and what to do',
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

  test('that reports "nothing matched" has answered', async () => {
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

  test('whose agent is reported as missing with that same code has refused', async () => {
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
    const { server, ask, tries } = await connected()
    server.control({ faults: [{ match: { method: 'GET', path: '/customer' }, fault }] })
    expect(value(await ask())).toMatchObject({ outcome: 'silent', error: { kind } })
    expect(tries()).toBe(1)
  })

  test('that wasn’t asked, because the user stopped it, is not judged', async () => {
    const { server, person, call, clock } = await connected()
    server.control({ latencyMs: 20_000 })
    const asked = call('companies.test', { company: person.company })
    await clock.settle()
    const [queue] = value(await call('activity.queues', {}))
    value(await call('activity.stop', { entryId: queue?.running?.entryId ?? '' }))
    expect(await clock.run(asked)).toMatchObject({ ok: false, error: { kind: 'stopped' } })
  })
})

const HANG = { kind: 'hang', when: 'before' } as const

describe('a long read', () => {
  test('of a company that hasn’t responded in this run begins with a small read. If that fails, so does the read', async () => {
    const { server, person, tries } = await connected()
    server.control({ faults: [{ match: { path: '/customer' }, times: 0, fault: HANG }] })
    const silent = await person.read()
    expect(silent).toMatchObject({ ok: false, error: { kind: 'company-unavailable' } })
    expect(silent.ok ? '' : silent.error.message).toMatch(/isn’t responding.*within 2 minutes/)
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

  test('begins with a small read of the same list', async () => {
    const { server, person } = await connected()
    const filter = { ids: [], modifiedFrom: null, modifiedTo: null }
    value(await person.call('records.open', { company: person.company, object: 'vendor', filter }))
    const asked = server.counters().requests.filter(({ path }) => /\/data\//i.test(path))
    expect(asked.map(({ path }) => path.split('/').at(-1))).toEqual(['vendor', 'vendor'])
    const [small, list] = asked.map(({ query }) => new URLSearchParams(query).get('modTimeStart'))
    expect(small).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
    expect(list).toBeNull()
  })

  test('that timed out is tried again after a small read, and reports that the company doesn’t respond', async () => {
    const { server, person, ask, tries } = await connected()
    value(await ask())
    server.control({ clearRequests: true, faults: [{ match: { path: '/customer' }, times: 0, fault: HANG }] })
    expect(await person.read()).toMatchObject({ ok: false, error: { kind: 'company-unavailable' } })
    expect(tries(), 'the list, then the small read').toBe(2)
  })

  test('continues if the small read is answered', async () => {
    const { server, person, ask, tries } = await connected()
    value(await ask())
    server.control({ clearRequests: true, faults: [{ match: { path: '/customer' }, times: 1, fault: HANG }] })
    expect(await person.read()).toMatchObject({ ok: true })
    expect(tries()).toBe(3)
  })

  test('doesn’t begin with a small read if that was the whole list, so that nothing is read twice', async () => {
    const { server, person, tries } = await connected()
    const old = { ID: '1', Name: 'Ash', LastModifiedDate: '2020-01-01T00:00:00Z' }
    const text = JSON.stringify({ Contents: [{ Object: old, Kind: 'customer', Errors: null }], Errors: null })
    server.control({ faults: [{ match: { path: '/customer' }, times: 1, fault: { kind: 'body', text } }] })
    expect(await person.read()).toMatchObject({ ok: true })
    expect(tries()).toBe(2)
    server.control({ clearRequests: true, faults: [{ match: { path: '/customer' }, times: 1, fault: HANG }] })
    expect(await person.read()).toMatchObject({ ok: true })
    expect(tries(), 'the list, lost, and the list again').toBe(2)
  })

  test('by ID or modification time is small itself, and has no small read before it', async () => {
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
    const { server, person, tries } = await connected()
    server.control({ faults: [{ match: { path: '/customer' }, times: 1, fault }] })
    expect((await person.read()).ok).toBe(goesOn)
    expect(tries()).toBe(asked)
  })

  test('says in the status line that it checks first, and can be stopped there', async () => {
    const { server, person, call, clock } = await connected()
    server.control({ latencyMs: 40_000 })
    const filter = { ids: [], modifiedFrom: null, modifiedTo: null }
    const reading = call('records.open', { company: person.company, object: 'customer', filter })
    await clock.settle()
    const running = value(await call('activity.queues', {}))[0]?.running
    expect(running?.progress).toBe('asking first for customers that changed just now')
    value(await call('activity.stop', { entryId: running?.entryId ?? '' }))
    expect(await clock.run(reading)).toMatchObject({ ok: false, error: { kind: 'stopped' } })
  })
})

describe('what to try', () => {
  test('is about the computer, the agent, the file, and dialogs on the desktop, and about the login online', () => {
    const desktop = whatToTry('qbd', 'timed-out').join(' ')
    for (const thing of ['computer', 'signed in', 'agent', 'token', 'file', 'dialog'])
      expect(desktop).toContain(thing)
    const online = whatToTry('qbo', 'service-error').join(' ')
    expect(online).not.toContain('agent')
    expect(online).toContain('access withdrawn')
  })

  test('is empty if the books weren’t the problem', () => {
    for (const kind of ['unauthorized', 'unreachable', 'busy'] as const)
      expect(whatToTry('qbd', kind)).toEqual([])
  })
})
