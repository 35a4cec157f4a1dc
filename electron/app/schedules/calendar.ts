/** When a schedule starts, in this computer's local time. */
import type { LastScheduledRun, ScheduleTime } from '../../../shared/contract/schedules.ts'

export type SchedulerKind = 'task-scheduler' | 'launchd' | 'systemd' | 'cron'

export interface HourAndMinute {
  readonly hour: number
  readonly minute: number
}

export function hourAndMinute({ time }: Pick<ScheduleTime, 'time'>): HourAndMinute {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return { hour, minute }
}

/** When the scheduler starts it, in ms since 1970: at `from`, or until `until` if its documentation doesn't say when. */
export interface Start {
  readonly from: number
  readonly until: number
}

const MINUTE = 60_000
/** More than two months, because systemd may skip a month. */
const DAYS_TO_TRY = 70

/** The first start that isn't over by `after`, in ms since 1970. */
export function nextStart(when: ScheduleTime, after: number, scheduler: SchedulerKind | null): Start {
  return startNear(when, after, 1, scheduler, ({ until }) => until > after)
}

/** The last start that is over by `until`, in ms since 1970. */
export function previousStart(when: ScheduleTime, until: number, scheduler: SchedulerKind | null): Start {
  return startNear(when, until, -1, scheduler, (start) => start.until <= until)
}

/**
 * When a schedule that is starting now was due, in ms since 1970; `null` if it isn’t due, because it already started since
 * then, or was added later.
 */
export function dueStart(
  { when, addedAt, timedAt = addedAt }: { when: ScheduleTime; addedAt: string; timedAt?: string | undefined },
  last: LastScheduledRun | null,
  now: number,
  scheduler: SchedulerKind | null,
): number | null {
  const { from: due } = startNear(when, now, -1, scheduler, ({ from }) => from <= now)
  // A run in progress is the one that is starting.
  const before = last?.ended === null ? last.previousAt : last?.startedAt
  const isDone = typeof before === 'string' && Date.parse(before) >= due
  return isDone || Date.parse(timedAt) >= due ? null : due
}

function startNear(
  when: ScheduleTime,
  moment: number,
  step: 1 | -1,
  scheduler: SchedulerKind | null,
  isWanted: (start: Start) => boolean,
): Start {
  const near = new Date(moment)
  // A start may move to the next day with the clocks.
  for (let days = -1; days <= DAYS_TO_TRY; days += 1) {
    const day = new Date(near.getFullYear(), near.getMonth(), near.getDate() + step * days, 12)
    const start = isOn(when, day) ? startOn(day, hourAndMinute(when), scheduler) : null
    if (start !== null && isWanted(start)) return start
  }
  throw new Error('no such day')
}

/**
 * The start on a day; `null` if there is none. Schedulers differ in nights when the clocks change. systemd skips a time
 * that doesn't exist, and cron makes up for it right after the change. Both start once at a time that comes twice. The
 * documentation of the others doesn't say.
 */
function startOn(day: Date, { hour, minute }: HourAndMinute, scheduler: SchedulerKind | null): Start | null {
  // `Date` moves a time that doesn't exist forward, and takes the first of two.
  const at = new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour, minute).getTime()
  const isKnown = scheduler === 'systemd' || scheduler === 'cron'
  if (!shows(at, hour, minute)) {
    if (scheduler === 'systemd') return null
    const change = lastChange(at)
    return { from: change, until: scheduler === 'cron' ? change : at }
  }
  const later = at + (offsetAt(at + 180 * MINUTE) - offsetAt(at)) * MINUTE
  const isTwice = later > at && shows(later, hour, minute)
  return { from: at, until: isTwice && !isKnown ? later : at }
}

function shows(moment: number, hour: number, minute: number): boolean {
  const clock = new Date(moment)
  return clock.getHours() === hour && clock.getMinutes() === minute
}

/** When the clocks last changed. */
function lastChange(moment: number): number {
  let change = moment
  while (offsetAt(change - MINUTE) === offsetAt(moment)) change -= MINUTE
  return change
}

/** Minutes by which local time is behind UTC. */
function offsetAt(moment: number): number {
  return new Date(moment).getTimezoneOffset()
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
