/** How a schedule is registered with the scheduler of each system. */
import { join } from 'node:path'
import type { ScheduleTime } from '../../../shared/contract/schedules.ts'
import type { SystemCommand } from '../ports.ts'
import { hourAndMinute } from './calendar.ts'

/** How to start this program. */
export interface ProgramCommand {
  readonly command: string
  readonly args: readonly string[]
  /** Set before it starts; empty for an installed program on Windows and Mac. */
  readonly env: Readonly<Record<string, string>>
}

/** A schedule, as a scheduler needs to know it. */
export interface ScheduledJob {
  readonly scheduleId: string
  readonly name: string
  readonly when: ScheduleTime
  readonly program: ProgramCommand
}

/** Files to write and commands to run, in this order. */
export interface Registration {
  readonly files: readonly {
    readonly path: string
    readonly text: string
    readonly encoding: 'utf8' | 'utf16'
  }[]
  readonly register: readonly SystemCommand[]
  /** Ends with 0 if the scheduler has it. */
  readonly query: SystemCommand
  /** Matches the output of the query while a run is in progress, if `remove` would end that run. */
  readonly running?: RegExp
  /** How often to try `register`; once by default. */
  readonly tries?: number
  readonly remove: readonly SystemCommand[]
  /** Run after the files were removed. */
  readonly afterRemoval: readonly SystemCommand[]
}

/** The name of a schedule in the system's scheduler. */
function jobName(scheduleId: string): string {
  return `bookbridge-${scheduleId}`
}

function escapeXml(text: string): string {
  return (
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      // XML 1.0 has no way to write these.
      .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, ' ')
  )
}

