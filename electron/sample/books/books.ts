// Generates the books of a company: about three years of entries from its seed. Here are the opening entry, the monthly
// routine, and the planted faults. sales.ts and spending.ts generate the rest.
import { type Cents, partOf } from '../cents.ts'
import { type FaultyEntry, faultyMonth, type PlantedFaults } from '../profiles/faults.ts'
import { type Profile } from '../profiles/profile.ts'
import { randomOf } from '../random.ts'
import { BANK, type CompanyLists, INSURER, STATE_TAX } from '../records/lists.ts'
import { customerId, establishedCustomer } from '../records/people.ts'
import { type Day, monthEnd, monthStart, partsOf } from '../time.ts'
import { type BooksSource, createLedger, type Ledger, type Party, type Transaction } from './ledger.ts'
import { postSales } from './sales.ts'
import { postPayroll, postPurchases } from './spending.ts'

const MONTHS_OF_BOOKS = 36

/** The first day of a company's books: the first of the month, three years before today. */
export function booksStart(today: Day): Day {
  return monthStart(today, -MONTHS_OF_BOOKS)
}

/** Generates the ledger of a company. */
export function createBooks(given: {
  readonly seed: string
  readonly profile: Profile
  readonly faults: PlantedFaults
  readonly lists: CompanyLists
  readonly today: Day
  readonly volume: number
}): Ledger {
  const ledger = createLedger()
  const start = booksStart(given.today)
  // Each part has its own random numbers, so that a change in one doesn't affect the others.
  const source = (part: string): BooksSource => ({
    ...given,
    ledger,
    start,
    random: randomOf(given.seed, part),
  })
  postOpening(source('opening'))
  if (given.lists.people.count > 0) postSales(source('sales'))
  postPurchases(source('purchases'))
  postPayroll(source('payroll'))
  postFaults(source('faults'))
  postHousekeeping(source('housekeeping'))
  postCashManagement(source('cash'))
  return ledger
}

const LOAN_RATE = 0.068
const SAVINGS_RATE = 0.021
const YEARLY_PREMIUM: Cents = 1_044_000
const LEAST_IN_CHECKING: Cents = 2_500_000
const MAX_IN_CHECKING: Cents = 16_000_000
const LATE_ENTRY: Cents = 125_000

/** Posts the opening balances. */
function postOpening(source: BooksSource): void {
  const { opening } = source.profile
  const { accountId } = source.lists
  const assets = opening.checking + opening.savings + opening.equipment - opening.accumulated
  source.ledger.post({
    type: 'General Journal',
    day: source.start,
    number: 'OPEN',
    memo: 'Opening balances',
    lines: [
      [accountId('checking'), opening.checking],
      [accountId('savings'), opening.savings],
      [accountId('equipment'), opening.equipment],
      [accountId('accumulated'), -opening.accumulated],
      [accountId('loan'), -opening.loan],
      [accountId('capital'), opening.loan - assets],
    ],
  })
}

/** An entry of an amount to two accounts, given by their keys. */
interface TwoLineEntry {
  readonly type: 'General Journal' | 'Check' | 'Deposit' | 'Sales Tax Payment'
  readonly day: Day
  readonly number?: string
  readonly memo: string
  readonly debit: string
  readonly credit: string
  readonly cents: Cents
  readonly vendor?: string
}

/** Posts the monthly routine: the loan, insurance, depreciation, interest, and sales tax. Needs all sales. */
function postHousekeeping(source: BooksSource): void {
  const { accountId } = source.lists
  const taxAccrued = monthlySums(source, accountId('salesTax'))
  let loan = source.profile.opening.loan
  let savings = source.profile.opening.savings
  let prepaid = 0
  const { faults, today } = source
  const loanOnCard = faults.loanOnCard === undefined ? undefined : faultyMonth(today, faults.loanOnCard)
  for (let month = source.start; month <= source.today; month = monthStart(month, 1)) {
    const end = monthEnd(month)
    payLoan()
    payInsurance()
    if (end > source.today) break
    post({
      ...{ type: 'General Journal', day: end, number: 'DEP', memo: 'Depreciation' },
      ...{ debit: 'depreciation', credit: 'accumulated', cents: source.profile.depreciation },
    })
    const earned = partOf(savings, SAVINGS_RATE / 12)
    savings += earned
    post({
      ...{ type: 'Deposit', day: end, memo: 'Interest' },
      ...{ debit: 'savings', credit: 'interestIncome', cents: earned },
    })
    const due = -(taxAccrued.get(month) ?? 0)
    if (due > 0) {
      post({
        ...{ type: 'Sales Tax Payment', day: end + 20, memo: 'Sales tax', vendor: STATE_TAX },
        ...{ debit: 'salesTax', credit: 'checking', cents: due },
      })
    }

    function payLoan(): void {
      const interest = partOf(loan, LOAN_RATE / 12)
      const principal = Math.min(source.profile.loanPayment - interest, loan)
      if (month + 4 > source.today || principal <= 0) return
      if (month === loanOnCard) {
        post({
          ...{ type: 'Check', day: month + 4, memo: 'Loan payment', vendor: BANK },
          ...{ debit: 'card', credit: 'checking', cents: source.profile.loanPayment },
        })
        return
      }
      loan -= principal
      source.ledger.post({
        type: 'Check',
        day: month + 4,
        party: { object: 'vendor', id: source.lists.vendorId(BANK) },
        memo: 'Loan payment',
        lines: [
          [accountId('loan'), principal, 'Principal'],
          [accountId('interestExpense'), interest, 'Interest'],
          [accountId('checking'), -principal - interest],
        ],
      })
    }

    function payInsurance(): void {
      const years = Math.floor((month - source.start) / 365)
      if (prepaid === 0) {
        prepaid = partOf(YEARLY_PREMIUM, 1 + 0.05 * years)
        post({
          ...{ type: 'Check', day: month + 2, memo: 'Annual premium', vendor: INSURER },
          ...{ debit: 'prepaid', credit: 'checking', cents: prepaid },
        })
      }
      const left = 12 - ((partsOf(month).month - partsOf(source.start).month + 12) % 12)
      const share = left === 1 ? prepaid : Math.floor(prepaid / left)
      if (end > source.today) return
      prepaid -= share
      post({
        ...{ type: 'General Journal', day: end, number: 'INS', memo: 'Insurance, monthly share' },
        ...{ debit: 'liabilityInsurance', credit: 'prepaid', cents: share },
      })
    }
  }

  function post({ type, day, number, memo, debit, credit, cents, vendor }: TwoLineEntry): void {
    if (day > source.today || cents === 0) return
    source.ledger.post({
      ...{ type, day, memo },
      ...(number === undefined ? {} : { number }),
      ...(vendor === undefined
        ? {}
        : { party: { object: 'vendor', id: source.lists.vendorId(vendor) } as const }),
      lines: [
        [accountId(debit), cents],
        [accountId(credit), -cents],
      ],
    })
  }
}

