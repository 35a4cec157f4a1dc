/** Rules about receivables by age. */
import { says } from '../../shared/format/format.ts'
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  isNegative,
  isZero,
  sumDecimals,
} from '../../shared/format/money.ts'
import { joinNames } from '../../shared/format/text.ts'
import { lazy } from '../../shared/lazy.ts'
import { notASum } from '../../shared/reports/columns.ts'
import type { Evidence, FullReport, ListedRecord } from './evidence/evidence.ts'
import {
  amountAt,
  amountColumns,
  isTextColumn,
  type Line,
  linesOf,
  listIndex,
  sectionName,
  totalColumn,
  withOwnKeys,
  ZERO,
} from './evidence/lines.ts'
import { NotCheckedError, notCompared, requireRead, rowOf, type RuleFindings } from './findings.ts'
import { readWrittenDate } from './ledger-entries.ts'
import { NO_AMOUNTS } from './ledger-reader.ts'

/** Days past due that a heading names, both included. */
interface Range {
  readonly from: number
  readonly to: number
}

/** Words around the numbers of a range. */
const AROUND = /[()]|\b(?:days?|past due|overdue|late|old|age[ds]?|aging|dpd)\b/g

/**
 * Reads a range of days from a whole heading: "> 90", "91 and over", "90+", "61 - 90 days", "Up to 90", "Current". Months
 * have 30 days. `null` for anything else.
 */
function rangeOf(heading: string): Range | null {
  const inMonths = /\bmonths?\b/i.test(heading)
  const text = heading
    .toLowerCase()
    .replace(/\bmonths?\b/, '')
    .replace(AROUND, '')
    .replace(/\s+/g, ' ')
    .trim()
  const days = (number: string | undefined): number => Number(number) * (inMonths ? 30 : 1)
  if (/^(?:current|not (?:yet )?due|undue)$/.test(text)) return { from: 0, to: 0 }
  const upTo = /^(?:up to|under|less than|<=?) ?(\d+)$/.exec(text)
  if (upTo) return { from: 0, to: days(upTo[1]) }
  const over = /^(>=?|over|more than|older than|above|after) ?(\d+)$/.exec(text)
  if (over) return { from: days(over[2]) + (over[1] === '>=' ? 0 : 1), to: Infinity }
  const open = /^(\d+) ?(?:\+|(?:and|or|&) (?:over|more|older|above|up))$/.exec(text)
  if (open) return { from: Math.max(days(open[1]), 1), to: Infinity }
  const range = /^(\d+) ?(?:-|\u2013|\u2014|to) ?(\d+)$/.exec(text)
  return range && Number(range[1]) <= Number(range[2]) ? { from: days(range[1]), to: days(range[2]) } : null
}

function isOver90Days(range: Range | null): boolean {
  return range !== null && range.from >= LATE
}

/** Whether 90 days are inside a range: *61 - 120*, *Over 60*. */
function spans90Days(range: Range | null): boolean {
  return range !== null && range.from < LATE && range.to > LATE + 1
}

const TOTAL =
  /^(?:total(?: due| owed| outstanding)?|(?:open |total )?balance(?: due)?|amount due|outstanding)$/i

/** The columns of an aging report. */
interface Columns {
  readonly ranges: readonly { readonly at: number; readonly range: Range }[]
  /** -1 for none. */
  readonly total: number
  /** Columns that may have amounts of any age, because their headings aren’t known. */
  readonly unknown: readonly number[]
}

function columnsOf(statement: FullReport): Columns {
  const { name, columns, rows } = statement
  const ranges = columns.flatMap((heading, at) => {
    const range = rangeOf(heading)
    return range === null ? [] : [{ at, range }]
  })
  const total = columns.findLastIndex((heading) => TOTAL.test(heading.trim()))
  const isFilled = (at: number): boolean =>
    rows.some(({ kind, values }) => {
      const value = values[at]?.trim() ?? ''
      return (kind === 'data' || kind === 'other') && /[1-9]/.test(value) && readWrittenDate(value) === null
    })
  const unknown = columns.flatMap((heading, at) =>
    rangeOf(heading) === null &&
    !TOTAL.test(heading.trim()) &&
    !NO_AMOUNTS.test(heading) &&
    notASum(name, columns, at) === null &&
    !isTextColumn(statement, at) &&
    isFilled(at)
      ? [at]
      : [],
  )
  return { ranges, total, unknown }
}

/**
 * Creates a function that returns the open balance of an aging report's line: its total, or else the sum of its ranges
 * of days. Throws `NotCheckedError` if the report has other amounts instead of a total.
 */
