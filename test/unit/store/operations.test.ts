/** Transitions that the store of operations rejects: each has one state that it starts from. */
import { describe, expect, test } from 'vitest'
import { resultOf, StoreError } from '../../../electron/store/database.ts'
import type { StoredDraft } from '../../../electron/store/drafts.ts'
import type {
  JournalBatch,
  NewOperation,
  OperationFacts,
  OperationMove,
  RequestResult,
} from '../../../electron/store/journal/journal.ts'
import { textOf } from '../../../shared/records/changes.ts'
import { appError } from '../../../shared/result.ts'
import { COMPANY, World } from '../writing/world.ts'

const AT = '2026-03-01T09:00:00Z'

function batch(batchId: string, queuedAt = AT): JournalBatch {
  return { batchId, company: COMPANY, object: 'customer', queuedAt, status: 'open', error: null }
}

function operationOf(draft: StoredDraft, operationId: string, externalId = ''): NewOperation {
  const { draftId, kind, recordId, before, edits } = draft
  const fullName = edits.map(({ now }) => textOf(now)).join()
  const names = { recordName: fullName, fullName, externalId, namesakes: [] }
  return { operationId, draftId, kind, recordId, before, edits, ...names }
}

/** A store with unsent drafts. Nothing else runs. */
function begin() {
  const world = new World()
  const { operations } = world.store.journal
  const draft = (Name: string): string => world.draftInsert({ Name })
  const enqueue = (draftId: string, operationId: string, in_ = batch(`batch of ${operationId}`)) => {
    const [stored] = world.store.drafts.get(COMPANY, [draftId])
    if (stored === undefined) throw new Error('No such draft.')
    return operations.enqueue(in_, [operationOf(stored, operationId)], [])
  }
  const one = (operationId: string) => operations.byIds([operationId])[0]
  const move = (from: OperationMove['from'], to: OperationMove['to'], facts: OperationFacts = {}) =>
    operations.move([{ operationId: 'op', from, to, facts, closes: false }], null)
  /** Sends the operation again, and records the request's outcome. */
  const send = (
    requestKey: string,
    sentAt: string,
    outcome: RequestResult['outcome'],
    returnedIds: readonly string[] = [],
  ): void => {
    const request = {
      requestKey,
      batchId: 'batch of op',
      kind: 'insert',
      ...COMPANY,
      object: 'customer',
    } as const
    operations.begin({ ...request, body: '{}', sentAt }, [
      { operationId: 'op', from: 'queued', to: 'sending', facts: {}, closes: false },
    ])
    operations.move(
      [{ operationId: 'op', from: 'sending', to: 'queued', facts: {}, closes: false }],
      answer(requestKey, outcome, returnedIds),
    )
  }
  return { world, operations, draft, enqueue, one, move, send }
}

function answer(
  requestKey: string,
  outcome: RequestResult['outcome'],
  returnedIds: readonly string[] = [],
): RequestResult {
  return {
    requestKey,
    respondedAt: AT,
    outcome,
    status: 200,
    requestId: '',
    error: null,
    text: null,
    returnedIds,
    items: [],
  }
}

test('a move starts from the state that it names, or is rejected', () => {
  const { draft, enqueue, one, move } = begin()
  enqueue(draft('Ada'), 'op')
  expect(() => move('sending', 'acked')).toThrow(StoreError)
  expect(one('op')?.state).toBe('queued')
  move('queued', 'sending')
})

describe('a user’s decision', () => {
  test('closes an operation once, and only in the state that they saw', () => {
    const { operations, draft, enqueue, one } = begin()
    enqueue(draft('Ada'), 'op')
    expect(() => operations.end([{ operationId: 'op', from: 'held', draft: 'remove' }])).toThrow(StoreError)
    expect(one('op')?.isClosed).toBe(false)
    operations.end([{ operationId: 'op', from: 'queued', draft: 'remove' }])
    expect(() => operations.end([{ operationId: 'op', from: 'queued', draft: 'remove' }])).toThrow(StoreError)
  })

  test('to discard an insert also cancels “send again” and the search for a second record', () => {
    const { operations, draft, enqueue, one } = begin()
    enqueue(draft('Ada'), 'op')
    operations.note('op', { sendAgain: true, recheckAt: AT })
    expect(operations.companiesWithUnknownOutcome()).toEqual([COMPANY])
    operations.end([{ operationId: 'op', from: 'queued', draft: 'remove' }])
    expect(one('op')).toMatchObject({ sendAgain: false, recheckAt: null })
  })

  test('that they have seen a saved insert keeps the search for a second record', () => {
    const { operations, draft, enqueue, one, move } = begin()
    enqueue(draft('Ada'), 'op')
    move('queued', 'acked', { recheckAt: AT })
    operations.end([{ operationId: 'op', from: 'acked', draft: 'remove' }])
    expect(one('op')?.recheckAt).toBe(AT)
  })
})

