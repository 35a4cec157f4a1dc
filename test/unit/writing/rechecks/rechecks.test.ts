import { describe, expect, test } from 'vitest'
import { nameKey } from '../../../../shared/records/names.ts'
import { value } from '../../../result.ts'
import { NOTHING_LEARNED, TestService } from '../service.ts'
import { COMPANY, SUPPORTED, World } from '../world.ts'

const posts = (world: World): number =>
  world.service.requests.filter(({ method }) => method === 'POST').length

/** A fault for the nth write (POST or PATCH), counted from 1. */
function faultAt(world: World, nth: number, fault: ReturnType<TestService['fault']>): void {
  let writes = 0
  world.service.fault = (method) => {
    if (method !== 'POST' && method !== 'PATCH') return 'none'
    writes += 1
    return writes === nth ? fault : 'none'
  }
}

describe('an unknown outcome is settled by reading back, never by sending again', () => {
  test.each(['dropped-after', 'whole-error-after', 'warning-beside-record', 'unexplained-error'] as const)(
    'an insert that succeeded in spite of “%s” is confirmed by reading back',
    async (fault) => {
      const world = new World()
      faultAt(world, 1, fault)
      const [operation] = await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
      expect(operation).toMatchObject({ state: 'acked', confirmedByReading: true, rechecks: 1 })
      expect(posts(world)).toBe(1)
      expect(world.drafts()).toEqual([])
    },
  )

  test('a warning about a record survives the recheck that finds the record, until the user has seen it', async () => {
    const world = new World()
    faultAt(world, 1, 'saved-without-notes')
    const [operation] = await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    expect(operation).toMatchObject({
      state: 'acked',
      confirmedByReading: true,
      notAsSent: [],
      error: { details: { isWarning: true } },
    })
    expect(world.drafts()).toHaveLength(1)
    value(world.writer.decide(operation?.operationId ?? '', { what: 'seen' }))
    expect(world.drafts()).toEqual([])
    expect(posts(world)).toBe(1)
  })

  test('an insert that no list has is held after two rechecks, a minute apart', async () => {
    const world = new World()
    faultAt(world, 1, 'dropped-before')
    value(world.send([world.draftInsert({ Name: 'Alder' })]))
    await world.flush()
    expect(world.states()).toEqual(['unknown'])
    const { operationId = '' } = world.operations()[0] ?? {}
    expect(world.writer.decide(operationId, { what: 'discard' }).ok).toBe(false)
    await world.settle(59_000)
    expect(world.states()).toEqual(['unknown'])
    await world.settle(2_000)
    expect(world.operations()[0]).toMatchObject({ state: 'held', rechecks: 2 })
    expect(posts(world)).toBe(1)
    expect(world.writer.unfinishedCounts('c1').get('e1')?.decisions).toBe(1)
  })

  test('later writes wait until an unknown outcome was rechecked twice, but not for a held one', async () => {
    const world = new World()
    faultAt(world, 1, 'dropped-before')
    value(world.send(['A', 'B'].map((Name) => world.draftInsert({ Name }))))
    await world.settle(59_000)
    expect(posts(world)).toBe(1)
    await world.settle()
    expect(world.states()).toEqual(['held', 'acked'])
    expect(posts(world)).toBe(2)
  })

  test('an incomplete list settles nothing: later writes wait, and the user is told what to do', async () => {
    let isWhole = false
    const world = new World({ isListWhole: () => isWhole })
    faultAt(world, 1, 'dropped-after')
    value(world.send(['A', 'B'].map((Name) => world.draftInsert({ Name }))))
    await world.settle()
    expect(world.states()).toEqual(['unknown', 'queued'])
    expect(world.operations()[0]?.error).not.toBeNull()
    const [batch] = world.writer.batches(COMPANY, 'customer')
    expect(batch).toMatchObject({ phase: 'paused', unsent: 1 })
    expect(batch?.error?.message).toContain('The outcome of A is still unknown')
    // What is sent later waits as well.
    await world.sendAndSettle([world.draftInsert({ Name: 'C' })])
    expect(posts(world)).toBe(1)
    // The user checked and found it, so what waits is resumed.
    isWhole = true
    const checked = world.writer.checkNow(COMPANY, [world.operations()[0]?.operationId ?? ''])
    await world.settle()
    expect((await checked).ok).toBe(true)
    for (const { batchId } of world.writer.batches(COMPANY, 'customer')) {
      value(world.writer.resumeBatch(batchId))
    }
    await world.settle()
    expect(world.states()).toEqual(['acked', 'acked', 'acked'])
    expect(posts(world)).toBe(3)
  })

  test('if a list is never complete, the user can continue despite the unknown outcome', async () => {
    const world = new World({ isListWhole: () => false })
    faultAt(world, 1, 'dropped-after')
    const batch = value(world.send(['A', 'B'].map((Name) => world.draftInsert({ Name }))))
    await world.settle()
    value(world.writer.resumeBatch(batch.batchId))
    await world.settle()
    expect(world.states()).toEqual(['unknown', 'acked'])
    // That was only about this record.
    faultAt(world, 1, 'dropped-after')
    await world.sendAndSettle([world.draftInsert({ Name: 'C' })])
    await world.sendAndSettle([world.draftInsert({ Name: 'D' })])
    expect(world.states()).toEqual(['unknown', 'acked', 'unknown', 'queued'])
  })

  test('is sent again only after another recheck, and not if it has arrived in the meantime', async () => {
    const world = new World()
    faultAt(world, 1, 'dropped-before')
    const [operation] = await world.sendAndSettle([world.draftInsert({ Name: 'Alder' })])
    world.service.add('customer', {
      Name: 'Alder',
      FullName: 'Alder',
      ExternalID: operation?.operationId,
    })
    value(world.writer.decide(operation?.operationId ?? '', { what: 'send-again' }))
    await world.settle()
    expect(world.operations()[0]).toMatchObject({ state: 'acked', confirmedByReading: true })
    expect(posts(world)).toBe(1)
  })

  test('is sent again when the user says so, if it still isn’t there', async () => {
    const world = new World()
    faultAt(world, 1, 'dropped-before')
    const [operation] = await world.sendAndSettle([world.draftInsert({ Name: 'Alder' })])
    value(world.writer.decide(operation?.operationId ?? '', { what: 'send-again' }))
    await world.settle()
    expect(world.states()).toEqual(['acked'])
    expect(world.service.of('customer').size).toBe(1)
    expect(world.writer.requests(operation?.operationId ?? '')).toHaveLength(2)
  })

  test('isn’t sent again after an inconclusive recheck: the user is told, and has to confirm again', async () => {
    let isWhole = true
    const world = new World({ isListWhole: () => isWhole })
    faultAt(world, 1, 'dropped-before')
    const [operation] = await world.sendAndSettle([world.draftInsert({ Name: 'Alder' })])
    // It arrives late, and the list is incomplete.
    world.service.add('customer', { Name: 'Alder', FullName: 'Alder' })
    isWhole = false
    value(world.writer.decide(operation?.operationId ?? '', { what: 'send-again' }))
    await world.settle()
    expect(posts(world)).toBe(1)
    expect(world.operations()[0]).toMatchObject({ state: 'held', error: { kind: 'service-error' } })
  })

  test('a held insert can be checked again and discarded', async () => {
    const world = new World()
    faultAt(world, 1, 'dropped-before')
    const [operation] = await world.sendAndSettle([world.draftInsert({ Name: 'Alder' })])
    const id = operation?.operationId ?? ''
    const checked = world.writer.checkNow(COMPANY, [id])
    await world.settle()
    expect(await checked).toEqual({ ok: true, value: undefined })
    expect(world.operations()[0]).toMatchObject({ state: 'held', rechecks: 3 })
    value(world.writer.decide(id, { what: 'discard' }))
    expect(world.drafts()).toEqual([])
    expect(world.writer.decide(id, { what: 'send-again' }).ok).toBe(false)
  })

  test('a batch doesn’t ask for decisions that the user has made', async () => {
    const world = new World()
    faultAt(world, 1, 'dropped-before')
    value(world.send(['Alder', 'Birch'].map((Name) => world.draftInsert({ Name }))))
    await world.settle()
    const batch = () => world.writer.batches(COMPANY, 'customer')[0]
    expect(batch()).toMatchObject({ total: 2, saved: 1, decisions: 1 })
    const held = world.operations().find(({ state }) => state === 'held')
    value(world.writer.decide(held?.operationId ?? '', { what: 'discard' }))
    expect(batch()).toMatchObject({ total: 2, saved: 1, decisions: 0, changedMeanwhile: 0 })
  })

  test('if it is there with other values, or twice, the user decides', async () => {
    const service = new TestService()
    service.manner = { keepsExternalIds: false, uniqueNames: false }
    const world = new World({ service })
    // Others add records with these names after the list was read.
    world.service.fault = (method, nth) => {
      if (method !== 'POST') return 'none'
      if (nth === 1)
        world.service.add('customer', { Name: 'Alder', FullName: 'Alder', Phone: '9', Email: 'a@b' })
      else for (const Name of ['Finch', 'Finch']) world.service.add('customer', { Name, FullName: Name })
      return 'dropped-before'
    }
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1', Email: 'a@b' })])
    await world.sendAndSettle([world.draftInsert({ Name: 'Finch' })])
    const [other, twice] = world.operations()
    expect(other).toMatchObject({
      state: 'conflict',
      conflicts: [{ path: 'Phone', theirs: '9', yours: '1' }],
    })
    expect(twice?.state).toBe('held')
    expect(twice?.candidates.map(({ FullName }) => FullName)).toEqual(['Finch', 'Finch'])
    expect(world.writer.decide(twice?.operationId ?? '', { what: 'choose', choices: {} }).ok).toBe(false)
    // Ours wins, so the rest of the insert becomes a change of the existing record.
    value(world.writer.decide(other?.operationId ?? '', { what: 'choose', choices: { Phone: 'yours' } }))
    const draft = world.drafts().find(({ operation }) => operation === null)
    expect(draft).toMatchObject({ kind: 'change', edits: [{ path: 'Phone', was: '9', now: '1' }] })
    const [chosen] = world.writer.batches(COMPANY, 'customer')
    expect(chosen).toMatchObject({ total: 1, changedMeanwhile: 0 })
  })

  test('a record with the same name that another insert of ours created isn’t mistaken for the lost one', async () => {
    const service = new TestService()
    service.manner = { keepsExternalIds: false, uniqueNames: false }
    const world = new World({ service })
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder' })])
    faultAt(world, 1, 'dropped-before')
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder' })])
    expect(world.states()).toEqual(['acked', 'held'])
  })

  test('a change is settled by its record: as sent, as before, or different', async () => {
    const world = new World()
    const ids = ['A', 'B', 'C'].map((Name) =>
      world.service.add('customer', { Name, FullName: Name, Phone: '1' }),
    )
    const [a = '', b = '', c = ''] = ids
    for (const [id, fault] of [
      [a, 'dropped-after'],
      [b, 'dropped-before'],
    ] as const) {
      faultAt(world, 1, fault)
      await world.sendAndSettle([world.draftChange(id, { Phone: '2' })])
    }
    faultAt(world, 1, 'dropped-after')
    world.service.alter = (record) => {
      record['Phone'] = '777'
    }
    await world.sendAndSettle([world.draftChange(c, { Phone: '2' })])
    expect(world.states()).toEqual(['acked', 'held', 'conflict'])
  })

  test('if an answer omits a field, the record is read back in the same slot', async () => {
    const world = new World()
    faultAt(world, 1, 'short-records')
    const [operation] = await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    expect(operation).toMatchObject({ state: 'acked', confirmedByReading: true, notAsSent: [] })
  })

  test('a failed recheck is repeated later, and its reason is added to why the outcome is unknown', async () => {
    const world = new World()
    world.service.fault = (method, nth) => {
      if (method === 'POST') return 'whole-error-after'
      return nth < 4 ? 'dropped-after' : 'none'
    }
    value(world.send([world.draftInsert({ Name: 'Alder' })]))
    await world.flush()
    const [unknown] = world.operations()
    expect(unknown).toMatchObject({ state: 'unknown', error: { kind: 'service-error' } })
    expect(unknown?.error?.message).not.toContain('Silent')
    expect(unknown?.error?.details.recheckReason).toBe('Silent.')
    await world.settle()
    expect(world.states()).toEqual(['acked'])
  })

  test.each(['fewer-items', 'more-items', 'reordered-items'] as const)(
    'items that are “%s” are matched with their records or looked up',
    async (fault) => {
      const world = new World()
      await world.sendAndSettle([world.draftInsert({ Name: 'First' })])
      faultAt(world, 1, fault)
      await world.sendAndSettle(['A', 'B', 'C'].map((Name) => world.draftInsert({ Name, Phone: `${Name}1` })))
      expect(world.states()).toEqual(['acked', 'acked', 'acked', 'acked'])
      for (const operation of world.operations()) {
        expect(world.service.get('customer', operation.recordId)['Name']).toBe(operation.recordName)
      }
    },
  )
})

