/**
 * Infers the type and width of each column of a report, which the service doesn't provide. Works incrementally
 * while the rows arrive, so that there is no delay at the end of 200,000.
 */
import type { Format } from '../../../shared/format/format.ts'
import { parseDecimal } from '../../../shared/format/money.ts'
import { changeKind, changeText, type NotASum, notASum } from '../../../shared/reports/columns.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports/reports.ts'

/**
 * `money`: at least two decimals. `decimal`: digits as written (percent, quantity). `change` and `change-percent`:
 * computed by Bookbridge, with a sign. `text`: memos, and numbers that are identifiers.
 */
export type ColumnKind = 'money' | 'decimal' | 'change' | 'change-percent' | 'date' | 'moment' | 'text'

export interface ReportColumn {
  readonly heading: string
  readonly kind: ColumnKind
  /** Width in characters of the longest value as shown. */
  readonly width: number
  /** The same if its heading takes two lines. */
  readonly wrapped: number
  /** Whether it is the last column and the total of the others. */
  readonly isTotal: boolean
}

/** Headings of columns whose digits are identifiers, not amounts. */
const NAMING =
  /^(?:num(?:ber)?|no\.?|#|ref(?:erence)?(?: ?no\.?)?|trans(?:action)?(?: ?(?:#|no\.?))?|doc(?:ument)?.*|check.*|invoice.*|id|year|account(?: ?#)?|p\. ?o\..*)$/i
const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:T|$)/
/** Formatted numbers, which aren't plain decimals: *40.5 %*, *(1,234.50)*, *$5.00*, *12.00-*. */
const WRITTEN = /^[-−(]{0,2}\p{Sc}?\s?[-−]?\d{1,3}(?:,?\d{3})*(?:\.\d+)?\s?[%)-]?$/u
const NARROWEST = 8
/** Length of a date such as *Sept 30, 2026*. */
export const SHOWN_DATE = 13
const WIDEST = { number: 26, text: 26 }

/** Statistics about the values of one column. */
class Seen {
  amounts = 0
  /** Amounts with a decimal point. */
  points = 0
  dates = 0
  written = 0
  texts = 0
  /** Longest value in characters as written, and as an amount with thousands marks. */
  longest = 0
  longestFigure = 0

  add(value: string): void {
    if (value === '') return
    const { length } = value
    // Thousands marks and a second parenthesis make a formatted amount longer.
    const marks = Math.max(0, Math.floor((length - 4) / 3)) + (value.startsWith('-') ? 1 : 0)
    this.longest = Math.max(this.longest, length)
    this.longestFigure = Math.max(this.longestFigure, length + marks)
    if (parseDecimal(value) !== null) {
      this.amounts += 1
      if (value.includes('.')) this.points += 1
    } else if (ISO_DATE.test(value)) this.dates += 1
    else if (WRITTEN.test(value)) this.written += 1
    else this.texts += 1
  }
}

/** Collects the columns of a report while its rows arrive. */
export class ColumnShapes {
  readonly #head: Pick<ReportHead, 'name' | 'columns' | 'making'>
  readonly #seen: readonly Seen[]

  constructor(head: Pick<ReportHead, 'name' | 'columns' | 'making'>) {
    this.#head = head
    this.#seen = head.columns.map(() => new Seen())
  }

  add(rows: readonly ReportRow[]): void {
    for (const { kind, values } of rows) {
      if (kind === 'spacer') continue
      for (let column = 0; column < this.#seen.length; column += 1) {
        this.#seen[column]?.add(values[column] ?? '')
      }
    }
  }

  columns(): ReportColumn[] {
    const { name, columns, making } = this.#head
    return this.#seen.map((seen, column) => {
      const heading = columns[column] ?? ''
      const held = columnKind(notASum(name, columns, column), heading, seen)
      const change = changeKind(making, heading)
      // Where no amount has decimals, neither has its change.
      const kind = change === null || (change === 'change' && held !== 'money') ? held : change
      const isFigures = isFigure(kind)
      const values = kind === 'date' ? Math.max(seen.longest, SHOWN_DATE) : seen.longest
      // The sign, and the mark of what it does to the result.
      const figures = seen.longestFigure + (kind === 'change' ? 2 : 0)
      // Headings are smaller than amounts, and words are narrower than digits.
      const longest = isFigures
        ? Math.max(Math.ceil(heading.length * 0.85), figures)
        : Math.max(heading.length, values)
      const bounded = (characters: number): number =>
        Math.min(isFigures ? WIDEST.number : WIDEST.text, Math.max(NARROWEST, characters))
      // Dates are narrower than words.
      const inTwo = Math.ceil(longestLine(heading) * (heading.includes(' – ') ? 0.8 : 0.85))
      return {
        heading,
        kind,
        wrapped: bounded(isFigures ? Math.max(inTwo, figures) : longest),
        width: bounded(longest),
        isTotal: isTotalColumn(columns, column),
      }
    })
  }
}

/** A heading that takes two lines where it may: the days of a period stay together. */
export function twoLines(heading: string): string {
  return heading.includes(' – ') ? heading.replaceAll(' ', '\u00a0').replace('–\u00a0', '– ') : heading
}

function longestLine(heading: string): number {
  return Math.max(
    heading.length * 0.55,
    ...twoLines(heading)
      .split(' ')
      .map(({ length }) => length),
  )
}

/** Determines the type of a column from its heading and most of its values. */
function columnKind(reason: NotASum, heading: string, seen: Seen): ColumnKind {
  const { amounts, points, dates, written, texts } = seen
  const figures = amounts + written
  if (dates > figures && dates >= texts) return 'date'
  if ((texts > 0 && texts >= figures) || (figures === amounts && points === 0 && NAMING.test(heading.trim())))
    return 'text'
  const isAsWritten = reason === 'percent' || reason === 'rate' || written > amounts
  return isAsWritten || (amounts > 0 && points === 0) ? 'decimal' : 'money'
}

function isTotalColumn(columns: readonly string[], column: number): boolean {
  return (
    columns.length > 1 &&
    column === columns.length - 1 &&
    /^(?:grand )?total$/i.test(columns[column]?.trim() ?? '')
  )
}

// The text of a cell.

/** @param before the value of the column before it */
export function formatCell(value: string, kind: ColumnKind, format: Format, before = ''): string {
  switch (kind) {
    case 'money':
      return format.money(value)
    case 'decimal':
      return format.decimal(value)
    case 'change':
    case 'change-percent':
      return changeText(value, kind, format, before)
    case 'date':
      return format.date(value)
    case 'moment':
      return value === '' ? '' : `${format.date(value)}, ${value.slice(11, 16)}`
    case 'text':
      return value
  }
}

/** Returns how wide a text is, in letters of average width. */
export function widthInLetters(text: string): number {
  let width = 0
  for (const letter of text) {
    if ("fijlrtI '’.,:;·-()|".includes(letter)) width += 0.5
    else if ('mwMW'.includes(letter)) width += 1.5
    else width += letter === letter.toLowerCase() ? 1 : 1.2
  }
  return width
}

/** Whether the column's values are right-aligned numbers. */
export function isFigure(kind: ColumnKind): boolean {
  return kind === 'money' || kind === 'decimal' || kind === 'change' || kind === 'change-percent'
}
