/** Days as whole numbers since January 1, 1970, so that books are independent of time zones. */

const MILLISECONDS_A_DAY = 86_400_000
const MONTH_NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Days since January 1, 1970. */
export type Day = number

/** The day of a year, month, and date. Months below 1 or above 12 carry over. */
export function dayOf(year: number, month: number, date: number): Day {
  return Math.floor(Date.UTC(year, month - 1, date) / MILLISECONDS_A_DAY)
}

/** The year, month (1 to 12), and date of a day. */
export function partsOf(day: Day): { year: number; month: number; date: number } {
  const moment = new Date(day * MILLISECONDS_A_DAY)
  return { year: moment.getUTCFullYear(), month: moment.getUTCMonth() + 1, date: moment.getUTCDate() }
}

/** Reads `yyyy-mm-dd` at the start of a text. Undefined if there is no such day. */
export function parseDay(text: string): Day | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})/.exec(text)
  if (match === null) return undefined
  const [year, month, date] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const day = dayOf(year, month, date)
  const back = partsOf(day)
  return back.year === year && back.month === month && back.date === date ? day : undefined
}

/** Whether a text is an existing day and time: `yyyy-mm-ddThh:mm:ss`. */
export function isDayAndTime(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/i.test(text) && parseDay(text) !== undefined
}

/** Reads a date-time with an offset or Z as milliseconds since 1970. Undefined if there is no such time. */
export function parseMoment(text: string): number | undefined {
  const match = /^(.{19})(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i.exec(text)
  return isDayAndTime(match?.[1] ?? '') ? Date.parse(text) : undefined
}

/** Formats a day as `yyyy-mm-dd`. */
export function formatDay(day: Day): string {
  return new Date(day * MILLISECONDS_A_DAY).toISOString().slice(0, 10)
}

/** The day of a moment in the local time zone. */
export function dayOfMoment(milliseconds: number): Day {
  const offset = new Date(milliseconds).getTimezoneOffset() * 60_000
  return Math.floor((milliseconds - offset) / MILLISECONDS_A_DAY)
}

/** The start of a day in UTC, in milliseconds since 1970. */
export function momentOfDay(day: Day): number {
  return day * MILLISECONDS_A_DAY
}

/** The first day of a day's month, or of one that is `moved` months later. */
export function monthStart(day: Day, moved = 0): Day {
  const { year, month } = partsOf(day)
  return dayOf(year, month + moved, 1)
}

/** The last day of a day's month. */
export function monthEnd(day: Day): Day {
  return monthStart(day, 1) - 1
}

/** The first day of a day's fiscal year, which is the calendar year. */
export function yearStart(day: Day): Day {
  return dayOf(partsOf(day).year, 1, 1)
}

/** `Jan 2026`. */
export function monthHeading(day: Day): string {
  const { year, month } = partsOf(day)
  return `${MONTH_NAMES[month - 1] ?? ''} ${String(year)}`
}

/** `Jan 31, 2026`. */
export function dayHeading(day: Day): string {
  const { year, month, date } = partsOf(day)
  return `${MONTH_NAMES[month - 1] ?? ''} ${String(date)}, ${String(year)}`
}

/** Formats a moment as the service does: `2026-01-31T09:14:05+00:00`. */
export function formatTimestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}+00:00`
}

/** Formats a moment as the clock of this computer shows it: `2026-01-31T09:14:05`. */
export function formatLocalTime(milliseconds: number): string {
  const offset = new Date(milliseconds).getTimezoneOffset() * 60_000
  return formatTimestamp(milliseconds - offset).slice(0, 19)
}

// Timers, which tests may replace.

/** Calls back once after some milliseconds. Returns a function that cancels it. */
export type After = (milliseconds: number, callback: () => void) => () => void

export const machineTimer: After = (milliseconds, callback) => {
  const timer = setTimeout(callback, milliseconds)
  return () => {
    clearTimeout(timer)
  }
}

export function wait(after: After, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    after(milliseconds, resolve)
  })
}
