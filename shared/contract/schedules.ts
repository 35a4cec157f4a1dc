/** Schedules: reports that the system's own scheduler makes at set times, without a window. */
import { z } from 'zod'
import { PERIOD_CHOICES } from '../reports/periods.ts'
import { REPORT_FILE_KINDS } from '../reports/runs.ts'
import { appErrorSchema, call, id, isoTime, line, none, serviceText, text } from './parts.ts'

/** Local time, `06:30`. */
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)

/** When a schedule starts. Days after the 28th are left out, because not every month has them. */
export const scheduleTime = z.discriminatedUnion('every', [
  z.strictObject({ every: z.literal('day'), time: timeOfDay }),
  /** Monday to Friday. */
  z.strictObject({ every: z.literal('weekday'), time: timeOfDay }),
  /** 0 is Sunday. */
  z.strictObject({ every: z.literal('week'), weekday: z.number().int().min(0).max(6), time: timeOfDay }),
  z.strictObject({ every: z.literal('month'), day: z.number().int().min(1).max(28), time: timeOfDay }),
])

/** The user's choices for a generated run file. */
const choices = z.strictObject({
  connectionId: id,
  /** `null` for all active ones, also those added later. */
  endpointIds: z.array(id).min(1).max(2_000).readonly().nullable(),
  /** Empty: only a review. */
  set: line,
  period: z.enum(PERIOD_CHOICES).exclude(['dates']),
  fileKinds: z.array(z.enum(REPORT_FILE_KINDS)).max(REPORT_FILE_KINDS.length).readonly(),
  pack: z.boolean(),
  combined: z.boolean(),
  /** Whether the month is also reviewed, with the findings in the summary. */
  review: z.boolean(),
  until: timeOfDay.nullable(),
})

/** The content of a run file, in words. */
const scheduledRun = z.object({
  connection: line,
  /** Names; `null` for all active companies. */
  companies: z.array(line).readonly().nullable(),
  /** Titles of reports, or the name of a set. */
  reports: z.array(line).readonly(),
  set: line,
  review: z.boolean(),
  period: z.union([z.enum(PERIOD_CHOICES), z.object({ from: line, to: line })]),
  folder: text,
})

/** The last run. Without an end, it is still running or was cut off. */
export const lastRunSchema = z.object({
  startedAt: isoTime,
  /** When it started before that; `null` if never. */
  previousAt: isoTime.nullable(),
  ended: z
    .object({
      at: isoTime,
      outcome: z.enum(['made', 'partly-made', 'not-started']),
      message: serviceText,
      /** Whether a reviewed month has open findings, or a closed one changed. */
      hasFindings: z.boolean().default(false),
    })
    .nullable(),
})

const schedule = z.object({
  scheduleId: id,
  name: line,
  when: scheduleTime,
  runFile: text,
  /** `null` if its run file can't be read. */
  run: scheduledRun.nullable(),
  /** The user's choices; `null` if the user provided the run file. */
  choices: choices.nullable(),
  /** Why it can't run, such as a missing file, connection, key, or company. */
  problem: appErrorSchema.nullable(),
  nextAt: isoTime,
  /** Whether it starts exactly then. If not, the clocks change around then. */
  isNextCertain: z.boolean(),
  last: lastRunSchema.nullable(),
  /** The last time at which it should have started but didn't; `null` if none. */
  missedAt: isoTime.nullable(),
  isRegistered: z.boolean(),
  /** The exact text that was given to the system's scheduler. */
  registered: serviceText,
})

const one = z.strictObject({ scheduleId: id })

export const scheduleCalls = {
  'schedules.list': call(
    none,
    z.object({
      /** `null` if there is no usable scheduler; `unavailable` says why. */
      scheduler: z.enum(['task-scheduler', 'launchd', 'systemd', 'cron']).nullable(),
      unavailable: appErrorSchema.nullable(),
      schedules: z.array(schedule).readonly(),
      /** The IDs of schedules whose file can’t be read. The scheduler may still have them. */
      damaged: z.array(id).readonly(),
    }),
  ),
  /** Asks for the folder of the files, or for a run file; `null` if canceled. */
  'schedules.choose': call(
    z.strictObject({ what: z.enum(['folder', 'run-file']) }),
    z.object({ path: text.nullable() }),
  ),
  /** Adds a schedule. Its folder or run file must be one that was chosen. */
  'schedules.add': call(
    z.strictObject({
      name: line.min(1),
      when: scheduleTime,
      run: z.discriminatedUnion('from', [
        z.strictObject({ from: z.literal('file'), runFile: text.min(1) }),
        choices.extend({ from: z.literal('choices'), folder: text.min(1) }),
      ]),
    }),
    one,
  ),
  /**
   * Changes a schedule and registers it again; `choices` only where the schedule has some. Its folder must be the
   * schedule's, or one that was chosen.
   */
  'schedules.change': call(
    one.extend({
      name: line.min(1),
      when: scheduleTime,
      choices: choices.extend({ folder: text.min(1) }).nullable(),
    }),
    none,
  ),
  /** Registers it again if the system's scheduler has lost it. */
  'schedules.register': call(one, none),
  'schedules.remove': call(one, none),
  /** Starts it in this program. Returns immediately. */
  'schedules.runNow': call(one, none),
} as const

export const scheduleEvents = {
  'schedules.changed': none,
} as const

export type ScheduleTime = z.output<typeof scheduleTime>
export type Schedule = z.output<typeof schedule>
export type ScheduleChoices = z.output<typeof choices>
export type LastScheduledRun = z.output<typeof lastRunSchema>