export function createBalanceReader(statement: FullReport, findings: RuleFindings): (line: Line) => Decimal {
  const { ranges, total, unknown } = columnsOf(statement)
  const isSum = total < 0 && ranges.length > 0
  if (isSum && unknown.length > 0) {
    throw new NotCheckedError(
      `The aging report has amounts under ${headingsOf(statement, unknown)}, which is neither a range of days nor a total.`,
    )
  }
  const columns = isSum ? ranges.map(({ at }) => at) : [total < 0 ? totalColumn(statement) : total]
  return (line) => sumDecimals(columns.map((at) => amountAt(line, at, findings)))
}

function headingsOf({ columns }: FullReport, those: readonly number[]): string {
  return joinNames(
    those.map((at) => `“${columns[at]?.trim() ?? ''}”`),
    3,
  )
}

/**
 * Returns the currency of an aging report; empty if it doesn’t say. Throws `NotCheckedError` if its amounts are in
 * several, which can’t be added up. Those without a currency are in that of the company.
 */
export function requireOneCurrency(statement: FullReport): string {
  const currencies = [...new Set(currenciesIn(statement).map(currencyCode))]
  const named = currencies.filter((each) => each !== '')
  if (currencies.length < 2) return named[0] ?? ''
  const some = named.length < currencies.length ? ', and some without a currency' : ''
  throw new NotCheckedError(`The aging report has amounts in ${joinNames(named, 3)}${some}.`)
}

function currencyColumn(statement: FullReport): number {
  return statement.columns.findIndex(
    (heading, at) => /\bcurr(?:ency)?\b/i.test(heading) && isTextColumn(statement, at),
  )
}

function currenciesIn(statement: FullReport): readonly string[] {
  const at = currencyColumn(statement)
  if (at < 0) return []
  const { ranges, total } = columnsOf(statement)
  const named = [...ranges.map((each) => each.at), ...(total < 0 ? [] : [total])]
  const columns = named.length > 0 ? named : amountColumns(statement)
  // A row without an amount says nothing about currencies.
  const values = linesOf(statement)
    .filter(({ row }) => columns.some((column) => /[1-9]/.test(row.values[column] ?? '')))
    .map(({ row }) => row.values[at]?.trim() ?? '')
  return [...new Set(values)]
}

const currencyCodes = lazy(() => {
  const names = new Intl.DisplayNames('en-US', { type: 'currency' })
  return new Map(Intl.supportedValuesOf('currency').map((code) => [names.of(code)?.toLowerCase(), code]))
})

/** Returns the code of a currency, which some applications write as a name: *US Dollar*. */
export function currencyCode(currency: string): string {
  const written = currency.trim()
  return (
    currencyCodes().get(written.toLowerCase()) ?? (written.length === 3 ? written.toUpperCase() : written)
  )
}

/** The lines of an aging report, each with its own key, because entries of several customers may have one name. */
export function agingLines(statement: FullReport): readonly Line[] {
  return linesOf(statement).map((line, at) => ({ ...line, key: `${String(at)}|${line.key}` }))
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
  statement: FullReport,
  lines: readonly Line[],
  amountOf: (line: Line) => Decimal,
  findings: RuleFindings,
): readonly Owed[] {
  const customerOf = createCustomerFinder(evidence, statement)
  const currencyAt = currencyColumn(statement)
  const currencies = new Map<string, string>()
  const owed = new Map<string, Owed>()
  /** Customers of whom an amount can’t be read, or whose amounts can’t be added up. */
  const unknown = new Set<string>()
  for (const line of lines) {
    const customer = customerOf(line)
    const amount = amountOf(line)
    if (findings.unreadable.has(line.key)) unknown.add(customer.key)
    if (customer.isOneOfSeveral) {
      if (!isZero(amount)) {
        findings.unchecked.add(
          `Several customers are called ${customer.name}, so their amounts weren’t compared.`,
        )
      }
      continue
    }
    const { key, name } = customer
    const currency = line.row.values[currencyAt]?.trim() ?? ''
    if (!isZero(amount)) {
      if ((currencies.get(key) ?? currency) !== currency) {
        unknown.add(key)
        findings.unchecked.add(`${name} has amounts in several currencies, so they weren’t compared.`)
      }
      currencies.set(key, currency)
    }
    const before = owed.get(key)
    owed.set(key, {
      key,
      line: before?.line ?? line,
      name,
      amount: addDecimals(before?.amount ?? ZERO, amount),
    })
  }
  return [...owed.values()].filter(({ key }) => !unknown.has(key))
}

interface Customer extends Pick<Owed, 'key' | 'name'> {
  /** `null` if the list doesn’t have the customer. */
  readonly record: ListedRecord | null
  /** Whether several records have that name, and nothing tells which one it is. */
  readonly isOneOfSeveral: boolean
}

