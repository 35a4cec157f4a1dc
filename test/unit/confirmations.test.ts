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
  address: 'https://books.example/',
  isSample: false,
  legacyAddress: '',
  settings: {},
}
const SAMPLE = { ...OFFICE, connectionId: 's1', name: 'Sample', isSample: true }
const company = { connectionId: 'c1', endpointId: 'e1' }
const ofSample = { connectionId: 's1', endpointId: 'e1' }
const drafts = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `d${index}`)
const typed = (address: string) => ({ connectionId: 'c1', name: 'Main office', address })

type Call = readonly [name: keyof Handlers, input: object]

/** What is asked about a call, and whether it is done. */
async function call(
  [name, input]: Call,
  answer: boolean,
): Promise<{ asked: readonly Question[]; done: number }> {
  const asked: Question[] = []
  let done = 0
  const handler = () => {
    done += 1
    return Promise.resolve(ok({}))
  }
  const handlers = confirmedHandlers({ [name]: handler } as unknown as Handlers, {
    confirmation: {
      ask: (question) => {
        asked.push(question)
        return Promise.resolve(answer)
      },
    },
    settings: { connections: () => [OFFICE, SAMPLE] },
    companies: { known: (ref) => ok(storedCompany({ ref, label: 'Alder & Finch' })) },
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

  test('the same service under a new name is said to be that', async () => {
    const { asked } = await call(
      ['connection.connect', { ...typed('new.example'), isSameService: true }],
      true,
    )
    expect(asked[0]?.detail).toMatch(/was at books\.example until now.*same service/)
  })
})

test.each<[string, Call]>([
  ['an address that is connected already', ['connection.connect', typed('books.example/')]],
  ['an address that is none, which is refused', ['connection.connect', typed('')]],
  ['a batch of a hundred', ['records.send', { company, object: 'customer', draftIds: drafts(100) }]],
  [
    'a batch to the sample',
    ['records.send', { company: ofSample, object: 'customer', draftIds: drafts(500) }],
  ],
  ['the end of a company of the sample', ['companies.deprovision', { company: ofSample, typedName: 'x' }]],
])('nobody is asked about %s', async (_what, plain) => {
  expect(await call(plain, false)).toEqual({ asked: [], done: 1 })
})
