// The books of a company: about three years of entries, made once from its seed.
import { type Day, monthStart } from '../time.ts'
import { type Profile } from '../profiles/profile.ts'
import { randomOf } from '../random.ts'
import { type CompanyLists } from '../records/lists.ts'
import { postCashManagement, postHousekeeping, postOpening } from './housekeeping.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { postPayroll } from './payroll.ts'
import { postPurchases } from './purchases.ts'
import { postSales } from './sales.ts'

const MONTHS_OF_BOOKS = 36

/** The first day of the books of a company, counted from today: the first of a month three years back. */
export function booksStart(today: Day): Day {
  return monthStart(today, -MONTHS_OF_BOOKS)
}

/** Makes the ledger of a company with every entry that its profile, seed and today call for. */
export function makeBooks(given: {
  readonly seed: string
  readonly profile: Profile
  readonly lists: CompanyLists
  readonly today: Day
  readonly volume: number
}): Ledger {
  const ledger = createLedger()
  const start = booksStart(given.today)
  // A stream for each, so that a change in one leaves the others as they were.
  const source = (part: string): Parameters<typeof postSales>[0] => ({
    ...given,
    ledger,
    start,
    random: randomOf(given.seed, part),
  })
  postOpening(source('opening'))
  if (given.lists.people.count > 0) postSales(source('sales'))
  postPurchases(source('purchases'))
  postPayroll(source('payroll'))
  postHousekeeping(source('housekeeping'))
  postCashManagement(source('cash'))
  return ledger
}
