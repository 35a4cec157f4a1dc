/** The filters of a list's columns, one per column. They last as long as the list. */
import { type Format, localDay } from '../../../shared/format/format.ts'
import {
  compareDecimals,
  type Decimal,
  type NumberSeparators,
  parseDecimal,
  parseTypedDecimal,
} from '../../../shared/format/money.ts'
import type { PlannedColumn } from '../grid/columns/plan.ts'

export class ColumnFilters {
  #all = $state.raw<ReadonlyMap<string, ColumnFilter>>(new Map())

  /** By column path, in the order in which they were set. */
  get all(): ReadonlyMap<string, ColumnFilter> {
    return this.#all
  }

  of(path: string): ColumnFilter | undefined {
    return this.#all.get(path)
  }

  /** Sets the filter of a column, or removes it (`null`). */
  set(path: string, filter: ColumnFilter | null): void {
    const next = new Map(this.#all)
    if (filter === null) next.delete(path)
    else next.set(path, filter)
    this.#all = next
  }

  clear(): void {
    if (this.#all.size > 0) this.#all = new Map()
  }
}

/** A filter on one column. */
export type ColumnFilter =
  | { readonly kind: 'contains'; readonly text: string }
  /** Matches cells that show one of these texts. */
  | { readonly kind: 'values'; readonly values: readonly string[] }
  | { readonly kind: 'equals' | 'above' | 'below'; readonly amount: Decimal }
  /** Both ends included. */
  | { readonly kind: 'between'; readonly from: Decimal; readonly to: Decimal }
  /** ISO days. */
  | { readonly kind: 'on' | 'before' | 'after'; readonly day: string }
  /** Both days included. */
  | { readonly kind: 'days'; readonly from: string; readonly to: string }
  | { readonly kind: 'blank' }
  | { readonly kind: 'not-blank' }
  /** Matches cells with unsent changes. */
  | { readonly kind: 'edited' }

export type FilterKind = ColumnFilter['kind']

/** Formats a filter: *Phone contains “555”*, *Balance is greater than 1,000.00*. */
export function formatColumnFilter(column: string, filter: ColumnFilter, format: Format): string {
  switch (filter.kind) {
    case 'contains':
      return `${column} contains “${filter.text}”`
    case 'values':
      return `${column} is ${formatValues(filter.values, format)}`
    case 'equals':
      return `${column} is ${format.money(filter.amount)}`
    case 'above':
      return `${column} is greater than ${format.money(filter.amount)}`
    case 'below':
      return `${column} is less than ${format.money(filter.amount)}`
    case 'between':
      return `${column} is from ${format.money(filter.from)} to ${format.money(filter.to)}`
    case 'on':
      return `${column} is ${format.date(filter.day)}`
    case 'before':
      return `${column} is before ${format.date(filter.day)}`
    case 'after':
      return `${column} is after ${format.date(filter.day)}`
    case 'days':
      return `${column} is from ${format.date(filter.from)} to ${format.date(filter.to)}`
    case 'blank':
      return `${column} is blank`
    case 'not-blank':
      return `${column} is not blank`
    case 'edited':
      return `${column} has unsent changes`
  }
}

/** Number of values that a chip lists by name. */
const FEW_VALUES = 2

function formatValues(values: readonly string[], format: Format): string {
  if (values.length > FEW_VALUES) return `one of ${format.count(values.length)} values`
  return values.map((value) => (value === '' ? 'blank' : value)).join(' or ')
}

/** Normalizes a search text like the text of cells: lowercase, and without thousands separators in numbers. */
export function filterNeedle(text: string): string {
  const typed = text.trim().toLocaleLowerCase()
  return /^[-−(]?[\d.,' ]+\)?$/.test(typed) ? typed.replace(/(?<=\d)[,'](?=\d{3})/g, '') : typed
}

/** A cell as filters see it. */
export interface FilteredCell {
  /** The text in lowercase. A cell with several forms has a line for each. */
  readonly text: string
  /** The text as shown. */
  readonly shown: string
  /** The value from the service. */
  readonly value: string
  readonly isEdited: boolean
}

/** Whether a cell passes the filter. Cells without an amount or date don't match any comparison. */
export function passesFilter(filter: ColumnFilter, needle: string, cell: FilteredCell): boolean {
  switch (filter.kind) {
    case 'contains':
      return cell.text.includes(needle)
    case 'values':
      return filter.values.includes(cell.shown)
    case 'equals':
    case 'above':
    case 'below':
    case 'between':
      return passesAmount(filter, cell.value)
    case 'on':
    case 'before':
    case 'after':
    case 'days':
      return passesDay(filter, cell.value)
    case 'blank':
      return cell.text.trim() === ''
    case 'not-blank':
      return cell.text.trim() !== ''
    case 'edited':
      return cell.isEdited
  }
}

type AmountFilter = Extract<ColumnFilter, { kind: 'equals' | 'above' | 'below' | 'between' }>
type DayFilter = Extract<ColumnFilter, { kind: 'on' | 'before' | 'after' | 'days' }>

function passesAmount(filter: AmountFilter, value: string): boolean {
  const amount = parseDecimal(value.trim())
  if (amount === null) return false
  switch (filter.kind) {
    case 'equals':
      return compareDecimals(amount, filter.amount) === 0
    case 'above':
      return compareDecimals(amount, filter.amount) > 0
    case 'below':
      return compareDecimals(amount, filter.amount) < 0
    case 'between':
      return compareDecimals(amount, filter.from) >= 0 && compareDecimals(amount, filter.to) <= 0
  }
}

function passesDay(filter: DayFilter, value: string): boolean {
  const day = dayOf(value)
  if (day === '') return false
  switch (filter.kind) {
    case 'on':
      return day === filter.day
    case 'before':
      return day < filter.day
    case 'after':
      return day > filter.day
    case 'days':
      return day >= filter.from && day <= filter.to
  }
}

/** Returns the local ISO date of a timestamp; empty if it isn't one. A date without a time is the same everywhere. */
function dayOf(value: string): string {
  const text = value.trim()
  if (isDay(text)) return text
  const moment = new Date(text)
  return Number.isNaN(moment.getTime()) ? '' : localDay(moment)
}

// The form of a column filter.

/** The form's fields: amounts as typed, dates in ISO format. */
export interface ColumnFilterForm {
  readonly kind: FilterKind
  /** The text, amount, or date, or the first of two. */
  readonly first: string
  readonly second: string
  readonly values: ReadonlySet<string>
}

interface KindChoice {
  readonly value: FilterKind
  readonly label: string
}

const ALWAYS: readonly KindChoice[] = [
  { value: 'blank', label: 'Is blank' },
  { value: 'not-blank', label: 'Is not blank' },
  { value: 'edited', label: 'Has unsent changes' },
]
const AMOUNTS: readonly KindChoice[] = [
  { value: 'equals', label: 'Equals' },
  { value: 'above', label: 'Greater than' },
  { value: 'below', label: 'Less than' },
  { value: 'between', label: 'Between' },
]
const DAYS: readonly KindChoice[] = [
  { value: 'on', label: 'Is on' },
  { value: 'before', label: 'Before' },
  { value: 'after', label: 'After' },
  { value: 'days', label: 'Between' },
]
const TEXTS: readonly KindChoice[] = [
  { value: 'contains', label: 'Contains the text' },
  { value: 'values', label: 'Is one of these values' },
]
const VALUES: readonly KindChoice[] = [{ value: 'values', label: 'Is one of these values' }]

/** Returns the kinds of filters for a column type. */
export function filterKindsFor(type: PlannedColumn['type']): readonly KindChoice[] {
  switch (type) {
    case 'money':
      return [...AMOUNTS, ...ALWAYS]
    case 'timestamp':
      return [...DAYS, ...ALWAYS]
    case 'boolean':
      return [...VALUES, ...ALWAYS]
    default:
      return [...TEXTS, ...ALWAYS]
  }
}

/** Converts a filter to form fields. Without a filter, returns an empty form of the column's first kind. */
export function toColumnFilterForm(
  type: PlannedColumn['type'],
  filter: ColumnFilter | undefined,
): ColumnFilterForm {
  const empty = { first: '', second: '', values: new Set<string>() }
  if (filter === undefined) return { ...empty, kind: filterKindsFor(type)[0]?.value ?? 'contains' }
  const { kind } = filter
  switch (filter.kind) {
    case 'contains':
      return { ...empty, kind, first: filter.text }
    case 'values':
      return { ...empty, kind, values: new Set(filter.values) }
    case 'equals':
    case 'above':
    case 'below':
      return { ...empty, kind, first: filter.amount }
    case 'on':
    case 'before':
    case 'after':
      return { ...empty, kind, first: filter.day }
    case 'between':
    case 'days':
      return { ...empty, kind, first: filter.from, second: filter.to }
    case 'blank':
    case 'not-blank':
    case 'edited':
      return { ...empty, kind }
  }
}

type ParsedColumnFilter =
  /** `null` for an empty form. */
  | { readonly ok: true; readonly filter: ColumnFilter | null }
  | { readonly ok: false; readonly reason: string }

/** Parses the form. Amounts use the locale's separators. */
export function parseColumnFilterForm(
  form: ColumnFilterForm,
  separators: NumberSeparators,
): ParsedColumnFilter {
  const { kind } = form
  const [first, second] = [form.first.trim(), form.second.trim()]
  const nothing = { ok: true, filter: null } as const
  switch (kind) {
    case 'contains':
      return first === '' ? nothing : { ok: true, filter: { kind, text: first } }
    case 'values':
      return form.values.size === 0 ? nothing : { ok: true, filter: { kind, values: [...form.values] } }
    case 'equals':
    case 'above':
    case 'below': {
      if (first === '') return nothing
      const amount = parseTypedDecimal(first, separators)
      return amount === null ? notAnAmount(separators) : { ok: true, filter: { kind, amount } }
    }
    case 'between': {
      if (first === '' && second === '') return nothing
      const [from, to] = [parseTypedDecimal(first, separators), parseTypedDecimal(second, separators)]
      if (from === null || to === null) return notAnAmount(separators)
      const isBackwards = compareDecimals(from, to) > 0
      return { ok: true, filter: { kind, from: isBackwards ? to : from, to: isBackwards ? from : to } }
    }
    case 'on':
    case 'before':
    case 'after':
      if (first === '') return nothing
      return isDay(first) ? { ok: true, filter: { kind, day: first } } : { ok: false, reason: NOT_A_DAY }
    case 'days': {
      if (first === '' && second === '') return nothing
      if (!isDay(first) || !isDay(second)) return { ok: false, reason: NOT_A_DAY }
      const [from = '', to = ''] = [first, second].toSorted()
      return { ok: true, filter: { kind, from, to } }
    }
    case 'blank':
    case 'not-blank':
    case 'edited':
      return { ok: true, filter: { kind } }
  }
}

export const NOT_A_DAY = 'Enter a date, or choose one from the calendar.'

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text)
}

function notAnAmount({ group, decimal }: NumberSeparators): ParsedColumnFilter {
  return { ok: false, reason: `Enter an amount, such as 1${group}234${decimal}50.` }
}
