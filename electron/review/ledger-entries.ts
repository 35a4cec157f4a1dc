/** Names and dates of ledger entries. Pure functions. */
import { type DateOrder, dateOrderIn, readDate } from '../../shared/format/written-dates.ts'
import { parseIsoDate } from '../../shared/reports/periods.ts'
import type { FullReport } from './evidence/evidence.ts'

/**
 * The parts of an entry’s name: *2026-03-11, Bill, T-1, Cedar Supply, memo*. A third part that looks like a number is
 * one, unless a customer or vendor is called that. The application leaves out what an entry doesn’t have. A
 * name without commas has no known parts.
 */
export interface EntryName {
  /** Date, type, number, and name; or the first four parts. */
  readonly title: string
  readonly type: string
  readonly number: string
  /** The text after the number: the name and anything that the application adds. */
  readonly rest: string
}

/** Where the first words of an entry's name end, with the commas between them. */
function endOfWords(name: string, count: number): number {
  let end = -1
  for (let words = 0; words < count; words += 1) {
    end = name.indexOf(', ', end + 1)
    if (end < 0) return name.length
  }
  return end
}

/** The first words of an entry’s name, with the commas between them. */
export function firstWords(name: string, count: number): string {
  return name.slice(0, endOfWords(name, count))
}

/** A part that may be the number of a document, such as *T-1* or *INV 1001*. */
export const NUMBER = /^(?:(?:adj|aje|bill|check|chk|ck|cm|doc|inv|invoice|je|no\.?|po|ref) ?#? ?)?\S*\d\S*$/i

export function isJournal(type: string): boolean {
  return /journal/i.test(type)
}

/** What appears in place of a number if money was moved without a document. */
export const NO_NUMBER =
  /^(?:dd|direct dep(?:osit)?|eft|ach|e-?pay(?:ment)?|auto ?pay|wire|debit|online|pos|atm|to print)$/i

/** Returns the names that a document’s number, or what appears in its place, may look like, in lowercase. */
export function namesLikeNumbers(names: readonly string[]): ReadonlySet<string> {
  const starts = names.map((name) => firstWords(name.trim().toLowerCase(), 1))
  return new Set(
    starts.filter((start) => (NUMBER.test(start) && /\p{L}/u.test(start)) || NO_NUMBER.test(start)),
  )
}

/**
 * Removes the other account of an entry from the end of its name, which differs on both sides of one entry. Several are
 * called *-SPLIT-*.
 */
export function withoutOtherAccount(name: string, accounts: ReadonlySet<string>): string {
  for (let end = endOfWords(name, 2); end < name.length && end >= 0; end = name.indexOf(', ', end + 1)) {
    const last = name.slice(end + 2)
    if (last === '-SPLIT-' || accounts.has(last)) return name.slice(0, end)
  }
  return name
}

/** @param likeNumbers see `namesLikeNumbers` */
export function entryName(name: string, likeNumbers: ReadonlySet<string>): EntryName {
  const [date, type, third] = [endOfWords(name, 1), endOfWords(name, 2), endOfWords(name, 3)]
  if (date === name.length) return { title: name, type: '', number: '', rest: isOnlyDate(name) ? '' : name }
  const word = name.slice(type + 2, third)
  const isName = likeNumbers.has(word.toLowerCase())
  const number = NUMBER.test(word) && !isName ? word : ''
  const rest = name.slice((number !== '' || (NO_NUMBER.test(word) && !isName) ? third : type) + 2)
  return { title: firstWords(name, 4), type: name.slice(date + 2, type), number, rest }
}

// Dates of ledger entries. They may have the day or the month first, and the ledger as a whole shows which.

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
export function readWrittenDate(text: string): WrittenDate | null {
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
  const orders = new Set(written.map(({ text }) => dateOrderIn(text)))
  const [isDayFirst, isMonthFirst] = [orders.has('day-first'), orders.has('month-first')]
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
    const date = readWrittenDate(text)
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
