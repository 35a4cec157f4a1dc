/**
 * Faults while reading (the reading column in `table.test.ts`): each fault on a real socket, and the program's message.
 */
import { describe, expect, test } from 'vitest'
import type { OpenedSet } from '../../../shared/contract/records.ts'
import type { ErrorKind, Result } from '../../../shared/result.ts'
import { value } from '../../result.ts'
import type { Fault } from '../../sample-server/faults.ts'
import { tlsService } from '../../unit/service/network.ts'
import { moveConnection } from '../world/core-parts.ts'
import { LIST } from '../world/person.ts'
import { startVirtualWorld, type VirtualWorld } from '../world/virtual-world.ts'
import type { AtEnd, World, WorldOptions } from '../world/world.ts'

const READS = { method: 'GET', path: `/${LIST}` } as const

/** A world in which the first `times` reads of the list fail, or all of them if `times` is 0. */
async function worldWith(
  atEnd: AtEnd,
  fault: Fault,
  times: number,
  more: WorldOptions = {},
): Promise<VirtualWorld> {
  const world = await startVirtualWorld(atEnd, more)
  world.ledger.countRequests()
  world.server.addFaults({ match: READS, times, fault })
  return world
}

function reads({ server }: World): number {
  return server.counters().requests.filter(({ method, path }) => method === 'GET' && path.endsWith(LIST))
    .length
}

function expectError(result: Result<OpenedSet>, kind: ErrorKind, words: string | RegExp): void {
  expect(result).toMatchObject({ ok: false, error: { kind } })
  if (!result.ok) {
    const { message, advice, details } = result.error
    expect(`${message} ${advice} ${details.raw ?? ''}`).toMatch(words)
  }
}

async function expectOneAtATime(world: World): Promise<void> {
  await world.person.settle()
  expect(world.server.counters()).toMatchObject({ mostAtOnce: 1, refused: 0 })
  expect(world.running.defects).toEqual([])
}

const ENDLESS: ReadonlySet<Fault['kind']> = new Set(['hang', 'silence', 'trickle'])

describe('tried again, then reported', () => {
  test.concurrent.for<[string, Fault, ErrorKind]>([
    ['dropped before the answer', { kind: 'drop', when: 'before' }, 'dropped'],
    ['dropped after the work', { kind: 'drop', when: 'after' }, 'dropped'],
    ['dropped in the middle of the answer', { kind: 'truncate', abruptly: true }, 'dropped'],
    ['reset (RST) before the answer', { kind: 'reset', when: 'before' }, 'dropped'],
    ['reset (RST) after the work', { kind: 'reset', when: 'after' }, 'dropped'],
    ['a hang', { kind: 'hang', when: 'before' }, 'timed-out'],
    ['a hang after the work', { kind: 'hang', when: 'after' }, 'timed-out'],
    ['headers, then silence', { kind: 'silence' }, 'timed-out'],
    ['a trickle', { kind: 'trickle', bytes: 1, everyMs: 4_000 }, 'timed-out'],
    ['429 without Retry-After', { kind: 'status', status: 429, body: 'empty' }, 'busy'],
    ['429 with Retry-After', { kind: 'status', status: 429, retryAfter: 2 }, 'busy'],
    ['503 without Retry-After', { kind: 'status', status: 503, body: 'empty' }, 'busy'],
    ['503 with Retry-After', { kind: 'status', status: 503, retryAfter: 2, body: 'html' }, 'busy'],
  ])(
    '%s: three tries in all, or one if the company stays silent; a single failure isn’t shown',
    async ([, fault, kind], { onTestFinished }) => {
      const once = await worldWith(onTestFinished, fault, 1)
      expect(await once.person.read()).toMatchObject({ ok: true, value: { isWhole: true, count: 30 } })
      // After a timeout, the next try begins with a small read, in the same slot.
      expect(reads(once)).toBe(ENDLESS.has(fault.kind) ? 3 : 2)
      await expectOneAtATime(once)

      once.ledger.countRequests()
      once.server.addFaults({ match: READS, times: 0, fault })
      if (ENDLESS.has(fault.kind)) {
        expectError(await once.person.read(), 'company-unavailable', /isn’t responding/)
        expect(reads(once)).toBe(2)
      } else {
        expectError(await once.person.read(), kind, /./)
        expect(reads(once)).toBe(3)
      }
      await expectOneAtATime(once)
    },
  )

  test.concurrent(
    'a Retry-After above five minutes is reported, not waited out',
    async ({ onTestFinished }) => {
      const world = await worldWith(onTestFinished, { kind: 'status', status: 429, retryAfter: 3_600 }, 0)
      expectError(await world.person.read(), 'busy', /60 minutes/)
      expect(reads(world)).toBe(1)
    },
  )

  test.concurrent(
    'a refused connection, an unknown host, no TLS: unreachable, with the host',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished)
      const { port } = new URL(world.server.url)
      const at = (address: string): Promise<void> => moveConnection(world.running, address, world.server.key)
      await at('https://no-such-host.invalid')
      expectError(await world.person.read(), 'unreachable', /no-such-host\.invalid/)
      await at(`https://127.0.0.1:${port}`)
      expectError(await world.person.read(), 'unreachable', /127\.0\.0\.1/)
      await world.server.close()
      await at(world.server.url)
      expectError(await world.person.read(), 'unreachable', new RegExp(`127\\.0\\.0\\.1:${port}`))
    },
  )
})

