/**
 * Faults while writing (the writing column in `table.test.ts`): each fault on a real socket, the record's outcome in
 * the journal, and that it was sent once. `isDone` is whether the service executed the request before the fault.
 */
import { describe, expect, test } from 'vitest'
import { createMemoryStorage } from '../../../electron/sample/storage.ts'
import { value } from '../../result.ts'
import type { Fault } from '../../sample-server/faults.ts'
import { tlsService } from '../../unit/service/network.ts'
import { CONNECTION_ID, moveConnection } from '../world/core-parts.ts'
import { NO_VIOLATIONS } from '../world/ledger.ts'
import { type ShownOperation } from '../world/person.ts'
import { startVirtualWorld, type VirtualWorld } from '../world/virtual-world.ts'
import type { AtEnd, World, WorldOptions } from '../world/world.ts'

const INSERTS = { method: 'POST', path: '/customer' } as const
const CHANGES = { method: 'PATCH', path: '/customer' } as const
const BOTH = ['insert', 'change'] as const
type Kind = (typeof BOTH)[number]

async function send(world: World, draftIds: readonly string[]): Promise<readonly ShownOperation[]> {
  world.ledger.allowSend(draftIds)
  const sent = await world.person.send(draftIds)
  if (!sent.ok) throw new Error(sent.error.message)
  await world.person.settle()
  return world.person.operations()
}

async function draft(world: World, kind: Kind, number: number): Promise<string> {
  const { ledger, person } = world
  const [name, phone] = [`Reliable, ${number}`, `555-${number}-${kind}`]
  if (kind === 'insert') return ledger.insert(person, `d${number}`, name, phone)
  const record = (await person.records())[number]
  if (record === undefined) throw new Error('The sample has too few records.')
  return ledger.change(person, `d${number}`, record, phone)
}

/** Sends a record, whose request has the fault. */
async function sendOne(
  atEnd: AtEnd,
  kind: Kind,
  fault: Fault,
  options: WorldOptions = {},
): Promise<VirtualWorld> {
  const world = await startVirtualWorld(atEnd, options)
  const draftId = await draft(world, kind, 1)
  world.server.addFaults({ match: kind === 'insert' ? INSERTS : CHANGES, fault })
  await send(world, [draftId])
  return world
}

function writes({ server }: World): number {
  return server.counters().requests.filter(({ method }) => method !== 'GET').length
}

async function expectNoViolations(world: World): Promise<void> {
  world.server.control({ clearFaults: true })
  const { violations, findings } = await world.ledger.compare(world.person)
  expect({ violations, findings }).toEqual({ violations: NO_VIOLATIONS, findings: [] })
  expect(world.running.defects).toEqual([])
}

/** The outcome is unknown first. Reading back then finds the record as sent, or doesn't find it. */
async function expectReadBack(world: World, isDone: boolean): Promise<void> {
  const [operation] = await world.person.operations()
  expect(operation).toMatchObject(
    isDone ? { state: 'acked', confirmedByReading: true, notAsSent: [] } : { state: 'held' },
  )
  if (!isDone) expect(operation?.rechecks).toBeGreaterThanOrEqual(operation?.kind === 'insert' ? 2 : 1)
  expect(writes(world)).toBe(1)
  await expectNoViolations(world)
}

/** An error of the whole request under 200, after the work. */
function wholeError(message: string): Fault {
  return {
    kind: 'body',
    text: JSON.stringify({ HasErrors: true, Contents: [], Errors: [{ Code: 'E', Message: message }] }),
    when: 'after',
  }
}