/**
 * Creates a function that returns the customers who have a name as their full name or as their own. The sections around a
 * name tell which of several customers it is, such as jobs of one name.
 */
function customersByName(
  index: ReturnType<typeof listIndex>,
): (name: string, sections: readonly string[]) => readonly ListedRecord[] {
  return (name, sections) => {
    const wanted = name.trim().toLowerCase()
    const own = index.withOwnName(wanted)
    const paths = sections.map((_, from) => [...sections.slice(from), wanted].join(':'))
    const under = own.filter(({ fullName }) => paths.includes(fullName.toLowerCase()))
    return [under, index.withFullName(wanted), own].find((each) => each.length > 0) ?? []
  }
}

/**
 * Returns a function for whose a line is. A detail report names its rows by entry, with the customer in a column, in a
 * section, or in the name. Throws `NotCheckedError` if none of them tells.
 */
export function createCustomerFinder(evidence: Evidence, statement: FullReport): (line: Line) => Customer {
  const read = evidence.list('customers')
  const index = listIndex(evidence, read.ok ? read.value : [])
  const find = customersByName(index)
  const nameColumn = statement.columns.findIndex((heading) => /\b(?:customer|client|name)\b/i.test(heading))
  // Without the list, the customers’ sections tell which of several jobs of one name it is.
  const lines = linesOf(statement).map((line) => ({
    ...line,
    sections: line.sections.filter((section) => rangeOf(section) === null),
  }))
  const keys = new Map(withOwnKeys(lines).map(({ row, key }) => [row, key]))
  const inColumn = ({ row }: Line): string => row.values[nameColumn]?.trim() ?? ''
  /** The customers whom a line names, and how it names them. */
  const namedBy = (line: Line): readonly [name: string, customers: readonly ListedRecord[]] => {
    const { sections } = line
    const written = inColumn(line)
    if (written !== '') return [written, find(written, sections)]
    // *Ash Bakery, 2026-03-03, Invoice, 12*
    const parts = line.name.split(', ')
    const starts = parts.map((_, at) => parts.slice(0, parts.length - at).join(', '))
    const around = sections.map((section, at) => [section, sections.slice(0, at)] as const).toReversed()
    for (const [name, outer] of [...starts.map((start) => [start, sections] as const), ...around]) {
      const customers = find(name, outer)
      if (customers.length > 0) return [name.trim(), customers]
    }
    return ['', []]
  }
  return (line) => {
    const [name, named] = namedBy(line)
    const withId = index.withId(line.row.id)
    // A transaction may have the same ID as another customer, but not the name, too.
    const isOfAnother =
      named.length > 0 &&
      withId !== undefined &&
      !named.some((each) => isOneOf(each, withId)) &&
      !find(line.name, line.sections).includes(withId)
    const [record, ...others] = withId === undefined || isOfAnother ? named : [withId]
    if (others.length > 0) return { key: '', name, record: null, isOneOfSeveral: true }
    if (record !== undefined) return { key: record.id, name: record.fullName, record, isOneOfSeveral: false }
    const unknown = { record: null, isOneOfSeveral: false }
    const written = inColumn(line)
    if (written !== '') return { key: written.toLowerCase(), name: written, ...unknown }
    if (line.name.trim() !== '' && !isEntry(line.name.split(', '))) {
      return { key: keys.get(line.row) ?? line.key, name: line.name, ...unknown }
    }
    throw new NotCheckedError(read.ok ? 'The aging report doesn’t name its customers.' : read.reason)
  }
}

/** Whether two records are the same, or one is a job of the other. */
function isOneOf(one: ListedRecord, other: ListedRecord): boolean {
  const [left, right] = [one, other].map(({ fullName }) => `${fullName.toLowerCase()}:`)
  return one === other || left?.startsWith(right ?? '') === true || right?.startsWith(left ?? '') === true
}

/** Whether a name is that of an entry: with a date, or without a word. */
function isEntry(parts: readonly string[]): boolean {
  return (
    parts.some((part) => readWrittenDate(part) !== null) ||
    !/\p{L}{2}/u.test(parts.join('')) ||
    /^(?:inv(?:oice)?|credit memo|payment|journal|sales receipt)\b[^a-z]*$/i.test(parts.join(' '))
  )
}

export function past90Days(evidence: Evidence, findings: RuleFindings): void {
  const statement = requireRead(evidence.statement('receivables'))
  const columns = columnsOf(statement)
  const find = customersByName(listIndex(evidence, readCustomers(evidence)))
  const [late, lateOf] =
    columns.ranges.length > 0
      ? lateByColumn(statement, columns, findings)
      : lateBySection(statement, (section) => find(section, []).length > 0, findings)
  const currencyAt = currenciesIn(statement).length > 1 ? currencyColumn(statement) : -1
  for (const { key, line, name, amount } of byCustomer(evidence, statement, late, lateOf, findings)) {
    if (isZero(amount) || isNegative(amount)) continue
    findings.add(
      { key, name },
      {
        severity: 'likely',
        amount,
        side: 'debit',
        detail: says`More than 90 days past due.${inCurrency(line, currencyAt)}`,
        row: rowOf(statement, line.row),
      },
    )
  }
}

