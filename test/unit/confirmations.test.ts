/** What a page can't do alone: declined in the main process's dialog, nothing of it is done. */
import { describe, expect, test } from 'vitest'
import { confirmedHandlers } from '../../electron/app/confirmations.ts'
import type { Handlers } from '../../electron/app/handlers.ts'
import type { Question, SavedConnection } from '../../electron/app/ports.ts'
import { ok } from '../../shared/result.ts'
import { storedCompany } from './writing-world.ts'

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

type Call = readonly [name: keyof Handlers, input: object]

interface Around {
  readonly label?: string
  readonly hasNewKey?: boolean
  /** While the question is open; it may change what is known. */
  readonly meanwhile?: (handlers: Handlers, names: { label: string }) => unknown
}

/** What is asked about a call, and how often it is done. */
async function call(
  [name, input]: Call,
  answer: boolean,
  { label = 'Alder & Finch', hasNewKey = false, meanwhile }: Around = {},
): Promise<{ asked: readonly Question[]; done: number }> {
  const asked: Question[] = []
  const names = { label }
  let done = 0
  const handler = () => {
    done += 1
    return Promise.resolve(ok({}))
  }
  const handlers: Handlers = confirmedHandlers({ [name]: handler } as unknown as Handlers, {
    confirmation: {
      ask: async (question) => {
        asked.push(question)
        await meanwhile?.(handlers, names)
        return answer
      },
    },
    keys: { hasNewKey: () => hasNewKey },
    settings: { connections: () => [OFFICE] },
    companies: { known: (ref) => ok(storedCompany({ ref, label: names.label })) },
  })
  const result = await (handlers[name] as (input: object) => Promise<{ readonly ok: boolean }>)(input)
  expect(result.ok).toBe(done === 1)
  return { asked, done }
}

describe('an act that a page can’t do alone', () => {
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
    [
      'a set-up',
      ['companies.provision', { connectionId: 'c1', expectedFile: 'Alder.qbw' }],
      /Alder\.qbw.*Main office/,
    ],
    ['an end', ['companies.deprovision', { company, typedName: 'x' }], /De-provision “Alder & Finch”/],
    ['its data', ['history.deleteCompany', { company, evenUnconfirmed: true }], /Alder & Finch/],
    [
      'a large batch',
      ['records.send', { company, object: 'customer', draftIds: drafts(101) }],
      /^Send 101 changes to “Alder & Finch”\?$/,
    ],
  ])('%s is asked about, and not done unless the person says so', async (_what, asking, words) => {
    const declined = await call(asking, false)
    expect(declined.asked[0]?.message).toMatch(words)
    expect(declined.done).toBe(0)
    expect((await call(asking, true)).done).toBe(1)
  })

  test.each([
    ['what looks like a path', 'evil.example/x://', 'evil.example/x:'],
    ['a host without dots', 'https://sample', 'sample'],
    ['letters of another script', 'https://bооks.example', 'xn--bks-seda.example'],
    ['a path on the same host', 'https://books.example/other', 'books.example/other'],
  ])('the address is named as it is used: %s', async (_what, address, named) => {
    const { asked } = await call(['connection.connect', typed(address)], false)
    expect(asked[0]?.message).toContain(named)
  })

  test('a new key for an address that is connected already is asked about', async () => {
    const { asked, done } = await call(['connection.connect', typed('https://books.example')], false, {
      hasNewKey: true,
    })
    expect(asked[0]?.message).toBe('Use a new API key for “Main office”?')
    expect(done).toBe(0)
  })

  test('the same service under a new name is said to be that', async () => {
    const { asked } = await call(
      ['connection.connect', { ...typed('new.example'), isSameService: true }],
      true,
    )
    expect(asked[0]?.detail).toMatch(/was at books\.example.*Changes that wait are sent to the new address/)
  })

  test('a name can’t push the question aside', async () => {
    const label = `x”?\n\n\u202e${'long '.repeat(100)}`
    const { asked } = await call(['companies.deprovision', { company, typedName: 'x' }], false, { label })
    expect(asked[0]?.message).toMatch(/^De-provision “x”\? long [^\n\u202e]{70,90}…”\?$/)
  })

  test('one question is open at a time, and a yes is to what was asked', async () => {
    const act: Call = ['companies.deprovision', { company, typedName: 'x' }]
    const twice = await call(act, true, {
      meanwhile: (handlers) => handlers['companies.deprovision']({ company, typedName: 'x' }),
    })
    expect([twice.asked.length, twice.done]).toEqual([1, 1])
    const renamed = await call(act, true, { meanwhile: (_handlers, names) => (names.label = 'Other') })
    expect(renamed.done).toBe(0)
  })
})

test.each<[string, Call]>([
  ['an address that is connected already', ['connection.connect', typed('books.example/')]],
  ['an address that is none, which is refused', ['connection.connect', typed('')]],
  ['a batch of a hundred', ['records.send', { company, object: 'customer', draftIds: drafts(100) }]],
])('nobody is asked about %s', async (_what, plain) => {
  expect(await call(plain, false)).toEqual({ asked: [], done: 1 })
})
