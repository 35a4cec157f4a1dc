/** A task of Windows Task Scheduler: its XML (schema 1.4, Windows 10 and later) and the `schtasks` commands. */
import { join } from 'node:path'
import type { ScheduleTime } from '../../../shared/contract/schedules.ts'
import { escapeXml, jobName, type Registration, type ScheduledJob } from './registration.ts'

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
