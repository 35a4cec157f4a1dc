/**
 * Schedules through the window's calls: what the system's scheduler gets, and what the user is told about a schedule
 * that can't run. The scheduler is an in-memory stand-in for the `crontab` program.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { CommandOutcome, SystemCommand } from '../../../electron/app/ports.ts'
import { RUN_EXIT_CODES, type RunSummary } from '../../../electron/app/reports/run-summary.ts'
import { createScheduleFiles, scheduleFolder } from '../../../electron/files/schedule-files.ts'
import type { CallInput } from '../../../shared/contract/contract.ts'
import type { Schedule } from '../../../shared/contract/schedules.ts'
import { value } from '../../result.ts'
import { CONNECTION_ID } from '../world/core-parts.ts'
import { startVirtualWorld, type VirtualWorld } from '../world/virtual-world.ts'
import { type AtEnd, emptyFolder } from '../world/world.ts'

const DAILY = { every: 'day', time: '06:00' } as const
const MINE = '0 1 * * * backup\n'
const COMPANY = 'Alder & Finch Builders'

/** The `crontab` program with its table in memory, without systemd. */
class Crontab {
  text: string | null = MINE
  isRefusing = false
  run({ command, args, input = '' }: SystemCommand): Promise<CommandOutcome> {
    const outcome = (exitCode: number | null, stdout = '', stderr = '') =>
      Promise.resolve({ exitCode, stdout, stderr })
    if (command !== 'crontab') return outcome(null)
    if (args[0] === '-l') {
      return this.text === null ? outcome(1, '', 'no crontab for kim') : outcome(0, this.text)
    }
    if (this.isRefusing) return outcome(1, '', 'bad minute')
    this.text = input
    return outcome(0)
  }
}

interface Office extends VirtualWorld {
  readonly crontab: Crontab
  readonly folder: string
  readonly userData: string
  readonly list: () => Promise<readonly Schedule[]>
  readonly add: (change?: Partial<CallInput<'schedules.add'>>) => Promise<Schedule>
}

async function office(atEnd: AtEnd, runFile: string | null = null): Promise<Office> {
  const crontab = new Crontab()
  const folder = emptyFolder(atEnd)
  const userData = emptyFolder(atEnd)
  const world = await startVirtualWorld(atEnd, {
    folder: userData,
    core: {
      dialogs: {
        folder: { choose: () => Promise.resolve(folder) },
        open: {
          chooseCertificate: () => Promise.resolve(null),
          chooseTable: () => Promise.resolve(null),
          chooseBackup: () => Promise.resolve(null),
          chooseLogo: () => Promise.resolve(null),
          chooseRunFile: () => Promise.resolve(runFile),
        },
      },
      schedulerHost: {
        platform: 'linux',
        run: (command) => crontab.run(command),
        sessionVariables: { DISPLAY: ':0' },
      },
    },
  })
  const call: VirtualWorld['call'] = (name, input) => world.clock.run(world.call(name, input))
  value(await call('schedules.choose', { what: 'folder' }))
  value(await call('schedules.choose', { what: 'run-file' }))
  const list = async () => value(await call('schedules.list', {})).schedules
  const add: Office['add'] = async (change = {}) => {
    const { connectionId, endpointId } = world.person.company
    const input: CallInput<'schedules.add'> = {
      name: 'Month end',
      when: DAILY,
      run: {
        from: 'choices',
        connectionId,
        endpointIds: [endpointId],
        set: 'Month end',
        period: 'last-month',
        fileKinds: ['csv'],
        pack: false,
        combined: false,
        review: false,
        until: null,
        folder,
      },
      ...change,
    }
    const { scheduleId } = value(await call('schedules.add', input))
    const added = (await list()).find((each) => each.scheduleId === scheduleId)
    if (added === undefined) throw new Error('no schedule was added')
    return added
  }
  return { ...world, call, crontab, folder, userData, list, add }
}

/** Does what the scheduler does: another program reads the file and runs its reports. */
function fire({ running, clock }: Office, { runFile }: Schedule) {
  return clock.run(running.core.runs.run({ text: readFileSync(runFile, 'utf8'), file: runFile }))
}

const files = ({ userData }: Office) => createScheduleFiles(scheduleFolder(userData))

