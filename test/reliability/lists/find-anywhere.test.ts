/**
 * **Find anywhere** on the whole core: kept lists are searched without the service; others are named, and read on
 * request.
 */
import { describe, expect, test, vi } from 'vitest'
import { createFind, type FindOptions } from '../../../electron/app/all-companies/find.ts'
import type { CoveredList, FoundList } from '../../../shared/contract/all-companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { type RecordData, textOf } from '../../../shared/records/changes.ts'
import { appError, err, ok } from '../../../shared/result.ts'
import { value } from '../../result.ts'
import { standIn } from '../../unit/records/list/stand-in.ts'
import { CONNECTION_ID, makeCore } from '../world/core-parts.ts'
import { collectLists, LIST, pause, Person } from '../world/person.ts'
import { callerOf, startWorld, type World } from '../world/world.ts'
import { ShownList } from './kept-copies.ts'

const LISTS = ['customer', 'vendor', 'account']

function search(person: Person, text: string): Promise<readonly FoundList[]> {
  return collectLists((after) =>
    person.call('allCompanies.find', { connectionId: CONNECTION_ID, text, after }),
  )
}

async function coverage(person: Person) {
  await search(person, '')
  return value(await person.call('allCompanies.coverage', { connectionId: CONNECTION_ID }))
}

function readThemNow(person: Person, lists: readonly CoveredList[]) {
  return person.keepLists(lists.map(({ company, object }) => ({ endpointId: company.endpointId, object })))
}

async function readAll({ person }: World): Promise<void> {
  const { lists } = await coverage(person)
  const reading = await readThemNow(person, lists)
  expect(reading).toMatchObject({ done: lists.length, total: lists.length, failed: [] })
  // The kept files are checked again after a moment.
  await until(async () => (await coverage(person)).lists.every(({ coverage: how }) => how === 'kept'))
}

