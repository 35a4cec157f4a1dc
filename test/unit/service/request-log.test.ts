/** The log behind Activity: limited, without secrets and records, and with an entry for what was cut off. */
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createRequestLog } from '../../../electron/app/program/activity.ts'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { translateErrors } from '../../../electron/service/errors/service-errors.ts'
import { begunEntry, withOutcome } from '../../../electron/service/protocol/log-entry.ts'
import { requestsFor, type ServiceRequest } from '../../../electron/service/protocol/requests.ts'
import type { SlotRequest } from '../../../electron/service/protocol/wire.ts'
import { openStore, type Store } from '../../../electron/store/store.ts'
import type { LogEntry } from '../../../shared/contract/activity.ts'
import { appError } from '../../../shared/result.ts'
import { KillableCore } from '../../reliability/kills/killable.ts'
import { CONNECTION_ID } from '../../reliability/world/core-parts.ts'
import { emptyFolder, QUICK_SETTINGS, startServer } from '../../reliability/world/world.ts'
import { value } from '../../result.ts'
import { testFolder } from '../writing/world.ts'

const options = { now: () => Date.parse('2026-03-01T09:00:00Z') }
const requests = requestsFor(DEFAULT_SETTINGS)
const REQUEST = {
  connectionId: 'c1',
  company: null,
  companyName: 'Alder & Finch',
  what: 'Reading customers',
  isWrite: false,
  priority: 'interactive',
  batchId: '',
} as const

function begun(slotRequest: SlotRequest, request: ServiceRequest, doing = '') {
  return begunEntry(slotRequest, request, { entryId: 'e1', started: 0, doing })
}

function entry(over: Partial<LogEntry>): LogEntry {
  return {
    entryId: 'e',
    at: '2026-01-01T00:00:00Z',
    connectionId: 'c1',
    companyName: '',
    company: null,
    what: '',
    method: 'GET',
    path: '/',
    isWrite: false,
    outcome: 'answered',
    says: '',
    code: '',
    status: 200,
    milliseconds: 1,
    bytes: 1,
    requestId: '',
    batchId: '',
    reads: null,
    reviewedMonth: null,
    ...over,
  }
}

function open(path = join(testFolder(), 'bookbridge.sqlite')): Store {
  const store = value(openStore(path, options))
  onTestFinished(() => {
    store.close()
  })
  return store
}

function all(store: Store): readonly LogEntry[] {
  return store.requestLog.list({ connectionId: null, before: null, limit: 100_000 })
}

describe('the log on disk', () => {
  test('is read newest first, in pages, for one connection or all', () => {
    const store = open()
    for (let index = 0; index < 10; index += 1) {
      const connectionId = index % 2 === 0 ? 'c1' : 'c2'
      store.requestLog.put(entry({ entryId: `e${index}`, at: `2026-01-0${index}T00:00:00Z`, connectionId }))
    }
    const ids = (connectionId: string | null, before: string | null): readonly string[] =>
      store.requestLog.list({ connectionId, before, limit: 3 }).map(({ entryId }) => entryId)
    expect(ids(null, null)).toEqual(['e9', 'e8', 'e7'])
    expect(ids('c1', '2026-01-06T00:00:00Z')).toEqual(['e4', 'e2', 'e0'])
  })

  test('limits age, number, and size, whichever comes first', () => {
    const store = open()
    const says = 'x'.repeat(1_000)
    for (let index = 1; index <= 9; index += 1) {
      store.requestLog.put(entry({ entryId: `e${index}`, at: `2026-01-0${index}T00:00:00Z`, says }))
    }
    const kept = (): string =>
      all(store)
        .map(({ entryId }) => entryId)
        .join(' ')
    const bounds = { before: '2026-01-01', most: 100, mostBytes: 1_000_000 }
    store.requestLog.trim({ ...bounds, before: '2026-01-03T00:00:00Z' })
    expect(kept()).toBe('e9 e8 e7 e6 e5 e4 e3')
    store.requestLog.trim({ ...bounds, most: 5 })
    expect(kept()).toBe('e9 e8 e7 e6 e5')
    store.requestLog.trim({ ...bounds, mostBytes: 3_900 })
    expect(kept()).toBe('e9 e8 e7')
  })

  test('stays within its limits while the program runs, without a restart', () => {
    const store = open()
    const defects: string[] = []
    const clock = { now: () => Date.parse('2026-03-01T09:00:00Z') }
    const log = createRequestLog({ store: store.requestLog, clock, defect: (where) => defects.push(where) })
    log.put(entry({ entryId: 'old', at: '2025-11-01T00:00:00Z' }), 0)
    for (let index = 0; index < 500; index += 1) {
      log.put(entry({ entryId: `e${index}`, at: '2026-02-01T00:00:00Z' }), 0)
    }
    expect(all(store).some(({ entryId }) => entryId === 'old')).toBe(false)
    expect(all(store)).toHaveLength(500)
    expect(defects).toEqual([])
  })

  test('a request that was running when its company was deleted adds no line, and a later one does, whatever the clock says', () => {
    const store = open()
    let now = Date.parse('2026-03-01T09:00:00Z')
    const log = createRequestLog({ store: store.requestLog, clock: { now: () => now }, defect: String })
    const company = { connectionId: 'c1', endpointId: 'e1' }
    const put = (entryId: string, since: number, over: Partial<LogEntry>): void => {
      log.put(entry({ entryId, at: new Date(now).toISOString(), ...over }), since)
    }
    const atFirst = log.deletions()
    log.forget(company)
    put('of the company', atFirst, { company })
    put('of another', atFirst, { company: { ...company, endpointId: 'e2' } })
    // The clock is set back, and forward again.
    now -= 3_600_000
    put('asked later', log.deletions(), { company })
    now += 7_200_000
    put('asked before', atFirst, { company })
    const ids = (): readonly string[] => all(store).map(({ entryId }) => entryId)
    expect(ids().toSorted()).toEqual(['asked later', 'of another'])
    log.forget({ connectionId: 'c1' })
    put('of the connection', atFirst, {})
    put('of another connection', atFirst, { connectionId: 'c2' })
    expect(ids()).not.toContain('of the connection')
    expect(ids()).toContain('of another connection')
  })
})

