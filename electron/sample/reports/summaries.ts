// VendorExpenseSummary (in Online, VendorExpenses), PayrollItemDetail, AuditTrail, and the aging reports.
import { type Transaction } from '../books/ledger.ts'
import { type Cents, formatCents } from '../cents.ts'
import { type Company } from '../company.ts'
import { hashOf } from '../random.ts'
import { textOf } from '../records/table.ts'
import { type Day, formatDay, formatTimestamp, momentOfDay } from '../time.ts'
import { entryName, partyName, rowName, splitName } from './general-ledger.ts'
import {
  accountName,
  added,
  createRowWriter,
  type ReportBody,
  type ReportRequest,
  type RowWriter,
  written,
} from './report.ts'

const COST_TYPES = new Set(['CostOfGoodsSold', 'Expense', 'OtherExpense'])

/** VendorExpenseSummary: costs and expenses by vendor. */
export function vendorExpenses({ company, start, end }: ReportRequest): ReportBody {
  const costs = new Set<string>()
  for (const record of company.table('account').all()) {
    if (COST_TYPES.has(textOf(record, 'Type'))) costs.add(record.id)
  }
  const spent = new Map<string, Cents>()
  for (const { day, party, postings } of company.ledger().transactions()) {
    if (party?.object !== 'vendor' || day < start || day > end) continue
    for (const { accountId, cents } of postings) {
      if (costs.has(accountId)) spent.set(party.id, (spent.get(party.id) ?? 0) + cents)
    }
  }
  const writer = createRowWriter()
  const rows = [...spent]
    .map(([id, cents]) => ({ id, cents, name: partyName(company, { object: 'vendor', id }) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  for (const { id, cents, name } of rows) writer.data(name, [formatCents(cents)], id)
  writer.total('TOTAL', [formatCents(rows.reduce((sum, row) => sum + row.cents, 0))])
  return { columns: ['Vendor', 'Total'], rows: writer.rows }
}

/** PayrollItemDetail: the parts of all paychecks, by payroll item. */
export function payrollItemDetail({ company, start, end }: ReportRequest): ReportBody {
  const items = new Map<string, { name: string; id: string; base: Cents; cents: Cents }[]>()
  for (const transaction of company.ledger().transactions()) {
    const { day, type, number, party } = transaction
    if (day < start || day > end) continue
    for (const { item, base, cents } of transaction.payItems) {
      const name = entryName([partyName(company, party), formatDay(day), type, number])
      const list = items.get(item) ?? []
      list.push({ name, id: party?.id ?? '', base, cents })
      items.set(item, list)
    }
  }
  const writer = createRowWriter()
  let total = 0
  for (const [item, lines] of items) {
    writer.open(item)
    for (const { name, id, base, cents } of lines)
      writer.data(name, [formatCents(base), formatCents(cents)], id)
    const sum = lines.reduce((amount, line) => amount + line.cents, 0)
    writer.close(`Total ${item}`, ['', formatCents(sum)])
    total += sum
  }
  writer.total('TOTAL', ['', formatCents(total)])
  return { columns: ['Paycheck', 'Wage Base', 'Amount'], rows: writer.rows }
}

/** AuditTrail: who entered the period's transactions, and when. */
export function auditTrail({ company, start, end }: ReportRequest): ReportBody {
  const people = new Map<string, { name: string; id: string; cents: Cents }[]>()
  for (const transaction of company.ledger().transactions()) {
    const { day, type, number, party, sequence, enteredBy, enteredAt, postings } = transaction
    const [first] = postings
    if (day < start || day > end || first === undefined) continue
    const minute = 8 * 60 + (hashOf('entered', sequence) % (10 * 60))
    const entered = enteredAt || formatTimestamp(momentOfDay(day) + minute * 60_000).slice(0, 19)
    const accounts = [accountName(company, first.accountId), splitName(company, first)]
    const words = [formatDay(day), type, number, rowName(company, transaction), ...accounts]
    const name = entryName([...words, `entered ${entered}`, 'Latest'])
    const list = people.get(enteredBy) ?? []
    list.push({ name, id: party?.id ?? '', cents: first.cents })
    people.set(enteredBy, list)
  }
  const writer = createRowWriter()
  for (const [person, lines] of [...people].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    writer.open(`Transactions entered or modified by ${person}`)
    for (const { name, id, cents } of lines) writer.data(name, [formatCents(cents)], id)
    const count = `${String(lines.length)} ${lines.length === 1 ? 'transaction' : 'transactions'}`
    writer.close(`Total entered or modified by ${person}: ${count}`, [''])
  }
  return { columns: ['Entry', 'Amount'], rows: writer.rows }
}

// The aging reports: what customers owe on the last day, by days past due. They add up to the receivable account and to the
// customers' balances.

const BUCKETS = ['Current', '1 - 30', '31 - 60', '61 - 90', '> 90'] as const

interface OpenItem {
  readonly transaction: Transaction
  readonly customerId: string
  readonly cents: Cents
  readonly daysLate: number
}

/** ARAgingDetail: open invoices by bucket. */
export function agingDetail({ company, end }: ReportRequest): ReportBody {
  const writer = createRowWriter()
  const items = openItems(company, end)
  let total = 0
  for (const [index, bucket] of BUCKETS.entries()) {
    const inBucket = items.filter((item) => bucketOf(item.daysLate) === index)
    if (inBucket.length === 0) continue
    writer.open(bucket)
    let sum = 0
    for (const { transaction, customerId, cents, daysLate } of inBucket) {
      sum += cents
      const { type, day, number, termsId, dueDay } = transaction
      const terms = company.table('terms').get(termsId)
      const name = entryName([
        partyName(company, { object: 'customer', id: customerId }),
        formatDay(day),
        type,
        number,
        terms === undefined ? '' : textOf(terms, 'Name'),
        dueDay === undefined ? '' : `due ${formatDay(dueDay)}`,
        daysLate > 0 ? `${String(daysLate)} days late` : '',
      ])
      writer.data(name, [formatCents(cents)], customerId)
    }
    writer.close(`Total ${bucket}`, [formatCents(sum)])
    total += sum
  }
  writer.total('TOTAL', [formatCents(total)])
  return { columns: ['Invoice', 'Open Balance'], rows: writer.rows }
}

/** AgedReceivables: a row per customer, with projects under their customer, and a column per bucket. */
export function agedReceivables({ company, end }: ReportRequest): ReportBody {
  const writer = createRowWriter()
  const width = BUCKETS.length + 1
  const amounts = new Map<string, Cents[]>()
  for (const { customerId, cents, daysLate } of openItems(company, end)) {
    const row = amounts.get(customerId) ?? new Array<Cents>(width).fill(0)
    const bucket = bucketOf(daysLate)
    row[bucket] = (row[bucket] ?? 0) + cents
    row[width - 1] = (row[width - 1] ?? 0) + cents
    amounts.set(customerId, row)
  }
  const roots = customersWithAmounts(company, amounts)
  const sums = roots.map((root) => writeCustomer(writer, root, amounts, width))
  writer.total('TOTAL', written(added(width, ...sums)))
  const columns = ['Customer', 'Current', '1 - 30', '31 - 60', '61 - 90', '91 and over', 'Total']
  return { columns, rows: writer.rows }
}

interface CustomerNode {
  readonly id: string
  readonly name: string
  readonly children: CustomerNode[]
}

/** The customers that owe something, and their parents. */
function customersWithAmounts(company: Company, amounts: ReadonlyMap<string, unknown>): CustomerNode[] {
  const table = company.table('customer')
  const nodes = new Map<string, CustomerNode>()
  const roots: CustomerNode[] = []
  const nodeOf = (id: string): CustomerNode => {
    const known = nodes.get(id)
    if (known !== undefined) return known
    const record = table.get(id)
    const made = { id, name: record === undefined ? id : textOf(record, 'Name'), children: [] }
    nodes.set(id, made)
    const parentId = record === undefined ? '' : textOf(record, 'Parent')
    if (parentId === '') roots.push(made)
    else nodeOf(parentId).children.push(made)
    return made
  }
  for (const id of amounts.keys()) nodeOf(id)
  return roots.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function writeCustomer(
  writer: RowWriter,
  node: CustomerNode,
  amounts: ReadonlyMap<string, readonly Cents[]>,
  width: number,
): Cents[] {
  const own = added(width, amounts.get(node.id) ?? [])
  if (node.children.length === 0) {
    writer.data(node.name, written(own), node.id)
    return own
  }
  writer.open(node.name, node.id)
  if (amounts.has(node.id)) writer.data(node.name, written(own), node.id)
  const sums = node.children.map((child) => writeCustomer(writer, child, amounts, width))
  const sum = added(width, own, ...sums)
  writer.close(`Total ${node.name}`, written(sum), node.id)
  return sum
}

/** Invoices and credits that are open on a day, oldest first. */
function openItems(company: Company, end: Day): OpenItem[] {
  const receivableId = company.lists().accountId('receivable')
  const open = new Map<Transaction, Cents>()
  for (const transaction of company.ledger().transactions()) {
    if (transaction.day > end) break
    const root = transaction.settles ?? transaction
    for (const { accountId, cents } of transaction.postings) {
      if (accountId === receivableId) open.set(root, (open.get(root) ?? 0) + cents)
    }
  }
  const items: OpenItem[] = []
  for (const [transaction, cents] of open) {
    const daysLate = end - (transaction.dueDay ?? transaction.day)
    if (cents !== 0) items.push({ transaction, customerId: transaction.party?.id ?? '', cents, daysLate })
  }
  return items
}

function bucketOf(daysLate: number): number {
  return daysLate <= 0 ? 0 : Math.min(Math.ceil(daysLate / 30), BUCKETS.length - 1)
}
