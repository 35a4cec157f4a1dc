/** Dates of ledger entries. They may have the day or the month first, and the ledger as a whole shows which. */
import { type DateOrder, dateOrderIn, readDate } from '../../shared/format/written-dates.ts'
import { parseIsoDate } from '../../shared/reports/periods.ts'
import type { FullReport } from './evidence/evidence.ts'

/** Limit on texts of dates that are remembered. */
const MAX_DATES = 10_000

/** A date in the ledger in both orders of day and month. They are equal unless the date is ambiguous. */
export interface WrittenDate {
  readonly monthFirst: string
  readonly dayFirst: string
}

export function isDay(text: string): boolean {
  return parseIsoDate(text) !== null
}

/** Returns `null` for anything but a date. */
export function writtenDate(text: string): WrittenDate | null {
  const iso = text.trim().slice(0, 10)
  if (isDay(iso)) return { monthFirst: iso, dayFirst: iso }
  const [monthFirst, dayFirst] = [readDate(text, 'month-first'), readDate(text, 'day-first')]
  const one = monthFirst ?? dayFirst
  return one === null ? null : { monthFirst: monthFirst ?? one, dayFirst: dayFirst ?? one }
}

/** Whether an entry’s name is nothing but a date. */
export function isOnlyDate(name: string): boolean {
  return isDay(name.trim()) || readDate(name, 'month-first') !== null || readDate(name, 'day-first') !== null
}

export function isAmbiguous(date: WrittenDate | null): boolean {
  return date !== null && date.monthFirst !== date.dayFirst
}

/**
 * Returns the order of day and month from the unambiguous dates, or else from the period, if it contains some dates in
 * one order and none in the other.
 */
export function dateOrder(
  written: readonly { readonly text: string; readonly date: WrittenDate | null }[],
  { from, to }: Pick<FullReport, 'from' | 'to'>,
): DateOrder | null {
  const told = new Set(written.map(({ text }) => dateOrderIn(text)))
  const [isDayFirst, isMonthFirst] = [told.has('day-first'), told.has('month-first')]
  if (isDayFirst || isMonthFirst) {
    if (isDayFirst && isMonthFirst) return null
    return isDayFirst ? 'day-first' : 'month-first'
  }
  const isIn = (day: string): boolean => day >= from && day <= to
  const unsure = written.flatMap(({ date }) => (date !== null && isAmbiguous(date) ? [date] : []))
  const dayFirst = unsure.some((date) => isIn(date.dayFirst))
  const monthFirst = unsure.some((date) => isIn(date.monthFirst))
  if (dayFirst === monthFirst) return null
  return dayFirst ? 'day-first' : 'month-first'
}

/** Reads the texts of dates once each. A month's rows have only a few different ones. */
export class WrittenDates {
  readonly #known = new Map<string, WrittenDate | null>()

  read(text: string): WrittenDate | null {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const date = writtenDate(text)
    if (this.#known.size < MAX_DATES) this.#known.set(text, date)
    return date
  }
}

/** The day of a date; the text itself if it is ambiguous. */
export function dayIn(text: string, date: WrittenDate | null, order: DateOrder | null): string {
  if (date === null) return text
  if (order === 'day-first') return date.dayFirst
  return order === 'month-first' || !isAmbiguous(date) ? date.monthFirst : text
}
