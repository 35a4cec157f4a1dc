/**
 * Dates and times as people type them in their region, and the weeks of a calendar. A date is `yyyy-mm-dd`, and a time of
 * day `hh:mm`, without a zone. Pure.
 */
import { parseIsoDate } from '../../../shared/reports/periods.ts'

/** Two-digit years up to this one are in the 2000s. */
const LAST_OF_2000S = 69

type Part = 'year' | 'month' | 'day'

function utc(iso: string): Date {
  return new Date(`${iso}T00:00:00Z`)
}

function isoOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}

/** The order of year, month, and day in a region's dates. */
function dateOrder(locale: string | undefined): readonly Part[] {
  const parts = new Intl.DateTimeFormat(locale, { timeZone: 'UTC' }).formatToParts(utc('2026-01-02'))
  return parts.flatMap(({ type }) => (type === 'year' || type === 'month' || type === 'day' ? [type] : []))
}

/** A date in the region's format: `3/31/2026`. Other text stays unchanged. */
export function dateText(iso: string, locale: string | undefined): string {
  if (parseIsoDate(iso) === null) return iso
  const digits = { year: 'numeric', month: 'numeric', day: 'numeric', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(locale, { ...digits, calendar: 'gregory', numberingSystem: 'latn' }).format(
    utc(iso),
  )
}

/**
 * Parses a typed date: `yyyy-mm-dd`, or year, month, and day in the region's order with any separator. The year may
 * have two digits or be omitted. Then it is that of `near`.
 * @returns `null` if there is no such day
 */
export function parseDateText(text: string, locale: string | undefined, near: string): string | null {
  const typed = text.trim()
  if (parseIsoDate(typed) !== null) return typed
  const numbers = typed.split(/[^\d]+/).filter(Boolean)
  const order = dateOrder(locale).filter((part) => numbers.length === 3 || part !== 'year')
  if (numbers.length !== order.length || numbers.length < 2) return null
  const of = (part: Part): string => numbers[order.indexOf(part)] ?? ''
  const year = numbers.length === 3 ? of('year') : near.slice(0, 4)
  if (year.length === 3 || year.length > 4) return null
  const whole = year.length <= 2 ? String(Number(year) + (Number(year) <= LAST_OF_2000S ? 2000 : 1900)) : year
  const iso = `${whole.padStart(4, '0')}-${of('month').padStart(2, '0')}-${of('day').padStart(2, '0')}`
  return parseIsoDate(iso) === null ? null : iso
}

/** Adds days or months to a date. Adding months keeps the day of the month, or takes the month's last day. */
export function addToDate(iso: string, by: { readonly days?: number; readonly months?: number }): string {
  const date = utc(iso)
  if (by.months !== undefined) {
    const day = date.getUTCDate()
    date.setUTCDate(1)
    date.setUTCMonth(date.getUTCMonth() + by.months)
    const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
    date.setUTCDate(Math.min(day, last))
  }
  date.setUTCDate(date.getUTCDate() + (by.days ?? 0))
  return isoOf(date)
}

/** The six weeks of a calendar page. `firstDay` is 0 for Sunday, 1 for Monday. */
export function weeksOf(iso: string, firstDay: number): readonly (readonly string[])[] {
  const first = `${iso.slice(0, 8)}01`
  const before = (utc(first).getUTCDay() - firstDay + 7) % 7
  return Array.from({ length: 6 }, (_, week) =>
    Array.from({ length: 7 }, (_day, day) => addToDate(first, { days: week * 7 + day - before })),
  )
}

/** The region's first day of the week: 0 for Sunday, 1 for Monday. */
export function firstDayOfWeek(locale: string | undefined): number {
  const region = new Intl.Locale(
    locale ?? new Intl.DateTimeFormat().resolvedOptions().locale,
  ) as Intl.Locale & {
    readonly getWeekInfo?: () => { readonly firstDay: number }
  }
  return (region.getWeekInfo?.().firstDay ?? 7) % 7
}

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/

export function isTime(text: string): boolean {
  return TIME.test(text)
}

/** A time in the region's format: `6:00 AM`. Other text stays unchanged. */
export function timeText(time: string, locale: string | undefined): string {
  if (!isTime(time)) return time
  const style = { hour: 'numeric', minute: '2-digit', timeZone: 'UTC', numberingSystem: 'latn' } as const
  return new Intl.DateTimeFormat(locale, style).format(new Date(`2000-01-01T${time}Z`))
}

/**
 * Parses a typed time: an hour from 0 to 23, or from 1 to 12 with *AM* or *PM* as in English or in the region's language.
 * Minutes may be omitted, or follow without a separator.
 * @returns `null` if there is no such time
 */
export function parseTimeText(text: string, locale: string | undefined): string | null {
  const [, first = '', minute = '00', rest = ''] =
    /^(\d{1,2}?)[:.h\s]?(\d{2})?\s*(\D*)$/u.exec(text.trim()) ?? []
  const word = withoutDots(rest)
  let hour = Number(first)
  if (word !== '') {
    const half = [
      ['am', dayPeriod(6, locale)],
      ['pm', dayPeriod(18, locale)],
    ].findIndex((words) => words.some((each) => each.startsWith(word)))
    if (half < 0 || hour < 1 || hour > 12) return null
    hour = (hour % 12) + 12 * half
  }
  const time = `${String(hour).padStart(2, '0')}:${minute}`
  return first !== '' && isTime(time) ? time : null
}

function withoutDots(text: string): string {
  return text.replace(/[.\s]/gu, '').toLowerCase()
}

/** What the region calls the half of the day with that hour. */
function dayPeriod(hour: number, locale: string | undefined): string {
  const style = { hour: 'numeric', hour12: true, timeZone: 'UTC' } as const
  const parts = new Intl.DateTimeFormat(locale, style).formatToParts(Date.UTC(2000, 0, 1, hour))
  return withoutDots(parts.find(({ type }) => type === 'dayPeriod')?.value ?? '')
}