describe('the guard', () => {
  test('a field that someone else changed too is a conflict before anything is sent', async () => {
    const world = new World()
    const id = world.service.add('customer', { Name: 'A', FullName: 'A', Phone: '1', Email: 'x' })
    const draft = world.draftChange(id, { Phone: '2', Email: 'y' })
    world.service.of('customer').set(id, { ...world.service.of('customer').get(id), Phone: '3' })
    const [operation] = await world.sendAndSettle([draft])
    expect(operation).toMatchObject({
      state: 'conflict',
      conflicts: [{ path: 'Phone', asRead: '1', theirs: '3', yours: '2' }],
    })
    expect(world.service.requests.every(({ method }) => method === 'GET')).toBe(true)
    value(world.writer.decide(operation?.operationId ?? '', { what: 'choose', choices: { Phone: 'theirs' } }))
    const [left] = world.drafts()
    expect(left?.edits).toEqual([{ path: 'Email', was: 'x', now: 'y' }])
    await world.sendAndSettle([draft])
    expect(world.service.get('customer', id)).toMatchObject({ Phone: '3', Email: 'y' })
  })

  test('what someone else changed in other fields of the record stays', async () => {
    const world = new World()
    const id = world.service.add('customer', { Name: 'A', FullName: 'A', Phone: '1', Email: 'x' })
    const draft = world.draftChange(id, { Phone: '2' })
    world.service.of('customer').set(id, { ...world.service.of('customer').get(id), Email: 'new' })
    await world.sendAndSettle([draft])
    expect(world.states()).toEqual(['acked'])
    expect(world.service.get('customer', id)).toMatchObject({ Phone: '2', Email: 'new' })
  })

  test('a deleted record is a conflict that can only be discarded', async () => {
    const world = new World()
    const id = world.service.add('customer', { Name: 'A', FullName: 'A', Phone: '1' })
    const draft = world.draftChange(id, { Phone: '2' })
    world.service.of('customer').delete(id)
    const [operation] = await world.sendAndSettle([draft])
    expect(operation).toMatchObject({ state: 'conflict', error: { kind: 'service-error' } })
    value(world.writer.decide(operation?.operationId ?? '', { what: 'discard' }))
    expect(world.drafts()).toEqual([])
  })
})

