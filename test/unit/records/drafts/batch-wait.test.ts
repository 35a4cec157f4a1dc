/** The message about what a batch that is being sent waits for. */
import { describe, expect, it } from 'vitest'
import { batchWait, type WaitFacts } from '../../../../renderer/records/drafts/batch-wait.ts'
import type { QueueEntry, RequestQueue } from '../../../../shared/contract/activity.ts'
import type { Batch } from '../../../../shared/contract/records.ts'
import { appError } from '../../../../shared/result.ts'

const COMPANY = { connectionId: 'main', endpointId: 'alder' }

const BATCH: Batch = {
  batchId: 'batch',
  company: COMPANY,
  object: 'customer',
  phase: 'waiting',
  total: 3,
  sent: 0,
  saved: 0,
  undone: 0,
  notAccepted: 0,
  notConfirmed: 0,
  decisions: 0,
  changedMeanwhile: 0,
  unsent: 3,
  error: null,
}

const ENTRY: QueueEntry = {
  entryId: 'entry',
  connectionId: 'main',
  companyName: 'Alder & Finch',
  company: COMPANY,
  what: 'Reading customers',
  isWrite: false,
  priority: 'interactive',
  batchId: '',
  state: 'running',
  queuedAt: '2026-11-21T09:00:00Z',
  startedAt: '2026-11-21T09:00:00Z',
  deadlineAt: null,
  pausesUntil: null,
  attempt: 1,
  attempts: 1,
  position: 0,
  progress: '',
  trouble: '',
}

const LANE: RequestQueue = {
  connectionId: 'main',
  running: null,
  waiting: [],
  blockedUntil: null,
  blockedBy: null,
  paused: null,
  last: null,
}

const mine: QueueEntry = { ...ENTRY, batchId: 'batch', state: 'waiting', position: 2 }

function wait(facts: Partial<WaitFacts>): ReturnType<typeof batchWait> {
  const all: WaitFacts = { batch: BATCH, queue: LANE, unconfirmed: [], recheckSeconds: 60, ...facts }
  return batchWait(all, (iso) => iso.slice(11, 16))
}

describe('a batch that waits', () => {
  it('counts what is sent before it, including what is running', () => {
    expect(wait({ queue: { ...LANE, running: ENTRY, waiting: [ENTRY, mine] } })?.text).toBe(
      'Waiting in line: 2 ahead',
    )
    expect(wait({ queue: { ...LANE, waiting: [{ ...mine, position: 1 }] } })).toBeNull()
  })

  it('says until when the queue is blocked and why, and that it is paused', () => {
    const blockedUntil = '2026-11-21T09:14:00.000Z'
    expect(wait({ queue: { ...LANE, blockedUntil } })).toEqual({
      text: 'Waiting until 09:14: the response to an earlier request may still arrive',
      until: blockedUntil,
    })
    expect(wait({ queue: { ...LANE, blockedUntil, paused: appError('paused', 'Paused by you.') } })).toEqual({
      text: 'Waiting until you resume this connection',
      until: null,
    })
    const refused = appError('unauthorized', 'The service refused this key.')
    expect(wait({ queue: { ...LANE, paused: refused } })?.text).toBe(
      'Waiting until you change the key: the service rejected it',
    )
  })

  it('says when it checked for a new record and when it checks again', () => {
    const batch: Batch = { ...BATCH, phase: 'confirming' }
    const unconfirmed = [{ rechecks: 1, lastRecheckedAt: '2026-11-21T09:02:00.000Z' }]
    expect(wait({ batch, unconfirmed })).toEqual({
      text: 'Not confirmed. First check at 09:02, second check at 09:03',
      until: '2026-11-21T09:03:00.000Z',
    })
    expect(wait({ batch, unconfirmed: [{ rechecks: 0, lastRecheckedAt: null }] })).toBeNull()
    // The status line says until when.
    expect(wait({ batch, unconfirmed, queue: { ...LANE, blockedUntil: '2026-11-21T09:14:00Z' } })).toEqual({
      text: 'Not confirmed',
      until: null,
    })
  })

  it('waits for nothing while its own request runs', () => {
    const running: QueueEntry = { ...mine, state: 'running' }
    const queue: RequestQueue = { ...LANE, running, blockedUntil: '2026-11-21T09:14:00Z' }
    for (const phase of ['waiting', 'checking', 'sending', 'confirming'] as const) {
      expect(wait({ batch: { ...BATCH, phase }, queue })).toBeNull()
    }
  })
})
