// How the amounts of a report are spread over its columns: by month, by class, or all in one.
import { type Transaction } from '../books/ledger.ts'
import { type Day, dayHeading, monthEnd, monthHeading, monthStart, partsOf } from '../calendar.ts'
import { type Cents } from '../cents.ts'
import { type Company } from '../company.ts'
import { fullNameOf } from '../records/names-in-use.ts'
import { type Amounts } from './report.ts'

/** The columns of a report. The last is the total of the others where there are several. */
export interface Spread {
  readonly headings: readonly string[]
  /** The column of an entry; undefined leaves it out. */
  columnOf(entry: Pick<Transaction, 'day' | 'classId'>): number | undefined
}

const MOST_MONTHS = 24

/** A column a month and a total; a column a year for long periods; one column for a month or less. */
export function byMonth(start: Day, end: Day): Spread {
  const years = partsOf(end).year - partsOf(start).year
  const months = years * 12 + partsOf(end).month - partsOf(start).month + 1
  const inPeriod = (day: Day): boolean => day >= start && day <= end
  if (months > MOST_MONTHS) {
    const first = partsOf(start).year
    const headings = Array.from({ length: years + 1 }, (_, index) => String(first + index))
    return {
      headings: [...headings, 'Total'],
      columnOf: ({ day }) => (inPeriod(day) ? partsOf(day).year - first : undefined),
    }
  }
  const starts = Array.from({ length: months }, (_, index) => monthStart(start, index))
  const headings = starts.map((month) => partHeading(month, start, end))
  return {
    headings: months === 1 ? headings : [...headings, 'Total'],
    columnOf: ({ day }) => (inPeriod(day) ? starts.findLastIndex((month) => month <= day) : undefined),
  }
}

/** One column for everything from one day to another. */
export function inOne(heading: string, start: Day, end: Day): Spread {
  return { headings: [heading], columnOf: ({ day }) => (day >= start && day <= end ? 0 : undefined) }
}

/** A column a class, one for what has none, and a total. */
export function byClass(company: Company, start: Day, end: Day): Spread {
  const classes = [...company.table('class').all()]
  const places = new Map(classes.map((record, index) => [record.id, index]))
  const unclassified = company.application === 'qbd' ? 'Unclassified' : 'Not Specified'
  return {
    headings: [...classes.map((record) => fullNameOf(company, 'class', record)), unclassified, 'Total'],
    columnOf: ({ day, classId }) =>
      day >= start && day <= end ? (places.get(classId) ?? classes.length) : undefined,
  }
}

/** Sums of the ledger by account and column, debit positive. */
export interface Sums {
  readonly width: number
  of(accountId: string): Amounts
}

/** Sums the ledger once over a spread; the total column is what its row's columns add up to. */
export function sumUp(company: Company, spread: Spread): Sums {
  const width = spread.headings.length
  const sums = new Map<string, Cents[]>()
  for (const transaction of company.ledger().transactions()) {
    const column = spread.columnOf(transaction)
    if (column === undefined) continue
    for (const { accountId, cents } of transaction.postings) {
      let row = sums.get(accountId)
      if (row === undefined) sums.set(accountId, (row = new Array<Cents>(width).fill(0)))
      row[column] = (row[column] ?? 0) + cents
      if (width > 1) row[width - 1] = (row[width - 1] ?? 0) + cents
    }
  }
  const nothing = new Array<Cents>(width).fill(0)
  return { width, of: (accountId) => sums.get(accountId) ?? nothing }
}

function partHeading(month: Day, start: Day, end: Day): string {
  const from = Math.max(month, start)
  const until = Math.min(monthEnd(month), end)
  if (from === month && until === monthEnd(month)) return monthHeading(month)
  if (from === until) return dayHeading(from)
  return `${dayHeading(from).split(',')[0] ?? ''} - ${String(partsOf(until).date)}, ${String(partsOf(until).year)}`
}
