/**
 * Lists in pages over a real socket: never an endless loop, never a record twice, and a complete list is recognized as
 * complete.
 */
import { describe, expect, test } from 'vitest'
import type { OpenedSet } from '../../../shared/contract/records.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { value } from '../../result.ts'
import type { Fault } from '../../sample-server/faults.ts'
import { ShownList } from '../lists/kept-copies.ts'
import { LIST } from '../world/person.ts'
import { startVirtualWorld } from '../world/virtual-world.ts'
import type { World } from '../world/world.ts'

const READS = { method: 'GET', path: `/${LIST}` } as const

function requests({ server }: World) {
  return server.counters().requests.filter(({ method, path }) => method === 'GET' && path.endsWith(LIST))
}

async function idsHeld({ person }: World, set: OpenedSet): Promise<readonly unknown[]> {
  return (await person.held(set.setId, set.count)).map(({ ID }) => ID)
}

function partial(result: Result<OpenedSet>): OpenedSet {
  const set = value(result)
  expect(set.isWhole).toBe(false)
  return set
}

describe('pages', () => {
  test.concurrent.for([1, 7, 29, 30, 31, 0])(
    'of %i records: the whole list, each once',
    async (pageSize, context) => {
      const world = await startVirtualWorld(context.onTestFinished, { server: { pageSize } })
      const set = value(await world.person.read())
      expect(set).toMatchObject({ isWhole: true, partialReason: '', count: 30 })
      expect(set.pages).toBe(pageSize === 0 ? 1 : Math.ceil(30 / pageSize))
      expect(new Set(await idsHeld(world, set)).size).toBe(30)
      expect(world.server.counters()).toMatchObject({ mostAtOnce: 1, refused: 0 })
    },
  )

  test.concurrent(
    'endless, each page new: reading stops, keeps what arrived, and says so',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished, { settings: { responseMebibytes: 1 } })
      world.server.addFaults({ match: READS, times: 0, fault: { kind: 'endlessMoreData' } })
      const set = partial(await world.person.read())
      expect(set.partialReason).toContain('keeps saying that there is more')
      expect(set.count).toBe(set.pages * 30)
      expect(new Set(await idsHeld(world, set)).size).toBe(set.count)
    },
  )

  test.concurrent(
    'endless while a lost insert is searched for: not confirmed, and later writes wait for the user',
    async (context) => {
      const world = await startVirtualWorld(context.onTestFinished, { settings: { responseMebibytes: 1 } })
      const { ledger, person, server } = world
      const draftIds = [
        await ledger.insert(person, 'd1', 'Lost', '1'),
        await ledger.insert(person, 'd2', 'Next', '2'),
      ]
      server.addFaults(
        { match: { method: 'POST' }, fault: { kind: 'drop', when: 'after' } },
        { match: READS, times: 0, fault: { kind: 'endlessMoreData' } },
      )
      ledger.allowSend(draftIds)
      value(await person.send(draftIds))
      await person.settle()
      const states = new Map((await person.operations()).map(({ draftId, state }) => [draftId, state]))
      expect(states).toEqual(
        new Map([
          ['d1', 'unknown'],
          ['d2', 'queued'],
        ]),
      )
      server.control({ clearFaults: true })
      await person.checkNow(await person.operations())
      for (const { batchId } of await person.batches()) await person.call('records.resumeBatch', { batchId })
      await person.settle()
      expect((await person.operations()).map(({ state }) => state)).toEqual(['acked', 'acked'])
      expect((await ledger.compare(person)).findings).toEqual([])
    },
  )

  test.concurrent(
    'a list that changed while it was read isn’t whole, and after such a Refresh, the next one asks from the same time',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished)
      const { company, call } = world.person
      const list = await ShownList.fromService(call, company, LIST)
      await world.clock.advance(2_000)
      const [first, second] = list.records.map((record) => ({ Object: { ...record, Phone: 'new' } }))
      const page = (Page: number, Contents: readonly unknown[]): Fault => ({
        kind: 'body',
        text: JSON.stringify({ Page, MoreData: Page === 1, RequestId: 'r', Contents, Errors: null }),
      })
      // Someone edited a record between the pages, so the second begins with one of the first, and another slipped.
      const shiftPages = (): void => {
        world.server.addFaults(
          { match: READS, fault: page(1, [first]) },
          { match: { ...READS, query: 'page=2' }, fault: page(2, [first, second]) },
        )
      }
      shiftPages()
      const { set, merge } = await list.changes()
      expect(partial(ok(set))).toMatchObject({
        count: 2,
        partialReason: 'The list changed while it was read.',
        problems: [{ message: expect.stringContaining('appeared on more than one page') as unknown }],
      })
      await merge()
      await list.close()
      const kept = await ShownList.fromCopy(call, company, LIST)
      expect(kept?.updated).toBeNull()
      expect(kept?.records.filter(({ Phone }) => Phone === 'new')).toHaveLength(0)
      await kept?.close()

      shiftPages()
      const { partialReason } = partial(await world.person.read())
      expect(partialReason).toBe('The list changed while it was read.')
    },
  )

  const [other, none] = [
    { Object: { ID: 'X1', Name: 'Other', FullName: 'Other' }, Errors: null, Kind: 'customer' },
    { Object: null, Errors: null, Kind: 'customer' },
  ]
  test.concurrent.for([
    ['that speaks of errors and tells none', { Contents: [other], HasErrors: true }, 200],
    ['with an item that holds no record', { Contents: [other, none] }, 200],
    ['under an error status', { Contents: [other] }, 500],
    ['that is empty, and speaks of errors', { Contents: [], HasErrors: true }, 200],
  ] as const)(
    'a list %s settles no lost insert: it stays not confirmed, and can’t be sent again',
    async ([, list, status], context) => {
      const world = await startVirtualWorld(context.onTestFinished)
      const { ledger, person, server } = world
      const draftId = await ledger.insert(person, 'd1', 'There', '555-there')
      const text = JSON.stringify({ Errors: null, MoreData: false, RequestId: 'r', ...list })
      server.addFaults(
        { match: { method: 'POST' }, fault: { kind: 'drop', when: 'after' } },
        { match: { method: 'GET', path: '/v2/data/' }, times: 0, fault: { kind: 'body', text, status } },
      )
      ledger.allowSend([draftId])
      value(await person.send([draftId]))
      await person.settle()
      const [operation] = await person.operations()
      expect(operation?.state).toBe('unknown')
      const again = { operationId: operation?.operationId ?? '', decision: { what: 'send-again' } } as const
      expect((await person.call('records.decide', again)).ok).toBe(false)
      server.control({ clearFaults: true })
      expect((await ledger.compare(person)).findings).toEqual([])
    },
  )

  test.concurrent(
    'an error with the number of "nothing matched" isn’t a complete and empty list, but the desktop’s own message is',
    async ({ onTestFinished }) => {
      const { person, server } = await startVirtualWorld(onTestFinished)
      const answerWith = (entry: object): void => {
        const text = JSON.stringify({ Contents: [], Errors: [entry], MoreData: false, RequestId: 'r' })
        server.control({ clearFaults: true, faults: [{ match: READS, fault: { kind: 'body', text } }] })
      }
      answerWith({ StatusCode: 1, Severity: 'Error', Message: 'The agent did not answer.' })
      expect(await person.read()).toMatchObject({ ok: false, error: { kind: 'company-unavailable' } })
      answerWith({ StatusCode: 1, Severity: 'Info', Message: 'No matching object was found.' })
      expect(value(await person.read())).toMatchObject({ count: 0, isWhole: true, problems: [] })
    },
  )

  test.concurrent(
    'a page that repeats: reading stops after it, keeps each record once, and says so',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished, { server: { pageSize: 10 } })
      const fault: Fault = { kind: 'repeatedPage' }
      // The last page claims that there is more, but the next request brings nothing new.
      world.server.addFaults({ match: { ...READS, query: 'page=3' }, times: 0, fault })
      const set = await world.person.read()
      const held = value(set)
      expect(held.count).toBe(30)
      expect(new Set(await idsHeld(world, held)).size).toBe(30)
      expect(requests(world).length).toBeLessThanOrEqual(4)
    },
  )

  test.concurrent(
    'a service without pages that says there is more gets one more request',
    async (context) => {
      const world = await startVirtualWorld(context.onTestFinished, {
        settings: { pageParameter: 'unknown' },
        server: { pageSize: 10 },
      })
      const set = partial(await world.person.read())
      expect(set.count).toBe(10)
      expect(set.partialReason).toContain('didn’t send it')
      expect(requests(world)).toHaveLength(2)
    },
  )

  test.concurrent(
    'a last page that fails: what arrived is kept and marked as partial',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished, { server: { pageSize: 10 } })
      world.server.addFaults({
        match: { ...READS, query: 'page=2' },
        times: 0,
        fault: { kind: 'drop', when: 'before' },
      })
      const set = partial(await world.person.read())
      expect(set).toMatchObject({ count: 10, pages: 1 })
      expect(set.partialReason).toContain('ended before the whole response')
      expect(requests(world)).toHaveLength(4)
    },
  )

  test.concurrent(
    'stopped by the user in the middle: what arrived is kept and marked as partial',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished, { server: { pageSize: 5, latencyMs: 2_500 } })
      const { company } = world.person
      const filter = { ids: [], modifiedFrom: null, modifiedTo: null }
      const reading = world.call('records.open', { company, object: LIST, filter })
      await world.until(() => requests(world).length === 3)
      value(await world.call('records.stop', { company, object: LIST }))
      const set = partial(await world.clock.run(reading))
      expect(set.count).toBeGreaterThan(0)
      expect(set.count).toBeLessThan(30)
      expect(set.partialReason).toMatch(/stopped/i)
      await world.person.settle()
      expect(world.server.counters()).toMatchObject({ mostAtOnce: 1, refused: 0 })
    },
  )

  test.concurrent.for([
    ['counts its pages from 0', { Page: 0, MoreData: true }, 'page 0'],
    ['gives another page than was asked for', { Page: 7, MoreData: true }, 'page 7'],
    ['says so with a number', { Page: 1, MoreData: 1 }, 'page 7'],
  ] as const)('a service that %s: no page is skipped unnoticed', async ([, members, words], context) => {
    const world = await startVirtualWorld(context.onTestFinished)
    const page = (id: string, of: object): string =>
      JSON.stringify({ Contents: [{ Object: { ID: id, Name: id }, Kind: 'customer', Errors: null }], ...of })
    world.server.addFaults(
      { match: READS, fault: { kind: 'body', text: page('A', members) } },
      { match: READS, fault: { kind: 'body', text: page('B', { Page: 7, MoreData: false }) } },
    )
    const set = partial(await world.person.read())
    expect(set.partialReason).toContain(words)
  })
})

describe('ids', () => {
  test.concurrent(
    'are requested in as many requests as the URL length requires, each record once',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished, { server: { customers: 200 } })
      const all = value(await world.person.read())
      const ids = (await idsHeld(world, all)).map(String)
      world.ledger.countRequests()
      const filter = { ids: [...ids, ...ids.slice(0, 20)], modifiedFrom: null, modifiedTo: null }
      const { company } = world.person
      const set = value(await world.person.call('records.open', { company, object: LIST, filter }))
      expect(set).toMatchObject({ count: 200, isWhole: true })
      const asked = requests(world)
      expect(asked.length).toBeGreaterThan(1)
      for (const { query } of asked) expect(query.length).toBeLessThan(2_000)
      expect(asked.flatMap(({ query }) => new URLSearchParams(query).getAll('id')).toSorted()).toEqual(
        ids.toSorted(),
      )
    },
  )
})