describe('the first change over a connection, for an application and an object', () => {
  test('is sent alone and read back, and then others follow in arrays', async () => {
    const world = new World()
    const ids = ['A', 'B', 'C'].map((Name) =>
      world.service.add('customer', { Name, FullName: Name, Phone: '1' }),
    )
    await world.sendAndSettle(ids.map((id) => world.draftChange(id, { Phone: '2' })))
    expect(world.states()).toEqual(['acked', 'acked', 'acked'])
    expect(world.service.requests.map(({ method }) => method)).toEqual([
      'GET',
      'PATCH',
      'GET',
      'GET',
      'PATCH',
    ])
    expect(world.operations()[0]?.confirmedByReading).toBe(true)
  })

  test('stops everything if anything else was changed, and shows both versions', async () => {
    const world = new World()
    const ids = ['A', 'B'].map((Name) =>
      world.service.add('customer', { Name, FullName: Name, Phone: '1', Email: 'kept@example.com' }),
    )
    // A service that replaces the record with what was sent.
    world.service.alter = (record) => {
      record['Email'] = ''
    }
    await world.sendAndSettle(ids.map((id) => world.draftChange(id, { Phone: '2' })))
    expect(world.states()).toEqual(['acked', 'queued'])
    expect(world.operations()[0]?.notAsSent).toEqual([
      { path: 'Email', asRead: 'kept@example.com', theirs: '', yours: 'kept@example.com' },
    ])
    expect(world.writer.batches(COMPANY, 'customer')[0]).toMatchObject({ phase: 'stopped', unsent: 1 })
  })

  test('stops the other batches too, until the user resumes one. Then the next change is sent alone again', async () => {
    let world = new World()
    const ids = ['A', 'B', 'C'].map((Name) =>
      world.service.add('customer', { Name, FullName: Name, Phone: '1', Email: 'kept@example.com' }),
    )
    const { service } = world
    service.alter = (record) => {
      record['Email'] = ''
    }
    const batches = ids.map((id) => value(world.send([world.draftChange(id, { Phone: '2' })])))
    value(world.send([world.draftInsert({ Name: 'New' })]))
    await world.settle()
    const emails = (): readonly unknown[] => ids.map((id) => service.get('customer', id)['Email'])
    expect(emails()).toEqual(['', 'kept@example.com', 'kept@example.com'])
    // A new record isn’t a change, so nothing was learned about inserts.
    expect(world.states()).toEqual(['acked', 'queued', 'queued', 'acked'])
    expect(world.writer.batches(COMPANY, 'customer')[1]).toMatchObject({
      phase: 'stopped',
      error: { kind: 'unexpected-effect' },
    })
    // It survives a restart, and applies to what is sent later.
    world = world.restart()
    const later = world.service.add('customer', { Name: 'D', FullName: 'D', Phone: '1', Email: 'kept' })
    await world.sendAndSettle([world.draftChange(later, { Phone: '2' })])
    expect(service.get('customer', later)['Email']).toBe('kept')
    // The user has compared, and the service was fixed.
    service.alter = () => undefined
    value(world.writer.resumeBatch(batches[1]?.batchId ?? ''))
    await world.settle()
    expect(world.states()).toEqual(['acked', 'acked', 'queued', 'acked', 'queued'])
    expect(emails()).toEqual(['', 'kept@example.com', 'kept@example.com'])
  })

  test('proves nothing if its answer was lost, even if a recheck finds it: the next one is sent alone and read back', async () => {
    const world = new World()
    const ids = ['A', 'B', 'C', 'D'].map((Name) =>
      world.service.add('customer', { Name, FullName: Name, Phone: '1', Email: 'kept@example.com' }),
    )
    // The connection breaks once.
    let lost = 0
    world.service.fault = (method) => (method === 'PATCH' && (lost += 1) === 1 ? 'dropped-after' : 'none')
    await world.sendAndSettle(ids.map((id) => world.draftChange(id, { Phone: '2' })))
    expect(world.states()).toEqual(['acked', 'acked', 'acked', 'acked'])
    expect(world.operations()[0]).toMatchObject({ confirmedByReading: true, notAsSent: [] })
    expect(world.operations()[1]).toMatchObject({ confirmedByReading: true, notAsSent: [] })
    const patched = world.service.requests.filter(({ method }) => method === 'PATCH')
    expect(patched.map(({ body }) => (JSON.parse(body) as unknown[]).length)).toEqual([
      undefined,
      undefined,
      2,
    ])
  })

  test('that changed nothing, whatever the answer says, is held and stops the rest', async () => {
    const world = new World()
    const ids = ['A', 'B'].map((Name) => world.service.add('customer', { Name, FullName: Name, Phone: '1' }))
    const change = world.service.change.bind(world.service)
    world.service.change = (object, records) => {
      const before = new Map(world.service.of(object))
      const answer = change(object, records)
      for (const [id, record] of before) world.service.of(object).set(id, record)
      return answer
    }
    await world.sendAndSettle(ids.map((id) => world.draftChange(id, { Phone: '2' })))
    expect(world.states()).toEqual(['held', 'queued'])
  })
})

