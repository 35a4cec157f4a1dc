/** A launch agent of macOS: its property list (launchd.plist) and the `launchctl` commands. */
import { join } from 'node:path'
import type { ScheduleTime } from '../../../shared/contract/schedules.ts'
import { hourAndMinute } from './calendar.ts'
import { escapeXml, type Registration, type ScheduledJob } from './registration.ts'

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
