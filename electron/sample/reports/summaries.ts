// VendorExpenseSummary (online: VendorExpenses), PayrollItemDetail and AuditTrail.
import { formatDay, formatTimestamp, momentOfDay } from '../time.ts'
import { type Cents, formatCents } from '../cents.ts'
import { hashOf } from '../random.ts'
import { textOf } from '../records/table.ts'
import { accountName } from './accounts.ts'
import { entryName, partyName, rowName, splitName } from './general-ledger.ts'
import { createRowWriter, type ReportBody, type ReportRequest } from './report.ts'

const COST_TYPES = new Set(['CostOfGoodsSold', 'Expense', 'OtherExpense'])

/** What was spent with each vendor: postings to costs and expenses that name one. */
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

/** Every part of every paycheck, by payroll item. */
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

/** Who entered what, and when: the entries dated in the period, by person. */
export function auditTrail({ company, start, end }: ReportRequest): ReportBody {
  const people = new Map<string, { name: string; id: string; cents: Cents }[]>()
  for (const transaction of company.ledger().transactions()) {
    const { day, type, number, party, sequence, enteredBy, enteredDay, postings } = transaction
    const [first] = postings
    if (day < start || day > end || first === undefined) continue
    const minute = 8 * 60 + (hashOf('entered', sequence) % (10 * 60))
    const entered = formatTimestamp(momentOfDay(enteredDay) + minute * 60_000).slice(0, 19)
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
