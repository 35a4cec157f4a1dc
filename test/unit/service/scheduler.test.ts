import { describe, expect, it } from 'vitest'
import type { SlotRequest } from '../../../electron/service/protocol/wire.ts'
import type { QueueStorage, StoredBlock } from '../../../electron/service/queue/request-queue.ts'
import { Scheduler } from '../../../electron/service/queue/scheduler.ts'
import { type AppError, appError, err, ok } from '../../../shared/result.ts'

/** A `Clock.elapsed` from before the computer's last start, when it counted from another moment. */
const BEFORE_RESTART = Number.MAX_SAFE_INTEGER

/** A clock that moves only on request. */
function makeClock() {
  let now = 1_000_000
  let elapsed = 0
  const timers = new Set<{ at: number; callback: () => void }>()
  return {
    now: () => now,
    elapsed: () => elapsed,
    during: <T>(work: Promise<T>) => work,
    after(milliseconds: number, callback: () => void) {
      const timer = { at: now + milliseconds, callback }
      timers.add(timer)
      return () => {
        timers.delete(timer)
      }
    },
    async move(milliseconds: number) {
      now += milliseconds
      elapsed += milliseconds
      for (const timer of [...timers].filter(({ at }) => at <= now)) {
        timers.delete(timer)
        timer.callback()
      }
      await settled()
    },
    /** Sets the wall clock. Timers continue as they were. */
    setBack(milliseconds: number) {
      now -= milliseconds
      for (const timer of timers) timer.at -= milliseconds
    },
  }
}

