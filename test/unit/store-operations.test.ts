/** What the store of operations refuses, whoever asks: each move and each end has one state that it starts from. */
import { describe, expect, test } from 'vitest'
import type {
  JournalBatch,
  OperationFacts,
  OperationMove,
  RequestAnswer,
} from '../../electron/store/journal.ts'
import { newOperation } from '../../electron/writing/new-operation.ts'
import { COMPANY, value, World } from './writing-world.ts'

const AT = '2026-03-01T09:00:00Z'

function batch(batchId: string, queuedAt = AT): JournalBatch {
  return { batchId, company: COMPANY, object: 'customer', queuedAt, status: 'open', error: null }
}

/** A store with drafts of which nothing was sent; nothing runs beside the test. */
function begin() {
  const world = new World()
  const { operations } = world.store.journal
  const draft = (Name: string): string => world.draftInsert({ Name })
  const enqueue = (draftId: string, operationId: string, in_ = batch(`batch of ${operationId}`)) => {
    const [stored] = value(world.store.drafts.get(COMPANY, [draftId]))
    if (stored === undefined) throw new Error('No such draft.')
    return operations.enqueue(in_, [newOperation(stored, operationId, false, new Map())], [])
  }
  const one = (operationId: string) => value(operations.byIds([operationId]))[0]
  const move = (from: OperationMove['from'], to: OperationMove['to'], facts: OperationFacts = {}) =>
    operations.move([{ operationId: 'op', from, to, facts, closes: false }], null)
  /** Sends it once more, with what became of the request. */
  const send = (requestKey: string, sentAt: string, outcome: RequestAnswer['outcome']): void => {
    const request = {
      requestKey,
      batchId: 'batch of op',
      kind: 'insert',
      ...COMPANY,
      object: 'customer',
    } as const
    value(
      operations.begin({ ...request, body: '{}', sentAt }, [
        { operationId: 'op', from: 'queued', to: 'sending', facts: {}, closes: false },
      ]),
    )
    value(
      operations.move(
        [{ operationId: 'op', from: 'sending', to: 'queued', facts: {}, closes: false }],
        answer(requestKey, outcome),
      ),
    )
  }
  return { world, operations, draft, enqueue, one, move, send }
}

function answer(requestKey: string, outcome: RequestAnswer['outcome']): RequestAnswer {
  return {
    requestKey,
    answeredAt: AT,
    outcome,
    status: 200,
    requestId: '',
    error: null,
    text: null,
    toldIds: [],
    items: [],
  }
}

test('a move starts from the state that it names, or is refused', () => {
  const { draft, enqueue, one, move } = begin()
  value(enqueue(draft('Ada'), 'op'))
  expect(move('sending', 'acked').ok).toBe(false)
  expect(one('op')?.state).toBe('queued')
  expect(move('queued', 'sending').ok).toBe(true)
})

describe('a person’s word', () => {
  test('ends an operation once, and only in the state that they saw', () => {
    const { operations, draft, enqueue, one } = begin()
    value(enqueue(draft('Ada'), 'op'))
    expect(operations.end([{ operationId: 'op', from: 'held', draft: 'remove' }]).ok).toBe(false)
    expect(one('op')?.isClosed).toBe(false)
    expect(operations.end([{ operationId: 'op', from: 'queued', draft: 'remove' }]).ok).toBe(true)
    expect(operations.end([{ operationId: 'op', from: 'queued', draft: 'remove' }]).ok).toBe(false)
  })

  test('that discards an insert also takes back “send again” and the watch for a second record', () => {
    const { operations, draft, enqueue, one } = begin()
    value(enqueue(draft('Ada'), 'op'))
    value(operations.note('op', { sendAgain: true, recheckAt: AT }))
    expect(value(operations.companiesInDoubt())).toEqual([COMPANY])
    value(operations.end([{ operationId: 'op', from: 'queued', draft: 'remove' }]))
    expect(one('op')).toMatchObject({ sendAgain: false, recheckAt: null })
  })

  test('that has seen a saved insert leaves the watch for a second record', () => {
    const { operations, draft, enqueue, one, move } = begin()
    value(enqueue(draft('Ada'), 'op'))
    value(move('queued', 'acked', { recheckAt: AT }))
    value(operations.end([{ operationId: 'op', from: 'acked', draft: 'remove' }]))
    expect(one('op')?.recheckAt).toBe(AT)
  })
})

test('a draft is queued once', () => {
  const { draft, enqueue, one } = begin()
  const draftId = draft('Ada')
  value(enqueue(draftId, 'op'))
  expect(enqueue(draftId, 'another').ok).toBe(false)
  expect(one('another')).toBeUndefined()
})

test('what was dropped is neither open nor next', () => {
  const { operations, draft, enqueue } = begin()
  value(enqueue(draft('Ada'), 'op'))
  expect(value(operations.open(COMPANY, ['queued']))).toHaveLength(1)
  value(operations.end([{ operationId: 'op', from: 'queued', draft: 'remove' }]))
  expect(value(operations.open(COMPANY, ['queued']))).toEqual([])
  expect(value(operations.nextOfBatch('batch of op', 10))).toEqual([])
})

test('the batch that was queued first leaves first', () => {
  const { operations, draft, enqueue } = begin()
  value(enqueue(draft('Bob'), 'second', batch('b', '2026-03-01T09:01:00Z')))
  value(enqueue(draft('Ada'), 'first', batch('a', AT)))
  expect(value(operations.openBatches(COMPANY)).map(({ batchId }) => batchId)).toEqual(['a', 'b'])
})

describe('the requests of an operation', () => {
  test('the first answer to one stands', () => {
    const { operations, draft, enqueue, send } = begin()
    value(enqueue(draft('Ada'), 'op'))
    send('r', AT, 'answered')
    value(operations.move([], answer('r', 'in-doubt')))
    expect(value(operations.requests('op'))).toMatchObject([{ outcome: 'answered' }])
  })

  test('the first that may have left counts as the first sending', () => {
    const { operations, draft, enqueue, send } = begin()
    value(enqueue(draft('Ada'), 'op'))
    send('r1', '2026-03-01T09:01:00Z', 'not-sent')
    send('r2', '2026-03-01T09:02:00Z', 'in-doubt')
    send('r3', '2026-03-01T09:03:00Z', 'in-doubt')
    expect(value(operations.firstSentAt(['op']))).toEqual(new Map([['op', '2026-03-01T09:02:00Z']]))
  })

  test('two that may have left are watched for a second record, however long ago', () => {
    const { operations, draft, enqueue, move, send } = begin()
    value(enqueue(draft('Ada'), 'op'))
    const perhaps = () => value(operations.perhapsTwice(COMPANY, 'customer', '2026-04-01T09:00:00Z'))
    send('r1', AT, 'in-doubt')
    send('r2', AT, 'in-doubt')
    value(move('queued', 'acked'))
    expect(perhaps()).toHaveLength(1)
  })
})