const DOUBTS: readonly (readonly [words: string, fault: Fault, isDone: boolean])[] = [
  ['dropped before the work', { kind: 'drop', when: 'before' }, false],
  ['dropped after the work', { kind: 'drop', when: 'after' }, true],
  ['dropped in the middle of the answer', { kind: 'truncate', abruptly: true }, true],
  ['reset (RST) before the work', { kind: 'reset', when: 'before' }, false],
  ['reset (RST) after the work', { kind: 'reset', when: 'after' }, true],
  ['a hang before the work', { kind: 'hang', when: 'before' }, false],
  ['a hang after the work', { kind: 'hang', when: 'after' }, true],
  ['headers, then silence', { kind: 'silence' }, true],
  ['a trickle', { kind: 'trickle', bytes: 4, everyMs: 4_000 }, true],
  ['429', { kind: 'status', status: 429, body: 'empty' }, false],
  ['429 with Retry-After', { kind: 'status', status: 429, retryAfter: 1 }, false],
  ['503', { kind: 'status', status: 503, body: 'empty' }, false],
  ['503 with Retry-After', { kind: 'status', status: 503, retryAfter: 1, body: 'html' }, false],
  ['503 after the work', { kind: 'status', status: 503, body: 'empty', when: 'after' }, true],
  ['500 with HTML', { kind: 'status', status: 500, body: 'html', when: 'after' }, true],
  ['500 with an envelope', { kind: 'status', status: 500, body: 'envelope' }, false],
  ['an empty body', { kind: 'body', text: '' }, true],
  ['truncated JSON', { kind: 'truncate' }, true],
  ['JSON that is no envelope', { kind: 'body', text: '{"hello":"world"}', when: 'before' }, false],
  ['200 with a login page', { kind: 'html' }, true],
  ['a redirect to the same host', { kind: 'redirect', location: '/v2/elsewhere', status: 307 }, false],
  ['a redirect after the work', { kind: 'redirect', location: 'https://h.invalid/', when: 'after' }, true],
  ['nesting deeper than anything', { kind: 'body', text: `{"Contents":${'['.repeat(20_000)}` }, true],
  ['a lone surrogate, NUL and __proto__', { kind: 'body', text: odd(), when: 'before' }, false],
  ['an error of the whole request', { kind: 'requestError' }, true],
  ['an error that speaks of some other key', wholeError('Foreign key missing for Terms.'), true],
  ['no items', { kind: 'missingItems' }, true],
  ['an error beside the record', { kind: 'itemError', keepRecord: true }, true],
  ['HasErrors without errors', { kind: 'body', text: '{"Contents":[],"HasErrors":true}' }, true],
  ['an envelope without Contents', { kind: 'missingMembers', members: ['Contents'] }, true],
]

describe('not confirmed, then read back, and never sent again automatically', () => {
  describe.each(BOTH)('an %s', (kind) => {
    test.concurrent.for(DOUBTS)('%s', async ([, fault, isDone], { onTestFinished }) => {
      await expectReadBack(await sendOne(onTestFinished, kind, fault), isDone)
    })
  })

  test.concurrent.for(BOTH)('a body past the cap, of one %s', async (kind, { onTestFinished }) => {
    const text = JSON.stringify({ Contents: [], filler: 'x'.repeat(1_200_000) })
    const settings = { responseMebibytes: 1 }
    await expectReadBack(await sendOne(onTestFinished, kind, { kind: 'body', text }, { settings }), true)
  })
})

describe('cut off while the service continues', () => {
  test.concurrent.for<[string, Extract<Fault, { kind: 'cutOff' }>]>([
    ['the connection is cut', { kind: 'cutOff', workMs: 90_000 }],
    ['a gateway gives up (502)', { kind: 'cutOff', workMs: 90_000, status: 502 }],
    ['a page says that it broke (500)', { kind: 'cutOff', workMs: 90_000, status: 500 }],
    ['a gateway gives up (503)', { kind: 'cutOff', workMs: 90_000, status: 503 }],
    ['a gateway gives up (504)', { kind: 'cutOff', workMs: 90_000, status: 504 }],
  ])(
    '%s: nothing else is sent before its deadline, then it is read back',
    async ([, fault], { onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished, { settings: { writeSeconds: 200 } })
      const { person, ledger, server } = world
      const draftId = await draft(world, 'insert', 1)
      value(await person.call('records.support', { company: person.company, object: 'customer' }))
      server.addFaults({ match: INSERTS, fault })
      ledger.allowSend([draftId])
      value(await person.send([draftId]))
      await world.until(() => writes(world) === 1)
      await world.until(
        async () => value(await person.call('activity.queues', {}))[0]?.blockedBy?.reason === 'at-work',
      )
      value(await person.read())
      await person.settle()
      expect(server.counters()).toMatchObject({ mostAtOnce: 1, refused: 0 })
      await expectReadBack(world, true)
    },
  )
})