function makeIds(): () => string {
  let made = 0
  return () => `entry-${String((made += 1))}`
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

function createStorage(): QueueStorage & { readonly kept: Map<string, StoredBlock> } {
  const kept = new Map<string, StoredBlock>()
  return {
    kept,
    block(key, block) {
      kept.set(key, block)
      return ok(undefined)
    },
    unblock(key) {
      kept.delete(key)
      return ok(undefined)
    },
    blockOf: (key) => ok(kept.get(key) ?? null),
    acquire: () => ok(true),
    release: () => undefined,
  }
}

function request(what: string, more: Partial<SlotRequest> = {}): SlotRequest {
  return {
    connectionId: 'c',
    company: { connectionId: 'c', endpointId: 'e' },
    companyName: 'Alder',
    what,
    isWrite: false,
    priority: 'batch',
    batchId: '',
    ...more,
  }
}

function make(storage = createStorage(), onResume: (connectionId: string) => void = () => undefined) {
  const clock = makeClock()
  const scheduler = new Scheduler({
    newId: makeIds(),
    clock,
    storage,
    graceMilliseconds: () => 5_000,
    onChange: () => undefined,
    onResume,
  })
  return { clock, storage, scheduler }
}

/** Runs a request. `began` records the order; `end` ends it. */
function start(scheduler: Scheduler, began: string[], asked: SlotRequest, queue = 'queue', address = '') {
  const ticket = scheduler.enter(queue, asked, 1, address)
  const turn = scheduler.acquireSlot(ticket).then((result) => {
    if (result.ok) began.push(asked.what)
    return result
  })
  return {
    ticket,
    turn,
    /** `atWorkUntil`: until when the service may be working. */
    end(atWorkUntil: number | null = null) {
      scheduler.releaseSlot(ticket, atWorkUntil === null ? null : { reason: 'at-work', until: atWorkUntil })
      scheduler.leave(ticket, true)
    },
  }
}

describe('the scheduler', () => {
  it('starts one request at a time per queue. Queues of other keys run at the same time', async () => {
    const { scheduler } = make()
    const began: string[] = []
    const first = start(scheduler, began, request('first'))
    start(scheduler, began, request('second'))
    start(scheduler, began, request('elsewhere', { connectionId: 'd' }), 'other')
    await settled()
    expect(began).toEqual(['first', 'elsewhere'])
    first.end()
    await settled()
    expect(began).toEqual(['first', 'elsewhere', 'second'])
  })

  it('starts one request at a time per company, even if two keys of the service lead to it', async () => {
    const { clock, scheduler } = make()
    const began: string[] = []
    const at = (what: string, connectionId: string, queue: string, endpointId = 'e') =>
      start(
        scheduler,
        began,
        request(what, { connectionId, company: { connectionId, endpointId } }),
        queue,
        'https://s',
      )
    const first = at('first', 'c', 'key-1')
    await settled()
    const second = at('second', 'd', 'key-2', 'E')
    const elsewhere = at('elsewhere', 'f', 'key-3', 'other')
    await settled()
    expect(began).toEqual(['first', 'elsewhere'])
    elsewhere.end()
    first.end(clock.now() + 60_000)
    await settled()
    expect(began).toEqual(['first', 'elsewhere'])
    await clock.move(64_000)
    expect(began).toEqual(['first', 'elsewhere'])
    await clock.move(2_000)
    expect(began).toEqual(['first', 'elsewhere', 'second'])
    second.end()
  })

  it('makes a changed key wait for what is running with the previous one, even after a restart', async () => {
    const { clock, storage, scheduler } = make()
    const began: string[] = []
    const older = start(scheduler, began, request('older'), 'key-1')
    await settled()
    const newer = start(scheduler, began, request('newer'), 'key-2')
    await settled()
    expect(began).toEqual(['older'])
    older.end(clock.now() + 60_000)
    await settled()
    await clock.move(64_000)
    expect(began).toEqual(['older'])
    expect(storage.kept.get('key-2')).toEqual(storage.kept.get('key-1'))
    await clock.move(2_000)
    expect(began).toEqual(['older', 'newer'])
    newer.end()
    const elsewhere = start(scheduler, began, request('elsewhere', { connectionId: 'd' }), 'key-3')
    await settled()
    expect(began).toEqual(['older', 'newer', 'elsewhere'])
    elsewhere.end()
  })

  it('names what a user asked for as its last request, not the check of fields after it', async () => {
    const { scheduler } = make()
    for (const asked of [request('Reading customers'), request('Checking', { reads: 'fields' })]) {
      const running = start(scheduler, [], asked)
      await settled()
      running.end()
    }
    expect(scheduler.queues()[0]?.last?.what).toBe('Reading customers')
  })

  it('prefers requests that a user waits for over batch work', async () => {
    const { scheduler } = make()
    const began: string[] = []
    const first = start(scheduler, began, request('first'))
    start(scheduler, began, request('batch'))
    start(scheduler, began, request('interactive', { priority: 'interactive' }))
    first.end()
    await settled()
    expect(began).toEqual(['first', 'interactive'])
  })

  it('keeps the order of writes to one company, even if a later one is more urgent', async () => {
    const { scheduler } = make()
    const began: string[] = []
    const first = start(scheduler, began, request('first'))
    const older = start(scheduler, began, request('older write', { isWrite: true }))
    start(scheduler, began, request('urgent write', { isWrite: true, priority: 'interactive' }))
    first.end()
    await settled()
    older.end()
    await settled()
    expect(began).toEqual(['first', 'older write', 'urgent write'])
  })

  it('keeps that order for two connections, too, if they have the same service and key', async () => {
    const { scheduler } = make()
    const began: string[] = []
    const first = start(scheduler, began, request('first'))
    const older = start(scheduler, began, request('older write', { isWrite: true }))
    const company = { connectionId: 'd', endpointId: 'e' }
    const urgent = { isWrite: true, priority: 'interactive', connectionId: 'd', company } as const
    start(scheduler, began, request('urgent write', urgent))
    first.end()
    await settled()
    older.end()
    await settled()
    expect(began).toEqual(['first', 'older write', 'urgent write'])
  })

  it('keeps the queue blocked for the grace period after a request was stopped', async () => {
    const { scheduler, clock } = make()
    const began: string[] = []
    const first = start(scheduler, began, request('first'))
    start(scheduler, began, request('second'))
    await settled()
    scheduler.stop(first.ticket.entryId)
    await first.ticket.stopped
    expect(scheduler.queues()[0]?.running?.state).toBe('abandoned')
    first.end(clock.now())
    await settled()
    expect(began).toEqual(['first'])
    await clock.move(4_999)
    expect(began).toEqual(['first'])
    await clock.move(1)
    expect(began).toEqual(['first', 'second'])
  })

  it('keeps it blocked, on disk too, until a request without an answer is certainly over, and for a pause after that', async () => {
    const { scheduler, clock, storage } = make()
    const began: string[] = []
    const first = start(scheduler, began, request('Sending to customers', { isWrite: true }))
    start(scheduler, began, request('second', { priority: 'interactive' }))
    await settled()
    const deadlineAt = clock.now() + 180_000
    first.end(deadlineAt)
    await settled()
    expect(storage.kept.get('queue')?.until).toBe(deadlineAt + 5_000)
    expect(scheduler.queues()[0]).toMatchObject({
      blockedUntil: new Date(deadlineAt + 5_000).toISOString(),
      blockedBy: { what: 'Sending to customers', companyName: 'Alder', reason: 'at-work' },
    })
    await clock.move(184_999)
    expect(began).toEqual(['Sending to customers'])
    await clock.move(1)
    expect(began).toEqual(['Sending to customers', 'second'])
  })

  it('sends nothing before the time that the service asks for, and then everything', async () => {
    const { scheduler, clock, storage } = make()
    const began: string[] = []
    const { ticket } = start(scheduler, began, request('Reading customers', { priority: 'interactive' }))
    start(scheduler, began, request('batch', { isWrite: true }))
    await settled()
    const until = clock.now() + 4_000
    scheduler.releaseSlot(ticket, { reason: 'asked', until })
    void scheduler.backOff(ticket, 4_000, 'The service is busy and asked Bookbridge to wait 4 seconds.')
    await settled()
    expect(storage.kept.get('queue')?.until).toBe(until)
    expect(scheduler.queues()[0]).toMatchObject({
      blockedUntil: new Date(until).toISOString(),
      blockedBy: { what: 'Reading customers', companyName: 'Alder', reason: 'asked' },
    })
    await clock.move(3_999)
    expect(began).toEqual(['Reading customers'])
    await clock.move(1)
    expect(began).toEqual(['Reading customers', 'batch'])
  })

  it('waits as long between two requests of a slot, but no longer once the user stops it', async () => {
    const { scheduler, clock, storage } = make()
    const { ticket } = start(scheduler, [], request('two requests'))
    await settled()
    let waited = 0
    const atWorkFor = (milliseconds: number) =>
      ({ reason: 'at-work', until: clock.now() + milliseconds }) as const
    const wait = (): void => void scheduler.waitOut(ticket, atWorkFor(60_000)).then(() => (waited += 1))
    wait()
    await clock.move(64_999)
    expect(waited).toBe(0)
    await clock.move(1)
    expect(waited).toBe(1)
    wait()
    scheduler.stop(ticket.entryId)
    await settled()
    expect(waited).toBe(2)
    expect(storage.kept.get('queue')?.until).toBe(clock.now() + 65_000)
  })

  it('keeps a queue blocked after a restart', async () => {
    const storage = createStorage()
    const before = make(storage)
    const began: string[] = []
    const first = start(before.scheduler, began, request('first'))
    await settled()
    before.scheduler.requestStarted(first.ticket, before.clock.now() + 60_000)

    const after = make(storage)
    start(after.scheduler, began, request('after the restart'))
    await settled()
    expect(began).toEqual(['first'])
    // The program that waited for the response has ended.
    expect(after.scheduler.queues()[0]?.blockedBy).toEqual({
      what: 'first',
      companyName: '',
      reason: 'at-work',
    })
    await after.clock.move(65_000)
    expect(began).toEqual(['first', 'after the restart'])
  })

  it('removes a waiting request from the queue when it is stopped', async () => {
    const { scheduler } = make()
    const began: string[] = []
    start(scheduler, began, request('first'))
    const second = start(scheduler, began, request('second'))
    scheduler.stop(second.ticket.entryId)
    expect((await second.turn).ok).toBe(false)
  })

  it('holds everything while paused, except reads that a user asks for', async () => {
    const { scheduler } = make()
    const began: string[] = []
    scheduler.pause('c', appError('unauthorized', 'refused'))
    start(scheduler, began, request('batch'))
    start(scheduler, began, request('write', { isWrite: true, priority: 'interactive' }))
    const read = start(scheduler, began, request('read', { priority: 'interactive' }))
    await settled()
    expect(began).toEqual(['read'])
    read.end()
    scheduler.resume('c')
    await settled()
    expect(began).toHaveLength(2)
  })

  it('after a rejected key, sends nothing that was waiting until the key is accepted', async () => {
    const { scheduler } = make()
    const began: string[] = []
    const person = (what: string): SlotRequest => request(what, { priority: 'interactive' })
    const refused = start(scheduler, began, person('refused'))
    for (const what of ['waited 1', 'waited 2']) start(scheduler, began, person(what))
    await settled()
    scheduler.pause('c', appError('unauthorized', 'refused'))
    refused.end()
    await settled()
    expect(began).toEqual(['refused'])
    const asked = start(scheduler, began, person('asked for since'))
    await settled()
    expect(began).toEqual(['refused', 'asked for since'])
    scheduler.resumeKey('c')
    asked.end()
    await settled()
    expect(began).toEqual(['refused', 'asked for since', 'waited 1'])
  })

  it('continues a user’s read when they pause the queue', async () => {
    const { scheduler } = make()
    const began: string[] = []
    const first = start(scheduler, began, request('first'))
    start(scheduler, began, request('read', { priority: 'interactive' }))
    await settled()
    scheduler.pause('c', appError('paused', 'by you'))
    first.end()
    await settled()
    expect(began).toEqual(['first', 'read'])
  })

  it('keeps the user’s pause when a key is accepted, and ends the pause of a rejected key', () => {
    const resumed: string[] = []
    const { scheduler } = make(createStorage(), (connectionId) => resumed.push(connectionId))
    const paused = (): AppError | null => scheduler.queues()[0]?.paused ?? null
    scheduler.pause('c', appError('paused', 'by you'))
    scheduler.resumeKey('c')
    expect(paused()?.kind).toBe('paused')
    scheduler.pause('c', appError('unauthorized', 'refused'))
    expect(paused()?.kind).toBe('unauthorized')
    scheduler.resumeKey('c')
    expect(paused()?.kind, 'an accepted key doesn’t end the user’s own pause').toBe('paused')
    expect(resumed).toEqual([])
    scheduler.resume('c')
    expect(paused()).toBeNull()
    scheduler.pause('c', appError('unauthorized', 'refused'))
    scheduler.resumeKey('c')
    expect(paused()).toBeNull()
    expect(resumed).toEqual(['c', 'c'])
  })

  it('sends nothing that waited with a rejected key if the user pauses, too', async () => {
    const { scheduler } = make()
    const began: string[] = []
    const refused = start(scheduler, began, request('refused', { priority: 'interactive' }))
    start(scheduler, began, request('waited', { priority: 'interactive' }))
    await settled()
    scheduler.pause('c', appError('unauthorized', 'refused'))
    scheduler.pause('c', appError('paused', 'by you'))
    refused.end()
    await settled()
    expect(began).toEqual(['refused'])
    scheduler.resumeKey('c')
    await settled()
    expect(began, 'reading goes on under a pause').toEqual(['refused', 'waited'])
  })

  it('says what waits, at which position, and since when', async () => {
    const { scheduler } = make()
    const began: string[] = []
    start(scheduler, began, request('first'))
    start(scheduler, began, request('batch'))
    start(scheduler, began, request('interactive', { priority: 'interactive' }))
    await settled()
    const [queue] = scheduler.queues()
    expect(queue?.running).toMatchObject({ what: 'first', position: 0, attempt: 1 })
    expect(queue?.waiting.map(({ what, position }) => [what, position])).toEqual([
      ['interactive', 1],
      ['batch', 2],
    ])
  })

  it('says why the queue is blocked: an answer may still arrive, or the service gets a moment', async () => {
    const { clock, scheduler } = make()
    const began: string[] = []
    const { ticket } = start(scheduler, began, request('Reading customers', { priority: 'interactive' }))
    await settled()
    scheduler.requestStarted(ticket, clock.now() + 60_000)
    expect(scheduler.queues()[0]).toMatchObject({ blockedUntil: null, blockedBy: null })
    scheduler.stop(ticket.entryId)
    expect(scheduler.queues()[0]).toMatchObject({
      blockedUntil: new Date(clock.now() + 65_000).toISOString(),
      blockedBy: { what: 'Reading customers', companyName: 'Alder', reason: 'answer' },
    })
    scheduler.releaseSlot(ticket, { reason: 'at-work', until: clock.now() })
    scheduler.leave(ticket, false)
    expect(scheduler.queues()[0]).toMatchObject({
      running: null,
      blockedUntil: new Date(clock.now() + 5_000).toISOString(),
      blockedBy: { reason: 'settling' },
    })
    await clock.move(5_000)
    expect(scheduler.queues()[0]).toMatchObject({ blockedUntil: null, blockedBy: null })
  })

  it('says at the start, before any request, that an earlier run blocked the queue, why, and until when', async () => {
    const storage = createStorage()
    storage.kept.set('queue', {
      at: 1_000_000,
      until: 1_030_000,
      elapsed: BEFORE_RESTART,
      what: 'Reading customers',
      reason: 'asked',
    })
    let told = 0
    const clock = makeClock()
    const scheduler = new Scheduler({
      newId: makeIds(),
      clock,
      storage,
      graceMilliseconds: () => 5_000,
      onChange: () => (told += 1),
    })
    scheduler.recall('c', 'queue')
    expect(scheduler.queues()).toMatchObject([
      {
        connectionId: 'c',
        blockedUntil: new Date(1_030_000).toISOString(),
        blockedBy: { what: 'Reading customers', companyName: '', reason: 'asked' },
      },
    ])
    const before = told
    await clock.move(30_000)
    expect(told).toBeGreaterThan(before)
    expect(scheduler.queues()[0]?.blockedUntil).toBeNull()
    expect(storage.kept.size).toBe(0)
  })

  it('says when the next try is and why the last one failed. Others are sent in the meantime', async () => {
    const { clock, scheduler } = make()
    const began: string[] = []
    const first = scheduler.enter('queue', request('first'), 3)
    await scheduler.acquireSlot(first)
    start(scheduler, began, request('second'))
    start(scheduler, began, request('third'))
    scheduler.releaseSlot(first, null)
    const waited = scheduler.backOff(first, 4_000, 'The service did not answer.')
    await settled()
    expect(scheduler.queues()[0]).toMatchObject({
      running: { what: 'second' },
      waiting: [
        { what: 'third', position: 1, attempt: 1 },
        {
          what: 'first',
          state: 'backing-off',
          position: 0,
          attempt: 2,
          attempts: 3,
          pausesUntil: new Date(clock.now() + 4_000).toISOString(),
          trouble: 'The service did not answer.',
        },
      ],
    })
    await clock.move(4_000)
    expect(await waited).toMatchObject({ ok: true })
    void scheduler.acquireSlot(first)
    expect(scheduler.queues()[0]?.waiting).toMatchObject([
      { what: 'first', position: 1, pausesUntil: null },
      { what: 'third', position: 2 },
    ])
  })

  it('counts positions in the whole queue, even if another connection has the same address and key', async () => {
    const { scheduler } = make()
    const began: string[] = []
    for (const connectionId of ['c', 'd', 'c']) {
      start(scheduler, began, request(`of ${connectionId}`, { connectionId }))
    }
    await settled()
    const byConnection = new Map(scheduler.queues().map((queue) => [queue.connectionId, queue]))
    expect(byConnection.get('c')?.waiting.map(({ position }) => position)).toEqual([2])
    expect(byConnection.get('d')).toMatchObject({ running: null, waiting: [{ position: 1 }] })
  })

  it.each([
    ['back', 1],
    ['forward', -1],
  ])('opens right after its pause if the clock was set %s in the meantime', async (_, days) => {
    const { clock, scheduler } = make()
    const began: string[] = []
    const first = start(scheduler, began, request('let go'))
    await settled()
    first.end(clock.now())
    start(scheduler, began, request('next'))
    clock.setBack(days * 86_400_000)
    await clock.move(4_999)
    expect(began).toEqual(['let go'])
    await clock.move(1)
    expect(began).toEqual(['let go', 'next'])
  })

  it('opens after its pause even if the clock was set back before this run', async () => {
    const storage = createStorage()
    const clock = makeClock()
    const at = clock.now() + 86_400_000
    storage.kept.set('queue', {
      at,
      until: at + 10_000,
      elapsed: BEFORE_RESTART,
      what: 'Sending to Customers',
      reason: 'at-work',
    })
    const scheduler = new Scheduler({
      newId: makeIds(),
      clock,
      storage,
      graceMilliseconds: () => 5_000,
      onChange: () => undefined,
    })
    scheduler.recall('c', 'queue')
    expect(scheduler.queues()[0]?.blockedUntil).toBe(new Date(clock.now() + 10_000).toISOString())
    await clock.move(10_000)
    expect(scheduler.queues()[0]?.blockedUntil).toBeNull()
  })

  it('stores until when a request may be running, with the grace period, and deletes that at the answer', async () => {
    const { scheduler, storage, clock } = make()
    const first = start(scheduler, [], request('first'))
    await settled()
    scheduler.requestStarted(first.ticket, clock.now() + 60_000)
    expect(storage.kept.get('queue')?.until).toBe(clock.now() + 65_000)
    scheduler.requestFinished(first.ticket)
    expect(storage.kept.size).toBe(0)
  })

  it('gives a write that the service postponed at least the grace period', async () => {
    const { scheduler, clock } = make()
    const began: string[] = []
    const first = start(scheduler, began, request('first', { isWrite: true }))
    start(scheduler, began, request('second'))
    await settled()
    scheduler.releaseSlot(first.ticket, { reason: 'asked', until: clock.now() + 1_000 })
    scheduler.leave(first.ticket, false)
    await clock.move(2_000)
    expect(began).toEqual(['first'])
    await clock.move(3_000)
    expect(began).toEqual(['first', 'second'])
  })

  it('says so to everything that waits if the queue can’t be acquired, and continues once it can', async () => {
    const storage = createStorage()
    const moved = appError('store', 'The folder was moved.')
    let isMoved = false
    const { scheduler } = make({ ...storage, acquire: () => (isMoved ? err(moved) : ok(true)) })
    const began: string[] = []
    const first = start(scheduler, began, request('first'))
    const waiting = ['second', 'third'].map((what) => start(scheduler, began, request(what)))
    await settled()
    isMoved = true
    first.end()
    expect(await Promise.all(waiting.map(({ turn }) => turn))).toEqual([err(moved), err(moved)])
    isMoved = false
    for (const { ticket } of waiting) scheduler.leave(ticket, false)
    start(scheduler, began, request('fourth'))
    await settled()
    expect(began).toEqual(['first', 'fourth'])
  })

  it('sends nothing if it can’t be read until when the queue is blocked', async () => {
    const damaged = err(appError('store', 'The file is damaged.'))
    const { scheduler } = make({ ...createStorage(), blockOf: () => damaged })
    const began: string[] = []
    const first = start(scheduler, began, request('first'))
    await settled()
    expect(began).toEqual([])
    expect(await first.turn).toEqual(damaged)
  })

  it('never starts what was stopped before its slot, and doesn’t free a queue twice', async () => {
    const { scheduler } = make()
    const began: string[] = []
    const first = start(scheduler, began, request('first'))
    const stopped = scheduler.enter('queue', request('stopped'), 1)
    scheduler.stop(stopped.entryId)
    expect(await scheduler.acquireSlot(stopped)).toMatchObject({ ok: false, error: { kind: 'stopped' } })
    scheduler.leave(stopped, false)
    start(scheduler, began, request('second'))
    start(scheduler, began, request('third'))
    scheduler.releaseSlot(first.ticket, null)
    await settled()
    scheduler.releaseSlot(first.ticket, null)
    await settled()
    expect(began).toEqual(['first', 'second'])
  })

  it('doesn’t show what was stopped and has ended', async () => {
    const { scheduler } = make()
    start(scheduler, [], request('first'))
    const second = start(scheduler, [], request('second'))
    await settled()
    scheduler.stop(second.ticket.entryId)
    scheduler.leave(second.ticket, false)
    expect(scheduler.queues()[0]?.waiting).toEqual([])
  })

  it('prefers a write that a user waits for over an older read of the same company', async () => {
    const { scheduler } = make()
    const began: string[] = []
    const first = start(scheduler, began, request('first'))
    start(scheduler, began, request('read'))
    start(scheduler, began, request('write', { isWrite: true, priority: 'interactive' }))
    first.end()
    await settled()
    expect(began).toEqual(['first', 'write'])
  })

  it.each([
    ['was stopped while it waited', true],
    ['has not asked for its turn yet', false],
  ])('isn’t blocked for later writes to the company by one that %s', async (_words, asks) => {
    const { scheduler } = make()
    const began: string[] = []
    const first = start(scheduler, began, request('first'))
    const older = scheduler.enter('queue', request('older', { isWrite: true }), 1)
    if (asks) {
      const turn = scheduler.acquireSlot(older)
      scheduler.stop(older.entryId)
      await turn
    }
    start(scheduler, began, request('later', { isWrite: true }))
    first.end()
    await settled()
    expect(began).toEqual(['first', 'later'])
  })
})
