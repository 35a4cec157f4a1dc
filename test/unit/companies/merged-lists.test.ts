// Companies in the main process: merging two lists, the older service's responses, and small reads before long ones.
import { describe, expect, test } from 'vitest'
import { listedId, withListedIds } from '../../../electron/app/companies/companies.ts'
import { createCompanyTests } from '../../../electron/app/companies/company-tests.ts'
import { ownSettings, settingsFor } from '../../../electron/app/connections/connections.ts'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { type Clock, createSystemClock } from '../../../electron/clock.ts'
import {
  decodeLegacyCompanies,
  decodeLegacyResponse,
  refusedLegacyKeyOf,
} from '../../../electron/service/companies/company-list.ts'
import type {
  RawResponse,
  ServiceClient,
  SlotRequest,
  Wire,
} from '../../../electron/service/protocol/wire.ts'
import { createQueueNames } from '../../../electron/service/queue/request-queue.ts'
import type { StoredCompany } from '../../../electron/store/companies.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { standIn } from '../records/list/stand-in.ts'
import { record, savedLists, stored } from './company-records.ts'

describe('two lists as one', () => {
  const names = (companies: readonly StoredCompany[]) =>
    companies.map(({ ref, listedBy }) => `${ref.endpointId} ${listedBy}`)

  test('are merged by endpoint ID, with the current service’s record if both have one', () => {
    const merged = savedLists(
      [record('a', { companyName: 'New name' }), record('b')],
      [record('a', { companyName: 'Old name' }), record('z')],
    )
    expect(names(merged)).toEqual(['a both', 'b v2', 'z v1'])
    expect(merged[0]?.companyName).toBe('New name')
  })

  test('an ID that the older service spells in another case is the same company, and keeps our notes', () => {
    const merged = savedLists([record('e-1')], [record('E-1'), record('Z')], [stored('e-1', 'both')])
    expect(names(merged)).toEqual(['e-1 both', 'Z v1'])
    const known = [{ ...stored('E-9', 'v2'), label: 'Finch' }]
    const again = savedLists([record('e-9')], [], known)
    expect(again).toMatchObject([{ label: 'Finch', ref: { endpointId: 'E-9' } }])
    const both = savedLists([record('e-9'), record('E-9')], [], known)
    expect(both.map(({ ref, label }) => [ref.endpointId, label])).toEqual([
      ['e-9', ''],
      ['E-9', 'Finch'],
    ])
  })

  test('a company that is listed in another spelling keeps ours here, and is requested by the service’s', async () => {
    const known = { ...stored('MOVE-1', 'v1'), label: 'Finch' }
    const [moved = expect.fail()] = savedLists([record('move-1')], [], [known])
    expect(moved).toMatchObject({ label: 'Finch', ref: { endpointId: 'MOVE-1' }, listedAs: 'move-1' })
    expect(savedLists([record('MOVE-1')], [], [moved])[0]).not.toHaveProperty('listedAs')

    const asked: string[] = []
    const answer = (endpointId: string) => Promise.resolve(ok(asked.push(endpointId)))
    const wire = standIn<Wire>({ readRecords: answer, selectReport: answer })
    const client = { read: (_request: unknown, operation: (wire: Wire) => unknown) => operation(wire) }
    const listed = withListedIds(standIn<ServiceClient>(client), (company) =>
      listedId({ get: () => (company.endpointId === 'MOVE-1' ? moved : null) }, company),
    )
    const request = { connectionId: 'c' } as SlotRequest
    const decode = () => Promise.resolve(ok({ requestId: '' }))
    await listed.read(request, (each) => each.readRecords('MOVE-1', 'customer', {}, decode))
    await listed.read(request, (each) =>
      each.selectReport('other', { name: 'TrialBalance', from: '', to: '' }, decode),
    )
    expect(asked).toEqual(['move-1', 'other'])
  })

  test('no token is offered for a company that only the older service lists', () => {
    const withToken = { ...record('z'), hasToken: true }
    expect(savedLists([], [withToken])[0]?.hasToken).toBe(false)
    expect(savedLists([withToken], [withToken])[0]?.hasToken).toBe(true)
  })

  test('if the older list couldn’t be read, its earlier companies stay', () => {
    const before = [stored('a', 'both'), stored('z', 'v1'), stored('gone', 'v2'), stored('moved', 'both')]
    expect(names(savedLists([record('a')], null, before))).toEqual(['a both', 'z v1', 'moved v1'])
  })
})

