/** Actions that a page can't take alone: if the user declines in the main process's dialog, nothing is done. */
import { describe, expect, test } from 'vitest'
import type { Handlers } from '../../../electron/app/calls.ts'
import type { Question, SavedConnection } from '../../../electron/app/ports.ts'
import { createUnconfirmedSends, withConfirmations } from '../../../electron/app/program/confirmations.ts'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import type { UnfinishedItem } from '../../../shared/contract/activity.ts'
import type { Provisioning } from '../../../shared/contract/companies.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { VirtualClock } from '../../virtual-clock.ts'
import { standIn } from '../records/list/stand-in.ts'
import { storedCompany } from '../writing/world.ts'

const OFFICE: SavedConnection = {
  connectionId: 'c1',
  name: 'Main office',
  address: 'https://books.example',
  isSample: false,
  legacyAddress: '',
  settings: {},
}
const company = { connectionId: 'c1', endpointId: 'e1' }
const drafts = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `d${index}`)
const typed = (address: string) => ({ connectionId: 'c1', name: 'Main office', address })

const DRAFTS: UnfinishedItem = {
  kind: 'draft',
  count: 3,
  company,
  companyName: 'Alder & Finch',
  object: 'customer',
  since: '2026-03-01T09:02:00.000Z',
  provisioningId: '',
}
const IN_DOUBT: UnfinishedItem = { ...DRAFTS, kind: 'not-confirmed', count: 1, object: 'vendor' }
const WAITING = {
  state: 'waiting',
  application: 'qbd',
  expectedFile: 'C:\\Books\\Juniper.qbw',
} as Provisioning
const PROVISION = {
  connectionId: 'c1',
  application: 'qbd',
  userId: null,
  expectedFile: 'Alder.qbw',
  place: 'here',
}

type Call = readonly [name: keyof Handlers, input: object]

interface Around {
  readonly label?: string
  readonly hasNewKey?: boolean
  readonly unfinished?: readonly UnfinishedItem[]
  readonly setups?: readonly Provisioning[]
  readonly sending?: number
  readonly clock?: VirtualClock
  /** Called while the question is open. May change the state. */
  readonly meanwhile?: (handlers: Handlers, names: { label: string }) => unknown
}

/** The questions about a call, and how often it was done. */
async function call(
  [name, input]: Call,
  answer: boolean,
  around: Around = {},
): Promise<{ asked: readonly Question[]; done: number; kind: string }> {
  const world = confirmed([name], () => answer, around)
  const result = await (world.handlers[name] as (input: object) => Promise<Result<unknown>>)(input)
  expect(result.ok).toBe(world.done.length === 1)
  return { asked: world.asked, done: world.done.length, kind: result.ok ? '' : result.error.kind }
}

/** Handlers that only count their calls. */
function confirmed(
  calls: readonly (keyof Handlers)[],
  answer: () => boolean,
  { label = 'Alder & Finch', unfinished = [], setups = [], clock = new VirtualClock(), ...around }: Around,
) {
  const asked: Question[] = []
  const done: unknown[] = []
  const names = { label }
  const handler = (input: unknown) => {
    done.push(input)
    return Promise.resolve(ok({}))
  }
  const plain = standIn<Handlers>(Object.fromEntries(calls.map((name) => [name, handler])))
  const handlers: Handlers = withConfirmations(plain, {
    confirmation: {
      ask: async (question) => {
        asked.push(question)
        await around.meanwhile?.(handlers, names)
        return answer()
      },
    },
    keys: { hasNewKey: () => around.hasNewKey ?? false },
    settings: { connections: () => [OFFICE], get: () => DEFAULT_SETTINGS },
    companies: { find: (ref) => ok(storedCompany({ ref, label: names.label })) },
    unfinished: () => unfinished,
    kept: () => ({ drafts: 2, records: 1, closedMonths: 0, sending: around.sending ?? 0 }),
    damagedFiles: () => ['/home/a/bookbridge.sqlite.damaged-1'],
    provisionings: () => setups.map((setup) => ({ ...setup, again: null })),
    openWrites: () =>
      unfinished.includes(IN_DOUBT) ? err(appError('invalid-input', 'Not de-provisioned.')) : ok(undefined),
    operation: () => ({ company, object: 'customer' }),
    companiesOfChange: () => ['Alder & Finch', 'Harbor'],
    unconfirmedSends: createUnconfirmedSends(clock),
  })
  return { handlers, asked, done }
}