/** A sentence about the currency of an amount; empty without the column of currencies. */
function inCurrency({ row }: Line, column: number): string {
  const currency = row.values[column]?.trim() ?? ''
  return currency === '' ? '' : ` The amount is in ${currency}.`
}

function readCustomers(evidence: Evidence): readonly ListedRecord[] {
  const read = evidence.list('customers')
  return read.ok ? read.value : []
}

const NO_AGES = 'The aging report doesn’t say what is more than 90 days late.'

/** The lines that may be late, and how much of each is. */
type Late = readonly [lines: readonly Line[], amountOf: (line: Line) => Decimal]

function lateByColumn(
  statement: FullReport,
  { ranges, total, unknown }: Columns,
  findings: RuleFindings,
): Late {
  const late = ranges.filter(({ range }) => isOver90Days(range))
  // If the columns are ranges, one of them must be for late items.
  if (late.length === 0) throw new NotCheckedError(NO_AGES)
  for (const { at } of ranges.filter(({ range }) => spans90Days(range))) {
    findings.unchecked.add(
      `Amounts under ${headingsOf(statement, [at])} may be more or less than 90 days late.`,
    )
  }
  const lines = agingLines(statement)
  const sumOf = (line: Line, columns: readonly { readonly at: number }[]): Decimal =>
    sumDecimals(columns.map(({ at }) => amountAt(line, at, findings)))
  // Other amounts, such as that of an invoice, don’t matter if the ranges add up to the total.
  const isWhole = (line: Line): boolean =>
    compareDecimals(sumOf(line, ranges), amountAt(line, total, findings)) === 0
  if (unknown.length > 0 && (total < 0 || !lines.every(isWhole))) {
    findings.unchecked.add(`The age of amounts under ${headingsOf(statement, unknown)} isn’t known.`)
  } else if (total >= 0) {
    const broken = lines.filter((line) => !isWhole(line) && !findings.unreadable.has(line.key))
    const names = broken.map(({ name }) => name)
    if (names.length > 0)
      findings.unchecked.add(notCompared(names, 'Their ranges of days don’t add up to the total.'))
  }
  return [lines, (line) => sumOf(line, late)]
}

/** @param isCustomer whether a section is a customer, whose name may look like a range */
function lateBySection(
  statement: FullReport,
  isCustomer: (section: string) => boolean,
  findings: RuleFindings,
): Late {
  const lines = agingLines(statement)
  const owed = createBalanceReader(statement, findings)
  const ageOf = ({ sections, name }: Line): { readonly range: Range | null; readonly under: string } => {
    const ages = sections.filter((section) => !isCustomer(section))
    const under = ages.find((section) => rangeOf(section) !== null)
    if (under === undefined) return { range: null, under: ages.at(-1) ?? name }
    return { range: rangeOf(under), under }
  }
  const isOfRanges = statement.rows.some(
    ({ kind, name }) => kind === 'section' && !isCustomer(sectionName(name)) && rangeOf(name) !== null,
  )
  // A report without open items has no sections.
  if (!isOfRanges && lines.length > 0) throw new NotCheckedError(NO_AGES)
  for (const line of lines) {
    if (isZero(owed(line))) continue
    const { range, under } = ageOf(line)
    if (range === null) findings.unchecked.add(`The age of amounts under “${under}” isn’t known.`)
    else if (spans90Days(range)) {
      findings.unchecked.add(`Amounts under “${under}” may be more or less than 90 days late.`)
    }
  }
  return [lines.filter((line) => isOver90Days(ageOf(line).range)), owed]
}

export function customerCredits(evidence: Evidence, findings: RuleFindings): void {
  const statement = requireRead(evidence.statement('receivables'))
  const currencyAt = currenciesIn(statement).length > 1 ? currencyColumn(statement) : -1
  const owedOf = createBalanceReader(statement, findings)
  for (const { key, line, name, amount } of byCustomer(
    evidence,
    statement,
    agingLines(statement),
    owedOf,
    findings,
  )) {
    if (!isNegative(amount)) continue
    findings.add(
      { key, name },
      {
        severity: 'likely',
        amount,
        side: 'debit',
        detail: says`Possible overpayment.${inCurrency(line, currencyAt)}`,
        row: rowOf(statement, line.row),
      },
    )
  }
}
