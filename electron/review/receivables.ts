/** Rules about receivables by age. */
import { type Decimal, addDecimals, isNegative, isZero, sumDecimals } from '../../shared/format/money.ts'
import { says } from '../../shared/review/review.ts'
import { readDate } from '../../shared/format/written-dates.ts'
import { parseIsoDate } from '../../shared/reports/periods.ts'
import {
  type Evidence,
  type Line,
  type ListedRecord,
  type Report,
  type Statement,
  NOTHING,
  NotChecked,
  amountAt,
  linesOf,
  requireRead,
  rowOf,
  totalColumn,
} from './evidence.ts'

/**
 * Returns the first day of a bucket from its heading: "> 90", "91 and over", "90+", "61 - 90", "Current";
 * `null` for anything else.
 */
function bucketStart(heading: string): number | null {
  const text = heading.toLowerCase()
  const over = /(?:>|\bover|\bmore than|\bolder than)\s*(\d+)/.exec(text)
  if (over) return Number(over[1]) + 1
  const open = /\b(\d+)\s*(?:\+|days? (?:and|or) (?:over|more)|(?:and|or) (?:over|more|older))/.exec(text)
  if (open) return Math.max(Number(open[1]), 1)
  const range = /\b(\d+)\s*(?:-|\u2013|to)\s*\d+/.exec(text)
  if (range) return Number(range[1])
  return /^\s*current\b/.test(text) ? 0 : null
}

/** The heading of a range of days, if 90 days are inside it: *61 - 120*, *Over 60*. */
function isAcrossLate(heading: string): boolean {
  const start = bucketStart(heading)
  if (start === null || start === 0 || start >= LATE) return false
  const end = /\b\d+\s*(?:-|\u2013|to)\s*(\d+)/.exec(heading.toLowerCase())?.[1]
  return end === undefined || Number(end) > LATE + 1
}

const TOTAL = /^(?:total|(?:open |total )?balance)$/i

/**
 * Creates a function that returns the open balance of an aging report's line: its total, or else the sum of its ranges
 * of days.
 */
export function createOwed(statement: Statement, report: Report): (line: Line) => Decimal {
  const ranges = statement.columns.flatMap((heading, at) => (bucketStart(heading) === null ? [] : [at]))
  const hasTotal = statement.columns.some((heading) => TOTAL.test(heading.trim()))
  const columns = ranges.length < 2 || hasTotal ? [totalColumn(statement)] : ranges
  return (line) => sumDecimals(columns.map((at) => amountAt(line, at, report)))
}

/** "90+" and "91 and over" mean the same. */
const LATE = 90

interface Owed {
  readonly key: string
  readonly line: Line
  readonly name: string
  readonly amount: Decimal
}

/** Returns the balance of each customer, summed over some lines. */
function byCustomer(
  evidence: Evidence,
  statement: Statement,
  lines: readonly Line[],
  amountOf: (line: Line) => Decimal,
): readonly Owed[] {
  const customerOf = createCustomerFinder(evidence, statement)
  const owed = new Map<string, Owed>()
  for (const line of lines) {
    const { key, name } = customerOf(line)
    const before = owed.get(key)
    owed.set(key, {
      key,
      line: before?.line ?? line,
      name,
      amount: addDecimals(before?.amount ?? NOTHING, amountOf(line)),
    })
  }
  return [...owed.values()]
}

/**
 * Returns a function for whose a line is. A detail report names its rows by entry, with the customer in a column, in a
 * section, or in the name. Throws `NotChecked` if none of them tells.
 */