describe('an array', () => {
  function beginArray(records: readonly OperationFacts[]) {
    const { operations, draft, enqueue, one } = begin()
    for (const name of ['Ada', 'Bob']) enqueue(draft(name), name)
    const request = { requestKey: 'r', batchId: 'batch of Ada', kind: 'insert', ...COMPANY } as const
    const send = (): void => {
      const moves = ['Ada', 'Bob'].map((operationId, index): OperationMove => ({
        operationId,
        from: 'queued',
        to: 'sending',
        facts: records[index] ?? {},
        closes: false,
      }))
      operations.begin({ ...request, object: 'customer', body: '[]', sentAt: AT }, moves)
    }
    return { operations, send, one }
  }

  test('has the facts of each of its records', () => {
    const { send, one } = beginArray([{ beforeSending: { ID: '1' } }, { beforeSending: { ID: '2' } }])
    send()
    expect([one('Ada')?.state, one('Bob')?.state]).toEqual(['sending', 'sending'])
    expect([one('Ada')?.beforeSending, one('Bob')?.beforeSending]).toEqual([{ ID: '1' }, { ID: '2' }])
  })

  test('is not sent if one of its records was discarded, and names it', () => {
    const { operations, send, one } = beginArray([])
    operations.end([{ operationId: 'Bob', from: 'queued', draft: 'remove' }])
    const raw = 'Bob: closed queued instead of queued'
    expect(resultOf(send)).toMatchObject({ ok: false, error: { details: { raw } } })
    expect(one('Ada')?.state).toBe('queued')
  })
})

test('a draft is queued once', () => {
  const { draft, enqueue, one } = begin()
  const draftId = draft('Ada')
  enqueue(draftId, 'op')
  expect(() => enqueue(draftId, 'another')).toThrow(StoreError)
  expect(one('another')).toBeUndefined()
})

test('a discarded operation is neither open nor next', () => {
  const { operations, draft, enqueue } = begin()
  enqueue(draft('Ada'), 'op')
  expect(operations.open(COMPANY, ['queued'])).toHaveLength(1)
  operations.end([{ operationId: 'op', from: 'queued', draft: 'remove' }])
  expect(operations.open(COMPANY, ['queued'])).toEqual([])
  expect(operations.nextOfBatch('batch of op', 10)).toEqual([])
})

test('the batch that was queued first is sent first', () => {
  const { operations, draft, enqueue } = begin()
  enqueue(draft('Bob'), 'second', batch('b', '2026-03-01T09:01:00Z'))
  enqueue(draft('Ada'), 'first', batch('a', AT))
  expect(operations.openBatches(COMPANY).map(({ batchId }) => batchId)).toEqual(['a', 'b'])
})

describe('the requests of an operation', () => {
  test('keep their first answer', () => {
    const { operations, draft, enqueue, send } = begin()
    enqueue(draft('Ada'), 'op')
    send('r', AT, 'answered')
    operations.move([], answer('r', 'uncertain'))
    expect(operations.requests('op')).toMatchObject([{ outcome: 'answered' }])
  })

  test('count as first sent when the first of them may have been sent', () => {
    const { operations, draft, enqueue, send } = begin()
    enqueue(draft('Ada'), 'op')
    send('r1', '2026-03-01T09:01:00Z', 'not-sent')
    send('r2', '2026-03-01T09:02:00Z', 'uncertain')
    send('r3', '2026-03-01T09:03:00Z', 'uncertain')
    expect(operations.firstSentAt(['op'])).toEqual(new Map([['op', '2026-03-01T09:02:00Z']]))
  })

  test('have the IDs from all their answers', () => {
    const { operations, draft, enqueue, send } = begin()
    enqueue(draft('Ada'), 'op')
    send('r1', '2026-03-01T09:01:00Z', 'answered', ['T1'])
    send('r2', '2026-03-01T09:02:00Z', 'answered', ['T2'])
    expect(operations.returnedIds(['op'])).toEqual(new Map([['op', ['T1', 'T2']]]))
  })

  test('if two may have been sent, a second record is searched for, however long ago', () => {
    const { operations, draft, enqueue, move, send } = begin()
    enqueue(draft('Ada'), 'op')
    const perhaps = () => operations.possibleDuplicates(COMPANY, 'customer', '2026-04-01T09:00:00Z')
    send('r1', AT, 'uncertain')
    send('r2', AT, 'uncertain')
    move('queued', 'acked')
    expect(perhaps()).toHaveLength(1)
  })
})