describe('a line', () => {
  test('names no record: it has a query’s parameters, but never their values', () => {
    const query = { ids: ['80000001-42', '80000002-42'], modTimeStart: '2026-01-01T00:00:00+00:00', page: 3 }
    const { path } = begun(REQUEST, requests.readRecords('ep-1', 'customer', query))
    expect(path).toBe('/v2/data/ep-1/customer?id&modTimeStart&page')
    const report = requests.selectReport('ep-1', {
      name: 'ProfitAndLoss',
      from: '2026-01-01T00:00:00',
      to: '2026-03-31T00:00:00',
    })
    expect(begun(REQUEST, report).path).toContain('name=ProfitAndLoss')
  })

  test('of a read in a sending slot says what it does, and that it sends nothing', () => {
    const sending = { ...REQUEST, what: 'Sending to Customers', isWrite: true }
    const read = requests.readRecords('ep-1', 'customer', { ids: ['1'] })
    const doing = 'Checking for changes in the application'
    expect(begun(sending, read, doing).what).toBe(`${doing} · Sending to Customers`)
    expect(begun(sending, read).what).toBe('Checking first · Sending to Customers')
    const insert = requests.insertRecords('ep-1', 'customer', '[]')
    expect(begun(sending, insert, doing).what).toBe('Sending to Customers')
    expect(begun(REQUEST, read, 'page 2').what).toBe('Reading customers')
  })

  test('has our message and the code, but not the service’s message, which may name a record', () => {
    const errors = [{ code: '9999', message: 'Cedar & Holm owes 12.00', severity: '', detail: '', raw: '{}' }]
    const error = translateErrors('qbd', errors, 'r-1', 200)
    expect(error.message).toContain('Cedar & Holm')
    const line = withOutcome(begun(REQUEST, requests.listCompanies({})), {
      hasResponse: true,
      isAbandoned: false,
      error,
      codes: [],
      received: '',
    })
    expect(line).toMatchObject({ outcome: 'service-error', code: '9999' })
    expect(JSON.stringify(line)).not.toContain('Cedar')
  })

  test('says that the answer to a stopped read arrived anyway, not that it failed', () => {
    const error = appError('not-found', 'This list is no longer in memory.')
    const sent = begun(REQUEST, requests.listCompanies({}))
    // By the user, or because the page was reloaded.
    for (const isAbandoned of [true, false]) {
      const line = withOutcome(sent, { hasResponse: true, isAbandoned, error, codes: [], received: '' })
      expect(line).toMatchObject({ outcome: 'answered', says: 'Done after it was stopped' })
    }
  })

  test('keeps the codes of errors about single records, and nothing else', () => {
    const line = withOutcome(begun(REQUEST, requests.insertRecords('e', 'customer', '[]')), {
      hasResponse: true,
      isAbandoned: false,
      error: null,
      codes: ['3100', '3100', '0x80040414', 'the name Cedar is in use'],
      received: '',
    })
    expect(line).toMatchObject({
      outcome: 'answered',
      says: 'Done, with errors',
      code: '3100, 0x80040414',
    })
  })
})

test('a write that was running when the program was killed has an entry that says so', async () => {
  const server = await startServer(onTestFinished)
  const plan = {
    userData: emptyFolder(onTestFinished),
    settings: QUICK_SETTINGS,
    beginsAt: Date.now(),
    factor: 1,
    saved: { address: server.url, key: server.key },
  }
  const lines = async (core: KillableCore): Promise<readonly LogEntry[]> =>
    value(await core.call('activity.log', { connectionId: null, before: null, limit: 100 }))
  const first = value(await KillableCore.begin(plan))
  onTestFinished(() => first.kill())
  await first.start()
  server.control({ faults: [{ match: { method: 'POST' }, fault: { kind: 'hang', when: 'after' } }] })
  const what = { application: 'qbd', userId: null, expectedFile: '', place: 'here' } as const
  first.call('companies.provision', { connectionId: CONNECTION_ID, ...what }).catch(() => undefined)
  await expect.poll(() => server.counters().requests.filter(({ method }) => method === 'POST').length).toBe(1)
  expect(await lines(first)).toMatchObject([{ method: 'POST', outcome: 'begun', isWrite: true }])
  await first.kill()

  const second = value(await KillableCore.begin(plan))
  onTestFinished(() => second.kill())
  await second.start()
  expect(await lines(second)).toMatchObject([
    {
      method: 'POST',
      outcome: 'cut-off',
      says: 'Bookbridge closed before the response arrived.',
      status: null,
    },
  ])
})
