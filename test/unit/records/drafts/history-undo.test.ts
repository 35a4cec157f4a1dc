// Undoing what was sent: the record is as before, no one else's change is overwritten, and there is a reason if
// something can't be undone.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { textOf, valueAt } from '../../../../shared/records/changes.ts'
import { value } from '../../../result.ts'
import { History } from '../../store/history-steps.ts'
import { World } from '../../writing/world.ts'

const ALDER = { Name: 'Alder', Phone: '111', Email: 'a@b.c', IsActive: true } as const

function worldWith(record: Record<string, unknown> = ALDER): {
  readonly world: World
  readonly history: History
  readonly id: string
} {
  const world = new World()
  const id = world.service.add('customer', record)
  return { world, history: new History(world), id }
}

describe('undoing an edit', () => {
  test('restores the record, and the history links the two', async () => {
    const { world, history, id } = worldWith()
    await world.sendAndSettle([world.draftChange(id, { Phone: '222', Email: '' })])
    const sent = history.latest()
    const plan = await history.plan([sent])
    expect(plan.refusal).toBeNull()
    expect(plan.records[0]?.fields.map(({ path, was, is, willBe }) => [path, was, is, willBe])).toEqual([
      ['Phone', '111', '222', '111'],
      ['Email', 'a@b.c', '', 'a@b.c'],
    ])
    await history.sendBack([sent])
    expect(world.service.get('customer', id)).toMatchObject({ Phone: '111', Email: 'a@b.c' })

    const [back, first] = await history.ofRecord(id)
    expect(back?.undoes?.operationId).toBe(sent)
    expect(first?.undoneBy?.operationId).toBe(back?.operationId)
    const { entries } = await history.entries()
    expect(entries[0]?.undoes.map(({ batchId }) => batchId)).toEqual([entries[1]?.entryId])
    expect(entries[1]?.undoneBy.map(({ batchId }) => batchId)).toEqual([entries[0]?.entryId])
  })

  test('a second time is refused, first because a draft waits, then because it was undone', async () => {
    const { world, history, id } = worldWith()
    await world.sendAndSettle([world.draftChange(id, { Phone: '222' })])
    const sent = history.latest()
    const { draftIds } = value(await history.undo([sent]))
    expect(await history.reason(sent)).toBe('draft-waits')
    expect((await history.undo([sent])).ok).toBe(false)
    await world.sendAndSettle(draftIds)
    expect(await history.reason(sent)).toBe('changed-back')
    // What undid it can itself be undone, and the first one says so, too.
    await history.sendBack([history.latest()])
    expect(world.service.get('customer', id)['Phone']).toBe('222')
  })

  test('works even if the application saved something else, seen or not', async () => {
    for (const isSeen of [false, true]) {
      const { world, history, id } = worldWith()
      // The first change is checked more closely.
      await world.sendAndSettle([world.draftChange(id, { Email: 'first@b.c' })])
      world.service.alter = (record) => {
        if (record['Phone'] === '222') record['Phone'] = '(222)'
      }
      await world.sendAndSettle([world.draftChange(id, { Phone: '222' })])
      const sent = history.latest()
      if (isSeen) value(world.writer.decide(sent, { what: 'seen' }))
      expect((await history.plan([sent])).records[0]?.fields).toMatchObject([{ is: '(222)', willBe: '111' }])
      await history.sendBack([sent])
      expect(world.service.get('customer', id)['Phone']).toBe('111')
      expect(world.states().at(-1)).toBe('acked')
    }
  })

  test('what someone else has changed since is changed elsewhere, and stays', async () => {
    const { world, history, id } = worldWith()
    await world.sendAndSettle([world.draftChange(id, { Phone: '222' })])
    world.service.of('customer').set(id, { ...world.service.get('customer', id), Phone: '333' })
    await history.sendBack([history.latest()])
    expect(world.states().at(-1)).toBe('conflict')
    expect(world.service.get('customer', id)['Phone']).toBe('333')
  })

  test('what was sent again since is undone from the end', async () => {
    const { world, history, id } = worldWith()
    await world.sendAndSettle([world.draftChange(id, { Phone: '222' })])
    const first = history.latest()
    await world.sendAndSettle([world.draftChange(id, { Phone: '333' })])
    const second = history.latest()
    expect(await history.reason(first)).toBe('changed-again')
    await history.sendBack([second])
    expect(await history.reason(first)).toBeNull()
    await history.sendBack([first])
    expect(world.service.get('customer', id)['Phone']).toBe('111')
  })

  test('of several fields, undoes those that it can, and says why it can’t for the others', async () => {
    const { world, history, id } = worldWith()
    await world.sendAndSettle([world.draftChange(id, { Phone: '222', Email: 'x@y.z' })])
    const sent = history.latest()
    history.supported = ['Name', 'Phone']
    const [record] = (await history.plan([sent])).records
    expect(record?.refused).toBeNull()
    expect(record?.fields.map(({ path, willBe, refused }) => [path, willBe, refused?.reason])).toEqual([
      ['Phone', '111', undefined],
      ['Email', null, 'not-taken'],
    ])
    await history.sendBack([sent])
    expect(world.service.get('customer', id)).toMatchObject({ Phone: '111', Email: 'x@y.z' })
  })
})