describe('a restart', () => {
  test('sends nothing: what was being sent is rechecked, and what was queued waits for the user', async () => {
    let world = new World()
    const service = world.service
    await world.sendAndSettle([world.draftInsert({ Name: 'First' })])
    // The program ends while the second array is being sent.
    service.fault = (method) => {
      if (method === 'POST') throw new Error('killed')
      return 'none'
    }
    const batch = value(
      world.send(Array.from({ length: 12 }, (_, index) => world.draftInsert({ Name: `N${index}` }))),
    )
    await world.flush()
    service.fault = () => 'none'
    world = world.restart()
    await world.settle()
    expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
    const counts = new Map<string, number>()
    for (const state of world.states()) counts.set(state, (counts.get(state) ?? 0) + 1)
    expect(Object.fromEntries(counts)).toEqual({ acked: 1, held: 10, queued: 2 })
    expect(world.operations().filter(({ waitsForUser }) => waitsForUser)).toHaveLength(2)
    value(world.writer.resumeBatch(batch.batchId))
    await world.settle()
    expect(world.states().filter((state) => state === 'acked')).toHaveLength(3)
  })
})

describe('a change whose answer was lost', () => {
  /** What the service does with the lost change. */
  async function lost(does: (world: World, id: string) => void): Promise<World> {
    const world = new World()
    const [first, second] = ['First', 'Second'].map((Name) =>
      world.service.add('customer', { Name, FullName: Name, Phone: 'old', Email: 'old' }),
    )
    await world.sendAndSettle([world.draftChange(first ?? '', { Phone: 'new' })])
    const draft = world.draftChange(second ?? '', { Phone: 'new', Email: 'new' })
    world.service.fault = (method) => {
      if (method !== 'PATCH') return 'none'
      does(world, second ?? '')
      return 'dropped-before'
    }
    await world.sendAndSettle([draft])
    return world
  }

  test('and that was made in part is for the user to decide, neither saved nor undone', async () => {
    const world = await lost(({ service }, id) => {
      service.of('customer').set(id, { ...service.of('customer').get(id), Phone: 'new' })
    })
    expect(world.operations().at(-1)).toMatchObject({
      state: 'conflict',
      conflicts: [{ path: 'Email', theirs: 'old', yours: 'new' }],
    })
  })

  test('and whose record was deleted since then says so', async () => {
    const world = await lost(({ service }, id) => {
      service.of('customer').delete(id)
    })
    const last = world.operations().at(-1)
    expect(last).toMatchObject({ state: 'conflict' })
    expect(last?.error?.message).toContain('no longer there')
  })
})