function createCustomerFinder(
  evidence: Evidence,
  { columns }: Statement,
): (line: Line) => Pick<Owed, 'key' | 'name'> {
  const read = evidence.list('customers')
  const customers = read.ok ? read.value : []
  const byId = new Map(customers.map((each) => [each.id, each]))
  let byName: ReadonlyMap<string, ListedRecord> | null = null
  const known = (name: string): ListedRecord | undefined => {
    byName ??= new Map(customers.map((each) => [each.fullName.toLowerCase(), each]))
    return byName.get(name.trim().toLowerCase())
  }
  const nameColumn = columns.findIndex((heading) => /\b(?:customer|client|name)\b/i.test(heading))
  const named = (name: string): Pick<Owed, 'key' | 'name'> => {
    const record = known(name)
    return { key: record?.id ?? name.trim().toLowerCase(), name: record?.fullName ?? name.trim() }
  }
  return (line) => {
    const { row, sections } = line
    const record = byId.get(row.id)
    if (record !== undefined) return { key: record.id, name: record.fullName }
    const inColumn = row.values[nameColumn]?.trim() ?? ''
    if (inColumn !== '') return named(inColumn)
    if (known(line.name) !== undefined) return named(line.name)
    // *Ash Bakery, 2026-03-03, Invoice, 12*
    const parts = line.name.split(', ')
    for (let count = parts.length - 1; count > 0; count -= 1) {
      const start = parts.slice(0, count).join(', ')
      if (known(start) !== undefined) return named(start)
    }
    const around = sections.findLast((section) => known(section) !== undefined)
    if (around !== undefined) return named(around)
    if (line.name.trim() !== '' && !isEntry(parts)) return { key: line.key, name: line.name }
    // The ID may be the customer’s, of whom nothing else is known.
    if (row.id !== '' && !read.ok) return { key: row.id, name: line.name }
    throw new NotChecked('The aging report doesn’t name its customers.')
  }
}

/** Whether a name is that of an entry: with a date, or without a word. */
function isEntry(parts: readonly string[]): boolean {
  const isDate = (text: string): boolean =>
    parseIsoDate(text.trim().slice(0, 10)) !== null ||
    readDate(text, 'month-first') !== null ||
    readDate(text, 'day-first') !== null
  return (
    parts.some(isDate) ||
    !/\p{L}{2}/u.test(parts.join('')) ||
    /^(?:inv(?:oice)?|credit memo|payment|journal|sales receipt)\b[^a-z]*$/i.test(parts.join(' '))
  )
}

export function past90Days(evidence: Evidence, report: Report): void {
  const statement = requireRead(evidence.statement('receivables'))
  const starts = statement.columns.map(bucketStart)
  const columns = starts.flatMap((start, at) => (start !== null && start >= LATE ? [at] : []))
  const lines = linesOf(statement)
  const isLate = ({ sections }: Line): boolean =>
    sections.some((section) => (bucketStart(section) ?? 0) >= LATE)
  const late = columns.length > 0 ? lines : lines.filter(isLate)
  // If the columns are buckets, one of them must be for late items.
  if (columns.length === 0 && (starts.some((start) => start !== null) || !hasBuckets(statement))) {
    throw new NotChecked('The aging report doesn’t say what is more than 90 days late.')
  }
  for (const heading of statement.columns.filter(isAcrossLate)) {
    report.unchecked.add(`Amounts under “${heading.trim()}” may be more or less than 90 days late.`)
  }
  const lateOf =
    columns.length > 0
      ? (line: Line): Decimal => sumDecimals(columns.map((at) => amountAt(line, at, report)))
      : createOwed(statement, report)
  for (const { key, line, name, amount } of byCustomer(evidence, statement, late, lateOf)) {
    if (isZero(amount) || isNegative(amount)) continue
    report.find(
      { key, name },
      {
        severity: 'likely',
        amount,
        side: 'debit',
        detail: says`More than 90 days past due.`,
        row: rowOf(statement, line.row),
      },
    )
  }
}

/** Whether the report's sections are ranges of days. A report without open items has none. */
function hasBuckets({ rows }: Statement): boolean {
  const sections = rows.filter(({ kind }) => kind === 'section')
  return rows.every(({ kind }) => kind !== 'data') || sections.some(({ name }) => bucketStart(name) !== null)
}

export function customerCredits(evidence: Evidence, report: Report): void {
  const statement = requireRead(evidence.statement('receivables'))
  const owed = byCustomer(evidence, statement, linesOf(statement), createOwed(statement, report))
  for (const { key, line, name, amount } of owed) {
    if (!isNegative(amount)) continue
    report.find(
      { key, name },
      {
        severity: 'likely',
        amount,
        side: 'debit',
        detail: says`Possible overpayment.`,
        row: rowOf(statement, line.row),
      },
    )
  }
}
