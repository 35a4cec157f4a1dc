/**
 * The registrations for each system's scheduler, checked against its documentation: the schema of Task Scheduler 1.4,
 * the keys of launchd.plist, the grammar of systemd's units, and crontab's five fields. systemd and sh also parse them
 * if they are installed.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { CommandOutcome, SystemCommand } from '../../../electron/app/ports.ts'
import { dueStart, nextStart, previousStart } from '../../../electron/app/schedules/calendar.ts'
import {
  cronLines,
  hasCronJob,
  launchAgent,
  type ScheduledJob,
  systemdTimer,
  windowsTask,
  withCronJob,
  withoutCronJob,
} from '../../../electron/app/schedules/registration.ts'
import { createSystemScheduler } from '../../../electron/app/schedules/system-scheduler.ts'
import type { ScheduleTime } from '../../../shared/contract/schedules.ts'
import { emptyFolder } from '../../reliability/world/world.ts'

const ID = '7d0c5a3e-6b0f-4a53-9d7a-0f6f7f0b6c11'
const TIMES: readonly ScheduleTime[] = [
  { every: 'day', time: '06:30' },
  { every: 'weekday', time: '00:00' },
  { every: 'week', weekday: 0, time: '23:59' },
  { every: 'week', weekday: 6, time: '05:05' },
  { every: 'month', day: 1, time: '06:00' },
  { every: 'month', day: 28, time: '18:45' },
]
/** Every character that some system interprets. */
const ODD = 'Alder & Finch\'s "50%" <$HOME> `date` \\ été'

function job(when: ScheduleTime, name = 'Month end', args: readonly string[] = []): ScheduledJob {
  const program = {
    command: '/opt/Bookbridge app/bookbridge',
    args: [...args, '--run=/home/kim/run file.json'],
    env: {},
  }
  return { scheduleId: ID, name, when, program }
}

/** An element with its children, or its text. */
interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Element[]
  text: string
}