/** Keeps the checking account sensible: at month ends, the owner takes money out or puts some in. */
function postCashManagement(source: BooksSource): void {
  const { accountId } = source.lists
  const flows = monthlySums(source, accountId('checking'))
  let balance = 0
  for (let month = source.start; monthEnd(month) <= source.today; month = monthStart(month, 1)) {
    balance += flows.get(month) ?? 0
    const day = monthEnd(month)
    if (balance < LEAST_IN_CHECKING) {
      const short = 2 * LEAST_IN_CHECKING - balance
      balance += move(day, 'Deposit', "Owner's contribution", 'capital', short)
    } else if (balance > MAX_IN_CHECKING) {
      const plenty = balance - MAX_IN_CHECKING
      balance += move(day, 'Transfer', 'To savings', 'savings', -partOf(plenty, 0.3))
      balance += move(day, 'Check', "Owner's draw", 'draws', -partOf(plenty, 0.6))
    }
  }

  function move(
    day: Day,
    type: 'Deposit' | 'Transfer' | 'Check',
    memo: string,
    other: string,
    cents: Cents,
  ): Cents {
    const lines: [string, Cents][] = [
      [accountId('checking'), cents],
      [accountId(other), -cents],
    ]
    source.ledger.post({ type, day, memo, lines })
    return cents
  }
}

function monthlySums(source: BooksSource, accountId: string): Map<Day, Cents> {
  const sums = new Map<Day, Cents>()
  for (const transaction of source.ledger.transactions()) {
    const month = monthStart(transaction.day)
    for (const posting of transaction.postings) {
      if (posting.accountId === accountId) sums.set(month, (sums.get(month) ?? 0) + posting.cents)
    }
  }
  return sums
}

function postFaults(source: BooksSource): void {
  const { faults, ledger, lists, today } = source
  let last: Transaction | undefined
  for (const entry of faults.entries) {
    const month = faultyMonth(today, entry.monthsAgo)
    const day = month + entry.date - 1
    const party = partyOf(source, entry, month)
    if (party === undefined && entry.customer !== undefined) continue
    last = ledger.post({
      type: entry.type,
      day,
      number: entry.number ?? '',
      memo: entry.memo,
      ...(party !== undefined && { party }),
      ...(entry.hasClass && { classId: lists.classIds[0] ?? '' }),
      ...(entry.settlesLast && last !== undefined && { settles: last }),
      ...(entry.type === 'Invoice' && { dueDay: day }),
      ...(entry.type === 'Bill' && { dueDay: day + 30 }),
      lines: entry.lines.map(([account, cents]) => [lists.accountId(account), cents]),
    })
  }
}

function partyOf({ lists }: BooksSource, { vendor, customer }: FaultyEntry, month: Day): Party | undefined {
  if (vendor !== undefined) return { object: 'vendor', id: lists.vendorId(vendor) }
  if (customer === undefined) return undefined
  const index = establishedCustomer(lists.people, customer, month)
  return index === undefined ? undefined : { object: 'customer', id: customerId(lists.people, index) }
}

/** Posts a bill that is dated in the last full month but entered at a later moment, when it may already be closed. */
export function postLateEntry(
  ledger: Ledger,
  profile: Profile,
  lists: CompanyLists,
  today: Day,
  enteredAt: string,
): void {
  const [purchase] = profile.bills
  const [vendor] = purchase?.vendors ?? []
  if (purchase === undefined || vendor === undefined) return
  const day = faultyMonth(today, 0) + 14
  ledger.post({
    type: 'Bill',
    day,
    number: 'LATE-1',
    party: { object: 'vendor', id: lists.vendorId(vendor) },
    memo: 'Entered late',
    classId: lists.classIds[0] ?? '',
    dueDay: day + 30,
    enteredAt,
    lines: [
      [lists.accountId('payable'), -LATE_ENTRY],
      [lists.accountId(purchase.account), LATE_ENTRY],
    ],
  })
}
