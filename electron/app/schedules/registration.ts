/** How a schedule is registered with a scheduler. The files beside this one make it for each system. */
import type { ScheduleTime } from '../../../shared/contract/schedules.ts'
import type { SystemCommand } from '../ports.ts'

export type SchedulerKind = 'task-scheduler' | 'launchd' | 'systemd' | 'cron'

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
export function jobName(scheduleId: string): string {
  return `bookbridge-${scheduleId}`
}

export function escapeXml(text: string): string {
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