describe('an action that a page can’t take alone', () => {
  test.each<[string, Call, RegExp]>([
    [
      'a new connection',
      ['connection.connect', { ...typed('new.example'), connectionId: 'c9' }],
      /^Connect to new\.example\?$/,
    ],
    [
      'a changed address',
      ['connection.connect', typed('https://evil.example')],
      /^Connect to evil\.example\?$/,
    ],
    ['another port', ['connection.connect', typed('https://books.example:8443')], /books\.example:8443/],
    [
      'an older service',
      ['connection.connect', { ...typed('https://books.example'), legacyAddress: 'https://old.example' }],
      /^Connect to old\.example\?$/,
    ],
    ['a connection that goes', ['connection.remove', { connectionId: 'c1' }], /Main office/],
    ['a setup', ['companies.provision', PROVISION], /Alder\.qbw.*Main office/],
    ['an end', ['companies.deprovision', { company }], /De-provision “Alder & Finch”/],
    ['its data', ['history.deleteCompany', { company }], /Alder & Finch/],
    ['a shorter history', ['settings.set', { historyDays: 30 }], /^Keep history for only 30 days\?$/],
    [
      'a large batch',
      ['records.send', { company, object: 'customer', draftIds: drafts(101) }],
      /^Send 101 changes to “Alder & Finch”\?$/,
    ],
  ])('%s is asked about, and not done unless the user says so', async (_what, asking, words) => {
    const declined = await call(asking, false)
    expect(declined.asked[0]?.message).toMatch(words)
    expect([declined.done, declined.kind]).toEqual([0, 'declined'])
    expect((await call(asking, true)).done).toBe(1)
  })

  test.each([
    ['what looks like a path', 'evil.example/x://', 'evil.example/x:'],
    ['a host without dots', 'https://sample', 'sample'],
    ['letters of another script', 'https://bооks.example', 'xn--bks-seda.example'],
    ['a path on the same host', 'https://books.example/other', 'books.example/other'],
  ])('the address is shown as it is used: %s', async (_what, address, named) => {
    const { asked } = await call(['connection.connect', typed(address)], false)
    expect(asked[0]?.message).toContain(named)
  })

  test('a new key for a connected address needs a confirmation', async () => {
    const { asked, done } = await call(['connection.connect', typed('https://books.example')], false, {
      hasNewKey: true,
    })
    expect(asked[0]?.message).toBe('Use a new API key for “Main office”?')
    expect(done).toBe(0)
  })

  test('the same service under a new name is shown as such', async () => {
    const { asked } = await call(
      ['connection.connect', { ...typed('new.example'), isSameService: true }],
      true,
    )
    expect(asked[0]?.detail).toMatch(/was at books\.example.*Waiting changes will be sent to the new address/)
  })

  test('a name can’t hide the question', async () => {
    const label = `x”?\n\n\u202e${'long '.repeat(100)}`
    const { asked } = await call(['companies.deprovision', { company }], false, { label })
    expect(asked[0]?.message).toMatch(/^De-provision “x”\? long [^\n\u202e]{70,90}…”\?$/)
  })

  test('a company or connection that the page renamed is also shown with the service’s name', async () => {
    const label = 'Old test books'
    for (const act of [
      ['companies.deprovision', { company }],
      ['history.deleteCompany', { company }],
      ['records.send', { company, object: 'customer', draftIds: drafts(101) }],
    ] as const satisfies readonly Call[]) {
      const { asked } = await call(act, false, { label })
      expect(asked[0]?.message).toContain('“Old test books”')
      expect(asked[0]?.detail).toContain('The service lists this company as “Alder & Finch”.')
    }
    for (const act of [
      ['connection.remove', { connectionId: 'c1' }],
      ['companies.provision', PROVISION],
    ] as const satisfies readonly Call[]) {
      const { asked } = await call(act, false)
      expect(asked[0]?.detail).toContain('It connects to books.example.')
    }
  })

  test('the dialog says what would be lost, about exactly what is then acted on', async () => {
    const around = {
      unfinished: [DRAFTS, { ...DRAFTS, kind: 'provisioning', companyName: 'Juniper.qbw' }],
    } as const
    const removed = await call(['connection.remove', { connectionId: 'c1' }], false, around)
    expect(removed.asked[0]?.detail).toContain('• 3 drafts in Customers of Alder & Finch\n')
    expect(removed.asked[0]?.detail).toContain('• A company being set up: Juniper.qbw')
    expect(removed.asked[0]?.detail).toContain('• bookbridge.sqlite.damaged-1')
    expect(removed.asked[0]?.confirm).toBe('Remove with unfinished work')

    const ended = await call(['companies.deprovision', { company }], false, around)
    expect(ended.asked[0]?.detail).toMatch(/can’t be sent.*\n• 3 drafts in Customers\n.*billing/s)

    const deleted = await call(['history.deleteCompany', { company }], false, {
      unfinished: [DRAFTS, IN_DOUBT],
    })
    expect(deleted.asked[0]?.detail).toMatch(
      /can’t check after.*\n• 1 sent and not confirmed in Vendors\n.*2 drafts/s,
    )
    expect(deleted.asked[0]?.confirm).toBe('Delete with unconfirmed work')

    const begun = await call(['companies.provision', PROVISION], false, { setups: [WAITING] })
    expect(begun.asked[0]?.detail).toMatch(/starts billing.*you may be billed twice.*• “Juniper\.qbw”/s)
  })

  test('a long list leaves room for the buttons', async () => {
    const unfinished = Array.from({ length: 300 }, () => DRAFTS)
    const { asked } = await call(['connection.remove', { connectionId: 'c1' }], false, { unfinished })
    expect(asked[0]?.detail).toContain('• and 290 more')
    expect(asked[0]?.detail.split('\n').length).toBeLessThan(25)
  })

  test('there is no question about an action that can’t be done now', async () => {
    const inDoubt = { unfinished: [IN_DOUBT] }
    expect(await call(['companies.deprovision', { company }], true, inDoubt)).toMatchObject({
      asked: [],
      done: 0,
    })
    const sending = { sending: 1 }
    expect(await call(['history.deleteCompany', { company }], true, sending)).toMatchObject({
      asked: [],
      done: 0,
    })
  })

  test('one question is open at a time, and a yes applies only to it', async () => {
    const act: Call = ['companies.deprovision', { company }]
    const twice = await call(act, true, {
      meanwhile: (handlers) => handlers['companies.deprovision']({ company }),
    })
    expect([twice.asked.length, twice.done]).toEqual([1, 1])
    const renamed = await call(act, true, { meanwhile: (_handlers, names) => (names.label = 'Other') })
    expect(renamed.done).toBe(0)
  })
})