/** A command as it would be typed. Only shown, never run. */
export function commandText({ command, args }: SystemCommand): string {
  return [command, ...args].map((part) => (/[\s"'&;]/.test(part) ? `"${part}"` : part)).join(' ')
}

// A task of Windows Task Scheduler: its XML (schema 1.4, Windows 10 and later) and the `schtasks` commands.

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

/**
 * @param folder where the XML is kept
 * @param user `DOMAIN\name`, whose session the task runs in
 * @param today the first day, `yyyy-mm-dd`
 */
export function windowsTask(job: ScheduledJob, folder: string, user: string, today: string): Registration {
  const name = `Bookbridge\\${jobName(job.scheduleId)}`
  const path = join(folder, `${jobName(job.scheduleId)}.xml`)
  const schtasks = (...args: string[]) => ({ command: 'schtasks.exe', args })
  return {
    files: [{ path, text: taskXml(job, name, user, today), encoding: 'utf16' }],
    register: [schtasks('/Create', '/TN', name, '/XML', path, '/F')],
    query: schtasks('/Query', '/TN', name),
    remove: [schtasks('/Delete', '/TN', name, '/F')],
    afterRemoval: [],
  }
}

function taskXml({ name, when, program }: ScheduledJob, uri: string, user: string, today: string): string {
  const lines = [
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<Task version="1.4" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    '  <RegistrationInfo>',
    '    <Author>Bookbridge</Author>',
    `    <Description>${escapeXml(`${name}. Creates reports. Changes nothing in the books.`)}</Description>`,
    `    <URI>\\${escapeXml(uri)}</URI>`,
    '  </RegistrationInfo>',
    '  <Triggers>',
    '    <CalendarTrigger>',
    `      <StartBoundary>${today}T${when.time}:00</StartBoundary>`,
    `      ${trigger(when)}`,
    '    </CalendarTrigger>',
    '  </Triggers>',
    '  <Principals>',
    '    <Principal id="Author">',
    `      <UserId>${escapeXml(user)}</UserId>`,
    // The keychain is open only while its owner is signed in.
    '      <LogonType>InteractiveToken</LogonType>',
    '      <RunLevel>LeastPrivilege</RunLevel>',
    '    </Principal>',
    '  </Principals>',
    '  <Settings>',
    // A second instance hands its run to the open one, perhaps with a window, which makes one run at a time.
    '    <MultipleInstancesPolicy>Parallel</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    // Runs after a start that the computer slept through.
    '    <StartWhenAvailable>true</StartWhenAvailable>',
    '    <Enabled>true</Enabled>',
    // No limit: silent companies are asked until a time of day.
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    '  </Settings>',
    '  <Actions Context="Author">',
    '    <Exec>',
    `      <Command>${escapeXml(program.command)}</Command>`,
    `      <Arguments>${escapeXml(program.args.map(quoteForWindows).join(' '))}</Arguments>`,
    '    </Exec>',
    '  </Actions>',
    '</Task>',
  ]
  return `${lines.join('\r\n')}\r\n`
}

function trigger(when: ScheduleTime): string {
  switch (when.every) {
    case 'day':
      return '<ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>'
    case 'weekday':
      return byWeek(WEEKDAYS.slice(1, 6))
    case 'week':
      return byWeek(WEEKDAYS.slice(when.weekday, when.weekday + 1))
    case 'month': {
      const months = MONTHS.map((month) => `<${month} />`).join('')
      return (
        `<ScheduleByMonth><DaysOfMonth><Day>${String(when.day)}</Day></DaysOfMonth>` +
        `<Months>${months}</Months></ScheduleByMonth>`
      )
    }
  }
}

function byWeek(days: readonly string[]): string {
  return (
    '<ScheduleByWeek><WeeksInterval>1</WeeksInterval>' +
    `<DaysOfWeek>${days.map((day) => `<${day} />`).join('')}</DaysOfWeek></ScheduleByWeek>`
  )
}

/** Quotes an argument so that a program's C runtime reads back exactly that. */
function quoteForWindows(argument: string): string {
  if (argument !== '' && !/[\s"]/.test(argument)) return argument
  // Backslashes count only before a quotation mark, and there twice.
  const escaped = argument.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')
  return `"${escaped}"`
}

// A launch agent of macOS: its property list (launchd.plist) and the `launchctl` commands.

/**
 * @param home the user's home folder
 * @param userId the user's number, which names their session's domain
 */
export function launchAgent(job: ScheduledJob, home: string, userId: number): Registration {
  const label = `app.bookbridge.schedule.${job.scheduleId}`
  const path = join(home, 'Library', 'LaunchAgents', `${label}.plist`)
  const domain = `gui/${String(userId)}`
  const launchctl = (...args: string[]) => ({ command: '/bin/launchctl', args })
  return {
    files: [{ path, text: propertyList(job, label), encoding: 'utf8' }],
    register: [launchctl('bootstrap', domain, path)],
    query: launchctl('print', `${domain}/${label}`),
    // `bootout` kills what it has started.
    running: /^\s*(?:state = running|pid = \d+)\s*$/m,
    // After `bootout`, `bootstrap` may fail for a moment (“5: Input/output error”).
    tries: 3,
    remove: [launchctl('bootout', `${domain}/${label}`)],
    afterRemoval: [],
  }
}

function propertyList({ when, program }: ScheduledJob, label: string): string {
  const text = (value: string): string => `<string>${escapeXml(value)}</string>`
  const variables = Object.entries(program.env)
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    '  <key>Label</key>',
    `  ${text(label)}`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...[program.command, ...program.args].map((argument) => `    ${text(argument)}`),
    '  </array>',
    ...(variables.length === 0
      ? []
      : [
          '  <key>EnvironmentVariables</key>',
          '  <dict>',
          ...variables.map(([name, value]) => `    <key>${escapeXml(name)}</key>${text(value)}`),
          '  </dict>',
        ]),
    // If the Mac is asleep at that time, the job runs when it wakes.
    '  <key>StartCalendarInterval</key>',
    '  <array>',
    ...intervals(when).map((interval) => {
      const keys = Object.entries(interval).map(
        ([key, value]) => `<key>${key}</key><integer>${String(value)}</integer>`,
      )
      return `    <dict>${keys.join('')}</dict>`
    }),
    '  </array>',
    // The keychain is open only while its owner is signed in.
    '  <key>LimitLoadToSessionType</key>',
    '  <string>Aqua</string>',
    '  <key>ProcessType</key>',
    '  <string>Standard</string>',
    '</dict>',
    '</plist>',
  ]
  return `${lines.join('\n')}\n`
}

function intervals(when: ScheduleTime): readonly Readonly<Record<string, number>>[] {
  const { hour, minute } = hourAndMinute(when)
  const time = { Hour: hour, Minute: minute }
  switch (when.every) {
    case 'day':
      return [time]
    case 'weekday':
      return [1, 2, 3, 4, 5].map((day) => ({ Weekday: day, ...time }))
    case 'week':
      return [{ Weekday: when.weekday, ...time }]
    case 'month':
      return [{ Day: when.day, ...time }]
  }
}

// A systemd user timer: its two unit files and the `systemctl` commands.

/** @param units the folder of the user's units: `~/.config/systemd/user` */
export function systemdTimer(job: ScheduledJob, units: string): Registration {
  const { name, when, program } = job
  const unit = jobName(job.scheduleId)
  const timer = `${unit}.timer`
  const systemctl = (...args: string[]) => ({ command: 'systemctl', args: ['--user', ...args] })
  const service = [
    '[Unit]',
    `Description=${inUnit(`Bookbridge: ${name}`)}`,
    '',
    '[Service]',
    'Type=oneshot',
    ...Object.entries(program.env).map(([key, value]) => `Environment=${quoted(`${key}=${value}`)}`),
    // The colon keeps dollar signs as they are.
    `ExecStart=:${[program.command, ...program.args].map(quoted).join(' ')}`,
  ]
  const timed = [
    '[Unit]',
    `Description=${inUnit(`Bookbridge: ${name}`)}`,
    '',
    '[Timer]',
    `OnCalendar=${calendarEvent(when)}`,
    // If the computer is asleep or off at that time, the job runs when it is back.
    'Persistent=true',
    '',
    '[Install]',
    'WantedBy=timers.target',
  ]
  return {
    files: [
      { path: join(units, `${unit}.service`), text: `${service.join('\n')}\n`, encoding: 'utf8' },
      { path: join(units, timer), text: `${timed.join('\n')}\n`, encoding: 'utf8' },
    ],
    register: [systemctl('daemon-reload'), systemctl('enable', '--now', timer)],
    query: systemctl('is-active', '--quiet', timer),
    remove: [systemctl('disable', '--now', timer)],
    afterRemoval: [systemctl('daemon-reload')],
  }
}

/** The format of `systemd.time`. */
function calendarEvent(when: ScheduleTime): string {
  const time = `${when.time}:00`
  switch (when.every) {
    case 'day':
      return `*-*-* ${time}`
    case 'weekday':
      return `Mon..Fri *-*-* ${time}`
    case 'week':
      return `${WEEKDAYS[when.weekday]?.slice(0, 3) ?? 'Sun'} *-*-* ${time}`
    case 'month':
      return `*-*-${String(when.day).padStart(2, '0')} ${time}`
  }
}

/** Puts text on one line, and doubles the characters that begin specifiers. */
function inUnit(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('%', '%%').replaceAll('\\', '\\\\')
}

/** An argument in quotation marks, with C escapes. */
function quoted(argument: string): string {
  const escaped = argument
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('%', '%%')
  return `"${escaped}"`
}

// A line in the user's crontab, for Linux without a systemd user instance. All other lines stay as they are.

/** The two lines of a schedule: a comment that marks it, and the command. */
export function cronLines({ scheduleId, name, when, program }: ScheduledJob): readonly [string, string] {
  const variables = Object.entries(program.env).map(([key, value]) => `${key}=${quoteForShell(value)}`)
  const command = [...variables, ...[program.command, ...program.args].map(quoteForShell)].join(' ')
  return [
    `# ${jobName(scheduleId)}: ${name.replaceAll(/\s+/g, ' ')}`,
    // In a crontab, a percent sign ends the command.
    `${cronTime(when)} ${command.replaceAll('%', String.raw`\%`)} >/dev/null 2>&1`,
  ]
}

/** The five fields of a crontab: minute, hour, day of the month, month, weekday. */
function cronTime(when: ScheduleTime): string {
  const { hour, minute } = hourAndMinute(when)
  const time = `${String(minute)} ${String(hour)}`
  switch (when.every) {
    case 'day':
      return `${time} * * *`
    case 'weekday':
      return `${time} * * 1-5`
    case 'week':
      return `${time} * * ${String(when.weekday)}`
    case 'month':
      return `${time} ${String(when.day)} * *`
  }
}

/** Quotes an argument as one word for `/bin/sh`, whatever it contains. */
function quoteForShell(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`
}

/** The crontab with this schedule, which replaces an earlier one with the same ID. */
export function withCronJob(crontab: string, job: ScheduledJob): string {
  const rest = withoutCronJob(crontab, job.scheduleId)
  const before = rest === '' || rest.endsWith('\n') ? rest : `${rest}\n`
  return `${before}${cronLines(job).join('\n')}\n`
}

/** The crontab without this schedule. */
export function withoutCronJob(crontab: string, scheduleId: string): string {
  const lines = crontab.split('\n')
  const at = lines.findIndex((line) => isMark(line, scheduleId))
  if (at === -1) return crontab
  // Someone may have deleted the command and left the comment.
  const hasCommand = lines[at + 1]?.includes('--run=') === true
  return lines.toSpliced(at, hasCommand ? 2 : 1).join('\n')
}

export function hasCronJob(crontab: string, scheduleId: string): boolean {
  const lines = crontab.split('\n')
  const at = lines.findIndex((line) => isMark(line, scheduleId))
  return at !== -1 && lines[at + 1]?.includes('--run=') === true
}

function isMark(line: string, scheduleId: string): boolean {
  return line.startsWith(`# ${jobName(scheduleId)}:`)
}
