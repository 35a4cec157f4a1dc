/**
 * Periods of reports, as calendar dates. A date is `yyyy-mm-dd` and stays one: nothing here knows a time zone, since
 * report dates carry none (decisions.md, "Time zones").
 */

/** The choices of *Period*, in the order of the list; `dates` is what the person typed. */
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

/** First and last day, both within, `yyyy-mm-dd`. */
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

/** A month as a count of months since year 0, so that quarters and years are plain arithmetic. */
type MonthCount = number

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

/** Days in a month, 1 to 12. */
function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Reads `yyyy-mm-dd`; `null` for anything that is not a day of the calendar. */
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

/** The whole months from one to another, both within. */
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
 * @param today `yyyy-mm-dd` by the machine's calendar
 * @param fiscalYearStart month in which the company's fiscal year begins, 1 to 12; quarters count from it too
 * @returns `null` when `today` is no date
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

/** The month of a date, counted. */
function monthOf({ year, month }: { readonly year: number; readonly month: number }): MonthCount {
  return year * 12 + month - 1
}

/** Whether a period is whole months. */
function isWholeMonths(period: Period): boolean {
  const [from, to] = [parseIsoDate(period.from), parseIsoDate(period.to)]
  return from !== null && to !== null && from.day === 1 && to.day === daysInMonth(to.year, to.month)
}

/** Whether a period is one whole month. */
export function isOneMonth(period: Period): boolean {
  return isWholeMonths(period) && period.from.slice(0, 7) === period.to.slice(0, 7)
}

/** A date so many months away; the last day of a month stays the last one, a day that is not there is the last. */
function shiftMonths(date: string, by: number): string {
  const from = parseIsoDate(date)
  if (!from) return date
  const month = monthOf(from) + by
  const [year, number] = [Math.floor(month / 12), (month % 12) + 1]
  const days = daysInMonth(year, number)
  const isLast = from.day === daysInMonth(from.year, from.month)
  return isoDate(year, number, isLast ? days : Math.min(from.day, days))
}

/** The period just before, as long as this one: as many months where it is whole months, else as many days. */
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

/** The same days a year before. */
export function yearBefore({ from, to }: Period): Period {
  return { from: shiftMonths(from, -12), to: shiftMonths(to, -12) }
}

/** So many whole months, the last one that of a date; empty when it is no date. */
export function monthsUpTo(date: string, count: number): readonly Period[] {
  const last = parseIsoDate(date)
  if (!last) return []
  return Array.from({ length: count }, (_, at) => {
    const month = monthOf(last) - count + 1 + at
    return months(month, month)
  })
}

/** What is wrong with typed dates, in words; `null` when they are a period. */
export function periodProblem(period: Period): string | null {
  if (!parseIsoDate(period.from)) return 'Enter a start date.'
  if (!parseIsoDate(period.to)) return 'Enter an end date.'
  // Both are yyyy-mm-dd, so the order of the texts is the order of the days.
  if (period.from > period.to) return 'The start date is after the end date.'
  return null
}

/** The date written in a timestamp of a report, in no zone: its first ten characters, when they are a date. */
export function writtenDate(timestamp: string): string | null {
  const text = timestamp.trim().slice(0, 10)
  return parseIsoDate(text) ? text : null
}
