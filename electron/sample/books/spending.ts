// What a company spends: bills and their payments, the credit card, what is paid every month, and payroll.
import { type Cents, partOf } from '../cents.ts'
import { keyedTimes } from '../profiles/faults.ts'
import { CARD_ISSUER, STATE_TAX, TREASURY } from '../records/lists.ts'
import { BOOKKEEPERS } from '../records/people.ts'
import { type Day, dayOf, monthEnd, monthStart, partsOf } from '../time.ts'
import { type BooksSource, monthlyLines, type Party, type PayItem } from './ledger.ts'

const BILLS_GROWTH_A_YEAR = 0.04
const CHARGES_GROWTH_A_YEAR = 0.03

/** Posts what a company buys, from the first day of its books to today. */
export function postPurchases(source: BooksSource): void {
  let check = 2000
  let owedOnCard = 0
  for (let month = source.start; month <= source.today; month = monthStart(month, 1)) {
    const years = (month - source.start) / 365
    postBills(source, month, years)
    if (owedOnCard > 0) payCard(source, month + 21, owedOnCard, String(++check))
    owedOnCard = postCharges(source, month, years)
    for (const standing of source.profile.standing) {
      const { year, month: number } = partsOf(month)
      const day = dayOf(year, number, standing.date)
      const sway = 1 + standing.sway * (source.random.unit() * 2 - 1)
      if (day > source.today) continue
      const times = keyedTimes(source.faults, standing.account, source.today, month)
      const cents = partOf(standing.cents, times * sway * (1 + 0.02 * Math.floor(years)))
      source.ledger.post({
        type: 'Check',
        day,
        number: String(++check),
        party: vendor(source, standing.vendor),
        memo: standing.memo,
        enteredBy: source.random.pick(BOOKKEEPERS),
        lines: [
          [source.lists.accountId(standing.account), cents],
          [source.lists.accountId('checking'), -cents],
        ],
      })
    }
  }
}

function vendor(source: BooksSource, name: string): Party {
  return { object: 'vendor', id: source.lists.vendorId(name) }
}

function postBills(source: BooksSource, month: Day, years: number): void {
  const { random, profile, lists, ledger } = source
  const count = profile.monthly.bills * (profile.season[partsOf(month).month - 1] ?? 1)
  for (const { kind, cents } of monthlyLines(source, profile.bills, count, 1 + BILLS_GROWTH_A_YEAR * years)) {
    const day = random.whole(month, monthEnd(month))
    const party = vendor(source, random.pick(kind.vendors))
    const classId = random.pick(lists.classIds)
    const paid = day + random.whole(12, 38)
    if (day > source.today) continue
    const bill = ledger.post({
      type: 'Bill',
      day,
      number: String(random.whole(10_000, 99_999)),
      party,
      memo: kind.memo,
      classId,
      dueDay: day + 30,
      enteredBy: random.pick(BOOKKEEPERS),
      lines: [
        [lists.accountId('payable'), -cents],
        [lists.accountId(kind.account), cents],
      ],
    })
    if (paid > source.today) continue
    ledger.post({
      type: 'Bill Payment',
      day: paid,
      number: String(random.whole(4000, 4999)),
      party,
      memo: `Bill ${bill.number}`,
      classId,
      settles: bill,
      enteredBy: random.pick(BOOKKEEPERS),
      lines: [
        [lists.accountId('payable'), cents],
        [lists.accountId('checking'), -cents],
      ],
    })
  }
}

/** Posts a month's card charges and returns their sum. */
function postCharges(source: BooksSource, month: Day, years: number): Cents {
  const { random, profile, lists, ledger } = source
  let owed = 0
  const growth = 1 + CHARGES_GROWTH_A_YEAR * years
  for (const { kind, cents } of monthlyLines(source, profile.card, profile.monthly.charges, growth)) {
    const day = random.whole(month, monthEnd(month))
    const party = vendor(source, random.pick(kind.vendors))
    if (day > source.today) continue
    owed += cents
    ledger.post({
      type: 'Credit Card Charge',
      day,
      party,
      memo: kind.memo,
      enteredBy: random.pick(BOOKKEEPERS),
      lines: [
        [lists.accountId('card'), -cents],
        [lists.accountId(kind.account), cents],
      ],
    })
  }
  return owed
}