describe('an outcome that stays unknown', () => {
  test('can’t be passed over before both rechecks', async () => {
    const world = new World({ isListWhole: () => false })
    faultAt(world, 1, 'dropped-after')
    const batch = value(world.send(['A', 'B'].map((Name) => world.draftInsert({ Name }))))
    await world.flush()
    expect(world.operations()[0]?.rechecks).toBe(1)
    value(world.writer.resumeBatch(batch.batchId))
    await world.settle()
    expect(world.states()).toEqual(['unknown', 'queued'])
  })

  test('sent again, and unknown again: no second record is searched for in the meantime', async () => {
    let isWhole = true
    const world = new World({ isListWhole: () => isWhole })
    faultAt(world, 1, 'dropped-before')
    const [operation] = await world.sendAndSettle([world.draftInsert({ Name: 'Alder' })])
    faultAt(world, 1, 'dropped-before')
    value(world.writer.decide(operation?.operationId ?? '', { what: 'send-again' }))
    await world.flush()
    isWhole = false
    await world.settle(10 * 60_000)
    const reads = world.service.requests.length
    await world.settle(3 * 3_600_000)
    expect(world.states()).toEqual(['unknown'])
    expect(world.service.requests).toHaveLength(reads)
  })

  test('after two inconclusive rechecks, is searched for at the next start', async () => {
    const world = new World({ isListWhole: () => false })
    faultAt(world, 1, 'dropped-after')
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    expect(world.states()).toEqual(['unknown'])
    const again = world.restart()
    await again.settle()
    expect(again.states()).toEqual(['acked'])
  })

  test('in a list that is known to lag, is rechecked after twice the time', async () => {
    const world = new World()
    const key = { connectionId: 'c1', application: 'qbd', object: 'customer', kind: 'insert' } as const
    const { writePolicies } = world.store.journal
    writePolicies.set(key, {
      ...writePolicies.get(key),
      isProven: true,
      learned: { ...NOTHING_LEARNED, lag: 300_000 },
    })
    faultAt(world, 1, 'dropped-before')
    value(world.send([world.draftInsert({ Name: 'Alder' })]))
    await world.settle(9 * 60_000)
    expect(world.states()).toEqual(['unknown'])
    await world.settle(2 * 60_000)
    expect(world.states()).toEqual(['held'])
  })

  test('if the user stops a recheck, what waited for it waits for the user', async () => {
    const world = new World()
    faultAt(world, 1, 'dropped-before')
    const batch = value(world.send(['A', 'B'].map((Name) => world.draftInsert({ Name }))))
    world.service.step = () => {
      if (world.states()[0] === 'unknown') world.client.abandon?.()
    }
    await world.settle()
    world.service.step = () => undefined
    expect(world.writer.batches(COMPANY, 'customer')[0]).toMatchObject({
      batchId: batch.batchId,
      phase: 'stopped',
      unsent: 1,
    })
    expect(posts(world)).toBe(1)
  })
})

