/** When a schedule starts, in this computer's local time. */
import type { LastRun, ScheduleTime } from '../../../shared/contract/schedules.ts'

export interface HourAndMinute {
  readonly hour: number
  readonly minute: number
}

export function hourAndMinute({ time }: Pick<ScheduleTime, 'time'>): HourAndMinute {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return { hour, minute }
}

/** The days of a month at most, and some more. */
const DAYS_TO_TRY = 40

/** The first start after `after`, in ms since 1970. */
export function nextStart(when: ScheduleTime, after: number): number {
  return startNear(when, after, 1)
}

/** The last start at or before `until`, in ms since 1970. */
export function previousStart(when: ScheduleTime, until: number): number {
  return startNear(when, until, -1)
}

/**
 * When a schedule that is starting now was due, in ms since 1970; `null` if it isn’t due, because it already started since
 * then, or was added later.
 */
export function dueStart(
  { when, addedAt, timedAt = addedAt }: { when: ScheduleTime; addedAt: string; timedAt?: string | undefined },
  last: LastRun | null,
  now: number,
): number | null {
  const due = previousStart(when, now)
  // A run in progress is the one that is starting.
  const before = last?.ended === null ? last.previousAt : last?.startedAt
  const isDone = typeof before === 'string' && Date.parse(before) >= due
  return isDone || Date.parse(timedAt) >= due ? null : due
}

function startNear(when: ScheduleTime, moment: number, step: 1 | -1): number {
  const { hour, minute } = hourAndMinute(when)
  const from = new Date(moment)
  for (let days = 0; days <= DAYS_TO_TRY; days += 1) {
    // In a night that skips this hour, Date moves it on as the schedulers do.
    const at = new Date(from.getFullYear(), from.getMonth(), from.getDate() + step * days, hour, minute)
    const isPast = at.getTime() <= moment
    if (isPast === (step === -1) && isOn(when, at)) return at.getTime()
  }
  throw new Error('no such day')
}

function isOn(when: ScheduleTime, day: Date): boolean {
  switch (when.every) {
    case 'day':
      return true
    case 'weekday':
      return day.getDay() >= 1 && day.getDay() <= 5
    case 'week':
      return day.getDay() === when.weekday
    case 'month':
      return day.getDate() === when.day
  }
}
