/**
 * Formats numbers and dates, on screen and in files that people read. Amounts are decimal strings from the wire to the
 * screen: `Intl.NumberFormat` gets the string itself (exact since ECMAScript 2023), never a `Number`, and shows every
 * digit. Dates and separators follow the computer's locale.
 */

export interface FormatChoice {
  /** The computer's locale, BCP 47; empty for the engine's default. */
  readonly locale: string
  /** Negative amounts as −1,234.50 or (1,234.50). */
  readonly negatives: 'minus' | 'brackets'
  /** Whether amounts without decimals stay so, as in a currency without cents. */
  readonly hasNoCents?: boolean
  /** IANA name, for tests. If left out, the computer's time zone. */
  readonly timeZone?: string
}

const MINUS = '\u2212'
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/
/** The limit of `Intl.NumberFormat`, far above any amount. */
const MAX_FRACTION = 100
const DATE_AS_WRITTEN = /^(\d{4})-(\d{2})-(\d{2})/
const DAY = 86_400_000

/** Services write a missing time as 0001-01-01 or 1900-01-01. */
const NEVER_BEFORE = Date.UTC(1901, 0, 1)

/** Formats numbers and dates by one choice. Create another one when a setting changes. */
export class Format {
  readonly #choice: FormatChoice
  readonly #locale: string | undefined
  readonly #digits = new Map<number, Intl.NumberFormat>()
  readonly #dates = new Map<string, Intl.DateTimeFormat>()
  #withoutCents: Format | null = null

  constructor(choice: FormatChoice) {
    this.#choice = choice
    this.#locale = supportedLocale(choice.locale)
  }

  /** The locale in use; `undefined` for the engine's default. */
  get locale(): string | undefined {
    return this.#locale
  }

  /** The format for the amounts of books that have cents, or of books in a currency without them. */
  forBooks({ hasCents }: { readonly hasCents: boolean }): Format {
    if (hasCents) return this
    this.#withoutCents ??= new Format({ ...this.#choice, hasNoCents: true })
    return this.#withoutCents
  }

  /** An amount with all its decimals, at least two. Anything but a plain decimal stays as it is. */
  money(value: string): string {
    return this.#exact(value, this.#choice.hasNoCents === true ? 0 : 2)
  }

  /** A decimal with the digits that it has, such as a percentage or a quantity. */
  decimal(value: string): string {
    return this.#exact(value, 0)
  }

  /** A count. */
  count(value: number): string {
    return this.#digitsWith(0).format(value)
  }