describe('the connection changes while a recheck waits', () => {
  test.concurrent(
    'if the user says it is the same service, the change is rechecked at the new address automatically',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished)
      const { person, ledger, server, running } = world
      const draftId = await draft(world, 'insert', 1)
      value(await person.call('records.support', { company: person.company, object: 'customer' }))
      server.addFaults({ match: INSERTS, fault: { kind: 'drop', when: 'after' } })
      ledger.allowSend([draftId])
      value(await person.send([draftId]))
      await world.until(async () => {
        const [queue] = value(await person.call('activity.queues', {}))
        return (
          queue?.blockedUntil !== null &&
          queue?.waiting.some(({ what }) => what.startsWith('Checking 1 ')) === true
        )
      })
      // Another spelling of the same computer is another address with its own key. The user says what it is.
      value(await person.call('connection.setKey', { connectionId: CONNECTION_ID, key: server.key }))
      const address = server.url.replace('127.0.0.1', 'localhost')
      const moved = { connectionId: CONNECTION_ID, name: 'Moved', address, isSameService: true }
      value(await person.call('connection.connect', moved))
      await person.settle()
      expect(running.settings.connections()).toMatchObject([{ address }])
      await expectReadBack(world, true)
    },
  )
})

describe('more, fewer, reordered items', () => {
  test.concurrent.for<[string, Fault]>([
    ['fewer', { kind: 'missingItems', count: 3 }],
    ['more', { kind: 'extraItems', count: 2 }],
    ['reordered', { kind: 'reorderedItems' }],
    ['with their marks in capitals', { kind: 'rewrittenMarks' }],
  ])(
    '%s: each record has its own outcome, and all are in the books once',
    async ([, fault], { onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished)
      await send(world, [await draft(world, 'insert', 0)])
      const draftIds: string[] = []
      for (let number = 1; number <= 8; number += 1) draftIds.push(await draft(world, 'insert', number))
      world.server.addFaults({ match: INSERTS, fault })
      const operations = await send(world, draftIds)
      expect(operations.map(({ state }) => state)).toEqual(Array<string>(9).fill('acked'))
      // Each record must be sent once, in any number of requests.
      const bodies = world.server
        .counters()
        .requests.flatMap(({ method, body }) => (method === 'POST' ? [body] : []))
      const sent = operations.map(({ phone }) => bodies.filter((body) => body.includes(`"${phone}"`)).length)
      expect(sent).toEqual(Array<number>(9).fill(1))
      await expectNoViolations(world)
    },
  )

  test.concurrent('no two records with the same name are sent in one array', async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    await send(world, [await draft(world, 'insert', 0)])
    const { ledger, person, server } = world
    const twins = [
      await ledger.insert(person, 'twin-1', 'Twin', '555-twin-1'),
      await ledger.insert(person, 'twin-2', 'Twin', '555-twin-2'),
    ]
    const operations = await send(world, twins)
    // The sample requires unique names, like the application: one is saved, and the other refused.
    expect(operations.map(({ state }) => state).toSorted()).toEqual(['acked', 'acked', 'rejected'])
    const bodies = server.counters().requests.filter(({ method }) => method === 'POST')
    expect(bodies.map(({ body }) => body.split('"Twin"').length - 1)).toEqual([0, 1, 1])
    await expectNoViolations(world)
  })
})

describe('certainly refused', () => {
  test.concurrent('an item error with HTTP 200 rejects only that item', async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    await send(world, [await draft(world, 'insert', 0)])
    const { ledger, person } = world
    const taken = String((await person.records()).find(({ Name, FullName }) => Name === FullName)?.['Name'])
    const draftIds = [
      await draft(world, 'insert', 1),
      await ledger.insert(person, 'taken', taken, '555-taken'),
      await draft(world, 'insert', 2),
    ]
    const operations = await send(world, draftIds)
    const refused = operations.find(({ draftId }) => draftId === 'taken')
    expect(refused).toMatchObject({ state: 'rejected', error: { kind: 'service-error' } })
    expect(refused?.error?.message).toContain('already used')
    expect(operations.filter(({ state }) => state === 'acked')).toHaveLength(3)
    await expectNoViolations(world)
  })

  test.concurrent(
    'a refused key refuses what was in the request, and the rest stays queued until the user resumes it',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished)
      const draftIds = [await draft(world, 'insert', 1), await draft(world, 'insert', 2)]
      world.server.addFaults({ match: INSERTS, fault: { kind: 'status', status: 401 } })
      const operations = await send(world, draftIds)
      expect(operations.map(({ state }) => state).toSorted()).toEqual(['queued', 'rejected'])
      expect(operations.find(({ state }) => state === 'rejected')?.error?.kind).toBe('unauthorized')
      expect(writes(world)).toBe(1)
      await expectNoViolations(world)
    },
  )
})