test.concurrent(
  'a certificate that this computer does not trust is reported with the host after one try, and the key isn’t sent',
  async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    const { port, seen } = await tlsService(onTestFinished, 'self-signed')
    await moveConnection(world.running, `https://127.0.0.1:${port}`, world.server.key)
    expectError(await world.person.read(), 'untrusted-certificate', /certificate of 127\.0\.0\.1/)
    expect(seen).toEqual([])
  },
)

test.concurrent(
  'the window reloads while it reads a list: it requests the list again, and both requests wait their turn',
  async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished, { server: { latencyMs: 20 } })
    world.ledger.countRequests()
    const [first, second] = await Promise.all([world.person.read(), world.person.read()])
    // The same list again: what was read for the previous page is abandoned.
    if (!first.ok) expect(first.error.kind).toBe('stopped')
    expect(second).toMatchObject({ ok: true, value: { count: 30, isWhole: true } })
    await expectOneAtATime(world)
  },
)

describe('reported right away, with what arrived instead', () => {
  test.concurrent.for<[string, Fault, ErrorKind, RegExp]>([
    ['500 with HTML', { kind: 'status', status: 500, body: 'html' }, 'service-error', /HTTP 500.*Sign in/s],
    ['500 with nothing', { kind: 'status', status: 500, body: 'empty' }, 'service-error', /HTTP 500/],
    ['an empty body', { kind: 'body', text: '' }, 'malformed-response', /./],
    ['truncated JSON', { kind: 'truncate' }, 'malformed-response', /\{"Self"|Self/],
    ['JSON that is no envelope', { kind: 'body', text: '{"hello":"world"}' }, 'malformed-response', /hello/],
    ['200 with a login page', { kind: 'html' }, 'malformed-response', /Sign in/],
    ['nesting deeper than anything', { kind: 'body', text: deep(20_000) }, 'malformed-response', /./],
  ])('%s', async ([, fault, kind, words], { onTestFinished }) => {
    const world = await worldWith(onTestFinished, fault, 0)
    expectError(await world.person.read(), kind, words)
    await expectOneAtATime(world)
  })

  test.concurrent('a refused key: once, no retry, and the queue pauses', async ({ onTestFinished }) => {
    const world = await worldWith(onTestFinished, { kind: 'status', status: 401 }, 0)
    expectError(await world.person.read(), 'unauthorized', /refused this key/)
    expect(reads(world)).toBe(1)
    const queues = await world.person.call('activity.queues', {})
    expect(queues).toMatchObject({ ok: true, value: [{ paused: { kind: 'unauthorized' } }] })
  })

  test.concurrent('a body past the cap is rejected while it arrives', async ({ onTestFinished }) => {
    const text = JSON.stringify({ Contents: [], Errors: null, filler: 'x'.repeat(1_200_000) })
    const world = await worldWith(onTestFinished, { kind: 'body', text }, 0, {
      settings: { responseMebibytes: 1 },
    })
    expectError(await world.person.read(), 'too-large', /1 MB/)
  })

  test.concurrent(
    'a redirect is refused, to the same or another host, and the key isn’t sent',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished)
      let visits = 0
      const { createServer } = await import('node:http')
      const elsewhere = createServer((_request, response) => {
        visits += 1
        response.end('{}')
      })
      await new Promise<void>((listening) => elsewhere.listen(0, '127.0.0.1', listening))
      onTestFinished(() => new Promise((closed) => elsewhere.close(() => closed(undefined))))
      const address = elsewhere.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      for (const location of [`http://127.0.0.1:${port}/v2`, '/v2/data/elsewhere/customer']) {
        world.ledger.countRequests()
        world.server.addFaults({ match: READS, fault: { kind: 'redirect', location } })
        expectError(await world.person.read(), 'redirected', /another address/)
        expect(world.server.counters().requests).toHaveLength(1)
      }
      expect(visits).toBe(0)
    },
  )
})