describe('a schedule', () => {
  it('keeps its folder and is registered once when its time and choices change', async ({
    onTestFinished,
  }) => {
    const world = await office(onTestFinished)
    const { scheduleId, choices, runFile } = await world.add()
    if (choices === null) throw new Error('It has no choices.')
    const changed = await world.call('schedules.change', {
      scheduleId,
      name: 'Month end and review',
      when: { every: 'week', weekday: 1, time: '05:45' },
      choices: { ...choices, review: true, until: '09:00', folder: world.folder },
    })
    expect(value(changed)).toEqual({})
    const [now, ...others] = await world.list()
    expect(others).toEqual([])
    expect(now).toMatchObject({
      name: 'Month end and review',
      run: { review: true, folder: world.folder },
      choices: { ...choices, review: true, until: '09:00' },
      isRegistered: true,
      problem: null,
    })
    expect(world.crontab.text?.match(/--run=/g)).toHaveLength(1)
    expect(world.crontab.text).toContain('45 5 * * 1 ')
    expect(now === undefined ? null : await fire(world, now)).toMatchObject({ outcome: 'made' })

    // If the scheduler refuses, nothing changes.
    world.crontab.isRefusing = true
    const before = readFileSync(runFile, 'utf8')
    const input = { scheduleId, name: 'Other', when: DAILY, choices: { ...choices, folder: world.folder } }
    expect(await world.call('schedules.change', input)).toMatchObject({ ok: false })
    expect(readFileSync(runFile, 'utf8')).toBe(before)
    expect((await world.list())[0]?.name).toBe('Month end and review')
  })

  it('never writes to a folder or takes a run file that the user didn’t choose', async ({
    onTestFinished,
  }) => {
    const world = await office(onTestFinished)
    const other = emptyFolder(onTestFinished)
    const { scheduleId, choices } = await world.add()
    if (choices === null) throw new Error('It has no choices.')
    const elsewhere = { ...choices, folder: other }
    const added = { name: 'Other', when: DAILY }
    for (const run of [
      { from: 'choices', ...elsewhere },
      { from: 'file', runFile: join(other, 'run.json') },
    ] as const) {
      const refused = await world.call('schedules.add', { ...added, run })
      expect(refused).toMatchObject({ ok: false, error: { kind: 'invalid-input' } })
    }
    const changed = await world.call('schedules.change', { ...added, scheduleId, choices: elsewhere })
    expect(changed).toMatchObject({ ok: false, error: { kind: 'invalid-input' } })
    expect(await world.list()).toMatchObject([{ name: 'Month end', run: { folder: world.folder } }])
  })

  it('is registered, shown as registered, started, and removed again', async ({ onTestFinished }) => {
    const world = await office(onTestFinished)
    const added = await world.add()
    expect(added).toMatchObject({ problem: null, last: null, missedAt: null, isRegistered: true })
    expect(added.run).toMatchObject({ companies: [COMPANY], set: 'Month end', period: 'last-month' })
    expect(world.crontab.text).toBe(`${MINE}${added.registered}\n`)
    expect(added.registered).toContain(`--run=${added.runFile}`)
    // Cron knows nothing of this session.
    expect(added.registered).toContain(' 6 * * * DISPLAY=:0 ')
    expect(Date.parse(added.nextAt)).toBeGreaterThan(world.clock.now())

    value(await world.call('schedules.runNow', { scheduleId: added.scheduleId }))
    await world.until(async () => (await world.list())[0]?.last?.ended !== null)
    const [ran] = await world.list()
    expect(ran?.last?.ended).toMatchObject({ outcome: 'made', message: '5 of 5 reports ready.' })
    expect(readdirSync(world.folder).filter((name) => name.endsWith('.csv'))).toHaveLength(5)

    value(await world.call('schedules.remove', { scheduleId: added.scheduleId }))
    expect(world.crontab.text).toBe(MINE)
    expect(await world.list()).toEqual([])
    expect(readdirSync(scheduleFolder(world.userData))).toEqual([])
  })

  it('asks for a company by its ID, so that another name doesn’t matter', async ({ onTestFinished }) => {
    const world = await office(onTestFinished)
    const added = await world.add()
    value(await world.call('companies.annotate', { company: world.person.company, notes: { label: 'AFB' } }))
    expect((await world.list())[0]?.problem).toBeNull()
    expect((await fire(world, added)).outcome).toBe('made')
  })

  it('that the scheduler has lost says so, and is registered again', async ({ onTestFinished }) => {
    const world = await office(onTestFinished)
    const { scheduleId } = await world.add()
    world.crontab.text = null
    expect(await world.list()).toMatchObject([{ isRegistered: false }])
    value(await world.call('schedules.register', { scheduleId }))
    expect(await world.list()).toMatchObject([{ isRegistered: true }])
    // A schedule that the system has lost can still be removed.
    world.crontab.text = null
    value(await world.call('schedules.remove', { scheduleId }))
    expect(world.crontab.text).toBeNull()
  })

  it('leaves nothing behind if the scheduler refuses it', async ({ onTestFinished }) => {
    const world = await office(onTestFinished)
    world.crontab.isRefusing = true
    await expect(world.add()).rejects.toThrow('refused')
    expect(await world.list()).toEqual([])
    expect(world.crontab.text).toBe(MINE)
  })

  it('can’t be added where there is no scheduler', async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    expect(value(await world.clock.run(world.call('schedules.list', {})))).toMatchObject({
      scheduler: null,
      unavailable: { kind: 'not-found' },
    })
  })

  it('whose key is missing says so and does nothing', async ({ onTestFinished }) => {
    const world = await office(onTestFinished)
    const added = await world.add()
    await world.running.core.close()
    const again = world.startAgain({ address: world.server.url, key: null })
    const before = world.server.counters().requests.length
    const { schedules } = value(await again.person.call('schedules.list', {}))
    expect(schedules[0]?.problem?.message).toMatch(/key/i)
    const summary = await fire({ ...world, ...again }, added)
    expect(RUN_EXIT_CODES[summary.outcome]).toBe(2)
    expect(summary.message).toMatch(/key/i)
    expect(world.server.counters().requests).toHaveLength(before)
    expect(files(world).last(added.scheduleId)).toBeNull()
  })

  it('whose company or connection is gone says so and does nothing', async ({ onTestFinished }) => {
    const world = await office(onTestFinished)
    const added = await world.add()
    const content = JSON.parse(readFileSync(added.runFile, 'utf8')) as object
    for (const [gone, words] of [
      [{ companies: [{ id: 'e-0', name: 'Harbor Bakery' }] }, 'no company named “Harbor Bakery”'],
      [{ connection: { id: 'c-0', name: 'Old office' } }, 'no connection named “Old office”'],
    ] as const) {
      writeFileSync(added.runFile, JSON.stringify({ ...content, ...gone }))
      expect((await world.list())[0]?.problem?.message).toContain(words)
      expect(await fire(world, added)).toMatchObject({ outcome: 'not-started', summaryFile: '' })
    }
    expect(readdirSync(world.folder)).toEqual([])
  })

  it('that was due while the computer was off or asleep says so', async ({ onTestFinished }) => {
    const world = await office(onTestFinished)
    const added = await world.add()
    const [due] = [Date.parse(added.nextAt)]
    await world.clock.advance(due - world.clock.now() + 10 * 60_000)
    // It may still start.
    expect(await world.list()).toMatchObject([{ missedAt: null }])
    await world.clock.advance(10 * 60_000)
    expect(await world.list()).toMatchObject([{ missedAt: added.nextAt }])
    // The scheduler makes up for it, or the user starts it.
    files(world).noteStart(added.runFile, new Date(world.clock.now()).toISOString())
    expect(await world.list()).toMatchObject([{ missedAt: null, last: { ended: null } }])
  })

  it('at a time that the clocks skip is promised when cron makes up for it, and was not missed', async ({
    onTestFinished,
  }) => {
    vi.stubEnv('TZ', 'America/New_York')
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const world = await office(onTestFinished)
    const { runFile } = await world.add({ when: { every: 'day', time: '02:30' } })
    const change = Date.parse('2026-03-08T03:00-04:00')
    await world.clock.advance(change - 3_600_000 - world.clock.now())
    const startsAt = (iso: string) => ({ nextAt: new Date(iso).toISOString(), isNextCertain: true })
    expect(await world.list()).toMatchObject([startsAt('2026-03-08T03:00-04:00')])
    await world.clock.advance(3_601_000)
    files(world).noteStart(runFile, new Date(world.clock.now()).toISOString())
    await world.clock.advance(3_600_000)
    expect(await world.list()).toMatchObject([{ ...startsAt('2026-03-09T02:30-04:00'), missedAt: null }])
  })

  it('whose time is changed was not missed at the new time before', async ({ onTestFinished }) => {
    const world = await office(onTestFinished)
    const { scheduleId, nextAt, runFile } = await world.add()
    const due = Date.parse(nextAt)
    await world.clock.advance(due - world.clock.now() + 5 * 3_600_000)
    files(world).noteStart(runFile, new Date(due).toISOString())
    const when = { every: 'day', time: '09:00' } as const
    const input = { scheduleId, name: 'Month end', when, choices: null }
    value(await world.call('schedules.change', input))
    expect(await world.list()).toMatchObject([{ when, missedAt: null }])
    // A new name alone hides nothing.
    await world.clock.advance(24 * 3_600_000)
    value(await world.call('schedules.change', { ...input, name: 'Morning' }))
    expect((await world.list())[0]?.missedAt).not.toBeNull()
  })

  it('that starts late, because the computer slept, waits no longer than it would have', async ({
    onTestFinished,
  }) => {
    const world = await office(onTestFinished)
    const { endpointId, connectionId } = world.person.company
    world.server.control({ company: COMPANY, conditions: { machine: 'off' } })
    const run = { from: 'choices', connectionId, endpointIds: [endpointId], set: 'Month end' } as const
    const files = { period: 'last-month', fileKinds: ['csv'], pack: false, combined: false } as const
    const added = await world.add({
      run: { ...run, ...files, review: true, until: '09:00', folder: world.folder },
    })
    const hour = 3_600_000
    const due = Date.parse(added.nextAt)
    // In time, it asks until nine.
    await world.clock.advance(due - world.clock.now())
    expect(await fire(world, added)).toMatchObject({ outcome: 'partly-made' })
    expect(world.clock.now() - due).toBeGreaterThanOrEqual(3 * hour)
    expect(world.clock.now() - due).toBeLessThan(4 * hour)
    await world.clock.advance(due + 29 * hour - world.clock.now())
    const late = world.clock.now()
    expect(await fire(world, added)).toMatchObject({ outcome: 'partly-made' })
    expect(world.clock.now() - late).toBeLessThan(hour)
  })

  it('that makes up for a missed start is of the day on which it was due, unless someone starts it', async ({
    onTestFinished,
  }) => {
    const world = await office(onTestFinished)
    const { endpointId, connectionId } = world.person.company
    const run = { from: 'choices', connectionId, endpointIds: [endpointId], set: '' } as const
    const files = { period: 'this-month', fileKinds: [], pack: false, combined: false } as const
    const added = await world.add({
      when: { every: 'month', day: 28, time: '23:30' },
      run: { ...run, ...files, review: true, until: '23:45', folder: world.folder },
    })
    const due = new Date(added.nextAt)
    await world.clock.advance(due.getTime() + 4 * 24 * 3_600_000 - world.clock.now())
    const summaryOf = ({ folder, summaryFile }: RunSummary): string =>
      readFileSync(join(folder, summaryFile), 'utf8')
    const monthOf = (text: string): string => /review of (\w+ \d+)/.exec(text)?.[1] ?? ''
    const made = summaryOf(await fire(world, added))
    expect(made).toMatch(/^It was due .*, so its period is as of that day\.\r$/m)
    const month = (back: number): string =>
      new Date(due.getFullYear(), due.getMonth() + back, 1).toLocaleDateString('en-US', {
        ...{ month: 'short', year: 'numeric' },
      })
    expect(monthOf(made)).toBe(month(0))
    // By hand, it is of today.
    const { runFile: file } = added
    const request = { text: readFileSync(file, 'utf8'), file, isByHand: true }
    const today = summaryOf(await world.clock.run(world.running.core.runs.run(request)))
    expect(monthOf(today)).toBe(month(1))
    expect(today).not.toMatch(/It was due/)
  })

  it('whose file is damaged is listed, and can be removed', async ({ onTestFinished }) => {
    const world = await office(onTestFinished)
    const { scheduleId } = await world.add()
    const path = join(scheduleFolder(world.userData), `${scheduleId}.schedule.json`)
    writeFileSync(path, '')
    expect(value(await world.call('schedules.list', {}))).toMatchObject({
      ...{ schedules: [], damaged: [scheduleId] },
    })
    value(await world.call('schedules.remove', { scheduleId }))
    expect(value(await world.call('schedules.list', {}))).toMatchObject({ schedules: [], damaged: [] })
    expect(world.crontab.text).not.toContain(scheduleId)
  })

  it('that was cut off keeps the record of its start, and a second record of its end changes nothing', async ({
    onTestFinished,
  }) => {
    const world = await office(onTestFinished)
    const { runFile, scheduleId } = await world.add()
    const notes = files(world)
    notes.noteStart(runFile, '2026-11-25T06:00:00.000Z')
    expect(notes.last(scheduleId)).toEqual({
      ...{ startedAt: '2026-11-25T06:00:00.000Z', previousAt: null, ended: null },
    })
    notes.noteEnd(runFile, {
      at: '2026-11-25T06:05:00.000Z',
      outcome: 'made',
      message: 'all',
      hasFindings: false,
    })
    notes.noteEnd(runFile, {
      at: '2026-11-25T06:06:00.000Z',
      outcome: 'not-started',
      message: 'none',
      hasFindings: false,
    })
    expect(notes.last(scheduleId)?.ended?.message).toBe('all')
    // Someone else's run file leaves no trace.
    notes.noteStart('/elsewhere/run.json', '2026-11-25T06:00:00.000Z')
    expect(readdirSync(scheduleFolder(world.userData))).toHaveLength(3)
  })
})

