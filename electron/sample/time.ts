/** Days as whole numbers (days since 1 January 1970), so that the books never meet a time zone. */

const MILLISECONDS_A_DAY = 86_400_000
const MONTH_NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A day, counted from 1 January 1970. */
export type Day = number

/** The day of a year, month (1 to 12; others carry over) and day of the month. */
export function dayOf(year: number, month: number, date: number): Day {
  return Math.floor(Date.UTC(year, month - 1, date) / MILLISECONDS_A_DAY)
}

/** Year, month (1 to 12) and day of the month of a day. */
export function partsOf(day: Day): { year: number; month: number; date: number } {
  const moment = new Date(day * MILLISECONDS_A_DAY)
  return { year: moment.getUTCFullYear(), month: moment.getUTCMonth() + 1, date: moment.getUTCDate() }
}

/** Reads `yyyy-mm-dd` at the start of a text; undefined when there is no such day. */
export function parseDay(text: string): Day | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})/.exec(text)
  if (match === null) return undefined
  const [year, month, date] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const day = dayOf(year, month, date)
  const back = partsOf(day)
  return back.year === year && back.month === month && back.date === date ? day : undefined
}

/** True where a text is a day and a time of day that there are: `yyyy-mm-ddThh:mm:ss`. */
export function isDayAndTime(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/i.test(text) && parseDay(text) !== undefined
}

/** Reads a date-time with an offset or Z, in milliseconds since 1970; undefined when there is no such moment. */
export function parseMoment(text: string): number | undefined {
  const match = /^(.{19})(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i.exec(text)
  return isDayAndTime(match?.[1] ?? '') ? Date.parse(text) : undefined
}

/** A day as `yyyy-mm-dd`. */
export function formatDay(day: Day): string {
  return new Date(day * MILLISECONDS_A_DAY).toISOString().slice(0, 10)
}

/** The day of a moment where this machine is: what a person there would call today. */
export function dayOfMoment(milliseconds: number): Day {
  const offset = new Date(milliseconds).getTimezoneOffset() * 60_000
  return Math.floor((milliseconds - offset) / MILLISECONDS_A_DAY)
}

/** The moment a day begins, in milliseconds since 1970, UTC. */
export function momentOfDay(day: Day): number {
  return day * MILLISECONDS_A_DAY
}

/** The first day of the month that a day is in, moved by a number of months. */
export function monthStart(day: Day, moved = 0): Day {
  const { year, month } = partsOf(day)
  return dayOf(year, month + moved, 1)
}

/** The last day of the month that a day is in. */
export function monthEnd(day: Day): Day {
  return monthStart(day, 1) - 1
}

/** The first day of the year that a day is in; the sample's fiscal years are calendar years. */
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

/** A moment as the service writes it: `2026-01-31T09:14:05+00:00`. */
export function formatTimestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}+00:00`
}

// The sample's timers, which a test may replace.

/** Calls back once after so many milliseconds. Returns what cancels that. */
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
