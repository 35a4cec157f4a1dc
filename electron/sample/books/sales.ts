// Invoices, the payments that settle them (late, in part, or not yet), and a few credit memos.
import { type Day, monthEnd, monthStart, partsOf } from '../time.ts'
import { type Cents, partOf } from '../cents.ts'
import { createdDay, customerId, isTaxable, BOOKKEEPERS } from '../records/people.ts'
import { type Transaction, type BooksSource, weighted } from './ledger.ts'

/** Sales tax on taxable lines. */
const TAX_RATE = 0.0925

/** Posts a company's sales from the first day of its books to today. */
export function postSales(source: BooksSource): void {
  const invoices: Transaction[] = []
  let number = 1000
  for (let month = source.start; month <= source.today; month = monthStart(month, 1)) {
    const count = invoicesOf(source, month)
    const days = Array.from({ length: count }, () => source.random.whole(month, monthEnd(month)))
    for (const day of days.toSorted((a, b) => a - b)) {
      if (day <= source.today) invoices.push(postInvoice(source, day, String(++number)))
    }
  }
  for (const invoice of invoices) postPayments(source, invoice)
}

function invoicesOf(source: BooksSource, month: Day): number {
  const { season, monthly } = source.profile
  const years = (month - source.start) / 365
  const usual = monthly.invoices * (season[partsOf(month).month - 1] ?? 1) * (1 + 0.06 * years)
  return Math.round(usual * source.volume * (0.9 + 0.2 * source.random.unit()))
}

function chooseCustomer(source: BooksSource, day: Day): number {
  const { people } = source.lists
  for (let attempt = 0; attempt < 6; attempt++) {
    const index = Math.floor(people.trading * source.random.unit() ** 1.5)
    if (createdDay(people, index) <= day) return index
  }
  return 0
}

function postInvoice(source: BooksSource, day: Day, number: string): Transaction {
  const { random, profile, lists } = source
  const index = chooseCustomer(source, day)
  const lines: [string, Cents, string][] = []
  let total = 0
  let tax = 0
  const taxable = isTaxable(lists.people, index)
  for (let line = random.whole(1, 3); line > 0; line--) {
    const sale = weighted(random, profile.sales)
    const cents = random.whole(sale.low, sale.high)
    lines.push([lists.accountId(sale.account), -cents, sale.memo])
    total += cents
    if (taxable && sale.taxable === true) tax += partOf(cents, TAX_RATE)
  }
  if (random.chance(0.04) && profile.chart.some((account) => account.key === 'discounts')) {
    const discount = partOf(total, 0.05)
    lines.push([lists.accountId('discounts'), discount, 'Discount'])
    total -= discount
  }
  if (tax > 0) lines.push([lists.accountId('salesTax'), -tax, 'Sales tax'])
  const termsId = lists.people.termIds[random.whole(0, 2)] ?? ''
  return source.ledger.post({
    type: 'Invoice',
    day,
    number,
    party: { object: 'customer', id: customerId(lists.people, index) },
    memo: lines[0]?.[2] ?? '',
    classId: random.chance(0.9) ? random.pick(lists.classIds) : '',
    dueDay: day + lists.dueDays(termsId),
    termsId,
    enteredBy: random.pick(BOOKKEEPERS),
    lines: [[lists.accountId('receivable'), total + tax], ...lines],
  })
}

function postPayments(source: BooksSource, invoice: Transaction): void {
  const { random } = source
  const total = invoice.postings[0]?.cents ?? 0
  const fate = random.unit()
  const day = invoice.day + random.whole(2, 48)
  if (fate < 0.015) {
    settle(source, invoice, invoice.day + random.whole(1, 20), partOf(total, 0.2), 'Credit Memo')
  } else if (fate < 0.92) {
    settle(source, invoice, day, total, 'Payment')
  } else if (fate < 0.965) {
    const first = partOf(total, 0.5)
    settle(source, invoice, day, first, 'Payment')
    settle(source, invoice, day + random.whole(15, 45), total - first, 'Payment')
  } else if (fate < 0.994) {
    settle(source, invoice, day + random.whole(35, 95), total, 'Payment')
  }
}

function settle(
  source: BooksSource,
  invoice: Transaction,
  day: Day,
  cents: Cents,
  type: 'Payment' | 'Credit Memo',
): void {
  if (day > source.today || invoice.party === undefined) return
  const { lists, random } = source
  const against = type === 'Payment' ? lists.accountId('checking') : returnedAccount(source, invoice)
  source.ledger.post({
    type,
    day,
    number: type === 'Payment' ? String(random.whole(1200, 9800)) : `CM-${invoice.number}`,
    party: invoice.party,
    memo: type === 'Payment' ? `Invoice ${invoice.number}` : `Credit on invoice ${invoice.number}`,
    classId: invoice.classId,
    settles: invoice,
    enteredBy: random.pick(BOOKKEEPERS),
    lines: [
      [against, cents],
      [lists.accountId('receivable'), -cents],
    ],
  })
}

function returnedAccount(source: BooksSource, invoice: Transaction): string {
  return invoice.postings[1]?.accountId ?? source.lists.accountId('uncategorized')
}
