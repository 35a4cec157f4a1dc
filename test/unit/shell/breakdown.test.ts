/** Unexpected errors: a log without secrets and records, and a notice at the next start. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createLastRun } from '../../../electron/app/program/program.ts'
import { describeError } from '../../../electron/app/program/support.ts'
import { createSystemClock } from '../../../electron/clock.ts'
import { createLog } from '../../../electron/shell/log.ts'
import type { UnfinishedStore } from '../../../electron/store/activity.ts'
import type { UnfinishedItem } from '../../../shared/contract/activity.ts'
import { testFolder, World } from '../writing/world.ts'

const KEY = 'canary-key-7f3a'

/** Platform errors that quote a client's data. */
function thrownBy(work: () => unknown): unknown {
  try {
    return work()
  } catch (cause) {
    return cause
  }
}

describe('the log of unexpected errors', () => {
  test('says where it happened, but not with which data', () => {
    const causes = [
      thrownBy(() => JSON.parse('{"Name":"Cedar & Holm","Balance":1234567.89')),
      thrownBy(() => JSON.parse(`Cedar & Holm ${KEY}`)),
      thrownBy(() => new URL('Cedar & Holm')),
      thrownBy(() => BigInt('Cedar & Holm')),
      new Error(`No record “Cedar & Holm” of 12,345,678.90 at /home/anna.berg/books, key ${KEY}`),
      new Error(`first line\nCedar & Holm`),
      `thrown "Cedar & Holm" ${KEY}`,
      { toString: () => KEY },
    ]
    for (const cause of causes) {
      const words = describeError(cause, [KEY])
      expect(words).not.toMatch(/Cedar|1234567|12,345,678|canary-key|\n/)
      expect(words.length).toBeGreaterThan(0)
    }
    expect(describeError(new TypeError('x is not a function'), [])).toContain(
      'TypeError: x is not a function',
    )
    expect(describeError(new Error('here'), [])).toMatch(/at .*breakdown\.test\.ts:\d+:\d+/)
    expect(describeError(new Error('here'), [])).not.toContain('/test/unit/')
  })

  test('has names, codes, and places only if they are valid, on one line, whoever wrote the error', () => {
    const forged = 'at Cedar Plumbing, 12 Oak Street (ann@cedar.example)'
    const causes = [
      Object.assign(new Error('x'), { name: 'Cedar Plumbing owes 4,021' }),
      Object.assign(new Error('x'), { name: 'Error\n2026-01-01T00:00:00Z store: Cedar' }),
      Object.assign(new Error('x'), { code: 'Cedar Plumbing / ann@cedar.example' }),
      new Error(`failed\n    ${forged}\n    at Cedar (books:1:2)`),
      Object.assign(new Error('failed'), { stack: `Error: failed\n    ${forged}` }),
      Object.assign(new Error('failed for ann@cedar.example'), { stack: undefined }),
    ]
    for (const cause of causes) {
      expect(describeError(cause, [])).not.toMatch(/Cedar|4,021|Oak|ann@|[\n\r\u2028]/)
    }
    const { code, name } = { code: 'ENOENT', name: 'StoreError' }
    expect(describeError(Object.assign(new Error('gone'), { code, name }), [])).toMatch(
      /^StoreError ENOENT: gone \| at /,
    )
    expect(describeError('a\u2028b\u202Ec\u0007d', [])).toBe('a b c d')
  })

  test('loses no line because of an unreadable error', () => {
    const broken = new Proxy(new Error('x'), {
      get() {
        throw new Error('boom')
      },
    })
    expect(describeError(broken, [])).toBe('An error that can’t be described.')
  })

  test('is limited to a file and its predecessor, readable only by the owner', () => {
    const folder = testFolder()
    const log = createLog(folder, (cause) => String(cause), createSystemClock())
    const line = 'x'.repeat(10_000)
    for (let count = 0; count < 400; count += 1) log.write('window', line)
    log.write('window', 'the last one')
    expect(readdirSync(folder).toSorted()).toEqual(['bookbridge.log', 'bookbridge.log.1'])
    for (const name of readdirSync(folder)) {
      const { size, mode } = statSync(join(folder, name))
      expect(size).toBeLessThan(1_100_000)
      if (process.platform !== 'win32') expect(mode & 0o077).toBe(0)
    }
    expect(log.lastLines().at(-1)).toContain('window: the last one')
    expect(log.lastLines().length).toBeLessThanOrEqual(100)
  })

  test('that can’t be written doesn’t stop anything', () => {
    const log = createLog(join(testFolder(), 'not there'), String, createSystemClock())
    log.write('window', 'x')
    expect(log.lastLines()).toEqual([])
  })
})

describe('the start after a run', () => {
  function lastRun(world: World, unfinished: UnfinishedStore = world.store.unfinished) {
    return createLastRun({
      path: join(world.folder, 'running.json'),
      unfinished,
      settings: { connections: () => [{ connectionId: 'c1' }] as never },
      clock: world.clock,
    })
  }

  test('that ended normally shows nothing', () => {
    const world = new World()
    const run = lastRun(world)
    expect(run.notice).toBeNull()
    run.end()
    expect(lastRun(world).notice).toBeNull()
  })

  test('that was cut off reports what was finished and what wasn’t', async () => {
    const world = new World()
    lastRun(world)
    const id = world.service.add('customer', { Name: 'Cedar', Phone: '1' })
    await world.sendAndSettle([world.draftChange(id, { Phone: '2' })])
    world.draftInsert({ Name: 'A draft' })
    const { notice } = lastRun(world)
    expect(notice?.advice).toContain('Saved earlier: 1; drafts kept: 1.')
    expect(notice?.advice).toContain('Nothing is sent automatically.')
  })

  test('that was cut off while it wrote its file counts as cut off', () => {
    const world = new World()
    writeFileSync(join(world.folder, 'running.json'), '{"star')
    expect(lastRun(world).notice?.advice).toBe('Nothing was being sent, and nothing was lost.')
    expect(readFileSync(join(world.folder, 'running.json'), 'utf8')).toContain('startedAt')
  })

  test('counts each kind of unfinished work in its own words', () => {
    const item = (kind: UnfinishedItem['kind'], count: number) => ({ kind, count }) as UnfinishedItem
    const items = [
      item('not-confirmed', 1),
      item('queued', 3),
      item('decision', 1),
      item('changed-meanwhile', 1),
      item('not-accepted', 4),
    ]
    const world = new World()
    lastRun(world)
    const { notice } = lastRun(world, { list: () => items, savedSince: () => 2 })
    expect(notice?.advice).toContain(
      'Saved earlier: 2; sent but not confirmed (being checked now): 1; not sent yet: 3; not accepted: 4; for your decision: 2.',
    )
  })
})