describe('one recheck', () => {
  test('that finds a possible match doesn’t hold the insert yet', async () => {
    const world = new World({ settings: { markWithExternalId: false } })
    world.service.manner = { keepsExternalIds: false, uniqueNames: false }
    world.service.alter = (record) => {
      Object.assign(record, { Name: 'Somebody', FullName: 'Somebody' })
    }
    faultAt(world, 1, 'dropped-after')
    value(world.send([world.draftInsert({ Name: 'Alder' })]))
    await world.flush()
    expect(world.operations()[0]).toMatchObject({ state: 'unknown', rechecks: 1, candidates: [] })
    await world.settle()
    expect(world.operations()[0]).toMatchObject({ state: 'held', candidates: [{ Name: 'Somebody' }] })
  })

  test('of a list that has lost all its records is inconclusive', async () => {
    const world = new World()
    await world.sendAndSettle([world.draftInsert({ Name: 'First' })])
    faultAt(world, 1, 'dropped-before')
    value(world.send([world.draftInsert({ Name: 'Alder' })]))
    world.service.of('customer').clear()
    await world.settle()
    expect(world.states()).toEqual(['acked', 'unknown'])
  })

  test('in a list that returns external IDs: a record with the same name and none is another one', async () => {
    const world = new World()
    world.service.manner = { keepsExternalIds: true, uniqueNames: false }
    faultAt(world, 1, 'dropped-after')
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder' })])
    faultAt(world, 1, 'dropped-before')
    value(world.send([world.draftInsert({ Name: 'Finch', Phone: '1' })]))
    world.service.add('customer', { Name: 'Finch', FullName: 'Finch', Phone: '1' })
    await world.settle()
    expect(world.states()).toEqual(['acked', 'held'])
  })

  test.each([
    ['which is as ours', 0, 'held'],
    ['which was never measured', null, 'acked'],
  ])('of a record that is older by the service’s clock, %s', async (_what, clockAhead, state) => {
    const world = new World({ settings: { markWithExternalId: false } })
    world.service.manner = { keepsExternalIds: false, uniqueNames: false }
    const key = { connectionId: 'c1', application: 'qbd', object: 'customer', kind: 'insert' } as const
    const { writePolicies } = world.store.journal
    const learned = { ...NOTHING_LEARNED, clockAhead }
    writePolicies.set(key, { ...writePolicies.get(key), isProven: true, learned })
    const CreatedDate = new Date(world.clock.now() - 10 * 60_000).toISOString()
    world.service.alter = (record) => {
      record['CreatedDate'] = CreatedDate
    }
    faultAt(world, 1, 'dropped-after')
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    expect(world.states()).toEqual([state])
  })

  test('that is stopped while it reads the ID from an answer doesn’t continue with the list', async () => {
    const world = new World()
    faultAt(world, 1, 'short-records')
    let reads = 0
    const ask = world.service.ask.bind(world.service)
    world.service.ask = (...input) => {
      // The first request is the reading back, which finds nothing.
      if (input[0] === 'GET' && (reads += 1) === 2) world.client.abandon?.()
      if (input[0] === 'GET' && reads === 1) world.service.of('customer').clear()
      return ask(...input)
    }
    value(world.send([world.draftInsert({ Name: 'Alder' })]))
    await world.flush()
    expect(reads).toBe(2)
  })
})