test.each<[string, Call]>([
  ['an address that is connected already', ['connection.connect', typed('books.example/')]],
  ['an address that is none, which is refused', ['connection.connect', typed('')]],
  ['a longer history, or another setting', ['settings.set', { historyDays: 366, batchSize: 1 }]],
  ['a batch of a hundred', ['records.send', { company, object: 'customer', draftIds: drafts(100) }]],
])('%s needs no confirmation', async (_what, plain) => {
  expect(await call(plain, false)).toMatchObject({ asked: [], done: 1 })
})

describe('small batches', () => {
  const small = async (handlers: Handlers, count = 100) =>
    handlers['records.send']({ company, object: 'customer', draftIds: drafts(count) })

  test('need a confirmation once there are many, even in parallel. A yes restarts the count', async () => {
    let answer = false
    const { handlers, asked, done } = confirmed(['records.send'], () => answer, {})
    await Promise.all(Array.from({ length: 4 }, () => small(handlers)))
    expect([asked.length, done.length]).toEqual([1, 3])
    expect(asked[0]?.message).toBe('Send 100 changes to “Alder & Finch”?')
    expect(asked[0]?.detail).toContain('300 other changes were sent')
    await small(handlers, 1)
    expect([asked.length, done.length]).toEqual([2, 3])

    answer = true
    await small(handlers)
    await small(handlers)
    expect([asked.length, done.length]).toEqual([3, 5])
  })

  test('count for a day, and only those that were sent', async () => {
    const clock = new VirtualClock()
    const { handlers, asked, done } = confirmed(['records.send'], () => false, { clock })
    for (let batch = 0; batch < 3; batch += 1) await small(handlers)
    // Setting the clock forward changes nothing.
    clock.set(clock.now() + 48 * 60 * 60_000)
    await small(handlers)
    expect([asked.length, done.length]).toEqual([1, 3])
    await clock.advance(24 * 60 * 60_000)
    await small(handlers)
    expect([asked.length, done.length]).toEqual([1, 4])
  })

  test('count records that are sent again, and no other decision', async () => {
    const { handlers, asked, done } = confirmed(['records.send', 'records.decide'], () => false, {})
    const decide = async (what: 'send-again' | 'discard') =>
      handlers['records.decide']({ operationId: 'o1', decision: { what } })
    for (let batch = 0; batch < 2; batch += 1) await small(handlers)
    for (let record = 0; record < 100; record += 1) await decide('send-again')
    expect([asked.length, done.length]).toEqual([0, 102])
    expect(await decide('send-again')).toMatchObject({ ok: false, error: { kind: 'declined' } })
    expect(asked[0]?.message).toBe('Send 1 change to “Alder & Finch”?')
    await decide('discard')
    expect([asked.length, done.length]).toEqual([1, 103])
  })

  test('that were refused are not counted', () => {
    const unconfirmedSends = createUnconfirmedSends(new VirtualClock())
    const takeBack = unconfirmedSends.add(300)
    expect(unconfirmedSends.wouldExceedLimit(1)).toBe(true)
    takeBack()
    expect(unconfirmedSends.wouldExceedLimit(300)).toBe(false)
  })
})