function payCard(source: BooksSource, day: Day, cents: number, number: string): void {
  if (day > source.today) return
  source.ledger.post({
    type: 'Check',
    day,
    number,
    party: vendor(source, CARD_ISSUER),
    memo: 'Card statement',
    lines: [
      [source.lists.accountId('card'), cents],
      [source.lists.accountId('checking'), -cents],
    ],
  })
}

// Payroll.

const FEDERAL_WITHHOLDING = 0.115
const STATE_WITHHOLDING = 0.041
const SOCIAL_SECURITY = 0.062
const MEDICARE = 0.0145
const UNEMPLOYMENT = 0.006

/** Posts a company's payroll: paychecks twice a month, and payroll taxes the month after. */
export function postPayroll(source: BooksSource): void {
  const owed = { federal: new Map<Day, number>(), state: new Map<Day, number>() }
  let number = 7000
  for (let month = source.start; month <= source.today; month = monthStart(month, 1)) {
    for (const day of [month + 14, monthEnd(month)]) {
      if (day > source.today) continue
      for (const index of source.profile.jobs.keys()) postPaycheck(source, day, index, String(++number), owed)
    }
    payTaxes(source, month, TREASURY, 'federalTax', owed.federal.get(month) ?? 0)
    payTaxes(source, month, STATE_TAX, 'stateTax', owed.state.get(month) ?? 0)
  }
}

function postPaycheck(
  source: BooksSource,
  day: Day,
  index: number,
  number: string,
  owed: { federal: Map<Day, number>; state: Map<Day, number> },
): void {
  const { profile, lists, random } = source
  const job = profile.jobs[index]
  const employeeId = lists.employeeIds[index]
  if (job === undefined || employeeId === undefined) return
  const years = Math.floor((day - source.start) / 365)
  const hours = job.hourly ? 0.9 + random.unit() * 0.16 : 1
  const gross = partOf(job.gross, hours * (1 + 0.03 * years))
  const part = (item: string, rate: number): PayItem => ({ item, base: gross, cents: partOf(gross, rate) })
  const federal = part('Federal Withholding', -FEDERAL_WITHHOLDING)
  const state = part('State Withholding', -STATE_WITHHOLDING)
  const security = part('Social Security Employee', -SOCIAL_SECURITY)
  const medicare = part('Medicare Employee', -MEDICARE)
  const securityCompany = part('Social Security Company', SOCIAL_SECURITY)
  const medicareCompany = part('Medicare Company', MEDICARE)
  const unemployment = part('State Unemployment Company', UNEMPLOYMENT)
  const company = securityCompany.cents + medicareCompany.cents + unemployment.cents
  const federalOwed =
    securityCompany.cents + medicareCompany.cents - federal.cents - security.cents - medicare.cents
  const stateOwed = unemployment.cents - state.cents
  const net = gross + federal.cents + state.cents + security.cents + medicare.cents
  source.ledger.post({
    type: 'Paycheck',
    day,
    number,
    party: { object: 'employee', id: employeeId },
    memo: job.title,
    payItems: [
      { item: job.hourly ? 'Hourly Wages' : 'Salary', base: gross, cents: gross },
      federal,
      state,
      security,
      medicare,
      securityCompany,
      medicareCompany,
      unemployment,
    ],
    lines: [
      [lists.accountId('checking'), -net, 'Net pay'],
      [lists.accountId(job.wages), gross, 'Gross pay'],
      [lists.accountId('payrollTaxes'), company, 'Company taxes'],
      [lists.accountId('federalTax'), -federalOwed, 'Federal payroll taxes'],
      [lists.accountId('stateTax'), -stateOwed, 'State payroll taxes'],
    ],
  })
  const month = monthStart(day)
  owed.federal.set(month, (owed.federal.get(month) ?? 0) + federalOwed)
  owed.state.set(month, (owed.state.get(month) ?? 0) + stateOwed)
}

function payTaxes(source: BooksSource, month: Day, agency: string, account: string, cents: number): void {
  const day = monthEnd(month) + 15
  if (day > source.today || cents === 0) return
  source.ledger.post({
    type: 'Liability Check',
    day,
    party: { object: 'vendor', id: source.lists.vendorId(agency) },
    memo: 'Payroll taxes, previous month',
    lines: [
      [source.lists.accountId(account), cents],
      [source.lists.accountId('checking'), -cents],
    ],
  })
}
