/** The read right before changes are sent: what its errors say about a record, and what happens to the user's work. */
import { describe, expect, test } from 'vitest'
import { value } from '../../result.ts'
import { startVirtualWorld, type VirtualWorld } from '../world/virtual-world.ts'
import type { AtEnd } from '../world/world.ts'

const BY_ID = { method: 'GET', path: '/customer', query: 'id=' } as const

interface Sent {
  readonly world: VirtualWorld
  /** From now on, answers each read by ID with these members of an envelope. */
  readonly answerWith: (members: object, status?: number) => void
  /** Sends a change, and returns it and its batch once everything has settled. */
  readonly send: (draftId: string, number: number) => Promise<unknown>
  readonly writes: () => number
}

async function start(atEnd: AtEnd): Promise<Sent> {
  const world = await startVirtualWorld(atEnd)
  const { ledger, person, server } = world
  const records = await person.records()
  return {
    world,
    answerWith(members, status = 200) {
      const text = JSON.stringify({
        HasErrors: true,
        RequestId: 'req-guard',
        Contents: [],
        Errors: null,
        ...members,
      })
      server.control({
        clearFaults: true,
        faults: [{ match: BY_ID, times: 0, fault: { kind: 'body', text, status } }],
      })
    },
    async send(draftId, number) {
      const record = records[number]
      if (record === undefined) throw new Error('The sample has too few records.')
      const id = await ledger.change(person, draftId, record, `555-${number}`)
      ledger.allowSend([id])
      value(await person.send([id]))
      await person.settle()
      const operation = (await person.operations()).find((each) => each.draftId === id)
      const batch = (await person.batches()).find(({ batchId }) => batchId === operation?.batchId)
      return { state: operation?.state, says: operation?.error, phase: batch?.phase, reason: batch?.error }
    },
    writes: () => server.counters().requests.filter(({ method }) => method !== 'GET').length,
  }
}

const item = (error: object): object => ({ Contents: [{ Object: null, Errors: [error], Kind: 'customer' }] })