describe('an answer that returns an existing record as the new one', () => {
  test.each([
    ['a list that was read held it', 'Zeta', 'list'],
    ['a list that was read held it, and its name is the same', 'Alder', 'list'],
    ['one of our changes was about it', 'Zeta', 'change'],
    ['one of our changes was about it, and its name is the same', 'Alder', 'change'],
    ['it was known by that name before', 'Alder', 'namesake'],
  ])('isn’t believed: %s', async (_what, Name, knownBy) => {
    const world = new World({
      isListWhole: () => knownBy === 'list',
      settings: { markWithExternalId: false },
    })
    // Proven, so that later answers are believed unless something contradicts them.
    await world.sendAndSettle([world.draftInsert({ Name: 'First' })])
    const id = world.service.add('customer', { Name, FullName: Name, Phone: 'old' })
    if (knownBy === 'change') await world.sendAndSettle([world.draftChange(id, { Phone: 'new' })])
    world.service.insert = () => ({
      items: [{ Object: world.service.get('customer', id), Errors: null, Kind: 'customer' }],
    })
    const namesakes = new Map(knownBy === 'namesake' ? [[nameKey(Name), [id]]] : [])
    const drafts = [world.draftInsert({ Name: 'Alder' })]
    value(world.writer.send(COMPANY, 'customer', drafts, { supported: SUPPORTED, namesakes }))
    await world.settle()
    const insert = world.operations().at(-1)
    expect(insert?.kind).toBe('insert')
    expect(insert?.state).not.toBe('acked')
  })
})

test('a change after an error of the whole request is held only after a second recheck, a minute later', async () => {
  const world = new World()
  const ids = ['First', 'Second'].map((Name) =>
    world.service.add('customer', { Name, FullName: Name, Phone: 'old' }),
  )
  await world.sendAndSettle([world.draftChange(ids[0] ?? '', { Phone: 'new' })])
  world.service.fault = (method) => (method === 'PATCH' ? 'whole-error-before' : 'none')
  value(world.send([world.draftChange(ids[1] ?? '', { Phone: 'new' })]))
  await world.flush()
  expect(world.operations().at(-1)).toMatchObject({ state: 'unknown', rechecks: 1 })
  await world.settle()
  expect(world.operations().at(-1)).toMatchObject({ state: 'held', rechecks: 2 })
})