describe('an operation that was sent to another service', () => {
  test('is neither open nor rechecked while the connection leads elsewhere', () => {
    const { world, operations, draft, enqueue, move } = begin()
    const lead = (v2: string) =>
      world.store.journal.serviceAddresses.change(
        COMPANY.connectionId,
        { v2, v1: '' },
        { isSameService: false, reason: appError('stopped', 'Moved.') },
      )
    lead('https://one.example')
    enqueue(draft('Ada'), 'op')
    move('queued', 'held', { recheckAt: AT })
    const found = () => [operations.open(COMPANY, ['held']), operations.toRecheck(COMPANY)]
    expect(found()).toMatchObject([[{ operationId: 'op' }], [{ operationId: 'op' }]])
    lead('https://two.example')
    expect(found()).toEqual([[], []])
  })
})

test('sending a draft again closes the operation that still waited', () => {
  const { world, operations, draft, enqueue, one } = begin()
  const draftId = draft('Ada')
  enqueue(draftId, 'op')
  const [stored] = world.store.drafts.get(COMPANY, [draftId])
  const again = operationOf(stored ?? expect.fail(), 'again')
  const replaced = { operationId: 'op', from: 'queued', draft: 'release' } as const
  operations.enqueue(batch('another'), [again], [replaced])
  expect([one('op')?.isClosed, one('again')?.isClosed]).toEqual([true, false])
})

test('a baseline is kept while an insert is unfinished or a second record is searched for', () => {
  const { operations, draft, enqueue } = begin()
  const [own, other] = [batch('own'), batch('other')]
  const records = new Map([['R1', 'alder']])
  enqueue(draft('Ada'), 'op', own)
  enqueue(draft('Bob'), 'another', other)
  operations.putBaseline(own, records)
  const isKept = (): boolean => {
    // Deletes those that nothing needs, but not the one that was read last.
    operations.putBaseline(other, new Map())
    expect(operations.baselineOf('other')).toEqual(new Map())
    return operations.baselineOf('own') !== null
  }
  expect(isKept()).toBe(true)
  const saved = {
    operationId: 'op',
    from: 'queued',
    to: 'acked',
    facts: { recheckAt: AT },
    closes: true,
  } as const
  operations.move([saved], null)
  expect(isKept()).toBe(true)
  operations.note('op', { recheckAt: null })
  expect(isKept()).toBe(false)
})

describe('what is known about a list', () => {
  const key = (object = 'customer') => [COMPANY.connectionId, 'qbd', object] as const

  test('external IDs that come back in one list are trusted only in that list', () => {
    const { writePolicies } = begin().world.store.journal
    writePolicies.trustExternalId(...key(), AT)
    expect(writePolicies.isExternalIdTrusted(...key())).toBe(true)
    expect(writePolicies.isExternalIdTrusted(...key('vendor'))).toBe(false)
  })

  test('the external IDs of saved inserts are searched for along with unknown ones', () => {
    const { world, operations, draft } = begin()
    const { writePolicies } = world.store.journal
    const [stored] = world.store.drafts.get(COMPANY, [draft('Ada')])
    operations.enqueue(batch('b'), [operationOf(stored ?? expect.fail(), 'op', 'op')], [])
    const externalIds = () => writePolicies.recentExternalIds(COMPANY, 'customer', 20)
    expect(externalIds()).toEqual([])
    operations.move([{ operationId: 'op', from: 'queued', to: 'acked', facts: {}, closes: false }], null)
    expect(externalIds()).toEqual(['op'])
  })

  test('a record that an insert created still counts as new, even if someone has changed it', () => {
    const { world, draft, enqueue, move } = begin()
    const { writePolicies } = world.store.journal
    enqueue(draft('Ada'), 'op')
    move('queued', 'sending', { recordId: 'R1' })
    const known = (except: readonly string[] = []) =>
      writePolicies.knownRecords(COMPANY, 'customer', except).get('R1')
    // A response named it, and the outcome is unknown, so it belongs to no one yet.
    expect(known()).toBeUndefined()
    move('sending', 'acked')
    expect(known(['op'])).toBeUndefined()
    expect(known()).toMatchObject({ since: '', names: ['Ada'] })
    world.draftChange('R1', { Phone: '2' })
    expect(known()).toMatchObject({ since: '' })
  })

  test('a record that is being edited isn’t new', () => {
    const { world } = begin()
    const id = world.service.add('customer', { Name: 'Ada' })
    world.draftChange(id, { Phone: '2' })
    expect(world.store.journal.writePolicies.amongKnown(COMPANY, 'customer', [id, 'R9'])).toEqual(
      new Set([id]),
    )
  })
})

