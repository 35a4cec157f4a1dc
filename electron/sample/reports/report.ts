/** The parts of reports (section 2.7): rows, columns, sums, and the accounts that they show. */
import { type Transaction } from '../books/ledger.ts'
import { type Cents, formatCents } from '../cents.ts'
import { type Company } from '../company.ts'
import { fullNameOf, type SampleRecord, textOf } from '../records/table.ts'
import { type Day, dayHeading, formatDay, monthEnd, monthHeading, monthStart, partsOf } from '../time.ts'

/** A row of `ReportLineData`. */
export interface ReportRow {
  readonly RowType: 'TextRow' | 'DataRow' | 'SubtotalRow' | 'TotalRow'
  readonly EntityRef: { readonly FullName: string; readonly ID: string }
  readonly Values: readonly string[]
}

/** The `Object` of a content item whose `Kind` is report. */
export interface Report {
  readonly ReportType: string
  readonly StartDate: string
  readonly EndDate: string
  readonly Columns: readonly string[]
  readonly ReportLineData: readonly ReportRow[]
}

/** A company and a period, which includes both days. */
export interface ReportRequest {
  readonly company: Company
  readonly start: Day
  readonly end: Day
}

/** The columns and rows of a report. */
export interface ReportBody {
  /** The headings. The first one is for the rows' names. */
  readonly columns: readonly string[]
  readonly rows: readonly ReportRow[]
}

/** Collects rows in order. */
export interface RowWriter {
  readonly rows: readonly ReportRow[]
  open(name: string, id?: string): void
  data(name: string, values: readonly string[], id?: string): void
  /** Closes the innermost open section. */
  close(name: string, values: readonly string[], id?: string): void
  /** Adds a row at the top level. Throws if a section is open. */
  total(name: string, values: readonly string[]): void
}

/** Creates a writer without rows. */
export function createRowWriter(): RowWriter {
  const rows: ReportRow[] = []
  let depth = 0
  const add = (
    RowType: ReportRow['RowType'],
    FullName: string,
    ID: string,
    Values: readonly string[],
  ): void => {
    rows.push({ RowType, EntityRef: { FullName, ID }, Values })
  }
  return {
    rows,
    open: (name, id = '') => {
      depth++
      add('TextRow', name, id, [])
    },
    data: (name, values, id = '') => {
      add('DataRow', name, id, values)
    },
    close: (name, values, id = '') => {
      if (depth === 0) throw new RangeError(`No section is open for "${name}"`)
      depth--
      add('SubtotalRow', name, id, values)
    },
    total: (name, values) => {
      if (depth !== 0) throw new RangeError(`A section is still open at "${name}"`)
      add('TotalRow', name, '', values)
    },
  }
}

/** Adds the name and the period to a report's body. */
export function reportOf(name: string, request: ReportRequest, body: ReportBody): Report {
  return {
    ReportType: name,
    StartDate: `${formatDay(request.start)}T00:00:00+00:00`,
    EndDate: `${formatDay(request.end)}T00:00:00+00:00`,
    Columns: body.columns,
    ReportLineData: body.rows,
  }
}

/** Amounts, one per column. */
export type Amounts = readonly Cents[]

/** Formats amounts with two decimals. */
export function written(amounts: Amounts): string[] {
  return amounts.map(formatCents)
}

/** Adds amounts column by column. */
export function added(width: number, ...many: readonly Amounts[]): Cents[] {
  return Array.from({ length: width }, (_, column) => many.reduce((sum, one) => sum + (one[column] ?? 0), 0))
}

/** The amounts with the opposite sign. Zero stays zero. */
export function negated(amounts: Amounts): Cents[] {
  return amounts.map((cents) => (cents === 0 ? 0 : -cents))
}

// How amounts are spread over columns: by month, by class, or all in one.

/** The columns of a report. If there are several, the last one is their total. */
export interface Spread {
  readonly headings: readonly string[]
  /** The column of an entry. Undefined leaves it out. */
  columnOf(entry: Pick<Transaction, 'day' | 'classId'>): number | undefined
}

const MAX_MONTHS = 24

