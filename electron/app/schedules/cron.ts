/** A line in the user's crontab, for Linux without a systemd user instance. All other lines stay as they are. */
import type { ScheduleTime } from '../../../shared/contract/schedules.ts'
import { hourAndMinute } from './calendar.ts'
import { jobName, type ScheduledJob } from './registration.ts'

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
