/**
 * A first change on a service that replaces the whole record with what was sent. However its response or its reading back
 * is lost, what was erased is shown, and nothing else is changed there.
 */
import { describe, expect, test } from 'vitest'
import { isUnexpectedChange } from '../../../../electron/writing/records/compare.ts'
import { value } from '../../../result.ts'
import { COMPANY, World } from '../world.ts'

const KEPT = 'kept@example.com'
const WIPED = { path: 'Email', asRead: KEPT, theirs: '', yours: KEPT }

function worldOf(count: number): { world: World; ids: readonly string[] } {
  const world = new World()
  const ids = Array.from({ length: count }, (_, index) => {
    const name = `Customer ${index}`
    return world.service.add('customer', { Name: name, FullName: name, Phone: 'old', Email: KEPT })
  })
  world.service.alter = (record) => {
    record['Email'] = ''
  }
  return { world, ids }
}

function emails(world: World, ids: readonly string[]): readonly unknown[] {
  return ids.map((id) => world.service.get('customer', id)['Email'])
}

function changes(world: World, ids: readonly string[]): readonly string[] {
  return ids.map((id) => world.draftChange(id, { Phone: 'new' }))
}

describe('a first change that erased more than intended', () => {
  test('is shown and stops the rest, even if its answer was lost', async () => {
    const { world, ids } = worldOf(2)
    world.service.fault = (method) => (method === 'PATCH' ? 'dropped-after' : 'none')
    const drafts = changes(world, ids)
    await world.sendAndSettle(drafts)
    expect(world.states()).toEqual(['acked', 'queued'])
    expect(world.operations()[0]).toMatchObject({ confirmedByReading: true, notAsSent: [WIPED] })
    expect(emails(world, ids)).toEqual(['', KEPT])
    expect(world.writer.batches(COMPANY, 'customer')[0]).toMatchObject({ phase: 'stopped', unsent: 1 })
    // It stays until the user has seen it.
    expect(world.drafts().map(({ draftId }) => draftId)).toEqual(drafts)
    expect(world.writer.unfinishedCounts('c1').get('e1')).toMatchObject({ drafts: 1, decisions: 1 })
  })

  test('is shown and stops the rest, even if the reading back failed', async () => {
    const { world, ids } = worldOf(2)
    let reads = 0
    world.service.fault = (method) => (method === 'GET' && (reads += 1) === 2 ? 'dropped-before' : 'none')
    await world.sendAndSettle(changes(world, ids))
    expect(world.states()).toEqual(['acked', 'queued'])
    expect(world.operations()[0]?.notAsSent).toEqual([WIPED])
    expect(emails(world, ids)).toEqual(['', KEPT])
  })

  test('is shown at the next start if the program ended in the meantime. Later changes wait for the user', async () => {
    const first = worldOf(2)
    const [sent = '', other = ''] = first.ids
    let { world } = first
    const { service } = world
    service.fault = (method) => (method === 'PATCH' ? 'dropped-after' : 'none')
    let isGone = false
    service.step = (name) => {
      if (name === 'answered' && service.requests.at(-1)?.method === 'PATCH') isGone = true
      if (isGone) throw new Error('killed')
    }
    value(world.send(changes(world, [sent])))
    await world.flush()
    service.step = () => undefined
    service.fault = () => 'none'
    world = world.restart()
    await world.settle()
    expect(world.operations()[0]).toMatchObject({ state: 'acked', notAsSent: [WIPED] })
    const [later = ''] = changes(world, [other])
    const batch = value(world.send([later]))
    await world.settle()
    expect(emails(world, [other])).toEqual([KEPT])
    // The service was fixed, and the user continues: it is sent alone and read back.
    service.alter = () => undefined
    value(world.writer.resumeBatch(batch.batchId))
    await world.settle()
    expect(world.operations().at(-1)).toMatchObject({
      state: 'acked',
      notAsSent: [],
      confirmedByReading: true,
    })
    expect(emails(world, [other])).toEqual([KEPT])
  })

  test('and didn’t do what was intended is a conflict with both versions', async () => {
    const { world, ids } = worldOf(2)
    world.service.alter = (record) => {
      record['Email'] = ''
      record['Phone'] = 'old'
    }
    world.service.fault = (method) => (method === 'PATCH' ? 'dropped-after' : 'none')
    await world.sendAndSettle(changes(world, ids))
    expect(world.states()).toEqual(['conflict', 'queued'])
    expect(world.operations()[0]?.conflicts).toEqual([
      { path: 'Phone', asRead: 'old', theirs: 'old', yours: 'new' },
      WIPED,
    ])
    expect(emails(world, ids)).toEqual(['', KEPT])
  })
})