test('at startup, what was being sent becomes unknown and due for a recheck, and permissions to send are canceled', () => {
  const { world, operations, draft, enqueue, one, move } = begin()
  enqueue(draft('Ada'), 'op')
  move('queued', 'sending', { rechecks: 2, firstRecheckedAt: AT })
  enqueue(draft('Bob'), 'waits')
  operations.note('waits', { sendAgain: true })
  world.store.journal.recover()
  expect(one('op')).toMatchObject({ state: 'unknown', rechecks: 0, firstRecheckedAt: null })
  expect(one('waits')).toMatchObject({ state: 'queued', sendAgain: false })
  expect(operations.batch('batch of waits')).toMatchObject({ status: 'stopped' })
})

test('an operation with an unknown outcome or an open decision is kept, even without a draft', async () => {
  const { world, operations, draft, enqueue, one, move } = begin()
  const { journal } = world.store
  const isKept = async () => {
    await journal.trim('2030-01-01T00:00:00Z')
    return one('op') !== undefined
  }
  enqueue(draft('Ada'), 'op')
  operations.move([{ operationId: 'op', from: 'queued', to: 'unknown', facts: {}, closes: true }], null)
  expect(await isKept()).toBe(true)
  journal.recover()
  move('unknown', 'held')
  expect(await isKept()).toBe(true)
})

test('what was sent for a draft comes in the order in which it was queued, whatever the clock said', () => {
  const { world, operations, draft, enqueue } = begin()
  const draftId = draft('Ada')
  // IDs grow with time. The second came after the clock was set back.
  enqueue(draftId, 'op 9')
  const [stored] = world.store.drafts.get(COMPANY, [draftId])
  const again = operationOf(stored ?? expect.fail(), 'op 1')
  operations.enqueue(batch('later'), [again], [{ operationId: 'op 9', from: 'queued', draft: 'release' }])
  const sent = operations.ofSent(COMPANY, 'customer', [{ recordId: '', draftId }])
  expect(sent.map(({ operationId }) => operationId)).toEqual(['op 9', 'op 1'])
})

describe('what was saved since a mark', () => {
  test('is what was saved after it, in that order', () => {
    const { operations, draft, enqueue, move } = begin()
    enqueue(draft('Ada'), 'op')
    const before = operations.savesMark()
    const since = (mark: string) =>
      operations.savedSince(COMPANY, 'customer', mark)?.map(({ operationId }) => operationId) ?? null
    expect(since(before)).toEqual([])
    move('queued', 'acked')
    expect([since(before), since(operations.savesMark())]).toEqual([['op'], []])
    expect([since(''), since('another file:0')]).toEqual([null, null])
  })

  test('is unknown once some of it was trimmed, for good', async () => {
    const { world, operations, draft, enqueue } = begin()
    enqueue(draft('Ada'), 'op')
    const before = operations.savesMark()
    operations.move(
      [{ operationId: 'op', from: 'queued', to: 'acked', facts: { settledAt: AT }, closes: true }],
      null,
    )
    await world.store.journal.trim('2026-04-01T00:00:00Z')
    expect(operations.savedSince(COMPANY, 'customer', before)).toBeNull()
    expect(operations.savedSince(COMPANY, 'customer', operations.savesMark())).toEqual([])
  })
})
