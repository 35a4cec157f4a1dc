/**
 * Infers the type and width of each column of a report, which the service doesn't provide. Works incrementally
 * while the rows arrive, so that there is no delay at the end of 200,000.
 */
import type { Format } from '../../../shared/format/format.ts'
import { parseDecimal } from '../../../shared/format/money.ts'
import { changeKind, changeText, type NotASum, notASum } from '../../../shared/reports/columns.ts'
import type { EntryColumns, EntryPart } from '../../../shared/reports/entries.ts'
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

/** A column of what an entry is, beside its amounts. */
export interface TextColumn extends ReportColumn {
  readonly part: EntryPart
  /** The least and the most that it needs, in rem. */
  readonly least: number
  readonly most: number
}

/** Headings of columns whose digits are identifiers, not amounts. */
const NAMING =
  /^(?:num(?:ber)?|no\.?|#|ref(?:erence)?(?: ?no\.?)?|trans(?:action)?(?: ?(?:#|no\.?))?|doc(?:ument)?.*|check.*|invoice.*|id|year|account(?: ?#)?|p\. ?o\..*)$/i
const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:T|$)/
/** Formatted numbers, which aren't plain decimals: *40.5 %*, *(1,234.50)*, *$5.00*, *12.00-*. */
const WRITTEN = /^[-−(]{0,2}\p{Sc}?\s?[-−]?\d{1,3}(?:,?\d{3})*(?:\.\d+)?\s?[%)-]?$/u
const NARROWEST = 8
/** Length of a date such as *Sept 30, 2026*. */
const SHOWN_DATE = 13
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

// The columns of entries, in the room that their amounts leave. Pure.

/** The left and right padding of a cell together, in rem, as in the styles of the table. */
const PADDING = { normal: 1.4, tight: 0.55 } as const

/**
 * A column's width in rem, for so many characters.
 * @param isTight whether cells are padded less, where that brings more columns into view
 */
export function remOf(characters: number, isTight = false): number {
  return characters * 0.495 + (isTight ? PADDING.tight : PADDING.normal)
}

/** The same for words, whose letters are narrower than digits. */
function remOfPart(part: EntryPart, characters: number, isTight: boolean): number {
  return part === 'number'
    ? remOf(characters, isTight)
    : characters * 0.43 + (isTight ? PADDING.tight : PADDING.normal)
}

/** These go first where there is little room; what they say is in the row's tooltip. */
const LEAVING: readonly EntryPart[] = [
  'split',
  'entered',
  'terms',
  'late',
  'due',
  'memo',
  'number',
  'type',
  'name',
]
const TEXT_KINDS: Readonly<Partial<Record<EntryPart, ColumnKind>>> = {
  due: 'date',
  late: 'decimal',
  entered: 'moment',
}
const MAX_LETTERS: Readonly<Partial<Record<EntryPart, number>>> = { type: 16, number: 12, terms: 14 }
/** The fewest letters of those that may be cut. */
const CUT: Readonly<Partial<Record<EntryPart, number>>> = { name: 12, memo: 12, split: 12 }
const CUT_TIGHT: typeof CUT = { type: 10, name: 11, memo: 10, split: 8 }

/** These take the room that is left, in this order. */
const GROWING: readonly EntryPart[] = ['type', 'name', 'memo', 'split']

/**
 * The columns between an entry's date and its amounts.
 * @param room what the date and the amounts leave, in rem
 */
export function textColumns({ columns }: EntryColumns, room: number, isTight = false): readonly TextColumn[] {
  const cut = isTight ? CUT_TIGHT : CUT
  let kept = columns
    .filter(({ part }) => part !== 'date')
    .map(({ part, heading, longest }): TextColumn => {
      const kind = TEXT_KINDS[part] ?? 'text'
      const letters = kind === 'date' ? SHOWN_DATE : Math.min(MAX_LETTERS[part] ?? 44, longest)
      const width = Math.max(heading.length + 1, letters)
      return {
        part,
        heading,
        kind,
        width,
        most: remOfPart(part, width, isTight),
        least: remOfPart(part, Math.min(width, cut[part] ?? width), isTight),
        wrapped: width,
        isTotal: false,
      }
    })
  for (const part of LEAVING) {
    if (kept.reduce((sum, { least }) => sum + least, 0) <= room) break
    kept = kept.filter((column) => column.part !== part)
  }
  // Names and memos say more than the other account does.
  let free = room - kept.reduce((sum, { least }) => sum + least, 0)
  for (const part of GROWING) {
    kept = kept.map((column) => {
      if (column.part !== part) return column
      const more = Math.max(0, Math.min(column.most - column.least, free))
      free -= more
      return { ...column, least: column.least + more }
    })
  }
  return kept
}

// The text of a cell.

/** @param before the value of the column before it */
export function cellText(value: string, kind: ColumnKind, format: Format, before = ''): string {
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

/** Whether the column's values are right-aligned numbers. */
export function isFigure(kind: ColumnKind): boolean {
  return kind === 'money' || kind === 'decimal' || kind === 'change' || kind === 'change-percent'
}