  /** A duration: `0.8 s` below a second, then in whole seconds: `7 s`, `1 min 47 s`, `1 h 2 min`. */
  duration(milliseconds: number): string {
    if (milliseconds < 950) return `${this.#digitsWith(1).format(milliseconds / 1_000)} s`
    const seconds = Math.round(milliseconds / 1_000)
    const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)]
    const parts = hours > 0 ? { h: hours, min: minutes } : { min: minutes, s: seconds % 60 }
    return Object.entries(parts)
      .filter(([, part]) => part > 0)
      .map(([unit, part]) => `${this.#digitsWith(0).format(part)} ${unit}`)
      .join(' ')
  }

  /** The calendar date in the first ten characters, in no time zone: of `2026-03-31` or a report's timestamp. */
  date(written: string): string {
    const parts = DATE_AS_WRITTEN.exec(written)
    if (!parts) return written
    const day = new Date(Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3])))
    return Number.isNaN(day.getTime()) ? written : this.#dateFormat('utc-date').format(day)
  }

  /** A period of two calendar dates: `1 Jan – 31 Mar 2026`. */
  period(from: string, to: string): string {
    const [start, end] = [from, to].map((date) => new Date(`${date.slice(0, 10)}T00:00:00Z`))
    if (!start || !end || Number.isNaN(start.getTime()) || Number.isNaN(end.getTime()) || end < start) {
      return `${this.date(from)} – ${this.date(to)}`
    }
    return this.#dateFormat('utc-date').formatRange(start, end)
  }

  /** A period by its shortest name: `2026`, `Q1 2026`, `Mar 2026`, or its dates. */
  periodName(from: string, to: string): string {
    const [year, first, last] = [from.slice(0, 4), Number(from.slice(5, 7)), Number(to.slice(5, 7))]
    const end = new Date(Date.UTC(Number(year), last, 0)).toISOString().slice(0, 10)
    if (from.slice(8, 10) !== '01' || to.slice(0, 10) !== end) return this.period(from, to)
    if (first === last) return this.month(from)
    if (last - first === 11) return year
    return last - first === 2 && last % 3 === 0 ? `Q${String(last / 3)} ${year}` : this.period(from, to)
  }

  /** The month of a calendar date: `Mar 2026`. */
  month(date: string): string {
    const day = new Date(`${date.slice(0, 10)}T00:00:00Z`)
    return Number.isNaN(day.getTime()) ? date : this.#dateFormat('utc-month').format(day)
  }

  /** The month of a calendar date in a title: `March 2026`. */
  longMonth(date: string): string {
    const day = new Date(`${date.slice(0, 10)}T00:00:00Z`)
    return Number.isNaN(day.getTime()) ? date : this.#dateFormat('utc-long-month').format(day)
  }

  /** A time in the local time zone: `today at 9:14`, `yesterday at 16:02`, `18 Nov 2026, 14:22`. */
  moment(iso: string, now: Date = new Date()): string {
    return this.#near(iso, now, 'moment')
  }

  /** Like `moment`, but only the day if it is longer ago (`18 Nov 2026`). For columns. */
  shortMoment(iso: string, now: Date = new Date()): string {
    return this.#near(iso, now, 'date')
  }

  /** The day of a time in the local time zone: `18 Nov 2026`. */
  day(iso: string): string {
    const at = new Date(iso)
    if (iso === '' || Number.isNaN(at.getTime())) return iso
    return at.getTime() < NEVER_BEFORE ? '' : this.#dateFormat('date').format(at)
  }

  /** A date and time in full, for history and details. */
  fullMoment(iso: string): string {
    const at = new Date(iso)
    return iso === '' || Number.isNaN(at.getTime()) ? iso : this.#dateFormat('full').format(at)
  }

  /** A moment for paper: its day and time, without seconds: `18 Nov 2026, 14:22`. */
  dayAndTime(iso: string): string {
    const at = new Date(iso)
    return iso === '' || Number.isNaN(at.getTime()) ? iso : this.#dateFormat('moment').format(at)
  }

  /** The time of day in the local time zone: `9:14`. */
  time(iso: string): string {
    const at = new Date(iso)
    return iso === '' || Number.isNaN(at.getTime()) ? iso : this.#dateFormat('time').format(at)
  }

  #near(iso: string, now: Date, farther: 'moment' | 'date'): string {
    const at = new Date(iso)
    if (iso === '' || Number.isNaN(at.getTime())) return iso
    if (at.getTime() < NEVER_BEFORE) return ''
    const daysAgo = this.#dayNumber(now) - this.#dayNumber(at)
    if (daysAgo === 0) return farther === 'moment' ? `today at ${this.time(iso)}` : `today ${this.time(iso)}`
    if (daysAgo === 1)
      return farther === 'moment' ? `yesterday at ${this.time(iso)}` : `yesterday ${this.time(iso)}`
    return this.#dateFormat(farther).format(at)
  }

  /** The number of the calendar day in the local time zone. Days have 23 to 25 hours, so hours can't be counted. */
  #dayNumber(at: Date): number {
    const parts = this.#dateFormat('day').formatToParts(at)
    const part = (type: string): number => Number(parts.find((candidate) => candidate.type === type)?.value)
    return Date.UTC(part('year'), part('month') - 1, part('day')) / DAY
  }

  #exact(value: string, leastFraction: number): string {
    const parts = DECIMAL.exec(value)
    const fraction = parts?.[3]?.length ?? 0
    if (!parts || fraction > MAX_FRACTION) return value
    const absolute = value.replace('-', '') as Intl.StringNumericLiteral
    const shown = this.#digitsWith(Math.max(leastFraction, fraction)).format(absolute)
    if (parts[1] === '' || /^[0.]+$/.test(absolute)) return shown
    return this.#choice.negatives === 'brackets' ? `(${shown})` : `${MINUS}${shown}`
  }

  #digitsWith(fraction: number): Intl.NumberFormat {
    const known = this.#digits.get(fraction)
    if (known) return known
    const made = new Intl.NumberFormat(this.#locale, {
      minimumFractionDigits: fraction,
      maximumFractionDigits: fraction,
      numberingSystem: 'latn',
    })
    this.#digits.set(fraction, made)
    return made
  }

  #dateFormat(kind: keyof typeof DATE_STYLES): Intl.DateTimeFormat {
    const known = this.#dates.get(kind)
    if (known) return known
    const zone = kind.startsWith('utc-') ? 'UTC' : this.#choice.timeZone
    // The day is used in arithmetic, so it has digits that `Number` can read, whatever the computer's calendar.
    const made = new Intl.DateTimeFormat(kind === 'day' ? 'en-US' : this.#locale, {
      ...DATE_STYLES[kind],
      ...(zone === undefined ? {} : { timeZone: zone }),
    })
    this.#dates.set(kind, made)
    return made
  }
}

