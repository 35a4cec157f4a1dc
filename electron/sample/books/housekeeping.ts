// What an owner and an accountant do: the opening entry, sales tax, the loan, insurance paid ahead,
// depreciation, interest, and money moved so that the checking account stays sensible.
import { type Day, monthEnd, monthStart, partsOf } from '../time.ts'
import { type Cents, partOf } from '../cents.ts'
import { BANK, INSURER, STATE_TAX } from '../records/lists.ts'
import { type BooksSource } from './ledger.ts'

const LOAN_RATE = 0.068
const SAVINGS_RATE = 0.021
const YEARLY_PREMIUM: Cents = 1_044_000
const LEAST_IN_CHECKING: Cents = 2_500_000
const MOST_IN_CHECKING: Cents = 16_000_000

/** The entry that the books begin with. */
export function postOpening(source: BooksSource): void {
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

/** Posts the monthly routine; call it after everything else, because it looks at what was posted. */
export function postHousekeeping(source: BooksSource): void {
  const { accountId } = source.lists
  const taxAccrued = monthlySums(source, accountId('salesTax'))
  let loan = source.profile.opening.loan
  let savings = source.profile.opening.savings
  let prepaid = 0
  for (let month = source.start; month <= source.today; month = monthStart(month, 1)) {
    const end = monthEnd(month)
    payLoan()
    payInsurance()
    if (end > source.today) break
    entry(end, 'DEP', 'Depreciation of the month', 'depreciation', 'accumulated', source.profile.depreciation)
    const earned = partOf(savings, SAVINGS_RATE / 12)
    savings += earned
    post('Deposit', end, 'Interest', 'savings', 'interestIncome', earned)
    const due = -(taxAccrued.get(month) ?? 0)
    if (due > 0) post('Sales Tax Payment', end + 20, 'Sales tax', 'salesTax', 'checking', due, STATE_TAX)

    function payLoan(): void {
      const interest = partOf(loan, LOAN_RATE / 12)
      const principal = Math.min(source.profile.loanPayment - interest, loan)
      if (month + 4 > source.today || principal <= 0) return
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
        post('Check', month + 2, 'Premium of the year', 'prepaid', 'checking', prepaid, INSURER)
      }
      const left = 12 - ((partsOf(month).month - partsOf(source.start).month + 12) % 12)
      const share = left === 1 ? prepaid : Math.floor(prepaid / left)
      if (end > source.today) return
      prepaid -= share
      entry(end, 'INS', 'Insurance of the month', 'liabilityInsurance', 'prepaid', share)
    }
  }

  function entry(day: Day, number: string, memo: string, debit: string, credit: string, cents: Cents): void {
    if (day > source.today || cents === 0) return
    const lines: [string, Cents][] = [
      [accountId(debit), cents],
      [accountId(credit), -cents],
    ]
    source.ledger.post({ type: 'General Journal', day, number, memo, lines })
  }

  function post(
    type: 'Check' | 'Deposit' | 'Sales Tax Payment',
    day: Day,
    memo: string,
    debit: string,
    credit: string,
    cents: Cents,
    vendor?: string,
  ): void {
    if (day > source.today || cents === 0) return
    source.ledger.post({
      type,
      day,
      memo,
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

/** Moves money at month ends: the owner draws what is plenty and puts in what is short. Call it last. */
export function postCashManagement(source: BooksSource): void {
  const { accountId } = source.lists
  const flows = monthlySums(source, accountId('checking'))
  let balance = 0
  for (let month = source.start; monthEnd(month) <= source.today; month = monthStart(month, 1)) {
    balance += flows.get(month) ?? 0
    const day = monthEnd(month)
    if (balance < LEAST_IN_CHECKING) {
      const short = roundly(2 * LEAST_IN_CHECKING - balance)
      balance += move(day, 'Deposit', "Owner's contribution", 'capital', short)
    } else if (balance > MOST_IN_CHECKING) {
      const plenty = balance - MOST_IN_CHECKING
      balance += move(day, 'Transfer', 'To savings', 'savings', -roundly(partOf(plenty, 0.3)))
      balance += move(day, 'Check', "Owner's draw", 'draws', -roundly(partOf(plenty, 0.6)))
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

/** People move round sums: up to the next 500.00. */
function roundly(cents: Cents): Cents {
  return Math.ceil(cents / 50_000) * 50_000
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
