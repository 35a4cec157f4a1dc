/**
 * Periods of reports, as calendar dates (`yyyy-mm-dd`) without a time zone, because report dates have none (decisions.md,
 * "Time zones"). Pure.
 */

/** The choices of *Period*, in order. `dates` are the dates that the user typed. */
export const PERIOD_CHOICES = [
  'this-month',
  'last-month',
  'this-quarter',
  'last-quarter',
  'year-to-date',
  'last-year',
  'dates',
] as const

export type PeriodChoice = (typeof PERIOD_CHOICES)[number]

/** First and last day, inclusive, `yyyy-mm-dd`. */
export interface Period {
  readonly from: string
  readonly to: string
}

const LABELS: Readonly<Record<PeriodChoice, string>> = {
  'this-month': 'This month',
  'last-month': 'Last month',
  'this-quarter': 'This quarter',
  'last-quarter': 'Last quarter',
  'year-to-date': 'Year to date',
  'last-year': 'Last year',
  dates: 'Custom dates',
}

export function periodLabel(choice: PeriodChoice): string {
  return LABELS[choice]
}

/** A month as the number of months since year 0, so that quarters and years are simple arithmetic. */
type MonthCount = number

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

/** Days in a month, 1 to 12. */
function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Parses `yyyy-mm-dd`. `null` for anything that isn't a calendar day. */
export function parseIsoDate(text: string): { year: number; month: number; day: number } | null {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!parts) return null
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null
  return { year, month, day }
}

function isoDate(year: number, month: number, day: number): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

/** The whole months from one to another, inclusive. */
function months(first: MonthCount, last: MonthCount): Period {
  const [startYear, startMonth] = [Math.floor(first / 12), (first % 12) + 1]
  const [endYear, endMonth] = [Math.floor(last / 12), (last % 12) + 1]
  return {
    from: isoDate(startYear, startMonth, 1),
    to: isoDate(endYear, endMonth, daysInMonth(endYear, endMonth)),
  }
}

/**
 * The dates of a choice.
 * @param today the local date, `yyyy-mm-dd`
 * @param fiscalYearStart month in which the company's fiscal year begins, 1 to 12; quarters start from it, too
 * @returns `null` if `today` isn't a date
 */
export function periodFor(
  choice: Exclude<PeriodChoice, 'dates'>,
  today: string,
  fiscalYearStart: number,
): Period | null {
  const date = parseIsoDate(today)
  if (!date) return null
  const month: MonthCount = date.year * 12 + date.month - 1
  const start = Math.min(12, Math.max(1, Math.trunc(fiscalYearStart) || 1)) - 1
  const intoYear = (((month - start) % 12) + 12) % 12
  const quarter = month - (intoYear % 3)
  const year = month - intoYear
  switch (choice) {
    case 'this-month':
      return months(month, month)
    case 'last-month':
      return months(month - 1, month - 1)
    case 'this-quarter':
      return months(quarter, quarter + 2)
    case 'last-quarter':
      return months(quarter - 3, quarter - 1)
    case 'year-to-date':
      return { from: months(year, year).from, to: today }
    case 'last-year':
      return months(year - 12, year - 1)
  }
}

/** The month of a date, as a number. */
function monthOf({ year, month }: { readonly year: number; readonly month: number }): MonthCount {
  return year * 12 + month - 1
}

/** Whether a period consists of whole months. */
function isWholeMonths(period: Period): boolean {
  const [from, to] = [parseIsoDate(period.from), parseIsoDate(period.to)]
  return from !== null && to !== null && from.day === 1 && to.day === daysInMonth(to.year, to.month)
}

/** Whether a period is one whole month. */
export function isOneMonth(period: Period): boolean {
  return isWholeMonths(period) && period.from.slice(0, 7) === period.to.slice(0, 7)
}

/** The date some months away. The last day of a month stays the last, and a day that a month lacks becomes its last. */
function shiftMonths(date: string, by: number): string {
  const from = parseIsoDate(date)
  if (!from) return date
  const month = monthOf(from) + by
  const [year, number] = [Math.floor(month / 12), (month % 12) + 1]
  const days = daysInMonth(year, number)
  const isLast = from.day === daysInMonth(from.year, from.month)
  return isoDate(year, number, isLast ? days : Math.min(from.day, days))
}

/** The period before this one with the same length, in months if it is whole months, or else in days. */
export function periodBefore(period: Period): Period | null {
  const [from, to] = [parseIsoDate(period.from), parseIsoDate(period.to)]
  if (!from || !to || period.from > period.to) return null
  if (isWholeMonths(period)) {
    const count = monthOf(to) - monthOf(from) + 1
    return months(monthOf(from) - count, monthOf(from) - 1)
  }
  const day = 86_400_000
  const [start, end] = [from, to].map(({ year, month, day: date }) => Date.UTC(year, month - 1, date))
  if (start === undefined || end === undefined) return null
  const iso = (at: number): string => new Date(at).toISOString().slice(0, 10)
  return { from: iso(start - (end - start) - day), to: iso(start - day) }
}

/** The same days a year earlier. */
export function yearBefore({ from, to }: Period): Period {
  return { from: shiftMonths(from, -12), to: shiftMonths(to, -12) }
}

/** A number of whole months, up to the month of a date; empty if it isn't a date. */
export function monthsUpTo(date: string, count: number): readonly Period[] {
  const last = parseIsoDate(date)
  if (!last) return []
  return Array.from({ length: count }, (_, at) => {
    const month = monthOf(last) - count + 1 + at
    return months(month, month)
  })
}

/** What is wrong with typed dates, in words; `null` if they are a period. */
export function periodProblem(period: Period): string | null {
  if (!parseIsoDate(period.from)) return 'Enter a start date.'
  if (!parseIsoDate(period.to)) return 'Enter an end date.'
  // In yyyy-mm-dd, the order of texts is the order of days.
  if (period.from > period.to) return 'The start date is after the end date.'
  return null
}

/** The date in a report's timestamp, in no time zone: its first ten characters, if they are a date. */
export function writtenDate(timestamp: string): string | null {
  const text = timestamp.trim().slice(0, 10)
  return parseIsoDate(text) ? text : null
}