describe('kept as data', () => {
  test.concurrent(
    'duplicate keys, __proto__, lone surrogates and NUL are kept or refused, and never cause a crash',
    async ({ onTestFinished }) => {
      const object =
        '{"ID":"1","Name":"a","Name":"b","__proto__":{"polluted":"yes"},"Phone":"\\ud800","Email":"\\u0000"}'
      const text = `{"Contents":[{"Object":${object},"Errors":null,"Kind":"customer"}],"Errors":null,"MoreData":false}`
      const world = await worldWith(onTestFinished, { kind: 'body', text }, 0)
      const set = await world.person.read()
      expect(set).toMatchObject({ ok: true, value: { count: 1 } })
      if (set.ok) {
        const [record] = await world.person.held(set.value.setId, 1)
        expect(record).toMatchObject({ ID: '1', Name: 'b', Phone: '\ud800', Email: '\u0000' })
      }
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
      await expectOneAtATime(world)
    },
  )

  test.concurrent(
    'an error on one record is shown with it, and the others are kept',
    async ({ onTestFinished }) => {
      const fault: Fault = { kind: 'itemError', index: 3, message: 'This one is locked.', keepRecord: true }
      const world = await worldWith(onTestFinished, fault, 0)
      const set = await world.person.read()
      expect(set).toMatchObject({ ok: true, value: { count: 30 } })
      if (set.ok) expect(JSON.stringify(set.value.problems)).toContain('locked')
    },
  )

  test.concurrent('a key that is echoed next to a record is removed', async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    const message = `No access for ${world.server.key} here.`
    world.server.addFaults({
      match: READS,
      times: 0,
      fault: { kind: 'itemError', index: 3, message, keepRecord: true },
    })
    const set = value(await world.person.read())
    expect(JSON.stringify(set.problems)).toContain('No access for ••• here.')
    expect(JSON.stringify(set)).not.toContain(world.server.key)
  })

  test.concurrent(
    'more, fewer, reordered, and unknown items: each record is kept once, and other items are reported',
    async ({ onTestFinished }) => {
      const item = (ID: string, Kind = 'customer'): unknown => ({
        Object: { ID, Name: ID },
        Errors: null,
        Kind,
      })
      const Contents = [
        item('3'),
        item('1'),
        item('3'),
        { Kind: 'customer' },
        item('9', 'pigeon'),
        7,
        item('2'),
      ]
      const text = JSON.stringify({ Contents, Errors: null, MoreData: false, HasErrors: false })
      const world = await worldWith(onTestFinished, { kind: 'body', text }, 0)
      const set = await world.person.read()
      // An item without a record may be the missing one.
      expect(set).toMatchObject({ ok: true, value: { count: 4, isWhole: false } })
      if (!set.ok) return
      const held = await world.person.held(set.value.setId, set.value.count)
      expect(held.map(({ ID }) => ID)).toEqual(['3', '1', '9', '2'])
      expect(set.value.problems.map(({ message }) => message)).toEqual([
        '2 items weren’t records.',
        '1 record came more than once.',
      ])
      await expectOneAtATime(world)
    },
  )

  test.concurrent.for<[string, object, RegExp]>([
    ['HasErrors without any error', { HasErrors: true }, /error/i],
    ['errors without HasErrors', { HasErrors: false, Errors: ['The agent went away.'] }, /agent/i],
  ])('%s: the records are kept, and a message says so', async ([, more, words], { onTestFinished }) => {
    const Contents = [{ Object: { ID: '1', Name: 'a' }, Errors: null, Kind: 'customer' }]
    const text = JSON.stringify({ Contents, Errors: null, MoreData: false, ...more })
    const world = await worldWith(onTestFinished, { kind: 'body', text }, 0)
    const set = await world.person.read()
    expect(set).toMatchObject({ ok: true, value: { count: 1 } })
    if (set.ok) expect(`${set.value.partialReason} ${JSON.stringify(set.value.problems)}`).toMatch(words)
    expect(set).toMatchObject({ ok: true, value: { isWhole: false } })
  })

  test.concurrent('records with an error status: kept as a partial list', async ({ onTestFinished }) => {
    const Contents = [{ Object: { ID: '1', Name: 'a' }, Errors: null, Kind: 'customer' }]
    const text = JSON.stringify({ Contents, Errors: null, MoreData: false })
    const world = await worldWith(onTestFinished, { kind: 'body', text, status: 500 }, 0)
    const set = await world.person.read()
    expect(set).toMatchObject({ ok: true, value: { count: 1, isWhole: false } })
    if (set.ok) expect(set.value.partialReason).toContain('HTTP 500')
  })

  test.concurrent.for<[string, readonly string[]]>([
    ['HasErrors', ['HasErrors']],
    ['Page, MoreData and RequestId', ['Page', 'MoreData', 'RequestId']],
    ['Self, Kind and Errors', ['Self', 'Kind', 'Errors']],
  ])('an envelope without %s can be read anyway', async ([, members], { onTestFinished }) => {
    const world = await worldWith(onTestFinished, { kind: 'missingMembers', members }, 0)
    expect(await world.person.read()).toMatchObject({ ok: true, value: { count: 30, isWhole: true } })
  })

  test.concurrent(
    'an error of the whole request next to records: kept as a partial list',
    async ({ onTestFinished }) => {
      const world = await worldWith(
        onTestFinished,
        { kind: 'requestError', message: 'The agent went away.' },
        0,
      )
      const set = await world.person.read()
      expect(set).toMatchObject({ ok: true, value: { count: 30, isWhole: false } })
      if (set.ok) expect(set.value.partialReason).toMatch(/agent/i)
    },
  )
})

test.concurrent(
  'the machine sleeps past the deadline: the read is stopped on waking, and tried again when the queue opens',
  async ({ onTestFinished }) => {
    const world = await worldWith(onTestFinished, { kind: 'hang', when: 'before' }, 1)
    const { clock, person } = world
    const filter = { ids: [], modifiedFrom: null, modifiedTo: null }
    const reading = world.call('records.open', { company: person.company, object: LIST, filter })
    await clock.settle()
    expect(reads(world)).toBe(1)
    // Timers stop while the computer sleeps, but the wall clock doesn't.
    clock.set(clock.now() + 3_600_000)
    world.running.core.wake()
    expect(await clock.run(reading)).toMatchObject({ ok: true, value: { isWhole: true, count: 30 } })
    // The abandoned one, the small one after the timeout, and the list.
    expect(reads(world)).toBe(3)
    await expectOneAtATime(world)
  },
)

function deep(levels: number): string {
  return `{"Contents":${'['.repeat(levels)}${']'.repeat(levels)}}`
}