describe('the older service’s answers', () => {
  const answer = (value: unknown, status = 200): RawResponse => {
    const block = new TextEncoder().encode(JSON.stringify(value))
    return { status, contentType: 'application/json', blocks: [block], length: block.length }
  }
  const meta = (StatusCode: string, Message: string) => ({ Meta: { StatusCode, Message }, Detail: [] })

  test('StatusCode 0 is a success, and anything else an error in its own words', () => {
    expect(decodeLegacyResponse(answer(meta('0', '0 endpoint ids found.'))).ok).toBe(true)
    const failed = decodeLegacyResponse(answer(meta('7', 'The archive is closed today.')))
    expect(failed).toMatchObject({ ok: false, error: { kind: 'service-error' } })
    expect(failed.ok ? '' : failed.error.message).toContain('The archive is closed today.')
  })

  test('a rejected key may be reported by HTTP or only by Meta', () => {
    for (const refused of [answer(meta('401', 'No.'), 401), answer(meta('401', 'No.'))]) {
      expect(decodeLegacyResponse(refused)).toMatchObject({ ok: false, error: { kind: 'unauthorized' } })
    }
    const envelope = { status: 200, statusCode: '500', message: 'Something broke.', detail: [] }
    expect(refusedLegacyKeyOf(envelope)).toBeNull()
    expect(refusedLegacyKeyOf({ ...envelope, statusCode: '403' })?.details.service).toBe('v1')
  })

  test('timestamps without an offset are UTC', () => {
    const detail = [{ endpointId: 'a', dateTimeCreated: '2019-05-06T07:08:09' }]
    const [company] = decodeLegacyCompanies({ status: 200, statusCode: '0', message: '', detail })
    expect(company?.dateTimeCreated).toBe('2019-05-06T07:08:09Z')
  })
})

describe('queues', () => {
  const target = { address: 'https://a.example/api', key: 'k', legacyKey: 'l' }
  const queueOf = createQueueNames('secret')

  test('there is one for each key, whatever the address', () => {
    expect(queueOf({ ...target, address: 'https://b.example' })).toBe(queueOf(target))
    expect(queueOf({ ...target, key: 'other' })).not.toBe(queueOf(target))
    expect(queueOf(target, 'v1')).not.toBe(queueOf(target))
    expect(queueOf({ ...target, legacyKey: 'k' }, 'v1')).toBe(queueOf(target))
  })

  test('a name can’t be made from a key without this computer’s secret', () => {
    expect(createQueueNames('another secret')(target)).not.toBe(queueOf(target))
  })
})

describe('settings of a connection', () => {
  test('only differences are stored, and the rest follows the program', () => {
    const own = ownSettings(
      { readSeconds: 45, writeSeconds: DEFAULT_SETTINGS.writeSeconds },
      DEFAULT_SETTINGS,
    )
    expect(own).toEqual({ readSeconds: 45 })
    const program = { ...DEFAULT_SETTINGS, writeSeconds: 90 }
    expect(settingsFor(program, own)).toMatchObject({ readSeconds: 45, writeSeconds: 90 })
    expect(settingsFor(program, undefined)).toBe(program)
  })
})

describe('a small read before a long one', () => {
  const company = stored('a', 'v2')
  const make = (answers: readonly Result<void>[]) => {
    let now = 1_000_000_000_000
    const left = [...answers]
    const asked = { count: 0 }
    const client = standIn<ServiceClient>({
      read: () => {
        asked.count += 1
        return Promise.resolve(left.shift() ?? ok(undefined))
      },
    })
    const clock: Clock = {
      ...createSystemClock(),
      now: () => now,
      after: () => () => undefined,
    }
    const tests = createCompanyTests(client, clock)
    return { tests, asked, pass: (minutes: number) => void (now += minutes * 60_000) }
  }

  test('is made once after a while, and not again while the company responds', async () => {
    const { tests, asked, pass } = make([])
    expect((await tests.probe(company, 'customer')).ok).toBe(true)
    pass(14)
    expect((await tests.probe(company, 'customer')).ok).toBe(true)
    expect(asked.count).toBe(1)
    pass(2)
    await tests.probe(company, 'customer')
    expect(asked.count).toBe(2)
  })

  test('stops it if the company doesn’t respond, but not for another refusal', async () => {
    const silent = err(appError('timed-out', 'No answer.'))
    const away = err(appError('company-unavailable', 'The agent is away.'))
    const other = err(appError('service-error', 'No customers here.'))
    const { tests } = make([silent, away, other])
    expect((await tests.probe(company, 'customer')).ok).toBe(false)
    expect((await tests.probe(company, 'customer')).ok).toBe(false)
    expect((await tests.probe(company, 'customer')).ok).toBe(true)
  })
})