function parseXml(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' }
  const open: Element[] = [root]
  const parser = new SaxesParser()
  parser.on('error', (cause) => {
    throw cause
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = { name, attributes, children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('closetag', () => void open.pop())
  parser.on('text', (text) => {
    const element = open.at(-1)
    if (element) element.text += text
  })
  parser.write(xml).close()
  const [first] = root.children
  if (first === undefined) throw new Error('no element')
  return first
}

/** What an element may contain: text, some elements once each in any order, or some elements in order. */
type Content =
  | { readonly text: RegExp }
  | { readonly all: Readonly<Record<string, Content>>; readonly needs?: readonly string[] }
  | {
      readonly sequence: readonly (readonly [names: string, content: Content, most: number, least: number])[]
    }

const bool: Content = { text: /^(true|false)$/ }
const duration: Content = { text: /^P(\d+D)?(T(\d+H)?(\d+M)?(\d+S)?)?$/ }
const empty: Content = { text: /^$/ }
const named = (names: readonly string[]): Content => ({
  all: Object.fromEntries(names.map((name) => [name, empty])),
})
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)

/** The parts of the Task Scheduler schema that a calendar task uses, as documented. */
const TASK: Content = {
  all: {
    RegistrationInfo: {
      all: {
        URI: { text: /^\\./ },
        SecurityDescriptor: { text: /./ },
        Source: { text: /^/ },
        Date: { text: /^\d/ },
        Author: { text: /./ },
        Version: { text: /^/ },
        Description: { text: /./ },
        Documentation: { text: /^/ },
      },
    },
    Triggers: {
      sequence: [
        [
          'CalendarTrigger',
          {
            sequence: [
              ['Enabled', bool, 1, 0],
              // Required for this kind of trigger.
              ['StartBoundary', { text: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/ }, 1, 1],
              ['EndBoundary', { text: /^\d/ }, 1, 0],
              ['ExecutionTimeLimit', duration, 1, 0],
              ['RandomDelay', duration, 1, 0],
              [
                'ScheduleByDay',
                { all: { DaysInterval: { text: /^([1-9]\d?|[12]\d\d|3[0-5]\d|36[0-5])$/ } } },
                1,
                0,
              ],
              [
                'ScheduleByWeek',
                { all: { WeeksInterval: { text: /^([1-9]|[1-4]\d|5[0-2])$/ }, DaysOfWeek: named(DAYS) } },
                1,
                0,
              ],
              [
                'ScheduleByMonth',
                {
                  all: {
                    DaysOfMonth: { sequence: [['Day', { text: /^([1-9]|[12]\d|3[01]|Last)$/ }, 32, 1]] },
                    Months: named(MONTHS),
                  },
                },
                1,
                0,
              ],
            ],
          },
          48,
          1,
        ],
      ],
    },
    Settings: {
      all: {
        AllowStartOnDemand: bool,
        MultipleInstancesPolicy: { text: /^(Parallel|Queue|IgnoreNew|StopExisting)$/ },
        DisallowStartIfOnBatteries: bool,
        StopIfGoingOnBatteries: bool,
        AllowHardTerminate: bool,
        StartWhenAvailable: bool,
        RunOnlyIfNetworkAvailable: bool,
        WakeToRun: bool,
        Enabled: bool,
        Hidden: bool,
        ExecutionTimeLimit: duration,
        Priority: { text: /^([0-9]|10)$/ },
        RunOnlyIfIdle: bool,
      },
    },
    Principals: {
      sequence: [
        [
          'Principal',
          {
            all: {
              UserId: { text: /./ },
              LogonType: { text: /^(S4U|Password|InteractiveToken)$/ },
              DisplayName: { text: /^/ },
              RunLevel: { text: /^(LeastPrivilege|HighestAvailable)$/ },
            },
          },
          1,
          1,
        ],
      ],
    },
    Actions: {
      sequence: [
        [
          'Exec',
          {
            all: { Command: { text: /./ }, Arguments: { text: /^/ }, WorkingDirectory: { text: /./ } },
            needs: ['Command'],
          },
          32,
          1,
        ],
      ],
    },
  },
  needs: ['Triggers', 'Actions'],
}

function problemsOf(element: Element, content: Content): readonly string[] {
  const names = element.children.map(({ name }) => name)
  if ('text' in content) {
    return names.length === 0 && content.text.test(element.text) ? [] : [`${element.name}: ${element.text}`]
  }
  if ('all' in content) {
    const twice = names.filter((name, at) => names.indexOf(name) !== at)
    const missing = (content.needs ?? []).filter((name) => !names.includes(name))
    const inner = element.children.flatMap((child) => {
      const of = content.all[child.name]
      return of === undefined ? [`${element.name} may not hold ${child.name}`] : problemsOf(child, of)
    })
    return [...twice, ...missing].map((name) => `${element.name}: ${name}`).concat(inner)
  }
  const order = names.map((name) => content.sequence.findIndex(([each]) => each === name))
  const counts = content.sequence.flatMap(([name, , most, least]) => {
    const count = names.filter((each) => each === name).length
    return count < least || count > most ? [`${element.name}: ${String(count)} ${name}`] : []
  })
  const isSorted = order.every((place, at) => place !== -1 && place >= (order[at - 1] ?? 0))
  const inner = element.children.flatMap((child) => {
    const found = content.sequence.find(([name]) => name === child.name)
    return found === undefined ? [] : problemsOf(child, found[1])
  })
  return [...(isSorted ? [] : [`${element.name}: ${names.join()}`]), ...counts, ...inner]
}

function find(element: Element, name: string): Element | undefined {
  if (element.name === name) return element
  for (const child of element.children) {
    const found = find(child, name)
    if (found) return found
  }
  return undefined
}

/** Splits a command line as the C runtime of Windows does. */
function splitForWindows(line: string): readonly string[] {
  const words: string[] = []
  let word: string | null = null
  let isQuoted = false
  for (let at = 0; at < line.length; at += 1) {
    const slashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0
    const isBeforeQuote = line[at + slashes] === '"'
    if (slashes > 0) {
      word = (word ?? '') + '\\'.repeat(isBeforeQuote ? Math.floor(slashes / 2) : slashes)
      at += slashes - 1
      if (isBeforeQuote && slashes % 2 === 1) {
        word += '"'
        at += 1
      }
    } else if (line[at] === '"') {
      isQuoted = !isQuoted
      word ??= ''
    } else if (!isQuoted && /\s/.test(line[at] ?? '')) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + (line[at] ?? '')
  }
  return word === null ? words : [...words, word]
}

/** An argument of a command line: any text that fits on one. */
const argument = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  // eslint-disable-next-line no-control-regex -- neither a path nor a command line can hold these
  .filter((text) => !/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/u.test(text) && text.isWellFormed())

describe('a task of Task Scheduler', () => {
  const taskOf = (given: ScheduledJob) => windowsTask(given, '/schedules', 'OFFICE\\Kim', '2026-11-25')

  it.each(TIMES)('fits its schema: %o', (when) => {
    const [file] = taskOf(job(when, ODD)).files
    const task = parseXml(file?.text ?? '')
    expect(task.attributes).toEqual({
      version: '1.4',
      xmlns: 'http://schemas.microsoft.com/windows/2004/02/mit/task',
    })
    expect(problemsOf(task, TASK)).toEqual([])
    expect(find(task, 'StartBoundary')?.text).toBe(`2026-11-25T${when.time}:00`)
    expect(find(task, 'Description')?.text).toContain(ODD)
    // `schtasks` reads Unicode only in this encoding.
    expect(file?.encoding).toBe('utf16')
    expect(find(task, 'Actions')?.attributes).toEqual({ Context: find(task, 'Principal')?.attributes['id'] })
  })

  it('the check finds what the schema forbids', () => {
    const text = taskOf(job(TIMES[0] ?? fail())).files[0]?.text ?? ''
    for (const [from, to] of [
      ['<StartWhenAvailable>true', '<StartWhenAvailable>yes'],
      ['<RunLevel>LeastPrivilege</RunLevel>', '<Runlevel>LeastPrivilege</Runlevel>'],
      ['<DaysInterval>1', '<DaysInterval>0'],
    ] as const) {
      expect(
        problemsOf(parseXml(text.replaceAll(from, to).replaceAll(from.replace('<', '</'), to)), TASK),
      ).not.toEqual([])
    }
    const swapped = text.replace(
      /(\s*<StartBoundary>.*<\/StartBoundary>)(\s*<ScheduleByDay>.*<\/ScheduleByDay>)/,
      '$2$1',
    )
    expect(problemsOf(parseXml(swapped), TASK)).not.toEqual([])
  })

  it('starts on the requested days', () => {
    const days = (when: ScheduleTime) =>
      find(parseXml(taskOf(job(when)).files[0]?.text ?? ''), 'DaysOfWeek')?.children.map(({ name }) => name)
    expect(days({ every: 'weekday', time: '06:00' })).toEqual(DAYS.slice(0, 5))
    expect(days({ every: 'week', weekday: 0, time: '06:00' })).toEqual(['Sunday'])
    expect(days({ every: 'week', weekday: 5, time: '06:00' })).toEqual(['Friday'])
  })

  it('is made, found, and deleted by its name', () => {
    const { register, query, remove } = taskOf(job(TIMES[0] ?? fail()))
    const name = `Bookbridge\\bookbridge-${ID}`
    const xml = join('/schedules', `bookbridge-${ID}.xml`)
    expect(register).toEqual([{ command: 'schtasks.exe', args: ['/Create', '/TN', name, '/XML', xml, '/F'] }])
    expect(query.args).toEqual(['/Query', '/TN', name])
    expect(remove[0]?.args).toEqual(['/Delete', '/TN', name, '/F'])
  })

  it('passes on every argument unchanged', () => {
    fc.assert(
      fc.property(fc.array(argument, { maxLength: 4 }), (args) => {
        const task = parseXml(taskOf(job(TIMES[0] ?? fail(), 'x', args)).files[0]?.text ?? '')
        const line = find(task, 'Arguments')?.text ?? ''
        expect(splitForWindows(line)).toEqual([...args, '--run=/home/kim/run file.json'])
      }),
    )
  })
})

describe('a launch agent', () => {
  const agentOf = (given: ScheduledJob) => launchAgent(given, '/Users/kim', 501)

  /** A property list as values. */
  const plist = ({ name, children, text }: Element): unknown => {
    switch (name) {
      case 'plist':
        return plist(children[0] ?? fail())
      case 'dict': {
        const pairs: [string, unknown][] = []
        for (let at = 0; at < children.length; at += 2) {
          expect(children[at]?.name).toBe('key')
          pairs.push([children[at]?.text ?? '', plist(children[at + 1] ?? fail())])
        }
        return Object.fromEntries(pairs)
      }
      case 'array':
        return children.map(plist)
      case 'integer':
        expect(text).toMatch(/^\d+$/)
        return Number(text)
      case 'string':
        return text
      default:
        throw new Error(`no such element in a property list: ${name}`)
    }
  }
  const valuesOf = (given: ScheduledJob) => plist(parseXml(agentOf(given).files[0]?.text ?? ''))

  it('has the documented keys', () => {
    const label = `app.bookbridge.schedule.${ID}`
    const given = job({ every: 'month', day: 3, time: '06:05' }, ODD, [ODD])
    expect(valuesOf(given)).toEqual({
      Label: label,
      ProgramArguments: ['/opt/Bookbridge app/bookbridge', ODD, '--run=/home/kim/run file.json'],
      StartCalendarInterval: [{ Day: 3, Hour: 6, Minute: 5 }],
      LimitLoadToSessionType: 'Aqua',
      ProcessType: 'Standard',
    })
    // The file has the label's name, as expected.
    expect(agentOf(given).files[0]?.path).toBe(join('/Users/kim/Library/LaunchAgents', `${label}.plist`))
    expect(agentOf(given).register[0]?.args.slice(0, 2)).toEqual(['bootstrap', 'gui/501'])
    expect(agentOf(given).remove[0]?.args).toEqual(['bootout', `gui/501/${label}`])
  })

  it.each([
    [{ every: 'day', time: '23:59' }, [{ Hour: 23, Minute: 59 }]],
    [
      { every: 'weekday', time: '06:00' },
      [1, 2, 3, 4, 5].map((Weekday) => ({ Weekday, Hour: 6, Minute: 0 })),
    ],
    [{ every: 'week', weekday: 0, time: '00:00' }, [{ Weekday: 0, Hour: 0, Minute: 0 }]],
  ] as const)('starts when it was asked for: %o', (when, intervals) => {
    expect(valuesOf(job(when))).toMatchObject({ StartCalendarInterval: intervals })
  })
})

describe('launchd', () => {
  /** `launchctl` with the quirks of launchd: a removal takes a moment, and `bootout` kills what runs. */
  class Launchd {
    isLoaded = false
    isRunning = false
    runsKilled = 0
    /** How often it answers as if nothing had happened yet. */
    lag = 0
    readonly run = ({ args: [verb] }: SystemCommand): Promise<CommandOutcome> => {
      const outcome = (exitCode: number, stdout = '', stderr = '') =>
        Promise.resolve({ exitCode, stdout, stderr })
      const isStillThere = this.lag > 0
      if (isStillThere) this.lag -= 1
      switch (verb) {
        case 'print':
          if (!this.isLoaded && !isStillThere) return outcome(113)
          return outcome(0, this.isRunning ? '\tstate = running\n\tpid = 812\n' : '\tstate = not running\n')
        case 'bootout':
          if (this.isRunning) this.runsKilled += 1
          this.isLoaded = false
          this.lag = 4
          return outcome(0)
        default:
          if (this.isLoaded || isStillThere) return outcome(5, '', 'Bootstrap failed: 5: Input/output error')
          this.isLoaded = true
          return outcome(0)
      }
    }
  }

  const schedulerOf = (launchd: Launchd) => {
    const home = emptyFolder(onTestFinished)
    const machine = {
      ...({
        platform: 'darwin',
        home,
        configFolder: home,
        user: 'kim',
        userId: 501,
        run: launchd.run,
      } as const),
      ...{ program: { command: '/opt/bookbridge', args: [] }, sessionVariables: {}, ownVariables: {} },
    }
    const after = (_milliseconds: number, callback: () => void) => {
      queueMicrotask(callback)
      return () => undefined
    }
    return createSystemScheduler(machine, home, { now: () => 0, after })
  }

  it('gets a changed schedule once it has removed the old one', async () => {
    const launchd = new Launchd()
    const scheduler = schedulerOf(launchd)
    for (const time of ['06:00', '07:00'] as const) {
      expect(await scheduler.register(job({ every: 'day', time }))).toMatchObject({ ok: true })
    }
    expect(launchd.isLoaded).toBe(true)
    // It may refuse for a moment even if it doesn’t show the old one.
    let refusals = 2
    const flaky = new Launchd()
    const plain = flaky.run
    Object.assign(flaky, {
      run: (command: SystemCommand) => {
        if (command.args[0] !== 'bootstrap' || (refusals -= 1) < 0) return plain(command)
        return Promise.resolve({ exitCode: 5, stdout: '', stderr: 'Bootstrap failed: 5: Input/output error' })
      },
    })
    expect(await schedulerOf(flaky).register(job(TIMES[0] ?? fail()))).toMatchObject({ ok: true })
    expect(flaky.isLoaded).toBe(true)
  })

  it('doesn’t end a run in progress when its schedule is changed or removed', async () => {
    const launchd = new Launchd()
    const scheduler = schedulerOf(launchd)
    const given = job(TIMES[0] ?? fail())
    await scheduler.register(given)
    launchd.isRunning = true
    for (const refused of [await scheduler.register(given), await scheduler.remove(given)]) {
      expect(refused).toMatchObject({
        ok: false,
        error: { message: 'A run of this schedule is in progress.' },
      })
    }
    expect(launchd).toMatchObject({ runsKilled: 0, isLoaded: true })
    launchd.isRunning = false
    expect(await scheduler.remove(given)).toMatchObject({ ok: true })
    expect(launchd.isLoaded).toBe(false)
  })
})

describe('on Linux', () => {
  it('a schedule is with one scheduler, even if the other one could be reached before', async () => {
    const home = emptyFolder(onTestFinished)
    const units = join(home, '.config', 'systemd', 'user')
    let hasBus = false
    let crontab = '0 1 * * * backup\n'
    const active = new Set<string>()
    const run = ({ command, args, input = '' }: SystemCommand): Promise<CommandOutcome> => {
      const ended = (exitCode: number, stdout = '', stderr = '') =>
        Promise.resolve({ exitCode, stdout, stderr })
      if (command === 'crontab') {
        if (args[0] === '-l') return ended(0, crontab)
        crontab = input
        return ended(0)
      }
      if (!hasBus) return ended(1, '', 'Failed to connect to bus')
      const unit = args.at(-1) ?? ''
      if (args.includes('enable')) active.add(unit)
      if (args.includes('disable')) active.delete(unit)
      return ended(args.includes('is-active') && !active.has(unit) ? 3 : 0)
    }
    const machine = {
      platform: 'linux',
      home,
      configFolder: join(home, '.config'),
      user: 'kim',
      userId: 1000,
      run,
    }
    const after = (_ms: number, callback: () => void): (() => void) => {
      queueMicrotask(callback)
      return () => undefined
    }
    const scheduler = createSystemScheduler(
      { ...machine, program: { command: '', args: [] }, sessionVariables: {}, ownVariables: {} },
      home,
      { now: () => 0, after },
    )
    const given = job(TIMES[0] ?? fail())
    await scheduler.register(given)
    expect(hasCronJob(crontab, ID)).toBe(true)
    hasBus = true
    await scheduler.register(given)
    expect([hasCronJob(crontab, ID), active.size]).toEqual([false, 1])
    // The bus is gone, as for a program that cron starts.
    hasBus = false
    const wanted = join(units, 'timers.target.wants')
    mkdirSync(wanted)
    writeFileSync(join(wanted, `bookbridge-${ID}.timer`), '')
    await scheduler.register(given)
    expect([hasCronJob(crontab, ID), readdirSync(units), readdirSync(wanted)]).toEqual([
      true,
      ['timers.target.wants'],
      [],
    ])
    hasBus = true
    expect(await scheduler.remove(given)).toMatchObject({ ok: true })
    expect(crontab).toBe('0 1 * * * backup\n')
  })
})

describe('a timer of systemd', () => {
  const calendarEvent = (when: ScheduleTime): string =>
    /^OnCalendar=(.*)$/m.exec(systemdTimer(job(when), '/units').files[1]?.text ?? '')?.[1] ?? ''

  it('has the time in systemd’s format', () => {
    expect(TIMES.map(calendarEvent)).toEqual([
      '*-*-* 06:30:00',
      'Mon..Fri *-*-* 00:00:00',
      'Sun *-*-* 23:59:00',
      'Sat *-*-* 05:05:00',
      '*-*-01 06:00:00',
      '*-*-28 18:45:00',
    ])
  })

  it('makes up for missed times, and quotes its command', () => {
    const [service, timer] = systemdTimer(job(TIMES[0] ?? fail(), ODD, [ODD]), '/units').files
    expect(timer?.text).toMatch(/\[Timer\]\nOnCalendar=\*-\*-\* 06:30:00\nPersistent=true\n/)
    expect(timer?.text).toContain('[Install]\nWantedBy=timers.target')
    expect(service?.text).toContain(
      String.raw`ExecStart=:"/opt/Bookbridge app/bookbridge" "Alder & Finch's \"50%%\" <$HOME> ` +
        '`date`' +
        String.raw` \\ été" "--run=/home/kim/run file.json"`,
    )
  })

  it('is read by systemd itself, where it is installed', ({ skip }) => {
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) skip('There is no systemd-analyze here.')
    const folder = emptyFolder(onTestFinished)
    for (const when of TIMES) {
      const event = spawnSync('systemd-analyze', ['calendar', calendarEvent(when)])
      expect(event.status, event.stderr.toString()).toBe(0)
      const given = {
        ...job(when, ODD, [ODD]),
        program: { ...job(when, ODD, [ODD]).program, command: '/bin/true' },
      }
      for (const { path, text } of systemdTimer(given, folder).files) writeFileSync(path, text)
    }
    const units = [`bookbridge-${ID}.timer`, `bookbridge-${ID}.service`].map((name) => join(folder, name))
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', ...units])
    expect(
      verified.stderr
        .toString()
        .split('\n')
        .filter((line) => line.includes(ID)),
    ).toEqual([])
  })
})

describe('a line of a crontab', () => {
  it('has five fields and one command', () => {
    expect(TIMES.map((when) => cronLines(job(when))[1].split(' ').slice(0, 5).join(' '))).toEqual([
      '30 6 * * *',
      '0 0 * * 1-5',
      '59 23 * * 0',
      '5 5 * * 6',
      '0 6 1 * *',
      '45 18 28 * *',
    ])
  })

  it('passes on every argument unchanged, once sh has read it', () => {
    const folder = emptyFolder(onTestFinished)
    const print = join(folder, 'print arguments')
    mkdirSync(dirname(print), { recursive: true })
    writeFileSync(print, '#!/bin/sh\nprintf "%s\\n" "$VARIABLE" "$@" >&3\n', { mode: 0o755 })
    for (const args of [[ODD], ["'", "''", '"', '\\', '$(id)', '%d', '*', '~', '!', '#', '']]) {
      const given = job(TIMES[0] ?? fail())
      const program = { command: print, args, env: { VARIABLE: ODD } }
      const [, line] = cronLines({ ...given, program })
      // What cron does with a line: removes five fields, and restores escaped percent signs.
      const command = line
        .split(' ')
        .slice(5)
        .join(' ')
        .replaceAll(String.raw`\%`, '%')
      expect(line.replaceAll(String.raw`\%`, '')).not.toContain('%')
      const ran = spawnSync('/bin/sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
      expect(ran.output[3]?.toString().split('\n').slice(0, -1)).toEqual([ODD, ...args])
    }
  })

  it('leaves everyone else’s lines unchanged, in whatever order it is added and removed', () => {
    const line = fc.constantFrom(
      'MAILTO=kim',
      '# a note',
      '0 1 * * * backup',
      '',
      `# bookbridge-${ID}x: other`,
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.boolean(), (lines, ends) => {
        const before = lines.join('\n') + (ends && lines.length > 0 ? '\n' : '')
        const added = withCronJob(before, job(TIMES[0] ?? fail(), 'Month\nend'))
        expect(hasCronJob(added, ID)).toBe(true)
        const changed = withCronJob(added, job(TIMES[1] ?? fail()))
        expect(changed.split('\n').filter((each) => each.includes('--run='))).toHaveLength(1)
        const removed = withoutCronJob(changed, ID)
        expect(removed).toBe(before === '' || before.endsWith('\n') ? before : `${before}\n`)
        expect(hasCronJob(removed, ID)).toBe(false)
        expect(withoutCronJob(removed, ID)).toBe(removed)
      }),
    )
  })
})

describe('the next start', () => {
  const local = (...parts: [number, number, number, number, number]) => new Date(...parts).getTime()
  // A Wednesday.
  const noon = local(2026, 10, 25, 12, 0)

  it.each([
    [{ every: 'day', time: '12:01' }, local(2026, 10, 25, 12, 1), local(2026, 10, 24, 12, 1)],
    [{ every: 'day', time: '12:00' }, local(2026, 10, 26, 12, 0), noon],
    [{ every: 'weekday', time: '06:00' }, local(2026, 10, 26, 6, 0), local(2026, 10, 25, 6, 0)],
    [{ every: 'week', weekday: 3, time: '11:59' }, local(2026, 11, 2, 11, 59), local(2026, 10, 25, 11, 59)],
    [{ every: 'week', weekday: 0, time: '06:00' }, local(2026, 10, 29, 6, 0), local(2026, 10, 22, 6, 0)],
    [{ every: 'month', day: 28, time: '06:00' }, local(2026, 10, 28, 6, 0), local(2026, 9, 28, 6, 0)],
    [{ every: 'month', day: 1, time: '06:00' }, local(2026, 11, 1, 6, 0), local(2026, 10, 1, 6, 0)],
  ] as const)('and the previous one: %o', (when, next, previous) => {
    expect(nextStart(when, noon, 'systemd')).toEqual({ from: next, until: next })
    expect(previousStart(when, noon, null)).toEqual({ from: previous, until: previous })
  })

  it('is due once, and not if it was added later or started since', () => {
    const when = { every: 'week', weekday: 1, time: '06:00' } as const
    const at = (day: number, hour: number): Date => new Date(2026, 2, day, hour)
    const iso = (day: number, hour: number): string => at(day, hour).toISOString()
    const monday = at(9, 6).getTime()
    const thursday = at(12, 7).getTime()
    const added = { when, addedAt: iso(1, 9) }
    const start = (startedAt: string, previousAt: string | null = null) => ({
      startedAt,
      previousAt,
      ended: null,
    })
    const ended = { at: iso(9, 7), outcome: 'made', message: '', hasFindings: false } as const
    expect(dueStart(added, null, thursday, null)).toBe(monday)
    expect(dueStart(added, { ...start(iso(2, 6)), ended }, thursday, null)).toBe(monday)
    expect(dueStart(added, { ...start(iso(9, 6)), ended }, thursday, null)).toBeNull()
    // This run has begun already.
    expect(dueStart(added, start(iso(12, 7), iso(2, 6)), thursday, null)).toBe(monday)
    expect(dueStart(added, start(iso(12, 7), iso(9, 6)), thursday, null)).toBeNull()
    expect(dueStart({ ...added, addedAt: iso(10, 9) }, null, thursday, null)).toBeNull()
    expect(dueStart({ ...added, timedAt: iso(10, 9) }, null, thursday, null)).toBeNull()
  })

  it('skips a weekend', () => {
    const friday = local(2026, 10, 27, 12, 0)
    expect(nextStart({ every: 'weekday', time: '06:00' }, friday, null).from).toBe(local(2026, 10, 30, 6, 0))
    const monday = local(2026, 10, 30, 5, 0)
    expect(previousStart({ every: 'weekday', time: '06:00' }, monday, null).from).toBe(
      local(2026, 10, 27, 6, 0),
    )
  })

  describe('when the clocks change', () => {
    /** In New York, a time before Mar 8, 3:00 (the clocks move from 2:00) and Nov 1, 1:00 (they move back from 2:00). */
    const change = (iso: string): number => Date.parse(iso)
    const DAY = 24 * 3_600_000
    const spring = change('2026-03-08T03:00-04:00')
    const night = { every: 'day', time: '02:30' } as const
    const nights = [
      { name: 'daily', when: night, skipped: change('2026-03-09T02:30-04:00') },
      {
        name: 'weekly',
        when: { ...night, every: 'week', weekday: 0 },
        skipped: change('2026-03-15T02:30-04:00'),
      },
      {
        name: 'monthly',
        when: { ...night, every: 'month', day: 8 },
        skipped: change('2026-04-08T02:30-04:00'),
      },
    ] as const

    const inNewYork = (): void => {
      vi.stubEnv('TZ', 'America/New_York')
      onTestFinished(() => {
        vi.unstubAllEnvs()
      })
    }

    it.each(nights)(
      'a $name start at a time that doesn’t exist is skipped or made up for',
      ({ when, skipped }) => {
        inNewYork()
        const before = spring - 9 * 3_600_000
        expect(nextStart(when, before, 'systemd')).toEqual({ from: skipped, until: skipped })
        expect(nextStart(when, before, 'cron')).toEqual({ from: spring, until: spring })
        const late = spring + 30 * 60_000
        for (const scheduler of ['launchd', 'task-scheduler', null] as const) {
          expect(nextStart(when, before, scheduler)).toEqual({ from: spring, until: late })
          expect(previousStart(when, late - 1, scheduler).from).toBeLessThan(spring)
          expect(previousStart(when, late, scheduler).from).toBe(spring)
        }
        // What cron starts right after the change isn't a start that was missed before.
        const added = { when, addedAt: '2026-01-01T12:00:00Z' }
        expect(dueStart(added, null, spring + 1_000, 'cron')).toBe(spring)
        expect(dueStart(added, null, spring + 1_000, 'systemd')).toBeLessThan(spring)
      },
    )

    it('a start at a time that comes twice is the first one, or either', () => {
      inNewYork()
      const when = { every: 'day', time: '01:30' } as const
      const first = change('2026-11-01T01:30-04:00')
      const second = change('2026-11-01T01:30-05:00')
      for (const scheduler of ['systemd', 'cron'] as const) {
        expect(nextStart(when, first - DAY / 2, scheduler)).toEqual({ from: first, until: first })
        expect(nextStart(when, first, scheduler).from).toBe(second + DAY)
      }
      expect(nextStart(when, first, 'launchd')).toEqual({ from: first, until: second })
      expect(nextStart({ ...when, time: '00:30' }, first - DAY / 2, null)).toMatchObject({
        until: first - 3_600_000,
      })
    })

    it('a start on the last day of a week stays on it, although its time moves to the next day', () => {
      vi.stubEnv('TZ', 'America/Nuuk')
      onTestFinished(() => {
        vi.unstubAllEnvs()
      })
      // Saturday, Mar 28, ends at 23:00.
      const when = { every: 'week', weekday: 6, time: '23:30' } as const
      const sunday = change('2026-03-29T00:00-01:00')
      expect(nextStart(when, sunday + 60_000, null)).toEqual({ from: sunday, until: sunday + 30 * 60_000 })
    })
  })
})

function fail(): never {
  throw new Error('missing')
}
