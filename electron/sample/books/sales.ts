// Invoices, the payments that settle them (some late, some in two parts), and a few credit memos.
import { type Cents, partOf } from '../cents.ts'
import { BOOKKEEPERS, createdDay, customerId, isActive, isTaxable } from '../records/people.ts'
import { type Day, monthEnd, monthStart, partsOf } from '../time.ts'
import { type BooksSource, monthlyLines, shuffled, type Transaction } from './ledger.ts'

/** Sales tax on taxable lines. */
const TAX_RATE = 0.0925
const GROWTH_A_YEAR = 0.06
const LINES_AN_INVOICE = 2
/** The discounts of a month, as a share of its sales. */
const DISCOUNTS = 0.0025

/** Posts a company's sales from the first day of its books to today. */
export function postSales(source: BooksSource): void {
  const invoices: Transaction[] = []
  let number = 1000
  for (let month = source.start; month <= source.today; month = monthStart(month, 1)) {
    for (const { day, lines } of salesOf(source, month)) {
      if (day <= source.today) invoices.push(postInvoice(source, day, String(++number), lines))
    }
  }
  for (const invoice of invoices) postPayments(source, invoice)
}

interface SalesLine {
  readonly account: string
  readonly memo: string
  readonly cents: Cents
  readonly taxable?: true
}

function salesOf(source: BooksSource, month: Day): { day: Day; lines: SalesLine[] }[] {
  const { profile, random } = source
  const factor =
    (profile.season[partsOf(month).month - 1] ?? 1) * (1 + (GROWTH_A_YEAR * (month - source.start)) / 365)
  const wanted = profile.monthly.invoices * factor
  const lines = shuffled(
    random,
    monthlyLines(source, profile.sales, LINES_AN_INVOICE * wanted).map(({ kind, cents }) => ({
      ...kind,
      cents,
    })),
  )
  const count = Math.min(lines.length, Math.max(1, Math.round(wanted * source.volume)))
  const days = Array.from({ length: count }, () => random.whole(month, monthEnd(month)))
  const invoices = days
    .toSorted((a, b) => a - b)
    .map((day): { day: Day; lines: SalesLine[] } => ({ day, lines: [] }))
  // Each invoice gets one line, and the rest go anywhere.
  for (const [index, line] of lines.entries()) {
    invoices[index < count ? index : random.whole(0, count - 1)]?.lines.push(line)
  }
  if (profile.chart.some((account) => account.key === 'discounts')) {
    const total = sumOf(lines)
    const largest = invoices.reduce((best, one) => (sumOf(one.lines) > sumOf(best.lines) ? one : best))
    largest.lines.push({ account: 'discounts', memo: 'Discount', cents: -partOf(total, DISCOUNTS) })
  }
  return invoices
}

function sumOf(lines: readonly SalesLine[]): Cents {
  return lines.reduce((sum, { cents }) => sum + cents, 0)
}

/** The index of an active customer who was there on a day. */
function chooseCustomer(source: BooksSource, day: Day): number {
  const { people } = source.lists
  for (let attempt = 0; attempt < 12; attempt++) {
    const index = Math.floor(people.trading * source.random.unit() ** 1.5)
    if (createdDay(people, index) <= day && isActive(people, index)) return index
  }
  return 0
}

function postInvoice(
  source: BooksSource,
  day: Day,
  number: string,
  sales: readonly SalesLine[],
): Transaction {
  const { random, lists } = source
  const index = chooseCustomer(source, day)
  const isTaxed = isTaxable(lists.people, index)
  const tax = isTaxed
    ? sales.reduce((sum, { cents, taxable }) => sum + (taxable === true ? partOf(cents, TAX_RATE) : 0), 0)
    : 0
  const lines = sales.map(({ account, memo, cents }): [string, Cents, string] => [
    lists.accountId(account),
    -cents,
    memo,
  ])
  if (tax > 0) lines.push([lists.accountId('salesTax'), -tax, 'Sales tax'])
  const termsId = lists.people.termIds[random.whole(0, 2)] ?? ''
  return source.ledger.post({
    type: 'Invoice',
    day,
    number,
    party: { object: 'customer', id: customerId(lists.people, index) },
    memo: sales[0]?.memo ?? '',
    classId: random.pick(lists.classIds),
    dueDay: day + lists.dueDays(termsId),
    termsId,
    enteredBy: random.pick(BOOKKEEPERS),
    lines: [[lists.accountId('receivable'), sumOf(sales) + tax], ...lines],
  })
}

/** Everything is paid within 90 days. */
function postPayments(source: BooksSource, invoice: Transaction): void {
  const { random } = source
  const total = invoice.postings[0]?.cents ?? 0
  const fate = random.unit()
  const day = invoice.day + random.whole(2, 48)
  if (fate < 0.015) {
    const credit = partOf(-(invoice.postings[1]?.cents ?? 0), 0.05)
    settle(source, invoice, invoice.day + random.whole(1, 20), credit, 'Credit Memo')
    settle(source, invoice, invoice.day + random.whole(21, 60), total - credit, 'Payment')
  } else if (fate < 0.9) {
    settle(source, invoice, day, total, 'Payment')
  } else if (fate < 0.96) {
    const first = partOf(total, 0.5)
    settle(source, invoice, day, first, 'Payment')
    settle(source, invoice, day + random.whole(15, 40), total - first, 'Payment')
  } else {
    settle(source, invoice, day + random.whole(20, 40), total, 'Payment')
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
  const returned = invoice.postings[1]?.accountId ?? lists.accountId('uncategorized')
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
      [type === 'Payment' ? lists.accountId('checking') : returned, cents],
      [lists.accountId('receivable'), -cents],
    ],
  })
}
