/** Dates as people and applications write them, in words, in numbers, and in either order of day and month. Pure. */

/** Which part comes first in `03/04/2026`. */
export type DateOrder = 'day-first' | 'month-first'

/** The English names of the months, as their first three letters. */
export const MONTHS = [
  'jan',
  'feb',
  'mar',
  'apr',
  'may',
  'jun',
  'jul',
  'aug',
  'sep',
  'oct',
  'nov',
  'dec',
] as const
const ISO = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ](\d{2}:\d{2}(?::\d{2})?).*)?$/
const NUMBERS = /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d{2})\.?$/
const DAY_NAME = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[.,]?\s+/i
const DAY_MONTH = /^(\d{1,2})(?:st|nd|rd|th)?[-. ]+([a-z]{3,9})\.?[-, ]+(\d{4}|\d{2})$/i
const MONTH_DAY = /^([a-z]{3,9})\.?[- ]+(\d{1,2})(?:st|nd|rd|th)?[-, ]+(\d{4}|\d{2})$/i

/** The order of the parts in a numeric date; `null` if it is ambiguous. */
export function dateOrderIn(text: string): DateOrder | 'either' | null {
  const parts = NUMBERS.exec(text.trim())
  if (parts === null) return null
  const [first, second] = [Number(parts[1]), Number(parts[2])]
  if (first > 12 && second <= 12) return 'day-first'
  if (second > 12 && first <= 12) return 'month-first'
  return first === second ? null : 'either'
}

/** Reads a date as `2026-03-31`, followed by its time if it has one; `null` if it isn't a calendar date. */
export function readDate(text: string, order: DateOrder): string | null {
  const body = text.trim().replace(DAY_NAME, '')
  const iso = ISO.exec(body)
  if (iso !== null) {
    const day = dayOf(Number(iso[1]), Number(iso[2]), Number(iso[3]))
    return day === null || iso[4] === undefined ? day : `${day}T${iso[4]}`
  }
  const numbers = NUMBERS.exec(body)
  if (numbers !== null) {
    const [first, second] = [Number(numbers[1]), Number(numbers[2])]
    const [day, month] = order === 'day-first' ? [first, second] : [second, first]
    return dayOf(yearOf(numbers[3] ?? ''), month, day)
  }
  const named = DAY_MONTH.exec(body)
  if (named !== null) return dayOf(yearOf(named[3] ?? ''), monthOf(named[2] ?? ''), Number(named[1]))
  const american = MONTH_DAY.exec(body)
  if (american !== null)
    return dayOf(yearOf(american[3] ?? ''), monthOf(american[1] ?? ''), Number(american[2]))
  return null
}

/** Two-digit years from 70 to 99 are in the 1900s. */
function yearOf(text: string): number {
  const year = Number(text)
  if (text.length > 2) return year
  return year + (year < 70 ? 2000 : 1900)
}

/** Returns 1 to 12, or 0 if the name isn't a month. */
function monthOf(name: string): number {
  const start = name.slice(0, 3).toLowerCase()
  return MONTHS.findIndex((month) => month === start) + 1
}

function dayOf(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day))
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year >= 1000 && year <= 9999
  return isDay ? date.toISOString().slice(0, 10) : null
}
