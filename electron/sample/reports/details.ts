// What the detail reports share: names of parties, what is on the other side, order by account.
import { type Party, type Posting, type Transaction } from '../books/ledger.ts'
import { type Day } from '../calendar.ts'
import { type Company } from '../company.ts'
import { fullNameOf } from '../records/names-in-use.ts'
import { accountName } from './accounts.ts'

/** The full name of whoever a transaction is with, as it is now; empty where it is with nobody. */
export function partyName(company: Company, party: Party | undefined): string {
  if (party === undefined) return ''
  const record = company.table(party.object).get(party.id)
  return record === undefined ? '' : fullNameOf(company, party.object, record)
}

/**
 * A detail row's name: all its words. `Values` are decimal strings (section 2.7), so the day, the type, the memo and the
 * like have no other place.
 */
export function entryName(words: readonly string[]): string {
  return words.filter((word) => word !== '').join(', ')
}

/** Whoever an entry is with, or what it says of itself. */
export function rowName(company: Company, transaction: Transaction): string {
  const name = partyName(company, transaction.party)
  return name === '' ? transaction.memo : name
}

/** The account on the other side of a posting, or the word for several. */
export function splitName(company: Company, posting: Posting): string {
  const others = posting.transaction.postings.filter((other) => other.accountId !== posting.accountId)
  const [only, second] = others
  if (only === undefined) return ''
  return second === undefined ? accountName(company, only.accountId) : '-SPLIT-'
}

/** The postings of a period by account, in the order of their days. */
export function postingsByAccount(company: Company, start: Day, end: Day): Map<string, Posting[]> {
  const byAccount = new Map<string, Posting[]>()
  for (const transaction of company.ledger().transactions()) {
    if (transaction.day < start || transaction.day > end) continue
    for (const posting of transaction.postings) {
      const list = byAccount.get(posting.accountId)
      if (list === undefined) byAccount.set(posting.accountId, [posting])
      else list.push(posting)
    }
  }
  return byAccount
}