test('resuming the list’s inserts sends no change', async () => {
  const { world, ids } = worldOf(2)
  const [first = '', other = ''] = ids
  await world.sendAndSettle(changes(world, [first]))
  const inserts = value(world.send([world.draftInsert({ Name: 'Finch' })]))
  value(world.writer.stopBatch(inserts.batchId))
  value(world.writer.resumeBatch(inserts.batchId))
  await world.settle()
  await world.sendAndSettle(changes(world, [other]))
  expect(emails(world, ids)).toEqual(['', KEPT])
  expect(world.service.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(1)
})

test('a first change that was never made stops nothing', async () => {
  const { world, ids } = worldOf(2)
  world.service.alter = () => undefined
  let nth = 0
  world.service.fault = (method) => (method === 'PATCH' && (nth += 1) === 1 ? 'dropped-before' : 'none')
  await world.sendAndSettle(changes(world, ids))
  expect(world.states()).toEqual(['held', 'acked'])
})

test('if it is held, changes by others to its record don’t count against it', async () => {
  const { world, ids } = worldOf(1)
  const [id = ''] = ids
  world.service.fault = (method) => (method === 'PATCH' ? 'dropped-before' : 'none')
  const [held] = await world.sendAndSettle(changes(world, ids))
  world.service.of('customer').set(id, { ...world.service.get('customer', id), Email: 'moved@example.com' })
  value(await world.writer.checkNow(COMPANY, [held?.operationId ?? '']))
  expect(world.operations()).toMatchObject([{ state: 'held', rechecks: 3, conflicts: [] }])
})

test('if a first change emptied a field that the application maintains, that is reported', async () => {
  const world = new World()
  const kept = { Name: 'A', FullName: 'A', Phone: 'old', CreatedDate: '2020-01-01T00:00:00Z' }
  const id = world.service.add('customer', kept)
  world.service.alter = (record) => {
    record['CreatedDate'] = ''
  }
  await world.sendAndSettle(changes(world, [id]))
  expect(world.operations()[0]?.notAsSent).toMatchObject([{ path: 'CreatedDate', theirs: '' }])
})

test('changes by others to its record don’t count against a later change', async () => {
  const { world, ids } = worldOf(2)
  const [first = '', second = ''] = ids
  world.service.alter = () => undefined
  await world.sendAndSettle(changes(world, [first]))
  world.service.fault = (method) => (method === 'PATCH' ? 'dropped-after' : 'none')
  world.service.alter = (record) => {
    record['Email'] = 'moved@example.com'
  }
  await world.sendAndSettle(changes(world, [second]))
  expect(world.operations().at(-1)).toMatchObject({ state: 'acked', notAsSent: [], confirmedByReading: true })
})

describe('an address that is sent whole, while the service keeps only what was edited', () => {
  const ADDRESS = { Line1: '1 High Street', Line2: 'Suite 4', City: 'Bath', Notes: 'Ring twice' }
  const LOST = [
    { path: 'BillingAddress.Line2', asRead: 'Suite 4', theirs: '', yours: 'Suite 4' },
    { path: 'BillingAddress.Notes', asRead: 'Ring twice', theirs: '', yours: 'Ring twice' },
  ]
  function worldOfAddresses(count: number): { world: World; ids: readonly string[] } {
    const world = new World()
    const ids = Array.from({ length: count }, (_, index) => {
      const name = `Customer ${index}`
      return world.service.add('customer', { Name: name, FullName: name, BillingAddress: ADDRESS })
    })
    return { world, ids }
  }
  const losesParts = (world: World): void => {
    world.service.alter = (record) => {
      const { Line2: _line, Notes: _notes, ...kept } = record['BillingAddress'] as typeof ADDRESS
      record['BillingAddress'] = kept
    }
  }
  const moves = (world: World, ids: readonly string[]): readonly string[] =>
    ids.map((id) => world.draftChange(id, { 'BillingAddress.City': 'Bristol' }))

  test.each(['none', 'dropped-after'] as const)('stops the rest at the first one (%s)', async (fault) => {
    const { world, ids } = worldOfAddresses(2)
    losesParts(world)
    world.service.fault = (method) => (method === 'PATCH' ? fault : 'none')
    await world.sendAndSettle(moves(world, ids))
    expect(world.states()).toEqual(['acked', 'queued'])
    expect(world.operations()[0]?.notAsSent).toEqual(LOST)
    expect(world.service.get('customer', ids[1] ?? '')['BillingAddress']).toEqual(ADDRESS)
    expect(world.writer.batches(COMPANY, 'customer')[0]).toMatchObject({ phase: 'stopped', unsent: 1 })
  })

  test('is reported for a later one, too, once its record was read: saved, but not as sent', async () => {
    const { world, ids } = worldOfAddresses(2)
    const [first = '', second = ''] = ids
    await world.sendAndSettle(moves(world, [first]))
    expect(world.operations()[0]).toMatchObject({ state: 'acked', notAsSent: [] })
    losesParts(world)
    await world.sendAndSettle(moves(world, [second]))
    expect(world.operations()[1]).toMatchObject({ state: 'acked', notAsSent: LOST, confirmedByReading: true })
  })
})

describe('a first change of an object without a definition', () => {
  const INVOICE = {
    Name: 'I-1',
    Memo: 'Hello',
    Amount: '120.50',
    Due: '2026-01-01',
    Terms: 'Net 30',
    EditSequence: '17',
  }
  async function changed(alter: (record: Record<string, unknown>) => void): Promise<World> {
    const world = new World()
    const id = world.service.add('invoice', INVOICE)
    world.service.alter = alter
    const draftId = world.draftChange(id, { Memo: 'Bye' }, 'invoice')
    value(world.writer.send(COMPANY, 'invoice', [draftId], { supported: ['Name', 'Memo', 'Amount', 'Due'] }))
    await world.settle()
    return world
  }

  test('that reset unsent fields to defaults is shown and stops the rest', async () => {
    const world = await changed((record) => {
      Object.assign(record, { Amount: '0.00', Terms: 'Due on receipt', Due: '1899-12-30' })
    })
    expect(world.operations('invoice')[0]?.notAsSent.map(({ path }) => path)).toEqual([
      'Amount',
      'Due',
      'Terms',
    ])
    expect(world.writer.batches(COMPANY, 'invoice')[0]?.phase).toBe('stopped')
  })

  test('that changed only a version, the modification time, and a balance did what was intended', async () => {
    const world = await changed((record) => {
      const LastModifiedDate = '2026-03-01T09:00:05Z'
      Object.assign(record, { EditSequence: '18', LastModifiedDate, OpenBalance: '3.00', Number: '4' })
    })
    expect(world.operations('invoice')[0]).toMatchObject({ state: 'acked', notAsSent: [] })
    expect(world.writer.batches(COMPANY, 'invoice')[0]?.phase).toBe('done')
  })
})

test.each<readonly [string, unknown, unknown, boolean]>([
  ['TimeModified', '2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z', false],
  ['Touched', '2026-01-01T08:00:00Z', '2026-03-01T09:00:05Z', false],
  ['SyncToken', '3', '4', false],
  ['BalanceDue', '10.00', '12.00', false],
  ['DisplayName', 'Alder & Co', 'Alder & Finch', false],
  ['PrintAs', 'Messrs Alder & Co', 'Messrs Alder & Finch', false],
  ['CustomField', '', 'Filled in', false],
  ['Lines', [{ Amount: '1.00', Version: 1 }], [{ Version: 2, Amount: '1.00' }], false],
  ['Lines', [{ Amount: '1.00' }], [{ Amount: '2.00' }], true],
  ['Lines', [{ Amount: '1.00' }], [], true],
  ['BalanceDue', '10.00', '', true],
  ['ExchangeRate', '1.25', '1.00', true],
  ['DueDate', '2026-01-01', '2026-03-01', true],
  ['DueDate', '2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z', true],
  ['LastName', 'Smith', 'Jones', true],
  ['IsTaxable', 'true', 'false', true],
])('%s from %j to %j was unintended: %s', (name, was, is, hasUnexpectedChanges) => {
  const edits = [
    { path: 'CompanyName', was: 'Alder & Co', now: 'Alder & Finch' },
    { path: 'IsPrinted', was: 'true', now: 'false' },
  ]
  expect(isUnexpectedChange(name, was, is, edits)).toBe(hasUnexpectedChanges)
})