test.concurrent(
  'a message about the key with 200 rejects nothing: not confirmed, the queue pauses, and reading back finds it saved',
  async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    const draftIds = [await draft(world, 'insert', 1), await draft(world, 'insert', 2)]
    world.server.addFaults({ match: INSERTS, fault: wholeError('The API key is invalid.') })
    world.ledger.allowSend(draftIds)
    expect((await world.person.send(draftIds)).ok).toBe(true)
    const paused = async (): Promise<boolean> => {
      const queues = await world.person.call('activity.queues', {})
      return queues.ok && queues.value.some((queue) => queue.paused?.kind === 'unauthorized')
    }
    await world.until(paused)
    const states = (await world.person.operations()).map(({ state }) => state)
    expect(states.toSorted()).toEqual(['queued', 'unknown'])
    expect(writes(world)).toBe(1)
    // The user reads the list: the key is valid after all.
    expect((await world.person.read()).ok).toBe(true)
    await world.person.settle()
    expect((await world.person.operations()).map(({ state }) => state)).toEqual(['acked', 'acked'])
    await expectNoViolations(world)
  },
)

test.concurrent(
  'errors without HasErrors: any error counts, so a record’s own error rejects it',
  async ({ onTestFinished }) => {
    const item = { Object: null, Errors: [{ Code: '3000', Message: 'No such thing.' }], Kind: 'customer' }
    const text = JSON.stringify({ HasErrors: false, Contents: [item], Errors: null })
    const world = await sendOne(onTestFinished, 'insert', { kind: 'body', text, when: 'before' })
    expect(await world.person.operations()).toMatchObject([{ state: 'rejected' }])
    expect(writes(world)).toBe(1)
    await expectNoViolations(world)
  },
)

/** Queues a write while the list's fields are known, then moves the connection. */
async function sendMoved(world: World, draftId: string, move: () => Promise<void>): Promise<void> {
  const { person } = world
  world.ledger.allowSend([draftId])
  value(await person.call('activity.pause', { connectionId: CONNECTION_ID }))
  value(await person.send([draftId]))
  await move()
  value(await person.call('activity.resume', { connectionId: CONNECTION_ID }))
  await person.settle()
  await resumeAll(world)
  await person.settle()
}

test.concurrent(
  'a certificate that this computer does not trust: nothing is sent, and the change is back in the paused queue',
  async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    const { running, person } = world
    const { port, seen } = await tlsService(onTestFinished, 'self-signed')
    const draftId = await draft(world, 'insert', 1)
    expect((await person.call('records.support', { company: person.company, object: 'customer' })).ok).toBe(
      true,
    )
    await sendMoved(world, draftId, () =>
      moveConnection(running, `https://127.0.0.1:${port}`, world.server.key),
    )
    expect(await person.operations()).toMatchObject([{ state: 'queued', waitsForUser: true }])
    expect(await person.batches()).toMatchObject([
      { phase: 'paused', error: { kind: 'untrusted-certificate' } },
    ])
    expect(seen).toEqual([])
  },
)

