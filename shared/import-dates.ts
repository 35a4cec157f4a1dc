/** Dates as people write them, read by the order that a column's dates have. */

/** Which comes first in `03/04/2026`. */
export type DateOrder = 'day-first' | 'month-first'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const ISO = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ](\d{2}:\d{2}(?::\d{2})?).*)?$/
const NUMBERS = /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d{2})\.?$/
const DAY_NAME = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[.,]?\s+/i
const DAY_MONTH = /^(\d{1,2})(?:st|nd|rd|th)?[-. ]+([a-z]{3,9})\.?[-, ]+(\d{4}|\d{2})$/i
const MONTH_DAY = /^([a-z]{3,9})\.?[- ]+(\d{1,2})(?:st|nd|rd|th)?[-, ]+(\d{4}|\d{2})$/i

/** The order of a locale (BCP 47; empty for the machine's own). */
export function localDateOrder(locale: string): DateOrder {
  const parts = new Intl.DateTimeFormat(locale === '' ? undefined : locale).formatToParts(0)
  const place = (type: Intl.DateTimeFormatPartTypes): number => parts.findIndex((part) => part.type === type)
  return place('day') < place('month') ? 'day-first' : 'month-first'
}

/**
 * The order in which a column's dates stand: that of a date which can be read in one way only, else the machine's.
 * @returns `isGuess` where dates can be read both ways and none of them tells, or some tell one way and some the other
 */
export function dateOrderOf(
  texts: readonly string[],
  local: DateOrder,
): { readonly order: DateOrder; readonly isGuess: boolean; readonly example: string } {
  let dayFirst = 0
  let monthFirst = 0
  let example = ''
  for (const text of texts) {
    const parts = NUMBERS.exec(text.trim())
    if (parts === null) continue
    const [first, second] = [Number(parts[1]), Number(parts[2])]
    if (first > 12 && second <= 12) dayFirst += 1
    else if (second > 12 && first <= 12) monthFirst += 1
    else if (first !== second && example === '') example = text.trim()
  }
  const isTold = dayFirst > 0 !== monthFirst > 0
  const order = isTold ? (dayFirst > 0 ? 'day-first' : 'month-first') : local
  return { order, isGuess: !isTold && example !== '', example }
}

/** A date as `2026-03-31`, with its time where it has one; `null` for what is no day of the calendar. */
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

/** Two digits: 70 to 99 are the last century's. */
function yearOf(text: string): number {
  const year = Number(text)
  if (text.length > 2) return year
  return year + (year < 70 ? 2000 : 1900)
}

/** 1 to 12; 0 for no month's name. */
function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1
}

function dayOf(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day))
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year >= 1000 && year <= 9999
  return isDay ? date.toISOString().slice(0, 10) : null
}
