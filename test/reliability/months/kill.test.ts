/** SIGKILL while a month is read, checked again, and closed: after a restart it is as before or as after, never between. */
import { describe, expect, test } from 'vitest'
import type { MonthRow } from '../../../shared/contract/review.ts'
import { value } from '../../result.ts'
import { seeds } from '../../seeds.ts'
import { pick, seeded } from '../../unit/writing/random.ts'
import { KillableCore, ProcessGone } from '../kills/killable.ts'
import { CONNECTION_ID, type CorePlan } from '../world/core-parts.ts'
import { pause, Person } from '../world/person.ts'
import { QUICK_SETTINGS, startServer, usedFolder } from '../world/world.ts'

const SEEDS = seeds(1, 40)
const [MONTH, FROM, TO] = ['2026-02', '2026-02-01', '2026-02-28']
const NAME = 'Alder & Finch Builders'
/** Closes of one month, each killed. */
const CLOSES = 3
/** Longer than a loaded machine needs for a response. */
const READ_SECONDS = 600
/** How long a program is off: the deadline of a request that was cut off passes, and the settling pause. */
const OFF_MS = 700_000

describe('a killed program', () => {
  test.each(SEEDS)('has all of a month or none of it (seed %i)', async (seed) => {
    const ends: (() => Promise<void> | void)[] = []
    const atEnd = (end: () => Promise<void> | void): void => void ends.push(end)
    const random = seeded(seed)
    const server = await startServer(atEnd, { today: '2026-03-31' })
    let plan: CorePlan = {
      userData: usedFolder(atEnd),
      settings: { ...QUICK_SETTINGS, readSeconds: READ_SECONDS },
      beginsAt: Date.parse('2026-03-31T09:00:00Z'),
      factor: 1,
      saved: { address: server.url, key: server.key },
    }
    let core = value(await KillableCore.begin(plan))
    atEnd(() => core.kill())
    let person = new Person(core.call)
    await core.start()
    await person.connect(server.url, server.key)

    const restart = async (): Promise<void> => {
      await core.kill()
      plan = { ...plan, ahead: (plan.ahead ?? 0) + OFF_MS }
      core = value(await KillableCore.begin(plan))
      person = new Person(core.call)
      await core.start()
    }
    const list = async () =>
      value(await person.call('months.list', { connectionId: CONNECTION_ID, month: MONTH }))
    const row = async (): Promise<MonthRow> => {
      const found = (await list()).rows.find(({ companyName }) => companyName === NAME)
      if (found === undefined) throw new Error('It is not listed.')
      return found
    }
    const { company } = await row()
    const read = async (again = false): Promise<void> => {
      const endpointIds = [company.endpointId]
      const asked = { connectionId: CONNECTION_ID, month: MONTH, endpointIds, again }
      value(await person.call('months.getReports', asked))
    }
    const untilDone = async (wanted: number): Promise<void> => {
      for (;;) {
        const { progress } = await list()
        if (progress === null || progress.done >= wanted) return
        await pause(1)
      }
    }
    const rulesNow = async () => value(await person.call('review.findings', { company, month: MONTH })).rules
    const acceptAll = async (): Promise<void> => {
      for (const { key, amount, decision } of (await rulesNow()).flatMap(({ findings }) => findings)) {
        const input = { company, month: MONTH, key, amount, note: '' }
        if (decision === null) value(await person.call('review.accept', input))
      }
    }

    // Killed while its reports are read: the rest is read after the restart.
    await read()
    await untilDone(pick(random, [1, 3, 6]))
    await restart()
    const left = await row()
    await read()
    await untilDone(Infinity)
    expect(left.requests).toBeLessThan(15)
    await acceptAll()

    // Killed while a rule is checked again, after an entry was posted: old reports are not compared with new ones.
    server.control({ company: NAME, lateEntry: true })
    value(await person.call('review.checkAgain', { company, month: MONTH, rule: 'should-be-empty' }))
    await untilDone(pick(random, [0, 1, 3, 5]))
    await restart()
    const wrong = async () =>
      (await rulesNow()).flatMap(({ rule, findings }) =>
        findings.some(({ severity, decision }) => severity === 'wrong' && decision === null) ? [rule] : [],
      )
    expect(await wrong()).toEqual([])
    const { status, next } = await row()
    if (status.state === 'partly-read') {
      expect(next).toBe('get-reports')
      expect(await person.call('months.close', { company, month: MONTH, note: '' })).toMatchObject({
        ok: false,
      })
    }
    await read()
    await untilDone(Infinity)
    expect(await wrong()).toEqual([])
    server.control({ company: NAME, lateEntry: false })
    await read(true)
    await untilDone(Infinity)
    expect(await wrong()).toEqual([])
    await acceptAll()

    // Killed while it is closed.
    for (let close = 1; close <= CLOSES; close += 1) {
      const closing = person
        .call('months.close', { company, month: MONTH, note: String(close) })
        .catch((cause: unknown) => {
          if (!(cause instanceof ProcessGone)) throw cause
        })
      await pause(Math.floor(random() * 12))
      await restart()
      await closing
      const { state } = (await row()).status
      const before = value(await person.call('months.history', { company, month: MONTH }))
      expect(state).toBe(before.versions.length === close ? 'closed' : 'reviewed')
      if (state !== 'closed')
        value(await person.call('months.close', { company, month: MONTH, note: String(close) }))
      // The kept copies can be opened, and are those that were read.
      server.control({ company: NAME, lateEntry: true })
      value(await person.call('reports.select', { company, name: 'TrialBalance', from: FROM, to: TO }))
      expect((await row()).status.state).toBe('changed')
      server.control({ company: NAME, lateEntry: false })
      value(await person.call('reports.select', { company, name: 'TrialBalance', from: FROM, to: TO }))
      expect((await row()).status.state).toBe('closed')
      const { versions, events } = value(await person.call('months.history', { company, month: MONTH }))
      expect(versions.map(({ note }) => note)).toEqual(
        Array.from({ length: close }, (_, at) => String(close - at)),
      )
      expect(events.filter(({ act }) => act === 'closed')).toHaveLength(close)
      value(await person.call('months.reopen', { company, month: MONTH, note: '' }))
    }
    expect(await core.defects()).toEqual([])
    for (const end of ends.toReversed()) await end()
  })
})