describe('nothing left this computer', () => {
  test.concurrent(
    'a refused connection, an unknown host, no TLS: back in the queue and paused, then sent once',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished)
      const { port } = new URL(world.server.url)
      const { running, person, server } = world
      const at = (address: string): Promise<void> => moveConnection(running, address, server.key)
      const addresses = ['https://no-such-host.invalid', `https://127.0.0.1:${port}`, 'http://127.0.0.1:9']
      const draftId = await draft(world, 'insert', 1)
      world.ledger.allowSend([draftId])
      const support = await person.call('records.support', { company: person.company, object: 'customer' })
      expect(support.ok).toBe(true)
      for (const [index, address] of addresses.entries()) {
        if (index === 0) await sendMoved(world, draftId, () => at(address))
        else {
          await at(address)
          await resumeAll(world)
          await person.settle()
        }
        const [operation] = await person.operations()
        expect(operation, address).toMatchObject({ state: 'queued', waitsForUser: true })
        const [batch] = await person.batches()
        expect(batch, address).toMatchObject({ phase: 'paused', error: { kind: 'unreachable' } })
      }
      expect(server.counters().requests.filter(({ method }) => method === 'POST')).toEqual([])
      await at(server.url)
      await resumeAll(world)
      await person.settle()
      expect(await person.operations()).toMatchObject([{ state: 'acked' }])
      expect(writes(world)).toBe(1)
      await expectNoViolations(world)
    },
  )

  test.concurrent(
    'the service disappears and returns: what was queued is sent once',
    async ({ onTestFinished }) => {
      const storage = createMemoryStorage()
      const world = await startVirtualWorld(onTestFinished, {
        server: { storage, key: 'k-1', seed: 3, today: '2026-03-31' },
      })
      const port = Number(new URL(world.server.url).port)
      const draftId = await draft(world, 'insert', 1)
      const support = await world.person.call('records.support', {
        company: world.person.company,
        object: 'customer',
      })
      expect(support.ok).toBe(true)
      await world.server.close()
      world.ledger.allowSend([draftId])
      expect((await world.person.send([draftId])).ok).toBe(true)
      await world.person.settle()
      expect(await world.person.operations()).toMatchObject([{ state: 'queued', waitsForUser: true }])
      const again = await world.startServer({ storage, key: 'k-1', seed: 3, today: '2026-03-31', port })
      await resumeAll(world)
      await world.person.settle()
      expect(await world.person.operations()).toMatchObject([{ state: 'acked' }])
      expect(again.counters().requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
    },
  )
})

describe('a stopped request', () => {
  test.concurrent(
    'the machine sleeps past the deadline: not confirmed, read back, sent once',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished)
      const { clock, person } = world
      const draftId = await draft(world, 'insert', 1)
      world.server.addFaults({ match: INSERTS, fault: { kind: 'hang', when: 'after' } })
      world.ledger.allowSend([draftId])
      value(await person.send([draftId]))
      await clock.settle()
      expect(writes(world)).toBe(1)
      // Timers stop while the computer sleeps, but the wall clock doesn't.
      clock.set(clock.now() + 3_600_000)
      world.running.core.wake()
      await person.settle()
      await expectReadBack(world, true)
    },
  )

  test.concurrent(
    'a write that the user stopped: its late response is still journaled',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished)
      // The first insert of a list is always read back.
      await send(world, [await draft(world, 'insert', 0)])
      const draftId = await draft(world, 'insert', 1)
      world.server.addFaults({ match: INSERTS, fault: { kind: 'slow', milliseconds: 15_000 } })
      world.ledger.allowSend([draftId])
      expect((await world.person.send([draftId])).ok).toBe(true)
      await world.until(() => writes(world) === 2)
      const queues = await world.person.call('activity.queues', {})
      const entryId = queues.ok ? (queues.value[0]?.running?.entryId ?? '') : ''
      expect(await world.person.call('activity.stop', { entryId })).toMatchObject({ ok: true })
      await world.person.settle()
      const late = (await world.person.operations()).find((each) => each.draftId === draftId)
      expect(late).toMatchObject({ state: 'acked', confirmedByReading: false })
      expect(writes(world)).toBe(2)
      await expectNoViolations(world)
    },
  )
})

async function resumeAll({ person }: World): Promise<void> {
  for (const { batchId, unsent } of await person.batches()) {
    if (unsent > 0) await person.call('records.resumeBatch', { batchId })
  }
}

function odd(): string {
  const record = '{"ID":"","Name":"\\ud800","Phone":"\\u0000","Phone":"twice","__proto__":{"polluted":"yes"}}'
  return `{"Contents":[{"Object":${record},"Errors":null,"Kind":"customer"}],"Errors":null}`
}