/** A column per month, or per year for long periods, and a total. A month or less is a single column. */
export function byMonth(start: Day, end: Day): Spread {
  const years = partsOf(end).year - partsOf(start).year
  const months = years * 12 + partsOf(end).month - partsOf(start).month + 1
  const inPeriod = (day: Day): boolean => day >= start && day <= end
  if (months > MAX_MONTHS) {
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

/** One column for a whole period. */
export function inOne(heading: string, start: Day, end: Day): Spread {
  return { headings: [heading], columnOf: ({ day }) => (day >= start && day <= end ? 0 : undefined) }
}

/** A column per class, one for entries without a class, and a total. */
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

/** Sums of the ledger by account and column. Debits are positive. */
export interface Sums {
  readonly width: number
  of(accountId: string): Amounts
}

/** Sums the ledger by account and column. */
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

// The chart of accounts as reports show it.

/** An account with its subaccounts. */
export interface AccountNode {
  readonly id: string
  readonly type: string
  readonly label: string
  readonly number: string
  readonly children: readonly AccountNode[]
}

/** The top-level accounts of a company by number, with their subaccounts. */
export function accountTree(company: Company): AccountNode[] {
  const children = new Map<string, SampleRecord[]>()
  for (const record of company.table('account').all()) {
    const parent = textOf(record, 'Parent')
    const siblings = children.get(parent) ?? []
    siblings.push(record)
    children.set(parent, siblings)
  }
  const build = (parent: string): AccountNode[] =>
    (children.get(parent) ?? [])
      .map((record) => ({
        id: record.id,
        type: textOf(record, 'Type'),
        label: accountLabel(company, record),
        number: textOf(record, 'Number'),
        children: build(record.id),
      }))
      .toSorted((a, b) => compare(a.number, b.number) || compare(a.label, b.label))
  return build('')
}

/** All accounts of a tree, parents before children. */
export function flattened(nodes: readonly AccountNode[]): AccountNode[] {
  return nodes.flatMap((node) => [node, ...flattened(node.children)])
}

/** `6610 · Gas and Electric` in Desktop, `Gas and Electric` in Online. */
function accountLabel(company: Company, record: SampleRecord): string {
  const number = textOf(record, 'Number')
  const name = textOf(record, 'Name')
  return company.application === 'qbd' && number !== '' ? `${number} · ${name}` : name
}

/** The label of an account with its full name. */
export function accountName(company: Company, id: string): string {
  const record = company.table('account').get(id)
  if (record === undefined) return id
  const number = textOf(record, 'Number')
  const fullName = fullNameOf(company, 'account', record)
  return company.application === 'qbd' && number !== '' ? `${number} · ${fullName}` : fullName
}

/**
 * Writes the accounts of some types, with a section for each account that has subaccounts. Leaves out accounts that are
 * zero in every column, as the applications do.
 * @returns the sum of the accounts
 */
export function writeAccounts(
  writer: RowWriter,
  nodes: readonly AccountNode[],
  types: readonly string[],
  width: number,
  amountsOf: (id: string) => Amounts,
): Cents[] {
  let sum = added(width)
  for (const node of nodes) {
    if (types.includes(node.type)) sum = added(width, sum, writeNode(writer, node, width, amountsOf))
  }
  return sum
}

function writeNode(
  writer: RowWriter,
  node: AccountNode,
  width: number,
  amountsOf: (id: string) => Amounts,
): Cents[] {
  const own = amountsOf(node.id)
  const used = node.children.filter((child) => isUsed(child, amountsOf))
  if (used.length === 0) {
    if (own.some((cents) => cents !== 0)) writer.data(node.label, written(own), node.id)
    return added(width, own)
  }
  writer.open(node.label, node.id)
  let sum = added(width, own)
  for (const child of used) sum = added(width, sum, writeNode(writer, child, width, amountsOf))
  if (own.some((cents) => cents !== 0)) writer.data(`${node.label} - Other`, written(own), node.id)
  writer.close(`Total ${node.label}`, written(sum), node.id)
  return sum
}

function isUsed(node: AccountNode, amountsOf: (id: string) => Amounts): boolean {
  return (
    amountsOf(node.id).some((cents) => cents !== 0) || node.children.some((child) => isUsed(child, amountsOf))
  )
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