describe('undoing a new record', () => {
  test('sets it inactive if its list has Active and metadata supports it', async () => {
    const { world, history } = worldWith()
    await world.sendAndSettle([world.draftInsert({ Name: 'Birch', IsActive: 'true' })])
    const sent = history.latest()
    const [record] = (await history.plan([sent])).records
    expect(record?.fields).toMatchObject([{ path: 'IsActive', willBe: 'false' }])
    await history.sendBack([sent])
    const made = [...world.service.of('customer').values()].find(({ Name }) => Name === 'Birch')
    expect(made?.['IsActive']).toBe(false)
    expect(await history.reason(sent)).toBe('changed-back')
  })

  test('says why not otherwise', async () => {
    const { world, history } = worldWith()
    await world.sendAndSettle([world.draftInsert({ Name: 'Birch', IsActive: 'true' })])
    history.supported = ['Name', 'Phone']
    expect(await history.reason(history.latest())).toBe('not-taken')
    await world.sendAndSettle([world.draftInsert({ Name: 'A term' }, 'terms')], 'terms')
    expect(await history.reason(history.latest('terms'))).toBe('no-active-field')
  })
})

describe('what can’t be undone', () => {
  test('isn’t confirmed, was refused, or waits in another draft', async () => {
    const { world, history, id } = worldWith()
    world.service.fault = (method) => (method === 'GET' ? 'dropped-before' : 'dropped-after')
    await world.sendAndSettle([world.draftChange(id, { Phone: '222' })])
    expect(await history.reason(history.latest())).toBe('not-settled')

    const other = worldWith()
    other.world.service.refusal = () => 'No.'
    await other.world.sendAndSettle([other.world.draftChange(other.id, { Phone: '222' })])
    expect(await other.history.reason(other.history.latest())).toBe('not-saved')

    const third = worldWith()
    await third.world.sendAndSettle([third.world.draftChange(third.id, { Phone: '222' })])
    third.world.draftChange(third.id, { Email: 'typed@just.now' })
    expect(await third.history.reason(third.history.latest())).toBe('has-draft')
  })

  test('is a field that the application didn’t change, or that has another value now', async () => {
    const { world, history, id } = worldWith()
    await world.sendAndSettle([world.draftChange(id, { Phone: '222', Email: 'first@b.c' })])
    const sent = history.latest()
    world.service.of('customer').set(id, { ...world.service.get('customer', id), Phone: '333' })
    await world.sendAndSettle([world.draftChange(id, { Email: 'second@b.c' })])
    expect(await history.reason(sent)).toBe('altered')

    world.service.alter = (record) => {
      if (record['Phone'] === '444') Object.assign(record, { Phone: '333', Email: 'told@b.c' })
    }
    await world.sendAndSettle([world.draftChange(id, { Phone: '444', Email: 'third@b.c' })])
    const fields = (await history.plan([history.latest()])).records[0]?.fields
    expect(fields).toMatchObject([
      { path: 'Phone', refused: { reason: 'altered' } },
      { path: 'Email', is: 'told@b.c', willBe: 'second@b.c', refused: null },
    ])
  })

  test('is a boolean that was empty before', async () => {
    const { world, history, id } = worldWith({ Name: 'Alder' })
    await world.sendAndSettle([world.draftChange(id, { IsActive: 'true' })])
    expect(await history.reason(history.latest())).toBe('cannot-be-emptied')
  })

  test('is anything in locked, inactive, or unlisted books', async () => {
    const { world, history, id } = worldWith()
    await world.sendAndSettle([world.draftChange(id, { Phone: '222' })])
    const sent = history.latest()
    world.readOnly = true
    expect((await history.plan([sent])).refusal?.kind).toBe('read-only')
    expect((await history.undo([sent])).ok).toBe(false)
    world.readOnly = false
    world.isActive = false
    expect((await history.plan([sent])).refusal?.message).toContain('inactive')
    world.isActive = true
    history.isListed = false
    expect((await history.plan([sent])).refusal?.message).toContain('no longer lists')
    expect(world.drafts()).toEqual([])
  })
})

test('whatever was changed, undoing restores it', async () => {
  const text = fc.string({ maxLength: 12 })
  const record = fc.record({ Phone: text, Email: text, City: text, Line1: text, IsActive: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(record, record, async (was, now) => {
      const { world, history, id } = worldWith({
        Name: 'Alder',
        Phone: was.Phone,
        Email: was.Email,
        IsActive: was.IsActive,
        BillingAddress: { Line1: was.Line1, City: was.City },
      })
      const paths = ['Phone', 'Email', 'IsActive', 'BillingAddress.City', 'BillingAddress.Line1', 'Name']
      const values = (): unknown[] =>
        paths.map((path) => valueAt('customer', world.service.get('customer', id), path))
      const before = values()
      const draftId = world.draftChange(id, {
        Phone: now.Phone,
        Email: now.Email,
        IsActive: textOf(now.IsActive),
        'BillingAddress.City': now.City,
        'BillingAddress.Line1': now.Line1,
      })
      if (world.drafts().length === 0) return
      await world.sendAndSettle([draftId])
      await history.sendBack([history.latest()])
      expect(values()).toEqual(before)
      expect(world.states()).toEqual(['acked', 'acked'])
      world.end()
    }),
    { numRuns: 40 },
  )
})
