/** A systemd user timer: its two unit files and the `systemctl` commands. */
import { join } from 'node:path'
import type { ScheduleTime } from '../../../shared/contract/schedules.ts'
import { jobName, type Registration, type ScheduledJob } from './registration.ts'

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const

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
      return `${WEEKDAYS[when.weekday] ?? 'Sun'} *-*-* ${time}`
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