describe('before a change is sent', () => {
  test('an error that says nothing about the record pauses the batch with its message. Resuming sends it', async ({
    onTestFinished,
  }) => {
    const { world, answerWith, send, writes } = await start(onTestFinished)
    answerWith(item({ Code: '80040408', Message: 'Could not start.' }))
    expect(await send('d1', 1)).toMatchObject({
      state: 'queued',
      phase: 'paused',
      reason: {
        message: expect.stringContaining('couldn’t start') as unknown,
        details: { code: '80040408', requestId: 'req-guard' },
      },
    })
    const ID = String((await world.person.drafts())[0]?.recordId)
    for (const members of [
      item({ Code: '3175', Message: 'In use.' }),
      { Errors: ['The ledger is shut.'] },
      { Contents: [{ Object: { ID }, Errors: [{ Code: '3176', Message: 'Locked.' }], Kind: 'customer' }] },
    ]) {
      answerWith(members)
      for (const { batchId } of await world.person.batches()) {
        await world.person.call('records.resumeBatch', { batchId })
      }
      await world.person.settle()
      expect(await world.person.operations()).toMatchObject([{ state: 'queued' }])
      expect((await world.person.batches()).at(-1)?.error?.message).toMatch(/in use by|ledger is shut/)
    }
    expect(writes()).toBe(0)
    world.server.control({ clearFaults: true })
    for (const { batchId } of await world.person.batches()) {
      await world.person.call('records.resumeBatch', { batchId })
    }
    await world.person.settle()
    expect(await world.person.operations()).toMatchObject([{ state: 'acked' }])
    expect((await world.ledger.compare(world.person)).findings).toEqual([])
  })

  test('if a record of an array is missing, nothing is sent, and a message names the record', async ({
    onTestFinished,
  }) => {
    const { world, answerWith, send, writes } = await start(onTestFinished)
    expect(await send('d0', 0)).toMatchObject({ state: 'acked' })
    const { ledger, person } = world
    const three = (await person.records()).slice(1, 4)
    const draftIds: string[] = []
    for (const [index, record] of three.entries()) {
      draftIds.push(await ledger.change(person, `d${index + 1}`, record, `555-${index + 1}`))
    }
    const [first, , third] = three
    const came = [first, third].map((Object) => ({ Object, Errors: null, Kind: 'customer' }))
    answerWith({ Contents: [...came, { Object: null, Errors: [{ Code: '3175', Message: 'In use.' }] }] })
    ledger.allowSend(draftIds)
    value(await person.send(draftIds))
    await person.settle()
    expect((await person.batches()).at(-1)).toMatchObject({
      phase: 'paused',
      error: { message: `${String(three[1]?.['FullName'])}: The record is in use by someone else.` },
    })
    expect((await person.operations()).filter(({ state }) => state === 'queued')).toHaveLength(3)
    expect(writes()).toBe(1)
  })

  test('only an error that the record is gone makes the change a conflict, which the user decides before it is sent again', async ({
    onTestFinished,
  }) => {
    const { world, answerWith, send, writes } = await start(onTestFinished)
    const gone: readonly (readonly [members: object, status: number, words: string])[] = [
      [item({ Code: '3120', Message: 'Not found.' }), 200, 'The record was not found.'],
      [item({ Code: 3120, Message: 'Not found.' }), 404, 'The record was not found.'],
      [{ Errors: [{ Code: '500', Severity: 'Warn', Message: 'Not found.' }] }, 200, 'A requested record'],
      [{ HasErrors: false }, 200, 'The record is no longer there.'],
    ]
    for (const [number, [members, status, words]] of gone.entries()) {
      answerWith(members, status)
      expect(await send(`d${number}`, number + 1)).toMatchObject({
        state: 'conflict',
        says: { message: expect.stringContaining(words) as unknown },
        phase: 'done',
      })
    }
    expect(await world.person.send(['d0'])).toMatchObject({
      ok: false,
      error: {
        kind: 'invalid-input',
        message: expect.stringContaining('waits for your decision') as unknown,
      },
    })
    answerWith({ Errors: [{ Code: '500', Severity: 'Error', Message: 'Internal server error' }] })
    expect(await send('d9', 9)).toMatchObject({ state: 'queued', phase: 'paused' })
    expect(writes()).toBe(0)
    expect((await world.person.drafts()).length).toBe(gone.length + 1)
  })

  const busy = (retryAfter: number) => ({ kind: 'status', status: 429, retryAfter, body: 'empty' }) as const
  test('a busy service gets the time that it asks for, and the change is sent then', async ({
    onTestFinished,
  }) => {
    const { world, send, writes } = await start(onTestFinished)
    world.server.addFaults({ match: BY_ID, times: 2, fault: busy(90) })
    const before = world.clock.now()
    expect(await send('d1', 1)).toMatchObject({ state: 'acked', reason: null })
    expect(world.clock.now() - before).toBeGreaterThanOrEqual(180_000)
    expect(writes()).toBe(1)
    expect((await world.ledger.compare(world.person)).findings).toEqual([])
  })

  test.for([
    ['at the third try', 30, 3],
    ['if it asks for more than five minutes', 3_600, 1],
  ] as const)('a busy service pauses the batch %s', async ([, retryAfter, tries], { onTestFinished }) => {
    const { world, send, writes } = await start(onTestFinished)
    world.server.addFaults({ match: BY_ID, times: 0, fault: busy(retryAfter) })
    world.server.control({ clearRequests: true })
    expect(await send('d1', 1)).toMatchObject({ state: 'queued', phase: 'paused', reason: { kind: 'busy' } })
    const { requests } = world.server.counters()
    expect(requests.filter(({ status }) => status === 429)).toHaveLength(tries)
    expect(writes()).toBe(0)
  })

  test('a change that is stopped while a busy service is given time is not sent', async ({
    onTestFinished,
  }) => {
    const { world, send, writes } = await start(onTestFinished)
    world.server.addFaults({ match: BY_ID, times: 1, fault: busy(90) })
    world.clock.after(30_000, () => {
      void world.person
        .batches()
        .then(([batch]) => world.person.call('records.stopBatch', { batchId: batch?.batchId ?? '' }))
    })
    expect(await send('d1', 1)).toMatchObject({ state: 'queued', phase: 'stopped' })
    expect(writes()).toBe(0)
  })
})