const DATE_STYLES = {
  'utc-date': { dateStyle: 'medium' },
  'utc-month': { month: 'short', year: 'numeric' },
  'utc-long-month': { month: 'long', year: 'numeric' },
  day: { year: 'numeric', month: 'numeric', day: 'numeric' },
  date: { dateStyle: 'medium' },
  moment: { dateStyle: 'medium', timeStyle: 'short' },
  full: { dateStyle: 'medium', timeStyle: 'medium' },
  time: { timeStyle: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

function two(part: number): string {
  return String(part).padStart(2, '0')
}

/** Elapsed time like a clock, in whole seconds: `0:12`, `12:41`, `1:02:03`. */
export function formatClock(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

/** The text with a capital first letter: `Today 9:14`. */
export function capitalized(text: string): string {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1)
}

/** The text with a lowercase first letter, to follow other words. */
export function uncapitalized(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** The computer may name a locale that the engine rejects. Then the engine's default is used. */
function supportedLocale(locale: string): string | undefined {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale)[0]
  } catch {
    return undefined
  }
}

/** ISO 8601 in whole seconds, with this computer's offset: `2026-01-01T00:00:00+01:00`. */
export function withOffset(at: Date): string {
  const minutes = -at.getTimezoneOffset()
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`
  return `${localDay(at)}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}${offset}`
}

/** The local date of a moment, `yyyy-mm-dd`. */
export function localDay(moment: Date): string {
  return `${String(moment.getFullYear()).padStart(4, '0')}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`
}

// Sentences with amounts and dates that are formatted where they are shown.

/** Text, or an exact amount or a day (ISO), which is formatted for the reader. */
type SentencePart = string | { readonly amount: string } | { readonly date: string }
export type Sentence = readonly SentencePart[]

/** A template tag for sentences with amounts and days: says`It is ${{ amount }}.` */
export function says(texts: TemplateStringsArray, ...values: readonly SentencePart[]): Sentence {
  return texts.flatMap((text, at) => [text, values[at] ?? '']).filter((part) => part !== '')
}

export function formatSentence(sentence: Sentence, format: Format): string {
  return sentence
    .map((part) => {
      if (typeof part === 'string') return part
      return 'amount' in part ? format.money(part.amount) : format.date(part.date)
    })
    .join('')
}