describe('a run file of the user’s own', () => {
  const own = (atEnd: AtEnd, change: object = {}) => {
    const file = join(emptyFolder(atEnd), 'my run.json')
    const folder = join(file, '..', 'reports')
    mkdirSync(folder)
    const content = {
      companies: 'all',
      reports: ['Balance sheet'],
      period: 'last month',
      files: ['csv'],
      folder,
    }
    writeFileSync(file, JSON.stringify({ ...content, ...change }))
    return { file, folder }
  }

  it('is registered in its own folder, and stays when the schedule is removed', async ({
    onTestFinished,
  }) => {
    const { file, folder } = own(onTestFinished)
    const world = await office(onTestFinished, file)
    const added = await world.add({ run: { from: 'file', runFile: file } })
    expect(added).toMatchObject({
      runFile: file,
      problem: null,
      run: { companies: null, reports: ['Balance sheet'] },
    })
    expect(await fire(world, added)).toMatchObject({ outcome: 'made' })
    expect(readdirSync(folder).length).toBeGreaterThan(1)
    value(await world.call('schedules.remove', { scheduleId: added.scheduleId }))
    expect(existsSync(file)).toBe(true)
  })

  it.each([
    ['drafts to send', { send: ['everything'] }],
    ['a company to de-provision', { deprovision: COMPANY }],
    ['a record to change', { records: [{ ID: '1', Phone: '555' }] }],
  ])('that asks for %s is refused', async (_, change) => {
    const ends: (() => Promise<void> | void)[] = []
    const atEnd: AtEnd = (end) => void ends.push(end)
    const { file } = own(atEnd, change)
    const world = await office(atEnd, file)
    await expect(world.add({ run: { from: 'file', runFile: file } })).rejects.toThrow('isn’t allowed here')
    expect(world.crontab.text).toBe(MINE)
    // This includes one that was changed after it was registered.
    writeFileSync(file, JSON.stringify({ ...own(atEnd), companies: 'all' }))
    expect(world.server.counters().requests.filter(({ method }) => method !== 'GET')).toEqual([])
    for (const end of ends.reverse()) await end()
  })

  it('that was changed later to ask for more, or deleted, does nothing', async ({ onTestFinished }) => {
    const { file, folder } = own(onTestFinished)
    const world = await office(onTestFinished, file)
    const added = await world.add({ run: { from: 'file', runFile: file } })
    own(onTestFinished, { send: [] })
    writeFileSync(file, readFileSync(file, 'utf8').replace('{', '{"send":["everything"],'))
    expect((await world.list())[0]).toMatchObject({ run: null, problem: { kind: 'invalid-input' } })
    expect(await fire(world, added)).toMatchObject({ outcome: 'not-started' })
    rmSync(file)
    expect((await world.list())[0]?.problem?.message).toBe('The run file can’t be read.')
    const started = await world.call('schedules.runNow', { scheduleId: added.scheduleId })
    expect(started).toMatchObject({ ok: false })
    expect(readdirSync(folder)).toEqual([])
  })
})

it('a schedule keeps its connection after the connection is renamed', async ({ onTestFinished }) => {
  const world = await office(onTestFinished)
  await world.add()
  const { settings } = world.running
  const renamed = settings.connections().map((each) => ({ ...each, name: 'Renamed' }))
  settings.setConnections(renamed, CONNECTION_ID)
  expect((await world.list())[0]?.problem).toBeNull()
})
