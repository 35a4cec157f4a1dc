/** Months, and the headings of their columns. */
import { MONTHS } from '../../../shared/format/written-dates.ts'
import { daysOfMonth, monthBefore } from '../plan.ts'

/** Returns the heading of a month’s column, such as *Mar 2026*, which `monthColumns` recognizes. */
export function monthHeading(month: string): string {
  const name = MONTHS[Number(month.slice(5, 7)) - 1] ?? ''
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${month.slice(0, 4)}`
}

const MONTH_WORD =
  /\b(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])/g

/** Headings with a month that have other amounts than those of the month. */
const NOT_OF_MONTH = /\b(?:ytd|to date|budget|plan|change|prior|previous|py)\b|%/

/** Whether a heading names a month: *Mar 2026*, *Mar 26*, *Mar 1 - 31, 26*, *2026-03*, or *03/2026*. */
export function isHeadingOf(heading: string, month: string): boolean {
  const text = heading.trim().toLowerCase()
  const [year = '', number = ''] = month.split('-')
  const written = /^(?:(\d{4})[-/.](\d{1,2})|(\d{1,2})[-/.](\d{4}))$/.exec(text)
  if (written) {
    const [, firstYear, lastMonth, firstMonth, lastYear] = written
    return (firstYear ?? lastYear) === year && Number(lastMonth ?? firstMonth) === Number(number)
  }
  const words = [...text.matchAll(MONTH_WORD)].map(([, word = '']) => word.slice(0, 3))
  const isNamed = words.length > 0 && words.every((word) => word === MONTHS[Number(number) - 1])
  if (!isNamed || NOT_OF_MONTH.test(text)) return false
  // *Mar 1 - 15, 26* is a part of the month.
  const days = /\b(\d{1,2}) ?(?:[-\u2013\u2014]|to|through) ?(?:[a-z]+\.? )?(\d{1,2})\b/.exec(text)
  const isWhole = days === null || (days[1] === '1' && days[2] === daysOfMonth(month).to.slice(8))
  const years = text.match(/\b\d{4}\b/g) ?? []
  const [, shortYear] = /\D(\d\d)$/.exec(text) ?? []
  return (
    isWhole &&
    (years.length > 0 ? years.every((each) => each === year) : (shortYear ?? year.slice(2)) === year.slice(2))
  )
}

/** Returns the number of months that two days span, both months included. */
export function monthsBetween(from: string, to: string): number {
  const count = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7))
  return count(to) - count(from) + 1
}

/** Returns the number of months of the fiscal year up to and including a month. */
export function monthsIntoYear(month: string, fiscalYearStart: number): number {
  return ((((Number(month.slice(5)) - fiscalYearStart) % 12) + 12) % 12) + 1
}

/** Returns the last month of the fiscal year before the one of a month, as `yyyy-mm`. */
export function lastMonthOfPriorYear(month: string, fiscalYearStart: number): string {
  return monthBefore(month, monthsIntoYear(month, fiscalYearStart))
}
