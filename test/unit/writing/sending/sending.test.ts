import { describe, expect, test } from 'vitest'
import type { SlotRequest } from '../../../../electron/service/protocol/wire.ts'
import { StoreError } from '../../../../electron/store/database.ts'
import type { Store } from '../../../../electron/store/store.ts'
import { isNamedAs, shownName } from '../../../../electron/writing/records/recognition.ts'
import { appError, ok } from '../../../../shared/result.ts'
import { value } from '../../../result.ts'
import { COMPANY, World } from '../world.ts'

test('a record is identified by its name under its parents, as it was typed', () => {
  const phase = { ID: '7', Name: 'Phase 2', FullName: 'Alder:Porch:Phase 2' }
  const edit = (path: string, now: string) => ({ path, was: null, now })
  expect(shownName([edit('Phone', '1')], phase)).toBe('Alder:Porch:Phase 2')
  expect(shownName([edit('Name', 'Phase 3')], phase)).toBe('Alder:Porch:Phase 3')
  expect(shownName([], { ID: '7', Name: 'Alder' })).toBe('Alder')
  expect(shownName([], { ID: '7', FullName: 'Alder' })).toBe('Alder')
  expect(shownName([], { ID: '7' })).toBe('7')
  const parent = { path: 'Parent', was: null, now: { ID: '', FullName: 'Alder' } }
  expect(shownName([edit('Name', 'Porch'), parent], {})).toBe('Alder:Porch')
})

test('a name is the same whatever its case, spaces, and encoding of accents', () => {
  expect(isNamedAs('Alder : Zoë  Finch', [], { FullName: 'alder:ZOE\u0308 Finch ' })).toBe(true)
  expect(isNamedAs('Alder', [], { FullName: 'Finch' })).toBe(false)
})

/** A disk that, while it is full, takes requests but not their outcomes. */
function failsToJournalOutcomes(disk: { readonly isFull: boolean }): (store: Store) => Store {
  return (store) => ({
    ...store,
    journal: {
      ...store.journal,
      operations: {
        ...store.journal.operations,
        move: (...input) => {
          if (disk.isFull) throw new StoreError(appError('store', 'The disk is full.'))
          store.journal.operations.move(...input)
        },
      },
    },
  })
}