/** The program checks the kept files only periodically. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries += 1) {
    if (tries > 2_000) throw new Error('It does not come to be so.')
    await pause(5)
  }
}

const hitsOf = (lists: readonly FoundList[]): readonly string[] =>
  lists.flatMap(({ company, object, hits }) =>
    hits.map(({ recordId, path }) => `${company.endpointId} ${object} ${recordId} ${path}`),
  )

async function companies(person: Person): Promise<readonly CompanyRef[]> {
  const listed = value(await person.call('companies.list', { connectionId: CONNECTION_ID })).companies
  return listed.filter(({ isActive }) => isActive).map(({ ref }) => ref)
}

async function recordsOf(person: Person, company: CompanyRef): Promise<readonly RecordData[]> {
  const filter = { ids: [], modifiedFrom: null, modifiedTo: null }
  const set = value(await person.call('records.open', { company, object: 'customer', filter }))
  const records = await person.held(set.setId, set.count)
  value(await person.call('records.close', { setId: set.setId }))
  return records
}

describe('find anywhere', () => {
  test('lists that were never read are named and read one request at a time; then every record is found', async ({
    onTestFinished,
  }) => {
    const world = await startWorld(onTestFinished)
    const { person, server } = world
    const refs = await companies(person)
    const before = await coverage(person)
    expect(before.lists.map(({ coverage: how }) => how)).toEqual(
      refs.flatMap(() => LISTS.map(() => 'not-kept')),
    )
    expect(await search(person, 'a')).toEqual([])

    await readAll(world)
    expect(server.counters().mostAtOnce).toBe(1)
    const after = await coverage(person)
    expect(after.lists).toHaveLength(refs.length * LISTS.length)
    expect(new Set(after.lists.map(({ coverage: how }) => how))).toEqual(new Set(['kept']))

    for (const company of refs) {
      for (const record of (await recordsOf(person, company)).slice(0, 5)) {
        const own = `${company.endpointId} customer ${textOf(record['ID'])}`
        for (const field of ['FullName', 'Phone', 'Email', 'Number'] as const) {
          const typed = textOf(record[field])
          if (typed === '') continue
          const found = hitsOf(await search(person, typed))
          expect(
            found.some((hit) => hit.startsWith(own)),
            `${field} ${typed}`,
          ).toBe(true)
        }
      }
    }
  })

  test('another list that a company has is missing for the others with its application', async ({
    onTestFinished,
  }) => {
    const { person } = await startWorld(onTestFinished)
    const listed = value(await person.call('companies.list', { connectionId: CONNECTION_ID })).companies
    const alike = listed.filter(({ isActive, application }) => isActive && application === 'qbd')
    const [first, ...others] = alike.map(({ ref }) => ref)
    if (first === undefined) throw new Error('There is no such company.')
    const termsOf = async () => (await coverage(person)).lists.filter(({ object }) => object === 'terms')
    const unread = { coverage: 'not-kept', readAt: null, wholeAt: null, count: 0 } as const
    await readThemNow(person, [{ company: first, object: 'terms', ...unread }])
    await until(async () => (await termsOf()).length > 0)
    const terms = await termsOf()
    expect(others.length).toBeGreaterThan(0)
    expect(terms.map(({ company, coverage: how }) => [company.endpointId, how]).toSorted()).toEqual(
      [[first.endpointId, 'kept'], ...others.map(({ endpointId }) => [endpointId, 'not-kept'])].toSorted(),
    )
  })

  test('works without the service after a restart, and includes what was saved here since', async ({
    onTestFinished,
  }) => {
    const world = await startWorld(onTestFinished)
    const { person, server, plan } = world
    await readAll(world)
    const record = (await recordsOf(person, person.company)).find(({ IsActive }) => IsActive === 'true')
    if (record === undefined) throw new Error('There is no record.')
    await person.draftChange('moved', record, '(999) 888-7777')
    value(await person.send(['moved']))
    await person.settle()
    const own = `${person.company.endpointId} customer ${textOf(record['ID'])} Phone`
    await until(async () => hitsOf(await search(person, '9998887777')).includes(own))
    expect(hitsOf(await search(person, '9998887777'))).toEqual([own])
    if (textOf(record['Phone']) !== '')
      expect(hitsOf(await search(person, textOf(record['Phone'])))).not.toContain(own)

    await world.running.core.close()
    const requests = server.counters().received
    const again = value(
      makeCore(
        { ...plan, saved: { address: server.url, key: server.key } },
        {
          settings: { store: world.running.settings },
          secrets: world.running.secrets,
        },
      ),
    )
    onTestFinished(() => again.core.close())
    again.core.start()
    const later = new Person(callerOf(again))
    await later.openCompany()
    expect(hitsOf(await search(later, '999-888-7777'))).toEqual([own])
    expect(server.counters().received).toBe(requests)
  })

  test('a list that was only refreshed says since when it may have deleted records', async ({
    onTestFinished,
  }) => {
    const world = await startWorld(onTestFinished)
    const { person } = world
    await readAll(world)
    const shown = async () =>
      (await coverage(person)).lists.find(
        ({ company, object }) => company.endpointId === person.company.endpointId && object === LIST,
      )
    const before = await shown()
    expect(before?.wholeAt).toBe(before?.readAt)
    const list = await ShownList.fromCopy(person.call, person.company, LIST)
    await list?.refresh()
    await until(async () => (await shown())?.readAt !== before?.readAt)
    expect((await shown())?.wholeAt).toBe(before?.wholeAt)
    await list?.close()
  })

  test('a list counts as old a week after it was last read completely', async () => {
    const [company, now] = [{ connectionId: 'c', endpointId: 'e' }, Date.parse('2026-11-26T12:00:00.000Z')]
    const daysAgo = (days: number): string => new Date(now - days * 86_400_000).toISOString()
    const book = { company, object: LIST, count: 1, readAt: daysAgo(1), supported: [], indexId: 'i' }
    const listed = {
      ref: company,
      companyName: 'Alder',
      fullPath: '',
      label: '',
      keepsLists: true,
      isActive: true,
      isListed: true,
    }
    const coverageOf = async (wholeAt: string, isListed = true) => {
      const find = createFind(
        standIn<FindOptions>({
          books: { prepare: () => Promise.resolve({ books: [{ ...book, wholeAt }], waiting: 0 }) },
          reader: { state: () => null },
          companies: { list: () => [{ ...listed, isListed }] },
          settings: { get: () => ({ keepLists: true }) },
          clock: { now: () => now, elapsed: () => 0 },
          rows: {},
        }),
      )
      const { lists } = value(await find['allCompanies.coverage']({ connectionId: 'c' }))
      return lists[0]?.coverage
    }
    expect(await coverageOf(daysAgo(6))).toBe('kept')
    expect(await coverageOf(daysAgo(8))).toBe('old')
    // Lists of a company that is no longer listed can't be read again, so they are left out.
    expect(await coverageOf(daysAgo(8), false)).toBeUndefined()
  })

  test('a list that is read again or turned off during a search doesn’t end it, unlike a crash', async () => {
    const company = { connectionId: 'c', endpointId: 'e' }
    const book = { company, count: 1, readAt: '', wholeAt: '', supported: [] }
    const vendors = { ...book, object: 'vendor', indexId: 'vendors' }
    const names = { companyName: 'Alder', fullPath: '', label: '' }
    const listed = { ref: company, ...names, isActive: true, isListed: true }
    const found = async (then: readonly unknown[]) => {
      const forgetAll = vi.fn()
      const prepare = vi
        .fn()
        .mockResolvedValueOnce({ books: [{ ...book, object: LIST, indexId: 'before' }, vendors], waiting: 0 })
        .mockResolvedValue({ books: [...then, vendors], waiting: 3 })
      const find = createFind(
        standIn<FindOptions>({
          books: { prepare, forgetAll },
          companies: { list: () => [listed] },
          clock: { elapsed: () => 0 },
          rows: {
            findInIndex: (indexId: string) =>
              Promise.resolve(
                indexId === 'before'
                  ? err(appError('not-found', 'This list is no longer in memory.', ''))
                  : ok({ total: indexId === 'vendors' ? 1 : 2, isMore: false, found: [] }),
              ),
          },
        }),
      )
      const result = await find['allCompanies.find']({ connectionId: 'c', text: 'ash', after: null })
      const totals = result.ok ? result.value.lists.map(({ object, total }) => [object, total]) : null
      return [totals, result.ok ? result.value.waiting : null, forgetAll.mock.calls.length]
    }
    expect(await found([{ ...book, object: LIST, indexId: 'after' }])).toEqual([
      [
        [LIST, 2],
        ['vendor', 1],
      ],
      3,
      0,
    ])
    expect(await found([])).toEqual([[['vendor', 1]], 3, 0])
    expect(await found([{ ...book, object: LIST, indexId: 'before' }])).toEqual([null, null, 1])
  })

  test.for([
    ['one is deleted while it is searched', 'A', ['A', 'B', 'C', 'D'], ['B', 'C', 'D'], ['B', 'C', 'D']],
    ['an earlier one is deleted', 'B', ['A', 'B', 'C', 'D'], ['B', 'C', 'D'], ['A', 'B', 'C', 'D']],
    ['one is added in front', 'B', ['B', 'C', 'D'], ['A', 'B', 'C', 'D'], ['B', 'C', 'D']],
  ] as const)('each list that is left is searched once if %s', async ([, during, before, then, expected]) => {
    let kept: readonly string[] = before
    let elapsed = 0
    const refOf = (endpointId: string) => ({ connectionId: 'c', endpointId })
    const find = createFind(
      standIn<FindOptions>({
        books: {
          prepare: () =>
            Promise.resolve({
              books: kept.map((name) => ({ company: refOf(name), object: LIST, count: 1, indexId: name })),
              waiting: 0,
            }),
        },
        companies: {
          list: () =>
            ['A', 'B', 'C', 'D'].map((companyName) => ({
              ...{ ref: refOf(companyName), companyName, fullPath: '', label: '' },
              ...{ isActive: true, isListed: true },
            })),
        },
        // Each list takes so long that the search returns after it.
        clock: { elapsed: () => elapsed },
        rows: {
          findInIndex: (indexId: string) => {
            elapsed += 1_000
            if (indexId === during) kept = then
            return Promise.resolve(
              kept.includes(indexId)
                ? ok({ total: 1, isMore: false, found: [] })
                : err(appError('not-found', 'This list is no longer in memory.', '')),
            )
          },
        },
      }),
    )
    const lists = await collectLists(async (after) =>
      find['allCompanies.find']({ connectionId: 'c', text: 'ash', after }),
    )
    expect(lists.map(({ company }) => company.endpointId)).toEqual(expected)
  })

  test('a list that can’t be kept on this computer is reported once, even if it is asked for twice', async ({
    onTestFinished,
  }) => {
    const world = await startWorld(onTestFinished)
    const { person, running } = world
    const refused = err(appError('keychain', 'The keychain is locked.'))
    vi.spyOn(running.secrets, 'get').mockImplementation((service) =>
      Promise.resolve(service.endsWith(' lists') ? refused : ok(world.server.key)),
    )
    const { lists } = await coverage(person)
    const [first] = lists
    if (first === undefined) throw new Error('There is a list.')
    const reading = await readThemNow(person, [first, first])
    expect(reading.total).toBe(1)
    expect(reading.failed.map(({ error }) => error.message)).toEqual([
      'The list was read, but no copy could be kept on this computer.',
    ])
  })

  test('a company that is turned off is named and not searched; deleted data is not found', async ({
    onTestFinished,
  }) => {
    const world = await startWorld(onTestFinished)
    const { person } = world
    await readAll(world)
    const refs = await companies(person)
    const [off, deleted] = refs
    if (off === undefined || deleted === undefined) throw new Error('There are two companies at least.')
    value(await person.call('companies.annotate', { company: off, notes: { keepsLists: false } }))
    value(await person.call('history.deleteCompany', { company: deleted }))
    const { notKept: told, lists } = await coverage(person)
    expect(told).toEqual([off])
    const kept = lists.filter(({ coverage: how }) => how === 'kept').map(({ company }) => company.endpointId)
    expect(kept).not.toContain(off.endpointId)
    expect(kept).not.toContain(deleted.endpointId)
    for (const list of await search(person, 'a'))
      expect([off.endpointId, deleted.endpointId]).not.toContain(list.company.endpointId)
  })

  test.for([
    [
      'turned off',
      (person: Person, company: CompanyRef) =>
        person.call('companies.annotate', { company, notes: { keepsLists: false } }),
    ],
    ['deleted', (person: Person, company: CompanyRef) => person.call('history.deleteCompany', { company })],
  ] as const)(
    'lists are read on if a company is %s meanwhile, and none of its own is kept',
    async ([, withdraw], { onTestFinished }) => {
      const world = await startWorld(onTestFinished)
      const { person, server } = world
      const { lists } = await coverage(person)
      const [reading, waiting, ...others] = await companies(person)
      if (reading === undefined || waiting === undefined || others.length === 0)
        throw new Error('There are three companies at least.')
      const isOf =
        (...refs: readonly CompanyRef[]) =>
        ({ company }: CoveredList): boolean =>
          refs.some(({ endpointId }) => endpointId === company.endpointId)
      // The first request is on its way until both companies are withdrawn.
      server.addFaults({ times: 1, fault: { kind: 'slow', milliseconds: 500, when: 'before' } })
      server.control({ clearRequests: true })
      const done = readThemNow(person, [
        ...lists.filter(isOf(reading)),
        ...lists.filter((list) => !isOf(reading)(list)),
      ])
      await until(() => Promise.resolve(server.counters().requests.length > 0))
      for (const company of [reading, waiting])
        expect(await withdraw(person, company)).toMatchObject({ ok: true })
      expect(await done).toMatchObject({ failed: [], total: lists.length, done: lists.length })
      expect(server.counters().requests.some(({ path }) => path.includes(waiting.endpointId))).toBe(false)
      await until(async () => {
        const known = (await coverage(person)).lists
        return known.filter(isOf(...others)).every(({ coverage: how }) => how === 'kept')
      })
      const kept = (await coverage(person)).lists.filter(({ coverage: how }) => how === 'kept')
      expect(kept.filter(isOf(reading, waiting))).toEqual([])
    },
  )

  test('a silent company is named once per list, and the others are read', async ({ onTestFinished }) => {
    const world = await startWorld(onTestFinished, { settings: { readSeconds: 30 } })
    const { person, server } = world
    const [silent] = value(
      await person.call('companies.list', { connectionId: CONNECTION_ID }),
    ).companies.filter(({ isActive }) => isActive)
    if (silent === undefined) throw new Error('There is a company.')
    server.control({ company: silent.companyName, conditions: { machine: 'off' } })
    const { lists } = await coverage(person)
    const reading = await readThemNow(person, lists)
    expect(new Set(reading.failed.map(({ company }) => company.endpointId))).toEqual(
      new Set([silent.ref.endpointId]),
    )
    expect(reading.failed).toHaveLength(LISTS.length)
    expect(reading.done).toBe(lists.length)
    expect(server.counters().mostAtOnce).toBe(1)
  })
})