describe('sending', () => {
  test('an insert is sent with an empty ID, JSON booleans and numbers, and our external ID', async () => {
    const world = new World()
    const draft = world.draftInsert({
      Name: 'Alder',
      IsActive: 'true',
      Balance: '1234.50',
      'BillingAddress.City': 'Bath',
      Terms: { ID: 'T1', FullName: 'Net 30' },
    })
    const [operation] = await world.sendAndSettle([draft])
    expect(operation).toMatchObject({ state: 'acked', notAsSent: [] })
    expect(JSON.parse(world.service.requests[0]?.body ?? '')).toEqual({
      ID: '',
      ExternalID: operation?.operationId,
      Name: 'Alder',
      IsActive: true,
      Balance: 1234.5,
      BillingAddress: { City: 'Bath' },
      Terms: { ID: 'T1', FullName: 'Net 30' },
    })
    expect(world.drafts()).toEqual([])
  })

  test('a change has its ID and only the changed fields. Nested ones are rebuilt from the fresh record', async () => {
    const world = new World()
    const id = world.service.add('customer', {
      Name: 'Finch',
      FullName: 'Finch',
      Phone: '1',
      BillingAddress: { Line1: '1 High St', City: 'Bath' },
    })
    const draft = world.draftChange(id, { Phone: '2', 'BillingAddress.City': 'Bristol' })
    const [operation] = await world.sendAndSettle([draft])
    expect(operation?.state).toBe('acked')
    const patch = world.service.requests.find(({ method }) => method === 'PATCH')
    expect(JSON.parse(patch?.body ?? '')).toEqual({
      ID: id,
      Phone: '2',
      BillingAddress: { Line1: '1 High St', City: 'Bristol' },
    })
  })

  test('a record that is refused when it is sent says what to do', async () => {
    const world = new World()
    const id = world.service.add('customer', { Name: 'Finch', FullName: 'Finch' })
    const draft = world.draftChange(id, { 'BillingAddress.City': 'Bristol' })
    world.service
      .of('customer')
      .set(id, { ID: id, Name: 'Finch', FullName: 'Finch', BillingAddress: '1 High St' })
    const [operation] = await world.sendAndSettle([draft])
    expect(operation?.error).toMatchObject({
      message: '“Billing address” is one value in this record, without parts.',
      advice: 'Nothing of this record was sent. Change it in the application.',
    })
    expect(world.service.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  })

  test('a double click sends once', async () => {
    const world = new World()
    const draft = world.draftInsert({ Name: 'Alder' })
    const first = value(world.send([draft]))
    const second = value(world.send([draft]))
    expect(second.batchId).toBe(first.batchId)
    await world.settle()
    expect(world.service.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
    expect(world.send([draft]).ok).toBe(false)
  })

  test('sending again what was unknown before a restart is refused, and not mistaken for a double click', async () => {
    const world = new World()
    let isSent = false
    world.service.fault = (method) => {
      isSent ||= method === 'POST'
      return isSent ? 'dropped-before' : 'none'
    }
    const draft = world.draftInsert({ Name: 'Alder' })
    value(world.send([draft]))
    await world.flush()
    expect(world.restart().send([draft])).toMatchObject({ ok: false, error: { kind: 'invalid-input' } })
  })

  test('arrays grow to 1, 10, and 50 while answers account for every item, and shrink to 1 after one that doesn’t', async () => {
    const world = new World()
    const drafts = Array.from({ length: 120 }, (_, index) => world.draftInsert({ Name: `Customer ${index}` }))
    let writes = 0
    world.service.fault = (method) => (method === 'POST' && (writes += 1) === 3 ? 'fewer-items' : 'none')
    await world.sendAndSettle(drafts)
    const sizes = world.service.requests
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => {
        const parsed: unknown = JSON.parse(body)
        return Array.isArray(parsed) ? parsed.length : 1
      })
    expect(sizes).toEqual([1, 10, 50, 1, 10, 48])
    expect(new Set(world.states())).toEqual(new Set(['acked']))
    expect(world.service.of('customer').size).toBe(120)
  })

  test('arrays also shrink to 1 after an answer that couldn’t be confirmed', async () => {
    const world = new World()
    await world.sendAndSettle([world.draftInsert({ Name: 'First' })])
    let writes = 0
    world.service.fault = (method, nth) => {
      if (method === 'POST') return (writes = writes || nth) === nth ? 'short-records' : 'none'
      return writes === nth - 1 ? 'dropped-before' : 'none'
    }
    const drafts = ['A', 'B', 'C'].map((Name) => world.draftInsert({ Name, Phone: '1' }))
    await world.sendAndSettle(drafts)
    world.service.requests.splice(0)
    await world.sendAndSettle(['D', 'E'].map((Name) => world.draftInsert({ Name, Phone: '1' })))
    expect(world.service.requests.filter(({ method }) => method === 'POST')).toHaveLength(2)
    expect(new Set(world.states())).toEqual(new Set(['acked']))
  })

  test('new records and changes are never in the same array', async () => {
    const world = new World()
    const id = world.service.add('customer', { Name: 'A', FullName: 'A', Phone: '1' })
    await world.sendAndSettle([world.draftInsert({ Name: 'First' })])
    await world.sendAndSettle([world.draftChange(id, { Phone: '2' })])
    world.service.requests.splice(0)
    await world.sendAndSettle([world.draftInsert({ Name: 'B' }), world.draftChange(id, { Phone: '3' })])
    expect(world.service.requests.map(({ method }) => method)).toEqual(['POST', 'GET', 'PATCH'])
    expect(world.service.of('customer').size).toBe(3)
  })

  test('answers from a previous address teach nothing about the current one', async () => {
    const world = new World()
    const changeAddresses = (v2: string) => world.writer.changeAddresses('c1', { v2, v1: '' }, false)
    changeAddresses('https://service.example')
    const ask = world.service.ask.bind(world.service)
    world.service.ask = (...input) => {
      if (input[0] === 'POST') changeAddresses('https://another.example')
      return ask(...input)
    }
    await world.sendAndSettle([world.draftInsert({ Name: 'A' })])
    expect(world.store.journal.writePolicies.list('c1')).toEqual([])
  })

  test('two records with the same name are never in the same array', async () => {
    const world = new World()
    world.service.manner = { keepsExternalIds: true, uniqueNames: false }
    await world.sendAndSettle([world.draftInsert({ Name: 'First' })])
    await world.sendAndSettle(['A', 'B', 'a', 'C'].map((Name) => world.draftInsert({ Name })))
    const writes = world.service.requests.filter(({ method }) => method === 'POST')
    const arrays = writes.slice(1).map(({ body }) => {
      const parsed = JSON.parse(body) as { Name: string } | { Name: string }[]
      return (Array.isArray(parsed) ? parsed : [parsed]).map(({ Name }) => Name)
    })
    expect(arrays).toEqual([
      ['A', 'B'],
      ['a', 'C'],
    ])
  })

  test('a record under a new one that never arrived isn’t sent without its parent', async () => {
    const world = new World()
    let posts = 0
    world.service.fault = (method) => (method === 'POST' && (posts += 1) === 1 ? 'dropped-before' : 'none')
    const [parent, child, other] = await world.sendAndSettle([
      world.draftInsert({ Name: 'Alder' }),
      world.draftInsert({ Name: 'Porch', Parent: { ID: '', FullName: 'ALDER' } }),
      world.draftInsert({ Name: 'Finch' }),
    ])
    expect(parent?.state).toBe('held')
    expect(child).toMatchObject({
      state: 'rejected',
      error: { message: 'Its parent “ALDER” hasn’t been saved yet.' },
    })
    expect(other?.state).toBe('acked')
    expect([...world.service.of('customer').values()].map((record) => record['Name'])).toEqual(['Finch'])
  })

  test('an item’s error rejects only that record, keeps its draft, and names the field', async () => {
    const world = new World()
    await world.sendAndSettle([world.draftInsert({ Name: 'Zero' })])
    world.service.refusal = (record) =>
      record['Phone'] === 'bad' ? { Code: '3000', Message: 'The Phone is not valid' } : null
    const drafts = [
      world.draftInsert({ Name: 'A', Phone: '1' }),
      world.draftInsert({ Name: 'B', Phone: 'bad' }),
    ]
    await world.sendAndSettle(drafts)
    expect(world.states()).toEqual(['acked', 'acked', 'rejected'])
    const [draft] = world.drafts()
    expect(draft?.operation).toMatchObject({ state: 'rejected', errorPath: 'Phone' })
    expect(draft?.operation?.error?.message).toContain('Phone')
    expect(world.writer.unfinishedCounts('c1').get('e1')?.notAccepted).toBe(1)
    // After a correction, it is a plain draft again and can be sent.
    world.service.refusal = () => null
    const saved = world.store.drafts.saveAll([
      {
        draftId: drafts[1] ?? '',
        company: COMPANY,
        object: 'customer',
        kind: 'insert',
        recordId: '',
        before: {},
        edits: [
          { path: 'Name', was: null, now: 'B' },
          { path: 'Phone', was: null, now: '2' },
        ],
        changedAt: '2026-03-01T09:00:00Z',
      },
    ])
    expect(saved).toEqual([])
    expect(world.drafts()).toMatchObject([{ operation: null }])
    await world.sendAndSettle([drafts[1] ?? ''])
    expect(world.states()).toEqual(['acked', 'acked', 'rejected', 'acked'])
  })

  test('if the application altered a field, it is saved, but not as sent, until the user has seen it', async () => {
    const world = new World()
    world.service.alter = (record) => {
      record['Phone'] = '555'
    }
    const [operation] = await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '1' })])
    expect(operation?.state).toBe('acked')
    expect(operation?.notAsSent).toEqual([{ path: 'Phone', asRead: null, theirs: '555', yours: '1' }])
    expect(world.drafts()).toHaveLength(1)
    value(world.writer.decide(operation?.operationId ?? '', { what: 'seen' }))
    expect(world.drafts()).toEqual([])
  })

  test('a record that was saved differently can be changed again before anyone has marked it as seen', async () => {
    const world = new World()
    const id = world.service.add('customer', { Name: 'Alder', Phone: '1', Email: '' })
    await world.sendAndSettle([world.draftChange(id, { Phone: '2' })])
    world.service.alter = (record) => {
      if (record['Phone'] === '22') record['Phone'] = '(22)'
    }
    const first = (await world.sendAndSettle([world.draftChange(id, { Phone: '22' })])).at(-1)
    expect(first?.notAsSent).toHaveLength(1)
    const second = (await world.sendAndSettle([world.draftChange(id, { Email: 'a@b.c' })])).at(-1)
    expect(second?.state).toBe('acked')
    expect(world.service.get('customer', id)).toMatchObject({ Phone: '(22)', Email: 'a@b.c' })
    expect(world.drafts()).toEqual([])
    // The row still says so, and can still be selected.
    expect(world.writer.decide(first?.operationId ?? '', { what: 'seen' }).ok).toBe(true)
  })

  test('a new record that was saved differently can be changed again, too, under its new ID', async () => {
    const world = new World()
    world.service.alter = (record) => {
      if (record['Phone'] === '22') record['Phone'] = '(22)'
    }
    const [born] = await world.sendAndSettle([world.draftInsert({ Name: 'Alder', Phone: '22' })])
    expect(born?.notAsSent).toHaveLength(1)
    const id = String(born?.after?.['ID'])
    await world.sendAndSettle([world.draftChange(id, { Phone: '33' })])
    expect(world.service.get('customer', id)['Phone']).toBe('33')
    expect(world.drafts()).toEqual([])
  })

  test('a rejected key rejects what was in the request. The rest stays queued, and the user resumes it', async () => {
    const world = new World()
    world.service.fault = (method) => (method === 'POST' ? 'refused-key' : 'none')
    const batch = value(world.send([world.draftInsert({ Name: 'A' }), world.draftInsert({ Name: 'B' })]))
    await world.settle()
    expect(world.states()).toEqual(['rejected', 'queued'])
    const [paused] = world.writer.batches(COMPANY, 'customer')
    expect(paused).toMatchObject({ phase: 'paused', unsent: 1, notAccepted: 1 })
    expect(paused?.error?.kind).toBe('unauthorized')
    expect(world.operations()[1]?.waitsForUser).toBe(true)
    world.service.fault = () => 'none'
    value(world.writer.resumeBatch(batch.batchId))
    await world.settle()
    expect(world.states()).toEqual(['rejected', 'acked'])
  })

  test('an accepted key resumes only what this run sent and a rejected key held up', async () => {
    const world = new World()
    world.service.fault = (method) => (method === 'POST' ? 'refused-key' : 'none')
    value(world.send([world.draftInsert({ Name: 'A' }), world.draftInsert({ Name: 'B' })]))
    await world.settle()
    const stopped = value(world.send([world.draftInsert({ Name: 'C' })]))
    value(world.writer.stopBatch(stopped.batchId))
    await world.settle()
    world.service.fault = () => 'none'
    world.writer.resumeAfterKeyAccepted('another connection')
    await world.settle()
    expect(world.states()).toEqual(['rejected', 'queued', 'queued'])
    world.writer.resumeAfterKeyAccepted(COMPANY.connectionId)
    await world.settle()
    expect(world.states()).toEqual(['rejected', 'acked', 'queued'])
  })

  test('what certainly wasn’t sent returns to the queue and pauses it', async () => {
    const world = new World()
    world.service.fault = (method) => (method === 'POST' ? 'not-sent' : 'none')
    await world.sendAndSettle([world.draftInsert({ Name: 'A' })])
    expect(world.states()).toEqual(['queued'])
    expect(world.writer.batches(COMPANY, 'customer')[0]).toMatchObject({ phase: 'paused', unsent: 1 })
    expect(world.service.of('customer').size).toBe(0)
  })

  test('nothing is written to locked or inactive books, even if they are locked after the click', async () => {
    const world = new World()
    const drafts = [world.draftInsert({ Name: 'A' })]
    world.readOnly = true
    expect(world.send(drafts)).toMatchObject({ ok: false, error: { kind: 'read-only' } })
    world.readOnly = false
    value(world.send(drafts))
    world.readOnly = true
    await world.settle()
    expect(world.service.requests).toEqual([])
    expect(world.states()).toEqual(['queued'])
  })

  test('drafts that Bookbridge’s own rules reject aren’t sent, and say why', () => {
    const world = new World()
    const nameless = world.draftInsert({ Phone: '1' })
    const unsupported = world.draftInsert({ Name: 'A', Salutation: 'Dr' })
    const inexact = world.draftInsert({ Name: 'B', Balance: '1.00000000000000000001' })
    for (const draft of [nameless, unsupported, inexact]) {
      expect(world.send([draft])).toMatchObject({ ok: false, error: { kind: 'invalid-input' } })
    }
    expect(world.writer.send(COMPANY, 'customer', [nameless], { supported: null }).ok).toBe(false)
    expect(world.operations()).toEqual([])
  })

  test('a stopped batch keeps the rest. An edited record is a draft again', async () => {
    const world = new World()
    const drafts = ['A', 'B', 'C'].map((Name) => world.draftInsert({ Name }))
    const batch = value(world.send(drafts))
    value(world.writer.stopBatch(batch.batchId))
    await world.settle()
    expect(world.service.requests.length).toBeLessThanOrEqual(1)
    const left = world.drafts().filter((draft) => draft.operation?.state === 'queued')
    expect(left.every((draft) => draft.operation?.waitsForUser)).toBe(true)
    const [first] = left
    if (!first) throw new Error('Nothing is left.')
    const { operation: _operation, ...draft } = first
    expect(world.store.drafts.saveAll([draft])).toEqual([])
    expect(world.drafts().find(({ draftId }) => draftId === draft.draftId)?.operation).toBeNull()
    await world.sendAndSettle([draft.draftId])
    expect(world.service.of('customer').size).toBeGreaterThan(0)
  })

  test('what can’t be journaled isn’t sent', async () => {
    const world = new World({
      wrap: (store) => ({
        ...store,
        journal: {
          ...store.journal,
          operations: {
            ...store.journal.operations,
            begin: () => {
              throw new StoreError(appError('store', 'The disk is full.'))
            },
          },
        },
      }),
    })
    await world.sendAndSettle([world.draftInsert({ Name: 'A' })])
    expect(world.service.requests).toEqual([])
    expect(world.writer.batches(COMPANY, 'customer')[0]).toMatchObject({
      phase: 'paused',
      error: { kind: 'store' },
    })
  })

  test('an array that was saved as sent is journaled while the next one is on its way', async () => {
    const world = new World({ settings: { batchSize: 2 } })
    await world.sendAndSettle([world.draftInsert({ Name: 'First' })])
    const drafts = ['A', 'B', 'C', 'D'].map((Name) => world.draftInsert({ Name }))
    const seen: string[][] = []
    world.service.step = (name) => {
      if (name !== 'leaves') return
      seen.push(world.states().slice(1))
      world.clock.next(10)
      seen.push(world.states().slice(1))
    }
    await world.sendAndSettle(drafts)
    expect(seen).toEqual([
      ['sending', 'sending', 'queued', 'queued'],
      ['sending', 'sending', 'queued', 'queued'],
      ['sending', 'sending', 'sending', 'sending'],
      ['acked', 'acked', 'sending', 'sending'],
    ])
    expect(world.states()).toEqual(['acked', 'acked', 'acked', 'acked', 'acked'])
    expect(world.drafts()).toEqual([])
  })

  test('meanwhile, the array after that is prepared, but a record that is discarded then isn’t sent', async () => {
    const world = new World({ settings: { batchSize: 2 } })
    await world.sendAndSettle([world.draftInsert({ Name: 'First' })])
    const drafts = ['A', 'B', 'C', 'D', 'E', 'F'].map((Name) => world.draftInsert({ Name }))
    let sent = 0
    world.service.step = (name) => {
      if (name !== 'leaves') return
      sent += 1
      world.clock.next(10)
      const dropped = world.operations().find(({ recordName }) => recordName === 'F')
      if (sent === 2) value(world.writer.decide(dropped?.operationId ?? '', { what: 'discard' }))
    }
    await world.sendAndSettle(drafts)
    expect(sent).toBe(3)
    expect([...world.service.of('customer').values()].map((record) => record['Name'])).toEqual([
      'First',
      ...['A', 'B', 'C', 'D', 'E'],
    ])
    expect(world.writer.batches(COMPANY, 'customer').at(-1)).toMatchObject({ phase: 'done', error: null })
  })

  test('if its outcome can’t be journaled, the batch pauses, and both arrays are rechecked', async () => {
    const disk = { isFull: false }
    const world = new World({ settings: { batchSize: 2 }, wrap: failsToJournalOutcomes(disk) })
    await world.sendAndSettle([world.draftInsert({ Name: 'First' })])
    const drafts = ['A', 'B', 'C', 'D', 'E'].map((Name) => world.draftInsert({ Name }))
    let sent = 0
    world.service.step = (name) => {
      if (name !== 'leaves') return
      sent += 1
      disk.isFull = sent === 2
    }
    const batch = value(world.send(drafts))
    await world.flush()
    expect(sent).toBe(2)
    expect(world.states()).toEqual(['acked', 'sending', 'sending', 'sending', 'sending', 'queued'])
    expect(world.writer.batches(COMPANY, 'customer').at(-1)).toMatchObject({
      phase: 'paused',
      error: { kind: 'store' },
    })
    disk.isFull = false
    value(world.writer.resumeBatch(batch.batchId))
    await world.settle()
    expect(world.states()).toEqual(['acked', 'acked', 'acked', 'acked', 'acked', 'acked'])
    expect(world.service.of('customer').size).toBe(6)
  })

  test('if its outcome can’t be journaled before the next array leaves, nothing more is sent', async () => {
    const disk = { isFull: false }
    const world = new World({ settings: { batchSize: 2 }, wrap: failsToJournalOutcomes(disk) })
    await world.sendAndSettle([world.draftInsert({ Name: 'First' })])
    const drafts = ['A', 'B', 'C', 'D'].map((Name) => world.draftInsert({ Name }))
    world.service.step = (name) => {
      if (name !== 'answered') return
      world.service.step = () => undefined
      // The next array waits for another request.
      void world.client.read({} as SlotRequest, () => {
        disk.isFull = true
        const until = world.clock.now() + 50
        while (world.clock.next(until - world.clock.now()));
        return Promise.resolve(ok(undefined))
      })
    }
    const batch = value(world.send(drafts))
    await world.flush()
    expect(world.states()).toEqual(['acked', 'sending', 'sending', 'queued', 'queued'])
    expect(world.writer.batches(COMPANY, 'customer').at(-1)).toMatchObject({
      phase: 'paused',
      error: { kind: 'store' },
    })
    disk.isFull = false
    value(world.writer.resumeBatch(batch.batchId))
    await world.settle()
    expect(world.states()).toEqual(['acked', 'acked', 'acked', 'acked', 'acked'])
    expect(world.service.of('customer').size).toBe(5)
  })

  test('its outcome is journaled before a lost record of the same name is searched for', async () => {
    const world = new World({ settings: { batchSize: 2, markWithExternalId: false } })
    await world.sendAndSettle([world.draftInsert({ Name: 'First' })])
    world.service.fault = (method) => (method === 'POST' ? 'dropped-before' : 'none')
    const [, lost] = await world.sendAndSettle([world.draftInsert({ Name: 'A' })])
    expect(lost?.state).toBe('held')
    world.service.fault = () => 'none'
    world.service.step = (name) => {
      if (name !== 'answered') return
      world.service.step = () => undefined
      value(world.writer.decide(lost?.operationId ?? '', { what: 'send-again' }))
    }
    await world.sendAndSettle(['A', 'B'].map((Name) => world.draftInsert({ Name })))
    expect(world.states()).toEqual(['acked', 'held', 'acked', 'acked'])
    const ids = world.operations().map(({ recordId }) => recordId)
    expect(ids).toEqual(['R1', '', 'R2', 'R3'])
  })

  test('without another request, its outcome is journaled soon', async () => {
    const world = new World({ settings: { batchSize: 2 } })
    await world.sendAndSettle([world.draftInsert({ Name: 'First' })])
    const drafts = ['A', 'B', 'C'].map((Name) => world.draftInsert({ Name }))
    const batch = value(world.send(drafts))
    world.service.step = (name) => {
      if (name === 'answered') value(world.writer.stopBatch(batch.batchId))
    }
    await world.settle(50)
    expect(world.states()).toEqual(['acked', 'acked', 'acked', 'queued'])
  })

  test('a late answer is journaled even after the user stopped', async () => {
    const world = new World()
    const draft = world.draftInsert({ Name: 'A' })
    const original = world.service.ask.bind(world.service)
    world.service.ask = async (...input) => {
      if (input[0] === 'POST') world.client.abandon?.()
      await new Promise((resolve) => setImmediate(resolve))
      return original(...input)
    }
    await world.sendAndSettle([draft])
    expect(world.states()).toEqual(['acked'])
  })

  test('stopped while the first one is being sent: the next one waits for the user', async () => {
    const world = new World()
    const drafts = ['A', 'B'].map((Name) => world.draftInsert({ Name }))
    const original = world.service.ask.bind(world.service)
    world.service.ask = async (...input) => {
      if (input[0] === 'POST') world.client.abandon?.()
      await new Promise((resolve) => setImmediate(resolve))
      return original(...input)
    }
    await world.sendAndSettle(drafts)
    expect(world.states()).toEqual(['acked', 'queued'])
    expect(world.writer.batches(COMPANY, 'customer')[0]).toMatchObject({ phase: 'stopped', unsent: 1 })
  })
})
